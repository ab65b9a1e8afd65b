//! Errors of predictions.

use super::run::closest;
use thiserror::Error;

/// Why a run cannot predict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PredictionError {
    /// A random quantity that the run and the model do not share.
    #[error(
        "random quantity {}: the run has {}, the model has {}; the model must have the random quantities of the run, its data \
         may differ. Latent values that the run does not have, such as those of a series after its end, are made by `generate` in the model", place + 1, quantity(run.as_deref()), quantity(model.as_deref())
    )]
    Quantity {
        /// Its position among the random quantities, from 0.
        place: usize,
        /// Name and shape in the run, in words; `None` if the run has fewer.
        run: Option<String>,
        /// Name and shape in the model, in words; `None` if the model has fewer.
        model: Option<String>,
    },
    /// A dimension whose places are others in the run.
    #[error(
        "dimension `{dim}` of `{name}`: the run has `{run}` where the model has `{model}`; give the model the same places in the same order"
    )]
    Places {
        /// The quantity.
        name: String,
        /// The dimension.
        dim: String,
        /// The first place that differs, in the run.
        run: String,
        /// The place there in the model.
        model: String,
    },
    /// Data, or a model, that are not those of the run where they have to be.
    #[error(
        "it is not the model of the run with the data of the run: the log likelihood of draw {draw} of {group} is {run} in the run and {model} here; \
         give it the likelihood of the run and all of its rows, in the same order where that matters"
    )]
    OtherData {
        /// The number of the draw in its group, from 0.
        draw: usize,
        /// The island or chain, in words.
        group: String,
        /// The log likelihood in the run.
        run: String,
        /// The log likelihood of the model.
        model: String,
    },
    /// A run of which only some quantities were read.
    #[error("the run has some of its quantities alone; load the whole file by `Run::load`")]
    Selected,
    /// A model without `observe`.
    #[error(
        "it observes nothing: a `factor` is no observation, and has nothing to draw or to leave out; write the likelihood by `observe`, where there is a \
         distribution for it"
    )]
    NothingObserved,
    /// A likelihood without data.
    #[error("it has no data after `without_data()`, so nothing has a likelihood")]
    WithoutData,
    /// A name that is not observed.
    #[error(
        "it does not observe `{name}`{}; it observes {}{}",
        elsewhere(name, *is_in_run, observed, generated),
        names(observed),
        and_generates(generated)
    )]
    Unknown {
        /// The name received.
        name: String,
        /// Whether it is a quantity of the run.
        is_in_run: bool,
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
    /// Numbers at every draw for which there is not memory enough.
    #[error(
        "there is no memory for {} for {observations} numbers at each of {draws} draws; keep fewer draws (`.draws(#)`, or `.posterior_states(#)` of \
         an SMC sampler), or visit draw by draw (`for_each_draw`, `for_each_log_likelihood`), which keeps none",
        crate::text::bytes(*bytes)
    )]
    Memory {
        /// Numbers at a draw.
        observations: usize,
        /// Number of draws.
        draws: usize,
        /// What all of them take.
        bytes: u64,
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

/// Where a name is found, or which was meant.
fn elsewhere(name: &str, is_in_run: bool, observed: &[String], generated: &[String]) -> String {
    if is_in_run {
        return format!(", which is a quantity of the run: `run.draws(\"{name}\")`");
    }
    match closest(name, &[observed, generated].concat()) {
        Some(other) => format!(" (did you mean `{other}`?)"),
        None => String::new(),
    }
}

/// What a model makes by `generate`, behind what it observes.
fn and_generates(generated: &[String]) -> String {
    match generated {
        [] => String::new(),
        generated => format!(", and generates {}", names(generated)),
    }
}
