//! Which restarts of an optimisation ended at the same maximum.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::mover;
use crate::run::Restart;

/// Two ends whose log densities differ by more, or between which the log density falls by more, are at different maxima. An optimisation
/// that converged is nearer to its maximum.
const APART: f64 = 0.01;
/// Maximum number of maxima that are told apart.
const MOST: usize = 64;

/// Numbers the maxima where restarts converged, the highest first. Two ends are at the same maximum if they are equally high and the log
/// density half-way between them is not lower. So two ends on a curved ridge of equal height are at different maxima.
pub(super) fn number(
    density: &dyn LogDensity,
    weights: [f64; 2],
    restarts: &mut [Restart],
    counts: &mut Counts,
) {
    let converged = |i: &usize| restarts[*i].ended.is_converged();
    let mut order: Vec<usize> = (0..restarts.len()).filter(converged).collect();
    order.sort_by(|a, b| {
        restarts[*b]
            .log_density
            .total_cmp(&restarts[*a].log_density)
    });
    // the first restart of each maximum
    let mut maxima: Vec<usize> = Vec::new();
    for i in order {
        let own = restarts[i].log_density;
        let is_near = |(_, first): &(usize, usize)| restarts[*first].log_density - own <= APART;
        let known = maxima.iter().copied().enumerate();
        let candidates: Vec<(usize, usize)> = known.filter(is_near).collect();
        let pairs = candidates.iter();
        let pairs = pairs.map(|(_, first)| [&restarts[*first], &restarts[i]]);
        let between = half_way(density, weights, pairs.collect(), counts);
        let mut between = candidates.iter().zip(between);
        let same = between.find(|(_, value)| *value >= own - APART);
        restarts[i].maximum = match same {
            Some(((number, _), _)) => Some(*number),
            None if maxima.len() < MOST => {
                maxima.push(i);
                Some(maxima.len() - 1)
            }
            None => None,
        };
    }
}

/// The log density half-way between the ends of each pair.
fn half_way(
    density: &dyn LogDensity,
    weights: [f64; 2],
    pairs: Vec<[&Restart; 2]>,
    counts: &mut Counts,
) -> Vec<f64> {
    let mut middle = Particles::new(pairs.len(), density.dim());
    let rows = middle.positions.chunks_exact_mut(density.dim().max(1));
    for (row, [a, b]) in rows.zip(pairs) {
        let ends = a.position.iter().zip(&b.position);
        row.iter_mut()
            .zip(ends)
            .for_each(|(x, (a, b))| *x = 0.5 * a + 0.5 * b);
    }
    if middle.is_empty() {
        return Vec::new();
    }
    let target = Target::weighted(density, weights);
    let seen = mover::evaluate(&mut middle, target);
    counts.density_evaluations += seen.density_evaluations;
    let block = middle.block();
    (0..block.len())
        .map(|i| target.log_density(&block, i))
        .collect()
}
