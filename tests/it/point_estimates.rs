//! Point estimates and Laplace approximations, against exact answers.
//!
//! Seen to detect, by mutation: the Jacobian left in (`the_scale_of_the_mode_is_chosen`), a minibatch gradient without N / M
//! (`minibatches_find_the_same_mode`), the determinant of the covariance instead of the precision
//! (`laplace_is_exact_on_a_gaussian_posterior`), the last weights for the best (`early_stopping_returns_what_is_asked_for`).

use bayes::Error;
use bayes::density::{Block, LogDensity};
use bayes::prelude::*;
use bayes::run::{Ended, FitError, Objective};

#[model]
pub(crate) fn line(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let beta = sample(Normal::new(0.0, 3.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, 0.5));
}

/// 40 rows: a line with an intercept.
pub(crate) fn data() -> (DMatrix<f64>, Vec<f64>) {
    let x = DMatrix::from_fn(
        40,
        2,
        |i, k| if k == 0 { 1.0 } else { (i as f64 * 0.7).sin() },
    );
    let y = (0..40).map(|i| 0.4 - 1.3 * x[(i, 1)] + 0.5 * (i as f64 * 1.9).cos());
    let y = y.collect();
    (x, y)
}

/// Posterior mean, precision and log evidence of `line`.
pub(crate) fn exact(x: &DMatrix<f64>, y: &[f64]) -> (DVector<f64>, DMatrix<f64>, f64) {
    let y = DVector::from_column_slice(y);
    let (n, d) = (y.len() as f64, x.ncols() as f64);
    let precision = x.transpose() * x / 0.25 + DMatrix::identity(x.ncols(), x.ncols()) / 9.0;
    let mean = precision
        .clone()
        .try_inverse()
        .expect("it is positive definite")
        * (x.transpose() * &y / 0.25);
    let exponent = y.dot(&y) / 0.25 - mean.dot(&(&precision * &mean));
    let tau = std::f64::consts::TAU.ln();
    let log_evidence = -0.5
        * (exponent + n * tau + n * 0.25f64.ln() + d * 9f64.ln() + precision.determinant().ln());
    (mean, precision, log_evidence)
}

fn close(found: &[f64], exact: &[f64], tolerance: f64) {
    assert_eq!(found.len(), exact.len());
    for (a, b) in found.iter().zip(exact) {
        assert!((a - b).abs() <= tolerance, "{found:?}, want {exact:?}");
    }
}

#[test]
fn laplace_is_exact_on_a_gaussian_posterior() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let (mean, precision, log_evidence) = exact(&x, &y);
    let fit = Inference::map().seed(1).run(&model)?;
    assert!(fit.ended().is_converged());
    close(fit.value("beta")?, mean.as_slice(), 1e-8);
    let hessian = model.hessian_at(&fit.values())?;
    assert!((hessian + &precision).abs().max() < 1e-8);
    let run = fit.laplace().draws(4000).seed(1).run(&model)?;
    let found = run.log_evidence().unwrap();
    assert!(
        (found - log_evidence).abs() < 1e-8,
        "{found}, want {log_evidence}"
    );
    // 4000 independent draws: the standard error of a standard deviation is 1.1% of it
    let covariance = precision.try_inverse().unwrap();
    for k in 0..2 {
        let sd = covariance[(k, k)].sqrt();
        assert!((run.mean("beta")?[k] - mean[k]).abs() < 4.0 * sd / 4000f64.sqrt());
        assert!((run.sd("beta")?[k] / sd - 1.0).abs() < 0.045);
    }
    let text = run.to_string();
    assert!(text.contains("laplace, 4000 draws"), "{text}");
    Ok(())
}

#[test]
fn minibatches_find_the_same_mode() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let (mean, ..) = exact(&x, &y);
    let cosine = LearningRate::cosine(0.05, 0.0);
    let adam = Inference::map().optimiser(Adam::new(cosine)).epochs(1500);
    close(
        adam.clone().run(&model)?.value("beta")?,
        mean.as_slice(),
        1e-6,
    );
    // batches of 7 leave 5 rows for the last one; the rate falls to 0, and the noise with it
    let fit = adam.clone().minibatch(7).run(&model)?;
    close(fit.value("beta")?, mean.as_slice(), 5e-3);
    assert_eq!(fit.restart().losses.len(), 1500);
    let sgd = Inference::map().optimiser(Sgd::new(LearningRate::cosine(0.05, 0.0)));
    let fit = sgd.minibatch(8).epochs(1500).run(&model)?;
    close(fit.value("beta")?, mean.as_slice(), 5e-3);
    Ok(())
}

#[model]
fn noise(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let sigma = sample(LogNormal::new(0.0, 1.0));
    observe(y, Normal::new(mu, sigma));
}

const Y: [f64; 8] = [1.3, 0.7, 2.1, 1.9, -0.4, 1.1, 0.2, 1.6];

/// The log density of `noise` as a function of its values, or of `mu` and `ln sigma`.
fn log_density([mu, sigma]: [f64; 2], jacobian: bool) -> f64 {
    let residuals: f64 = Y.iter().map(|y| ((y - mu) / sigma).powi(2)).sum();
    let log_normal = -0.5 * sigma.ln().powi(2) - sigma.ln();
    let jacobian = if jacobian { sigma.ln() } else { 0.0 };
    -0.5 * residuals - 8.0 * sigma.ln() - mu * mu / 200.0 + log_normal + jacobian
}

#[test]
fn the_scale_of_the_mode_is_chosen() -> Result<(), Error> {
    let model = noise(&Y);
    for jacobian in [false, true] {
        let fit = Inference::map().jacobian(jacobian).run(&model)?;
        let point = [fit.value("mu")?[0], fit.value("sigma")?[0]];
        let at = |k: usize, by: f64| {
            let mut moved = point;
            moved[k] += by;
            log_density(moved, jacobian)
        };
        for k in 0..2 {
            let slope = (at(k, 1e-4) - at(k, -1e-4)) / 2e-4;
            assert!(slope.abs() < 1e-4, "{jacobian}: {slope} at {point:?}");
        }
        let values = model.log_density_at(&fit.values())?;
        let wanted = values.log_prior + values.log_likelihood;
        let wanted = wanted + if jacobian { point[1].ln() } else { 0.0 };
        assert!((fit.log_density() - wanted).abs() < 1e-12 * wanted.abs());
    }
    let fit = Inference::mle().run(&model)?;
    let mean = Y.iter().sum::<f64>() / 8.0;
    let variance = Y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 8.0;
    close(
        &[fit.value("mu")?[0], fit.value("sigma")?[0]],
        &[mean, variance.sqrt()],
        1e-6,
    );
    assert_eq!(fit.objective, Objective::Likelihood);
    Ok(())
}

#[test]
fn laplace_needs_the_mode_of_the_coordinates() -> Result<(), Error> {
    let model = noise(&Y);
    let fit = Inference::map().run(&model)?;
    let Err(Error::Fit {
        source: FitError::NotAMode { promised, .. },
        ..
    }) = fit.laplace().run(&model)
    else {
        panic!("sigma has a Jacobian");
    };
    assert!(promised > 1e-3);
    let fit = Inference::map().jacobian(true).start(&fit).run(&model)?;
    assert!(fit.laplace().run(&model)?.log_evidence().is_some());
    let other = fit.laplace().run(&line(&data().0, &data().1));
    assert!(matches!(
        other,
        Err(Error::Fit {
            source: FitError::OtherModel { .. },
            ..
        })
    ));
    Ok(())
}

/// Means of groups whose spread may be 0, centred, so that the density has no bound as the spread goes to 0.
#[model]
fn centred(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfNormal::new(1.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(theta[i], 1.0));
    }
}

/// Would detect the advice to search on from a fit that ran to the edge of the space.
#[test]
fn a_fit_without_a_mode_is_answered_with_what_helps() -> Result<(), Error> {
    let model = centred(&Y);
    for (jacobian, advice) in [(true, "`.non_centred()`"), (false, "`.start(&fit)`")] {
        let fit = Inference::map().jacobian(jacobian).seed(1).run(&model)?;
        let refused = fit.laplace().run(&model).expect_err("there is no mode");
        let told = refused.to_string();
        assert!(
            told.contains(
                "the fit found none: the density still rises towards the edge of the space"
            ),
            "{told}"
        );
        assert!(
            told.contains(advice) && !told.contains("longer search"),
            "{told}"
        );
    }
    Ok(())
}

#[test]
fn early_stopping_returns_what_is_asked_for() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let map = Inference::map().adam(0.05).epochs(2000).restarts(3).seed(4);
    let map = map.validation(0.25).minibatch(5);
    let last = map.clone().run(&model)?;
    let cut = map.clone().epochs(8);
    let rule = EarlyStopping::new().keep(KeptWeights::Best);
    for restart in cut.early_stopping(rule).run(&model)?.restarts {
        let losses = &restart.validation_losses;
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!((losses.len(), restart.validation_loss()), (8, least));
    }
    let best = map
        .early_stopping(EarlyStopping::new().keep(KeptWeights::Best))
        .run(&model)?;
    for (last, best) in last.restarts.iter().zip(&best.restarts) {
        assert_eq!(last.validation_losses, best.validation_losses);
        let losses = &last.validation_losses;
        assert!(losses.len() < 2000 && losses.len() == last.losses.len());
        assert_eq!(last.ended, Ended::Stopped { kept: losses.len() });
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let lowest = losses.iter().position(|loss| *loss == least).unwrap() + 1;
        assert_eq!(best.ended, Ended::Stopped { kept: lowest });
        assert_eq!(best.validation_loss(), least);
        assert_ne!(last.position, best.position);
    }
    assert_eq!(last.settings["training_rows"], "30");
    assert_eq!(last.settings["validation_rows"], "10");
    Ok(())
}

#[test]
fn a_validation_model_stops_too() -> Result<(), Error> {
    let (x, y) = data();
    let (train, held_out) = (Y, [0.3, 1.0, 0.9]);
    let map = Inference::map().adam(0.1).epochs(3000);
    let fit = map.run_validated(&noise(&train), &noise(&held_out))?;
    assert!(matches!(fit.ended(), Ended::Stopped { .. }));
    let wide = DMatrix::from_element(3, 5, 1.0);
    let refused = map.run_validated(&line(&x, &y), &line(&wide, &held_out));
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("`beta` has 5 elements in it and 2 in the model"),
        "{text}"
    );
    Ok(())
}

#[model]
fn schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    observe(y, Normal::new(theta, sigma));
}

#[model]
fn separable(x: &[f64], y: &[bool]) {
    let slope = sample(Flat::new());
    observe(y, BernoulliLogit::new(slope * x));
}

#[test]
fn a_density_without_a_mode_is_reported() -> Result<(), Error> {
    let y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
    let sigma = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
    // the density grows without bound as tau goes to 0 with theta = mu
    let fit = Inference::map().run(&schools(&y, &sigma))?;
    assert_eq!(*fit.ended(), Ended::NoMode, "{fit}");
    // the likelihood of a separable regression has its supremum at infinity
    let fit = Inference::mle().run(&separable(&[-1.0, -0.5, 2.0], &[false, false, true]))?;
    assert_eq!(*fit.ended(), Ended::NoMode, "{fit}");
    Ok(())
}

/// `-x⁴ + x² / 2`-like wells: modes at -2 and 3; the second one is higher.
struct Wells;

impl LogDensity for Wells {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let [a, b] = [
                -(x[0] + 2.0).powi(2) / 0.5,
                -(x[0] - 3.0).powi(2) / 0.5 + 1.0,
            ];
            [0.0, a.max(b) + (-(a - b).abs()).exp().ln_1p()]
        });
    }
}

#[test]
fn restarts_find_several_modes_and_the_highest_is_the_fit() -> Result<(), Error> {
    let fit = Inference::map().restarts(20).seed(3).run_on(&Wells)?;
    let near = |mode: f64| {
        let found = fit
            .restarts
            .iter()
            .filter(|r| (r.values[0] - mode).abs() < 1e-3);
        found.count()
    };
    assert!(near(-2.0) > 0 && near(-2.0) + near(3.0) == 20, "{fit}");
    assert!((fit.value("x")?[0] - 3.0).abs() < 1e-3);
    assert_eq!(fit.split().len(), 20);
    Ok(())
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (x, y) = data();
    let model = line(&x, &y);
    let map = Inference::map().adam(0.02).epochs(30).restarts(19).seed(8);
    let map = map.minibatch(6).validation(0.2);
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| map.run(&model).unwrap())
    };
    let one = of(1);
    assert_eq!(one, of(3));
    // a restart does not depend on the number of restarts in earlier groups
    let fewer = map.clone().restarts(16).run(&model).unwrap();
    assert_eq!(one.restarts[..16], fewer.restarts[..]);
}

#[model]
fn roots(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(5.0, 1.0));
    for i in 0..y.len() {
        factor((mu - 4.0).sqrt() * y[i]);
    }
}

#[test]
fn a_loss_that_becomes_nan_names_epoch_and_statement_and_keeps_the_last_point() -> Result<(), Error>
{
    // the likelihood pulls `mu` below 4, where the root is NaN
    let model = roots(&[-8.0; 4]);
    let fit = Inference::map()
        .adam(0.05)
        .epochs(500)
        .restarts(2)
        .run(&model)?;
    let restart = fit.restart();
    let Ended::NotFinite { epoch, statement } = &restart.ended else {
        panic!("{fit}");
    };
    assert!(
        statement.contains("factor((mu - 4.0).sqrt() * y[i])"),
        "{statement}"
    );
    assert_eq!(*epoch, restart.losses.len());
    assert!(
        restart.losses[..epoch - 1]
            .iter()
            .all(|loss| loss.is_finite())
    );
    assert!(restart.values[0] > 4.0 && restart.log_density.is_finite());
    // L-BFGS shortens its steps instead
    let fit = Inference::map().run(&model)?;
    assert!(fit.log_density().is_finite());
    Ok(())
}

pub(crate) fn assert_refused<T: std::fmt::Debug, const N: usize>(
    cases: [(Result<T, Error>, &str); N],
) {
    for (found, wanted) in cases {
        let found = found.expect_err("it is out of range").to_string();
        assert!(found.starts_with(wanted), "{found}");
    }
}

#[test]
fn rows_out_of_range_are_refused_before_the_first_step() {
    let (x, y) = data();
    let model = line(&x, &y);
    let map = || Inference::map().adam(0.01);
    let share = |share: f64| map().validation(share);
    assert_refused([
        (
            map().minibatch(41).run(&model),
            "setting `minibatch` is 41, must be from 1 to 40",
        ),
        (
            map().minibatch(0).run(&model),
            "setting `minibatch` is 0, must be from 1 to 40",
        ),
        (
            share(0.5).minibatch(21).run(&model),
            "setting `minibatch` is 21, must be from 1 to 20",
        ),
        (
            share(0.01).run(&model),
            "setting `validation` is 0.01, must be a share that",
        ),
        (
            share(0.999).run(&model),
            "setting `validation` is 0.999, must be a share that",
        ),
        (
            share(1.0).run(&model),
            "setting `validation` is 1, must be above 0 and below 1",
        ),
        (
            share(0.2).run_validated(&model, &model),
            "setting `validation` is 0.2, must be left out if a validation model is given",
        ),
        (
            Inference::map().minibatch(8).run(&model),
            "setting `optimiser` is lbfgs, must be one that takes minibatches",
        ),
    ]);
}

#[test]
fn settings_out_of_range_are_refused_before_the_first_step() {
    let (x, y) = data();
    let model = line(&x, &y);
    let map = || Inference::map().adam(0.01);
    let rule = EarlyStopping::new;
    let by = |optimiser: Sgd| Inference::map().optimiser(optimiser).run(&model);
    let lbfgs = Lbfgs::new().memory(0);
    assert_refused([
        (map().epochs(0).run(&model), "setting `epochs` is 0"),
        (map().restarts(0).run(&model), "setting `restarts` is 0"),
        (
            Inference::map().adam(-0.1).run(&model),
            "setting `learning_rate` is -0.1",
        ),
        (
            by(Sgd::new(0.1).momentum(1.0)),
            "setting `momentum` is 1, must be at least 0 and below 1",
        ),
        (
            map().early_stopping(rule()).run(&model),
            "setting `early_stopping` is set, must be left out without",
        ),
        (
            map()
                .early_stopping(rule().patience(0))
                .validation(0.2)
                .run(&model),
            "setting `early_stopping: patience` is 0",
        ),
        (
            Inference::map().optimiser(lbfgs).run(&model),
            "setting `memory` is 0",
        ),
    ]);
}

#[test]
fn a_fit_is_saved_and_starts_another() -> Result<(), Error> {
    let (x, y) = data();
    let model = line(&x, &y);
    let fit = Inference::map()
        .adam(0.05)
        .epochs(20)
        .restarts(2)
        .run(&model)?;
    let mut text = Vec::new();
    fit.to_json(&mut text)?;
    let back = Fit::from_json(std::str::from_utf8(&text).expect("JSON is text"))?;
    assert_eq!(back, fit);
    let further = Inference::map().start(&back).run(&model)?;
    assert_eq!(further.restarts.len(), 2);
    assert!(further.log_density() > fit.log_density() && further.ended().is_converged());
    Ok(())
}
