//! Distributions: what `sample` and `observe` accept.
//!
//! A scalar family is one file of `family/`: a unit struct with `new`, and an implementation of [`Family`]
//! (parameters, log density, support, sampling). [`Univariate`] turns any family into a
//! [`Distribution`] of scalars or, with vector parameters, of vectors.
//!
//! All distributions that models can name are listed in [`families`], which is generated from the crate `bayes-catalogue`.

mod advice;
mod bounds;
mod censored;
mod centring;
mod choice;
mod cholesky;
mod cloglog;
mod component;
mod covariance_function;
mod cumulative;
mod data;
mod drawn;
mod element_density;
pub mod elementary;
mod elements;
mod factors;
mod family;
mod first_passage;
mod form;
mod gamma_kernel_apart;
mod gaps;
mod gaussian;
mod iid;
mod interval_censored;
mod lifted;
mod markov;
mod matern_grid;
mod neighbours;
mod non_centred;
mod ordered;
mod ordered_each;
mod ordinal;
mod parameter;
mod passage_probability;
mod point;
mod precision;
mod quantile;
mod quantity;
mod rows;
mod sampler;
mod separate;
mod series;
mod simplex;
mod square;
mod term;
mod truncated;
mod univariate;
mod untyped;
mod with_zeros;
mod within;
mod zero_mass;

pub use crate::error::{DataError, NeighboursError, ParameterError};
#[doc(hidden)]
pub use advice::advice;
pub use bayes_autodiff::SparsePattern;
pub use censored::Censored;
pub use centring::{CentredParameters, Centring};
pub use choice::{Choice, Scale, Scores};
pub use component::Components;
pub use covariance_function::{
    Correlation, CovarianceFunction, Matern12, Matern32, Matern52, Points, SquaredExponential,
    Stationary,
};
pub use cumulative::Cumulative;
pub use data::{Data, Datum};
pub use drawn::Drawn;
pub use elements::AtPlaces;
pub use factors::{Beside, Factor, Factors};
pub use family::{Constraint, Family, ParameterInfo};
pub use form::{Broadcast, Form, MatrixForm, ScalarForm, VectorForm};
pub use gaps::{Gapped, Gappy, Gaps};
pub use gaussian::{CovarianceRoot, Gaussian};
pub use iid::{Iid, Repeat};
pub use interval_censored::IntervalCensored;
pub use matern_grid::MaternGrid;
pub use neighbours::Neighbours;
pub use non_centred::{LocationScale, NonCentred, StandardParameters, Standardised};
pub use ordered::Ordered;
pub use ordered_each::OrderedEach;
pub use ordinal::{Ordinal, OrdinalLink};
pub use parameter::{Entry, Parameter, Parameters};
pub use point::Point;
pub use quantile::Tail;
pub use quantity::{Quantity, Shape};
pub use separate::{Elements, Separate};
pub use series::{
    Autoregression, Block, Coefficient, Cycle, First, Level, Part, Regression, Season, States, Sum,
    Trend, Unknown,
};
pub use term::Term;
pub use truncated::Truncated;
pub use univariate::Univariate;
pub use with_zeros::{Inflatable, WithZeros, ZeroModel};
pub use within::Within;

pub use family::families::{self, *};
pub use family::{
    FlatBelow, Given, NegativeBinomialFailures, Past, Scatter, ScatterDistribution, Stationarity,
};

use crate::rng::Stream;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Real};

/// Continuous values: reals and vectors of reals.
#[derive(Clone, Copy, Debug)]
pub struct Continuous;

/// Whole numbers: counts, categories, `bool`.
#[derive(Clone, Copy, Debug)]
pub struct Discrete;

/// [`Continuous`] or [`Discrete`].
pub trait Domain: 'static {
    /// Whether values are whole numbers.
    const DISCRETE: bool;
}
impl Domain for Continuous {
    const DISCRETE: bool = false;
}
impl Domain for Discrete {
    const DISCRETE: bool = true;
}

/// The domains whose values have derivatives.
#[diagnostic::on_unimplemented(
    message = "`sample` of a discrete distribution that is not recognised by its name",
    label = "its values are whole numbers",
    note = "write `sample_discrete(...)`; the model then has no gradient"
)]
pub trait ContinuousDomain: Domain {}
impl ContinuousDomain for Continuous {}

/// A probability distribution: `sample` draws from it, and `observe` evaluates data under it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a distribution",
    label = "expected a distribution, for example `Normal::new(0.0, 1.0)`",
    note = "write `sample(Normal::new(0.0, 1.0))` or `observe(y, Normal::new(mu, sigma))`; a value that is computed is kept by `deterministic(value)`"
)]
pub trait Distribution<M: Mode> {
    /// The type of a draw: `Real`, `Vector` or `Matrix`.
    type Value: Quantity<M>;
    /// Continuous or discrete values.
    type Domain: Domain;

    /// The name that users write, for error messages.
    fn name(&self) -> &'static str;

    /// The shape of a value.
    fn shape(&self) -> Shape;

    /// The number of unconstrained coordinates of a value (a simplex of `k` has `k - 1`).
    fn dim(&self) -> usize;

    /// Checks the present values and shapes of the parameters.
    ///
    /// # Errors
    /// The first parameter that is not allowed, with its index and value.
    fn check(&self) -> Result<(), ParameterError>;

    /// Log density (log mass for discrete values) of one or several independent values, whose elements follow one another, row-major.
    /// Fully normalised; minus infinity outside the support.
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M>;

    /// Log density (log mass for discrete values) at one value, random or data: `Poisson::new(rate).log_density_at(count[t])`. Minus
    /// infinity outside the support.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the value is a vector or a matrix of another size than the distribution's.
    #[inline(always)]
    fn log_density_at(&self, value: impl Point<M, Self::Value>) -> Real<M> {
        value.read(
            #[inline(always)]
            |elements| {
                let wanted = self.shape().elements();
                if elements.len() != wanted {
                    another_size(self.name(), wanted, elements.len());
                }
                self.log_density_of(elements)
            },
        )
    }

    /// Adds [`Distribution::log_density_of`] to `total`, term by term.
    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        *total += self.log_density_of(elements);
    }

    /// The value at unconstrained coordinates `[dim]`. Adds its log density to `total`, with the log Jacobian determinant if `jacobian`.
    #[inline(always)]
    fn add_sample(
        &self,
        coordinates: &[Real<M>],
        jacobian: bool,
        total: &mut Real<M>,
    ) -> Self::Value {
        let (value, log_jacobian) = self.constrain(coordinates);
        self.add_density(value.elements(), total);
        if jacobian {
            *total += log_jacobian;
        }
        value
    }

    /// Maps unconstrained coordinates `[dim]` to a value; also returns the log Jacobian determinant.
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>);

    /// The inverse of [`Distribution::constrain`] on the elements of a value (row-major).
    fn unconstrain(&self, elements: &[f64]) -> Vec<f64>;

    /// Whether the distribution is a proper probability distribution. An improper one can only be a prior of chains.
    fn is_proper(&self) -> bool {
        true
    }

    /// What to write instead, if the density lacks a normaliser that may depend on parameters: then it is no density of data. `None` for a
    /// density that is normalised, and for the constant density of a flat prior.
    fn unnormalised(&self) -> Option<&'static str> {
        None
    }

    /// Whether only data can have this distribution, because it is censored.
    fn is_of_data(&self) -> bool {
        false
    }

    /// Whether a random value is an angle: the ends of its support are one place of a circle that is cut there.
    fn is_angle(&self) -> bool {
        false
    }

    /// The numbers of the rows to which the values belong, of the known or of the missing values of data with gaps; otherwise `None`.
    fn rows(&self) -> Option<&[usize]> {
        None
    }

    /// The limits of censoring of an element, infinite without a limit; `None` for distributions without censoring.
    fn censoring_limits(&self, _element: usize) -> Option<[f64; 2]> {
        None
    }

    /// What the likelihood of a datum of an element is: by default its density, or the probability of an interval beyond its limit.
    fn term(&self, element: usize, datum: f64) -> Term {
        let limits = self.censoring_limits(element);
        limits.map_or(Term::PLAIN, |limits| Term::within(limits, datum))
    }

    /// The bounds of the support of an element at the present parameters, infinite where there is no bound, if they depend on random
    /// values. `None` for other supports, and for distributions whose values are vectors.
    fn random_support(&self, _element: usize) -> Option<[f64; 2]> {
        None
    }

    /// The number of categories, if a value means one of the categories `0..categories`: classes, grades, failure and success. `None` for
    /// counts and for continuous values.
    fn categories(&self) -> Option<usize> {
        None
    }

    /// The smallest and the largest value, if a value is a single whole number and both are finite and depend only on data. All whole
    /// numbers between them may occur.
    fn whole_numbers(&self) -> Option<[f64; 2]> {
        None
    }

    /// Draws the elements of a value (row-major); an improper distribution returns a starting point instead.
    fn draw(&self, stream: &mut Stream) -> Vec<f64>;

    /// Draws the elements of a value (row-major) from the distribution itself at the present parameters, never a starting point. `None` if
    /// the distribution cannot be drawn from, or if no draw was found in many tries.
    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        self.is_proper().then(|| self.draw(stream))
    }

    /// One draw with its unconstrained coordinates: [`Distribution::draw`] and [`Distribution::unconstrain`]. If the elements may round,
    /// the coordinates themselves are drawn.
    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let elements = self.draw(stream);
        let coordinates = self.unconstrain(&elements);
        Drawn {
            elements,
            coordinates,
            rounding: 0.0,
            lost: false,
        }
    }

    /// The distribution of the unconstrained coordinates, if it is exactly Gaussian at the present parameters.
    fn gaussian(&self) -> Option<Gaussian> {
        None
    }

    /// Checks data against the support and the shapes that the distribution allows.
    ///
    /// # Errors
    /// The first datum that is NaN or outside the support, or a mismatched length.
    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError>;

    /// Visits the log density of each independent observation in `data`, in order: of each value, or of each element if elements are
    /// separate observations.
    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        square::for_each_value(
            self.shape().elements(),
            data,
            #[inline(always)]
            |value| visit(self.log_density_of(value)),
        );
    }

    /// Adds the log density of all observations in `data` to `total`.
    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.for_each_term(
            data,
            #[inline(always)]
            |term| *total += term,
        );
    }

    /// Log density of all observations in `data`: the sum of the terms.
    #[inline(always)]
    fn log_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Real<M> {
        let mut sum = Real::constant(0.0);
        self.for_each_term(
            data,
            #[inline(always)]
            |term| sum += term,
        );
        sum
    }
}

/// Stops the model because of a value of another size.
#[cold]
#[inline(never)]
fn another_size(distribution: &str, wanted: usize, given: usize) -> ! {
    raise(Fault::Shape {
        operation: format!(
            "log density of {distribution}, of {wanted} elements, at {given} elements"
        ),
    })
}
