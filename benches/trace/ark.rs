//! Autoregression of order five.

use crate::contest::{ByHand, Eight, squares};
use crate::{normal, prior};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// `y_t ~ Normal(a + Σ_k b_k y_{t-k}, s)`.
pub struct Ark {
    pub y: Vec<f64>,
}

impl Program for Ark {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let sd = x[6].exp();
        let mut sum = Real::<M>::constant(0.0);
        for t in 5..self.y.len() {
            let mut mean = x[0];
            for k in 0..5 {
                mean += x[1 + k] * self.y[t - 1 - k];
            }
            normal(&mut sum, self.y[t], mean, sd);
        }
        [prior(x), sum]
    }
}

impl ByHand for Ark {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let y = &self.y;
        let x = eight.inputs::<S, 7>();
        let precision = S::map(x[6], |x| (-2.0 * x).exp());
        let mut sums = [S::splat(0.0); 6];
        let mut residuals = S::splat(0.0);
        for t in 5..y.len() {
            let mut rest = S::sub(S::splat(y[t]), x[0]);
            for k in 0..5 {
                rest = S::mul_add(S::neg(x[1 + k]), S::splat(y[t - 1 - k]), rest);
            }
            residuals = S::mul_add(rest, rest, residuals);
            sums[0] = S::add(sums[0], rest);
            for k in 0..5 {
                sums[1 + k] = S::mul_add(rest, S::splat(y[t - 1 - k]), sums[1 + k]);
            }
        }
        let count = (y.len() - 5) as f64;
        let scaled = S::mul(residuals, precision);
        for k in 0..7 {
            let likelihood = if k < 6 {
                S::mul(sums[k], precision)
            } else {
                S::sub(scaled, S::splat(count))
            };
            eight.slope::<S>(k, S::sub(likelihood, x[k]));
        }
        let logs = S::mul(
            S::splat(-count),
            S::add(x[6], S::splat(crate::LOG_ROOT_TAU)),
        );
        let value = S::mul_add(scaled, S::splat(-0.5), logs);
        eight.values::<S>(squares::<S>(&x), value);
    }
}
