//! Categorical responses: labels, names, tables of answers, and what is refused; priors that shrink coefficients together.

use crate::refusals::refusal;
use crate::{log_likelihood, of};
use bayes::prelude::*;
use bayes_formula::{Averaging, Family, Link, Prior, Regression, Shrinkage, formula};

const BIRDS: &str = "bird,x,z\nowl,0.3,1\ncrow,1.2,2\nowl,-0.4,1\nwren,0.1,4\ncrow,2,2\nwren,0.7,3\nowl,1.1,0\ncrow,0.2,5\n";

fn birds(text: &str) -> Regression {
    let made = formula(text).expect("it is a formula");
    let made = made.family(Family::Categorical).on(&of(BIRDS));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn short(regression: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(100).burn_in(100).seed(3);
    engine.progress(false).run(regression).expect("it runs")
}

#[test]
fn each_label_but_the_first_has_coefficients_of_its_name() {
    let regression = birds("bird ~ x; muwren ~ z + x");
    let priors = regression.priors().to_string();
    for name in [
        "intercepts[muowl] ",
        "intercepts[muwren]",
        "b[muowl:x] ",
        "b[muwren:z]",
        "b[muwren:x]",
    ] {
        assert!(priors.contains(name), "{name}: {priors}");
    }
    assert!(!priors.contains("crow"), "{priors}");
    let title = regression.recipe().expect("it has one").title;
    assert!(
        title.ends_with("categorical, 8 rows, 1 is `crow`, 2 is `owl`, 3 is `wren`"),
        "{title}"
    );
    // `b` is for all labels, `b[muwren]` for one
    let set = formula("bird ~ x; muwren ~ z + x").expect("it is a formula");
    let set = set
        .family(Family::Categorical)
        .prior("b", Prior::normal(0.0, 7.0));
    let set = set
        .prior("b[muwren]", Prior::cauchy(0.0, 3.0))
        .on(&of(BIRDS));
    let priors = set.expect("it fits").priors().to_string();
    assert_eq!(priors.matches("normal(0, 7)").count(), 1, "{priors}");
    assert_eq!(priors.matches("cauchy(0, 3)").count(), 2, "{priors}");
}

/// Another first label moves the linear predictors by a constant: at the moved position the likelihood is the same.
#[test]
fn another_first_label_changes_the_coordinates_only() {
    let crow = birds("bird ~ x");
    let wren = birds("factor(bird, base = \"wren\") ~ x");
    // b[owl], b[wren], intercepts[owl], intercepts[wren] at the mean, against crow
    let against_crow = [0.4, -0.7, 0.2, 1.1];
    // labels in the order wren, crow, owl
    let against_wren = [0.7, 0.4 + 0.7, -1.1, 0.2 - 1.1];
    let [a, b] =
        [(&crow, against_crow), (&wren, against_wren)].map(|(r, at)| log_likelihood(r, &at));
    assert!((a - b).abs() < 1e-12, "{a}, {b}");
}

#[test]
fn answers_have_a_line_for_each_label() {
    let regression = birds("bird ~ x + z");
    let run = short(&regression);
    let fitted = regression.fitted(&run).table().expect("its run");
    assert_eq!(fitted.rows.len(), 24);
    let csv = fitted.to_csv();
    assert!(csv.starts_with("row,label,mean,"), "{csv}");
    assert!(
        csv.contains("\n1,crow,") && csv.contains("\n7,wren,"),
        "{csv}"
    );
    let json = fitted.to_json();
    assert_eq!(
        (json[4]["grade"].as_u64(), json[4]["label"].as_str()),
        (Some(2), Some("owl"))
    );
    let of_row: f64 = fitted.rows[3..6]
        .iter()
        .map(|row| row.summary.mean.mean)
        .sum();
    assert!((of_row - 1.0).abs() < 1e-12, "{of_row}");
    // linear predictors of all labels but the first
    let linear = regression.fitted(&run).linear().table().expect("its run");
    let labels: Vec<_> = linear
        .rows
        .iter()
        .filter_map(|row| row.label.as_deref())
        .collect();
    assert_eq!(labels[..4], ["owl", "wren", "owl", "wren"]);
    let effects = regression.effects(&run, "x").expect("its run");
    assert_eq!(effects.rows.len(), 300);
    assert!(effects.to_csv().starts_with("x,label,mean,"));
    effects.figure().expect("a picture");
    let contrasts = regression
        .contrasts(&run, "x", &Averaging::new())
        .expect("its run");
    let sum: f64 = contrasts.rows.iter().map(|row| row.summary.mean.mean).sum();
    assert!(sum.abs() < 1e-12, "probabilities sum to 1: {sum}");
    assert!(contrasts.to_csv().starts_with("contrast,label,mean,"));
    // predictions are numbers of labels, also for rows without a label
    let new = regression.of(&of("x,z\n1,1\n0,3\n")).expect("it fits");
    let drawn = run
        .predict(&new)
        .expect("its run")
        .draws("y")
        .expect("draws");
    assert!(drawn.values.iter().all(|y| [1.0, 2.0, 3.0].contains(y)));
    let again = Regression::of_run(&run, &of(BIRDS)).expect("the recipe has the labels");
    let loo = run.loo(&regression).expect("each row has a likelihood");
    assert_eq!(loo.pointwise.len(), 8);
    assert_eq!(again.fitted(&run).table().expect("its run").to_csv(), csv);
}

/// Formulas and families that do not fit the table of birds, with a part of the message.
const REFUSED: &[(&str, Family, &str)] = &[
    (
        "bird ~ x; mucrow ~ z",
        Family::Categorical,
        "`crow` is the first label of the response",
    ),
    (
        "bird ~ x; muhawk ~ z",
        Family::Categorical,
        "`muhawk` is no label of the response; those with a linear predictor are muowl, muwren",
    ),
    (
        "z ~ x; muowl ~ x",
        Family::Gaussian,
        "the family gaussian has no `muowl`",
    ),
    (
        "x ~ z",
        Family::Categorical,
        "`x` must hold labels or whole numbers",
    ),
    (
        "bird ~ x; mu ~ z",
        Family::Categorical,
        "`mu` is no parameter that may have a formula",
    ),
    (
        "I(0 - x) ~ z",
        Family::HurdleGamma,
        "`I(0-x)` is -0.3 in row 1; it must hold numbers from 0, for the family hurdle-gamma",
    ),
    (
        "x ~ z",
        Family::ZeroOneInflatedBeta,
        "`x` is 1.2 in row 2; it must hold numbers from 0 to 1, ",
    ),
    (
        "I(x / 1.1) ~ z",
        Family::ZeroInflatedBeta,
        "in row 2; it must hold numbers from 0 to 1, without 1",
    ),
    (
        "I(z * 0) ~ x",
        Family::Gamma,
        "for the family gamma; zeros belong to hurdle-gamma and hurdle-lognormal",
    ),
    (
        "I(z * 0 + 1) ~ x",
        Family::Beta,
        "is 1 in row 1; it must hold numbers between 0 and 1, both excluded, for the family beta; both ends belong to zero-one-inflated-beta",
    ),
    (
        "z ~ x",
        Family::VonMises,
        "`z` is 4 in row 4; it must hold angles in radians, from -pi to pi",
    ),
    (
        "x ~ z",
        Family::AdjacentCategory,
        "`x` is 0.3 in row 1; it must hold whole numbers from 1",
    ),
    (
        "bird ~ z",
        Family::SequentialRatio,
        "the labels of `bird` have no order; number the grades",
    ),
    (
        "z ~ x",
        Family::ZeroInflatedBinomial,
        "needs the number of trials of each row",
    ),
    (
        "I(z + 1) ~ x; disc ~ 1",
        Family::Cumulative,
        "`disc` has no term: it is 1 without its formula",
    ),
    (
        "z ~ x; disc ~ x",
        Family::Gaussian,
        "the family gaussian has no `disc`; it has sigma",
    ),
    (
        "z | cens(x) ~ 1",
        Family::SkewNormal,
        "the family skew-normal has no `cens`; gaussian, student",
    ),
];

#[test]
fn labels_and_responses_that_do_not_fit_name_the_mend() {
    for (text, family, wanted) in REFUSED {
        let message = refusal(text, *family, BIRDS);
        assert!(message.contains(wanted), "{text}: {message}");
    }
    let new = birds("bird ~ x")
        .of(&of("bird,x\nhawk,1\n"))
        .err()
        .expect("it is new");
    assert!(
        new.to_string()
            .contains("`bird` is `hawk` in this table, and was `crow`, `owl`, `wren`"),
        "{new}"
    );
}

#[test]
fn shrunk_coefficients_are_listed_and_later_priors_take_them_out() {
    let rows = "y,x,z,w\n1,2,1,0\n3,1,2,1\n2,4,1,1\n5,3,3,0\n4,4,7,1\n";
    let made = |priors: &[&str]| {
        let start = formula("y ~ x + z + w").expect("it is a formula");
        let all = priors
            .iter()
            .try_fold(start, |made, prior| made.prior_of_text(prior));
        all.and_then(|made| made.on(&of(rows)))
    };
    let listed = made(&["b ~ R2D2()", "b[z] ~ normal(0, 3)"]).expect("it fits");
    let listed = listed.priors().to_string();
    assert_eq!(
        listed
            .matches("R2D2(mean_R2 = 0.5, prec_R2 = 2, cons_D2 = 0.5)")
            .count(),
        2,
        "{listed}"
    );
    assert!(listed.contains("b[z]      ~ normal(0, 3)"), "{listed}");
    let run = short(&made(&["b ~ horseshoe(1, 0.3)", "b[z] ~ normal(0, 3)"]).expect("it fits"));
    let names = run.layout.element_names();
    for name in ["hs_global", "hs_slab", "hs_local[x]", "hs_local[w]"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name == "hs_local[z]"), "{names:?}");
    for (prior, wanted) in [
        (
            "sd ~ horseshoe(1)",
            "such a prior shrinks all coefficients together: `b ~ horseshoe(1)`",
        ),
        (
            "b[x] ~ R2D2()",
            "such a prior shrinks all coefficients together",
        ),
        (
            "b ~ horseshoe(scale = 1)",
            "`horseshoe` takes df, scale_global",
        ),
    ] {
        let error = made(&[prior]).err().expect("it is refused").to_string();
        assert!(error.contains(wanted), "{prior}: {error}");
    }
    let one = formula("y ~ x")
        .expect("it is a formula")
        .shrinkage(Shrinkage::horseshoe(1.0));
    let error = one.on(&of(rows)).err().expect("it is refused").to_string();
    assert!(error.contains("needs at least two coefficients"), "{error}");
}

#[test]
fn rows_of_a_table_to_predict_without_a_label_lack_only_their_own() {
    let labels = birds("bird ~ x");
    let made = formula("y ~ x").expect("it is a formula");
    let binary = "y,x\nno,1\nyes,2\nyes,1\nno,2\n";
    let success = made.family(Family::Bernoulli).on(&of(binary));
    for (regression, rows, wanted) in [
        (labels, "bird,x\nwren,1\nNA,0\ncrow,2\n", [3.0, 1.0]),
        (
            success.expect("it fits"),
            "y,x\nyes,1\nNA,2\nno,1\n",
            [1.0, 0.0],
        ),
    ] {
        let run = short(&regression);
        let new = Regression::of_run_to_predict(&run, &of(rows)).expect("predictors are there");
        let prediction = run.predict(&new).expect("its run");
        let observed = &prediction.observed()[0].data;
        assert!(observed[1].is_nan(), "{observed:?}");
        assert_eq!([observed[0], observed[2]], wanted);
    }
}

#[test]
fn labels_that_are_one_or_have_one_name_are_refused() {
    for (rows, wanted) in [
        ("k,x\nowl,1\nowl,2\nowl,4\n", "`k` is `owl` in all rows"),
        ("k,x\n2,1\n2,2\n2,4\n", "`k` is `2` in all rows"),
        (
            "k,x\na[1],1\na(1),2\nb,4\n",
            "the labels `a(1)` and `a[1]` of `k` would have one name in the outputs, `a(1)`",
        ),
        (
            "k,x\n\"a,b\",1\na;b,2\nc,4\n",
            "the labels `a,b` and `a;b` of `k` would have one name in the outputs, `a;b`",
        ),
    ] {
        let message = refusal("k ~ x", Family::Categorical, rows);
        assert!(message.contains(wanted), "{message}");
        assert!(message.contains("\n  k ~ x\n  ^"), "{message}");
    }
    let rows = "y,sigma,x\n1,2,1\n2,1,3\n4,3,2\n3,5,1\n1,2,2\n";
    let message = refusal("y ~ sigma:x; sigma ~ x", Family::Gaussian, rows);
    let wanted = "two linear predictors would have a parameter called `b[sigma:x]`";
    assert!(message.contains(wanted), "{message}");
}

#[test]
fn priors_of_positive_responses_with_zeros_are_around_those_above_zero() {
    let rows: String = (0..50)
        .map(|i| {
            format!(
                "{},{}\n",
                if i % 5 < 3 { 0 } else { 50_000 + 10 * i },
                i % 7
            )
        })
        .collect();
    for family in [Family::HurdleLogNormal, Family::HurdleGamma] {
        let made = formula("y ~ x").expect("it is a formula").family(family);
        let regression = made.on(&of(&format!("y,x\n{rows}"))).expect("it fits");
        let priors = regression.priors().to_string();
        // ln 50,000 is 10.8
        assert!(
            priors.contains("student_t(3, 10.8, 2.5)"),
            "{family}: {priors}"
        );
    }
}

#[test]
fn extreme_linear_predictors_have_no_density_that_is_not_a_number() {
    let rows = of("y,x\n1,0.1\n2,-1\n3,0.2\n1,0.3\n");
    let made = formula("y ~ x").expect("it is a formula");
    let made = made.family(Family::Cumulative).link(Link::CLogLog);
    let regression = made.on(&rows).expect("it fits");
    for slope in [800.0, 1e5] {
        let found = log_likelihood(&regression, &[slope, 0.2, 0.1]);
        assert!(found == f64::NEG_INFINITY, "{slope}: {found}");
    }
    // a rate of 0 in a row whose response is 0
    let rows = of("y,x\n0,1\n2,0\n3,0\n0,1\n");
    let made = formula("y ~ x").expect("it is a formula");
    let regression = made.family(Family::HurdleGamma).on(&rows).expect("it fits");
    let [near, far] =
        [3.0, 1500.0].map(|slope| log_likelihood(&regression, &[slope, 0.0, 0.0, 0.0]));
    assert!(near.is_finite() && !far.is_finite(), "{near}, {far}");
}
