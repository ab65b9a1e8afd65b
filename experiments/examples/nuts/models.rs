//! The models on which samplers are compared, and their data.

use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use bayes_experiments::common::{read_csv, standardise};
use bayes_experiments::published::Problem;
use rand_distr::{Distribution as _, StandardNormal};

/// Effects of coaching in eight schools, non-centred.
#[model]
pub fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        observe(y[j], Normal::new(mu + tau * z[j], sigma[j]));
    }
}

/// Logistic regression.
#[model]
pub fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// Independent coordinates with the given standard deviations.
#[model]
pub fn gaussian_spread(sd: &[f64]) {
    for i in 0..sd.len() {
        let _x = sample(Normal::new(0.0, sd[i]));
    }
}

/// Linear regression.
#[model]
pub fn regression(x: &DMatrix<f64>, y: &[f64], wide: f64) {
    let beta = sample(Normal::new(0.0, wide).iid(x.ncols()));
    let sigma = sample(HalfCauchy::new(2.5));
    observe(y, Normal::new(x * &beta, sigma));
}

/// Counts in groups with a common mean and spread of their log rates, non-centred.
#[model]
pub fn counts(y: &[u64], group: &[usize], groups: usize) {
    let mu = sample(Normal::new(0.0, 2.0));
    let tau = sample(HalfCauchy::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(groups));
    for i in 0..y.len() {
        observe(y[i], PoissonLog::new(mu + tau * z[group[i]]));
    }
}

/// Fifty standard deviations from 0.01 to 100.
pub fn spread() -> Vec<f64> {
    (0..50)
        .map(|i| 10f64.powf(4.0 * f64::from(i) / 49.0 - 2.0))
        .collect()
}

/// The data of all models.
pub struct Data {
    credit: (DMatrix<f64>, Vec<bool>),
    regression: (DMatrix<f64>, Vec<f64>),
    kidiq: (DMatrix<f64>, Vec<f64>),
    earnings: (DMatrix<f64>, Vec<f64>),
    ark: (DMatrix<f64>, Vec<f64>),
    counts: (Vec<u64>, Vec<usize>),
}

const GROUPS: usize = 30;

impl Data {
    /// Reads the shipped files and makes the rest from fixed streams.
    pub fn load() -> Self {
        let table = read_csv(include_str!("../../../examples/data/australian.csv"));
        let last = table.ncols() - 1;
        let x = standardise(&table.columns(0, last).into_owned()).insert_column(0, 1.0);
        let y = table
            .column(last)
            .iter()
            .map(|label| *label > 0.5)
            .collect();
        let kidiq = Problem::shipped("kidiq-kidscore_momiq");
        let iq = kidiq.vector("mom_iq");
        let earnings = Problem::shipped("earnings-logearn_height_male");
        let (height, male) = (earnings.vector("height"), earnings.vector("male"));
        let log_earn: Vec<f64> = earnings.vector("earn").iter().map(|e| e.ln()).collect();
        let series = Problem::shipped("arK-arK").vector("y");
        let lag = |i: usize, k: usize| if k == 0 { 1.0 } else { series[5 + i - k] };
        Self {
            credit: (x, y),
            regression: correlated_regression(),
            kidiq: (
                Problem::design(iq.len(), [&|i| iq[i]]),
                kidiq.vector("kid_score"),
            ),
            earnings: (
                Problem::design(height.len(), [&|i| height[i], &|i| male[i]]),
                log_earn,
            ),
            ark: (
                DMatrix::from_fn(series.len() - 5, 6, lag),
                series[5..].to_vec(),
            ),
            counts: grouped_counts(),
        }
    }

    pub fn eight_schools(&self) -> impl Model + AllSampled + Differentiable {
        const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
        const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
        eight_schools(&Y, &SIGMA)
    }

    pub fn credit(&self) -> impl Model + AllSampled + Differentiable {
        credit(&self.credit.0, &self.credit.1)
    }

    /// Eight columns of pairwise correlation 0.9.
    pub fn regression(&self) -> impl Model + AllSampled + Differentiable {
        regression(&self.regression.0, &self.regression.1, 10.0)
    }

    /// Scores of children on the intelligence of their mothers.
    pub fn kidiq(&self) -> impl Model + AllSampled + Differentiable {
        regression(&self.kidiq.0, &self.kidiq.1, 100.0)
    }

    /// The logarithm of earnings on height and sex.
    pub fn earnings(&self) -> impl Model + AllSampled + Differentiable {
        regression(&self.earnings.0, &self.earnings.1, 100.0)
    }

    /// A time series on its last five values.
    pub fn ark(&self) -> impl Model + AllSampled + Differentiable {
        regression(&self.ark.0, &self.ark.1, 10.0)
    }

    pub fn counts(&self) -> impl Model + AllSampled + Differentiable {
        counts(&self.counts.0, &self.counts.1, GROUPS)
    }
}

/// Standard normal numbers of a fixed stream.
fn normals(item: u64, n: usize) -> Vec<f64> {
    let key = Key::new(1, Purpose::Validation).item(item);
    let mut stream = key.stream();
    (0..n).map(|_| StandardNormal.sample(&mut stream)).collect()
}

fn correlated_regression() -> (DMatrix<f64>, Vec<f64>) {
    let (rows, columns) = (200, 8);
    let (common, own) = (normals(0, rows), normals(1, rows * columns));
    let x = DMatrix::from_fn(rows, columns, |i, j| {
        0.9f64.sqrt() * common[i] + 0.1f64.sqrt() * own[i * columns + j]
    });
    let noise = normals(2, rows);
    let y = (0..rows).map(|i| x.row(i).sum() + noise[i]).collect();
    (x, y)
}

/// Ten counts in each group, with log rates of mean 1 and standard deviation 0.5.
fn grouped_counts() -> (Vec<u64>, Vec<usize>) {
    let key = Key::new(1, Purpose::Validation).item(3);
    let mut stream = key.stream();
    let (mut y, mut group) = (Vec::new(), Vec::new());
    for (g, z) in normals(4, GROUPS).into_iter().enumerate() {
        let rate = (1.0 + 0.5 * z).exp();
        let poisson = rand_distr::Poisson::new(rate).expect("the rate is positive");
        for _ in 0..10 {
            let count: f64 = poisson.sample(&mut stream);
            y.push(count as u64);
            group.push(g);
        }
    }
    (y, group)
}
