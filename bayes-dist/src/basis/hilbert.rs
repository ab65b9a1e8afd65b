//! Functions of a Hilbert space, whose sums are Gaussian processes.

use super::{check_inside, number_of, refused};
use crate::dist::{Correlation, Parameter, Stationary};
use crate::error::Error;
use bayes_autodiff::{Mode, Vector};
use nalgebra::DMatrix;
use std::f64::consts::FRAC_PI_2;

/// The functions `φ_j(x) = L^-½ sin(ω_j (x - centre + L))` with `ω_j = π j / (2 L)`, `j = 1, 2, ...`, which are 0 at a boundary `L` from the centre.
///
/// A sum of them with independent normal coefficients is about a Gaussian process of one input: `basis.at(x) * (weights * &z)`, with
/// standard normal `z` and `weights` of [`HilbertBasis::weights`] (Solin and Särkkä 2020; Riutort-Mayol et al. 2023). Its cost is the number of data times that of functions,
/// and not its cube. With `S` half the range of `x`, a boundary of `L = c S` needs about `1.75 L / lengthscale` functions for a squared exponential
/// covariance, and a `c` of at least 1.2 and 3.2 `lengthscale / S`.
///
/// ```
/// # use bayes_dist::basis::HilbertBasis;
/// let basis = HilbertBasis::new(0.0, 2.0, 20)?;
/// assert_eq!(basis.at(&[-1.0, 0.0, 1.0])?.shape(), (3, 20));
/// # Ok::<(), bayes_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HilbertBasis {
    centre: f64,
    boundary: f64,
    count: usize,
}

impl HilbertBasis {
    /// `centre` of the inputs, the distance `boundary` from it, and the number of functions.
    ///
    /// # Errors
    /// A centre that is not finite, a boundary that is not finite and above 0, or no functions.
    pub fn new(centre: f64, boundary: f64, count: usize) -> Result<Self, Error> {
        if !centre.is_finite() {
            let value = format!("{centre:?}");
            return Err(refused("HilbertBasis: centre", value, "a finite number"));
        }
        if !boundary.is_finite() || boundary <= 0.0 {
            let value = format!("{boundary:?}");
            let allowed = "a finite number above 0";
            return Err(refused("HilbertBasis: boundary", value, allowed));
        }
        if count == 0 {
            return Err(number_of("HilbertBasis: count", count, 1));
        }
        Ok(Self {
            centre,
            boundary,
            count,
        })
    }

    /// The number of functions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no functions: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// `ω_j` of function `k = j - 1`, in radians per unit of `x`.
    #[must_use]
    pub fn frequency(&self, k: usize) -> f64 {
        FRAC_PI_2 * (k as f64 + 1.0) / self.boundary
    }

    /// The functions at these values, `[values, functions]`.
    ///
    /// # Errors
    /// A value beyond the boundary, where the functions repeat themselves.
    pub fn at(&self, x: &[f64]) -> Result<DMatrix<f64>, Error> {
        let ends = [self.centre - self.boundary, self.centre + self.boundary];
        check_inside("HilbertBasis: x", x, ends)?;
        let phi = |i: usize, k: usize| {
            let angle = self.frequency(k) * (x[i] - self.centre + self.boundary);
            angle.sin() / self.boundary.sqrt()
        };
        Ok(DMatrix::from_fn(x.len(), self.count, phi))
    }

    /// The standard deviations of the coefficients: the roots of the spectral density of a covariance with one length scale, such as
    /// `&SquaredExponential::new(amplitude, lengthscale)`, at the frequencies.
    #[must_use]
    pub fn weights<M: Mode, F: Correlation, A: Parameter<M>, L: Parameter<M>>(
        &self,
        covariance: &Stationary<F, A, L>,
    ) -> Vector<M> {
        Vector::from_fn(self.count, |k| {
            (0.5 * covariance.log_spectrum(self.frequency(k))).exp()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{Matern12, Matern32, Matern52, SquaredExponential};
    use bayes_autodiff::{Real, Value};

    /// The covariance of the sum of all functions at two values is that of the process, as far as the boundary and the number of functions allow.
    ///
    /// Meant to detect: a spectral density that is that of another length scale, or twice too large.
    #[test]
    fn sums_have_the_covariance_of_the_process() {
        fn check<F: Correlation>(covariance: Stationary<F, f64, f64>, length: f64, tolerance: f64) {
            let basis = HilbertBasis::new(1.0, 4.0, 400).unwrap();
            let weights: Vector<Value> = basis.weights(&covariance);
            for pair in [[1.0, 1.0], [0.4, 0.9], [0.0, 2.0], [1.8, 1.5]] {
                let at = basis.at(&pair).unwrap();
                let terms = (0..400).map(|k| at[(0, k)] * at[(1, k)] * weights[k].primal().powi(2));
                let found: f64 = terms.sum();
                let distance = Real::<Value>::constant((pair[0] - pair[1]).abs() / length);
                let wanted = 2.25 * F::at(distance).primal();
                assert!(
                    (found - wanted).abs() < tolerance,
                    "{}: {found}, {wanted}",
                    F::NAME
                );
            }
        }
        check(SquaredExponential::new(1.5, 0.6), 0.6, 1e-9);
        check(Matern52::new(1.5, 0.5), 0.5, 1e-5);
        check(Matern32::new(1.5, 0.5), 0.5, 2e-4);
        // its spectrum falls slowly: what is left out is about 2/(π ω lengthscale)
        check(
            Matern12::new(1.5, 0.5),
            0.5,
            2.25 * 4.0 / (157.0 * 0.5 * std::f64::consts::PI),
        );
    }

    #[test]
    fn values_beyond_the_boundary_are_refused() {
        let text = HilbertBasis::new(0.0, 2.0, 3)
            .unwrap()
            .at(&[2.5])
            .unwrap_err()
            .to_string();
        let wanted = "setting `HilbertBasis: x` is 2.5 at index 0, must be from -2 to 2";
        assert_eq!(text, wanted);
        assert!(HilbertBasis::new(0.0, f64::INFINITY, 3).is_err());
    }
}
