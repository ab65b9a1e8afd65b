//! Anchored posteriors, against the conjugate answers.
//!
//! Seen to detect, by mutation: standard deviations scaled by the root of s where `ScaleMode::StdDev` asks for s.

use bayes::Error;
use bayes::density::{Anchored, Block, LogDensity, Posterior};
use bayes::engine::ScaleMode;
use bayes::prelude::*;
use bayes::run::FitError;

#[model]
fn line(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let beta = sample(Normal::new(0.5, 3.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, 2.0));
}

fn data() -> (DMatrix<f64>, Vec<f64>) {
    let x = DMatrix::from_fn(
        12,
        2,
        |i, k| if k == 0 { 1.0 } else { (i as f64 * 0.7).sin() },
    );
    let y = (0..12).map(|i| 1.4 - 2.3 * x[(i, 1)] + (i as f64 * 1.9).cos());
    let y = y.collect();
    (x, y)
}

/// Mean, covariance and log evidence under the prior `N(centre, variance I)`: equation 1 of the acceptance tests of SBMC,
/// `Σ = (I / (s v) + XᵀX / σ²)⁻¹`, mean `Σ (centre / (s v) + Xᵀy / σ²)`.
fn exact(centre: &[f64], variance: f64) -> (DVector<f64>, DMatrix<f64>, f64) {
    let (x, y) = data();
    let (y, centre) = (DVector::from_vec(y), DVector::from_column_slice(centre));
    let precision = x.transpose() * &x / 4.0 + DMatrix::identity(2, 2) / variance;
    let covariance = precision
        .clone()
        .try_inverse()
        .expect("it is positive definite");
    let mean = &covariance * (&centre / variance + x.transpose() * &y / 4.0);
    let squares =
        y.dot(&y) / 4.0 + centre.dot(&centre) / variance - mean.dot(&(&precision * &mean));
    let logs = 12.0 * (std::f64::consts::TAU * 4.0).ln() + 2.0 * variance.ln();
    let log_evidence = -0.5 * (squares + logs + precision.determinant().ln());
    (mean, covariance, log_evidence)
}

/// A fit that is not at the mode, so that the anchor moves the posterior.
fn anchor() -> Fit {
    let (x, y) = data();
    let map = Inference::map().adam(0.3).epochs(4).restarts(2);
    map.seed(5)
        .progress(false)
        .run(&line(&x, &y))
        .expect("it runs")
}

fn near(found: f64, se: f64, exact: f64, most: f64) {
    assert!(se < most, "the error is {se}, want below {most}");
    assert!(
        (found - exact).abs() < 4.0 * se,
        "{found} ± {se}, exactly {exact}"
    );
}

/// Asserts that a run has the conjugate moments, and the evidence if it has one.
fn check(run: &Run, centre: &[f64], variance: f64) -> Result<(), Error> {
    let (mean, covariance, log_evidence) = exact(centre, variance);
    let means = run.mean_estimates("beta")?;
    for k in 0..2 {
        near(means[k].mean, means[k].se, mean[k], 0.06);
        let square = run.estimate(|draw| (draw.vector("beta")[k] - mean[k]).powi(2));
        near(square.mean, square.se, covariance[(k, k)], 0.06);
    }
    if let (Some(found), Some(se)) = (run.log_evidence(), run.log_evidence_se()) {
        near(found, se, log_evidence, 0.1);
    }
    Ok(())
}

#[test]
fn anchored_posteriors_are_the_conjugate_ones_by_every_engine() -> Result<(), Error> {
    let (x, y) = data();
    let (model, fit) = (line(&x, &y), anchor());
    let centre = fit.position();
    for s in [0.1, 0.7] {
        let psmc = Inference::psmc().anchor(&fit, s).seed(1).progress(false);
        check(&psmc.run(&model)?, centre, 9.0 * s)?;
        let nuts = Inference::nuts()
            .anchor(&fit, s)
            .draws(2000)
            .seed(2)
            .progress(false);
        check(&nuts.run(&model)?, centre, 9.0 * s)?;
    }
    // HMC∥: the last states of many short, independent chains
    let hmc = Inference::hmc().chains(1024).burn_in(200).draws(1);
    let run = hmc.anchor(&fit, 0.1).seed(3).progress(false).run(&model)?;
    let (mean, covariance, _) = exact(centre, 0.9);
    for k in 0..2 {
        let se = (covariance[(k, k)] / 1024.0).sqrt();
        near(run.mean("beta")?[k], se, mean[k], 0.06);
    }
    let smc = Inference::smc()
        .particles(2048)
        .kernel(Pcn::new())
        .anchor(&fit, 0.1);
    let run = smc
        .scale_mode(ScaleMode::StdDev)
        .seed(4)
        .progress(false)
        .run(&model)?;
    let (mean, ..) = exact(centre, 0.09);
    for k in 0..2 {
        assert!((run.mean("beta")?[k] - mean[k]).abs() < 0.03, "{run}");
    }
    assert_eq!(run.settings["anchor_scale_mode"], "StdDev");
    Ok(())
}

#[test]
fn at_scale_one_the_run_is_the_ordinary_one_to_the_last_bit() -> Result<(), Error> {
    let (x, y) = data();
    let (model, fit) = (line(&x, &y), anchor());
    let plain = Inference::psmc().particles(32).seed(1).progress(false);
    let anchored = plain.clone().anchor(&fit, 1.0).run(&model)?;
    assert_eq!(anchored.draws("beta")?, plain.run(&model)?.draws("beta")?);
    let plain = Inference::hmc().chains(4).draws(20).seed(1).progress(false);
    let anchored = plain.clone().anchor(&fit, 1.0).run(&model)?;
    assert_eq!(anchored.draws("beta")?, plain.run(&model)?.draws("beta")?);
    Ok(())
}

#[test]
fn at_a_small_scale_all_draws_are_near_the_fit() -> Result<(), Error> {
    let (x, y) = data();
    let (model, fit) = (line(&x, &y), anchor());
    let run = Inference::psmc()
        .anchor(&fit, 1e-6)
        .seed(1)
        .progress(false)
        .run(&model)?;
    let sd = (9e-6f64).sqrt();
    for draw in run.draws("beta")?.rows() {
        for (found, centre) in draw.iter().zip(fit.position()) {
            assert!((found - centre).abs() < 6.0 * sd, "{found}, {centre}");
        }
    }
    Ok(())
}

#[test]
fn islands_with_anchors_of_their_own_sample_the_mixture() -> Result<(), Error> {
    let (x, y) = data();
    let (model, fits) = (line(&x, &y), anchor().split());
    assert_ne!(fits[0].position(), fits[1].position());
    let psmc = Inference::psmc().islands(8).anchors(&fits, 0.05);
    let run = psmc.seed(6).progress(false).run(&model)?;
    let parts: Vec<_> = fits.iter().map(|fit| exact(fit.position(), 0.45)).collect();
    for group in &run.groups {
        let (_, _, log_evidence) = &parts[group.index as usize % 2];
        let found = group.log_evidence().expect("it is an island");
        // the islands' log evidences of this problem vary by about 0.1
        assert!(
            (found - log_evidence).abs() < 0.6,
            "{found}, want {log_evidence}"
        );
    }
    let largest = parts[0].2.max(parts[1].2);
    let weights = parts.iter().map(|part| (part.2 - largest).exp());
    let weights: Vec<f64> = weights.collect();
    let total: f64 = weights.iter().sum();
    for k in 0..2 {
        let mean = (weights[0] * parts[0].0[k] + weights[1] * parts[1].0[k]) / total;
        assert!((run.mean("beta")?[k] - mean).abs() < 0.1, "{run}\n{mean}");
    }
    Ok(())
}

#[model]
fn funnel(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let theta = sample(Normal::new(mu, 1.0).iid(y.len()));
    observe(y, Normal::new(theta, 1.0));
}

/// A density without a prior.
struct Hill;

impl LogDensity for Hill {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -x[0] * x[0]]);
    }
}

#[test]
fn anchors_that_do_not_suit_are_refused() -> Result<(), Error> {
    let (x, y) = data();
    let (model, fit) = (line(&x, &y), anchor());
    let refusal = |result: Result<Run, Error>| result.expect_err("it does not suit").to_string();
    for s in [0.0, -0.5, 1.5, f64::NAN] {
        let found = refusal(Inference::psmc().anchor(&fit, s).run(&model));
        assert_eq!(
            found,
            format!("setting `anchor` is {s}, must be above 0 and at most 1")
        );
        let found = refusal(Inference::nuts().anchor(&fit, s).run(&model));
        assert_eq!(
            found,
            format!("setting `anchor` is {s}, must be above 0 and at most 1")
        );
    }
    let found = refusal(Inference::psmc().anchors(&[], 0.1).run(&model));
    assert_eq!(found, "setting `anchors` is 0, must be at least 1 fit");
    let wide = DMatrix::from_element(12, 3, 1.0);
    // also at s = 1, where the fit is not used
    for s in [0.1, 1.0] {
        let found = refusal(Inference::psmc().anchor(&fit, s).run(&line(&wide, &y)));
        assert!(
            found.contains("`beta` has 2 elements in it and 3 in the model"),
            "{found}"
        );
        let found = refusal(Inference::nuts().anchor(&fit, s).run(&funnel(&y)));
        assert!(found.contains("the fit is of the model `line`"), "{found}");
    }
    let fit = Inference::map().run(&funnel(&y))?;
    let found = Inference::psmc().anchor(&fit, 0.1).run(&funnel(&y));
    let Err(Error::Fit {
        source: FitError::Prior { quantity },
        ..
    }) = found
    else {
        panic!("theta depends on mu");
    };
    assert!(quantity.starts_with("the prior of `theta`"), "{quantity}");
    assert!(
        quantity.ends_with("depends on other random values"),
        "{quantity}"
    );
    let fit = Inference::map().run_on(&Hill)?;
    let found = refusal(Inference::nuts().anchor(&fit, 0.1).run_on(&Hill));
    assert!(found.contains("has no prior"), "{found}");
    let posterior = Posterior::new(&model, 0)?;
    let density: Result<Anchored<'_>, Error> = Anchored::new(&posterior, &[0.0; 2], -1.0);
    assert!(density.is_err());
    Ok(())
}

/// Log predictive densities of the last four rows under the posterior of the first eight and the prior `N(centre, variance I)`, summed.
fn exact_elpd(centre: &[f64], variance: f64) -> f64 {
    let (x, y) = data();
    let (seen, centre) = (
        x.rows(0, 8).into_owned(),
        DVector::from_column_slice(centre),
    );
    let precision = seen.transpose() * &seen / 4.0 + DMatrix::identity(2, 2) / variance;
    let covariance = precision.try_inverse().expect("it is positive definite");
    let moment = seen.transpose() * DVector::from_column_slice(&y[..8]) / 4.0;
    let mean = &covariance * (centre / variance + moment);
    let term = |i: usize| {
        let row = x.row(i).transpose();
        let spread = 4.0 + row.dot(&(&covariance * &row));
        let squares = (y[i] - row.dot(&mean)).powi(2) / spread;
        -0.5 * (squares + (std::f64::consts::TAU * spread).ln())
    };
    (8..12).map(term).sum()
}

#[test]
fn the_scale_is_chosen_by_held_out_data() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let (training, held_out) = (
        model.subset(&[0, 1, 2, 3, 4, 5, 6, 7])?,
        model.subset(&[8, 9, 10, 11])?,
    );
    let fit = anchor();
    let scales = [0.001, 0.03, 1.0];
    let choice = choose(scales, &held_out, |s| {
        let nuts = Inference::nuts().anchor(&fit, *s).draws(2000).seed(7);
        nuts.progress(false).run(&training)
    })?;
    // at s = 1 the centre is the mean of the model's own prior
    let exact =
        scales.map(|s| exact_elpd(if s < 1.0 { fit.position() } else { &[0.5, 0.5] }, 9.0 * s));
    let best = (0..3).max_by(|a, b| exact[*a].total_cmp(&exact[*b]));
    assert_eq!(
        choice.setting,
        scales[best.expect("there are three")],
        "{exact:?}"
    );
    for (s, exact) in scales.iter().zip(exact) {
        let mut rows = choice.comparison.rows.iter();
        let row = rows
            .find(|row| row.name == s.to_string())
            .expect("it was tried");
        // 8000 draws: the Monte Carlo error of each of four terms is about 0.005
        assert!(
            (row.elpd - exact).abs() < 0.04,
            "{s}: {}, exactly {exact}",
            row.elpd
        );
    }
    assert_eq!(
        choice.run.settings.get("anchor_scale"),
        Some(&format!("{:?}", choice.setting))
    );
    let one = choose([0.1], &held_out, |s| {
        Inference::nuts().anchor(&fit, *s).run(&training)
    });
    let refused = one.expect_err("there is nothing to choose").to_string();
    assert!(refused.contains("at least two"), "{refused}");
    Ok(())
}
