//! Panics of a density: a panic costs one evaluation, not the run.

use super::{Block, Occurrence};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught and counted.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`; turns a panic into an error with its message.
///
/// The panic hook prints the first caught panic of a process, with its place in the source and all else that the hook shows. Later ones
/// are not printed, since there may be thousands.
///
/// # Errors
/// The message of the panic.
pub fn caught<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    let outer = CAUGHT.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    CAUGHT.set(outer);
    outcome.map_err(|payload| {
        silence();
        message(payload.as_ref())
    })
}

/// From now on, caught panics are not printed.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                print(panic);
            }
        }));
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    let fault = payload.downcast_ref::<bayes_autodiff::fault::Fault>();
    let text = text.or_else(|| fault.map(ToString::to_string));
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Evaluates a block. If that panics, its particles are evaluated one by one; particles that panic get NaN densities and gradients of 0.
/// Returns these particles, with the messages.
pub(super) fn evaluate(
    block: &mut Block<'_>,
    evaluate: impl Fn(&mut Block<'_>),
) -> Vec<(usize, String)> {
    if caught(|| evaluate(block)).is_ok() {
        return Vec::new();
    }
    let mut panicked = Vec::new();
    for i in 0..block.len() {
        let row = block.row(i);
        let mut one = Block {
            dim: block.dim,
            positions: &mut block.positions[row.clone()],
            log_prior: &mut block.log_prior[i..=i],
            log_likelihood: &mut block.log_likelihood[i..=i],
            gradient: &mut block.gradient[row],
        };
        if let Err(message) = caught(|| evaluate(&mut one)) {
            one.log_prior[0] = f64::NAN;
            one.log_likelihood[0] = f64::NAN;
            one.gradient.fill(0.0);
            panicked.push((i, message));
        }
    }
    panicked
}

/// Evaluations in which the density panicked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panics {
    /// The number of these evaluations.
    pub times: u64,
    /// The index of the statement that panicked in one of them, if it is known.
    pub statement: Option<usize>,
    /// The message of this panic.
    pub message: String,
    /// The place of the first panic.
    #[serde(flatten)]
    pub first: Occurrence,
}

impl Panics {
    /// Adds the panics of another part of the same run.
    pub(super) fn merge(&mut self, other: &Self) {
        let times = self.times.saturating_add(other.times);
        if other.first.comes_before(&self.first) {
            self.clone_from(other);
        }
        self.times = times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Counts, LogDensity, Particles, Target};

    /// A normal density that panics where the first coordinate is above 1.
    struct Fragile;

    impl LogDensity for Fragile {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                assert!(x[0] <= 1.0, "no answer at {}", x[0]);
                [0.0, -0.5 * (x[0] * x[0] + x[1] * x[1])]
            });
        }
    }

    /// Particles at `(i / 4, 0)`.
    fn particles() -> Particles {
        let mut particles = Particles::new(9, 2);
        for (i, position) in particles.positions.chunks_exact_mut(2).enumerate() {
            position[0] = i as f64 / 4.0;
        }
        particles
    }

    #[test]
    fn a_panic_costs_one_evaluation_and_no_other_particle() {
        let (mut particles, mut counts) = (particles(), Counts::default());
        let target = Target::tempered(&Fragile, 0.25);
        target.evaluate_gradient(&mut particles.block(), &mut counts);
        for i in 0..9 {
            let x = i as f64 / 4.0;
            let (density, slope) = (particles.log_likelihood[i], particles.gradient[2 * i]);
            // at 1 itself the differences of the default gradient panic
            if x < 1.0 {
                assert_eq!(density, -0.5 * x * x);
                assert!((slope + 0.25 * x).abs() < 1e-6, "{slope} at {x}");
            } else {
                assert_eq!((density, slope), (f64::NEG_INFINITY, 0.0));
            }
        }
        let panics = counts.panics.expect("it panicked");
        assert_eq!(panics.times, 5);
        assert_eq!(
            (panics.first.lambda, panics.first.position),
            (0.25, vec![1.0, 0.0])
        );
        assert!(
            panics.message.starts_with("no answer at 1.0"),
            "{}",
            panics.message
        );
        assert_eq!(panics.statement, None);
        assert!(counts.non_finite.is_empty());
        assert_eq!(counts.gradient_evaluations, 9);
    }

    #[test]
    fn the_panic_that_is_kept_does_not_depend_on_the_order() {
        let panic = |lambda, x| Panics {
            times: 2,
            statement: None,
            message: format!("at {x}"),
            first: Occurrence {
                lambda,
                position: vec![0.0, x],
            },
        };
        let all = [panic(0.5, -1.0), panic(0.25, 3.0), panic(0.25, 2.0)];
        for start in 0..3 {
            let mut merged = all[start].clone();
            (1..3).for_each(|k| merged.merge(&all[(start + k) % 3]));
            assert_eq!((merged.times, merged.message.as_str()), (6, "at 2"));
        }
    }
}
