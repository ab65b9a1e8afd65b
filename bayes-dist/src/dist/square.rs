//! Square matrices as parameters and as values: the kinds, and their checks.

use super::cholesky::Lower;
use super::rows::read_row;
use super::{Continuous, Data, DataError, Domain, Parameter, ParameterError, Shape};
use bayes_autodiff::{Mode, PlainValue, Real, Value, Vector};

/// A kind of square matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Symmetric positive definite.
    Covariance,
    /// The inverse of a covariance.
    Precision,
    /// Lower triangular with a positive diagonal.
    Cholesky,
    /// A covariance with a diagonal of ones.
    Correlation,
    /// A Cholesky factor with rows of length one.
    CorrelationCholesky,
}

/// The largest asymmetry of a covariance matrix, relative to the two standard deviations.
const SYMMETRY: f64 = 1e-9;

/// The largest deviation from 1 of the diagonal of a correlation matrix.
pub(super) const UNIT_TOLERANCE: f64 = 1e-8;

impl Kind {
    fn is_factor(self) -> bool {
        matches!(self, Self::Cholesky | Self::CorrelationCholesky)
    }

    /// The first entry of a matrix `[dim, dim]`, row-major, that is not allowed, and what it must be.
    pub(super) fn wrong_entry(self, dim: usize, entries: &[f64]) -> Option<(usize, &'static str)> {
        let position = |i: usize| (i, self.wrong(dim, entries, i / dim, i % dim));
        (0..dim * dim)
            .map(position)
            .find_map(|(i, allowed)| allowed.map(|allowed| (i, allowed)))
            .or_else(|| {
                let pivot = (!self.is_factor()).then(|| wrong_pivot(dim, entries))??;
                Some((pivot, "such that the matrix is positive definite"))
            })
    }

    /// What entry `(i, k)` must be; `None` if it is correct.
    fn wrong(self, dim: usize, entries: &[f64], i: usize, k: usize) -> Option<&'static str> {
        let at = |i: usize, k: usize| entries[i * dim + k];
        let is_not_one = |x: f64| (x - 1.0).abs() > UNIT_TOLERANCE;
        let row = || (0..=i).map(|k| at(i, k).powi(2)).sum();
        let asymmetry = || (at(i, k) - at(k, i)).abs();
        match self {
            _ if !at(i, k).is_finite() => Some("a finite number"),
            _ if self.is_factor() && k > i && at(i, k) != 0.0 => Some("0 above the diagonal"),
            _ if self.is_factor() && k == i && at(i, k) <= 0.0 => Some("above 0 on the diagonal"),
            Self::CorrelationCholesky if k == i && is_not_one(row()) => {
                Some("such that the squares of its row sum to 1")
            }
            Self::Correlation if k == i && is_not_one(at(i, k)) => Some("1 on the diagonal"),
            _ if !self.is_factor()
                && asymmetry() > SYMMETRY * (at(i, i) * at(k, k)).abs().sqrt() =>
            {
                Some("equal to the element across the diagonal: the matrix must be symmetric")
            }
            _ => None,
        }
    }
}

/// The diagonal entry at which the Cholesky factorisation of a symmetric matrix fails.
fn wrong_pivot(dim: usize, entries: &[f64]) -> Option<usize> {
    let entries = entries.iter().map(|x| Real::constant(*x)).collect();
    let lower = Lower::<Value>::of(dim, entries).values();
    (0..dim)
        .map(|i| i * dim + i)
        .find(|i| lower[*i].is_nan() || lower[*i] <= 0.0)
}

/// A square matrix as a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square<B> {
    matrix: B,
    kind: Kind,
}

impl<B> Square<B> {
    pub(super) fn new(matrix: B, kind: Kind) -> Self {
        Self { matrix, kind }
    }

    /// The number of rows.
    #[inline(always)]
    pub(super) fn size<M: Mode>(&self) -> usize
    where
        B: Parameter<M>,
    {
        match self.matrix.shape() {
            Shape::Matrix(rows, _) => rows,
            // a 1 x 1 matrix may be written as a number
            other => other.elements(),
        }
    }

    /// The Cholesky factor: the matrix itself if it is a factor.
    #[inline(always)]
    pub(super) fn lower<M: Mode>(&self) -> Lower<M>
    where
        B: Parameter<M>,
    {
        let dim = self.size();
        let mut entries = Vector::zeros(dim * dim);
        let is_precision = self.kind == Kind::Precision;
        for (i, entry) in entries.iter_mut().enumerate() {
            // a precision in opposite order, and across the diagonal
            let opposite = (dim - 1 - i % dim) * dim + dim - 1 - i / dim;
            *entry = self.matrix.at(if is_precision { opposite } else { i });
        }
        if self.kind.is_factor() {
            return Lower::new(dim, entries);
        }
        let factor = if B::DATA {
            // a matrix of data is factored in plain numbers
            Lower::of_data(dim, &entries)
        } else {
            Lower::of(dim, entries)
        };
        if is_precision {
            Lower::of_inverse(&factor)
        } else {
            factor
        }
    }

    /// Checks shape and entries.
    pub(super) fn check<M: Mode>(
        &self,
        distribution: &'static str,
        parameter: &'static str,
    ) -> Result<(), ParameterError>
    where
        B: Parameter<M>,
    {
        let dim = self.size();
        let length = self.matrix.shape().elements();
        if length != dim * dim || length == 0 {
            return Err(ParameterError::Shape {
                distribution,
                parameter,
                given: self.matrix.shape().words(),
                allowed: "a square matrix".to_owned(),
            });
        }
        let entries: Vec<f64> = (0..length)
            .map(|i| self.matrix.at(i).plain_value())
            .collect();
        let wrong = self.kind.wrong_entry(dim, &entries);
        wrong.map_or(Ok(()), |(i, allowed)| {
            Err(ParameterError::Value {
                distribution,
                parameter,
                index: Some(i),
                value: entries[i],
                allowed,
            })
        })
    }
}

/// Checks observed matrices `[dim, dim]`: one, or several below each other.
pub(super) fn check_matrices<T: Data<Continuous> + ?Sized>(
    distribution: &'static str,
    dim: usize,
    kind: Kind,
    data: &T,
) -> Result<(), DataError> {
    let length = data.shape().elements();
    let columns = match data.shape() {
        Shape::Matrix(_, columns) => columns,
        // a 1 x 1 matrix
        _ => 1,
    };
    if columns != dim || length == 0 || length % (dim * dim) != 0 {
        let allowed = format!("a {dim} x {dim} matrix, or several below each other");
        return Err(DataError::Length {
            distribution,
            length,
            allowed,
        });
    }
    for start in (0..length).step_by(dim * dim) {
        let entries: Vec<f64> = (start..start + dim * dim).map(|i| data.at(i)).collect();
        if let Some((i, allowed)) = kind.wrong_entry(dim, &entries) {
            return Err(DataError::Value {
                distribution,
                index: Some(start + i),
                value: entries[i],
                allowed: allowed.to_owned(),
            });
        }
    }
    Ok(())
}

/// Visits the elements of each value in `data`; a value has `each` elements.
#[inline(always)]
pub(super) fn for_each_value<M: Mode, D: Domain, T: Data<D> + ?Sized>(
    each: usize,
    data: &T,
    mut visit: impl FnMut(&[Real<M>]),
) {
    let mut value = Vector::zeros(each);
    for row in 0..data.shape().elements() / each.max(1) {
        read_row(data, row, &mut value);
        visit(&value);
    }
}
