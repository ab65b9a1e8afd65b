//! A path in the plane, seen with noise: a linear state space model in its non-centred form.

use crate::contest::{ByHand, Eight};
use crate::{normal, prior};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// `s_t = [c, -w; w, c] s_{t-1} + q z_t`, `y_t ~ Normal(s_t, r)`.
///
/// Coordinates: c, w, ln q, ln r, and z, `[steps, 2]`.
pub struct StateSpace {
    pub y: Vec<[f64; 2]>,
}

impl Program for StateSpace {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let (q, r) = (x[2].exp(), x[3].exp());
        let mut state = [Real::<M>::constant(0.0); 2];
        let mut sum = Real::<M>::constant(0.0);
        for (t, y) in self.y.iter().enumerate() {
            let z = &x[4 + 2 * t..6 + 2 * t];
            let turned = [
                x[0] * state[0] - x[1] * state[1],
                x[1] * state[0] + x[0] * state[1],
            ];
            for k in 0..2 {
                state[k] = turned[k] + q * z[k];
                normal(&mut sum, y[k], state[k], r);
            }
        }
        [prior(x), sum]
    }
}

impl ByHand for StateSpace {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let x = eight.inputs::<S, 4>();
        let [c, w, ..] = x;
        let (q, precision) = (S::map(x[2], f64::exp), S::map(x[3], |x| (-2.0 * x).exp()));
        let zero = S::splat(0.0);
        let mut states = vec![[zero; 2]; self.y.len() + 1];
        let (mut squares, mut residuals) = (crate::contest::squares::<S>(&x), zero);
        for (t, y) in self.y.iter().enumerate() {
            let [a, b] = states[t];
            let z = [eight.input::<S>(4 + 2 * t), eight.input::<S>(5 + 2 * t)];
            let a_next = S::mul_add(q, z[0], S::sub(S::mul(c, a), S::mul(w, b)));
            let b_next = S::mul_add(q, z[1], S::mul_add(w, a, S::mul(c, b)));
            states[t + 1] = [a_next, b_next];
            for k in 0..2 {
                let rest = S::sub(S::splat(y[k]), states[t + 1][k]);
                residuals = S::mul_add(rest, rest, residuals);
                squares = S::mul_add(z[k], z[k], squares);
            }
        }
        let mut g = [zero; 2];
        let [mut by_c, mut by_w, mut by_q] = [zero; 3];
        for (t, y) in self.y.iter().enumerate().rev() {
            for k in 0..2 {
                let rest = S::sub(S::splat(y[k]), states[t + 1][k]);
                g[k] = S::mul_add(rest, precision, g[k]);
                let z = eight.input::<S>(4 + 2 * t + k);
                by_q = S::mul_add(g[k], z, by_q);
                eight.slope::<S>(4 + 2 * t + k, S::sub(S::mul(g[k], q), z));
            }
            let [a, b] = states[t];
            by_c = S::mul_add(g[0], a, S::mul_add(g[1], b, by_c));
            by_w = S::mul_add(g[1], a, S::sub(by_w, S::mul(g[0], b)));
            g = [
                S::mul_add(c, g[0], S::mul(w, g[1])),
                S::sub(S::mul(c, g[1]), S::mul(w, g[0])),
            ];
        }
        let count = (2 * self.y.len()) as f64;
        let scaled = S::mul(residuals, precision);
        let slopes = [by_c, by_w, S::mul(by_q, q), S::sub(scaled, S::splat(count))];
        for k in 0..4 {
            eight.slope::<S>(k, S::sub(slopes[k], x[k]));
        }
        let logs = S::mul(
            S::splat(-count),
            S::add(x[3], S::splat(crate::LOG_ROOT_TAU)),
        );
        let value = S::mul_add(scaled, S::splat(-0.5), logs);
        eight.values::<S>(squares, value);
    }
}
