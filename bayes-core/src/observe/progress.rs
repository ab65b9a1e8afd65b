//! Progress bars on a terminal; elsewhere only trouble, and the point from which a run continues.

use super::forecast::{Forecast, words};
use super::{Losses, Memory, Observer, Steps};
use crate::error::Error;
use crate::run::Stage;
use crate::text::grouped;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// With more groups than this, all groups share one bar.
const BARS: usize = 16;
/// Number of steps of a bar: an island's lambda and a chain's draws are scaled to it.
const STEPS: u64 = 1000;
/// The minimum time between two updates of a chain's bar and the forecast: steps can be far faster than anyone reads.
const PAUSE: Duration = Duration::from_millis(100);
/// The template of one group's bar.
const EACH: &str = "{prefix:>3} {bar:40} {msg}";
/// The template of a shared bar.
const TOGETHER: &str = "{bar:40} {percent}%, {elapsed}";
/// The template of the line below the bars.
const BELOW: &str = "{msg}";

/// The progress of a run; engines report to it from any thread.
///
/// Bars are drawn on stderr if it is a terminal, and vanish at the end; otherwise nothing is written. The bar of an island has its
/// temperature, its acceptance and its log evidence so far, at the end the number of draws whose outputs are computed; the bar of a chain
/// has its acceptance and its divergences. A line below shows the remaining time of the run, once a few temperatures or steps are finished.
#[derive(Clone, Debug)]
pub struct Progress {
    bars: Bars,
    clock: Option<Clock>,
}

/// The present state of a run, and the line that shows it.
#[derive(Clone, Debug)]
struct Clock {
    start: Instant,
    state: Arc<Mutex<State>>,
    line: ProgressBar,
}

#[derive(Debug)]
struct State {
    forecast: Forecast,
    groups: Vec<GroupState>,
}

/// The last reports of a group.
#[derive(Clone, Debug, Default)]
struct GroupState {
    /// The log evidence of an island so far.
    log_evidence: f64,
    divergent: u64,
    /// The time when its steps were last shown.
    shown: Option<Instant>,
}

impl Clock {
    fn new(groups: usize, line: ProgressBar) -> Self {
        let state = State {
            forecast: Forecast::new(groups),
            groups: vec![GroupState::default(); groups],
        };
        Self {
            start: Instant::now(),
            state: Arc::new(Mutex::new(state)),
            line,
        }
    }

    /// Changes the state of a group and the forecast, and shows the remaining time. `change` returns `None` if there is nothing new.
    fn tell<T>(
        &self,
        group: usize,
        change: impl FnOnce(&mut GroupState, &mut Forecast, f64) -> Option<T>,
    ) -> Option<T> {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { forecast, groups } = &mut *state;
        let told = change(groups.get_mut(group)?, forecast, seconds)?;
        let divergent: u64 = groups.iter().map(|group| group.divergent).sum();
        let divergent = match divergent {
            0 => String::new(),
            n => format!("{n} divergent so far"),
        };
        let parts = [forecast.left().map(words).unwrap_or_default(), divergent];
        let parts: Vec<&str> = parts
            .iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        self.line.set_message(parts.join(", "));
        Some(told)
    }
}

#[derive(Clone, Debug)]
enum Bars {
    Hidden,
    /// There is no terminal: only permanent lines are written.
    Absent,
    /// One bar for each group.
    Each(Vec<ProgressBar>),
    /// One bar for the sum of all groups, and the progress of each group.
    Together(ProgressBar, Vec<Arc<AtomicU64>>),
}

/// The contents of the folder of checkpoints, in words.
fn resumed(finished: usize, begun: usize) -> String {
    format!(
        "the run goes on from its checkpoints: {finished} finished and {begun} begun islands or groups of chains"
    )
}

impl Progress {
    /// Bars for this number of islands or chains, if `visible` and if stderr is a terminal. Without a terminal it writes only trouble,
    /// and what a continued run found in its folder of checkpoints.
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

    /// Writes a permanent line.
    fn line(&self, text: &str) {
        match &self.bars {
            Bars::Hidden => {}
            Bars::Absent => {
                // a closed pipe does not end the run
                let _ = writeln!(stderr(), "{text}");
            }
            Bars::Each(bars) => bars.iter().take(1).for_each(|bar| bar.println(text)),
            Bars::Together(bar, _) => bar.println(text),
        }
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
        Self {
            bars,
            clock: Some(Clock::new(groups, line)),
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
    fn memory(&self, memory: &Memory) {
        if let Some(clock) = &self.clock {
            clock.line.set_message(memory.to_string());
        }
    }

    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        let Some(clock) = &self.clock else { return };
        let evidence = clock.tell(island, |state, forecast, seconds| {
            forecast.stage(island, stage.lambda, seconds);
            state.log_evidence += stage.log_increment;
            Some(state.log_evidence)
        });
        if let Some(log_evidence) = evidence {
            self.island(island).stage(stage, number, log_evidence);
        }
    }

    fn step(&self, group: usize, steps: Steps) {
        let Some(clock) = &self.clock else { return };
        let is_shown = clock.tell(group, |state, forecast, seconds| {
            let now = Instant::now();
            let is_early = state
                .shown
                .is_some_and(|shown| now.duration_since(shown) < PAUSE);
            state.divergent = steps.divergent;
            if is_early && steps.done < steps.of {
                return None;
            }
            state.shown = Some(now);
            forecast.steps(group, steps.of - steps.done, seconds);
            Some(())
        });
        if is_shown.is_some() {
            self.island(group).step(steps);
        }
    }

    fn outputs(&self, island: usize, done: usize, of: usize) {
        self.island(island).outputs(done, of);
    }

    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        self.island(group).epoch(epoch, epochs, losses);
    }

    fn resume(&self, finished: usize, begun: usize) {
        self.line(&resumed(finished, begun));
    }

    fn trouble(&self, error: &Error) {
        self.line(&format!("warning: {error}"));
    }

    fn finish(&self, group: usize) {
        self.island(group).finish();
        if let Some(clock) = &self.clock {
            clock.tell(group, |_, forecast, _| {
                forecast.finish(group);
                Some(())
            });
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
    /// The common bar, and the distance by which this group has moved it.
    Part(ProgressBar, Arc<AtomicU64>),
}

impl Bar {
    /// An island has finished its temperature or level with this number.
    ///
    /// The bar moves with √λ: lambda grows about geometrically, so λ itself would stay near zero for most of the run.
    pub fn stage(&self, stage: &Stage, number: usize, log_evidence: f64) {
        let position = STEPS as f64 * stage.lambda.clamp(0.0, 1.0).sqrt();
        self.advance(position as u64, || {
            let (lambda, acceptance) = (stage.lambda, stage.acceptance);
            let place = match stage.level {
                Some(level) => format!("level {number} at {level:.4e}"),
                None => format!("temperature {number}, lambda {lambda:.2e}"),
            };
            format!("{place}, acceptance {acceptance:.2}, log evidence {log_evidence:.2}")
        });
    }

    /// A chain has made a step.
    pub fn step(&self, steps: Steps) {
        let position = STEPS * steps.done as u64 / steps.of.max(1) as u64;
        self.advance(position, || in_words(steps));
    }

    /// The outputs of `done` of `of` draws are computed; the bar is full already.
    pub fn outputs(&self, done: usize, of: usize) {
        self.advance(STEPS, || {
            let [done, of] = [done, of].map(|number| grouped(number as u64));
            format!("outputs of draws, {done} of {of}")
        });
    }

    /// `done` of `total` simulations are finished.
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

    /// The island or chain is finished.
    pub fn finish(&self) {
        self.advance(STEPS, || "done".to_owned());
    }

    /// Moves to `position`; `message` is called only if the bar is shown.
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

/// `burn-in, 250 of 2000, acceptance 0.84, 3 divergent`.
fn in_words(steps: Steps) -> String {
    let mut words = match steps.is_burn_in {
        true => "burn-in, ".to_owned(),
        false => String::new(),
    };
    words += &format!("{} of {}", steps.done, steps.of);
    if !steps.acceptance.is_nan() {
        words += &format!(", acceptance {:.2}", steps.acceptance);
    }
    if steps.divergent > 0 {
        words += &format!(", {} divergent", steps.divergent);
    }
    words
}

fn style(template: &str) -> ProgressStyle {
    // A template that does not parse would be a bug of this crate; the bar falls back to the default style, and the run continues.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests;
