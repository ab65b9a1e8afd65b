//! Programs of BUGS with vague priors, such as gamma(0.001, 0.001) for a precision.
//!
//! The data are from the examples of BUGS (Spiegelhalter, Thomas, Best & Gilks 1996), the models as in Stan's collection of them.

use crate::AnyModel;
use crate::targets::plates::{BEAN, EXTRACT, GERMINATED, OF};
use bayes::prelude::*;

/// Germination of seeds (Crowder 1978): a logistic regression with an effect for each plate.
#[model]
fn seeds(n: &[u64], of: &[u64], x1: &[f64], x2: &[f64]) {
    let alpha = sample(Normal::new(0.0, 1000.0).iid(4));
    let tau = sample(Gamma::new(0.001, 0.001));
    let sigma = deterministic(1.0 / tau.sqrt());
    let b = sample(Normal::new(0.0, sigma).iid(n.len()));
    for i in 0..n.len() {
        let eta =
            alpha[0] + alpha[1] * x1[i] + alpha[2] * x2[i] + alpha[3] * (x1[i] * x2[i]) + b[i];
        observe(n[i], BinomialLogit::new(of[i], eta));
    }
}

/// Deaths after heart surgery on babies in twelve hospitals.
#[model]
fn surgical(r: &[u64], n: &[u64]) {
    let mu = sample(Normal::new(0.0, 1000.0));
    let variance = sample(InverseGamma::new(0.001, 0.001));
    let sigma = deterministic(variance.sqrt());
    let b = sample(Normal::new(mu, sigma).iid(r.len()));
    for i in 0..r.len() {
        observe(r[i], BinomialLogit::new(n[i], b[i]));
    }
}

/// Yields of dyestuff from six batches (Davies 1967).
#[model]
fn dyes(y: &[f64], batches: usize) {
    let tau_between = sample(Gamma::new(0.001, 0.001));
    let tau_within = sample(Gamma::new(0.001, 0.001));
    let theta = sample(Normal::new(0.0, 1e5));
    let between = deterministic(1.0 / tau_between.sqrt());
    let within = deterministic(1.0 / tau_within.sqrt());
    let mu = sample(Normal::new(theta, between).iid(batches));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu[i / 5], within));
    }
}

/// Bioequivalence of two tablets in a cross-over design (Gelfand et al. 1990).
#[model]
fn equiv(y: &[f64], group: &[f64]) {
    let mu = sample(Normal::new(0.0, 1000.0));
    let phi = sample(Normal::new(0.0, 1000.0));
    let pi = sample(Normal::new(0.0, 1000.0));
    let variance1 = sample(InverseGamma::new(0.001, 0.001));
    let variance2 = sample(InverseGamma::new(0.001, 0.001));
    let sigma1 = deterministic(variance1.sqrt());
    let sigma2 = deterministic(variance2.sqrt());
    let delta = sample(Normal::new(0.0, sigma2).iid(group.len()));
    for i in 0..group.len() {
        for k in 0..2 {
            let sign = if k == 0 { 1.0 } else { -1.0 };
            let m = mu + 0.5 * sign * group[i] * phi + 0.5 * sign * pi + delta[i];
            observe(y[2 * i + k], Normal::new(m, sigma1));
        }
    }
}

/// Weights of young rats (Gelfand et al. 1990): a line for each.
#[model]
fn rats(y: &[f64], x: &[f64]) {
    let mu = sample(Normal::new(0.0, 100.0).iid(2));
    let variance = sample(InverseGamma::new(0.001, 0.001).iid(3));
    let count = y.len() / 5;
    let alpha = sample(Normal::new(mu[0], variance[0].sqrt()).iid(count));
    let beta = sample(Normal::new(mu[1], variance[1].sqrt()).iid(count));
    let sigma = deterministic(variance[2].sqrt());
    for i in 0..count {
        for t in 0..5 {
            observe(
                y[5 * i + t],
                Normal::new(alpha[i] + beta[i] * (x[t] - 22.0), sigma),
            );
        }
    }
}

/// The same with correlated lines.
#[model]
fn birats(y: &[f64], x: &[f64], omega: &DMatrix<f64>) {
    let mu = sample(Normal::new(0.0, 100.0).iid(2));
    let variance = sample(InverseGamma::new(0.001, 0.001));
    let covariance = sample(InverseWishart::new(2.0, omega));
    let count = y.len() / 5;
    let beta = sample(MultivariateNormal::new(&mu, &covariance).iid(count));
    let sigma = deterministic(variance.sqrt());
    for i in 0..count {
        for t in 0..5 {
            observe(
                y[5 * i + t],
                Normal::new(beta[(i, 0)] + beta[(i, 1)] * x[t], sigma),
            );
        }
    }
}

/// Growth of orange trees (Draper & Smith 1981): a logistic curve for each.
#[model]
fn orange(y: &[f64], x: &[f64]) {
    let mu = sample(Normal::new(0.0, 100.0).iid(3));
    let variance = sample(InverseGamma::new(0.001, 0.001).iid(3));
    let variance_y = sample(InverseGamma::new(0.001, 0.001));
    let sigma = deterministic(variance_y.sqrt());
    let trees = y.len() / 7;
    let theta1 = sample(Normal::new(mu[0], variance[0].sqrt()).iid(trees));
    let theta2 = sample(Normal::new(mu[1], variance[1].sqrt()).iid(trees));
    let theta3 = sample(Normal::new(mu[2], variance[2].sqrt()).iid(trees));
    for k in 0..trees {
        for n in 0..7 {
            let m =
                theta1[k].exp() / (1.0 + (theta2[k].exp() - 1.0) * (-theta3[k].exp() * x[n]).exp());
            observe(y[7 * k + n], Normal::new(m, sigma));
        }
    }
}

const RATS: [f64; 150] = [
    151., 199., 246., 283., 320., 145., 199., 249., 293., 354., 147., 214., 263., 312., 328., 155.,
    200., 237., 272., 297., 135., 188., 230., 280., 323., 159., 210., 252., 298., 331., 141., 189.,
    231., 275., 305., 159., 201., 248., 297., 338., 177., 236., 285., 350., 376., 134., 182., 220.,
    260., 296., 160., 208., 261., 313., 352., 143., 188., 220., 273., 314., 154., 200., 244., 289.,
    325., 171., 221., 270., 326., 358., 163., 216., 242., 281., 312., 160., 207., 248., 288., 324.,
    142., 187., 234., 280., 316., 156., 203., 243., 283., 317., 157., 212., 259., 307., 336., 152.,
    203., 246., 286., 321., 154., 205., 253., 298., 334., 139., 190., 225., 267., 302., 146., 191.,
    229., 272., 302., 157., 211., 250., 285., 323., 132., 185., 237., 286., 331., 160., 207., 257.,
    303., 345., 169., 216., 261., 295., 333., 157., 205., 248., 289., 316., 137., 180., 219., 258.,
    291., 153., 200., 244., 286., 324.,
];
const DAYS: [f64; 5] = [8.0, 15.0, 22.0, 29.0, 36.0];

/// A program, one of its quantities, and the mean by Stan, if available.
pub struct Program {
    pub name: &'static str,
    pub quantity: &'static str,
    pub stan: &'static str,
    pub model: Box<dyn AnyModel>,
}

fn program(
    name: &'static str,
    quantity: &'static str,
    stan: &'static str,
    model: impl AnyModel + 'static,
) -> Program {
    Program {
        name,
        quantity,
        stan,
        model: Box::new(model),
    }
}

const DEATHS: [u64; 12] = [0, 18, 8, 46, 8, 13, 9, 31, 14, 8, 29, 24];
const OPERATIONS: [u64; 12] = [47, 148, 119, 810, 211, 196, 148, 215, 207, 97, 256, 360];
const YIELDS: [f64; 30] = [
    1545., 1440., 1440., 1520., 1580., 1540., 1555., 1490., 1560., 1495., 1595., 1550., 1605.,
    1510., 1560., 1445., 1440., 1595., 1465., 1545., 1595., 1630., 1515., 1635., 1625., 1520.,
    1455., 1450., 1480., 1445.,
];
const TABLETS: [f64; 20] = [
    1.4, 1.65, 1.64, 1.57, 1.44, 1.58, 1.36, 1.68, 1.65, 1.69, 1.08, 1.31, 1.09, 1.43, 1.25, 1.44,
    1.25, 1.39, 1.3, 1.52,
];
const GROUP: [f64; 10] = [1., 1., -1., -1., -1., 1., 1., 1., -1., -1.];
const TREES: [f64; 35] = [
    30., 58., 87., 115., 120., 142., 145., 33., 69., 111., 156., 172., 203., 203., 30., 51., 75.,
    108., 115., 139., 140., 32., 62., 112., 167., 179., 209., 214., 30., 49., 81., 125., 142.,
    174., 177.,
];
const AGE: [f64; 7] = [118., 484., 664., 1004., 1231., 1372., 1582.];

/// The programs.
pub fn programs() -> Vec<Program> {
    let omega: &'static DMatrix<f64> = Box::leak(Box::new(DMatrix::from_row_slice(
        2,
        2,
        &[0.005, 0.0, 0.0, 5.0],
    )));
    vec![
        program(
            "seeds",
            "sigma",
            "0.295",
            seeds(&GERMINATED, &OF, &BEAN, &EXTRACT),
        ),
        program("surgical", "mu", "-2.557", surgical(&DEATHS, &OPERATIONS)),
        program("dyes", "theta", "-", dyes(&YIELDS, 6)),
        program("equiv", "mu", "-", equiv(&TABLETS, &GROUP)),
        program("rats", "mu", "-", rats(&RATS, &DAYS)),
        program("birats", "mu", "-", birats(&RATS, &DAYS, omega)),
        program("orange", "mu", "-", orange(&TREES, &AGE)),
    ]
}
