//! Iris: softmax regression on 50 flowers, tested on the other 100.
//!
//! ```text
//! w[k, c] ~ Normal(0, 1)    label[i] ~ Categorical(softmax(x[i]ᵀ w))
//! ```
//!
//! Four standardised covariates and an intercept, a full column of weights for each of three classes (d = 15), as in
//! "SMC Is All You Need". The file is sorted by class, so the 50 training rows are a fixed random subset.

mod common;

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

fn main() {
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

    let (accuracy, log_score) = score(&run, &x.select_rows(&test), &test, &labels);
    report.say(&format!(
        "100 test flowers: accuracy {accuracy:.2}, mean log score {log_score:.3}"
    ));
    assert!(accuracy >= 0.9, "test accuracy {accuracy}");
    assert!(log_score > -0.4, "test log score {log_score}");
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("islands have an evidence"));
    assert!(
        (evidence - LOG_EVIDENCE).abs() < 4.0 * error.hypot(0.0017),
        "log evidence {evidence} ± {error}"
    );
    report.finish();
}

/// Accuracy and mean log score of the posterior predictive on rows `x` with their indices `rows`.
fn score(run: &bayes::Run, x: &DMatrix<f64>, rows: &[usize], labels: &[usize]) -> (f64, f64) {
    let mut correct = 0.0;
    let mut log_score = 0.0;
    for (i, row) in rows.iter().enumerate() {
        let probability = [0, 1, 2].map(|class| {
            run.estimate(|draw| softmax(x, i, draw.vector("w"))[class])
                .mean
        });
        let best = (0..3)
            .max_by(|a, b| probability[*a].total_cmp(&probability[*b]))
            .expect("three classes");
        correct += f64::from(u8::from(best == labels[*row]));
        log_score += probability[labels[*row]].ln();
    }
    (correct / rows.len() as f64, log_score / rows.len() as f64)
}

/// Class probabilities of row `i` of `x` under weights `w`, `[covariates, 3]` row by row.
fn softmax(x: &DMatrix<f64>, i: usize, w: &[f64]) -> [f64; 3] {
    let logits = [0, 1, 2].map(|class| {
        (0..x.ncols())
            .map(|k| x[(i, k)] * w[3 * k + class])
            .sum::<f64>()
    });
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logits.map(|l| (l - largest).exp());
    weights.map(|w| w / weights.iter().sum::<f64>())
}
