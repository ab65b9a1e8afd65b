//! The data of the models, and known properties of their posteriors.

use bayes::prelude::*;
use bayes_experiments::common::{credit_applications, read_csv, standardise};
use serde_json::Value;

/// Training rows of the iris problem, as in the example of that name.
const TRAIN: [usize; 50] = [
    99, 28, 1, 75, 131, 121, 14, 107, 126, 116, 142, 140, 65, 103, 2, 84, 68, 114, 26, 119, 12, 16,
    36, 106, 72, 73, 127, 111, 94, 78, 95, 76, 9, 6, 109, 69, 134, 15, 54, 110, 112, 47, 7, 63,
    146, 133, 123, 90, 137, 70,
];

/// All problems.
pub struct Problems {
    /// Credit: 690 rows of an intercept and 14 standardised columns.
    pub credit: (DMatrix<f64>, Vec<bool>),
    /// 32 rows, 16 columns, noise 1.
    pub gauss: Regression,
    /// 4 rows, 16 columns, noise 0.01.
    pub gauss_hard: Regression,
    /// 50 rows of 4 standardised columns and an intercept, three classes.
    pub iris: (DMatrix<f64>, Vec<usize>),
    /// Eight schools: effects and standard errors.
    pub schools: ([f64; 8], [f64; 8]),
    /// A series of 200, simulated: the model and the length are those of the posterior `arK-arK` of posteriordb.
    pub ark: Vec<f64>,
    /// A series of 200, simulated, and the first standard deviation: as `garch-garch11` of posteriordb.
    pub garch: (Vec<f64>, f64),
    /// Posterior means of the credit problem, by long chains.
    pub credit_mean: Vec<f64>,
    /// Its log evidence.
    pub credit_evidence: f64,
    /// Posterior means of the iris problem, `[classes, columns]`.
    pub iris_mean: Vec<f64>,
}

/// Linear regression with known noise and its posterior mean.
pub struct Regression {
    /// Design.
    pub x: DMatrix<f64>,
    /// Observations.
    pub y: Vec<f64>,
    /// Standard deviation.
    pub noise: f64,
    /// `(I + XᵀX / s²)⁻¹ Xᵀy / s²`.
    pub mean: Vec<f64>,
}

impl Problems {
    /// Reads the files that are built into the program.
    pub fn load() -> Self {
        let file: Value =
            serde_json::from_str(include_str!("data.json")).expect("the file is JSON");
        let flowers = read_csv(include_str!("../../../examples/data/iris.csv"));
        let x = standardise(&flowers.columns(0, 4).into_owned()).insert_column(4, 1.0);
        Self {
            credit: credit_applications(),
            gauss: Regression::read(&file["gauss"]),
            gauss_hard: Regression::read(&file["gauss_hard"]),
            iris: (
                x.select_rows(&TRAIN),
                TRAIN.map(|row| flowers[(row, 4)] as usize).to_vec(),
            ),
            schools: (
                [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0],
                [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0],
            ),
            ark: autoregression(),
            garch: (volatile(), 0.5),
            credit_mean: vector(&file["credit"]["mean"]),
            credit_evidence: number(&file["credit"]["log_evidence"]),
            iris_mean: vector(&file["iris"]["mean"]),
        }
    }
}

impl Regression {
    fn read(file: &Value) -> Self {
        let rows: Vec<Vec<f64>> = serde_json::from_value(file["x"].clone()).expect("a matrix");
        let x = DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        let (y, noise) = (vector(&file["y"]), number(&file["noise"]));
        let variance = noise * noise;
        let precision = DMatrix::identity(x.ncols(), x.ncols()) + x.tr_mul(&x) / variance;
        let right = x.tr_mul(&DVector::from_column_slice(&y)) / variance;
        let mean = precision
            .cholesky()
            .expect("positive definite")
            .solve(&right);
        Self {
            mean: mean.as_slice().to_vec(),
            x,
            y,
            noise,
        }
    }
}

/// 200 numbers between -1.7 and 1.7 with mean 0 and variance 1, the same in every run.
fn noise() -> [f64; 200] {
    let mut state = 1u32;
    std::array::from_fn(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(state) / f64::from(u32::MAX) - 0.5) * 12f64.sqrt()
    })
}

fn autoregression() -> Vec<f64> {
    let beta = [0.7, 0.4, 0.1, 0.0, -0.3];
    let mut y: Vec<f64> = Vec::new();
    for e in noise() {
        let past = y.iter().rev().zip(beta).map(|(y, b)| b * y);
        y.push(past.sum::<f64>() + 0.15 * e);
    }
    y
}

fn volatile() -> Vec<f64> {
    let (mut variance, mut y) = (0.25, Vec::new());
    for e in noise() {
        let shock = f64::sqrt(variance) * e;
        y.push(5.0 + shock);
        variance = 1.4 + 0.57 * shock * shock + 0.31 * variance;
    }
    y
}

fn vector(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).expect("a vector")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}
