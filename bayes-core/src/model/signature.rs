//! The signature of a model on its data: its random quantities and its observed variables.

use super::dims::fit;
use super::executions::Executions;
use super::forward::{Forward, Start, Wanted, generated_names, observed_names};
use super::validate::indexed;
use super::{Dim, Limits, Model, Statement, StatementKind, Variable, VariableKind};
use crate::dist::{Data, DataError, Distribution, Domain, ParameterError, Shape};
use crate::error::{Error, Problem, ProblemKind};
use crate::rng::{Key, Purpose};
use bayes_autodiff::{Mode, fault};

/// An observed variable of a model with the data that the model holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The name of the data in `observe(data, ..)`; `y` for `observe(y[i], ..)`.
    pub name: String,
    /// The shape of the data: that of a single statement, a vector for scalars in a loop, a matrix for vectors of one length in
    /// a loop.
    pub shape: Shape,
    /// Whether its distribution is one of whole numbers.
    pub is_discrete: bool,
    /// The data, row-major.
    pub data: Vec<f64>,
    /// Number of independent observations, each with a log likelihood of its own. A vector that is observed as a whole,
    /// such as one under a `MultivariateNormal`, is one observation.
    pub observations: usize,
    /// Number of categories, if each observation is one of several.
    pub categories: Option<usize>,
    /// How many of the data have a limit of censoring, are at it, and have none.
    pub limits: Limits,
    /// Its dimensions with the names of the places along them, rows first; empty if they have no names.
    pub dims: Vec<Dim>,
}

/// A quantity of a `generate` statement, which is drawn after the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The `let` name.
    pub name: String,
    /// Its shape: that of a single statement, a vector for scalars in a loop, a matrix for vectors of one length in a loop.
    pub shape: Shape,
    /// Whether its distribution is one of whole numbers.
    pub is_discrete: bool,
    /// Its dimensions with the names of the places along them, rows first; empty if they have no names.
    pub dims: Vec<Dim>,
}

/// The random quantities and the observed variables of a model on its data.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The random quantities and the params, in the order of the program.
    pub random: Vec<Variable>,
    /// The observed variables.
    pub observed: Vec<Observed>,
    /// The quantities of `generate`.
    pub generated: Vec<Generated>,
    /// Data outside their support, so that there is no log likelihood.
    pub impossible: Vec<Problem>,
    /// Random quantities whose prior is improper, and params, which have none: there are no draws of them.
    pub improper: Vec<Problem>,
}

/// The random quantities and the observed variables of `model`.
///
/// Data outside their support are not an error, because one can predict without data: any numbers of the right shape stand for
/// them.
///
/// # Errors
/// [`Error::Model`] if shapes do not fit or an index is out of range; [`Error::Rows`] if data marked `#[rows]` have
/// different numbers of rows.
pub fn signature<Mo: Model>(model: &Mo) -> Result<Signature, Error> {
    super::rows::count(model)?;
    let statements = model.statements();
    let mut stream = Key::new(0, Purpose::Validation).stream();
    let mut forward = Forward::new(
        statements,
        Start::Prior(&[]),
        Wanted::default(),
        &mut stream,
    );
    forward.outline = Some(Outline::new(statements));
    let outcome = fault::catch(|| forward.run(model));
    let mut outline = forward.outline.unwrap_or_default();
    if let Err(fault) = outcome {
        let fault = ProblemKind::Fault(fault);
        outline.problems.push((outline.last, fault));
    }
    let problem = |(statement, kind): (usize, ProblemKind)| {
        let Statement {
            name, text, line, ..
        } = statements[statement];
        Problem {
            variable: name.to_owned(),
            statement: text.to_owned(),
            file: model.file(),
            line,
            kind,
            more: 0,
            draws: None,
            hint: String::new(),
        }
    };
    let problems = std::mem::take(&mut outline.problems);
    if !problems.is_empty() {
        return Err(Error::Model {
            model: model.name().to_owned(),
            problems: problems.into_iter().map(problem).collect(),
        });
    }
    let impossible = std::mem::take(&mut outline.impossible);
    let improper = std::mem::take(&mut outline.improper);
    let mut found = Signature {
        random: outline.random_variables(statements),
        generated: outline.generated_variables(statements),
        observed: outline.observed_variables(statements),
        impossible: impossible.into_iter().map(problem).collect(),
        improper: improper.into_iter().map(problem).collect(),
    };
    found.name_dims(model);
    Ok(found)
}

impl Signature {
    /// Names the dimensions of what is observed and generated as the model does.
    fn name_dims<Mo: Model>(&mut self, model: &Mo) {
        let of_all = model.dims();
        let named = |name: &str, kind: StatementKind, shape: Shape| -> Vec<Dim> {
            let mine = of_all.iter().filter(|dims| {
                let statement = &model.statements()[dims.statement];
                (statement.name, statement.kind) == (name, kind)
            });
            // validation tells of those that do not fit
            let mut fitting = mine.filter_map(|mine| fit(shape, &mine.dims).ok());
            fitting.next().unwrap_or_default()
        };
        for random in &mut self.random {
            let kind = match random.kind {
                VariableKind::Param => StatementKind::Param,
                _ => StatementKind::Sample,
            };
            random.dims = named(&random.name, kind, random.shape);
        }
        for observed in &mut self.observed {
            observed.dims = named(&observed.name, StatementKind::Observe, observed.shape);
        }
        for generated in &mut self.generated {
            generated.dims = named(&generated.name, StatementKind::Generate, generated.shape);
        }
    }
}

/// What is known of an observed variable, in the order of execution.
#[derive(Clone, Debug, Default)]
struct ObservedTrace {
    executions: Executions,
    is_discrete: bool,
    data: Vec<f64>,
    observations: usize,
    /// The categories of the last execution; none inside if one had none, or others than the one before.
    categories: Option<Option<usize>>,
    limits: Limits,
}

/// What the statements of a model are, collected while it runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// The random quantity or param of each statement, and which it is.
    random: Vec<(Executions, VariableKind)>,
    observed: Vec<ObservedTrace>,
    generated: Vec<(Executions, bool)>,
    problems: Vec<(usize, ProblemKind)>,
    impossible: Vec<(usize, ProblemKind)>,
    improper: Vec<(usize, ProblemKind)>,
    /// The statement that ran last.
    last: usize,
}

impl Outline {
    fn new(statements: &[Statement]) -> Self {
        Self {
            random: vec![(Executions::default(), VariableKind::Continuous); statements.len()],
            observed: vec![ObservedTrace::default(); observed_names(statements).len()],
            generated: vec![(Executions::default(), false); generated_names(statements).len()],
            ..Self::default()
        }
    }

    /// Notes a random quantity.
    pub(super) fn random<M: Mode, D: Distribution<M>>(
        &mut self,
        statement: usize,
        distribution: &D,
    ) {
        self.check(statement, distribution.check());
        let (trace, kind) = &mut self.random[statement];
        trace.note(distribution.shape());
        if D::Domain::DISCRETE {
            *kind = VariableKind::Discrete;
        }
        if !distribution.is_proper() && trace.count == 1 {
            let needed_for = "prior predictive draws begin with it";
            let kind = ProblemKind::Improper { needed_for };
            self.improper.push((statement, kind));
        }
    }

    /// Notes a param.
    pub(super) fn param<M: Mode, D: Distribution<M>>(&mut self, statement: usize, start: &D) {
        self.check(statement, start.check());
        let (trace, kind) = &mut self.random[statement];
        trace.note(start.shape());
        *kind = VariableKind::Param;
        if trace.count == 1 {
            self.improper.push((statement, ProblemKind::Param));
        }
    }

    /// Notes observed data of the given variable.
    pub(super) fn observed<M: Mode, D: Distribution<M>>(
        &mut self,
        statement: usize,
        variable: usize,
        distribution: &D,
        data: &dyn Data<D::Domain>,
    ) {
        self.check(statement, distribution.check());
        let variable = &mut self.observed[variable];
        let (shape, execution) = (data.shape(), variable.executions.count);
        variable.is_discrete |= D::Domain::DISCRETE;
        match distribution.check_data(data) {
            Ok(()) => {}
            Err(error @ DataError::Value { .. }) => {
                let kind = ProblemKind::Data(error);
                let kind = match shape {
                    Shape::Scalar => indexed(kind, execution),
                    _ => kind,
                };
                if !self.impossible.iter().any(|(other, _)| *other == statement) {
                    self.impossible.push((statement, kind));
                }
            }
            Err(error) => return self.problems.push((statement, ProblemKind::Data(error))),
        }
        variable.executions.note(shape);
        let elements: Vec<f64> = (0..shape.elements()).map(|i| data.at(i)).collect();
        variable.limits.note(distribution, &elements);
        variable.data.extend(elements);
        distribution.for_each_term(data, |_| variable.observations += 1);
        let categories = distribution.categories();
        let same = variable
            .categories
            .is_none_or(|others| others == categories);
        variable.categories = Some(categories.filter(|_| same));
    }

    /// Notes a quantity of `generate`; its place counts on from the observed variables.
    pub(super) fn generated<M: Mode, D: Distribution<M>>(
        &mut self,
        statement: usize,
        variable: usize,
        distribution: &D,
    ) {
        self.check(statement, distribution.check());
        let (executions, is_discrete) = &mut self.generated[variable - self.observed.len()];
        executions.note(distribution.shape());
        *is_discrete |= D::Domain::DISCRETE;
    }

    /// A parameter of a wrong shape is the data's fault; a value outside its range may be an extreme prior draw's.
    fn check(&mut self, statement: usize, outcome: Result<(), ParameterError>) {
        self.last = statement;
        if let Err(error) = outcome
            && error.value().is_none()
        {
            let kind = ProblemKind::Parameter(error);
            self.problems.push((statement, kind));
        }
    }

    fn random_variables(&self, statements: &[Statement]) -> Vec<Variable> {
        let mut offset = 0;
        let mut variables = Vec::new();
        for ((trace, kind), statement) in self.random.iter().zip(statements) {
            let Some(shape) = trace.shape else { continue };
            let shape = shape.repeated(trace.count);
            variables.push(Variable {
                dims: Vec::new(),
                name: statement.name.to_owned(),
                shape,
                kind: *kind,
                offset,
            });
            offset += shape.elements();
        }
        variables
    }

    fn generated_variables(&self, statements: &[Statement]) -> Vec<Generated> {
        let names = generated_names(statements).into_iter();
        let one = |(name, (executions, is_discrete)): (&str, &(Executions, bool))| Generated {
            name: name.to_owned(),
            shape: executions.total(),
            is_discrete: *is_discrete,
            dims: Vec::new(),
        };
        names.zip(&self.generated).map(one).collect()
    }

    fn observed_variables(self, statements: &[Statement]) -> Vec<Observed> {
        let names = observed_names(statements).into_iter();
        let one = |(name, variable): (&str, ObservedTrace)| Observed {
            name: name.to_owned(),
            shape: variable.executions.total(),
            is_discrete: variable.is_discrete,
            data: variable.data,
            observations: variable.observations,
            categories: variable.categories.flatten(),
            limits: variable.limits,
            dims: Vec::new(),
        };
        names.zip(self.observed).map(one).collect()
    }
}
