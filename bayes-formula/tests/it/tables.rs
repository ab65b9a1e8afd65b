//! Tables: columns become numbers, and a second table is read like the first one.

use crate::{log_likelihood, of, table};
use bayes::data::Table;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

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

// The names are those of R's `colnames(model.matrix(..))`, without the intercept.
#[test]
fn columns_are_coded_as_in_r() {
    let cases: [(&str, &[&str]); 15] = [
        ("y ~ a", &["av", "aw"]),
        ("y ~ 0 + a", &["au", "av", "aw"]),
        ("y ~ a * x", &["av", "aw", "x", "av:x", "aw:x"]),
        ("y ~ a:x", &["au:x", "av:x", "aw:x"]),
        ("y ~ x + a:x", &["x", "x:av", "x:aw"]),
        ("y ~ 0 + a + b", &["au", "av", "aw", "bq"]),
        ("y ~ 0 + x + b", &["x", "bp", "bq"]),
        ("y ~ 0 + x:b", &["x:bp", "x:bq"]),
        ("y ~ x:b + x:a", &["x:bp", "x:bq", "x:av", "x:aw"]),
        ("y ~ . - z - a", &["x", "bq"]),
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

/// The log likelihood of the first draw at some rows of the table, and on a table of these rows only.
fn of_rows(text: &str, rows: &[usize]) -> (f64, f64) {
    let regression = formula(text).and_then(|formula| formula.on(&of(ROWS)));
    let regression = regression.expect("it fits the table");
    let lines: Vec<&str> = ROWS.lines().collect();
    let some: Vec<&str> = rows.iter().map(|row| lines[row + 1]).collect();
    let alone = regression.of(&of(&format!("{}\n{}\n", lines[0], some.join("\n"))));
    let alone = alone.expect("it fits the new table");
    let part = regression.subset(rows).expect("rows of the table");
    let engine = Inference::nuts()
        .chains(1)
        .draws(4)
        .burn_in(4)
        .seed(2)
        .progress(false);
    let run = engine.run(&regression).expect("it runs");
    let position = &run.groups[0].positions[..run.layout.dim];
    (
        log_likelihood(&alone, position),
        log_likelihood(&part, position),
    )
}

// Means, scales, levels and polynomials are exactly those of the first table.
#[test]
fn a_new_table_is_read_as_the_first_one() {
    let texts = [
        "y ~ scale(x) + a",
        "y ~ poly(x, 2) * b",
        "y ~ center(log(x)) * b",
        "y ~ 0 + a + b",
        "y ~ a + s(x, k = 5)",
        "y ~ b + s(x, k = 4, by = b)",
        "y ~ s(x, k = 4, by = z)",
        "y ~ a + gp(log(x))",
        "y ~ x + offset(z)",
    ];
    for text in texts {
        let (alone, part) = of_rows(text, &[1, 3]);
        assert!(
            (alone - part).abs() < 1e-9 * part.abs(),
            "{text}: {alone}, {part}"
        );
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
    let two = Regression::of_run_to_predict(&run, &new).expect("the run has its recipe");
    let mean = run
        .predict(&two)
        .expect("known groups")
        .draws("y")
        .expect("the response")
        .mean();
    assert!(mean[0] - mean[1] > 100.0, "{mean:?}");
    let unknown =
        Regression::of_run_to_predict(&run, &of("Days,Subject\n0,999\n")).expect("it can be read");
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
fn recipes_of_other_versions_are_refused_by_name() {
    let regression = formula("y ~ x").and_then(|formula| formula.on(&of(ROWS)));
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(1);
    let run = engine.progress(false).run(&regression.expect("it fits"));
    let mut run = run.expect("it runs");
    let recipe = run.recipe.as_mut().expect("it has a recipe");
    recipe.text = recipe.text.replace("\"link\"", "\"lynx\"");
    let error = Regression::of_run(&run, &of(ROWS))
        .err()
        .expect("it is refused");
    assert!(
        error.to_string().contains("the recipe of `y ~ x, gaussian, 10 rows` cannot be read by this version: missing field `link`"),
        "{error}"
    );
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
    assert!(
        error.contains("`x` has no value in 1 of 6 rows") && error.contains("--drop-missing"),
        "{error}"
    );
    let regression = line
        .drop_missing(true)
        .on(&of(text))
        .expect("it has complete rows");
    assert_eq!(regression.rows(), 4);
    let run = Inference::nuts()
        .chains(1)
        .draws(20)
        .seed(1)
        .progress(false)
        .run(&regression);
    let run = run.expect("it runs");
    // first the rows of the run, then all rows with predictors
    assert_eq!(
        Regression::of_run(&run, &of(text))
            .expect("the same table")
            .rows(),
        4
    );
    let new = of("y,x,g\n1,1,a\nNA,4,b\n");
    let new = Regression::of_run_to_predict(&run, &new).expect("predictors are there");
    let prediction = run.predict(&new).expect("it predicts");
    let observed = &prediction.observed()[0].data;
    assert!(observed[0] == 1.0 && observed[1].is_nan(), "{observed:?}");
    // `predict` has no option that leaves rows out, so none is recommended
    let lacking = Regression::of_run_to_predict(&run, &of("x,g\n1,a\nNA,b\n"));
    let error = lacking.err().expect("a predictor is missing").to_string();
    assert!(
        error.contains("`x` has no value in 1 of 2 rows; a row without a predictor cannot be predicted: fill them in") && !error.contains("drop"),
        "{error}"
    );
}

// Seen to detect: placeholders as responses of rows without one.
#[test]
fn nothing_but_a_prediction_runs_without_a_response() {
    for (text, family) in [
        ("y ~ x", Family::Gaussian),
        ("y ~ x", Family::Poisson),
        ("y ~ x", Family::Cumulative),
    ] {
        let table = of("y,x\n1,1\n2,2\n3,4\n2,1\n");
        let regression = formula(text)
            .map(|formula| formula.family(family))
            .and_then(|formula| formula.on(&table));
        let regression = regression.expect("it fits");
        let run = Inference::nuts()
            .chains(1)
            .draws(20)
            .seed(1)
            .progress(false)
            .run(&regression)
            .expect("it runs");
        let new = regression
            .of(&of("x\n1\n3\n"))
            .expect("predictors are there");
        assert!(run.predict(&new).is_ok());
        assert!(run.loo(&new).is_err());
        let error = Inference::nuts()
            .progress(false)
            .run(&new)
            .expect_err("there is no response");
        assert!(error.to_string().contains("NaN"), "{error}");
    }
}

// Seen to detect: a fingerprint of only the text.
#[test]
fn other_data_priors_and_formulas_have_other_fingerprints() {
    let run = |text: &str, rows: &str, sd: f64| {
        let regression = formula(text)
            .map(|formula| formula.prior("b", Prior::normal(0.0, sd)))
            .and_then(|formula| formula.on(&of(rows)));
        let engine = Inference::smc().particles(16).seed(1).progress(false);
        engine.run(&regression.expect("it fits")).expect("it runs")
    };
    let runs = [
        run("y ~ x", ROWS, 1.0),
        run("y ~ z", ROWS, 1.0),
        run("y ~ x", ROWS, 2.0),
        run("y ~ x", &ROWS.replace("\n1,1,", "\n1.5,1,"), 1.0),
    ];
    for (i, a) in runs.iter().enumerate() {
        assert!(
            runs[..i].iter().all(|b| a.fingerprint != b.fingerprint),
            "{i}"
        );
    }
    assert_eq!(run("y ~ x", ROWS, 1.0).fingerprint, runs[0].fingerprint);
}

#[test]
fn labels_that_are_numbers_are_compared_as_numbers() {
    let table = of("y,g,f\n1,308,1\n2,308.0,1.0\n3,10,2\n5,9,2\n");
    let regression = formula("y ~ factor(f) + (1 | g)").and_then(|formula| formula.on(&table));
    let priors = regression.expect("it fits").priors().to_string();
    assert!(
        priors.contains("b[factor(f)2]") && !priors.contains("1.0"),
        "{priors}"
    );
}

// Seen to detect: labels compared as `f64`, which has no digits for both; and groups that keep the point.
#[test]
fn identifiers_of_many_digits_are_each_a_level_and_a_point_is_no_other_group() {
    let ids = [
        "1577134800018226901",
        "1577134800018226902",
        "9007199254740993",
    ];
    let rows: Vec<String> = (0..9)
        .map(|i| format!("{},{}\n", i % 5, ids[i % 3]))
        .collect();
    let table = format!("y,id\n{}", rows.concat());
    let wanted = [
        "factor(id)9007199254740993",
        "factor(id)1577134800018226901",
        "factor(id)1577134800018226902",
    ];
    assert_eq!(names("y ~ 0 + factor(id)", &table), wanted);
    let fitted = |rows: &str| formula("y ~ 1 + (1 | g)").and_then(|formula| formula.on(&of(rows)));
    let groups = |rows: &str| {
        let regression = fitted(rows).expect("it fits");
        let run = Inference::smc().particles(16).seed(1).progress(false);
        let run = run.run(&regression).expect("it runs");
        run.layout.find("r").expect("it is there").element_names()
    };
    assert_eq!(
        groups("y,g\n1,308\n2,308.0\n3,9.0\n5,007\n2,7\n"),
        ["308", "9", "007", "7"].map(|group| format!("r[g:{group}:Intercept]"))
    );
}

// Seen to detect: a title that does not say which label the probability is of.
#[test]
fn the_title_says_which_label_is_a_success() {
    let title = |rows: &str| {
        let made = formula("y ~ x").and_then(|text| text.family(Family::Bernoulli).on(&of(rows)));
        made.expect("it fits").recipe().expect("a recipe").title
    };
    let rows = "y,x\ncontrol,1\ncase,2\ncase,5\ncontrol,3\n";
    assert_eq!(
        title(rows),
        "y ~ x, bernoulli, 4 rows, a success is `control`"
    );
    let numbers = rows.replace("control", "1").replace("case", "0");
    assert_eq!(title(&numbers), "y ~ x, bernoulli, 4 rows");
}

// Seen to detect: two spellings merged, and two spellings as two levels.
#[test]
fn two_spellings_of_one_number_are_refused_as_levels() {
    for (rows, wanted) in [
        (
            "y,f\n1,007\n2,7\n3,8\n",
            "`f` has `007` and `7`, which are one number",
        ),
        (
            "y,f\n1,0.5\n2,0.50\n3,8\n",
            "`f` has `0.5` and `0.50`, which are one number",
        ),
    ] {
        let error = formula("y ~ factor(f)")
            .and_then(|formula| formula.on(&of(rows)))
            .err()
            .expect("it may be one level or two")
            .to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn groups_of_two_columns_are_not_mixed_up() {
    let table = of("y,g,h\n1,a:b,c\n2,a,b:c\n3,a,d\n");
    let error = formula("y ~ (1 | g:h)")
        .and_then(|formula| formula.on(&table))
        .err()
        .expect("equal names")
        .to_string();
    assert!(
        error.contains("two groups of `g:h` would both be called `a:b:c`"),
        "{error}"
    );
    // a coefficient with the name of the intercept
    let table = of("y,Intercept,g\n1,5,a\n2,6,b\n3,9,a\n4,2,b\n");
    let regression = formula("y ~ (0 + Intercept | g)")
        .and_then(|formula| formula.on(&table))
        .expect("it fits");
    let run = Inference::nuts()
        .chains(1)
        .draws(8)
        .seed(1)
        .progress(false)
        .run(&regression)
        .expect("it runs");
    let draw = &run.groups[0].draws[..run.layout.elements()];
    let value =
        |name: &str, k: usize| draw[run.layout.find(name).expect("it is there").range().start + k];
    let wanted: f64 = [(1.0, 5.0, 0), (2.0, 6.0, 1), (3.0, 9.0, 0), (4.0, 2.0, 1)]
        .iter()
        .map(|(y, x, g)| {
            let distance: f64 =
                (y - value("intercept", 0) - value("r", *g) * x) / value("sigma", 0);
            -0.5 * distance * distance - (value("sigma", 0) * std::f64::consts::TAU.sqrt()).ln()
        })
        .sum();
    assert!((run.groups[0].log_likelihood[0] - wanted).abs() < 1e-9);
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

#[test]
fn labels_of_a_table_with_an_order_are_coded_in_it() {
    let ordered = of(ROWS)
        .with_order("a", ["w", "none", "u", "v"])
        .expect("there is a column");
    let lines = priors("y ~ a", &ordered);
    assert!(lines.contains("b[au]") && lines.contains("b[av]") && !lines.contains("b[aw]"));
    // numbers with a declared order are labels
    let numbers = of("y,x\n1,3\n2,1\n4,3\n3,2\n").with_order("x", ["3", "1", "2"]);
    let lines = priors("y ~ x", &numbers.expect("there is a column"));
    assert!(lines.contains("b[x1]") && lines.contains("b[x2]") && !lines.contains("b[x3]"));
}

/// The parameters of a formula on a table, with their priors.
fn priors(text: &str, table: &Table) -> String {
    let regression = formula(text).and_then(|formula| formula.on(table));
    regression
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .priors()
        .to_string()
}

#[test]
fn tables_to_predict_may_lack_some_responses_of_0_and_1() {
    let regression = formula("y ~ x").expect("it is a formula");
    let regression = regression.family(Family::Bernoulli);
    let table = of("y,x\n0,1\n1,2\n0,3\n1,5\n");
    let regression = regression.on(&table).expect("it fits the table");
    let new = regression.of(&of("y,x\n0,1\n,2\n"));
    assert!(new.is_ok(), "{}", new.err().expect("an error"));
}

/// Would detect advice that users of Rust cannot follow.
#[test]
fn tables_to_predict_without_groups_are_refused_with_advice() {
    let regression = formula("y ~ x + (1 | a)").expect("it is a formula");
    let regression = regression.on(&of(ROWS)).expect("it fits the table");
    let error = regression.of(&of("x\n1\n")).err().expect("it has no `a`");
    let text = error.to_string();
    for words in [
        "the table to predict has no column `a` of groups",
        "new groups (`NewGroups::Draw`, `--new-groups`)",
        "the population (`Regression::of_run_to_population`, `fitted --no-groups`)",
    ] {
        assert!(text.contains(words), "{text}");
    }
}
