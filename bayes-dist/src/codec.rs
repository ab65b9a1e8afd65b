//! Values as MessagePack, the format of files and messages.
//!
//! A value is read in two steps: the bytes become a tree, and the tree the value. Read straight from the bytes, the readers of all
//! types were a seventh of this crate's code. Long lists of numbers are bytes ([`number`](crate::number)), which a tree only refers to; any other
//! element takes some 40 bytes while it is read.

use rmpv::ValueRef;
use serde::de::value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use std::io::{self, Write};

/// Writes a value, structs with the names of their fields.
///
/// # Errors
/// An error of the writer.
pub(crate) fn write<T: Serialize + ?Sized>(mut out: &mut dyn Write, value: &T) -> io::Result<()> {
    rmp_serde::encode::write_named(&mut out, value).map_err(io::Error::other)
}

/// A value as bytes.
///
/// # Errors
/// What the value reports.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes, value)?;
    Ok(bytes)
}

/// Reads a value; bytes after it are left alone.
///
/// # Errors
/// What does not fit.
pub fn decode<'de, T: Deserialize<'de>>(mut bytes: &'de [u8]) -> io::Result<T> {
    let tree = rmpv::decode::read_value_ref(&mut bytes).map_err(io::Error::other)?;
    T::deserialize(Tree(tree)).map_err(io::Error::other)
}

/// A value as it lies in the bytes.
struct Tree<'de>(ValueRef<'de>);

impl<'de> IntoDeserializer<'de> for Tree<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Entries whose keys and values are read as trees.
fn entries<'de>(
    map: Vec<(ValueRef<'de>, ValueRef<'de>)>,
) -> MapDeserializer<'de, impl Iterator<Item = (Tree<'de>, Tree<'de>)>, Error> {
    MapDeserializer::new(map.into_iter().map(|(key, value)| (Tree(key), Tree(value))))
}

/// The error of a value where another kind is expected.
fn mismatch(found: &ValueRef<'_>, expected: &dyn Expected) -> Error {
    let found = match found {
        ValueRef::Nil => Unexpected::Unit,
        ValueRef::Boolean(value) => Unexpected::Bool(*value),
        ValueRef::Integer(value) => match (value.as_u64(), value.as_i64()) {
            (Some(value), _) => Unexpected::Unsigned(value),
            (_, value) => Unexpected::Signed(value.unwrap_or_default()),
        },
        ValueRef::F32(value) => Unexpected::Float(f64::from(*value)),
        ValueRef::F64(value) => Unexpected::Float(*value),
        ValueRef::String(text) => match text.as_str() {
            Some(text) => Unexpected::Str(text),
            None => return de::Error::custom(NOT_UTF8),
        },
        ValueRef::Binary(bytes) => Unexpected::Bytes(bytes),
        ValueRef::Array(_) => Unexpected::Seq,
        ValueRef::Map(_) => Unexpected::Map,
        ValueRef::Ext(..) => Unexpected::Other("an extension of MessagePack"),
    };
    de::Error::invalid_type(found, expected)
}

const NOT_UTF8: &str = "a text is not UTF-8";

impl<'de> Tree<'de> {
    /// A number, a truth value, a text, or bytes.
    fn scalar<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Boolean(value) => visitor.visit_bool(value),
            ValueRef::Integer(value) => match (value.as_u64(), value.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (_, value) => visitor.visit_i64(value.unwrap_or_default()),
            },
            ValueRef::F32(value) => visitor.visit_f32(value),
            ValueRef::F64(value) => visitor.visit_f64(value),
            ValueRef::String(text) => match text.into_str() {
                Some(text) => visitor.visit_borrowed_str(text),
                None => Err(de::Error::custom(NOT_UTF8)),
            },
            ValueRef::Binary(bytes) => visitor.visit_borrowed_bytes(bytes),
            other => Err(mismatch(&other, &visitor)),
        }
    }
}

/// The methods for one kind of value have the code of that kind alone: there is an instance of each for every type that is read.
impl<'de> Deserializer<'de> for Tree<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Nil => visitor.visit_unit(),
            ValueRef::Array(_) => self.deserialize_seq(visitor),
            ValueRef::Map(_) => self.deserialize_map(visitor),
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Array(list) => {
                SeqDeserializer::new(list.into_iter().map(Tree)).deserialize_any(visitor)
            }
            other => Err(mismatch(&other, &visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Map(map) => entries(map).deserialize_any(visitor),
            other => Err(mismatch(&other, &visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        // as `write` writes them
        self.deserialize_map(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.scalar(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::Nil => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            ValueRef::String(name) => {
                visitor.visit_enum(name.as_str().unwrap_or_default().into_deserializer())
            }
            ValueRef::Map(map) if map.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(entries(map)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            // the format has no such numbers: they are written as bytes
            ValueRef::Binary(bytes) if let Ok(bytes) = bytes.try_into() => {
                visitor.visit_u128(u128::from_be_bytes(bytes))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct tuple_struct ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What values can hold.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        #[serde(with = "crate::number::many")]
        numbers: Vec<f64>,
        #[serde(with = "crate::number::one")]
        number: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<String>,
        kinds: BTreeMap<usize, Kind>,
        pair: (bool, [u8; 3]),
        large: [u64; 2],
        small: i64,
        largest: u128,
        unit: (),
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Plain,
        With { name: String },
        Of(Option<i64>),
    }

    fn sample() -> Sample {
        let name = "µ".to_owned();
        let kinds = [
            Kind::Plain,
            Kind::With { name },
            Kind::Of(Some(-3)),
            Kind::Of(None),
        ];
        Sample {
            numbers: vec![0.1, f64::INFINITY, -0.0],
            number: f64::NEG_INFINITY,
            missing: None,
            kinds: kinds.into_iter().enumerate().collect(),
            pair: (true, [1, 200, 3]),
            large: [u64::MAX, 1 << 40],
            small: i64::MIN,
            largest: u128::MAX - 1,
            unit: (),
        }
    }

    #[test]
    fn values_come_back() {
        let value = sample();
        let mut bytes = encode(&value).expect("memory takes all");
        bytes.extend(b"more");
        assert_eq!(decode::<Sample>(&bytes).expect("as it was"), value);
        // as the format's own reader has it
        let direct = rmp_serde::from_slice::<Sample>(&bytes);
        assert_eq!(direct.expect("as it was"), value);
    }

    #[test]
    fn what_does_not_fit_is_reported() {
        let bytes = encode(&sample()).expect("memory takes all");
        assert!(decode::<Sample>(&bytes[..bytes.len() - 1]).is_err());
        let other = encode(&BTreeMap::from([("numbers", 3)])).expect("memory takes all");
        let error = decode::<Sample>(&other).expect_err("no list").to_string();
        assert!(error.contains("invalid type"), "{error}");
        let three = encode(&(true, 1, 2)).expect("memory takes all");
        assert!(decode::<(bool, u8)>(&three).is_err(), "one is left over");
        // one kind of value where another is expected, as the format's own reader has it
        let list = encode(&[1, 2]).expect("memory takes all");
        assert!(decode::<BTreeMap<String, u8>>(&list).is_err(), "no map");
        assert!(decode::<String>(&list).is_err(), "no text");
        assert!(decode::<Vec<u8>>(&other).is_err(), "no list");
        let number = encode(&1.5).expect("memory takes all");
        let error = decode::<Sample>(&number).expect_err("a number").to_string();
        assert_eq!(
            error,
            "invalid type: floating point `1.5`, expected struct Sample"
        );
        let two = encode(&BTreeMap::from([("Of", 1), ("With", 2)])).expect("memory takes all");
        assert!(decode::<Kind>(&two).is_err(), "two variants");
    }
}
