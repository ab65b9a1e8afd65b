//! The hypergeometric distribution.

use super::elementary::rest;
use super::lifted::{LiftedFunction, lifted_operation, log_sum, of_three, packed, unpacked};
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, SingleParticle};
use rand_distr::{Distribution as _, Hypergeometric as Sampler};
use std::f64::consts::LN_2;

/// Hypergeometric distribution: successes among `draws` items taken without replacement from a population.
///
/// ```text
/// ln p(k) = ln C(successes, k) + ln C(population - successes, draws - k) - ln C(population, draws)
/// max(0, draws + successes - population) ≤ k ≤ min(draws, successes)
/// ```
///
/// It is the distribution of a binomial count given its sum with another count, whatever their common probability. At
/// `draws/population` each of the three masses is two deviances and Stirling remainders (Loader 2000). Distribution
/// functions are sums over one tail, for `draws` up to 67 million.
#[derive(Clone, Copy, Debug)]
pub struct Hypergeometric;

impl Hypergeometric {
    /// `population`: the number of items; `successes`: the number of successes among them; `draws`: the number of items
    /// taken. Whole numbers; `successes` and `draws` are between 0 and `population`.
    pub fn new<A, B, C>(population: A, successes: B, draws: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((population, successes, draws))
    }
}

impl Family<3> for Hypergeometric {
    const NAME: &'static str = "Hypergeometric";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("population", Constraint::Count),
        ParameterInfo::new("successes", Constraint::Count),
        ParameterInfo::new("draws", Constraint::Count),
    ];
    const BOUNDED_BY: [bool; 3] = [true; 3];
    type Domain = Discrete;

    fn check([population, successes, draws]: [f64; 3]) -> Result<(), (usize, &'static str)> {
        if successes > population {
            Err((1, "at most `population`"))
        } else if draws > population {
            Err((2, "at most `population`"))
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([population, successes, draws]: [Real<M>; 3]) -> Real<M> {
        rest(successes) + rest(population - successes) - rest(population)
            + rest(draws)
            + rest(population - draws)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [population, successes, draws]: [Real<M>; 3]) -> Real<M> {
        let taken = draws / population.max(1.0);
        let left = (population - draws) / population.max(1.0);
        let binomial = |x: Real<M>, n: Real<M>| {
            let others = n - x;
            -rest(x) - rest(others) - x.deviance(n * taken) - others.deviance(n * left)
        };
        binomial(x, successes) + binomial(draws - x, population - successes)
    }

    #[inline(always)]
    fn support<M: Mode>([population, successes, draws]: [Real<M>; 3]) -> Support<M> {
        Support::Integers {
            low: (draws + successes - population).max(0.0),
            high: draws.min(successes),
        }
    }

    fn draw([population, successes, draws]: [f64; 3], stream: &mut Stream) -> f64 {
        let sampler = Sampler::new(population as u64, successes as u64, draws as u64);
        sampler.map_or(f64::NAN, |sampler| sampler.sample(stream) as f64)
    }
}

impl Cumulative<3> for Hypergeometric {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [population, successes, draws]: [Real<M>; 3]) -> Real<M> {
        of_three::<M, LogBelow>([packed(x, draws), successes, population])
    }

    /// The probability that at most `draws - x - 1` of the other items are taken.
    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [population, successes, draws]: [Real<M>; 3]) -> Real<M> {
        let others = population - successes;
        of_three::<M, LogBelow>([packed(draws - x - 1.0, draws), others, population])
    }
}

/// `ln P(X ≤ x)`: the sum of the masses in the smaller tail, each computed from its neighbour.
struct LogBelow;

impl LiftedFunction<3> for LogBelow {
    const NAME: &'static str = "ln F of the hypergeometric";
    lifted_operation!(ternary LogBelow);
    fn evaluate<M: SingleParticle>([counts, successes, population]: [Real<M>; 3]) -> Real<M> {
        let [x, draws] = unpacked(counts);
        // whole numbers, which have no slopes
        let (count, all) = (successes.primal(), population.primal());
        // items that are neither successes nor taken, if all successes are taken
        let left = all - count - draws;
        if x < (-left).max(0.0) {
            return Real::constant(f64::NEG_INFINITY);
        } else if x >= draws.min(count) {
            return Real::constant(0.0);
        }
        let parameters = [all, count, draws].map(Real::constant);
        let log_mass = |k: f64| {
            let k = Real::constant(k);
            let kernel = Hypergeometric::log_kernel(k, parameters);
            kernel + Hypergeometric::log_normaliser(parameters)
        };
        let ratio = |x: f64| Real::constant(x);
        let lower = log_mass(x)
            + log_sum(x - (-left).max(0.0), |j| {
                let k = x - j;
                ratio(k * (left + k) / ((count - k + 1.0) * (draws - k + 1.0)))
            });
        if lower.primal() < -LN_2 {
            return lower;
        }
        let upper = log_mass(x + 1.0)
            + log_sum(draws.min(count) - x - 1.0, |j| {
                let k = x + 1.0 + j;
                ratio((count - k) * (draws - k) / ((k + 1.0) * (left + k + 1.0)))
            });
        upper.log1m_exp()
    }
}
