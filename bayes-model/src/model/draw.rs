//! Prior draws, with params drawn or given, and the exact Gaussian distributions of the random quantities.

use super::Statement;
use super::plain::{PlainDistribution, PlainInterpreter};
use crate::dist::{Drawn, Gaussian};
use crate::error::ValuesError;
use crate::rng::Stream;
use crate::text::exact;

/// The allowed relative error of transforming a value to coordinates and back.
const ROUNDING: f64 = 1e-6;

/// Elements of quantities by name, row-major and in the order of execution, with the number of elements that a program has used.
pub(super) struct Unused<'a>(Vec<(&'a str, &'a [f64], usize)>);

impl<'a> Unused<'a> {
    pub(super) fn new(values: &'a [(String, Vec<f64>)]) -> Self {
        let values = values
            .iter()
            .map(|(name, x)| (name.as_str(), x.as_slice(), 0));
        Self(values.collect())
    }

    /// The next `count` elements of a quantity; `None` if it has no given value.
    ///
    /// # Panics
    /// If fewer are left.
    pub(super) fn take(&mut self, name: &str, count: usize) -> Option<&'a [f64]> {
        let (_, all, used) = self.0.iter_mut().find(|(other, ..)| *other == name)?;
        let mine = &all[*used..*used + count];
        *used += count;
        Some(mine)
    }

    /// The `wrong` one of the `count` elements taken last, in words and with its index if the quantity has several. All of them if no
    /// single one is wrong.
    fn words(&self, name: &str, count: usize, wrong: Option<usize>) -> String {
        let found = self.0.iter().find(|(other, ..)| *other == name);
        let Some((_, all, used)) = found else {
            return String::new();
        };
        let first = used - count;
        match wrong {
            Some(i) if all.len() == 1 => format!("at {}", exact(all[i])),
            Some(i) => format!("at {} (index {})", exact(all[first + i]), first + i),
            None => format!("at {:?}", &all[first..*used]),
        }
    }
}

/// Given values of random quantities, and the first value that is not possible.
struct GivenValues<'a> {
    statements: &'static [Statement],
    unused: Unused<'a>,
    /// The first statement whose distribution cannot have its value, and the value in words.
    outside: Option<(usize, String)>,
}

/// Draws every random quantity from its prior, given the previous ones, and every param from its start unless it is given.
pub struct Draw<'a> {
    stream: &'a mut Stream,
    /// Unconstrained coordinates drawn so far; `[dim]` at the end.
    pub position: Vec<f64>,
    /// The distribution of each random quantity and of each param.
    pub priors: Vec<DrawnPrior>,
    /// The present statement.
    statement: usize,
    /// A position whose params are kept, `[dim]`; none if they are drawn.
    params: Option<&'a [f64]>,
    /// Values that are not drawn.
    values: Option<GivenValues<'a>>,
}

/// The distribution of a random quantity at a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnPrior {
    /// Its statement.
    pub statement: usize,
    /// Number of coordinates of the quantity.
    pub dim: usize,
    /// The distribution of its coordinates, if this distribution is exactly Gaussian.
    pub gaussian: Option<Gaussian>,
    /// Whether the quantity is a param, which has no prior.
    pub is_param: bool,
    /// The rounding of its elements ([`Drawn::rounding`](crate::dist::Drawn::rounding)).
    pub rounding: f64,
    /// Whether its coordinates stand for mass that is elsewhere ([`Drawn::lost`](crate::dist::Drawn::lost)).
    pub lost: bool,
}

impl<'a> Draw<'a> {
    /// A draw with random numbers from `stream`.
    pub fn new(stream: &'a mut Stream) -> Self {
        Self {
            stream,
            position: Vec::new(),
            priors: Vec::new(),
            statement: 0,
            params: None,
            values: None,
        }
    }

    /// The same draw with the params of a position, `[dim]`, in place of draws from their starts.
    #[must_use]
    pub fn at_params_of(self, position: &'a [f64]) -> Self {
        Self {
            params: Some(position),
            ..self
        }
    }

    /// The same draw with given elements of some random quantities, row-major and in the order of execution, in place of draws.
    #[must_use]
    pub fn at_values(
        self,
        statements: &'static [Statement],
        values: &'a [(String, Vec<f64>)],
    ) -> Self {
        Self {
            values: Some(GivenValues {
                statements,
                unused: Unused::new(values),
                outside: None,
            }),
            ..self
        }
    }

    /// Checks that the distributions can have the given values, after the draw.
    ///
    /// # Errors
    /// [`ValuesError::NoStart`] with the first value that they cannot have.
    pub fn check_values(self) -> Result<(), ValuesError> {
        let Some(GivenValues {
            statements,
            outside: Some((statement, value)),
            ..
        }) = self.values
        else {
            return Ok(());
        };
        let Statement { name, text, .. } = statements[statement];
        Err(ValuesError::NoStart {
            name,
            statement: text,
            value,
        })
    }

    /// The elements of the present statement's quantity: given, or drawn. Records their coordinates.
    fn elements(&mut self, distribution: &dyn PlainDistribution) -> Drawn {
        let count = distribution.shape().elements();
        let Some(values) = &mut self.values else {
            return self.drawn(distribution);
        };
        let name = values.statements[self.statement].name;
        let Some(elements) = values.unused.take(name, count) else {
            return self.drawn(distribution);
        };
        let coordinates = distribution.unconstrain(elements);
        if let Some(wrong) = outside(distribution, &coordinates, elements) {
            let words = values.unused.words(name, count, wrong);
            values.outside.get_or_insert((self.statement, words));
        }
        self.position.extend(&coordinates);
        Drawn {
            elements: elements.to_vec(),
            coordinates,
            ..Drawn::default()
        }
    }

    fn drawn(&mut self, distribution: &dyn PlainDistribution) -> Drawn {
        let drawn = distribution.draw_with_coordinates(self.stream);
        self.position.extend(&drawn.coordinates);
        drawn
    }
}

/// Whether a value is outside of the support or at its end, so that its coordinates are infinite or belong to another value. Includes the
/// first such element, if each element has its own coordinate.
pub fn outside(
    distribution: &dyn PlainDistribution,
    coordinates: &[f64],
    elements: &[f64],
) -> Option<Option<usize>> {
    let found = distribution.constrain(coordinates).0;
    let differs = |(found, x): (&f64, &f64)| {
        let gap = (found - x).abs();
        gap.is_nan() || gap > ROUNDING * (1.0 + x.abs())
    };
    let other = found.iter().zip(elements).position(differs);
    let infinite = coordinates.iter().position(|x| !x.is_finite());
    let each = coordinates.len() == elements.len();
    other.or(infinite).map(|first| each.then_some(first))
}

impl PlainInterpreter for Draw<'_> {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let drawn = self.elements(distribution);
        self.priors.push(DrawnPrior {
            statement: self.statement,
            dim: distribution.dim(),
            gaussian: distribution.gaussian(),
            is_param: false,
            rounding: drawn.rounding,
            lost: drawn.lost,
        });
        drawn.elements
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        let (from, dim) = (self.position.len(), start.dim());
        self.priors.push(DrawnPrior {
            statement: self.statement,
            dim,
            gaussian: None,
            is_param: true,
            rounding: 0.0,
            lost: false,
        });
        match self.params {
            Some(position) => self.position.extend(&position[from..from + dim]),
            None => {
                let elements = start.draw(self.stream);
                self.position.extend(start.unconstrain(&elements));
            }
        }
        start.constrain(&self.position[from..]).0
    }
}
