//! Gradients of loops: replayed from a trace, and by hand in eight lanes; µs a particle, in turn.
//!
//! `cargo bench -p bayes-benches --bench trace`, or with some of the names: `.. --bench trace -- schools`

#![allow(
    missing_docs,
    clippy::needless_range_loop,
    reason = "lanes and coordinates are counted, as one writes by hand"
)]

use bayes_autodiff::batch::Batch;
use bayes_autodiff::function::{Function, Ln};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use bayes_autodiff::trace::Trace;
use bayes_autodiff::{Mode, Real};
use std::hint::black_box;
use std::time::Instant;

/// Adds the log density of a normal observation.
#[inline(always)]
fn normal<M: Mode>(sum: &mut Real<M>, y: f64, mean: Real<M>, sd: Real<M>) {
    let z = (y - mean) / sd;
    *sum += z * z * -0.5 - sd.ln() - 0.9189385332046727;
}

#[inline(always)]
fn prior<M: Mode>(x: &[Real<M>]) -> Real<M> {
    let mut sum = Real::<M>::constant(0.0);
    for x in x {
        sum += *x * *x * -0.5;
    }
    sum
}

const STEP: f64 = 0.05;
const STEPS: usize = 200;
const EVERY: usize = 10;
const START: [f64; 2] = [1.0, 0.8];
const NOISE: f64 = 0.3;

/// Predators and prey by Runge-Kutta steps, with plain helpers.
struct Ode {
    y: Vec<[f64; 2]>,
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

/// The same by hand: rates, and the slope of a state and its adjoint.
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

    /// The adjoint of the state, given that of the slope; adds to that of the rates.
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

    /// The adjoint of the state before a step, given that after it.
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

struct OdeByHand<'a>(&'a Ode, &'a [f64], &'a mut [f64]);

impl Work for OdeByHand<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let size = 4 * LANES;
        for (from, to) in self.1.chunks_exact(size).zip(self.2.chunks_exact_mut(size)) {
            let logs: [S::Float; 4] = inputs::<S, 4>(from);
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
            for s in (0..STEPS).rev() {
                if s % EVERY == EVERY - 1 {
                    let y = self.0.y[s / EVERY];
                    let weight = 1.0 / (NOISE * NOISE);
                    let y = [S::splat(y[0]), S::splat(y[1])];
                    g = plus::<S>(g, weight, plus::<S>(y, -1.0, states[s + 1]));
                }
                g = rates.step_back(&mut adjoint, states[s], g);
            }
            for k in 0..4 {
                let slope = S::sub(S::mul(adjoint[k], rates.0[k]), logs[k]);
                output::<S, 4>(to, k, slope);
            }
        }
    }
}

/// The coordinates of eight particles.
#[inline(always)]
fn inputs<S: Simd, const D: usize>(from: &[f64]) -> [S::Float; D] {
    let mut x = [S::splat(0.0); D];
    for k in 0..D {
        let mut lanes = [0.0; LANES];
        for l in 0..LANES {
            lanes[l] = from[l * D + k];
        }
        x[k] = S::load(&lanes);
    }
    x
}

/// Stores slope `k` of eight particles.
#[inline(always)]
fn output<S: Simd, const D: usize>(to: &mut [f64], k: usize, slope: S::Float) {
    let slope = S::array(slope);
    for l in 0..LANES {
        to[l * D + k] = slope[l];
    }
}

/// Autoregression of order five.
struct Ark {
    y: Vec<f64>,
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

struct ArkByHand<'a>(&'a Ark, &'a [f64], &'a mut [f64]);

impl Work for ArkByHand<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let y = &self.0.y;
        for (from, to) in self
            .1
            .chunks_exact(7 * LANES)
            .zip(self.2.chunks_exact_mut(7 * LANES))
        {
            let x = inputs::<S, 7>(from);
            let precision = S::map(x[6], |x| (-2.0 * x).exp());
            let mut sums = [S::splat(0.0); 6];
            let mut squares = S::splat(0.0);
            for t in 5..y.len() {
                let mut rest = S::sub(S::splat(y[t]), x[0]);
                for k in 0..5 {
                    rest = S::mul_add(S::neg(x[1 + k]), S::splat(y[t - 1 - k]), rest);
                }
                squares = S::mul_add(rest, rest, squares);
                sums[0] = S::add(sums[0], rest);
                for k in 0..5 {
                    sums[1 + k] = S::mul_add(rest, S::splat(y[t - 1 - k]), sums[1 + k]);
                }
            }
            for k in 0..7 {
                let likelihood = if k < 6 {
                    S::mul(sums[k], precision)
                } else {
                    let count = S::splat((y.len() - 5) as f64);
                    S::sub(S::mul(squares, precision), count)
                };
                output::<S, 7>(to, k, S::sub(likelihood, x[k]));
            }
        }
    }
}

/// Schools by a loop.
struct Schools {
    y: Vec<f64>,
    sigma: Vec<f64>,
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

struct SchoolsByHand<'a>(&'a Schools, &'a [f64], &'a mut [f64]);

impl Work for SchoolsByHand<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Schools { y, sigma } = self.0;
        let dim = 2 + y.len();
        let size = dim * LANES;
        for (from, to) in self.1.chunks_exact(size).zip(self.2.chunks_exact_mut(size)) {
            let at = std::convert::identity(
                #[inline(always)]
                |k: usize| {
                    let mut lanes = [0.0; LANES];
                    for l in 0..LANES {
                        lanes[l] = from[l * dim + k];
                    }
                    S::load(&lanes)
                },
            );
            let mut set = std::convert::identity(
                #[inline(always)]
                |k: usize, x: S::Float| {
                    let x = S::array(x);
                    for l in 0..LANES {
                        to[l * dim + k] = x[l];
                    }
                },
            );
            let (mu, log_tau) = (at(0), at(1));
            let tau = S::map(log_tau, f64::exp);
            let (mut by_mu, mut by_tau) = (S::neg(mu), S::splat(0.0));
            for j in 0..y.len() {
                let z = at(2 + j);
                let w = S::splat(1.0 / (sigma[j] * sigma[j]));
                let rest = S::sub(S::splat(y[j]), S::mul_add(tau, z, mu));
                let slope = S::mul(rest, w);
                by_mu = S::add(by_mu, slope);
                by_tau = S::mul_add(slope, z, by_tau);
                set(2 + j, S::sub(S::mul(slope, tau), z));
            }
            set(0, by_mu);
            set(1, S::sub(S::mul(by_tau, tau), log_tau));
        }
    }
}

/// Volatility that is carried.
struct Garch {
    y: Vec<f64>,
}

impl Program for Garch {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let (mu, a0, a1, b1) = (
            x[0],
            x[1].exp(),
            x[2].logistic() * 0.5,
            x[3].logistic() * 0.5,
        );
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

struct GarchByHand<'a>(&'a Garch, &'a [f64], &'a mut [f64]);

impl Work for GarchByHand<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let y = &self.0.y;
        let mut variances = vec![S::splat(1.0); y.len()];
        let size = 4 * LANES;
        for (from, to) in self.1.chunks_exact(size).zip(self.2.chunks_exact_mut(size)) {
            let x = inputs::<S, 4>(from);
            let (mu, one) = (x[0], S::splat(1.0));
            let a0 = S::map(x[1], f64::exp);
            let share = |x: f64| 0.5 / (1.0 + (-x).exp());
            let (a1, b1) = (S::map(x[2], share), S::map(x[3], share));
            for t in 1..y.len() {
                let d = S::sub(S::splat(y[t - 1]), mu);
                variances[t] = S::mul_add(b1, variances[t - 1], S::mul_add(a1, S::mul(d, d), a0));
            }
            // a value has these logarithms too
            let mut logs = S::splat(0.0);
            for variance in &variances {
                logs = S::add(logs, Ln::lanes::<S>(*variance));
            }
            black_box(S::array(logs));
            let mut g = [S::splat(0.0); 4];
            let mut gv = S::splat(0.0);
            for t in (0..y.len()).rev() {
                let d = S::sub(S::splat(y[t]), mu);
                let inverse = S::div(one, variances[t]);
                let scaled = S::mul(d, inverse);
                g[0] = S::add(g[0], scaled);
                // ln p = -d²/2v - ln(v)/2
                let half = S::splat(0.5);
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
                output::<S, 4>(to, k, S::sub(S::mul(g[k], factors[k]), x[k]));
            }
        }
    }
}

const PARTICLES: usize = 32;

/// Work to be timed.
type Task<'a> = Box<dyn FnMut() + 'a>;

/// Times the tasks in turn; the best of many, µs a particle.
fn best<const N: usize>(mut tasks: [Task<'_>; N]) -> [f64; N] {
    let mut times = [f64::INFINITY; N];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 1.5 {
        for (time, task) in times.iter_mut().zip(&mut tasks) {
            let begin = Instant::now();
            for _ in 0..20 {
                task();
            }
            *time = time.min(begin.elapsed().as_secs_f64() * 1e6 / 20.0 / PARTICLES as f64);
        }
    }
    times
}

/// A program's trace, at the positions of a block of particles.
struct Contest<'a> {
    name: &'a str,
    dim: usize,
    positions: Vec<f64>,
    level: InstructionSet,
    trace: Trace<'static>,
    /// Milliseconds to record it.
    recorded: f64,
}

impl<'a> Contest<'a> {
    fn new<P: Program>(name: &'a str, program: &P, dim: usize) -> Self {
        let positions: Vec<f64> = (0..PARTICLES * dim)
            .map(|k| 0.3 * (1.7 * (k / dim) as f64 + 2.3 * (k % dim) as f64 + 0.5).sin())
            .collect();
        let start = Instant::now();
        let trace = Trace::record(program, &[], &[&positions[..dim]]).expect("it can be traced");
        Self {
            name,
            dim,
            positions,
            level: InstructionSet::detect(),
            trace,
            recorded: start.elapsed().as_secs_f64() * 1e3,
        }
    }

    /// Calls `f` with a batch of the particles from `start` to `end`.
    fn batch(&self, start: usize, end: usize, f: impl FnOnce(Batch<'_>)) {
        let (mut log_prior, mut log_likelihood) = ([0.0; PARTICLES], [0.0; PARTICLES]);
        f(Batch {
            dim: self.dim,
            positions: &self.positions[start * self.dim..end * self.dim],
            log_prior: &mut log_prior[start..end],
            log_likelihood: &mut log_likelihood[start..end],
        });
    }

    /// Gradients by the trace, `width` particles at a time.
    fn traced(&self, width: usize, gradient: &mut [f64]) {
        for (i, part) in gradient.chunks_mut(width * self.dim).enumerate() {
            self.batch(i * width, (i + 1) * width, |batch| {
                self.trace.gradients(self.level, [1.0, 1.0], batch, part);
            });
        }
    }

    /// Times all ways, checks that the gradients agree, and prints a line, if the command line has the name or none.
    fn run(&self, by_hand: impl Fn(&[f64], &mut [f64])) {
        let mut chosen = std::env::args()
            .skip(1)
            .filter(|name| !name.starts_with('-'))
            .peekable();
        if chosen.peek().is_some() && !chosen.any(|name| self.name.contains(&name)) {
            return;
        }
        let [mut on_trace, mut eights, mut hand] =
            [0, 1, 2].map(|_| vec![0.0; self.positions.len()]);
        let times = best([
            Box::new(|| self.traced(PARTICLES, &mut on_trace)),
            Box::new(|| self.traced(8, &mut eights)),
            Box::new(|| by_hand(&self.positions, &mut hand)),
            Box::new(|| self.batch(0, PARTICLES, |batch| self.trace.values(self.level, batch))),
        ]);
        for found in [&on_trace, &eights] {
            for (k, (found, hand)) in found.iter().zip(&hand).enumerate() {
                let error = (found - hand).abs();
                let name = self.name;
                assert!(
                    error < hand.abs().max(1.0) * 1e-9,
                    "{name} {k}: {found}, by hand {hand}"
                );
            }
        }
        self.print(times);
    }

    fn print(&self, [trace, eights, hand, values]: [f64; 4]) {
        println!(
            "{:12} trace {trace:.4} ({:.2})  in eights {eights:.4} ({:.2})  by hand {hand:.4}  \
             values {values:.4}; {} instructions, {} segments, {} carried, {:.0} kB, {} kB of workspace, \
             traced in {:.2} ms",
            self.name,
            trace / hand,
            eights / hand,
            self.trace.len(),
            self.trace.segments(),
            self.trace.carried(),
            self.trace.bytes() as f64 / 1e3,
            bayes_autodiff::trace::memory() / 1000,
            self.recorded,
        );
    }
}

fn main() {
    let level = InstructionSet::detect();
    println!(
        "{level}; µs a particle for value and gradient, ratio to eight lanes by hand in brackets"
    );
    let series = |n: usize| -> Vec<f64> {
        (0..n)
            .map(|t| (0.37 * t as f64).sin() + 0.2 * (1.9 * t as f64).cos())
            .collect()
    };
    let ode = Ode {
        y: (0..STEPS / EVERY)
            .map(|t| [1.0 + 0.3 * (t as f64).sin(), 0.8])
            .collect(),
    };
    Contest::new("rk4", &ode, 4).run(|x, g| dispatch(level, OdeByHand(&ode, x, g)));
    let ark = Ark { y: series(200) };
    Contest::new("ark", &ark, 7).run(|x, g| dispatch(level, ArkByHand(&ark, x, g)));
    for n in [8, 256] {
        let schools = Schools {
            y: series(n),
            sigma: series(n).iter().map(|x| 1.0 + x * x).collect(),
        };
        Contest::new(&format!("schools {n}"), &schools, 2 + n)
            .run(|x, g| dispatch(level, SchoolsByHand(&schools, x, g)));
    }
    let garch = Garch { y: series(200) };
    Contest::new("garch", &garch, 4).run(|x, g| dispatch(level, GarchByHand(&garch, x, g)));
}
