//! L-BFGS (Liu and Nocedal 1989).

use super::line_search::{LineSearch, Search};
use super::{Descent, Optimiser, Seen, Step, dot};
use crate::error::Error;
use std::collections::VecDeque;

/// A predicted fall of the loss by this share counts as convergence even where rounding stops the search.
const ROUGH: f64 = 1e-7;
/// The optimisation ends after this number of consecutive iterations with a small fall of the loss.
const REPEATS: usize = 3;
/// If the last step moves a coordinate by more than this share of its size, a look ahead follows.
const FAR: f64 = 1e-4;
/// The distance of the look ahead, in lengths of the last step.
const AHEAD: f64 = 10.0;

/// L-BFGS: Newton's method with an inverse Hessian from the last changes of position and gradient (Liu and Nocedal 1989; Nocedal and
/// Wright 2006, algorithm 7.5), and a line search for the strong Wolfe conditions. For the gradient of all rows.
///
/// It ends when both the promised fall of the loss in the next step and the fall in the last step are below the tolerance, three times in
/// a row. If the last step is long, because the loss is flat, it looks ten steps ahead: if the loss still falls there, it has no minimum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    memory: usize,
    tolerance: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self::new()
    }
}

impl Lbfgs {
    /// The last 20 changes, tolerance 1e-12.
    #[must_use]
    pub fn new() -> Self {
        Self {
            memory: 20,
            tolerance: 1e-12,
        }
    }

    /// Number of stored changes, at least 1.
    #[must_use]
    pub fn memory(self, changes: usize) -> Self {
        Self {
            memory: changes,
            ..self
        }
    }

    /// The optimisation ends when the loss falls by less than this, relative to the larger of 1 and the loss.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }
}

impl Optimiser for Lbfgs {
    fn name(&self) -> &'static str {
        "lbfgs"
    }

    fn takes_minibatches(&self) -> bool {
        false
    }

    fn validate(&self) -> Result<(), Error> {
        let memory = self.memory;
        Error::setting("memory", memory, memory >= 1, "at least 1")?;
        let holds = self.tolerance > 0.0 && self.tolerance < 1.0;
        let allowed = "between 0 and 1";
        Error::setting("tolerance", self.tolerance, holds, allowed)
    }

    fn start(&self, dim: usize) -> Box<dyn Descent> {
        Box::new(Iterate {
            settings: *self,
            position: vec![0.0; dim],
            loss: f64::INFINITY,
            gradient: vec![0.0; dim],
            direction: vec![0.0; dim],
            newton: Vec::new(),
            changes: VecDeque::new(),
            small: 0,
            phase: Phase::Start,
        })
    }
}

/// The purpose of the evaluated position.
enum Phase {
    Start,
    Search(LineSearch),
    /// A look ahead; if the loss does not fall there, the minimisation ends with this step.
    Look(Step),
}

/// A change of the position and of the gradient.
struct Change {
    position: Vec<f64>,
    gradient: Vec<f64>,
    /// The inverse of the product of both changes.
    rho: f64,
}

/// The last accepted position, and the search for the next.
struct Iterate {
    settings: Lbfgs,
    position: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// The last direction from stored changes; empty if there was none.
    newton: Vec<f64>,
    changes: VecDeque<Change>,
    /// Iterations in a row with a small fall of the loss.
    small: usize,
    phase: Phase,
}

impl Descent for Iterate {
    fn step(&mut self, seen: Seen<'_>, position: &mut [f64]) -> Step {
        match &mut self.phase {
            Phase::Start if !seen.is_finite() => Step::NotFinite,
            Phase::Start => {
                self.accept(seen, position);
                self.search(position)
            }
            Phase::Look(outcome) => {
                let outcome = *outcome;
                let falls = seen.loss.is_finite() && dot(seen.gradient, &self.newton) < 0.0;
                position.copy_from_slice(&self.position);
                if falls { Step::Unattained } else { outcome }
            }
            Phase::Search(search) => {
                let slope = dot(seen.gradient, &self.direction);
                match search.learn(seen.loss, slope) {
                    Search::Try(step) => {
                        self.move_by(step, position);
                        Step::Moved
                    }
                    Search::Accept => self.advance(seen, position),
                    Search::Fail => self.fail(position),
                }
            }
        }
    }

    fn settle(&self, position: &mut [f64]) {
        if self.loss.is_finite() {
            position.copy_from_slice(&self.position);
        }
    }
}

impl Iterate {
    fn accept(&mut self, seen: Seen<'_>, position: &[f64]) {
        self.position.copy_from_slice(position);
        self.gradient.copy_from_slice(seen.gradient);
        self.loss = seen.loss;
    }

    fn move_by(&self, step: f64, position: &mut [f64]) {
        let line = self.position.iter().zip(&self.direction);
        for (to, (x, d)) in position.iter_mut().zip(line) {
            *to = x + step * d;
        }
    }

    /// A fall of the loss relative to the larger of 1 and the loss.
    fn relative(&self, fall: f64) -> f64 {
        fall / self.loss.abs().max(1.0)
    }

    /// Continues from the step that the search accepted.
    fn advance(&mut self, seen: Seen<'_>, position: &mut [f64]) -> Step {
        let fall = self.relative(self.loss - seen.loss);
        self.remember(seen.gradient, position);
        self.accept(seen, position);
        self.point();
        let promised = self.relative(-0.5 * dot(&self.gradient, &self.direction));
        let is_small = promised.max(fall) <= self.settings.tolerance;
        self.small = if is_small { self.small + 1 } else { 0 };
        if self.small >= REPEATS {
            return self.end(Step::Converged, position);
        }
        self.search(position)
    }

    /// Adds the change to the accepted position, if the loss is convex along it.
    fn remember(&mut self, gradient: &[f64], position: &[f64]) {
        let difference = |new: &[f64], old: &[f64]| -> Vec<f64> {
            new.iter().zip(old).map(|(new, old)| new - old).collect()
        };
        let change = difference(position, &self.position);
        let of_gradient = difference(gradient, &self.gradient);
        let product = dot(&change, &of_gradient);
        if product > f64::EPSILON * dot(&of_gradient, &of_gradient) {
            if self.changes.len() == self.settings.memory {
                self.changes.pop_front();
            }
            self.changes.push_back(Change {
                position: change,
                gradient: of_gradient,
                rho: 1.0 / product,
            });
        }
    }

    /// The direction of the next step: minus the inverse Hessian times the gradient (algorithm 7.4, two loops).
    fn point(&mut self) {
        let direction = &mut self.direction;
        for (d, g) in direction.iter_mut().zip(&self.gradient) {
            *d = -g;
        }
        let mut shares = Vec::with_capacity(self.changes.len());
        for change in self.changes.iter().rev() {
            let share = change.rho * dot(&change.position, direction);
            add(direction, -share, &change.gradient);
            shares.push(share);
        }
        if let Some(last) = self.changes.back() {
            let scale = 1.0 / (last.rho * dot(&last.gradient, &last.gradient));
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (change, share) in self.changes.iter().zip(shares.into_iter().rev()) {
            let other = change.rho * dot(&change.gradient, direction);
            add(direction, share - other, &change.position);
        }
        if !self.changes.is_empty() {
            self.newton.clone_from(&self.direction);
        }
    }

    /// Begins a search along the direction.
    fn search(&mut self, position: &mut [f64]) -> Step {
        if self.changes.is_empty() {
            self.point();
        }
        let mut slope = dot(&self.gradient, &self.direction);
        if slope >= 0.0 || !slope.is_finite() {
            // rounding has spoilt the stored changes
            self.changes.clear();
            self.point();
            slope = dot(&self.gradient, &self.direction);
        }
        if slope == 0.0 {
            return self.end(Step::Converged, position);
        }
        // without stored changes the gradient has no scale: the first step has length 1 at most
        let first = if self.changes.is_empty() {
            (-slope).sqrt().recip().min(1.0)
        } else {
            1.0
        };
        self.phase = Phase::Search(LineSearch::new(self.loss, slope, first));
        self.move_by(first, position);
        Step::Moved
    }

    /// Continues after a search that found no step: without stored changes; if there were none, ends.
    fn fail(&mut self, position: &mut [f64]) -> Step {
        if !self.changes.is_empty() {
            self.changes.clear();
            return self.search(position);
        }
        let promised = self.relative(-0.5 * dot(&self.gradient, &self.newton));
        let is_close = !self.newton.is_empty() && promised <= ROUGH;
        let outcome = if is_close {
            Step::Converged
        } else {
            Step::Stalled
        };
        self.end(outcome, position)
    }

    /// Ends with `outcome`, or looks ahead first.
    fn end(&mut self, outcome: Step, position: &mut [f64]) -> Step {
        position.copy_from_slice(&self.position);
        let moves = self.newton.iter().zip(&self.position);
        let is_far = moves
            .into_iter()
            .any(|(d, x)| d.abs() > FAR * (1.0 + x.abs()));
        if !is_far {
            return outcome;
        }
        add(position, AHEAD, &self.newton);
        self.phase = Phase::Look(outcome);
        Step::Moved
    }
}

/// `to += factor * from`.
fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimises a loss with its gradient; returns the position, the final step and the number of evaluations.
    fn minimise<const N: usize>(
        start: [f64; N],
        loss: impl Fn([f64; N]) -> (f64, [f64; N]),
    ) -> ([f64; N], Step, usize) {
        let mut descent = Lbfgs::new().start(N);
        let mut x = start;
        for evaluations in 1..10_000 {
            let (loss, gradient) = loss(x);
            let seen = Seen {
                loss,
                gradient: &gradient,
                epoch: 0.0,
                epochs: 1.0,
            };
            let step = descent.step(seen, &mut x);
            if step != Step::Moved {
                return (x, step, evaluations);
            }
        }
        panic!("it does not end: {x:?}")
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let (x, step, evaluations) = minimise([-1.2, 1.0], |[x, y]| {
            let (a, b) = (1.0 - x, y - x * x);
            let gradient = [-2.0 * a - 400.0 * x * b, 200.0 * b];
            (a * a + 100.0 * b * b, gradient)
        });
        assert_eq!(step, Step::Converged);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{x:?}");
        assert!(evaluations < 100, "{evaluations}");
    }

    #[test]
    fn a_parabola_with_scales_from_one_to_a_million_is_minimised() {
        let scales: [f64; 7] = std::array::from_fn(|k| 10f64.powi(k as i32));
        let (x, step, evaluations) = minimise([1.0; 7], |x| {
            let gradient = std::array::from_fn(|k| scales[k] * (x[k] - 0.5));
            let square = |k: usize| 0.5 * scales[k] * (x[k] - 0.5).powi(2);
            (1000.0 + (0..7).map(square).sum::<f64>(), gradient)
        });
        assert_eq!(step, Step::Converged);
        assert!(x.iter().all(|x| (x - 0.5).abs() < 1e-3), "{x:?}");
        assert!(evaluations < 200, "{evaluations}");
    }

    #[test]
    fn a_loss_that_falls_forever_has_no_minimum() {
        let (x, step, _) = minimise([0.3, 2.0], |[x, y]| {
            ((-x).exp() + y * y, [-(-x).exp(), 2.0 * y])
        });
        assert_eq!(step, Step::Unattained, "{x:?}");
    }

    #[test]
    fn a_start_without_a_loss_and_a_minimum_at_the_start_end_at_once() {
        let (_, step, evaluations) = minimise([1.0], |_| (f64::INFINITY, [0.0]));
        assert_eq!((step, evaluations), (Step::NotFinite, 1));
        let (_, step, evaluations) = minimise([1.0], |[x]| ((x - 1.0).powi(2), [2.0 * (x - 1.0)]));
        assert_eq!((step, evaluations), (Step::Converged, 1));
    }
}
