//! The decision whether replays of a trace evaluate a model.

use super::{GradientMode, Posterior, TraceSize, caught};
use crate::error::{Error, ProblemKind};
use crate::model::{Compiled, Statement};
use crate::rng::{Key, Purpose};
use bayes_autodiff::trace::{Trace, Untraceable};

/// Maximum number of prior draws for a recording: all if the model is short or looks at its values, the first three otherwise
/// ([`Trace::record`]).
const DRAWS: usize = 10;

/// Why a model that panics has no trace.
pub(super) const PANICS: &str = "it panics at a prior draw";

impl<'m> Posterior<'m> {
    /// Evaluates by a trace, unless the model has none or the user wants forward mode.
    ///
    /// # Errors
    /// [`Error::Model`] with the first statement after which the model does other operations at another prior draw, [`Error::TooLong`] if
    /// a recording at each position would take gigabytes.
    pub(super) fn choose_trace(&mut self, wanted: GradientMode) -> Result<(), Error> {
        if wanted != GradientMode::Forward {
            match self.recorded()? {
                Ok(trace) => self.use_trace(trace),
                Err(reason) => {
                    self.forget_trace(&reason);
                    self.arithmetic.untraceable = Some(reason);
                }
            }
        }
        if self.trace.is_none() && self.model.forward().is_none() {
            let position = self.drawn_for_trace(0);
            let recorded = caught(|| self.model.at_position(self.jacobian, &position).bytes());
            self.arithmetic.recording = recorded.ok();
        }
        Ok(())
    }

    /// Replaces the trace by a trace of the present density, which has changed since the recording.
    pub(super) fn trace_again(&mut self) {
        match self.recorded() {
            Ok(Ok(trace)) => self.use_trace(trace),
            Ok(Err(reason)) => self.forget_trace(&reason),
            // the model as a whole was compared at several draws
            Err(_) => self.forget_trace("its operations differ without Jacobians"),
        }
    }

    /// Evaluates by a trace from now on.
    pub(super) fn use_trace(&mut self, trace: Trace<'m>) {
        self.arithmetic.gradient = GradientMode::Reverse;
        self.arithmetic.reason = format!(
            "{} operations, recorded once, are replayed for 32 particles at a time",
            trace.len()
        );
        self.arithmetic.trace = Some(TraceSize::from(&trace));
        self.trace = Some(trace);
    }

    /// Evaluates in forward mode from now on.
    pub(super) fn forget_trace(&mut self, reason: &str) {
        self.trace = None;
        self.arithmetic.trace = None;
        self.arithmetic.gradient = GradientMode::Forward;
        self.arithmetic.reason = format!("the model has no trace: {reason}");
    }

    /// The trace of the model, recorded at prior draws, or the reason why there is none.
    fn recorded(&self) -> Result<Result<Trace<'m>, String>, Error> {
        let draws: [_; DRAWS] = std::array::from_fn(|item| self.drawn_for_trace(item));
        let draws = draws.each_ref().map(Vec::as_slice);
        let model: &'m dyn Compiled = self.model;
        let recorded = caught(|| model.record(self.jacobian, self.shared(), &draws));
        Ok(match recorded {
            Err(_) => Err(PANICS.to_owned()),
            Ok(Err(Untraceable::Differs {
                statement: Some(statement),
            })) => {
                self.check_again()?;
                return Err(self.differs(statement));
            }
            Ok(Err(Untraceable::TooLong)) if model.forward().is_none() => {
                return Err(too_long(model));
            }
            Ok(recorded) => recorded
                .map(|recorded| model.trace(&recorded))
                .map_err(|reason| self.untraceable(reason)),
        })
    }

    /// The reason why there is no trace, with the statement that prevents it.
    pub(super) fn untraceable(&self, reason: Untraceable) -> String {
        match reason {
            Untraceable::Steered {
                statement: Some(statement),
            } => {
                let Statement { text, line, .. } = &self.model.statements()[statement];
                format!("{reason}, in or after `{text}` (line {line})")
            }
            _ => reason.to_string(),
        }
    }

    /// One of the prior draws for the recording of a model, `[dim]`.
    pub(super) fn drawn_for_trace(&self, item: usize) -> Vec<f64> {
        // the first two draws serve the checks of validation
        let key = Key::new(self.seed, Purpose::Validation).item(2 + item as u64);
        let mut position = vec![0.0; self.validated.layout.dim];
        self.draw_prior(&mut key.stream(), &mut position);
        position
    }

    fn differs(&self, statement: usize) -> Error {
        let statement = self.model.statements()[statement];
        Error::Model {
            model: self.model.name().to_owned(),
            problems: vec![statement.problem(self.model.file(), ProblemKind::Differs)],
        }
    }
}

/// Without a trace or dual numbers, each thread would record a model of this length at each position.
fn too_long(model: &dyn Compiled) -> Error {
    Error::TooLong {
        model: model.name().to_owned(),
    }
}
