//! Evidence and posterior moments against exact answers, for a quick subset of the reference problems.
//!
//! `cargo run --release -p bayes-experiments --example evidence` runs all of them at full size.

use crate::battery::agree_on;
use bayes::kernel;
use bayes::prelude::*;
use bayes::run::{Group, LocalMass};
use bayes_experiments::exact::{Moment, Problem, problems};

fn reference(name: &str) -> Problem {
    let found = problems().into_iter().find(|p| p.name == name);
    found.expect("the problem is in the reference file")
}

/// Asserts bounds in standard errors, which must be small themselves, so that a useless run cannot pass.
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
    // around the exact mean, so the expectation is exactly the variance
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

/// The kernels without gradients, on a Gaussian, on a bounded prior and on whole numbers.
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

#[model]
fn with_prior_of(y: &[f64], location: f64, sd: f64) {
    let mu = sample(Normal::new(location, sd));
    observe(y, Normal::new(mu, 1.0));
}

/// The log evidence of [`with_prior_of`]: the mean of n observations is Normal(location, sqrt(sd² + 1/n)).
fn exact(y: &[f64], location: f64, sd: f64) -> f64 {
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let variance = sd * sd + 1.0 / n;
    // without terms that do not depend on the prior
    -0.5 * (variance.ln() + (mean - location).powi(2) / variance)
}

#[test]
fn the_evidence_of_another_prior_comes_from_the_same_draws() {
    let y = [0.3, -0.8, 1.9, 0.4, 1.1, 0.2];
    let model = with_prior_of(&y, 0.0, 1.0);
    let others =
        || [0.5, 1.0, 2.0, 20.0].map(|sd| (format!("sd {sd}"), with_prior_of(&y, 0.0, sd)));
    let chains = Inference::nuts()
        .draws(2500)
        .seed(2)
        .progress(false)
        .run(&model);
    let islands = Inference::psmc()
        .particles(1024)
        .islands(8)
        .seed(2)
        .progress(false)
        .run(&model);
    for run in [chains, islands] {
        let run = run.expect("the model is sound");
        let found = run
            .evidence_sensitivity(&model, others())
            .expect("the same quantities");
        for (row, sd) in found.rows.iter().zip([0.5, 1.0, 2.0, 20.0]) {
            let factor = row.log_bayes_factor;
            let error = factor.mean - (exact(&y, 0.0, sd) - exact(&y, 0.0, 1.0));
            let bound = 4.0 * factor.se + 1e-9;
            assert!(
                error.abs() <= bound && factor.se < 0.03,
                "{}: sd {sd}: {row:?}",
                run.engine
            );
            assert!(
                row.pareto_k < found.good_k,
                "{}: sd {sd}: {row:?}",
                run.engine
            );
        }
        // the same prior: no change and no warning
        assert_eq!(found.rows[1].log_bayes_factor.mean, 0.0);
        assert!(!found.to_string().contains("k-hat is above"), "{found}");
        // a warning, because the draws do not reach the other posterior
        let far = run.evidence_sensitivity(&model, [("far", with_prior_of(&y, 30.0, 0.5))]);
        let far = far.expect("the same quantities").to_string();
        assert!(
            far.contains("for far: the draws of this run do not reach its posterior"),
            "{far}"
        );
    }
}

/// A spike inside a wide mode, with ten times its mass: only the last temperature sees it (a first-order transition).
#[model]
fn two_phases(width: f64, height: f64) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(5));
    let mut wide: Real = Real::from(0.0);
    let mut narrow: Real = Real::from(height);
    for k in 0..5 {
        wide -= 0.5 * x[k].square();
        narrow -= 0.5 * (x[k] / width).square();
    }
    factor(wide + (narrow - wide).log1p_exp());
}

#[test]
fn a_mode_that_tempering_misses_is_named() {
    let width: f64 = 0.05;
    let height = 10f64.ln() - 5.0 * width.ln();
    let truth = 11f64.ln() + 5.0 * (0.5 * std::f64::consts::TAU.ln() - 10f64.ln());
    let run = Inference::psmc().seed(1).run(&two_phases(width, height));
    let run = run.expect("the model can be run");
    let evidence = run.log_evidence().expect("islands have an evidence");
    assert!(evidence < truth - 1.0, "{evidence} is not too low");
    let named = run
        .warnings()
        .into_iter()
        .find_map(|warning| match warning {
            bayes::diagnose::Warning::MissedMass(missed) => Some(missed.with_it[0]),
            _ => None,
        });
    let named = named.expect("a climb from a particle leads to the spike");
    assert!((named - truth).abs() < 0.1, "{named} for {truth}");
    // without the spike no mass is missing
    let run = Inference::psmc().seed(1).run(&two_phases(width, -10.0));
    assert_eq!(run.expect("the model can be run").warnings(), []);
}

fn masses(group: &Group) -> &[LocalMass] {
    let island = group.island().expect("pSMC makes islands");
    &island.local_masses
}

#[test]
fn every_island_measures_the_mass_near_its_mode() {
    let run = Inference::psmc().seed(1).run(&two_phases(0.05, -10.0));
    let run = run.expect("the model can be run");
    assert!(run.groups.iter().all(|group| masses(group).len() == 1));
    let evidence = run.log_evidence().expect("islands have an evidence");
    let mass = &masses(&run.groups[0])[0];
    let positions = || {
        run.groups
            .iter()
            .flat_map(|group| group.positions.chunks_exact(5))
    };
    let inside = positions()
        .filter(|position| mass.contains(position))
        .count();
    let share = inside as f64 / positions().count() as f64;
    let integral = (mass.log_mass - evidence).exp();
    // the mode is not Gaussian in the coordinates; of a Gaussian 0.9 would be inside
    assert!(
        share > 0.7 && (share - integral).abs() < 0.05,
        "{share}, {integral}"
    );
}
