//! The interface between densities and samplers.

use super::description::{Description, Quantities, Unnamed};
use super::difference;
use super::posterior::MAX_EXPONENT;
use super::prior::Prior;
use super::{Block, Counts, Particles, Reference, caught, panics};
use crate::error::{Error, FitError};
use crate::model::VariableKind;
use crate::model::equations::suspect;
use crate::rng::{Key, Purpose, Stream};
use bayes_autodiff::trace::Sharing;
use nalgebra::DMatrix;
use rand::RngExt;

/// Default number of particles that are evaluated together. In a large block, particles whose trajectories need more steps than others
/// still fill SIMD lanes.
pub const BLOCK_SIZE: usize = 64;

/// A log density on R^d, split into log prior and log likelihood. Every engine runs on it.
///
/// Two methods are required: the number of coordinates, and both log densities of a block of particles. The trait is object-safe, so
/// kernels and engines are compiled once, not for each density. Values may be NaN or infinite; samplers reject and count them
/// ([`Target`](super::Target)).
///
/// A density that cannot be split is all likelihood, with log prior 0. Without [`LogDensity::prior`] only chains can run on it, because
/// SMC starts from prior draws.
///
/// ```
/// use bayes_model::density::{Block, LogDensity, Particles};
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
/// let mut particle = Particles::new(1, 2);
/// particle.positions.copy_from_slice(&[1.0, 1.0]);
/// Ellipse.evaluate(&mut particle.block());
/// assert!((particle.log_likelihood[0] + 0.2 / 0.38).abs() < 1e-12);
/// // and `Inference::nuts().run_on(&Ellipse)?` samples it
/// ```
pub trait LogDensity: Sync {
    /// Number of unconstrained coordinates d.
    fn dim(&self) -> usize;

    /// Fills `log_prior` and `log_likelihood` at the positions of `block`.
    fn evaluate(&self, block: &mut Block<'_>);

    /// Also fills the gradient of `weights[0] * log_prior + weights[1] * log_likelihood`.
    ///
    /// By default it is computed by central differences of the density, with `2 d` evaluations per particle. Inaccurate
    /// differences lower the acceptance rate; the draws are exact in either case.
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        difference::gradient(self, weights, block);
    }

    /// The Hessian of `log_prior + log_likelihood` at a position, `[dim, dim]`, symmetric.
    ///
    /// By default it is computed by central differences of the gradient, with `2 d` gradients.
    fn hessian(&self, position: &[f64]) -> DMatrix<f64> {
        difference::hessian(self, position)
    }

    /// The density at fixed params, for positions of the other coordinates. Models provide it where it saves work: if the first layers of
    /// a network depend only on params, followed by a dense layer that does not. These layers are then evaluated once for all particles.
    /// By default there is none, and the params are put into every position.
    fn sharing(&self, params: &[f64]) -> Option<Sharing<'_>> {
        let _ = params;
        None
    }

    /// The prior, if it can be sampled. Its draws must have the density `exp(log_prior)`, up to a constant: SMC starts from them, and
    /// would otherwise be wrong without any sign of it.
    fn prior(&self) -> Option<&dyn Prior> {
        None
    }

    /// The legs of SMC's path from the prior to this density; by default none: a path with this density as its only leg.
    ///
    /// On each leg the power of its `log_likelihood` rises from 0 to 1, with its `log_prior` at power 1. The first leg starts at the
    /// prior, each later leg at the end of the previous one, and the last leg ends at the posterior. All have the coordinates and the
    /// prior draws of this density. [`Batches`](super::Batches) adds the likelihood of some rows on each leg.
    fn legs(&self) -> Vec<Box<dyn LogDensity + '_>> {
        Vec::new()
    }

    /// The same density without the log Jacobians of its transforms, which an optimiser maximises: the density of the values at given
    /// coordinates. `None`, the default, if the density knows no transforms, or has no Jacobians already.
    fn of_values(&self) -> Option<Box<dyn LogDensity + '_>> {
        None
    }

    /// The number of rows of the data, at least 1, by which an optimiser divides its loss, so that learning rates do not depend on it; 1 by
    /// default.
    fn rows(&self) -> usize {
        1
    }

    /// The quantities behind the coordinates; by default one vector `x`.
    fn quantities(&self) -> &dyn Quantities {
        &Unnamed
    }

    /// The preferred number of particles that are evaluated together, at least 1; a multiple of 8 fills SIMD lanes.
    ///
    /// SMC moves particles in blocks of this size, or smaller ones if there would not be two. The block size determines which particles
    /// are tuned together, so another size gives different bits. Chains are evaluated in groups of up to 16.
    fn block_size(&self) -> usize {
        BLOCK_SIZE
    }
}

/// Methods of densities for samplers.
impl dyn LogDensity + '_ {
    /// Name, quantities and statements.
    #[must_use]
    pub fn describe(&self) -> Description {
        let described = self.quantities().describe();
        described.unwrap_or_else(|| Description::unnamed(self.dim()))
    }

    /// The Gaussian reference measure of pCN; `needed_for` says in words what needs it.
    ///
    /// # Errors
    /// [`Error::NoPrior`] without a prior, [`Error::NoFiniteDraw`].
    pub fn reference(&self, needed_for: &'static str) -> Result<Reference, Error> {
        let prior = self.some_prior(needed_for)?;
        match prior.reference() {
            Some(known) => Ok(known.clone()),
            None => Reference::of_draws(&self.describe().name, prior, self.dim()),
        }
    }

    /// The prior, which must be Gaussian with parameters that are numbers.
    ///
    /// # Errors
    /// [`Error::NoPrior`] without a prior, [`Error::Fit`] with the first quantity whose prior is not of this kind.
    pub fn gaussian_prior(&self) -> Result<Reference, Error> {
        let needed_for = "an anchored prior has the variances of a Gaussian prior";
        let prior = self.some_prior(needed_for)?;
        match prior.not_gaussian() {
            None => self.reference(needed_for),
            Some(quantity) => Err(Error::Fit {
                model: self.describe().name,
                source: FitError::Prior { quantity },
            }),
        }
    }

    fn some_prior(&self, needed_for: &'static str) -> Result<&dyn Prior, Error> {
        self.prior().ok_or_else(|| Error::NoPrior {
            density: self.describe().name,
            needed_for,
        })
    }

    /// Checks that the parts of the density fit together, as for a model, and that its prior density is finite at its draws.
    ///
    /// # Errors
    /// [`Error::Density`] with the first mismatch, [`Error::NanPrior`].
    pub fn validate(&self) -> Result<(), Error> {
        let (dim, description) = (self.dim(), self.describe());
        let check = |what, found: usize, holds: bool, wanted: String| {
            let error = || Error::Density {
                density: description.name.clone(),
                what,
                found,
                wanted,
            };
            holds.then_some(()).ok_or_else(error)
        };
        let fits =
            |what, found, wanted: usize| check(what, found, found == wanted, wanted.to_string());
        let at_least_one = |what, found| check(what, found, found >= 1, "at least 1".to_owned());
        at_least_one("`dim`", dim)?;
        at_least_one("`block_size`", self.block_size())?;
        fits("`dim` of the layout", description.layout.dim, dim)?;
        fits("the length of `discrete`", description.discrete.len(), dim)?;
        fits("the length of `params`", description.params.len(), dim)?;
        let mut start = vec![0.0; dim];
        self.draw_start(&mut Key::new(0, Purpose::Validation).stream(), &mut start);
        let output = self.quantities().output(&start).len();
        fits(
            "the length of the output",
            output,
            description.layout.elements(),
        )?;
        self.check_prior()
    }

    /// `validate`, for engines that sample every coordinate.
    ///
    /// # Errors
    /// The errors of `validate`, and [`Error::Params`] if there are coordinates to be learnt.
    pub fn validate_for_sampling(&self) -> Result<(), Error> {
        self.validate()?;
        let description = self.describe();
        if !description.params.contains(&true) {
            return Ok(());
        }
        let variables = description.layout.variables.into_iter();
        let params = variables.filter(|variable| variable.kind == VariableKind::Param);
        Err(Error::Params {
            model: description.name,
            names: params.map(|param| param.name).collect(),
        })
    }

    /// A draw from the prior; without a prior every coordinate uniform on (-2, 2), as Stan starts chains.
    pub fn draw_start(&self, stream: &mut Stream, position: &mut [f64]) {
        match self.prior() {
            // after a panic the position is NaN, and so is the density there
            Some(prior) => drop(prior.draw_or_nan(stream, position)),
            None => position
                .iter_mut()
                .for_each(|x| *x = stream.random_range(-2.0..2.0)),
        }
    }

    /// As `draw_start`, and counts a panic of the draw.
    pub fn draw_start_counted(
        &self,
        stream: &mut Stream,
        position: &mut [f64],
        counts: &mut Counts,
    ) {
        let Some(prior) = self.prior() else {
            return self.draw_start(stream, position);
        };
        if let Err(message) = prior.draw_or_nan(stream, position) {
            counts.merge(&Counts::of_draw(message, position.len()));
        }
    }

    /// The prior, which must be proper and must have a density at its draws; `needed_for` says in words what needs it.
    ///
    /// # Errors
    /// [`Error::NoPrior`] without a prior, [`Error::Model`] with every statement whose prior is improper, or NaN at half of its draws.
    pub fn proper_prior(&self, needed_for: &'static str) -> Result<&dyn Prior, Error> {
        let prior = self.some_prior(needed_for)?;
        prior.require_proper(needed_for)?;
        prior.require_density()?;
        Ok(prior)
    }

    /// The first non-finite term at `position`, with its statement, in words; `None` if no statement is the cause.
    pub fn first_non_finite(&self, position: &[f64]) -> Option<String> {
        let statements = self.describe().statements;
        let mut particle = Particles::new(1, position.len());
        particle.positions.copy_from_slice(position);
        let panicked = panics::evaluate(&mut particle.block(), |block| self.evaluate(block));
        if let Some((_, message)) = panicked.into_iter().next() {
            return Some(format!("the model panicked: {message}"));
        }
        let values = [particle.log_prior[0], particle.log_likelihood[0]];
        let terms = self.quantities().non_finite_terms(position, values);
        let found = terms.first()?;
        let statement = statements.get(found.statement)?;
        let first = found.observation.as_ref();
        let first = first.map_or(String::new(), |first| format!(", first at {first}"));
        let cause = found.cause.as_ref();
        let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
        Some(format!(
            "{} is {}{first}{cause}",
            statement.quoted(),
            found.term
        ))
    }

    /// The error for a density without a starting point: the first non-finite term at `position`, the last of `tried`
    /// positions.
    pub fn start_error(&self, position: &[f64], tried: usize) -> Error {
        let first = self.first_non_finite(position);
        Error::Start {
            model: self.describe().name,
            tried,
            term: first.unwrap_or_else(|| without_statement(position)),
            cause: self.inexact_equations(position),
        }
    }

    /// The first differential equations that are not solved within their tolerance at `position`, and what to do, in words; `None` if all
    /// are, or the density panics.
    pub fn inexact_equations(&self, position: &[f64]) -> Option<String> {
        let solved = caught(|| self.quantities().solutions(position));
        let text = suspect(&solved.unwrap_or_default().solutions);
        (!text.is_empty()).then_some(text)
    }
}

/// Why a density is not finite where no statement says so, in words.
fn without_statement(position: &[f64]) -> String {
    let is_farther = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
    match position.iter().copied().max_by(is_farther) {
        Some(x) if x.abs() > MAX_EXPONENT => {
            format!("a coordinate is {x:.1}, and its exponential is beyond the largest number")
        }
        _ => "no statement alone is the cause".to_owned(),
    }
}
