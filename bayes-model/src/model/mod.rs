//! Models: the trait that `#[model]` implements, and the interpreters that run a model's program.

mod by_row;
mod compiled;
mod conditioned;
mod describe;
pub(crate) mod dims;
mod draw;
pub(crate) mod equations;
mod evaluate;
#[doc(hidden)]
pub mod example;
mod executions;
#[doc(hidden)]
pub mod fingerprint;
mod fixed;
mod forward;
mod gap_rows;
mod given;
mod impute;
mod index;
mod indices;
mod interpreter;
mod layout;
mod limits;
mod matched;
mod non_finite_terms;
mod numbers;
mod observed_data;
mod on_data;
mod outline;
mod output;
mod passes;
mod places;
pub(crate) mod plain;
mod plain_densities;
mod recipe;
mod reference;
pub mod rows;
mod same_text;
mod signature;
mod simulate;
mod sources;
mod statement;
#[doc(hidden)]
pub mod sum_out;
mod terms;
mod validate;
mod variables;
mod with_params;

pub use crate::error::ValuesError;
#[doc(hidden)]
pub use by_row::by_row;
#[doc(hidden)]
pub use compiled::{Compiled, InDualNumbers};
pub use conditioned::{ScoredTerms, score, score_on};
pub use describe::{Describe, Described, Known, Number, Unknown, describe};
pub use dims::StatementDims;
pub(crate) use draw::Draw;
pub use draw::DrawnPrior;
pub use evaluate::Evaluate;
pub use fingerprint::fingerprint;
#[doc(hidden)]
pub use fingerprint::of_compiled;
pub use forward::{Observations, Start, Wanted, observations};
#[doc(hidden)]
pub use forward::{misfit, observations_by_terms, outside};
pub use given::Given;
#[doc(hidden)]
pub use given::check_values;
pub use index::{Checked, Container, Extent, Linear, Site, Unchecked, site};
pub use interpreter::Interpreter;
pub use layout::{Dim, Layout, Variable, VariableKind};
pub use limits::Limits;
pub use matched::Matched;
#[doc(hidden)]
pub use matched::Misfit;
pub(crate) use non_finite_terms::NonFiniteTerms;
pub use non_finite_terms::{FirstObservation, NonFiniteTerm};
pub(crate) use observed_data::observed_data;
#[doc(hidden)]
pub use observed_data::of_observed;
pub use on_data::OnData;
#[doc(hidden)]
pub use on_data::Replacing;
pub(crate) use output::Output;
pub use places::{CheckedPlaces, Gather, UncheckedPlaces};
#[doc(hidden)]
pub use plain::{Plain, PlainInterpreter};
pub(crate) use plain_densities::PlainDensities;
pub use recipe::{Recipe, TermScale};
pub(crate) use same_text::same_text;
pub use signature::{Generated, Observed, Signature, signature};
pub use simulate::{Simulated, simulate};
#[doc(hidden)]
pub use sources::Sources;
pub use statement::{Statement, StatementInfo, StatementKind};
pub use validate::{Validated, validate};
pub(crate) use validate::{check_again, unjudged, validated};
pub use with_params::WithParams;

use self::rows::{RowCount, Rows, Subset};
use crate::error::Error;
use bayes_autodiff::trace::Tracer;
use bayes_autodiff::{Mode, Value};

/// The description of a data argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataArgument {
    /// The argument's name.
    pub name: &'static str,
    /// Number of elements, if it has one.
    pub length: Option<usize>,
    /// The position of its first NaN, in words (`index 3`, `row 2, column 0`).
    pub first_nan: Option<String>,
    /// A hash of its elements; 0 if they are unknown.
    pub fingerprint: u64,
}

/// A Bayesian model with its data; implemented by `#[model]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "expected the model that a `#[model]` function returns",
    note = "annotate a function with `#[model]`, call it with its data and pass the result by reference"
)]
pub trait Model: Send + Sync {
    /// The function's name.
    fn name(&self) -> &'static str;

    /// The statements in the order of the source.
    fn statements(&self) -> &'static [Statement];

    /// The source file of the model.
    fn file(&self) -> &'static str;

    /// The source text of the function, for reports; empty if unknown.
    fn source(&self) -> &'static str {
        ""
    }

    /// What a program built the model from, such as a formula; kept with the run (`Run::recipe`). `None` by
    /// default.
    fn recipe(&self) -> Option<Recipe> {
        None
    }

    /// What messages of a run call a statement, in place of its text and line: those of a model that a program built mean nothing to its
    /// users. `None` by default.
    fn in_words(&self, _statement: usize) -> Option<String> {
        None
    }

    /// A hash of the text of a model and of exactly its data. A subset ([`Model::subset`](rows::Rows)) has another: its posterior may be
    /// improper although the posterior of all rows is proper. `None` for a model without text, or with data of a type that the library does not
    /// know, because such data may differ.
    ///
    /// Constants and functions that the model names are not in its text. They count in [`fingerprint`](fingerprint()), and beside this hash
    /// wherever two models must be the same.
    fn identity(&self) -> Option<u64> {
        fingerprint::identity(self.source(), self.statements(), &self.data())
    }

    /// The names of observed data that the model also reads outside of `observe`, as an autoregression reads earlier data; none by
    /// default. Each of their values is predicted given the model's data.
    fn rereads(&self) -> &'static [&'static str] {
        &[]
    }

    /// What messages say of [`rereads`](Self::rereads), as a clause, in place of the names of the data: the data of a model that a program
    /// built mean nothing to its users. `None` by default.
    fn rereads_in_words(&self) -> Option<String> {
        None
    }

    /// The data arguments, for error messages; none by default.
    fn data(&self) -> Vec<DataArgument> {
        Vec::new()
    }

    /// Passes the numbers in the data to `show`; none by default. A trace refers to these numbers, and copies matrices that are not among
    /// them.
    fn numbers<'a>(&'a self, _show: &mut dyn FnMut(&'a [f64])) {}

    /// The named dimensions of the statements that are marked `#[dims(..)]`; none by default.
    fn dims(&self) -> Vec<StatementDims> {
        Vec::new()
    }

    /// The number of rows of each argument that is marked `#[rows]`; the default has none.
    fn row_counts(&self) -> Vec<RowCount> {
        Vec::new()
    }

    /// The number of rows (observations).
    ///
    /// # Errors
    /// [`Error::Rows`] if data marked `#[rows]` have different numbers of rows.
    fn rows(&self) -> Result<usize, Error>
    where
        Self: Rows + Sized,
    {
        Ok(rows::count(self)?.unwrap_or(0))
    }

    /// The model of some rows, in the order given, repeats allowed.
    ///
    /// The subset has the random values and the prior of the whole model; its likelihood covers only these rows. This method checks that
    /// the random values do not depend on the rows, with these rows and with only the first or the last row. [`Subset::select`] does not
    /// repeat the check.
    ///
    /// # Errors
    /// [`Error::Rows`] if a row is out of range, if data have different numbers of rows, or if the number of random values
    /// depends on the rows.
    fn subset(&self, rows: &[usize]) -> Result<Subset<'_, Self>, Error>
    where
        Self: Rows + Sized,
    {
        rows::subset(self, rows)
    }

    /// The models of `parts` disjoint parts of the rows, dealt at random by `seed`; sizes differ by one at most
    /// ([`rows::partition`]).
    ///
    /// Every part has the whole prior. For parts whose posteriors multiply to the posterior, each takes the prior to the power `1 /
    /// parts`.
    ///
    /// # Errors
    /// The errors of [`subset`](Self::subset); also without parts, or with more parts than rows.
    fn parts(&self, parts: usize, seed: u64) -> Result<Vec<Subset<'_, Self>>, Error>
    where
        Self: Rows + Sized,
    {
        rows::parts(self, parts, seed)
    }

    /// The model with its params fixed: every remaining unknown is sampled, so every engine runs on it.
    ///
    /// `values` are the elements of every param by its name, row-major, as `Fit::values` gives them. The
    /// elements of a param in a loop follow one another. Values of random quantities among them are ignored.
    ///
    /// # Errors
    /// [`Error::Values`] if names or lengths do not fit; [`Error::Model`] if the model does not fit its data.
    fn with_params(&self, values: &[(&str, &[f64])]) -> Result<WithParams<'_, Self>, Error>
    where
        Self: Sized,
    {
        WithParams::new(self, values)
    }

    /// The model with some random quantities at given values: the others are sampled given these and the data.
    ///
    /// ```text
    /// let at_ten = schools(&y, &sigma);
    /// let at_ten = at_ten.given(&[("tau", &[10.0])])?;
    /// let run = Inference::nuts().run(&at_ten)?;
    /// ```
    ///
    /// Values are row-major; the elements of a quantity in a loop follow one another. The density of the values counts, as if they had
    /// been observed: the evidence covers the data and the values together, `p(y, tau = 10)`. Its ratio to the evidence of the model is
    /// the posterior density of the values. For data simulated at given values see
    /// `prior_predictive_at`.
    ///
    /// # Errors
    /// [`Error::Values`] if names or lengths do not fit, a value cannot occur, or nothing is left to sample; [`Error::Model`] if the model does
    /// not fit its data.
    fn given(&self, values: &[(&str, &[f64])]) -> Result<Given<'_, Self>, Error>
    where
        Self: Sized,
    {
        Given::new(self, values)
    }

    /// Runs the model's statements through an interpreter.
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I)
    where
        Self: Sized;

    /// The program in dual numbers, if the model's text asks for it: `#[model(forward)]`.
    #[doc(hidden)]
    fn forward(&self) -> Option<&dyn InDualNumbers> {
        None
    }

    /// The same for `changed`, a part or a change of this model. So its program is compiled for dual numbers only if the text asks for it.
    #[doc(hidden)]
    fn forward_of<Mo: Model>(_changed: &Mo) -> Option<&dyn InDualNumbers>
    where
        Self: Sized,
    {
        None
    }

    /// [`program`](Self::program) over plain numbers, for all interpreters that need no more. It is a separate function, so that the model
    /// is compiled for it once, however it is passed.
    #[doc(hidden)]
    #[inline(never)]
    fn run_plain(&self, interpreter: &mut dyn PlainInterpreter)
    where
        Self: Sized,
    {
        self.program::<Value, _>(&mut Plain(interpreter));
    }

    /// [`program`](Self::program) for the density in the mode that records, likewise.
    #[doc(hidden)]
    #[inline(never)]
    fn run_traced(&self, evaluation: &mut Evaluate<'_, Tracer>)
    where
        Self: Sized,
    {
        self.program(evaluation);
    }

    /// [`program`](Self::program) over plain numbers with other observed data, likewise.
    #[doc(hidden)]
    #[inline(never)]
    fn run_plain_on(&self, interpreter: &mut Replacing<'_, Plain<'_>>)
    where
        Self: Sized,
    {
        self.program(interpreter);
    }

    /// [`program`](Self::program) in the mode that records with other observed data, likewise.
    #[doc(hidden)]
    #[inline(never)]
    fn run_traced_on(&self, evaluation: &mut Replacing<'_, Evaluate<'_, Tracer>>)
    where
        Self: Sized,
    {
        self.program(evaluation);
    }

    /// [`program`](Self::program) for the graph of the model, likewise.
    #[doc(hidden)]
    #[inline(never)]
    fn run_sources(&self, sources: &mut Sources<'_>)
    where
        Self: Sized,
    {
        self.program(sources);
    }
}

/// Every unknown of the model is sampled: it has no `param`.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a `param`, which is learnt and not sampled",
    label = "this engine samples every unknown of a model",
    note = "learn it first, `let learnt = Inference::ohsmc().run(&model)?;`, and run the engine on \
            `&model.with_params(&learnt.values())?`; or give it a prior: `sample` in place of `param`"
)]
pub trait AllSampled {}

/// Every random value of the model is continuous, so its log density has a gradient.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a discrete random value, so it has no gradient",
    label = "a gradient in every random value is needed",
    note = "use `Inference::random_walk()` or `Inference::psmc().kernel(RandomWalk::new())`, or sum the discrete value out with `sum_out`"
)]
pub trait Differentiable {}

/// Every random value of the model has a prior that is Gaussian on its unconstrained coordinates, as far as the text of the model shows.
/// Whether the parameters are numbers is checked when the model runs.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a prior that is not Gaussian, so there is no anchored prior for it",
    label = "an anchored prior has the variances of the model's Gaussian priors",
    note = "give every random value a prior such as `Normal`, `LogNormal` or `MultivariateNormal`, without `.truncated(..)` or \
            `.ordered()`; without an anchor any prior will do"
)]
pub trait GaussianPrior: GaussianReference {}

/// Every random value of the model has a Gaussian reference measure on its unconstrained coordinates.
#[diagnostic::on_unimplemented(
    message = "the model `{Self}` has a discrete random value, so pCN has no Gaussian reference measure for it",
    label = "pCN needs a reference measure for every random value",
    note = "use `Inference::random_walk()` or `Inference::psmc().kernel(RandomWalk::new())`, or sum the discrete value out with `sum_out`"
)]
pub trait GaussianReference {}
