//! A change point whose year is summed out: the terms of all years come from the trace, without a run of the model for each year.

use bayes::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often the data were gone through.
static PASSES: AtomicUsize = AtomicUsize::new(0);

fn pass() {
    PASSES.fetch_add(1, Ordering::Relaxed);
}

/// The rate changes once, in an unknown year.
#[model]
fn disasters(counts: &[u64]) {
    let early = sample(Exponential::new(1.0));
    let late = sample(Exponential::new(1.0));
    let year = sum_out(DiscreteUniform::new(0, counts.len() - 1));
    pass();
    for t in 0..counts.len() {
        observe(counts[t], Poisson::new(if t < year { early } else { late }));
    }
}

const COUNTS: [u64; 40] = [
    4, 5, 4, 0, 1, 4, 3, 4, 0, 6, 3, 3, 4, 0, 2, 6, 3, 3, 5, 4, 2, 1, 0, 1, 2, 0, 1, 1, 0, 0, 3, 1,
    0, 3, 2, 2, 0, 1, 1, 1,
];

/// The probabilities of the years given two rates, by Bayes' rule.
fn by_hand([early, late]: [f64; 2]) -> Vec<f64> {
    let term = |year: usize| -> f64 {
        let of = |t: usize| if t < year { early } else { late };
        let counts = COUNTS.iter().enumerate();
        let terms = counts.map(|(t, count)| *count as f64 * of(t).ln() - of(t));
        terms.sum()
    };
    let terms: Vec<f64> = (0..COUNTS.len()).map(term).collect();
    let most = terms.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = terms.iter().map(|term| (term - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Mutations meant to be detected: terms that are not used, terms without the prior of the year, and terms of another draw.
#[test]
fn a_year_is_drawn_by_the_terms_of_the_trace() {
    let model = disasters(&COUNTS);
    let engine = Inference::nuts().chains(2).draws(2000).seed(3);
    let run = engine.progress(false).run(&model).expect("it runs");
    let prediction = run.predict(model).expect("its own model");
    PASSES.store(0, Ordering::Relaxed);
    let year = prediction.draws("year").expect("it is summed out");
    let passes = PASSES.load(Ordering::Relaxed);
    // at each of 4000 draws, one at the year given the data and one for new data; the rest records the trace
    assert!((8000..10_000).contains(&passes), "{passes}");

    let found = prediction.probabilities("year").expect("it is summed out");
    let (early, late) = (run.draws("early").unwrap(), run.draws("late").unwrap());
    let mut means = vec![0.0; COUNTS.len()];
    for (m, (early, late)) in early.rows().zip(late.rows()).enumerate() {
        let wanted = by_hand([early[0], late[0]]);
        let pairs = found.member(m).iter().zip(&wanted);
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9), "{m}");
        means
            .iter_mut()
            .zip(&wanted)
            .for_each(|(mean, p)| *mean += p / 4000.0);
    }
    for (k, wanted) in means.iter().enumerate() {
        let drawn = year.rows().filter(|year| year[0] == k as f64).count();
        let share = drawn as f64 / 4000.0;
        let error = (wanted * (1.0 - wanted) / 4000.0).sqrt() + 1e-3;
        assert!(
            (share - wanted).abs() < 4.0 * error,
            "{k}: {share}, {wanted}"
        );
    }
}
