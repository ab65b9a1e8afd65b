//! Progress as lines of JSON, for other programs.

use super::forecast::Forecast;
use super::{Losses, Memory, Observer, Steps};
use crate::error::Error;
use crate::run::Stage;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Writes the progress of a run as one JSON object per line: at most one per second for each group, and one when the group is finished.
///
/// ```
/// use bayes_core::observe::JsonLines;
/// use std::sync::Arc;
///
/// let lines = Arc::new(JsonLines::to_stderr());
/// // Inference::psmc().observer(lines)
/// # let _ = lines;
/// ```
///
/// ```text
/// {"seconds":0.0,"draws":65536,"memory_in_bytes":85264640}
/// {"seconds":1.2,"group":3,"temperature":7,"lambda":0.031,"log_evidence":-81.5,"acceptance":0.67,"mutations":12,"seconds_left":2.1}
/// {"seconds":1.3,"group":3,"outputs":2048,"of":8192}
/// {"seconds":1.4,"group":0,"step":1250,"of":2000,"burn_in":false,"acceptance":0.84,"divergent":3,"seconds_left":0.8}
/// {"seconds":2.0,"group":0,"epoch":12,"of":300,"loss":0.41,"validation_loss":0.44}
/// {"seconds":0.1,"resumed":{"finished":3,"begun":2}}
/// {"seconds":4.1,"trouble":"cannot write the checkpoint ..."}
/// {"seconds":9.7,"group":3,"done":true}
/// ```
///
/// `log_evidence` belongs to the island so far, `divergent` counts the divergent trajectories of the group since the burn-in, and
/// `seconds_left` is the time to the end of the whole run, once it is known. A failed write, for example to a closed pipe, ends the lines
/// but not the run.
pub struct JsonLines {
    start: Instant,
    interval: Duration,
    state: Mutex<State>,
}

struct State {
    /// `None` after a failed write.
    writer: Option<Box<dyn Write + Send>>,
    /// The time of the last line of each group.
    last: BTreeMap<usize, Instant>,
    /// The log evidence of each island so far.
    log_evidence: BTreeMap<usize, f64>,
    forecast: Forecast,
}

impl State {
    /// The line with the time to the end of the run, if it is known.
    fn with_time_left(&self, mut line: Value) -> Value {
        if let Some(left) = self.forecast.left() {
            line["seconds_left"] = json!((left * 10.0).round() / 10.0);
        }
        line
    }
}

impl JsonLines {
    /// Lines on standard error.
    #[must_use]
    pub fn to_stderr() -> Self {
        Self::new(stderr())
    }

    /// Lines on a writer, which is flushed after each line.
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        Self {
            start: Instant::now(),
            interval: Duration::from_secs(1),
            state: Mutex::new(State {
                writer: Some(Box::new(writer)),
                last: BTreeMap::new(),
                log_evidence: BTreeMap::new(),
                forecast: Forecast::new(0),
            }),
        }
    }

    /// Sets the minimum time between two lines of a group; zero writes everything.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Writes the line from `content`, if the last line of the group is long enough ago or `always` is true.
    fn write(&self, group: usize, content: impl FnOnce(&mut State) -> Value, always: bool) {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let last = state.last.get(&group);
        let is_early = last.is_some_and(|last| now.duration_since(*last) < self.interval);
        if is_early && !always {
            return;
        }
        let mut line = content(&mut state);
        state.last.insert(group, now);
        line["group"] = json!(group);
        self.append(&mut state, line, now);
    }

    /// Updates the state of the run.
    fn learn(&self, change: impl FnOnce(&mut State, f64)) {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state, seconds);
    }

    fn append(&self, state: &mut State, mut line: Value, now: Instant) {
        let seconds = (now.duration_since(self.start).as_secs_f64() * 1e3).round() / 1e3;
        line["seconds"] = json!(seconds);
        if let Some(writer) = &mut state.writer {
            let written = writeln!(writer, "{line}").and_then(|()| writer.flush());
            if written.is_err() {
                state.writer = None;
            }
        }
    }
}

impl fmt::Debug for JsonLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = self.interval;
        f.debug_struct("JsonLines")
            .field("interval", &interval)
            .finish_non_exhaustive()
    }
}

impl Observer for JsonLines {
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        self.learn(|state, seconds| {
            state.forecast.stage(island, stage.lambda, seconds);
            *state.log_evidence.entry(island).or_insert(0.0) += stage.log_increment;
        });
        let content = |state: &mut State| {
            let mut line = json!({
                "temperature": number,
                "lambda": stage.lambda,
                "log_evidence": state.log_evidence[&island],
                "acceptance": stage.acceptance,
                "mutations": stage.mutations,
            });
            if let Some(level) = stage.level {
                line["level"] = json!(level);
            }
            state.with_time_left(line)
        };
        self.write(island, content, false);
    }

    fn start(&self, groups: usize) {
        self.learn(|state, _| state.forecast = Forecast::new(groups));
    }

    fn memory(&self, memory: &Memory) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let line = json!({ "draws": memory.draws, "memory_in_bytes": memory.total() });
        self.append(&mut state, line, Instant::now());
    }

    fn step(&self, group: usize, steps: Steps) {
        let seconds = self.start.elapsed().as_secs_f64();
        let content = |state: &mut State| {
            state.forecast.steps(group, steps.of - steps.done, seconds);
            state.with_time_left(json!({
                "step": steps.done,
                "of": steps.of,
                "burn_in": steps.is_burn_in,
                // JSON has no NaN
                "acceptance": steps.acceptance,
                "divergent": steps.divergent,
            }))
        };
        self.write(group, content, false);
    }

    fn outputs(&self, island: usize, done: usize, of: usize) {
        self.write(island, |_| json!({ "outputs": done, "of": of }), false);
    }

    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        let content = |_: &mut State| {
            let mut line = json!({ "epoch": epoch, "of": epochs, "loss": losses.training });
            if let Some(validation) = losses.validation {
                line["validation_loss"] = json!(validation);
            }
            line
        };
        self.write(group, content, false);
    }

    fn resume(&self, finished: usize, begun: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let line = json!({ "resumed": { "finished": finished, "begun": begun } });
        self.append(&mut state, line, Instant::now());
    }

    fn trouble(&self, error: &Error) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let line = json!({ "trouble": error.to_string() });
        self.append(&mut state, line, Instant::now());
    }

    fn finish(&self, group: usize) {
        self.learn(|state, _| state.forecast.finish(group));
        self.write(group, |_| json!({ "done": true }), true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::stage;
    use std::io;
    use std::sync::Arc;

    /// Memory that a test reads and an observer writes.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no test panics here").write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines(shared: &Shared) -> Vec<Value> {
        let bytes = shared.0.lock().expect("no test panics here").clone();
        let text = String::from_utf8(bytes).expect("JSON is text");
        let read = |line| serde_json::from_str(line).expect("every line is JSON");
        text.lines().map(read).collect()
    }

    #[test]
    fn every_event_is_a_line() {
        let shared = Shared::default();
        let observer = JsonLines::new(shared.clone()).interval(Duration::ZERO);
        observer.stage(1, &stage(0.25, 64), 1);
        observer.stage(1, &stage(1.0, 64), 2);
        let steps = Steps {
            done: 1250,
            of: 2000,
            is_burn_in: false,
            acceptance: f64::NAN,
            divergent: 3,
        };
        observer.step(0, steps);
        let losses = Losses {
            training: 0.5,
            validation: Some(f64::INFINITY),
        };
        observer.epoch(2, 12, 300, losses);
        observer.outputs(1, 32, 64);
        observer.finish(1);
        observer.trouble(&Error::Write {
            message: "a checkpoint".to_owned(),
        });
        let lines = lines(&shared);
        assert_eq!(lines.len(), 7);
        let told = lines[6]["trouble"].as_str();
        assert!(told.is_some_and(|text| text.contains("a checkpoint")));
        // two increments of -1
        assert_eq!(
            (&lines[1]["log_evidence"], &lines[1]["temperature"]),
            (&json!(-2.0), &json!(2))
        );
        assert_eq!(
            (&lines[2]["step"], &lines[2]["of"]),
            (&json!(1250), &json!(2000))
        );
        assert_eq!(
            (&lines[2]["acceptance"], &lines[2]["divergent"]),
            (&Value::Null, &json!(3))
        );
        // JSON has no infinity
        assert_eq!(
            (&lines[3]["loss"], &lines[3]["validation_loss"]),
            (&json!(0.5), &Value::Null)
        );
        assert_eq!(
            (&lines[4]["outputs"], &lines[4]["of"]),
            (&json!(32), &json!(64))
        );
        assert_eq!(
            (&lines[5]["group"], &lines[5]["done"]),
            (&json!(1), &json!(true))
        );
        assert!(lines.iter().all(|line| line["seconds"].is_number()));
    }

    #[test]
    fn lines_of_a_group_come_once_in_an_interval_and_the_evidence_counts_all() {
        let shared = Shared::default();
        let observer = JsonLines::new(shared.clone()).interval(Duration::from_secs(3600));
        for number in 1..=5 {
            observer.stage(0, &stage(0.1, 64), number);
            observer.stage(1, &stage(0.1, 64), number);
        }
        observer.finish(0);
        let groups: Vec<u64> = lines(&shared)
            .iter()
            .filter_map(|line| line["group"].as_u64())
            .collect();
        assert_eq!(groups, [0, 1, 0]);
        let state = observer.state.lock().expect("no test panics here");
        assert_eq!(state.log_evidence[&1], -5.0);
    }

    #[test]
    fn a_closed_pipe_ends_the_lines_quietly() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let observer = JsonLines::new(Closed).interval(Duration::ZERO);
        observer.stage(0, &stage(0.25, 64), 1);
        observer.finish(0);
        assert!(
            observer
                .state
                .lock()
                .expect("no test panics here")
                .writer
                .is_none()
        );
    }
}
