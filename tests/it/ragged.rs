//! Quantities in a loop with a different length in each iteration: one concatenated vector.

use bayes::dist::Shape;
use bayes::prelude::*;

#[model]
fn litters(sizes: &[usize], y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let mut first = 0;
    for i in 0..sizes.len() {
        let pup = sample(Normal::new(0.0, sd).iid(sizes[i]));
        let doubled = deterministic(&pup * 2.0);
        let _next = generate(Normal::new(&pup, 0.01));
        for j in 0..sizes[i] {
            observe(y[first + j], Normal::new(doubled[j], 1.0));
        }
        first += sizes[i];
    }
}

const SIZES: [usize; 3] = [3, 1, 4];
const Y: [f64; 8] = [0.8, -0.9, 1.4, 0.8, -1.1, 1.4, 2.0, -1.0];

#[test]
fn lengths_that_change_from_turn_to_turn_give_one_vector() {
    let model = litters(&SIZES, &Y);
    let run = Inference::nuts().seed(3).progress(false).run(&model);
    let run = run.expect("lengths may differ");
    let shape = |name: &str| run.layout.find(name).expect("it is kept").shape;
    assert_eq!(shape("pup"), Shape::Vector(8));
    assert_eq!(shape("doubled"), Shape::Vector(8));
    let summary = run.summary();
    for (i, y) in Y.into_iter().enumerate() {
        let mean = |name| {
            summary
                .row(&format!("{name}[{i}]"))
                .expect("it is there")
                .mean
        };
        assert!((mean("doubled") - 2.0 * mean("pup")).abs() < 1e-9);
        // each follows its own datum
        assert_eq!(mean("pup") > 0.0, y > 0.0, "pup[{i}] is {}", mean("pup"));
    }
    let next = run.predict(model).expect("the draws fit the model");
    assert_eq!(next.generated()[0].shape, Shape::Vector(8));
}

#[test]
fn its_density_is_that_of_its_elements() {
    let pup = [0.1, -0.3, 0.2, 0.5, -0.4, 0.6, 0.9, -0.1];
    let given = litters(&SIZES, &Y).log_density_at(&[("sd", &[0.7]), ("pup", &pup)]);
    let normal = |x: f64, mean: f64, sd: f64| {
        -0.5 * ((x - mean) / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
    };
    let half = normal(0.7, 0.0, 1.0) + 2.0_f64.ln();
    let terms = pup.iter().zip(Y);
    let wanted: f64 = terms
        .map(|(x, y)| normal(*x, 0.0, 0.7) + normal(y, 2.0 * x, 1.0))
        .sum();
    let given = given.expect("every value is given");
    let found = given.log_prior + given.log_likelihood;
    assert!((found - half - wanted).abs() < 1e-12, "{found}");
}

#[test]
fn predictions_need_the_same_lengths_in_the_same_order() {
    let run = Inference::nuts()
        .draws(20)
        .burn_in(20)
        .seed(3)
        .progress(false)
        .run(&litters(&SIZES, &Y));
    let run = run.expect("lengths may differ");
    let other = run.predict(litters(&[4, 1, 3], &Y));
    let error = other.expect_err("another group's pups").to_string();
    assert!(error.contains("pup"), "{error}");
}
