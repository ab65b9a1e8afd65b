//! The validation run before sampling: shapes, parameters and data, at one draw from the prior.

use super::draw::value_of;
use super::{DataArgument, Interpreter, Model, StatementKind};
use crate::dist::{
    ContinuousDomain, Data, DataError, Discrete, Distribution, Domain, ParameterError, Quantity,
    Shape,
};
use crate::error::{Error, Problem, ProblemKind};
use crate::rng::Stream;
use crate::run::{Layout, Variable, VariableKind};
use bayes_autodiff::fault::{self, Fault};
use bayes_autodiff::{Mode, Real, Value};

/// What a statement produced in the validation run.
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
    traces: Vec<Trace>,
    discrete: Vec<bool>,
    problems: Vec<(usize, usize, ProblemKind)>,
    /// Whether a random value could not be drawn, so that NaN went on in its place.
    invented: bool,
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

/// Runs `model` once on a draw from its prior and checks what only data can reveal.
///
/// # Errors
/// All problems found: parameters outside their range, data outside the support, shapes that do not fit,
/// indices out of range, terms that are NaN.
pub fn validate<Mo: Model>(model: &Mo, stream: &mut Stream) -> Result<Validated, Error> {
    let count = model.statements().len();
    let mut interpreter = Validate {
        stream,
        statement: 0,
        traces: vec![Trace::default(); count],
        discrete: Vec::new(),
        problems: Vec::new(),
        invented: false,
    };
    let outcome = fault::catch(|| model.program::<Value, _>(&mut interpreter));
    if let Err(fault) = outcome {
        interpreter.fault(fault);
    }
    interpreter.missing_rows(model);
    interpreter.never_drawn(model);
    if interpreter.problems.is_empty() {
        return Ok(interpreter.validated(model));
    }
    Err(interpreter.error(model))
}

impl Validate<'_> {
    fn problem(&mut self, kind: ProblemKind) {
        if self.invented && kind.is_nan() {
            // an echo of the problem that is already listed
            return;
        }
        let execution = self.traces[self.statement].executions.saturating_sub(1);
        self.problems.push((self.statement, execution, kind));
    }

    fn fault(&mut self, fault: Fault) {
        self.problem(ProblemKind::Fault(fault));
    }

    fn check(&mut self, outcome: Result<(), ParameterError>) -> bool {
        if let Err(error) = outcome {
            self.problem(ProblemKind::Parameter(error));
            return false;
        }
        true
    }

    fn draw<M: Mode, D: Distribution<M>>(&mut self, distribution: &D) -> D::Value {
        let trace = &mut self.traces[self.statement];
        trace.executions += 1;
        trace.shape = Some(distribution.shape());
        trace.discrete = D::Domain::DISCRETE;
        trace.improper |= !distribution.is_proper();
        self.discrete
            .extend(std::iter::repeat_n(D::Domain::DISCRETE, distribution.dim()));
        if !self.check(distribution.check()) {
            self.invented = true;
            let nothing = vec![f64::NAN; distribution.shape().elements()];
            return value_of(distribution, &nothing);
        }
        if distribution.shape().elements() == 0 {
            self.problem(ProblemKind::Empty);
        }
        let elements = distribution.draw(self.stream);
        value_of(distribution, &elements)
    }

    /// An argument without rows whose `observe` never ran.
    fn missing_rows<Mo: Model>(&mut self, model: &Mo) {
        for argument in model.data().into_iter().filter(|a| a.length == Some(0)) {
            for (i, statement) in model.statements().iter().enumerate() {
                let silent =
                    self.traces[i].executions == 0 && statement.kind == StatementKind::Observe;
                if silent && statement.name == argument.name {
                    self.problems.push((
                        i,
                        0,
                        ProblemKind::NoRows {
                            argument: argument.name.to_owned(),
                        },
                    ));
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
                self.problems.push((i, 0, ProblemKind::Empty));
            }
        }
    }

    fn error<Mo: Model>(self, model: &Mo) -> Error {
        let traces = self.traces;
        let nan_in_data = nan_in_data(model);
        let problems = self
            .problems
            .into_iter()
            .map(|(i, execution, kind)| {
                let statement = model.statements()[i];
                Problem {
                    variable: statement.name.to_owned(),
                    statement: statement.text.to_owned(),
                    file: model.file(),
                    line: statement.line,
                    hint: if kind.is_nan() {
                        nan_in_data.clone()
                    } else {
                        String::new()
                    },
                    kind: if traces[i].executions > 1 {
                        indexed(kind, execution)
                    } else {
                        kind
                    },
                }
            })
            .collect();
        Error::Model {
            model: model.name().to_owned(),
            problems,
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
    fn sample<D: Distribution<M>>(&mut self, distribution: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.draw(&distribution)
    }
    fn sample_discrete<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
    ) -> D::Value {
        self.draw(&distribution)
    }
    fn observe<T: Data<D::Domain>, D: Distribution<M>>(&mut self, data: T, distribution: D) {
        self.traces[self.statement].executions += 1;
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
        let trace = &mut self.traces[self.statement];
        trace.executions += 1;
        trace.shape = Some(value.shape());
        value
    }
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.traces[self.statement].executions += 1;
        if log_weight.into().primal().is_nan() {
            self.problem(ProblemKind::NotANumber);
        }
    }
}
