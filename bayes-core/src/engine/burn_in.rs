//! The burn-in of a group of chains: their kernel learns its step size and scales, then is frozen.

use super::mover::Mover;
use super::tune::tune_step_size;
use crate::density::Particles;
use crate::kernel::{Kernel, Target, Tuning};
use crate::report::Bar;
use crate::rng::Key;
use crate::run::Counts;

/// Tuning during burn-in: step size by stochastic approximation, scales from windows that double in length.
pub(super) struct BurnIn<'a> {
    kernel: &'a dyn Kernel,
    target: Target<'a>,
    steps: usize,
    key: Key,
    /// Work of the trial moves that tune the step size.
    pub(super) counts: Counts,
    window: Vec<f64>,
    since_fit: usize,
    log_step_sum: f64,
    acceptance_sums: Vec<f64>,
}

/// Ends of the windows as fractions of the burn-in; after the last one only the step size is tuned.
const WINDOWS: [f64; 4] = [0.1, 0.2, 0.4, 0.75];

/// States below which a window says nothing of scales; it is then joined with the next one.
const MIN_STATES: usize = 20;

impl<'a> BurnIn<'a> {
    /// A burn-in of `steps` steps.
    pub(super) fn new(kernel: &'a dyn Kernel, target: Target<'a>, steps: usize, key: Key) -> Self {
        let window = Vec::new();
        let counts = Counts::default();
        let acceptance_sums = Vec::new();
        Self {
            kernel,
            target,
            steps,
            key,
            counts,
            window,
            since_fit: 0,
            log_step_sum: 0.0,
            acceptance_sums,
        }
    }

    /// Moves the chains and leaves `tuning` frozen.
    pub(super) fn run(
        &mut self,
        mover: &mut Mover<'_>,
        particles: &mut Particles,
        tuning: &mut Tuning,
        bar: &Bar,
    ) {
        if self.steps == 0 {
            return;
        }
        self.retune(particles, tuning);
        for t in 0..self.steps {
            mover.step(particles, [tuning, tuning], self.target, 1);
            self.adapt(&mover.take_acceptances(), tuning);
            self.window.extend_from_slice(&particles.positions);
            let ends = |w: &f64| (w * self.steps as f64) as usize == t + 1;
            let states = self.window.len() / particles.dim;
            if WINDOWS.iter().any(ends) && states >= MIN_STATES {
                self.kernel.fit(tuning, self.target.density, &self.window);
                self.window.clear();
                self.retune(particles, tuning);
            }
            bar.draw(t + 1, self.steps);
        }
        self.freeze(tuning);
    }

    /// A coarse search after the scales changed; stochastic approximation then starts afresh.
    fn retune(&mut self, particles: &Particles, tuning: &mut Tuning) {
        self.key.stage += 1;
        let among = 0..particles.len();
        let counts = tune_step_size(self.kernel, tuning, self.target, particles, among, self.key);
        self.counts.merge(&counts);
        self.since_fit = 0;
        self.log_step_sum = 0.0;
        self.acceptance_sums = vec![0.0; particles.len()];
    }

    /// Robbins and Monro (1951): `log ε += (t + 1)^{-0.6} (acceptance - target)`.
    fn adapt(&mut self, acceptances: &[f64], tuning: &mut Tuning) {
        self.since_fit += 1;
        self.acceptance_sums
            .iter_mut()
            .zip(acceptances)
            .for_each(|(sum, a)| *sum += a);
        let Some(wanted) = self.kernel.target_acceptance() else {
            return;
        };
        let acceptance = acceptances.iter().sum::<f64>() / acceptances.len() as f64;
        let gain = (self.since_fit as f64 + 1.0).powf(-0.6);
        let log_step = tuning.step_size.ln() + gain * (acceptance - wanted);
        tuning.step_size = log_step.exp().min(self.kernel.max_step_size(tuning));
        self.log_step_sum += tuning.step_size.ln();
    }

    /// Each chain's mean acceptance probability since the scales were last fitted.
    pub(super) fn acceptances(&self) -> Vec<f64> {
        let steps = self.since_fit.max(1) as f64;
        self.acceptance_sums.iter().map(|sum| sum / steps).collect()
    }

    /// Polyak and Ruppert: the average of the iterates is a better estimate than the last.
    fn freeze(&self, tuning: &mut Tuning) {
        if self.since_fit > 0 && self.kernel.target_acceptance().is_some() {
            tuning.step_size = (self.log_step_sum / self.since_fit as f64).exp();
        }
    }
}
