//! Expected responses of smooth terms, links, exposures and predictors of other parameters, against sums written by hand.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Averaging, Conditions, Family, Level, Link, Prior, Regression, formula};
use std::f64::consts::TAU;

const ROWS: &str = "y,k,c,x,t,w,m,n,g\n0.4,1,none,-1.0,2,1,1,3,a\n1.1,0,right,0.3,0.5,2,2,4,b\n2.0,3,none,0.8,1,1,3,6,a\n0.9,2,none,1.4,3,0.5,3,2,b\n3.1,5,left,-0.2,1.5,1,2,7,b\n1.7,1,none,2.1,4,1,1,4,a\n";
const Y: [f64; 6] = [0.4, 1.1, 2.0, 0.9, 3.1, 1.7];
const X: [f64; 6] = [-1.0, 0.3, 0.8, 1.4, -0.2, 2.1];
const T: [f64; 6] = [2.0, 0.5, 1.0, 3.0, 1.5, 4.0];
const TRIALS: [f64; 6] = [3.0, 4.0, 6.0, 2.0, 7.0, 4.0];

fn made(text: &str, family: Family, link: Option<Link>) -> (Regression, Run) {
    let formula = formula(text).expect("it is a formula").family(family);
    // priors near one place keep means within the range of each family
    let formula = match link {
        Some(link) => formula.link(link).prior("b", Prior::normal(0.3, 0.03)),
        None => formula,
    };
    let regression = formula.on(&of(ROWS));
    let regression = regression.unwrap_or_else(|error| panic!("{text}: {error}"));
    let engine = Inference::nuts().chains(1).draws(6).burn_in(20).seed(2);
    let run = engine.progress(false).run(&regression);
    let run = run.unwrap_or_else(|error| panic!("{text}: {error}"));
    (regression, run)
}

/// The value of a row, from its number and the elements by name.
type Value<'a> = dyn Fn(usize, &dyn Fn(&str) -> f64) -> f64 + 'a;

/// A quantity computed from the elements of a draw.
type Quantity<'a> = dyn Fn(&dyn Fn(&str) -> f64) -> f64 + 'a;

/// The elements of each draw by their names.
fn each_draw(run: &Run, mut visit: impl FnMut(usize, &dyn Fn(&str) -> f64)) {
    let names = run.layout.element_names();
    let draws = run.groups[0].draws.chunks(run.layout.elements());
    for (k, values) in draws.enumerate() {
        visit(k, &|name| {
            let place = names.iter().position(|known| known == name);
            values[place.unwrap_or_else(|| panic!("no `{name}` in {names:?}"))]
        });
    }
}

fn near(found: f64, wanted: f64, what: &str) {
    let within = 1e-9 * wanted.abs().max(1.0);
    assert!((found - wanted).abs() < within, "{what}: {found}, {wanted}");
}

/// Compares the expected response of every row at every draw.
fn compare((regression, run): &(Regression, Run), wanted: &Value<'_>) {
    let fitted = regression.fitted(run).draws().expect("its run");
    let rows: Vec<&[f64]> = fitted.rows().collect();
    each_draw(run, |k, element| {
        for (i, found) in rows[k].iter().enumerate() {
            near(*found, wanted(i, element), regression.formula());
        }
    });
}

#[test]
fn parameters_of_rows_are_those_of_their_linear_predictors() {
    let line = |i: usize, of: &dyn Fn(&str) -> f64| of("intercept") + of("b[x]") * X[i];
    let lognormal = made("y ~ x; sigma ~ x", Family::LogNormal, None);
    compare(&lognormal, &|i, of| {
        let sigma = (of("intercepts[sigma]") + of("b[sigma:x]") * X[i]).exp();
        (line(i, of) + sigma * sigma / 2.0).exp()
    });
    let inflated = made("k ~ x; zi ~ x", Family::ZeroInflatedPoisson, None);
    compare(&inflated, &|i, of| {
        let odds = (of("intercepts[zi]") + of("b[zi:x]") * X[i]).exp();
        line(i, of).exp() / (1.0 + odds)
    });
}

#[test]
fn means_are_those_of_the_link() {
    let line = |i: usize, of: &dyn Fn(&str) -> f64| of("intercept") + of("b[x]") * X[i];
    let below = |eta: f64| Normal::new(0.0, 1.0).cdf(eta);
    let binomial = made("k | trials(n) ~ x", Family::Binomial, Some(Link::Probit));
    compare(&binomial, &|i, of| TRIALS[i] * below(line(i, of)));
    let softplus = made("y ~ x", Family::Gamma, Some(Link::Softplus));
    compare(&softplus, &|i, of| line(i, of).exp().ln_1p());
    let (regression, run) = made("m ~ x", Family::Cumulative, Some(Link::Probit));
    let fitted = regression.fitted(&run).draws().expect("its run");
    let rows: Vec<&[f64]> = fitted.rows().collect();
    each_draw(&run, |k, of| {
        for (i, x) in X.iter().enumerate() {
            let up_to = ["cutpoints[1]", "cutpoints[2]"].map(|cut| below(of(cut) - of("b[x]") * x));
            let wanted = [up_to[0], up_to[1] - up_to[0], 1.0 - up_to[1]];
            for (grade, wanted) in wanted.into_iter().enumerate() {
                near(rows[k][3 * i + grade], wanted, "grades");
            }
        }
    });
}

#[test]
fn exposures_multiply_counts_and_shapes() {
    let counts = made("k | rate(t) ~ x", Family::NegativeBinomial, None);
    let mean =
        |i: usize, of: &dyn Fn(&str) -> f64| T[i] * (of("intercept") + of("b[x]") * X[i]).exp();
    compare(&counts, &mean);
    let (regression, run) = &counts;
    let mut shares = Vec::new();
    each_draw(run, |_, of| {
        let means: Vec<f64> = (0..6).map(|i| mean(i, of)).collect();
        let centre = means.iter().sum::<f64>() / 6.0;
        let explained = means.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / 5.0;
        let variance = |i: usize| means[i] + means[i].powi(2) / (of("shape") * T[i]);
        let residual = (0..6).map(variance).sum::<f64>() / 6.0;
        shares.push(explained / (explained + residual));
    });
    let wanted = shares.iter().sum::<f64>() / shares.len() as f64;
    let r2 = regression.r2(run).expect("its run");
    near(r2.summary.mean.mean, wanted, "R2");
    // over a grid the exposure is 1, and its column is not needed
    let effects = regression.effects(run, "x").expect("it is a term");
    let mut first = Vec::new();
    each_draw(run, |_, of| {
        first.push((of("intercept") - of("b[x]")).exp())
    });
    let wanted = first.iter().sum::<f64>() / first.len() as f64;
    near(effects.rows[0].summary.mean.mean, wanted, "effects");
}

#[test]
fn curves_and_groups_of_other_parameters_have_their_parts() {
    let fitted = made(
        "y ~ s(x, k = 4) + (1 | g); sigma ~ (1 | g)",
        Family::Gaussian,
        None,
    );
    let (regression, run) = &fitted;
    let draws = fitted.0.fitted(run).draws().expect("its run");
    // the same curve without its groups, at the same rows
    let rows: String = X.iter().map(|x| format!("{x}\n")).collect();
    let population = regression.of_population(&of(&format!("x\n{rows}")));
    let population = population.expect("groups are not needed");
    let without = population.fitted(run).draws().expect("its run");
    let [with, without]: [Vec<&[f64]>; 2] = [draws.rows().collect(), without.rows().collect()];
    each_draw(run, |k, of| {
        let mut log_likelihood = 0.0;
        for (i, group) in ["a", "b", "a", "b", "b", "a"].into_iter().enumerate() {
            let effect = of(&format!("r[g:{group}:Intercept]"));
            near(with[k][i], without[k][i] + effect, "groups");
            let effect = of(&format!("r[sigma:g:{group}:Intercept]"));
            let sigma = (of("intercepts[sigma]") + effect).exp();
            let distance = (Y[i] - with[k][i]) / sigma;
            log_likelihood -= 0.5 * distance * distance + sigma.ln() + 0.5 * TAU.ln();
        }
        // the likelihood of the run uses these locations
        near(
            log_likelihood,
            run.groups[0].log_likelihood[k],
            "likelihood",
        );
    });
    // beyond the knots a natural spline is a straight line
    let beyond = regression
        .of_population(&of("x\n2.1\n3.1\n4.1\n"))
        .expect("it fits");
    let beyond = beyond.fitted(run).draws().expect("its run");
    for row in beyond.rows() {
        near(row[2] - row[1], row[1] - row[0], "a straight line");
    }
    let effects = regression.effects(run, "x").expect("it is a term");
    let wanted = with.len() as f64;
    let mean = without.iter().map(|row| row[5]).sum::<f64>() / wanted;
    near(
        effects.rows[99].summary.mean.mean,
        mean,
        "effects of a curve",
    );
}

#[test]
fn grades_vary_over_all_and_stay_at_their_median() {
    let (regression, run) = made("y | cens(c) ~ mo(m) + x", Family::Gaussian, None);
    let grade = |of: &dyn Fn(&str) -> f64, grade: usize| {
        let shares = ["simo[m:1]", "simo[m:2]"];
        let risen: f64 = shares[..grade - 1].iter().map(|name| of(name)).sum();
        of("intercept") + 2.0 * of("b[mo(m)]") * risen
    };
    let mean = |value: &Quantity<'_>| {
        let mut all = Vec::new();
        each_draw(&run, |_, of| all.push(value(of)));
        all.iter().sum::<f64>() / all.len() as f64
    };
    let effects = regression.effects_at(&run, "m", &Conditions::new().at("x", 0));
    let effects = effects.expect("it is a term");
    assert_eq!(effects.rows.len(), 3);
    for (k, row) in effects.rows.iter().enumerate() {
        assert_eq!(row.at, [Level::Number(k as f64 + 1.0)]);
        near(
            row.summary.mean.mean,
            mean(&|of| grade(of, k + 1)),
            "grades",
        );
    }
    let along = regression.effects(&run, "x").expect("it is a term");
    assert_eq!(along.others["m"], Level::Number(2.0));
    let contrasts = regression.contrasts(&run, "m", &Averaging::new());
    let rows = contrasts.expect("it is a term").rows;
    assert_eq!(rows[1].name, "m: 3 - 1");
    near(
        rows[1].summary.mean.mean,
        mean(&|of| grade(of, 3) - grade(of, 1)),
        "contrasts",
    );
    let error = regression
        .slopes(&run, "m", &Averaging::new())
        .expect_err("it has none");
    assert!(
        error
            .to_string()
            .contains("holds grades, which have no slope"),
        "{error}"
    );
    let error = regression.loo_r2(&run).expect_err("some are censored");
    assert!(error.to_string().contains("some are censored"), "{error}");
    assert!(regression.r2(&run).is_ok());
}

#[test]
fn what_is_not_known_is_refused() {
    let (regression, run) = made("y | trunc(0, 9) ~ x", Family::Gaussian, None);
    let how = Averaging::new();
    let errors = [
        regression.fitted(&run).draws().err(),
        regression.effects(&run, "x").err(),
        regression.contrasts(&run, "x", &how).err(),
        regression.slopes(&run, "x", &how).err(),
        regression.r2(&run).err(),
    ];
    for error in errors {
        let error = error.expect("it is not known").to_string();
        assert!(
            error.contains("within the bounds of `trunc` is not known"),
            "{error}"
        );
    }
    assert!(regression.fitted(&run).linear().draws().is_ok());
    let linear = Conditions::new().linear();
    assert!(regression.effects_at(&run, "x", &linear).is_ok());

    let (weighted, run) = made("y | weights(w) ~ x", Family::Gaussian, None);
    let error = weighted.r2(&run).expect_err("rows have weights");
    assert!(error.to_string().contains("rows with `weights`"), "{error}");
    let effects = weighted.effects(&run, "x").expect("weights are not needed");
    assert_eq!(effects.rows.len(), 100);

    let (counts, run) = made("k ~ 0 + t", Family::Poisson, Some(Link::Identity));
    let new = of("t\n1\n-1\n");
    let new = counts.of(&new).expect("it fits");
    let error = new.fitted(&run).draws().expect_err("a negative mean");
    assert!(
        error
            .to_string()
            .contains("gives row 2 a mean outside of 0 and inf"),
        "{error}"
    );
    assert!(new.fitted(&run).linear().draws().is_ok());
}
