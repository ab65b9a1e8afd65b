//! Whether the columns of a matrix are independent, by one pass over its rows.

use nalgebra::DMatrix;

/// Rows of a block, whose columns stay in the processor's cache.
const ROWS: usize = 512;
/// The smallest share of a column's square that is left beyond the columns before it. Rounding errors of the products are far smaller.
const LEAST: f64 = 1e-6;
/// Partial sums of a product, which the processor computes at the same time.
const SUMS: usize = 8;

/// Whether each column, `[rows, columns]`, is certainly no combination of the columns before it: at least a thousandth of its norm is left. If not, it may
/// still be independent, which orthogonalisation finds out at many times the cost.
pub(crate) fn are_clearly_independent(x: &DMatrix<f64>) -> bool {
    let mut products = products(x);
    let squares = products.diagonal();
    let count = x.ncols();
    // factors of Cholesky, below the diagonal, of the correlations
    for k in 0..count {
        for j in 0..=k {
            let before: f64 = (0..j).map(|i| products[(k, i)] * products[(j, i)]).sum();
            let scale = (squares[k] * squares[j]).sqrt();
            let rest = products[(k, j)] / scale - before;
            if j < k {
                products[(k, j)] = rest / products[(j, j)];
            } else if rest > LEAST {
                products[(k, k)] = rest.sqrt();
            } else {
                // also for NaN, of a column of zeros
                return false;
            }
        }
    }
    true
}

/// The products of all pairs of columns, on and below the diagonal.
fn products(x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut sums = DMatrix::zeros(x.ncols(), x.ncols());
    for start in (0..x.nrows()).step_by(ROWS) {
        let rows = ROWS.min(x.nrows() - start);
        for k in 0..x.ncols() {
            for j in 0..=k {
                let [a, b] = [k, j].map(|column| {
                    let first = column * x.nrows() + start;
                    &x.as_slice()[first..first + rows]
                });
                sums[(k, j)] += product(a, b);
            }
        }
    }
    sums
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let (a, b) = (a.chunks_exact(SUMS), b.chunks_exact(SUMS));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(rows: usize) -> [Vec<f64>; 3] {
        let of = |f: fn(f64) -> f64| (0..rows).map(|i| f(i as f64)).collect();
        [
            of(|x| (0.7 * x).sin()),
            of(|x| (0.3 * x).cos()),
            of(|x| x.sqrt() - 20.0),
        ]
    }

    fn are_independent(columns: &[Vec<f64>]) -> bool {
        let rows = columns[0].len();
        are_clearly_independent(&DMatrix::from_vec(rows, columns.len(), columns.concat()))
    }

    // Seen to detect: the last block or the last rows of a block that are left out.
    #[test]
    fn products_are_those_of_all_rows() {
        for rows in [1, 7, 511, 512, 1029] {
            let all = columns(rows);
            let x = DMatrix::from_vec(rows, 3, all.concat());
            let (found, wanted) = (products(&x), x.tr_mul(&x));
            for k in 0..3 {
                for j in 0..=k {
                    let scale = (wanted[(k, k)] * wanted[(j, j)]).sqrt();
                    assert!(
                        (found[(k, j)] - wanted[(k, j)]).abs() <= 1e-13 * scale,
                        "{rows} {k} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_column_that_is_almost_a_sum_of_others_is_not_clearly_independent() {
        let [a, b, c] = columns(1029);
        assert!(are_independent(&[a.clone(), b.clone(), c.clone()]));
        for share in [0.0, 1e-9, 3e-4] {
            let sum: Vec<f64> = (0..a.len())
                .map(|i| 2.0 * a[i] - b[i] + share * c[i] / 20.0)
                .collect();
            assert!(!are_independent(&[a.clone(), b.clone(), sum]), "{share}");
        }
        // far from each other in size
        let small: Vec<f64> = b.iter().map(|x| 1e-100 * x).collect();
        assert!(are_independent(&[a.clone(), small]));
        assert!(!are_independent(&[a, vec![0.0; 1029]]));
    }
}
