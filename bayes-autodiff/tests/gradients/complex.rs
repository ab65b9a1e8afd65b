//! Complex numbers, vectors and matrices: against `nalgebra`, and their derivatives in every mode.
//!
//! Seen to fail: with `a.im * b.im` added in a product, without the conjugate in `inner`, with one sweep of `qr` in place of two, with a
//! quotient by the norm in place of its square.

use crate::run::{assert_agrees, numbers};
use bayes_autodiff::gradient::{Program, gradient, value};
use bayes_autodiff::{Complex, Complex64, ComplexMatrix, ComplexVector, Mode, Real, Value};
use nalgebra::{DMatrix, DVector};

type Plain = ComplexMatrix<Value>;

fn data(rows: usize, columns: usize) -> DMatrix<Complex64> {
    let parts = numbers(2 * rows * columns);
    DMatrix::from_fn(rows, columns, |i, k| {
        let n = i * columns + k;
        Complex64::new(parts[2 * n], parts[2 * n + 1])
    })
}

fn plain(z: Complex<Value>) -> Complex64 {
    Complex64::new(z.re.primal(), z.im.primal())
}

fn plain_matrix(m: &Plain) -> DMatrix<Complex64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, k| plain(m[(i, k)]))
}

fn assert_close(got: &DMatrix<Complex64>, want: &DMatrix<Complex64>) {
    assert_eq!(got.shape(), want.shape());
    let difference = (got - want).norm();
    assert!(
        difference <= 1e-14 * (1.0 + want.norm()),
        "{got} against {want}: {difference}"
    );
}

/// Every pair of kinds of numbers, of which at least one is random.
fn mixed<M: Mode>(z: Complex<M>, x: Real<M>, w: Complex64, c: f64) -> Vec<Complex<M>> {
    let mut sum = z + w;
    sum += z;
    sum -= w;
    sum *= x;
    sum /= c;
    vec![
        sum,
        z + z * z,
        z - x,
        x - z,
        z * x,
        x * z,
        x / z,
        z / x,
        c - z,
        z - c,
        c * z,
        z * c,
        c / z,
        z / c,
        w + z,
        w - z,
        z * w,
        w * z,
        w / z,
        z / w,
        w * x,
        x - w,
        x / w,
        w / x,
        -z / z.conj(),
        z.exp(),
        z.recip(),
        z.powi(3),
        z.powi(-2),
        z.powi(0),
        Complex::i() * z,
        Complex::from_polar(z.norm(), z.arg()),
        z.norm_sqr().into(),
        [z, z].iter().sum(),
        Complex::select(x.lt(2.0), z, x),
        Complex::select(x.gt(2.0), w, z.conj()),
    ]
}

#[test]
fn numbers_of_every_kind_mix() {
    let (z, x) = (Complex64::new(0.7, -1.3), 1.9);
    let (w, c) = (Complex64::new(-0.4, 0.8), 2.5);
    let i = Complex64::i();
    let want = [
        (z + w + z - w) * x / c,
        z + z * z,
        z - x,
        x - z,
        z * x,
        x * z,
        x / z,
        z / x,
        c - z,
        z - c,
        c * z,
        z * c,
        c / z,
        z / c,
        w + z,
        w - z,
        z * w,
        w * z,
        w / z,
        z / w,
        w * x,
        x - w,
        x / w,
        w / x,
        -z / z.conj(),
        z.exp(),
        1.0 / z,
        z * z * z,
        1.0 / (z * z),
        Complex64::new(1.0, 0.0),
        i * z,
        z,
        Complex64::new(z.norm_sqr(), 0.0),
        z + z,
        z,
        z.conj(),
    ];
    let got = mixed::<Value>(z.into(), x.into(), w, c);
    assert_eq!(got.len(), want.len());
    for (k, (got, want)) in got.into_iter().zip(want).enumerate() {
        let got = plain(got);
        assert!((got - want).norm() < 1e-14, "entry {k}: {got} {want}");
    }
}

#[test]
fn matrices_are_those_of_nalgebra() {
    let (a, b, d) = (data(3, 4), data(4, 2), data(3, 3));
    let v = DVector::from_column_slice(data(4, 1).as_slice());
    let (ours, other) = (Plain::constant(&a), Plain::constant(&b));
    let square = Plain::constant(&d);
    let vector = ComplexVector::<Value>::constant(v.as_slice());
    assert_close(&plain_matrix(&(&ours * &other)), &(&a * &b));
    assert_close(&plain_matrix(&(&a * &other)), &(&a * &b));
    assert_close(&plain_matrix(&(&ours * &b)), &(&a * &b));
    assert_close(&plain_matrix(&ours.adjoint()), &a.adjoint());
    assert_close(&plain_matrix(&ours.transpose()), &a.transpose());
    assert_close(&plain_matrix(&ours.kronecker(&other)), &a.kronecker(&b));
    let hermitian = plain_matrix(&ours.hermitian_square());
    assert_close(&hermitian, &(&a * a.adjoint()));
    assert_eq!(hermitian, hermitian.adjoint());
    let i = Complex64::i();
    let combined = (&square - square.adjoint()) * 2.0 + &square * i / 4.0;
    let want = (&d - d.adjoint()).scale(2.0) + d.map(|z| z * i / 4.0);
    assert_close(&plain_matrix(&combined), &want);
    let product = &ours * &vector;
    let want = &a * &v;
    for (got, want) in product.iter().zip(want.iter()) {
        assert!((plain(*got) - want).norm() < 1e-14);
    }
    let got = [
        square.trace(),
        square.trace_of_product(&square),
        vector.inner(&vector.map(|z| z * z)),
        vector.norm_squared().into(),
        ours.norm_squared().into(),
        (&square * square.adjoint())
            .hermitian_form(&ComplexVector::from_fn(3, |k| vector[k]))
            .into(),
    ];
    let head = v.rows(0, 3).into_owned();
    let want = [
        d.trace(),
        (&d * &d).trace(),
        v.dotc(&v.map(|z| z * z)),
        v.norm_squared().into(),
        a.norm_squared().into(),
        head.dotc(&(&d * d.adjoint() * &head)),
    ];
    for (k, (got, want)) in got.into_iter().zip(want).enumerate() {
        let got = plain(got);
        assert!((got - want).norm() < 1e-13, "entry {k}: {got} {want}");
    }
    let outer = plain_matrix(&vector.outer(&vector));
    assert_close(&outer, &(&v * v.adjoint()));
    let both = vector.kronecker(&vector);
    assert_eq!(both.len(), 16);
    assert!((plain(both[6]) - v[1] * v[2]).norm() < 1e-15);
}

/// `Q` is unitary to rounding also where the columns are nearly dependent, and `R` is an upper triangle with a positive diagonal.
#[test]
fn the_qr_decomposition_is_accurate_and_its_diagonal_positive() {
    for (rows, columns, near) in [(1, 1, 1.0), (5, 3, 1.0), (16, 16, 1.0), (8, 8, 1e-9)] {
        let mut a = data(rows, columns);
        // the last column is `near` from the first
        let last = a.column(columns - 1) * Complex64::from(near);
        if near < 1.0 {
            let first = a.column(0) + last;
            a.set_column(columns - 1, &first);
        }
        let (q, r) = Plain::constant(&a).qr();
        let (q, r) = (plain_matrix(&q), plain_matrix(&r));
        assert!((&q * &r - &a).norm() < 1e-14 * a.norm());
        let off = q.adjoint() * &q - DMatrix::identity(columns, columns);
        assert!(off.norm() < 1e-14 * rows as f64, "{near}: {}", off.norm());
        for i in 0..columns {
            assert!(r[(i, i)].re > 0.0 && r[(i, i)].im == 0.0);
            assert!((0..i).all(|k| r[(i, k)] == Complex64::ZERO));
        }
    }
}

/// A Bures state of two levels, its expectations, and one number of each function.
struct State(DMatrix<Complex64>);

impl Program for State {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let half = |k: usize| ComplexMatrix::from_parts(2, 2, &x[k..k + 4], &x[k + 4..k + 8]);
        let (q, r) = half(0).qr();
        let root = (ComplexMatrix::identity(2) + q) * half(8);
        let square = root.hermitian_square() + &root * root.adjoint();
        let state = &square / square.trace().re;
        let observed = (&self.0 * &state).trace_of_product(&state);
        let pure = ComplexVector::from_parts(&x[..4], &x[4..8]);
        let z = mixed(pure[0], x[5], Complex64::new(0.3, 0.2), 1.5);
        let all: Complex<M> = z.into_iter().sum();
        let more = pure
            .kronecker(&pure)
            .inner(&pure.outer(&pure).column(1).kronecker(&pure));
        [
            state
                .hermitian_form(&ComplexVector::constant(&[Complex64::i(), 1.0.into()]))
                .ln(),
            observed.re * 2.0 + observed.im + all.re - 0.3 * all.im + more.re * r.norm_squared(),
        ]
    }
}

#[test]
fn gradients_agree_with_differences_and_between_the_modes() {
    let dim = 16;
    let program = State(data(2, 2));
    let positions: Vec<f64> = numbers(11 * dim).iter().map(|x| 1.5 * x + 0.2).collect();
    assert_agrees(&program, &positions, dim);
    let (x, weights) = (&positions[..dim], [0.7, 0.4]);
    let mut slopes = vec![f64::NAN; dim];
    gradient(&program, x, weights, &mut slopes);
    for (i, slope) in slopes.iter().enumerate() {
        let at = |h: f64| {
            let mut moved = x.to_vec();
            moved[i] += h;
            let [a, b] = value(&program, &moved);
            weights[0] * a + weights[1] * b
        };
        // central differences with one Richardson step: an error of order h⁴
        let central = |h: f64| (at(h) - at(-h)) / (2.0 * h);
        let expected = (4.0 * central(1e-3 / 2.0) - central(1e-3)) / 3.0;
        assert!(
            (slope - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{i}: {slope} {expected}"
        );
    }
}
