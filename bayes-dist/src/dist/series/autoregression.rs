//! A stationary autoregression.

use super::super::family::{check_finite, predictors};
use super::super::rows::check_number;
use super::super::{Constraint, Parameter, ParameterError};
use super::system::wrong_length;
use super::{Block, Coefficient, Part};
use bayes_autodiff::{Mode, PlainValue, Vector};

/// An autoregression of order `p` about 0, which begins at its stationary distribution. `p` states: the present value and the values before
/// it, the latest first.
///
/// ```text
/// x_{t+1} = Σ_{k=1..p} φ_k x_{t+1-k} + sd η_t
/// ```
///
/// The density is 0 if the coefficients have no stationary distribution. Without other parts and without noise use
/// [`Autoregressive`](super::super::Autoregressive).
#[derive(Clone, Copy, Debug)]
pub struct Autoregression<C, S> {
    coefficients: C,
    sd: S,
}

const NAME: &str = "Autoregression";

impl<C, S> Autoregression<C, S> {
    /// `coefficients`: `φ`, a vector `[p]`, or one number for order 1; `sd`: the standard deviation of an innovation, a number, at least
    /// zero.
    pub fn new(coefficients: C, sd: S) -> Self {
        Self { coefficients, sd }
    }
}

/// The covariances of a stationary series at the distances `0..p`, from its predictors: `γ_k = Σ_j φ_j γ_{k-j}` with the coefficients that
/// predict from `k` values (Brockwell and Davis 1991, section 5.2).
fn covariances<M: Mode>(
    variance: Coefficient<M>,
    coefficients: &[Vector<M>],
) -> Vec<Coefficient<M>> {
    let mut found = vec![variance];
    for (k, own) in coefficients.iter().enumerate().skip(1) {
        let terms = own.iter().zip(found.iter().rev());
        let next = terms.fold(Coefficient::ZERO, |sum, (phi, gamma)| {
            sum.plus(Coefficient::Random(*phi).times(*gamma))
        });
        debug_assert_eq!(found.len(), k);
        found.push(next);
    }
    found
}

impl<M: Mode, C: Parameter<M>, S: Parameter<M>> Part<M> for Autoregression<C, S> {
    fn dim(&self) -> usize {
        self.coefficients.shape().elements()
    }
    fn write(&self, block: &mut Block<'_, M>) {
        let order = Part::<M>::dim(self);
        if order == 0 {
            return;
        }
        for k in 0..order {
            block.transition(0, k, Coefficient::of(&self.coefficients, k));
            if k > 0 {
                block.transition(k, k - 1, Coefficient::ONE);
            }
        }
        let sd = self.sd.at(0);
        block.loading(0, Coefficient::ONE);
        block.noise(0, 0, Coefficient::Random(sd.square()));
        let start = predictors(Vector::from_fn(order, |k| self.coefficients.at(k)));
        let variance = (sd * start.log_scales[0].exp()).square();
        let covariances = covariances(Coefficient::Random(variance), &start.coefficients);
        for i in 0..order {
            for k in 0..=i {
                block.covariance(i, k, covariances[i - k]);
            }
        }
        block.require(start.stationary);
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        let order = Part::<M>::dim(self);
        if order == 0 {
            return Err(wrong_length(
                NAME,
                "coefficients",
                0,
                "at least 1".to_owned(),
            ));
        }
        check_finite(NAME, "coefficients", &self.coefficients)?;
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        let phi = Vector::<M>::from_fn(order, |k| self.coefficients.at(k));
        // random coefficients may be drawn outside of the stationary region, where the density is zero
        if !C::DATA || predictors(phi).log_scales[0].plain_value().is_finite() {
            return Ok(());
        }
        Err(ParameterError::Value {
            distribution: NAME,
            parameter: "coefficients",
            index: Some(order - 1),
            value: self.coefficients.at(order - 1).plain_value(),
            allowed: "such that the series is stationary (the value shown is the last coefficient)",
        })
    }
}
