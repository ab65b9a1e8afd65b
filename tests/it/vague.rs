//! Priors so vague that numbers overflow at most draws.

use bayes::diagnose::Warning;
use bayes::prelude::*;

#[model]
fn shares(y: &[f64]) {
    let a = sample(Normal::new(0.0, 1e4).iid(y.len()));
    for i in 0..y.len() {
        // infinity over infinity beyond 709, as for 47% of the draws of `a[i]`
        observe(y[i], Normal::new(a[i].exp() / (1.0 + a[i].exp()), 0.05));
    }
}

const Y: [f64; 4] = [0.3, 0.5, 0.6, 0.45];

/// The posterior mean of one logit under a flat prior, by sums over a fine grid.
fn mean_of_logit(y: f64) -> f64 {
    let grid = (-4000..4000).map(|i| f64::from(i) * 1e-3);
    let weighted = grid.map(|a| {
        let share = 1.0 / (1.0 + (-a).exp());
        let weight = (-0.5 * ((y - share) / 0.05).powi(2)).exp();
        [weight, a * weight]
    });
    let [total, moment] = weighted.fold([0.0; 2], |[s, t], [w, aw]| [s + w, t + aw]);
    moment / total
}

#[test]
fn a_model_with_numbers_near_zero_is_not_refused_for_its_prior_draws() {
    let run = Inference::nuts().seed(1).progress(false).run(&shares(&Y));
    let run = run.expect("its density is finite where chains start");
    let row = |i: usize| {
        let summary = run.summary();
        summary
            .row(&format!("a[{i}]"))
            .expect("it is there")
            .clone()
    };
    for (i, y) in Y.into_iter().enumerate() {
        let (found, wanted) = (row(i), mean_of_logit(y));
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.mcse,
            "a[{i}]: {} instead of {wanted}",
            found.mean
        );
        assert!(found.r_hat < 1.02, "a[{i}]: R-hat {}", found.r_hat);
    }
}

#[test]
fn engines_that_begin_with_prior_draws_refuse_it() {
    let errors = [
        Inference::smc().run(&shares(&Y)),
        Inference::psmc().run(&shares(&Y)),
        Inference::nested().run(&shares(&Y)),
        Inference::tempering().run(&shares(&Y)),
    ];
    for error in errors.map(|outcome| outcome.expect_err("it has no density there").to_string()) {
        assert!(error.contains("`mean` at index"), "{error}");
        assert!(error.contains("of 10 prior draws"), "{error}");
        assert!(error.contains("use a narrower prior"), "{error}");
    }
}

#[model]
fn never(y: &[f64]) {
    let a = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new((-a.square() - 1.0).sqrt(), 1.0));
}

#[test]
fn a_model_without_numbers_anywhere_is_refused() {
    let run = Inference::nuts().run(&never(&[0.1]));
    let told = run.expect_err("the root of a number below 0").to_string();
    assert!(told.contains("`mean` is NaN"), "{told}");
    assert!(!told.contains("near 0"), "{told}");
}

/// A datum in the tail of its prior, where no prior draw is.
#[model]
fn far(y: f64) {
    let mu = sample(Cauchy::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
}

/// Tempering loses the tail before the likelihood counts, and its evidence is e^4000 too small. The mutation that the test detects: masses
/// relative to the evidence of the run, which overflow.
#[test]
fn the_evidence_of_a_datum_beyond_all_prior_draws_is_named() {
    let y = 1e7;
    let engine = Inference::psmc().islands(2).particles(64).seed(1);
    let run = engine.progress(false).run(&far(y));
    let run = run.expect("a posterior");
    let named = run
        .warnings()
        .into_iter()
        .find_map(|warning| match &warning {
            Warning::MissedMass(found) => Some((found.with_it, warning.to_string())),
            _ => None,
        });
    let ([named, se], text) = named.expect("the mode is found by climbs");
    assert!(text.contains("their mass is not in the evidence"), "{text}");
    // the density of the prior at the datum, which does not change within a few units
    let right = -(std::f64::consts::PI * (1.0 + y * y)).ln();
    assert!(
        se < 0.1 && (named - right).abs() < 4.0 * se,
        "{named} ± {se}"
    );
}
