//! Errors of pictures and reports.

use thiserror::Error;

/// A picture that cannot be made of a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// A run without the numbers that the picture shows.
    #[error("the picture `{picture}` shows {shows}, and a run of `{engine}` has none; {instead}")]
    Lacks {
        /// The picture, by the name of its method.
        picture: &'static str,
        /// What the picture shows.
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
        /// What is missing.
        what: &'static str,
        /// The number needed.
        needed: usize,
        /// The number received.
        found: usize,
    },
    /// A covariate whose length differs from the quantity drawn against it.
    #[error(
        "the picture `{picture}` needs one value of `{covariate}` for each of the {needed} elements of `{name}`, got {found}"
    )]
    Lengths {
        /// The picture, by the name of its function.
        picture: &'static str,
        /// The quantity that is drawn.
        name: String,
        /// The number of its elements.
        needed: usize,
        /// The covariate.
        covariate: String,
        /// Its number of values.
        found: usize,
    },
    /// A value of a covariate that cannot be placed on an axis.
    #[error("`{covariate}[{index}]` is {value}, which has no place on an axis; it must be finite")]
    NoPlace {
        /// The covariate.
        covariate: String,
        /// The index of the first such value.
        index: usize,
        /// The value, in words, because NaN does not equal itself.
        value: String,
    },
    /// An element that a quantity does not have.
    #[error("`{name}` has no element `{wanted}`; {}", elements(first, last))]
    Element {
        /// The quantity.
        name: String,
        /// The requested element.
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
    /// A rootogram of numbers that are not counts.
    #[error(
        "a rootogram shows counts, and a value of `{name}` is {value}; `plot::predictive` draws other numbers"
    )]
    NotCounts {
        /// The requested quantity.
        name: String,
        /// The first value that is not a count, in words, because NaN does not equal itself.
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

/// The range of existing elements, in words.
fn elements(first: &str, last: &str) -> String {
    match first == last {
        true => "it is a single number".to_owned(),
        false => format!("its elements are {first} to {last}"),
    }
}
