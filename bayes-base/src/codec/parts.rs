//! The items of a list and the entries of a map, one after the other.

use super::write::{Failed, Format, Writer, Written};
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use std::io::{self, Write};

#[derive(Clone, Copy)]
pub(super) enum Kind {
    List,
    Map,
}

impl Kind {
    /// The head of MessagePack, which says how long the list or map is.
    pub(super) fn write_head(self, mut out: &mut dyn Write, length: usize) -> Written {
        let length = u32::try_from(length).map_err(io::Error::other)?;
        let written = match self {
            Self::List => rmp::encode::write_array_len(&mut out, length),
            Self::Map => rmp::encode::write_map_len(&mut out, length),
        };
        written.map_err(io::Error::from)?;
        Ok(())
    }

    /// The marks of JSON before and after.
    pub(super) fn marks(self) -> [&'static [u8]; 2] {
        match self {
            Self::List => [b"[", b"]"],
            Self::Map => [b"{", b"}"],
        }
    }
}

/// A list or a map that is being written.
pub(super) struct Parts<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) format: Format,
    pub(super) kind: Kind,
    /// What waits until the length is known.
    pub(super) waiting: Option<Vec<u8>>,
    /// The number of items or entries so far.
    pub(super) count: usize,
    /// What is written after the end.
    pub(super) after: &'static [u8],
}

impl Parts<'_> {
    /// The writer of the next item or key.
    fn next(&mut self, is_key: bool) -> Result<Writer<'_>, Failed> {
        if self.format == Format::Json && self.count > 0 {
            self.out.write_all(b",")?;
        }
        self.count += 1;
        Ok(Writer {
            is_key,
            ..self.writer()
        })
    }

    /// The writer of the value after a key.
    fn value(&mut self) -> Result<Writer<'_>, Failed> {
        if self.format == Format::Json {
            self.out.write_all(b":")?;
        }
        Ok(self.writer())
    }

    fn writer(&mut self) -> Writer<'_> {
        match &mut self.waiting {
            Some(waiting) => Writer::new(waiting, self.format),
            None => Writer::new(self.out, self.format),
        }
    }

    /// The writer of a field, after its name.
    fn field(&mut self, name: &'static str) -> Result<Writer<'_>, Failed> {
        name.serialize(self.next(false)?)?;
        self.value()
    }

    fn finish(self) -> Written {
        if let Some(waiting) = self.waiting {
            self.kind.write_head(self.out, self.count)?;
            self.out.write_all(&waiting)?;
        }
        if self.format == Format::Json {
            self.out.write_all(self.kind.marks()[1])?;
        }
        self.out.write_all(self.after)?;
        Ok(())
    }
}

impl SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(self.next(false)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(self.next(false)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeTupleStruct for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(self.next(false)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeTupleVariant for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(self.next(false)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        key.serialize(self.next(true)?)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(self.value()?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        value.serialize(self.field(name)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeStructVariant for Parts<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        value.serialize(self.field(name)?)
    }

    fn end(self) -> Written {
        self.finish()
    }
}
