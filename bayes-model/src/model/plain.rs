//! A model's program over plain numbers, without its types.
//!
//! A program is compiled once for each interpreter. Interpreters that need no derivatives and are not part of a density (prior draws,
//! checks, outputs, predictions, terms) implement [`PlainInterpreter`], which uses distributions and data only as trait objects. The
//! program is compiled for [`Plain`], once for all of them.

use super::Interpreter;
use crate::dist::{
    Data, DataError, Discrete, Distribution, Domain, Drawn, Gaussian, ParameterError, Quantity,
    Shape, Term,
};
use crate::rng::Stream;
use bayes_autodiff::{PlainValue, Real, Value};
use std::fmt;
use std::marker::PhantomData;

/// A distribution over plain numbers. Elements are row-major, coordinates unconstrained.
pub trait PlainDistribution {
    /// [`Distribution::name`].
    fn name(&self) -> &'static str;
    /// [`Distribution::shape`].
    fn shape(&self) -> Shape;
    /// [`Distribution::dim`].
    fn dim(&self) -> usize;
    /// Whether its values are whole numbers.
    fn is_discrete(&self) -> bool;
    /// [`Distribution::is_proper`].
    fn is_proper(&self) -> bool;
    /// [`Distribution::unnormalised`].
    fn unnormalised(&self) -> Option<&'static str>;
    /// [`Distribution::is_of_data`].
    fn is_of_data(&self) -> bool;
    /// [`Distribution::is_angle`].
    fn is_angle(&self) -> bool;
    /// [`Distribution::rows`].
    fn rows(&self) -> Option<&[usize]>;
    /// [`Distribution::categories`].
    fn categories(&self) -> Option<usize>;
    /// [`Distribution::whole_numbers`].
    fn whole_numbers(&self) -> Option<[f64; 2]>;
    /// [`Distribution::gaussian`].
    fn gaussian(&self) -> Option<Gaussian>;
    /// [`Distribution::censoring_limits`].
    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]>;
    /// [`Distribution::term`].
    fn term(&self, element: usize, datum: f64) -> Term;
    /// [`Distribution::random_support`].
    fn random_support(&self, element: usize) -> Option<[f64; 2]>;
    /// [`Distribution::check`].
    ///
    /// # Errors
    /// The first parameter that is not allowed.
    fn check(&self) -> Result<(), ParameterError>;
    /// [`Distribution::check_data`].
    ///
    /// # Errors
    /// The first datum that is not allowed, or the shape.
    fn check_data(&self, data: &dyn PlainData) -> Result<(), DataError>;
    /// [`Distribution::draw`].
    fn draw(&self, stream: &mut Stream) -> Vec<f64>;
    /// [`Distribution::draw_exactly`].
    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>>;
    /// [`Distribution::draw_with_coordinates`].
    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn;
    /// [`Distribution::unconstrain`].
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64>;
    /// The elements of the value at `coordinates`, and the log Jacobian determinant.
    fn constrain(&self, coordinates: &[f64]) -> (Vec<f64>, f64);
    /// [`Distribution::add_sample`]: the elements of the value at `coordinates`.
    fn add_sample(&self, coordinates: &[f64], jacobian: bool, total: &mut f64) -> Vec<f64>;
    /// The log density of one value.
    fn log_density(&self, elements: &[f64]) -> f64;
    /// [`Distribution::add_likelihood`].
    fn add_likelihood(&self, data: &dyn PlainData, total: &mut f64);
    /// Visits the log density of each independent observation, in order.
    fn visit_terms(&self, data: &dyn PlainData, visit: &mut dyn FnMut(f64));

    /// The log density of each independent observation.
    fn terms(&self, data: &dyn PlainData) -> Vec<f64> {
        let mut terms = Vec::new();
        self.visit_terms(data, &mut |term| terms.push(term));
        terms
    }
    /// The number of independent observations.
    fn count_terms(&self, data: &dyn PlainData) -> usize {
        let mut count = 0;
        self.visit_terms(data, &mut |_| count += 1);
        count
    }
    /// The log density of all observations.
    fn log_likelihood(&self, data: &dyn PlainData) -> f64 {
        let mut sum = 0.0;
        self.visit_terms(data, &mut |term| sum += term);
        sum
    }
}

/// Data as plain numbers.
pub trait PlainData {
    /// [`Data::shape`].
    fn shape(&self) -> Shape;
    /// [`Data::at`].
    fn at(&self, i: usize) -> f64;
}

/// An interpreter over plain numbers. Random quantities are their elements, row-major.
pub trait PlainInterpreter {
    /// [`Interpreter::at`].
    fn at(&mut self, statement: usize);
    /// [`Interpreter::indexed`].
    fn indexed(&mut self, _indices: &[&dyn fmt::Display]) {}
    /// [`Interpreter::sliced`].
    fn sliced(&mut self, _first: usize) {}
    /// The present statement is over.
    fn leave(&mut self) {}
    /// [`Interpreter::random`].
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64>;
    /// [`Interpreter::param`].
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        self.random(start)
    }
    /// [`Interpreter::observe_under`].
    fn observe(&mut self, _distribution: &dyn PlainDistribution, _data: &dyn PlainData) {}
    /// [`Interpreter::deterministic`].
    fn deterministic(&mut self, _elements: &[Real<Value>], _shape: Shape) {}
    /// [`Interpreter::factor`].
    fn factor(&mut self, _log_weight: f64) {}
    /// [`Interpreter::begin_sum`]. By default the statements inside the sum are left out: they are not part of a draw.
    fn begin_sum(&mut self, _distribution: &dyn PlainDistribution) {}
    /// [`Interpreter::next_value`].
    fn next_value(&mut self) -> Option<usize> {
        None
    }
    /// [`Interpreter::generate`].
    fn generate(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        vec![f64::NAN; distribution.shape().elements()]
    }
}

/// `elements` as random values.
fn lift(elements: &[f64]) -> Vec<Real<Value>> {
    elements.iter().map(|x| Real::constant(*x)).collect()
}

/// The numbers in random values.
fn numbers(elements: &[Real<Value>]) -> Vec<f64> {
    elements.iter().map(|x| x.plain_value()).collect()
}

/// A distribution without its type.
struct Erased<'a, D>(&'a D);

impl<D: Distribution<Value>> PlainDistribution for Erased<'_, D> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn shape(&self) -> Shape {
        self.0.shape()
    }
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn is_discrete(&self) -> bool {
        D::Domain::DISCRETE
    }
    fn is_proper(&self) -> bool {
        self.0.is_proper()
    }
    fn unnormalised(&self) -> Option<&'static str> {
        self.0.unnormalised()
    }
    fn is_of_data(&self) -> bool {
        self.0.is_of_data()
    }
    fn is_angle(&self) -> bool {
        self.0.is_angle()
    }
    fn rows(&self) -> Option<&[usize]> {
        self.0.rows()
    }
    fn categories(&self) -> Option<usize> {
        self.0.categories()
    }
    fn whole_numbers(&self) -> Option<[f64; 2]> {
        self.0.whole_numbers()
    }
    fn gaussian(&self) -> Option<Gaussian> {
        self.0.gaussian()
    }
    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
        self.0.censoring_limits(element)
    }
    fn term(&self, element: usize, datum: f64) -> Term {
        self.0.term(element, datum)
    }
    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        self.0.random_support(element)
    }
    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }
    fn check_data(&self, data: &dyn PlainData) -> Result<(), DataError> {
        self.0.check_data(data)
    }
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        self.0.draw(stream)
    }
    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        self.0.draw_exactly(stream)
    }
    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        self.0.draw_with_coordinates(stream)
    }
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.0.unconstrain(elements)
    }
    fn constrain(&self, coordinates: &[f64]) -> (Vec<f64>, f64) {
        let (value, log_jacobian) = self.0.constrain(&lift(coordinates));
        (numbers(value.elements()), log_jacobian.plain_value())
    }
    fn add_sample(&self, coordinates: &[f64], jacobian: bool, total: &mut f64) -> Vec<f64> {
        let mut sum = Real::constant(*total);
        let value = self.0.add_sample(&lift(coordinates), jacobian, &mut sum);
        *total = sum.plain_value();
        numbers(value.elements())
    }
    fn add_likelihood(&self, data: &dyn PlainData, total: &mut f64) {
        let mut sum = Real::constant(*total);
        self.0.add_likelihood(data, &mut sum);
        *total = sum.plain_value();
    }
    fn log_density(&self, elements: &[f64]) -> f64 {
        self.0.log_density_of(&lift(elements)).plain_value()
    }
    fn visit_terms(&self, data: &dyn PlainData, visit: &mut dyn FnMut(f64)) {
        self.0.for_each_term(data, |term| visit(term.plain_value()));
    }
}

/// Data of a domain as plain numbers.
struct OfDomain<'a, D, T>(&'a T, PhantomData<D>);

impl<D: Domain, T: Data<D>> PlainData for OfDomain<'_, D, T> {
    fn shape(&self) -> Shape {
        self.0.shape()
    }
    fn at(&self, i: usize) -> f64 {
        self.0.at(i)
    }
}

/// Plain numbers are data of either domain.
impl<D: Domain> Data<D> for dyn PlainData + '_ {
    fn shape(&self) -> Shape {
        PlainData::shape(self)
    }
    fn at(&self, i: usize) -> f64 {
        PlainData::at(self, i)
    }
}

/// Runs a program for a [`PlainInterpreter`]. Its functions are compiled once for each distribution instead of once for each statement.
#[doc(hidden)]
pub struct Plain<'a>(pub(super) &'a mut dyn PlainInterpreter);

/// The value with these elements.
#[inline(always)]
fn value_of<D: Distribution<Value>>(distribution: &D, elements: &[f64]) -> D::Value {
    D::Value::from_fn(distribution.shape(), |i| Real::constant(elements[i]))
}

impl Interpreter<Value> for Plain<'_> {
    #[inline(always)]
    fn at(&mut self, statement: usize) -> &mut Self {
        self.0.at(statement);
        self
    }
    #[inline(always)]
    fn indexed(&mut self, indices: &[&dyn fmt::Display]) -> &mut Self {
        self.0.indexed(indices);
        self
    }
    #[inline(always)]
    fn sliced(&mut self, first: usize) -> &mut Self {
        self.0.sliced(first);
        self
    }
    #[inline(never)]
    fn random<D: Distribution<Value>>(&mut self, distribution: D) -> D::Value {
        let value = value_of(&distribution, &self.0.random(&Erased(&distribution)));
        self.0.leave();
        value
    }
    #[inline(never)]
    fn param<D: Distribution<Value>>(&mut self, start: D) -> D::Value {
        let value = value_of(&start, &self.0.param(&Erased(&start)));
        self.0.leave();
        value
    }
    #[inline(never)]
    fn observe_under<D: Distribution<Value>, T: Data<D::Domain>>(
        &mut self,
        distribution: D,
        data: T,
    ) {
        let data = OfDomain::<D::Domain, T>(&data, PhantomData);
        self.0.observe(&Erased(&distribution), &data);
        self.0.leave();
    }
    #[inline(never)]
    fn deterministic<Q: Quantity<Value>>(&mut self, value: Q) -> Q {
        self.0.deterministic(value.elements(), value.shape());
        self.0.leave();
        value
    }
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<Value>>) {
        self.0.factor(log_weight.into().plain_value());
        self.0.leave();
    }
    #[inline(never)]
    fn begin_sum<D: Distribution<Value, Domain = Discrete>>(&mut self, distribution: D) {
        self.0.begin_sum(&Erased(&distribution));
        self.0.leave();
    }
    #[inline(always)]
    fn next_value(&mut self) -> Option<usize> {
        self.0.next_value()
    }
    #[inline(never)]
    fn generate<D: Distribution<Value>>(&mut self, distribution: D) -> D::Value {
        let value = value_of(&distribution, &self.0.generate(&Erased(&distribution)));
        self.0.leave();
        value
    }
}
