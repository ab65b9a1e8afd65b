//! The graph is recorded by running the model in an arithmetic that knows what each number was computed from.

use super::{GraphNode, ModelGraph};
use crate::dist::{Data, Discrete, Distribution, Quantity};
use crate::error::{Error, ProblemKind};
use crate::model::sum_out::OpenSum;
use crate::model::{Interpreter, Model, Statement, StatementKind};
use crate::rng::{Key, Purpose, Stream};
use bayes_autodiff::fault::{self, Fault};
use bayes_autodiff::{Dependence, PlainValue, Real};
use std::collections::BTreeSet;

/// The graph of a model.
///
/// # Errors
/// [`Error::Model`] with the statement at which the model stopped.
pub fn record<Mo: Model>(model: &Mo) -> Result<ModelGraph, Error> {
    let statements = model.statements();
    let mut recorder = Recorder {
        stream: &mut Key::new(0, Purpose::Validation).stream(),
        statement: 0,
        found: vec![Found::default(); statements.len()],
        sums: Vec::new(),
    };
    let outcome = fault::catch(|| model.program::<Dependence, _>(&mut recorder));
    if let Err(fault) = outcome {
        return Err(stopped(model, &statements[recorder.statement], fault));
    }
    let ran: Vec<usize> = (0..statements.len())
        .filter(|i| recorder.found[*i].executions > 0)
        .collect();
    let node = |i: &usize| {
        let found = &recorder.found[*i];
        let place = |parent: &usize| ran.binary_search(parent).ok();
        GraphNode {
            name: statements[*i].name.to_owned(),
            kind: statements[*i].kind,
            distribution: distribution(&statements[*i]),
            size: found.elements,
            parents: found.parents.iter().filter_map(place).collect(),
        }
    };
    Ok(ModelGraph {
        model: model.name().to_owned(),
        nodes: ran.iter().map(node).collect(),
    })
}

fn stopped(model: &dyn Model, statement: &Statement, fault: Fault) -> Error {
    Error::Model {
        model: model.name().to_owned(),
        problems: vec![statement.problem(model.file(), ProblemKind::Fault(fault))],
    }
}

/// The name of a statement's distribution: the text before the last `::` ahead of its first argument.
fn distribution(statement: &Statement) -> String {
    let text = match statement.kind {
        // `impute` has its data first
        StatementKind::Sample if statement.imputes() => after(statement.text, ", "),
        StatementKind::Sample => after(statement.text, "sample("),
        StatementKind::Param => after(statement.text, "param("),
        StatementKind::Generate => after(statement.text, "generate("),
        StatementKind::SumOut => after(statement.text, "sum_out("),
        StatementKind::Observe => after(statement.text, ", "),
        StatementKind::Deterministic | StatementKind::Factor => "",
    };
    let path = text.split_once("::new").map_or("", |(path, _)| path);
    let name = path.rsplit(|c: char| !c.is_alphanumeric()).next();
    name.unwrap_or_default().to_owned()
}

fn after<'t>(text: &'t str, mark: &str) -> &'t str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// What the recorder found about a statement.
#[derive(Clone, Debug, Default)]
struct Found {
    executions: usize,
    elements: usize,
    /// Statements whose quantities this statement uses.
    parents: BTreeSet<usize>,
}

/// Draws from the prior. Every number of a statement has that statement as its only source.
struct Recorder<'a> {
    stream: &'a mut Stream,
    statement: usize,
    found: Vec<Found>,
    /// The sums around the present place: the statement of each, its values, and how many of the values have
    /// begun.
    sums: Vec<(usize, OpenSum<Real<Dependence>>, usize)>,
}

impl Recorder<'_> {
    /// Records an execution of the present statement, and the numbers that it uses.
    fn note(&mut self, elements: usize, numbers: &[Real<Dependence>]) {
        let is_first = self.sums.iter().all(|(.., begun)| *begun <= 1);
        let found = &mut self.found[self.statement];
        if is_first {
            found.executions += 1;
            found.elements += elements;
        }
        for x in numbers {
            found.parents.extend(Dependence::sources(*x));
        }
        // a value that is summed out is a plain number without a source
        let present = self.statement;
        let around = self.sums.iter().map(|(statement, ..)| *statement);
        found.parents.extend(around.filter(|sum| *sum != present));
    }

    /// The value with these elements, as a quantity of the present statement.
    fn own<Q: Quantity<Dependence>>(&self, like: &Q, elements: &[f64]) -> Q {
        let number = |i: usize| Dependence::number(elements[i], self.statement);
        Q::from_fn(like.shape(), number)
    }
}

impl Interpreter<Dependence> for Recorder<'_> {
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self
    }
    fn random<D: Distribution<Dependence>>(&mut self, distribution: D) -> D::Value {
        let elements = distribution.draw(self.stream);
        let constant = |i: usize| Real::constant(elements[i]);
        let value = D::Value::from_fn(distribution.shape(), constant);
        // the value is a constant here, so the density depends only on the distribution's parameters
        let density = distribution.log_density_at(&value);
        self.note(elements.len(), &[density]);
        self.own(&value, &elements)
    }
    fn observe_under<D: Distribution<Dependence>, T: Data<D::Domain>>(
        &mut self,
        distribution: D,
        data: T,
    ) {
        let density = distribution.log_likelihood(&data);
        self.note(data.shape().elements(), &[density]);
    }
    fn deterministic<Q: Quantity<Dependence>>(&mut self, value: Q) -> Q {
        let numbers = value.elements();
        let elements: Vec<f64> = numbers.iter().map(|x| x.plain_value()).collect();
        self.note(elements.len(), numbers);
        self.own(&value, &elements)
    }
    fn begin_sum<D: Distribution<Dependence, Domain = Discrete>>(&mut self, distribution: D) {
        let sum = OpenSum::over(&distribution);
        self.note(1, sum.log_prior());
        self.sums.push((self.statement, sum, 0));
    }
    fn next_value(&mut self) -> Option<usize> {
        let (_, sum, begun) = self.sums.last_mut()?;
        let next = sum.next(Real::constant(0.0));
        *begun += 1;
        if next.is_none() {
            self.sums.pop();
        }
        next
    }
    fn generate<D: Distribution<Dependence>>(&mut self, distribution: D) -> D::Value {
        self.random(distribution)
    }
    fn factor(&mut self, log_weight: impl Into<Real<Dependence>>) {
        self.note(1, &[log_weight.into()]);
    }
}
