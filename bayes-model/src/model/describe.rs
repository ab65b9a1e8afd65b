//! Descriptions of a model's data arguments without knowing their types.
//!
//! `#[model]` writes `describe("y", &self.y).argument()` for every argument. Types whose elements are
//! known ([`Describe`]) have a length and the position of NaN; any other type has only a name. Method
//! lookup chooses between the two methods: by value ([`Known`]) before by reference ([`Unknown`]).

use super::DataArgument;
use super::fingerprint::Fingerprint;
use crate::dist::{MaternGrid, Neighbours, SparsePattern};
use bayes_autodiff::Complex64;
use nalgebra::{Dim, RawStorage};

/// A data argument and its name.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a, T: ?Sized> {
    name: &'static str,
    data: &'a T,
}

/// The argument called `name`.
pub fn describe<'a, T: ?Sized>(name: &'static str, data: &'a T) -> Described<'a, T> {
    Described { name, data }
}

/// Data whose elements are known.
pub trait Describe {
    /// Number of elements, if it has one.
    fn length(&self) -> Option<usize>;
    /// Position of the first NaN, in words.
    fn first_nan(&self) -> Option<String>;
    /// The elements, if they are `f64` and contiguous.
    fn numbers(&self) -> Option<&[f64]> {
        None
    }
    /// A hash of the elements.
    fn fingerprint(&self) -> u64;
}

/// Describes data that implement [`Describe`].
pub trait Known<'a> {
    /// The name, the length and the first NaN.
    fn argument(self) -> DataArgument;
    /// [`Describe::numbers`].
    fn numbers(self) -> Option<&'a [f64]>;
}

impl<'a, T: Describe + ?Sized> Known<'a> for Described<'a, T> {
    fn numbers(self) -> Option<&'a [f64]> {
        self.data.numbers()
    }

    fn argument(self) -> DataArgument {
        DataArgument {
            name: self.name,
            length: self.data.length(),
            first_nan: self.data.first_nan(),
            fingerprint: self.data.fingerprint(),
        }
    }
}

/// Describes any other data.
pub trait Unknown<'a> {
    /// Only the name.
    fn argument(self) -> DataArgument;
    /// `None`: the elements are unknown.
    fn numbers(self) -> Option<&'a [f64]>;
}

impl<'a, T: ?Sized> Unknown<'a> for &Described<'a, T> {
    fn numbers(self) -> Option<&'a [f64]> {
        None
    }

    fn argument(self) -> DataArgument {
        DataArgument {
            name: self.name,
            length: None,
            first_nan: None,
            fingerprint: 0,
        }
    }
}

impl Describe for Neighbours {
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn first_nan(&self) -> Option<String> {
        None
    }
    fn fingerprint(&self) -> u64 {
        let edges = self.edges().iter().flatten();
        let numbers = [self.len()].into_iter().chain(edges.copied());
        Fingerprint::of(numbers.map(|x| x as u64))
    }
}

impl Describe for SparsePattern {
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn first_nan(&self) -> Option<String> {
        None
    }
    fn fingerprint(&self) -> u64 {
        let entries = self.entries().iter().flatten();
        Fingerprint::of(entries.map(|x| u64::from(*x)))
    }
}

impl Describe for MaternGrid {
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn first_nan(&self) -> Option<String> {
        None
    }
    fn fingerprint(&self) -> u64 {
        let [rows, columns] = self.cells().map(|x| x as u64);
        Fingerprint::of([rows, columns, self.side().to_bits()].into_iter())
    }
}

/// A number in data.
pub trait Number: Copy {
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// The same numbers, if they are `f64`.
    fn floats(numbers: &[Self]) -> Option<&[f64]>;
    /// The bits of the number.
    fn bits(self) -> u64;
}

macro_rules! numbers {
    ($($number:ty),* => $is_nan:expr, $floats:expr, $bits:expr) => {$(
        impl Number for $number {
            fn floats(numbers: &[Self]) -> Option<&[f64]> {
                let floats: fn(&[$number]) -> Option<&[f64]> = $floats;
                floats(numbers)
            }
            fn is_nan(self) -> bool {
                let is_nan: fn($number) -> bool = $is_nan;
                is_nan(self)
            }
            fn bits(self) -> u64 {
                let bits: fn($number) -> u64 = $bits;
                bits(self)
            }
        }
        impl Describe for $number {
            fn length(&self) -> Option<usize> {
                None
            }
            fn first_nan(&self) -> Option<String> {
                Number::is_nan(*self).then(|| "its only element".to_owned())
            }
            fn fingerprint(&self) -> u64 {
                self.bits()
            }
        }
    )*};
}

numbers!(f64 => f64::is_nan, |numbers| Some(numbers), f64::to_bits);
numbers!(f32 => f32::is_nan, |_| None, |x| u64::from(x.to_bits()));
numbers!(u64 => |_| false, |_| None, |x| x);
numbers!(bool, u8, u16, u32, usize, i8, i16, i32, i64, isize => |_| false, |_| None, |x| x as u64);

// a value that is missing is no NaN
numbers!(Option<f64> => |x| x.is_some_and(f64::is_nan), |_| None, |x| x.map_or(u64::MAX, f64::to_bits));
numbers!(Option<u64> => |_| false, |_| None, |x| x.unwrap_or(MISSING));
numbers!(
    Option<bool>, Option<u8>, Option<u16>, Option<u32>, Option<usize>, Option<i8>,
    Option<i16>, Option<i32>, Option<i64>, Option<isize>
    => |_| false, |_| None, |x| x.map_or(MISSING, |x| x as u64)
);

/// The bits of a whole number that is missing: those of no count, and not those of -1.
const MISSING: u64 = 0xfff8_4d49_5353_494e;

numbers!(Complex64 => |z| z.re.is_nan() || z.im.is_nan(), |_| None, |z| {
    Fingerprint::of([z.re.to_bits(), z.im.to_bits()].into_iter())
});

impl<T: Number> Describe for [T] {
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
    fn first_nan(&self) -> Option<String> {
        self.iter()
            .position(|x| x.is_nan())
            .map(|i| format!("index {i}"))
    }
    fn numbers(&self) -> Option<&[f64]> {
        T::floats(self)
    }
    fn fingerprint(&self) -> u64 {
        Fingerprint::of(self.iter().map(|x| x.bits()))
    }
}

impl<T: Number, const N: usize> Describe for [T; N] {
    fn length(&self) -> Option<usize> {
        self.as_slice().length()
    }
    fn first_nan(&self) -> Option<String> {
        self.as_slice().first_nan()
    }
    fn numbers(&self) -> Option<&[f64]> {
        self.as_slice().numbers()
    }
    fn fingerprint(&self) -> u64 {
        self.as_slice().fingerprint()
    }
}

impl<T: Number> Describe for Vec<T> {
    fn length(&self) -> Option<usize> {
        self.as_slice().length()
    }
    fn first_nan(&self) -> Option<String> {
        self.as_slice().first_nan()
    }
    fn numbers(&self) -> Option<&[f64]> {
        self.as_slice().numbers()
    }
    fn fingerprint(&self) -> u64 {
        self.as_slice().fingerprint()
    }
}

impl<T: Number, R: Dim, C: Dim, S: RawStorage<T, R, C>> Describe for nalgebra::Matrix<T, R, C, S> {
    fn numbers(&self) -> Option<&[f64]> {
        T::floats(bayes_autodiff::contiguous(self)?)
    }
    fn length(&self) -> Option<usize> {
        Some(self.nrows() * self.ncols())
    }
    fn fingerprint(&self) -> u64 {
        let shape = [self.nrows() as u64, self.ncols() as u64];
        Fingerprint::of(shape.into_iter().chain(self.iter().map(|x| x.bits())))
    }
    fn first_nan(&self) -> Option<String> {
        let places =
            (0..self.nrows()).flat_map(|row| (0..self.ncols()).map(move |column| (row, column)));
        let (row, column) = places.into_iter().find(|place| self[*place].is_nan())?;
        Some(if self.ncols() == 1 {
            format!("index {row}")
        } else {
            format!("row {row}, column {column}")
        })
    }
}

impl<T: Describe + ?Sized> Describe for &T {
    fn numbers(&self) -> Option<&[f64]> {
        (**self).numbers()
    }
    fn fingerprint(&self) -> u64 {
        (**self).fingerprint()
    }
    fn length(&self) -> Option<usize> {
        (**self).length()
    }
    fn first_nan(&self) -> Option<String> {
        (**self).first_nan()
    }
}

#[cfg(test)]
mod tests {
    use super::{DataArgument, Known as _, Unknown as _, describe};
    use bayes_autodiff::Complex64;
    use nalgebra::{DMatrix, DVector};

    fn tells(argument: DataArgument) -> (Option<usize>, Option<String>) {
        assert_eq!(argument.name, "y");
        (argument.length, argument.first_nan)
    }

    #[test]
    fn numbers_tell_their_length_and_their_first_nan() {
        let y: &[f64] = &[1.0, f64::NAN, f64::NAN];
        assert_eq!(
            tells(describe("y", &y).argument()),
            (Some(3), Some("index 1".to_owned()))
        );
        assert_eq!(
            tells(describe("y", &vec![true]).argument()),
            (Some(1), None)
        );
        assert_eq!(
            tells(describe("y", &DVector::from_element(2, 0.0)).argument()),
            (Some(2), None)
        );
        assert_eq!(
            tells(describe("y", &[Some(1.0), None]).argument()),
            (Some(2), None)
        );
        let counts: &[Option<u64>] = &[Some(3), None, Some(0)];
        assert_eq!(tells(describe("y", &counts).argument()), (Some(3), None));
        let z = [Complex64::new(0.0, 1.0), Complex64::new(0.0, f64::NAN)];
        assert_eq!(
            tells(describe("y", &z).argument()),
            (Some(2), Some("index 1".to_owned()))
        );
        assert_eq!(
            tells(describe("y", &f64::NAN).argument()),
            (None, Some("its only element".to_owned()))
        );
    }

    /// A checkpoint of other data is refused by the fingerprint of its data.
    #[test]
    fn a_missing_whole_number_is_no_other_one() {
        let of = |y: &[Option<i64>]| describe("y", &y).argument().fingerprint;
        let all = [
            of(&[Some(2), None]),
            of(&[Some(2), Some(0)]),
            of(&[Some(2), Some(-1)]),
            of(&[None, Some(2)]),
        ];
        for (i, one) in all.iter().enumerate() {
            assert_ne!(*one, 0);
            assert!(!all[..i].contains(one), "{i}");
        }
    }

    #[test]
    fn matrices_name_row_and_column() {
        let mut y = DMatrix::zeros(2, 3);
        y[(1, 0)] = f64::NAN;
        assert_eq!(
            tells(describe("y", &&y).argument()),
            (Some(6), Some("row 1, column 0".to_owned()))
        );
    }

    #[test]
    fn other_types_tell_their_name_alone() {
        assert_eq!(tells(describe("y", &"text").argument()), (None, None));
    }
}
