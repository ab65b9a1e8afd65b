//! Predators and prey by Runge-Kutta steps, with plain helpers.

use crate::contest::{ByHand, Eight, squares};
use crate::{normal, prior};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

const STEP: f64 = 0.05;
pub const STEPS: usize = 200;
pub const EVERY: usize = 10;
const START: [f64; 2] = [1.0, 0.8];
const NOISE: f64 = 0.3;
const WEIGHT: f64 = 1.0 / (NOISE * NOISE);

/// Two populations, measured every [`EVERY`] steps.
pub struct Ode {
    pub y: Vec<[f64; 2]>,
}

#[inline(always)]
fn slope<M: Mode>(rates: &[Real<M>; 4], [x, y]: [Real<M>; 2]) -> [Real<M>; 2] {
    let met = x * y;
    [rates[0] * x - rates[1] * met, rates[3] * met - rates[2] * y]
}

#[inline(always)]
fn moved<M: Mode>(u: [Real<M>; 2], k: [Real<M>; 2], h: f64) -> [Real<M>; 2] {
    [u[0] + h * k[0], u[1] + h * k[1]]
}

impl Program for Ode {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let rates = [x[0].exp(), x[1].exp(), x[2].exp(), x[3].exp()];
        let mut u: [Real<M>; 2] = START.map(Real::constant);
        let mut sum = Real::<M>::constant(0.0);
        for step in 0..STEPS {
            let k1 = slope(&rates, u);
            let k2 = slope(&rates, moved(u, k1, STEP / 2.0));
            let k3 = slope(&rates, moved(u, k2, STEP / 2.0));
            let k4 = slope(&rates, moved(u, k3, STEP));
            for i in 0..2 {
                u[i] += STEP / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            }
            if step % EVERY == EVERY - 1 {
                for i in 0..2 {
                    normal(
                        &mut sum,
                        self.y[step / EVERY][i],
                        u[i],
                        Real::constant(NOISE),
                    );
                }
            }
        }
        [prior(x), sum]
    }
}

/// The same by hand: the rates, with the derivative of a state and its adjoint.
struct Rates<S: Simd>([S::Float; 4]);

impl<S: Simd> Rates<S> {
    #[inline(always)]
    fn slope(&self, [x, y]: [S::Float; 2]) -> [S::Float; 2] {
        let [a, b, c, d] = self.0;
        let met = S::mul(x, y);
        [
            S::sub(S::mul(a, x), S::mul(b, met)),
            S::sub(S::mul(d, met), S::mul(c, y)),
        ]
    }

    /// The adjoint of the state, from the adjoint of the slope; also adds to the adjoint of the rates.
    #[inline(always)]
    fn back(
        &self,
        adjoint: &mut [S::Float; 4],
        [x, y]: [S::Float; 2],
        [gx, gy]: [S::Float; 2],
    ) -> [S::Float; 2] {
        let [a, b, c, d] = self.0;
        let met = S::mul(x, y);
        adjoint[0] = S::mul_add(gx, x, adjoint[0]);
        adjoint[1] = S::sub(adjoint[1], S::mul(gx, met));
        adjoint[2] = S::sub(adjoint[2], S::mul(gy, y));
        adjoint[3] = S::mul_add(gy, met, adjoint[3]);
        let by_met = S::sub(S::mul(gy, d), S::mul(gx, b));
        [
            S::mul_add(by_met, y, S::mul(gx, a)),
            S::sub(S::mul(by_met, x), S::mul(gy, c)),
        ]
    }

    /// The states of the four stages, and the state after the step.
    #[inline(always)]
    fn step(&self, u: [S::Float; 2]) -> ([[S::Float; 2]; 4], [S::Float; 2]) {
        let k1 = self.slope(u);
        let u2 = plus::<S>(u, STEP / 2.0, k1);
        let k2 = self.slope(u2);
        let u3 = plus::<S>(u, STEP / 2.0, k2);
        let k3 = self.slope(u3);
        let u4 = plus::<S>(u, STEP, k3);
        let k4 = self.slope(u4);
        let sum = plus::<S>(plus::<S>(k1, 1.0, k4), 2.0, plus::<S>(k2, 1.0, k3));
        ([u, u2, u3, u4], plus::<S>(u, STEP / 6.0, sum))
    }

    /// The adjoint of the state before a step, from the adjoint of the state after it.
    #[inline(always)]
    fn step_back(
        &self,
        adjoint: &mut [S::Float; 4],
        u: [S::Float; 2],
        g: [S::Float; 2],
    ) -> [S::Float; 2] {
        let ([u1, u2, u3, u4], _) = self.step(u);
        let zero = [S::splat(0.0); 2];
        let (one, two) = (
            plus::<S>(zero, STEP / 6.0, g),
            plus::<S>(zero, STEP / 3.0, g),
        );
        let g4 = self.back(adjoint, u4, one);
        let g3 = self.back(adjoint, u3, plus::<S>(two, STEP, g4));
        let g2 = self.back(adjoint, u2, plus::<S>(two, STEP / 2.0, g3));
        let g1 = self.back(adjoint, u1, plus::<S>(one, STEP / 2.0, g2));
        let sum = plus::<S>(plus::<S>(g1, 1.0, g2), 1.0, plus::<S>(g3, 1.0, g4));
        plus::<S>(g, 1.0, sum)
    }
}

/// `u + h k`.
#[inline(always)]
fn plus<S: Simd>(u: [S::Float; 2], h: f64, k: [S::Float; 2]) -> [S::Float; 2] {
    let h = S::splat(h);
    [S::mul_add(h, k[0], u[0]), S::mul_add(h, k[1], u[1])]
}

impl ByHand for Ode {
    #[inline(always)]
    fn eight<S: Simd>(&self, eight: &mut Eight<'_>) {
        let logs = eight.inputs::<S, 4>();
        let mut rates = Rates::<S>(logs);
        for rate in &mut rates.0 {
            *rate = S::map(*rate, f64::exp);
        }
        let mut states = [[S::splat(0.0); 2]; STEPS + 1];
        states[0] = [S::splat(START[0]), S::splat(START[1])];
        for s in 0..STEPS {
            states[s + 1] = rates.step(states[s]).1;
        }
        let mut adjoint = [S::splat(0.0); 4];
        let mut g = [S::splat(0.0); 2];
        let mut residuals = S::splat(0.0);
        for s in (0..STEPS).rev() {
            if s % EVERY == EVERY - 1 {
                let y = self.y[s / EVERY];
                let y = [S::splat(y[0]), S::splat(y[1])];
                let rest = plus::<S>(y, -1.0, states[s + 1]);
                residuals = S::mul_add(rest[0], rest[0], residuals);
                residuals = S::mul_add(rest[1], rest[1], residuals);
                g = plus::<S>(g, WEIGHT, rest);
            }
            g = rates.step_back(&mut adjoint, states[s], g);
        }
        for k in 0..4 {
            eight.slope::<S>(k, S::sub(S::mul(adjoint[k], rates.0[k]), logs[k]));
        }
        let count = (2 * self.y.len()) as f64;
        let constant = S::splat(-count * (NOISE.ln() + crate::LOG_ROOT_TAU));
        let value = S::mul_add(residuals, S::splat(-0.5 * WEIGHT), constant);
        eight.values::<S>(squares::<S>(&logs), value);
    }
}
