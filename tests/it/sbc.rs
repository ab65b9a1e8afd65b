//! Simulation-based calibration: a right model passes, a wrong one fails, and a model that cannot be simulated is an error.

use bayes::Error;
use bayes::prelude::*;
use bayes::sbc::SbcReport;

#[model]
fn location(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 2.0));
}

/// [`location`] with twice the noise.
#[model]
fn vague(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 4.0));
}

fn calibrate(simulations: usize) -> Result<SbcReport, Error> {
    sbc(&location(&[0.0; 4]), |data, seed| {
        let engine = Inference::random_walk().burn_in(200).draws(100).thin(10);
        engine.seed(seed).run(&location(&data.reals("y")))
    })
    .simulations(simulations)
    .seed(3)
    .run()
}

#[test]
fn a_right_model_is_calibrated() {
    let report = calibrate(200).expect("the model can be simulated");
    let names: Vec<&str> = report.quantities.iter().map(|q| q.name.as_str()).collect();
    assert_eq!(names, ["mu", "log likelihood"]);
    assert!(report.is_calibrated(0.01), "{report}");
    assert!(
        report
            .to_string()
            .contains("200 simulations show no sign of")
    );
    assert_eq!(report.simulations(), 200);
    let svg = bayes::plot::sbc(&report).svg();
    assert!(svg.starts_with("<svg") && svg.contains("log likelihood, p = "));
}

#[model]
fn counts_and_more(y: &[u64], x: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Poisson::new(rate * x[i]));
    }
    observe(x, Exponential::new(rate));
}

#[test]
fn the_model_on_simulated_data_is_that_called_with_them() {
    let (y, x) = ([1, 0, 3], [0.5, 1.0, 2.0]);
    let model = counts_and_more(&y, &x);
    let engine = || Inference::nuts().chains(1).burn_in(100).draws(100);
    let by_name = sbc(&model, |data, seed| {
        // `x` in the rate stays the model's, so it is passed unchanged and not simulated
        engine().seed(seed).run(&data.model(&model))
    });
    let report = by_name
        .simulations(20)
        .seed(1)
        .run()
        .expect("it can be simulated");
    assert_eq!(report.simulations(), 20);

    let model = location(&[0.0; 4]);
    let by_call = sbc(&model, |data, seed| {
        engine().seed(seed).run(&location(&data.reals("y")))
    });
    let by_call = by_call
        .simulations(20)
        .seed(1)
        .run()
        .expect("it can be simulated");
    let by_name = sbc(&model, |data, seed| {
        engine().seed(seed).run(&data.model(&model))
    });
    let by_name = by_name
        .simulations(20)
        .seed(1)
        .run()
        .expect("it can be simulated");
    assert_eq!(by_name, by_call);
}

#[test]
fn a_wrong_model_is_seen() {
    let model = location(&[0.0; 4]);
    let report = sbc(&model, |data, seed| {
        let engine = Inference::random_walk().burn_in(200).draws(100).thin(10);
        engine.seed(seed).run(&vague(&data.reals("y")))
    });
    let report = report
        .simulations(200)
        .run()
        .expect("the model can be simulated");
    assert!(!report.is_calibrated(0.01), "{report}");
    assert!(report.to_string().contains("the ranks are not uniform"));
}

#[test]
fn the_same_seed_gives_the_same_ranks_for_any_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a few threads").install(|| calibrate(12))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_wrong_name_of_data_is_an_error_before_any_inference() {
    let outcome = sbc(&location(&[0.0; 4]), |data, seed| {
        Inference::smc().seed(seed).run(&location(&data.reals("x")))
    })
    .run();
    assert_eq!(
        outcome.expect_err("there is no `x`").to_string(),
        "the model `location` cannot be calibrated by simulation: it does not observe `x`; it observes `y`"
    );
}

#[model]
fn weighted() {
    let x = sample(Normal::new(0.0, 1.0));
    factor(-x.square());
}

#[model]
fn flat(y: &[f64]) {
    let mu = sample(Flat::new());
    observe(y, Normal::new(mu, 2.0));
}

#[test]
fn what_says_nothing_of_the_data_cannot_be_simulated() {
    let outcome = sbc(&weighted(), |_, seed| {
        Inference::smc().seed(seed).run(&weighted())
    })
    .run();
    let message = outcome.expect_err("a factor").to_string();
    assert!(
        message.contains("data cannot be simulated from `factor(-x.square())`"),
        "{message}"
    );
    let engine =
        |data: &SimulatedData, seed| Inference::hmc().seed(seed).run(&flat(&data.reals("y")));
    let message = sbc(&flat(&[0.0]), engine)
        .run()
        .expect_err("an improper prior")
        .to_string();
    let wanted = "`mu` in `let mu = sample(Flat::new())`";
    assert!(
        message.contains(wanted) && message.contains("its prior is improper"),
        "{message}"
    );
}
