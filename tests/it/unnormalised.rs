//! Densities without their normaliser: no distributions of data, and priors for chains alone.

use bayes::Error;
use bayes::inspect::{Problem, ProblemKind};
use bayes::predict::PredictionError;
use bayes::prelude::*;

fn psmc() -> bayes::engine::Smc<bayes::kernel::Hmc> {
    Inference::psmc().progress(false).kernel(Hmc::new())
}

fn problems(refused: Result<Run, Error>) -> Vec<Problem> {
    match refused.expect_err("its evidence would be wrong") {
        Error::Model { problems, .. } => problems,
        other => panic!("{other}"),
    }
}

#[model]
fn bounded_by_name(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let d = Normal::new(mu, 1.0).within(0.0, f64::INFINITY);
    observe(y, d);
}

#[model]
fn bounded_component(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let w = sample(Dirichlet::new([1.0, 1.0]));
    let components =
        [0.0, 1.0].map(|shift| Normal::new(mu + shift, 1.0).within(0.0, f64::INFINITY));
    observe(y, Mixture::new(&w, components));
}

#[model]
fn in_order(y: &[f64]) {
    let m = sample(Normal::new(0.0, 1.0).iid(2));
    observe(y, Normal::new(&m, 1.0).ordered());
}

#[model]
fn flat_component(y: &[f64]) {
    let w = sample(Dirichlet::new([1.0, 1.0]));
    observe(y, Mixture::new(&w, (Normal::new(0.0, 1.0), Flat::new())));
}

/// The mutation that it detects: data under a density without its normaliser, which the text of `observe` does not show.
#[test]
fn data_need_a_density_that_is_normalised() {
    let y = [0.5, 1.2];
    let truncated = "write `.truncated(low, high)` instead of `.within(low, high)`";
    let cases = [
        (problems(psmc().run(&bounded_by_name(&y))), truncated),
        (problems(psmc().run(&bounded_component(&y))), truncated),
        (
            problems(psmc().run(&in_order(&y))),
            "give all elements one distribution, `.iid(n).ordered()`",
        ),
        (
            problems(psmc().run(&flat_component(&y))),
            "give each component a density that integrates to 1, such as `Uniform` instead of `Flat`",
        ),
    ];
    for (found, wanted) in cases {
        let [problem] = &found[..] else {
            panic!("{found:?}");
        };
        let kind = ProblemKind::UnnormalisedData { instead: wanted };
        assert_eq!((&*problem.variable, &problem.kind), ("y", &kind));
        let text = problem.to_string();
        assert!(
            text.contains(
                "its density is not normalised, so that its likelihood would lack a term"
            ),
            "{text}"
        );
    }
}

#[model]
fn walk(y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    observe(y, GaussianRandomWalk::new(Flat::new(), sd, y.len()));
}

/// Given the first value, its density is normalised. The mutation that it detects: all that is improper is refused.
#[test]
fn a_walk_from_anywhere_is_a_distribution_of_data() {
    let engine = Inference::nuts().chains(1).burn_in(20).draws(20);
    let run = engine.seed(1).progress(false).run(&walk(&[0.1, 0.5, 0.2]));
    assert!(run.is_ok(), "{run:?}");
}

#[model]
fn groups(group: &[&str], mean: &[f64], y: &[f64]) {
    let shift = sample(Normal::new(0.0, 0.01));
    #[dims(group)]
    let m = sample(Normal::new(mean + shift, 1.0).ordered());
    observe(y, Normal::new(&m, 1.0));
}

#[model]
fn flat_groups(group: &[&str], y: &[f64]) {
    #[dims(group)]
    let m = sample(Flat::new().iid(group.len()));
    observe(y, Normal::new(&m, 1.0));
}

fn undrawn(name: &'static str, statement: &'static str, error: Error) {
    let Error::Prediction { source, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(source, PredictionError::Undrawn { name, statement });
}

/// Means out of order: independent normals given the order are near the mean of the means. The mutations that it detects: sorted draws of the
/// elements, near (0.5, 2.5), and a starting point in place of a draw.
#[test]
fn new_groups_in_order_are_drawn_given_the_order() {
    let engine = Inference::nuts().chains(2).burn_in(200).draws(1000).seed(3);
    let engine = engine.progress(false);
    let run = engine.run(&groups(&["a", "b"], &[2.5, 0.5], &[1.0, 1.1]));
    let run = run.expect("chains can use it");
    let new = groups(&["c", "d"], &[2.5, 0.5], &[f64::NAN; 2]);
    let found = run.predict_with(new, NewGroups::Draw).expect("it is drawn");
    let found = found.draws("y").expect("it is observed").mean();
    // the difference is normal with mean -2 and variance 2, given that it is positive: its mean is -2 + sqrt 2 h(sqrt 2), h the hazard
    let hazard = (-1.0_f64).exp() / std::f64::consts::TAU.sqrt() / 0.078_649_603_525_142_55;
    let gap = -2.0 + 2.0_f64.sqrt() * hazard;
    // a standard deviation of at most sqrt 2 over 2000 draws
    for (found, wanted) in found.iter().zip([1.5 - gap / 2.0, 1.5 + gap / 2.0]) {
        assert!((found - wanted).abs() < 0.13, "{found}, {wanted}");
    }
    let rare = groups(&["c", "d"], &[20.0, 0.0], &[f64::NAN; 2]);
    let error = run.predict_with(rare, NewGroups::Draw);
    let text = "let m = sample(Normal::new(mean + shift, 1.0).ordered())";
    undrawn("m", text, error.expect_err("no draw is in order"));
    let run = engine.run(&flat_groups(&["a", "b"], &[1.0, 1.1]));
    let run = run.expect("chains can use it");
    let new = flat_groups(&["a", "c"], &[1.0, f64::NAN]);
    let error = run.predict_with(new, NewGroups::Draw);
    let text = "let m = sample(Flat::new().iid(group.len()))";
    undrawn("m", text, error.expect_err("a flat prior has no draws"));
}

#[model]
fn unknown(y: f64) {
    let x = sample(Normal::new(0.0, 1.0).within(0.0, 1.0));
    let pair = sample(Normal::new(&[0.0, 0.5], 1.0).ordered());
    let z = sample(Flat::new());
    observe(y, Normal::new(x + pair.sum() + z, 1.0));
}

/// The mutation that it detects: advice on a wide prior where the normaliser alone is missing.
#[test]
fn a_prior_without_its_normaliser_has_advice_of_its_own() {
    let texts: Vec<String> = problems(psmc().run(&unknown(0.3)))
        .iter()
        .map(|problem| problem.kind.to_string())
        .collect();
    let wanted = [
        "write `.truncated(low, high)` instead of `.within(low, high)`, or use `Inference::nuts()`",
        "give all elements one distribution, `.iid(n).ordered()`, or use `Inference::nuts()`",
        "use a proper prior (it may be wide), or `Inference::nuts()`",
    ];
    assert_eq!(texts.len(), wanted.len(), "{texts:?}");
    for (found, wanted) in texts.iter().zip(wanted) {
        assert!(found.ends_with(wanted), "{found}");
    }
    assert!(texts[0].starts_with("its density is not normalised, but "));
}
