//! Random models: the trace of a program and the program without a trace have equal densities and gradients.

use crate::battery::agree_with;
use bayes_experiments::random_models::RandomModel;

/// A wrong derivative, a term that a loop drops or counts twice, and a place that a gather confuses are differences here.
#[test]
fn random_models_have_the_gradients_of_forward_mode() {
    for seed in 0..300 {
        let model = RandomModel::generate(seed);
        agree_with(
            &format!("seed {seed}"),
            &|settings| model.density(settings),
            &|position, weights, slopes| model.gradient(position, weights, slopes),
        );
    }
}
