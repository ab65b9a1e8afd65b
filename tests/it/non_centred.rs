//! Priors in their non-centred form: the same model in other coordinates.

use bayes::Error;
use bayes::density::{ArithmeticSettings, Posterior, Prior, Quantities};
use bayes::diagnose::Warning;
use bayes::model::Model;
use bayes::prelude::*;

const Y: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
const SIGMA: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

#[model]
fn centred(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    observe(y, Normal::new(&theta, sigma));
}

#[model]
fn non_centred(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()).non_centred());
    observe(y, Normal::new(&theta, sigma));
}

#[model]
fn by_hand(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let theta = deterministic(mu + tau * &z);
    observe(y, Normal::new(&theta, sigma));
}

#[test]
fn the_density_of_values_is_that_of_the_centred_form() {
    let values: [(&str, &[f64]); 3] = [("mu", &[3.0]), ("tau", &[2.5]), ("theta", &Y)];
    let [a, b] = [
        centred(&Y, &SIGMA).log_density_at(&values),
        non_centred(&Y, &SIGMA).log_density_at(&values),
    ];
    let [a, b] = [a, b].map(|at| at.expect("every value is given"));
    assert!((a.log_prior - b.log_prior).abs() < 1e-11);
    assert!((a.log_likelihood - b.log_likelihood).abs() < 1e-11);
}

#[test]
fn chains_are_those_of_the_form_by_hand() {
    let nuts = || {
        Inference::chains(Nuts::new().target_acceptance(0.95))
            .seed(4)
            .progress(false)
    };
    let run = nuts().run(&non_centred(&Y, &SIGMA)).expect("it runs");
    let same = nuts().run(&by_hand(&Y, &SIGMA)).expect("it runs");
    // the same coordinates and density; the last bits of a step may differ
    let [found, wanted] = [&run, &same].map(|run| run.summary());
    for name in ["mu", "tau", "theta[0]", "theta[7]"] {
        let [a, b] = [&found, &wanted].map(|summary| summary.row(name).expect("it is there"));
        let error = a.mcse.hypot(b.mcse);
        assert!(
            (a.mean - b.mean).abs() < 4.0 * error,
            "{name}: {} and {}",
            a.mean,
            b.mean
        );
        assert!(a.r_hat < 1.01, "{name}: {}", a.r_hat);
    }
    assert_eq!(
        run.layout.find("theta").expect("it is kept").shape,
        bayes::dist::Shape::Vector(8)
    );
}

#[test]
fn the_evidence_is_that_of_the_centred_form() {
    let evidence = |run: Result<Run, Error>| {
        let run = run.expect("it runs");
        let estimate = run.log_evidence_estimate().expect("SMC has one");
        [estimate.mean, estimate.se]
    };
    let smc = |seed| {
        Inference::psmc()
            .islands(8)
            .particles(256)
            .seed(seed)
            .progress(false)
    };
    let [a, error_a] = evidence(smc(5).run(&centred(&Y, &SIGMA)));
    let [b, error_b] = evidence(smc(6).run(&non_centred(&Y, &SIGMA)));
    assert!((a - b).abs() < 4.0 * error_a.hypot(error_b), "{a} and {b}");
}

#[test]
fn its_coordinates_are_a_gaussian_prior() {
    let model = non_centred(&Y, &SIGMA);
    let posterior = Posterior::with(&model, 1, ArithmeticSettings::default()).expect("it runs");
    // only `tau` is not Gaussian
    let told = posterior.not_gaussian().expect("`tau` is not");
    assert!(told.contains("tau") && !told.contains("theta"), "{told}");
}

#[test]
fn its_trace_is_as_short_as_by_hand() {
    fn operations<M: Model>(model: &M) -> usize {
        let posterior = Posterior::with(model, 1, ArithmeticSettings::default());
        let description = posterior.expect("it runs").describe();
        let arithmetic = description.expect("a model describes itself").arithmetic;
        arithmetic.trace.expect("it has a trace").operations()
    }
    let placed = operations(&non_centred(&Y, &SIGMA));
    let hand = operations(&by_hand(&Y, &SIGMA));
    // the logarithm of the scale, and the selection of NaN if it has none
    assert!(placed <= hand + 4, "{placed} operations instead of {hand}");
}

#[test]
fn advice_names_the_form() {
    let nuts = |model: &dyn Fn() -> Result<Run, Error>| {
        let warnings = model().expect("it runs").warnings();
        let divergences = warnings
            .into_iter()
            .find(|w| matches!(w, Warning::Divergences(_)));
        divergences.map(|warning| warning.to_string())
    };
    let seeded = || Inference::nuts().seed(1).progress(false);
    let told = nuts(&|| seeded().run(&centred(&Y, &SIGMA))).expect("a funnel");
    assert!(told.contains("`.non_centred()`"), "{told}");
    if let Some(told) = nuts(&|| seeded().run(&non_centred(&Y, &SIGMA))) {
        assert!(!told.contains("write it in the non-centred"), "{told}");
    }
}

#[model]
fn lines(subject: &[usize], x: &[f64], y: &[f64], subjects: usize) {
    let mean = sample(Normal::new(0.0, 2.0).iid(2));
    let scale = sample(HalfNormal::new(1.0).iid(2));
    let correlation = sample(LKJCholesky::new(2, 2.0));
    let lower = Matrix::from_fn(2, 2, |i, j| scale[i] * correlation[(i, j)]);
    let line = sample(
        MultivariateNormal::from_cholesky(&mean, &lower)
            .iid(subjects)
            .non_centred(),
    );
    for i in 0..y.len() {
        let own = subject[i];
        observe(
            y[i],
            Normal::new(line[(own, 0)] + line[(own, 1)] * x[i], 0.1),
        );
    }
}

#[test]
fn correlated_effects_have_one() {
    // lines through known points
    let wanted = [[1.0, 0.5], [2.0, -0.5], [0.0, 1.5]];
    let (mut subject, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for (s, [a, b]) in wanted.iter().enumerate() {
        for i in 0..20 {
            let at = f64::from(i) / 10.0 - 1.0;
            subject.push(s);
            x.push(at);
            y.push(a + b * at + 0.1 * (f64::from(i) * 2.4).sin());
        }
    }
    let run = Inference::nuts()
        .seed(2)
        .progress(false)
        .run(&lines(&subject, &x, &y, 3));
    let summary = run.expect("it runs").summary();
    for (s, line) in wanted.iter().enumerate() {
        for (k, wanted) in line.iter().enumerate() {
            let row = summary.row(&format!("line[{s},{k}]")).expect("it is there");
            assert!(
                (row.mean - wanted).abs() < 0.1,
                "{}: {}",
                row.name,
                row.mean
            );
            assert!(row.r_hat < 1.02, "{}: R-hat {}", row.name, row.r_hat);
        }
    }
}
