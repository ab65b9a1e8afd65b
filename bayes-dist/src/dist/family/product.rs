//! Products of independent distributions.

use super::data::of_whole;
use super::rows::count_rows;
use super::{Data, DataError, Distribution, Domain, Factor, Factors, Iid, ParameterError, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real, Vector};

/// A vector of independent numbers, each of its own family.
///
/// ```text
/// p(x) = Π_k f_k(x_k)
/// ```
///
/// Beside real numbers, whole numbers count as real ones: data of a reaction time and a count are a matrix of `f64`. It is one observation
/// for each vector. Its use is the emissions of a [`HiddenMarkov`](super::HiddenMarkov) of several series, and the components of a
/// [`Mixture`](super::Mixture). Elsewhere: `product_distribution` (Distributions.jl), `Blockwise` (TensorFlow Probability).
#[derive(Clone, Copy, Debug)]
pub struct Product<F> {
    factors: F,
    skip_missing: bool,
}

const NAME: &str = "Product";

impl<F> Product<F> {
    /// `factors`: a tuple of two to four distributions of single numbers, or an array or a `Vec` of distributions of one family.
    pub fn new(factors: F) -> Self {
        Self {
            factors,
            skip_missing: false,
        }
    }

    /// Elements of the data that are NaN are missing: their factors are left out. Without this they are refused.
    #[must_use]
    pub fn skip_missing(self) -> Self {
        Self {
            skip_missing: true,
            ..self
        }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    fn any<M: Mode>(&self, is: impl Fn(&dyn Factor<M>) -> bool) -> bool
    where
        F: Factors<M>,
    {
        (0..self.factors.count()).any(|k| is(self.factors.get(k)))
    }
}

impl<M: Mode, F: Factors<M>> Distribution<M> for Product<F> {
    type Value = Vector<M>;
    type Domain = F::Domain;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.factors.count())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.factors.count()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.factors.count() == 0 {
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "factors",
                length: 0,
                allowed: "at least 1".to_owned(),
            });
        }
        (0..self.factors.count()).try_for_each(|k| self.factors.get(k).check())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for own in elements.chunks_exact(self.factors.count().max(1)) {
            for (k, value) in own.iter().enumerate() {
                sum += self.factors.get(k).log_density_of(*value);
            }
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Vector::from_fn(coordinates.len(), |k| {
            let (x, log_slope) = self.factors.get(k).constrain(coordinates[k]);
            log_jacobian += log_slope;
            x
        });
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let each = elements.iter().enumerate();
        each.map(|(k, x)| self.factors.get(k).unconstrain(*x))
            .collect()
    }

    fn is_proper(&self) -> bool {
        !self.any(|factor| !factor.is_proper())
    }

    fn unnormalised(&self) -> Option<&'static str> {
        (0..self.factors.count()).find_map(|k| self.factors.get(k).unnormalised())
    }

    /// Random values of a product are all real or all whole numbers.
    fn is_of_data(&self) -> bool {
        let mixed = !F::Domain::DISCRETE && self.any(|factor| factor.is_discrete());
        mixed || self.any(|factor| factor.is_of_data())
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let factors = 0..self.factors.count();
        factors.map(|k| self.factors.get(k).draw(stream)).collect()
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let count = self.factors.count();
        count_rows(NAME, count, data)?;
        for i in 0..data.shape().elements() {
            let datum = data.at(i);
            if self.skip_missing && datum.is_nan() {
                continue;
            }
            let checked = self.factors.get(i % count).check_datum(datum);
            checked.map_err(|error| of_whole(error.shifted(i), NAME))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let count = self.factors.count().max(1);
        for row in 0..data.shape().elements() / count {
            let mut sum = Real::constant(0.0);
            for k in 0..self.factors.count() {
                let datum = data.at(row * count + k);
                if !(self.skip_missing && datum.is_nan()) {
                    sum += self.factors.get(k).log_density_of_datum(datum);
                }
            }
            visit(sum);
        }
    }
}
