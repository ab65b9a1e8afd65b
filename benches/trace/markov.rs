//! A hidden Markov model of two states, by the forward algorithm on the log scale.

use crate::contest::{ByHand, Eight, squares};
use crate::{normal, prior};
use bayes_autodiff::function::{Exp, Function, Ln};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// Coordinates: log odds of staying in each state, mean of each state, log of the common standard deviation.
pub struct Markov {
    pub y: Vec<f64>,
}

impl Program for Markov {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let stay = [x[0].ln_logistic(), x[1].ln_logistic()];
        let leave = [(-x[0]).ln_logistic(), (-x[1]).ln_logistic()];
        let sd = x[4].exp();
        let mut at = [Real::<M>::constant(0.5f64.ln()); 2];
        for (t, y) in self.y.iter().enumerate() {
            if t > 0 {
                at = [
                    (at[0] + stay[0]).log_add_exp(at[1] + leave[1]),
                    (at[0] + leave[0]).log_add_exp(at[1] + stay[1]),
                ];
            }
            for k in 0..2 {
                normal(&mut at[k], *y, x[2 + k], sd);
            }
        }
        [prior(x), at[0].log_add_exp(at[1])]
    }
}

/// `ln(e^a + e^b)` and the share of `e^a`.
#[inline(always)]
fn log_add_exp<S: Simd>(a: S::Float, b: S::Float) -> [S::Float; 2] {
    let one = S::splat(1.0);
    let e = Exp::lanes::<S>(S::neg(S::abs(S::sub(a, b))));
    let total = S::add(one, e);
    let value = S::add(S::max(a, b), Ln::lanes::<S>(total));
    let share = S::div(S::select(S::lt(a, b), e, one), total);
    [value, share]
}

/// For each of the two states, the probability that it came from the first.
type Shares<S> = [<S as Simd>::Float; 2];

impl ByHand for Markov {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let x = eight.inputs::<S, 5>();
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (stay, leave) = (
            [0, 1].map(|k| S::map(x[k], logistic)),
            [0, 1].map(|k| S::map(S::neg(x[k]), logistic)),
        );
        let [log_stay, log_leave] = [stay, leave].map(|p| p.map(Ln::lanes::<S>));
        let precision = S::map(x[4], |x| (-2.0 * x).exp());
        let log_norm = S::neg(S::add(x[4], S::splat(crate::LOG_ROOT_TAU)));
        let mut at = [S::splat(0.5f64.ln()); 2];
        let mut shares: Vec<Shares<S>> = vec![at; self.y.len()];
        for (t, y) in self.y.iter().enumerate() {
            if t > 0 {
                let first =
                    log_add_exp::<S>(S::add(at[0], log_stay[0]), S::add(at[1], log_leave[1]));
                let second =
                    log_add_exp::<S>(S::add(at[0], log_leave[0]), S::add(at[1], log_stay[1]));
                at = [first[0], second[0]];
                shares[t] = [first[1], second[1]];
            }
            for k in 0..2 {
                let rest = S::sub(S::splat(*y), x[2 + k]);
                let half = S::mul(S::mul(rest, rest), S::splat(-0.5));
                at[k] = S::add(at[k], S::mul_add(half, precision, log_norm));
            }
        }
        let [value, share] = log_add_exp::<S>(at[0], at[1]);
        let one = S::splat(1.0);
        let mut g = [share, S::sub(one, share)];
        let [mut by_stay, mut by_leave, mut by_mean] = [[S::splat(0.0); 2]; 3];
        let mut by_scale = S::splat(0.0);
        for (t, y) in self.y.iter().enumerate().rev() {
            for k in 0..2 {
                let rest = S::sub(S::splat(*y), x[2 + k]);
                let slope = S::mul(g[k], rest);
                by_mean[k] = S::add(by_mean[k], slope);
                by_scale = S::mul_add(slope, rest, by_scale);
            }
            if t > 0 {
                let [p, q] = shares[t];
                let (stays, enters) = (S::mul(g[0], p), S::sub(g[0], S::mul(g[0], p)));
                let (leaves, remains) = (S::mul(g[1], q), S::sub(g[1], S::mul(g[1], q)));
                by_stay = [S::add(by_stay[0], stays), S::add(by_stay[1], remains)];
                by_leave = [S::add(by_leave[0], leaves), S::add(by_leave[1], enters)];
                g = [S::add(stays, leaves), S::add(enters, remains)];
            }
        }
        for k in 0..2 {
            let slope = S::sub(S::mul(by_stay[k], leave[k]), S::mul(by_leave[k], stay[k]));
            eight.slope::<S>(k, S::sub(slope, x[k]));
            eight.slope::<S>(2 + k, S::sub(S::mul(by_mean[k], precision), x[2 + k]));
        }
        // at each time the shares of the two states add up to one
        let count = S::splat(self.y.len() as f64);
        let by_scale = S::sub(S::mul(by_scale, precision), count);
        eight.slope::<S>(4, S::sub(by_scale, x[4]));
        eight.values::<S>(squares::<S>(&x), value);
    }
}
