//! PAI: parallel active inference with Gaussian-process surrogates.

mod cells;
mod node;
mod proposal;
#[cfg(test)]
mod tests;
mod verify;

use super::{Combine, DRAWS, Parts, Sample, setters};
use bayes_core::internal::add_gains;
use bayes_core::internal::parallel;
use bayes_core::rng::{Key, Purpose};
use bayes_core::run::Weights;
use bayes_core::{CombineError, Error};
use node::{Node, Points};
use verify::Stage;

/// Least number of different draws of a part.
const FEWEST: usize = 4;

/// Parallel active inference (de Souza, Mesquita, Kaski and Acerbi 2022): a Gaussian process stands for the log density of each part, and
/// the sum of their means for that of the posterior, where they are certain.
///
/// 1. Each part chooses `20 (D + 2)` of its draws by k-medoids, fits a process, and adds draws where the acquisition function MAXIQR is
///    largest (active subsampling; `.subsampling_rounds(0)` leaves it out).
/// 2. Each part evaluates its density at the points of all others, and keeps those that its process did not expect and that matter (sharing;
///    `.sharing(false)`).
/// 3. Each part evaluates its density at new points where MAXIQR is largest in the box of all points (active refinement;
///    `.refinement_rounds(0)`).
/// 4. Each part evaluates its density at draws of the combination, those where its process is uncertain and random ones, until all values are
///    as expected (verification, which the paper does not have; `.verification_rounds(0)`). It removes modes that are there only because one
///    process is high by chance where no part has a point, and corrects processes that are certain and wrong. If the rounds end before, each
///    part evaluates its density at `10 D` draws (at least 20) of the last combination; where more than a tenth of them is not as expected,
///    also at draws of those after the first stages and after the round whose draws were least uncertain. The nearest to the posterior is
///    taken, and [`Warning::Unexpected`](super::Warning::Unexpected) says if it is off too.
/// 5. The combination is sampled by importance sampling; [`Combination::ess`] is its effective sample size. Its log density is
///    `Σ_k mean_k - 2 max(0, sd - 1)` with the standard deviation of the sum: a mean that is high where no part has a point is no evidence
///    of mass. Without verification it is `Σ_k mean_k`, as in the paper. With `.importance(true)` every part evaluates its density exactly at
///    the draws, and weights correct the errors of the processes (PAI-DIS; Nemeth and Sherlock 2018): then the draws are as right as the
///    weights are even.
///
/// [`Combination::evaluations`] counts the exact evaluations, and `.budget(n)` limits them. [`Pai::gp`] is the plain baseline: processes on
/// random draws of each part, without any of the stages.
///
/// Log densities far below the largest of a part have noise, so that the processes need not go through them ("noise shaping", Li, Clarté,
/// Jørgensen and Acerbi 2023; the paper of PAI does not have it): in six dimensions refinement finds many, and the fits give up the middle for
/// them.
///
/// A process with n points costs n³; PAI is for up to about ten coordinates.
///
/// [`Combination::ess`]: super::Combination::ess
/// [`Combination::evaluations`]: super::Combination::evaluations
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pai {
    seed: u64,
    draws: usize,
    medoids: bool,
    subsampling_rounds: usize,
    sharing: bool,
    refinement_rounds: usize,
    verification_rounds: usize,
    importance: bool,
    exploration: f64,
    budget: Option<usize>,
}

impl Default for Pai {
    fn default() -> Self {
        Self::new()
    }
}

impl Pai {
    /// All stages with 25 rounds, 4000 draws, exploration 20, without exact importance weights and without a limit.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seed: 0,
            draws: DRAWS,
            medoids: true,
            subsampling_rounds: 25,
            sharing: true,
            refinement_rounds: 25,
            verification_rounds: 10,
            importance: false,
            exploration: 20.0,
            budget: None,
        }
    }

    /// The plain baseline: a process for each part on as many random draws of it as PAI chooses (Nemeth and Sherlock 2018). With
    /// `.importance(true)` it is GP-DIS.
    #[must_use]
    pub fn gp() -> Self {
        Self {
            medoids: false,
            sharing: false,
            refinement_rounds: 0,
            verification_rounds: 0,
            ..Self::new()
        }
    }

    /// Rounds of D draws each that are added from the part's own run; 25 by default. For [`Pai::gp`], how many more random draws are used.
    #[must_use]
    pub fn subsampling_rounds(self, rounds: usize) -> Self {
        Self {
            subsampling_rounds: rounds,
            ..self
        }
    }

    /// Whether parts evaluate their density at the points of the others.
    #[must_use]
    pub fn sharing(self, sharing: bool) -> Self {
        Self { sharing, ..self }
    }

    /// Rounds of D new points each; 25 by default.
    #[must_use]
    pub fn refinement_rounds(self, rounds: usize) -> Self {
        Self {
            refinement_rounds: rounds,
            ..self
        }
    }

    /// The greatest number of rounds of at most 2 D exact evaluations of each part at draws of the combination; 10 by default. With 0 the
    /// combination has the sums of means also where the processes are uncertain.
    #[must_use]
    pub fn verification_rounds(self, rounds: usize) -> Self {
        Self {
            verification_rounds: rounds,
            ..self
        }
    }

    /// Whether the draws are weighted by the exact densities of all parts.
    #[must_use]
    pub fn importance(self, importance: bool) -> Self {
        Self { importance, ..self }
    }

    /// The u of MAXIQR: how many standard deviations above the mean a point is judged by. 20 by default, as in the paper; the authors' notebook
    /// has 50.
    #[must_use]
    pub fn exploration(self, exploration: f64) -> Self {
        Self {
            exploration,
            ..self
        }
    }

    /// The greatest number of exact evaluations of each part's density. Sharing comes first, then refinement, then the importance weights.
    #[must_use]
    pub fn budget(self, evaluations: usize) -> Self {
        Self {
            budget: Some(evaluations),
            ..self
        }
    }

    setters!();

    fn validate(&self) -> Result<(), Error> {
        self.validate_draws()?;
        let u = self.exploration;
        let holds = u > 0.0 && u.is_finite();
        Error::setting("exploration", u, holds, "a finite number above 0")
    }

    /// The stages before the combination: one node for each part, and their processes after the first stages.
    fn nodes<'a>(&self, parts: &'a Parts<'a>) -> Result<(Vec<Node<'a>>, Vec<Stage>), Error> {
        let key = Key::new(self.seed, Purpose::Combine);
        let begin = |part: usize| {
            let found = parts.draws()[part].distinct().len();
            if found < FEWEST {
                return Err(CombineError::TooFewDraws {
                    part,
                    found,
                    needed: FEWEST,
                });
            }
            let mut node = Node::begin(self, parts, part, key.group(part as u64))?;
            if self.medoids {
                node.subsample(self)?;
            }
            Ok(node)
        };
        let mut nodes: Vec<Node<'_>> = parallel::try_map(0..parts.len(), begin)?;
        let processes = |nodes: &[Node<'_>]| nodes.iter().map(|node| node.gp.clone()).collect();
        let mut stages: Vec<Stage> = vec![processes(&nodes)];
        let chosen: Vec<Points> = nodes.iter().map(Node::points).collect();
        if self.sharing {
            let share = |node: &mut Node<'_>| node.share(self, &chosen);
            parallel::try_map(&mut nodes, share)?;
            stages.push(processes(&nodes));
        }
        let all: Vec<f64> = chosen
            .iter()
            .flat_map(|points| points.positions.clone())
            .collect();
        let refine = |node: &mut Node<'_>| node.refine(self, &all);
        parallel::try_map(&mut nodes, refine)?;
        Ok((nodes, stages))
    }
}

impl Combine for Pai {
    fn name(&self) -> &'static str {
        match (self.medoids, self.importance) {
            (true, false) => "pai",
            (true, true) => "pai_dis",
            (false, false) => "gp",
            (false, true) => "gp_dis",
        }
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        self.validate()?;
        let (mut nodes, stages) = self.nodes(parts)?;
        let mut sample = verify::verified(self, parts, &mut nodes, stages)?;
        if self.importance {
            exact_weights(&mut nodes, &mut sample)?;
        } else if let Some(importance) = &mut sample.importance {
            importance.log_evidence = None;
        }
        sample.evaluations = nodes.iter().map(|node| node.evaluations).collect();
        if nodes.iter().any(|node| node.is_spent) {
            let budget = self.budget.unwrap_or(usize::MAX);
            sample.warnings.push(super::Warning::BudgetSpent { budget });
        }
        Ok(sample)
    }
}

/// Weights the draws by the product of the exact densities over the density of the surrogate. Where the budget does not suffice for all
/// draws, evenly spaced ones are kept.
fn exact_weights(nodes: &mut [Node<'_>], sample: &mut Sample) -> Result<(), CombineError> {
    let (draws, dim) = (sample.log_density.len(), nodes[0].gp.dim());
    let left = nodes.iter().map(Node::left).min().unwrap_or(0).min(draws);
    if left < 2 {
        nodes.iter_mut().for_each(|node| node.is_spent = true);
        if let Some(importance) = &mut sample.importance {
            importance.log_evidence = None;
        }
        return Ok(());
    }
    let kept: Vec<usize> = (0..left).map(|i| i * draws / left).collect();
    let rows = kept
        .iter()
        .flat_map(|i| &sample.positions[i * dim..(i + 1) * dim]);
    let positions: Vec<f64> = rows.copied().collect();
    let evaluate = |node: &mut Node<'_>| node.evaluate(&positions);
    let exact: Vec<Vec<f64>> = parallel::map(&mut *nodes, evaluate);
    nodes
        .iter_mut()
        .for_each(|node| node.is_spent |= left < draws);
    let total: Vec<f64> = (0..left)
        .map(|i| exact.iter().map(|values| values[i]).sum())
        .collect();
    let pairs = kept.iter().zip(&total);
    let log_weights: Vec<f64> = pairs
        .map(|(i, total)| total - sample.log_density[*i])
        .collect();
    let log_mean = bayes_core::numeric::log_mean_exp(&log_weights);
    if log_mean == f64::NEG_INFINITY {
        return Err(CombineError::NoWeight { draws: left });
    }
    if let Some(importance) = &mut sample.importance {
        importance.log_evidence = importance.log_evidence.map(|log| log + log_mean);
        importance.ancestors = kept.iter().map(|i| importance.ancestors[*i]).collect();
        let weights = Weights::from_logs(&log_weights);
        let shares = weights.as_slice().iter();
        let shares = shares.map(|share| [1.0 / left as f64, *share]);
        add_gains(&mut importance.gains, &importance.ancestors, shares);
        importance.ess = effective(&weights, &importance.ancestors);
        importance.weights = left;
        importance.log_weights = log_weights;
    }
    (sample.positions, sample.log_density) = (positions, total);
    Ok(())
}

/// The effective sample size of weighted draws of which some are the same proposal: the weights of a proposal count together.
fn effective(weights: &Weights, ancestors: &[u32]) -> f64 {
    let mut shares = std::collections::BTreeMap::<u32, f64>::new();
    for (ancestor, weight) in ancestors.iter().zip(weights.as_slice()) {
        *shares.entry(*ancestor).or_default() += weight;
    }
    shares
        .values()
        .map(|share| share * share)
        .sum::<f64>()
        .recip()
}
