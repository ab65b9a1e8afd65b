//! Control variates: gradients of the states reduce the variance of the mean weight.
//!
//! For a polynomial p the target π has (integration by parts)
//!
//! ```text
//! E[Δp + ∇p · ∇log π] = 0
//!
//! p = z_k          ∂_k log π
//! p = z_k² / 2     1 + z_k ∂_k log π
//! p = z_j z_k      z_j ∂_k log π + z_k ∂_j log π
//! ```
//!
//! so any combination of these functions can be subtracted from the weights of the states without a change of their mean. Near a Gaussian
//! the log likelihood is nearly quadratic, and so are the weights of a short step of the ladder: most of their variance vanishes. The
//! gradients come from the last moves along trajectories and cost nothing. Random walks have none: after them the gradient of each state
//! is evaluated as long as the functions help, and at a few temperatures to see whether they do.
//!
//! Assaraf & Caffarel (1999); Mira, Solgi & Imparato (2013); for the log evidence by thermodynamic integration Oates, Papamarkou &
//! Girolami (2016).

mod lanes;
mod polynomials;
mod products;
#[cfg(test)]
mod tests;

pub(in crate::engine) use polynomials::number_of_functions;

use self::lanes::{Coordinates, Part};
use self::polynomials::Polynomials;
use super::adaptation_bias::of_values;
use super::island::Island;
use super::walks;
use crate::density::jumps;
use crate::density::{Counts, GradientMode, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::add_gains;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use std::ops::Range;

/// The numbers of parts of the states, with few states for each function and with many; the combination for a part is fitted to the other
/// parts. A combination that is fitted to the same states from which it is subtracted makes the mean too small by the share of the functions
/// in the states. Even, because coordinates are fitted to halves.
const FOLDS: [usize; 2] = [4, 2];

/// The number of states for each function from which there are many. Fits to N/2 states leave (N/2 + F) / (N/2 - F) times the variance that
/// no combination of F functions explains, at most 1.13, those to 3N/4 states 1.09, for twice the time.
const MANY: usize = 32;

/// The functions are used where they leave at most this share of the variance of the weights.
///
/// Where the functions explain little, a few states often carry them. For example, a density that drops like a wall within a hundredth of
/// the states' width has gradients of a hundred in one state of a hundred. Populations that happen to have none of these states seem to
/// gain by the functions, whose mean is not 0 there; populations with some of them get their noise.
const WORTH: f64 = 0.6;

/// The maximum deviation from 0 of the mean of a combination over the states to which it is fitted, in standard errors of independent
/// states; the errors of a population are a little larger. Beyond it the states that carry the functions are missing.
const FAR: f64 = 5.0;

/// The relative increase of the diagonal of the normal equations: functions may be equal up to rounding.
const RIDGE: f64 = 1e-6;

/// One gradient in this number may be infinite or NaN: a trajectory went too far, and its states are rejected.
const RARE: u64 = 10_000;

/// Number of lines between prior draws in the search for a jump of the density.
const LINES: usize = 32;

/// Whether the density may jump; the means of the functions are then not 0. A model may if the search finds a jump. A
/// density written by hand always may, since it may also end somewhere.
pub(in crate::engine) fn may_jump(density: &dyn LogDensity) -> bool {
    let arithmetic = density.describe().arithmetic;
    if arithmetic.gradient == GradientMode::Automatic {
        return true;
    }
    // without a choice that depends on random values, every term is smooth
    if arithmetic.trace.is_some_and(|trace| trace.choices == 0) {
        return false;
    }
    let Some(prior) = density.prior() else {
        return true;
    };
    let key = Key::new(0, Purpose::Validation);
    let draws = Particles::of_prior(2 * LINES, density.dim(), prior, key);
    let all: Vec<usize> = (0..draws.len()).collect();
    jumps::largest(density, &draws, &all).0.is_some()
}

/// Evaluates the gradients of the target at states. Returns whether all of them are finite.
pub(in crate::engine) fn gradients(
    states: &mut Particles,
    target: Target<'_>,
    counts: &mut Counts,
) -> bool {
    // the densities are kept, because evaluation with gradients may change their last bits
    let mut copy = states.clone();
    let found = mover::evaluate_gradient(&mut copy, target);
    states.gradient = copy.gradient;
    counts.gradient_evaluations += found.gradient_evaluations;
    found.non_finite_gradients == 0
}

/// A reweighting of states with equal weights.
pub(in crate::engine) struct Reweighting<'a> {
    /// The new weights, which sum to 1, `[states]`.
    pub(in crate::engine) weights: &'a [f64],
    /// Log of the mean incremental weight.
    pub(in crate::engine) log_increment: f64,
    /// The derivative of the log weights along the path, `[states]`.
    pub(in crate::engine) potential: &'a [f64],
    /// Whether the states decided the length of the step; otherwise it was known before.
    pub(in crate::engine) is_adapted: bool,
    /// The bias of `log_increment` for this reason.
    pub(in crate::engine) adaptation_bias: f64,
}

/// Continues the island's evidence by control variates through a reweighting.
///
/// Control variates end where a state has a likelihood of zero, since the density may end there. They also end where too many gradients
/// were not finite: such gradients are then 0, and some of the states may have them.
pub(in crate::engine) fn learn(island: &mut Island, reweighting: &Reweighting<'_>) {
    let weights = reweighting.weights;
    let ends = !reweighting.potential.iter().all(|p| p.is_finite());
    let counts = &island.counts;
    let unknown = counts.non_finite_gradients.saturating_mul(RARE) > counts.gradient_evaluations;
    if ends || unknown {
        island.controlled = None;
    }
    let Some(controlled) = &mut island.controlled else {
        return;
    };
    let n = weights.len() as f64;
    let weights: Vec<f64> = weights.iter().map(|w| w * n).collect();
    let families = (&*island.ancestors, controlled.gains.len());
    controlled.log_evidence += reweighting.log_increment;
    let has_gradients =
        walks::have_gradients(island.walks, island.controls_help, island.history.len());
    let controls = has_gradients.then(|| Controls::of(&island.particles));
    let controls = controls
        .flatten()
        .and_then(|controls| controls.where_they_win(&weights));
    island.controls_help = controls.is_some();
    let Some((controls, values)) = controls else {
        // the increment by the weights, minus its bias
        controlled.log_evidence -= reweighting.adaptation_bias;
        let shares = weights.iter().map(|weight| [1.0 / n, weight / n]);
        return add_gains(&mut controlled.gains, &island.ancestors, shares);
    };
    let sum: f64 = values.iter().sum();
    let subtracted = |values: Vec<f64>| controls.subtracted_from(&values);
    let bias = match reweighting.is_adapted {
        true => of_values(
            &weights,
            reweighting.potential,
            (&subtracted, sum / n),
            families,
        ),
        false => 0.0,
    };
    controlled.log_evidence += (sum / n).ln() - bias;
    controlled.temperatures += 1;
    let shares = values.iter().map(|value| [1.0 / n, value / sum]);
    add_gains(&mut controlled.gains, &island.ancestors, shares);
}

/// The variance of the values outside `states`.
fn variance_without(values: &[f64], states: &Range<usize>) -> f64 {
    let others = || values[..states.start].iter().chain(&values[states.end..]);
    let n = (values.len() - states.len()) as f64;
    let mean = others().sum::<f64>() / n;
    others().map(|x| (x - mean).powi(2)).sum::<f64>() / n
}

/// Functions whose means are 0, ready to be subtracted from values of the states.
struct Controls {
    sets: Vec<Set>,
}

/// Functions of all states, for the folds whose states did not decide over their coordinates.
struct Set {
    /// The states of all folds.
    ranges: Vec<Range<usize>>,
    /// What the functions are made of, for the states of each fold.
    parts: Vec<Part>,
    folds: Vec<Fold>,
}

/// States whose combination of functions is fitted to the other states.
struct Fold {
    number: usize,
    /// Sum of the functions over the other states, `[functions]`.
    others: DVector<f64>,
    /// The products of the functions, minus the products of their means, over the other states.
    products: Cholesky<f64, Dyn>,
}

impl Controls {
    /// The controls of states that have the gradients of their target. States are ordered by ancestor, so that few families are in two
    /// folds. `None` if there are too few states or if the functions depend on each other.
    ///
    /// The coordinates of products are fitted to one half of the states, for the folds in the other half. In coordinates that are fitted to
    /// all states, the functions have means of the order 1/N: on Rosenbrock's function in two coordinates these make the log evidence of 64
    /// particles too small by 0.02.
    fn of(states: &Particles) -> Option<Self> {
        let n = states.len();
        let polynomials = Polynomials::for_states(n, states.dim)?;
        let [early, late, all] = [0..n / 2, n / 2..n, 0..n];
        let folds = FOLDS[usize::from(n >= MANY * polynomials.count(states.dim))];
        let [first, second] = [0..folds / 2, folds / 2..folds];
        let sets = match polynomials {
            Polynomials::Quadratic => vec![(first, &late), (second, &early)],
            // their span is the same in all coordinates that differ in the origin
            Polynomials::Linear | Polynomials::Squares => vec![(0..folds, &all)],
        };
        let sets = parallel::map(sets, |(numbers, fitted)| {
            Set::of(states, (polynomials, fitted), folds, numbers)
        });
        let sets: Option<Vec<Set>> = sets.into_iter().collect();
        Some(Self { sets: sets? })
    }

    /// These controls, for the folds where they help, and the weights minus the functions; `None` if there is no such fold.
    ///
    /// Only the states of the other folds decide about a fold, as for its combination. In a population whose weights the functions
    /// explain well by chance, the functions have a mean that is not 0.
    fn where_they_win(mut self, weights: &[f64]) -> Option<(Self, Vec<f64>)> {
        let mut values = weights.to_vec();
        for set in &mut self.sets {
            set.keep_where_they_win(weights, &mut values);
        }
        let has_folds = self.sets.iter().any(|set| !set.folds.is_empty());
        let wins = has_folds && values.iter().sum::<f64>() > 0.0;
        wins.then_some((self, values))
    }

    /// The values minus a combination of the functions, fitted by least squares with an intercept, for the states of the folds.
    fn subtracted_from(&self, values: &[f64]) -> Vec<f64> {
        let mut subtracted = values.to_vec();
        for set in &self.sets {
            set.subtract(values, &mut subtracted);
        }
        subtracted
    }
}

impl Set {
    /// The folds with these `numbers`, of `folds` in all, with the functions of `polynomials` in coordinates that are fitted to some states.
    fn of(
        states: &Particles,
        (polynomials, fitted): (Polynomials, &Range<usize>),
        folds: usize,
        numbers: Range<usize>,
    ) -> Option<Self> {
        let n = states.len();
        let range = |fold| fold * n / folds..(fold + 1) * n / folds;
        let ranges: Vec<Range<usize>> = (0..folds).map(range).collect();
        let coordinates = Coordinates::fit(states, polynomials, fitted)?;
        let parts = parallel::map(&ranges, |range| {
            Part::new(states, polynomials, range, &coordinates)
        });
        let parts: Option<Vec<Part>> = parts.into_iter().collect();
        let parts = parts?;
        // of the states to which a fold is fitted
        let moments = parallel::map(0..folds, |number| {
            let is_fitted = numbers.clone().any(|fold| fold != number);
            let part = &parts[number];
            is_fitted.then(|| (part.moments(&vec![1.0; part.len()]), part.products()))
        });
        let fold = |number: usize| {
            let parts = || without(&moments, number);
            let others: DVector<f64> = parts().map(|(sums, _)| sums).sum();
            let mut products: DMatrix<f64> = parts().map(|(_, products)| products).sum();
            let states = (n - ranges[number].len()) as f64;
            products.ger(-1.0 / states, &others, &others, 1.0);
            for k in 0..others.len() {
                products[(k, k)] *= 1.0 + RIDGE;
            }
            Some(Fold {
                number,
                others,
                // of the lower triangle
                products: Cholesky::new(products)?,
            })
        };
        let own: Option<Vec<Fold>> = parallel::map(numbers.clone(), fold).into_iter().collect();
        Some(Self {
            folds: own?,
            ranges,
            parts,
        })
    }

    /// Leaves out the folds where the functions do not help, and subtracts the combinations of the others from the `values`, which are the
    /// weights.
    fn keep_where_they_win(&mut self, weights: &[f64], values: &mut [f64]) {
        let sums = self.sums(weights);
        let n = weights.len();
        let is_won = |fold: &Fold, (coefficients, moments): &(DVector<f64>, DVector<f64>)| {
            let states = &self.ranges[fold.number];
            let others = (n - states.len()) as f64;
            let total = others * variance_without(weights, states);
            let functions = moments.len() as f64;
            // the variance that a combination leaves in states to which it was not fitted (Akaike's final prediction error, 1969)
            let unseen = (others + functions) / (others - functions);
            let left = (1.0 - coefficients.dot(moments) / total) * unseen;
            let deviation = coefficients.dot(&fold.others) / coefficients.dot(moments).sqrt();
            // false also for NaN; equal weights differ by rounding
            left < WORTH && deviation.abs() < FAR && total > f64::EPSILON * others
        };
        let mut won = Vec::new();
        for fold in std::mem::take(&mut self.folds) {
            let fit = sums.fit(&fold);
            if is_won(&fold, &fit) {
                self.take(&fold, &fit.0, values);
                won.push(fold);
            }
        }
        self.folds = won;
    }

    /// Takes the combination of the functions that is fitted to `values` from the states of the folds.
    fn subtract(&self, values: &[f64], subtracted: &mut [f64]) {
        let sums = self.sums(values);
        for fold in &self.folds {
            self.take(fold, &sums.fit(fold).0, subtracted);
        }
    }

    /// Takes the combination of the functions with these coefficients from the states of a fold.
    fn take(&self, fold: &Fold, coefficients: &DVector<f64>, subtracted: &mut [f64]) {
        let combination = self.parts[fold.number].combination(coefficients.as_slice());
        let values = &mut subtracted[self.ranges[fold.number].clone()];
        values
            .iter_mut()
            .zip(combination)
            .for_each(|(v, c)| *v -= c);
    }

    fn sums(&self, values: &[f64]) -> Sums {
        let part = |(number, states): (usize, &Range<usize>)| {
            let is_fitted = self.folds.iter().any(|fold| fold.number != number);
            is_fitted.then(|| {
                let own = &values[states.clone()];
                let moments = self.parts[number].moments(own);
                (own.iter().sum(), states.len(), moments)
            })
        };
        let parts = self.ranges.iter().enumerate().map(part);
        Sums {
            parts: parts.collect(),
        }
    }
}

/// What there is for the parts of the states, without one of them.
fn without<T>(parts: &[Option<T>], number: usize) -> impl Iterator<Item = &T> {
    let all = parts.iter().enumerate();
    all.filter(move |(part, _)| *part != number)
        .filter_map(|(_, found)| found.as_ref())
}

/// Sums over the parts of the states to which a fold is fitted.
struct Sums {
    /// The sum of the values, the number of states, and the sums of the values times the functions, `[functions]`.
    parts: Vec<Option<(f64, usize, DVector<f64>)>>,
}

impl Sums {
    /// The coefficients of the functions, fitted to the states outside the fold. Also the sums, over these states, of the functions times
    /// (values minus their mean).
    fn fit(&self, fold: &Fold) -> (DVector<f64>, DVector<f64>) {
        let parts = || without(&self.parts, fold.number);
        let sum: f64 = parts().map(|(sum, ..)| sum).sum();
        let states: usize = parts().map(|(_, states, _)| states).sum();
        let moments: DVector<f64> = parts().map(|(_, _, moments)| moments).sum();
        let moments = moments - &fold.others * (sum / states as f64);
        (fold.products.solve(&moments), moments)
    }
}
