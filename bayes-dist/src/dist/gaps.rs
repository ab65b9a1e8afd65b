//! Data with gaps: numbers some of which are missing.

use bayes_autodiff::{Mode, Real, Vector};
use nalgebra::{Dim, RawStorage, U1};

/// A number that may be missing.
#[diagnostic::on_unimplemented(
    message = "missing values among `{Self}` cannot be imputed",
    label = "expected a list of real numbers: `&[f64]`, with NaN where a value is missing, or `&[Option<f64>]`",
    note = "missing counts, flags and categories are whole numbers: sum them out, `let k = sum_out(..);`, or observe the known ones alone and draw the others \
            after the run with `generate`"
)]
pub trait Gappy: Copy {
    /// The number, if it is not missing.
    fn known(self) -> Option<f64>;
}

impl Gappy for f64 {
    #[inline(always)]
    fn known(self) -> Option<f64> {
        (!self.is_nan()).then_some(self)
    }
}

impl Gappy for f32 {
    #[inline(always)]
    fn known(self) -> Option<f64> {
        f64::from(self).known()
    }
}

impl<T: Gappy> Gappy for Option<T> {
    #[inline(always)]
    fn known(self) -> Option<f64> {
        self.and_then(T::known)
    }
}

/// A list of real numbers some of which are missing: NaN, or `None` in a list of `Option<f64>`.
#[diagnostic::on_unimplemented(
    message = "missing values of `{Self}` cannot be imputed",
    label = "expected a list of real numbers: `&[f64]`, with NaN where a value is missing, or `&[Option<f64>]`",
    note = "the columns of a matrix are imputed one by one, `impute(x.column(0), ..)`, each given those before it"
)]
pub trait Gapped {
    /// The number of values, missing ones included.
    fn size(&self) -> usize;
    /// The value at index `i`; `None` if it is missing.
    fn known_at(&self, i: usize) -> Option<f64>;
}

impl<T: Gapped + ?Sized> Gapped for &T {
    #[inline(always)]
    fn size(&self) -> usize {
        (**self).size()
    }
    #[inline(always)]
    fn known_at(&self, i: usize) -> Option<f64> {
        (**self).known_at(i)
    }
}

macro_rules! lists {
    ($([$($generic:tt)*] $list:ty),* $(,)?) => {$(
        impl<T: Gappy, $($generic)*> Gapped for $list {
            #[inline(always)]
            fn size(&self) -> usize {
                self.len()
            }
            #[inline(always)]
            fn known_at(&self, i: usize) -> Option<f64> {
                self[i].known()
            }
        }
    )*};
}

lists!([] [T], [] Vec<T>, [const N: usize] [T; N], [R: Dim, S: RawStorage<T, R, U1>] nalgebra::Matrix<T, R, U1, S>);

/// The places of known and of missing values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    /// The indices of the known values.
    pub known: Vec<usize>,
    /// The known values, in the order of their indices.
    pub values: Vec<f64>,
    /// The indices of the missing values.
    pub missing: Vec<usize>,
}

impl Gaps {
    /// The gaps in some data.
    #[must_use]
    pub fn of(data: &(impl Gapped + ?Sized)) -> Self {
        let mut gaps = Self::default();
        for i in 0..data.size() {
            match data.known_at(i) {
                Some(value) => {
                    gaps.known.push(i);
                    gaps.values.push(value);
                }
                None => gaps.missing.push(i),
            }
        }
        gaps
    }

    /// The number of values, missing ones included.
    #[must_use]
    pub fn size(&self) -> usize {
        self.known.len() + self.missing.len()
    }

    /// All values, with `missing` in the gaps, in the order of their indices.
    ///
    /// # Panics
    /// If there are fewer of them than gaps.
    #[inline(always)]
    #[must_use]
    pub fn filled<M: Mode>(&self, missing: &[Real<M>]) -> Vector<M> {
        let mut all = Vector::zeros(self.size());
        for (place, value) in self.known.iter().zip(&self.values) {
            all[*place] = Real::constant(*value);
        }
        for (k, place) in self.missing.iter().enumerate() {
            all[*place] = missing[k];
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Gaps;
    use bayes_autodiff::{PlainValue, Real, Value, Vector};
    use nalgebra::{DMatrix, DVector};

    /// The mutations that it detects: a gap of one type is taken for a value, and the values are put together in another order.
    #[test]
    fn gaps_are_found_in_every_list_and_filled_in_place() {
        let (x, nan) = ([1.0, f64::NAN, 3.0, f64::NAN], f64::NAN);
        let gaps = Gaps::of(&x);
        assert_eq!(
            (&gaps.known[..], &gaps.missing[..]),
            (&[0, 2][..], &[1, 3][..])
        );
        assert_eq!(gaps.values, [1.0, 3.0]);
        assert_eq!(gaps, Gaps::of(&x[..]));
        assert_eq!(gaps, Gaps::of(&x.to_vec()));
        assert_eq!(gaps, Gaps::of(&DVector::from_row_slice(&x)));
        let table = DMatrix::from_row_slice(4, 2, &[1.0, 0.0, nan, 0.0, 3.0, 0.0, nan, 0.0]);
        assert_eq!(gaps, Gaps::of(&table.column(0)));
        assert_eq!(gaps, Gaps::of(&[Some(1.0), None, Some(3.0), Some(nan)]));
        assert_eq!(gaps, Gaps::of(&[1.0_f32, f32::NAN, 3.0, f32::NAN]));
        let drawn = [Real::<Value>::constant(-1.0), Real::constant(-2.0)];
        let all: Vector<Value> = gaps.filled(&drawn);
        let all: Vec<f64> = all.iter().map(|x| x.plain_value()).collect();
        assert_eq!(all, [1.0, -1.0, 3.0, -2.0]);
    }
}
