//! What each number of a program is computed from, by an arithmetic that knows it. It is here, and not beside the graph of a model, so
//! that a model can be compiled for it once ([`Model::run_sources`](super::Model::run_sources)).

use super::Interpreter;
use super::sum_out::OpenSum;
use crate::dist::{Data, Discrete, Distribution, Quantity};
use crate::rng::Stream;
use bayes_autodiff::{Dependence, PlainValue, Real};
use std::collections::BTreeSet;

/// What [`Sources`] found about a statement.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// How often it ran.
    pub executions: usize,
    /// The elements of its quantity, of all executions.
    pub elements: usize,
    /// Statements whose quantities this statement uses.
    pub parents: BTreeSet<usize>,
}

/// Draws from the prior. Every number of a statement has that statement as its only source.
pub struct Sources<'a> {
    stream: &'a mut Stream,
    /// The present statement.
    pub statement: usize,
    /// What was found about each statement.
    pub found: Vec<Found>,
    /// The sums around the present place: the statement of each, its values, and how many of the values have
    /// begun.
    sums: Vec<(usize, OpenSum<Real<Dependence>>, usize)>,
}

impl<'a> Sources<'a> {
    /// Of a program with this number of statements.
    pub fn new(statements: usize, stream: &'a mut Stream) -> Self {
        Self {
            stream,
            statement: 0,
            found: vec![Found::default(); statements],
            sums: Vec::new(),
        }
    }

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

impl Interpreter<Dependence> for Sources<'_> {
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
