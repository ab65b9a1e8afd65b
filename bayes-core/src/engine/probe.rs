//! Forecasts how long a run takes, from its first moments.
//!
//! The number of gradients of a run depends on the posterior, and a gradient at draws of a vague prior may cost far more or less than one
//! where the run goes. So the run itself begins, and a clock cuts it after a short time. A run that is finished by then has shown its
//! time; otherwise its progress is extrapolated, as on the bars of a run.

use super::timed::{Clock, Timed};
use super::{Engine, Inference};
use crate::density::LogDensity;
use crate::observe::{Forecast, Observer, Steps};
use crate::run::Stage;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The moves of an island after the last temperature, as a share of the moves before.
const PROLONGED: f64 = 0.25;

/// Seconds of a run of NUTS with default settings; `None` if its first moments do not show them.
#[must_use]
pub fn nuts(density: &dyn LogDensity, seed: u64, limit: Duration) -> Option<f64> {
    probed(density, limit, |watch| {
        let nuts = Inference::nuts().seed(seed).progress(false).observer(watch);
        Box::new(nuts.check_propriety(false))
    })
}

/// Seconds on one thread of an island of pSMC with default settings; `None` if its first moments do not show them.
#[must_use]
pub fn island(density: &dyn LogDensity, seed: u64, limit: Duration) -> Option<f64> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .ok()?;
    pool.install(|| {
        probed(density, limit, |watch| {
            let smc = Inference::psmc().islands(1).seed(seed).progress(false);
            Box::new(smc.observer(watch).check_propriety(false))
        })
    })
}

/// Seconds of the run of an engine with this observer, from at most `limit` of the run.
fn probed(
    density: &dyn LogDensity,
    limit: Duration,
    engine: impl FnOnce(Arc<dyn Observer>) -> Box<dyn Engine>,
) -> Option<f64> {
    let start = Instant::now();
    let watch = Arc::new(Watch::until(start, start.checked_add(limit)));
    let timed = Timed::new(density, &watch.clock);
    let run = engine(Arc::clone(&watch) as Arc<dyn Observer>).run_on(&timed);
    if !watch.clock.has_cut() {
        return run.is_ok().then(|| start.elapsed().as_secs_f64());
    }
    let seen = watch.seen.lock().unwrap_or_else(PoisonError::into_inner);
    seen.whole()
}

/// Records the progress of a run until it is cut.
#[derive(Debug)]
struct Watch {
    start: Instant,
    clock: Clock,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    forecast: Forecast,
    /// Seconds of the last progress.
    last: f64,
    /// What comes after the end of the forecast, as a share of the time before.
    share: f64,
}

impl Seen {
    /// Seconds of the whole run.
    fn whole(&self) -> Option<f64> {
        Some((self.last + self.forecast.left()?) * (1.0 + self.share))
    }
}

impl Watch {
    /// Nothing is known of a run of one group, which ends at this time.
    fn until(start: Instant, end: Option<Instant>) -> Self {
        Self {
            start,
            clock: Clock::new(end),
            seen: Mutex::new(Seen {
                forecast: Forecast::new(1),
                last: 0.0,
                share: 0.0,
            }),
        }
    }

    fn see(&self, progress: impl FnOnce(&mut Seen, f64)) {
        // after the cut nothing is real
        if !self.clock.is_late() {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.last = self.start.elapsed().as_secs_f64();
            let seconds = seen.last;
            progress(&mut seen, seconds);
        }
    }
}

impl Observer for Watch {
    fn stage(&self, island: usize, stage: &Stage, _: usize) {
        self.see(|seen, seconds| {
            seen.share = PROLONGED;
            seen.forecast.stage(island, stage.lambda, seconds);
        });
    }

    fn step(&self, group: usize, steps: Steps) {
        self.see(|seen, seconds| seen.forecast.steps(group, steps.of - steps.done, seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, Prior};
    use crate::rng::Stream;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// A normal likelihood with evaluations of a known time.
    struct Slow(Duration);

    impl LogDensity for Slow {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            std::thread::sleep(self.0);
            block.fill(|x| [-0.5 * x[0] * x[0], -50.0 * (x[0] - 1.0).powi(2)]);
        }
        fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for i in 0..block.len() {
                let x = block.positions[i];
                block.gradient[i] = -prior * x - 100.0 * likelihood * (x - 1.0);
            }
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Slow {
        fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
            position[0] = stream.sample(StandardNormal);
        }
    }

    /// Seen to detect a forecast that leaves out the time before the last progress, or the moves at the posterior.
    #[test]
    fn a_part_of_a_run_forecasts_the_whole() {
        let mut seen = Seen {
            forecast: Forecast::new(1),
            last: 0.0,
            share: PROLONGED,
        };
        assert_eq!(seen.whole(), None);
        // lambda doubles in a second; after 11 of 21 temperatures it is 2⁻¹⁰
        for second in 0..=10 {
            seen.last = f64::from(second);
            seen.forecast.stage(0, 2f64.powi(second - 20), seen.last);
        }
        let found = seen.whole().expect("there is progress");
        assert!((found - 1.25 * 20.0).abs() < 1e-9, "{found}");
    }

    /// Seen to detect progress that counts after the cut, when a density without work is of no effect.
    #[test]
    fn nothing_is_seen_after_the_end() {
        let steps = |done| Steps {
            done,
            of: 100,
            is_burn_in: true,
            acceptance: 0.8,
            divergent: 0,
        };
        let start = Instant::now();
        for (end, is_known) in [(None, true), (Some(start), false)] {
            let watch = Watch::until(start, end);
            (1..=10).for_each(|done| {
                std::thread::sleep(Duration::from_millis(1));
                watch.step(0, steps(done));
            });
            let seen = watch.seen.lock().expect("no thread panicked");
            assert_eq!(seen.whole().is_some(), is_known);
        }
    }

    #[test]
    fn a_run_that_is_finished_shows_its_time() {
        let long = Duration::from_secs(600);
        for probe in [nuts, island] {
            let start = Instant::now();
            let found = probe(&Slow(Duration::ZERO), 1, long).expect("it is finished");
            assert!(found > 0.0 && found <= start.elapsed().as_secs_f64());
        }
    }

    #[test]
    fn a_run_that_shows_no_progress_has_no_forecast() {
        let slow = Slow(Duration::from_millis(100));
        assert_eq!(nuts(&slow, 1, Duration::from_millis(150)), None);
    }
}
