//! The horseshoe prior for coefficients of which most are nearly zero.

use super::Parameter;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Mode, Vector};

/// The horseshoe, as a scale mixture: coefficients `β_j` with a global and local scales.
///
/// ```text
/// β_j ~ Normal(0, s_j),    s_j = τ λ_j,    λ_j ~ HalfCauchy(1)
/// ```
///
/// The marginal density of `β_j` has a pole at 0, so the scales stay in the model, where each is a variable with a name
/// and draws of its own. The coefficients are made of independent normals, which removes the funnel between them and
/// the scales:
///
/// ```text
/// let tau = sample(HalfCauchy::new(Horseshoe::global_scale(relevant, x.ncols(), sigma, x.nrows())));
/// let lambda = sample(HalfCauchy::new(1.0).iid(x.ncols()));
/// let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
/// let beta = deterministic(Horseshoe::new(tau).coefficients(&lambda, &z));
/// ```
///
/// Carvalho, Polson and Scott (2010). With [`Horseshoe::regularised`] large coefficients are bounded by a slab of
/// width `c` (Piironen and Vehtari 2017, equation 2.8):
///
/// ```text
/// s_j² = τ² λ_j² c² / (c² + τ² λ_j²),    c² ~ InverseGamma(ν/2, ν s²/2)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Horseshoe<T, C = f64> {
    tau: T,
    slab_variance: C,
}

impl<T> Horseshoe<T> {
    /// `tau`: the global scale, a number above zero.
    pub fn new(tau: T) -> Self {
        Self {
            tau,
            slab_variance: f64::INFINITY,
        }
    }

    /// The regularised horseshoe. `slab_variance`: `c²`, a number above zero.
    pub fn regularised<C>(self, slab_variance: C) -> Horseshoe<T, C> {
        Horseshoe {
            tau: self.tau,
            slab_variance,
        }
    }
}

impl Horseshoe<f64> {
    /// A scale for the prior of `τ` by which about `relevant` of `coefficients` are away from zero, `σ` being the standard
    /// deviation of one of `observations` (Piironen and Vehtari 2017, equation 3.12).
    ///
    /// ```text
    /// relevant / (coefficients - relevant) * σ / √observations
    /// ```
    #[must_use]
    pub fn global_scale(
        relevant: f64,
        coefficients: usize,
        sigma: f64,
        observations: usize,
    ) -> f64 {
        relevant / (coefficients as f64 - relevant) * sigma / (observations as f64).sqrt()
    }
}

impl<T, C> Horseshoe<T, C> {
    /// The standard deviations `s_j` at local scales `lambda`: for `Normal::new(0.0, &scales)`, where data tell much of
    /// every coefficient.
    #[inline(always)]
    pub fn scales<M: Mode>(&self, lambda: &Vector<M>) -> Vector<M>
    where
        T: Parameter<M>,
        C: Parameter<M>,
    {
        let (tau, slab_variance) = (self.tau.at(0), self.slab_variance.at(0));
        if C::DATA && slab_variance.primal() == f64::INFINITY {
            return lambda.map(
                #[inline(always)]
                |lambda| tau * lambda,
            );
        }
        // 1/s² = 1/(τλ)² + 1/c², without squares that overflow where a local scale is huge
        let inverse_width = slab_variance.sqrt().recip();
        lambda.map(
            #[inline(always)]
            |lambda| (tau * lambda).recip().hypot(inverse_width).recip(),
        )
    }

    /// The coefficients `β_j = s_j z_j` at local scales `lambda` and standard normal variables `z`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[inline(always)]
    pub fn coefficients<M: Mode>(&self, lambda: &Vector<M>, z: &Vector<M>) -> Vector<M>
    where
        T: Parameter<M>,
        C: Parameter<M>,
    {
        if lambda.len() != z.len() {
            raise(Fault::Shape {
                operation: format!(
                    "horseshoe coefficients of {} local scales and {} normal variables",
                    lambda.len(),
                    z.len()
                ),
            });
        }
        self.scales(lambda).component_mul(z)
    }
}
