//! Errors of predictions.

use super::run::closest;
use thiserror::Error;

/// Why a run cannot predict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PredictionError {
    /// A random quantity that the run and the model do not share.
    #[error(
        "`{name}` is {} in the run and {} in the model; {}the model must have the random quantities of the run, its data may differ. Latent values that the run does \
         not have, such as a series after its end, are made by `generate` in the model",
        quantity(run.as_deref()), quantity(model.as_deref()), by_name(run.as_deref(), model.as_deref())
    )]
    Quantity {
        /// The quantity.
        name: String,
        /// Its kind, shape and dimensions in the run, in words; `None` if the run does not have it.
        run: Option<String>,
        /// Its kind, shape and dimensions in the model, in words; `None` if the model does not have it.
        model: Option<String>,
    },
    /// Places that the run has not seen.
    #[error(
        "`{name}`: the run has no {} along `{dim}`; leave out their rows, or draw them from their prior given each draw's other quantities, \
         `run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line",
        some(places)
    )]
    NewPlaces {
        /// The quantity.
        name: String,
        /// The dimension.
        dim: String,
        /// The places of the model that the run does not have, in the order of the model.
        places: Vec<String>,
    },
    /// Groups of a formula that the run has not seen, where their effects may be drawn.
    #[error(
        "the run has no effects {}; leave out the rows of these groups, or draw the effects from the population (`NewGroups::Draw`, `--new-groups`)",
        some(effects)
    )]
    NewGroups {
        /// The effects by their names, `subject:308:Intercept`.
        effects: Vec<String>,
    },
    /// Groups of a formula that the run has not seen, where no effects are drawn.
    #[error(
        "the run has no effects {}; give the table of the fit, or leave out the rows of these groups (`run.predict_with(&model, NewGroups::Draw)` draws \
         their effects)",
        some(effects)
    )]
    OtherGroups {
        /// The effects by their names, `subject:308:Intercept`.
        effects: Vec<String>,
    },
    /// No element without an observed value, where only such elements are wanted.
    #[error(
        "`--missing` writes the elements without an observed value, and the table has all values of {}; leave `--missing` out, or give a table that \
         lacks some of them or the whole column",
        names(observed)
    )]
    NoneMissing {
        /// The observed data.
        observed: Vec<String>,
    },
    /// Rows that are known by their numbers alone, in other data than the run's.
    #[error(
        "`{name}`: the missing values belong to rows of the data, and these are not the data of the run, so that equal numbers need not be equal rows; name \
         the rows, `#[dims(row)] let {name} = impute(..);` with an argument `row` that has a name for each, or draw the missing values given each \
         draw's other quantities, `run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line"
    )]
    OtherRows {
        /// The quantity.
        name: String,
    },
    /// A quantity with only some of its places, although one distribution draws all its elements together.
    #[error(
        "`{statement}` draws the elements of `{name}` together, so that {}",
        together(*is_new)
    )]
    Together {
        /// The quantity.
        name: &'static str,
        /// Its statement.
        statement: &'static str,
        /// Whether the model has some places of the run and some new ones. Otherwise it has only some places of the run.
        is_new: bool,
    },
    /// A new place of a quantity from whose distribution nothing can be drawn.
    #[error(
        "`{statement}` cannot be drawn for the new places of `{name}`: its prior is flat, or draws in the order of `.ordered()` are so rare that 100000 tries at \
         the first draw of the run found none; leave out the rows of the new places, or give `{name}` a proper prior"
    )]
    Undrawn {
        /// The quantity.
        name: &'static str,
        /// Its statement.
        statement: &'static str,
    },
    /// Data, or a model, that differ from the run's where they must be equal.
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
    /// Observed values that are not the run's.
    #[error(
        "it observes other values than the run did; give it the data of the run, all rows in the same order. `run.predict(&model)?` is for other \
         data"
    )]
    OtherObserved,
    /// A run restricted to some of its quantities.
    #[error("the run has some of its quantities alone; load the whole file by `Run::load`")]
    Selected,
    /// A model without `observe`.
    #[error(
        "it observes nothing: a `factor` is no observation, and has nothing to draw or to leave out; write the likelihood by `observe`, where there is a \
         distribution for it"
    )]
    NothingObserved,
    /// A model on no rows.
    #[error(
        "{} no elements, so there is nothing to predict; give the model at least one row",
        have(names)
    )]
    NoRows {
        /// The observed or generated variables.
        names: Vec<String>,
    },
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
        /// Number of values for the first draw.
        first: usize,
    },
    /// Not enough memory for the numbers at every draw.
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
        /// Bytes of all numbers.
        bytes: u64,
    },
    /// Probabilities of a quantity of which only draws are made.
    #[error(
        "`{name}` has no probabilities: of what is drawn after the run only a quantity of `sum_out` that stands in no other sum has; its draws are \
         `draws(\"{name}\")`"
    )]
    NoProbabilities {
        /// The quantity.
        name: String,
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

/// Number of places that a message names.
const SOME: usize = 5;

fn quantity(quantity: Option<&str>) -> &str {
    quantity.unwrap_or("nothing")
}

/// Advice on finding elements of another number by name.
fn by_name(run: Option<&str>, model: Option<&str>) -> &'static str {
    match (run, model) {
        (Some(run), Some(model)) if run.contains("of") && model.contains("of") => {
            "elements of groups are found by name, in any number and order, if both models name the same dimension of it, `#[dims(group)]`, \
             or the run does, `run.with_dims(..)`; otherwise "
        }
        _ => "",
    }
}

/// Some names, and the number of the others.
fn some(places: &[String]) -> String {
    let first = names(&places[..places.len().min(SOME)]);
    match places.len().saturating_sub(SOME) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn have(known: &[String]) -> String {
    format!(
        "{} {}",
        names(known),
        if known.len() == 1 { "has" } else { "have" }
    )
}

/// What is impossible for elements that are drawn together.
fn together(is_new: bool) -> &'static str {
    if is_new {
        "nothing is drawn for new places given those that the run has; make the new ones by `generate`"
    } else {
        "a part of them, such as some shares of a whole, is no value of it; give the model all places of the run"
    }
}

fn names(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    }
}

/// Where the name exists, or a similar name.
fn elsewhere(name: &str, is_in_run: bool, observed: &[String], generated: &[String]) -> String {
    if is_in_run {
        return format!(", which is a quantity of the run: `run.draws(\"{name}\")`");
    }
    if generated.iter().any(|known| known == name) {
        return format!(", but draws it after the run: `draws(\"{name}\")`");
    }
    match closest(name, &[observed, generated].concat()) {
        Some(other) => format!(" (did you mean `{other}`?)"),
        None => String::new(),
    }
}

/// The quantities that a model draws after the run, by `generate` or `sum_out`, appended to its observed variables.
fn and_generates(generated: &[String]) -> String {
    match generated {
        [] => String::new(),
        generated => format!(", and draws {} after the run", names(generated)),
    }
}
