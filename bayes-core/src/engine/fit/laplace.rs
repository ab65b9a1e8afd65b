//! The Laplace approximation: a Gaussian around a mode.

use super::approximation::{self, Approximation, check_draws, refuse_improper};
use super::map::same_quantities;
use super::searches::search_setters;
use crate::density::{Counts, LogDensity, Particles, Target, hessian};
use crate::engine::builder::{Algorithm, Builder, MakesDraws, Runner};
use crate::engine::common::named_texts;
use crate::engine::save::outcome::Made;
use crate::error::{Error, FitError};
use crate::model::{AllSampled, Differentiable, Model};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Ended, Fit, Objective, Run, Spool};
use nalgebra::{Cholesky, DMatrix, DVector};
use rand::RngExt;
use rand_distr::StandardNormal;

/// If a step of Newton's method raises the log density by more than this, the point is not a mode.
const TOLERANCE: f64 = 1e-4;
/// Maximum number of coordinates: the Hessian has as many rows and columns.
const MAX_DIM: usize = 5000;

/// The Hessian of the log density at a position, `[dim, dim]`: exact for a model, by differences for another density.
type Hessian<'a> = &'a dyn Fn(&[f64]) -> DMatrix<f64>;

/// Builder of a Laplace approximation around a fit; `run` makes a [`Run`] of independent draws, with the approximate evidence.
///
/// ```text
/// N(x̂, H⁻¹),  ln Z ≈ ln p(x̂, y) + d/2 ln 2π - ½ ln |H|,  H = -∂² ln p / ∂x²      Tierney and Kadane (1986)
/// ```
///
/// in the unconstrained coordinates x, in which the density includes the Jacobians of the transforms. Both are exact for a posterior
/// that is Gaussian there; otherwise their error is unknown, and the standard errors of the run do not include it. The run
/// warns of other maxima, with the share of the posterior around them, and where short trajectories lead beyond the draws.
///
/// Where values are constrained, fit with `Inference::map().jacobian(true)`. The fit must be at a mode. After minibatches or early
/// stopping it is not; `Inference::map().jacobian(true).start(&fit)` continues to the mode by L-BFGS.
pub type Laplace<'f> = Builder<LaplaceApproximation<'f>>;

/// The fit and the number of draws.
#[derive(Clone, Debug)]
pub struct LaplaceApproximation<'f> {
    fit: &'f Fit,
    draws: usize,
}

/// Approximations of the posterior around a fit: `fit.laplace().run(&model)`.
pub trait ApproximateFit {
    /// A Gaussian approximation of the posterior around this point. It has the seed of the fit unless it gets another.
    fn laplace(&self) -> Laplace<'_>;
}

impl ApproximateFit for Fit {
    fn laplace(&self) -> Laplace<'_> {
        let settings = LaplaceApproximation {
            fit: self,
            draws: 1000,
        };
        Builder::new("laplace", settings).seed(self.seed)
    }
}

impl MakesDraws for LaplaceApproximation<'_> {
    fn draws(&mut self) -> &mut usize {
        &mut self.draws
    }
}

impl Laplace<'_> {
    search_setters!("");

    /// Approximates the posterior of `model`.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number of draws below 2 or a model of more than 5000 coordinates; [`Error::Fit`] if the fit is of another
    /// model, found no mode, is not at a mode, or is at a point where the density is not concave; [`Error::Improper`].
    pub fn run<Mo: Model + Differentiable + AllSampled>(&self, model: &Mo) -> Result<Run, Error> {
        let posterior = self.runner.common.posterior(model)?;
        self.runner
            .approximate(&posterior, &|position| hessian(model, position))
    }
}

/// On a density, whose Hessian is [`LogDensity::hessian`].
impl Algorithm for LaplaceApproximation<'_> {
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        _: Option<Spool>,
    ) -> Result<Made, Error> {
        let run = runner.approximate(density, &|position| density.hessian(position))?;
        Ok(Made::of(run))
    }
}

impl Runner<LaplaceApproximation<'_>> {
    fn approximate(&self, density: &dyn LogDensity, hessian: Hessian<'_>) -> Result<Run, Error> {
        let (draws, dim) = (self.own.draws, density.dim());
        self.common.refuse_parts()?;
        check_draws(draws)?;
        let allowed = "a model of at most 5000 coordinates, because it needs their Hessian";
        Error::setting("laplace", dim, dim <= MAX_DIM, allowed)?;
        density.validate_for_sampling()?;
        let description = density.describe();
        let own = (description.name.as_str(), &description.layout);
        same_quantities(own, (&self.own.fit.model, &self.own.fit.layout))?;
        self.require_mode()?;
        let gaussian = self.gaussian(density, hessian)?;
        refuse_improper(density, &self.common)?;
        let key = Key::new(self.common.seed, Purpose::Initial);
        let mut group = approximation::group(
            &gaussian,
            density,
            &self.common,
            (draws, key),
            &self.own.fit.ends(),
        );
        group.counts.merge(&gaussian.counts);
        let settings = named_texts([("draws", draws.to_string())]);
        Ok(self.common.run_of_draws(density, settings, group))
    }

    /// Refuses a fit that ran to the edge of the space. A longer search from there ends there too.
    fn require_mode(&self) -> Result<(), Error> {
        let fit = self.own.fit;
        if *fit.ended() != Ended::NoMode {
            return Ok(());
        }
        let advice = match fit.objective {
            Objective::Coordinates => {
                "use `.non_centred()` for values whose scale is random, a prior that keeps values from the edge, or an engine that samples, such \
                 as `Inference::nuts()`"
            }
            _ => "use `Inference::map().jacobian(true)` without `.start(&fit)`",
        };
        Err(Error::Fit {
            model: fit.model.clone(),
            source: FitError::NoMode {
                objective: fit.objective.to_string(),
                advice,
            },
        })
    }

    /// The Gaussian, if the fit is at a mode of the density.
    fn gaussian(&self, density: &dyn LogDensity, hessian: Hessian<'_>) -> Result<Gaussian, Error> {
        let mode = self.own.fit.position();
        let mut particle = Particles::new(1, mode.len());
        particle.positions.copy_from_slice(mode);
        let mut counts = Counts::default();
        Target::posterior(density).evaluate_gradient(&mut particle.block(), &mut counts);
        let refused = |source| Error::Fit {
            model: self.own.fit.model.clone(),
            source,
        };
        let precision = -hessian(mode);
        let Some(cholesky) = Cholesky::new(precision.clone()) else {
            // 0 has no sign
            let largest = 0.0 - smallest_eigenvalue(precision);
            return Err(refused(FitError::NotConcave { largest }));
        };
        let gradient = DVector::from_column_slice(&particle.gradient);
        let promised = 0.5 * gradient.dot(&cholesky.solve(&gradient));
        if promised.is_nan() || promised > TOLERANCE {
            return Err(refused(self.not_a_mode(promised)));
        }
        let log_density = particle.log_prior[0] + particle.log_likelihood[0];
        let dim = mode.len() as f64;
        // half of the log determinant
        let log_scale: f64 = cholesky.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let log_normaliser = log_scale - 0.5 * dim * std::f64::consts::TAU.ln();
        Ok(Gaussian {
            mode: DVector::from_column_slice(mode),
            log_evidence: log_density - log_normaliser,
            upper: cholesky.l().transpose(),
            log_normaliser,
            counts,
        })
    }

    fn not_a_mode(&self, promised: f64) -> FitError {
        let advice = match self.own.fit.objective {
            Objective::Coordinates => {
                "go on with `Inference::map().jacobian(true).start(&fit)`, with more epochs if it ended after all of them"
            }
            _ => "use `Inference::map().jacobian(true)`",
        };
        FitError::NotAMode {
            promised,
            ended: self.own.fit.ended().to_string(),
            objective: self.own.fit.objective.to_string(),
            advice,
        }
    }
}

/// A Gaussian by its precision, and the evidence that it implies.
struct Gaussian {
    mode: DVector<f64>,
    log_evidence: f64,
    /// The transposed Cholesky factor of the precision.
    upper: DMatrix<f64>,
    /// Half of the log determinant of the precision, minus d/2 ln 2π.
    log_normaliser: f64,
    counts: Counts,
}

impl Approximation for Gaussian {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) -> f64 {
        let mut z = DVector::from_fn(position.len(), |_, _| stream.sample(StandardNormal));
        let log_density = self.log_normaliser - 0.5 * z.norm_squared();
        // the precision is L Lᵀ, so L⁻ᵀ z has the covariance
        self.upper.solve_upper_triangular_mut(&mut z);
        position.copy_from_slice((&self.mode + z).as_slice());
        log_density
    }

    fn log_density(&self, position: &[f64]) -> f64 {
        let z = &self.upper * (DVector::from_column_slice(position) - &self.mode);
        self.log_normaliser - 0.5 * z.norm_squared()
    }

    fn log_evidence(&self) -> Option<f64> {
        Some(self.log_evidence)
    }
}

fn smallest_eigenvalue(matrix: DMatrix<f64>) -> f64 {
    if matrix.iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    matrix.symmetric_eigenvalues().min()
}
