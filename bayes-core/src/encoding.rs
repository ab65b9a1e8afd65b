//! MessagePack and JSON of any type by trait objects.
//!
//! A reader that is generic over formats is compiled for every type in every format: that was a third of the work of compiling this
//! crate. Here each type is compiled once, for the trait objects of the crate erased-serde, and each format once.

use serde::Deserialize;
use std::io::{self, Write};

/// Anything that can be written, such as `&run`.
pub(crate) use erased_serde::Serialize as Encode;

/// `value` in MessagePack, structs with the names of their fields.
///
/// # Errors
/// A value that its own serialisation refuses.
pub(crate) fn to_message_pack(value: &dyn Encode) -> io::Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).map_err(io::Error::other)
}

/// Writes `value` as [`to_message_pack`] does.
///
/// # Errors
/// Those of the writer, and a value that its own serialisation refuses.
pub(crate) fn write_message_pack(value: &dyn Encode, mut out: &mut dyn Write) -> io::Result<()> {
    rmp_serde::encode::write_named(&mut out, value).map_err(io::Error::other)
}

/// What [`to_message_pack`] encoded.
///
/// # Errors
/// What does not fit, in words.
pub(crate) fn from_message_pack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    let mut content = rmp_serde::Deserializer::from_read_ref(bytes);
    decode(&mut <dyn erased_serde::Deserializer<'_>>::erase(
        &mut content,
    ))
}

/// Writes `value` as JSON on one line, without an end of line.
///
/// # Errors
/// Those of the writer, and a value that its own serialisation refuses.
pub(crate) fn write_json(value: &dyn Encode, out: &mut dyn Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

/// The value that a JSON text is.
///
/// # Errors
/// What does not fit, in words, with its line and column.
pub(crate) fn from_json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    let mut content = serde_json::Deserializer::from_str(text);
    let value = decode(&mut <dyn erased_serde::Deserializer<'_>>::erase(
        &mut content,
    ))?;
    content.end().map_err(|error| error.to_string())?;
    Ok(value)
}

fn decode<'a, T: Deserialize<'a>>(
    content: &mut dyn erased_serde::Deserializer<'a>,
) -> Result<T, String> {
    erased_serde::deserialize(content).map_err(|error| error.to_string())
}
