//! Linear predictors of other parameters: likelihoods against independent formulas, a posterior against quadrature, names and refusals.

use crate::of;
use crate::refusals::refusal;
use bayes::autodiff::{PlainValue, Value};
use bayes::dist::Distribution;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

const ROWS: &str = "y,k,p,x,g\n0.4,1,0.2,-1.0,a\n1.1,0,0.5,0.3,b\n2.0,3,0.35,0.8,a\n0.9,0,0.9,1.4,b\n3.1,5,0.6,-0.2,b\n1.7,1,0.75,2.1,a\n";
const Y: [f64; 6] = [0.4, 1.1, 2.0, 0.9, 3.1, 1.7];
const K: [f64; 6] = [1.0, 0.0, 3.0, 0.0, 5.0, 1.0];
const P: [f64; 6] = [0.2, 0.5, 0.35, 0.9, 0.6, 0.75];
const X: [f64; 6] = [-1.0, 0.3, 0.8, 1.4, -0.2, 2.1];
const G: [usize; 6] = [0, 1, 0, 1, 1, 0];

fn fitted(text: &str, family: Family) -> Regression {
    let made = formula(text).and_then(|formula| formula.family(family).on(&of(ROWS)));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn density<D: Distribution<Value, Value = Real<Value>>>(distribution: D, y: f64) -> f64 {
    let density = distribution.log_density_of(&[Real::constant(y)]);
    density.plain_value()
}

/// The log density of a row, from its number and the elements by name.
type LogDensity<'a> = dyn Fn(usize, &dyn Fn(&str) -> f64) -> f64 + 'a;

/// Compares the log likelihood of some draws with the sum of `row(i, of)` over rows, where `of` looks up an element by its name.
fn compare(text: &str, family: Family, row: &LogDensity<'_>) {
    let regression = fitted(text, family);
    let engine = Inference::nuts().chains(1).draws(6).burn_in(6).seed(2);
    let run = engine.progress(false).run(&regression);
    let run = run.unwrap_or_else(|error| panic!("{text}: {error}"));
    let names = run.layout.element_names();
    let group = &run.groups[0];
    let draws = group.draws.chunks(run.layout.elements());
    for (values, found) in draws.zip(&group.log_likelihood) {
        let element = |name: &str| {
            let place = names.iter().position(|known| known == name);
            values[place.unwrap_or_else(|| panic!("{text}: no `{name}` in {names:?}"))]
        };
        let wanted: f64 = (0..6).map(|i| row(i, &element)).sum();
        let is_close = (found - wanted).abs() < 1e-9 * wanted.abs().max(1.0);
        assert!(is_close, "{text}: {found}, {wanted}");
    }
}

#[test]
fn parameters_have_linear_predictors_of_their_own() {
    compare("y ~ x; sigma ~ x + (1 | g)", Family::Gaussian, &|i, of| {
        let mean = of("intercept") + of("b[x]") * X[i];
        let effect = of(["r[sigma:g:a:Intercept]", "r[sigma:g:b:Intercept]"][G[i]]);
        let log_sigma = of("intercepts[sigma]") + of("b[sigma:x]") * X[i] + effect;
        density(Normal::new(mean, log_sigma.exp()), Y[i])
    });
    compare(
        "y ~ 1; nu ~ 1; sigma ~ 0 + x",
        Family::StudentT,
        &|i, of| {
            let (nu, sigma) = (of("intercepts[nu]").exp(), (of("b[sigma:x]") * X[i]).exp());
            density(StudentT::new(nu, of("intercept"), sigma), Y[i])
        },
    );
    compare("k ~ x; shape ~ g", Family::NegativeBinomial, &|i, of| {
        let mean = (of("intercept") + of("b[x]") * X[i]).exp();
        let shape = (of("intercepts[shape]") + of("b[shape:gb]") * G[i] as f64).exp();
        density(NegativeBinomial::mean_dispersion(mean, shape), K[i])
    });
    compare("p ~ x; phi ~ x + offset(x)", Family::Beta, &|i, of| {
        let mean = 1.0 / (1.0 + (-of("intercept") - of("b[x]") * X[i]).exp());
        let phi = (of("intercepts[phi]") + (of("b[phi:x]") + 1.0) * X[i]).exp();
        density(Beta::new(mean * phi, (1.0 - mean) * phi), P[i])
    });
    let zeros = |i: usize, of: &dyn Fn(&str) -> f64, name: &str| {
        let eta = of(&format!("intercepts[{name}]")) + of(&format!("b[{name}:x]")) * X[i];
        1.0 / (1.0 + (-eta).exp())
    };
    compare("k ~ 1; zi ~ x", Family::ZeroInflatedPoisson, &|i, of| {
        let (zi, poisson) = (
            zeros(i, of, "zi"),
            density(Poisson::new(of("intercept").exp()), K[i]),
        );
        let extra = if K[i] == 0.0 { zi } else { 0.0 };
        (extra + (1.0 - zi) * poisson.exp()).ln()
    });
    compare("k ~ 1; hu ~ x", Family::HurdlePoisson, &|i, of| {
        let (hu, mean) = (zeros(i, of, "hu"), of("intercept").exp());
        match K[i] == 0.0 {
            true => hu.ln(),
            false => ((1.0 - hu) / (1.0 - (-mean).exp())).ln() + density(Poisson::new(mean), K[i]),
        }
    });
}

const A: [f64; 5] = [0.2, 1.4, 0.9, -0.3, 0.6];
const B: [f64; 5] = [3.0, -2.2, 1.1, 4.0, -0.8];

/// The posterior means of the mean and of the difference of `ln sigma` between two groups, on a grid.
fn by_quadrature() -> [f64; 2] {
    let (mut total, mut sums) = (0.0, [0.0; 2]);
    let grid = |low: f64, high: f64| {
        (0..60).map(move |k| low + (high - low) * (f64::from(k) + 0.5) / 60.0)
    };
    for mean in grid(-1.5, 2.5) {
        let square = |y: &[f64; 5]| y.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
        let (a, b) = (square(&A), square(&B));
        for of_a in grid(-2.5, 2.5) {
            for difference in grid(-2.0, 3.5) {
                let of_b = of_a + difference;
                let likelihood = -5.0 * (of_a + of_b)
                    - 0.5 * (a * (-2.0 * of_a).exp() + b * (-2.0 * of_b).exp());
                // normal(0, 2), normal(0, 1) and normal(0, 1); the intercept of ln sigma is at the mean of both groups
                let at_means = of_a + 0.5 * difference;
                let prior = -mean * mean / 8.0 - 0.5 * (at_means.powi(2) + difference.powi(2));
                let weight = (likelihood + prior).exp();
                total += weight;
                sums[0] += weight * mean;
                sums[1] += weight * difference;
            }
        }
    }
    sums.map(|sum| sum / total)
}

#[test]
fn a_location_and_scale_posterior_is_that_of_quadrature() {
    let rows = |y: [f64; 5], g: &str| y.map(|y| format!("{y},{g}\n")).concat();
    let table = of(&format!("y,g\n{}{}", rows(A, "a"), rows(B, "b")));
    let regression = formula("y ~ 1")
        .expect("it is a formula")
        .predictor("sigma", "~ g")
        .prior("intercept", Prior::normal(0.0, 2.0))
        .prior("intercepts[sigma]", Prior::normal(0.0, 1.0))
        .prior("b[sigma]", Prior::normal(0.0, 1.0))
        .on(&table)
        .expect("it fits the table");
    let run = Inference::nuts()
        .draws(2000)
        .seed(3)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    let wanted = by_quadrature();
    let mean = run.estimate(|draw| draw.scalar("intercept"));
    let difference = run.estimate(|draw| draw.vector("b")[0]);
    for (found, wanted) in [mean, difference].iter().zip(wanted) {
        assert!(
            (found.mean - wanted).abs() < 4.0 * found.se,
            "{found}, {wanted}"
        );
    }
}

#[test]
fn priors_are_those_of_their_linear_predictor() {
    let said = || formula("y ~ x; sigma ~ x + (1 | g)").expect("it is a formula");
    let priors = said().on(&of(ROWS)).expect("it fits").priors().to_string();
    for line in [
        "intercepts[sigma]         ~ student_t(3, 0.9, 2.5)",
        "b[sigma:x]                ~ normal(0, 2.24)",
        "sd[sigma:g:Intercept]     ~ half_student_t(3, 2.5)",
    ] {
        let (name, prior) = line.split_once('~').expect("a prior");
        let found = priors.lines().find(|line| line.starts_with(name.trim()));
        assert!(
            found.is_some_and(|found| found.ends_with(prior)),
            "{line}: {priors}"
        );
    }
    assert!(!priors.contains("sigma ~"), "{priors}");
    // a class name refers to the response
    let priors = said()
        .prior("b", Prior::normal(0.0, 7.0))
        .prior("sd[sigma:g]", Prior::exponential(3.0))
        .on(&of(ROWS))
        .expect("it fits")
        .priors()
        .to_string();
    let of_name = |name: &str| {
        let found = priors.lines().find(|line| line.starts_with(name));
        found
            .unwrap_or_else(|| panic!("{name}: {priors}"))
            .to_owned()
    };
    assert!(of_name("b[x]").ends_with("normal(0, 7)"));
    assert!(of_name("b[sigma:x]").ends_with("normal(0, 2.24)"));
    assert!(of_name("sd[sigma:g:Intercept]").ends_with("exponential(3)"));
}

#[test]
fn a_new_table_has_the_same_linear_predictors() {
    let regression = fitted("y ~ x; sigma ~ scale(x) + (1 | g)", Family::Gaussian);
    let engine = Inference::nuts().chains(1).draws(6).burn_in(6).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let lines: Vec<&str> = ROWS.lines().collect();
    let new = of(&format!("{}\n{}\n{}\n", lines[0], lines[4], lines[2]));
    let new = Regression::of_run_to_predict(&run, &new).expect("the run has its recipe");
    let of_rows = |regression: &Regression| {
        let terms = run
            .predict(regression)
            .expect("it predicts")
            .log_likelihood();
        terms.expect("terms").log_predictive_densities()
    };
    let (all, two) = (of_rows(&regression), of_rows(&new));
    assert!((all[3] - two[0]).abs() < 1e-12 && (all[1] - two[1]).abs() < 1e-12);
}

/// Formulas with a family and a part of the expected message.
const REFUSED: &[(&str, Family, &str)] = &[
    (
        "y ~ x; z ~ x",
        Family::Gaussian,
        "`z` is no parameter that may have a formula; sigma, nu, shape, phi, zi, hu, alpha, beta, kappa, zoi, coi, disc are",
    ),
    (
        "y ~ x; nu ~ x",
        Family::Gaussian,
        "the family gaussian has no `nu`; it has sigma",
    ),
    (
        "k ~ x; shape ~ x",
        Family::Poisson,
        "the family poisson has no `shape`; it has no parameter beside the linear predictor",
    ),
    (
        "y ~ x; sigma ~ x; sigma ~ g",
        Family::Gaussian,
        "`sigma` has two formulas; leave one out",
    ),
    (
        "y ~ x; sigma",
        Family::Gaussian,
        "behind `;` stands the formula of a parameter, `y ~ x; sigma ~ z`, or of another response",
    ),
    ("y ~ x;", Family::Gaussian, "something is missing after `;`"),
    (
        "y ~ x; sigma ~ xx",
        Family::Gaussian,
        "the table has no column `xx`; did you mean `x`?",
    ),
    (
        "y ~ x; sigma ~ y",
        Family::Gaussian,
        "the response cannot be a term too",
    ),
    (
        "y ~ x; sigma ~ x + I(2 * x)",
        Family::Gaussian,
        "the column `sigma:I(2*x)` is a sum of others (sigma:x)",
    ),
    (
        "y | se(x) ~ 1; sigma ~ x",
        Family::Gaussian,
        "`se(s)` takes the place of `sigma`; for both write `se(s, sigma = TRUE)`",
    ),
    (
        "y ~ (x; sigma ~ x)",
        Family::Gaussian,
        "`;` stands between formulas",
    ),
];

#[test]
fn linear_predictors_that_do_not_fit_are_refused() {
    for (text, family, wanted) in REFUSED {
        let error = refusal(text, *family, ROWS);
        assert!(error.contains(wanted), "{text}: {error}");
    }
    let made = formula("y ~ x; sigma ~ x").expect("a formula");
    let made = made.prior("sigma", Prior::exponential(1.0)).on(&of(ROWS));
    let error = made.err().expect("it has none").to_string();
    assert!(error.contains("this regression has no `sigma`"), "{error}");
}
