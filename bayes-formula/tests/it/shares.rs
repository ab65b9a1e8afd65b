//! R² against moments from the densities of the families, and hypotheses against the draws.

use crate::families::{self, At};
use crate::fitted::moment;
use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Family, formula, hypothesis};

/// The variance of a response, from its density.
fn variance(family: Family, at: &At) -> f64 {
    match (family, at.nu) {
        (Family::Frechet, nu) if nu <= 2.0 => f64::INFINITY,
        (Family::StudentT, nu) if nu <= 2.0 => f64::INFINITY,
        (Family::StudentT, nu) => at.sigma * at.sigma * nu / (nu - 2.0),
        _ => moment(family, at, 2) - moment(family, at, 1).powi(2),
    }
}

#[test]
fn r2_has_the_variances_of_the_densities() {
    for (name, family) in Family::ALL {
        let (regression, run) = families::run(name, family);
        let values = match family {
            Family::Categorical => Some("labels"),
            Family::VonMises => Some("angles"),
            Family::Multinomial | Family::Dirichlet => Some("columns"),
            Family::Cox => Some("times, known up to an end,"),
            _ => families::has_outcomes(family).then_some("grades"),
        };
        if let Some(values) = values {
            let error = regression.r2(&run).expect_err("they are no numbers");
            let wanted = format!("the {values} of the family {name} are none");
            assert!(error.to_string().contains(&wanted), "{error}");
            continue;
        }
        let draws = run.groups[0].draws.chunks(run.layout.elements());
        let shares: Vec<f64> = draws
            .map(|values| {
                let vector = |name: &str| {
                    let found = run.layout.find(name);
                    found.map_or(&[][..], |variable| &values[variable.range()])
                };
                let rows: Vec<At> = (0..6).map(|i| families::at(&vector, i)).collect();
                let trials = |at: &At| match family {
                    Family::Binomial
                    | Family::BetaBinomial
                    | Family::ZeroInflatedBinomial
                    | Family::ZeroInflatedBetaBinomial => at.trials as f64,
                    _ => 1.0,
                };
                let means: Vec<f64> = rows
                    .iter()
                    .map(|at| moment(family, at, 1) / trials(at))
                    .collect();
                let mean = means.iter().sum::<f64>() / 6.0;
                let explained = means.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0;
                let residual = rows
                    .iter()
                    .map(|at| variance(family, at) / trials(at).powi(2))
                    .sum::<f64>()
                    / 6.0;
                explained / (explained + residual)
            })
            .collect();
        let wanted = shares.iter().sum::<f64>() / 4.0;
        let found = regression.r2(&run).expect("its run").summary.mean.mean;
        assert!(
            (found - wanted).abs() < 1e-3 * wanted,
            "{name}: {found}, {wanted}"
        );
    }
}

// Under flat priors R² equals the least-squares R² computed here, up to effects of order 1 / n of the prior and the skewness of the
// posterior.
#[test]
fn r2_of_a_line_is_near_that_of_least_squares() {
    let x: Vec<f64> = (0..40).map(f64::from).collect();
    let row = |x: &f64| format!("{},{x}\n", 1.0 + 0.5 * x + 5.0 * (x * 1.7).sin());
    let text = x.iter().fold("y,x\n".to_owned(), |text, x| text + &row(x));
    let regression = formula("y ~ x").and_then(|formula| formula.on(&of(&text)));
    let regression = regression.expect("it fits");
    let engine = Inference::nuts().draws(500).seed(1).progress(false);
    let run = engine.run(&regression).expect("it runs");
    let r2 = regression.r2(&run).expect("its run");
    let n = x.len() as f64;
    let y: Vec<f64> = x
        .iter()
        .map(|x| 1.0 + 0.5 * x + 5.0 * (x * 1.7).sin())
        .collect();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let syy: f64 = y.iter().map(|y| (y - my).powi(2)).sum();
    let squared = sxy * sxy / (sxx * syy);
    assert!(
        (r2.summary.mean.mean - squared).abs() < 1.0 / n,
        "{r2}, {squared}"
    );
    // errors of left-out rows, by the diagonal of the hat matrix
    let error = |(x, y): (&f64, &f64)| {
        let residual = y - my - sxy / sxx * (x - mx);
        residual / (1.0 - 1.0 / n - (x - mx).powi(2) / sxx)
    };
    let squares: f64 = x.iter().zip(&y).map(|pair| error(pair).powi(2)).sum();
    let wanted = 1.0 - squares / syy;
    let left_out = regression.loo_r2(&run).expect("its run");
    assert!(
        (left_out.quantiles[2] - wanted).abs() < 1.0 / n,
        "{left_out}, {wanted}"
    );
    assert!(
        left_out.bad.is_empty() && left_out.mean < squared,
        "{left_out}"
    );
}

fn births() -> Run {
    let regression = formula("low ~ age + smoke").expect("it is a formula");
    let regression = regression.family(Family::Bernoulli).on(&table("birthwt"));
    let engine = Inference::nuts().draws(200).seed(1).progress(false);
    engine.run(&regression.expect("it fits")).expect("it runs")
}

/// A test whether a hypothesis holds for these coefficients.
type Holds = fn(&[f64]) -> bool;

#[test]
fn hypotheses_are_shares_of_draws() {
    let run = births();
    let draws = run.draws("b").expect("coefficients");
    let share = |holds: Holds| {
        let count = draws.rows().filter(|row| holds(row)).count();
        count as f64 / draws.weights.len() as f64
    };
    let cases: [(&str, Holds); 6] = [
        ("b[smoke] > 0.7", |b| b[1] > 0.7),
        ("smoke < 0.7", |b| b[1] < 0.7),
        ("b[smoke] > -10 * b[age]", |b| b[1] > -10.0 * b[0]),
        ("exp(b[smoke])^2 / (1 + abs(age)) < 4", |b| {
            b[1].exp().powi(2) / (1.0 + b[0].abs()) < 4.0
        }),
        ("-(b[smoke] - 2) * 3 > 4 - age", |b| {
            -(b[1] - 2.0) * 3.0 > 4.0 - b[0]
        }),
        ("b[smoke] = 0.7", |b| b[1] > 0.7),
    ];
    for (text, holds) in cases {
        let found = hypothesis(&run, text).expect("it can be asked");
        let wanted = share(holds);
        assert!(
            (found.probability.mean - wanted).abs() < 1e-12,
            "{text}: {found}, {wanted}"
        );
        assert!((found.odds() - wanted / (1.0 - wanted)).abs() < 1e-9);
    }
    let found = hypothesis(&run, "2 * b[smoke] > age").expect("it can be asked");
    let mean = draws.rows().map(|b| 2.0 * b[1] - b[0]).sum::<f64>() / draws.weights.len() as f64;
    assert!((found.difference.mean.mean - mean).abs() < 1e-12);
    assert!(
        found.probability.se > 0.0 && found.to_string().contains("odds"),
        "{found}"
    );
    for (text, wanted) in [
        ("smoke > -1000", "\nprobability 1: all of about "),
        ("smoke > -1000", " effective draws, so at least 0.99"),
        ("smoke < -1000", "\nprobability 0: none of about "),
        ("smoke < -1000", " effective draws, so at most 0.00"),
        (
            "smoke = -1000",
            "\nprobability that the left side is larger 1: all of about ",
        ),
    ] {
        let found = hypothesis(&run, text).expect("it can be asked").to_string();
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn wrong_hypotheses_are_refused_with_what_is_known() {
    let run = births();
    let refusal = |text: &str| {
        hypothesis(&run, text)
            .expect_err("it cannot be asked")
            .to_string()
    };
    for (text, wanted) in [
        (
            "b[smok] > 0",
            "the run has no quantity `b[smok]`; did you mean `b[smoke]`?",
        ),
        (
            "b > 0",
            "`b` has several elements; name one of b[age], b[smoke]",
        ),
        ("b[smoke]", "`>`, `<` or `=` between two sides"),
        ("b[smoke > 0", "the bracket of this name does not close"),
        (
            "log(b[smoke] - 100) > 0",
            "it is not defined at 800 of 800 draws",
        ),
        ("sin(age) > 0", "`sin` is no function of one number here"),
        ("b[smoke] > ", "the formula ends too early"),
    ] {
        let found = refusal(text);
        assert!(found.contains(wanted), "{text}: {found}");
    }
}
