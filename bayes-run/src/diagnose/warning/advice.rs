//! A larger setting that would remove a warning, and its cost.

use crate::diagnose::rhat;
use crate::run::{Group, Run};
use crate::text::grouped;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest advised factor: beyond it, a better kernel or parametrisation is the remedy.
pub(super) const MOST: f64 = 64.0;

/// A larger value of a setting, and the cost of a run with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// The builder's method: `particles`, `islands` or `draws`.
    pub setting: String,
    /// The value to give it.
    pub value: usize,
    /// Cost as a multiple of the cost of this run.
    pub times: usize,
    /// Evaluations of the density, with or without gradient, of a run with this value.
    pub evaluations: u64,
}

impl Advice {
    /// The particles per island that bring a standard deviation of the islands' log evidences from `spread` to `wanted`: it
    /// falls as 1/√N. Rounded up to a power of two.
    pub(super) fn particles(run: &Run, spread: f64, wanted: f64) -> Option<Self> {
        let factor = (spread / wanted).powi(2).log2().ceil().exp2();
        Self::new(run, "particles", run.particles_per_group(), factor)
    }

    /// The particles per island that bring the R-hat of islands from `r_hat` to `wanted`, if they differ by the noise of their particles: the variance
    /// of their means, which is as R-hat² - 1, falls as 1/N.
    pub(super) fn particles_of_r_hat(run: &Run, r_hat: f64, wanted: f64) -> Option<Self> {
        let excess = |r_hat: f64| r_hat * r_hat - 1.0;
        let factor = excess(r_hat) / excess(wanted);
        let factor = factor.log2().ceil().exp2();
        Self::new(run, "particles", run.particles_per_group(), factor)
    }

    /// The islands that bring a standard error from `error` to `wanted`: it falls as 1/√P.
    pub(super) fn islands(run: &Run, error: f64, wanted: f64) -> Option<Self> {
        Self::new(run, "islands", run.groups.len(), (error / wanted).powi(2))
    }

    /// The draws of every chain that bring an effective sample size from `size` to `wanted`.
    pub(super) fn draws(run: &Run, size: f64, wanted: f64) -> Option<Self> {
        Self::new(run, "draws", run.draws_per_group(), wanted / size)
    }

    /// `None` if the run would have to grow by more than [`MOST`], or not at all.
    fn new(run: &Run, setting: &str, value: usize, factor: f64) -> Option<Self> {
        if !(factor > 1.0 && factor <= MOST) {
            return None;
        }
        let times = factor.ceil() as usize;
        let counts = run.counts();
        let evaluations = counts.density_evaluations + counts.gradient_evaluations;
        Some(Self {
            setting: setting.to_owned(),
            value: value * times,
            times,
            evaluations: evaluations.saturating_mul(times as u64),
        })
    }
}

/// `.particles(1024)`, 4 times the cost of this run: 76 000 evaluations.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            setting,
            value,
            times,
            ..
        } = self;
        let evaluations = grouped(self.evaluations);
        write!(
            f,
            "`.{setting}({value})`, {times} times the cost of this run (about {evaluations} evaluations)"
        )
    }
}

/// The number of islands with a finite log evidence, and the standard deviation of these log evidences, as the run's estimate takes them: by
/// control variates, or by the weights less the bias of choosing temperatures by the same particles, which differs between islands.
pub(super) fn evidence_spread(run: &Run) -> (usize, f64) {
    spread(run.log_evidence_of_each())
}

/// The lowest and the highest of these log evidences.
pub(super) fn evidence_range(run: &Run) -> [f64; 2] {
    let each = run.log_evidence_of_each().into_iter();
    let finite = each.filter(|z| z.is_finite());
    finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| {
        [low.min(z), high.max(z)]
    })
}

/// The same by the weights, which also weight the islands.
pub(super) fn weights_spread(run: &Run) -> f64 {
    let known = run.groups.iter().filter_map(Group::log_evidence_estimate);
    spread(known.collect()).1
}

fn spread(mut log_evidences: Vec<f64>) -> (usize, f64) {
    log_evidences.retain(|z| z.is_finite());
    let variance = rhat::variance(&log_evidences);
    (log_evidences.len(), variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{chains, islands, of_island};

    #[test]
    fn particles_grow_with_the_square_of_the_spread() {
        // each of the four islands counts 1100 evaluations
        let run = islands(&[-3.0; 4], 64);
        let advice = Advice::particles(&run, 0.9, 0.5).expect("3.24 times as many are too few");
        assert_eq!(
            advice.to_string(),
            "`.particles(256)`, 4 times the cost of this run (about 17 600 evaluations)"
        );
    }

    #[test]
    fn what_suffices_or_is_out_of_reach_is_not_advised() {
        let run = islands(&[-3.0; 4], 64);
        assert_eq!(Advice::particles(&run, 0.5, 0.5), None);
        assert_eq!(Advice::particles(&run, 5.0, 0.5), None);
        assert_eq!(Advice::particles(&run, f64::NAN, 0.5), None);
    }

    /// Would detect the spread of log evidences before their biases are subtracted.
    #[test]
    fn the_spread_is_of_the_evidences_that_the_run_uses() {
        let mut run = islands(&[-3.0, -2.0, -2.5], 64);
        for (group, bias) in run.groups.iter_mut().zip([-0.5, 0.5, 0.0]) {
            of_island(group).adaptation_bias = bias;
        }
        assert_eq!(evidence_spread(&run), (3, 0.0));
    }

    #[test]
    fn islands_and_draws_are_advised_alike() {
        let advice = Advice::islands(&islands(&[-3.0; 4], 64), 0.7, 0.5);
        assert_eq!(advice.map(|a| (a.value, a.times)), Some((8, 2)));
        let advice = Advice::draws(&chains(4, 60), 90.0, 400.0);
        assert_eq!(advice.map(|a| (a.value, a.times)), Some((300, 5)));
    }
}
