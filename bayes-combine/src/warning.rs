//! What can be wrong with the runs of parts and with their combination.

use super::PartDraws;
use std::fmt;

/// The share of one part's draws that lie where another part has none, from which a region counts as missed.
const MISSED: f64 = 0.05;
/// At most this many draws of a part are compared with those of another.
const COMPARED: usize = 500;
/// A draw is far from others at this multiple of their usual distance.
const FAR: f64 = 4.0;
/// The share of a cluster's draws that must be far.
const NEARLY_ALL: f64 = 0.9;
/// The share of repeated draws that is worth a word.
const REPEATED: f64 = 0.5;

/// A reason not to trust a combination. Parts are counted from 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Draws of another part lie where a part has none.
    MissedRegion {
        /// The part that has none.
        part: usize,
        /// The part whose draws they are.
        other: usize,
        /// Their share of the draws of `other`.
        share: f64,
    },
    /// Draws that repeat another one.
    Repeats {
        /// The part.
        part: usize,
        /// How many draws repeat an earlier one.
        repeats: usize,
        /// The number of draws.
        draws: usize,
    },
    /// Draws that were left out, because their density is zero or not a number.
    NotFinite {
        /// The part.
        part: usize,
        /// How many.
        left_out: usize,
        /// The number of draws.
        draws: usize,
    },
    /// All draws of a part have the same log density.
    EqualDensities {
        /// The part.
        part: usize,
    },
    /// Few draws have most of the importance weight.
    CollapsedWeights {
        /// The importance ESS.
        ess: f64,
        /// The number of draws.
        draws: usize,
    },
    /// The combination has mass where nothing is known of it.
    Border {
        /// The share of its mass at the border of the box that holds all points of the surrogates.
        share: f64,
    },
    /// The surrogates are uncertain where the combination has mass.
    Uncertain {
        /// The share of its draws at which the standard deviation of the log density is above 1.
        share: f64,
    },
    /// The exact log density of draws is not as the surrogates say, and the rounds of verification ended before it was.
    Unexpected {
        /// The share of random draws at which the two differ by more than 1.
        share: f64,
    },
    /// The budget ended before the last stage.
    BudgetSpent {
        /// Evaluations of one part's density that were allowed.
        budget: usize,
    },
}

impl Warning {
    pub(super) fn not_finite(part: usize, left_out: usize, draws: usize) -> Option<Self> {
        (left_out > 0).then_some(Self::NotFinite {
            part,
            left_out,
            draws,
        })
    }

    pub(super) fn repeats(part: usize, draws: &PartDraws) -> Option<Self> {
        let (all, repeats) = (draws.len(), draws.len() - draws.distinct().len());
        (repeats as f64 > REPEATED * all as f64).then_some(Self::Repeats {
            part,
            repeats,
            draws: all,
        })
    }

    pub(super) fn equal_densities(part: usize, draws: &PartDraws) -> Option<Self> {
        let first = draws.log_density[0];
        let equal = draws.log_density.iter().all(|l| *l == first);
        (equal && draws.len() > 1).then_some(Self::EqualDensities { part })
    }

    /// For each part that has no draws where another has some, the worst case.
    ///
    /// A draw is far from a part if its nearest neighbour in the part is farther than four times the distance within which 99% of the part's
    /// own draws have a neighbour. Draws that are linked by steps of that size in their own part are one cluster, and a cluster counts as
    /// missed if nearly all of it is far: the tails of a wider part are far too, but are one cluster with its middle.
    pub(super) fn missed_regions(parts: &[PartDraws]) -> Vec<Self> {
        let clouds = comparable(parts);
        let reach: Vec<f64> = clouds
            .iter()
            .map(|cloud| FAR * own_distance(cloud))
            .collect();
        let clusters = clouds.iter().zip(&reach);
        let clusters: Vec<Vec<Vec<usize>>> = clusters.map(|(c, r)| linked(c, *r)).collect();
        let missed = |part: usize| {
            let share = |other: usize| {
                let is_far =
                    |i: &&usize| nearest(&clouds[other][**i], &clouds[part], None) > reach[part];
                let is_missed = |cluster: &&Vec<usize>| {
                    let far = cluster.iter().filter(is_far).count();
                    far as f64 > NEARLY_ALL * cluster.len() as f64
                };
                let missed = clusters[other].iter().filter(is_missed);
                let count: usize = missed.map(Vec::len).sum();
                count as f64 / clouds[other].len() as f64
            };
            let others = (0..parts.len()).filter(|other| *other != part);
            let shares = others.map(|other| (other, share(other)));
            let (other, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
            (share > MISSED).then_some(Self::MissedRegion { part, other, share })
        };
        (0..parts.len()).filter_map(missed).collect()
    }
}

/// The clusters of points that are linked by steps of at most `reach`.
fn linked(cloud: &[Vec<f64>], reach: f64) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..cloud.len()).collect();
    let mut clusters = Vec::new();
    while let Some(first) = left.pop() {
        let mut cluster = vec![first];
        let mut next = 0;
        while next < cluster.len() {
            let at = &cloud[cluster[next]];
            let (near, others) = left
                .into_iter()
                .partition::<Vec<usize>, _>(|i| distance(at, &cloud[*i]) <= reach);
            cluster.extend(near);
            left = others;
            next += 1;
        }
        clusters.push(cluster);
    }
    clusters
}

/// At most [`COMPARED`] distinct draws of each part, evenly spaced, in units of the sd over all parts.
fn comparable(parts: &[PartDraws]) -> Vec<Vec<Vec<f64>>> {
    let dim = parts[0].dim;
    let total: usize = parts.iter().map(PartDraws::len).sum();
    let rows = || parts.iter().flat_map(PartDraws::rows);
    let sd = |k: usize| {
        let mean = rows().map(|row| row[k]).sum::<f64>() / total as f64;
        let square = rows().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / total as f64;
        if square > 0.0 { square.sqrt() } else { 1.0 }
    };
    let units: Vec<f64> = (0..dim).map(sd).collect();
    let thinned = |draws: &PartDraws| {
        let distinct = draws.distinct();
        let count = distinct.len().min(COMPARED);
        let scaled = |i: usize| {
            let row = distinct.row(i * distinct.len() / count).iter();
            row.zip(&units).map(|(x, unit)| x / unit).collect()
        };
        (0..count).map(scaled).collect()
    };
    parts.iter().map(thinned).collect()
}

/// The distance within which 99% of the points have a neighbour.
fn own_distance(cloud: &[Vec<f64>]) -> f64 {
    let points = cloud.iter().enumerate();
    let mut distances: Vec<f64> = points.map(|(i, x)| nearest(x, cloud, Some(i))).collect();
    distances.sort_by(f64::total_cmp);
    distances[(distances.len() - 1) * 99 / 100]
}

/// The distance from `x` to its nearest neighbour, but for `skip`.
fn nearest(x: &[f64], cloud: &[Vec<f64>], skip: Option<usize>) -> f64 {
    let others = cloud.iter().enumerate().filter(|(i, _)| Some(*i) != skip);
    let distances = others.map(|(_, y)| distance(x, y));
    distances.fold(f64::INFINITY, f64::min)
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    let squares = x.iter().zip(y).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissedRegion { part, other, share } => write!(
                f,
                "Part {part} has no draws where {:.0}% of those of part {other} lie. Its run may have missed a mode: run more chains from \
                 other starting points, or combine by `Pai`, which shares what the parts have seen.",
                100.0 * share
            ),
            Self::Repeats {
                part,
                repeats,
                draws,
            } => write!(
                f,
                "{repeats} of {draws} draws of part {part} repeat an earlier one. Its kernel rejected most moves: tune it, or use NUTS."
            ),
            Self::NotFinite {
                part,
                left_out,
                draws,
            } => write!(
                f,
                "{left_out} of {draws} draws of part {part} were left out, because their density is zero or not a number."
            ),
            Self::EqualDensities { part } => write!(
                f,
                "All draws of part {part} have the same log density, so that its surrogate is flat where they lie."
            ),
            Self::CollapsedWeights { ess, draws } => write!(
                f,
                "The importance weights are those of {ess:.0} of {draws} draws. The proposal misses much of the combination: do not trust \
                 the run; share points between the parts, or allow more exact evaluations."
            ),
            Self::Border { share } => write!(
                f,
                "{:.1}% of the combination lies at the border of the box in which the surrogates have points. It may extend beyond: run \
                 longer chains, or allow more exact evaluations.",
                100.0 * share
            ),
            Self::Uncertain { share } => write!(
                f,
                "At {:.0}% of the draws of the combination the surrogates know the log density to no better than a standard deviation of 1. \
                 Run longer chains, allow more rounds or more exact evaluations, or weight the draws by exact densities.",
                100.0 * share
            ),
            Self::Unexpected { share } => write!(
                f,
                "At {:.0}% of the draws of the combination the exact log density differs by more than 1 from the surrogates, after all rounds \
                 of verification. Mass may lie at a wrong place: do not trust the run before more rounds of verification, a larger budget, \
                 longer chains or fewer coordinates mend it. Exact weights correct errors where draws lie, and nowhere else.",
                100.0 * share
            ),
            Self::BudgetSpent { budget } => write!(
                f,
                "The {budget} exact evaluations allowed for each part were spent before the last stage was finished."
            ),
        }
    }
}
