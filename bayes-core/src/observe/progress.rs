//! Progress bars on a terminal; elsewhere only trouble is told.

use super::forecast::{Forecast, words};
use super::{Losses, Observer};
use crate::error::Error;
use crate::run::Stage;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// With more groups than this, all share one bar.
const BARS: usize = 16;
/// Steps of a bar: an island's lambda and a chain's draws are scaled to it.
const STEPS: u64 = 1000;
/// The template of one group's bar.
const EACH: &str = "{prefix:>3} {bar:40} {msg}";
/// The template of a shared bar.
const TOGETHER: &str = "{bar:40} {percent}%, {elapsed}";
/// The template of the line below the bars.
const BELOW: &str = "{msg}";

/// The progress of a run; engines report to it from any thread.
///
/// Bars are drawn on stderr if it is a terminal, and vanish at the end; otherwise nothing is written. A line below the bars of
/// islands says how long the run will still take, once they have finished a few temperatures.
#[derive(Clone, Debug)]
pub struct Progress {
    bars: Bars,
    clock: Option<Clock>,
}

/// The forecast of a run of islands, and the line that shows it.
#[derive(Clone, Debug)]
struct Clock {
    start: Instant,
    forecast: Arc<Mutex<Forecast>>,
    line: ProgressBar,
}

impl Clock {
    /// Changes the forecast and shows it.
    fn tell(&self, change: impl FnOnce(&mut Forecast, f64)) {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut forecast = self.forecast.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut forecast, seconds);
        if let Some(left) = forecast.left() {
            self.line.set_message(words(left));
        }
    }
}

#[derive(Clone, Debug)]
enum Bars {
    Hidden,
    /// There is no terminal: only trouble is told.
    Absent,
    /// One bar for each group.
    Each(Vec<ProgressBar>),
    /// One bar for the sum of all groups, and the progress of each group.
    Together(ProgressBar, Vec<Arc<AtomicU64>>),
}

impl Progress {
    /// Bars for this number of islands or chains, if `visible` and if stderr is a terminal. If it is none, only trouble is written there.
    #[must_use]
    pub fn new(visible: bool, groups: usize) -> Self {
        if !visible {
            Self::hidden()
        } else if stderr().is_terminal() {
            Self::on(ProgressDrawTarget::stderr(), groups)
        } else {
            Self {
                bars: Bars::Absent,
                clock: None,
            }
        }
    }

    /// No bars.
    #[must_use]
    pub fn hidden() -> Self {
        Self {
            bars: Bars::Hidden,
            clock: None,
        }
    }

    /// Whether nothing is shown.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        matches!(self.bars, Bars::Hidden)
    }

    /// Bars on a given target.
    fn on(target: ProgressDrawTarget, groups: usize) -> Self {
        let all = MultiProgress::with_draw_target(target);
        let bars = if groups > BARS {
            let bar = all.add(ProgressBar::new(STEPS * groups as u64));
            bar.set_style(style(TOGETHER));
            Bars::Together(bar, (0..groups).map(|_| Arc::default()).collect())
        } else {
            let bar = |group: usize| {
                let bar = all.add(ProgressBar::new(STEPS));
                bar.set_style(style(EACH));
                bar.set_prefix(group.to_string());
                bar
            };
            Bars::Each((0..groups).map(bar).collect())
        };
        let line = all.add(ProgressBar::new_spinner());
        line.set_style(style(BELOW));
        let clock = Clock {
            start: Instant::now(),
            forecast: Arc::new(Mutex::new(Forecast::new(groups))),
            line,
        };
        Self {
            bars,
            clock: Some(clock),
        }
    }

    /// The bar of an island or a chain.
    #[must_use]
    pub fn island(&self, group: usize) -> Bar {
        let kind = match &self.bars {
            Bars::Hidden | Bars::Absent => BarKind::Hidden,
            Bars::Each(bars) => bars
                .get(group)
                .cloned()
                .map_or(BarKind::Hidden, BarKind::Own),
            Bars::Together(bar, moved) => moved.get(group).map_or(BarKind::Hidden, |moved| {
                BarKind::Part(bar.clone(), Arc::clone(moved))
            }),
        };
        Bar { kind }
    }

    /// Removes the bars.
    pub fn clear(&self) {
        match &self.bars {
            Bars::Hidden | Bars::Absent => {}
            Bars::Each(bars) => bars.iter().for_each(ProgressBar::finish_and_clear),
            Bars::Together(bar, _) => bar.finish_and_clear(),
        }
        if let Some(clock) = &self.clock {
            clock.line.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        self.island(island).lambda(stage.lambda, number);
        if let Some(clock) = &self.clock {
            clock.tell(|forecast, seconds| forecast.stage(island, stage.lambda, seconds));
        }
    }

    fn draw(&self, group: usize, done: usize, total: usize) {
        self.island(group).draw(done, total);
    }

    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        self.island(group).epoch(epoch, epochs, losses);
    }

    fn trouble(&self, error: &Error) {
        let warning = format!("warning: {error}");
        match &self.bars {
            Bars::Hidden => {}
            Bars::Absent => {
                // a closed pipe ends no run
                let _ = writeln!(stderr(), "{warning}");
            }
            Bars::Each(bars) => bars.iter().take(1).for_each(|bar| bar.println(&warning)),
            Bars::Together(bar, _) => bar.println(warning),
        }
    }

    fn finish(&self, group: usize) {
        self.island(group).finish();
        if let Some(clock) = &self.clock {
            clock.tell(|forecast, _| forecast.finish(group));
        }
    }
}

/// The progress of one island or chain.
#[derive(Clone, Debug)]
pub struct Bar {
    kind: BarKind,
}

#[derive(Clone, Debug)]
enum BarKind {
    Hidden,
    Own(ProgressBar),
    /// The common bar, and how far this group has moved it.
    Part(ProgressBar, Arc<AtomicU64>),
}

impl Bar {
    /// An island has reached the power `lambda` of the likelihood, after `stage` temperatures.
    ///
    /// The bar moves with √λ: lambda grows about geometrically, so λ itself would stay near zero for
    /// most of the run.
    pub fn lambda(&self, lambda: f64, stage: usize) {
        let position = STEPS as f64 * lambda.clamp(0.0, 1.0).sqrt();
        self.advance(position as u64, || {
            format!("temperature {stage}, lambda {lambda:.2e}")
        });
    }

    /// A chain has made `done` of `total` steps.
    pub fn draw(&self, done: usize, total: usize) {
        let position = STEPS * done as u64 / total.max(1) as u64;
        self.advance(position, || format!("{done} of {total}"));
    }

    /// An optimisation has ended an epoch.
    pub fn epoch(&self, epoch: usize, epochs: usize, losses: Losses) {
        let position = STEPS * epoch as u64 / epochs.max(1) as u64;
        self.advance(position, || {
            let Losses {
                training,
                validation,
            } = losses;
            let validation = validation.map(|loss| format!(", validation {loss:.4}"));
            let validation = validation.unwrap_or_default();
            format!("epoch {epoch}, loss {training:.4}{validation}")
        });
    }

    /// The island or chain is done.
    pub fn finish(&self) {
        self.advance(STEPS, || "done".to_owned());
    }

    /// Moves to `position`; the message is only made if it is shown.
    fn advance(&self, position: u64, message: impl FnOnce() -> String) {
        match &self.kind {
            BarKind::Hidden => {}
            BarKind::Own(bar) => {
                bar.set_position(position);
                bar.set_message(message());
            }
            BarKind::Part(bar, moved) => {
                let before = moved.fetch_max(position, Ordering::Relaxed);
                bar.inc(position.saturating_sub(before));
            }
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    // A template that does not parse would be a bug of this crate; it falls back to the default style and does not
    // stop a run.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(groups: usize) -> Progress {
        Progress::on(ProgressDrawTarget::hidden(), groups)
    }

    #[test]
    fn few_groups_have_a_bar_each() {
        let progress = bars(4);
        progress.island(2).lambda(0.25, 3);
        progress.island(1).draw(30, 40);
        progress.island(3).finish();
        let Bars::Each(bars) = &progress.bars else {
            panic!("4 groups have bars of their own")
        };
        let positions: Vec<u64> = bars.iter().map(ProgressBar::position).collect();
        assert_eq!(positions, [0, 750, 500, 1000]);
        progress.clear();
        assert!(bars.iter().all(ProgressBar::is_finished));
    }

    #[test]
    fn many_groups_share_one_bar() {
        let progress = bars(256);
        std::thread::scope(|scope| {
            for group in 0..256 {
                let bar = progress.island(group);
                scope.spawn(move || {
                    bar.lambda(0.25, 1);
                    // A smaller position does not move the bar back.
                    bar.lambda(0.04, 1);
                    if group < 128 {
                        bar.finish();
                    }
                });
            }
        });
        let Bars::Together(bar, _) = &progress.bars else {
            panic!("256 groups share a bar")
        };
        assert_eq!(bar.position(), 128 * 1000 + 128 * 500);
        assert_eq!(bar.length(), Some(256_000));
    }

    #[test]
    fn hidden_progress_takes_everything_in_silence() {
        let progress = Progress::new(false, 4);
        assert!(matches!(progress.bars, Bars::Hidden));
        let bar = progress.island(7);
        bar.lambda(0.5, 1);
        bar.finish();
        progress.clear();
    }

    #[test]
    fn the_templates_parse() {
        for template in [EACH, TOGETHER, BELOW] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
