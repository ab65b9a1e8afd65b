//! Evidence and posterior moments against exact answers, for a quick subset of the reference problems.
//!
//! `cargo run --release --example evidence` runs all of them at full size.

use crate::battery::agree_on;
use bayes::kernel;
use bayes::prelude::*;
use bayes_problems::exact::{Moment, Problem, problems};

fn reference(name: &str) -> Problem {
    let found = problems().into_iter().find(|p| p.name == name);
    found.expect("the problem is in the reference file")
}

/// Bounds in standard errors, which must themselves be small: a run that knows nothing cannot pass.
fn assert_exact(problem: &Problem, run: &Run) {
    let (name, kernel) = (&problem.name, &run.kernel);
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("islands have an evidence"));
    let exact = problem.log_evidence;
    assert!(
        (evidence - exact).abs() < 4.0 * error,
        "{name}, {kernel}: log evidence {evidence} ± {error}, exactly {exact}"
    );
    assert!(
        error < 0.2,
        "{name}, {kernel}: error {error} of the evidence"
    );
    assert!(!problem.moments.is_empty(), "{name} has exact moments");
    for moment in &problem.moments {
        assert_moment(problem, run, moment);
    }
}

fn assert_moment(problem: &Problem, run: &Run, moment: &Moment) {
    let Moment {
        variable,
        element,
        mean,
        sd,
    } = moment;
    let what = format!("{}, {}: {variable}[{element}]", problem.name, run.kernel);
    let value = |draw: DrawView<'_>| draw.vector(variable)[*element];
    let found = run.estimate(value);
    assert!(
        (found.mean - mean).abs() < 5.0 * found.se,
        "{what}: mean {} ± {}, exactly {mean}",
        found.mean,
        found.se
    );
    assert!(
        found.se < 0.2 * sd,
        "{what}: error {} of the mean, sd {sd}",
        found.se
    );
    // about the exact mean, so that its expectation is exactly the variance
    let spread = run.estimate(|draw| (value(draw) - mean).powi(2));
    assert!(
        (spread.mean - sd * sd).abs() < 5.0 * spread.se,
        "{what}: variance {} ± {}, exactly {}",
        spread.mean,
        spread.se,
        sd * sd
    );
}

fn assert_solved(name: &str) {
    assert_solved_by(name, "hmc");
}

fn assert_solved_by(name: &str, kernel: &str) {
    let problem = reference(name);
    let kernel = kernel::by_name(kernel).expect("the kernel is known");
    let engine = Inference::psmc().islands(16).particles(256).kernel(kernel);
    let run = problem.solve(&engine.seed(32).progress(false));
    assert_exact(&problem, &run.expect("the problem is valid"));
}

#[test]
fn normal_mean() {
    assert_solved("normal_mean");
}

#[test]
fn normal_mean_conflict() {
    assert_solved("normal_mean_conflict");
}

#[test]
fn blr_16x4_sigma_0_01() {
    assert_solved("blr_16x4_sigma_0.01");
}

#[test]
fn beta_binomial() {
    assert_solved("beta_binomial");
}

#[test]
fn gamma_poisson() {
    assert_solved("gamma_poisson");
}

#[test]
fn dirichlet_multinomial() {
    assert_solved("dirichlet_multinomial");
}

#[test]
fn student_prior_1d() {
    assert_solved("student_prior_1d");
}

#[test]
fn student_likelihood_bimodal_1d() {
    assert_solved("student_likelihood_bimodal_1d");
}

#[test]
fn gaussian_mixture_d2() {
    assert_solved("gaussian_mixture_d2");
}

#[test]
fn banana_2d() {
    assert_solved("banana_2d");
}

#[test]
fn student_location_scale_2d() {
    assert_solved("student_location_scale_2d");
}

#[test]
fn local_level_1d() {
    assert_solved("local_level_1d");
}

/// The kernels that need no gradient, on a Gaussian, on a bounded prior and on whole numbers.
#[test]
fn kernels_without_gradients() {
    for name in ["normal_mean", "beta_binomial"] {
        assert_solved_by(name, "pcn");
        assert_solved_by(name, "random_walk");
    }
    assert_solved_by("hmm_3_states", "random_walk");
}

#[test]
fn gradients_agree_in_every_mode() {
    for problem in problems().iter().filter(|problem| !problem.is_discrete) {
        let agreed = problem.model(&mut |model| {
            agree_on(&problem.name, &|settings| model.density(1, settings));
            Ok(())
        });
        agreed.expect("the data fit the model");
    }
}
