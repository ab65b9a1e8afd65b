//! Resampling schemes on random weights: every count is right in expectation, and as close to it as the scheme
//! promises.

use bayes_core::engine::Resampling;
use bayes_core::numeric::log_sum_exp;
use bayes_core::rng::{Key, Purpose};
use bayes_core::run::Weights;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const SCHEMES: [Resampling; 4] = [
    Resampling::Multinomial,
    Resampling::Residual,
    Resampling::Stratified,
    Resampling::Systematic,
];

/// Repetitions from which expected counts are estimated.
const REPEATS: u64 = 2000;

/// The number of times that each particle is chosen.
fn counts(scheme: Resampling, weights: &[f64], item: u64) -> Vec<f64> {
    let key = Key::new(11, Purpose::Resample).item(item);
    let mut counts = vec![0.0; weights.len()];
    for ancestor in scheme.ancestors(weights, weights.len(), &mut key.stream()) {
        counts[ancestor as usize] += 1.0;
    }
    counts
}

/// Log weights of all sizes, a fifth of them minus infinity.
fn log_weight() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NEG_INFINITY),
        -1.0..1.0,
        -30.0..0.0,
        -1e3..1e3,
        -1e300..1e300,
    ]
}

/// Weights as an SMC sampler normalises them, with at least one particle alive.
fn weights() -> impl Strategy<Value = Vec<f64>> {
    let near = prop::collection::vec(prop_oneof![Just(f64::NEG_INFINITY), -3.0..0.0], 1..12);
    let far = prop::collection::vec(log_weight(), 1..40);
    let logs = prop_oneof![near, far];
    logs.prop_filter_map("no particle is alive", |logs| {
        let total = log_sum_exp(&logs);
        let normalised = || logs.iter().map(|l| (l - total).exp()).collect();
        total.is_finite().then(normalised)
    })
}

/// Runs `test` on random weights, which are the same in every run.
fn for_weights(cases: u32, test: impl Fn(&[f64])) {
    let mut runner = TestRunner::deterministic();
    for _ in 0..cases {
        let tree = weights().new_tree(&mut runner);
        test(&tree.expect("some particle is alive").current());
    }
}

// Fails if the rest of `Residual` is drawn by weights that do not sum to 1.
#[test]
fn every_count_is_right_in_expectation() {
    for_weights(40, |weights| {
        let n = weights.len() as f64;
        for scheme in SCHEMES {
            let mut total = vec![0.0; weights.len()];
            for item in 0..REPEATS {
                for (sum, count) in total.iter_mut().zip(counts(scheme, weights, item)) {
                    *sum += count;
                }
            }
            for (k, (sum, weight)) in total.iter().zip(weights).enumerate() {
                // Bernstein's inequality for sums of numbers from 0 to 1: exceeded with probability below 2 e^-16. No
                // scheme has a larger variance than the multinomial scheme.
                let expected = REPEATS as f64 * n * weight;
                let bound = (32.0 * expected * (1.0 - weight).max(0.0)).sqrt() + 16.0 / 3.0;
                assert!(
                    (sum - expected).abs() <= bound,
                    "{scheme:?}: {sum} copies of particle {k} of {weights:?}, expected {expected} ± {bound}"
                );
            }
        }
    });
}

#[test]
fn counts_sum_to_the_number_of_particles_and_the_dead_stay_dead() {
    for_weights(2000, |weights| {
        for scheme in SCHEMES {
            let counts = counts(scheme, weights, 1);
            assert_eq!(counts.iter().sum::<f64>(), weights.len() as f64);
            let dead = counts.iter().zip(weights).filter(|(_, w)| **w == 0.0);
            assert!(dead.into_iter().all(|(count, _)| *count == 0.0));
        }
    });
}

/// One point lies in each stratum of length 1/N: up to any particle the counts are within 1 of N times the weights.
/// With a shared uniform number each particle's own count is within 1 too. With independent numbers it may be wrong by
/// nearly 2, because a particle may have a broken stratum on either side. `Residual` never gives less than the whole
/// part.
#[test]
fn counts_are_as_near_to_their_expectation_as_the_scheme_promises() {
    for_weights(2000, |weights| {
        let n = weights.len() as f64;
        let near = 1.0 + 1e-9;
        for item in 0..5 {
            let [residual, stratified, systematic] =
                [SCHEMES[1], SCHEMES[2], SCHEMES[3]].map(|s| counts(s, weights, item));
            let mut off = [0.0; 2];
            for (k, weight) in weights.iter().enumerate() {
                let expected = n * weight;
                assert!((systematic[k] - expected).abs() < near, "{weights:?}");
                assert!((stratified[k] - expected).abs() < 2.0 * near, "{weights:?}");
                assert!(residual[k] > expected - near, "{weights:?}");
                off[0] += systematic[k] - expected;
                off[1] += stratified[k] - expected;
                assert!(off.iter().all(|o| o.abs() < near), "{off:?}: {weights:?}");
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn weights_of_all_sizes_sum_to_one(logs in prop::collection::vec(log_weight(), 1..40)) {
        let weights = Weights::from_logs(&logs);
        let sum: f64 = weights.as_slice().iter().sum();
        prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        prop_assert!(weights.as_slice().iter().all(|w| (0.0..=1.0).contains(w)));
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = log_sum_exp(&logs);
        // between the largest term and the largest term times their number
        let most = (largest + (logs.len() as f64).ln()).max(f64::MIN);
        prop_assert!(total >= largest && total <= most + 1e-12 * most.abs());
    }

    #[test]
    fn a_single_survivor_has_all_the_weight(n in 1_usize..200, at in 0_usize..200, log_weight in -1e300..1e300) {
        let mut logs = vec![f64::NEG_INFINITY; n];
        logs[at % n] = log_weight;
        prop_assert_eq!(log_sum_exp(&logs), log_weight);
        let weights = Weights::from_logs(&logs);
        prop_assert_eq!(weights.heaviest(), Some((at % n, 1.0)));
        for scheme in SCHEMES {
            prop_assert_eq!(counts(scheme, weights.as_slice(), 3)[at % n], n as f64);
        }
    }

    #[test]
    fn without_survivors_groups_weigh_the_same(n in 1_usize..200) {
        let logs = vec![f64::NEG_INFINITY; n];
        prop_assert_eq!(log_sum_exp(&logs), f64::NEG_INFINITY);
        let weights = Weights::from_logs(&logs);
        prop_assert!(weights.as_slice().iter().all(|w| *w == 1.0 / n as f64));
    }
}
