//! Compares the gradient of a density with finite differences at prior draws of a run.

use super::slope::{Comparison, Line};
use super::{Counts, LogDensity, Particles, Target};
use crate::rng::{Key, Purpose};
use serde::{Deserialize, Serialize};

/// Number of prior draws.
const DRAWS: usize = 10;
/// Minimum number of draws with a fault before it is reported: at a single draw the difference may be wrong despite its estimated error.
const REPORTED: usize = 2;
/// A larger relative error of a derivative is a fault.
const TOLERANCE: f64 = 1e-3;
/// Maximum number of coordinates of a density that is checked: for a network it may take long.
const MAX_CHECKED: usize = 1000;

/// A gradient that disagrees with finite differences of the density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientFault {
    /// Number of prior draws with a disagreement.
    pub met: usize,
    /// Number of prior draws with a comparison.
    pub of: usize,
    /// The derivative in one direction by the gradient, at the largest disagreement.
    pub gradient: f64,
    /// The same derivative by differences.
    pub difference: f64,
}

impl dyn LogDensity + '_ {
    /// Compares the derivative in one direction with differences at prior draws; `None` if they agree.
    ///
    /// A wrong gradient leaves the draws exact, because moves are accepted by the density alone; the only sign would be a low acceptance.
    /// The comparison takes about ten evaluations at each draw, and more at a disagreement.
    pub fn gradient_fault(&self) -> Option<GradientFault> {
        let dim = self.dim();
        if dim > MAX_CHECKED {
            return None;
        }
        let discrete = self.describe().discrete;
        let component = |(i, discrete): (usize, &bool)| match discrete {
            true => 0.0,
            false => 1.5 + (i as f64).cos(),
        };
        let direction: Vec<f64> = discrete.iter().enumerate().map(component).collect();
        let compared = (0..DRAWS).filter_map(|i| self.compare(i as u64, &direction));
        let compared: Vec<Comparison> = compared.collect();
        let faults = compared.iter().filter(|found| found.error > TOLERANCE);
        let met = faults.clone().count();
        let worst = faults.max_by(|a, b| a.error.total_cmp(&b.error))?;
        (met >= REPORTED).then_some(GradientFault {
            met,
            of: compared.len(),
            gradient: worst.gradient,
            difference: worst.difference,
        })
    }

    /// The comparison at prior draw `item`, if the density and its gradient are finite there.
    fn compare(&self, item: u64, direction: &[f64]) -> Option<Comparison> {
        let mut one = Particles::new(1, direction.len());
        let key = Key::new(0, Purpose::Validation).item(item);
        self.draw_start(&mut key.stream(), &mut one.positions);
        let mut counts = Counts::default();
        Target::posterior(self).evaluate_gradient(&mut one.block(), &mut counts);
        let finite = (one.log_prior[0] + one.log_likelihood[0]).is_finite();
        if !finite || counts.non_finite_gradients > 0 {
            return None;
        }
        let parts = one.gradient.iter().zip(direction);
        let gradient = parts.map(|(slope, step)| slope * step).sum();
        let line = Line {
            density: self,
            position: &one.positions,
            direction,
        };
        line.compare(gradient, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Block;

    /// A normal density whose gradient is multiplied by `factor` where the first coordinate is above `from`.
    struct Normal {
        factor: f64,
        from: f64,
    }

    impl LogDensity for Normal {
        fn dim(&self) -> usize {
            3
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x.iter().map(|x| x * x).sum::<f64>()]);
        }
        fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for i in 0..block.len() {
                for k in block.row(i) {
                    let factor = if block.positions[3 * i] > self.from {
                        self.factor
                    } else {
                        1.0
                    };
                    block.gradient[k] = -weights[1] * factor * block.positions[k];
                }
            }
        }
    }

    fn fault(factor: f64, from: f64) -> Option<GradientFault> {
        let density: &dyn LogDensity = &Normal { factor, from };
        density.gradient_fault()
    }

    #[test]
    fn a_wrong_gradient_is_found() {
        assert_eq!(fault(1.0, -9.0), None);
        let found = fault(0.9, -9.0).expect("all slopes are wrong");
        assert_eq!((found.met, found.of), (DRAWS, DRAWS));
        assert!((found.gradient / found.difference - 0.9).abs() < 1e-6);
    }

    #[test]
    fn a_gradient_that_is_wrong_in_a_region_is_found() {
        let found = fault(0.9, 0.0).expect("half of the slopes are wrong");
        assert!((REPORTED..DRAWS).contains(&found.met), "{found:?}");
    }
}
