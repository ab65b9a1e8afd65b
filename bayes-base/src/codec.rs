//! Values as MessagePack, the format of files and messages, and as JSON.
//!
//! A value is read in two steps: bytes or text become a tree, and the tree the value. One writer writes both formats. So each type has
//! one reader and one writer; with one of each for each format they were a third of the code of `bayes-run`. Long lists of numbers are
//! bytes in MessagePack ([`number`](crate::number)), which a tree only refers to, and 8 bytes a number in a tree of JSON; any other element
//! takes some 60 bytes while it is read.

mod parts;
mod read;
mod tree;
mod write;
mod wrong;

use serde::{Deserialize, Deserializer, Serialize};
use std::io::{self, Write};
pub use tree::Tree;
use write::{Format, Writer};

/// Writes a value as MessagePack, structs with the names of their fields.
///
/// # Errors
/// An error of the writer.
pub fn write<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    let writer = Writer::new(out, Format::MessagePack);
    value.serialize(writer).map_err(io::Error::from)
}

/// A value as MessagePack.
///
/// # Errors
/// What the value reports.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes, value)?;
    Ok(bytes)
}

/// Writes a value as JSON.
///
/// # Errors
/// An error of the writer.
pub fn write_json<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    let writer = Writer::new(out, Format::Json);
    value.serialize(writer).map_err(io::Error::from)
}

/// Reads a value from MessagePack; bytes after it are left alone.
///
/// # Errors
/// What does not fit.
pub fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> io::Result<T> {
    let tree: Tree = rmp_serde::from_slice(bytes).map_err(io::Error::other)?;
    T::deserialize(tree).map_err(io::Error::other)
}

/// Reads a value from JSON.
///
/// # Errors
/// What is not JSON, with its line and column; what does not fit, with its place in the value.
pub fn read_json<'de, T: Deserialize<'de>>(text: &'de str) -> io::Result<T> {
    let tree: Tree = serde_json::from_str(text)?;
    T::deserialize(tree).map_err(io::Error::other)
}

/// Reads a value by a function of the crate of its type, for `#[serde(deserialize_with = "..")]` in other crates: their fields of this
/// type do not compile its reader again.
///
/// # Errors
/// The errors of `read`.
pub fn read_by<'de, D: Deserializer<'de>, T>(
    from: D,
    read: fn(Tree<'de>) -> io::Result<T>,
) -> Result<T, D::Error> {
    read(Tree::deserialize(from)?).map_err(serde::de::Error::custom)
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

    /// What values can hold and `Sample` does not.
    #[derive(Serialize)]
    struct Parts {
        name: char,
        rest: BTreeMap<i64, f32>,
        pairs: Vec<Pair>,
        #[serde(flatten)]
        more: More,
    }

    #[derive(Serialize)]
    enum Pair {
        Two(u16, i16),
        Named { a: Option<u8> },
        Empty,
    }

    #[derive(Serialize)]
    struct More {
        text: String,
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

    /// The formats' own writers, and the text read back.
    #[test]
    fn both_formats_are_written_as_by_the_crates_of_the_formats() {
        fn check<T: Serialize + ?Sized>(value: &T) -> String {
            let bytes = rmp_serde::to_vec_named(value).expect("memory takes all");
            assert_eq!(encode(value).expect("memory takes all"), bytes);
            let mut text = Vec::new();
            write_json(&mut text, value).expect("memory takes all");
            let text = String::from_utf8(text).expect("JSON is text");
            assert_eq!(
                text,
                serde_json::to_string(value).expect("memory takes all")
            );
            text
        }
        // JSON has no whole numbers above 2^64 that a tree keeps
        let value = Sample {
            largest: 7,
            ..sample()
        };
        let text = check(&value);
        assert_eq!(serde_json::from_str::<Sample>(&text).expect("JSON"), value);
        check(&Parts {
            name: 'x',
            rest: BTreeMap::from([(-3_i64, 0.1_f32), (i64::MAX, 1e30)]),
            pairs: vec![Pair::Two(1, -129), Pair::Named { a: None }, Pair::Empty],
            more: More {
                text: "\"\\\n\u{1} ä".to_owned(),
            },
        });
        let reals: [f64; 6] = [0.1, -0.0, 1e300, 1.0, f64::NAN, f64::NEG_INFINITY];
        check(&reals);
        check(&[
            0_i64,
            127,
            128,
            255,
            256,
            65536,
            -1,
            -32,
            -33,
            -32769,
            i64::MIN,
        ]);
        check(&[u64::MAX, 1 << 32]);
        check(&(true, (), Some(2_u8), None::<u8>));
        check(&vec![1_u8; 70_000]);
        check(&BTreeMap::<String, u8>::new());
        check(&BTreeMap::from([(true, 1), (false, 2)]));
        assert!(write_json(&mut Vec::new(), &BTreeMap::from([((1, 2), 3)])).is_err());
    }

    #[test]
    fn values_come_back_from_json() {
        let value = Sample {
            missing: Some("a \"b\" \n".to_owned()),
            largest: u128::from(u64::MAX),
            ..sample()
        };
        let mut text = Vec::new();
        write_json(&mut text, &value).expect("memory takes all");
        let text = String::from_utf8(text).expect("JSON is text");
        assert_eq!(read_json::<Sample>(&text).expect("as it was"), value);
        let keys = BTreeMap::from([(-3_i64, vec![0.5, 2.0]), (4, vec![])]);
        let read = read_json::<BTreeMap<i64, Vec<f64>>>(r#"{"-3": [0.5, 2], "4": []}"#);
        assert_eq!(read.expect("numbers"), keys);
    }

    /// A value with a field that another function reads.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        #[serde(deserialize_with = "elsewhere")]
        samples: Vec<(u64, Sample)>,
    }

    fn elsewhere<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(u64, Sample)>, D::Error> {
        read_by(from, Tree::value)
    }

    #[test]
    fn a_field_that_is_read_elsewhere_comes_back_whole() {
        let samples = vec![(7, sample()), (u64::MAX, sample())];
        let holder = Holder { samples };
        let bytes = encode(&holder).expect("memory takes all");
        assert_eq!(decode::<Holder>(&bytes).expect("as it was"), holder);
        let json = r#"{"samples": [[7, {"numbers": [true]}]]}"#;
        let error = read_json::<Holder>(json).expect_err("a truth value is no number");
        let error = error.to_string();
        assert!(
            error.starts_with("`samples`: `[0][1].numbers[0]`: "),
            "{error}"
        );
    }

    #[test]
    fn an_error_names_the_place_in_the_value() {
        let kinds = r#"{"kinds": {"1": {"Plain": null}, "2": {"Of": [true]}}}"#;
        let error = read_json::<BTreeMap<String, BTreeMap<usize, Kind>>>(kinds);
        let error = error.expect_err("a list is no number").to_string();
        assert_eq!(error, "`kinds.2`: invalid type: sequence, expected i64");
        let error = read_json::<Vec<Vec<bool>>>("[[], [true, 1]]").expect_err("a number");
        let error = error.to_string();
        assert_eq!(
            error,
            "`[1][1]`: invalid type: integer `1`, expected a boolean"
        );
        // texts are no numbers, except as keys
        assert!(read_json::<Vec<u64>>(r#"["1"]"#).is_err());
        assert!(read_json::<BTreeMap<u64, u64>>(r#"{"x": 1}"#).is_err());
        assert!(read_json::<Vec<u64>>("[1, 2").is_err(), "it is cut");
        assert!(read_json::<Vec<u64>>("[1] 2").is_err(), "more follows");
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
