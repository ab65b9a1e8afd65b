//! A node: one part with its surrogate, and the stages that improve it.

use super::super::surrogate::acquisition::choose;
use super::super::surrogate::fit::{Starts, bounding_box, fit};
use super::super::surrogate::gp::{GaussianProcess, column, columns};
use super::super::surrogate::medoids::medoids;
use super::super::surrogate::noise::NOISE;
use super::super::surrogate::search::search;
use super::super::{PartDraws, Parts};
use super::Pai;
use bayes_core::CombineError;
use bayes_core::rng::{Key, Stream};
use nalgebra::DMatrix;

/// At most this many of a part's draws are candidates; more are thinned evenly.
const CANDIDATES: usize = 2000;
/// A foreign point whose exact value has a lower density than this under the process was not expected.
const EXPECTED: f64 = 0.01;

/// Positions `[n, dim]` with the exact log density of a part.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    pub positions: Vec<f64>,
    pub values: Vec<f64>,
}

impl Points {
    /// The points whose values are numbers.
    fn finite(positions: &[f64], values: &[f64], dim: usize) -> Self {
        let rows = positions.chunks_exact(dim).zip(values);
        let mut points = Self::default();
        for (row, value) in rows.filter(|(_, value)| value.is_finite()) {
            points.positions.extend(row);
            points.values.push(*value);
        }
        points
    }
}

/// What a part finds where the combination has its draws.
pub(super) struct Seen {
    pub points: Points,
    /// Whether a position was uncertain, or a value not as expected.
    pub is_off: bool,
}

/// A part with its surrogate.
pub(super) struct Node<'a> {
    parts: &'a Parts<'a>,
    part: usize,
    pub gp: GaussianProcess,
    /// Draws of the part that are not yet points of the process.
    unused: PartDraws,
    /// Exact evaluations so far, and how many are allowed.
    pub evaluations: usize,
    budget: usize,
    /// Whether a stage wanted more evaluations than were left.
    pub is_spent: bool,
    stream: Stream,
}

impl<'a> Node<'a> {
    /// The first process, on medoids of the draws or on random draws.
    pub fn begin(
        pai: &Pai,
        parts: &'a Parts<'a>,
        part: usize,
        key: Key,
    ) -> Result<Self, CombineError> {
        let mut stream = key.stream();
        let (dim, all) = (parts.dim(), parts.draws()[part].distinct());
        let count = all.len().min(CANDIDATES);
        let thinned: Vec<usize> = (0..count).map(|i| i * all.len() / count).collect();
        let candidates = all.select(&thinned);
        let first = 20 * (dim + 2);
        let chosen = match pai.medoids {
            true => medoids(&standardised(&candidates), first, &mut stream),
            false => random(count, first + pai.subsampling_rounds * dim, &mut stream),
        };
        let points = candidates.select(&chosen);
        let mut rest: Vec<bool> = vec![true; count];
        chosen.iter().for_each(|i| rest[*i] = false);
        let rest: Vec<usize> = (0..count).filter(|i| rest[*i]).collect();
        let number = points.len();
        let at = columns(&points.positions, dim);
        let gp = fit(at, points.log_density, Starts::FIRST, None, &mut stream);
        Ok(Self {
            parts,
            part,
            gp: gp.ok_or(CombineError::Surrogate {
                part,
                points: number,
            })?,
            unused: candidates.select(&rest),
            evaluations: 0,
            budget: pai.budget.unwrap_or(usize::MAX),
            is_spent: false,
            stream,
        })
    }

    /// The points of the process.
    pub fn points(&self) -> Points {
        Points {
            positions: self.gp.points.as_slice().to_vec(),
            values: self.gp.values.clone(),
        }
    }

    /// Evaluations that are left.
    pub fn left(&self) -> usize {
        self.budget - self.evaluations
    }

    /// The part's exact log density at positions, which is counted.
    pub fn evaluate(&mut self, positions: &[f64]) -> Vec<f64> {
        self.evaluations += positions.len() / self.gp.dim();
        self.parts.log_density(self.part, positions)
    }

    /// Adds points and fits the process anew.
    fn extend(&mut self, points: &Points, starts: Starts) -> Result<(), CombineError> {
        if points.values.is_empty() {
            return Ok(());
        }
        let mut all = self.points();
        all.positions.extend(&points.positions);
        all.values.extend(&points.values);
        let (number, dim) = (all.values.len(), self.gp.dim());
        let at = columns(&all.positions, dim);
        let last = Some(&self.gp.hyper);
        let fitted = fit(at, all.values, starts, last, &mut self.stream);
        self.gp = fitted.ok_or(CombineError::Surrogate {
            part: self.part,
            points: number,
        })?;
        Ok(())
    }

    /// Active subsampling: rounds of D draws of the part where MAXIQR is largest.
    pub fn subsample(&mut self, pai: &Pai) -> Result<(), CombineError> {
        let dim = self.gp.dim();
        for _ in 0..pai.subsampling_rounds {
            if self.unused.is_empty() {
                break;
            }
            let candidates = columns(&self.unused.positions, dim);
            let chosen = choose(&self.gp, &candidates, dim, pai.exploration);
            let new = self.unused.select(&chosen);
            let rest: Vec<usize> = (0..self.unused.len())
                .filter(|i| !chosen.contains(i))
                .collect();
            self.unused = self.unused.select(&rest);
            let points = Points {
                positions: new.positions,
                values: new.log_density,
            };
            self.extend(&points, Starts::WARM)?;
        }
        Ok(())
    }

    /// Sharing: exact values at the points of the other parts, of which those are kept that the process did not expect and that matter.
    pub fn share(&mut self, pai: &Pai, all: &[Points]) -> Result<(), CombineError> {
        let dim = self.gp.dim();
        let others = all.iter().enumerate().filter(|(k, _)| *k != self.part);
        let mut foreign: Vec<f64> = others
            .flat_map(|(_, points)| &points.positions)
            .copied()
            .collect();
        let count = foreign.len() / dim;
        // half of the budget is for the new points of this part
        let allowed = match pai.refinement_rounds {
            0 => self.left(),
            rounds => self
                .left()
                .saturating_sub((rounds * dim).min(self.left() / 2)),
        };
        if allowed < count {
            self.is_spent = true;
            let rows = (0..allowed).map(|i| i * count / allowed);
            let kept = rows.flat_map(|i| &foreign[i * dim..(i + 1) * dim]);
            foreign = kept.copied().collect();
        }
        if foreign.is_empty() {
            return Ok(());
        }
        let values = self.evaluate(&foreign);
        let (means, variances) = self.gp.predict(&columns(&foreign, dim));
        let deep = self.gp.deep();
        let mut kept = Points::default();
        for (i, row) in foreign.chunks_exact(dim).enumerate() {
            // the density of a noisy value
            let variance = variances[i] + NOISE;
            let z = (values[i] - means[i]).powi(2) / variance;
            let density = (-0.5 * z).exp() / (std::f64::consts::TAU * variance).sqrt();
            let is_news = density < EXPECTED && values[i].is_finite();
            if is_news && (means[i] >= deep || values[i] >= deep) {
                kept.positions.extend(row);
                kept.values.push(values[i]);
            }
        }
        let kept = self.thin(kept, 25 * dim);
        self.extend(&kept, Starts::AGAIN)
    }

    /// Verification: exact values at D of the positions `[dim, n]`, those where MAXIQR is largest among the uncertain ones, and at D random
    /// ones, where the process may be certain and wrong. Uncertain and unexpected are what is so by more than `tolerance`.
    pub fn look(&mut self, pai: &Pai, at: &DMatrix<f64>, tolerance: f64) -> Seen {
        let dim = self.gp.dim();
        let (means, variances) = self.gp.predict(at);
        let is_uncertain = |i: &usize| variances[*i].sqrt() > tolerance;
        let uncertain: Vec<usize> = (0..at.ncols()).filter(is_uncertain).collect();
        let first = dim.min(uncertain.len());
        let wanted = first + dim;
        let count = wanted.min(self.left());
        self.is_spent |= count < wanted;
        let candidates = at.select_columns(&uncertain);
        let found = choose(&self.gp, &candidates, first.min(count), pai.exploration);
        let mut chosen: Vec<usize> = found.into_iter().map(|i| uncertain[i]).collect();
        let others: Vec<usize> = (0..at.ncols()).filter(|i| !chosen.contains(i)).collect();
        let found = random(others.len(), count - chosen.len(), &mut self.stream);
        chosen.extend(found.into_iter().map(|i| others[i]));
        let rows = chosen.iter().flat_map(|i| column(at, *i));
        let positions: Vec<f64> = rows.copied().collect();
        let values = self.evaluate(&positions);
        let mut pairs = chosen.iter().zip(&values);
        let is_surprise = pairs.any(|(i, value)| (value - means[*i]).abs() > tolerance);
        Seen {
            points: Points::finite(&positions, &values, dim),
            is_off: is_surprise || !uncertain.is_empty(),
        }
    }

    /// Adds the points of a round of verification.
    pub fn learn(&mut self, points: &Points) -> Result<(), CombineError> {
        self.extend(points, Starts::AGAIN)
    }

    /// At most `count` points, by k-medoids.
    fn thin(&mut self, points: Points, count: usize) -> Points {
        if points.values.len() <= count {
            return points;
        }
        let draws = PartDraws {
            dim: self.gp.dim(),
            positions: points.positions,
            log_density: points.values,
        };
        let chosen = draws.select(&medoids(&standardised(&draws), count, &mut self.stream));
        Points {
            positions: chosen.positions,
            values: chosen.log_density,
        }
    }

    /// Active refinement: rounds of D new points where MAXIQR is largest in the box of all points.
    ///
    /// The box grows with new points that matter. In the paper it grows with all of them; but MAXIQR is large at the border, where nothing is
    /// known, so that every round made the box wider, and two of ten seeds on the paper's four modes lost a mode or put mass far outside.
    pub fn refine(&mut self, pai: &Pai, all: &[f64]) -> Result<(), CombineError> {
        let dim = self.gp.dim();
        let mut box_points = all.to_vec();
        for _ in 0..pai.refinement_rounds {
            let count = dim.min(self.left());
            if count < dim {
                self.is_spent = true;
            }
            if count == 0 {
                break;
            }
            let sides = bounding_box(&columns(&box_points, dim));
            let sides = self.parts.inside(&sides);
            let found = search(&self.gp, &sides, count, pai.exploration, &mut self.stream);
            let values = self.evaluate(found.as_slice());
            let new = Points::finite(found.as_slice(), &values, dim);
            let deep = self.gp.deep();
            for (row, value) in new.positions.chunks_exact(dim).zip(&new.values) {
                if *value >= deep {
                    box_points.extend(row);
                }
            }
            self.extend(&new, Starts::WARM)?;
        }
        Ok(())
    }
}

/// Positions in units of their standard deviations.
fn standardised(draws: &PartDraws) -> Vec<Vec<f64>> {
    let n = draws.len() as f64;
    let moments = |k: usize| {
        let mean = draws.rows().map(|row| row[k]).sum::<f64>() / n;
        let square = draws.rows().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / n;
        (mean, if square > 0.0 { square.sqrt() } else { 1.0 })
    };
    let units: Vec<(f64, f64)> = (0..draws.dim).map(moments).collect();
    let scaled = |row: &[f64]| {
        let pairs = row.iter().zip(&units);
        pairs.map(|(x, (mean, sd))| (x - mean) / sd).collect()
    };
    draws.rows().map(scaled).collect()
}

/// Numbers of `count` of `n` draws, without repeats, in ascending order.
fn random(n: usize, count: usize, stream: &mut Stream) -> Vec<usize> {
    use bayes_core::rng::RngExt;
    let mut order: Vec<usize> = (0..n).collect();
    let count = count.min(n);
    for i in 0..count {
        let other = stream.random_range(i as u64..n as u64) as usize;
        order.swap(i, other);
    }
    order.truncate(count);
    order.sort_unstable();
    order
}
