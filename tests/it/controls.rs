//! The log evidence by control variates: its gain, and cases where it must not be used.

use bayes::diagnose::Warning;
use bayes::engine::Smc;
use bayes::prelude::*;
use bayes::run::Group;

/// A conjugate model.
#[model]
fn conjugate(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    observe(y, Normal::new(mu, 1.0));
}

const Y: [f64; 6] = [1.2, 0.4, 2.3, 1.9, 0.8, 1.1];

/// `log N(y; 0, I + 4 11ᵀ)`.
fn log_evidence_of_conjugate() -> f64 {
    let n = Y.len() as f64;
    let (sum, squares) = (Y.iter().sum::<f64>(), Y.iter().map(|y| y * y).sum::<f64>());
    let determinant = 1.0 + 4.0 * n;
    let quadratic = squares - 4.0 * sum * sum / determinant;
    -0.5 * (n * std::f64::consts::TAU.ln() + determinant.ln() + quadratic)
}

fn islands(seed: u64) -> Smc<Hmc> {
    let engine = Inference::psmc().islands(4).particles(128);
    engine.seed(seed).progress(false)
}

#[test]
fn the_evidence_is_more_precise_and_everything_else_is_the_same() {
    let model = conjugate(&Y);
    let [with, without] = [true, false].map(|control| {
        let run = islands(3).control_variates(control).run(&model);
        run.expect("the model is right")
    });
    // integration around the mode knows nothing of control variates
    let [a, b] = [&with, &without].map(|run| run.log_evidence_of_path().expect("islands"));
    let truth = log_evidence_of_conjugate();
    assert!(a.se < 0.5 * b.se, "{a} and {b}");
    assert!((a.mean - truth).abs() < 4.0 * a.se, "{a}, {truth}");
    assert_eq!(with.log_evidence_without_controls(), Some(b));
    assert_eq!(without.log_evidence_without_controls(), None);
    for (a, b) in with.groups.iter().zip(&without.groups) {
        assert_eq!(a.positions, b.positions);
        let [a, b] = [a, b].map(|group| group.island().expect("it is an island"));
        assert_eq!((a.log_evidence, &a.gains), (b.log_evidence, &b.gains));
        assert!(a.controlled.is_some() && b.controlled.is_none());
    }
}

/// The likelihood jumps when the threshold passes 0.4.
#[model]
fn threshold(y: &[f64]) {
    let at = sample(Uniform::new(0.0, 1.0));
    let mu = Real::select(at.gt(0.4), 1.0, 0.0);
    observe(y, Normal::new(mu, 1.0));
}

const JUMPY: [f64; 5] = [1.2, 0.4, 1.3, -0.2, 0.8];

fn log_evidence_of_threshold() -> f64 {
    let likelihood = |mu: f64| -> f64 {
        let log = |y: &f64| -0.5 * ((y - mu).powi(2) + std::f64::consts::TAU.ln());
        JUMPY.iter().map(log).sum::<f64>().exp()
    };
    (0.4 * likelihood(0.0) + 0.6 * likelihood(1.0)).ln()
}

/// Control variates that are used whenever they leave less variance disagree with the weights here, by many errors.
#[test]
fn the_evidence_of_a_density_that_jumps_is_right_with_control_variates() {
    let truth = log_evidence_of_threshold();
    for seed in 1..=10 {
        let engine = Inference::psmc().control_variates(true).seed(seed);
        let run = engine.progress(false).run(&threshold(&JUMPY));
        let run = run.expect("the model is right");
        let found = run.log_evidence_estimate().expect("islands");
        assert!(
            (found.mean - truth).abs() < 4.0 * found.se,
            "seed {seed}: {found}, {truth}"
        );
    }
}

fn is_reported_to_disagree(run: &bayes::Run) -> bool {
    let disagrees = |warning: &Warning| matches!(warning, Warning::ControlsDisagree(_));
    run.warnings().iter().any(disagrees)
}

fn have_none(run: &bayes::Run) -> bool {
    let mut islands = run.groups.iter().filter_map(Group::island);
    islands.all(|island| island.controlled.is_none())
}

/// One island of few particles does not detect that its control variates disagree.
#[test]
fn a_density_that_is_seen_to_jump_has_none() {
    let run = Inference::smc().progress(false).run(&threshold(&JUMPY));
    let run = run.expect("the model is right");
    assert!(have_none(&run));
    assert!(!is_reported_to_disagree(&run));
}

/// The two parts meet at the threshold, where the density has a kink.
#[model]
fn kink(y: &[f64]) {
    let x = sample(Normal::new(0.0, 1.0));
    let mu = Real::select(x.gt(0.0), x, 0.1 * x);
    observe(y, Normal::new(mu, 1.0));
}

#[test]
fn a_choice_without_a_jump_has_them() {
    let run = islands(1).run(&kink(&Y)).expect("the model is right");
    assert!(run.log_evidence_without_controls().is_some(), "{run}");
}

/// More coordinates than functions.
#[model]
fn wide(y: &[f64]) {
    let x = sample(Normal::new(0.0, 1.0).iid(y.len()));
    observe(y, Normal::new(&x, 1.0));
}

#[test]
fn where_there_are_too_many_functions_nothing_is_said() {
    let y = vec![0.3; 200];
    let many = Inference::psmc()
        .islands(2)
        .particles(64)
        .progress(false)
        .run(&wide(&y));
    let few = Inference::psmc()
        .islands(4)
        .particles(8)
        .progress(false)
        .run(&wide(&y[..9]));
    for run in [many, few] {
        let run = run.expect("the model is right");
        assert!(have_none(&run));
        assert!(!is_reported_to_disagree(&run));
    }
}

/// The likelihood of the bound is zero below the largest observation, and has its maximum just above it.
#[model]
fn bound(y: &[f64]) {
    let high = sample(Uniform::new(0.0, 10.0));
    observe(y, Uniform::new(0.0, high));
}

#[test]
fn they_are_not_used_where_they_cannot_be() {
    let ends = islands(1).run(&bound(&[1.0, 2.5, 0.3]));
    assert!(have_none(&ends.expect("the model is right")));
    let model = conjugate(&Y);
    let runs = [
        islands(1).kernel(Pcn::new()).run(&model),
        islands(1).pilot(64).run(&model),
        islands(1).pilot(64).interacting(0.5).run(&model),
        Inference::ais().progress(false).run(&model),
    ];
    for run in runs {
        assert!(have_none(&run.expect("the model is right")));
    }
}

#[test]
fn a_file_has_them() {
    let run = islands(1).run(&conjugate(&Y)).expect("the model is right");
    let mut text = Vec::new();
    run.to_json(&mut text).expect("memory takes it");
    let text = String::from_utf8(text).expect("it is JSON");
    let read = bayes::Run::from_json(&text).expect("it was just written");
    assert_eq!(read.log_evidence_estimate(), run.log_evidence_estimate());
    assert!(read.log_evidence_without_controls().is_some());
}
