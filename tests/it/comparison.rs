//! Cross-validation of runs against exact leave-one-out densities of a conjugate model.
//!
//! Mutations that these tests were seen to detect: the weights of the draws left out of the importance ratios; the refit on all
//! rows; folds whose terms are stored in the order of the parts; the transform of the observation's neighbour.

use bayes::comparison::{Elpd, Method};
use bayes::prelude::*;
use bayes::run::{GroupKind, Independent, Origin};

#[model]
fn mean(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu, 1.0));
    }
}

#[model]
fn wide(y: &[f64], spread: f64) {
    let mu = sample(Normal::new(0.0, spread));
    observe(y, Normal::new(mu, 1.0));
}

const Y: [f64; 8] = [0.3, -0.6, 1.4, 0.9, -1.2, 0.1, 2.0, 0.7];

/// Mean and standard deviation of the prediction of `y[i]` from the others.
fn exact(y: &[f64], i: usize) -> (f64, f64) {
    let precision = 0.25 + (y.len() - 1) as f64;
    let mean = (y.iter().sum::<f64>() - y[i]) / precision;
    (mean, (1.0 + 1.0 / precision).sqrt())
}

fn log_density(y: &[f64], i: usize) -> f64 {
    let (mean, sd) = exact(y, i);
    -0.5 * ((y[i] - mean) / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

/// Asserts every term within `tolerance`, and the sum within five of its Monte Carlo errors.
#[track_caller]
fn assert_exact(found: &Elpd, y: &[f64], tolerance: f64) {
    let wanted: Vec<f64> = (0..y.len()).map(|i| log_density(y, i)).collect();
    for (i, (found, wanted)) in found.pointwise.iter().zip(&wanted).enumerate() {
        assert!(
            (found - wanted).abs() < tolerance,
            "{i}: {found} and {wanted}"
        );
    }
    if found.mcse.is_finite() {
        let (sum, wanted) = (found.elpd(), wanted.iter().sum::<f64>());
        assert!(
            (sum - wanted).abs() < 5.0 * found.mcse,
            "{sum} and {wanted} ± {}",
            found.mcse
        );
    }
}

#[test]
fn leave_one_out_of_islands_and_of_chains_is_exact() {
    let model = mean(&Y);
    let islands = Inference::psmc()
        .islands(8)
        .particles(256)
        .seed(1)
        .progress(false);
    let chains = Inference::nuts().draws(4000).seed(1).progress(false);
    let islands = islands.run(&model).expect("the model is sound");
    let chains = chains.run(&model).expect("the model is sound");
    for run in [&islands, &chains] {
        let loo = run.loo(&model).expect("the same model");
        assert!(loo.bad().is_empty() && loo.mcse < 0.05, "{loo}");
        // the error of the mean is 0.005, which changes the term of the farthest observation by 0.0075
        assert_exact(&loo, &Y, 0.03);
        assert!((loo.effective_parameters - 0.95).abs() < 0.6, "{loo}");
        // WAIC is close to LOO if LOO is good
        let waic = run.waic(&model).expect("the same model");
        assert!((waic.elpd() - loo.elpd()).abs() < 0.2, "{waic}");
    }
    assert!(
        islands
            .loo(&model)
            .expect("the same model")
            .log_evidence
            .is_some()
    );
    let loos = [&islands, &chains].map(|run| run.loo(&model).expect("the same model"));
    let same = compare([("psmc", &loos[0]), ("nuts", &loos[1])]).expect("the same data");
    let text = same.to_string();
    let named = [
        "note: `psmc` and `nuts` are one model",
        "note: `nuts` and `psmc` are one model",
    ];
    assert!(named.iter().any(|note| text.contains(note)), "{text}");
    let other = Inference::nuts()
        .seed(1)
        .progress(false)
        .run(&wide(&Y, 3.0));
    let other = other.expect("the model is sound").loo(&wide(&Y, 3.0));
    let others = compare([
        ("psmc", &loos[0]),
        ("wide", &other.expect("the same model")),
    ]);
    let notes = others.expect("the same data").notes;
    assert!(
        !notes.iter().any(|note| note.contains("one model")),
        "{notes:?}"
    );
    assert_eq!(
        chains.loo(&model).expect("the same model").log_evidence,
        None
    );
}

// Draws from the posterior of the first six observations, weighted by the likelihood of the last two, are draws from the
// posterior of all observations. Without weights the terms would be off by up to 0.3.
#[test]
fn leave_one_out_of_weighted_draws_is_exact() {
    let model = mean(&Y);
    let first = model
        .subset(&[0, 1, 2, 3, 4, 5])
        .expect("it has eight rows");
    let engine = Inference::nuts().draws(2000).seed(2).progress(false);
    let mut run = engine.run(&first).expect("the model is sound");
    let mu = run.map_draws(|draw| draw.scalar("mu"));
    for (group, mu) in run.groups.iter_mut().zip(&mu) {
        let weight = |mu: &f64| -0.5 * (Y[6] - mu).powi(2) - 0.5 * (Y[7] - mu).powi(2);
        group.origin = Origin::Independent(Independent {
            log_weights: mu.iter().map(weight).collect(),
            ..Independent::default()
        });
        // the log likelihoods are those of six observations
        group.log_likelihood.clear();
    }
    run.kind = GroupKind::Independent;
    // and so are the observed values
    run.observed_data.clear();
    let loo = run.loo(&model).expect("the same quantities");
    assert!(loo.bad().is_empty(), "{loo}");
    assert_exact(&loo, &Y, 0.02);
    for group in &mut run.groups {
        group.origin = Origin::Independent(Independent::default());
    }
    let unweighted = run.loo(&model).expect("the same quantities");
    let off = (0..8).map(|i| (unweighted.pointwise[i] - log_density(&Y, i)).abs());
    assert!(off.fold(0.0, f64::max) > 0.05);
}

/// Data with an outlier: its importance ratios have hardly any finite moments.
const FAR: [f64; 6] = [0.3, -0.6, 0.4, 0.9, 8.0, 0.1];

#[test]
fn a_bad_observation_is_named_and_refitted_exactly() {
    let model = mean(&FAR);
    let engine = |seed| Inference::nuts().draws(500).seed(seed).progress(false);
    let run = engine(1).run(&model).expect("the model is sound");
    let loo = run.loo(&model).expect("the same model");
    assert_eq!(loo.bad(), [4], "{loo}");
    assert!(
        loo.to_string()
            .contains("k-hat is above 0.70 for 1 of 6 observations: y[4] ("),
        "{loo}"
    );
    assert!(loo.mcse.is_nan());
    let refitted = loo
        .refit(&model, |others| engine(2).draws(4000).run(others))
        .expect("one row each");
    assert!(refitted.bad().is_empty() && refitted.warnings().is_empty());
    // the log of a mean over 16000 draws of a density in its far tail: its error is 0.2
    let off = refitted.pointwise[4] - log_density(&FAR, 4);
    assert!(off.abs() < 0.8, "{off}");
    let others = [0, 1, 2, 3, 5].map(|i| (refitted.pointwise[i] - log_density(&FAR, i)).abs());
    assert!(others.iter().all(|off| *off < 0.1), "{others:?}");
}

/// Methods about the run's own data refuse other data, and other models with the same quantities.
#[test]
fn other_data_and_other_likelihoods_are_refused() {
    #[model]
    fn robust(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 2.0));
        observe(y, StudentT::new(4.0, mu, 1.0));
    }
    let run = Inference::nuts().chains(2).draws(100).seed(1);
    let run = run.progress(false).run(&mean(&Y)).expect("it is valid");
    let mut other = Y;
    other[3] += 0.1;
    let mut turned = Y;
    turned.reverse();
    let values = "it observes other values than the run did";
    let density = "it is not the model of the run with the data of the run: the log likelihood of draw 0 of chain 0 is -";
    let texts = [
        (values, run.loo(&mean(&other)).map(drop)),
        (values, run.waic(&mean(&other)).map(drop)),
        (values, run.loo_pit(&mean(&other), "y").map(drop)),
        (values, run.loo(&mean(&Y[..4])).map(drop)),
        (values, run.loo(&mean(&turned)).map(drop)),
        (density, run.loo(&robust(&Y)).map(drop)),
    ];
    for (told, refused) in texts {
        let text = refused.expect_err("it is another").to_string();
        assert!(text.contains(told), "{text}");
    }
    // without a hash, as in a file of an older version, the densities decide
    let mut old = run.clone();
    old.observed_data.clear();
    let refused = old.loo(&mean(&other)).expect_err("another value");
    assert!(refused.to_string().contains(density), "{refused}");
    // the same densities by other statements are accepted
    run.loo(&wide(&Y, 2.0)).expect("it is the same density");
    // predictions may use other data
    run.predict(mean(&other)).expect("it has the quantities");
}

#[test]
fn as_many_folds_as_rows_leave_one_out() {
    let model = mean(&Y);
    let infer = |others: &Subset<'_, _>| {
        Inference::nuts()
            .chains(2)
            .draws(1000)
            .seed(4)
            .progress(false)
            .run(others)
    };
    let found = k_fold(&model, 8, 3, infer).expect("one row each");
    assert_eq!(
        (found.method, found.names[7].as_str()),
        (Method::KFold, "y[7]")
    );
    assert_exact(&found, &Y, 0.05);
    let loo = infer(&model.subset(&[0, 1, 2, 3, 4, 5, 6, 7]).expect("all rows")).expect("sound");
    let loo = loo.loo(&model).expect("the same quantities");
    let error = compare([("loo", &loo), ("k-fold", &found)]).expect_err("two methods");
    assert!(
        error.to_string().contains("use one method for all"),
        "{error}"
    );
}

#[test]
fn transforms_are_those_of_the_exact_predictions() {
    let model = mean(&Y);
    let engine = Inference::nuts().draws(2000).seed(3).progress(false);
    let run = engine.run(&model).expect("the model is sound");
    let found = run.loo_pit(&model, "y").expect("it is observed");
    for (i, found) in found.iter().enumerate() {
        let (mean, sd) = exact(&Y, i);
        let wanted = Normal::new(mean, sd).cdf(Y[i]);
        // the binomial error of 8000 new observations is at most 0.006; their weights double it
        assert!((found - wanted).abs() < 0.03, "{i}: {found} and {wanted}");
    }
    let error = run.loo_pit(&model, "z").expect_err("no such name");
    assert!(
        error.to_string().contains("it does not observe `z`"),
        "{error}"
    );
}

#[test]
fn rows_with_other_numbers_of_observations_are_refused() {
    #[model]
    fn pairs(#[rows] y: &[f64], #[rows] z: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        for i in 0..y.len() {
            observe(y[i], Normal::new(mu, 1.0));
            observe(z[i], Normal::new(mu, 1.0));
            observe(z[i], Normal::new(mu, 2.0));
        }
    }
    let model = pairs(&Y, &Y);
    let error = k_fold(&model, 2, 1, |others| Inference::nuts().run(others)).expect_err("z twice");
    assert_eq!(
        error.to_string(),
        "`z` has 16 observations for 8 rows; leaving out rows needs one observation of it in each row"
    );
}

#[model]
fn visits(n: &[u64], y: &[u64]) {
    let p = sample(Beta::new(1.0, 1.0));
    for i in 0..n.len() {
        observe(y[i], Binomial::new(n[i], p));
    }
}

#[test]
fn an_observation_that_says_nothing_is_no_trouble() {
    let model = visits(&[5, 0, 4, 6], &[2, 0, 1, 3]);
    // islands with other weights
    let engine = Inference::psmc().islands(8).particles(16).seed(1);
    let run = engine.run(&model).expect("the model is sound");
    let loo = run.loo(&model).expect("the data are possible");
    assert_eq!(loo.pareto_k[1], 0.0);
    assert!(loo.pointwise[1].abs() < 1e-12, "{}", loo.pointwise[1]);
}
