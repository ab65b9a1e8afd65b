//! Answers about one response of several, and formulas of several responses that are refused.

use crate::of;
use crate::responses::{ROWS, columns, made, said, short};
use bayes::Error;
use bayes_formula::{Averaging, Family, Formula, Link, Prior, Shrinkage, formula, hypothesis};

/// Answers about one response name those to choose from, and hypotheses take any quantity.
#[test]
fn answers_about_one_response_ask_which() {
    let regression = made(said("y1 ~ x; y2 ~ x"));
    let run = short(&regression);
    let errors = [
        regression.fitted(&run).draws().err(),
        regression.fitted(&run).linear().table().err(),
        regression.effects(&run, "x").err(),
        regression.contrasts(&run, "x", &Averaging::new()).err(),
        regression.slopes(&run, "x", &Averaging::new()).err(),
        regression.r2(&run).err(),
        regression.loo_r2(&run).err(),
    ];
    for error in errors {
        let message = error.expect("it is about one response").to_string();
        let wanted = "the answer is about one response, and here are y1, y2; choose one by `.response(\"y1\")`";
        assert!(message.contains(wanted), "{message}");
    }
    let error = regression.response("y3").err().expect("there is none");
    let wanted = "there is no response `y3`; the regression has y1, y2";
    assert!(error.to_string().contains(wanted), "{error}");
    let found = hypothesis(&run, "b[y1:x] > b[y2:x]").expect("they are quantities");
    assert!((0.0..=1.0).contains(&found.probability.mean));
}

/// Would detect the family, the linear predictor or the parameters of the other response.
#[test]
fn answers_are_about_the_chosen_response() {
    let text = "n | rate(e) ~ x + (1 | p | g); y2 | se(e, sigma = TRUE) ~ z + (1 | p | g)";
    let regression = made(said(text).family_of("n", Family::Poisson));
    let run = short(&regression);
    let elements = run.layout.element_names();
    let place = |name: &str| {
        let place = elements.iter().position(|known| known == name);
        place.unwrap_or_else(|| panic!("no `{name}` in {elements:?}"))
    };
    let draws = || run.groups[0].draws.chunks(run.layout.elements());
    let ([_, _, _, x, z], g) = columns();
    let (counts, numbers) = (
        regression.response("n").expect("a response"),
        regression.response("y2").expect("a response"),
    );
    for (one, name, column, is_log) in [(&counts, "n", &x, true), (&numbers, "y2", &z, false)] {
        assert_eq!(one.family() == Family::Poisson, is_log);
        let fitted = one.fitted(&run).draws().expect("its run");
        let exposures = of(ROWS).reals("e").expect("numbers");
        let term = if name == "n" { "x" } else { "z" };
        for (found, draw) in fitted.values.chunks(g.len()).zip(draws()) {
            for row in 0..g.len() {
                let level = ["a", "b", "c"][g[row]];
                let eta = draw[place(&format!("intercepts[{name}]"))]
                    + draw[place(&format!("b[{name}:{term}]"))] * column[row]
                    + draw[place(&format!("r[{name}:g:{level}:Intercept]"))];
                let wanted = match is_log {
                    true => exposures[row] * eta.exp(),
                    false => eta,
                };
                assert!(
                    (found[row] - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                    "{name}: {}, {wanted}",
                    found[row]
                );
            }
        }
    }
    let slope = numbers
        .slopes(&run, "z", &Averaging::new())
        .expect("a slope");
    let wanted = run.mean("b").expect("coefficients")[1];
    // the slope is a difference of two tables
    assert!((slope.rows[0].summary.mean.mean - wanted).abs() < 1e-6);
    let effects = numbers.effects(&run, "z").expect("effects");
    let means: Vec<f64> = effects
        .rows
        .iter()
        .map(|row| row.summary.mean.mean)
        .collect();
    let ends = z
        .iter()
        .copied()
        .fold([f64::MAX, f64::MIN], |[low, high], z| {
            [low.min(z), high.max(z)]
        });
    let rise = (means[means.len() - 1] - means[0]) / (ends[1] - ends[0]);
    assert!((rise - wanted).abs() < 1e-9, "{rise}, {wanted}");
    let r2 = numbers.r2(&run).expect("it has one").summary.mean.mean;
    assert!((0.0..1.0).contains(&r2), "{r2}");
    assert!(numbers.loo_r2(&run).expect("it has one").mean < 1.0);
}

/// Would detect a contrast of 0 and a flat line for a column of another response.
#[test]
fn a_column_of_another_response_is_refused() {
    let regression = made(said("y1 ~ x + (1 | g); y2 ~ z"));
    let run = short(&regression);
    let one = regression.response("y1").expect("a response");
    let how = Averaging::new();
    for error in [
        one.contrasts(&run, "z", &how).err(),
        one.slopes(&run, "z", &how).err(),
        one.effects(&run, "z").err(),
        one.effects(&run, "x:z").err(),
    ] {
        let error = error.expect("`z` is of `y2`").to_string();
        let wanted = "the terms have no column `z`";
        assert!(error.contains(wanted), "{error}");
    }
    let by = one.contrasts(&run, "x", &how.by("g")).expect("a contrast");
    assert_eq!(by.rows.len(), 3);
    let other = regression.response("y2").expect("a response");
    let effects = other.effects(&run, "z").expect("effects");
    // the table of the grid needs the columns of all responses
    assert!(effects.others.contains_key("x"));
}

/// Would detect a grid that a response of counts refuses, because its values are no whole numbers.
#[test]
fn effects_of_a_response_of_counts_on_another_are_those_of_its_coefficient() {
    let regression = made(said("y1 ~ n + x; n ~ z").family_of("n", Family::Poisson));
    let run = short(&regression);
    let one = regression.response("y1").expect("a response");
    let effects = one.effects(&run, "n").expect("effects");
    let [first, .., last] = effects.rows.as_slice() else {
        panic!("a grid has several rows");
    };
    let slope = (last.summary.mean.mean - first.summary.mean.mean) / 4.0;
    let elements = run.layout.element_names();
    let place = elements
        .iter()
        .position(|name| name == "b[y1:n]")
        .expect("a coefficient");
    let draws = run.groups[0].draws.chunks(elements.len());
    let count = draws.len() as f64;
    let wanted = draws.map(|draw| draw[place]).sum::<f64>() / count;
    assert!((slope - wanted).abs() < 1e-10, "{slope} {wanted}");
    let slopes = one.slopes(&run, "n", &Averaging::new()).expect("a slope");
    let found = slopes.rows[0].summary.mean.mean;
    assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
}

/// What is said about a formula besides its text.
type Said = fn(Formula) -> Formula;

const SAME: Said = |formula| formula;

/// Formulas that do not fit the table, with a part of the message.
const REFUSED: &[(&str, Said, &str)] = &[
    ("y1 ~ x; y1 ~ z", SAME, "the response `y1` is there twice"),
    (
        "mvbind(y1, y1) ~ z",
        SAME,
        "the response `y1` is there twice",
    ),
    (
        "mvbind(y1) ~ z",
        SAME,
        "`mvbind` takes at least two responses",
    ),
    ("mvbind(a = y1, b = y2) ~ z", SAME, "without names"),
    (
        "log(mvbind(y1, y2)) ~ z",
        SAME,
        "did you mean `mvbind(y1, y2) ~ x`, as the whole left side",
    ),
    (
        "mvbind(y1, y2) ~ z + set_rescor(TRUE)",
        SAME,
        "`mvbind(y1, y2) ~ x; set_rescor(TRUE)`, behind a semicolon",
    ),
    (
        "y1 ~ x; y3 ~ z",
        SAME,
        "`y3` is no parameter that may have a formula; sigma, nu",
    ),
    (
        "y1 ~ x; sigma ~ z; sigma ~ x",
        SAME,
        "`sigma` has two formulas",
    ),
    (
        "y1 ~ x; set_rescor(TRUE)",
        SAME,
        "between several responses, and here is one",
    ),
    (
        "mvbind(y1, y2) ~ x; set_rescor(1)",
        SAME,
        "write `set_rescor(TRUE)` or `set_rescor(FALSE)`",
    ),
    (
        "y1 ~ x; y2",
        SAME,
        "or of another response, `y1 ~ x; y2 ~ z`",
    ),
    (
        "mvbind(y1, y2) ~ y1",
        SAME,
        "the response cannot be a term too",
    ),
    ("y1 ~ y2; y2 ~ y1", SAME, "`y1`, `y2` depend on each other"),
    (
        "y1 ~ log(y2 + 9); y2 ~ x; sigma ~ s(y1); set_rescor(TRUE)",
        SAME,
        "`y1`, `y2` depend on each other",
    ),
    (
        "y1 ~ (1 | n); y2 ~ gp(y1); n ~ y2; x ~ y1",
        SAME,
        "the responses `y1`, `y2`, `n` depend on each other",
    ),
    (
        "y1 | se(exp(y2)) ~ 1; y2 ~ y1",
        SAME,
        "`y1`, `y2` depend on each other",
    ),
    (
        "n ~ x; log(n + 1) ~ z",
        SAME,
        "follows from `n`, so that it has no density beside them",
    ),
    (
        "y1 ~ (1 | p | g); y2 ~ (1 | g)",
        SAME,
        "the id `p` stands in one term only, so that it correlates nothing",
    ),
    (
        "y1 ~ (1 | p | g); y2 ~ (1 | p | n)",
        SAME,
        "the id `p` joins coefficients of the groups `g` and `n`",
    ),
    (
        "mvbind(y1, n) ~ x; set_rescor(TRUE)",
        |formula| formula.family_of("n", Family::Poisson),
        "`set_rescor(TRUE)` needs responses of the family gaussian, and this is poisson",
    ),
    (
        "mvbind(y1, y2) | weights(n) ~ x; set_rescor(TRUE)",
        SAME,
        "responses with `weights` have no residual correlations",
    ),
    (
        "y1 ~ x; n ~ z",
        |formula| formula.family_of("n", Family::Cumulative),
        "the family cumulative is of a single response so far",
    ),
    (
        "y1 ~ x; y2 ~ z",
        |formula| formula.family_of("y3", Family::Poisson),
        "setting `family` is y3, must be a response of the formula: y1, y2",
    ),
    (
        "y1 ~ x; y2 ~ z",
        |formula| formula.residual_correlation_prior(2.0),
        "write `; set_rescor(TRUE)` behind the formula",
    ),
    (
        "y1 ~ x; y2 ~ z",
        |formula| formula.link_of("y2", Link::Probit),
        "for the family gaussian",
    ),
    (
        "y1 ~ x; n ~ z",
        |formula| formula.family_of("n", Family::Bernoulli),
        "0 and 1",
    ),
    (
        "y1 ~ x; y2 ~ z",
        |formula| formula.prior("b[y3]", Prior::normal(0.0, 1.0)),
        "`b` has no `y3`; it has y1:x, y2:z",
    ),
    (
        "y1 ~ x; n ~ z",
        |formula| {
            let formula = formula.family_of("n", Family::Poisson);
            formula.prior("sigma[n]", Prior::exponential(1.0))
        },
        "`sigma` has no `n`; it is one parameter, `sigma`",
    ),
    (
        "y1 ~ x; y2 ~ z",
        |formula| formula.prior("intercept", Prior::normal(0.0, 1.0)),
        "this regression has no `intercept` but `intercepts`",
    ),
    (
        "y1 ~ x + z; y2 ~ x + z",
        |formula| formula.shrinkage(Shrinkage::horseshoe(1.0)),
        "shrinks the coefficients of one response, and here are several",
    ),
    (
        "mvbind(y1, y2) ~ x + ar(z)",
        SAME,
        "`ar(z)` of the response `y1`: autoregressive residuals are of a single response so far",
    ),
    (
        "y1 ~ x; y2 ~ x + ar(z, gr = g); set_rescor(TRUE)",
        SAME,
        "`ar(z, gr = g)` of the response `y2`: autoregressive residuals",
    ),
    (
        "n ~ x + ar(z); y1 ~ x",
        |formula| formula.family_of("n", Family::Poisson),
        "`ar(z)` of the response `n`: autoregressive residuals",
    ),
];

#[test]
fn what_does_not_fit_several_responses_is_refused() {
    for (text, more, wanted) in REFUSED {
        let made = formula(text).and_then(|formula| more(formula).on(&of(ROWS)));
        let error = made.err().unwrap_or_else(|| panic!("`{text}` is accepted"));
        let found = error.to_string();
        assert!(found.contains(wanted), "{text}: {found}\n{wanted}");
    }
}

#[test]
fn the_error_of_residuals_of_several_responses_is_at_the_term() {
    let text = "y1 ~ x; y2 ~ x + ar(z, gr = g)";
    match formula(text) {
        Err(Error::Formula(error)) => assert_eq!(&text[error.at], "ar(z, gr = g)"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn families_are_read_from_a_text() {
    let text = "y1 = student, n = negative_binomial";
    let regression = made(
        said("y1 ~ x; n ~ z")
            .family_of_text(text)
            .expect("families"),
    );
    assert_eq!(
        regression.responses(),
        [
            ("y1".to_owned(), Family::StudentT),
            ("n".to_owned(), Family::NegativeBinomial)
        ]
    );
    let kept = said("y1 ~ x; n ~ z")
        .family_of("n", Family::Poisson)
        .link_of("n", Link::Softplus)
        .family(Family::StudentT)
        .link(Link::Identity);
    assert_eq!(
        made(kept).responses(),
        [
            ("y1".to_owned(), Family::StudentT),
            ("n".to_owned(), Family::Poisson)
        ],
        "a choice for all takes none back"
    );
    let error = said("y1 ~ x; n ~ z").family_of_text("n = poison").err();
    let error = error.expect("there is none").to_string();
    assert!(error.contains("there is no family `poison`"), "{error}");
}
