//! A data matrix times a vector of dual numbers.
//!
//! A plain loop would multiply `N` derivatives for every entry of the matrix. But most vectors in models consist of variables, which have
//! one derivative each. So each element is classified once for the whole product.

use super::first::Dual;
use crate::real::Real;
use crate::vector::Vector;
use nalgebra::{DMatrix, SVector};
use num_dual::{Derivative, DualSVec64};

/// The dependence of an element of the vector on the `N` directions.
enum Slope<'a, const N: usize> {
    /// No dependence.
    None,
    /// On one direction: a variable, or a function of one.
    Single(usize, f64),
    /// On several directions.
    Dense(&'a SVector<f64, N>),
}

impl<'a, const N: usize> Slope<'a, N> {
    fn of(x: &'a Real<Dual<N>>) -> Self {
        let Some(eps) = &x.0.eps.0 else {
            return Self::None;
        };
        let mut nonzero = eps.iter().enumerate().filter(|(_, slope)| **slope != 0.0);
        match (nonzero.next(), nonzero.next()) {
            (None, _) => Self::None,
            (Some((direction, slope)), None) => Self::Single(direction, *slope),
            _ => Self::Dense(eps),
        }
    }
}

/// `matrix * vector`.
pub(super) fn matrix_vector<const N: usize>(
    matrix: &DMatrix<f64>,
    vector: &[Real<Dual<N>>],
) -> Vector<Dual<N>> {
    let slopes: Vec<Slope<N>> = vector.iter().map(Slope::of).collect();
    let values = values(matrix, vector);
    if slopes.iter().all(|slope| matches!(slope, Slope::None)) {
        return Vector::constant(&values);
    }
    match variables(matrix, &slopes) {
        Some(variables) => transposed(&values, &variables),
        None => accumulated(matrix, &values, &slopes),
    }
}

/// The values of the product, in the order of summation of every other mode.
fn values<const N: usize>(matrix: &DMatrix<f64>, vector: &[Real<Dual<N>>]) -> Vec<f64> {
    let mut values = vec![0.0; matrix.nrows()];
    for (column, x) in columns(matrix).zip(vector) {
        values
            .iter_mut()
            .zip(column)
            .for_each(|(sum, c)| *sum += c * x.0.re);
    }
    values
}

/// The columns, which nalgebra stores one after the other.
fn columns(matrix: &DMatrix<f64>) -> impl Iterator<Item = &[f64]> {
    // a matrix without rows has no elements to cut
    matrix.as_slice().chunks_exact(matrix.nrows().max(1))
}

/// For each direction, the column of the only element that depends on it, and the slope (no column, if none does).
type Variables<'a, const N: usize> = [(&'a [f64], f64); N];

/// The directions' columns, if every element depends on at most one direction, and no two elements on the same.
fn variables<'a, const N: usize>(
    matrix: &'a DMatrix<f64>,
    slopes: &[Slope<N>],
) -> Option<Variables<'a, N>> {
    let mut variables: Variables<N> = [(&[], 0.0); N];
    for (column, slope) in columns(matrix).zip(slopes) {
        match slope {
            Slope::None => {}
            Slope::Single(direction, d) if variables[*direction].0.is_empty() => {
                variables[*direction] = (column, *d)
            }
            _ => return None,
        }
    }
    Some(variables)
}

/// Rows that are transposed together: two cache lines of every column, 2 KiB for 16 directions.
const TILE: usize = 16;

/// The product where row `i` has the slopes `column[i] * slope`: the matrix, transposed tile by tile.
fn transposed<const N: usize>(values: &[f64], variables: &Variables<N>) -> Vector<Dual<N>> {
    let mut out = Vec::with_capacity(values.len());
    for (t, values) in values.chunks(TILE).enumerate() {
        let mut tile = [[0.0; TILE]; N];
        for (tile, (column, slope)) in tile.iter_mut().zip(variables) {
            let column = column.get(t * TILE..t * TILE + values.len()).unwrap_or(&[]);
            tile.iter_mut()
                .zip(column)
                .for_each(|(out, c)| *out = c * slope);
        }
        out.extend(
            values
                .iter()
                .enumerate()
                .map(|(row, value)| dual(*value, std::array::from_fn(|k| tile[k][row]))),
        );
    }
    Vector::from(out)
}

/// The product for any vector: each column is added into the slopes of a block of rows.
fn accumulated<const N: usize>(
    matrix: &DMatrix<f64>,
    values: &[f64],
    slopes: &[Slope<N>],
) -> Vector<Dual<N>> {
    /// 4 KiB with 16 slopes each, so a block stays in the first-level cache.
    const BLOCK: usize = 32;
    let mut out = Vec::with_capacity(values.len());
    for (b, values) in values.chunks(BLOCK).enumerate() {
        let mut block = [[0.0; N]; BLOCK];
        for (column, slope) in columns(matrix).zip(slopes) {
            let rows = block
                .iter_mut()
                .zip(&column[b * BLOCK..b * BLOCK + values.len()]);
            match slope {
                Slope::None => {}
                Slope::Single(direction, d) => rows.for_each(|(row, c)| row[*direction] += c * d),
                Slope::Dense(d) => rows.for_each(|(row, c)| {
                    row.iter_mut()
                        .zip(d.iter())
                        .for_each(|(sum, d)| *sum += c * d);
                }),
            }
        }
        out.extend(
            values
                .iter()
                .zip(block)
                .map(|(value, slopes)| dual(*value, slopes)),
        );
    }
    Vector::from(out)
}

/// A dual number from its parts.
#[inline(always)]
fn dual<const N: usize>(value: f64, slopes: [f64; N]) -> Real<Dual<N>> {
    Real(DualSVec64::new(
        value,
        Derivative::some(SVector::from(slopes)),
    ))
}
