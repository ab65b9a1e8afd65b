//! The parts of linear predictors: terms, curves and effects of groups.

use crate::design::{Design, Group, Margin};
use crate::line::Line;
use bayes::prelude::*;

/// The effects of all groups, coefficient after coefficient: standard deviations times correlated standard values.
#[function]
pub(crate) fn effects(d: &Design, sd: &Vector, cholesky: &[Matrix], z: &Vector) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    let groups: Vec<&Group> = d.groups().collect();
    let blocks = d.blocks();
    let mut scale = 0;
    for (term, group) in groups.iter().enumerate() {
        let mut matrices = cholesky.iter();
        for block in &blocks {
            let l = if block.is_correlated() {
                matrices.next()
            } else {
                None
            };
            let Some(first) = block.place(term, &groups) else {
                continue;
            };
            for k in 0..group.columns.len() {
                for level in 0..group.levels.len() {
                    let value: Real = match l {
                        Some(l) => {
                            let mut sum: Real = Real::from(0.0);
                            for (j, start) in block.starts()[..=first + k].iter().enumerate() {
                                sum += l[(first + k, j)] * z[start + level];
                            }
                            sum
                        }
                        None => z[block.starts()[first + k] + level],
                    };
                    all.push(sd[scale + k] * value);
                }
            }
        }
        scale += group.columns.len();
    }
    Vector::from(all)
}

/// The correlations below the diagonal, row after row.
#[function]
pub(crate) fn correlations(cholesky: &[Matrix]) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    for l in cholesky {
        for i in 1..l.nrows() {
            for j in 0..i {
                let mut sum: Real = Real::from(0.0);
                for k in 0..=j {
                    sum += l[(i, k)] * l[(j, k)];
                }
                all.push(sum);
            }
        }
    }
    Vector::from(all)
}

/// The coefficients of all curves: standard deviations times standard values.
#[function]
pub(crate) fn curves(d: &Design, sds: &Vector, z: &Vector) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    for (k, curve) in d.curves().enumerate() {
        for _ in 0..curve.z.ncols() {
            all.push(sds[k] * z[all.len()]);
        }
    }
    Vector::from(all)
}

/// The coefficients of all Gaussian processes: standard deviations by their spectra, times standard values.
#[function]
pub(crate) fn waves(d: &Design, sdgp: &Vector, lscale: &Vector, z: &Vector) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    for (k, process) in d.processes().enumerate() {
        let size: Real = sdgp[k] * lscale[k].sqrt();
        let square: Real = lscale[k].square();
        for [constant, factor] in process.log_spectrum() {
            all.push(size * (constant - square * factor).exp() * z[all.len()]);
        }
    }
    Vector::from(all)
}

/// The intercept of a linear predictor, at 0 for all columns.
#[function]
pub(crate) fn at_zero(line: &Line, start: Start, b: &Vector, at_means: Real) -> Real {
    let mut at_zero: Real = at_means;
    for (k, mean) in line.means.iter().enumerate() {
        at_zero -= *mean * b[start.coefficient + k];
    }
    at_zero
}

/// The intercepts, at 0 for all columns, of all linear predictors except the response's.
#[function]
pub(crate) fn all_at_zero(d: &Design, b: &Vector, at_means: &Vector) -> Vector {
    let mut all: Vec<Real> = Vec::new();
    let mut start: Start = Start::default();
    for line in d.lines() {
        if line.has_named_intercept() {
            all.push(at_zero(line, start, b, at_means[all.len()]));
        }
        start = start.after(line);
    }
    Vector::from(all)
}

/// The first coefficient, function and effect of a linear predictor, counted over all linear predictors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    coefficient: usize,
    step: usize,
    function: usize,
    wave: usize,
    effect: usize,
}

impl Start {
    /// The start of the next linear predictor.
    pub(crate) fn after(self, line: &Line) -> Self {
        let functions: usize = line.curves.iter().map(|curve| curve.z.ncols()).sum();
        let waves: usize = line.processes.iter().map(|one| one.phi.ncols()).sum();
        let effects: usize = line.groups.iter().map(|group| group.effects()).sum();
        Self {
            coefficient: self.coefficient + line.coefficients.len(),
            step: self.step + line.steps.iter().map(|steps| steps.count).sum::<usize>(),
            function: self.function + functions,
            wave: self.wave + waves,
            effect: self.effect + effects,
        }
    }
}

/// The offsets and terms of a linear predictor, for each row.
#[function]
pub(crate) fn terms(line: &Line, start: Start, intercept: Option<Real>, b: &Vector) -> Vector {
    let mut eta: Vector = Vector::constant(&line.offset);
    let columns = line.x.ncols();
    if columns > 0 {
        eta += &line.x * part(b, start.coefficient, columns);
    }
    if let Some(intercept) = intercept {
        eta += intercept;
    }
    eta
}

/// The linear predictor of each row: its terms with monotonic effects, curves, Gaussian processes and effects of groups.
#[function]
pub(crate) fn linear_predictor(
    line: &Line,
    start: Start,
    terms: Vector,
    [b, simo, s, g, r]: [&Vector; 5],
) -> Vector {
    let mut eta: Vector = terms;
    let columns = line.x.ncols();
    let mut first = start.step;
    for (k, steps) in line.steps.iter().enumerate() {
        let risen = risen(part(simo, first, steps.count));
        let effect = risen * b[start.coefficient + columns + k];
        eta += effect.at(&steps.of);
        first += steps.count;
    }
    let mut first = start.function;
    for curve in &line.curves {
        eta += &curve.z * part(s, first, curve.z.ncols());
        first += curve.z.ncols();
    }
    let mut first = start.wave;
    for process in &line.processes {
        eta += &process.phi * part(g, first, process.phi.ncols());
        first += process.phi.ncols();
    }
    let mut first = start.effect;
    // groups have no levels in a regression for the population
    for group in line.groups.iter().filter(|group| !group.levels.is_empty()) {
        for (k, (_, column)) in group.columns.iter().enumerate() {
            let places: Vec<usize> = group.of.iter().map(|level| first + level).collect();
            let effect: Vector = r.at(&places);
            eta += if k == 0 && group.has_intercept {
                effect
            } else {
                effect.component_mul(&Vector::constant(column))
            };
            first += group.levels.len();
        }
    }
    eta
}

/// The linear predictors of the response, row after row, and in a row label after label.
#[function]
pub(crate) fn of_response(d: &Margin, etas: &[Vector]) -> Vector {
    let count = d.number_of_levels().max(1);
    Vector::from_fn(count * d.rows(), |k| etas[k % count][k / count])
}

/// The height of each grade above the lowest one, in mean steps.
#[function]
fn risen(shares: Vector) -> Vector {
    let count = shares.len() as f64;
    let mut sum: Real = Real::from(0.0);
    let mut all: Vec<Real> = vec![sum];
    for share in shares.iter() {
        sum += *share * count;
        all.push(sum);
    }
    Vector::from(all)
}

/// Some elements of a vector.
#[function]
fn part(all: &Vector, start: usize, count: usize) -> Vector {
    Vector::from_fn(count, |k| all[start + k])
}
