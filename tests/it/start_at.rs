//! Chains that start at given values.

use bayes::density::{Block, LogDensity};
use bayes::prelude::*;

#[model]
fn parts(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let tau = sample(HalfCauchy::new(1.0));
    let share = sample(Dirichlet::new([1.0, 1.0, 1.0]));
    let mut walk = 0.0 * mu;
    for _ in 0..2 {
        let effect = sample(Normal::new(walk + mu, tau));
        walk = effect * share[2];
    }
    observe(y, Normal::new(walk, 1.0));
    let twice = deterministic(2.0 * mu);
}

const Y: [f64; 3] = [0.2, 1.1, -0.4];

/// Four chains that hardly move.
fn still() -> bayes::engine::Chains<Hmc> {
    let kernel = Hmc::new().step_size(1e-9).leapfrog_steps(1);
    let engine = Inference::hmc().kernel(kernel).chains(4).burn_in(0);
    engine.draws(1).progress(false).seed(3)
}

/// The value of a quantity in all chains.
fn starts(run: &Run, name: &str) -> Vec<Vec<f64>> {
    let draws = run.draws(name).expect("it is sampled");
    draws.rows().map(<[f64]>::to_vec).collect()
}

fn near(found: &[f64], wanted: &[f64]) -> bool {
    let pairs = found.iter().zip(wanted);
    found.len() == wanted.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6)
}

#[test]
fn chains_start_at_the_given_values_and_draw_the_others() {
    let model = parts(&Y);
    let (tau, share, effect) = ([0.7], [0.2, 0.3, 0.5], [-3.0, 4.0]);
    let values: [(&str, &[f64]); 3] = [("tau", &tau), ("effect", &effect), ("share", &share)];
    let engine = still().start_at(&values);
    let run = engine.run(&model).expect("the values are possible");
    for (name, wanted) in values {
        let found = starts(&run, name);
        assert!(found.iter().all(|x| near(x, wanted)), "{name}: {found:?}");
    }
    let drawn = starts(&run, "mu");
    assert!((drawn[0][0] - drawn[1][0]).abs() > 0.1, "{drawn:?}");
    assert!(run.settings["start_at"].starts_with("tau, effect, share ("));
    // other starting values give another run
    let moved = still().start_at(&[("tau", &[0.8]), ("effect", &effect), ("share", &share)]);
    let moved = moved.run(&model).expect("the values are possible");
    assert_ne!(moved.settings["start_at"], run.settings["start_at"]);
    let again = engine.run(&model).expect("the values are possible");
    assert_eq!(run.draws("mu"), again.draws("mu"));
}

#[test]
fn chains_start_at_a_fit_with_any_prior() {
    let model = parts(&Y);
    let fit = Inference::map().jacobian(true).seed(1).run(&model);
    let fit = fit.expect("the density has a mode");
    let run = still().start_at(&fit.values()).run(&model);
    let run = run.expect("the values are those of the model");
    for (name, wanted) in fit.values() {
        let found = starts(&run, name);
        assert!(found.iter().all(|x| near(x, wanted)), "{name}: {found:?}");
    }
    // with an anchored prior, from which the other quantities are not drawn either
    let line = line(&Y);
    let fit = Inference::map().seed(1).run(&line).expect("it has a mode");
    let engine = still().anchor(&fit, 0.5).start_at(&[("slope", &[7.5])]);
    let run = engine.run(&line).expect("the prior is Gaussian");
    assert!(starts(&run, "slope").iter().all(|x| near(x, &[7.5])));
}

#[model]
fn line(y: &[f64]) {
    let slope = sample(Normal::new(0.0, 2.0));
    let shift = sample(Normal::new(0.0, 2.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(shift + slope * i as f64, 1.0));
    }
}

#[test]
fn values_that_do_not_fit_are_refused_before_the_run() {
    let model = parts(&Y);
    let refused = |values: &[(&str, &[f64])]| {
        let run = still().start_at(values).run(&model);
        run.expect_err("the values do not fit").to_string()
    };
    let tau = "of `let tau = sample(HalfCauchy::new(1.0))`, or at its end";
    for (values, wanted) in [
        (
            ("effekt", &[1.0][..]),
            "no quantity `effekt`; it has `mu`, `tau`, `share`, `effect`; did you mean `effect`?",
        ),
        (("twice", &[1.0]), "no quantity `twice`"),
        (("effect", &[1.0]), "`effect` has 2 elements, got 1"),
        (
            ("effect", &[1.0, f64::NAN]),
            "start with `effect` at NaN (index 1): ",
        ),
        (
            ("tau", &[-1.0]),
            "no chain can start with `tau` at -1: it is outside of the support ",
        ),
        (("tau", &[-1.0]), tau),
        (("tau", &[0.0]), "no chain can start with `tau` at 0: "),
        (("mu", &[f64::NAN]), "`mu` at NaN"),
        (("share", &[0.5, 0.5, 0.5]), "`share` at [0.5, 0.5, 0.5]: "),
    ] {
        let text = refused(&[values]);
        assert!(text.contains(wanted), "{values:?}: {text}");
    }
    let text = refused(&[("mu", &[1.0]), ("mu", &[2.0])]);
    assert!(text.ends_with("`mu` has two values; give one"), "{text}");
    // the values are possible, but not with these data
    let text = refused(&[("mu", &[1e200])]);
    assert!(
        text.contains("is not finite at the values of `start_at`, with "),
        "{text}"
    );
}

#[model]
fn window(y: &[f64]) {
    let low = sample(Normal::new(0.0, 10.0));
    let x = sample(Uniform::new(low, low + 20.0));
    observe(y, Normal::new(x, 1.0));
}

/// At two draws of five the value has zero density. Meant to detect: a decision by one draw.
#[test]
fn a_value_may_be_impossible_beside_some_draws_of_the_others() {
    for seed in 0..6 {
        let run = still()
            .seed(seed)
            .start_at(&[("x", &[3.0])])
            .run(&window(&Y));
        let run = run.expect("other draws have room for it");
        assert!(starts(&run, "x").iter().all(|x| near(x, &[3.0])));
    }
}

/// In a model with given values the other quantities have starting values, also with an improper prior.
#[test]
fn given_values_and_improper_priors_do_not_matter() {
    #[model]
    fn flat(y: &[f64], zero: &DMatrix<f64>) {
        let shift = sample(Flat::new());
        let slope = sample(Normal::new(zero, 1.0));
        observe(y, Normal::new(shift + slope[(0, 1)], 1.0));
    }
    let zero = DMatrix::zeros(2, 2);
    let (model, slope) = (flat(&Y, &zero), [0.1, 0.2, 0.3, 0.4]);
    let engine = still().start_at(&[("shift", &[700.0]), ("slope", &slope)]);
    let run = engine.superchains(2).run(&model).expect("it is possible");
    assert!(starts(&run, "shift").iter().all(|x| near(x, &[700.0])));
    assert!(starts(&run, "slope").iter().all(|x| near(x, &slope)));
    let model = model.given(&[("slope", &slope)]).expect("they fit");
    let run = still().start_at(&[("shift", &[-5.0])]).run(&model);
    let run = run.expect("the other is given");
    assert!(starts(&run, "shift").iter().all(|x| near(x, &[-5.0])));
    let refused = still().start_at(&[("slope", &slope)]).run(&model);
    let text = refused.expect_err("it is given").to_string();
    assert!(
        text.contains("no quantity `slope`; it has `shift`"),
        "{text}"
    );
}

/// A density without named quantities.
struct Bowl;

impl LogDensity for Bowl {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -0.5 * x[0] * x[0]]);
    }
}

#[test]
fn a_density_without_names_is_refused() {
    let run = still().start_at(&[("x", &[1.0])]).run_on(&Bowl);
    let text = run.expect_err("it has no names").to_string();
    assert!(text.contains("implement `Prior::draw_at`"), "{text}");
}
