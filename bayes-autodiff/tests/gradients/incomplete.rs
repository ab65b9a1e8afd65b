//! Incomplete gamma and beta functions: values and derivatives against high-precision references and differences.

use bayes_autodiff::check::Bivariate;
use bayes_autodiff::function::{LnBetaCdf, LnGammaCdf, LnGammaSf, LnStudentCdf, Ternary};
use serde_json::Value;

/// The functions of two arguments.
const PAIRS: [Bivariate; 3] = [
    Bivariate::of::<LnGammaCdf>(),
    Bivariate::of::<LnGammaSf>(),
    Bivariate::of::<LnStudentCdf>(),
];

/// A row of `data/incomplete.json`; `data/incomplete.py` says how it was computed.
struct Reference {
    function: String,
    input: Vec<f64>,
    derivatives: Vec<f64>,
}

fn references() -> Vec<Reference> {
    let rows: Vec<Value> =
        serde_json::from_str(include_str!("../data/incomplete.json")).expect("a list of rows");
    let numbers = |list: &Value| {
        let list = list.as_array().expect("a list of numbers");
        list.iter().map(|x| x.as_f64().expect("a number")).collect()
    };
    let rows = rows.iter().map(|row| Reference {
        function: row["f"].as_str().expect("a name").to_owned(),
        input: numbers(&row["x"]),
        derivatives: numbers(&row["d"]),
    });
    rows.collect()
}

fn pair(name: &str) -> &'static Bivariate {
    let found = PAIRS.iter().find(|f| f.name == name);
    found.expect("a function of two arguments")
}

/// Value, gradient and upper triangle of the second derivatives.
fn evaluate(name: &str, input: &[f64]) -> Vec<f64> {
    match *input {
        [x, y] => {
            let (value, gradient, curvature) = (pair(name).second)(x, y);
            [&[value], gradient.as_slice(), curvature.as_slice()].concat()
        }
        [z, a, b] => {
            let (value, gradient, [[zz, za, zb], [_, aa, ab], [_, _, bb]]) =
                LnBetaCdf::second(z, a, b);
            assert_eq!(LnBetaCdf::first(z, a, b), (value, gradient));
            assert_eq!(LnBetaCdf::value(z, a, b), value);
            [&[value], gradient.as_slice(), &[zz, za, zb, aa, ab, bb]].concat()
        }
        _ => panic!("{name} takes another number of arguments"),
    }
}

#[test]
fn values_and_derivatives_agree_with_references() {
    let mut failures = Vec::new();
    for Reference {
        function,
        input,
        derivatives,
    } in references()
    {
        let got = evaluate(&function, &input);
        assert_eq!(got.len(), derivatives.len());
        let smallest = input.iter().fold(1.0, |least: f64, x| least.min(x.abs()));
        for (entry, (got, wanted)) in got.iter().zip(&derivatives).enumerate() {
            let (bound, all) = if entry == 0 {
                (1e-13, &derivatives[..1])
            } else if entry <= input.len() {
                (1e-11, &derivatives[1..=input.len()])
            } else {
                // each small argument's derivatives of the tails are large and cancel
                (
                    1e-10_f64.max(1e-15 / smallest),
                    &derivatives[input.len() + 1..],
                )
            };
            let largest = all.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let error = (got - wanted).abs() / (wanted.abs() + 1e-4 * largest.min(1.0));
            if got != wanted && (error.is_nan() || error > bound) {
                failures.push(format!(
                    "{function}{input:?}, entry {entry}: {got:e} is {error:.1e} off {wanted:e}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn edges_are_exact() {
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (function, input, wanted) in [
        ("ln_gamma_cdf", [2.0, 0.0], low),
        ("ln_gamma_sf", [2.0, 0.0], 0.0),
        ("ln_gamma_cdf", [2.0, high], 0.0),
        ("ln_gamma_sf", [2.0, high], low),
        ("ln_gamma_sf", [0.0, 3.0], low),
        ("ln_gamma_cdf", [0.0, 3.0], 0.0),
        ("ln_student_cdf", [3.0, low], low),
        ("ln_student_cdf", [3.0, high], 0.0),
    ] {
        let [x, y] = input;
        let (value, gradient) = (pair(function).first)(x, y);
        assert_eq!((value, gradient), (wanted, [0.0; 2]), "{function}{input:?}");
    }
    for (input, wanted) in [
        ([low, 2.0, 3.0], low),
        ([high, 2.0, 3.0], 0.0),
        ([0.5, 0.0, 3.0], 0.0),
        ([0.5, 3.0, 0.0], low),
    ] {
        let [z, a, b] = input;
        assert_eq!(LnBetaCdf::first(z, a, b), (wanted, [0.0; 3]), "{input:?}");
    }
}

#[test]
fn arguments_outside_the_domain_give_nan() {
    for input in [[-1.0, 2.0], [2.0, -1.0], [f64::NAN, 1.0], [1.0, f64::NAN]] {
        for function in &PAIRS[..2] {
            assert!((function.value)(input[0], input[1]).is_nan(), "{input:?}");
        }
    }
    assert!((PAIRS[2].value)(0.0, 1.0).is_nan());
    assert!(LnBetaCdf::value(0.0, -1.0, 1.0).is_nan());
    assert!(LnBetaCdf::value(0.0, 0.0, 0.0).is_nan());
    assert!(LnBetaCdf::value(f64::NAN, 1.0, 1.0).is_nan());
}
