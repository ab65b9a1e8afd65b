//! Expanded models: their statements, data, and errors at run time.
#![allow(missing_docs)]

use bayes::prelude::*;
use bayes::{Error, run::VariableKind};

struct Schools<'a> {
    y: &'a [f64],
    sigma: Vec<f64>,
}

const SCHOOLS_LINE: u32 = line!() + 3;

#[model]
fn schools(data: &Schools<'_>) {
    let mu = sample(Normal::new(0.0, 5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(data.y.len()));
    for j in 0..data.y.len() {
        let theta = deterministic(
            mu + z[j], // a comment
        );
        observe(data.y[j], Normal::new(theta, data.sigma[j]));
    }
    factor(-0.5 * mu * mu);
}

#[test]
fn statements_are_kept_as_written_with_their_lines() {
    let data = Schools {
        y: &[1.0],
        sigma: vec![1.0],
    };
    let model = schools(&data);
    assert_eq!(Model::name(&model), "schools");
    assert_eq!(Model::file(&model), "tests/it/expansion.rs");
    let rows: Vec<_> = Model::statements(&model)
        .iter()
        .map(|s| (s.name, s.text, s.line - SCHOOLS_LINE))
        .collect();
    assert_eq!(
        rows,
        [
            ("mu", "let mu = sample(Normal::new(0.0, 5.0))", 1),
            (
                "z",
                "let z = sample(Normal::new(0.0, 1.0).iid(data.y.len()))",
                2
            ),
            ("theta", "let theta = deterministic(mu + z[j])", 4),
            (
                "data.y",
                "observe(data.y[j], Normal::new(theta, data.sigma[j]))",
                7
            ),
            ("factor", "factor(-0.5 * mu * mu)", 9),
        ]
    );
}

/// The error of a model that cannot be run, as text.
fn refused<M: Model + AllSampled>(model: &M) -> String {
    let outcome = Inference::smc()
        .kernel(RandomWalk::new())
        .particles(8)
        .run(model);
    let Err(error @ Error::Model { .. }) = outcome else {
        panic!("{outcome:?}")
    };
    error.to_string()
}

#[test]
fn an_index_out_of_range_names_the_data_and_the_line() {
    let data = Schools {
        y: &[1.0, 2.0],
        sigma: vec![1.0],
    };
    let text = refused(&schools(&data));
    let line = SCHOOLS_LINE + 7;
    let wanted = format!(
        "(tests/it/expansion.rs:{line}): index 1 is out of range for `data.sigma`, which has 1 element"
    );
    assert!(text.contains(&wanted), "{text}");
}

const MEANS_LINE: u32 = line!() + 3;

#[model]
fn means(y: &[f64], group: &[usize]) {
    let mu = sample(Normal::new(0.0, 5.0));
    for j in 0..y.len() {
        let known = group[j] == 0;
        observe(y[j], Normal::new(mu, if known { 1.0 } else { 2.0 }));
    }
}

#[test]
fn an_index_before_a_statement_names_its_own_line() {
    let text = refused(&means(&[1.0], &[]));
    // the statement is the one that would have been next
    let (statement, line) = (MEANS_LINE + 4, MEANS_LINE + 3);
    let wanted = format!(
        "(tests/it/expansion.rs:{statement}): line {line}: index 0 is out of range for `group`"
    );
    assert!(text.contains(&wanted), "{text}");
}

#[model]
fn product(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(beta[0] * x[(i, 0)], 1.0));
    }
}

#[test]
fn a_matrix_index_out_of_range_says_the_shape() {
    let text = refused(&product(&DMatrix::zeros(1, 2), &[1.0, 2.0]));
    assert!(
        text.contains("index (1, 0) is out of range for `x`, which has 1 row and 2 columns"),
        "{text}"
    );
}

#[test]
fn no_rows_name_the_argument() {
    let text = refused(&product(&DMatrix::zeros(1, 2), &[]));
    assert!(
        text.contains("`y` has no rows, so nothing is observed"),
        "{text}"
    );
}

#[model]
fn tilted(x: &DMatrix<f64>, tilt: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    factor(mu * x.sum() * tilt);
}

#[test]
fn nan_in_data_is_found_where_it_stands() {
    let mut x = DMatrix::zeros(2, 2);
    x[(1, 0)] = f64::NAN;
    let text = refused(&tilted(&x, 1.0));
    assert!(
        text.contains("data `x` is NaN at row 1, column 0"),
        "{text}"
    );
    assert!(!text.contains("tilt` is"), "{text}");
}

/// Arguments of every kind, used in the body as outside of a model.
#[model]
fn arguments(
    flag: bool,
    n: usize,
    rate: f64,
    y: Vec<f64>,
    pair: (f64, f64),
    text: &str,
    r#type: &[u64],
) {
    let mu = sample(Normal::new(pair.0, pair.1));
    if flag && n > 1 && !text.is_empty() {
        observe(&y, Normal::new(mu * rate, 1.0));
    }
    observe(r#type[0], Poisson::new(mu.exp()));
}

#[test]
fn arguments_may_be_of_any_usual_type() {
    let model = arguments(true, 2, 1.0, vec![1.0], (0.0, 1.0), "a", &[1]);
    assert_eq!(format!("{model:?}"), "arguments { .. }");
    let names: Vec<_> = Model::data(&model)
        .into_iter()
        .map(|d| (d.name, d.length))
        .collect();
    let lengths = [None, None, None, Some(1), None, None, Some(1)];
    let expected: Vec<_> = ["flag", "n", "rate", "y", "pair", "text", "type"]
        .into_iter()
        .zip(lengths)
        .collect();
    assert_eq!(names, expected);
}

#[model]
fn loops(y: &[f64]) {
    let mut previous: Real = Real::from(0.0);
    for value in y {
        let x = sample(Normal::new(previous, 1.0));
        let _doubled = deterministic(2.0 * x);
        observe(*value, Normal::new(x, 1.0));
        previous = x;
    }
    let k = sample(Poisson::new(2.0).iid(3));
    factor(-k.sum());
}

#[test]
fn quantities_keep_their_let_names() {
    let run = Inference::smc()
        .kernel(RandomWalk::new())
        .particles(16)
        .run(&loops(&[1.0, 2.0]))
        .unwrap();
    let kept: Vec<_> = run
        .layout
        .variables
        .iter()
        .map(|v| (v.name.as_str(), v.shape.elements(), v.kind))
        .collect();
    assert_eq!(
        kept,
        [
            ("x", 2, VariableKind::Continuous),
            ("doubled", 2, VariableKind::Deterministic),
            ("k", 3, VariableKind::Discrete),
        ]
    );
    let elements = run.layout.elements();
    for draw in run.groups[0].draws.chunks(elements) {
        assert_eq!(draw[2], 2.0 * draw[0]);
        assert_eq!(draw[3], 2.0 * draw[1]);
    }
}

#[model]
fn underscores(y: f64) {
    let rate = sample(Gamma::new(2.0, 1.0));
    let _rate = deterministic(1.0 / rate);
    let _y = deterministic(rate + 1.0);
    let _scale = deterministic(rate.sqrt());
    let __root = deterministic(rate.ln());
    observe(y, Exponential::new(rate));
}

#[test]
fn a_leading_underscore_goes_where_the_name_is_free() {
    let model = underscores(1.0);
    let names: Vec<_> = Model::statements(&model).iter().map(|s| s.name).collect();
    assert_eq!(names, ["rate", "_rate", "_y", "scale", "__root", "y"]);
}

/// Loop bodies with every ending: with and without a semicolon, and one that always leaves the loop.
#[deny(warnings)]
#[allow(clippy::never_loop)]
#[model]
fn endings(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    for value in y {
        observe(*value, Normal::new(mu, 1.0))
    }
    for value in y {
        observe(*value, Normal::new(mu, 1.0));
        break;
    }
    let mut seen = 0;
    while seen < y.len() {
        if y[seen] > 0.0 {
            factor(-mu)
        }
        seen += 1;
    }
}

#[test]
fn loops_count_every_term_once_and_warn_of_nothing() {
    use bayes::density::{Particles, Posterior, Target};
    let model = endings(&[0.5, -1.0]);
    let posterior = Posterior::new(&model, 1).unwrap();
    let mut particles = Particles::new(1, 1);
    particles.positions[0] = 0.25;
    Target::posterior(&posterior)
        .evaluate_gradient(&mut particles.block(), &mut Default::default());
    let normal = |y: f64| -0.5 * (y - 0.25f64).powi(2) - 0.5 * std::f64::consts::TAU.ln();
    let by_hand = 2.0 * normal(0.5) + normal(-1.0) - 0.25;
    assert!((particles.log_likelihood[0] - by_hand).abs() < 1e-14);
    let slope = 2.0 * 0.25 - 1.25 - 1.0 - 0.25;
    assert!((particles.gradient[0] - slope).abs() < 1e-14);
}
