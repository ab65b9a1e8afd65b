//! Errors of pictures and reports.

use thiserror::Error;

/// A picture that a run cannot give.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// A run without what the picture shows.
    #[error("the picture `{picture}` shows {shows}, and a run of `{engine}` has none; {instead}")]
    Lacks {
        /// The picture, by the name of its method.
        picture: &'static str,
        /// What it is made of.
        shows: &'static str,
        /// The engine of the run.
        engine: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// Fewer values than the picture needs.
    #[error("the picture `{picture}` needs at least {needed} {what}, got {found}")]
    TooFew {
        /// The picture, by the name of its method or function.
        picture: &'static str,
        /// What there is too little of.
        what: &'static str,
        /// How many it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A covariate of another length than what is drawn against it.
    #[error(
        "the picture `{picture}` needs one value of `{covariate}` for each of the {needed} elements of `{name}`, got {found}"
    )]
    Lengths {
        /// The picture, by the name of its function.
        picture: &'static str,
        /// What is drawn.
        name: String,
        /// The number of its elements.
        needed: usize,
        /// What it is drawn against.
        covariate: String,
        /// How many values there are.
        found: usize,
    },
    /// A value of a covariate that has no place on an axis.
    #[error("`{covariate}[{index}]` is {value}, which has no place on an axis; it must be finite")]
    NoPlace {
        /// The covariate.
        covariate: String,
        /// The index of the first such value.
        index: usize,
        /// The value, in words because NaN equals nothing.
        value: String,
    },
    /// An element that a quantity does not have.
    #[error("`{name}` has no element `{wanted}`; {}", elements(first, last))]
    Element {
        /// The quantity.
        name: String,
        /// The element asked for.
        wanted: String,
        /// Its first element.
        first: String,
        /// Its last element.
        last: String,
    },
    /// Draws that cannot be drawn.
    #[error("no draw of `{name}` is a finite number, so there is nothing to draw")]
    NotFinite {
        /// The element.
        name: String,
    },
    /// A rootogram of numbers that are no counts.
    #[error(
        "a rootogram shows counts, and a value of `{name}` is {value}; `plot::predictive` draws other numbers"
    )]
    NotCounts {
        /// What was to be drawn.
        name: String,
        /// The first value that is no count, in words because NaN equals nothing.
        value: String,
    },
    /// A logarithmic axis of values that have no logarithm.
    #[error("the {axis} axis of `{figure}` cannot be logarithmic: {reason}")]
    NoLogarithm {
        /// The title of the picture.
        figure: String,
        /// `horizontal` or `vertical`.
        axis: &'static str,
        /// Why, in words.
        reason: String,
    },
    /// A file of another format.
    #[error(
        "`{path}` cannot be written: pictures are SVG, so the name must end in `.svg`, or in `.png` with the feature `png` of the crate `bayes`"
    )]
    Format {
        /// The path received.
        path: String,
    },
    /// A picture that cannot be drawn in pixels.
    #[error("`{path}` cannot be written as PNG: {reason}; `.svg` needs no pixels")]
    Pixels {
        /// The path received.
        path: String,
        /// Why, in words.
        reason: String,
    },
}

/// Which elements there are.
fn elements(first: &str, last: &str) -> String {
    match first == last {
        true => "it is a single number".to_owned(),
        false => format!("its elements are {first} to {last}"),
    }
}
