//! Errors of predictions.

use thiserror::Error;

/// Why a run cannot predict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PredictionError {
    /// A random quantity that the run and the model do not share.
    #[error(
        "random quantity {}: the run has {}, the model has {}; the model must have the random quantities of the run, its data \
         may differ", place + 1, quantity(run.as_deref()), quantity(model.as_deref())
    )]
    Quantity {
        /// Its position among the random quantities, from 0.
        place: usize,
        /// Name and shape in the run, in words; `None` if the run has fewer.
        run: Option<String>,
        /// Name and shape in the model, in words; `None` if the model has fewer.
        model: Option<String>,
    },
    /// A model without `observe`.
    #[error("it observes nothing")]
    NothingObserved,
    /// A name that is not observed.
    #[error(
        "it does not observe `{name}`; it observes {}{}",
        names(observed),
        and_generates(generated)
    )]
    Unknown {
        /// The name received.
        name: String,
        /// The observed variables.
        observed: Vec<String>,
        /// The quantities of `generate`.
        generated: Vec<String>,
    },
    /// A generated quantity whose number of values depends on the draw.
    #[error(
        "the generated quantity has {found} values for draw {draw}, and {first} for draw 0; it must have as many for every draw"
    )]
    Lengths {
        /// The number of the draw, from 0.
        draw: usize,
        /// Its values.
        found: usize,
        /// Values for the first draw.
        first: usize,
    },
    /// Class probabilities of a variable without classes.
    #[error(
        "`{name}` has no class probabilities: its observations are not all categories of one number of categories (`Bernoulli`, \
         `BernoulliLogit`, `Categorical`, `CategoricalLogit`, `OrderedLogistic` and `OrderedProbit` are)"
    )]
    NoCategories {
        /// The observed variable.
        name: String,
    },
}

fn quantity(quantity: Option<&str>) -> &str {
    quantity.unwrap_or("none")
}

fn names(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    }
}

/// What a model makes by `generate`, behind what it observes.
fn and_generates(generated: &[String]) -> String {
    match generated {
        [] => String::new(),
        generated => format!(", and generates {}", names(generated)),
    }
}
