//! A model: what `#[model]` implements, and the interpreters that give its program a meaning.

mod blame;
mod describe;
mod draw;
mod evaluate;
mod given;
mod index;
mod output;
mod simulate;
mod validate;

pub use crate::error::GivenError;
pub use blame::{Blame, Culprit};
pub use describe::{Describe, Described, Known, Number, Unknown, describe};
pub use draw::Draw;
pub use evaluate::Evaluate;
pub use given::{Scored, score, score_on};
pub use index::{Checked, Extent, Linear, Site, Unchecked, site};
pub use output::Output;
pub use simulate::{Simulated, simulate};
pub use validate::{Validated, validate};

use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Quantity};
use bayes_autodiff::{Mode, Real};

/// What a statement of a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A random quantity with its prior.
    Sample,
    /// Data scored under a distribution.
    Observe,
    /// A named quantity kept in the output.
    Deterministic,
    /// A free term of the log likelihood.
    Factor,
}

/// A statement of a model, as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// The name of the random or kept quantity, or of the observed data (`y` in `observe(y[j], ..)`).
    pub name: &'static str,
    /// The statement's text.
    pub text: &'static str,
    /// The line in the user's source file, from 1.
    pub line: u32,
}

/// What is known of a data argument without knowing its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataArgument {
    /// The argument's name.
    pub name: &'static str,
    /// Number of elements, where it has one.
    pub length: Option<usize>,
    /// Where its first NaN is, in words (`index 3`, `row 2, column 0`).
    pub first_nan: Option<String>,
}

/// A Bayesian model with its data; implemented by `#[model]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "want what a `#[model]` function returns",
    note = "annotate a function with `#[model]`, call it with its data and pass the result by reference"
)]
pub trait Model: Send + Sync {
    /// The function's name.
    fn name(&self) -> &'static str;

    /// The statements in the order of the source.
    fn statements(&self) -> &'static [Statement];

    /// The source file of the model.
    fn file(&self) -> &'static str;

    /// The data arguments, for messages; the default tells nothing.
    fn data(&self) -> Vec<DataArgument> {
        Vec::new()
    }

    /// Shows the numbers among the data, to which reverse mode refers where it would copy a matrix that it does not
    /// know; the default shows nothing.
    fn numbers<'a>(&'a self, _show: &mut dyn FnMut(&'a [f64])) {}

    /// Runs the model's statements through an interpreter.
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I);
}

/// Every random value of the model is continuous, so its log density has a gradient.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a discrete random value, so it has no gradient",
    label = "HMC needs a gradient in every random value",
    note = "use `.kernel(RandomWalk::new())`, or sum the discrete value out with `factor` or `Mixture`"
)]
pub trait Differentiable {}

/// Every random value of the model has a Gaussian reference measure on its unconstrained coordinates.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a discrete random value, so pCN has no Gaussian reference measure for it",
    label = "pCN needs a reference measure for every random value",
    note = "use `.kernel(RandomWalk::new())`, or sum the discrete value out with `factor` or `Mixture`"
)]
pub trait GaussianReference {}

/// Gives the statements of a model a meaning: draw, score, validate, collect.
///
/// [`Interpreter::random`] says what a random quantity is worth; whatever else an interpreter does not define does nothing.
pub trait Interpreter<M: Mode> {
    /// A random quantity: continuous, or discrete where `D::Domain::DISCRETE`.
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value;
    /// A continuous random quantity, as `#[model]` writes it; interpreters define [`Interpreter::random`].
    #[inline(always)]
    fn sample<D: Distribution<M>>(&mut self, distribution: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        self.random(distribution)
    }
    /// A discrete random quantity, as `#[model]` writes it; interpreters define [`Interpreter::random`].
    #[inline(always)]
    fn sample_discrete<D: Distribution<M, Domain = Discrete>>(
        &mut self,
        distribution: D,
    ) -> D::Value {
        self.random(distribution)
    }
    /// Names the statement about to run (its index in [`Model::statements`]).
    #[inline(always)]
    fn at(&mut self, _statement: usize) -> &mut Self {
        self
    }
    /// Observed data.
    ///
    /// The distribution comes first because rustc goes from left to right: knowing the domain before it sees the data, it
    /// says what data are wanted where they do not fit, in place of an obscure type mismatch.
    #[inline(always)]
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        let _ = (distribution, data);
    }
    /// Marks the start of statements whose random values are not used after [`Interpreter::close`].
    #[inline(always)]
    fn open(&mut self) -> usize {
        0
    }
    /// Says that no random value made since `mark` is used any more.
    #[inline(always)]
    fn close(&mut self, _mark: usize) {}
    /// A named quantity kept in the output.
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        value
    }
    /// A free term of the log likelihood.
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        let _ = log_weight;
    }
}
