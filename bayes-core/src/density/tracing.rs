//! Whether a model is evaluated by replaying its trace.

use super::{GradientMode, Posterior, TraceSize, caught};
use crate::error::{Error, ProblemKind};
use crate::model::Compiled;
use crate::rng::{Key, Purpose};
use bayes_autodiff::trace::{Trace, Untraceable};

/// Prior draws at which a model may be recorded: at all if it is short or looks at its values, at the first three otherwise
/// ([`Trace::record`]).
const DRAWS: usize = 10;

impl<'m> Posterior<'m> {
    /// Replaces reverse mode on the tape by a trace, if the model has one and the user does not want another mode.
    ///
    /// # Errors
    /// [`Error::Model`] with the statement from which on the model does other operations at another prior draw: then no way to
    /// evaluate eight particles at once is right.
    pub(super) fn choose_trace(&mut self, wanted: GradientMode) -> Result<(), Error> {
        let automatic = match wanted {
            GradientMode::Automatic => true,
            GradientMode::Traced => false,
            GradientMode::Forward | GradientMode::Reverse => return Ok(()),
        };
        match self.recorded()? {
            Ok(trace) => {
                let reason = automatic.then(|| reason(&trace));
                self.use_trace(trace, reason);
            }
            Err(reason) => {
                self.arithmetic.gradient = GradientMode::Reverse;
                self.arithmetic.reason = format!("the model is not traced, because {reason}");
            }
        }
        Ok(())
    }

    /// Replaces the trace by one of the density as it is now, which is not that of which it was recorded.
    pub(super) fn trace_again(&mut self) {
        match self.recorded() {
            Ok(Ok(trace)) => {
                let reason = reason(&trace);
                self.use_trace(trace, Some(reason));
            }
            // the whole was compared at several draws
            Ok(Err(_)) | Err(_) => self.forget_trace("it has no trace without Jacobians"),
        }
    }

    /// Evaluates by a trace from now on; for which reason, unless the user has asked for it.
    fn use_trace(&mut self, trace: Trace<'m>, reason: Option<String>) {
        self.arithmetic.gradient = GradientMode::Traced;
        if let Some(reason) = reason {
            self.arithmetic.reason = reason;
        }
        self.arithmetic.trace = Some(TraceSize::from(&trace));
        self.trace = Some(trace);
    }

    /// Evaluates the model by the tape from now on, if it was traced.
    pub(super) fn forget_trace(&mut self, reason: &str) {
        self.trace = None;
        self.arithmetic.trace = None;
        if self.arithmetic.gradient == GradientMode::Traced {
            self.arithmetic.gradient = GradientMode::Reverse;
            self.arithmetic.reason = format!("the density is not traced, because {reason}");
        }
    }

    /// The trace of the model, recorded at prior draws, or why there is none.
    fn recorded(&self) -> Result<Result<Trace<'m>, String>, Error> {
        let draws: [_; DRAWS] = std::array::from_fn(|item| self.drawn_for_trace(item));
        let draws = draws.each_ref().map(Vec::as_slice);
        let model: &'m dyn Compiled = self.model;
        let recorded = caught(|| model.record(self.jacobian, &draws));
        Ok(match recorded {
            Err(_) => Err("it panics at a prior draw".to_owned()),
            Ok(Err(Untraceable::Differs {
                statement: Some(statement),
            })) => return Err(self.differs(statement)),
            Ok(recorded) => recorded
                .map(|recorded| model.trace(&recorded))
                .map_err(|reason| reason.to_string()),
        })
    }

    /// One of the prior draws at which a model is recorded, `[dim]`.
    pub(super) fn drawn_for_trace(&self, item: usize) -> Vec<f64> {
        // the first two serve the checks of validation
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

/// Why a trace is used.
fn reason(trace: &Trace<'_>) -> String {
    format!(
        "{} operations, recorded once, are replayed for 32 particles at a time",
        trace.len()
    )
}
