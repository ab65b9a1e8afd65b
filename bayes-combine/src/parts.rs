//! The parts: their densities, and the draws of their runs.

use super::Warning;
use bayes_core::density::{Counts, LogDensity, Particles, Target};
use bayes_core::rng::{Key, Purpose, RngExt};
use bayes_core::run::Run;
use bayes_core::{CombineError, Error};

/// Fewer particles than this are evaluated in one block.
const BLOCK: usize = 256;
/// The share of a side of a box by which [`Parts::inside`] keeps away from a bound.
const BOUND_DISTANCE: f64 = 1e-4;

/// The densities of all parts with the draws of their runs: what a method combines.
pub struct Parts<'a> {
    densities: Vec<&'a dyn LogDensity>,
    draws: Vec<PartDraws>,
    warnings: Vec<Warning>,
    bounds: Vec<[f64; 2]>,
}

/// The draws of the run of a part, equally weighted, in the unconstrained coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct PartDraws {
    /// Number of coordinates.
    pub dim: usize,
    /// Positions, `[draws, dim]` row-major, in the order of the run.
    pub positions: Vec<f64>,
    /// Log density of the part at each draw, not normalised, `[draws]`.
    pub log_density: Vec<f64>,
}

impl PartDraws {
    /// The positions one by one.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.positions.chunks_exact(self.dim)
    }

    /// Position `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.positions[i * self.dim..(i + 1) * self.dim]
    }

    /// Number of draws.
    #[must_use]
    pub fn len(&self) -> usize {
        self.log_density.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log_density.is_empty()
    }

    /// The draws without those that repeat an earlier one, bit by bit.
    #[must_use]
    pub fn distinct(&self) -> Self {
        let mut seen = std::collections::HashSet::new();
        let bits = |row: &[f64]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let is_new = |i: &usize| seen.insert(bits(self.row(*i)));
        let kept: Vec<usize> = (0..self.len()).filter(is_new).collect();
        self.select(&kept)
    }

    /// Some of the draws.
    pub(super) fn select(&self, draws: &[usize]) -> Self {
        Self {
            dim: self.dim,
            positions: draws.iter().flat_map(|i| self.row(*i)).copied().collect(),
            log_density: draws.iter().map(|i| self.log_density[*i]).collect(),
        }
    }

    /// The equally weighted draws of a run, and how many of them were left out because their density is zero or not a number.
    ///
    /// Draws with weights are resampled, systematically and with the same stream for every run.
    fn of_run(run: &Run) -> (Self, usize) {
        let dim = run.layout.dim;
        let groups = || run.groups.iter();
        let log_density = groups().flat_map(|group| {
            let densities = group.log_prior.iter().zip(&group.log_likelihood);
            densities.map(|(prior, likelihood)| prior + likelihood)
        });
        let all = Self {
            dim,
            positions: groups().flat_map(|g| &g.positions).copied().collect(),
            log_density: log_density.collect(),
        };
        let is_finite = |i: &usize| {
            all.log_density[*i].is_finite() && all.row(*i).iter().all(|x| x.is_finite())
        };
        let chosen = chosen(&run.draw_weights());
        let kept: Vec<usize> = chosen.iter().copied().filter(is_finite).collect();
        (all.select(&kept), chosen.len() - kept.len())
    }
}

/// The numbers of draws that stand for draws with these weights: all of them if they are equal.
fn chosen(weights: &[f64]) -> Vec<usize> {
    let n = weights.len();
    let equal = 1.0 / n as f64;
    if weights.iter().all(|w| (w - equal).abs() <= 1e-9 * equal) {
        return (0..n).collect();
    }
    systematic(weights, n, Key::new(0, Purpose::Combine).stream().random())
}

/// Systematic resampling: numbers of `draws` draws in ascending order, from one uniform number.
pub(super) fn systematic(weights: &[f64], draws: usize, uniform: f64) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let (mut sum, mut next) = (0.0, 0_usize);
    let mut chosen = Vec::with_capacity(draws);
    for (i, weight) in weights.iter().enumerate() {
        sum += weight / total * draws as f64;
        while (next as f64 + uniform) < sum && next < draws {
            chosen.push(i);
            next += 1;
        }
    }
    // rounding may leave the last one out
    let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
    chosen.resize(draws, last);
    chosen
}

impl<'a> Parts<'a> {
    /// The parts with these densities and these runs.
    ///
    /// Where the densities have [fingerprints](bayes_core::density::Quantities::fingerprint), as those of models do, runs may be in any order;
    /// otherwise they are in the order of the densities.
    ///
    /// # Errors
    /// [`Error::Combine`] if a part has no run or two, if a run belongs to none of the parts, or if it has no draws of positive density.
    pub fn new<D: LogDensity>(densities: &'a [D], runs: &[Run]) -> Result<Self, Error> {
        let densities = densities.iter().map(|density| density as &dyn LogDensity);
        Self::of_densities(densities.collect(), runs)
    }

    /// The same of densities of different types.
    ///
    /// # Errors
    /// As [`Parts::new`].
    pub fn of_densities(densities: Vec<&'a dyn LogDensity>, runs: &[Run]) -> Result<Self, Error> {
        let mut draws = Vec::with_capacity(runs.len());
        let mut warnings = Vec::new();
        for (part, run) in matched(&densities, runs)?.into_iter().enumerate() {
            let failed = |reason| CombineError::Failed { part, reason };
            if run.groups.iter().all(|group| group.log_prior.is_empty()) {
                Err(failed("it has no draws"))?;
            }
            let (mine, left_out) = PartDraws::of_run(run);
            if mine.is_empty() {
                Err(failed(
                    "the density is zero or not a number at all of its draws",
                ))?;
            }
            let of = mine.len() + left_out;
            warnings.extend(Warning::not_finite(part, left_out, of));
            warnings.extend(Warning::repeats(part, &mine));
            warnings.extend(Warning::equal_densities(part, &mine));
            draws.push(mine);
        }
        warnings.extend(Warning::missed_regions(&draws));
        let bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; draws[0].dim];
        Ok(Self {
            densities,
            draws,
            warnings,
            bounds,
        })
    }

    /// Says that the densities are zero outside of these bounds, `[low, high]` of each coordinate.
    ///
    /// The coordinates of a model have none. A density written by hand that ends somewhere needs them for [`Pai`](super::Pai), whose
    /// surrogates know nothing of a place where they have no points.
    ///
    /// # Errors
    /// [`Error::Setting`] if there is not one interval for each coordinate.
    pub fn bounded(self, bounds: &[[f64; 2]]) -> Result<Self, Error> {
        let holds = bounds.len() == self.dim();
        let allowed = "as many as there are coordinates";
        Error::setting("bounds", bounds.len(), holds, allowed)?;
        Ok(Self {
            bounds: bounds.to_vec(),
            ..self
        })
    }

    /// Where the densities may be positive, `[low, high]` of each coordinate.
    #[must_use]
    pub fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    /// The part of a box that lies within the bounds.
    pub(super) fn clip(&self, sides: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let pairs = sides.iter().zip(&self.bounds);
        let clip = |([low, high], [least, most]): (&[f64; 2], &[f64; 2])| {
            [low.max(*least), high.min(*most)]
        };
        pairs.map(clip).collect()
    }

    /// The part of a box that lies within the bounds and keeps a distance from them: a density may be infinite at a bound.
    pub(super) fn inside(&self, sides: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let pairs = self.clip(sides).into_iter().zip(&self.bounds);
        let inside = |([low, high], [least, most]): ([f64; 2], &[f64; 2])| {
            let distance = BOUND_DISTANCE * (high - low);
            [low.max(least + distance), high.min(most - distance)]
        };
        pairs.map(inside).collect()
    }

    /// Number of parts K.
    #[must_use]
    pub fn len(&self) -> usize {
        self.densities.len()
    }

    /// Whether there are none; there is at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.densities.is_empty()
    }

    /// Number of unconstrained coordinates.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.draws[0].dim
    }

    /// The draws of each part.
    #[must_use]
    pub fn draws(&self) -> &[PartDraws] {
        &self.draws
    }

    /// The densities of the parts.
    #[must_use]
    pub fn densities(&self) -> &[&'a dyn LogDensity] {
        &self.densities
    }

    /// What is wrong with the runs.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The log density of part `part` at positions `[n, dim]`, not normalised, `[n]`; minus infinity where it is zero or not a number.
    #[must_use]
    pub fn log_density(&self, part: usize, positions: &[f64]) -> Vec<f64> {
        let (dim, target) = (self.dim(), Target::posterior(self.densities[part]));
        let mut found = Vec::with_capacity(positions.len() / dim);
        for chunk in positions.chunks(BLOCK * dim) {
            let mut particles = Particles::new(chunk.len() / dim, dim);
            particles.positions.copy_from_slice(chunk);
            target.evaluate(&mut particles.block(), &mut Counts::default());
            let densities = particles.log_prior.iter().zip(&particles.log_likelihood);
            found.extend(densities.map(|(prior, likelihood)| prior + likelihood));
        }
        let settle = |l: f64| if l.is_nan() { f64::NEG_INFINITY } else { l };
        found.into_iter().map(settle).collect()
    }
}

/// The run of each part, in the order of the parts.
fn matched<'r>(densities: &[&dyn LogDensity], runs: &'r [Run]) -> Result<Vec<&'r Run>, Error> {
    let (parts, count) = (densities.len(), runs.len());
    if parts == 0 || parts != count {
        Err(CombineError::Count { parts, runs: count })?;
    }
    let fingerprints: Vec<u64> = densities
        .iter()
        .map(|density| density.quantities().fingerprint())
        .collect();
    let mut place: Vec<Option<usize>> = vec![None; parts];
    for (r, run) in runs.iter().enumerate() {
        let known = fingerprints.iter().all(|fingerprint| *fingerprint != 0);
        let is_of = |fingerprint: &u64| format!("{fingerprint:016x}") == run.fingerprint;
        let part = match known {
            true => fingerprints.iter().position(is_of),
            false => Some(r),
        };
        let Some(part) = part else {
            let model = run.model.clone();
            return Err(CombineError::OtherPart { run: r, model }.into());
        };
        let (found, wanted) = (run.layout.dim, densities[part].dim());
        if found != wanted
            || run.layout.without_dims() != densities[part].describe().layout.without_dims()
        {
            Err(CombineError::Quantities {
                run: r,
                found,
                wanted,
            })?;
        }
        if let Some(first) = place[part].replace(r) {
            Err(CombineError::Twice {
                part,
                first,
                second: r,
            })?;
        }
    }
    Ok(place.into_iter().flatten().map(|r| &runs[r]).collect())
}
