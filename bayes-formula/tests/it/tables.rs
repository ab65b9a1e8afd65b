//! Tables: how columns become numbers, and how a second table is read as the first one was.

use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};

/// The names of the coefficients of a formula on a table.
fn names(text: &str, on: &str) -> Vec<String> {
    let regression = formula(text).and_then(|formula| formula.on(&of(on)));
    let regression = regression.unwrap_or_else(|error| panic!("{text}: {error}"));
    let lines = regression.priors().to_string();
    let names = lines.lines().filter_map(|line| line.split_once(" ~ "));
    let names = names.filter_map(|(name, _)| name.trim().strip_prefix("b[").map(str::to_owned));
    names
        .map(|name| name.trim_end_matches(']').to_owned())
        .collect()
}

const ROWS: &str = "y,x,z,a,b\n1,1,0.5,u,p\n2,2,0.1,v,q\n4,4,-1,w,p\n3,7,2,u,q\n5,3,1,v,p\n7,1,2,w,q\n1,2,3,u,p\n2,5,1.5,v,q\n4,8,0,w,p\n6,6,-2,u,q\n";

// As `colnames(model.matrix(..))` of R has them, without the intercept.
#[test]
fn columns_are_coded_as_in_r() {
    let cases: [(&str, &[&str]); 10] = [
        ("y ~ a", &["av", "aw"]),
        ("y ~ 0 + a", &["au", "av", "aw"]),
        ("y ~ a * x", &["av", "aw", "x", "av:x", "aw:x"]),
        ("y ~ a:x", &["au:x", "av:x", "aw:x"]),
        ("y ~ x + a:x", &["x", "x:av", "x:aw"]),
        ("y ~ a * b", &["av", "aw", "bq", "av:bq", "aw:bq"]),
        ("y ~ a + a:b", &["av", "aw", "au:bq", "av:bq", "aw:bq"]),
        ("y ~ poly(x, 2)", &["poly(x; 2)1", "poly(x; 2)2"]),
        ("y ~ I(x^2) + log(x)", &["I(x^2)", "log(x)"]),
        (
            "y ~ factor(a, base = \"v\")",
            &["factor(a; base = 'v')u", "factor(a; base = 'v')w"],
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(names(text, ROWS), wanted, "{text}");
    }
}

/// Posterior means of the linear predictor of new rows.
fn predicted(text: &str, new: &str) -> Vec<f64> {
    let regression = formula(text).and_then(|formula| formula.on(&of(ROWS)));
    let regression = regression.expect("it fits the table");
    let run = Inference::nuts()
        .draws(400)
        .seed(2)
        .progress(false)
        .run(&regression)
        .expect("it runs");
    let new = regression.of(&of(new)).expect("it fits the new table");
    run.predict(&new)
        .expect("it predicts")
        .draws("y")
        .expect("the response")
        .mean()
}

#[test]
fn a_new_table_is_read_as_the_first_one() {
    // the first rows of the table, beside others than in the table: means, scales and polynomials stay
    for text in [
        "y ~ scale(x) + a",
        "y ~ poly(x, 2)",
        "y ~ center(log(x)) * b",
        "y ~ x",
    ] {
        let all = predicted(text, ROWS);
        let some = predicted(text, "x,a,b\n1,u,p\n2,v,q\n");
        for (a, b) in some.iter().zip(&all) {
            assert!((a - b).abs() < 0.5, "{text}: {a} {b}");
        }
        assert!((all[3] - all[0]).abs() > 1e-3, "{text}");
    }
}

#[test]
fn groups_of_a_new_table_are_found_by_name() {
    let sleep = table("sleepstudy");
    let regression =
        formula("Reaction ~ Days + (1 | Subject)").and_then(|formula| formula.on(&sleep));
    let regression = regression.expect("it fits");
    let run = Inference::nuts()
        .draws(200)
        .seed(2)
        .progress(false)
        .run(&regression)
        .expect("it runs");
    let new = of("Days,Subject\n0,337\n0,309\n");
    let two = Regression::of_run(&run, &new).expect("the run has its recipe");
    assert!(!two.has_response());
    let mean = run
        .predict(&two)
        .expect("known groups")
        .draws("y")
        .expect("the response")
        .mean();
    assert!(mean[0] - mean[1] > 100.0, "{mean:?}");
    let unknown = Regression::of_run(&run, &of("Days,Subject\n0,999\n")).expect("it can be read");
    let error = run
        .predict(&unknown)
        .expect_err("it was never seen")
        .to_string();
    assert!(error.contains("Subject:999:Intercept"), "{error}");
    assert!(run.predict_with(&unknown, NewGroups::Draw).is_ok());
    // the recipe goes through a file
    let mut text = Vec::new();
    run.to_json(&mut text).expect("memory takes it");
    let saved = Run::from_json(&String::from_utf8_lossy(&text)).expect("it is a run");
    assert_eq!(saved.recipe, run.recipe);
}

#[test]
fn rows_with_missing_values_are_refused_or_left_out() {
    let text = "y,x,g\n1,1,a\n2,NA,b\n3,2.5,a\nNA,4,b\n2,1,b\n4,3,a\n";
    let line = formula("y ~ x + (1 | g)").expect("it is a formula");
    let error = line
        .on(&of(text))
        .err()
        .expect("values are missing")
        .to_string();
    assert!(error.contains("`x`") && error.contains("line 3"), "{error}");
    let regression = line
        .drop_missing(true)
        .on(&of(text))
        .expect("it has complete rows");
    assert_eq!(regression.rows(), 4);
}

#[test]
fn responses_may_be_labels() {
    let text = "y,x\nno,1\nyes,2\nno,1.5\nyes,3\nyes,2.2\nno,2.1\n";
    let regression = formula("y ~ x")
        .map(|formula| formula.family(Family::Bernoulli))
        .and_then(|formula| formula.on(&of(text)));
    let run = Inference::nuts()
        .draws(300)
        .seed(1)
        .progress(false)
        .run(&regression.expect("two labels"))
        .expect("it runs");
    assert!(run.mean("b").expect("a slope")[0] > 0.5);
}

#[test]
fn rows_can_be_chosen() {
    let sleep = table("sleepstudy");
    let regression =
        formula("Reaction ~ Days + (1 + Days | Subject)").and_then(|formula| formula.on(&sleep));
    let regression = regression.expect("it fits");
    assert_eq!(regression.rows(), 180);
    let part = regression
        .subset(&[0, 5, 17, 60])
        .expect("rows of the table");
    let run = Inference::nuts()
        .draws(50)
        .seed(1)
        .progress(false)
        .run(&part)
        .expect("it runs");
    assert_eq!(
        run.layout.find("r").expect("all groups").shape.elements(),
        36
    );
}
