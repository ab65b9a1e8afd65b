//! The burn-in of a group of chains: the kernel adapts its step size and scales and is then frozen.
//!
//! The phases are Stan's: a buffer in which the chains find the typical set, windows that double in length and each end by fitting new
//! scales, and a buffer for the last step size. Stan adapts each chain separately. Here a group adapts together: the scales to the states
//! of all its chains, the step size to their mean acceptance. The states of several chains determine scales earlier than the states of
//! one chain, so the first buffer has windows too. Without these windows, the trajectories of the buffer would be the longest of all
//! where scales differ much (a Gaussian with scales from 0.01 to 100 took 3.5 times the gradients).

use super::group::ChainGroup;
use super::step_size::DualAveraging;
use crate::density::Target;
use crate::engine::tune::tune_step_size;
use crate::kernel::{Kernel, Population, Tuning, Visit};
use crate::rng::Key;
use serde::{Deserialize, Serialize};

/// Tuning during burn-in.
pub(in crate::engine) struct BurnIn<'a> {
    pub(in crate::engine) kernel: &'a dyn Kernel,
    pub(in crate::engine) target: Target<'a>,
    pub(in crate::engine) steps: usize,
    pub(in crate::engine) key: Key,
}

/// The progress of a burn-in, between two windows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::engine) struct Progress {
    /// Finished windows.
    windows: usize,
    /// Searches for a step size so far.
    searches: u32,
    averaging: Option<DualAveraging>,
    /// Whether a trajectory with a state of a large energy error counts as rejected ([`ROUGH`]).
    is_strict: bool,
    /// Each chain's mean acceptance probability since the scales were last fitted.
    pub(in crate::engine) acceptance: Vec<f64>,
}

/// The states of a window.
#[derive(Default)]
struct Kept {
    /// `[states, dim]`.
    positions: Vec<f64>,
    /// `[states, dim]`; empty if the kernel does not fit gradients.
    gradients: Vec<f64>,
    /// The chain of each state, `[states]`.
    chains: Vec<usize>,
}

impl Kept {
    fn population(&self) -> Population<'_> {
        Population {
            positions: &self.positions,
            gradients: &self.gradients,
            chains: &self.chains,
        }
    }
}

/// Steps between two fits of the scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    steps: usize,
    /// First steps whose states are not kept.
    skip: usize,
    /// Whether the scales are fitted at its end.
    fits: bool,
}

impl Window {
    /// Whether the window with this number tells the share of rough trajectories.
    fn tells_rough(self, number: usize) -> bool {
        number > 0 && self.steps >= LONG
    }
}

/// Stan's initial buffer, here of three windows of 15, 20 and 40 steps.
const BUFFER: usize = 75;
/// Stan's first window.
const FIRST: usize = 25;
/// Stan's last buffer.
const LAST: usize = 50;

/// The largest share of trajectories with a state of a large energy error for which the mean acceptance alone tunes the step size.
///
/// Where a posterior is wide and has a narrow place, such as the end of a range of hundreds of logits, most states of a trajectory have no
/// energy error, and the few in the narrow place are as good as rejected. Their mean acceptance is as wanted by a step that never enters
/// the place. So above this share a trajectory counts as rejected if one of its states is. The shares of posteriors with such a place that
/// chains enter often enough, and of funnels, are lower. Where more than a fifth of the proposals are wanted to be rejected, it may be higher
/// in the same ratio.
const ROUGH: f64 = 0.3;
/// The share of the wanted rejections that is left to rough trajectories then: nearly all transitions come to the narrow place, so that a
/// fifth of them rejected there is much more of those that matter.
const STRICT: f64 = 0.5;
/// The fewest steps of a window that tell this share: few transitions say little. The first window does not tell it, because chains are
/// still on their way. So a burn-in of at least 250 steps can become strict.
const LONG: usize = 100;

/// Minimum number of states per coordinate from which a window fits the scales.
const MIN_STATES: usize = 20;

impl BurnIn<'_> {
    /// Moves the chains through the next window; after the last, `tuning` is frozen. Calls `show` with the number of finished steps and
    /// the mean acceptance of the window. Returns whether there was a window left.
    pub(in crate::engine) fn advance(
        &self,
        progress: &mut Progress,
        chains: &mut ChainGroup,
        tuning: &mut Tuning,
        show: &dyn Fn(usize, f64),
    ) -> bool {
        let windows = windows(self.steps);
        let (done, left) = windows.split_at(progress.windows.min(windows.len()));
        let Some(window) = left.first() else {
            return false;
        };
        if done.is_empty() {
            self.search(progress, chains, tuning);
            self.restart(progress, tuning);
        }
        let done: usize = done.iter().map(|window| window.steps).sum();
        let show = |step, acceptance| show(done + step, acceptance);
        let (states, rough) = self.pass(*window, progress, (chains, tuning), show);
        let wanted = self.kernel.target_acceptance().unwrap_or(1.0);
        let is_rough = rough > ROUGH.max(1.5 * (1.0 - wanted));
        // such a window is long enough to fit the scales, so that dual averaging begins anew with the stricter acceptance
        progress.is_strict |= window.tells_rough(progress.windows) && is_rough;
        progress.windows += 1;
        if window.fits && states.positions.len() >= MIN_STATES * chains.dim() {
            let share = self.share_of_search(progress, chains, tuning);
            self.kernel.fit(tuning, states.population());
            self.search(progress, chains, tuning);
            tuning.step_size *= share;
            self.restart(progress, tuning);
        }
        if let (1, Some(averaging)) = (left.len(), &progress.averaging) {
            tuning.step_size = averaging.average();
        }
        true
    }

    /// The adapted step size as a share of what a search finds with the same scales, at most 1. The search sees the energy of one step, and
    /// few of these come to a narrow place; after the scales changed it finds a step that is too long in the same ratio. The next search has the
    /// same random numbers.
    fn share_of_search(
        &self,
        progress: &mut Progress,
        chains: &mut ChainGroup,
        tuning: &Tuning,
    ) -> f64 {
        let adapted = progress.averaging.as_ref().map(DualAveraging::average);
        let Some(adapted) = adapted.filter(|_| progress.is_strict) else {
            return 1.0;
        };
        let mut searched = tuning.clone();
        self.search(progress, chains, &mut searched);
        progress.searches -= 1;
        (adapted / searched.step_size).min(1.0)
    }

    /// A coarse search for the step size from the present states.
    fn search(&self, progress: &mut Progress, chains: &mut ChainGroup, tuning: &mut Tuning) {
        progress.searches += 1;
        let key = self.key.stage(progress.searches);
        let (particles, among) = (&chains.particles, 0..chains.len());
        let counts = tune_step_size(self.kernel, tuning, self.target, particles, among, key);
        chains.count(&counts);
    }

    /// Starts dual averaging anew from the present step size, after the scales or the wanted acceptance changed.
    fn restart(&self, progress: &mut Progress, tuning: &Tuning) {
        let most = self.kernel.max_step_size(tuning);
        let rejected = if progress.is_strict { STRICT } else { 1.0 };
        let averaging = |wanted: f64| {
            let wanted = 1.0 - rejected * (1.0 - wanted);
            DualAveraging::new(tuning.step_size, wanted, most)
        };
        progress.averaging = self.kernel.target_acceptance().map(averaging);
    }

    /// One window of steps; returns the kept states, and the share of rough trajectories.
    fn pass(
        &self,
        window: Window,
        progress: &mut Progress,
        (chains, tuning): (&mut ChainGroup, &mut Tuning),
        show: impl Fn(usize, f64),
    ) -> (Kept, f64) {
        let members = chains.len();
        let frozen = tuning.clone();
        let (mut states, mut steps) = (Kept::default(), vec![0; members]);
        let gradients = self.kernel.fits_gradients();
        let (mut visits, mut rough, mut batch) = (0, 0, 0.0);
        let mut sums = vec![0.0; members];
        let mut visit = |visit: Visit<'_>| {
            steps[visit.chain] += 1;
            if window.fits && steps[visit.chain] > window.skip {
                states.positions.extend_from_slice(visit.position);
                states.chains.push(visit.chain);
                if gradients {
                    states.gradients.extend_from_slice(visit.gradient);
                }
            }
            sums[visit.chain] += visit.acceptance;
            rough += usize::from(visit.trajectory.rough);
            if !(progress.is_strict && visit.trajectory.rough) {
                batch += visit.tuning_acceptance;
            }
            visits += 1;
            // one update of dual averaging for every `members` transitions, whichever chains made them
            if visits % members == 0 {
                show(visits / members, sums.iter().sum::<f64>() / visits as f64);
                if let Some(averaging) = &mut progress.averaging {
                    averaging.learn(batch / members as f64);
                    tuning.step_size = averaging.step_size();
                }
                batch = 0.0;
            }
            tuning.step_size
        };
        chains.transitions(self.kernel, &frozen, self.target, window.steps, &mut visit);
        progress.acceptance = sums.iter().map(|sum| sum / window.steps as f64).collect();
        (states, rough as f64 / visits.max(1) as f64)
    }
}

/// Number of steps in the last window of a burn-in of `steps` steps.
pub(in crate::engine) fn last_window(steps: usize) -> usize {
    windows(steps).last().map_or(0, |window| window.steps)
}

/// The windows of a burn-in of `steps` steps.
fn windows(steps: usize) -> Vec<Window> {
    let window = |steps, skip, fits| Window { steps, skip, fits };
    if steps < BUFFER + FIRST + LAST {
        let last = steps / 10;
        let mut windows = vec![
            window(steps - last, 15 * steps / 100, true),
            window(last, 0, false),
        ];
        windows.retain(|window| window.steps > 0);
        return windows;
    }
    let mut windows = vec![
        window(15, 5, true),
        window(20, 0, true),
        window(40, 0, true),
    ];
    let (end, mut at, mut length) = (steps - LAST, BUFFER, FIRST);
    while at < end {
        // if the next window, twice as long, would not fit, this window takes all remaining steps
        let next = if at + 3 * length > end {
            end
        } else {
            at + length
        };
        windows.push(window(next - at, 0, true));
        (at, length) = (next, 2 * length);
    }
    windows.push(window(LAST, 0, false));
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps at which the scales are fitted.
    fn fits(steps: usize) -> Vec<usize> {
        let mut at = 0;
        let ends = windows(steps).into_iter().map(|window| {
            at += window.steps;
            (window.fits, at)
        });
        ends.filter(|(fits, _)| *fits).map(|(_, at)| at).collect()
    }

    #[test]
    fn the_later_windows_are_those_of_stan() {
        let early = [15, 35, 75];
        assert_eq!(
            fits(1000),
            [&early[..], &[100, 150, 250, 450, 950]].concat()
        );
        assert_eq!(fits(500), [&early[..], &[100, 150, 250, 450]].concat());
        assert_eq!(fits(150), [&early[..], &[100]].concat());
        assert_eq!(fits(100), [90]);
    }

    /// The documentation of [`LONG`].
    #[test]
    fn a_burn_in_of_250_steps_can_become_strict() {
        let is_long_enough = |steps: &usize| {
            let windows = windows(*steps);
            let mut numbered = windows.iter().enumerate();
            numbered.any(|(number, window)| window.fits && window.tells_rough(number))
        };
        assert_eq!((0..1000).find(is_long_enough), Some(250));
    }

    #[test]
    fn windows_make_up_the_burn_in() {
        for steps in 0..400 {
            let sum: usize = windows(steps).iter().map(|window| window.steps).sum();
            assert_eq!(sum, steps);
        }
    }
}
