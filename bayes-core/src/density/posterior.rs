//! The density of a validated model.

use super::{
    Arithmetic, ArithmeticSettings, Block, Counts, Density, Gradient, NonFinite, Particles,
    Reference,
};
use crate::dist::Gaussian;
use crate::error::{Error, Problem, ProblemKind};
use crate::model::{Blame, Culprit, Draw, Evaluate, Model, Output, Validated, validate};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Layout, StatementInfo};
use bayes_autodiff::batch::{self, Batch};
use bayes_autodiff::gradient::{Program, directional_derivative, gradient, hessian};
use bayes_autodiff::simd::Level;
use bayes_autodiff::{Mode, Real, Value};
use nalgebra::DMatrix;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Beyond it `exp` under- or overflows, and a scale is 0 or infinite.
const MAX_EXPONENT: f64 = 700.0;

/// The most coordinates of a model whose gradients are compared before sampling: one pass in forward mode may
/// be long for a network.
const MAX_CHECKED: usize = 1000;

/// Draws from the prior to which the pCN reference is fitted where the prior is not Gaussian.
const REFERENCE_DRAWS: u64 = 400;

/// A model with its data, validated, ready for kernels and engines.
#[derive(Debug)]
pub struct Posterior<'m, Mo> {
    model: &'m Mo,
    validated: Validated,
    seed: u64,
    level: Level,
    arithmetic: Arithmetic,
    reference: OnceLock<Reference>,
}

impl<'m, Mo: Model> Posterior<'m, Mo> {
    /// Validates the model and its data.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem found.
    pub fn new(model: &'m Mo, seed: u64) -> Result<Self, Error> {
        Self::with(model, seed, ArithmeticSettings::default())
    }

    /// Validates the model and its data, and chooses how it is evaluated.
    ///
    /// # Errors
    /// [`Error::Model`] with every problem found, [`Error::Setting`] if the processor does not have the instruction set.
    pub fn with(model: &'m Mo, seed: u64, settings: ArithmeticSettings) -> Result<Self, Error> {
        let level = settings.level()?;
        let validated = validate(model)?;
        let (gradient, reason) = settings.resolve(validated.layout.dim);
        let mut posterior = Self {
            model,
            validated,
            seed,
            level,
            arithmetic: Arithmetic {
                gradient,
                reason,
                instruction_set: level.name().to_owned(),
            },
            reference: OnceLock::new(),
        };
        if settings.gradient == Gradient::Automatic && !posterior.modes_agree() {
            posterior.arithmetic.gradient = Gradient::Forward;
            posterior.arithmetic.reason =
                "reverse mode disagrees with it at a draw of the prior, which is a fault of this library".to_owned();
        }
        Ok(posterior)
    }

    /// Checks that every prior is a probability distribution. `needed_for` says in words what needs that, and for what.
    ///
    /// # Errors
    /// [`Error::Model`] with every statement whose prior is improper.
    pub fn require_proper_prior(&self, needed_for: &'static str) -> Result<(), Error> {
        let problem = |index: &usize| {
            let statement = self.model.statements()[*index];
            Problem {
                variable: statement.name.to_owned(),
                statement: statement.text.to_owned(),
                file: self.model.file(),
                line: statement.line,
                kind: ProblemKind::Improper { needed_for },
                more: 0,
                draws: None,
                hint: String::new(),
            }
        };
        if self.validated.improper.is_empty() {
            return Ok(());
        }
        Err(Error::Model {
            model: self.model.name().to_owned(),
            problems: self.validated.improper.iter().map(problem).collect(),
        })
    }

    /// Whether reverse mode has the slope of forward mode in a direction, at a draw of the prior.
    ///
    /// Reverse mode forgets what a loop iteration made when nothing later can use it, as the model's text says. A
    /// wrong gradient would only be slow to accept, and so hard to see; this costs two evaluations.
    fn modes_agree(&self) -> bool {
        let dim = self.validated.layout.dim;
        let discrete = self.validated.discrete.iter().any(|discrete| *discrete);
        if discrete || self.arithmetic.gradient != Gradient::Reverse || dim > MAX_CHECKED {
            return true;
        }
        let key = Key {
            seed: self.seed,
            group: 0,
            item: 1,
            stage: 0,
            purpose: Purpose::Validation,
        };
        let mut particle = Particles::new(1, dim);
        self.draw_prior(&mut key.stream(), &mut particle.positions);
        let (mut block, program) = (particle.block(), Densities(self.model));
        let (batch, slopes) = batch_of(&mut block);
        batch::gradients(self.level, &program, [1.0; 2], batch, slopes);
        let direction: Vec<f64> = (0..dim).map(|i| 1.5 + (i as f64).cos()).collect();
        let forward = directional_derivative(&program, &particle.positions, [1.0; 2], &direction);
        let terms = particle.gradient.iter().zip(&direction);
        let (reverse, size) = terms.fold((0.0, 1.0), |(sum, size): (f64, f64), (g, v)| {
            (sum + g * v, size + (g * v).abs())
        });
        // where the density is not finite there is nothing to compare
        !(forward.is_finite() && reverse.is_finite()) || (forward - reverse).abs() <= 1e-6 * size
    }

    /// The Hessian of the log posterior density at a position, `[dim, dim]`, by second-order dual numbers.
    ///
    /// # Panics
    /// If the position does not have the model's dimension.
    #[must_use]
    pub fn hessian(&self, position: &[f64]) -> DMatrix<f64> {
        let dim = self.validated.layout.dim;
        assert_eq!(position.len(), dim, "a position has {dim} coordinates");
        let mut entries = vec![0.0; dim * dim];
        hessian(&Densities(self.model), position, [1.0; 2], &mut entries);
        DMatrix::from_row_slice(dim, dim, &entries)
    }

    /// Finds which statements are not finite at `position` and counts them.
    fn blame(&self, position: &[f64], counts: &mut Counts) {
        // A trajectory that left the range of f64, or that of the exponential in the transforms, is the integrator's
        // fault, not a statement's; its kernel counts it as divergent.
        if position
            .iter()
            .any(|x| !x.is_finite() || x.abs() > MAX_EXPONENT)
        {
            return;
        }
        // once for each statement, however many of its terms there are: NaN if one of them is
        let mut events: BTreeMap<usize, NonFinite> = BTreeMap::new();
        for culprit in self.culprits(position) {
            let event = events.entry(culprit.statement).or_default();
            event.nan |= u64::from(culprit.term.is_nan());
            event.infinite = 1 - event.nan;
            event.blame(
                culprit
                    .cause
                    .map(|cause| format!("{cause}{}", cause.advice())),
            );
        }
        counts.merge(&Counts {
            non_finite: events,
            ..Counts::default()
        });
    }

    fn culprits(&self, position: &[f64]) -> Vec<Culprit> {
        self.by_statement(position).0
    }

    /// What is not finite, and the terms of every statement. One function, so that the model is compiled for it once.
    #[inline(never)]
    fn by_statement(&self, position: &[f64]) -> (Vec<Culprit>, Vec<f64>) {
        let coordinates: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
        let mut blame = Blame::new(&coordinates, self.model.statements().len());
        self.model.program::<Value, _>(&mut blame);
        (blame.culprits, blame.terms)
    }

    /// Fills densities and gradients particle by particle.
    fn forward_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        for i in 0..block.len() {
            let row = block.row(i);
            let position = &block.positions[row.clone()];
            let slopes = &mut block.gradient[row];
            [block.log_prior[i], block.log_likelihood[i]] =
                gradient(&Densities(self.model), position, weights, slopes);
        }
    }

    /// Settles the densities of a block.
    fn settle_values(&self, block: &mut Block<'_>, counts: &mut Counts) {
        if !(all_finite(block.log_prior) && all_finite(block.log_likelihood)) {
            (0..block.len()).for_each(|i| self.settle(block, i, counts));
        }
    }

    /// The one place where non-finite densities are decided: NaN and plus infinity become minus infinity
    /// (a rejected move, a weight of zero), and every such event is counted by statement.
    fn settle(&self, block: &mut Block<'_>, i: usize, counts: &mut Counts) {
        if block.log_prior[i].is_finite() && block.log_likelihood[i].is_finite() {
            return;
        }
        self.blame(&block.positions[block.row(i)], counts);
        for value in [&mut block.log_prior[i], &mut block.log_likelihood[i]] {
            if !value.is_finite() {
                *value = f64::NEG_INFINITY;
            }
        }
    }
}

/// Whether every number is finite: 0 times any other is NaN, and so is what it is added to. Sums side by side, since each
/// addition waits for the one before.
fn all_finite(numbers: &[f64]) -> bool {
    let mut sums = [0.0; 8];
    let (chunks, rest) = numbers.as_chunks::<8>();
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += 0.0 * x;
        }
    }
    let rest: f64 = rest.iter().map(|x| 0.0 * x).sum();
    sums.iter().sum::<f64>() + rest == 0.0
}

/// A block as a batch, and its gradient.
fn batch_of<'b>(block: &'b mut Block<'_>) -> (Batch<'b>, &'b mut [f64]) {
    let batch = Batch {
        dim: block.dim,
        positions: block.positions,
        log_prior: block.log_prior,
        log_likelihood: block.log_likelihood,
    };
    (batch, block.gradient)
}

/// A slope that is not finite becomes 0: the integrator stays reversible and keeps volume for any force, so the kernel
/// stays exact, and a particle at such a point is not lost. Counted where the density itself was finite.
fn settle_gradient(block: &mut Block<'_>, i: usize, counts: &mut Counts) {
    let row = block.row(i);
    let slopes = &mut block.gradient[row];
    if slopes.iter().all(|slope| slope.is_finite()) {
        return;
    }
    slopes
        .iter_mut()
        .filter(|slope| !slope.is_finite())
        .for_each(|slope| *slope = 0.0);
    let finite = block.log_prior[i].is_finite() && block.log_likelihood[i].is_finite();
    counts.non_finite_gradients += u64::from(finite);
}

/// A draw from the prior, with the laws met on the way. One function, so that the model is compiled for it once.
#[inline(never)]
fn drawn<Mo: Model>(model: &Mo, stream: &mut Stream) -> (Vec<(usize, Option<Gaussian>)>, Vec<f64>) {
    let mut draw = Draw::new(stream);
    model.program::<Value, _>(&mut draw);
    (draw.laws, draw.position)
}

/// Two draws tell whether the prior is one fixed Gaussian; only if not are many drawn.
fn fit_reference<Mo: Model>(model: &Mo, seed: u64) -> Reference {
    let draw = |item| {
        let key = Key {
            seed,
            group: 0,
            item,
            stage: 0,
            purpose: Purpose::Reference,
        };
        drawn(model, &mut key.stream())
    };
    let fit = |draws: u64| {
        let (laws, positions): (Vec<_>, Vec<_>) = (0..draws).map(draw).unzip();
        Reference::from_prior(&laws, &positions)
    };
    let exact = fit(2);
    if exact.is_gaussian_prior {
        exact
    } else {
        fit(REFERENCE_DRAWS)
    }
}

/// Log prior and log likelihood as one program for the differentiation modes.
struct Densities<'a, Mo>(&'a Mo);

impl<Mo: Model> Program for Densities<'_, Mo> {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, coordinates: &[Real<M>]) -> [Real<M>; 2] {
        let mut evaluation = Evaluate::new(coordinates);
        self.0.program(&mut evaluation);
        evaluation.densities()
    }

    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.0.numbers(show);
    }
}

impl<Mo: Model> Density for Posterior<'_, Mo> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn layout(&self) -> &Layout {
        &self.validated.layout
    }

    fn statements(&self) -> Vec<StatementInfo> {
        let info = |(index, statement)| StatementInfo {
            improper: self.validated.improper.contains(&index),
            ..StatementInfo::from(statement)
        };
        let statements = self.model.statements().iter();
        statements.enumerate().map(info).collect()
    }

    fn discrete(&self) -> &[bool] {
        &self.validated.discrete
    }

    fn reference(&self) -> &Reference {
        self.reference
            .get_or_init(|| fit_reference(self.model, self.seed))
    }

    fn arithmetic(&self) -> &Arithmetic {
        &self.arithmetic
    }

    fn evaluate(&self, block: &mut Block<'_>, counts: &mut Counts) {
        batch::values(self.level, &Densities(self.model), batch_of(block).0);
        self.settle_values(block, counts);
        counts.density_evaluations += block.len() as u64;
    }

    fn evaluate_gradient(&self, lambda: f64, block: &mut Block<'_>, counts: &mut Counts) {
        let weights = [1.0, lambda];
        match self.arithmetic.gradient {
            Gradient::Forward => self.forward_gradient(weights, block),
            _ => {
                let (batch, gradient) = batch_of(block);
                batch::gradients(self.level, &Densities(self.model), weights, batch, gradient);
            }
        }
        self.settle_values(block, counts);
        if !all_finite(block.gradient) {
            (0..block.len()).for_each(|i| settle_gradient(block, i, counts));
        }
        counts.gradient_evaluations += block.len() as u64;
    }

    fn draw_prior(&self, stream: &mut Stream, position: &mut [f64]) {
        position.copy_from_slice(&drawn(self.model, stream).1);
    }

    fn output(&self, position: &[f64]) -> Vec<f64> {
        let coordinates: Vec<Real<Value>> = position.iter().map(|x| Real(*x)).collect();
        let mut output = Output::new(&coordinates);
        self.model.program::<Value, _>(&mut output);
        self.validated
            .statements
            .iter()
            .flat_map(|s| output.values.remove(s).unwrap_or_default())
            .collect()
    }

    fn terms(&self, position: &[f64]) -> Vec<f64> {
        self.by_statement(position).1
    }

    fn start_error(&self, position: &[f64], tried: usize) -> Error {
        let describe = |culprit: &Culprit| {
            let statement = self.model.statements()[culprit.statement];
            let cause = culprit.cause.as_ref();
            let cause = cause.map_or(String::new(), |cause| format!(": {cause}"));
            format!(
                "`{}` (line {}) is {}{cause}",
                statement.text, statement.line, culprit.term
            )
        };
        let term = self.culprits(position).first().map(describe);
        let term = term.unwrap_or_else(|| "nothing".to_owned());
        Error::Start {
            model: self.model.name().to_owned(),
            tried,
            term,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn one_number_that_is_not_finite_is_seen_anywhere() {
        for length in [0, 1, 7, 8, 9, 16, 37] {
            let mut numbers = vec![-f64::MAX; length];
            assert!(all_finite(&numbers), "{length}");
            for i in 0..length {
                for stranger in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    numbers[i] = stranger;
                    assert!(!all_finite(&numbers), "{stranger} at {i} of {length}");
                }
                numbers[i] = 5e-324;
            }
        }
    }
}
