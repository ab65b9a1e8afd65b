//! The horseshoe prior for coefficients that are mostly near zero.

use super::{Constraint, Parameter};
use bayes_autodiff::fault::{Fault, is_caught, raise, refuse};
use bayes_autodiff::{Mode, PlainValue, Real, Vector};

/// The horseshoe, as a scale mixture: coefficients `β_j` with a global and local scales.
///
/// ```text
/// β_j ~ Normal(0, s_j),    s_j = τ λ_j,    λ_j ~ HalfCauchy(1)
/// ```
///
/// The marginal density of `β_j` has a pole at 0, so the scales stay in the model, where each is a named variable
/// with its own draws. The coefficients are computed from independent normals, which removes the funnel between them and
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
    /// A scale for the prior of `τ` such that about `relevant` of the `coefficients` are away from zero; `σ` is the standard
    /// deviation of one observation (Piironen and Vehtari 2017, equation 3.12).
    ///
    /// ```text
    /// relevant / (coefficients - relevant) * σ / √observations
    /// ```
    ///
    /// # Panics
    /// With a [`Fault::Argument`] (in a model, an error before the run) if `relevant` is not above 0 and below
    /// `coefficients`, `sigma` is not finite and above 0, or there are no observations.
    #[must_use]
    pub fn global_scale(
        relevant: f64,
        coefficients: usize,
        sigma: f64,
        observations: usize,
    ) -> f64 {
        let wanted = |argument, value: f64, holds: bool, allowed| {
            if !holds {
                refuse("Horseshoe::global_scale", argument, value, allowed);
            }
        };
        let (p, n) = (coefficients as f64, observations as f64);
        let is_share = relevant > 0.0 && relevant < p;
        wanted(
            "relevant",
            relevant,
            is_share,
            "above 0 and below `coefficients`",
        );
        wanted(
            "sigma",
            sigma,
            Constraint::Positive.holds(sigma),
            Constraint::Positive.words(),
        );
        wanted("observations", n, observations > 0, "at least 1");
        relevant / (p - relevant) * sigma / n.sqrt()
    }
}

impl<T, C> Horseshoe<T, C> {
    /// The standard deviations `s_j` at local scales `lambda`, for `Normal::new(0.0, &scales)` if the data are
    /// informative about every coefficient.
    ///
    /// # Panics
    /// With a [`Fault::Argument`] (in a model, an error before the run) if `tau` or the slab's variance is not
    /// above 0, or is random and below 0; random values are checked only before the run.
    #[inline(always)]
    pub fn scales<M: Mode>(&self, lambda: &Vector<M>) -> Vector<M>
    where
        T: Parameter<M>,
        C: Parameter<M>,
    {
        let tau = positive("Horseshoe::new", "tau", &self.tau);
        let slab_variance = positive(
            "Horseshoe::regularised",
            "slab_variance",
            &self.slab_variance,
        );
        // random values are not read, because the model would then have no trace
        if C::DATA && slab_variance.plain_value() == f64::INFINITY {
            return lambda.map(
                #[inline(always)]
                |lambda| tau * lambda,
            );
        }
        // 1/s² = 1/(τλ)² + 1/c², without squares that overflow if a local scale is huge
        let inverse_width = slab_variance.sqrt().recip();
        lambda.map(
            #[inline(always)]
            |lambda| (tau * lambda).recip().hypot(inverse_width).recip(),
        )
    }

    /// The coefficients `β_j = s_j z_j` at local scales `lambda` and standard normal variables `z`.
    ///
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ; as [`Horseshoe::scales`].
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

/// Checks that an argument is above zero: data may be infinite; a random value is checked only while the model is validated.
#[inline(always)]
fn positive<M: Mode, T: Parameter<M>>(
    function: &'static str,
    argument: &'static str,
    given: &T,
) -> Real<M> {
    let value = given.at(0);
    // random values are read nowhere else, because the model would then have no trace
    if T::DATA || is_caught() {
        let plain = value.plain_value();
        if plain < 0.0 || (T::DATA && (plain.is_nan() || plain == 0.0)) {
            refuse(function, argument, plain, "a number above 0");
        }
    }
    value
}
