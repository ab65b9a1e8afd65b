//! The writer of both formats. Like the reader, it has an instance of each generic method for every type that is written.

use super::parts::{Kind, Parts};
use super::wrong::Wrong;
use serde::ser::{self, Serialize, Serializer};
use std::io::{self, Write};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Format {
    MessagePack,
    Json,
}

/// Writes one value.
pub(super) struct Writer<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) format: Format,
    /// Whether the value is the key of an entry: numbers are texts there in JSON.
    pub(super) is_key: bool,
}

/// An error of the file, or of the value.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    #[error(transparent)]
    Out(#[from] io::Error),
    #[error(transparent)]
    Value(Wrong),
}

impl ser::Error for Failed {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Value(Wrong::new(message.to_string()))
    }
}

impl From<Failed> for io::Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Out(error) => error,
            Failed::Value(wrong) => Self::other(wrong),
        }
    }
}

pub(super) type Written = Result<(), Failed>;

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut dyn Write, format: Format) -> Self {
        Self {
            out,
            format,
            is_key: false,
        }
    }

    fn text(&mut self, text: &str) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_str(&mut self.out, text).map_err(io::Error::from)?;
            }
            Format::Json => serde_json::to_writer(&mut self.out, text).map_err(io::Error::from)?,
        }
        Ok(())
    }

    /// Anything of JSON that is no text, list or map; a key is put between quotation marks.
    fn plain(&mut self, text: &str) -> Written {
        let mark: &[u8] = if self.is_key { b"\"" } else { b"" };
        self.out.write_all(mark)?;
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(mark)?;
        Ok(())
    }

    fn whole(&mut self, value: u64) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_uint(&mut self.out, value).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json => self.plain(&value.to_string()),
        }
    }

    fn signed(&mut self, value: i64) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_sint(&mut self.out, value).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json => self.plain(&value.to_string()),
        }
    }

    /// A number of more than 64 bits; MessagePack has none, so it is its bytes there.
    fn long(&mut self, bytes: [u8; 16], text: &str) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_bin(&mut self.out, &bytes).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json => self.plain(text),
        }
    }

    fn nothing(&mut self) -> Written {
        match self.format {
            Format::MessagePack => Ok(rmp::encode::write_nil(&mut self.out)?),
            Format::Json => self.plain("null"),
        }
    }

    /// The begin of a variant with content: a map of one entry.
    fn variant(&mut self, name: &str) -> Written {
        match self.format {
            Format::MessagePack => {
                Kind::Map.write_head(self.out, 1)?;
                self.text(name)
            }
            Format::Json => {
                self.not_a_key()?;
                self.out.write_all(b"{")?;
                self.text(name)?;
                self.out.write_all(b":")?;
                Ok(())
            }
        }
    }

    /// What is written after the content of a variant.
    fn end_of_variant(&self) -> &'static [u8] {
        match self.format {
            Format::MessagePack => b"",
            Format::Json => b"}",
        }
    }

    /// Refuses a list or a map as a key of JSON.
    fn not_a_key(&self) -> Written {
        match self.is_key {
            true => Err(ser::Error::custom("a key of JSON is a text or a number")),
            false => Ok(()),
        }
    }

    /// The begin of a list or a map; `after` is written after its end.
    fn begin(
        self,
        kind: Kind,
        length: Option<usize>,
        after: &'static [u8],
    ) -> Result<Parts<'a>, Failed> {
        self.not_a_key()?;
        let mut waiting = None;
        match (self.format, length) {
            (Format::MessagePack, Some(length)) => kind.write_head(self.out, length)?,
            // the length comes first
            (Format::MessagePack, None) => waiting = Some(Vec::new()),
            (Format::Json, _) => self.out.write_all(kind.marks()[0])?,
        }
        Ok(Parts {
            out: self.out,
            format: self.format,
            kind,
            waiting,
            count: 0,
            after,
        })
    }
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Failed;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(mut self, value: bool) -> Written {
        match self.format {
            Format::MessagePack => Ok(rmp::encode::write_bool(&mut self.out, value)?),
            Format::Json => self.plain(if value { "true" } else { "false" }),
        }
    }

    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(mut self, value: i64) -> Written {
        self.signed(value)
    }

    fn serialize_i128(mut self, value: i128) -> Written {
        self.long(value.to_be_bytes(), &value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(u64::from(value))
    }

    fn serialize_u64(mut self, value: u64) -> Written {
        self.whole(value)
    }

    fn serialize_u128(mut self, value: u128) -> Written {
        self.long(value.to_be_bytes(), &value.to_string())
    }

    fn serialize_f32(mut self, value: f32) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_f32(&mut self.out, value).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json => {
                let text = serde_json::to_string(&value).map_err(io::Error::from)?;
                self.plain(&text)
            }
        }
    }

    fn serialize_f64(mut self, value: f64) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_f64(&mut self.out, value).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json if self.is_key => {
                let text = serde_json::to_string(&value).map_err(io::Error::from)?;
                self.plain(&text)
            }
            Format::Json => {
                Ok(serde_json::to_writer(&mut self.out, &value).map_err(io::Error::from)?)
            }
        }
    }

    fn serialize_char(mut self, value: char) -> Written {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(mut self, value: &str) -> Written {
        self.text(value)
    }

    fn serialize_bytes(mut self, value: &[u8]) -> Written {
        match self.format {
            Format::MessagePack => {
                rmp::encode::write_bin(&mut self.out, value).map_err(io::Error::from)?;
                Ok(())
            }
            Format::Json => self.collect_seq(value),
        }
    }

    fn serialize_none(mut self) -> Written {
        self.nothing()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(mut self) -> Written {
        self.nothing()
    }

    fn serialize_unit_struct(mut self, _: &'static str) -> Written {
        self.nothing()
    }

    fn serialize_unit_variant(mut self, _: &'static str, _: u32, name: &'static str) -> Written {
        self.text(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Written {
        self.variant(name)?;
        value.serialize(Writer::new(self.out, self.format))?;
        Ok(self.out.write_all(self.end_of_variant())?)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Parts<'a>, Failed> {
        self.begin(Kind::List, length, b"")
    }

    fn serialize_tuple(self, length: usize) -> Result<Parts<'a>, Failed> {
        self.begin(Kind::List, Some(length), b"")
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Parts<'a>, Failed> {
        self.begin(Kind::List, Some(length), b"")
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Parts<'a>, Failed> {
        self.variant(name)?;
        let after = self.end_of_variant();
        self.begin(Kind::List, Some(length), after)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Parts<'a>, Failed> {
        self.begin(Kind::Map, length, b"")
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Parts<'a>, Failed> {
        self.begin(Kind::Map, Some(length), b"")
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Parts<'a>, Failed> {
        self.variant(name)?;
        let after = self.end_of_variant();
        self.begin(Kind::Map, Some(length), after)
    }

    fn is_human_readable(&self) -> bool {
        self.format == Format::Json
    }
}
