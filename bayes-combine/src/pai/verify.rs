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
const CERTAIN: f64 = 1.0;
/// The share of uncertain draws that is worth a warning.
const UNCERTAIN: f64 = 0.02;

/// Draws of the combination, after rounds in which every part evaluates its density at D draws where its process is most uncertain and at D
/// random ones.
///
/// The combination is a product of means. One process that is high by chance where no part has a point makes a mode that is not there, and
/// one that is sure of what it never saw may move the mass. Both are where the combination has its draws. Rounds end with one in which all
/// draws were certain and all values as expected, whose values do not become points, or when a part's budget is spent.
pub(super) fn verified(
    pai: &Pai,
    parts: &Parts<'_>,
    nodes: &mut [Node<'_>],
) -> Result<Sample, CombineError> {
    let mut sample = combined(pai, parts, nodes)?;
    if pai.verification_rounds == 0 {
        return Ok(sample);
    }
    let tolerance = CERTAIN / (nodes.len() as f64).sqrt();
    for _ in 0..pai.verification_rounds {
        let at = looked_at(&sample, parts.dim());
        let look = |node: &mut Node<'_>| node.look(pai, &at, tolerance);
        let found: Vec<Seen> = parallel::map(&mut *nodes, look);
        if !found.iter().any(|seen| seen.is_off) {
            // new fits would change what was verified
            break;
        }
        let learn = |(node, seen): (&mut Node<'_>, &Seen)| node.learn(&seen.points);
        parallel::try_map(nodes.iter_mut().zip(&found), learn)?;
        sample = combined(pai, parts, nodes)?;
        if nodes.iter().any(|node| node.is_spent) {
            break;
        }
    }
    let share = uncertain_share(nodes, &looked_at(&sample, parts.dim()));
    if share > UNCERTAIN {
        sample.warnings.push(Warning::Uncertain { share });
    }
    Ok(sample)
}

fn combined(pai: &Pai, parts: &Parts<'_>, nodes: &[Node<'_>]) -> Result<Sample, CombineError> {
    let processes: Vec<&GaussianProcess> = nodes.iter().map(|node| &node.gp).collect();
    proposal::sample(parts, &processes, pai.draws, pai.seed)
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
    let mut total = vec![0.0; at.ncols()];
    for node in nodes {
        let variances = node.gp.variances(&node.gp.whiten(at));
        total.iter_mut().zip(variances).for_each(|(t, v)| *t += v);
    }
    let uncertain = total.iter().filter(|v| v.sqrt() > CERTAIN).count();
    uncertain as f64 / total.len() as f64
}
