//! Values from trees. There is an instance of each generic method here for every type that is read, so they do no more than they must.

use super::tree::Tree;
use super::wrong::Wrong;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::vec::IntoIter;

impl<'de> Tree<'de> {
    /// A number, a truth value, a text, or bytes.
    fn scalar<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            Self::Flag(value) => visitor.visit_bool(value),
            Self::Whole(value) => visitor.visit_u64(value),
            Self::Negative(value) => visitor.visit_i64(value),
            Self::Real(value) => visitor.visit_f64(value),
            Self::Text(Cow::Borrowed(text)) | Self::Key(Cow::Borrowed(text)) => {
                visitor.visit_borrowed_str(text)
            }
            Self::Text(Cow::Owned(text)) | Self::Key(Cow::Owned(text)) => {
                visitor.visit_string(text)
            }
            Self::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
            Self::Bytes(Cow::Owned(bytes)) => visitor.visit_byte_buf(bytes),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn items(self, expected: &dyn Expected) -> Result<Items<'de>, Wrong> {
        let list = match self {
            Self::List(list) => Kind::Trees(list.into_iter()),
            Self::Reals(list) => Kind::Reals(list.into_iter()),
            other => return Err(other.mismatch(expected)),
        };
        Ok(Items { list, count: 0 })
    }

    fn entries(self, expected: &dyn Expected) -> Result<Entries<'de>, Wrong> {
        match self {
            Self::Map(map) => Ok(Entries {
                map: map.into_iter(),
                name: None,
                value: None,
            }),
            other => Err(other.mismatch(expected)),
        }
    }

    /// A variant, with its content if it has one.
    fn variant(self, expected: &dyn Expected) -> Result<Choice<'de>, Wrong> {
        match self {
            name @ Self::Text(_) => Ok(Choice(name, None)),
            Self::Map(map) if map.len() == 1 => {
                let (name, content) = map.into_iter().next().expect("it has one entry");
                Ok(Choice(name, Some(content)))
            }
            other => Err(other.mismatch(expected)),
        }
    }
}

impl<'de> Deserializer<'de> for Tree<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            Self::Nothing => visitor.visit_unit(),
            Self::List(_) | Self::Reals(_) => self.deserialize_seq(visitor),
            Self::Map(_) => self.deserialize_map(visitor),
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let mut items = self.items(&visitor)?;
        let value = visitor.visit_seq(&mut items)?;
        items.end().map(|()| value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let mut entries = self.entries(&visitor)?;
        let value = visitor.visit_map(&mut entries)?;
        entries.end().map(|()| value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        // as `write` writes them
        self.deserialize_map(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        // as `write` writes them; the names of fields and variants are by far the most types of visitors
        match &self {
            Self::Text(text) | Self::Key(text) => visitor.visit_str(text),
            other => Err(other.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            Self::Nothing => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let choice = self.variant(&visitor)?;
        visitor.visit_enum(choice)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.into_number().deserialize_any(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.into_number().deserialize_any(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.into_number().deserialize_any(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.into_number().deserialize_any(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self {
            // MessagePack has no such numbers: they are written as bytes
            Self::Bytes(bytes) if let Ok(bytes) = bytes.as_ref().try_into() => {
                visitor.visit_u128(u128::from_be_bytes(bytes))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i128 u8 u16 f32 f64 char str string bytes byte_buf unit unit_struct tuple_struct
    }
}

/// What is left of a list.
struct Items<'de> {
    list: Kind<'de>,
    /// The number of items that were read.
    count: usize,
}

enum Kind<'de> {
    Trees(IntoIter<Tree<'de>>),
    Reals(IntoIter<f64>),
}

impl<'de> Items<'de> {
    fn next(&mut self) -> Option<Tree<'de>> {
        let item = match &mut self.list {
            Kind::Trees(list) => list.next(),
            Kind::Reals(list) => list.next().map(Tree::Real),
        }?;
        self.count += 1;
        Some(item)
    }

    fn left(&self) -> usize {
        match &self.list {
            Kind::Trees(list) => list.len(),
            Kind::Reals(list) => list.len(),
        }
    }

    /// Refuses items that nobody read.
    fn end(self) -> Result<(), Wrong> {
        match self.left() {
            0 => Ok(()),
            left => Err(too_many(self.count + left)),
        }
    }
}

/// The error of a list or a map of which a part is left over.
fn too_many(length: usize) -> Wrong {
    de::Error::invalid_length(length, &"fewer elements")
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Wrong> {
        match self.next() {
            Some(item) => match seed.deserialize(item) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(error.at(self.count - 1)),
            },
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left())
    }
}

/// What is left of a map.
struct Entries<'de> {
    map: IntoIter<(Tree<'de>, Tree<'de>)>,
    /// The name of the entry whose key was read last, for messages.
    name: Option<Cow<'de, str>>,
    /// The value of that entry.
    value: Option<Tree<'de>>,
}

impl<'de> Entries<'de> {
    fn key(&mut self) -> Option<Tree<'de>> {
        let (key, value) = self.map.next()?;
        self.name = match &key {
            Tree::Key(name) => Some(name.clone()),
            Tree::Whole(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        };
        self.value = Some(value);
        Some(key)
    }

    fn take_value(&mut self) -> Result<Tree<'de>, Wrong> {
        let missing = || de::Error::custom("a value was read before its key");
        self.value.take().ok_or_else(missing)
    }

    /// Adds the name of the present entry to an error.
    fn within(&self, error: Wrong) -> Wrong {
        match &self.name {
            Some(name) => error.within(name),
            None => error,
        }
    }

    /// Refuses entries that nobody read.
    fn end(self) -> Result<(), Wrong> {
        match self.map.len() {
            0 => Ok(()),
            left => Err(too_many(left)),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        match self.key() {
            Some(key) => seed.deserialize(key).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let value = self.take_value()?;
        match seed.deserialize(value) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.within(error)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.map.len())
    }
}

/// A variant: its name, and its content if it has one.
struct Choice<'de>(Tree<'de>, Option<Tree<'de>>);

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Wrong;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'de>), Wrong> {
        let name = seed.deserialize(self.0)?;
        Ok((name, Content(self.1)))
    }
}

/// The content of a variant.
struct Content<'de>(Option<Tree<'de>>);

impl<'de> Content<'de> {
    fn some(self, expected: &dyn Expected) -> Result<Tree<'de>, Wrong> {
        let missing = || de::Error::invalid_type(Unexpected::UnitVariant, expected);
        self.0.ok_or_else(missing)
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Wrong;

    fn unit_variant(self) -> Result<(), Wrong> {
        match self.0 {
            None | Some(Tree::Nothing) => Ok(()),
            Some(content) => Err(content.mismatch(&"a variant without content")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        seed.deserialize(self.some(&"the content of a variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.some(&visitor)?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.some(&visitor)?.deserialize_map(visitor)
    }
}
