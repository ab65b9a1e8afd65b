//! k-medoids: points of a cloud that stand for all of it.
//!
//! Our own, because the crates that have it are under licences that do not go with this one.

use bayes_core::rng::{RngExt, Stream};

/// Greatest number of rounds.
const ROUNDS: usize = 1000;

/// Numbers of `k` of the points, in ascending order; all of them if there are not more.
///
/// Medoids start as in k-means++ (Arthur and Vassilvitskii 2007), with points chosen in proportion to the squared distance to the nearest
/// one before; then each cluster's medoid is the member with the least sum of distances to the others, and each point goes to its nearest
/// medoid, until nothing changes (Park and Jun 2009). Distances are Euclidean, so points are given in units that make them comparable.
pub fn medoids(points: &[Vec<f64>], k: usize, stream: &mut Stream) -> Vec<usize> {
    if points.len() <= k {
        return (0..points.len()).collect();
    }
    let mut medoids = start(points, k, stream);
    for _ in 0..ROUNDS {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); medoids.len()];
        for (i, point) in points.iter().enumerate() {
            members[nearest(point, points, &medoids)].push(i);
        }
        // a cluster is empty where its medoid is the same point as another
        let pairs = members.iter().zip(&medoids);
        let next: Vec<usize> = pairs
            .map(|(members, medoid)| central(members, points).unwrap_or(*medoid))
            .collect();
        if next == medoids {
            break;
        }
        medoids = next;
    }
    medoids.sort_unstable();
    medoids.dedup();
    medoids
}

fn start(points: &[Vec<f64>], k: usize, stream: &mut Stream) -> Vec<usize> {
    let mut medoids = vec![stream.random_range(0..points.len() as u64) as usize];
    let mut squares = vec![f64::INFINITY; points.len()];
    while medoids.len() < k {
        let last = &points[medoids[medoids.len() - 1]];
        for (least, point) in squares.iter_mut().zip(points) {
            *least = least.min(square(point, last));
        }
        let total: f64 = squares.iter().sum();
        if total <= 0.0 {
            break;
        }
        let mut rest = stream.random::<f64>() * total;
        let chosen = squares.iter().position(|square| {
            rest -= square;
            rest < 0.0
        });
        // rounding may leave a rest
        let last = squares.iter().rposition(|square| *square > 0.0);
        medoids.extend(chosen.or(last));
    }
    medoids
}

/// The place in `medoids` of the one nearest to `point`.
fn nearest(point: &[f64], points: &[Vec<f64>], medoids: &[usize]) -> usize {
    let squares = medoids.iter().map(|medoid| square(point, &points[*medoid]));
    let best = squares.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(0, |best| best.0)
}

/// The member with the least sum of distances.
fn central(members: &[usize], points: &[Vec<f64>]) -> Option<usize> {
    let cost = |i: &usize| {
        let distances = members
            .iter()
            .map(|j| square(&points[*i], &points[*j]).sqrt());
        distances.sum::<f64>()
    };
    let costs = members.iter().map(|i| (*i, cost(i)));
    costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
