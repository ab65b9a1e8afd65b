//! A field of a table.

use crate::cells::Cell;
use crate::date::Date;

/// A value of a [new column](crate::Table::with_column): a number, `true` or `false`, a text, a [`Date`], or `None` for a missing
/// value. A NaN is missing too; a text is missing only if it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub(crate) text: String,
    /// Whether it was written as a text, within quotes, so that `NA` does not mean a missing value.
    pub(crate) is_quoted: bool,
}

impl Field {
    /// A field without quotes.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_quoted: false,
        }
    }

    /// A text within quotes.
    pub(crate) fn quoted(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_quoted: true,
        }
    }

    /// Its text as in a file, without quotes; `None` for an empty text, which is a missing value.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        (!self.text.is_empty()).then_some(self.text.as_str())
    }

    pub(crate) fn cell(&self) -> Cell<'_> {
        Cell {
            text: &self.text,
            is_quoted: self.is_quoted,
        }
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        match value.is_nan() {
            true => Self::plain(""),
            false => Self::plain(format!("{value:?}")),
        }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::quoted(text)
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::quoted(text)
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::plain(""), Into::into)
    }
}

/// Values whose texts are read back as the same values.
macro_rules! written {
    ($($value:ty),*) => {$(
        impl From<$value> for Field {
            fn from(value: $value) -> Self {
                Self::plain(value.to_string())
            }
        }
    )*};
}

written!(u64, usize, i64, i128, bool, Date);
