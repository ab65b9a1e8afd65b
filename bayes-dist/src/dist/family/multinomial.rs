//! The multinomial distribution.

use super::elementary::rest;
use super::rows::count_rows;
use super::sampler::binomial_draw;
use super::simplex::check_simplex;
use super::{
    Constraint, Data, DataError, Discrete, Distribution, Iid, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Buffer, Mask, Mode, PlainValue, Real, Vector};

/// Multinomial distribution: the number of occurrences of each of `K` categories in `n` trials.
///
/// ```text
/// ln p(k) = ln n! + Σ_i k_i ln p_i - ln k_i!,    Σ_i k_i = n
/// ```
///
/// Computed as deviances and Stirling remainders (Loader 2000).
#[derive(Clone, Copy, Debug)]
pub struct Multinomial<N, P> {
    n: N,
    p: P,
}

const NAME: &str = "Multinomial";

impl<N, P> Multinomial<N, P> {
    /// `n`: a whole number of trials; `p`: a vector of probabilities that sum to one.
    pub fn new(n: N, p: P) -> Self {
        Self { n, p }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn log_mass_of_one<M: Mode>(&self, counts: &[Real<M>]) -> Real<M>
    where
        N: Parameter<M>,
        P: Parameter<M>,
    {
        let n = self.n.at(0);
        let mut log_mass = rest(n);
        let mut sum = Real::constant(0.0);
        for (i, k) in counts.iter().enumerate() {
            let term = -k.deviance(n * self.p.at(i)) - rest(*k);
            log_mass += Support::counts().restrict(*k, term);
            sum += *k;
        }
        let inside = sum.le(n).and(n.le(sum));
        Real::select(inside, log_mass, f64::NEG_INFINITY)
    }
}

impl<M: Mode, N: Parameter<M>, P: Parameter<M>> Distribution<M> for Multinomial<N, P> {
    type Value = Vector<M>;
    type Domain = Discrete;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.p.shape().elements())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.p.shape().elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let (value, allowed) = (self.n.at(0).plain_value(), Constraint::Count);
        if !allowed.holds(value) {
            let allowed = allowed.words();
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "n",
                index: None,
                value,
                allowed,
            });
        }
        let p: Vec<f64> = (0..self.dim())
            .map(|i| self.p.at(i).plain_value())
            .collect();
        check_simplex(NAME, "p", &p, 0)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for counts in elements.chunks_exact(self.dim().max(1)) {
            sum += self.log_mass_of_one(counts);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let whole = |i: usize| Support::counts().constrain(coordinates[i]).0;
        (
            Vector::from_fn(coordinates.len(), whole),
            Real::constant(0.0),
        )
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// Draws one binomial after another, each from the trials that remain.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut left = self.n.at(0).plain_value();
        let mut mass = 1.0;
        let last = self.dim().saturating_sub(1);
        let mut one = |i| {
            let p = self.p.at(i).plain_value();
            let count = if i == last {
                left
            } else {
                binomial_draw(left, (p / mass).clamp(0.0, 1.0), stream)
            };
            left -= count;
            mass -= p;
            count
        };
        (0..=last).map(&mut one).collect()
    }

    fn check_data<T: Data<Discrete> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let each = self.dim();
        let wrong = |index, value, allowed| DataError::Value {
            distribution: NAME,
            index,
            value,
            allowed,
        };
        for row in 0..count_rows(NAME, each, data)? {
            let counts = (row * each..(row + 1) * each).map(|i| data.at(i));
            let support = Support::<M>::counts();
            if let Some((k, x)) = counts
                .clone()
                .enumerate()
                .find(|(_, x)| !support.contains(*x))
            {
                return Err(wrong(Some(row * each + k), x, support.words()));
            }
            let (sum, n) = (counts.sum::<f64>(), self.n.at(0).plain_value());
            if N::DATA && sum != n {
                return Err(wrong(
                    Some(row * each),
                    sum,
                    format!("counts that sum to {n} (the value shown is their sum)"),
                ));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Discrete> + ?Sized>(&self, data: &T, mut visit: impl FnMut(Real<M>)) {
        let each = self.dim().max(1);
        let mut counts = Buffer::with_capacity(each);
        for row in 0..data.shape().elements() / each {
            counts.clear();
            counts.extend((0..each).map(|k| Real::constant(data.at(row * each + k))));
            visit(self.log_mass_of_one(&counts));
        }
    }
}
