//! Verification: exact densities where the combination has mass and its processes are uncertain.

use super::super::surrogate::gp::{GaussianProcess, columns};
use super::super::{Parts, Sample, Warning};
use super::node::{Node, Seen};
use super::{Pai, proposal};
use bayes_core::CombineError;
use bayes_core::internal::parallel;
use nalgebra::DMatrix;

/// Draws at which the processes are asked how certain they are.
const LOOKED_AT: usize = 1000;
/// Standard deviation of the sum of the log densities up to which a draw is certain.
pub(super) const CERTAIN: f64 = 1.0;
/// The share of uncertain draws that is worth a warning.
const UNCERTAIN: f64 = 0.02;

/// Random draws for each coordinate at which all parts evaluate their density after the last round, and how many there are at least.
const LAST_LOOK: [usize; 2] = [10, 20];
/// The share of unexpected draws that is worth a warning.
const UNEXPECTED: f64 = 0.1;

/// The processes of all parts after a stage.
pub(super) type Stage = Vec<GaussianProcess>;

/// Draws of the combination, after rounds in which every part evaluates its density at D draws where its process is most uncertain and at D
/// random ones.
///
/// One process that is high by chance where no part has a point may still make a mode that is not there, although the combination is lower
/// where it is uncertain, and one that is sure of what it never saw may move the mass. Both are where the combination has its draws. Rounds
/// end with one in which all draws were certain and all values as expected, whose values do not become points, or when a part's budget is
/// spent.
///
/// Each fit may make a mode where no part has a point, also the last one. So where no such round was found, the exact log density at random
/// draws tells how right the combination is, and whether the one after another round or stage is nearer to the truth.
pub(super) fn verified(
    pai: &Pai,
    parts: &Parts<'_>,
    nodes: &mut [Node<'_>],
    stages: Vec<Stage>,
) -> Result<Sample, CombineError> {
    let (mut sample, is_settled, calmest) = after_rounds(pai, parts, nodes)?;
    if pai.verification_rounds == 0 {
        return Ok(sample);
    }
    let mut share = 0.0;
    if !is_settled {
        let stages = stages.into_iter().chain(calmest).collect();
        (sample, share) = nearest(pai, parts, nodes, (sample, stages))?;
    }
    if share > UNEXPECTED {
        sample.warnings.push(Warning::Unexpected { share });
    }
    let share = uncertain_share(nodes, &looked_at(&sample, parts.dim()));
    if share > UNCERTAIN {
        sample.warnings.push(Warning::Uncertain { share });
    }
    Ok(sample)
}

/// Draws after the rounds, whether the last one found nothing, and the processes of the round before whose draws were least uncertain.
fn after_rounds(
    pai: &Pai,
    parts: &Parts<'_>,
    nodes: &mut [Node<'_>],
) -> Result<(Sample, bool, Option<Stage>), CombineError> {
    let mut sample = combined(pai, parts, nodes)?;
    let tolerance = CERTAIN / (nodes.len() as f64).sqrt();
    let mut calmest: Option<(f64, Stage)> = None;
    for _ in 0..pai.verification_rounds {
        let at = looked_at(&sample, parts.dim());
        let look = |node: &mut Node<'_>| node.look(pai, &at, tolerance);
        let found: Vec<Seen> = parallel::map(&mut *nodes, look);
        if !found.iter().any(|seen| seen.is_off) {
            // new fits would change what was verified
            return Ok((sample, true, None));
        }
        let share = uncertain_share(nodes, &at);
        if calmest.as_ref().is_none_or(|best| share <= best.0) {
            let processes = nodes.iter().map(|node| node.gp.clone());
            calmest = Some((share, processes.collect()));
        }
        let learn = |(node, seen): (&mut Node<'_>, &Seen)| node.learn(&seen.points);
        parallel::try_map(nodes.iter_mut().zip(&found), learn)?;
        sample = combined(pai, parts, nodes)?;
        if nodes.iter().any(|node| node.is_spent) {
            break;
        }
    }
    Ok((sample, false, calmest.map(|best| best.1)))
}

/// What the exact log densities at random draws say of a combination.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// The share of draws at which they differ from the surrogates by more than [`CERTAIN`].
    share: f64,
    /// The mean of exact log density less log density of the normalised surrogate: the log evidence less the Kullback-Leibler divergence
    /// from the surrogate to the posterior. The largest is nearest to the posterior.
    bound: f64,
}

/// The draws given, or of the processes of a stage before if they are nearer to the posterior, and their share of unexpected draws. The
/// nodes then have these processes.
fn nearest(
    pai: &Pai,
    parts: &Parts<'_>,
    nodes: &mut [Node<'_>],
    (sample, stages): (Sample, Vec<Stage>),
) -> Result<(Sample, f64), CombineError> {
    let Some(last) = last_look(nodes, &sample) else {
        return Ok((sample, 0.0));
    };
    let mut best = (sample, last);
    if last.share <= UNEXPECTED {
        return Ok((best.0, last.share));
    }
    for stage in stages {
        let processes: Vec<&GaussianProcess> = stage.iter().collect();
        let earlier = proposal::sample(pai, parts, &processes)?;
        let Some(look) = last_look(nodes, &earlier) else {
            break;
        };
        if look.bound > best.1.bound {
            best = (earlier, look);
            nodes
                .iter_mut()
                .zip(stage)
                .for_each(|(node, gp)| node.gp = gp);
        }
    }
    Ok((best.0, best.1.share))
}

/// The exact log densities of all parts at evenly spaced draws; `None` without budget.
fn last_look(nodes: &mut [Node<'_>], sample: &Sample) -> Option<Look> {
    let (dim, draws) = (nodes[0].gp.dim(), sample.log_density.len());
    let left = nodes.iter().map(Node::left).min().unwrap_or(0);
    let wanted = (LAST_LOOK[0] * dim).max(LAST_LOOK[1]).min(draws);
    let count = wanted.min(left);
    nodes
        .iter_mut()
        .for_each(|node| node.is_spent |= node.left() < wanted);
    if count == 0 {
        return None;
    }
    let chosen: Vec<usize> = (0..count).map(|i| i * draws / count).collect();
    let rows = chosen
        .iter()
        .flat_map(|i| &sample.positions[i * dim..(i + 1) * dim]);
    let positions: Vec<f64> = rows.copied().collect();
    let evaluate = |node: &mut Node<'_>| node.evaluate(&positions);
    let exact: Vec<Vec<f64>> = parallel::map(&mut *nodes, evaluate);
    let errors = chosen.iter().enumerate().map(|(place, draw)| {
        let total: f64 = exact.iter().map(|values| values[place]).sum();
        let error = total - sample.log_density[*draw];
        if error.is_nan() {
            f64::NEG_INFINITY
        } else {
            error
        }
    });
    let errors: Vec<f64> = errors.collect();
    let off = errors.iter().filter(|error| error.abs() > CERTAIN).count();
    let importance = sample.importance.as_ref();
    let log_mass = importance.and_then(|importance| importance.log_evidence);
    Some(Look {
        share: off as f64 / count as f64,
        bound: log_mass.unwrap_or(0.0) + errors.iter().sum::<f64>() / count as f64,
    })
}

fn combined(pai: &Pai, parts: &Parts<'_>, nodes: &[Node<'_>]) -> Result<Sample, CombineError> {
    let processes: Vec<&GaussianProcess> = nodes.iter().map(|node| &node.gp).collect();
    proposal::sample(pai, parts, &processes)
}

/// Evenly spaced draws, `[dim, n]`.
fn looked_at(sample: &Sample, dim: usize) -> DMatrix<f64> {
    let draws = sample.log_density.len();
    let count = draws.min(LOOKED_AT);
    let rows = (0..count).map(|i| i * draws / count);
    let positions = rows.flat_map(|i| &sample.positions[i * dim..(i + 1) * dim]);
    columns(&positions.copied().collect::<Vec<f64>>(), dim)
}

/// The share of positions `[dim, n]` at which the processes do not know the sum of the log densities.
fn uncertain_share(nodes: &[Node<'_>], at: &DMatrix<f64>) -> f64 {
    let sds = proposal::sum_sds(nodes.iter().map(|node| &node.gp), at);
    let uncertain = sds.iter().filter(|sd| **sd > CERTAIN).count();
    uncertain as f64 / sds.len() as f64
}
