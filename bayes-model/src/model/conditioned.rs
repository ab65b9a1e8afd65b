//! The density of a model at values given by name.

use super::numbers::Numbers;
use super::plain::{PlainData, PlainDistribution, PlainInterpreter};
use super::sum_out::{SumOfTerms, log_likelihood_in_sum};
use super::{Model, Statement, StatementKind};
use crate::dist::Shape;
use crate::error::ValuesError;
use std::collections::BTreeMap;

/// Evaluates the model at given constrained values, statement by statement, without Jacobians.
pub struct Conditioned<'a> {
    statements: &'static [Statement],
    statement: usize,
    /// The elements of each quantity.
    given: &'a [(&'a str, &'a [f64])],
    /// The unused ones.
    values: BTreeMap<&'a str, &'a [f64]>,
    data: DataLeft<'a>,
    /// Sum of the log densities of each statement, `[statements]`.
    terms: Vec<f64>,
    /// The unconstrained coordinates of the values so far; `[dim]` at the end.
    position: Vec<f64>,
    /// The statement of each coordinate.
    owners: Vec<usize>,
    problem: Option<ValuesError>,
    /// The sums around the present place, outermost first.
    sums: Vec<SumOfTerms<DataLeft<'a>>>,
}

/// The unused part of the data that replace the model's own.
type DataLeft<'a> = Option<BTreeMap<&'a str, &'a [f64]>>;

/// The densities of a model at given values.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredTerms {
    /// Sum of the log densities of each statement, `[statements]`; without Jacobians.
    pub terms: Vec<f64>,
    /// The unconstrained coordinates, `[dim]`; not finite for a value outside its support.
    pub position: Vec<f64>,
    /// The statement of each coordinate, `[dim]`.
    pub owners: Vec<usize>,
}

/// Evaluates `model` at `values`: the elements of every random quantity by its name, row-major. The elements of a quantity
/// that is sampled in a loop follow one another.
///
/// # Errors
/// [`ValuesError`] if names or lengths do not fit.
pub fn score<Mo: Model>(model: &Mo, values: &[(&str, &[f64])]) -> Result<ScoredTerms, ValuesError> {
    scored(model, values, None)
}

/// [`score`] with other data in place of the model's own, by their names, as [`simulate`](super::simulate) returns them.
///
/// # Errors
/// The errors of [`score`].
///
/// # Panics
/// If there are fewer data than the model observes.
pub fn score_on<Mo: Model>(
    model: &Mo,
    values: &[(&str, &[f64])],
    data: &BTreeMap<&'static str, Vec<f64>>,
) -> Result<ScoredTerms, ValuesError> {
    let data = data.iter().map(|(name, x)| (*name, x.as_slice()));
    scored(model, values, Some(data.collect()))
}

fn scored<'a, Mo: Model>(
    model: &Mo,
    values: &'a [(&'a str, &'a [f64])],
    data: Option<BTreeMap<&'a str, &'a [f64]>>,
) -> Result<ScoredTerms, ValuesError> {
    let statements = model.statements();
    known(statements, values)?;
    let mut given = Conditioned {
        statements,
        statement: 0,
        given: values,
        values: values.iter().copied().collect(),
        data,
        terms: vec![0.0; statements.len()],
        position: Vec::new(),
        owners: Vec::new(),
        problem: None,
        sums: Vec::new(),
    };
    model.run_plain(&mut given);
    if let Some(problem) = given.problem {
        return Err(problem);
    }
    let left = given.values.iter().find(|(_, rest)| !rest.is_empty());
    match left {
        Some((name, rest)) => Err(ValuesError::Left {
            name: (*name).to_owned(),
            left: rest.len(),
        }),
        None => Ok(ScoredTerms {
            terms: given.terms,
            position: given.position,
            owners: given.owners,
        }),
    }
}

/// Checks that every name belongs to a random quantity or a param.
fn known(statements: &[Statement], values: &[(&str, &[f64])]) -> Result<(), ValuesError> {
    let names: Vec<&str> = statements
        .iter()
        .filter(|s| matches!(s.kind, StatementKind::Sample | StatementKind::Param))
        .map(|s| s.name)
        .collect();
    match values.iter().find(|(name, _)| !names.contains(name)) {
        Some((name, _)) => Err(ValuesError::Unknown {
            name: (*name).to_owned(),
            known: names.into_iter().map(str::to_owned).collect(),
        }),
        None => Ok(()),
    }
}

impl Conditioned<'_> {
    /// The next elements of the present statement's quantity; NaN if there are too few.
    fn take(&mut self, count: usize) -> Vec<f64> {
        let name = self.statements[self.statement].name;
        let rest = self.values.get(name).copied().unwrap_or_default();
        if rest.len() < count {
            let given = self.given.iter().find(|(known, _)| *known == name);
            let given = given.map_or(0, |(_, elements)| elements.len());
            self.problem.get_or_insert(ValuesError::Missing {
                name,
                given,
                wanted: given - rest.len() + count,
            });
            return vec![f64::NAN; count];
        }
        let (mine, rest) = rest.split_at(count);
        if let Some(left) = self.values.get_mut(name) {
            *left = rest;
        }
        mine.to_vec()
    }

    /// Adds a term of the likelihood to the present statement, or to the sum around it.
    fn add(&mut self, term: f64) {
        match self.sums.last_mut() {
            Some(sum) => sum.add(term),
            None => self.terms[self.statement] += term,
        }
    }

    /// The next part of the data that replace the present statement's.
    fn stand_in(&mut self, shape: Shape) -> Option<Numbers<'_>> {
        let name = self.statements[self.statement].name;
        let left = self.data.as_mut()?.get_mut(name)?;
        let (elements, rest) = left.split_at(shape.elements());
        *left = rest;
        Some(Numbers { elements, shape })
    }
}

impl PlainInterpreter for Conditioned<'_> {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let elements = self.take(distribution.shape().elements());
        let log_density = distribution.log_density(&elements);
        self.terms[self.statement] += log_density;
        self.owners
            .extend(std::iter::repeat_n(self.statement, distribution.dim()));
        if log_density.is_finite() {
            self.position.extend(distribution.unconstrain(&elements));
        } else {
            self.position
                .extend(std::iter::repeat_n(f64::NAN, distribution.dim()));
        }
        elements
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        let before = self.terms[self.statement];
        let elements = self.random(start);
        self.terms[self.statement] = before;
        elements
    }
    fn observe(&mut self, distribution: &dyn PlainDistribution, data: &dyn PlainData) {
        let is_inside = !self.sums.is_empty();
        let numbers = self.stand_in(data.shape());
        let data = numbers.as_ref().map_or(data, |numbers| numbers);
        let term = match is_inside {
            true => log_likelihood_in_sum(distribution, data),
            false => distribution.log_likelihood(data),
        };
        self.add(term);
    }
    fn factor(&mut self, log_weight: f64) {
        self.add(log_weight);
    }
    fn begin_sum(&mut self, distribution: &dyn PlainDistribution) {
        let sum = SumOfTerms::new(self.statement, distribution, self.data.clone());
        self.sums.push(sum);
    }
    fn next_value(&mut self) -> Option<usize> {
        if let Some(value) = self.sums.last_mut()?.next(&mut self.data) {
            return Some(value);
        }
        let ended = self.sums.pop()?;
        self.statement = ended.statement;
        self.add(ended.total());
        None
    }
}
