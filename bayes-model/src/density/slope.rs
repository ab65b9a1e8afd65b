//! A derivative of a density, compared with finite differences whose error is estimated.

use super::{Counts, LogDensity, Particles, Target};

/// Steps of the first two differences, relative to the size of the position. A long step is inaccurate if the density is
/// strongly curved, a short one if it is large.
const STEPS: [f64; 2] = [1e-3, 1e-4];
/// A smaller relative error needs no closer look.
const CLOSE: f64 = 1e-6;
/// The first and the last step of the closer look, and the factor from one to the next.
const CLOSER: [f64; 2] = [0.1, 1e-8];
const SHRINK: f64 = 0.5;
/// The error of a difference may be this multiple of its estimate. Estimates at several steps are compared, and the smallest may be small
/// by chance.
const SAFETY: f64 = 8.0;

/// A derivative by automatic differentiation and by finite differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// By automatic differentiation.
    pub gradient: f64,
    /// By a difference of fourth order.
    pub difference: f64,
    /// The difference of both beyond the estimated error of the finite difference, relative to the largest of 1 and the derivative.
    pub error: f64,
}

/// The density on a line through a position.
pub struct Line<'a> {
    /// What is evaluated.
    pub density: &'a dyn LogDensity,
    /// The start of the line, `[dim]`.
    pub position: &'a [f64],
    /// The change of the position by a step of 1, `[dim]`.
    pub direction: &'a [f64],
}

impl Line<'_> {
    /// The log posterior density at each of `steps` from the position.
    ///
    /// One particle at a time, because a model that reads the plain value of a random quantity sees the value of the first particle.
    pub fn values<const N: usize>(&self, steps: [f64; N]) -> [f64; N] {
        let mut one = Particles::new(1, self.position.len());
        steps.map(|step| {
            let moved = self.position.iter().zip(self.direction);
            for (at, (x, v)) in one.positions.iter_mut().zip(moved) {
                *at = x + step * v;
            }
            Target::posterior(self.density).evaluate(&mut one.block(), &mut Counts::default());
            one.log_prior[0] + one.log_likelihood[0]
        })
    }

    /// Compares the derivative `gradient` along the line with differences; `None` if the density is not finite around the position.
    /// `size` is the length of the steps that count as 1.
    pub fn compare(&self, gradient: f64, size: f64) -> Option<Comparison> {
        let first = STEPS.map(|step| self.difference(step * size));
        let comparisons = first.into_iter().flatten();
        let comparisons = comparisons.map(|found| found.compare(gradient, 0.0));
        let best = comparisons.min_by(|a, b| a.error.total_cmp(&b.error))?;
        if best.error <= CLOSE {
            return Some(best);
        }
        self.settled(size)
            .map(|(difference, error)| difference.compare(gradient, SAFETY * error))
    }

    /// The difference of fourth order with this step, if the density is finite at all its points.
    fn difference(&self, step: f64) -> Option<Difference> {
        let values = self.values([step, -step, 2.0 * step, -2.0 * step]);
        if !values.iter().all(|x| x.is_finite()) {
            return None;
        }
        let (near, far) = (values[0] - values[1], values[2] - values[3]);
        let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        Some(Difference {
            slope: (8.0 * near - far) / (12.0 * step),
            step,
            values,
            rounding: f64::EPSILON * largest,
        })
    }

    /// The difference with the least estimated error among differences with ever shorter steps, and this error. The estimate is the
    /// distance to the difference with the next step, plus the rounding of the density.
    ///
    /// A stiff density has a short range of steps that are neither too long for its curvature nor too short for its rounding.
    fn settled(&self, size: f64) -> Option<(Difference, f64)> {
        let mut best: Option<(Difference, f64)> = None;
        let mut last: Option<Difference> = None;
        let mut step = CLOSER[0] * size;
        while step >= CLOSER[1] * size {
            let next = self.difference(step);
            if let (Some(long), Some(short)) = (&last, &next) {
                let distance = (long.slope - short.slope).abs();
                let error = distance + self.noise(short) / short.step;
                if best.as_ref().is_none_or(|(_, least)| error < *least) {
                    best = next.clone().map(|short| (short, error));
                }
            }
            last = next;
            step *= SHRINK;
        }
        best
    }

    /// The rounding error of the density, estimated from neighbouring points. The density of a Gaussian process loses digits by the
    /// condition number of its covariance, so a bound by the size of the density would not be enough.
    fn noise(&self, difference: &Difference) -> f64 {
        let step = difference.step * (1.0 + NEARBY);
        let nearby = self.values([step, -step, 2.0 * step, -2.0 * step]);
        let pairs = difference.values.iter().zip(nearby);
        let changes = pairs.map(|(a, b)| (a - b).abs());
        changes.fold(difference.rounding, f64::max)
    }
}

/// The distance, relative to the step, between the points for the estimate of the density's rounding error.
const NEARBY: f64 = 1e-9;

/// A finite difference.
#[derive(Clone, Debug)]
struct Difference {
    slope: f64,
    step: f64,
    values: [f64; 4],
    /// The rounding error of a density of this size.
    rounding: f64,
}

impl Difference {
    fn compare(&self, gradient: f64, error: f64) -> Comparison {
        let difference = self.slope;
        let scale = gradient.abs().max(difference.abs()).max(1.0);
        let rounding = SAFETY * self.rounding / self.step;
        let beyond = (gradient - difference).abs() - rounding - error;
        Comparison {
            gradient,
            difference,
            error: beyond.max(0.0) / scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Block;

    /// A wave on a hill, too short for any step of the first two differences.
    struct Stiff;

    const WAVE: f64 = 3e4;

    impl LogDensity for Stiff {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [-x[0] * x[0], 5.0 * (WAVE * x[0]).sin()]);
        }
    }

    fn compared(at: f64, factor: f64) -> Comparison {
        let slope = -2.0 * at + 5.0 * WAVE * (WAVE * at).cos();
        let line = Line {
            density: &Stiff,
            position: &[at],
            direction: &[1.0],
        };
        line.compare(factor * slope, 1.0).expect("it is finite")
    }

    #[test]
    fn a_right_derivative_of_a_stiff_density_is_right() {
        for at in [0.0, 0.3, -1.7, 2.2] {
            let found = compared(at, 1.0);
            assert!(found.error < 1e-6, "{at}: {found:?}");
        }
    }

    #[test]
    fn a_wrong_derivative_of_a_stiff_density_is_wrong() {
        for at in [0.0, 0.3, -1.7, 2.2] {
            let found = compared(at, 1.001);
            assert!(found.error > 5e-4, "{at}: {found:?}");
        }
    }
}
