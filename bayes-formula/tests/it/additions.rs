//! Additions behind `|` of a response: likelihoods against independent formulas, a posterior against quadrature, and predictions.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

pub const ROWS: &str = "\
y,k,n,x,w,c,upper,s,t
0.4,1,5,-1.0,1,none,NA,0.5,1.5
1.1,0,4,0.3,2,left,NA,0.2,0.7
2.0,3,9,0.8,0.5,right,NA,1.1,2.0
0.9,2,6,1.4,0,interval,5,0.4,1.0
3.1,5,8,-0.2,1.5,0,NA,0.6,3.0
1.7,1,3,2.1,1,1.0,NA,0.9,0.4
";
const Y: [f64; 6] = [0.4, 1.1, 2.0, 0.9, 3.1, 1.7];
const K: [f64; 6] = [1.0, 0.0, 3.0, 2.0, 5.0, 1.0];
const N: [u64; 6] = [5, 4, 9, 6, 8, 3];
const X: [f64; 6] = [-1.0, 0.3, 0.8, 1.4, -0.2, 2.1];
const W: [f64; 6] = [1.0, 2.0, 0.5, 0.0, 1.5, 1.0];
const C: [char; 6] = ['n', 'l', 'r', 'i', 'n', 'r'];
const S: [f64; 6] = [0.5, 0.2, 1.1, 0.4, 0.6, 0.9];
const T: [f64; 6] = [1.5, 0.7, 2.0, 1.0, 3.0, 0.4];

fn fitted(text: &str, family: Family) -> Regression {
    let made = formula(text).and_then(|formula| formula.family(family).on(&of(ROWS)));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The log density of a row, from its number, its linear predictor and the parameters by name.
type LogDensity<'a> = dyn Fn(usize, f64, &dyn Fn(&str) -> f64) -> f64 + 'a;

/// Compares the log likelihood of some draws with the sum of `row(i, eta, others)` over rows, where `others` looks up a parameter by its
/// name.
fn compare(text: &str, family: Family, row: &LogDensity<'_>) {
    let regression = fitted(text, family);
    let engine = Inference::nuts().chains(1).draws(6).burn_in(6).seed(2);
    let run = engine.progress(false).run(&regression);
    let run = run.unwrap_or_else(|error| panic!("{text}: {error}"));
    let group = &run.groups[0];
    for (values, found) in group
        .draws
        .chunks(run.layout.elements())
        .zip(&group.log_likelihood)
    {
        let scalar = |name: &str| {
            let variable = run
                .layout
                .find(name)
                .unwrap_or_else(|| panic!("{text}: no {name}"));
            values[variable.range().start]
        };
        let eta = |i: usize| scalar("intercept") + scalar("b") * X[i];
        let wanted: f64 = (0..6).map(|i| row(i, eta(i), &scalar)).sum();
        let is_close = (found - wanted).abs() < 1e-9 * wanted.abs().max(1.0);
        assert!(is_close, "{text}: {found}, {wanted}");
    }
}

/// `ln P(low < Y <= high)` by sums or differences of `cdf`.
fn between(cdf: &dyn Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    (cdf(high) - cdf(low)).ln()
}

/// The log likelihood of a row that may be censored: `(y, 5]` if in an interval.
fn censored(i: usize, y: f64, exact: f64, cdf: &dyn Fn(f64) -> f64) -> f64 {
    match C[i] {
        'l' => cdf(y).ln(),
        'r' => (1.0 - cdf(y)).ln(),
        'i' => between(cdf, y, 5.0),
        _ => exact,
    }
}

fn log_normal_density(y: f64, mean: f64, sd: f64) -> f64 {
    -0.5 * ((y - mean) / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

fn log_poisson(k: f64, mean: f64) -> f64 {
    let log_factorial: f64 = (1..=k as u64).map(|j| (j as f64).ln()).sum();
    k * mean.ln() - mean - log_factorial
}

fn poisson_cdf(k: f64, mean: f64) -> f64 {
    (0..=k as u64)
        .map(|j| log_poisson(j as f64, mean).exp())
        .sum()
}

#[test]
fn real_responses_have_the_likelihood_of_their_additions() {
    let normal = |i: usize, eta: f64, sigma: f64| {
        let cdf = move |y: f64| Normal::new(eta, sigma).cdf(y);
        censored(i, Y[i], log_normal_density(Y[i], eta, sigma), &cdf)
    };
    let gaussian = Family::Gaussian;
    compare("y | weights(w) ~ x", gaussian, &|i, eta, of| {
        W[i] * log_normal_density(Y[i], eta, of("sigma"))
    });
    compare("y | cens(c, upper) ~ x", gaussian, &|i, eta, of| {
        normal(i, eta, of("sigma"))
    });
    compare("y | trunc(-1, 4) ~ x", gaussian, &|i, eta, of| {
        let cdf = |y: f64| Normal::new(eta, of("sigma")).cdf(y);
        log_normal_density(Y[i], eta, of("sigma")) - between(&cdf, -1.0, 4.0)
    });
    compare(
        "y | weights(w) + cens(c, y2 = upper) + trunc(lb = -1) ~ x",
        gaussian,
        &|i, eta, of| {
            let cdf = |y: f64| Normal::new(eta, of("sigma")).cdf(y);
            let left = between(&cdf, -1.0, Y[i]);
            let own = if C[i] == 'l' {
                left
            } else {
                normal(i, eta, of("sigma"))
            };
            W[i] * (own - (1.0 - cdf(-1.0)).ln())
        },
    );
    compare("y | se(s) ~ x", gaussian, &|i, eta, _| {
        log_normal_density(Y[i], eta, S[i])
    });
    compare("y | se(s, sigma = TRUE) ~ x", gaussian, &|i, eta, of| {
        log_normal_density(Y[i], eta, (S[i].powi(2) + of("sigma").powi(2)).sqrt())
    });
    compare("y | cens(c, upper) ~ x", Family::Weibull, &|i, eta, of| {
        let shape = of("shape");
        // the mean of a Weibull distribution of scale 1 is Γ(1 + 1/shape)
        let log_gamma = Real::<bayes::autodiff::Value>::constant(1.0 + 1.0 / shape).ln_gamma();
        let scale = (eta - log_gamma.primal()).exp();
        let cdf = |y: f64| 1.0 - (-(y / scale).powf(shape)).exp();
        let (ratio, log_density) = (Y[i] / scale, (shape / scale).ln());
        let exact = log_density + (shape - 1.0) * ratio.ln() - ratio.powf(shape);
        censored(i, Y[i], exact, &cdf)
    });
}

#[test]
fn counts_have_the_likelihood_of_their_additions() {
    let poisson = Family::Poisson;
    compare("k | cens(c, upper) ~ x", poisson, &|i, eta, _| {
        let cdf = |k: f64| poisson_cdf(k, eta.exp());
        censored(i, K[i], log_poisson(K[i], eta.exp()), &cdf)
    });
    compare("k | trunc(ub = 7) ~ x", poisson, &|i, eta, _| {
        log_poisson(K[i], eta.exp()) - poisson_cdf(7.0, eta.exp()).ln()
    });
    compare("k | rate(t) ~ x", poisson, &|i, eta, _| {
        log_poisson(K[i], eta.exp() * T[i])
    });
    compare(
        "k | rate(t) ~ x",
        Family::NegativeBinomial,
        &|i, eta, of| {
            let (mean, shape) = (eta.exp() * T[i], of("shape") * T[i]);
            // the ratio of gamma functions is a product, for whole numbers
            let ratio: f64 = (0..K[i] as u64)
                .map(|j| ((shape + j as f64) / (j as f64 + 1.0)).ln())
                .sum();
            ratio + K[i] * (mean / (mean + shape)).ln() + shape * (shape / (mean + shape)).ln()
        },
    );
    compare(
        "k | trials(n) + weights(w) ~ x",
        Family::Binomial,
        &|i, eta, _| {
            let p = 1.0 / (1.0 + (-eta).exp());
            let choices: f64 = (0..K[i] as u64)
                .map(|j| ((N[i] - j) as f64 / (j as f64 + 1.0)).ln())
                .sum();
            W[i] * (choices + K[i] * p.ln() + (N[i] as f64 - K[i]) * (1.0 - p).ln())
        },
    );
    compare(
        "k | weights(w) ~ x",
        Family::HurdlePoisson,
        &|i, eta, of| {
            let hu = of("hu");
            let above = log_poisson(K[i], eta.exp()) - (-(-eta.exp()).exp()).ln_1p();
            W[i] * if K[i] == 0.0 {
                hu.ln()
            } else {
                (1.0 - hu).ln() + above
            }
        },
    );
}

/// The posterior mean and standard deviation of the mean of censored and truncated normal data, on a grid of the mean and of `ln sigma`.
fn by_quadrature(y: &[(f64, bool)], low: f64) -> (f64, f64) {
    let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
    for a in 0..160 {
        let mean = -10.0 + 0.1 * (f64::from(a) + 0.5);
        for b in 0..110 {
            let log_sigma = -2.5 + 0.05 * (f64::from(b) + 0.5);
            let sigma = log_sigma.exp();
            let normal = Normal::new(mean, sigma);
            let term = |(y, is_right): &(f64, bool)| match is_right {
                true => normal.log_sf(*y),
                false => log_normal_density(*y, mean, sigma),
            };
            let likelihood: f64 = y.iter().map(term).sum();
            let likelihood = likelihood - y.len() as f64 * normal.log_sf(low);
            // normal(0, 2) for the intercept, exponential(1) for sigma
            let weight = (likelihood - mean * mean / 8.0 - sigma + log_sigma).exp();
            total += weight;
            first += weight * mean;
            second += weight * mean * mean;
        }
    }
    let mean = first / total;
    (mean, (second / total - mean * mean).sqrt())
}

/// Seen to detect: a right-censored row with the density at its limit.
#[test]
fn a_censored_and_truncated_posterior_is_that_of_quadrature() {
    let y = [
        (0.3, false),
        (1.9, false),
        (2.5, true),
        (0.8, false),
        (2.5, true),
        (1.2, false),
        (0.1, false),
        (2.2, false),
    ];
    let rows: String = y
        .iter()
        .map(|(y, c)| format!("{y},{}\n", u8::from(*c)))
        .collect();
    let regression = formula("y | cens(c) + trunc(0) ~ 1")
        .expect("it is a formula")
        .prior("intercept", Prior::normal(0.0, 2.0))
        .prior("sigma", Prior::exponential(1.0))
        .on(&of(&format!("y,c\n{rows}")))
        .expect("it fits the table");
    let run = Inference::nuts()
        .draws(2000)
        .seed(3)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let (mean, sd) = by_quadrature(&y, 0.0);
    let found = run.estimate(|draw| draw.scalar("intercept"));
    assert!(
        (found.mean - mean).abs() < 4.0 * found.se,
        "{found}, {mean}"
    );
    let square = run.estimate(|draw| (draw.scalar("intercept") - mean).powi(2));
    assert!(
        (square.mean - sd * sd).abs() < 4.0 * square.se,
        "{square}, {sd}"
    );
}

/// A row with weight 2 counts as two rows.
#[test]
fn weights_are_numbers_of_rows() {
    let twice = of("y,x\n0.5,1\n0.5,1\n1.4,2\n2.2,4\n2.2,4\n2.2,4\n");
    let once = of("y,x,w\n0.5,1,2\n1.4,2,1\n2.2,4,3\n");
    let evidence = |text: &str, table| {
        let said = formula(text).expect("it is a formula");
        let said = said
            .prior("b", Prior::normal(0.0, 1.0))
            // the columns are centred by the unweighted means of rows
            .prior("sigma", Prior::exponential(1.0));
        let regression = said.on(table).expect("it fits the table");
        let engine = Inference::smc().particles(64).seed(1).progress(false);
        let run = engine.run(&regression).expect("it runs");
        run.log_evidence().expect("it has one")
    };
    let (a, b) = (
        evidence("y ~ 0 + x", &twice),
        evidence("y | weights(w) ~ 0 + x", &once),
    );
    assert!((a - b).abs() < 1e-6, "{a}, {b}");
}

// Seen to detect: terms compared by their data alone, so that a weighted model or the probability of a censored row is set beside densities.
#[test]
fn models_with_other_weights_or_censoring_are_not_compared() {
    let elpd = |text: &str, family: Family| {
        let regression = fitted(text, family);
        let run = Inference::nuts()
            .chains(2)
            .draws(50)
            .seed(1)
            .progress(false);
        let run = run.run(&regression).expect("it runs");
        run.loo(&regression).expect("it has terms")
    };
    let plain = elpd("y ~ x", Family::Gaussian);
    for other in ["y | weights(w) ~ x", "y | cens(c, upper) ~ x"] {
        let other = elpd(other, Family::Gaussian);
        let error = bayes::prelude::compare([("plain", &plain), ("other", &other)]);
        let error = error.expect_err("the terms differ").to_string();
        let wanted = "`plain` and `other` weight or censor the same data differently";
        assert!(error.starts_with(wanted), "{error}");
        // models that weight or censor alike are compared
        assert!(bayes::prelude::compare([("a", &other), ("b", &other.clone())]).is_ok());
    }
    // weights of 1 change nothing, and a truncated density is a density
    for other in ["y | weights(I(0 * w + 1)) ~ x", "y | trunc(lb = 0) ~ x"] {
        let other = elpd(other, Family::Gaussian);
        assert!(bayes::prelude::compare([("plain", &plain), ("other", &other)]).is_ok());
    }
    let counts = [
        elpd("k ~ x", Family::Gaussian),
        elpd("k ~ x", Family::Poisson),
    ];
    let table = bayes::prelude::compare([("normal", &counts[0]), ("poisson", &counts[1])]);
    let notes = table.expect("they are of the same numbers").notes.join(" ");
    assert!(
        notes.contains("`normal` has densities and `poisson` has probabilities"),
        "{notes}"
    );
}

#[test]
fn weights_that_are_no_counts_are_known() {
    let has = |text: &str| fitted(text, Family::Gaussian).has_shares_of_rows();
    assert!(has("y | weights(w) ~ x"));
    assert!(!has("y | weights(I(2 * w)) ~ x") && !has("y ~ x"));
}

#[test]
fn predictions_keep_bounds_and_limits() {
    let regression = fitted(
        "y | trunc(0, 4) + cens(c, upper) + weights(w) ~ x",
        Family::Gaussian,
    );
    let run = Inference::nuts()
        .draws(100)
        .seed(1)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let own = run
        .predict(&regression)
        .expect("its own rows")
        .draws("y")
        .expect("draws");
    for row in own.rows() {
        assert!(row.iter().all(|y| (0.0..=4.0).contains(y)), "{row:?}");
        // recorded at their limits, or beyond them
        assert!(row[1] >= 1.1 && row[2] <= 2.0, "{row:?}");
    }
    // without the columns that only known responses need
    let new = Regression::of_run_to_predict(&run, &of("x\n1.0\n")).expect("it has what it needs");
    let new = run.predict(&new).expect("a row").draws("y").expect("draws");
    assert!(new.rows().all(|row| (0.0..=4.0).contains(&row[0])));
    assert!(new.rows().any(|row| row[0] > 2.1));
    // a known response needs them
    let error = regression
        .of(&of("x,y\n1.0,2\n"))
        .err()
        .expect("`w` is not there");
    assert!(
        error.to_string().contains("the table has no column `w`"),
        "{error}"
    );
}

#[test]
fn rows_of_adjusted_responses_can_be_chosen() {
    let regression = fitted(
        "y | trunc(0, 4) + cens(c, upper) + weights(w) ~ x",
        Family::Gaussian,
    );
    let part = regression.subset(&[5, 1, 3]).expect("rows of the table");
    let engine = Inference::nuts().chains(1).draws(6).burn_in(6).seed(2);
    let run = engine.progress(false).run(&part).expect("it runs");
    let loo = run.predict(&regression).expect("all rows").log_likelihood();
    let own = run.predict(&part).expect("some rows").log_likelihood();
    let (loo, own) = (loo.expect("terms"), own.expect("terms"));
    let [all, some] = [loo, own].map(|terms| terms.log_predictive_densities());
    for (k, row) in [5, 1, 3].into_iter().enumerate() {
        assert!((all[row] - some[k]).abs() < 1e-12, "{row}");
    }
}
