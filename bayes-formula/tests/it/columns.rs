//! Responses of several columns: counts of outcomes and shares of a whole.

use crate::refusals::refusal;
use crate::{log_likelihood, of};
use bayes::prelude::*;
use bayes_formula::{Averaging, Family, Prior, Regression, formula};

const VOTES: &str = "red,green,blue,n,x,town\n3,1,0,4,0.3,a\n0,4,1,5,1.2,b\n3,0,1,4,-0.4,a\n2,2,5,9,0.1,b\n6,0,0,6,2,a\n1,3,4,8,0.7,b\n";
const SHARES: &str =
    "sand,silt,clay,x\n0.25,0.5,0.25,1\n0.1,0.8,0.1,2\n0.6,0.15,0.25,4\n0.05,0.2,0.75,3\n";

fn made(text: &str, family: Family, rows: &str) -> Regression {
    let made = formula(text).expect("it is a formula").family(family);
    let made = made.on(&of(rows));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn short(regression: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(100).burn_in(100).seed(3);
    engine.progress(false).run(regression).expect("it runs")
}

#[test]
fn each_column_but_the_first_has_coefficients_of_its_name() {
    let regression = made(
        "cbind(red, green, blue) | trials(n) ~ x; mublue ~ x + (1 | town)",
        Family::Multinomial,
        VOTES,
    );
    let priors = regression.priors().to_string();
    for name in [
        "intercepts[mugreen]",
        "b[mublue:x]",
        "sd[mublue:town:Intercept]",
    ] {
        assert!(priors.contains(name), "{name}: {priors}");
    }
    assert!(!priors.contains("mured"), "{priors}");
    let dirichlet = made("cbind(sand, silt, clay) ~ x", Family::Dirichlet, SHARES);
    assert!(dirichlet.priors().to_string().contains("phi"));
}

/// Two columns are the successes and failures of a logistic regression, whose linear predictor belongs to the second column.
#[test]
fn two_columns_have_the_likelihood_of_a_binomial_regression() {
    let rows = "no,yes,n,x\n3,1,4,0.3\n0,4,4,1.2\n2,7,9,-0.4\n";
    let columns = made("cbind(no, yes) | trials(n) ~ x", Family::Multinomial, rows);
    let successes = made("yes | trials(n) ~ x", Family::Binomial, rows);
    for position in [[0.4, -0.3], [-2.0, 1.5]] {
        let [a, b] = [&columns, &successes].map(|one| log_likelihood(one, &position));
        assert!((a - b).abs() < 1e-12, "{a}, {b}");
    }
}

#[test]
fn answers_have_a_line_for_each_column() {
    let regression = made(
        "cbind(red, green, blue) | trials(n) ~ x",
        Family::Multinomial,
        VOTES,
    );
    let run = short(&regression);
    let fitted = regression.fitted(&run).table().expect("its run");
    assert_eq!(fitted.rows.len(), 18);
    assert!(
        fitted.to_csv().contains("\n1,green,"),
        "{}",
        fitted.to_csv()
    );
    // expected counts of a row sum to its trials
    let of_row: f64 = fitted.rows[3..6]
        .iter()
        .map(|row| row.summary.mean.mean)
        .sum();
    assert!((of_row - 5.0).abs() < 1e-9, "{of_row}");
    let contrasts = regression.contrasts(&run, "x", &Averaging::new());
    let rows = contrasts.expect("its run").rows;
    let sum: f64 = rows.iter().map(|row| row.summary.mean.mean).sum();
    assert!(rows.len() == 3 && sum.abs() < 1e-12, "{sum}");
    let effects = regression.effects(&run, "x").expect("its run");
    let picture = effects.figure().expect("a picture").svg();
    assert!(picture.contains("robability of a column of cbind(red, green, blue)"));
    // predictions have the trials of their rows
    let new = regression
        .of(&of("x,n\n1,7\n0,2\n"))
        .expect("it needs no response");
    let drawn = run
        .predict(&new)
        .expect("its run")
        .draws("y")
        .expect("draws");
    for draw in drawn.rows() {
        let sums = [&draw[..3], &draw[3..]].map(|row| row.iter().sum::<f64>());
        assert_eq!(sums, [7.0, 2.0]);
    }
    // each row is an observation
    let loo = run.loo(&regression).expect("each row has a likelihood");
    assert_eq!(loo.pointwise.len(), 6);
    let again = Regression::of_run(&run, &of(VOTES)).expect("the recipe has the columns");
    assert_eq!(
        again.fitted(&run).table().expect("its run").to_csv(),
        fitted.to_csv()
    );
}

/// The mean shares of many rows without predictors agree with the data.
#[test]
fn shares_have_their_means() {
    let rows: String = (0..40)
        .map(|k| {
            let a = 0.2 + 0.1 * f64::from(k % 5) / 4.0;
            let b = 0.3 + 0.1 * f64::from(k % 7) / 6.0;
            format!("{a},{b},{}\n", 1.0 - a - b)
        })
        .collect();
    let regression = made(
        "cbind(p, q, r) ~ 1",
        Family::Dirichlet,
        &format!("p,q,r\n{rows}"),
    );
    let run = short(&regression);
    let fitted = regression.fitted(&run).table().expect("its run");
    for (place, wanted) in [0.25, 0.35, 0.4].into_iter().enumerate() {
        let found = fitted.rows[place].summary.mean.mean;
        // the standard deviation of a share is at most .04 in 40 rows
        assert!(
            (found - wanted).abs() < 4.0 * 0.04 / 40.0_f64.sqrt(),
            "{found}, {wanted}"
        );
    }
    let drawn = run
        .predict(&regression)
        .expect("its run")
        .draws("y")
        .expect("draws");
    for row in drawn.rows().flat_map(|draw| draw.chunks(3)) {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// Formulas of counts with a part of the expected message.
const NO_COUNTS: &[(&str, &str)] = &[
    (
        "red ~ x",
        "needs a column for each outcome: `cbind(a, b, c) | trials(n) ~ ..`",
    ),
    (
        "cbind(red, green, blue) ~ x",
        "needs the number of trials of each row: `cbind(red, green, blue) | trials(n) ~ ..`",
    ),
    (
        "cbind(red) | trials(n) ~ x",
        "`cbind(red)` has one column, and the family multinomial needs at least two",
    ),
    (
        "cbind(a = red, b = blue) | trials(n) ~ x",
        "`cbind` takes columns without names, and here is `a =`",
    ),
    ("cbind(red, red) | trials(n) ~ x", "`red` is there twice"),
    (
        "cbind(red, log(blue)) | trials(n) ~ x",
        "`cbind` takes names of columns, and not `log(blue)`",
    ),
    (
        "cbind(red, green) | trials(n) ~ x",
        "the columns of `cbind(red, green)` sum to 4 in row 2, which has 5 trials",
    ),
    (
        "cbind(red, x) | trials(n) ~ 1",
        "`x` is 0.3 in row 1; it must hold whole numbers from 0, for the family multinomial",
    ),
    (
        "cbind(red, bleu) | trials(n) ~ x",
        "the table has no column `bleu`; did you mean `blue`?",
    ),
    (
        "cbind(red, green, blue) | trials(n) ~ red",
        "the response cannot be a term too",
    ),
    (
        "cbind(red, green, blue) | trials(n) ~ x; mured ~ 1",
        "`red` is the first column of the response, whose linear predictor is 0",
    ),
    (
        "cbind(red, green, blue) | trials(n) ~ x; muteal ~ 1",
        "those with a linear predictor are mugreen, mublue",
    ),
    (
        "cbind(red, green, blue) | trials(n) + cens(x) ~ 1",
        "the family multinomial has no `cens`",
    ),
];

#[test]
fn what_are_no_counts_of_several_columns_is_refused() {
    for (text, wanted) in NO_COUNTS {
        let found = refusal(text, Family::Multinomial, VOTES);
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
    let found = refusal("cbind(red, green) ~ x", Family::Binomial, VOTES);
    assert!(found.contains("write `successes | trials(n)`"), "{found}");
    let text = "cbind(red, green, blue) | trials(n) ~ x";
    let regression = made(text, Family::Multinomial, VOTES);
    let new = regression.of(&of("x\n1\n"));
    assert!(new.is_err(), "the trials of new rows are needed");
}

#[test]
fn what_are_no_shares_of_several_columns_is_refused() {
    let two = |rows: &str| {
        let table = format!("sand,silt,x\n{rows}");
        refusal("cbind(sand, silt) ~ x", Family::Dirichlet, &table)
    };
    let cases = [
        (
            two("0.25,0.5,1\n0.5,0.5,2\n"),
            "sum to 0.75 in row 1; they must sum to 1, for the family dirichlet: divide them by their sum",
        ),
        (
            two("1,0,1\n0.5,0.5,2\n"),
            "`sand` is 1 in row 1; it must hold numbers above 0 and below 1, for the family dirichlet",
        ),
        (
            two("0.5,0.5,1\n0.5,0.5,2\n"),
            "`cbind(sand, silt)` is the same in all rows, so there is nothing to explain",
        ),
        (
            refusal(
                "cbind(sand, silt, clay) | trials(x) ~ 1",
                Family::Dirichlet,
                SHARES,
            ),
            "the family dirichlet has no trials",
        ),
    ];
    for (found, wanted) in cases {
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
    let prior = formula("cbind(sand, silt, clay) ~ x").expect("it is a formula");
    let prior = prior
        .family(Family::Dirichlet)
        .prior("phi", Prior::normal(0.0, 1.0));
    let found = prior
        .on(&of(SHARES))
        .err()
        .expect("it is refused")
        .to_string();
    assert!(found.contains("`phi` is above 0"), "{found}");
}

// Seen to detect: days since the first date of the new table, not of the fitted one.
#[test]
fn dates_are_days_since_the_first_one_of_the_fit() {
    let rows = |from: u32| {
        let rows = (0..8).map(|k| {
            format!(
                "{},2024-03-{:02}",
                [1, 3, 2, 5, 4, 6, 8, 7][k as usize],
                from + k
            )
        });
        of(&format!("y,day\n{}\n", rows.collect::<Vec<_>>().join("\n")))
    };
    let numbers = of("y,t\n1,0\n3,1\n2,2\n5,3\n4,4\n6,5\n8,6\n7,7\n");
    let [dated, plain] = [("y ~ days(day)", rows(3)), ("y ~ t", numbers)].map(|(text, table)| {
        formula(text)
            .and_then(|formula| formula.on(&table))
            .expect("it fits")
    });
    let run_of = |fit: &Regression| {
        let nuts = Inference::nuts().draws(100).seed(1).progress(false);
        nuts.run(fit).expect("it runs")
    };
    let slope = |run: &Run| run.draws("b").expect("it has one").mean()[0];
    let run = run_of(&dated);
    let found = slope(&run);
    assert_eq!(found, slope(&run_of(&plain)));
    // ten days later the mean is ten slopes larger
    let mean = |from: u32| {
        let at = dated.of(&rows(from)).expect("it has dates");
        at.fitted(&run).draws().expect("they are known").mean()[0]
    };
    let rise = mean(13) - mean(3);
    assert!((rise - 10.0 * found).abs() < 1e-9, "{rise} and {found}");
}
