//! GARCH(1, 1): volatility carried from step to step.

use crate::contest::{ByHand, Eight, squares};
use crate::{normal, prior};
use bayes_autodiff::function::{Function, Ln};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// `y_t ~ Normal(mu, s_t)`, `s_t² = a0 + a1 (y_{t-1} - mu)² + b1 s_{t-1}²`.
pub struct Garch {
    pub y: Vec<f64>,
}

impl Program for Garch {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let (mu, a0) = (x[0], x[1].exp());
        let (a1, b1) = (x[2].logistic() * 0.5, x[3].logistic() * 0.5);
        let mut variance = Real::<M>::constant(1.0);
        let mut sum = Real::<M>::constant(0.0);
        for t in 0..self.y.len() {
            if t > 0 {
                variance = a0 + a1 * (self.y[t - 1] - mu).square() + b1 * variance;
            }
            normal(&mut sum, self.y[t], mu, variance.sqrt());
        }
        [prior(x), sum]
    }
}

impl ByHand for Garch {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let y = &self.y;
        let mut variances = vec![S::splat(1.0); y.len()];
        let x = eight.inputs::<S, 4>();
        let (mu, one, half) = (x[0], S::splat(1.0), S::splat(0.5));
        let a0 = S::map(x[1], f64::exp);
        let share = |x: f64| 0.5 / (1.0 + (-x).exp());
        let (a1, b1) = (S::map(x[2], share), S::map(x[3], share));
        for t in 1..y.len() {
            let d = S::sub(S::splat(y[t - 1]), mu);
            variances[t] = S::mul_add(b1, variances[t - 1], S::mul_add(a1, S::mul(d, d), a0));
        }
        let mut value = S::splat(0.0);
        let mut g = [S::splat(0.0); 4];
        let mut gv = S::splat(0.0);
        for t in (0..y.len()).rev() {
            let d = S::sub(S::splat(y[t]), mu);
            let inverse = S::div(one, variances[t]);
            let scaled = S::mul(d, inverse);
            // ln p = -d²/2v - ln(v)/2
            value = S::add(value, S::mul_add(d, scaled, Ln::lanes::<S>(variances[t])));
            g[0] = S::add(g[0], scaled);
            let own = S::mul(half, S::sub(S::mul(scaled, scaled), inverse));
            gv = S::add(gv, own);
            if t > 0 {
                let d = S::sub(S::splat(y[t - 1]), mu);
                g[1] = S::add(g[1], gv);
                g[2] = S::mul_add(gv, S::mul(d, d), g[2]);
                g[3] = S::mul_add(gv, variances[t - 1], g[3]);
                g[0] = S::sub(g[0], S::mul(S::mul(gv, a1), S::add(d, d)));
                gv = S::mul(gv, b1);
            }
        }
        let two = S::splat(2.0);
        let factors = [
            one,
            a0,
            S::mul(a1, S::sub(one, S::mul(two, a1))),
            S::mul(b1, S::sub(one, S::mul(two, b1))),
        ];
        for k in 0..4 {
            eight.slope::<S>(k, S::sub(S::mul(g[k], factors[k]), x[k]));
        }
        let constant = S::splat(-crate::LOG_ROOT_TAU * y.len() as f64);
        let value = S::mul_add(value, S::splat(-0.5), constant);
        eight.values::<S>(squares::<S>(&x), value);
    }
}
