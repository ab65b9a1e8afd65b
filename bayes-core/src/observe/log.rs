//! Progress as events of the crate `tracing`, for programs that keep a log. With the feature `tracing`.

use super::{Losses, Memory, Observer, Steps};
use crate::error::Error;
use crate::run::Stage;

/// Reports a run to the program's `tracing` subscriber, under the target `bayes`. The end of each group has level INFO, trouble that does
/// not stop the run WARN, temperatures and epochs DEBUG, and steps of chains TRACE.
///
/// ```
/// use bayes_core::observe::Log;
/// use std::sync::Arc;
///
/// let log = Arc::new(Log);
/// // Inference::psmc().observer(log).progress(false)
/// # let _ = log;
/// ```
///
/// Events come from the threads of the run: a subscriber that is set for one thread only does not receive them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log;

impl Observer for Log {
    fn stage(&self, island: usize, stage: &Stage, number: usize) {
        tracing::debug!(
            target: "bayes",
            island,
            stage = number,
            lambda = stage.lambda,
            level = stage.level,
            log_increment = stage.log_increment,
            acceptance = stage.acceptance,
            mutations = stage.mutations,
            "temperature or level done"
        );
    }

    fn memory(&self, memory: &Memory) {
        tracing::info!(target: "bayes", draws = memory.draws, bytes = memory.total(), "memory");
    }

    fn resume(&self, finished: usize, begun: usize) {
        tracing::info!(target: "bayes", finished, begun, "the run goes on from its checkpoints");
    }

    fn step(&self, group: usize, steps: Steps) {
        tracing::trace!(
            target: "bayes",
            group,
            done = steps.done,
            of = steps.of,
            burn_in = steps.is_burn_in,
            acceptance = steps.acceptance,
            divergent = steps.divergent,
            "steps"
        );
    }

    fn epoch(&self, group: usize, epoch: usize, epochs: usize, losses: Losses) {
        tracing::debug!(
            target: "bayes",
            group,
            epoch,
            epochs,
            loss = losses.training,
            validation_loss = losses.validation,
            "epoch done"
        );
    }

    fn trouble(&self, error: &Error) {
        tracing::warn!(target: "bayes", %error, "the run goes on");
    }

    fn finish(&self, group: usize) {
        tracing::info!(target: "bayes", group, "group done");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{FileError, RunError};
    use std::fmt::Debug;
    use std::io::ErrorKind;
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    /// Keeps levels and fields.
    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<(Level, String)>>>);

    struct Text(String);

    impl Visit for Text {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.0 += &format!("{}={value:?} ", field.name());
        }
    }

    impl Subscriber for Memory {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "bayes" && *metadata.level() <= Level::DEBUG
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut text = Text(String::new());
            event.record(&mut text);
            let mut events = self.0.lock().expect("no test panics here");
            events.push((*event.metadata().level(), text.0));
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn events_have_levels_and_fields() {
        let memory = Memory::default();
        tracing::subscriber::with_default(memory.clone(), || {
            let log: &dyn Observer = &Log;
            log.stage(3, &crate::example::stage(0.5, 7), 2);
            log.step(
                0,
                Steps {
                    done: 1,
                    of: 10,
                    is_burn_in: true,
                    acceptance: 0.5,
                    divergent: 0,
                },
            );
            let losses = Losses {
                training: 0.25,
                validation: None,
            };
            log.epoch(1, 4, 9, losses);
            log.trouble(&Error::from(RunError::from(FileError::System {
                path: "saved".to_owned(),
                action: "written",
                message: "the disk is full".to_owned(),
                kind: ErrorKind::StorageFull,
            })));
            log.finish(3);
        });
        let events = memory.0.lock().expect("no test panics here");
        let levels: Vec<Level> = events.iter().map(|(level, _)| *level).collect();
        // draws are below the level of this subscriber
        assert_eq!(
            levels,
            [Level::DEBUG, Level::DEBUG, Level::WARN, Level::INFO]
        );
        for (event, wanted) in events.iter().zip([
            "island=3 stage=2 lambda=0.5",
            "group=1 epoch=4 epochs=9 loss=0.25",
            "the disk is full",
            "group=3",
        ]) {
            assert!(event.1.contains(wanted), "{} has no {wanted}", event.1);
        }
    }
}
