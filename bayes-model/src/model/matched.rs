//! Random quantities at the values of the same places in a draw of a run, in any order and number.

use super::draw::outside;
use super::numbers::Numbers;
use super::plain::PlainDistribution;
use crate::rng::Stream;

/// The elements of a draw that belong to a model's quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// The quantity.
    pub name: String,
    /// The index in a draw of each element, in the order of execution. `None` for an element that the draw lacks: it is drawn from its
    /// prior given the quantities before it.
    pub elements: Vec<Option<usize>>,
}

/// Why a quantity cannot have only some of the elements that its distribution drew together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Some elements are known and others are not, and they are not independent.
    Together,
    /// Some are not known, and nothing can be drawn from their distribution.
    Undrawn,
    /// All are known, but a distribution of fewer elements cannot have them: a part of a simplex does not sum to 1.
    Outside,
}

/// The elements of a draw that a program has not used yet.
pub(super) struct FromDraw<'a> {
    draw: &'a [f64],
    quantities: &'a [Matched],
    /// Number of used elements of each quantity.
    used: Vec<usize>,
    /// Whether to look for misfits.
    checks: bool,
    /// The first statement whose distribution does not allow its elements.
    pub(super) misfit: Option<(usize, Misfit)>,
}

impl<'a> FromDraw<'a> {
    pub(super) fn new(draw: &'a [f64], quantities: &'a [Matched]) -> Self {
        Self {
            draw,
            quantities,
            used: vec![0; quantities.len()],
            checks: false,
            misfit: None,
        }
    }

    /// The same elements, with a search for misfits.
    pub(super) fn checking(self) -> Self {
        Self {
            checks: true,
            ..self
        }
    }

    /// The elements of the quantity `name` of a statement. Elements that the draw lacks are drawn by `stream`.
    pub(super) fn elements(
        &mut self,
        (statement, name): (usize, &str),
        distribution: &dyn PlainDistribution,
        stream: &mut Stream,
    ) -> Vec<f64> {
        let sources = self.take(name, distribution.shape().elements());
        let is_known = sources.iter().all(Option::is_some);
        let drawn = match is_known {
            true => None,
            false => distribution.draw_exactly(stream),
        };
        let is_undrawn = !is_known && drawn.is_none();
        let drawn = drawn.unwrap_or_else(|| vec![f64::NAN; sources.len()]);
        let pairs = sources.iter().zip(drawn);
        let elements = pairs.map(|(source, drawn)| source.map_or(drawn, |at| self.draw[at]));
        let elements: Vec<f64> = elements.collect();
        if self.checks && self.misfit.is_none() {
            let found = misfit(distribution, sources, &elements);
            let found = match found {
                // elements that were not drawn are NaN, which no distribution has
                None | Some(Misfit::Outside) if is_undrawn => Some(Misfit::Undrawn),
                found => found,
            };
            self.misfit = found.map(|found| (statement, found));
        }
        elements
    }

    /// The indices of the next `count` elements of a quantity.
    fn take(&mut self, name: &str, count: usize) -> &'a [Option<usize>] {
        let place = self.quantities.iter().position(|other| other.name == name);
        let place = place.expect("the quantities are those of the model");
        let from = self.used[place];
        self.used[place] += count;
        &self.quantities[place].elements[from..from + count]
    }
}

/// Whether elements that are not independent come from different places.
fn misfit(
    distribution: &dyn PlainDistribution,
    sources: &[Option<usize>],
    elements: &[f64],
) -> Option<Misfit> {
    if elements.is_empty() {
        return None;
    }
    let shape = distribution.shape();
    let terms = distribution.terms(&Numbers { elements, shape }).len();
    let together = elements.len() / terms.max(1);
    if together <= 1 {
        return None;
    }
    let is_mixed = |part: &[Option<usize>]| {
        part.iter().any(Option::is_some) && part.iter().any(Option::is_none)
    };
    if sources.chunks(together).any(is_mixed) {
        return Some(Misfit::Together);
    }
    let coordinates = distribution.unconstrain(elements);
    outside(distribution, &coordinates, elements).map(|_| Misfit::Outside)
}
