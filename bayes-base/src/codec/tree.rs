//! A value as it lies in the bytes or in the text.

use super::wrong::Wrong;
use serde::de::{Deserialize, Deserializer, Expected, MapAccess, SeqAccess, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A value of MessagePack or JSON. Texts and bytes refer to the source where they lie there as they are.
#[doc(hidden)]
pub enum Tree<'de> {
    Nothing,
    Flag(bool),
    Whole(u64),
    Negative(i64),
    Real(f64),
    Text(Cow<'de, str>),
    /// A text that names an entry; whole numbers are texts there in JSON.
    Key(Cow<'de, str>),
    Bytes(Cow<'de, [u8]>),
    /// A list of nothing but floating-point numbers: the long lists of JSON.
    Reals(Vec<f64>),
    List(Vec<Tree<'de>>),
    Map(Vec<(Tree<'de>, Tree<'de>)>),
}

impl<'de> Tree<'de> {
    /// The value that lies here.
    ///
    /// # Errors
    /// What does not fit.
    pub fn value<T: Deserialize<'de>>(self) -> std::io::Result<T> {
        T::deserialize(self).map_err(std::io::Error::other)
    }

    /// A key that is a whole number, for one who expects such a number.
    pub(super) fn into_number(self) -> Self {
        let Self::Key(text) = &self else { return self };
        match (text.parse(), text.parse()) {
            (Ok(number), _) => Self::Whole(number),
            (_, Ok(number)) => Self::Negative(number),
            _ => self,
        }
    }

    /// The error of a value where another kind is expected.
    pub(super) fn mismatch(&self, expected: &dyn Expected) -> Wrong {
        let found = match self {
            Self::Nothing => Unexpected::Other("null"),
            Self::Flag(value) => Unexpected::Bool(*value),
            Self::Whole(value) => Unexpected::Unsigned(*value),
            Self::Negative(value) => Unexpected::Signed(*value),
            Self::Real(value) => Unexpected::Float(*value),
            Self::Text(text) | Self::Key(text) => Unexpected::Str(text),
            Self::Bytes(bytes) => Unexpected::Bytes(bytes),
            Self::Reals(_) | Self::List(_) => Unexpected::Seq,
            Self::Map(_) => Unexpected::Map,
        };
        serde::de::Error::invalid_type(found, expected)
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Flag(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(u64::try_from(value).map_or(Tree::Negative(value), Tree::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree<'de>, E> {
        Ok(Tree::Real(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(text)))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(text)))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Tree<'de>, E> {
        Ok(Tree::Bytes(Cow::Owned(bytes)))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Tree<'de>, E> {
        Ok(Tree::Bytes(Cow::Owned(bytes.to_owned())))
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Tree<'de>, E> {
        Ok(Tree::Bytes(Cow::Borrowed(bytes)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree<'de>, A::Error> {
        // no room is made before: a file may promise any length
        let mut reals = Vec::new();
        let first = loop {
            match list.next_element()? {
                Some(Tree::Real(value)) => reals.push(value),
                Some(other) => break other,
                None if reals.is_empty() => return Ok(Tree::List(Vec::new())),
                None => return Ok(Tree::Reals(reals)),
            }
        };
        let mut items: Vec<Tree> = reals.into_iter().map(Tree::Real).collect();
        items.push(first);
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            let key = match key {
                Tree::Text(text) => Tree::Key(text),
                other => other,
            };
            entries.push((key, value));
        }
        Ok(Tree::Map(entries))
    }
}
