//! The density of a validated model.

use super::reference::REFERENCE_DRAWS;
use super::{
    Arithmetic, ArithmeticSettings, Block, Description, GradientMode, LogDensity, Prior,
    Quantities, Reference, RoundedPrior, Solutions, caught,
};
use crate::error::{Error, Problem, ProblemKind, ValuesError};
use crate::model::fingerprint::Fingerprint;
use crate::model::{
    Compiled, Draw, DrawnPrior, Layout, Model, NonFiniteTerm, NonFiniteTerms, StatementInfo,
    Validated, check_again, observed_data, of_compiled, unjudged, validated,
};
use crate::rng::{Key, Purpose, Stream};
use bayes_autodiff::batch::Batch;
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::trace::{AtPosition, Sharing, Trace};
use bayes_calculus::ode::{Watch, watch};
use std::sync::OnceLock;

/// Beyond this value `exp` under- or overflows, and a scale is 0 or infinite.
pub(super) const MAX_EXPONENT: f64 = 700.0;

/// A validated model with its data, ready for kernels and engines.
#[derive(Debug)]
pub struct Posterior<'m> {
    pub(super) model: &'m dyn Compiled,
    pub(super) validated: Validated,
    pub(super) seed: u64,
    pub(super) level: InstructionSet,
    pub(super) arithmetic: Arithmetic,
    /// The model's operations, if evaluation replays them.
    pub(super) trace: Option<Trace<'m>>,
    /// The operations of a subset of the rows, the same at every position, in place of a trace that would cost more.
    pub(super) at_position: Option<AtPosition<'m>>,
    /// The place in the trace of each element of the output, `[elements]`; none if the model has to compute them. Found when first
    /// needed: a minibatch has a trace, but no output.
    pub(super) kept: OnceLock<Option<Vec<usize>>>,
    /// Whether the log prior includes the log Jacobian of the transforms.
    pub(super) jacobian: bool,
    /// Whether the trace is recorded for params that all particles share.
    pub(super) sharing: bool,
    pub(super) reference: OnceLock<Option<Reference>>,
    pub(super) fingerprint: OnceLock<u64>,
}

impl<'m> Posterior<'m> {
    /// Validates the model and its data.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem found.
    pub fn new<Mo: Model>(model: &'m Mo, seed: u64) -> Result<Self, Error> {
        Self::of(model, seed, ArithmeticSettings::default())
    }

    /// Validates the model and its data, and chooses its evaluation.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem found, [`Error::Setting`] if the processor does not have the instruction set,
    /// [`Error::TooLong`] if the model has too many operations for a trace and is no `#[model(forward)]`.
    pub fn with<Mo: Model>(
        model: &'m Mo,
        seed: u64,
        settings: ArithmeticSettings,
    ) -> Result<Self, Error> {
        Self::of(model, seed, settings)
    }

    /// A model that may be refused, without a trace, to look at what it does.
    ///
    /// # Errors
    /// [`Error::Model`] if it stops at a prior draw.
    #[doc(hidden)]
    pub fn unjudged(model: &'m dyn Compiled) -> Result<Self, Error> {
        let level = ArithmeticSettings::default().level()?;
        Ok(Self::untraced(model, unjudged(model)?, 0, level))
    }

    /// [`Posterior::with`] without the model's type.
    ///
    /// # Errors
    /// As for [`Posterior::with`].
    #[doc(hidden)]
    pub fn of(
        model: &'m dyn Compiled,
        seed: u64,
        settings: ArithmeticSettings,
    ) -> Result<Self, Error> {
        let level = settings.level()?;
        let mut posterior = Self::untraced(model, validated(model)?, seed, level);
        posterior.choose_trace(settings.gradient)?;
        posterior.check_outputs();
        let is_checked = settings.gradient == GradientMode::Automatic && posterior.trace.is_some();
        if is_checked && !posterior.modes_agree() {
            posterior.check_again()?;
            posterior.forget_trace(
                "it disagrees with the model at a prior draw, which is a bug of this library",
            );
        }
        Ok(posterior)
    }

    fn untraced(
        model: &'m dyn Compiled,
        validated: Validated,
        seed: u64,
        level: InstructionSet,
    ) -> Self {
        Self {
            model,
            validated,
            seed,
            level,
            arithmetic: Arithmetic {
                gradient: GradientMode::Forward,
                reason: "set by `.gradient(..)`".to_owned(),
                instruction_set: level.name().to_owned(),
                trace: None,
                untraceable: None,
                has_dual_numbers: model.forward().is_some(),
                recording: None,
            },
            trace: None,
            at_position: None,
            kept: OnceLock::new(),
            jacobian: true,
            sharing: false,
            reference: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }
    }

    /// Compares the model with its state at validation.
    ///
    /// # Errors
    /// [`Error::Model`] with the first statement that differs at the same values.
    pub fn check_again(&self) -> Result<(), Error> {
        check_again(self.model, &self.validated)
    }

    /// Whether the log prior includes the log Jacobian of the transforms; by default it does.
    ///
    /// With it this is the density of the unconstrained coordinates, which engines sample. Without it, it is the density of the values at
    /// given coordinates, whose maximum does not depend on the transforms: for optimisation only.
    #[must_use]
    pub fn jacobian(mut self, jacobian: bool) -> Self {
        if self.jacobian != jacobian {
            self.jacobian = jacobian;
            self.at_position = None;
            if self.trace.is_some() {
                self.trace_again();
            }
        }
        self
    }

    /// The same density without the log Jacobian, with the validation and the settings of this one.
    fn without_jacobian(&self) -> Self {
        let mut posterior = Self {
            jacobian: false,
            fingerprint: self.fingerprint.clone(),
            ..self.of_same_prior(self.model)
        };
        if self.trace.is_some() {
            posterior.trace_again();
        }
        posterior
    }

    /// The density of this model or of some of its rows, with the validation and the settings of this one and without a trace.
    pub(super) fn of_same_prior<'s>(&self, model: &'s dyn Compiled) -> Posterior<'s> {
        Posterior {
            model,
            validated: self.validated.clone(),
            seed: self.seed,
            level: self.level,
            arithmetic: self.arithmetic.clone(),
            trace: None,
            at_position: None,
            kept: OnceLock::new(),
            jacobian: self.jacobian,
            sharing: self.sharing,
            reference: self.reference.clone(),
            fingerprint: OnceLock::new(),
        }
    }

    /// The coordinates that the trace treats as shared, `[dim]`, or none.
    pub(super) fn shared(&self) -> &[bool] {
        match self.sharing {
            true => &self.validated.params,
            false => &[],
        }
    }

    /// Names and shapes of the output; `layout().dim` is d.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.validated.layout
    }

    /// Draws a position from the prior, `[dim]` unconstrained.
    pub fn draw_prior(&self, stream: &mut Stream, position: &mut [f64]) {
        self.draw_into(&mut Draw::new(stream), position);
    }

    /// Makes the prior draw `draw` and stores its coordinates in `position`.
    fn draw_into(&self, draw: &mut Draw<'_>, position: &mut [f64]) {
        run(self.model, draw);
        position.fill(0.0);
        position[..draw.position.len()].copy_from_slice(&draw.position);
    }

    /// The non-finite terms, and the terms of every statement.
    fn by_statement(&self, position: &[f64]) -> (Vec<NonFiniteTerm>, Vec<f64>) {
        let mut search = NonFiniteTerms::new(position, self.model.statements().len());
        if caught(|| self.model.plain(&mut search)).is_err() {
            search.stop();
        }
        (search.non_finite_terms, search.terms)
    }

    /// Fills densities and gradients particle by particle.
    fn forward_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|position, slopes| match &self.at_position {
            Some(recorded) => recorded.gradient(position, weights, slopes),
            None => self
                .model
                .forward_gradient(self.jacobian, position, weights, slopes),
        });
    }
}

/// Makes the prior draw `draw`; returns the distributions of the random quantities, and the position.
pub(super) fn drawn(model: &dyn Compiled, mut draw: Draw<'_>) -> (Vec<DrawnPrior>, Vec<f64>) {
    run(model, &mut draw);
    (draw.priors, draw.position)
}

/// Draws. If the model panics, the draw keeps the values so far; the density panics there too and counts as zero.
fn run(model: &dyn Compiled, draw: &mut Draw<'_>) {
    let _ = caught(|| model.plain(draw));
}

/// Two draws show whether the prior is one fixed Gaussian; more are drawn only if it is not. `None` if the model panics at all of them.
fn fit_reference(model: &dyn Compiled, dim: usize, seed: u64) -> Option<Reference> {
    let draw = |item| {
        let key = Key::new(seed, Purpose::Reference).item(item);
        drawn(model, Draw::new(&mut key.stream()))
    };
    let fit = |draws: u64| {
        let draws = (0..draws)
            .map(draw)
            .filter(|(_, position)| position.len() == dim);
        let (distributions, positions): (Vec<_>, Vec<_>) = draws.unzip();
        (!positions.is_empty()).then(|| Reference::from_prior(&distributions, &positions))
    };
    let exact = fit(2);
    match &exact {
        Some(found) if found.is_gaussian_prior => exact,
        _ => fit(REFERENCE_DRAWS),
    }
}

/// A block as a batch, and its gradient.
pub(super) fn batch_of<'b>(block: &'b mut Block<'_>) -> (Batch<'b>, &'b mut [f64]) {
    let batch = Batch {
        dim: block.dim,
        positions: block.positions,
        log_prior: block.log_prior,
        log_likelihood: block.log_likelihood,
    };
    (batch, block.gradient)
}

impl LogDensity for Posterior<'_> {
    fn dim(&self) -> usize {
        self.validated.layout.dim
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        let batch = batch_of(block).0;
        match &self.trace {
            Some(trace) => trace.values(self.level, batch),
            None => self.model.values(self.jacobian, batch),
        }
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        match &self.trace {
            Some(trace) => {
                let (batch, gradient) = batch_of(block);
                trace.gradients(self.level, weights, batch, gradient);
            }
            None => self.forward_gradient(weights, block),
        }
    }

    fn sharing(&self, params: &[f64]) -> Option<Sharing<'_>> {
        let trace = self.trace.as_ref().filter(|trace| trace.has_features())?;
        Some(trace.share(self.level, params))
    }

    // `hessian` remains the method by differences: see the function `hessian` above

    fn of_values(&self) -> Option<Box<dyn LogDensity + '_>> {
        let values = self.jacobian.then(|| self.without_jacobian())?;
        Some(Box::new(values))
    }

    fn rows(&self) -> usize {
        let counts = self.model.row_counts();
        counts.first().map_or(1, |count| count.rows.max(1))
    }

    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Prior for Posterior<'_> {
    fn is_normalised(&self) -> bool {
        true
    }

    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        self.draw_prior(stream, position);
    }

    fn draw_at_params(&self, stream: &mut Stream, position: &mut [f64]) {
        let draw = Draw::new(stream).at_params_of(position);
        let drawn = drawn(self.model, draw).1;
        position[..drawn.len()].copy_from_slice(&drawn);
    }

    fn draw_at(
        &self,
        stream: &mut Stream,
        values: &[(String, Vec<f64>)],
        position: &mut [f64],
    ) -> Result<(), ValuesError> {
        let mut draw = Draw::new(stream).at_values(self.model.statements(), values);
        self.draw_into(&mut draw, position);
        draw.check_values()
    }

    fn reference(&self) -> Option<&Reference> {
        let fit = || fit_reference(self.model, self.validated.layout.dim, self.seed);
        self.reference.get_or_init(fit).as_ref()
    }

    fn not_gaussian(&self) -> Option<String> {
        if self.reference()?.is_gaussian_prior {
            return None;
        }
        let draw = |item| {
            let key = Key::new(self.seed, Purpose::Reference).item(item);
            drawn(self.model, Draw::new(&mut key.stream())).0
        };
        let (first, second) = (draw(0), draw(1));
        let mut pairs = first.iter().zip(&second);
        let other =
            pairs.find(|(a, b)| !a.is_param && (a.gaussian.is_none() || a.gaussian != b.gaussian));
        let (found, _) = other?;
        let statement = self.model.statements()[found.statement];
        let (name, text, line) = (statement.name, statement.text, statement.line);
        Some(match found.gaussian {
            None => format!("the prior of `{name}` in `{text}` (line {line}) is not Gaussian"),
            Some(_) => {
                format!(
                    "the prior of `{name}` in `{text}` (line {line}) depends on other random values"
                )
            }
        })
    }

    fn require_proper(&self, needed_for: &'static str) -> Result<(), Error> {
        let problem = |&(index, instead): &(usize, Option<&'static str>)| {
            let kind = ProblemKind::improper(needed_for, instead);
            self.model.statements()[index].problem(self.model.file(), kind)
        };
        if self.validated.improper.is_empty() {
            return Ok(());
        }
        Err(Error::Model {
            model: self.model.name().to_owned(),
            problems: self.validated.improper.iter().map(problem).collect(),
        })
    }

    fn require_density(&self) -> Result<(), Error> {
        if self.validated.of_prior_draws.is_empty() {
            return Ok(());
        }
        let advised = |problem: &Problem| Problem {
            hint: format!("{}{WITHOUT_DENSITY}", problem.hint),
            ..problem.clone()
        };
        Err(Error::Model {
            model: self.model.name().to_owned(),
            problems: self.validated.of_prior_draws.iter().map(advised).collect(),
        })
    }
}

/// Added to a problem of a prior whose draws have no density.
const WITHOUT_DENSITY: &str = "; what begins with prior draws cannot run: use a narrower prior, or chains (`Inference::nuts()`), which start near 0 \
    where a prior is vague";

impl Quantities for Posterior<'_> {
    fn describe(&self) -> Option<Description> {
        let info = |index| StatementInfo {
            improper: self.validated.improper.iter().any(|(i, _)| *i == index),
            ..StatementInfo::of(self.model, index)
        };
        let statements = 0..self.model.statements().len();
        Some(Description {
            name: self.model.name().to_owned(),
            source: self.model.source().to_owned(),
            recipe: self.model.recipe(),
            layout: self.validated.layout.clone(),
            statements: statements.map(info).collect(),
            arithmetic: self.arithmetic.clone(),
            discrete: self.validated.discrete.clone(),
            params: self.validated.params.clone(),
        })
    }

    fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| of_compiled(self.model))
    }

    fn identity(&self) -> Option<u64> {
        // constants that the model names count in the fingerprint
        let words = [self.model.identity()?, self.fingerprint()];
        Some(Fingerprint::of(words.into_iter()))
    }

    fn observed_data(&self) -> Option<u64> {
        caught(|| observed_data(self.model)).ok().flatten()
    }

    fn rounded_priors(&self) -> Vec<RoundedPrior> {
        self.find_rounded_priors()
    }

    fn output(&self, position: &[f64]) -> Vec<f64> {
        let traced = self.traced_outputs(position);
        traced.unwrap_or_else(|| self.untraced_output(position))
    }

    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        let rows = positions.chunks_exact(dim.max(1));
        let traced = self.traced_outputs(positions);
        traced.unwrap_or_else(|| rows.flat_map(|row| self.untraced_output(row)).collect())
    }

    fn terms(&self, position: &[f64]) -> Vec<f64> {
        self.by_statement(position).1
    }

    fn solutions(&self, position: &[f64]) -> Solutions {
        let terms = |with| watch(with, || self.terms(position));
        let (fixed, solutions) = terms(Watch::Fixed);
        let change = match solutions.is_empty() {
            true => 0.0,
            false => terms(Watch::Fitting).0.iter().sum::<f64>() - fixed.iter().sum::<f64>(),
        };
        Solutions { solutions, change }
    }

    fn non_finite_terms(&self, position: &[f64], _: [f64; 2]) -> Vec<NonFiniteTerm> {
        // beyond the range of the exponential in the transforms, the cause is the integrator, not a statement
        if position.iter().any(|x| x.abs() > MAX_EXPONENT) {
            return Vec::new();
        }
        self.by_statement(position).0
    }
}
