//! Arguments of models, and the data of Python for them.

use nalgebra::DMatrix;

/// What the elements of an argument are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `f64`.
    Real,
    /// `Option<f64>`.
    OptionalReal,
    /// `u64`.
    Count,
    /// `usize`.
    Index,
    /// `i64`.
    Whole,
    /// `bool`.
    Flag,
    /// `&str`.
    Text,
}

impl Element {
    /// Its name for Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::OptionalReal => "optional_real",
            Self::Count => "count",
            Self::Index => "index",
            Self::Whole => "whole",
            Self::Flag => "flag",
            Self::Text => "text",
        }
    }
}

/// What an argument is: its elements, and 0 dimensions for a single one, 1 for a list, 2 for a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The elements.
    pub element: Element,
    /// The number of dimensions.
    pub dimensions: usize,
}

/// The data of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'h> {
    /// Real numbers.
    Reals(Vec<f64>),
    /// Real numbers of which some are missing.
    OptionalReals(Vec<Option<f64>>),
    /// Whole numbers from 0.
    Counts(Vec<u64>),
    /// Places from 0.
    Indices(Vec<usize>),
    /// Whole numbers.
    Wholes(Vec<i64>),
    /// Truth values.
    Flags(Vec<bool>),
    /// Texts.
    Texts(Vec<&'h str>),
    /// A matrix.
    Matrix(DMatrix<f64>),
}

impl<'h> Value<'h> {
    /// Some data of a kind: an element of 0 for a single one, nothing for a list. A model that is made of such data can say what its arguments are called.
    pub(crate) fn placeholder(kind: Kind) -> Self {
        let length = usize::from(kind.dimensions == 0);
        if kind.dimensions == 2 {
            return Self::Matrix(DMatrix::zeros(0, 0));
        }
        match kind.element {
            Element::Real => Self::Reals(vec![0.0; length]),
            Element::OptionalReal => Self::OptionalReals(vec![None; length]),
            Element::Count => Self::Counts(vec![0; length]),
            Element::Index => Self::Indices(vec![0; length]),
            Element::Whole => Self::Wholes(vec![0; length]),
            Element::Flag => Self::Flags(vec![false; length]),
            Element::Text => Self::Texts(vec![""; length]),
        }
    }

    /// The data of a kind, of numbers of 8 bytes, `[n]` or row by row `[rows, columns]`, or of texts; `None` if they are none of it. Missing reals are NaN, and truth
    /// values 0 and 1.
    pub(crate) fn of(
        kind: Kind,
        shape: &[usize],
        bytes: &[u8],
        texts: &'h [String],
    ) -> Option<Self> {
        if shape.len() != kind.dimensions {
            return None;
        }
        let numbers = || bytes.as_chunks::<8>().0.iter();
        let reals = || numbers().map(|number| f64::from_ne_bytes(*number));
        let counts = || numbers().map(|number| u64::from_ne_bytes(*number));
        let value = match kind.element {
            Element::Real if kind.dimensions == 2 => {
                let elements: Vec<f64> = reals().collect();
                let is_whole = Some(elements.len()) == shape[0].checked_mul(shape[1]);
                return is_whole
                    .then(|| Self::Matrix(DMatrix::from_row_slice(shape[0], shape[1], &elements)));
            }
            Element::Real => Self::Reals(reals().collect()),
            Element::OptionalReal => {
                let known = |number: f64| (!number.is_nan()).then_some(number);
                Self::OptionalReals(reals().map(known).collect())
            }
            Element::Count => Self::Counts(counts().collect()),
            Element::Index => {
                let places = counts().map(|place| usize::try_from(place).ok());
                Self::Indices(places.collect::<Option<Vec<usize>>>()?)
            }
            Element::Whole => {
                let wholes = numbers().map(|number| i64::from_ne_bytes(*number));
                Self::Wholes(wholes.collect())
            }
            Element::Flag => Self::Flags(counts().map(|flag| flag != 0).collect()),
            Element::Text => Self::Texts(texts.iter().map(String::as_str).collect()),
        };
        let wanted = shape.iter().product::<usize>();
        (value.len() == wanted).then_some(value)
    }

    fn len(&self) -> usize {
        match self {
            Self::Reals(values) => values.len(),
            Self::OptionalReals(values) => values.len(),
            Self::Counts(values) => values.len(),
            Self::Indices(values) => values.len(),
            Self::Wholes(values) => values.len(),
            Self::Flags(values) => values.len(),
            Self::Texts(values) => values.len(),
            Self::Matrix(values) => values.len(),
        }
    }
}

/// A type that an argument of a model in a module of Python can have.
#[diagnostic::on_unimplemented(
    message = "a module of Python has no data for a model's argument of the type `{Self}`",
    label = "this model has such an argument",
    note = "arguments are numbers, `&[f64]`, `&[u64]`, `&[usize]`, `&[i64]`, `&[bool]`, `&[&str]`, `&[Option<f64>]` and `&DMatrix<f64>`; make \
            other data of them in a model of these"
)]
pub trait Argument<'d>: Sized {
    /// What it is.
    const KIND: Kind;

    /// The argument; `None` if the data are of another kind.
    fn of(value: &'d Value<'d>) -> Option<Self>;
}

macro_rules! arguments {
    ($($element:ident $variant:ident $plain:ty),*) => {$(
        impl<'d> Argument<'d> for &'d [$plain] {
            const KIND: Kind = Kind { element: Element::$element, dimensions: 1 };
            fn of(value: &'d Value<'d>) -> Option<Self> {
                match value {
                    Value::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
        impl<'d> Argument<'d> for Vec<$plain> {
            const KIND: Kind = Kind { element: Element::$element, dimensions: 1 };
            fn of(value: &'d Value<'d>) -> Option<Self> {
                <&[$plain]>::of(value).map(<[$plain]>::to_vec)
            }
        }
        impl<'d> Argument<'d> for $plain {
            const KIND: Kind = Kind { element: Element::$element, dimensions: 0 };
            fn of(value: &'d Value<'d>) -> Option<Self> {
                <&[$plain]>::of(value)?.first().copied()
            }
        }
    )*};
}

arguments!(
    Real Reals f64,
    OptionalReal OptionalReals Option<f64>,
    Count Counts u64,
    Index Indices usize,
    Whole Wholes i64,
    Flag Flags bool,
    Text Texts &'d str
);

impl<'d> Argument<'d> for &'d DMatrix<f64> {
    const KIND: Kind = Kind {
        element: Element::Real,
        dimensions: 2,
    };
    fn of(value: &'d Value<'d>) -> Option<Self> {
        match value {
            Value::Matrix(values) => Some(values),
            _ => None,
        }
    }
}

impl<'d> Argument<'d> for DMatrix<f64> {
    const KIND: Kind = <&DMatrix<f64>>::KIND;
    fn of(value: &'d Value<'d>) -> Option<Self> {
        <&Self>::of(value).cloned()
    }
}
