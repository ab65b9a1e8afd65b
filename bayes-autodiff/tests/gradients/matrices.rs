//! Functions of square matrices against closed forms; first and second derivatives too.
//!
//! Meant to detect: a pivot that is not exchanged, a square too few, a sum in place of a difference in an adjoint, an order of
//! eigenvalues that differs from that of their vectors, a slope for eigenvalues that are equal.

use crate::run::replayed;
use bayes_autodiff::fault::{Fault, catch};
use bayes_autodiff::gradient::{Program, gradient, hessian};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::{Matrix, Mode, Real, Value, Vector};
use nalgebra::DMatrix;

fn plain(rows: usize, columns: usize, elements: &[f64]) -> Matrix<Value> {
    Matrix::from_elements(rows, columns, Vector::constant(elements))
}

fn elements(matrix: &Matrix<Value>) -> Vec<f64> {
    matrix.elements().iter().map(|x| x.primal()).collect()
}

fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        let gap = (got - want).abs();
        assert!(gap <= tolerance * (1.0 + want.abs()), "{got}, {want}");
    }
}

/// `1 / (i + k + 1)`, whose inverse has whole elements (Choi 1983).
fn hilbert(dim: usize) -> Matrix<Value> {
    Matrix::from_fn(dim, dim, |i, k| Real::constant(1.0 / (i + k + 1) as f64))
}

#[test]
fn an_inverse_and_a_log_determinant_are_those_of_the_books() {
    let inverse = hilbert(3).inverse();
    let whole = [9.0, -36.0, 30.0, -36.0, 192.0, -180.0, 30.0, -180.0, 180.0];
    assert_close(&elements(&inverse), &whole, 1e-13);
    let log_determinant = hilbert(3).log_determinant().primal();
    assert!((log_determinant + 2160.0_f64.ln()).abs() < 1e-13);
    // it has no first pivot, and a negative determinant
    let cycle = plain(3, 3, &[0.0, 2.0, 0.0, 0.0, 0.0, -4.0, 0.5, 0.0, 0.0]);
    let want = [0.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.0, -0.25, 0.0];
    assert_eq!(elements(&cycle.inverse()), want);
    assert!((cycle.log_determinant().primal() - 4.0_f64.ln()).abs() < 1e-15);
    // elements of very different size
    let graded = plain(2, 2, &[1e-20, 1.0, 1.0, 1.0]);
    assert_close(
        &elements(&graded.inverse()),
        &[-1.0, 1.0, 1.0, -1e-20],
        1e-15,
    );
}

#[test]
fn a_singular_matrix_has_no_finite_inverse_and_a_log_determinant_of_minus_infinity() {
    let singular = plain(2, 2, &[1.0, 2.0, 2.0, 4.0]);
    assert_eq!(singular.log_determinant().primal(), f64::NEG_INFINITY);
    assert!(elements(&singular.inverse()).iter().all(|x| !x.is_finite()));
}

#[test]
fn triangular_systems_have_the_solutions_of_their_products() {
    let lower = plain(3, 3, &[2.0, 0.0, 0.0, 1.0, 3.0, 0.0, -1.0, 0.5, 4.0]);
    let x = plain(3, 2, &[1.0, -2.0, 0.5, 3.0, 2.0, 0.25]);
    assert_close(
        &elements(&lower.solve_lower(&(&lower * &x))),
        &elements(&x),
        1e-15,
    );
    let upper = lower.transpose();
    assert_close(
        &elements(&upper.solve_upper(&(&upper * &x))),
        &elements(&x),
        1e-15,
    );
    let data = DMatrix::from_row_slice(3, 1, &[2.0, 7.0, 1.5]);
    let (one, other) = (lower.solve_lower(&data), lower.solve_lower(data.as_slice()));
    assert_eq!(one.elements()[2].primal(), other[2].primal());
    let full = plain(3, 3, &[1.0, 4.0, 2.0, -1.0, 0.5, 3.0, 2.0, 2.0, 2.0]);
    assert_close(&elements(&full.solve(&(&full * &x))), &elements(&x), 1e-14);
    let wrong = catch(|| upper.solve_upper(&[1.0, 2.0][..])).map(|_| ());
    let operation = "matrix 3 x 3 \\ vector 2".to_owned();
    assert_eq!(wrong, Err(Fault::Shape { operation }));
}

#[test]
fn products_of_kronecker_and_quadratic_forms_are_those_of_their_definitions() {
    let (a, b) = (plain(2, 2, &[1.0, 2.0, 3.0, 4.0]), plain(1, 2, &[5.0, 7.0]));
    let product = a.kronecker(&b);
    assert_eq!((product.nrows(), product.ncols()), (2, 4));
    assert_eq!(
        elements(&product),
        [5.0, 7.0, 10.0, 14.0, 15.0, 21.0, 20.0, 28.0]
    );
    let x: Vector<Value> = Vector::constant(&[2.0, -1.0]);
    assert_eq!(a.quadratic_form(&x).primal(), 4.0 - 10.0 + 4.0);
    assert_eq!(a.trace().primal(), 5.0);
    let diagonal = Matrix::from_diagonal(&a.diagonal());
    assert_eq!(elements(&diagonal), [1.0, 0.0, 0.0, 4.0]);
}

#[test]
fn the_exponential_has_the_closed_forms_of_rotations_shears_and_chains() {
    let turn = plain(2, 2, &[0.0, -1.0, 1.0, 0.0]);
    for angle in [1e-9, 0.4, 3.0, 50.0] {
        let (sin, cos) = f64::sin_cos(angle);
        let got = (&turn * angle).matrix_exp();
        assert_close(
            &elements(&got),
            &[cos, -sin, sin, cos],
            1e-15 * (1.0 + angle),
        );
    }
    let shear = plain(3, 3, &[0.0, 2.0, 5.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
    let want = [1.0, 2.0, 8.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0];
    assert_close(&elements(&shear.matrix_exp()), &want, 1e-15);
    // two states, with rates `a` and `b`
    for (a, b) in [(0.3, 0.1), (40.0, 2.0), (1e-6, 900.0)] {
        let left = f64::exp(-(a + b));
        let (to, stay) = (a / (a + b) * (1.0 - left), (b + a * left) / (a + b));
        let got = plain(2, 2, &[-a, a, b, -b]).matrix_exp();
        assert_close(&elements(&got)[..2], &[stay, to], 1e-16 * (10.0 + a + b));
    }
    let lost = plain(2, 2, &[1.0, f64::INFINITY, 2.0, f64::NAN]).matrix_exp();
    assert!(elements(&lost).iter().all(|x| !x.is_finite()));
}

/// `2` on the diagonal and `-1` beside it.
fn second_differences(dim: usize) -> Matrix<Value> {
    Matrix::from_fn(dim, dim, |i, k| {
        Real::constant(match i.abs_diff(k) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        })
    })
}

#[test]
fn eigenvalues_and_eigenvectors_are_those_of_second_differences() {
    for dim in [1, 2, 5, 12, 30] {
        let matrix = second_differences(dim);
        let (values, vectors) = matrix.symmetric_eigen();
        let angle = |k: usize| std::f64::consts::PI * (k + 1) as f64 / (dim + 1) as f64;
        for k in 0..dim {
            let want = 2.0 - 2.0 * angle(k).cos();
            // of the rounding of as many sums of numbers of up to 4
            let gap = (values[k].primal() - want).abs();
            assert!(
                gap < 4.0 * f64::EPSILON * (dim + 4) as f64,
                "{dim}, {k}: {gap:e}"
            );
            let length = ((dim + 1) as f64 / 2.0).sqrt();
            let wave = |i: usize| (angle(k) * (i + 1) as f64).sin() / length;
            let sign: f64 = (0..dim).map(|i| wave(i) * ((i + 1) as f64).sqrt()).sum();
            for i in 0..dim {
                let got = vectors[(i, k)].primal();
                assert!((got - wave(i) * sign.signum()).abs() < 1e-13, "{dim}, {k}");
            }
        }
        let only = matrix.symmetric_eigenvalues();
        assert!(
            only.iter()
                .zip(&values)
                .all(|(a, b)| a.primal() == b.primal())
        );
    }
}

#[test]
fn matrices_of_any_size_of_number_have_eigenvalues() {
    for scale in [1e-200, 1.0, 1e200] {
        let values = (second_differences(3) * scale).symmetric_eigenvalues();
        assert!((values[1].primal() / scale - 2.0).abs() < 1e-14);
    }
    let zero = Matrix::<Value>::zeros(3, 3).symmetric_eigenvalues();
    assert!(zero.iter().all(|x| x.primal() == 0.0));
    let lost = plain(2, 2, &[1.0, f64::NAN, f64::NAN, 1.0]).symmetric_eigenvalues();
    assert!(lost.iter().all(|x| x.primal().is_nan()));
}

/// One number of a symmetric matrix `[[x0, x1], [x1, x2]]`, and by the formulas for two rows.
#[derive(Clone, Copy, Debug)]
enum Of {
    LogDeterminant,
    Inverse,
    Exponential,
    LargerEigenvalue,
    Direction,
}

struct TwoRows {
    of: Of,
    by_formula: bool,
}

impl Program for TwoRows {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let [a, b, c] = [x[0], x[1], x[2]];
        let matrix = Matrix::from_elements(2, 2, vec![a, b, b, c]);
        let (mean, half) = ((a + c) * 0.5, (a - c) * 0.5);
        let root = (half.square() + b.square()).sqrt();
        let result = match (self.of, self.by_formula) {
            (Of::LogDeterminant, false) => matrix.log_determinant(),
            (Of::LogDeterminant, true) => (a * c - b.square()).abs().ln(),
            (Of::Inverse, false) => matrix.inverse()[(0, 1)],
            (Of::Inverse, true) => -b / (a * c - b.square()),
            (Of::Exponential, false) => matrix.matrix_exp()[(0, 0)],
            (Of::Exponential, true) => mean.exp() * (root.cosh() + half * root.sinh() / root),
            (Of::LargerEigenvalue, false) => matrix.symmetric_eigenvalues()[1],
            (Of::LargerEigenvalue, true) => mean + root,
            (Of::Direction, false) => {
                let (_, vectors) = matrix.symmetric_eigen();
                vectors[(0, 1)] * vectors[(1, 1)]
            }
            // half the sine of twice the angle
            (Of::Direction, true) => 0.5 * b / root,
        };
        [result * 0.0, result]
    }
}

const ALL: [Of; 5] = [
    Of::LogDeterminant,
    Of::Inverse,
    Of::Exponential,
    Of::LargerEigenvalue,
    Of::Direction,
];

#[test]
fn second_derivatives_are_those_of_the_formulas_for_two_rows() {
    for of in ALL {
        for x in [[1.0, 0.3, 2.0], [-0.4, 1.2, 0.5], [3.0, -0.7, 1.5]] {
            let all = [false, true].map(|by_formula| {
                let mut second = [f64::NAN; 9];
                let program = TwoRows { of, by_formula };
                let [_, value] = hessian(&program, &x, [1.0, 1.0], &mut second);
                let mut slopes = [f64::NAN; 3];
                gradient(&program, &x, [1.0, 1.0], &mut slopes);
                [&[value], &slopes[..], &second[..]].concat()
            });
            let size = all[1].iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            for (got, want) in all[0].iter().zip(&all[1]) {
                assert!((got - want).abs() <= 1e-13 * size, "{of:?}: {got}, {want}");
            }
        }
    }
}

/// The largest eigenvalue, the sum of the exponentials of all, or a sum of two elements of a vector, of a diagonal matrix with a gap.
#[derive(Clone, Copy, PartialEq)]
enum Equal {
    Largest,
    Sum,
    Vector,
}

impl Program for Equal {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut matrix = Matrix::from_diagonal(&[1.0 + x[0], x[2] + 1.0, 1.0 - x[0]]);
        matrix[(2, 0)] = x[1];
        let (values, vectors) = matrix.symmetric_eigen();
        let result = match self {
            Self::Largest => values[2],
            Self::Sum => values.exp().sum(),
            Self::Vector => 2.0 * vectors[(0, 0)] + vectors[(1, 0)],
        };
        [result, Real::constant(0.0)]
    }
}

#[test]
fn equal_eigenvalues_have_no_slopes_of_their_own_and_the_sum_has_its_own() {
    let slopes = |program: &Equal, x: [f64; 3]| {
        let level = InstructionSet::detect();
        let replay = replayed(level, program, [1.0, 1.0], &x, 3);
        assert!(replay.log_prior[0].is_finite());
        replay.gradient
    };
    let equal = [[0.0, 0.0, 0.0], [1e-14, 0.0, 0.0], [0.0, 1e-13, 0.5]];
    for x in equal {
        let lost = |program: &Equal| slopes(program, x).iter().any(|x| x.is_nan());
        if x[2] == 0.0 {
            assert!(lost(&Equal::Largest) && lost(&Equal::Vector));
        } else {
            // it is apart from the two that are equal
            assert_close(&slopes(&Equal::Largest, x), &[0.0, 0.0, 1.0], 1e-15);
            assert!(lost(&Equal::Vector));
        }
        let [third, e] = [x[2], 1.0].map(f64::exp);
        let got = slopes(&Equal::Sum, x);
        assert_close(&got, &[0.0, 0.0, e * third], 1e-12);
        let mut dual = [0.0; 3];
        gradient(&Equal::Vector, &x, [1.0, 1.0], &mut dual);
        assert!(dual.iter().any(|x| x.is_nan()));
    }
    let apart = slopes(&Equal::Largest, [0.25, 0.0, 0.0]);
    assert_close(&apart, &[1.0, 0.0, 0.0], 1e-15);
}
