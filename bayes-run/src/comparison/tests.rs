//! Cross-validation and comparison against ArviZ 0.23.4 (`tests/data/comparison/comparison.py`), weights against conditions of
//! their optimum, and what cannot be compared.
//!
//! Mutations that these tests were seen to detect: the tail of the ratios not sorted; the prior of k-hat left out; weights of the
//! draws left out of the ratios; the sign of the differences; the slope of a pair in stacking with the mixture not updated.

use super::elpd::LeftOutData;
use super::elpd::{Elpd, Method};
use super::loo::Sample;
use super::pit::masses;
use super::terms::Terms;
use super::waic::waic as waic_of;
use super::*;
use crate::diagnose::Estimate;
use crate::diagnose::{ess, pareto};
use crate::error::Error;
use crate::predict::{Pointwise, UsedDraws};
use crate::rng::{Key, Purpose};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct References {
    y: Vec<f64>,
    chains: usize,
    models: BTreeMap<String, Reference>,
    comparison: BTreeMap<String, Row>,
    gpd: Gpd,
}

#[derive(Deserialize)]
struct Gpd {
    excess: Vec<f64>,
    fit: [f64; 2],
}

#[derive(Deserialize)]
struct Reference {
    first_coefficient: Vec<Vec<f64>>,
    log_likelihood: Vec<Vec<f64>>,
    predicted: Vec<Vec<f64>>,
    reff: f64,
    elpd_loo: f64,
    se_loo: f64,
    p_loo: f64,
    loo_i: Vec<f64>,
    pareto_k: Vec<f64>,
    good_k: f64,
    log_weights_7: Vec<f64>,
    elpd_waic: f64,
    se_waic: f64,
    p_waic: f64,
    waic_i: Vec<f64>,
    loo_pit: Vec<f64>,
}

#[derive(Deserialize)]
struct Row {
    rank: usize,
    elpd_diff: f64,
    dse: f64,
    stacking: f64,
    pseudo_bma: f64,
    pseudo_bma_plus: f64,
}

fn references() -> References {
    let text = include_str!("../../tests/data/comparison/comparison.json");
    serde_json::from_str(text).expect("the file is well formed")
}

fn terms(reference: &Reference) -> Pointwise {
    let draws = reference.log_likelihood.len();
    let observations = reference.log_likelihood[0].len();
    Pointwise {
        weights: vec![1.0 / draws as f64; draws],
        values: reference.log_likelihood.concat(),
        observations,
        variables: vec![("y".to_owned(), observations)],
        places: Vec::new(),
        groups: vec![draws / 4; 4],
    }
}

fn sample(terms: &Pointwise, relative_efficiency: f64) -> Sample {
    Sample::new(UsedDraws::all(&terms.weights), relative_efficiency)
}

/// Weights that sum to 1.
fn weights_without(terms: &Pointwise, i: usize, relative_efficiency: f64) -> Vec<f64> {
    let sample = sample(terms, relative_efficiency);
    let (weights, total) = sample.weights_without(&terms.observation(i));
    weights.iter().map(|weight| weight / total).collect()
}

fn names(terms: &Pointwise) -> Vec<String> {
    (0..terms.observations).map(|i| terms.name(i)).collect()
}

fn loo(terms: &Pointwise, relative_efficiency: f64) -> Elpd {
    let sample = sample(terms, relative_efficiency);
    let one = |i| sample.leave_out(&terms.observation(i));
    let found: Vec<_> = (0..terms.observations).map(one).collect();
    sample.elpd(names(terms), &found)
}

fn waic(terms: &Pointwise) -> Elpd {
    let sample = sample(terms, 1.0);
    let one = |i| sample.spread(&terms.observation(i));
    let found: Vec<_> = (0..terms.observations).map(one).collect();
    waic_of(names(terms), &found)
}

#[track_caller]
fn assert_near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-8, "{found}, ArviZ has {wanted}");
}

#[track_caller]
fn assert_all_near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    found
        .iter()
        .zip(wanted)
        .for_each(|(a, b)| assert_near(*a, *b));
}

#[test]
fn the_tail_is_fitted_as_in_arviz() {
    let Gpd { excess, fit } = references().gpd;
    let found = pareto::fit(&excess);
    assert_all_near(&[found.shape, found.scale], &fit);
    // the quantile function is the inverse of 1 − (1 + k x/σ)^(−1/k)
    let x = found.quantile(0.7);
    let below = 1.0 - (1.0 + found.shape * x / found.scale).powf(-1.0 / found.shape);
    assert_near(below, 0.7);
}

#[test]
fn leave_one_out_cross_validation_is_that_of_arviz() {
    for reference in references().models.values() {
        let (terms, found) = (terms(reference), loo(&terms(reference), reference.reff));
        assert_near(found.elpd(), reference.elpd_loo);
        assert_near(found.se(), reference.se_loo);
        assert_near(found.effective_parameters, reference.p_loo);
        assert_near(found.good_k, reference.good_k);
        assert_all_near(&found.pointwise, &reference.loo_i);
        assert_all_near(&found.pareto_k, &reference.pareto_k);
        let weights = weights_without(&terms, 7, reference.reff);
        let log_weights: Vec<f64> = weights.iter().map(|weight| weight.ln()).collect();
        assert_all_near(&log_weights, &reference.log_weights_7);
    }
}

#[test]
fn waic_is_that_of_arviz() {
    for reference in references().models.values() {
        let found = waic(&terms(reference));
        assert_near(found.elpd(), reference.elpd_waic);
        assert_near(found.se(), reference.se_waic);
        assert_near(found.effective_parameters, reference.p_waic);
        assert_all_near(&found.pointwise, &reference.waic_i);
        assert!(found.warnings()[0].contains("WAIC is unreliable; use `loo`"));
    }
}

#[test]
fn probability_integral_transforms_are_those_of_arviz() {
    let References { y, models, .. } = references();
    for reference in models.values() {
        let terms = terms(reference);
        for (i, wanted) in reference.loo_pit.iter().enumerate() {
            let weights = weights_without(&terms, i, reference.reff);
            let new: Vec<f64> = reference.predicted.iter().map(|row| row[i]).collect();
            let [below, equal] = masses(&new, &weights, y[i]);
            assert_near(below, *wanted);
            assert_eq!(equal, 0.0);
        }
    }
}

#[test]
fn the_relative_efficiency_of_chains_is_that_of_arviz() {
    let References { chains, models, .. } = references();
    // this model has a single quantity
    let model = &models["constant"];
    let draws = (chains * model.first_coefficient[0].len()) as f64;
    assert_near(ess::of_mean(&model.first_coefficient) / draws, model.reff);
}

fn elpds() -> (BTreeMap<String, Elpd>, BTreeMap<String, Row>) {
    let References {
        models, comparison, ..
    } = references();
    let elpd =
        |(name, reference): (String, Reference)| (name, loo(&terms(&reference), reference.reff));
    (models.into_iter().map(elpd).collect(), comparison)
}

#[test]
fn the_comparison_is_that_of_arviz() {
    let (elpds, wanted) = elpds();
    let found = compare(elpds.iter().map(|(name, elpd)| (name.as_str(), elpd))).expect("same data");
    let bma = pseudo_bma(&elpds.values().collect::<Vec<_>>());
    for ((name, weight), own) in elpds.keys().zip(bma).zip(wanted.values()) {
        let place = found
            .rows
            .iter()
            .position(|row| row.name == *name)
            .expect("every model");
        let row = &found.rows[place];
        assert_eq!(place, own.rank);
        assert_near(row.difference, own.elpd_diff);
        assert_near(row.difference_se, own.dse);
        assert_near(row.stacking, own.stacking);
        assert_near(weight, own.pseudo_bma);
        // standard errors: at most 0.008 from 4000 samples of weights between 0 and 1, 0.0008 from ArviZ's 400 000
        assert!((row.pseudo_bma_plus - own.pseudo_bma_plus).abs() < 4.0 * 0.0087 / 2.0);
    }
    let text = found.to_string();
    assert!(text.starts_with("PSIS-LOO, best model first\n"), "{text}");
    assert!(text.contains("warning: line: "), "{text}");
    assert!(!text.contains("log evidence"), "{text}");
}

fn elpd(pointwise: Vec<f64>) -> Elpd {
    Elpd {
        method: Method::Loo,
        names: (0..pointwise.len()).map(|i| format!("y[{i}]")).collect(),
        pareto_k: vec![0.1; pointwise.len()],
        pointwise,
        effective_parameters: 1.0,
        good_k: 0.7,
        mcse: 0.01,
        log_evidence: None,
        data: 1,
        unstable: 0,
        model: None,
        terms: Terms::default(),
        rereads: Vec::new(),
        rereads_in_words: None,
        approximation: None,
        imputed: Vec::new(),
        left_out: LeftOutData::default(),
        of_formula: false,
    }
}

// By symmetry both models of the first pair have the same weight. The other weights satisfy the conditions of Karush, Kuhn and
// Tucker: the mean gain Σᵢ p_k/mixture / n is 1 for a model with weight and at most 1 for one without.
#[test]
fn stacking_weights_are_optimal() {
    let half = stacking(&[&elpd(vec![-1.0, -3.0]), &elpd(vec![-3.0, -1.0])]);
    assert_all_near(&half, &[0.5, 0.5]);
    let term = |i: usize, k: usize| ((3 * i + 7 * k) as f64).sin() * 2.0 - 2.0 - 0.3 * k as f64;
    let models: Vec<Elpd> = (0..5)
        .map(|k| elpd((0..40).map(|i| term(i, k)).collect()))
        .collect();
    let weights = stacking(&models.iter().collect::<Vec<_>>());
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let inner = weights.iter().filter(|w| **w > 1e-3).count();
    assert!((2..5).contains(&inner), "{weights:?}");
    for (k, weight) in weights.iter().enumerate() {
        let ratio = |i: usize| {
            let mixture: f64 = (0..5).map(|j| weights[j] * term(i, j).exp()).sum();
            term(i, k).exp() / mixture
        };
        let gain = (0..40).map(ratio).sum::<f64>() / 40.0;
        assert!(gain < 1.0 + 1e-9, "model {k} gains {gain}");
        assert!(
            *weight < 1e-9 || (gain - 1.0).abs() < 1e-9,
            "model {k}: {weight}, {gain}"
        );
    }
}

// Draws of weight two count as two draws. The smoothing replaces a pair of equal ratios by two neighbours on the fitted curve,
// so only the raw ratios agree exactly: a tail of fewer than five draws is not smoothed.
#[test]
fn a_draw_of_twice_the_weight_counts_twice() {
    let values = [-1.0, -2.0, -0.5, -1.5, -0.7, -1.1];
    let of = |weights: Vec<f64>, values: Vec<f64>| Pointwise {
        groups: vec![values.len()],
        weights,
        values,
        observations: 1,
        variables: vec![("y".to_owned(), 1)],
        places: Vec::new(),
    };
    let mut weights = vec![1.0 / 7.0; 6];
    weights[1] *= 2.0;
    let weighted = of(weights, values.to_vec());
    let repeated = of(vec![1.0 / 7.0; 7], [values.to_vec(), vec![-2.0]].concat());
    let (a, b) = (loo(&weighted, 1.0), loo(&repeated, 1.0));
    assert!((a.elpd() - b.elpd()).abs() < 1e-12);
    assert!((a.effective_parameters - b.effective_parameters).abs() < 1e-12);
    assert_eq!(a.pareto_k, [f64::INFINITY]);
    assert!((waic(&weighted).elpd() - waic(&repeated).elpd()).abs() < 1e-12);
    let mut dead = weighted.clone();
    dead.weights.push(0.0);
    dead.values.push(f64::NAN);
    assert!((loo(&dead, 1.0).elpd() - a.elpd()).abs() < 1e-12);
    assert!((waic(&dead).elpd() - waic(&weighted).elpd()).abs() < 1e-12);
}

#[test]
fn a_high_k_hat_is_reported_in_plain_words() {
    let mut sound = elpd(vec![-1.0, -2.0, -3.0]);
    assert_eq!(
        sound.to_string(),
        "PSIS-LOO: elpd -6.0 ± 1.4 over 3 observations, 1.0 effective parameters\nMonte Carlo error 0.010\n"
    );
    sound.pareto_k[1] = 0.93;
    assert_eq!(sound.bad(), [1]);
    let text = sound.to_string();
    assert!(
        text.contains(
            "warning: k-hat is above 0.70 for 1 of 3 observations: y[1] (0.93). Without them"
        ),
        "{text}"
    );
    sound.pareto_k[2] = f64::NAN;
    assert_eq!(sound.bad(), [1, 2]);
}

#[test]
fn evidences_stand_in_the_same_table() {
    let with = |pointwise: Vec<f64>, mean: f64| Elpd {
        log_evidence: Some(Estimate {
            mean,
            se: 0.03,
            degrees_of_freedom: 7.0,
        }),
        ..elpd(pointwise)
    };
    let (a, b) = (with(vec![-1.0, -1.5], -12.0), with(vec![-2.0, -1.0], -10.5));
    let table = compare([("a", &a), ("b", &b)]).expect("same data");
    let factor = table.rows[1]
        .log_bayes_factor
        .expect("both have an evidence");
    assert!((factor.mean - 1.5).abs() < 1e-12 && (factor.se - 0.03 * 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(table.rows[0].log_bayes_factor, None);
    let text = table.to_string();
    assert!(text.contains("log evidence  log Bayes factor"), "{text}");
    assert!(text.contains("-10.500 ± 0.030"), "{text}");
}

/// The mutations that it detects: the weights alone decide what is said; a difference of several errors is said to be none.
#[test]
fn models_that_predict_alike_are_said_to_be_indistinct() {
    let notes = |other: Vec<f64>| {
        let (a, b) = (elpd(vec![-1.0; 8]), elpd(other));
        let table = compare([("a", &a), ("b", &b)]).expect("same data");
        (table.rows[0].stacking, table.notes)
    };
    // stacking gives all to the better model however small the difference
    let (weight, close) = notes(vec![-1.001; 8]);
    assert!(weight > 0.99, "{weight}");
    assert!(
        close.len() == 1
            && close[0].starts_with("`b` cannot be told apart from `a` by predictions"),
        "{close:?}"
    );
    let scattered = vec![-21.0, 17.0, -21.0, 17.0, -21.0, 17.0, -21.0, 5.0];
    assert_eq!(notes(scattered).1.len(), 1);
    assert_eq!(notes(vec![-2.0; 8]).1, [""; 0]);
}

#[test]
fn what_cannot_be_compared_says_why() {
    let refused = |models: &[(&str, &Elpd)]| {
        let Err(Error::Comparison(error)) = compare(models.iter().copied()) else {
            panic!("they cannot be compared")
        };
        error.to_string()
    };
    let a = elpd(vec![-1.0, -2.0]);
    let longer = elpd(vec![-1.0; 3]);
    let others = Elpd {
        data: 2,
        ..a.clone()
    };
    let waic = Elpd {
        method: Method::Waic,
        ..a.clone()
    };
    assert_eq!(
        refused(&[]),
        "a comparison needs at least two models, there are 0"
    );
    assert_eq!(
        refused(&[("a", &a)]),
        "a comparison needs at least two models, there are 1"
    );
    assert_eq!(
        refused(&[("a", &a), ("a", &a)]),
        "two of the models are called `a`"
    );
    assert_eq!(
        refused(&[("a", &a), ("b", &longer)]),
        "`a` has 2 observations and `b` has 3; compare models of the same data, observed by the same statements"
    );
    assert_eq!(
        refused(&[("a", &a), ("b", &others)]),
        "`a` and `b` observe different data, so that neither their predictive densities nor their evidences can be compared; give both models the \
         same observed values, in the same order and on the same scale, with the same weights and limits of censoring"
    );
    let censored = Elpd {
        terms: Terms {
            hash: 1,
            ..Terms::default()
        },
        ..a.clone()
    };
    assert_eq!(
        refused(&[("a", &a), ("b", &censored)]),
        "`a` and `b` weight or censor the same data differently; a weighted term or the probability of an interval cannot be compared with \
         a density"
    );
    assert_eq!(
        refused(&[("a", &a), ("b", &waic)]),
        "`a` is estimated by PSIS-LOO, `b` by WAIC; use one method for all"
    );
}

/// Rows whose mean has the variance `h` in the posterior, as a regression of known variance 1 gives it (its leverage), and is 1 below the
/// datum: the importance ratios have k = h, and without the row the prediction is normal with variance 1/(1 − h). Would detect the
/// variance of the draws alone: the sums are 2.7 such errors off, and a third of them more than three.
#[test]
fn the_monte_carlo_error_covers_what_the_tails_lack() {
    const DRAWS: usize = 4000;
    let h: f64 = 0.45;
    let wanted = -0.5 * (1.0 / (1.0 - h) + (std::f64::consts::TAU / (1.0 - h)).ln());
    let normal = |x: f64| -0.5 * (x * x + std::f64::consts::TAU.ln());
    let sample = Sample::new(UsedDraws::all(&[1.0 / DRAWS as f64; DRAWS]), 1.0);
    let off = |seed: u64| {
        let mut stream = Key::new(seed, Purpose::Calibration).stream();
        let mut row = |_| {
            let draw = |_| {
                let z: f64 = stream.sample(StandardNormal);
                normal(1.0 - h.sqrt() * z)
            };
            sample.leave_out(&(0..DRAWS).map(draw).collect::<Vec<f64>>())
        };
        let rows: Vec<_> = (0..8).map(&mut row).collect();
        let names = (0..8).map(|i| format!("y[{i}]")).collect();
        let mut found = sample.elpd(names, &rows);
        let bad = found.bad();
        // bad rows are refitted
        bad.into_iter().for_each(|i| {
            found.pareto_k[i] = 0.0;
            found.pointwise[i] = wanted;
            found.left_out.replace(i, 0.0);
        });
        let found = found.with_mcse();
        (found.elpd() - 8.0 * wanted) / found.mcse
    };
    let off: Vec<f64> = (0..24).map(off).collect();
    let square = off.iter().map(|z| z * z).sum::<f64>() / off.len() as f64;
    assert!((0.1..1.2).contains(&square.sqrt()), "{off:?}");
    assert!(off.iter().all(|z| z.abs() < 3.0), "{off:?}");
}

#[test]
fn rows_without_a_variance_of_their_weights_are_refitted() {
    let mut found = elpd(vec![-1.0; 5]);
    found.pareto_k = vec![0.49, 0.51, 0.69, 0.72, f64::NAN];
    assert_eq!(found.bad(), [3, 4]);
    assert_eq!(found.to_refit(), [1, 2, 3, 4]);
    found.left_out.replace(2, 0.1);
    found.pareto_k[2] = 0.0;
    assert_eq!(found.to_refit(), [1, 3, 4]);
    // a refit whose draws were too few is made again, with more
    for _ in 0..2 {
        found.left_out.replace(3, 0.1);
        assert_eq!(found.to_refit(), [1, 3, 4]);
    }
    assert_eq!(found.left_out.refitted, [2, 3]);
}
