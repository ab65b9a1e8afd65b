//! The burn-in of a group of chains: the kernel adapts its step size and scales and is then frozen.
//!
//! The phases are Stan's: a buffer in which the chains find the typical set, windows that double in length and each end by
//! fitting new scales, and a buffer for the last step size. Stan adapts each chain separately, here a group adapts
//! together: the scales to the states of all its chains, the step size to their mean acceptance. The states of several
//! chains determine scales earlier than those of one, so the first buffer has windows too. If scales differ much, its
//! trajectories would otherwise be the longest of all (without the windows, a Gaussian with scales from 0.01 to 100
//! took 3.5 times the gradients).

use super::group::ChainGroup;
use super::step_size::DualAveraging;
use super::tune::tune_step_size;
use crate::density::Counts;
use crate::density::Target;
use crate::kernel::{Kernel, Tuning, Visit};
use crate::rng::Key;

/// Tuning during burn-in.
pub(super) struct BurnIn<'a> {
    kernel: &'a dyn Kernel,
    target: Target<'a>,
    steps: usize,
    key: Key,
    averaging: Option<DualAveraging>,
    /// Evaluations by the trial moves that tune the step size.
    pub(super) counts: Counts,
    /// Each chain's mean acceptance probability since the scales were last fitted.
    pub(super) acceptance: Vec<f64>,
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

/// Stan's initial buffer, here of three windows of 15, 20 and 40 steps.
const BUFFER: usize = 75;
/// Stan's first window.
const FIRST: usize = 25;
/// Stan's last buffer.
const LAST: usize = 50;

/// Minimum number of states per coordinate from which a window fits the scales.
const MIN_STATES: usize = 20;

impl<'a> BurnIn<'a> {
    /// A burn-in of `steps` steps.
    pub(super) fn new(kernel: &'a dyn Kernel, target: Target<'a>, steps: usize, key: Key) -> Self {
        Self {
            kernel,
            target,
            steps,
            key,
            averaging: None,
            counts: Counts::default(),
            acceptance: Vec::new(),
        }
    }

    /// Moves the chains; `tuning` is frozen afterwards. `show` is called with the finished and the total number of steps.
    pub(super) fn run(
        &mut self,
        chains: &mut ChainGroup,
        tuning: &mut Tuning,
        show: &dyn Fn(usize, usize),
    ) {
        if self.steps == 0 {
            return;
        }
        self.find_step_size(chains, tuning);
        let (steps, mut done) = (self.steps, 0);
        for window in windows(steps) {
            let states = self.pass(window, chains, tuning, |step| show(done + step, steps));
            done += window.steps;
            if window.fits && states.len() >= MIN_STATES * chains.dim() {
                self.kernel.fit(tuning, &states);
                self.find_step_size(chains, tuning);
            }
        }
        if let Some(averaging) = &self.averaging {
            tuning.step_size = averaging.average();
        }
    }

    /// A coarse search from the present states after the scales changed; dual averaging then restarts.
    fn find_step_size(&mut self, chains: &ChainGroup, tuning: &mut Tuning) {
        self.key.stage += 1;
        let (particles, among) = (&chains.particles, 0..chains.len());
        let counts = tune_step_size(self.kernel, tuning, self.target, particles, among, self.key);
        self.counts.merge(&counts);
        let most = self.kernel.max_step_size(tuning);
        let averaging = |wanted| DualAveraging::new(tuning.step_size, wanted, most);
        self.averaging = self.kernel.target_acceptance().map(averaging);
    }

    /// One window of steps; returns the states that it kept, `[states, dim]`.
    fn pass(
        &mut self,
        window: Window,
        chains: &mut ChainGroup,
        tuning: &mut Tuning,
        mut show: impl FnMut(usize),
    ) -> Vec<f64> {
        let members = chains.len();
        let frozen = tuning.clone();
        let (mut states, mut steps) = (Vec::new(), vec![0; members]);
        let (mut visits, mut batch) = (0, 0.0);
        let mut sums = vec![0.0; members];
        let mut visit = |visit: Visit<'_>| {
            steps[visit.chain] += 1;
            if window.fits && steps[visit.chain] > window.skip {
                states.extend_from_slice(visit.position);
            }
            sums[visit.chain] += visit.acceptance;
            batch += visit.tuning_acceptance();
            visits += 1;
            // one update of dual averaging per as many transitions as there are chains, of whichever chains
            if visits % members == 0 {
                show(visits / members);
                if let Some(averaging) = &mut self.averaging {
                    averaging.learn(batch / members as f64);
                    tuning.step_size = averaging.step_size();
                }
                batch = 0.0;
            }
            tuning.step_size
        };
        chains.transitions(self.kernel, &frozen, self.target, window.steps, &mut visit);
        self.acceptance = sums.iter().map(|sum| sum / window.steps as f64).collect();
        states
    }
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

    #[test]
    fn windows_make_up_the_burn_in() {
        for steps in 0..400 {
            let sum: usize = windows(steps).iter().map(|window| window.steps).sum();
            assert_eq!(sum, steps);
        }
    }
}
