//! The asymmetric Laplace distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Asymmetric Laplace distribution: exponential on both sides of its location, with different rates; the likelihood of
/// quantile regression.
///
/// ```text
/// ln p(x) = -ln scale - ln(κ + 1/κ) - κ z for z ≥ 0,  + z/κ for z < 0,    z = (x - location)/scale
/// ```
///
/// `P(X ≤ location) = κ²/(1 + κ²)`: for the quantile `q` take `κ = √(q/(1-q))`. Kotz, Kozubowski and Podgórski (2001).
/// Elsewhere: `AsymmetricLaplace` in PyMC (whose `b` is `1/scale`) and NumPyro, `skew_double_exponential` in Stan.
#[derive(Clone, Copy, Debug)]
pub struct AsymmetricLaplace;

impl AsymmetricLaplace {
    /// `location`: finite; `scale` and `asymmetry`, which is `κ` above: finite and above zero.
    pub fn new<A, B, C>(location: A, scale: B, asymmetry: C) -> Univariate<Self, (A, B, C), 3> {
        Univariate::from_parameters((location, scale, asymmetry))
    }
}

impl Family<3> for AsymmetricLaplace {
    const NAME: &'static str = "AsymmetricLaplace";
    const PARAMETERS: [ParameterInfo; 3] = [
        ParameterInfo::new("location", Constraint::Finite),
        ParameterInfo::new("scale", Constraint::Positive),
        ParameterInfo::new("asymmetry", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 3] = [false, true, true];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, scale, asymmetry]: [Real<M>; 3]) -> Real<M> {
        -scale.ln() - (asymmetry + asymmetry.recip()).ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [location, scale, asymmetry]: [Real<M>; 3]) -> Real<M> {
        let z = (x - location) / scale;
        Real::select(z.lt(0.0), z / asymmetry, -z * asymmetry)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 3]) -> Support<M> {
        Support::Real
    }

    fn draw([location, scale, asymmetry]: [f64; 3], stream: &mut Stream) -> f64 {
        let (above, below): (f64, f64) = (Exp1.sample(stream), Exp1.sample(stream));
        location + scale * (above / asymmetry - below * asymmetry)
    }
}

impl Cumulative<3> for AsymmetricLaplace {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [location, scale, asymmetry]: [Real<M>; 3]) -> Real<M> {
        log_tail((location - x) / scale, asymmetry.recip())
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [location, scale, asymmetry]: [Real<M>; 3]) -> Real<M> {
        log_tail((x - location) / scale, asymmetry)
    }

    fn quantile(tail: Tail, [location, scale, asymmetry]: [f64; 3]) -> f64 {
        let squared = asymmetry * asymmetry;
        // the log probabilities of the two sides
        let (below, above) = (-squared.recip().ln_1p(), -squared.ln_1p());
        if tail.log_lower() <= below {
            location + scale * asymmetry * (tail.log_lower() - below)
        } else {
            location - scale / asymmetry * (tail.log_upper() - above)
        }
    }
}

/// `ln P(Z > z)` for location 0 and scale 1.
#[inline(always)]
fn log_tail<M: Mode>(z: Real<M>, asymmetry: Real<M>) -> Real<M> {
    let above = -asymmetry * z - asymmetry.square().ln_1p();
    // the exponential of the other side must not overflow
    let share = -asymmetry.square().recip().ln_1p();
    let below = (z.min(0.0) / asymmetry + share).log1m_exp();
    Real::select(z.lt(0.0), below, above)
}
