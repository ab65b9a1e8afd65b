//! Iris: softmax regression on 50 flowers, tested on the other 100.
//!
//! ```text
//! w[k, c] ~ Normal(0, 1)    label[i] ~ Categorical(softmax(x[i]ᵀ w))
//! ```
//!
//! Four standardised covariates and an intercept, a full column of weights for each of three classes (d = 15), as in
//! "SMC Is All You Need". The data (Fisher 1936) are in `data/iris.csv` beside this program; the file is sorted by class, so the 50
//! training rows are a fixed random subset.

use bayes::data::Table;
use bayes::metrics::{self, Bins};
use bayes::prelude::*;

/// Bayesian softmax regression.
#[model]
fn softmax_regression(x: &DMatrix<f64>, labels: &[usize], classes: usize) {
    let w = sample(Normal::new(0.0, 1.0).iid((x.ncols(), classes)));
    observe(labels, CategoricalLogit::new(x * &w));
}

/// Training rows: the first 50 of a random permutation of 0..150, fixed once for comparison with other software.
const TRAIN: [usize; 50] = [
    99, 28, 1, 75, 131, 121, 14, 107, 126, 116, 142, 140, 65, 103, 2, 84, 68, 114, 26, 119, 12, 16,
    36, 106, 72, 73, 127, 111, 94, 78, 95, 76, 9, 6, 109, 69, 134, 15, 54, 110, 112, 47, 7, 63,
    146, 133, 123, 90, 137, 70,
];
/// Log evidence by importance sampling from long NUTS chains, standard error 0.0017.
const LOG_EVIDENCE: f64 = -25.9036;

fn main() -> Result<(), bayes::Error> {
    let table = Table::from_csv(include_str!("data/iris.csv").as_bytes())?;
    let covariates = table.matrix(&table.columns()[..4])?;
    let x = standardise(covariates).insert_column(4, 1.0);
    let labels = table.indices("label")?;
    let of = |rows: &[usize]| rows.iter().map(|row| labels[*row]).collect::<Vec<_>>();

    let (x_train, labels_train) = (x.select_rows(&TRAIN), of(&TRAIN));
    let run = Inference::psmc()
        .islands(8)
        .particles(512)
        .seed(1)
        .run(&softmax_regression(&x_train, &labels_train, 3))?;
    println!("{run}");
    let evidence = run.log_evidence_estimate();
    let evidence = evidence.expect("islands have an evidence");
    println!("log evidence {evidence}, reference {LOG_EVIDENCE:.3}");
    assert!((evidence.mean - LOG_EVIDENCE).abs() < 4.0 * evidence.se.hypot(0.0017));

    let test: Vec<usize> = (0..150).filter(|row| !TRAIN.contains(row)).collect();
    let (x_test, labels_test) = (x.select_rows(&test), of(&test));
    let new = softmax_regression(&x_test, &labels_test, 3);
    let probabilities = run.predict(new)?.probabilities("labels")?;
    let scores = metrics::classification(&probabilities, &labels_test, Bins::equal_width(10))?;
    println!("100 test flowers\n{scores}");
    assert!(scores.accuracy.value >= 0.9 && scores.nll.value < 0.4);
    Ok(())
}

/// Subtracts each column's mean and divides by its standard deviation.
fn standardise(mut x: DMatrix<f64>) -> DMatrix<f64> {
    for mut column in x.column_iter_mut() {
        let mean = column.mean();
        let sd = column.map(|v| (v - mean).powi(2)).mean().sqrt();
        column.apply(|v| *v = (*v - mean) / sd);
    }
    x
}
