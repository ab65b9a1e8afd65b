//! Iris: softmax regression on 50 flowers, tested on the other 100.
//!
//! ```text
//! w[k, c] ~ Normal(0, 1)    label[i] ~ Categorical(softmax(x[i]ᵀ w))
//! ```
//!
//! Four standardised covariates and an intercept, a full column of weights for each of three classes (d = 15), as in
//! "SMC Is All You Need". The file is sorted by class, so the 50 training rows are a fixed random subset.

mod common;

use bayes::metrics::{self, Bins};
use bayes::prelude::*;
use common::{Options, Report, read_csv, standardise};

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
    let options = Options::from_args();
    let table = read_csv(include_str!("data/iris.csv"));
    let x = standardise(&table.columns(0, 4).into_owned()).insert_column(4, 1.0);
    let labels: Vec<usize> = table
        .column(4)
        .iter()
        .map(|label| *label as usize)
        .collect();
    let test: Vec<usize> = (0..150).filter(|row| !TRAIN.contains(row)).collect();

    let x_train = x.select_rows(&TRAIN);
    let labels_train = TRAIN.map(|row| labels[row]);
    let model = softmax_regression(&x_train, &labels_train, 3);
    let mut report = Report::new("iris", options);
    let run = report.run("psmc", || {
        Inference::psmc()
            .islands(8)
            .particles(options.size(512, 128))
            .seed(options.seed)
            .run(&model)
    });

    let (x_test, labels_test) = (
        x.select_rows(&test),
        test.iter().map(|row| labels[*row]).collect::<Vec<_>>(),
    );
    let new = softmax_regression(&x_test, &labels_test, 3);
    let probabilities = run.predict(new)?.probabilities("labels")?;
    let scores = metrics::classification(&probabilities, &labels_test, Bins::equal_width(10))?;
    report.say(&format!("100 test flowers\n{scores}"));
    let (accuracy, nll) = (scores.accuracy.value, scores.nll.value);
    assert!(accuracy >= 0.9, "test accuracy {accuracy}");
    assert!(nll < 0.4, "negative log likelihood of the test {nll}");
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("islands have an evidence"));
    assert!(
        (evidence - LOG_EVIDENCE).abs() < 4.0 * error.hypot(0.0017),
        "log evidence {evidence} ± {error}"
    );
    report.finish();
    Ok(())
}
