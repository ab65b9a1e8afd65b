//! Softmax regression of 50 irises, judged by its predictions for the other 100 ("SMC Is All You Need", table 4 and figure 14).

use crate::nodes::mean_of;
use crate::problem::fill_normal;
use crate::trial::finished;
use bayes::density::{Block, LogDensity};
use bayes::nalgebra::{DMatrix, DMatrixView};
use bayes::prelude::*;
use bayes_experiments::common::{read_csv, standardise};
use std::sync::OnceLock;

/// Training rows: the first 50 of a random permutation, as in the example `iris`. The paper takes the first 50 of the file, which is
/// sorted: all of them belong to one class.
const TRAIN: [usize; 50] = [
    99, 28, 1, 75, 131, 121, 14, 107, 126, 116, 142, 140, 65, 103, 2, 84, 68, 114, 26, 119, 12, 16,
    36, 106, 72, 73, 127, 111, 94, 78, 95, 76, 9, 6, 109, 69, 134, 15, 54, 110, 112, 47, 7, 63,
    146, 133, 123, 90, 137, 70,
];

const CLASSES: usize = 3;
/// Number of predicted rows.
pub const NEW: usize = 100;
/// Number of coefficients: four covariates and an intercept, for each class.
pub const DIM: usize = 15;

/// The data; coefficient `5 c + k` is that of covariate k for class c.
pub struct Iris {
    /// Covariates and intercept of the training rows, `[50, 5]`, and their classes.
    x: DMatrix<f64>,
    labels: Vec<usize>,
    /// Covariates and intercept of the other rows, `[100, 5]`.
    new: DMatrix<f64>,
}

impl Iris {
    pub fn new() -> Self {
        let table = read_csv(include_str!("../../../examples/data/iris.csv"));
        let x = standardise(&table.columns(0, 4).into_owned()).insert_column(4, 1.0);
        let others: Vec<usize> = (0..150).filter(|row| !TRAIN.contains(row)).collect();
        Self {
            labels: TRAIN.map(|row| table[(row, 4)] as usize).to_vec(),
            new: x.select_rows(&others),
            x: x.select_rows(&TRAIN),
        }
    }

    /// Adds the log likelihood, and `weight` times its gradient.
    pub fn add(&self, block: &mut Block<'_>, weight: Option<f64>) {
        for i in 0..block.len() {
            let row = block.row(i);
            let mut probabilities = probabilities(&self.x, &block.positions[row.clone()]);
            block.log_likelihood[i] = 0.0;
            for (n, label) in self.labels.iter().enumerate() {
                block.log_likelihood[i] += probabilities[(n, *label)].ln();
                probabilities[(n, *label)] -= 1.0;
            }
            if let Some(weight) = weight {
                let slopes = self.x.tr_mul(&probabilities);
                let pairs = block.gradient[row].iter_mut().zip(slopes.as_slice());
                pairs.for_each(|(gradient, slope)| *gradient -= weight * slope);
            }
        }
    }

    /// The probabilities of the classes of the other rows, `[3, 100]`, class by class.
    pub fn predict(&self, coefficients: &[f64]) -> Vec<f64> {
        probabilities(&self.new, coefficients).as_slice().to_vec()
    }

    /// The predictions of the posterior, by long chains of NUTS, once for all cells.
    pub fn truth() -> &'static [f64] {
        static TRUTH: OnceLock<Vec<f64>> = OnceLock::new();
        TRUTH.get_or_init(|| {
            let posterior = Alone(Self::new());
            let nuts = Inference::nuts().chains(8).draws(5000).progress(false);
            let run = finished(nuts.seed(1).run_on(&posterior));
            let predict = |draw| posterior.0.predict(draw).into();
            mean_of(&run.groups, DIM, predict)
        })
    }
}

/// Softmax of `x w`, `[rows, 3]`.
fn probabilities(x: &DMatrix<f64>, coefficients: &[f64]) -> DMatrix<f64> {
    let w = DMatrixView::from_slice(coefficients, x.ncols(), CLASSES);
    let mut scores = x * w;
    for mut row in scores.row_iter_mut() {
        let largest = row.max();
        row.apply(|score| *score = (*score - largest).exp());
        let sum = row.sum();
        row /= sum;
    }
    scores
}

/// The posterior without a separate prior, for chains.
struct Alone(Iris);

impl LogDensity for Alone {
    fn dim(&self) -> usize {
        DIM
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        fill_normal(block, None);
        self.0.add(block, None);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        fill_normal(block, Some(weights));
        self.0.add(block, Some(weights[1]));
    }
}
