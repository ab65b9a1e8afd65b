//! Quantities without elements: a list of length 0, a loop without iterations. The run equals a run of the model without them.

use bayes::prelude::*;

const Y: [f64; 5] = [1.2, 0.4, 2.3, 1.9, 0.8];
const X: [f64; 5] = [0.5, -1.0, 1.5, 0.7, 0.1];

struct Parts {
    /// Columns of predictors.
    x: DMatrix<f64>,
    has_scale: bool,
    groups: Vec<&'static str>,
    of: Vec<usize>,
}

/// Everything except the intercept exists only if the data have it.
#[model]
fn parts(parts: &Parts, y: &[f64]) {
    let centre = vec![0.0; parts.x.ncols()];
    let intercept = sample(Normal::new(0.0, 2.0));
    let slope = sample(Normal::new(&centre, 1.0));
    let mut scale: Real = Real::from(1.0);
    for _ in 0..usize::from(parts.has_scale) {
        let sigma = sample(HalfNormal::new(1.0));
        scale = sigma;
    }
    #[dims(group = parts.groups.iter())]
    let effect = sample(Normal::new(0.0, 1.0).iid(parts.groups.len()).non_centred());
    let share = sample(Beta::new(1.0, 1.0).iid((parts.groups.len(), 2)));
    let mut mean: Vector = intercept + &parts.x * &slope;
    if !parts.groups.is_empty() {
        mean += effect.at(&parts.of);
    }
    let doubled = deterministic(2.0 * &effect);
    observe(y, Normal::new(mean, scale));
    factor(-share.column(0).sum());
}

#[model]
fn intercept_alone(y: &[f64]) {
    let intercept = sample(Normal::new(0.0, 2.0));
    observe(y, Normal::new(intercept, 1.0));
}

fn without() -> Parts {
    Parts {
        x: DMatrix::zeros(Y.len(), 0),
        has_scale: false,
        groups: Vec::new(),
        of: Vec::new(),
    }
}

fn with() -> Parts {
    Parts {
        x: DMatrix::from_column_slice(Y.len(), 1, &X),
        has_scale: true,
        groups: vec!["a", "b"],
        of: vec![0, 0, 1, 1, 1],
    }
}

#[test]
fn a_run_without_them_is_that_of_the_model_without_them() {
    let none = without();
    let (model, alone) = (parts(&none, &Y), intercept_alone(&Y));
    let engine = Inference::psmc().islands(2).particles(64);
    let engine = engine.seed(4).progress(false);
    let [a, b] = [engine.run(&model), engine.run(&alone)].map(|run| run.expect("it runs"));
    assert_eq!(a.layout.element_names(), ["intercept"]);
    assert_eq!(a.groups[0].positions, b.groups[0].positions);
    assert_eq!(a.log_evidence(), b.log_evidence());
    assert!(a.to_string().contains("intercept"));
    let nuts = Inference::nuts().draws(60).seed(1).progress(false);
    let run = nuts.run(&model).expect("it runs");
    assert_eq!(run.layout.element_names(), ["intercept"]);
    let found = model.check(Check::new()).expect("it runs").to_string();
    assert!(found.contains("no problems found"), "{found}");
    let prediction = run.predict(model).expect("it is the same model");
    assert_eq!(prediction.draws("y").expect("observed").elements, Y.len());
}

#[test]
fn with_elements_they_are_as_ever() {
    let all = with();
    let nuts = Inference::nuts().draws(60).seed(1).progress(false);
    let run = nuts.run(&parts(&all, &Y)).expect("it runs");
    let names = run.layout.element_names();
    let wanted = [
        "intercept",
        "slope[0]",
        "sigma",
        "effect[a]",
        "effect[b]",
        "share[0,0]",
        "share[0,1]",
        "share[1,0]",
        "share[1,1]",
        "doubled[0]",
        "doubled[1]",
    ];
    assert_eq!(names, wanted);
    // elements that the run does not have, and the other way round
    let none = without();
    let few = nuts.run(&parts(&none, &Y)).expect("it runs");
    let error = few
        .predict(parts(&all, &Y))
        .expect_err("no slope")
        .to_string();
    assert!(error.contains("`slope`"), "{error}");
    // a prediction without these quantities does not need them
    assert!(run.predict(parts(&none, &Y)).is_ok());
}

/// All distributions that take a number of copies or lists of parameters.
#[model]
fn many(n: usize, none: &[f64], y: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    let a = sample(Gamma::new(none, 1.0));
    let b = sample(Dirichlet::new([1.0, 2.0]).iid(n));
    let c = sample(Uniform::new(0.0, 1.0).iid(n).ordered());
    let d = sample(Normal::new(0.0, 1.0).truncated(0.0, 1.0).iid(n));
    let e = sample(HalfCauchy::new(mu.exp()).iid((3, n)));
    observe(
        y,
        Normal::new(
            mu + a.sum() + c.sum() + d.sum() + b.column(0).sum() + e.row(0).sum(),
            1.0,
        ),
    );
}

#[test]
fn so_it_is_for_all_kinds_of_distributions() {
    let engine = Inference::smc().particles(64).seed(4).progress(false);
    let run = engine.run(&many(0, &[], 0.3)).expect("it runs");
    assert_eq!(run.layout.element_names(), ["mu"]);
    // N(0.3; 0, 2)
    let truth = -0.5 * (2.0 * std::f64::consts::TAU).ln() - 0.25 * 0.09;
    let found = run.log_evidence_estimate().expect("it has evidence");
    assert!((found.mean - truth).abs() < 4.0 * found.se, "{found}");
}

#[model]
fn perhaps_a_scale(has_scale: bool, y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let mut scale: Real = Real::from(1.0);
    for _ in 0..usize::from(has_scale) {
        let sigma = sample(HalfNormal::new(1.0));
        scale = sigma;
    }
    observe(y, Normal::new(mu, scale));
}

/// Mutation seen: a quantity of a loop without turns counted as one with a given value, so the data were not compared with the run's data.
#[test]
fn other_data_are_refused_without_quantities_too() {
    let engine = Inference::nuts().draws(50).seed(1).progress(false);
    let run = engine.run(&perhaps_a_scale(false, &Y)).unwrap();
    let mut other = Y;
    other[2] += 1.0;
    assert!(run.loo(&perhaps_a_scale(false, &Y)).is_ok());
    let error = run.loo(&perhaps_a_scale(false, &other)).unwrap_err();
    assert!(error.to_string().contains("data"), "{error}");
}
