//! Arrays of numbers, from files in the formats of NumPy and of MNIST.

mod half;
mod idx;
mod npy;

use bayes_core::Error;
use bayes_core::run::{FileError, TableError};
use nalgebra::DMatrix;
use num_traits::{AsPrimitive, FromBytes};
use std::path::Path;

/// The name in messages for bytes that do not come from a file.
const NAMELESS: &str = "the bytes";
/// From this size on, not every whole number is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// An array of numbers, read from a `.npy` file of NumPy or from an idx file, the format of MNIST. Elements are floating-point numbers of
/// 2, 4 or 8 bytes, whole numbers of 1 to 8 bytes, or booleans, which become 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The file, or `the bytes`, for messages.
    name: String,
    /// Lengths of its dimensions; empty for a single number.
    pub shape: Vec<usize>,
    /// The numbers, the last index fastest; NaN where the file has it.
    pub values: Vec<f64>,
}

/// The content of a file.
struct Content {
    shape: Vec<usize>,
    /// The numbers, the last index fastest.
    values: Vec<f64>,
}

impl Content {
    /// Refuses a shape that has another number of elements.
    fn new(shape: Vec<usize>, values: Vec<f64>) -> Result<Self, String> {
        let count = shape.iter().try_fold(1_usize, |all, n| all.checked_mul(*n));
        match count == Some(values.len()) {
            true => Ok(Self { shape, values }),
            false => Err(format!(
                "its shape is {shape:?}, but it has {} numbers",
                values.len()
            )),
        }
    }
}

/// The order of the bytes of a number.
#[derive(Clone, Copy)]
enum Order {
    BigEndian,
    LittleEndian,
}

/// Numbers of one type as doubles.
fn numbers<T, const BYTES: usize>(bytes: &[u8], order: Order) -> Result<Vec<f64>, String>
where
    T: AsPrimitive<f64> + FromBytes<Bytes = [u8; BYTES]>,
{
    let (numbers, rest) = bytes.as_chunks::<BYTES>();
    if !rest.is_empty() {
        return Err("it ends within a number".to_owned());
    }
    let number = |bytes: &[u8; BYTES]| match order {
        Order::BigEndian => T::from_be_bytes(bytes).as_(),
        Order::LittleEndian => T::from_le_bytes(bytes).as_(),
    };
    Ok(numbers.iter().map(number).collect())
}

impl Array {
    /// Reads a file by the ending of its name: `.npy` is NumPy's format, anything else an idx file, compressed by gzip or not.
    ///
    /// # Errors
    /// The errors of [`read_npy`](Self::read_npy).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("npy") => Self::read_npy(path),
            _ => Self::read_idx(path),
        }
    }

    /// Reads a `.npy` file of NumPy.
    ///
    /// # Errors
    /// [`TableError::File`] if the file cannot be read, [`TableError::Format`] if it does not hold an array of numbers.
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (bytes, name) = read(path.as_ref())?;
        Self::new(npy::parse(&bytes), &name)
    }

    /// The array in the bytes of a `.npy` file.
    ///
    /// # Errors
    /// [`TableError::Format`] if the bytes do not hold an array of numbers.
    pub fn from_npy(bytes: &[u8]) -> Result<Self, Error> {
        Self::new(npy::parse(bytes), NAMELESS)
    }

    /// Reads an idx file, compressed by gzip or not.
    ///
    /// # Errors
    /// The errors of [`read_npy`](Self::read_npy).
    pub fn read_idx(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (bytes, name) = read(path.as_ref())?;
        Self::new(idx::parse(&bytes), &name)
    }

    /// The array in the bytes of an idx file, compressed by gzip or not.
    ///
    /// # Errors
    /// The errors of [`from_npy`](Self::from_npy).
    pub fn from_idx(bytes: &[u8]) -> Result<Self, Error> {
        Self::new(idx::parse(bytes), NAMELESS)
    }

    fn new(content: Result<Content, String>, name: &str) -> Result<Self, Error> {
        let name = name.to_owned();
        let Content { shape, values } = content.map_err(|reason| TableError::Format {
            table: name.clone(),
            reason,
        })?;
        Ok(Self {
            name,
            shape,
            values,
        })
    }

    /// The numbers, the last index fastest.
    ///
    /// # Errors
    /// [`TableError::Element`] with the first number that is not finite.
    pub fn reals(&self) -> Result<Vec<f64>, Error> {
        self.converted(|value| match value.is_finite() {
            true => Ok(value),
            false => Err("a finite number"),
        })
    }

    /// The numbers as whole numbers.
    ///
    /// # Errors
    /// [`TableError::Element`] with the first that is not a whole number from 0 on, or is 2⁵³ or more.
    pub fn counts(&self) -> Result<Vec<u64>, Error> {
        self.converted(|value| match value {
            _ if value.fract() != 0.0 || value < 0.0 => Err("a whole number from 0 on"),
            _ if value >= EXACT => Err("a whole number below 2^53: it is larger"),
            _ => Ok(value as u64),
        })
    }

    /// The numbers as classes or numbers of groups.
    ///
    /// # Errors
    /// The errors of [`counts`](Self::counts).
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
    /// [`TableError::Format`] for another number of dimensions; the errors of [`reals`](Self::reals).
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
        convert: impl Fn(f64) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, Error> {
        let one = |(place, value): (usize, &f64)| {
            convert(*value).map_err(|wanted| {
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

/// The bytes of a file, and its name for messages.
fn read(path: &Path) -> Result<(Vec<u8>, String), Error> {
    let bytes = std::fs::read(path)
        .map_err(|error| TableError::File(FileError::system(path, "read", &error)))?;
    Ok((bytes, path.display().to_string()))
}
