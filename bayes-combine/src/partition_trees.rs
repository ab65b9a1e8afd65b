//! PART: products of histograms on random partition trees.

use super::{Combine, DRAWS, PartDraws, Parts, Sample, setters};
use bayes_core::Error;
use bayes_core::numeric::log_sum_exp;
use bayes_core::rng::{Key, Purpose, RngExt, Stream};
use rand_distr::StandardNormal;

/// What an empty count is taken for, so that a block which one part never saw keeps a weight.
const SMOOTHING: f64 = 0.01;

/// Draws of an average of products of histograms on random trees (Wang et al. 2015, PART).
///
/// ```text
/// p(x) ∝ Σ_A 1(x in A) Π_k n_k(A) / (N_k |A|)
/// ```
///
/// Each tree cuts the bounding box of all draws at medians along random dimensions until a block has fewer than `leaf_share` of the draws of
/// all parts. Within its block a draw is from the product of Gaussians with the means and variances of the parts' draws there (local
/// Gaussian smoothing), so that the wide outer blocks do not fatten the tails; `.smoothing(false)` makes it uniform. With many parts a block that all of them have seen may not exist, so by default parts
/// are combined in pairs, the results again in pairs, and so on (two-stage); `.pairwise(false)` is the one-stage method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionTrees {
    seed: u64,
    draws: usize,
    trees: usize,
    leaf_share: f64,
    pairwise: bool,
    smoothing: bool,
}

impl Default for PartitionTrees {
    fn default() -> Self {
        Self::new()
    }
}

impl PartitionTrees {
    /// 4000 draws of 16 trees whose blocks hold 1% of the draws, pairwise, with seed 0.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seed: 0,
            draws: DRAWS,
            trees: 16,
            leaf_share: 0.01,
            pairwise: true,
            smoothing: true,
        }
    }

    /// Number of trees that are averaged, at least 1.
    #[must_use]
    pub fn trees(self, trees: usize) -> Self {
        Self { trees, ..self }
    }

    /// The share of all draws that a block must hold after a cut, above 0 and at most 0.5.
    #[must_use]
    pub fn leaf_share(self, leaf_share: f64) -> Self {
        Self { leaf_share, ..self }
    }

    /// Whether parts are combined in pairs.
    #[must_use]
    pub fn pairwise(self, pairwise: bool) -> Self {
        Self { pairwise, ..self }
    }

    /// Whether draws within a block are Gaussian, and not uniform.
    #[must_use]
    pub fn smoothing(self, smoothing: bool) -> Self {
        Self { smoothing, ..self }
    }

    setters!();

    /// Draws of the product of some parts.
    fn product(&self, parts: &[PartDraws], stream: &mut Stream) -> PartDraws {
        let forest: Vec<Vec<Block>> = (0..self.trees).map(|_| self.tree(parts, stream)).collect();
        let dim = parts[0].dim;
        let mut positions = Vec::with_capacity(self.draws * dim);
        for i in 0..self.draws {
            let tree = &forest[i % self.trees];
            let mut rest = stream.random::<f64>();
            let chosen = tree.iter().find(|block| {
                rest -= block.weight;
                rest < 0.0
            });
            // rounding may leave a rest
            if let Some(block) = chosen.or(tree.last()) {
                block.draw(self.smoothing, stream, &mut positions);
            }
        }
        PartDraws {
            dim,
            log_density: vec![0.0; positions.len() / dim],
            positions,
        }
    }

    /// The blocks of a random tree, with weights that sum to 1.
    fn tree(&self, parts: &[PartDraws], stream: &mut Stream) -> Vec<Block> {
        let points: Vec<Point<'_>> = parts
            .iter()
            .enumerate()
            .flat_map(|(part, draws)| draws.rows().map(move |position| Point { part, position }))
            .collect();
        let fewest = ((points.len() as f64 * self.leaf_share) as usize).max(1);
        let sides = bounding_box(&points);
        let (mut blocks, mut open) = (Vec::new(), vec![(sides, points)]);
        while let Some((sides, points)) = open.pop() {
            match cut(sides.clone(), points, fewest, stream) {
                Ok(halves) => open.extend(halves),
                Err(points) => blocks.push(Block::new(sides, &points, parts)),
            }
        }
        let logs: Vec<f64> = blocks.iter().map(|block| block.weight).collect();
        let total = log_sum_exp(&logs);
        let normalise = |block: &mut Block| block.weight = (block.weight - total).exp();
        blocks.iter_mut().for_each(normalise);
        blocks
    }
}

impl Combine for PartitionTrees {
    fn name(&self) -> &'static str {
        "partition_trees"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        self.validate_draws()?;
        Error::setting("trees", self.trees, self.trees >= 1, "at least 1")?;
        let share = self.leaf_share;
        let holds = share > 0.0 && share <= 0.5;
        Error::setting("leaf_share", share, holds, "above 0 and at most 0.5")?;
        let mut stream = Key::new(self.seed, Purpose::Combine).stream();
        let mut left = parts.draws().to_vec();
        while self.pairwise && left.len() > 2 {
            let pairs = left.chunks(2).map(|pair| match pair {
                [alone] => alone.clone(),
                _ => self.product(pair, &mut stream),
            });
            left = pairs.collect();
        }
        let product = self.product(&left, &mut stream);
        Ok(Sample::equal(product.positions, Vec::new()))
    }
}

/// A draw with the part from which it is.
#[derive(Clone, Copy)]
struct Point<'a> {
    part: usize,
    position: &'a [f64],
}

/// Sides of a block, low and high.
type Sides = Vec<[f64; 2]>;

/// A leaf of a tree.
struct Block {
    sides: Sides,
    /// The product of the Gaussians of the parts, `[mean, sd]` along each dimension.
    gaussian: Vec<[f64; 2]>,
    /// Its log mass, later its normalised mass.
    weight: f64,
}

impl Block {
    fn new(sides: Sides, points: &[Point<'_>], parts: &[PartDraws]) -> Self {
        let mut counts = vec![0.0_f64; parts.len()];
        points.iter().for_each(|point| counts[point.part] += 1.0);
        // a side without length holds repeated draws only
        let length = |[low, high]: &[f64; 2]| (high - low).max(f64::MIN_POSITIVE).ln();
        let log_volume: f64 = sides.iter().map(length).sum();
        let log_share = |(count, draws): (&f64, &PartDraws)| {
            let count = if *count > 0.0 { *count } else { SMOOTHING };
            (count / draws.len() as f64).ln()
        };
        let log_shares: f64 = counts.iter().zip(parts).map(log_share).sum();
        Self {
            gaussian: (0..sides.len())
                .map(|k| product_along(k, sides[k], points, parts.len()))
                .collect(),
            sides,
            weight: log_shares - (parts.len() as f64 - 1.0) * log_volume,
        }
    }
}

impl Block {
    /// Adds a draw within the block.
    fn draw(&self, smoothing: bool, stream: &mut Stream, positions: &mut Vec<f64>) {
        for ([low, high], [mean, sd]) in self.sides.iter().zip(&self.gaussian) {
            let z: f64 = stream.sample(StandardNormal);
            positions.push(match smoothing {
                true => (mean + sd * z).clamp(*low, *high),
                false => low + (high - low) * stream.random::<f64>(),
            });
        }
    }
}

/// Mean and sd along one dimension of the product of Gaussians, one for each part with two draws in the block.
fn product_along(k: usize, [low, high]: [f64; 2], points: &[Point<'_>], parts: usize) -> [f64; 2] {
    // count, sum and sum of squares, from the middle of the block
    let (middle, mut sums) = (0.5 * (low + high), vec![[0.0; 3]; parts]);
    for point in points {
        let x = point.position[k] - middle;
        for (sum, term) in sums[point.part].iter_mut().zip([1.0, x, x * x]) {
            *sum += term;
        }
    }
    let (mut precision, mut weighted) = (0.0, 0.0);
    for [count, sum, squares] in sums {
        let mean = sum / count;
        let variance = squares / count - mean * mean;
        if count >= 2.0 && variance > 0.0 {
            precision += 1.0 / variance;
            weighted += mean / variance;
        }
    }
    match precision > 0.0 {
        true => [middle + weighted / precision, precision.sqrt().recip()],
        false => [middle, 0.5 * (high - low)],
    }
}

fn bounding_box(points: &[Point<'_>]) -> Sides {
    let dim = points[0].position.len();
    let side = |k: usize| {
        let values = points.iter().map(|point| point.position[k]);
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
    };
    (0..dim).map(side).collect()
}

/// Two halves of a block, cut at the median along a random dimension, or the points if none of the halves would be large enough.
fn cut<'a>(
    sides: Sides,
    mut points: Vec<Point<'a>>,
    fewest: usize,
    stream: &mut Stream,
) -> Result<[(Sides, Vec<Point<'a>>); 2], Vec<Point<'a>>> {
    let k = stream.random_range(0..sides.len() as u64) as usize;
    if points.len() < 2 * fewest {
        return Err(points);
    }
    points.sort_by(|a, b| a.position[k].total_cmp(&b.position[k]));
    let middle = points.len() / 2;
    let at = 0.5 * (points[middle - 1].position[k] + points[middle].position[k]);
    let lower = points.partition_point(|point| point.position[k] < at);
    let [low, high] = sides[k];
    // repeated values may put the cut to one end
    let both = lower >= fewest && points.len() - lower >= fewest && low < at && at < high;
    if !both {
        return Err(points);
    }
    let upper = points.split_off(lower);
    let (mut first, mut second) = (sides.clone(), sides);
    (first[k], second[k]) = ([low, at], [at, high]);
    Ok([(first, points), (second, upper)])
}
