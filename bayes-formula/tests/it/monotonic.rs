//! Monotonic effects: the posterior against quadrature, names, new tables and refusals.

use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

const Y: [f64; 7] = [0.2, -0.3, 1.6, 1.1, 1.9, 2.3, 1.4];
const X: [usize; 7] = [0, 0, 1, 1, 2, 2, 2];
const SD: f64 = 0.7;

fn rows() -> String {
    let row = |(y, x): (&f64, &usize)| format!("{y},{},{SD}\n", x + 4);
    let rows: String = Y.iter().zip(&X).map(row).collect();
    format!("y,x,s\n{rows}")
}

/// The posterior means of the intercept, the coefficient and the share of the first step, on a grid.
fn by_quadrature() -> [f64; 3] {
    let (mut total, mut sums) = (0.0, [0.0; 3]);
    let grid = |low: f64, high: f64| {
        (0..80).map(move |k| low + (high - low) * (f64::from(k) + 0.5) / 80.0)
    };
    for intercept in grid(-2.5, 2.5) {
        for b in grid(-2.0, 3.5) {
            for share in grid(0.0, 1.0) {
                let risen = [0.0, 2.0 * share, 2.0];
                let term = |(y, x): (&f64, &usize)| ((y - intercept - b * risen[*x]) / SD).powi(2);
                let square: f64 = Y.iter().zip(&X).map(term).sum();
                // normal(0, 2), normal(0, 1), and flat in the share
                let weight = (-0.5 * (square + intercept.powi(2) / 4.0 + b * b)).exp();
                total += weight;
                for (sum, value) in sums.iter_mut().zip([intercept, b, share]) {
                    *sum += weight * value;
                }
            }
        }
    }
    sums.map(|sum| sum / total)
}

#[test]
fn a_monotonic_posterior_is_that_of_quadrature() {
    let regression = formula("y | se(s) ~ mo(x)")
        .expect("it is a formula")
        .prior("intercept", Prior::normal(0.0, 2.0))
        .prior("b[mo(x)]", Prior::normal(0.0, 1.0))
        .on(&of(&rows()))
        .expect("it fits the table");
    let priors = regression.priors().to_string();
    assert!(
        priors.contains("simo[x]   ~ dirichlet(1), 2 steps"),
        "{priors}"
    );
    let run = Inference::nuts()
        .draws(3000)
        .seed(2)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let names = run.layout.element_names();
    for name in ["b[mo(x)]", "simo[x:1]", "simo[x:2]"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    let found = [
        run.estimate(|draw| draw.scalar("intercept")),
        run.estimate(|draw| draw.vector("b")[0]),
        run.estimate(|draw| draw.vector("simo")[0]),
    ];
    for (found, wanted) in found.iter().zip(by_quadrature()) {
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.se,
            "{found}, {wanted}"
        );
    }
    // grades come from the first table, even if a new one lacks some
    let new = Regression::of_run_to_predict(&run, &of("x,s\n6,0.7\n")).expect("a grade");
    let y = run
        .predict(&new)
        .expect("it predicts")
        .draws("y")
        .expect("draws")
        .mean()[0];
    assert!((y - 1.87).abs() < 0.3, "{y}");
    let error = regression
        .of(&of("x,s\n7,0.7\n"))
        .err()
        .expect("an unknown grade")
        .to_string();
    assert!(
        error.contains("`x` is 7 in row 1, and was from 4 to 6 where the model was fitted"),
        "{error}"
    );
}

#[test]
fn two_monotonic_effects_have_shares_of_their_own() {
    let table = of("y,a,b,g\n1,1,1,p\n2,2,2,q\n2,3,4,p\n4,2,3,q\n3,1,2,p\n5,3,4,q\n");
    let regression = formula("y ~ mo(a) + mo(b) + (1 | g); sigma ~ mo(a)");
    let regression = regression
        .and_then(|formula| formula.on(&table))
        .expect("it fits");
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(1);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let names = run.layout.element_names();
    let shares: Vec<&String> = names
        .iter()
        .filter(|name| name.starts_with("simo"))
        .collect();
    assert_eq!(
        shares,
        [
            "simo[a:1]",
            "simo[a:2]",
            "simo[b:1]",
            "simo[b:2]",
            "simo[b:3]",
            "simo[sigma:a:1]",
            "simo[sigma:a:2]"
        ]
    );
    let draw = &run.groups[0].draws[..run.layout.elements()];
    let simo = &draw[run.layout.find("simo").expect("it is there").range()];
    for shares in [&simo[..2], &simo[2..5], &simo[5..]] {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let value = |name: &str| {
        draw[names
            .iter()
            .position(|known| known == name)
            .expect("it is there")]
    };
    let log_density = |y: f64, a: usize, b: usize, g: &str| {
        let risen = |shares: &[f64], grade: usize| {
            shares.len() as f64 * shares[..grade - 1].iter().sum::<f64>()
        };
        let mean = value("intercept")
            + value("b[mo(a)]") * risen(&simo[..2], a)
            + value("b[mo(b)]") * risen(&simo[2..5], b)
            + value(&format!("r[g:{g}:Intercept]"));
        let log_sigma = value("intercepts[sigma]") + value("b[sigma:mo(a)]") * risen(&simo[5..], a);
        -0.5 * ((y - mean) / log_sigma.exp()).powi(2) - log_sigma - 0.5 * std::f64::consts::TAU.ln()
    };
    let rows = [
        (1.0, 1, 1, "p"),
        (2.0, 2, 2, "q"),
        (2.0, 3, 4, "p"),
        (4.0, 2, 3, "q"),
        (3.0, 1, 2, "p"),
        (5.0, 3, 4, "q"),
    ];
    let wanted: f64 = rows
        .into_iter()
        .map(|(y, a, b, g)| log_density(y, a, b, g))
        .sum();
    assert!((run.groups[0].log_likelihood[0] - wanted).abs() < 1e-9 * wanted.abs().max(1.0));
}

#[test]
fn grades_that_do_not_fit_are_refused() {
    let cases = [
        (
            "y ~ mo(s)",
            "`s` is 0.7 in row 1; grades of `mo` are whole numbers in their order",
        ),
        ("y ~ mo(x) + mo(x)", "`mo(x)` is there twice; leave one out"),
        ("y ~ mo(x):s", "`mo(x)` is a term by itself, of one column"),
        (
            "y ~ 1 - mo(x)",
            "a monotonic effect is added, and not removed",
        ),
        (
            "y ~ mo(I(100 * x))",
            "`I(100*x)` goes from 400 to 600; `mo` needs from 3 to 100 grades",
        ),
    ];
    for (text, wanted) in cases {
        let error = refusal(text, Family::Gaussian, &rows());
        assert!(error.contains(wanted), "{text}: {error}");
    }
}
