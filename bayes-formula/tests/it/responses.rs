//! Several responses: `mvbind(y1, y2) ~ x`, `y1 ~ x; y2 ~ z`, correlated by groups and by residuals.

use crate::of;
use bayes::autodiff::{PlainValue, Value};
use bayes::model::Evaluate;
use bayes::prelude::*;
use bayes_formula::{Family, Formula, Prior, Regression, formula};

pub(crate) const ROWS: &str = "y1,y2,n,x,z,g,e\n0.2,1.4,2,-1,0.4,a,1\n-1,0.3,0,0.3,-1.2,b,2\n0.7,0.9,1,0.8,0.1,a,1\n1.9,2.4,4,1.4,0.7,c,3\n0.4,-0.2,1,-0.2,1.5,b,1\n2.2,3.1,3,2.1,-0.3,c,2\n1.1,0.6,2,0.5,0.9,a,1\n";

pub(crate) fn made(formula: Formula) -> Regression {
    let made = formula.on(&of(ROWS));
    made.unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn said(text: &str) -> Formula {
    formula(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn short(regression: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(8).burn_in(40).seed(2);
    engine.progress(false).run(regression).expect("it runs")
}

/// Log prior and log likelihood at a position.
fn densities(model: &impl Model, position: &[f64]) -> [f64; 2] {
    let position: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
    let mut interpreter = Evaluate::new(&position);
    model.program::<Value, _>(&mut interpreter);
    interpreter.densities().map(PlainValue::plain_value)
}

fn assert_near(found: f64, wanted: f64, what: &str) {
    let rounding = 1e-12 * wanted.abs().max(1.0);
    assert!(
        (found - wanted).abs() < rounding,
        "{what}: {found}, {wanted}"
    );
}

/// The columns of the table, and the group of each row.
pub(crate) fn columns() -> ([Vec<f64>; 5], Vec<usize>) {
    let table = of(ROWS);
    let numbers = ["y1", "y2", "n", "x", "z"].map(|name| table.reals(name).expect("numbers"));
    (numbers, table.categories("g").expect("labels").indices)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// `y1 ~ x + (1 | p | g); y2 ~ z + (1 | p | g); set_rescor(TRUE)`, in the same coordinates.
#[model]
fn together(y: &[Vec<f64>], x: &[Vec<f64>], g: &[usize]) {
    let b = sample(Normal::new(0.0, 1.0).iid(2));
    let at_means = sample(Normal::new(0.0, 5.0).iid(2));
    let sd = sample(Exponential::new(1.0).iid(2));
    let l = sample(LKJCholesky::new(2, 3.0));
    let z = sample(Normal::new(0.0, 1.0).iid((2, 3)));
    let sigma = sample(Exponential::new(0.5).iid(2));
    let residual = sample(LKJCholesky::new(2, 2.0));
    let rho = residual[(1, 0)];
    for i in 0..g.len() {
        let effects = [
            sd[0] * z[(0, g[i])],
            sd[1] * (l[(1, 0)] * z[(0, g[i])] + l[(1, 1)] * z[(1, g[i])]),
        ];
        let e1 = (y[0][i] - at_means[0] - b[0] * x[0][i] - effects[0]) / sigma[0];
        let e2 = (y[1][i] - at_means[1] - b[1] * x[1][i] - effects[1]) / sigma[1];
        // the bivariate normal density of the books
        let rest = 1.0 - rho * rho;
        let square = (e1 * e1 - 2.0 * rho * e1 * e2 + e2 * e2) / rest;
        let scale = sigma[0].ln() + sigma[1].ln() + 0.5 * rest.ln();
        factor(-(2.0 * std::f64::consts::PI).ln() - scale - 0.5 * square);
    }
}

/// Would detect residuals without their correlation, effects of another response, and a prior of another exponent.
#[test]
fn correlated_effects_and_residuals_have_the_density_by_hand() {
    let text = "y1 ~ x + (1 | p | g); y2 ~ z + (1 | p | g); set_rescor(TRUE)";
    let regression = made(
        said(text)
            .prior("b", Prior::normal(0.0, 1.0))
            .prior("intercepts", Prior::normal(0.0, 5.0))
            .prior("sd", Prior::exponential(1.0))
            .prior("sigma", Prior::exponential(0.5))
            .correlation_prior(3.0)
            .residual_correlation_prior(2.0),
    );
    let ([y1, y2, _, x, z], g) = columns();
    let centred = |x: Vec<f64>| -> Vec<f64> { x.iter().map(|one| one - mean(&x)).collect() };
    let (y, x) = ([y1, y2], [x, z].map(centred));
    let by_hand = together(&y, &x, &g);
    let run = short(&regression);
    for position in run.groups[0].positions.chunks(run.layout.dim) {
        let (found, wanted) = (
            densities(&regression, position),
            densities(&by_hand, position),
        );
        assert_near(found[0], wanted[0], "log prior");
        assert_near(found[1], wanted[1], "log likelihood");
    }
    let terms = run.predict(&regression).expect("its run").log_likelihood();
    let terms = terms.expect("each row has a likelihood");
    assert_eq!(terms.observations, g.len());
    let first: f64 = terms.values[..g.len()].iter().sum();
    assert_near(first, run.groups[0].log_likelihood[0], "rows together");
    let elements = run.layout.element_names();
    let values = &run.groups[0].draws[..run.layout.elements()];
    let of = |name: &str| {
        let place = elements.iter().position(|known| known == name);
        values[place.unwrap_or_else(|| panic!("no `{name}` in {elements:?}"))]
    };
    let factor = run.layout.find("lrescor").expect("it is there").range();
    assert_near(of("rescor[y1:y2]"), values[factor][2], "the correlation");
}

#[test]
fn parameters_are_named_by_their_responses() {
    let regression = made(
        said("y1 ~ x + (1 | p | g); sigma ~ z; y2 ~ x + (1 | p | g); set_rescor(TRUE)")
            .prior("b[y2]", Prior::normal(0.0, 3.0))
            .prior("sigma[y2]", Prior::exponential(2.0))
            .prior("sd[y1:g]", Prior::exponential(4.0))
            .prior("Intercept", Prior::normal(0.0, 7.0)),
    );
    let priors = regression.priors().to_string();
    for line in [
        "intercepts[y1]          ~ normal(0, 7)",
        "intercepts[y1:sigma]    ~ student_t(3, 0.9, 2.5)",
        "b[y2:x]                 ~ normal(0, 3)",
        "sd[y1:g:Intercept]      ~ exponential(4)",
        "sd[y2:g:Intercept]      ~ half_student_t(3, 2.5)",
        "sigma                   ~ exponential(2)",
        "cor                     ~ lkj(1)",
        "rescor                  ~ lkj(1)",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut lines = priors.lines();
        assert!(
            lines.any(|own| squeezed(own) == squeezed(line)),
            "{line}\n{priors}"
        );
    }
    let names = short(&regression).layout.element_names();
    for name in [
        "b[y1:x]",
        "b[y1:sigma:z]",
        "intercepts[y1:sigma]",
        "r[y2:g:b:Intercept]",
        "cor[g:y1:Intercept:y2:Intercept]",
        "rescor[y1:y2]",
        "sigma",
    ] {
        assert!(names.iter().any(|own| own == name), "{name} {names:?}");
    }
}

/// Would detect terms of the first response alone.
#[test]
fn bound_responses_have_the_same_terms() {
    let bound = made(said("mvbind(y1, y2) ~ x + (1 | p | g); set_rescor(TRUE)"));
    let text = "y1 ~ x + (1 | p | g); y2 ~ x + (1 | p | g); set_rescor(TRUE)";
    let written = made(said(text));
    assert_eq!(bound.priors().to_string(), written.priors().to_string());
    let (a, b) = (short(&bound), short(&written));
    assert_eq!(a.groups[0].draws, b.groups[0].draws);
    assert_eq!(a.layout.element_names(), b.layout.element_names());
}

/// A regression of one response with its position.
type Apart = (Regression, Vec<f64>);

/// The term of each row, which `loo` has, is the sum of the terms of single regressions at the same coordinates.
fn assert_terms(both: &Regression, run: &Run, apart: &dyn Fn(&[f64]) -> Vec<Apart>) {
    let terms = run.predict(both).expect("its run").log_likelihood();
    let terms = terms.expect("each row has a likelihood");
    let rows = both.rows();
    assert_eq!(terms.observations, rows);
    let positions = run.groups[0].positions.chunks(run.layout.dim);
    for (found, position) in terms.values.chunks(rows).zip(positions) {
        let apart = apart(position);
        for (row, found) in found.iter().enumerate() {
            let of_row = |(one, position): &Apart| {
                let one = one.subset(&[row]).expect("a row of the table");
                densities(&one, position)[1]
            };
            assert_near(*found, apart.iter().map(of_row).sum(), "the term of a row");
        }
    }
}

/// Would detect terms of the first response alone, or of the column of another one.
#[test]
fn the_term_of_a_row_is_the_sum_of_those_of_its_responses() {
    let both = made(said("y1 ~ x; n | rate(e) ~ z").family_of("n", Family::Poisson));
    assert_terms(&both, &short(&both), &|position| {
        let [b1, b2, i1, i2, sigma] = *position else {
            panic!("{} coordinates", position.len())
        };
        let other = said("n | rate(e) ~ z").family(Family::Poisson);
        vec![
            (made(said("y1 ~ x")), vec![b1, i1, sigma]),
            (made(other), vec![b2, i2]),
        ]
    });
}

/// Would detect the censoring, the bounds, the weights or the trials of another response, or none.
#[test]
fn each_response_has_its_own_additions() {
    const PARTS: [&str; 3] = [
        "y1 | cens(e - 2) ~ x",
        "y2 | trunc(-1, 4) + weights(I(e / 2)) ~ z",
        "n | trials(I(e + 3)) ~ x",
    ];
    let all = made(said(&PARTS.join("; ")).family_of("n", Family::Binomial));
    assert!(all.has_shares_of_rows());
    let run = short(&all);
    assert_terms(&all, &run, &|position| {
        let [b1, b2, b3, i1, i2, i3, s1, s2] = *position else {
            panic!("{} coordinates", position.len())
        };
        let binomial = said(PARTS[2]).family(Family::Binomial);
        vec![
            (made(said(PARTS[0])), vec![b1, i1, s1]),
            (made(said(PARTS[1])), vec![b2, i2, s2]),
            (made(binomial), vec![b3, i3]),
        ]
    });
    let ([y1, ..], _) = columns();
    let e = of(ROWS).reals("e").expect("numbers");
    let drawn = run.predict(&all).expect("its run").draws("y");
    for (k, row) in drawn.expect("draws").values.chunks(3).enumerate() {
        let (y1, e) = (y1[k % y1.len()], e[k % e.len()]);
        match e {
            // a value beyond a limit is recorded at the limit
            1.0 => assert!(row[0] >= y1, "{row:?} is censored from below at {y1}"),
            3.0 => assert!(row[0] <= y1, "{row:?} is censored from above at {y1}"),
            _ => {}
        }
        assert!((-1.0..=4.0).contains(&row[1]), "{row:?}");
        let is_share = (0.0..=e + 3.0).contains(&row[2]) && row[2].fract() == 0.0;
        assert!(is_share, "{row:?} of {} trials", e + 3.0);
    }
}

/// Two responses that share nothing are two regressions. Would detect parameters, priors, weights or families of the other response.
#[test]
fn responses_that_share_nothing_have_the_densities_of_two_regressions() {
    let both = made(said("y1 ~ x + (1 | g); n | rate(e) ~ z").family_of("n", Family::Poisson));
    let one = made(said("y1 ~ x + (1 | g)"));
    let other = made(said("n | rate(e) ~ z").family(Family::Poisson));
    let run = short(&both);
    for position in run.groups[0].positions.chunks(run.layout.dim) {
        // b, intercepts, sd, z of three groups, sigma
        let [b1, b2, i1, i2, sd, z1, z2, z3, sigma] = *position else {
            panic!("{} coordinates", position.len())
        };
        let joint = densities(&both, position);
        let apart = [
            densities(&one, &[b1, i1, sd, z1, z2, z3, sigma]),
            densities(&other, &[b2, i2]),
        ];
        for k in 0..2 {
            assert_near(joint[k], apart[0][k] + apart[1][k], "log density");
        }
    }
}

/// Would detect an evidence that lacks a normaliser.
#[test]
fn the_evidence_of_responses_that_share_nothing_is_the_product() {
    let estimate = |regression: &Regression| {
        let engine = Inference::psmc().islands(8).particles(64).seed(5);
        let run = engine.progress(false).run(regression).expect("it runs");
        run.log_evidence_estimate().expect("it has one")
    };
    let narrow = |formula: Formula| made(formula.prior("b", Prior::normal(0.0, 1.0)));
    let both = estimate(&narrow(said("y1 ~ x; y2 ~ z")));
    let (one, other) = (
        estimate(&narrow(said("y1 ~ x"))),
        estimate(&narrow(said("y2 ~ z"))),
    );
    let error = (both.se.powi(2) + one.se.powi(2) + other.se.powi(2)).sqrt();
    let difference = both.mean - one.mean - other.mean;
    assert!(difference.abs() < 4.0 * error, "{difference}, {error}");
    assert!(error < 0.2, "{error} shows nothing");
}

/// Known errors, normal intercepts and a flat correlation: given the correlation the model is conjugate, and the evidence and the means are sums
/// over it.
///
/// ```text
/// A = n Σ⁻¹ + I/τ²,  b = Σ⁻¹ Σ_i y_i
/// ln p(y | ρ) = -n ln 2π - n/2 ln|Σ| - 1/2 Σ_i y_iᵀ Σ⁻¹ y_i - ln τ² - 1/2 ln|A| + 1/2 bᵀ A⁻¹ b,   E[mu | ρ] = A⁻¹ b
/// ```
#[test]
fn a_bivariate_gaussian_has_the_exact_posterior() {
    let text = "y1 | se(s) ~ 1; y2 | se(t) ~ 1; set_rescor(TRUE)";
    let rows = "y1,y2,s,t\n0.9,1.2,0.5,0.8\n-0.4,-0.9,0.5,0.8\n1.5,2.1,0.5,0.8\n0.1,0.6,0.5,0.8\n0.8,0.2,0.5,0.8\n";
    let regression = said(text)
        .prior("intercepts", Prior::normal(0.0, 2.0))
        .on(&of(rows))
        .expect("it fits");
    let y = [[0.9, 1.2], [-0.4, -0.9], [1.5, 2.1], [0.1, 0.6], [0.8, 0.2]];
    const CELLS: usize = 20_000;
    let (mut total, mut first, mut second) = (0.0, [0.0; 2], 0.0);
    for cell in 0..CELLS {
        let rho = -1.0 + (cell as f64 + 0.5) * 2.0 / CELLS as f64;
        let (log_density, mu) = given_correlation(rho, &y);
        // the density of a flat correlation is 1/2
        let mass = log_density.exp() / CELLS as f64;
        total += mass;
        first = [0, 1].map(|k| first[k] + mass * mu[k]);
        second += mass * rho;
    }
    let engine = Inference::psmc().islands(8).particles(256).seed(3);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let evidence = run.log_evidence_estimate().expect("it has one");
    let distance = evidence.mean - total.ln();
    assert!(
        distance.abs() < 4.0 * evidence.se,
        "{distance}, {}",
        evidence.se
    );
    assert!(evidence.se < 0.1, "{} shows nothing", evidence.se);
    let near = |name: &str, k: usize, wanted: f64| {
        let found = run.estimate(|draw| draw.vector(name)[k]);
        let distance = found.mean - wanted;
        assert!(
            distance.abs() < 4.0 * found.se,
            "{name}: {distance}, {}",
            found.se
        );
        assert!(found.se < 0.05, "{} shows nothing", found.se);
    };
    near("intercepts", 0, first[0] / total);
    near("intercepts", 1, first[1] / total);
    near("rescor", 0, second / total);
}

/// The log density of the responses given their correlation, and the mean of the intercepts.
fn given_correlation(rho: f64, y: &[[f64; 2]]) -> (f64, [f64; 2]) {
    let covariance = DMatrix::from_row_slice(2, 2, &[0.25, 0.4 * rho, 0.4 * rho, 0.64]);
    let precision = covariance.clone().try_inverse().expect("it is regular");
    let n = y.len() as f64;
    let a = &precision * n + DMatrix::identity(2, 2) * 0.25;
    let (mut sum, mut square) = (DVector::zeros(2), 0.0);
    for row in y {
        let row = DVector::from_row_slice(row);
        square += row.dot(&(&precision * &row));
        sum += row;
    }
    let b = &precision * sum;
    let mu = a.clone().try_inverse().expect("it is regular") * &b;
    let log_density = -n * (2.0 * std::f64::consts::PI).ln()
        - 0.5 * n * covariance.determinant().ln()
        - 0.5 * square
        - 4.0_f64.ln()
        - 0.5 * a.determinant().ln()
        + 0.5 * b.dot(&mu);
    (log_density, [mu[0], mu[1]])
}

/// The mutation that it detects: draws of residuals without their correlation.
#[test]
fn predictions_have_all_responses_with_their_correlation() {
    const DRAWS: usize = 2000;
    let regression =
        made(said("mvbind(y1, y2) ~ 1; set_rescor(TRUE)").prior("sigma", Prior::exponential(1.0)));
    let engine = Inference::nuts()
        .chains(1)
        .draws(DRAWS)
        .burn_in(300)
        .seed(4);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let new = Regression::of_run_to_predict(&run, &of("x\n0\n1\n")).expect("no response is needed");
    let prediction = run.predict(&new).expect("its run");
    let all = prediction.draws("y").expect("the responses");
    assert_eq!(all.elements, 4, "two rows of two responses");
    // given a draw, the product of standardised residuals has the mean rescor
    let place = |name: &str| run.layout.find(name).expect("it is there").range().start;
    let (at, sd, cor) = (place("intercepts"), place("sigma"), place("rescor"));
    let draws = run.groups[0].draws.chunks(run.layout.elements());
    let (mut sum, mut squares) = (0.0, 0.0);
    for (y, draw) in all.values.chunks(4).zip(draws) {
        let [a, b] = [0, 1].map(|k| (y[2 + k] - draw[at + k]) / draw[sd + k]);
        let term = draw[cor] * (a * b - draw[cor]);
        sum += term;
        squares += term * term;
    }
    let (mean, error) = (sum / DRAWS as f64, squares.sqrt() / DRAWS as f64);
    assert!(mean.abs() < 4.0 * error, "{mean}, {error}");
    assert!(error < 0.03, "{error} shows nothing");
}

#[test]
fn rows_are_left_out_together() {
    let formula = said("n ~ x + (1 | p | g); y2 ~ z + (1 | p | g)").family_of("n", Family::Poisson);
    let regression = made(formula);
    let run = short(&regression);
    let loo = run.loo(&regression).expect("each row has a likelihood");
    assert_eq!(loo.pointwise.len(), regression.rows());
    let unseen = regression
        .of(&of("x,z,g\n0.1,0.2,a\n0.1,0.2,new\n"))
        .expect("it fits");
    assert!(run.predict(&unseen).is_err(), "the group was never seen");
    let drawn = run.predict_with(&unseen, NewGroups::Draw).expect("its run");
    let drawn = drawn.draws("y").expect("draws").values;
    assert!(
        drawn
            .chunks(2)
            .all(|row| row[0] >= 0.0 && row[0].fract() == 0.0)
    );
    assert!(drawn.iter().any(|y| y.fract() != 0.0));
}

/// Would detect predictions of a row that pass for draws of all its responses together.
#[test]
fn a_response_that_is_a_term_of_another_has_a_note() {
    for (text, has_note) in [
        ("y1 ~ x; y2 ~ z", false),
        ("y1 ~ x; y2 ~ y1", true),
        ("y1 ~ x; y2 ~ x; sigma ~ log(n + 1); n ~ x", true),
    ] {
        let regression = made(said(text));
        let run = short(&regression);
        let notes = run.predict(&regression).expect("its run").notes();
        let note = notes.iter().find(|note| note.starts_with("`y`"));
        assert_eq!(note.is_some(), has_note, "{text}: {notes:?}");
    }
}

#[test]
fn a_row_without_one_response_is_left_out_whole() {
    let gap = ROWS.replacen("1.4,2,-1", ",2,-1", 1);
    let said = said("y1 ~ x; y2 ~ z");
    let error = said.on(&of(&gap)).err().expect("a response is missing");
    assert!(error.to_string().contains("y2"), "{error}");
    let some = said.drop_missing(true).on(&of(&gap)).expect("one row less");
    assert_eq!(some.rows(), 6);
}

/// Would detect the last of two families for all responses.
#[test]
fn families_without_their_responses_are_refused() {
    for (text, wanted) in [
        ("gaussian, poisson", "write the response of each"),
        ("y1 = gaussian, poisson", "`poisson` has no response"),
        ("n = gaussian, n = poisson", "`n` is there twice"),
    ] {
        let made = said("mvbind(y1, n) ~ x").family_of_text(text);
        let error = made.err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert!(error.to_string().contains(wanted), "{text}: {error}");
    }
    let error = said("mvbind(y1, n) ~ x").link_of_text("log, identity");
    let error = error.expect_err("which link is whose?").to_string();
    assert!(error.contains("`y1 = log, y2 = ..`"), "{error}");
}
