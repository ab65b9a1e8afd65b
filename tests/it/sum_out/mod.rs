//! Discrete quantities that are summed out: densities and gradients against sums by hand; the other files of this folder test draws and
//! queries of runs.

mod draws;
mod observations;
mod refusals;
mod years;

use crate::battery::agree;
use bayes::density::{ArithmeticSettings, Posterior, Quantities};
use bayes::prelude::*;

const Y: [f64; 8] = [-2.1, -1.7, -1.9, 0.3, 2.8, 3.1, 3.3, 2.9];

#[model]
fn classes(y: &[f64]) {
    let weights = sample(Dirichlet::new([2.0, 2.0, 2.0]));
    let mean = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let sd = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        let class = sum_out(Categorical::new(&weights));
        observe(y[i], Normal::new(mean[class], sd));
    }
}

#[model]
fn mixture(y: &[f64]) {
    let weights = sample(Dirichlet::new([2.0, 2.0, 2.0]));
    let mean = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let sd = sample(HalfNormal::new(1.0));
    observe(
        y,
        Mixture::new(&weights, [0, 1, 2].map(|k| Normal::new(mean[k], sd))),
    );
}

/// Sites that were visited several times: occupied or not, and if occupied by one of two kinds.
#[model]
fn occupancy(seen: &[u64], visits: u64, cover: &[f64]) {
    let a = sample(Normal::new(0.0, 1.5));
    let b = sample(Normal::new(0.0, 1.5));
    let share = sample(Beta::new(2.0, 2.0));
    let detection = sample(Beta::new(2.0, 2.0).iid(2));
    for i in 0..seen.len() {
        let occupied = sum_out(BernoulliLogit::new(a + b * cover[i]));
        let kind = sum_out(Bernoulli::new(share));
        let p: Real = if occupied == 1 {
            detection[kind]
        } else {
            Real::from(0.0)
        };
        observe(seen[i], Binomial::new(visits, p));
    }
}

#[model]
fn occupancy_by_hand(seen: &[u64], visits: u64, cover: &[f64]) {
    let a = sample(Normal::new(0.0, 1.5));
    let b = sample(Normal::new(0.0, 1.5));
    let share = sample(Beta::new(2.0, 2.0));
    let detection = sample(Beta::new(2.0, 2.0).iid(2));
    for i in 0..seen.len() {
        let eta = a + b * cover[i];
        let found = |k: usize| Binomial::new(visits, detection[k]).log_density_at(seen[i]);
        let kinds: [Real; 2] = [(1.0 - share).ln() + found(0), share.ln() + found(1)];
        let here: Real = eta.logistic().ln() + log_sum_exp(&kinds);
        if seen[i] == 0 {
            let both: [Real; 2] = [here, (-eta).logistic().ln()];
            factor(log_sum_exp(&both));
        } else {
            factor(here);
        }
    }
}

/// A single value for all data, out of many: at values below the largest count these data are impossible.
#[model]
fn population(caught: &[u64], most: u64) {
    let p = sample(Beta::new(1.0, 1.0));
    let n = sum_out(DiscreteUniform::new(1, most));
    for t in 0..caught.len() {
        observe(caught[t], Binomial::new(n, p));
    }
}

#[model]
fn population_by_hand(caught: &[u64], most: u64) {
    let p = sample(Beta::new(1.0, 1.0));
    let largest = caught.iter().copied().max().unwrap_or(0);
    let mut terms: Vec<Real> = Vec::new();
    for n in largest..=most {
        let mut term: Real = Real::from(-(most as f64).ln());
        for t in 0..caught.len() {
            term += Binomial::new(n, p).log_density_at(caught[t]);
        }
        terms.push(term);
    }
    factor(log_sum_exp(&terms));
}

const SEEN: [u64; 6] = [0, 3, 1, 0, 4, 0];
const COVER: [f64; 6] = [-1.0, 0.8, 0.1, -0.4, 1.2, 0.6];

/// Asserts that the log likelihoods of two models agree at the same values.
fn assert_same<A: Model, B: Model>(a: &A, b: &B, values: &[(&str, &[f64])]) {
    let at = "the values are those of the model";
    let (a, b) = (
        a.log_density_at(values).expect(at),
        b.log_density_at(values).expect(at),
    );
    let gap = (a.log_likelihood - b.log_likelihood).abs();
    assert!(gap < 1e-12 * b.log_likelihood.abs(), "{a:?} and {b:?}");
    assert_eq!(a.log_prior, b.log_prior);
}

const AT: [(&str, &[f64]); 3] = [
    ("weights", &[0.2, 0.3, 0.5]),
    ("mean", &[-2.0, 0.4, 2.9]),
    ("sd", &[0.6]),
];

#[test]
fn a_sum_is_the_sum_by_hand() {
    assert_same(&classes(&Y), &mixture(&Y), &AT);
    let at: [(&str, &[f64]); 4] = [
        ("a", &[0.3]),
        ("b", &[-0.8]),
        ("share", &[0.4]),
        ("detection", &[0.7, 0.2]),
    ];
    assert_same(
        &occupancy(&SEEN, 5, &COVER),
        &occupancy_by_hand(&SEEN, 5, &COVER),
        &at,
    );
    let caught = [12, 9, 15, 11];
    assert_same(
        &population(&caught, 500),
        &population_by_hand(&caught, 500),
        &[("p", &[0.4])],
    );
}

/// Mutations meant to be detected: a sum that keeps the terms before it, and a nested sum that adds to the outermost.
#[test]
fn gradients_agree_in_every_mode() {
    agree(&classes(&Y));
    agree(&occupancy(&SEEN, 5, &COVER));
    agree(&population(&[12, 9, 15, 11], 40));
}

/// The operations are the same as in a sum by hand, so the runs agree up to rounding.
#[test]
fn runs_are_those_of_the_sum_by_hand() {
    let engine = || Inference::smc().particles(256).seed(1).progress(false);
    let summed = engine().run(&classes(&Y)).unwrap();
    let by_hand = engine().run(&mixture(&Y)).unwrap();
    let evidence = |run: &Run| run.log_evidence().unwrap();
    assert!((evidence(&summed) - evidence(&by_hand)).abs() < 1e-8);
    let (loo, other) = (
        summed.loo(&classes(&Y)).unwrap(),
        by_hand.loo(&mixture(&Y)).unwrap(),
    );
    assert_eq!(loo.pointwise.len(), Y.len());
    assert!(
        (loo.elpd() - other.elpd()).abs() < 1e-6,
        "{loo} and {other}"
    );
}

/// Two observations of each unit: one term of the likelihood, one observation of a leave-one-out estimate.
#[model]
fn pairs(#[rows] first: &[f64], #[rows] second: &[f64]) {
    let mean = sample(Normal::new(0.0, 3.0).iid(2).ordered());
    for i in 0..first.len() {
        let class = sum_out(Bernoulli::new(0.3));
        observe(first[i], Normal::new(mean[class], 1.0));
        observe(second[i], Normal::new(mean[class], 2.0));
    }
}

const FIRST: [f64; 4] = [-1.0, 2.5, 0.2, 2.0];
const SECOND: [f64; 4] = [0.5, 1.5, -2.0, 4.0];

/// An unrecorded count, under a truncated distribution.
#[model]
fn trips(seen: &[u64], most: f64) {
    let rate = sample(Gamma::new(2.0, 0.5));
    for i in 0..seen.len() {
        let n = sum_out(Poisson::new(rate).truncated(1.0, most));
        observe(seen[i], Binomial::new(n, 0.4));
    }
}

#[test]
fn distributions_may_be_cut_off() {
    let found = trips(&[2, 0], 40.0)
        .log_density_at(&[("rate", &[3.0])])
        .unwrap();
    // the sum over n of poisson.pmf(n, 3) / (1 - exp(-3)) binom.pmf(k, n, .4), up to 40
    let poisson = |n: i32| (1..=n).fold((-3.0_f64).exp(), |p, k| p * 3.0 / f64::from(k));
    let binomial = |k: i32, n: i32| {
        let choose = (0..k).fold(1.0, |c, j| c * f64::from(n - j) / f64::from(j + 1));
        choose * 0.4_f64.powi(k) * 0.6_f64.powi(n - k)
    };
    let total = 1.0 - (-3.0_f64).exp();
    let marginal = |k: i32| {
        (k.max(1)..=40)
            .map(|n| poisson(n) / total * binomial(k, n))
            .sum::<f64>()
    };
    let want = marginal(2).ln() + marginal(0).ln();
    assert!(
        (found.log_likelihood - want).abs() < 1e-12,
        "{found:?} and {want}"
    );
    agree(&trips(&[2, 0, 5], 40.0));
}

/// A bound that depends on the value: data beyond the bound are impossible at this value.
#[model]
fn width(y: &[f64]) {
    let _shift = sample(Normal::new(0.0, 1.0));
    let k = sum_out(DiscreteUniform::new(1, 3));
    observe(y, Uniform::new(0.0, k as f64));
}

/// Mutation seen: a density that assumes data within its support, at a value that excludes them.
#[test]
fn a_value_may_exclude_data() {
    let model = width(&[0.5, 1.5]);
    let want = ((0.25 + 1.0 / 9.0) / 3.0_f64).ln();
    let found = model.log_density_at(&[("shift", &[0.1])]).unwrap();
    assert!((found.log_likelihood - want).abs() < 1e-12, "{found:?}");
    let run = Inference::smc()
        .particles(64)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    assert!((run.log_evidence().unwrap() - want).abs() < 1e-12);
    let terms = run.predict(model).unwrap().log_likelihood().unwrap();
    assert!((terms.values[0] - want).abs() < 1e-12);
    agree(&model);
}

/// As many operations as the sum by hand takes.
#[test]
fn a_sum_costs_what_it_costs_by_hand() {
    let operations = |density: Posterior<'_>| {
        let arithmetic = density.describe().unwrap().arithmetic;
        arithmetic.trace.expect("there is a trace").operations()
    };
    let settings = ArithmeticSettings::default();
    let summed = operations(Posterior::with(&classes(&Y), 1, settings).unwrap());
    let by_hand = operations(Posterior::with(&mixture(&Y), 1, settings).unwrap());
    assert!(
        summed as f64 <= 1.2 * by_hand as f64,
        "{summed} and {by_hand}"
    );
}

#[test]
fn the_graph_shows_what_is_summed_out() {
    let graph = pairs(&FIRST, &SECOND).graph().unwrap();
    let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["mean", "class", "first", "second"]);
    assert_eq!(graph.nodes[2].parents, [0, 1]);
    assert_eq!(graph.nodes[1].distribution, "Bernoulli");
}
