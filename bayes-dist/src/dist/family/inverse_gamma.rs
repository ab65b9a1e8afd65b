//! The inverse gamma distribution.

use super::elementary::{inverse_gamma_kernel, known_ln, rest};
use super::quantile::invert;
use super::sampler::{FLAT_SHAPE, log_gamma_draw, sample};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::Gamma as Sampler;

/// Inverse gamma distribution: `1/x` has a gamma distribution with this shape and with rate
/// `scale`.
///
/// ```text
/// ln p(x) = shape ln scale - ln Γ(shape) - (shape+1) ln x - scale/x,    x > 0
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InverseGamma;

impl InverseGamma {
    /// `shape` and `scale`: finite and above zero.
    pub fn new<A, B>(shape: A, scale: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((shape, scale))
    }
}

impl Family<2> for InverseGamma {
    const NAME: &'static str = "InverseGamma";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("shape", Constraint::Positive),
        ParameterInfo::new("scale", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([shape, scale]: [Real<M>; 2]) -> Real<M> {
        shape.ln() - rest(shape) - scale.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        let z = scale / x;
        let near = inverse_gamma_kernel(shape, z);
        if known_ln(z).is_some() {
            return near;
        }
        let far = -(shape + 1.0) * (x / scale).ln() - shape * (shape.ln() - 1.0);
        Real::select(is_far(x, scale), far, near)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([shape, scale]: [f64; 2], stream: &mut Stream) -> f64 {
        scale / sample(Sampler::new(shape, 1.0), stream)
    }

    fn draw_coordinate([shape, scale]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (shape < FLAT_SHAPE).then(|| scale.ln() - log_gamma_draw(shape, stream))
    }
}

/// Whether `z = scale/x` is so small that only its logarithm counts. Slopes in `x` through `z` would underflow.
#[inline(always)]
pub(super) fn is_far<M: Mode>(x: Real<M>, scale: Real<M>) -> M::Mask {
    (scale * 1e100).lt(x)
}

/// `ln P(a, z) = a ln z - ln Γ(a+1)` for `z` near 0.
#[inline(always)]
fn log_far_upper<M: Mode>(x: Real<M>, shape: Real<M>, scale: Real<M>) -> Real<M> {
    -shape * (x / scale).ln() - Real::constant(1.0).ln_gamma_delta(shape)
}

impl Cumulative<2> for InverseGamma {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        let near = shape.ln_gamma_sf(scale / x);
        let far = log_far_upper(x, shape, scale).log1m_exp();
        Real::select(is_far(x, scale), far, near)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [shape, scale]: [Real<M>; 2]) -> Real<M> {
        let near = shape.ln_gamma_cdf(scale / x);
        Real::select(is_far(x, scale), log_far_upper(x, shape, scale), near)
    }

    fn quantile(tail: Tail, [shape, scale]: [f64; 2]) -> f64 {
        invert::<Self, 2>(tail, [shape, 1.0]) * scale
    }
}
