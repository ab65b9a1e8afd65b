//! Arrays in the format of NumPy.

use bayes_core::Error;
use bayes_core::run::{FileError, TableError};
use nalgebra::DMatrix;
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Whole numbers from it on are not all doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An array of numbers, read from a `.npy` file of NumPy: floating point of 4 or 8 bytes, whole numbers of 1 to 8 bytes, or booleans, which
/// become 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The file, for messages.
    name: String,
    /// Lengths of its dimensions; none for a single number.
    pub shape: Vec<usize>,
    /// The numbers, the last index fastest; NaN where the file has it.
    pub values: Vec<f64>,
}

/// What the head of a file says.
struct Head {
    kind: String,
    is_by_columns: bool,
    shape: Vec<usize>,
}

impl Array {
    /// Reads a `.npy` file.
    ///
    /// # Errors
    /// [`TableError::File`] if the file cannot be read, [`TableError::Format`] if it does not hold an array of numbers.
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let bytes = std::fs::read(&path)
            .map_err(|error| TableError::File(FileError::system(path.as_ref(), "read", &error)))?;
        Self::parse(&bytes, &name).map_err(|reason| {
            Error::from(TableError::Format {
                table: name,
                reason,
            })
        })
    }

    fn parse(bytes: &[u8], name: &str) -> Result<Self, String> {
        let (head, content) = head(bytes)?;
        let numbers = numbers(&head.kind, content)?;
        let count = head
            .shape
            .iter()
            .try_fold(1_usize, |all, n| all.checked_mul(*n));
        if count != Some(numbers.len()) {
            return Err(format!(
                "its shape is {:?}, but it has {} numbers",
                head.shape,
                numbers.len()
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            values: match head.is_by_columns {
                true => by_rows(&numbers, &head.shape),
                false => numbers,
            },
            shape: head.shape,
        })
    }

    /// The numbers, the last index fastest.
    ///
    /// # Errors
    /// [`TableError::Element`] with the first that is not finite.
    pub fn reals(&self) -> Result<Vec<f64>, Error> {
        self.converted("a finite number", |value| {
            value.is_finite().then_some(value)
        })
    }

    /// The numbers as whole ones.
    ///
    /// # Errors
    /// [`TableError::Element`] with the first that is no whole number from 0 on, or of 2⁵³ or more.
    pub fn counts(&self) -> Result<Vec<u64>, Error> {
        self.converted("a whole number from 0 on", |value| {
            let is_whole = value.fract() == 0.0 && (0.0..EXACT).contains(&value);
            is_whole.then_some(value as u64)
        })
    }

    /// The numbers as classes or numbers of groups.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub fn indices(&self) -> Result<Vec<usize>, Error> {
        Ok(self
            .counts()?
            .into_iter()
            .map(|value| value as usize)
            .collect())
    }

    /// An array of two dimensions as a matrix.
    ///
    /// # Errors
    /// [`TableError::Format`] for another number of dimensions; as [`reals`](Self::reals).
    pub fn matrix(&self) -> Result<DMatrix<f64>, Error> {
        let [rows, columns] = self.shape[..] else {
            let reason = format!("it has {} dimensions, a matrix has 2", self.shape.len());
            let table = self.name.clone();
            return Err(TableError::Format { table, reason }.into());
        };
        Ok(DMatrix::from_row_slice(rows, columns, &self.reals()?))
    }

    fn converted<T>(
        &self,
        wanted: &'static str,
        convert: impl Fn(f64) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let one = |(place, value): (usize, &f64)| {
            convert(*value).ok_or_else(|| {
                Error::from(TableError::Element {
                    table: self.name.clone(),
                    index: self.index(place),
                    found: value.to_string(),
                    wanted,
                })
            })
        };
        self.values.iter().enumerate().map(one).collect()
    }

    /// The indices of a number.
    fn index(&self, mut place: usize) -> Vec<usize> {
        let mut index: Vec<usize> = Vec::new();
        for length in self.shape.iter().rev() {
            index.push(place % length);
            place /= length;
        }
        index.reverse();
        index
    }
}

/// The head of a file, and what follows it.
fn head(bytes: &[u8]) -> Result<(Head, &[u8]), String> {
    let cut = || "it ends within its head".to_owned();
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("it is not of NumPy's format")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        (u64::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        (u64::from(u32::from_le_bytes(*length)), rest)
    };
    let (text, content) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
    let text = String::from_utf8_lossy(text);
    let kind = field(&text, "'descr':").and_then(|rest| rest.strip_prefix('\''));
    let kind = kind.and_then(|rest| rest.split('\'').next());
    let shape = field(&text, "'shape':").and_then(|rest| rest.strip_prefix('('));
    let shape = shape.and_then(|rest| rest.split(')').next());
    let (Some(kind), Some(shape), Some(order)) = (kind, shape, field(&text, "'fortran_order':"))
    else {
        return Err("its head does not say what it holds".to_owned());
    };
    let lengths = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    let lengths: Result<Vec<usize>, _> = lengths.map(str::parse).collect();
    let head = Head {
        kind: kind.to_owned(),
        is_by_columns: order.starts_with("True"),
        shape: lengths.map_err(|_| format!("its shape is ({shape})"))?,
    };
    Ok((head, content))
}

/// What follows a key of the head.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split_once(key).map(|(_, rest)| rest.trim_start())
}

/// `parse!(kind, bytes, "f8": f64, ..)`: numbers of one of these types, whose bytes are little or big endian.
macro_rules! parse {
    ($kind:expr, $bytes:expr, $($name:literal: $Number:ty),*) => {
        match $kind.split_at_checked(1) {
            $(Some((order @ ("<" | ">" | "|" | "="), $name)) => {
                let number = |bytes: &[u8]| {
                    // chunks have this length
                    let bytes = bytes.try_into().unwrap_or_default();
                    match order {
                        ">" => <$Number>::from_be_bytes(bytes) as f64,
                        _ => <$Number>::from_le_bytes(bytes) as f64,
                    }
                };
                let chunks = $bytes.chunks_exact(size_of::<$Number>());
                match chunks.remainder() {
                    [] => Ok(chunks.map(number).collect()),
                    _ => Err("it ends within a number".to_owned()),
                }
            })*
            _ => Err(format!("its elements are of the type `{}`, not numbers", $kind)),
        }
    };
}

fn numbers(kind: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let found: Result<Vec<f64>, String> = parse!(
        kind, bytes, "f8": f64, "f4": f32, "i8": i64, "i4": i32, "i2": i16, "i1": i8, "u8": u64, "u4": u32, "u2": u16, "u1": u8,
        "b1": u8
    );
    let found = found?;
    let is_long = kind.ends_with("i8") || kind.ends_with("u8");
    if is_long && found.iter().any(|value| value.abs() >= EXACT) {
        return Err("it has whole numbers of 2^53 or more, which are not all doubles".to_owned());
    }
    Ok(found)
}

/// Numbers whose first index is fastest, so that the last one is.
fn by_rows(numbers: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |mut place: usize| {
        // the place in the file of the number at this place by rows
        let (mut found, mut stride) = (0, numbers.len());
        for length in shape.iter().rev() {
            stride /= length;
            found += place % length * stride;
            place /= length;
        }
        numbers[found]
    };
    (0..numbers.len()).map(place).collect()
}
