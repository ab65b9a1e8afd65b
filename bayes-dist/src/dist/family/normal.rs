//! The normal distribution.

use super::elementary::HALF_LN_TAU;
use super::quantile::standard_normal;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, StandardNormal};

/// Normal distribution with mean and standard deviation.
///
/// ```text
/// ln p(x) = -½ ((x - mean)/sd)² - ln sd - ½ ln 2π
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Normal;

impl Normal {
    /// `mean`: finite; `sd`: finite and above zero. Scalars or vectors, data or random.
    pub fn new<A, B>(mean: A, sd: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mean, sd))
    }
}

impl Family<2> for Normal {
    const NAME: &'static str = "Normal";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mean", Constraint::Finite),
        ParameterInfo::new("sd", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, sd]: [Real<M>; 2]) -> Real<M> {
        -sd.ln() - HALF_LN_TAU
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mean, sd]: [Real<M>; 2]) -> Real<M> {
        let z = (x - mean) / sd;
        z * z * -0.5
    }

    #[inline(always)]
    fn add_data<M: Mode>(
        len: usize,
        datum: impl Fn(usize) -> f64,
        parameters: impl Fn(usize) -> [Real<M>; 2],
        total: &mut Real<M>,
    ) -> bool {
        add_kernels(
            len,
            #[inline(always)]
            |i| Real::constant(datum(i)),
            parameters,
            total,
        );
        true
    }

    #[inline(always)]
    fn add_random<M: Mode>(
        elements: &[Real<M>],
        parameters: impl Fn(usize) -> [Real<M>; 2],
        total: &mut Real<M>,
    ) -> bool {
        add_kernels(
            elements.len(),
            #[inline(always)]
            |i| elements[i],
            parameters,
            total,
        );
        true
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    fn draw([mean, sd]: [f64; 2], stream: &mut Stream) -> f64 {
        let z: f64 = StandardNormal.sample(stream);
        mean + sd * z
    }

    fn gaussian([mean, sd]: [f64; 2]) -> Option<(f64, f64)> {
        Some((mean, sd))
    }
}

/// Adds `log_kernel(x(i), parameters(i))` for every `i` below `len`.
#[inline(always)]
fn add_kernels<M: Mode>(
    len: usize,
    x: impl Fn(usize) -> Real<M>,
    parameters: impl Fn(usize) -> [Real<M>; 2],
    total: &mut Real<M>,
) {
    M::add_normal_terms(
        total,
        len,
        x,
        #[inline(always)]
        |i| parameters(i)[0],
        #[inline(always)]
        |i| parameters(i)[1],
    );
}

impl Cumulative<2> for Normal {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mean, sd]: [Real<M>; 2]) -> Real<M> {
        ((x - mean) / sd).ln_norm_cdf()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mean, sd]: [Real<M>; 2]) -> Real<M> {
        ((mean - x) / sd).ln_norm_cdf()
    }

    fn quantile(tail: Tail, [mean, sd]: [f64; 2]) -> f64 {
        mean + sd * standard_normal(tail)
    }
}
