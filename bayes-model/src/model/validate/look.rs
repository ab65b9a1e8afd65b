//! One prior draw of a model, with all checks of its statements.

use super::looked_sum::LookedSum;
use crate::dist::{DataError, ParameterError, Shape};
use crate::error::ProblemKind;
use crate::model::executions::Executions;
use crate::model::gap_rows::rows_of;
use crate::model::plain::{PlainData, PlainDistribution, PlainInterpreter};
use crate::model::statement::Place;
use crate::model::{Compiled, StatementKind};
use crate::rng::{Key, Purpose, Stream};
use crate::transform::NEAR_ZERO;
use bayes_autodiff::fault::{self, Fault, raise, refuse};
use bayes_autodiff::{PlainValue, Real, Value};
use rand::RngExt;
use std::fmt;

/// The stage of the streams of generated quantities; a second look uses the next stage.
const GENERATING: u32 = 1;

/// The stage of the streams of coordinates near 0.
const NEAR: u32 = 3;

/// The most elements of one quantity: 8 GiB of numbers in a single draw.
const MOST_ELEMENTS: usize = 1 << 30;

/// The largest product of the numbers of values of nested sums.
const MOST_PASSES: usize = 1_000_000;

/// The result of a statement at a prior draw.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) executions: usize,
    /// Executions that are part of a draw: random and kept quantities.
    pub(super) kept: Executions,
    /// Executions that are not part of a draw: observed data and `generate`.
    pub(super) apart: Executions,
    pub(super) discrete: bool,
    /// Whether its values are angles.
    pub(super) is_angle: bool,
    /// The rows of the values that it draws or observes, of data with gaps.
    pub(super) rows: Vec<usize>,
    /// Of an improper prior: [`PlainDistribution::unnormalised`].
    pub(super) improper: Option<Option<&'static str>>,
}

/// Draws from the prior and checks every statement.
pub(crate) struct Look<'a> {
    stream: &'a mut Stream,
    /// Draws generated quantities; the prior's draws do not depend on it.
    generating: Stream,
    place: Place,
    /// The index of the data that are observed next, in a loop with one counter that leaves some out.
    index: Option<usize>,
    found: Found,
    /// The index of the first of them, if they are a slice.
    first: Option<usize>,
    /// Whether a random value could not be drawn and NaN replaces it.
    invented: bool,
    /// Whether coordinates are drawn uniformly near 0, instead of from the prior.
    is_near: bool,
    /// The name of each statement.
    names: Vec<&'static str>,
    /// The sums around the present place, outermost first.
    sums: Vec<LookedSum>,
}

/// The findings at one prior draw.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) traces: Vec<Trace>,
    pub(super) discrete: Vec<bool>,
    /// Whether each coordinate belongs to a param, `[dim]`.
    pub(super) params: Vec<bool>,
    pub(super) problems: Vec<Complaint>,
    /// Data that no value of a sum allows; they are among the problems too.
    pub(super) impossible_in_sums: Vec<Complaint>,
    /// Whether the model stopped before its end.
    pub(super) stopped: bool,
    /// The bits of all numbers that statements draw, add to the density or keep, each with its statement.
    pub(super) numbers: Vec<(usize, u64)>,
}

/// A problem with its statement, and the number of earlier executions of that statement.
#[derive(Clone, Debug)]
pub(super) struct Complaint {
    pub(super) statement: usize,
    pub(super) execution: usize,
    pub(super) kind: ProblemKind,
    /// Of data: whether their elements have one density together, so that none can be left out.
    pub(super) is_joint: bool,
}

/// Checks `model` at one draw.
pub(super) fn look(model: &dyn Compiled, draw: usize) -> Found {
    let key = Key::new(0, Purpose::Validation).item(draw as u64);
    looked(model, &mut key.stream(), key.stage(GENERATING), false)
}

/// The same look with other values for generated quantities.
pub(super) fn look_again(model: &dyn Compiled, draw: usize) -> Found {
    let key = Key::new(0, Purpose::Validation).item(draw as u64);
    looked(model, &mut key.stream(), key.stage(GENERATING + 1), false)
}

/// The same look at a point with coordinates near 0, where chains start if a prior is vague.
pub(super) fn look_near_zero(model: &dyn Compiled, point: usize) -> Found {
    let key = Key::new(0, Purpose::Validation).item(point as u64);
    let mut stream = key.stage(NEAR).stream();
    looked(model, &mut stream, key.stage(GENERATING), true)
}

/// Data that no value of a sum allows at a draw of the prior: their statements, and the problems.
pub(in crate::model) fn impossible_in_sums(model: &dyn Compiled) -> Vec<(usize, ProblemKind)> {
    let found = look(model, 0).impossible_in_sums.into_iter();
    found
        .map(|complaint| (complaint.statement, complaint.kind))
        .collect()
}

/// The numbers that the statements of a model compute at two draws of the prior and at a point near 0.
pub(in crate::model) fn some_numbers(model: &dyn Compiled) -> Vec<f64> {
    let found = [look(model, 0), look(model, 1), look_near_zero(model, 0)];
    let numbers = found.into_iter().flat_map(|found| found.numbers);
    numbers.map(|(_, bits)| f64::from_bits(bits)).collect()
}

fn looked(model: &dyn Compiled, stream: &mut Stream, generating: Key, is_near: bool) -> Found {
    let mut interpreter = Look {
        stream,
        generating: generating.stream(),
        place: Place::default(),
        index: None,
        first: None,
        found: Found {
            traces: vec![Trace::default(); model.statements().len()],
            ..Found::default()
        },
        invented: false,
        is_near,
        names: model.statements().iter().map(|s| s.name).collect(),
        sums: Vec::new(),
    };
    let outcome = fault::catch(|| model.plain(&mut interpreter));
    if let Err(fault) = outcome {
        let (statement, kind) = interpreter
            .place
            .of_fault((model.file(), model.statements()), fault);
        interpreter.place = Place::at(statement);
        interpreter.problem(kind);
        interpreter.found.stopped = true;
    }
    interpreter.found.missing_rows(model);
    interpreter.found.nothing_random(model);
    interpreter.found
}

impl Found {
    /// Keeps numbers of a statement, for the comparison of two looks.
    fn keep(&mut self, statement: usize, numbers: impl IntoIterator<Item = f64>) {
        let bits = numbers.into_iter().map(|x| (statement, x.to_bits()));
        self.numbers.extend(bits);
    }

    pub(super) fn complain(&mut self, statement: usize, kind: ProblemKind) {
        self.problems.push(Complaint {
            statement,
            execution: 0,
            kind,
            is_joint: false,
        });
    }

    /// Reports an argument without rows whose `observe` never ran.
    fn missing_rows(&mut self, model: &dyn Compiled) {
        let statements = model.statements().iter().enumerate();
        let silent: Vec<_> = statements
            .filter(|(i, s)| s.kind == StatementKind::Observe && self.traces[*i].executions == 0)
            .collect();
        // a description of the data reads all of them
        if silent.is_empty() {
            return;
        }
        for argument in model.data().into_iter().filter(|a| a.length == Some(0)) {
            for &(i, statement) in &silent {
                if statement.name == argument.name {
                    let argument = argument.name.to_owned();
                    self.complain(i, ProblemKind::NoRows { argument });
                }
            }
        }
    }

    /// Reports a model whose random quantities have no elements.
    fn nothing_random(&mut self, model: &dyn Compiled) {
        if !self.problems.is_empty() || !self.discrete.is_empty() {
            return;
        }
        for (i, statement) in model.statements().iter().enumerate() {
            // fixed params do not run, and without params there is nothing to learn
            if statement.kind == StatementKind::Sample {
                self.complain(i, ProblemKind::Empty);
            }
        }
    }
}

impl Look<'_> {
    fn problem(&mut self, kind: ProblemKind) {
        if self.invented && kind.is_nan() {
            // this follows from a problem that is already listed
            return;
        }
        let complaint = self.complaint(kind);
        self.found.problems.push(complaint);
    }

    /// A problem of the present execution.
    fn complaint(&self, kind: ProblemKind) -> Complaint {
        let executions = self.found.traces[self.place.statement].executions;
        Complaint {
            statement: self.place.statement,
            execution: self.index.unwrap_or(executions.saturating_sub(1)),
            kind,
            is_joint: false,
        }
    }

    /// Stops the model at nested sums that have too many values together.
    fn refuse_passes(&self, innermost: &LookedSum) {
        let passes = self.sums.iter().map(|sum| sum.sum.log_prior().len());
        let passes: usize = passes.fold(innermost.sum.log_prior().len(), usize::saturating_mul);
        if passes > MOST_PASSES {
            let names = self
                .sums
                .iter()
                .map(|sum| sum.statement)
                .chain([self.place.statement]);
            let names: Vec<String> = names.map(|i| format!("`{}`", self.names[i])).collect();
            raise(Fault::Sum {
                reason: format!(
                    "{} have {passes} values together: at most 10^6 can be summed",
                    names.join(" and ")
                ),
            });
        }
    }

    /// Whether the present place runs again, for another value of a sum.
    fn is_repeated(&self) -> bool {
        !self.sums.iter().all(LookedSum::is_first)
    }

    /// Records an execution of a statement that is not part of a draw.
    fn ran(&mut self, shape: Shape) {
        if self.is_repeated() {
            return;
        }
        let trace = &mut self.found.traces[self.place.statement];
        trace.executions += 1;
        trace.apart.note(shape);
    }

    fn check(&mut self, outcome: Result<(), ParameterError>) -> bool {
        if let Err(error) = outcome {
            self.problem(ProblemKind::InvalidParameter(error));
            return false;
        }
        true
    }
}

/// Stops the model at a quantity too large for any memory, before the allocation would abort the process.
fn refuse_size(distribution: &'static str, shape: Shape) {
    let lengths = shape.lengths().into_iter();
    let elements = lengths.fold(1, usize::saturating_mul);
    if elements > MOST_ELEMENTS {
        refuse(
            distribution,
            "iid",
            format_args!("{elements} elements"),
            "at most 2^30",
        );
    }
}

impl PlainInterpreter for Look<'_> {
    fn at(&mut self, statement: usize) {
        self.place = Place::at(statement);
        (self.index, self.first) = (None, None);
    }
    fn indexed(&mut self, indices: &[&dyn fmt::Display]) {
        self.index = match indices {
            [index] => index.to_string().parse().ok(),
            _ => None,
        };
    }
    fn sliced(&mut self, first: usize) {
        self.first = Some(first);
    }
    fn leave(&mut self) {
        self.place.leave();
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        refuse_size(distribution.name(), distribution.shape());
        let trace = &mut self.found.traces[self.place.statement];
        trace.executions += 1;
        trace.kept.note(distribution.shape());
        trace.discrete = distribution.is_discrete();
        trace.is_angle = distribution.is_angle();
        trace.rows = rows_of(distribution, trace.executions);
        if !distribution.is_proper() {
            trace.improper = Some(distribution.unnormalised());
        }
        self.found.discrete.extend(std::iter::repeat_n(
            distribution.is_discrete(),
            distribution.dim(),
        ));
        let dim = self.found.discrete.len();
        self.found.params.resize(dim, false);
        if !self.check(distribution.check()) {
            self.invented = true;
            return vec![f64::NAN; distribution.shape().elements()];
        }
        if distribution.is_of_data() {
            self.problem(ProblemKind::OfData);
        }
        let elements = match self.is_near && !distribution.is_discrete() {
            true => {
                let near = (0..distribution.dim()).map(|_| self.stream.random_range(NEAR_ZERO));
                distribution.constrain(&near.collect::<Vec<f64>>()).0
            }
            false => distribution.draw(self.stream),
        };
        self.found
            .keep(self.place.statement, elements.iter().copied());
        elements
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        let before = self.found.params.len();
        let value = self.random(start);
        self.found.params[before..].fill(true);
        // a start has no density that could be improper
        self.found.traces[self.place.statement].improper = None;
        value
    }
    fn observe(&mut self, distribution: &dyn PlainDistribution, data: &dyn PlainData) {
        self.ran(data.shape());
        let trace = &mut self.found.traces[self.place.statement];
        trace.rows = rows_of(distribution, trace.executions);
        if let Some(sum) = self.sums.last_mut() {
            sum.observe(self.names[self.place.statement], data);
        }
        if !self.check(distribution.check()) {
            return;
        }
        // a flat density is a constant, which changes no posterior
        if let Some(instead) = distribution.unnormalised() {
            self.problem(ProblemKind::UnnormalisedData { instead });
            return;
        }
        if let Err(error) = distribution.check_data(data) {
            let is_value = matches!(error, DataError::Value { .. });
            let error = match self.first {
                Some(first) => error.shifted(first),
                None => error,
            };
            let is_joint = is_value && distribution.terms(data).len() < data.shape().elements();
            let complaint = Complaint {
                is_joint,
                ..self.complaint(ProblemKind::InvalidData(error))
            };
            match self.sums.last_mut().filter(|_| is_value) {
                Some(sum) => sum.refuse(complaint),
                None => self.found.problems.push(complaint),
            }
            return;
        }
        let term = distribution.log_likelihood(data);
        self.found.keep(self.place.statement, [term]);
        if term.is_nan() {
            self.problem(ProblemKind::NotANumber);
        }
    }
    fn deterministic(&mut self, elements: &[Real<Value>], shape: Shape) {
        let trace = &mut self.found.traces[self.place.statement];
        trace.executions += 1;
        trace.kept.note(shape);
        let numbers = elements.iter().map(|x| x.plain_value());
        self.found.keep(self.place.statement, numbers);
    }
    fn factor(&mut self, log_weight: f64) {
        if !self.is_repeated() {
            self.found.traces[self.place.statement].executions += 1;
        }
        self.found.keep(self.place.statement, [log_weight]);
        if log_weight.is_nan() {
            self.problem(ProblemKind::NotANumber);
        }
    }
    fn begin_sum(&mut self, distribution: &dyn PlainDistribution) {
        self.ran(distribution.shape());
        self.check(distribution.check());
        let sum = LookedSum::new(self.place.statement, distribution);
        self.refuse_passes(&sum);
        let numbers = sum.sum.log_prior().iter().copied();
        self.found.keep(self.place.statement, numbers);
        self.sums.push(sum);
    }
    fn next_value(&mut self) -> Option<usize> {
        let next = self.sums.last_mut()?.next();
        if next.is_some() {
            return next;
        }
        let mut ended = self.sums.pop()?;
        if let Some(fault) = ended.uneven() {
            self.place = Place::at(ended.statement);
            self.problem(ProblemKind::Fault(fault));
        }
        let impossible = ended.impossible();
        match self.sums.last_mut() {
            Some(around) => {
                around.observe_all(ended);
                impossible
                    .into_iter()
                    .for_each(|complaint| around.refuse(complaint));
            }
            None => {
                self.found.impossible_in_sums.extend(impossible.clone());
                self.found.problems.extend(impossible);
            }
        }
        None
    }
    fn generate(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        refuse_size(distribution.name(), distribution.shape());
        self.ran(distribution.shape());
        if !self.check(distribution.check()) {
            return vec![f64::NAN; distribution.shape().elements()];
        }
        if !distribution.is_proper() {
            let needed_for = "`generate` draws from it";
            self.problem(ProblemKind::improper(
                needed_for,
                distribution.unnormalised(),
            ));
        }
        distribution.draw(&mut self.generating)
    }
}
