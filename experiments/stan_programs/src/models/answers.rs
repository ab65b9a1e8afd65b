//! Item response theory.

use bayes::prelude::*;

#[model]
pub fn irt_2pl(y: &DMatrix<u64>) {
    let sigma_theta = sample(HalfCauchy::new(2.0));
    let theta = sample(Normal::new(0.0, sigma_theta).iid(y.ncols()));
    let sigma_a = sample(HalfCauchy::new(2.0));
    let a = sample(LogNormal::new(0.0, sigma_a).iid(y.nrows()));
    let mu_b = sample(Normal::new(0.0, 5.0));
    let sigma_b = sample(HalfCauchy::new(2.0));
    let b = sample(Normal::new(mu_b, sigma_b).iid(y.nrows()));
    for i in 0..y.nrows() {
        for j in 0..y.ncols() {
            observe(y[(i, j)], BernoulliLogit::new(a[i] * (theta[j] - b[i])));
        }
    }
}

/// Slopes and difficulties of the items are correlated.
#[model]
pub fn hier_2pl(y: &[bool], item: &[usize], person: &[usize], items: usize, persons: usize) {
    let theta = sample(Normal::new(0.0, 1.0).iid(persons));
    let mu_1 = sample(Normal::new(0.0, 1.0));
    let mu_2 = sample(Normal::new(0.0, 5.0));
    let tau = sample(Exponential::new(0.1).iid(2));
    let L_Omega = sample(LKJCholesky::new(2, 4.0));
    let lower = Matrix::from_fn(2, 2, |i, j| tau[i] * L_Omega[(i, j)]);
    let centre = Vector::from(vec![mu_1, mu_2]);
    let xi = sample(MultivariateNormal::from_cholesky(&centre, &lower).iid(items));
    let alpha = xi.column(0).exp();
    let beta = xi.column(1);
    let eta = alpha
        .at(item)
        .component_mul(&(theta.at(person) - beta.at(item)));
    observe(y, BernoulliLogit::new(eta));
}

/// Two-parameter items; persons have a regression on `w`.
#[model]
pub fn latent_reg_2pl(
    y: &[bool],
    item: &[usize],
    person: &[usize],
    items: usize,
    w: &DMatrix<f64>,
) {
    let alpha = sample(LogNormal::new(1.0, 1.0).iid(items));
    let beta = sample(ZeroSumNormal::new(3.0, items));
    let lambda_adj = sample(StudentT::new(3.0, 0.0, 1.0).iid(w.ncols()));
    let theta = sample(Normal::new(w * &lambda_adj, 1.0));
    let eta = alpha.at(item).component_mul(&theta.at(person)) - beta.at(item);
    observe(y, BernoulliLogit::new(eta));
}

/// Grades of answers: partial credit; `first` is the place of the first step of each item, and of the end.
#[model]
pub fn gpcm(y: &[usize], item: &[usize], person: &[usize], first: &[usize], w: &DMatrix<f64>) {
    let items = first.len() - 1;
    let alpha = sample(LogNormal::new(1.0, 1.0).iid(items));
    let beta = sample(ZeroSumNormal::new(3.0, first[items]));
    let lambda_adj = sample(StudentT::new(3.0, 0.0, 1.0).iid(w.ncols()));
    let theta = sample(Normal::new(w * &lambda_adj, 1.0));
    for n in 0..y.len() {
        let ability = theta[person[n]] * alpha[item[n]];
        let mut logits: Vec<Real> = vec![Real::from(0.0)];
        for k in first[item[n]]..first[item[n] + 1] {
            logits.push(logits[logits.len() - 1] + ability - beta[k]);
        }
        observe(y[n], CategoricalLogit::new(&Vector::from(logits)));
    }
}

/// Grades whose steps are the same for all items.
#[model]
pub fn grsm(
    y: &[usize],
    item: &[usize],
    person: &[usize],
    items: usize,
    steps: usize,
    w: &DMatrix<f64>,
) {
    let alpha = sample(LogNormal::new(1.0, 1.0).iid(items));
    let beta = sample(ZeroSumNormal::new(3.0, items));
    let kappa = sample(ZeroSumNormal::new(3.0, steps));
    let lambda_adj = sample(StudentT::new(3.0, 0.0, 1.0).iid(w.ncols()));
    let theta = sample(Normal::new(w * &lambda_adj, 1.0));
    for n in 0..y.len() {
        let ability = theta[person[n]] * alpha[item[n]] - beta[item[n]];
        let mut logits: Vec<Real> = vec![Real::from(0.0)];
        for k in 0..steps {
            logits.push(logits[k] + ability - kappa[k]);
        }
        observe(y[n], CategoricalLogit::new(&Vector::from(logits)));
    }
}

/// Answers to the law school admission test, `[persons, items]`.
#[model]
pub fn lsat(y: &DMatrix<u64>) {
    let alpha = sample(Normal::new(0.0, 100.0).iid(y.ncols()));
    let theta = sample(Normal::new(0.0, 1.0).iid(y.nrows()));
    let beta = sample(HalfNormal::new(100.0));
    for k in 0..y.ncols() {
        for i in 0..y.nrows() {
            observe(y[(i, k)], BernoulliLogit::new(beta * theta[i] - alpha[k]));
        }
    }
}

/// Ages of bones from grades of X-ray pictures; a grade of -1 is missing.
#[model]
pub fn bones(grade: &DMatrix<f64>, gamma: &DMatrix<f64>, delta: &[f64], grades: &[usize]) {
    let theta = sample(Normal::new(0.0, 36.0).iid(grade.nrows()));
    for i in 0..grade.nrows() {
        for j in 0..grade.ncols() {
            if grade[(i, j)] > 0.0 {
                let cuts: Vec<f64> = (0..grades[j] - 1)
                    .map(|k| delta[j] * gamma[(j, k)])
                    .collect();
                let eta = delta[j] * theta[i];
                observe(grade[(i, j)] as usize - 1, OrderedLogistic::new(eta, &cuts));
            }
        }
    }
}
