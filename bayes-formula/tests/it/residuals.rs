//! Autoregressive residuals: the density, the posterior by quadrature, predictions, and refusals.
//!
//! Mutations that the tests detect: lags by the order of the table, lags across series, residuals of the wrong row, forecasts without the
//! residuals that were drawn, effects and contrasts with residuals.

use crate::of;
use bayes::autodiff::{PlainValue, Value};
use bayes::model::{Evaluate, Model};
use bayes::prelude::*;
use bayes_formula::{Averaging, Family, Prior, Regression, formula};

/// `y ~ x + ar(t, gr = g)` of rows in the order of their times, where `before` is the row before, or the row itself at a start.
#[model]
fn one_lag(y: &[f64], x: &[f64], before: &[usize]) {
    let b = sample(Normal::new(0.0, 2.0));
    let at_means = sample(StudentT::new(3.0, 0.5, 2.5));
    let ar = sample(Uniform::new(-1.0, 1.0));
    let sigma = sample(HalfStudentT::new(3.0, 2.5));
    for i in 0..y.len() {
        let mut mean = at_means + b * x[i];
        if before[i] != i {
            mean += ar * (y[before[i]] - (at_means + b * x[before[i]]));
        }
        observe(y[i], Normal::new(mean, sigma));
    }
}

const T: [f64; 11] = [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 4.0, 7.0, 6.0];
const G: [&str; 11] = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "c", "a"];
pub(crate) const X: [f64; 11] = [0.3, -1.2, 0.7, 1.9, -0.4, 0.1, 1.1, -0.8, 0.2, 0.9, -2.0];
pub(crate) const Y: [f64; 11] = [1.1, 0.2, 1.9, 2.5, 0.4, 0.3, 1.6, -0.9, 0.2, 1.4, -1.2];
/// The row before in the same series, or the row itself.
const BEFORE: [usize; 11] = [0, 0, 1, 2, 3, 5, 5, 6, 7, 9, 4];

/// The rows in an order.
pub(crate) fn rows(order: &[usize]) -> String {
    let row = |i: &usize| format!("{},{},{},{},{}\n", Y[*i], X[*i], T[*i], G[*i], i + 1);
    let rows: String = order.iter().map(row).collect();
    format!("y,x,t,g,w\n{rows}")
}

pub(crate) const SORTED: [usize; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const SHUFFLED: [usize; 11] = [7, 3, 10, 0, 9, 5, 2, 8, 4, 6, 1];

pub(crate) fn on(text: &str, order: &[usize]) -> Regression {
    formula(text)
        .expect("it is a formula")
        .prior("b", Prior::normal(0.0, 2.0))
        .prior("intercept", Prior::student_t(3.0, 0.5, 2.5))
        .on(&of(&rows(order)))
        .expect("it fits the table")
}

/// The log prior and the log likelihood at a position.
pub(crate) fn densities(model: &impl Model, position: &[f64]) -> [f64; 2] {
    let position: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
    let mut interpreter = Evaluate::new(&position);
    model.program::<Value, _>(&mut interpreter);
    interpreter.densities().map(PlainValue::plain_value)
}

pub(crate) const POSITIONS: [[f64; 4]; 3] = [
    [0.4, 0.9, 0.3, -0.2],
    [-1.5, 0.1, -2.0, 0.6],
    [0.9, -0.7, 3.1, -1.1],
];

#[test]
fn residuals_have_the_density_of_the_model_by_hand_in_any_order_of_rows() {
    let mean = X.iter().sum::<f64>() / 11.0;
    let centred: Vec<f64> = X.iter().map(|x| x - mean).collect();
    let by_hand = one_lag(&Y, &centred, &BEFORE);
    for order in [SORTED, SHUFFLED] {
        let regression = on("y ~ x + ar(t, gr = g)", &order);
        for position in &POSITIONS {
            let wanted = densities(&by_hand, position);
            for (found, wanted) in densities(&regression, position).iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                    "{found} {wanted}"
                );
            }
        }
    }
}

#[test]
fn two_lags_of_student_and_weighted_rows_have_the_density_of_their_definition() {
    let regression = formula("y | weights(w) ~ x + ar(time = t, gr = g, p = 2)");
    let regression = regression
        .expect("it is a formula")
        .family(Family::StudentT);
    let regression = regression.on(&of(&rows(&SHUFFLED))).expect("it fits");
    let [b, at_means, ar1, ar2, sigma, nu] = [0.7, 0.4, 0.8, -0.6, 1.3_f64, 6.5_f64];
    let position = [b, at_means, ar1, ar2, sigma.ln(), nu.ln()];
    let mean = X.iter().sum::<f64>() / 11.0;
    let mu = |i: usize| at_means + b * (X[i] - mean);
    let ln_gamma = |x: f64| Real::<Value>::constant(x).ln_gamma().primal();
    let constant = ln_gamma((nu + 1.0) / 2.0)
        - ln_gamma(nu / 2.0)
        - 0.5 * (nu * std::f64::consts::PI).ln()
        - sigma.ln();
    let mut wanted = 0.0;
    for (i, first) in BEFORE.into_iter().enumerate() {
        let mut location = mu(i);
        if first != i {
            location += ar1 * (Y[first] - mu(first));
            let second = BEFORE[first];
            if second != first {
                location += ar2 * (Y[second] - mu(second));
            }
        }
        let z = (Y[i] - location) / sigma;
        let term = constant - 0.5 * (nu + 1.0) * (z * z / nu).ln_1p();
        wanted += (i + 1) as f64 * term;
    }
    let [_, found] = densities(&regression, &position);
    assert!(
        (found - wanted).abs() < 1e-12 * wanted.abs(),
        "{found} {wanted}"
    );
    let priors = regression.priors().to_string();
    for prior in ["ar[1]     ~ normal(0, 1)", "ar[2]     ~ normal(0, 1)"] {
        assert!(priors.contains(prior), "{priors}");
    }
}

/// Would detect residuals of rows that a subset lacks: the terms of rows are the same in it.
#[test]
fn some_rows_have_the_terms_that_they_have_among_all() {
    let regression = on("y ~ x + ar(t, gr = g, p = 2)", &SHUFFLED);
    let position = [0.4, 0.9, 0.5, 0.3, -0.2];
    let [_, all] = densities(&regression, &position);
    let each = |rows: &[usize]| {
        let subset = regression.subset(rows).expect("they are rows");
        densities(&subset, &position)[1]
    };
    let single: f64 = (0..11).map(|row| each(&[row])).sum();
    let parts = each(&[8, 2, 5, 0, 10]) + each(&[1, 3, 4, 6, 7, 9]);
    for sum in [single, parts] {
        assert!((sum - all).abs() < 1e-12 * all.abs(), "{sum} {all}");
    }
}

/// A series of 40 rows with a trend, and strong residuals.
fn series() -> (Vec<f64>, Vec<f64>) {
    let noise = |k: usize| ((k * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
    let (mut y, mut residual) = (Vec::new(), 0.0);
    let x: Vec<f64> = (0..40).map(|k| ((k * k) % 17) as f64 / 8.0 - 1.0).collect();
    for (k, x) in x.iter().enumerate() {
        residual = 0.7 * residual + 0.8 * noise(k);
        y.push(1.0 + 0.6 * x + residual);
    }
    (x, y)
}

fn table_of(x: &[f64], y: &[f64]) -> String {
    let row = |(k, (x, y)): (usize, (&f64, &f64))| format!("{y},{x},{}\n", 2000 + k);
    let rows: String = x.iter().zip(y).enumerate().map(row).collect();
    format!("y,x,year\n{rows}")
}

/// The posterior means of `b`, `ar` and `sigma`, with the intercept and the coefficient integrated out exactly for each `ar` and `sigma` of a
/// grid: there `y_t - ar y_(t-1)` is a linear regression on `1 - ar` and `x_t - ar x_(t-1)` with normal priors.
fn by_quadrature(x: &[f64], y: &[f64]) -> [f64; 3] {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let [sd_intercept, sd_b] = [3.0_f64, 2.0_f64];
    let (mut total, mut sums) = (0.0, [0.0; 3]);
    let mut points = Vec::new();
    for i in 0..400 {
        let ar = -1.0 + (f64::from(i) + 0.5) / 200.0;
        for j in 0..200 {
            let sigma = (-2.5 + (f64::from(j) + 0.5) * 4.0 / 200.0).exp();
            // half_student_t(3, 1), and the Jacobian of the logarithm
            let prior = -2.0 * (sigma * sigma / 3.0).ln_1p() + sigma.ln();
            let [mut first, mut second] = [sd_intercept.powi(-2), sd_b.powi(-2)];
            let (mut both, mut shift, mut squares) = (0.0, [0.0; 2], 0.0);
            for (t, y_t) in y.iter().enumerate() {
                let (of, lag) = if t == 0 { (0.0, 0) } else { (ar, t - 1) };
                let row = [1.0 - of, (x[t] - mean) - of * (x[lag] - mean)];
                let [u, v] = row.map(|value| value / sigma);
                let response = (y_t - of * y[lag]) / sigma;
                first += u * u;
                second += v * v;
                both += u * v;
                shift[0] += u * response;
                shift[1] += v * response;
                squares += response * response;
            }
            let determinant = first * second - both * both;
            let means = [
                (second * shift[0] - both * shift[1]) / determinant,
                (first * shift[1] - both * shift[0]) / determinant,
            ];
            let explained = means[0] * shift[0] + means[1] * shift[1];
            let log = prior - y.len() as f64 * sigma.ln() - 0.5 * determinant.ln()
                + 0.5 * (explained - squares);
            points.push((log, [means[1], ar, sigma]));
        }
    }
    let most = points
        .iter()
        .fold(f64::NEG_INFINITY, |most, (log, _)| most.max(*log));
    for (log, values) in points {
        let weight = (log - most).exp();
        total += weight;
        sums.iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += weight * value);
    }
    sums.map(|sum| sum / total)
}

fn fit() -> (Regression, Run, Vec<f64>, Vec<f64>) {
    let (x, y) = series();
    let regression = formula("y ~ x + ar(year)")
        .expect("it is a formula")
        .prior("b", Prior::normal(0.0, 2.0))
        .prior("intercept", Prior::normal(0.0, 3.0))
        .prior("sigma", Prior::half_student_t(3.0, 1.0))
        .on(&of(&table_of(&x, &y)))
        .expect("it fits the table");
    let run = Inference::nuts().draws(1000).seed(3).progress(false);
    let run = run.run(&regression).expect("it runs");
    (regression, run, x, y)
}

#[test]
fn the_posterior_is_that_of_quadrature_and_predictions_continue_the_series() {
    let (regression, run, x, y) = fit();
    let wanted = by_quadrature(&x, &y);
    let first = |name: &'static str| run.estimate(move |draw| draw.vector(name)[0]);
    let sigma = run.estimate(|draw| draw.scalar("sigma"));
    for (found, wanted) in [first("b"), first("ar"), sigma].iter().zip(wanted) {
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.se,
            "{found}, {wanted}"
        );
    }
    assert!(run.layout.element_names().contains(&"ar[1]".to_owned()));

    // expected responses, given those before
    let fitted = regression.fitted(&run).draws().expect("its run");
    let (b, ar) = (run.draws("b").expect("b"), run.draws("ar").expect("ar"));
    let intercept = run.draws("intercept").expect("intercept");
    for (draw, row) in fitted.rows().enumerate() {
        let mu = |t: usize| intercept.values[draw] + b.values[draw] * x[t];
        for (t, found) in row.iter().enumerate() {
            let residual = if t == 0 { 0.0 } else { y[t - 1] - mu(t - 1) };
            let wanted = mu(t) + ar.values[draw] * residual;
            assert!((found - wanted).abs() < 1e-10, "{t}: {found} {wanted}");
        }
    }
    forecasts(&run, &x, &y);
    means_alone(&regression, &run);
}

/// Two years after the series: the expected residual shrinks by `ar`, and drawn residuals carry over.
fn forecasts(run: &Run, x: &[f64], y: &[f64]) {
    let text = table_of(x, y) + ",0.5,2040\n,-0.5,2041\n";
    let new = Regression::of_run_to_predict(run, &of(&text)).expect("it continues");
    let fitted = new.fitted(run).draws().expect("its run");
    let drawn = run
        .predict(&new)
        .expect("its run")
        .draws("y")
        .expect("draws");
    let of = |name: &str| run.draws(name).expect("it is there").values;
    let (b, ar, sigma, intercept) = (of("b"), of("ar"), of("sigma"), of("intercept"));
    let (mut first, mut second, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (row, drawn)) in fitted.rows().zip(drawn.rows()).enumerate() {
        let mu = |x: f64| intercept[k] + b[k] * x;
        let residual = y[39] - mu(x[39]);
        let wanted = [
            mu(0.5) + ar[k] * residual,
            mu(-0.5) + ar[k] * ar[k] * residual,
        ];
        for (found, wanted) in row[40..].iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-10, "{found} {wanted}");
        }
        // standard innovations, of which the second also has the first
        let one = (drawn[40] - wanted[0]) / sigma[k];
        let two = (drawn[41] - wanted[1]) / sigma[k] - ar[k] * one;
        first.push(one * one);
        second.push(two * two);
        both.push(one * two);
    }
    let n = first.len() as f64;
    let mean = |all: &[f64]| all.iter().sum::<f64>() / n;
    // independent innovations: the standard errors are sqrt(2 / n), sqrt(2 / n) and sqrt(1 / n)
    for (found, wanted, sd) in [
        (mean(&first), 1.0, 2.0_f64),
        (mean(&second), 1.0, 2.0),
        (mean(&both), 0.0, 1.0),
    ] {
        assert!(
            (found - wanted).abs() < 4.0 * (sd / n).sqrt(),
            "{found} {wanted}"
        );
    }
}

/// Effects, contrasts and the population are of the linear predictor.
fn means_alone(regression: &Regression, run: &Run) {
    let b = run.mean("b").expect("b")[0];
    let contrast = regression
        .contrasts(run, "x", &Averaging::new())
        .expect("x");
    assert!((contrast.rows[0].summary.mean.mean - b).abs() < 1e-10);
    let effects = regression.effects(run, "x").expect("x").rows;
    let [low, high] = [&effects[0], &effects[99]].map(|row| row.summary.mean.mean);
    let intercept = run.mean("intercept").expect("intercept")[0];
    assert!((low - (intercept - b)).abs() < 1e-10 && (high - (intercept + b)).abs() < 1e-10);
    // the population has no residuals: any times do, also none
    for text in [
        "x,year\n0.5,2040\n0.5,2000\n0.5,2001\n",
        "x\n0.5\n0.5\n",
        "y,x,year\n9,0.5,2000\n,0.5,2001\n",
    ] {
        let population = regression.of_population(&of(text));
        let population = population.expect("it is a table").fitted(run).draws();
        for found in population.expect("its run").mean() {
            assert!((found - (intercept + 0.5 * b)).abs() < 1e-10, "{found}");
        }
    }
    let r2 = regression.loo_r2(run).expect("R²").to_string();
    assert!(
        r2.contains("stays in the expected responses of the rows after it"),
        "{r2}"
    );
    // each row is predicted from the responses before it, as the notes say
    let predicted = run.predict(regression).expect("its run");
    let notes = predicted.notes().join("\n");
    assert!(
        notes.contains("`y`: each row of `y` is predicted one step ahead")
            && !notes.contains("observe"),
        "{notes}"
    );
    assert!(
        run.loo(regression)
            .expect("terms")
            .warnings()
            .join("\n")
            .contains("each row of `y` is predicted one step ahead, from the responses before it")
    );
}

/// The rows by series and time: the order of the latent residuals of the sorted table.
const BY_SERIES: [usize; 11] = [0, 1, 2, 3, 4, 10, 5, 6, 7, 8, 9];
const Z: [f64; 11] = [0.3, -0.9, 1.2, 0.1, -0.4, 0.8, -1.7, 0.5, 0.6, -0.2, 1.1];

/// The latent residuals of the rows: each series is stationary.
fn latent(ar: f64, sderr: f64) -> [f64; 11] {
    let mut all = [0.0; 11];
    for (k, row) in BY_SERIES.into_iter().enumerate() {
        all[row] = match BEFORE[row] {
            before if before == row => sderr * Z[k] / (1.0 - ar * ar).sqrt(),
            before => ar * all[before] + sderr * Z[k],
        };
    }
    all
}

#[test]
fn counts_have_latent_residuals_of_stationary_series() {
    let regression = formula("w ~ x + ar(t, gr = g)").expect("it is a formula");
    let regression = regression.family(Family::Poisson);
    let regression = regression
        .on(&of(&rows(&SORTED)))
        .expect("it fits the table");
    let (b, at_means, coordinate, sderr) = (0.2, 1.4, 0.9_f64, 0.7_f64);
    let ar = 2.0 / (1.0 + (-coordinate).exp()) - 1.0;
    let position = [&[b, at_means, coordinate, sderr.ln()][..], &Z].concat();
    let mean = X.iter().sum::<f64>() / 11.0;
    let residuals = latent(ar, sderr);
    let mut wanted = 0.0;
    for (i, residual) in residuals.into_iter().enumerate() {
        let eta = at_means + b * (X[i] - mean) + residual;
        let y = i + 1;
        let log_factorial: f64 = (1..=y).map(|k| (k as f64).ln()).sum();
        wanted += y as f64 * eta - eta.exp() - log_factorial;
    }
    let [_, found] = densities(&regression, &position);
    assert!(
        (found - wanted).abs() < 1e-12 * wanted.abs(),
        "{found} {wanted}"
    );
    // rows have the same terms in a part of the table
    let rows_alone: f64 = (0..11)
        .map(|row| densities(&regression.subset(&[row]).expect("a row"), &position)[1])
        .sum();
    assert!(
        (rows_alone - wanted).abs() < 1e-12 * wanted.abs(),
        "{rows_alone} {wanted}"
    );
    let priors = regression.priors().to_string();
    assert!(
        priors.contains("sderr     ~ half_student_t(3, 2.5)"),
        "{priors}"
    );
    continued(&regression);
}

/// Later rows need residuals that the run has not seen, and the others keep theirs.
fn continued(regression: &Regression) {
    let run = Inference::nuts().draws(50).burn_in(100).chains(2).seed(1);
    let run = run.progress(false).run(regression).expect("it runs");
    assert!(run.layout.element_names().contains(&"zerr[a:3]".to_owned()));
    let text = rows(&SORTED) + ",0.5,8,c,\n";
    let new = Regression::of_run_to_predict(&run, &of(&text)).expect("it continues");
    let refused = new
        .fitted(&run)
        .linear()
        .draws()
        .expect_err("an unknown time");
    assert!(refused.to_string().contains("c:8"), "{refused}");
    let drawn = new
        .fitted(&run)
        .linear()
        .new_groups(NewGroups::Draw)
        .draws();
    let (drawn, own) = (
        drawn.expect("drawn"),
        regression.fitted(&run).linear().draws(),
    );
    let own = own.expect("its run");
    for (new, own) in drawn.rows().zip(own.rows()) {
        for (new, own) in new.iter().zip(own) {
            assert!((new - own).abs() < 1e-12, "{new} {own}");
        }
    }
    latent_means(regression, &run);
}

/// Effects and the population have no latent residuals, and contrasts those of the rows.
fn latent_means(regression: &Regression, run: &Run) {
    let of_run = |name: &str| run.draws(name).expect("it is there").values;
    let (b, intercept) = (of_run("b"), of_run("intercept"));
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let expected = |x: f64| -> Vec<f64> {
        let pairs = intercept.iter().zip(&b);
        pairs.map(|(a, b)| (a + b * x).exp()).collect()
    };
    let is_near = |found: f64, wanted: f64| {
        assert!(
            (found - wanted).abs() < 1e-10 * wanted.abs(),
            "{found} {wanted}"
        );
    };
    let effects = regression.effects(run, "x").expect("x").rows;
    for (x, row) in [(-2.0, &effects[0]), (1.9, &effects[99])] {
        is_near(row.summary.mean.mean, mean(&expected(x)));
    }
    let population = regression.of_population(&of("x\n0.5\n"));
    let population = population.expect("it is a table").fitted(run).draws();
    for (found, wanted) in population
        .expect("its run")
        .values
        .iter()
        .zip(expected(0.5))
    {
        is_near(*found, wanted);
    }
    let linear = regression.fitted(run).linear().draws().expect("its run");
    let change = |(row, b): (&[f64], &f64)| {
        let means: Vec<f64> = row.iter().map(|eta| (eta + b).exp() - eta.exp()).collect();
        mean(&means)
    };
    let changes: Vec<f64> = linear.rows().zip(&b).map(change).collect();
    let contrast = regression.contrasts(run, "x", &Averaging::new());
    let contrast = contrast.expect("x").rows[0].summary.mean.mean;
    is_near(contrast, mean(&changes));
}
