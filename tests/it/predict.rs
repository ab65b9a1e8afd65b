//! Prediction: new data, log likelihoods of single observations and class probabilities, for the same or other data.
//!
//! Mutations that these tests were seen to detect: equal weights instead of the draws' weights; streams that restart after a
//! hundred draws; class probabilities by class before observation.

use bayes::Error;
use bayes::predict::PredictionError;
use bayes::prelude::*;

#[model]
fn line(#[rows] x: &[f64], #[rows] y: &[f64]) {
    let a = sample(Normal::new(0.0, 2.0));
    let b = sample(Normal::new(0.0, 2.0));
    // a deterministic quantity may depend on the rows
    let fitted = deterministic(Vector::from_fn(x.len(), |i| a + b * x[i]));
    for i in 0..x.len() {
        observe(y[i], Normal::new(fitted[i], 0.5));
    }
    factor(-0.1 * a * a);
}

/// The same by whole vectors, without a factor.
#[model]
fn plane(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, 0.5));
}

const X: [f64; 4] = [-1.0, 0.0, 1.0, 2.0];
const Y: [f64; 4] = [-0.8, 0.3, 1.4, 1.9];

fn line_run() -> Run {
    let engine = Inference::psmc().islands(2).particles(64);
    let engine = engine.seed(3).progress(false);
    engine.run(&line(&X, &Y)).expect("the model is sound")
}

fn normal(y: f64, mean: f64, sd: f64) -> f64 {
    -0.5 * ((y - mean) / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

#[test]
fn a_loop_has_one_log_likelihood_per_observation_and_a_factor_none() {
    let (run, model) = (line_run(), line(&X, &Y));
    let terms = run
        .predict(model)
        .and_then(|p| p.log_likelihood())
        .expect("the model is that of the run");
    assert_eq!((terms.observations, terms.name(3)), (4, "y[3]".to_owned()));
    assert_eq!(terms.values.len(), 4 * run.total_draws());
    let lines = run.map_draws(|d| d.scalar("b")).concat();
    let starts = run.map_draws(|d| d.scalar("a")).concat();
    let totals = run.groups.iter().flat_map(|group| &group.log_likelihood);
    for (((row, a), b), total) in terms.rows().zip(starts).zip(lines).zip(totals) {
        for i in 0..4 {
            assert!((row[i] - normal(Y[i], a + b * X[i], 0.5)).abs() < 1e-10);
        }
        assert!((row.iter().sum::<f64>() - 0.1 * a * a - total).abs() < 1e-9);
    }
}

/// The example of [`bayes::predict::Prediction`], which is not run with the documentation.
#[test]
fn the_example_of_predictions_is_right() -> Result<(), Error> {
    #[model]
    fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 5.0));
        observe(y, Normal::new(mu, 1.0));
    }
    let engine = Inference::nuts().draws(200).progress(false);
    let run = engine.run(&mean(&[1.2, 0.7, 2.1]))?;
    let new = mean(&[1.0, 9.0]);
    let prediction = run.predict(new)?.seed(1);
    let y = prediction.draws("y")?;
    assert_eq!((y.elements, y.rows().count()), (2, 800));
    assert!(prediction.summary()?.to_string().contains("y[1]"));
    let terms = prediction.log_likelihood()?;
    assert!(terms.log_predictive_densities()[1] < -10.0);
    Ok(())
}

#[test]
fn predictive_densities_are_weighted_as_the_draws_are() {
    // three particles each, so that the islands have different weights
    let engine = Inference::psmc()
        .islands(4)
        .particles(3)
        .seed(5)
        .progress(false);
    let model = line(&X, &Y);
    let run = engine.run(&model).expect("the model is sound");
    let weights = run.weights();
    assert!(weights.effective() < 3.9, "{weights:?}");
    let terms = run
        .predict(model)
        .and_then(|p| p.log_likelihood())
        .expect("the same model");
    let found = terms.log_predictive_densities();
    for i in 0..4 {
        let density =
            |d: DrawView<'_>| normal(Y[i], d.scalar("a") + d.scalar("b") * X[i], 0.5).exp();
        let wanted = run.estimate(density).mean.ln();
        assert!(
            (found[i] - wanted).abs() < 1e-10,
            "{} and {wanted}",
            found[i]
        );
    }
}

#[test]
fn a_vector_statement_has_one_log_likelihood_per_element() {
    let x = DMatrix::from_fn(4, 2, |i, j| if j == 0 { 1.0 } else { X[i] });
    let model = plane(&x, &Y);
    let engine = Inference::nuts()
        .chains(2)
        .draws(50)
        .seed(1)
        .progress(false);
    let run = engine.run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    assert_eq!(prediction.observed()[0].data, Y);
    let terms = prediction.log_likelihood().expect("the data are possible");
    let beta = run.draws("beta").expect("it has beta");
    for (row, beta) in terms.rows().zip(beta.rows()) {
        for i in 0..4 {
            let wanted = normal(Y[i], beta[0] + beta[1] * X[i], 0.5);
            assert!((row[i] - wanted).abs() < 1e-10);
        }
    }
    let last = terms.observation(3);
    assert_eq!(last.len(), 100);
    assert_eq!(last[7], terms.rows().nth(7).expect("100 draws")[3]);
}

#[model]
fn curve(y: &DMatrix<f64>, whole: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let mean = Vector::from_fn(3, |_| mu);
    let l: DMatrix<f64> = DMatrix::identity(3, 3);
    observe(y, MultivariateNormal::from_cholesky(mean.clone(), &l));
    observe(whole, MultivariateNormal::from_cholesky(mean, &l));
}

#[test]
fn a_vector_that_is_observed_as_a_whole_is_one_observation() {
    let y = DMatrix::from_fn(2, 3, |i, j| (i + j) as f64);
    let model = curve(&y, &[0.1, 0.2, 0.3]);
    let engine = Inference::nuts()
        .chains(1)
        .draws(20)
        .seed(1)
        .progress(false);
    let run = engine.run(&model).expect("the model is sound");
    let terms = run
        .predict(model)
        .and_then(|p| p.log_likelihood())
        .expect("the same model");
    assert_eq!(
        terms.variables,
        [("y".to_owned(), 2), ("whole".to_owned(), 1)]
    );
    let mu = run.draws("mu").expect("it has mu").values;
    for (row, mu) in terms.rows().zip(mu) {
        let first: f64 = [0.0, 1.0, 2.0].iter().map(|y| normal(*y, mu, 1.0)).sum();
        assert!((row[0] - first).abs() < 1e-10);
    }
}

#[test]
fn new_data_have_the_moments_of_the_posterior_predictive_distribution() {
    // mu | y ~ N(n ȳ / (n + 1/4), 1 / (n + 1/4)) with y ~ N(mu, 1), so new y has this mean and one more in variance
    #[model]
    fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 2.0));
        observe(y, Normal::new(mu, 1.0));
    }
    let y = [1.2, 0.4, 2.2];
    let engine = Inference::psmc()
        .islands(8)
        .particles(512)
        .seed(2)
        .progress(false);
    let run = engine.run(&mean(&y)).expect("the model is sound");
    let draws = run
        .predict(mean(&[0.0; 5]))
        .and_then(|p| p.seed(7).draws("y"))
        .expect("the same quantities");
    assert_eq!(draws.elements, 5);
    let precision = 3.25;
    let (centre, variance) = (3.8 / precision, 1.0 / precision + 1.0);
    // the noise is independent of the draws: the error is the noise's over S draws plus the run's error of mu
    let draws_count = run.total_draws() as f64;
    let mu = run.mean_estimates("mu").expect("it has mu")[0].se;
    for (i, mean) in draws.mean().into_iter().enumerate() {
        let se = (mu * mu + 1.2 / draws_count).sqrt();
        assert!(
            (mean - centre).abs() < 4.0 * se,
            "{mean} and {centre} ± {se}"
        );
        let squares = draws
            .rows()
            .zip(&draws.weights)
            .map(|(row, w)| w * (row[i] - centre).powi(2));
        let found: f64 = squares.sum();
        // the variance of a squared normal is twice the squared variance; islands agree within a few percent
        let se = variance * (2.0 / draws_count).sqrt() + 2.0 * mu;
        assert!(
            (found - variance).abs() < 4.0 * se,
            "{found} and {variance} ± {se}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_data_for_any_number_of_threads() {
    let (run, model) = (line_run(), line(&X, &Y));
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        let draws = pool.install(|| run.predict(model).and_then(|p| p.seed(seed).draws("y")));
        draws.expect("the same model").values
    };
    assert_eq!(with(1, 4), with(3, 4));
    assert_ne!(with(1, 4), with(1, 5));
    // more draws than fit into a block, and no two with the same noise
    let mu = run.map_draws(|d| d.scalar("a")).concat();
    let noise: Vec<f64> = with(2, 4)
        .chunks(4)
        .zip(&mu)
        .map(|(y, a)| y[1] - a)
        .collect();
    assert!(noise.len() > 500, "{}", noise.len());
    assert!((1..noise.len()).all(|i| (noise[i] - noise[0]).abs() > 1e-9));
    let mut visited = Vec::new();
    let prediction = run.predict(model).expect("the same model").seed(4);
    prediction.for_each_draw(|draw| visited.extend_from_slice(draw.vector("y")));
    assert_eq!(visited, with(1, 4));
}

#[test]
fn rows_of_the_model_are_new_data_too() {
    let (run, model) = (line_run(), line(&X, &Y));
    let two = model.subset(&[3, 1]).expect("it has four rows");
    let of = |terms: bayes::predict::Pointwise, i| terms.observation(i);
    let all = run
        .predict(model)
        .and_then(|p| p.log_likelihood())
        .expect("the same model");
    let some = run
        .predict(&two)
        .and_then(|p| p.log_likelihood())
        .expect("the same quantities");
    assert_eq!(some.observations, 2);
    assert_eq!(of(some, 0), of(all, 3));
}

#[model]
fn grades(x: &DMatrix<f64>, passed: &[bool], grade: &[usize], level: &[u64], points: &[u64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let cut = sample(Normal::new(0.0, 1.0).iid(2).ordered());
    let eta = x * &beta;
    observe(passed, BernoulliLogit::new(eta.clone()));
    for i in 0..x.nrows() {
        let scores = Vector::from_fn(3, |k| eta[i] * k as f64);
        observe(grade[i], CategoricalLogit::new(scores));
    }
    observe(level, OrderedLogistic::new(eta.clone(), cut));
    observe(points, PoissonLog::new(eta));
}

#[test]
fn every_class_of_every_observation_has_its_probability() {
    let x = DMatrix::from_row_slice(4, 1, &X);
    let (passed, zeros) = ([true, false, true, true], [0_u64; 4]);
    let model = grades(&x, &passed, &[0, 1, 2, 1], &[0, 1, 2, 1], &zeros);
    let engine = Inference::nuts()
        .chains(2)
        .draws(40)
        .seed(1)
        .progress(false);
    let run = engine.run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    let [beta, cut] = ["beta", "cut"].map(|name| run.draws(name).expect("it is random"));
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    for name in ["passed", "grade", "level"] {
        let p = prediction.probabilities(name).expect("it has classes");
        assert_eq!((p.members(), p.observations()), (80, 4));
        for (s, (beta, cut)) in beta.rows().zip(cut.rows()).enumerate() {
            for (i, found) in p.member(s).chunks(p.classes()).enumerate() {
                let eta = beta[0] * X[i];
                let wanted = match name {
                    "passed" => vec![1.0 - logistic(eta), logistic(eta)],
                    "grade" => {
                        let e = [1.0, eta.exp(), (2.0 * eta).exp()];
                        e.map(|x| x / e.iter().sum::<f64>()).to_vec()
                    }
                    _ => {
                        let [a, b] = [logistic(cut[0] - eta), logistic(cut[1] - eta)];
                        vec![a, b - a, 1.0 - b]
                    }
                };
                assert_eq!(found.len(), wanted.len());
                for (found, wanted) in found.iter().zip(wanted) {
                    assert!(
                        (found - wanted).abs() < 1e-10,
                        "{name}: {found} and {wanted}"
                    );
                }
            }
        }
    }
    let error = prediction
        .probabilities("points")
        .expect_err("counts have no classes");
    assert!(
        error
            .to_string()
            .starts_with("prediction of `grades`: `points` has no class probabilities"),
        "{error}"
    );
    assert_eq!(
        prediction
            .draws("mark")
            .expect_err("no such name")
            .to_string(),
        "prediction of `grades`: it does not observe `mark`; it observes `passed`, `grade`, `level`, `points`"
    );
}

#[model]
fn two_kinds(y: &[f64], other: &[bool]) {
    let mu = sample(Normal::new(0.0, 1e-3));
    for i in 0..y.len() {
        if other[i] {
            observe(y[i], Normal::new(mu - 10.0 * i as f64, 1e-3));
        } else {
            observe(y[i], Normal::new(mu + 10.0 * i as f64, 1e-3));
        }
    }
}

#[test]
fn observations_of_one_name_stay_in_the_order_of_execution() {
    let model = two_kinds(&[0.0, -10.0, 20.0, -30.0], &[false, true, false, true]);
    let engine = Inference::nuts()
        .chains(1)
        .draws(10)
        .seed(1)
        .progress(false);
    let run = engine.run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    assert_eq!(prediction.observed().len(), 1);
    assert_eq!(prediction.observed()[0].data, [0.0, -10.0, 20.0, -30.0]);
    let draws = prediction.draws("y").expect("it is observed");
    for row in draws.rows() {
        let near = row.iter().zip([0.0, -10.0, 20.0, -30.0]);
        assert!(
            near.into_iter().all(|(y, wanted)| (y - wanted).abs() < 0.1),
            "{row:?}"
        );
    }
    assert!(
        prediction
            .log_likelihood()
            .expect("possible")
            .values
            .iter()
            .all(|l| *l > -1e3)
    );
}

#[model]
fn waiting(time: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    for i in 0..time.len() {
        observe(time[i], Exponential::new(rate));
    }
}

#[test]
fn one_can_predict_before_there_are_data() {
    let engine = Inference::nuts()
        .chains(1)
        .draws(10)
        .seed(1)
        .progress(false);
    let run = engine
        .run(&waiting(&[1.0, 0.3]))
        .expect("the model is sound");
    let unknown = waiting(&[0.5, -1.0, f64::NAN]);
    let prediction = run.predict(unknown).expect("the same quantities");
    let draws = prediction.draws("time").expect("it is observed");
    assert!(draws.elements == 3 && draws.values.iter().all(|t| *t > 0.0));
    let error = prediction
        .log_likelihood()
        .expect_err("no one waits for -1")
        .to_string();
    assert!(
        error.contains("`time` in `observe(time[i], Exponential::new(rate))`"),
        "{error}"
    );
    assert!(
        error.contains("observation 1 is -1") || error.contains("index 1"),
        "{error}"
    );
}

#[test]
fn a_model_with_other_quantities_is_refused() {
    #[model]
    fn other(x: &DMatrix<f64>, y: &[f64]) {
        let beta = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
        let sigma = sample(HalfNormal::new(1.0));
        observe(y, Normal::new(x * &beta, sigma));
    }
    let x = |columns| DMatrix::from_element(4, columns, 1.0);
    let engine = Inference::nuts()
        .chains(1)
        .draws(10)
        .seed(1)
        .progress(false);
    let run = engine.run(&plane(&x(2), &Y)).expect("the model is sound");
    let refused = |error: Error| {
        let Error::Prediction {
            source: PredictionError::Quantity { .. },
            ..
        } = &error
        else {
            panic!("another error: {error}")
        };
        error.to_string()
    };
    let wide = run.predict(plane(&x(3), &Y)).expect_err("three columns");
    assert_eq!(
        refused(wide),
        "prediction of `plane`: `beta` is a vector of 2 in the run and a vector of 3 in the model; elements of groups are found by name, in any \
         number and order, if both models name the same dimension of it, `#[dims(group)]`, or the run does, `run.with_dims(..)`; otherwise the model \
         must have the random quantities of the run, its data may differ. Latent values that the run does not have, such as a series after its \
         end, are made by `generate` in the model"
    );
    let more = refused(run.predict(other(&x(2), &Y)).expect_err("it has sigma"));
    assert!(
        more.contains("`sigma` is nothing in the run and a scalar in the model; the model must"),
        "{more}"
    );
    let short = run
        .predict(plane(&x(2), &Y[..3]))
        .expect_err("three data for four rows");
    assert!(matches!(short, Error::Model { .. }), "{short}");
    assert!(
        short
            .to_string()
            .contains("`y` in `observe(y, Normal::new(x * &beta, 0.5))`"),
        "{short}"
    );
}

#[test]
fn a_model_that_observes_nothing_predicts_nothing() {
    #[model]
    fn prior() {
        let mu = sample(Normal::new(0.0, 1.0));
        factor(-mu * mu);
    }
    let run = Inference::nuts()
        .chains(1)
        .draws(10)
        .seed(1)
        .progress(false)
        .run(&prior());
    let run = run.expect("the model is sound");
    let error = run.predict(prior()).expect_err("nothing to predict");
    assert_eq!(
        error.to_string(),
        "prediction of `prior`: it observes nothing: a `factor` is no observation, and has nothing to draw or to leave out; write the likelihood by \
         `observe`, where there is a distribution for it"
    );
}
