//! Contrasts of factors: the columns of R's `contr.sum` and `contr.helmert`.

use crate::{log_likelihood, of};
use bayes_formula::{Regression, formula};

const LABELS: [usize; 7] = [0, 1, 2, 0, 2, 2, 1];
/// The mean of each label.
const MEANS: [f64; 3] = [1.0, 3.0, -2.0];

fn response(row: usize) -> f64 {
    (row as f64 * 1.7).sin() + 0.5 * row as f64
}

fn regression(text: &str) -> Regression {
    let mut rows = String::from("y,g\n");
    for (row, label) in LABELS.iter().enumerate() {
        rows += &format!("{},{}\n", response(row), ["a", "b", "c"][*label]);
    }
    let made = formula(text).and_then(|formula| formula.on(&of(&rows)));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The log likelihood at these coefficients and an intercept of 2/3, the mean of [`MEANS`]. The coordinate of the intercept is where all
/// columns are at their means.
fn at(text: &str, columns: [[f64; 2]; 3], b: [f64; 2]) -> f64 {
    let value = |label: &usize| {
        let [x, z] = columns[*label];
        x * b[0] + z * b[1]
    };
    let means: f64 = LABELS.iter().map(value).sum::<f64>() / LABELS.len() as f64;
    let position = [b[0], b[1], 2.0 / 3.0 + means, 0.7_f64.ln()];
    log_likelihood(&regression(text), &position)
}

/// Would detect the columns of other contrasts, and of the other order of levels: all give the same three means.
#[test]
fn all_contrasts_say_the_same_means() {
    let term = |(row, label): (usize, &usize)| {
        let z = (response(row) - MEANS[*label]) / 0.7;
        -0.5 * z * z - 0.7_f64.ln() - 0.5 * std::f64::consts::TAU.ln()
    };
    let wanted: f64 = LABELS.iter().enumerate().map(term).sum();
    let sum = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]];
    let helmert = [[-1.0, -1.0], [1.0, -1.0], [0.0, 2.0]];
    let (of_sum, of_helmert) = ([1.0 / 3.0, 7.0 / 3.0], [1.0, -4.0 / 3.0]);
    for (text, columns, b) in [
        ("y ~ factor(g, contrasts = \"sum\")", sum, of_sum),
        ("y ~ C(g, Sum)", sum, of_sum),
        ("y ~ C(g, contr.sum)", sum, of_sum),
        (
            "y ~ factor(g, contrasts = \"helmert\")",
            helmert,
            of_helmert,
        ),
        ("y ~ C(g, Helmert)", helmert, of_helmert),
    ] {
        let found = at(text, columns, b);
        assert!((found - wanted).abs() < 1e-10, "{text}: {found}, {wanted}");
    }
}

#[test]
fn coefficients_of_contrasts_are_called_by_their_levels() {
    let priors = |text: &str| regression(text).priors().to_string();
    for (text, with, without) in [
        (
            "y ~ C(g, Sum)",
            ["b[C(g; Sum)a]", "b[C(g; Sum)b]"],
            "b[C(g; Sum)c]",
        ),
        (
            "y ~ C(g, Helmert)",
            ["b[C(g; Helmert)b]", "b[C(g; Helmert)c]"],
            "b[C(g; Helmert)a]",
        ),
        (
            "y ~ C(g, Treatment)",
            ["b[C(g; Treatment)b]", "b[C(g; Treatment)c]"],
            "b[C(g; Treatment)a]",
        ),
    ] {
        let found = priors(text);
        assert!(with.iter().all(|name| found.contains(name)), "{found}");
        assert!(!found.contains(without), "{found}");
    }
    // all levels without an intercept, as in R
    assert_eq!(
        priors("y ~ 0 + C(g, Sum)").matches("b[C(g; Sum)").count(),
        3
    );
    let refused = |text: &str| {
        let made = formula(text).and_then(|formula| formula.on(&of("y,g\n1,a\n2,b\n3,a\n")));
        let error = made.err().expect("there are no such contrasts");
        error.to_string()
    };
    let words = refused("y ~ C(g, Poly)");
    assert!(words.contains("`treatment`, `sum` or `helmert`"), "{words}");
}

/// Would detect contrasts that are learnt anew from the labels of a later table.
#[test]
fn a_later_table_has_the_contrasts_of_the_first() {
    let first = regression("y ~ C(g, Sum)");
    let later = first.of(&of("y,g\n0.5,c\n1.5,c\n")).expect("a known label");
    let position = [1.0 / 3.0, 7.0 / 3.0, 2.0 / 3.0, 0.7_f64.ln()];
    // the means of the columns are of the first table: (2 - 3) / 7 and (2 - 3) / 7
    let mean = 2.0 / 3.0 + (-1.0 + 1.0 / 7.0) * (8.0 / 3.0);
    let term = |y: f64| {
        let z = (y - mean) / 0.7;
        -0.5 * z * z - 0.7_f64.ln() - 0.5 * std::f64::consts::TAU.ln()
    };
    let found = log_likelihood(&later, &position);
    assert!((found - term(0.5) - term(1.5)).abs() < 1e-10, "{found}");
}

const GRADES: &str = "y,g\n1,low\n2,high\n4,mid\n3,low\n5,high\n2,top\n";

#[test]
fn ordered_labels_have_polynomials_of_their_places() {
    let text = "y ~ ordered(g, \"low\", \"mid\", \"high\", \"top\")";
    let made = formula(text).and_then(|formula| formula.on(&of(GRADES)));
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    let priors = made.priors().to_string();
    for ending in [".L]", ".Q]", ".C]"] {
        assert!(priors.contains(ending), "{ending}: {priors}");
    }
    // contr.poly(4), written out
    let line = |place: usize| {
        let a = [-3.0, -1.0, 1.0, 3.0][place] / 20.0_f64.sqrt();
        let b = [1.0, -1.0, -1.0, 1.0][place] / 2.0;
        let c = [-1.0, 3.0, -3.0, 1.0][place] / 20.0_f64.sqrt();
        format!("{a},{b},{c}")
    };
    let places = [0, 2, 1, 0, 2, 3].map(line);
    let y = [1, 2, 4, 3, 5, 2];
    let rows: Vec<String> = y
        .iter()
        .zip(places)
        .map(|(y, x)| format!("{y},{x}"))
        .collect();
    let rows = format!("y,a,b,c\n{}\n", rows.join("\n"));
    let by_hand = formula("y ~ a + b + c").and_then(|formula| formula.on(&of(&rows)));
    let by_hand = by_hand.unwrap_or_else(|error| panic!("{error}"));
    let position = [0.5, -0.2, 0.7, 0.1, 0.3];
    let [a, b] = [&made, &by_hand].map(|one| crate::log_likelihood(one, &position));
    assert!((a - b).abs() < 1e-9, "{a}, {b}");
}

#[test]
fn words_without_an_order_are_refused() {
    for (text, wanted) in [
        ("y ~ ordered(g)", "the labels of `g` have no order"),
        (
            "y ~ ordered(g, \"low\", \"mid\")",
            "also has the level `high`",
        ),
        ("y ~ ordered(g, \"low\", \"lower\")", "no level `lower`"),
    ] {
        let found = crate::refusals::refusal(text, bayes_formula::Family::Gaussian, GRADES);
        assert!(found.contains(wanted), "{found}");
    }
}
