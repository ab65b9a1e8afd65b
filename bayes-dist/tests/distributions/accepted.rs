//! The types of data and of parameters that distributions accept.

use bayes_autodiff::{Mode, PlainValue, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::DMatrix;

/// The log density of accepted data.
fn observed<M: Mode, D: Distribution<M>, T: Data<D::Domain>>(distribution: D, data: T) -> f64 {
    assert_eq!(distribution.check(), Ok(()));
    assert_eq!(distribution.check_data(&data), Ok(()));
    distribution.log_likelihood(&data).plain_value()
}

/// Accepted by value and by reference, as data and as parameters.
#[test]
fn real_vectors_of_the_usual_types_are_accepted() {
    let matrix = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let column = nalgebra::DVector::from_vec(vec![1.0, 4.0]);
    let wanted = observed::<Value, _, _>(Normal::new(0.5, 2.0), vec![1.0, 4.0]);
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2), [1.0, 4.0]),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2_u8), &[1.0_f32, 4.0]),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2.0), matrix.column(0)),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2.0), &column),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(&column, 2.0), [0.5, 0.5]),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(matrix.column(0), 2.0), &[0.5, 0.5][..]),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new([0.5; 2].map(Real::constant), 2.0), &column),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(&Vector::constant(&[0.5; 2]), 2.0), &column),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2.0), 1.0),
        observed::<Value, _, _>(Normal::new(0.5, 2.0), [1.0])
    );
}

/// Matrices are read by rows, whatever the order in memory.
#[test]
fn matrices_are_read_row_by_row() {
    let matrix = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let whole = observed::<Value, _, _>(Normal::new(&matrix, 2.0), &matrix);
    let first = observed::<Value, _, _>(Normal::new(matrix.row(0), 2.0), [0.5, 0.5, 0.5]);
    assert_eq!(
        observed::<Value, _, _>(Normal::new(0.5, 2.0), matrix.row(0)),
        first
    );
    let row_major: Vec<f64> = (1..7).map(f64::from).collect();
    assert_eq!(
        observed::<Value, _, _>(Normal::new(&row_major, 2.0), &row_major),
        whole
    );
}

#[test]
fn counts_and_truths_of_the_usual_types_are_accepted() {
    let wanted = observed::<Value, _, _>(Poisson::new(2.5), [1_u64, 4]);
    assert_eq!(
        observed::<Value, _, _>(Poisson::new(2.5), vec![1_i32, 4]),
        wanted
    );
    assert_eq!(
        observed::<Value, _, _>(Poisson::new(2.5), &[1_usize, 4]),
        wanted
    );
    let mixed = observed::<Value, _, _>(Bernoulli::new(0.25), [true, false]);
    assert_eq!(
        observed::<Value, _, _>(Bernoulli::new(0.25), [1_u8, 0]),
        mixed
    );
    let trials: &[u64] = &[3, 5];
    assert!(observed::<Value, _, _>(Binomial::new(trials, 0.25), [3_u64, 2]).is_finite());
}
