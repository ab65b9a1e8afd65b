//! Components whose labels switch between chains are sorted after the run.

use bayes::Error;
use bayes::prelude::*;

/// Two components, both shares of which are sampled.
#[model]
fn components(y: &[f64]) {
    let weights = sample(Dirichlet::new([2.0, 2.0]));
    let mu = sample(Normal::new(0.0, 5.0).iid(2));
    let parts = [0, 1].map(|k| Normal::new(mu[k], 1.0));
    observe(y, Mixture::new(&weights, parts));
}

/// The same with one share.
#[model]
fn one_share(y: &[f64]) {
    let share = sample(Beta::new(2.0, 2.0));
    let mu = sample(Normal::new(0.0, 5.0).iid(2));
    let parts = [0, 1].map(|k| Normal::new(mu[k], 1.0));
    observe(y, Mixture::new([share, 1.0 - share], parts));
}

/// Would detect an advice that does not help: one share cannot be relabelled, and two are without a warning.
#[test]
fn the_remedy_for_switched_labels_works() -> Result<(), Error> {
    let y = [-2.1, -1.9, -2.3, 3.1, 3.3, 2.8, 3.0];
    let nuts = Inference::nuts().seed(1).progress(false);
    let run = nuts.run(&one_share(&y))?;
    assert!(run.warnings()[0].to_string().contains("switched labels"));
    let refused = run.relabelled("mu", ["share"]).expect_err("it is a number");
    assert!(refused.to_string().contains("`Dirichlet::new([a, b])`"));
    let run = nuts.run(&components(&y))?;
    assert!(run.warnings()[0].to_string().contains("switched labels"));
    let sorted = run.relabelled("mu", ["weights"])?;
    assert!(sorted.warnings().is_empty(), "{:?}", sorted.warnings());
    Ok(())
}
