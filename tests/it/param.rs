//! `param`, from the macro to predictions; the mutations that tests were seen to detect are listed with the engine's, in
//! `bayes-core/src/engine/fit/marginal/tests.rs`.

use bayes::prelude::*;
use bayes::run::Ended;

/// Random effects with a learnt scale.
#[model]
fn effects(groups: usize, #[rows] group: &[usize], #[rows] y: &[f64]) {
    let tau = param(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(groups));
    for i in 0..y.len() {
        observe(y[i], Normal::new(tau * z[group[i]], 1.0));
    }
}

/// Six groups of four observations.
fn fixture() -> (Vec<usize>, Vec<f64>) {
    let group: Vec<usize> = (0..24).map(|i| i % 6).collect();
    let y = group.iter().enumerate();
    let y = y.map(|(i, g)| 2.5 * (1.7 * *g as f64).sin() + 0.8 * (2.3 * i as f64).cos());
    (group.clone(), y.collect())
}

/// The means of the groups.
fn means(y: &[f64]) -> Vec<f64> {
    (0..6)
        .map(|g| y.iter().skip(g).step_by(6).sum::<f64>() / 4.0)
        .collect()
}

#[test]
fn the_scale_of_random_effects_is_that_of_the_closed_form() {
    let (group, y) = fixture();
    let model = effects(6, &group, &y);
    // ȳ_g ~ N(0, τ² + 1/4), whose likelihood is highest at the mean square
    let square = means(&y).iter().map(|m| m * m).sum::<f64>() / 6.0;
    let exact = (square - 0.25).sqrt();
    let engine = Inference::sgsmc()
        .particles(300)
        .epochs(60)
        .optimiser(Adam::new(LearningRate::cosine(0.1, 0.001)))
        .seed(2);
    let learnt = engine.run(&model).expect("it can be learnt");
    let tau = learnt.fit.value("tau").expect("it is learnt")[0];
    // the noise of ln τ from one step is 0.02, and the last steps average over some twenty
    assert!((tau / exact - 1.0).abs() < 0.03, "{tau}, {exact}");
    assert_eq!(*learnt.fit.ended(), Ended::AllEpochs);
    let text = learnt.to_string();
    assert!(text.starts_with("effects: maximum of the marginal likelihood by adam"));

    // every engine runs on the model with it; z_g | y is Gaussian
    let fixed = model.with_params(&learnt.values()).expect("they fit");
    let run = Inference::nuts()
        .chains(4)
        .draws(500)
        .seed(1)
        .run(&fixed)
        .expect("all is sampled");
    let (found, particles) = (
        run.mean("z").expect("z"),
        learnt.particles.mean("z").expect("z"),
    );
    let precision = 1.0 + 4.0 * tau * tau;
    for (g, mean) in means(&y).iter().enumerate() {
        let exact = 4.0 * tau * mean / precision;
        let sd = precision.powf(-0.5);
        // 2000 draws, and 300 particles with an effective third; the particles do not include the last step of the params
        assert!((found[g] - exact).abs() < 4.0 * sd / 1000f64.sqrt(), "{g}");
        assert!(
            (particles[g] - exact).abs() < 4.0 * sd / 10.0,
            "{g}: {}, {exact}",
            particles[g]
        );
    }
    let prediction = learnt
        .particles
        .predict(&fixed)
        .expect("the quantities are the same");
    assert_eq!(prediction.draws("y").expect("y").elements, 24);
}

#[test]
fn the_params_of_the_lowest_validation_loss_are_kept() {
    let (group, y) = fixture();
    let model = effects(6, &group, &y);
    let engine = Inference::ohsmc()
        .particles(128)
        .epochs(5)
        .minibatch(4)
        .adam(0.2)
        .seed(3);
    let learnt = engine
        .clone()
        .validation(0.25)
        .run(&model)
        .expect("it can be learnt");
    let Ended::Stopped { kept } = *learnt.fit.ended() else {
        panic!("{:?}", learnt.fit.ended());
    };
    let losses = &learnt.fit.restart().validation_losses;
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!((losses.len(), losses[kept - 1]), (5, least));
    // the loss of the kept particles is the loss of the mixture of all of them
    let other = engine
        .run_validated(&model, &model)
        .expect("it can be learnt");
    let fixed = model.with_params(&other.values()).expect("they fit");
    let prediction = other
        .particles
        .predict(&fixed)
        .expect("the quantities are the same");
    let terms = prediction.log_likelihood().expect("all data are possible");
    let mean = terms.log_predictive_densities().iter().sum::<f64>() / 24.0;
    assert!((other.fit.restart().validation_loss() + mean).abs() < 1e-12);
    let again = engine
        .run_validated(&model, &model)
        .expect("it can be learnt");
    assert_eq!(again.fit, other.fit);
    let refused = engine.clone().validation(0.2).run_validated(&model, &model);
    assert_eq!(
        refused.expect_err("two validations").to_string(),
        "setting `validation` is 0.2, must be left out if a validation model is given"
    );
    let refused = engine.minibatch(25).run(&model).expect_err("too many rows");
    assert_eq!(
        refused.to_string(),
        "setting `minibatch` is 25, must be from 1 to 24, the number of training rows"
    );
}

/// Two observed variables, one with two observations in each row, and a constant in every evaluation.
#[model]
fn pairs(#[rows] x: &[f64], #[rows] y: &DMatrix<f64>, constant: f64) {
    let tau = param(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(2));
    observe(x, Normal::new(z[0] - z[1], tau));
    for i in 0..y.nrows() {
        for k in 0..2 {
            observe(y[(i, k)], Normal::new(z[k], 1.0));
        }
    }
    factor(constant * z[0]);
}

/// The same without the factor.
#[model]
fn plain_pairs(#[rows] x: &[f64], #[rows] y: &DMatrix<f64>) {
    let tau = param(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0).iid(2));
    observe(x, Normal::new(z[0] - z[1], tau));
    for i in 0..y.nrows() {
        for k in 0..2 {
            observe(y[(i, k)], Normal::new(z[k], 1.0));
        }
    }
}

/// The loss of held-out rows: one pass through the model if its likelihood consists of observations, row by row if it has a factor. Both
/// are computed by hand from the particles. Seen to detect: terms assigned to rows in turn, a missing factor.
#[test]
fn the_validation_loss_is_that_of_the_rows() {
    let x: Vec<f64> = (0..9).map(|i| (1.3 * i as f64).sin()).collect();
    let y = DMatrix::from_fn(9, 2, |i, k| (0.7 * i as f64 + 2.0 * k as f64).cos());
    let engine = Inference::ohsmc()
        .particles(40)
        .epochs(3)
        .minibatch(3)
        .seed(5);
    let by_hand = |learnt: &Learnt, constant: f64| {
        let tau = learnt.fit.value("tau").expect("it is learnt")[0];
        let normal = |x: f64, mean: f64, scale: f64| {
            -0.5 * ((x - mean) / scale).powi(2) - (scale * std::f64::consts::TAU.sqrt()).ln()
        };
        let row = |i: usize| {
            let draws = learnt.particles.draws("z").expect("it is sampled");
            let terms = draws.rows().zip(&draws.weights).map(|(z, weight)| {
                let pair = normal(y[(i, 0)], z[0], 1.0) + normal(y[(i, 1)], z[1], 1.0);
                weight * (pair + normal(x[i], z[0] - z[1], tau) + constant * z[0]).exp()
            });
            terms.sum::<f64>().ln()
        };
        -(0..9).map(row).sum::<f64>() / 9.0
    };
    let model = plain_pairs(&x, &y);
    let plain = engine.run_validated(&model, &model).expect("it is learnt");
    let (found, wanted) = (plain.fit.restart().validation_loss(), by_hand(&plain, 0.0));
    assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");
    let model = pairs(&x, &y, 0.5);
    let other = engine.run_validated(&model, &model).expect("it is learnt");
    let (found, wanted) = (other.fit.restart().validation_loss(), by_hand(&other, 0.5));
    assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");
    // all rows at one particle are compared with one pass through the model; after each of 9 steps there is one pass for each particle
    let evaluations = |learnt: &Learnt| learnt.fit.counts.density_evaluations;
    assert_eq!(evaluations(&plain), 9 + 9 * 40);
    assert_eq!(evaluations(&other), 9 * 9 * 40);
}

/// Columns one after another, so that the terms of a row are not adjacent.
#[model]
fn columns(#[rows] y: &DMatrix<f64>) {
    let tau = param(HalfNormal::new(1.0));
    let z = sample(Normal::new(0.0, 1.0));
    for k in 0..2 {
        for i in 0..y.nrows() {
            observe(y[(i, k)], Normal::new(z, tau));
        }
    }
}

/// Seen to detect: a comparison of only the first, the middle and the last row, which two other terms pass here.
#[test]
fn terms_that_do_not_lie_together_are_not_taken_for_those_of_a_row() {
    // by columns 0 1 1 5 2, 1 7 2 2 9: consecutive pairs equal the rows only for the first, the middle and the last
    let y = [0.0, 1.0, 1.0, 7.0, 1.0, 2.0, 5.0, 2.0, 2.0, 9.0].map(|x| 0.2 * x);
    let y = DMatrix::from_row_slice(5, 2, &y);
    let model = columns(&y);
    let engine = Inference::ohsmc().particles(40).epochs(2).seed(5);
    let learnt = engine.run_validated(&model, &model).expect("it is learnt");
    let tau = learnt.fit.value("tau").expect("it is learnt")[0];
    let draws = learnt.particles.draws("z").expect("it is sampled");
    let normal = |x: f64, mean: f64| {
        -0.5 * ((x - mean) / tau).powi(2) - (tau * std::f64::consts::TAU.sqrt()).ln()
    };
    let row = |i: usize| {
        let terms = draws.rows().zip(&draws.weights);
        let terms =
            terms.map(|(z, w)| w * (normal(y[(i, 0)], z[0]) + normal(y[(i, 1)], z[0])).exp());
        terms.sum::<f64>().ln()
    };
    let wanted = -(0..5).map(row).sum::<f64>() / 5.0;
    let found = learnt.fit.restart().validation_loss();
    assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");
}

#[test]
fn params_have_no_prior_predictive_distribution() {
    let (group, y) = fixture();
    let error = prior_predictive(effects(6, &group, &y), 10).expect_err("it has no prior");
    let text = error.to_string();
    let wanted = "it is a param, which has no prior to draw from; fix it at a fit, `model.with_params(&values)?`";
    assert!(
        text.contains("`tau` in `let tau = param(HalfNormal::new(1.0))`") && text.contains(wanted),
        "{text}"
    );
}
