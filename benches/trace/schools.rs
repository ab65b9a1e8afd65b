//! Schools by a loop, non-centred.

use crate::contest::{ByHand, Eight};
use crate::{normal, prior};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// `y_j ~ Normal(mu + tau z_j, sigma_j)`.
pub struct Schools {
    pub y: Vec<f64>,
    pub sigma: Vec<f64>,
}

impl Program for Schools {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let tau = x[1].exp();
        let mut sum = Real::<M>::constant(0.0);
        for j in 0..self.y.len() {
            let theta = x[0] + tau * x[2 + j];
            normal(&mut sum, self.y[j], theta, Real::constant(self.sigma[j]));
        }
        [prior(x), sum]
    }
}

impl ByHand for Schools {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let Self { y, sigma } = self;
        let (mu, log_tau) = (eight.input::<S>(0), eight.input::<S>(1));
        let tau = S::map(log_tau, f64::exp);
        let (mut by_mu, mut by_tau) = (S::neg(mu), S::splat(0.0));
        let mut squares = S::mul_add(mu, mu, S::mul(log_tau, log_tau));
        let (mut residuals, mut constant) = (S::splat(0.0), 0.0);
        for j in 0..y.len() {
            let z = eight.input::<S>(2 + j);
            let w = S::splat(1.0 / (sigma[j] * sigma[j]));
            let rest = S::sub(S::splat(y[j]), S::mul_add(tau, z, mu));
            let slope = S::mul(rest, w);
            residuals = S::mul_add(rest, slope, residuals);
            squares = S::mul_add(z, z, squares);
            constant -= sigma[j].ln() + crate::LOG_ROOT_TAU;
            by_mu = S::add(by_mu, slope);
            by_tau = S::mul_add(slope, z, by_tau);
            eight.slope::<S>(2 + j, S::sub(S::mul(slope, tau), z));
        }
        eight.slope::<S>(0, by_mu);
        eight.slope::<S>(1, S::sub(S::mul(by_tau, tau), log_tau));
        let value = S::mul_add(residuals, S::splat(-0.5), S::splat(constant));
        eight.values::<S>(squares, value);
    }
}
