//! Networks with some learnt layers: operations that depend only on these are evaluated once for all particles.

use bayes::Error;
use bayes::nn::{Dense, Partial, Sequential, Tanh};
use bayes::prelude::*;
use bayes::run::Learnt;

/// The last layer has a posterior, the others are learnt.
#[model]
fn last_layer(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let theta = net.weights(&phi, &psi);
    observe(y, Normal::new(net.forward(x, &theta).column(0), 0.5));
}

/// The same density, but every weight depends on a random value, multiplied by zero.
#[model]
fn disguised(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] y: &[f64]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let psi = Vector::from_fn(net.learnt(), |k| psi[k] + 0.0 * phi[k % net.sampled()]);
    let theta = net.weights(&phi, &psi);
    observe(y, Normal::new(net.forward(x, &theta).column(0), 0.5));
}

/// Classes, by the operation on all outputs of a row at once.
#[model]
fn classes(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] label: &[usize]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let theta = net.weights(&phi, &psi);
    observe(label, CategoricalLogit::new(net.forward(x, &theta)));
}

#[model]
fn disguised_classes(net: &Partial, #[rows] x: &DMatrix<f64>, #[rows] label: &[usize]) {
    let phi = sample(net.prior());
    let psi = param(net.start());
    let psi = Vector::from_fn(net.learnt(), |k| psi[k] + 0.0 * phi[k % net.sampled()]);
    let theta = net.weights(&phi, &psi);
    observe(label, CategoricalLogit::new(net.forward(x, &theta)));
}

fn net(outputs: usize) -> Partial {
    let layers = Sequential::flat(2)
        .layer(Dense::new(2, 6))
        .layer(Tanh)
        .layer(Dense::new(6, 4))
        .layer(Tanh)
        .layer(Dense::new(4, outputs));
    let net = layers.build().expect("the layers fit");
    net.partial(&[1]).expect("there is a second one")
}

/// Rows without a pattern.
fn inputs(rows: usize, first: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, 2, |i, k| (((i + first) * 2 + k) as f64 * 1.9).sin())
}

/// Asserts that the params of two fits agree, up to rounding over the steps; returns the params of the first.
fn alike(found: Result<Learnt, Error>, wanted: Result<Learnt, Error>, what: &str) -> Vec<f64> {
    let psi = |learnt: Result<Learnt, Error>| {
        let learnt = learnt.expect("the settings are right");
        learnt.fit.value("psi").expect("the model has it").to_vec()
    };
    let (found, wanted) = (psi(found), psi(wanted));
    let start = wanted.iter().map(|x| x.abs()).sum::<f64>() / wanted.len() as f64;
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!(
            (found - wanted).abs() < 1e-6 * start,
            "{what}: {found} and {wanted}"
        );
    }
    found
}

#[test]
fn learning_is_the_same_whether_layers_are_evaluated_once_or_for_every_particle() {
    let (x, held_out) = (inputs(40, 0), inputs(13, 40));
    let curve = |x: &DMatrix<f64>| -> Vec<f64> {
        x.row_iter()
            .map(|row| row[0] * 2.0 - row[1].cos())
            .collect()
    };
    let (y, other) = (curve(&x), curve(&held_out));
    let net = net(1);
    let (plain, slow) = (last_layer(&net, &x, &y), disguised(&net, &x, &y));
    let (first, second) = (
        last_layer(&net, &held_out, &other),
        disguised(&net, &held_out, &other),
    );
    macro_rules! compare {
        ($what:expr, $engine:expr) => {{
            let engine = $engine
                .particles(50)
                .epochs(4)
                .minibatch(10)
                .adam(0.01)
                .seed(3);
            let found = engine.run_validated(&plain, &first);
            alike(found, engine.run_validated(&slow, &second), $what)
        }};
    }
    let best = compare!("ohsmc", Inference::ohsmc());
    let resampled = compare!("resampled", Inference::ohsmc().resampled_gradient(true));
    assert_ne!(best, resampled);
    // if layers are evaluated once, the likelihoods come first, and then the gradient
    let engine = Inference::ohsmc().particles(50).epochs(1).seed(3);
    let evaluations = |learnt: Result<Learnt, Error>| {
        let learnt = learnt.expect("the settings are right");
        learnt.fit.counts.density_evaluations
    };
    assert!(evaluations(engine.run(&plain)) > evaluations(engine.run(&slow)));
    compare!("sgsmc", Inference::sgsmc());
    compare!("variational", Inference::variational_em());
    compare!(
        "mcem",
        Inference::mcem().kernel(Hmc::new().step_size(0.05), 2)
    );
    compare!("expected likelihood", Inference::expected_likelihood());
}

#[test]
fn classes_are_learnt_the_same_with_any_number_of_threads() {
    let x = inputs(40, 0);
    let label: Vec<usize> = x
        .row_iter()
        .map(|row| usize::from(row[0] > row[1]))
        .collect();
    let net = net(2);
    let (plain, slow) = (
        classes(&net, &x, &label),
        disguised_classes(&net, &x, &label),
    );
    let engine = Inference::ohsmc().particles(50).epochs(4).minibatch(10);
    let engine = engine.validation(0.2).adam(0.01).seed(3);
    let found = alike(engine.run(&plain), engine.run(&slow), "classes");
    // the same bits with any number of threads
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads can be started")
    };
    for threads in [1, 3] {
        let again = pool(threads).install(|| engine.run(&plain).expect("as above"));
        assert_eq!(again.fit.value("psi").expect("as above"), found);
    }
}
