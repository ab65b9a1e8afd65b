//! Pathfinder: the best Gaussians along the paths of an optimiser.

mod normal;
mod path;

use super::approximation::{self, check_draws, refuse_improper};
use super::searches::search_setters;
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::builder::{Algorithm, Builder, MakesDraws, Runner};
use crate::engine::chains::start::{CANDIDATES, likeliest};
use crate::engine::common::named_texts;
use crate::engine::mover;
use crate::engine::save::outcome::Made;
use crate::error::{ApproximationError, Error};
use crate::kernel::require_gradient;
use crate::model::{AllSampled, Differentiable, Model};
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::{PathfinderPath, Run, Spool};
use normal::{Mixture, Normal};
use path::{PathSettings, Walked};

/// Maximum number of paths.
const MAX_PATHS: usize = 100_000;
/// Maximum number of a path's iterates, and of draws for the ELBO of one.
const MAX_EACH: usize = 1_000_000;

/// Builder of Pathfinder (Zhang, Carpenter, Gelman and Vehtari 2022); `run` makes a [`Run`] of weighted independent draws.
///
/// From each of several starts L-BFGS climbs towards a mode. At every iterate its last steps give an inverse Hessian, and with it a
/// Gaussian of the unconstrained coordinates (algorithms 3 and 4). A few draws estimate the ELBO of each, and the
/// Gaussian of highest ELBO is the path's (algorithm 1); one with fewer draws of zero density comes first, and the mean is over the other
/// draws, where the paper has minus infinity. The path often passes it before the mode, where most of the posterior is. This takes some
/// dozens of gradients for each path, thousands where there is no mode, as in a funnel.
///
/// ```text
/// q(x) = (1/I) Σᵢ N(x; μᵢ, Σᵢ),    wₛ ∝ p(xₛ, y) / q(xₛ)
/// ```
///
/// The draws are of the mixture q of all paths' Gaussians and have Pareto smoothed importance weights. This departs from the paper's
/// algorithm 2 in two more points. The paper divides by the density of the one Gaussian that made a draw; with the density of the mixture, a mode
/// has its mass however many paths end there (Veach and Guibas 1995; Owen and Zhou 2000). And the paper resamples the draws by their
/// weights; here they keep the weights, which all statistics and files of a run respect, so that nothing is lost and their effective number
/// is known.
///
/// [`Run::importance`] has k-hat. Above 0.7 neither draws nor weights can be relied on. From 0.5 on the variance of the weights is
/// infinite, so that standard errors are too small, and the run warns. Then [`Inference::nuts`](crate::engine::Inference::nuts) samples;
/// with [`Starts::Pathfinder`](crate::engine::Starts) its chains start by paths of their own, with the default settings.
/// Gaussians of low rank are far from most posteriors of many dimensions, and k-hat says so. K-hat sees only where draws are: climbs from the
/// ends of the paths and short trajectories from the draws, some thousand gradients together, look further, and the run warns.
///
/// With an improper prior, such as [`Flat`](crate::dist::Flat), the run has no evidence, because its constant would be arbitrary.
///
/// A path that finds no Gaussian is counted and named in the run's warnings, and so is what each found in
/// [`Independent::paths`](crate::run::Independent::paths).
///
/// ```
/// use bayes_core::density::{Block, LogDensity};
/// use bayes_core::engine::Inference;
///
/// /// A Gaussian with a correlation of 0.9.
/// struct Ellipse;
///
/// impl LogDensity for Ellipse {
///     fn dim(&self) -> usize {
///         2
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| [0.0, -(x[0] * x[0] - 1.8 * x[0] * x[1] + x[1] * x[1]) / 0.38]);
///     }
/// }
///
/// let run = Inference::pathfinder().paths(8).draws(1000).seed(1).run_on(&Ellipse)?;
/// let pareto_k = run.importance().expect("it is an approximation").pareto_k;
/// assert!(pareto_k < 0.7 && run.warnings().is_empty());
/// // the exact standard deviation is 1; its error with 1000 draws is 0.022
/// assert!((run.sd("x")?[0] - 1.0).abs() < 0.1);
/// let gradients: u64 = run.pathfinder_paths().iter().map(|path| path.gradients).sum();
/// assert!(gradients < 500);
/// # Ok::<(), bayes_core::Error>(())
/// ```
pub type Pathfinder = Builder<PathSearch>;

/// The settings of paths, and the number of draws.
#[derive(Clone, Debug)]
pub struct PathSearch {
    paths: usize,
    draws: usize,
    each: PathSettings,
}

impl PathSearch {
    pub(in crate::engine) fn new() -> Self {
        Self {
            paths: 8,
            draws: 1000,
            each: PathSettings::new(),
        }
    }
}

impl PathSettings {
    /// The last 6 steps (as in the paper), 1000 iterates and 25 draws (as in Stan).
    pub(in crate::engine) fn new() -> Self {
        Self {
            memory: 6,
            iterations: 1000,
            elbo_draws: 25,
        }
    }

    fn validate(self) -> Result<(), Error> {
        let each = [
            ("memory", self.memory),
            ("iterations", self.iterations),
            ("elbo_draws", self.elbo_draws),
        ];
        each.into_iter().try_for_each(|(name, number)| {
            let holds = (1..=MAX_EACH).contains(&number);
            Error::setting(name, number, holds, "from 1 to 1000000")
        })
    }
}

impl MakesDraws for PathSearch {
    fn draws(&mut self) -> &mut usize {
        &mut self.draws
    }
}

impl Pathfinder {
    /// Number I of paths, from 1 to 100,000; 8 by default, which fill the SIMD lanes.
    #[doc(alias = "num_paths")]
    pub fn paths(self, paths: usize) -> Self {
        self.set(|search| search.paths = paths)
    }

    /// Number J of the last steps that make an inverse Hessian, at least 1; 6 by default. The covariance has a rank of 2 J beside its
    /// diagonal. The optimiser itself keeps 20 steps whatever J is; in Stan and PyMC it keeps J.
    #[doc(alias = "history_size")]
    #[doc(alias = "maxcor")]
    pub fn memory(self, steps: usize) -> Self {
        self.set(|search| search.each.memory = steps)
    }

    /// Maximum number of iterates of a path, at least 1; 1000 by default.
    #[doc(alias = "max_lbfgs_iters")]
    pub fn iterations(self, iterates: usize) -> Self {
        self.set(|search| search.each.iterations = iterates)
    }

    /// Number K of draws for the ELBO of each iterate, at least 1; 25 by default. They cost evaluations of the density, not gradients.
    #[doc(alias = "num_elbo_draws")]
    pub fn elbo_draws(self, draws: usize) -> Self {
        self.set(|search| search.each.elbo_draws = draws)
    }

    search_setters!("");

    /// Approximates the posterior of `model`.
    ///
    /// # Errors
    /// A setting out of range, data that do not fit the model, [`Error::Improper`], or no starting point with finite density in 100 prior draws for any path;
    /// [`Error::Approximation`] with the reasons if all paths fail.
    pub fn run<Mo: Model + Differentiable + AllSampled>(&self, model: &Mo) -> Result<Run, Error> {
        let common = &self.runner.common;
        common.run_on_model(model, &|density| self.run_on(density))
    }
}

impl Algorithm for PathSearch {
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        _: Option<Spool>,
    ) -> Result<Made, Error> {
        runner.approximate(density).map(Made::of)
    }
}

impl Runner<PathSearch> {
    fn approximate(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let PathSearch { paths, draws, each } = self.own;
        self.common.refuse_parts()?;
        check_draws(draws)?;
        let holds = (1..=MAX_PATHS).contains(&paths);
        Error::setting("paths", paths, holds, "from 1 to 100000")?;
        each.validate()?;
        density.validate_for_sampling()?;
        require_gradient(density, ["engine", "pathfinder", "`random_walk`"])?;
        refuse_improper(density, &self.common)?;
        let mut counts = Counts::default();
        let walked = self.found(density, &mut counts)?;
        let ends: Vec<Vec<f64>> = walked.iter().filter_map(|path| path.end.clone()).collect();
        let parts = walked.into_iter().map(|path| (path.normal, path.path));
        let (normals, known): (Vec<Option<Normal>>, Vec<PathfinderPath>) = parts.unzip();
        let normals: Vec<Normal> = normals.into_iter().flatten().collect();
        if self.common.is_stopped() {
            let (finished, units) = (0, 1);
            return Err(Error::Stopped { finished, units });
        }
        if normals.is_empty() {
            return Err(Error::Approximation {
                model: density.describe().name,
                source: ApproximationError::NoPath {
                    paths,
                    failures: PathfinderPath::failures(&known),
                },
            });
        }
        let key = Key::new(self.common.seed, Purpose::Approximation);
        let mut group = approximation::group(
            &Mixture(normals),
            density,
            &self.common,
            (draws, key),
            &ends,
        );
        group.counts.merge(&counts);
        if let Some(independent) = group.independent_mut() {
            independent.paths = known;
        }
        let settings = named_texts([
            ("paths", paths.to_string()),
            ("draws", draws.to_string()),
            ("memory", each.memory.to_string()),
            ("iterations", each.iterations.to_string()),
            ("elbo_draws", each.elbo_draws.to_string()),
        ]);
        let run = self.common.run_of_draws(density, settings, group);
        let gradient_fault = density.gradient_fault();
        Ok(Run {
            gradient_fault,
            ..run.importance_weighted()?
        })
    }

    /// What each path found.
    ///
    /// # Errors
    /// [`Error::Start`] if no path has a start.
    fn found(&self, density: &dyn LogDensity, counts: &mut Counts) -> Result<Vec<Walked>, Error> {
        let starts = parallel::map(0..self.own.paths as u64, |path| {
            let key = Key::new(self.common.seed, Purpose::Initial).item(path);
            let mut counts = Counts::default();
            let start = likeliest(density, key, CANDIDATES, &mut counts);
            (start.map(|start| start.positions), counts)
        });
        let (mut positions, mut error) = (Vec::with_capacity(starts.len()), None);
        for (path, (start, of_start)) in starts.into_iter().enumerate() {
            counts.merge(&of_start);
            let key = Key::new(self.common.seed, Purpose::Elbo).item(path as u64);
            positions.push(match start {
                Ok(start) => Some((key, start)),
                Err(found) => {
                    error = error.or(Some(found));
                    None
                }
            });
        }
        if let Some(error) = error.filter(|_| positions.iter().all(Option::is_none)) {
            return Err(error);
        }
        let is_stopped = || self.common.is_stopped();
        let counts = (counts, &is_stopped as &dyn Fn() -> bool);
        Ok(path::walk(density, self.own.each, positions, counts))
    }
}

/// Moves each particle to the first of ten draws of finite density of the Gaussian that a path from there finds, if there is one; its
/// densities are evaluated. Each particle has the key of its path; particles with the same key start at the same place and share a path.
pub(in crate::engine) fn draw_starts(
    density: &dyn LogDensity,
    particles: &mut Particles,
    keys: &[Key],
    counts: &mut Counts,
) {
    let dim = density.dim();
    let first = |key: &Key| keys.iter().position(|other| other == key);
    let mut places: Vec<usize> = keys.iter().filter_map(first).collect();
    places.sort_unstable();
    places.dedup();
    let start = |place: &usize| Some((keys[*place], particles.position(*place).to_vec()));
    let starts = places.iter().map(start).collect();
    let found = path::walk(density, PathSettings::new(), starts, (counts, &|| false));
    let mut drawn = Particles::new(CANDIDATES, dim);
    for (place, found) in places.into_iter().zip(found) {
        let Some(normal) = found.normal else { continue };
        // the paths draw by later stages
        let mut stream = keys[place].stream();
        let positions = drawn.positions.chunks_exact_mut(dim);
        positions.for_each(|position| normal.draw(&mut stream, position));
        counts.merge(&mover::evaluate(&mut drawn, Target::posterior(density)));
        let value = |k: &usize| drawn.log_prior[*k] + drawn.log_likelihood[*k];
        let first = (0..CANDIDATES).find(|k| value(k).is_finite());
        let Some(first) = first else { continue };
        let mut start = drawn.select(&[first as u32]);
        let same = (0..keys.len()).filter(|i| keys[*i] == keys[place]);
        same.for_each(|i| particles.block().take(i, &start.block()));
    }
}
