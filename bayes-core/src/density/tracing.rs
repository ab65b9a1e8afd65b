//! Whether a model is evaluated by replaying its trace.

use super::{GradientMode, Posterior, caught};
use crate::rng::{Key, Purpose};
use bayes_autodiff::trace::Trace;

impl Posterior<'_> {
    /// Replaces reverse mode on the tape by a trace, if the model has one and it is wanted: always if the user says so, by
    /// default where it is faster.
    pub(super) fn choose_trace(&mut self, wanted: GradientMode) {
        let automatic = match wanted {
            GradientMode::Automatic => true,
            GradientMode::Traced => false,
            GradientMode::Forward | GradientMode::Reverse => return,
        };
        match self.recorded() {
            Ok(trace) if automatic && !trace.is_faster() => {}
            Ok(trace) => {
                if automatic {
                    self.arithmetic.gradient = GradientMode::Traced;
                    self.arithmetic.reason = format!(
                        "{} operations, recorded once, are replayed for 32 particles at a time",
                        trace.len()
                    );
                }
                self.trace = Some(trace);
            }
            Err(_) if automatic => {}
            Err(reason) => {
                self.arithmetic.gradient = GradientMode::Reverse;
                self.arithmetic.reason = format!("the model is not traced, because {reason}");
            }
        }
    }

    /// Evaluates the model by the tape from now on, if it was traced.
    pub(super) fn forget_trace(&mut self, reason: &str) {
        self.trace = None;
        if self.arithmetic.gradient == GradientMode::Traced {
            self.arithmetic.gradient = GradientMode::Reverse;
            self.arithmetic.reason = format!("the density is not traced, because {reason}");
        }
    }

    /// The trace of the model, recorded at two prior draws, or why there is none.
    fn recorded(&self) -> Result<Trace, String> {
        if self.validated.discrete.contains(&true) {
            return Err("a random quantity is a whole number".to_owned());
        }
        let dim = self.validated.layout.dim;
        let draw = |item| {
            let key = Key::new(self.seed, Purpose::Validation).item(item);
            let mut position = vec![0.0; dim];
            self.draw_prior(&mut key.stream(), &mut position);
            position
        };
        let (first, second) = (draw(2), draw(3));
        caught(|| self.model.trace(&[&first, &second]))
            .map_err(|_| "it panics at a prior draw".to_owned())?
            .map_err(|reason| reason.to_string())
    }
}
