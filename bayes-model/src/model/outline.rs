//! Facts about the statements of a model, collected while it runs: what a [`Signature`](super::Signature) is made of.

use super::executions::Executions;
use super::gap_rows::{GapRows, rows_of};
use super::indices::Indices;
use super::plain::{PlainData, PlainDistribution};
use super::terms::other_than_densities;
use super::validate::indexed;
use super::variables::{computed_names, generated_names, observed_names};
use super::{Generated, Limits, Observed, Statement, Variable, VariableKind};
use crate::dist::{DataError, ParameterError, Shape, Term};
use crate::error::ProblemKind;
use std::fmt;

/// The index by which a loop with one counter observes.
fn single(indices: Option<&[String]>) -> Option<usize> {
    match indices {
        Some([index]) => index.parse().ok(),
        _ => None,
    }
}

/// Whether a distribution has several elements, so that an empty list of data does not fit.
fn has_several(distribution: &dyn PlainDistribution) -> bool {
    !matches!(distribution.shape(), Shape::Scalar) && distribution.shape().elements() > 0
}

/// Facts about an observed variable, in the order of execution.
#[derive(Clone, Debug, Default)]
struct ObservedTrace {
    executions: Executions,
    is_discrete: bool,
    data: Vec<f64>,
    observations: usize,
    /// The categories of the last execution; `Some(None)` if an execution had none, or if executions differ.
    categories: Option<Option<usize>>,
    limits: Limits,
    terms: Vec<(usize, Term)>,
    indices: Indices,
    /// The observation of each element in sums: its variable, and its number.
    owners: Vec<(usize, usize)>,
}

/// Facts about the statements of a model, collected while it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// The random quantity or param of each statement, and its kind.
    random: Vec<(Executions, VariableKind)>,
    /// The rows of the values of each statement, of data with gaps.
    pub(super) rows: GapRows,
    observed: Vec<ObservedTrace>,
    generated: Vec<(Executions, bool)>,
    computed: Vec<Executions>,
    pub(super) problems: Vec<(usize, ProblemKind)>,
    pub(super) impossible: Vec<(usize, ProblemKind)>,
    pub(super) improper: Vec<(usize, ProblemKind)>,
    /// The indices of the data that are observed next.
    next: Option<Vec<String>>,
    /// The index of the first of them, if they are a slice.
    first: Option<usize>,
    /// Whether a `factor` ran.
    pub(super) has_factor: bool,
    /// The observation that belongs to the sum around the present place: its variable, and its number. `None` before its first data.
    owner: Option<(usize, usize)>,
}

impl Outline {
    pub(super) fn new(statements: &[Statement]) -> Self {
        Self {
            random: vec![(Executions::default(), VariableKind::Continuous); statements.len()],
            rows: vec![Vec::new(); statements.len()],
            observed: vec![ObservedTrace::default(); observed_names(statements).len()],
            generated: vec![(Executions::default(), false); generated_names(statements).len()],
            computed: vec![Executions::default(); computed_names(statements).len()],
            ..Self::default()
        }
    }

    /// Records the indices of the data that are observed next.
    pub(super) fn indexed(&mut self, indices: &[&dyn fmt::Display]) {
        self.next = Some(indices.iter().map(ToString::to_string).collect());
    }

    /// Records the index of the first of the data that are observed next.
    pub(super) fn sliced(&mut self, first: usize) {
        self.first = Some(first);
    }

    /// Records a random quantity.
    pub(super) fn random(&mut self, statement: usize, distribution: &dyn PlainDistribution) {
        self.check_some(statement, distribution);
        let (trace, kind) = &mut self.random[statement];
        trace.note(distribution.shape());
        self.rows[statement] = rows_of(distribution, trace.count);
        if distribution.is_discrete() {
            *kind = VariableKind::Discrete;
        }
        if !distribution.is_proper() && trace.count == 1 {
            let needed_for = "prior predictive draws begin with it";
            let kind = ProblemKind::improper(needed_for, distribution.unnormalised());
            self.improper.push((statement, kind));
        }
    }

    /// Records a param.
    pub(super) fn param(&mut self, statement: usize, start: &dyn PlainDistribution) {
        self.check_some(statement, start);
        let (trace, kind) = &mut self.random[statement];
        trace.note(start.shape());
        *kind = VariableKind::Param;
        if trace.count == 1 {
            self.improper.push((statement, ProblemKind::Param));
        }
    }

    /// Records that a sum over the values of a quantity begins: all data observed in it are one observation.
    pub(super) fn enter_sum(&mut self) {
        self.owner = None;
    }

    /// Records data in a sum: they belong to the observation of the first variable in it.
    fn observed_in_sum(&mut self, variable: usize, elements: usize) {
        let owner = match self.owner {
            Some(owner) => owner,
            None => {
                let observations = &mut self.observed[variable].observations;
                *observations += 1;
                (variable, *observations - 1)
            }
        };
        self.owner = Some(owner);
        let owners = std::iter::repeat_n(owner, elements);
        self.observed[variable].owners.extend(owners);
    }

    /// Records observed data of the given variable; `is_inside` says whether a sum is around them.
    pub(super) fn observed(
        &mut self,
        statement: usize,
        variable: usize,
        (distribution, data): (&dyn PlainDistribution, &dyn PlainData),
        is_inside: bool,
    ) {
        let shape = data.shape();
        if shape.elements() == 0 && !has_several(distribution) {
            (self.next, self.first) = (None, None);
            return self.observed[variable].executions.note(shape);
        }
        self.check(statement, distribution.check());
        if is_inside {
            self.observed_in_sum(variable, shape.elements());
        }
        let execution = self.observed[variable].executions.count + 1;
        self.rows[statement] = rows_of(distribution, execution);
        let variable = &mut self.observed[variable];
        let (indices, first) = (self.next.take(), self.first.take());
        let execution = single(indices.as_deref()).unwrap_or(variable.executions.count);
        match first {
            Some(first) => variable.indices.note_slice(first, shape),
            None => variable.indices.note(indices, shape),
        }
        variable.is_discrete |= distribution.is_discrete();
        match distribution.check_data(data) {
            Ok(()) => {}
            // another value of the sum may allow it
            Err(DataError::Value { .. }) if is_inside => {}
            Err(error @ DataError::Value { .. }) => {
                let kind = ProblemKind::InvalidData(match first {
                    Some(first) => error.shifted(first),
                    None => error,
                });
                let kind = match shape {
                    Shape::Scalar => indexed(kind, execution),
                    _ => kind,
                };
                if !self.impossible.iter().any(|(other, _)| *other == statement) {
                    self.impossible.push((statement, kind));
                }
            }
            Err(error) => {
                return self
                    .problems
                    .push((statement, ProblemKind::InvalidData(error)));
            }
        }
        variable.executions.note(shape);
        let elements: Vec<f64> = (0..shape.elements()).map(|i| data.at(i)).collect();
        variable.limits.note(distribution, &elements);
        let terms = other_than_densities(distribution, &elements, variable.data.len());
        variable.terms.extend(terms);
        variable.data.extend(elements);
        if !is_inside {
            variable.observations += distribution.count_terms(data);
        }
        let categories = distribution.categories();
        let same = variable
            .categories
            .is_none_or(|others| others == categories);
        variable.categories = Some(categories.filter(|_| same));
    }

    /// Records a quantity of `generate`; its index follows the observed variables.
    pub(super) fn generated(
        &mut self,
        statement: usize,
        variable: usize,
        distribution: &dyn PlainDistribution,
    ) {
        self.check_some(statement, distribution);
        let (executions, is_discrete) = &mut self.generated[variable - self.observed.len()];
        executions.note(distribution.shape());
        *is_discrete |= distribution.is_discrete();
    }

    /// Records a quantity of `deterministic`; its index comes after the quantities of `generate`.
    pub(super) fn computed(&mut self, variable: usize, shape: Shape) {
        let before = self.observed.len() + self.generated.len();
        self.computed[variable - before].note(shape);
    }

    /// [`check`](Self::check), except for a quantity without elements: a prediction for rows without any of its groups does not need it.
    fn check_some(&mut self, statement: usize, distribution: &dyn PlainDistribution) {
        if distribution.shape().elements() > 0 {
            self.check(statement, distribution.check());
        }
    }

    /// The data cause a parameter of a wrong shape; an extreme prior draw may cause a value outside its range.
    fn check(&mut self, statement: usize, outcome: Result<(), ParameterError>) {
        if let Err(error) = outcome
            && error.value().is_none()
        {
            let kind = ProblemKind::InvalidParameter(error);
            self.problems.push((statement, kind));
        }
    }

    pub(super) fn random_variables(&self, statements: &[Statement]) -> Vec<Variable> {
        let mut offset = 0;
        let mut variables = Vec::new();
        for ((trace, kind), statement) in self.random.iter().zip(statements) {
            let shape = trace.total();
            // from a loop without turns, or from an empty list
            if shape.elements() == 0 {
                continue;
            }
            variables.push(Variable {
                dims: Vec::new(),
                name: statement.name.to_owned(),
                shape,
                turns: trace.turns(),
                kind: *kind,
                is_angle: false,
                offset,
            });
            offset += shape.elements();
        }
        variables
    }

    pub(super) fn generated_variables(&self, statements: &[Statement]) -> Vec<Generated> {
        let names = generated_names(statements).into_iter();
        let one = |(name, (executions, is_discrete)): (&str, &(Executions, bool))| Generated {
            name: name.to_owned(),
            shape: executions.total(),
            is_discrete: *is_discrete,
            dims: Vec::new(),
        };
        names.zip(&self.generated).map(one).collect()
    }

    pub(super) fn computed_variables(&self, statements: &[Statement]) -> Vec<Generated> {
        let names = computed_names(statements).into_iter();
        let one = |(name, executions): (&str, &Executions)| Generated {
            name: name.to_owned(),
            shape: executions.total(),
            is_discrete: false,
            dims: Vec::new(),
        };
        names.zip(&self.computed).map(one).collect()
    }

    pub(super) fn observed_variables(self, statements: &[Statement]) -> Vec<Observed> {
        let names = observed_names(statements).into_iter();
        let one = |(name, variable): (&str, ObservedTrace)| Observed {
            name: name.to_owned(),
            shape: variable
                .indices
                .shape()
                .unwrap_or_else(|| variable.executions.total()),
            places: variable.indices.places(),
            owners: variable.owners,
            is_discrete: variable.is_discrete,
            data: variable.data,
            observations: variable.observations,
            categories: variable.categories.flatten(),
            limits: variable.limits,
            terms: variable.terms,
            dims: Vec::new(),
        };
        names.zip(self.observed).map(one).collect()
    }
}
