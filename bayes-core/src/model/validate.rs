//! The validation before sampling: shapes, parameters and data, at several draws from the prior.

use super::draw::value_of;
use super::{DataArgument, Interpreter, Model, StatementKind};
use crate::dist::{Data, DataError, Distribution, Domain, ParameterError, Quantity, Shape};
use crate::error::{Draws, Error, Problem, ProblemKind};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Layout, Variable, VariableKind};
use bayes_autodiff::fault::{self, Fault};
use bayes_autodiff::{Mode, Real, Value};

/// Draws from the prior at which a model is looked at.
const DRAWS: usize = 10;

/// Closer to 0 or 1 than this a parameter may have been rounded to the edge of what is allowed.
const ROUNDING: f64 = 1e-6;

/// What a statement produced at a draw from the prior.
#[derive(Clone, Debug, Default)]
struct Trace {
    executions: usize,
    shape: Option<Shape>,
    discrete: bool,
    improper: bool,
}

/// Draws from the prior while checking everything that a statement can tell.
struct Validate<'a> {
    stream: &'a mut Stream,
    statement: usize,
    found: Found,
    /// Whether a random value could not be drawn, so that NaN went on in its place.
    invented: bool,
}

/// What one draw from the prior showed.
#[derive(Debug, Default)]
struct Found {
    traces: Vec<Trace>,
    discrete: Vec<bool>,
    problems: Vec<Complaint>,
    /// Whether the model stopped before its end.
    stopped: bool,
}

/// A problem with the statement it is at, and how often that statement ran before.
#[derive(Clone, Debug)]
struct Complaint {
    statement: usize,
    execution: usize,
    kind: ProblemKind,
}

/// What is known of a model once it was validated.
#[derive(Clone, Debug)]
pub struct Validated {
    /// Names and shapes of the output.
    pub layout: Layout,
    /// Statement index of each variable of the layout.
    pub statements: Vec<usize>,
    /// Which unconstrained coordinates are whole numbers, `[dim]`.
    pub discrete: Vec<bool>,
    /// Indices of the statements whose prior is no probability distribution.
    pub improper: Vec<usize>,
}

/// Runs `model` at draws from its prior and checks what only data can reveal.
///
/// The draws are the same for every seed of a run: a model is refused or not, whatever the seed.
///
/// # Errors
/// All problems found: parameters outside their range, data outside the support, shapes that do not fit, indices out of
/// range, terms that are NaN. Numbers that over- or underflow, or are NaN, at fewer than half of the draws are left to
/// the engines, which count them.
pub fn validate<Mo: Model>(model: &Mo) -> Result<Validated, Error> {
    let mut looks: Vec<Found> = Vec::with_capacity(DRAWS);
    while looks.len() < DRAWS && !looks.last().is_some_and(|found| found.stopped) {
        looks.push(look(model, looks.len()));
    }
    match looks.iter().position(|found| found.is_refused(&looks)) {
        Some(refused) => Err(error(model, &looks, refused)),
        None => Ok(looks.swap_remove(0).validated(model)),
    }
}

/// Checks `model` at one draw.
fn look<Mo: Model>(model: &Mo, draw: usize) -> Found {
    let key = Key {
        seed: 0,
        group: 0,
        item: draw as u64,
        stage: 0,
        purpose: Purpose::Validation,
    };
    let mut interpreter = Validate {
        stream: &mut key.stream(),
        statement: 0,
        found: Found {
            traces: vec![Trace::default(); model.statements().len()],
            ..Found::default()
        },
        invented: false,
    };
    let outcome = fault::catch(|| model.program::<Value, _>(&mut interpreter));
    if let Err(fault) = outcome {
        interpreter.problem(ProblemKind::Fault(fault));
        interpreter.found.stopped = true;
    }
    interpreter.found.missing_rows(model);
    interpreter.found.never_drawn(model);
    interpreter.found
}

/// Whether a problem can be an accident of floating point at an extreme draw, rather than a mistake.
fn is_numerical(kind: &ProblemKind) -> bool {
    match kind {
        ProblemKind::NotANumber => true,
        ProblemKind::Parameter(ParameterError::Value { value, .. }) => {
            !value.is_finite() || value.abs() < ROUNDING || (value - 1.0).abs() < ROUNDING
        }
        _ => false,
    }
}

/// Whether two problems of one statement differ by index and value only.
fn alike(a: &ProblemKind, b: &ProblemKind) -> bool {
    use ParameterError::Value;
    match (a, b) {
        (
            ProblemKind::Parameter(Value { parameter: a, .. }),
            ProblemKind::Parameter(Value { parameter: b, .. }),
        ) => a == b,
        (
            ProblemKind::Data(DataError::Value { .. }),
            ProblemKind::Data(DataError::Value { .. }),
        ) => true,
        (a, b) => a == b,
    }
}

/// The problems of the look that is refused; those of one statement that are alike are told once.
fn error<Mo: Model>(model: &Mo, looks: &[Found], refused: usize) -> Error {
    let mut problems: Vec<(&Complaint, Problem)> = Vec::new();
    for complaint in &looks[refused].problems {
        let same = |(other, _): &&mut (&Complaint, Problem)| {
            other.statement == complaint.statement && alike(&other.kind, &complaint.kind)
        };
        match problems.iter_mut().find(same) {
            Some((_, problem)) => problem.more += 1,
            None => problems.push((complaint, problem(model, looks, refused, complaint))),
        }
    }
    Error::Model {
        model: model.name().to_owned(),
        problems: problems.into_iter().map(|(_, problem)| problem).collect(),
    }
}

fn problem<Mo: Model>(
    model: &Mo,
    looks: &[Found],
    refused: usize,
    complaint: &Complaint,
) -> Problem {
    let Complaint {
        statement: i,
        execution,
        kind,
    } = complaint;
    let draws = draws(looks, complaint);
    let hint = if kind.is_nan() {
        nan_in_data(model)
    } else {
        match (draws, kind) {
            (Some(_), ProblemKind::Parameter(error)) => error.advice().to_owned(),
            _ => String::new(),
        }
    };
    let statement = model.statements()[*i];
    Problem {
        variable: statement.name.to_owned(),
        statement: statement.text.to_owned(),
        file: model.file(),
        line: statement.line,
        kind: if looks[refused].traces[*i].executions > 1 {
            indexed(kind.clone(), *execution)
        } else {
            kind.clone()
        },
        more: 0,
        draws,
        hint,
    }
}

/// At how many draws there is such a problem; `None` where it is the same at each, so that data are to blame.
fn draws(looks: &[Found], complaint: &Complaint) -> Option<Draws> {
    let such = |found: &Found| {
        found
            .problem_like(complaint)
            .map(|other| other.kind.to_string())
    };
    let text = complaint.kind.to_string();
    let stopped_at_once =
        looks[0].stopped && !matches!(complaint.kind, ProblemKind::Fault(Fault::Panic { .. }));
    if stopped_at_once
        || looks.len() == DRAWS
            && looks
                .iter()
                .all(|found| such(found).as_ref() == Some(&text))
    {
        return None;
    }
    Some(Draws {
        met: looks.iter().filter(|found| such(found).is_some()).count(),
        of: looks.len(),
    })
}

impl Found {
    /// Whether a problem of this look is a mistake, or one of arithmetic that half of all looks have.
    fn is_refused(&self, looks: &[Self]) -> bool {
        self.problems.iter().any(|complaint| {
            let such = looks
                .iter()
                .filter(|found| found.problem_like(complaint).is_some());
            !is_numerical(&complaint.kind) || 2 * such.count() >= looks.len()
        })
    }

    /// The first problem of the same statement of the same kind.
    fn problem_like(&self, complaint: &Complaint) -> Option<&Complaint> {
        self.problems.iter().find(|other| {
            other.statement == complaint.statement && alike(&other.kind, &complaint.kind)
        })
    }

    fn complain(&mut self, statement: usize, kind: ProblemKind) {
        self.problems.push(Complaint {
            statement,
            execution: 0,
            kind,
        });
    }

    /// An argument without rows whose `observe` never ran.
    fn missing_rows<Mo: Model>(&mut self, model: &Mo) {
        for argument in model.data().into_iter().filter(|a| a.length == Some(0)) {
            for (i, statement) in model.statements().iter().enumerate() {
                let silent =
                    self.traces[i].executions == 0 && statement.kind == StatementKind::Observe;
                if silent && statement.name == argument.name {
                    let argument = argument.name.to_owned();
                    self.complain(i, ProblemKind::NoRows { argument });
                }
            }
        }
    }

    /// A random quantity in a loop that ran zero times: it would have no coordinates.
    fn never_drawn<Mo: Model>(&mut self, model: &Mo) {
        if !self.problems.is_empty() {
            return;
        }
        for (i, statement) in model.statements().iter().enumerate() {
            if statement.kind == StatementKind::Sample && self.traces[i].executions == 0 {
                self.complain(i, ProblemKind::Empty);
            }
        }
    }

    fn validated<Mo: Model>(self, model: &Mo) -> Validated {
        let mut layout = Layout {
            variables: Vec::new(),
            dim: self.discrete.len(),
        };
        let mut statements = Vec::new();
        let improper = (0..self.traces.len()).filter(|i| self.traces[*i].improper);
        let improper = improper.collect();
        for (i, (trace, statement)) in self.traces.iter().zip(model.statements()).enumerate() {
            let Some(shape) = trace.shape else { continue };
            let kind = match (statement.kind, trace.discrete) {
                (StatementKind::Deterministic, _) => VariableKind::Deterministic,
                (_, true) => VariableKind::Discrete,
                (_, false) => VariableKind::Continuous,
            };
            layout.variables.push(Variable {
                name: statement.name.to_owned(),
                shape: repeated(shape, trace.executions),
                kind,
                offset: layout.elements(),
            });
            statements.push(i);
        }
        Validated {
            layout,
            statements,
            discrete: self.discrete,
            improper,
        }
    }
}

impl Validate<'_> {
    fn problem(&mut self, kind: ProblemKind) {
        if self.invented && kind.is_nan() {
            // an echo of the problem that is already listed
            return;
        }
        let execution = self.found.traces[self.statement]
            .executions
            .saturating_sub(1);
        self.found.problems.push(Complaint {
            statement: self.statement,
            execution,
            kind,
        });
    }

    fn check(&mut self, outcome: Result<(), ParameterError>) -> bool {
        if let Err(error) = outcome {
            self.problem(ProblemKind::Parameter(error));
            return false;
        }
        true
    }
}

/// The data arguments that contain NaN, each with the place of its first one.
fn nan_in_data<Mo: Model>(model: &Mo) -> String {
    let place = |argument: DataArgument| {
        let at = argument.first_nan?;
        Some(format!("; data `{}` is NaN at {at}", argument.name))
    };
    model.data().into_iter().filter_map(place).collect()
}

/// The shape of a statement that ran `executions` times: a scalar in a loop is a vector in the output.
fn repeated(shape: Shape, executions: usize) -> Shape {
    match (shape, executions) {
        (shape, 1) => shape,
        (Shape::Scalar, n) => Shape::Vector(n),
        (Shape::Vector(k), n) => Shape::Matrix(n, k),
        (Shape::Matrix(rows, columns), n) => Shape::Matrix(n * rows, columns),
    }
}

/// A scalar in a loop, observed or a parameter, is known by how often its statement ran before.
fn indexed(kind: ProblemKind, execution: usize) -> ProblemKind {
    match kind {
        ProblemKind::Data(DataError::Value {
            distribution,
            index: None,
            value,
            allowed,
        }) => ProblemKind::Data(DataError::Value {
            distribution,
            index: Some(execution),
            value,
            allowed,
        }),
        ProblemKind::Parameter(ParameterError::Value {
            distribution,
            parameter,
            index: None,
            value,
            allowed,
        }) => ProblemKind::Parameter(ParameterError::Value {
            distribution,
            parameter,
            index: Some(execution),
            value,
            allowed,
        }),
        other => other,
    }
}

impl<M: Mode> Interpreter<M> for Validate<'_> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        let trace = &mut self.found.traces[self.statement];
        trace.executions += 1;
        trace.shape = Some(distribution.shape());
        trace.discrete = D::Domain::DISCRETE;
        trace.improper |= !distribution.is_proper();
        self.found
            .discrete
            .extend(std::iter::repeat_n(D::Domain::DISCRETE, distribution.dim()));
        if !self.check(distribution.check()) {
            self.invented = true;
            let nothing = vec![f64::NAN; distribution.shape().elements()];
            return value_of(&distribution, &nothing);
        }
        if distribution.is_of_data() {
            self.problem(ProblemKind::OfData);
        }
        if distribution.shape().elements() == 0 {
            self.problem(ProblemKind::Empty);
        }
        let elements = distribution.draw(self.stream);
        value_of(&distribution, &elements)
    }
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        self.found.traces[self.statement].executions += 1;
        if !self.check(distribution.check()) {
            return;
        }
        if let Err(error) = distribution.check_data(&data) {
            self.problem(ProblemKind::Data(error));
            return;
        }
        let term = distribution.log_likelihood(&data).primal();
        if term.is_nan() {
            self.problem(ProblemKind::NotANumber);
        }
    }
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        let trace = &mut self.found.traces[self.statement];
        trace.executions += 1;
        trace.shape = Some(value.shape());
        value
    }
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.found.traces[self.statement].executions += 1;
        if log_weight.into().primal().is_nan() {
            self.problem(ProblemKind::NotANumber);
        }
    }
}
