//! The two distributions that the model observes: for real and for whole numbers.

use super::Given;
use super::by_row::{ByRow, Known, Unknown};
use super::families::{chosen, with_counts, with_numbers, written};
use super::written::{Own, Written};
use crate::class::Class;
use crate::family::Family;
use crate::link::Link;
use bayes::autodiff::Task;
use bayes::dist::{
    BernoulliLogit, Beta, BetaBinomial, BinomialLogit, Continuous, Data, DataError, Discrete,
    Distribution, Drawn, Exponential, Gamma, Geometric, Hurdle, InverseGaussian, LogNormal,
    NegativeBinomial, Normal, OrderedLogistic, OrderedProbit, ParameterError, Poisson, PoissonLog,
    Shape, StudentT, Term, Weibull, ZeroInflated,
};
use bayes::prelude::*;
use bayes::rng::Stream;

/// Responses that are real numbers.
pub(crate) struct OfNumbers<'d, M: Mode>(pub(crate) Given<'d, M>);

/// Responses that are whole numbers.
pub(crate) struct OfCounts<'d, M: Mode>(pub(crate) Given<'d, M>);

/// A parameter of all rows.
struct Column<'a, M: Mode>(&'a Vector<M>);

impl<'a, M: Mode> Column<'a, M> {
    #[inline(always)]
    fn whole(&self) -> &'a Vector<M> {
        self.0
    }
    #[inline(always)]
    fn row(&self, i: usize) -> Real<M> {
        self.0[i]
    }
}

/// The numbers of trials.
struct Trials<'a>(&'a [u64]);

impl<'a> Trials<'a> {
    #[inline(always)]
    fn whole(&self) -> &'a [u64] {
        self.0
    }
    #[inline(always)]
    fn row(&self, i: usize) -> u64 {
        self.0[i]
    }
}

/// Cutpoints shared by all rows.
struct All<'a, M: Mode>(&'a Vector<M>);

impl<'a, M: Mode> All<'a, M> {
    #[inline(always)]
    fn whole(&self) -> &'a Vector<M> {
        self.0
    }
    #[inline(always)]
    fn row(&self, _: usize) -> &'a Vector<M> {
        self.0
    }
}

/// Adds a likelihood in a separate function for each family, because one function with all families would be long.
struct Add<'a, M: Mode, D, T: ?Sized> {
    distribution: D,
    data: &'a T,
    total: &'a mut Real<M>,
}

impl<M: Mode, D: Distribution<M>, T: Data<D::Domain> + ?Sized> Task for Add<'_, M, D, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.distribution.add_likelihood(self.data, self.total);
    }
}

macro_rules! observed {
    ($type:ident, $domain:ident, $with:ident) => {
        impl<M: Mode> Distribution<M> for $type<'_, M> {
            type Value = Vector<M>;
            type Domain = $domain;

            fn name(&self) -> &'static str {
                $with!(&self.0, one => Distribution::<M>::name(&one))
            }

            fn shape(&self) -> Shape {
                Shape::Vector(self.0.first.len())
            }

            fn dim(&self) -> usize {
                self.0.first.len()
            }

            fn check(&self) -> Result<(), ParameterError> {
                self.0.check_means()?;
                $with!(&self.0, one => Distribution::<M>::check(&one))
            }

            fn is_of_data(&self) -> bool {
                true
            }

            fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
                $with!(&self.0, one => Distribution::<M>::censoring_limits(&one, element))
            }

            fn term(&self, element: usize, datum: f64) -> Term {
                $with!(&self.0, one => Distribution::<M>::term(&one, element, datum))
            }

            fn random_support(&self, element: usize) -> Option<[f64; 2]> {
                $with!(&self.0, one => Distribution::<M>::random_support(&one, element))
            }

            fn categories(&self) -> Option<usize> {
                $with!(&self.0, one => Distribution::<M>::categories(&one))
            }

            #[inline(always)]
            fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
                $with!(&self.0, one => one.log_density_of(elements))
            }

            #[inline(always)]
            fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
                $with!(&self.0, one => one.constrain(coordinates))
            }

            fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
                $with!(&self.0, one => Distribution::<M>::unconstrain(&one, elements))
            }

            fn draw(&self, stream: &mut Stream) -> Vec<f64> {
                let mut y = $with!(&self.0, one => Distribution::<M>::draw(&one, stream));
                self.0.carry(&mut y);
                y
            }

            fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
                let mut drawn = $with!(&self.0, one => Distribution::<M>::draw_with_coordinates(&one, stream));
                // responses with residuals are numbers of the whole line, which are their own coordinates
                self.0.carry(&mut drawn.elements);
                self.0.carry(&mut drawn.coordinates);
                drawn
            }

            fn check_data<T: Data<$domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
                $with!(&self.0, one => Distribution::<M>::check_data(&one, data))
            }

            #[inline(always)]
            fn for_each_term<T: Data<$domain> + ?Sized>(
                &self,
                data: &T,
                mut visit: impl FnMut(Real<M>),
            ) {
                $with!(&self.0, one => one.for_each_term(data, &mut visit));
            }

            #[inline(always)]
            fn add_likelihood<T: Data<$domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
                $with!(&self.0, one => M::call(Add { distribution: one, data, total }));
            }
        }
    };
}

observed!(OfNumbers, Continuous, with_numbers);
observed!(OfCounts, Discrete, with_counts);
