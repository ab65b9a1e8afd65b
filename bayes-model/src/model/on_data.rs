//! A model with other data than its own.

use super::fingerprint::Fingerprint;
use super::numbers::Numbers;
use super::plain::{Plain, PlainInterpreter};
use super::{
    AllSampled, DataArgument, Differentiable, Evaluate, GaussianPrior, GaussianReference,
    Interpreter, Model, Statement, StatementDims,
};
use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Quantity};
use bayes_autodiff::trace::Tracer;
use bayes_autodiff::{Mode, Real};
use std::collections::BTreeMap;
use std::fmt;

/// A model whose `observe` statements have other data, for example data simulated from it. Data that the program reads outside of these
/// statements stay the model's own.
pub struct OnData<'m, Mo> {
    model: &'m Mo,
    /// The data of each statement by their names, in the order of execution; row-major.
    data: BTreeMap<&'static str, Vec<f64>>,
}

impl<'m, Mo: Model> OnData<'m, Mo> {
    /// `model` with these data, which have as many elements as its own.
    pub fn new(model: &'m Mo, data: BTreeMap<&'static str, Vec<f64>>) -> Self {
        Self { model, data }
    }

    /// `inner` with these data.
    fn replacing<'a, I>(&'a self, inner: &'a mut I) -> Replacing<'a, I> {
        let left = self.data.iter().map(|(name, x)| (*name, x.as_slice()));
        Replacing {
            inner,
            statements: self.model.statements(),
            statement: 0,
            left: left.collect(),
            before: Vec::new(),
        }
    }
}

/// An interpreter that replaces the data.
#[doc(hidden)]
pub struct Replacing<'a, I> {
    inner: &'a mut I,
    statements: &'static [Statement],
    statement: usize,
    /// The unused data of each name.
    left: BTreeMap<&'static str, &'a [f64]>,
    /// The unused data at the beginning of each sum around the present place: all values of a sum observe the same data.
    before: Vec<BTreeMap<&'static str, &'a [f64]>>,
}

impl<M: Mode, I: Interpreter<M>> Interpreter<M> for Replacing<'_, I> {
    #[inline(always)]
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self.inner.at(statement);
        self
    }
    #[inline(always)]
    fn indexed(&mut self, indices: &[&dyn fmt::Display]) -> &mut Self {
        self.inner.indexed(indices);
        self
    }
    #[inline(always)]
    fn sliced(&mut self, first: usize) -> &mut Self {
        self.inner.sliced(first);
        self
    }
    #[inline(always)]
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        let name = self.statements[self.statement].name;
        let Some(left) = self.left.get_mut(name) else {
            return self.inner.observe_under(distribution, data);
        };
        let shape = data.shape();
        let (elements, rest) = left.split_at(shape.elements());
        *left = rest;
        self.inner
            .observe_under(distribution, Numbers { elements, shape });
    }
    #[inline(always)]
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        self.inner.random(distribution)
    }
    #[inline(always)]
    fn param<D: Distribution<M>>(&mut self, start: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.inner.param(start)
    }
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        self.inner.deterministic(value)
    }
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.inner.factor(log_weight);
    }
    #[inline(always)]
    fn begin_sum<D: Distribution<M, Domain = Discrete>>(&mut self, distribution: D) {
        self.before.push(self.left.clone());
        self.inner.begin_sum(distribution);
    }
    #[inline(always)]
    fn next_value(&mut self) -> Option<usize> {
        let next = self.inner.next_value();
        match (next, self.before.last()) {
            (Some(_), Some(before)) => self.left.clone_from(before),
            _ => {
                self.before.pop();
            }
        }
        next
    }
    #[inline(always)]
    fn generate<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        self.inner.generate(distribution)
    }
}

#[diagnostic::do_not_recommend]
impl<Mo: Model> Model for OnData<'_, Mo> {
    crate::model::same_text!();
    fn identity(&self) -> Option<u64> {
        // another density than the model's
        None
    }
    fn data(&self) -> Vec<DataArgument> {
        let mut arguments = self.model.data();
        arguments.extend(self.data.iter().map(|(name, values)| DataArgument {
            name,
            length: Some(values.len()),
            first_nan: None,
            fingerprint: Fingerprint::of(values.iter().map(|x| x.to_bits())),
        }));
        arguments
    }
    fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.model.numbers(show);
    }
    fn dims(&self) -> Vec<StatementDims> {
        self.model.dims()
    }
    #[inline(always)]
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        self.model.program(&mut self.replacing(interpreter));
    }
    // as the model itself, which may have compiled them elsewhere
    fn run_plain(&self, interpreter: &mut dyn PlainInterpreter) {
        let mut plain = Plain(interpreter);
        self.model.run_plain_on(&mut self.replacing(&mut plain));
    }
    fn run_traced(&self, evaluation: &mut Evaluate<'_, Tracer>) {
        self.model.run_traced_on(&mut self.replacing(evaluation));
    }
}

#[diagnostic::do_not_recommend]
impl<Mo: AllSampled> AllSampled for OnData<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: Differentiable> Differentiable for OnData<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: GaussianReference> GaussianReference for OnData<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: GaussianPrior> GaussianPrior for OnData<'_, Mo> {}

impl<Mo: Model> fmt::Debug for OnData<'_, Mo> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnData")
            .field("model", &self.model.name())
            .field("data", &self.data)
            .finish()
    }
}
