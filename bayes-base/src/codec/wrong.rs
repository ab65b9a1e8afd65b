//! What does not fit, and its place.

use std::fmt;

/// The error of a value that is written or read.
///
/// It is one pointer: results carry it through every generic method.
#[derive(Debug)]
pub struct Wrong(Box<Parts>);

#[derive(Debug)]
struct Parts {
    /// The place in the value, for example `groups[3].weights`.
    place: String,
    message: String,
}

impl Wrong {
    pub(super) fn new(message: String) -> Self {
        let place = String::new();
        Self(Box::new(Parts { place, message }))
    }

    /// The same error in the entry of this name.
    pub(super) fn within(mut self, name: &str) -> Self {
        let dot = match self.0.place.chars().next() {
            None | Some('[') => "",
            Some(_) => ".",
        };
        self.0.place = format!("{name}{dot}{}", self.0.place);
        self
    }

    /// The same error in the item of this number.
    pub(super) fn at(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.place.as_str() {
            "" => f.write_str(&self.0.message),
            place => write!(f, "`{place}`: {}", self.0.message),
        }
    }
}

impl std::error::Error for Wrong {}

impl serde::de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}
