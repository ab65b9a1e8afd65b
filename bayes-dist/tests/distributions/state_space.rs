//! State space models against the dense multivariate normal distribution.

use crate::battery::stream;
use bayes_autodiff::{Matrix, Real, Value};
use bayes_model::dist::*;
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use std::f64::consts::{PI, TAU};

/// The matrices of a part, written without the library: transition, covariance of the noise, loadings by time, first moments.
pub struct Dense {
    pub t: DMatrix<f64>,
    pub q: DMatrix<f64>,
    pub z: Vec<DVector<f64>>,
    pub a: DVector<f64>,
    pub p: DMatrix<f64>,
}

/// A block diagonal matrix.
fn both(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let (m, n) = (a.nrows(), b.nrows());
    let mut whole = DMatrix::zeros(m + n, m + n);
    whole.view_mut((0, 0), (m, m)).copy_from(a);
    whole.view_mut((m, m), (n, n)).copy_from(b);
    whole
}

impl Dense {
    pub fn new(t: DMatrix<f64>, q: &[f64], z: &[f64], a: &[f64], p: DMatrix<f64>) -> Self {
        Self {
            t,
            q: DMatrix::from_diagonal(&DVector::from_row_slice(q)),
            z: vec![DVector::from_row_slice(z); 30],
            a: DVector::from_row_slice(a),
            p,
        }
    }

    pub fn and(self, other: Self) -> Self {
        let stacked = |a: &DVector<f64>, b: &DVector<f64>| {
            DVector::from_iterator(a.len() + b.len(), a.iter().chain(b.iter()).copied())
        };
        let z = self.z.iter().zip(&other.z).map(|(a, b)| stacked(a, b));
        Self {
            t: both(&self.t, &other.t),
            q: both(&self.q, &other.q),
            z: z.collect(),
            a: stacked(&self.a, &other.a),
            p: both(&self.p, &other.p),
        }
    }

    /// The mean and the covariance of `length` values.
    pub fn moments(&self, sd: f64, length: usize) -> (DVector<f64>, DMatrix<f64>) {
        let (mut mean, mut a, mut p) = (DVector::zeros(length), self.a.clone(), self.p.clone());
        let mut covariance = DMatrix::zeros(length, length);
        for s in 0..length {
            mean[s] = self.z[s].dot(&a);
            let mut ahead = &p * &self.z[s];
            for t in s..length {
                covariance[(s, t)] = self.z[t].dot(&ahead);
                covariance[(t, s)] = covariance[(s, t)];
                ahead = &self.t * ahead;
            }
            covariance[(s, s)] += sd * sd;
            a = &self.t * a;
            p = &self.t * p * self.t.transpose() + &self.q;
        }
        (mean, covariance)
    }
}

/// The log density of the values that are there.
pub fn normal(mean: &DVector<f64>, covariance: &DMatrix<f64>, y: &[f64]) -> f64 {
    let known: Vec<usize> = (0..y.len()).filter(|t| !y[*t].is_nan()).collect();
    let error = DVector::from_fn(known.len(), |i, _| y[known[i]] - mean[known[i]]);
    let covariance = covariance.select_rows(&known).select_columns(&known);
    let factor = covariance.cholesky().unwrap();
    let log_determinant = 2.0 * factor.l().diagonal().map(f64::ln).sum();
    let square = error.dot(&factor.solve(&error));
    -0.5 * (square + log_determinant + known.len() as f64 * (2.0 * PI).ln())
}

pub fn diagonal(sd: &[f64]) -> DMatrix<f64> {
    DMatrix::from_diagonal(&DVector::from_row_slice(sd).map(|x| x * x))
}

pub fn real(x: f64) -> Real<Value> {
    Real::constant(x)
}

/// The relative difference of two numbers.
pub fn difference(got: f64, wanted: f64) -> f64 {
    (got - wanted).abs() / wanted.abs().max(1.0)
}

/// Compares a model, of data and of random parameters, with the dense distribution; with all values and with two that are missing.
fn compare<D: Distribution<Value>>(
    name: &str,
    model: impl Fn(usize) -> D,
    moments: &(DVector<f64>, DMatrix<f64>),
    y: &[f64],
) where
    [f64]: Data<D::Domain>,
{
    let mut holes = y.to_vec();
    holes[0] = f64::NAN;
    holes[y.len() / 2] = f64::NAN;
    for y in [y, &holes] {
        let got = model(y.len()).log_likelihood(y).primal();
        let wanted = normal(&moments.0, &moments.1, y);
        assert!(
            difference(got, wanted) < 1e-10,
            "{name}: {got}, not {wanted}"
        );
    }
    let elements: Vec<Real<Value>> = y.iter().copied().map(real).collect();
    let sampled = model(y.len()).log_density_of(&elements).primal();
    let wanted = normal(&moments.0, &moments.1, y);
    assert!(
        difference(sampled, wanted) < 1e-10,
        "{name}: {sampled}, not {wanted}"
    );
}

/// The transition of a season, and the covariance of its first effects.
pub fn season(period: usize, sd: f64) -> [DMatrix<f64>; 2] {
    let n = period - 1;
    let t = DMatrix::from_fn(n, n, |i, k| match i {
        0 => -1.0,
        _ => f64::from(u8::from(k + 1 == i)),
    });
    let p =
        (DMatrix::identity(n, n) - DMatrix::from_element(n, n, 1.0 / period as f64)) * (sd * sd);
    [t, p]
}

/// Random parameters and values: the standard deviations of the noise and of what a part has, and the data.
struct Case {
    noise: f64,
    level: f64,
    slope: f64,
    other: f64,
    first: f64,
    wide: f64,
    y: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let mut stream = stream(11);
    let mut draw = || 0.2 + 1.3 * stream.random::<f64>();
    let case = |_| Case {
        noise: draw(),
        level: draw(),
        slope: draw(),
        other: draw(),
        first: draw(),
        wide: draw(),
        y: (0..9).map(|_| 3.0 * (draw() - 0.8)).collect(),
    };
    (0..20).map(case).collect()
}

/// Compares parts of random numbers and of data with the dense matrices.
macro_rules! check {
    ($name:expr, $case:expr, $dense:expr, $random:expr, $known:expr) => {
        let (moments, sd) = ($dense.moments($case.noise, 9), $case.noise);
        let random = |n| StateSpace::new($random, real(sd), n).skip_missing();
        compare($name, random, &moments, &$case.y);
        let known = |n| StateSpace::new($known, sd, n).skip_missing();
        compare($name, known, &moments, &$case.y);
    };
}

impl Case {
    fn dense_level(&self) -> Dense {
        let one = DMatrix::identity(1, 1);
        Dense::new(
            one,
            &[self.level.powi(2)],
            &[1.0],
            &[0.3],
            diagonal(&[self.first]),
        )
    }
}

/// Mutations meant to be detected: a transition that is transposed, a season without the prior that sums to zero, a noise that is a
/// variance, the noise of the first time counted twice.
#[test]
fn levels_trends_and_seasons_are_dense_normal_vectors() {
    for case in cases() {
        let (l, b, o) = (case.level, case.slope, case.other);
        let (m, n) = (case.first, case.wide);
        check!(
            "level",
            case,
            case.dense_level(),
            Level::new(real(l)).start(real(0.3), real(m)),
            Level::new(l).start(0.3, m)
        );
        let line = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 1.0]);
        let (noise, first) = ([l * l, b * b], diagonal(&[m, n]));
        let trend = Dense::new(line, &noise, &[1.0, 0.0], &[0.3, -0.1], first);
        let [t, p] = season(4, n);
        let season = Dense::new(t, &[o * o, 0.0, 0.0], &[1.0, 0.0, 0.0], &[0.0; 3], p);
        check!(
            "trend and season",
            case,
            trend.and(season),
            Trend::new(real(l), real(b)).start([0.3, -0.1], [m, n])
                + Season::new(4, real(o)).start(n),
            Trend::new(l, b).start([0.3, -0.1], [m, n]) + Season::new(4, o).start(n)
        );
    }
}

/// Mutations meant to be detected: a cycle that turns the other way, an autoregression without covariances at the start.
#[test]
fn stationary_parts_are_dense_normal_vectors() {
    for case in cases() {
        let (l, b, o, m) = (case.level, case.slope, case.other, case.first);
        let (rho, angle) = (b / 1.6, TAU / 5.0);
        let turn = [angle.cos(), angle.sin(), -angle.sin(), angle.cos()];
        let turn = DMatrix::from_row_slice(2, 2, &turn) * rho;
        let wide = diagonal(&[o, o]) / (1.0 - rho * rho);
        let cycle = Dense::new(turn, &[o * o; 2], &[1.0, 0.0], &[0.0; 2], wide);
        check!(
            "cycle and level",
            case,
            cycle.and(case.dense_level()),
            Cycle::new(real(5.0), real(rho), real(o)) + Level::new(real(l)).start(0.3, m),
            Cycle::new(5.0, rho, o) + Level::new(l).start(0.3, m)
        );
        // covariances of an autoregression of order 2 by the Yule-Walker equations
        let phi = [0.9 * b / 1.6, -0.3 * m];
        let first = phi[0] / (1.0 - phi[1]);
        let second = phi[0] * first + phi[1];
        let variance = o * o / (1.0 - phi[0] * first - phi[1] * second);
        let p = DMatrix::from_row_slice(2, 2, &[1.0, first, first, 1.0]) * variance;
        let t = DMatrix::from_row_slice(2, 2, &[phi[0], phi[1], 1.0, 0.0]);
        check!(
            "autoregression",
            case,
            Dense::new(t, &[o * o, 0.0], &[1.0, 0.0], &[0.0; 2], p),
            Autoregression::new(phi.map(real), real(o)),
            Autoregression::new(phi, o)
        );
    }
}

/// Mutations meant to be detected: a row of the data of the time before, a covariance that is read above the diagonal alone.
#[test]
fn regressions_and_any_matrices_are_dense_normal_vectors() {
    let x = DMatrix::from_fn(9, 2, |i, k| ((3 * i + 7 * k) % 5) as f64 - 1.5 * k as f64);
    for case in cases() {
        let (l, b, o) = (case.level, case.slope, case.other);
        let (m, n) = (case.first, case.wide);
        let (eye, first) = (DMatrix::identity(2, 2), diagonal(&[n, n]));
        let mut fit = Dense::new(eye, &[o * o; 2], &[0.0; 2], &[0.5; 2], first);
        for (t, row) in x.row_iter().enumerate() {
            fit.z[t] = row.transpose();
        }
        check!(
            "level and regression",
            case,
            case.dense_level().and(fit),
            Level::new(real(l)).start(0.3, m) + Regression::new(&x).sd(real(o)).start(0.5, real(n)),
            Level::new(l).start(0.3, m) + Regression::new(&x).sd(o).start([0.5; 2], [n; 2])
        );
        let square = |x: [f64; 4]| DMatrix::from_row_slice(2, 2, &x);
        let t = square([0.5, -0.2, b, 0.3]);
        let q = square([l * l, 0.3 * l * o, 0.3 * l * o, o * o]);
        let p = square([m * m, -0.5 * m * n, -0.5 * m * n, n * n]);
        let mut general = Dense::new(t.clone(), &[0.0; 2], &[1.0, 0.7], &[0.2, -1.0], p.clone());
        general.q.copy_from(&q);
        let random = |x: &DMatrix<f64>| Matrix::from_fn(2, 2, |i, k| real(x[(i, k)]));
        let (z, a) = ([1.0, 0.7], [0.2, -1.0]);
        check!(
            "any matrices",
            case,
            general,
            States::new(random(&t), random(&q), z.map(real), a, random(&p)),
            States::new(&t, &q, z, a, &p)
        );
    }
}
