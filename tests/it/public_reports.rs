//! Faults that users of other programs reported, tried on models of our own: experiments/reports_more.md.

use bayes::Error;
use bayes::density::{LogDensity, Particles, Posterior};
use bayes::prelude::*;

/// A series of six normal variables at each time, whose mean and spread depend on a hidden state.
#[model]
fn states(y: &[f64], length: usize) {
    let mean = sample(Normal::new(0.0, 0.05).iid(2));
    let sd = sample(HalfNormal::new(0.1).iid(2));
    let moves = sample(Dirichlet::new([9.0, 1.0]).iid(2));
    let emissions = [0, 1].map(|k| Normal::new(mean[k], sd[k]));
    observe(y, HiddenMarkov::new([0.5, 0.5], &moves, emissions, length));
}

/// Reported for a marginal chain of states (pymc-extras 720): gradients are NaN once the log density of the series is beyond 709.
#[test]
fn slopes_of_a_long_series_of_hidden_states_are_numbers() {
    let y: Vec<f64> = (0..3000)
        .map(|t| 1e-6 * (f64::from(t) * 2.399).sin())
        .collect();
    let model = states(&y, y.len());
    let posterior = Posterior::new(&model, 1).expect("it is valid");
    assert_eq!(posterior.layout().dim, 6);
    // a standard deviation near that of the data: 30 000 nats
    let position = [0.0, 1e-7, -13.0, -14.0, 1.0, 2.0];
    let mut gradient = [0.0; 6];
    let value = |position: &[f64]| {
        let mut particle = Particles::new(1, 6);
        particle.positions.copy_from_slice(position);
        posterior.evaluate(&mut particle.block());
        particle.log_prior[0] + particle.log_likelihood[0]
    };
    let mut particle = Particles::new(1, 6);
    particle.positions.copy_from_slice(&position);
    posterior.evaluate_gradient([1.0, 1.0], &mut particle.block());
    gradient.copy_from_slice(&particle.gradient);
    assert!(value(&position) > 20_000.0, "{}", value(&position));
    for k in 2..6 {
        let moved = |step: f64| {
            let mut moved = position;
            moved[k] += step;
            value(&moved)
        };
        let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        let error = (gradient[k] - slope).abs();
        assert!(
            error < 1e-4 * slope.abs().max(1.0),
            "{k}: {} and {slope}",
            gradient[k]
        );
    }
}

/// Hidden states that are sampled.
#[model]
fn sampled_states(y: &[f64]) {
    let first = sample(Bernoulli::new(0.5));
    observe(y[0], Normal::new(first, 1.0));
    let mut next = 0.1 + 0.8 * first;
    for t in 1..y.len() {
        let state = sample(Bernoulli::new(next));
        observe(y[t], Normal::new(state, 1.0));
        next = 0.1 + 0.8 * state;
    }
}

/// The probabilities of state 1 given the series, and the log evidence, over all paths.
fn by_paths(y: &[f64]) -> (Vec<f64>, f64) {
    let mut total = 0.0;
    let mut ones = vec![0.0; y.len()];
    for path in 0..1_u32 << y.len() {
        let state = |t: usize| f64::from(path >> t & 1);
        let mut weight = 0.5;
        for (t, y) in y.iter().enumerate() {
            if t > 0 {
                let up = 0.1 + 0.8 * state(t - 1);
                weight *= if state(t) == 1.0 { up } else { 1.0 - up };
            }
            weight *= (-0.5 * (y - state(t)).powi(2)).exp() / std::f64::consts::TAU.sqrt();
        }
        total += weight;
        let states = ones.iter_mut().enumerate();
        states.for_each(|(t, one)| *one += weight * state(t));
    }
    (ones.iter().map(|one| one / total).collect(), total.ln())
}

/// Reported for particle Gibbs (Turing 2855): the probabilities of hidden states are a little off.
#[test]
fn states_that_are_sampled_have_their_exact_probabilities() {
    let y = [0.3, 1.4, 0.8, -0.7, 0.2, 2.0, 0.9, 1.1];
    let engine = Inference::psmc().kernel(RandomWalk::new()).seed(1);
    let run = engine
        .progress(false)
        .run(&sampled_states(&y))
        .expect("it runs");
    let (ones, log_evidence) = by_paths(&y);
    let (first, others) = (
        run.mean_estimates("first").unwrap(),
        run.mean_estimates("state").unwrap(),
    );
    for (found, wanted) in first.iter().chain(&others).zip(&ones) {
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.se,
            "{found:?}, {wanted}"
        );
        assert!(found.se < 0.02, "{found:?}");
    }
    let found = run.log_evidence_estimate().expect("psmc estimates it");
    assert!(
        (found.mean - log_evidence).abs() < 4.0 * found.se,
        "{found:?}, {log_evidence}"
    );
}

#[model]
fn rate(y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    observe(y, Poisson::new(rate));
}

/// Reported for a program whose SMC left weights (MacroEconometricModels 132): means use them, and quantiles and predictions do not.
#[test]
fn all_answers_use_the_weights_of_draws() {
    let model = rate(&[1]);
    let engine = Inference::pathfinder().draws(20_000).seed(1);
    let run = engine.progress(false).run(&model).expect("it runs");
    let draws = run.draws("rate").unwrap();
    // the posterior is Gamma(3, 2)
    let (mean, sd, high) = (1.5, 0.75_f64.sqrt(), 3.1479);
    let count = draws.weights.len() as f64;
    let plain = draws.rows().map(|x| x[0]).sum::<f64>() / count;
    assert!(
        (plain - mean).abs() > 0.1 * sd,
        "nothing depends on the weights: {plain}"
    );
    let near = |found: f64, wanted: f64, what: &str| {
        assert!(
            (found - wanted).abs() < 0.05 * sd,
            "{what}: {found}, {wanted}"
        );
    };
    near(run.mean("rate").unwrap()[0], mean, "mean");
    near(draws.quantile(0.95).unwrap()[0], high, "quantile");
    let new = run.predict(model).unwrap().draws("y").unwrap();
    near(new.mean()[0], mean, "prediction");
    let twice = run
        .generate(1, |draw, _| vec![2.0 * draw.scalar("rate")])
        .unwrap();
    near(twice.quantile(0.95).unwrap()[0] / 2.0, high, "generated");
}

/// Reported for bases of vectors that sum to zero (pymc 7772): given starting values fail.
#[model]
#[expect(unused_variables)]
fn constrained() {
    let effects = sample(ZeroSumNormal::new(2.0, 4));
    let ranks = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let angle = sample(VonMises::new(0.0, 1.0));
    let factor = sample(LKJCholesky::new(3, 2.0));
    let place = sample(UniformSphere::new(3));
}

#[test]
fn vectors_with_constraints_start_at_given_values() {
    let (effects, ranks, angle) = ([1.0, -2.5, 0.5, 1.0], [-1.0, 0.5, 2.0], [3.0]);
    let kernel = Hmc::new().step_size(1e-9).leapfrog_steps(1);
    let engine = Inference::hmc().kernel(kernel).burn_in(0).draws(1).seed(3);
    let values: [(&str, &[f64]); 3] = [("effects", &effects), ("ranks", &ranks), ("angle", &angle)];
    let engine = engine.progress(false).start_at(&values);
    let run = engine.run(&constrained()).expect("the values are possible");
    for (name, wanted) in values {
        for row in run.draws(name).unwrap().rows() {
            let near = row.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(near, "{name}: {row:?}");
        }
    }
    let wrong: [(&str, &[f64]); 1] = [("effects", &[1.0, 1.0, 1.0, 1.0])];
    let refused = Inference::hmc().draws(1).progress(false).start_at(&wrong);
    let refused = refused.run(&constrained()).map(|_| ());
    assert!(refused.is_err(), "a vector that does not sum to zero");
}

/// Reported for documentation of such vectors (pymc 7904, stan docs 973): which standard deviation has an element?
#[test]
fn elements_that_sum_to_zero_have_the_standard_deviation_of_the_page() {
    #[model]
    #[expect(unused_variables)]
    fn effects(n: usize) {
        let effects = sample(ZeroSumNormal::new(2.0, n));
    }
    let run = Inference::nuts().draws(5000).seed(1).progress(false);
    let run = run.run(&effects(4)).expect("it runs");
    let draws = run.draws("effects").unwrap();
    let squares: f64 = draws.rows().flatten().map(|x| x * x).sum();
    let sd = (squares / (4.0 * 20_000.0)).sqrt();
    let wanted = 2.0 * (1.0_f64 - 0.25).sqrt();
    assert!((sd - wanted).abs() < 0.03, "{sd}, {wanted}");
}

mod first {
    use bayes::prelude::*;
    #[model]
    pub(super) fn pair(y: &[f64]) {
        let a = sample(Normal::new(0.0, 1.0));
        let b = sample(Normal::new(0.0, 10.0));
        observe(y, Normal::new(a + 100.0 * b, 1.0));
    }
}

mod second {
    use bayes::prelude::*;
    #[model]
    pub(super) fn pair(y: &[f64]) {
        let b = sample(Normal::new(0.0, 10.0));
        let a = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(a + 100.0 * b, 1.0));
    }
}

/// Reported for resumed nested sampling (bilby 956): quantities in another order take one another's values.
#[test]
fn a_run_does_not_go_on_with_quantities_in_another_order() {
    let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
    let nuts = || Inference::nuts().draws(50).seed(1).progress(false);
    let y = [1000.4, 1001.3];
    let begun = nuts().checkpoint(folder.path()).run(&first::pair(&y));
    let run = begun.expect("it runs");
    let other = nuts().checkpoint(folder.path()).run(&second::pair(&y));
    assert!(
        matches!(other, Err(Error::Checkpoint { .. })),
        "{:?}",
        other.map(|_| ())
    );
    // predictions find quantities by name
    let mean = run
        .predict(second::pair(&y))
        .map(|prediction| prediction.draws("y"));
    let mean = mean
        .expect("the same names")
        .expect("it is observed")
        .mean()[0];
    assert!((mean - 1000.8).abs() < 1.0, "{mean}");
}
