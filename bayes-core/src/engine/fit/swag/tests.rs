//! SWAG on quadratic losses, whose iterates have a known stationary distribution.

use super::*;
use crate::density::Block;
use crate::engine::Inference;
use crate::engine::fit::map::{Batches, Reader};

/// Rows `y` under a normal distribution of unknown mean with variance 1, in two independent coordinates; the prior is flat.
struct Rows(Vec<[f64; 2]>);

impl LogDensity for Rows {
    fn dim(&self) -> usize {
        2
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let square = |y: &[f64; 2]| (y[0] - x[0]).powi(2) + (y[1] - x[1]).powi(2);
            [0.0, -0.5 * self.0.iter().map(square).sum::<f64>()]
        });
    }

    fn evaluate_gradient(&self, [_, weight]: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        for i in 0..block.len() {
            let row = block.row(i);
            for k in 0..2 {
                let sum: f64 = self
                    .0
                    .iter()
                    .map(|y| y[k] - block.positions[row.start + k])
                    .sum();
                block.gradient[row.start + k] = weight * sum;
            }
        }
    }
}

struct Some<'a>(&'a Rows);

impl Batches for Some<'_> {
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
        Ok(Box::new(Some(self.0)))
    }
}

impl Reader for Some<'_> {
    fn read(&mut self, rows: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error> {
        then(&Rows(rows.iter().map(|row| self.0.0[*row]).collect()));
        Ok(())
    }
}

/// 60 rows: the second coordinate spreads three times as much, with a correlation.
fn rows() -> Rows {
    let row = |i: i32| {
        let (a, b) = (f64::from(i % 7) - 3.0, f64::from(i * i % 11) - 5.0);
        [a, 0.8 * a + 3.0 * b]
    };
    Rows((0..60).map(row).collect())
}

const BATCH: usize = 6;
const RATE: f64 = 0.2;

/// The stationary covariance of the positions after whole epochs of gradient descent without momentum.
///
/// A step is `x ← (1 − η) x + η ȳ_b`, so after the B batches of an epoch `x' = (1 − η)^B x + η Σ c_b ȳ_b` with `c_b = (1 − η)^(B−1−b)`.
/// The batches are drawn without replacement: the means of two batches have covariance `−V/(B − 1)`. V is the covariance of one mean,
/// `(S/n) (1 − n/N)` for batches of n of N rows with sample covariance S.
fn stationary(rows: &Rows) -> [[f64; 2]; 2] {
    let number = rows.0.len() as f64;
    let mean = [0, 1].map(|k| rows.0.iter().map(|y| y[k]).sum::<f64>() / number);
    let batches = rows.0.len() / BATCH;
    let keep = 1.0 - RATE;
    let weights = || (0..batches).map(|b| keep.powi((batches - 1 - b) as i32));
    let (sum, squares): (f64, f64) = (weights().sum(), weights().map(|c| c * c).sum());
    let count = batches as f64;
    let mixed = squares - (sum * sum - squares) / (count - 1.0);
    let factor = RATE * RATE * mixed / (1.0 - keep.powi(2 * batches as i32));
    let entry = |i: usize, j: usize| {
        let products = rows.0.iter().map(|y| (y[i] - mean[i]) * (y[j] - mean[j]));
        let sample = products.sum::<f64>() / (number - 1.0);
        factor * sample / BATCH as f64 * (1.0 - BATCH as f64 / number)
    };
    [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
}

fn swag(epochs: usize) -> Swag {
    let sgd = Sgd::new(RATE).momentum(0.0);
    Inference::swag()
        .optimiser(sgd)
        .epochs(epochs)
        .burn_in(30)
        .seed(5)
}

fn iterates(swag: &Swag, rows: &Rows) -> Iterates {
    let batches = Some(rows);
    let data = Data {
        rows: rows.0.len(),
        batches: Option::Some((BATCH, &batches)),
        ..Data::of(rows)
    };
    let settings = swag.runner.own.map.checked(rows, &data);
    let settings = settings.expect("they are valid");
    let found = swag.runner.iterates(rows, &data, settings);
    found.expect("every loss is a number").0
}

// The iterates are correlated by (1 − η)^B = 0.11 from epoch to epoch, which raises the standard error of a variance over 20 000 iterates
// from 1.0% to 1.01%.
#[test]
fn iterates_have_their_stationary_covariance() {
    let rows = rows();
    let wanted = stationary(&rows);
    let found = iterates(&swag(20_000).rank(0), &rows);
    for (k, variance) in found.variances().into_iter().enumerate() {
        let ratio = variance / wanted[k][k];
        assert!((ratio - 1.0).abs() < 0.045, "{k}: {ratio}");
        let mean = rows.0.iter().map(|y| y[k]).sum::<f64>() / 60.0;
        let se = (wanted[k][k] / 20_000.0 * 1.11 / 0.89).sqrt();
        assert!((found.mean[k] - mean).abs() < 4.0 * se);
    }
}

#[test]
fn the_deviations_have_the_covariance_too() {
    let rows = rows();
    let wanted = stationary(&rows);
    let found = iterates(&swag(8000).rank(4000), &rows);
    assert_eq!(found.deviations.len(), 4000);
    let products = found.deviations.iter().map(|d| d[0] * d[1]);
    let covariance = products.sum::<f64>() / 3999.0;
    let variance = wanted[0][0] * wanted[1][1] + wanted[0][1].powi(2);
    let se = (variance / 4000.0).sqrt();
    assert!(
        (covariance - wanted[0][1]).abs() < 4.5 * se,
        "{covariance}, want {}, se {se}",
        wanted[0][1]
    );
}

#[test]
fn iterates_that_do_not_move_are_refused() {
    let fit = Inference::map().run_on(&rows()).expect("it has a mode");
    let error = swag(30).start(&fit).run_on(&rows());
    let error = error.expect_err("without minibatches it stays at the mode");
    assert!(
        error
            .to_string()
            .contains("is the same after each of 30 epochs"),
        "{error}"
    );
}

#[test]
fn an_optimiser_that_settles_is_refused() {
    let error = swag(30)
        .optimiser(crate::optimise::Lbfgs::new())
        .run_on(&rows());
    let text = error.expect_err("it ends at the mode").to_string();
    assert!(
        text.starts_with("setting `optimiser` is lbfgs, must be one that takes noisy"),
        "{text}"
    );
}

#[test]
fn ranks_out_of_range_are_refused() {
    for (rank, epochs) in [(1, 100), (100, 100), (20, 20)] {
        let error = swag(epochs).rank(rank).run_on(&rows());
        let text = error.expect_err("out of range").to_string();
        let wanted = format!(
            "setting `rank` is {rank}, must be 0 for a diagonal covariance, or at least 2 and below {epochs}"
        );
        assert!(text.starts_with(&wanted), "{text}");
    }
}
