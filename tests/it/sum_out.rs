//! Discrete quantities that are summed out: the sums by hand, for densities, gradients, draws, and what one asks of a run.

use crate::battery::agree;
use bayes::prelude::*;

const Y: [f64; 8] = [-2.1, -1.7, -1.9, 0.3, 2.8, 3.1, 3.3, 2.9];

#[model]
fn classes(y: &[f64]) {
    let weights = sample(Dirichlet::symmetric(2.0, 3));
    let mean = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let sd = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        let class = sum_out(Categorical::new(&weights));
        observe(y[i], Normal::new(mean[class], sd));
    }
}

#[model]
fn mixture(y: &[f64]) {
    let weights = sample(Dirichlet::symmetric(2.0, 3));
    let mean = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Mixture::new(&weights, Normal::new(&mean, sd)));
}

/// Sites that were visited several times: occupied or not, and if occupied with one of two kinds.
#[model]
fn occupancy(seen: &[u64], visits: u64, cover: &[f64]) {
    let a = sample(Normal::new(0.0, 1.5));
    let b = sample(Normal::new(0.0, 1.5));
    let share = sample(Beta::new(2.0, 2.0));
    let detection = sample(Beta::new(2.0, 2.0).iid(2));
    for i in 0..seen.len() {
        let occupied = sum_out(BernoulliLogit::new(a + b * cover[i]));
        let kind = sum_out(Bernoulli::new(share));
        let p: Real = if occupied == 1 { detection[kind] } else { Real::from(0.0) };
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
        let kinds: [Real; 2] = [
            (1.0 - share).ln() + found(0),
            share.ln() + found(1),
        ];
        let here: Real = eta.logistic().ln() + log_sum_exp(&kinds);
        if seen[i] == 0 {
            let both: [Real; 2] = [here, (-eta).logistic().ln()];
            factor(log_sum_exp(&both));
        } else {
            factor(here);
        }
    }
}

/// A single value for all data, out of many: at values below the largest count these data cannot be.
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

/// The log likelihoods of two models at the same values.
fn assert_same<A: Model, B: Model>(a: &A, b: &B, values: &[(&str, &[f64])]) {
    let (a, b) = (a.log_density_at(values).unwrap(), b.log_density_at(values).unwrap());
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
    assert_same(&occupancy(&SEEN, 5, &COVER), &occupancy_by_hand(&SEEN, 5, &COVER), &at);
    let caught = [12, 9, 15, 11];
    assert_same(&population(&caught, 500), &population_by_hand(&caught, 500), &[("p", &[0.4])]);
}

/// Mutations meant to be detected: a sum that keeps the terms before it, and one within another that adds to the outermost.
#[test]
fn gradients_agree_in_every_mode() {
    agree(&classes(&Y));
    agree(&occupancy(&SEEN, 5, &COVER));
    agree(&population(&[12, 9, 15, 11], 40));
}

/// The operations are those of the sum by hand, so that the runs are the same but for rounding.
#[test]
fn runs_are_those_of_the_sum_by_hand() {
    let run = |model: &dyn Fn(bayes::Smc) -> Run| {
        model(Inference::smc().particles(256).seed(1).progress(false))
    };
    let summed = run(&|engine| engine.run(&classes(&Y)).unwrap());
    let by_hand = run(&|engine| engine.run(&mixture(&Y)).unwrap());
    let evidence = |run: &Run| run.log_evidence().unwrap();
    assert!((evidence(&summed) - evidence(&by_hand)).abs() < 1e-8);
    let (loo, other) = (summed.loo(&classes(&Y)).unwrap(), by_hand.loo(&mixture(&Y)).unwrap());
    assert_eq!(loo.pointwise.len(), Y.len());
    assert!((loo.elpd - other.elpd).abs() < 1e-6, "{} and {}", loo.elpd, other.elpd);
}

/// Two observations of each unit: one term of the likelihood, one observation of a leave-one-out estimate.
#[model]
fn pairs(first: &[f64], second: &[f64]) {
    let mean = sample(Normal::new(0.0, 3.0).iid(2).ordered());
    for i in 0..first.len() {
        let class = sum_out(Bernoulli::new(0.3));
        observe(first[i], Normal::new(mean[class], 1.0));
        observe(second[i], Normal::new(mean[class], 2.0));
    }
}

const FIRST: [f64; 4] = [-1.0, 2.5, 0.2, 2.0];
const SECOND: [f64; 4] = [0.5, 1.5, -2.0, 4.0];

/// Probability of class 1 of a pair at given means, by Bayes' rule.
fn responsibility(mean: [f64; 2], [first, second]: [f64; 2]) -> f64 {
    let log_density = |x: f64, mean: f64, sd: f64| -0.5 * ((x - mean) / sd).powi(2) - sd.ln();
    let term = |k: usize| {
        let prior: f64 = [0.7, 0.3][k];
        (prior.ln() + log_density(first, mean[k], 1.0) + log_density(second, mean[k], 2.0)).exp()
    };
    term(1) / (term(0) + term(1))
}

/// Mutations meant to be detected: classes from their prior, and new data at the classes that were drawn given the old data.
#[test]
fn classes_are_drawn_given_the_data_and_new_data_from_the_prior() {
    let model = pairs(&FIRST, &SECOND);
    let run = Inference::nuts().draws(2000).seed(3).progress(false).run(&model).unwrap();
    let prediction = run.predict(&model).unwrap();
    let class = prediction.draws("class").unwrap();
    let mean = |k: usize| run.draws("mean").unwrap().mean()[k];
    assert_eq!(class.mean().len(), FIRST.len());
    for i in 0..FIRST.len() {
        let want = run.estimate(|draw| {
            let mean = draw.vector("mean");
            responsibility([mean[0], mean[1]], [FIRST[i], SECOND[i]])
        });
        let found = class.mean()[i];
        let error = (found * (1.0 - found) / 8000.0).sqrt() + want.se;
        assert!((found - want.mean).abs() < 4.0 * error, "{i}: {found} and {}", want.mean);
    }
    let new = prediction.draws("second").unwrap().mean();
    let want = 0.7 * mean(0) + 0.3 * mean(1);
    for found in new {
        assert!((found - want).abs() < 4.0 * 3.0 / 8000_f64.sqrt() + 0.05, "{found} and {want}");
    }
}

/// Mutation meant to be detected: an execution counted once for each value.
#[test]
fn a_model_with_sums_describes_its_data_once() {
    let model = pairs(&FIRST, &SECOND);
    let run = Inference::smc().particles(64).seed(1).progress(false).run(&model).unwrap();
    let prediction = run.predict(&model).unwrap();
    let found: Vec<(String, usize, usize)> = prediction
        .observed()
        .iter()
        .map(|o| (o.name.clone(), o.data.len(), o.observations))
        .collect();
    let want = [("first".to_owned(), 4, 4), ("second".to_owned(), 4, 0)];
    assert_eq!(found, want);
    assert_eq!(run.loo(&model).unwrap().pointwise.len(), 4);
}
