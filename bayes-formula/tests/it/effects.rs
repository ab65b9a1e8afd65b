//! Effects, contrasts and slopes of a logistic regression, against sums over draws and rows written by hand.

use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Averaging, Conditions, Family, Level, Regression, formula};

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `low ~ age + factor(race) * smoke`.
struct Births {
    regression: Regression,
    run: Run,
    age: Vec<f64>,
    race: Vec<f64>,
    smoke: Vec<f64>,
}

impl Births {
    fn new() -> Self {
        let table = table("birthwt");
        let regression = formula("low ~ age + factor(race) * smoke").expect("it is a formula");
        let regression = regression.family(Family::Bernoulli).on(&table);
        let regression = regression.expect("it fits the table");
        let engine = Inference::nuts()
            .draws(100)
            .chains(2)
            .seed(3)
            .progress(false);
        let run = engine.run(&regression).expect("it runs");
        let [age, race, smoke] =
            ["age", "race", "smoke"].map(|name| table.reals(name).expect("numbers"));
        Self {
            regression,
            run,
            age,
            race,
            smoke,
        }
    }

    /// The mean over draws of a function of the probability of a row's columns.
    fn mean(&self, of: impl Fn(&dyn Fn(f64, f64, f64) -> f64) -> f64) -> f64 {
        let [b, intercept] =
            ["b", "intercept"].map(|name| self.run.draws(name).expect("it is there"));
        let names = self.run.layout.element_names();
        assert!(
            names[..6]
                .iter()
                .any(|name| name == "b[factor(race)2:smoke]"),
            "{names:?}"
        );
        let draws = b.rows().zip(&intercept.values);
        let each = draws.map(|(b, intercept)| {
            let is = |race: f64, level: f64| f64::from(u8::from(race == level));
            let probability = |age: f64, race: f64, smoke: f64| {
                let (two, three) = (is(race, 2.0), is(race, 3.0));
                logistic(
                    intercept
                        + b[0] * age
                        + b[1] * two
                        + b[2] * three
                        + b[3] * smoke
                        + b[4] * two * smoke
                        + b[5] * three * smoke,
                )
            };
            of(&probability)
        });
        let all: Vec<f64> = each.collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// The average over the rows of the table that satisfy `is_in`.
    fn over(&self, is_in: impl Fn(usize) -> bool, of: impl Fn(usize) -> f64) -> f64 {
        let rows: Vec<usize> = (0..self.age.len()).filter(|row| is_in(*row)).collect();
        rows.iter().map(|row| of(*row)).sum::<f64>() / rows.len() as f64
    }
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-9, "{found}, {wanted}");
}

#[test]
fn effects_are_probabilities_where_the_others_stay() {
    let births = Births::new();
    let age = births.age.iter().sum::<f64>() / births.age.len() as f64;
    let effects = births
        .regression
        .effects(&births.run, "race:smoke")
        .expect("both are terms");
    assert_eq!(effects.of, ["race", "smoke"]);
    assert_eq!(effects.rows.len(), 6);
    for row in &effects.rows {
        let [Level::Label(race), Level::Number(smoke)] = &row.at[..] else {
            panic!("labels and numbers: {:?}", row.at);
        };
        let race = race.parse().expect("a number");
        near(row.summary.mean.mean, births.mean(|p| p(age, race, *smoke)));
    }
    let conditions = Conditions::new().at("race", 3).at("smoke", 1.0);
    let by_age = births
        .regression
        .effects_at(&births.run, "age", &conditions);
    let by_age = by_age.expect("it is a term");
    assert_eq!(by_age.rows.len(), 100);
    near(
        by_age.rows[0].summary.mean.mean,
        births.mean(|p| p(14.0, 3.0, 1.0)),
    );
    near(
        by_age.rows[99].summary.mean.mean,
        births.mean(|p| p(45.0, 3.0, 1.0)),
    );
    let linear = births
        .regression
        .effects_at(&births.run, "age", &conditions.linear());
    let linear = linear.expect("it is a term").rows[0].summary.quantiles[2];
    // the median is between two draws
    assert!((logistic(linear) - by_age.rows[0].summary.quantiles[2]).abs() < 1e-4);
    let text = by_age.to_string();
    assert!(
        text.lines().count() == 12 && text.ends_with("Other columns: race = 3, smoke = 1.\n"),
        "{text}"
    );
    assert!(
        by_age
            .to_csv()
            .starts_with("age,mean,mcse,sd,q5,q25,q50,q75,q95\n14,")
    );
    assert_eq!(effects.to_json()["rows"][0]["at"]["race"], "1");
}

#[test]
fn contrasts_are_averages_over_rows() {
    let births = Births::new();
    let Births {
        regression,
        run,
        age,
        race,
        smoke,
    } = &births;
    let how = Averaging::new();
    let smoking = regression
        .contrasts(run, "smoke", &how)
        .expect("it is a term");
    assert_eq!(smoking.rows[0].name, "smoke: 1 - 0");
    let wanted = births.mean(|p| {
        births.over(
            |_| true,
            |i| p(age[i], race[i], 1.0) - p(age[i], race[i], 0.0),
        )
    });
    near(smoking.rows[0].summary.mean.mean, wanted);
    let ratio = regression
        .contrasts(run, "smoke", &how.clone().ratio())
        .expect("it is a term");
    let average = |p: &dyn Fn(f64, f64, f64) -> f64, smoke: f64| {
        births.over(|_| true, |i| p(age[i], race[i], smoke))
    };
    near(
        ratio.rows[0].summary.mean.mean,
        births.mean(|p| average(p, 1.0) / average(p, 0.0)),
    );
    let races = regression
        .contrasts(run, "race", &how.clone().by("smoke"))
        .expect("it is a term");
    assert_eq!(races.rows.len(), 4);
    let row = &races.rows[3];
    assert_eq!(
        (row.name.as_str(), &row.by),
        ("race: 3 - 1", &Some(Level::Number(1.0)))
    );
    let wanted = births.mean(|p| {
        births.over(
            |i| smoke[i] == 1.0,
            |i| p(age[i], 3.0, 1.0) - p(age[i], 1.0, 1.0),
        )
    });
    near(row.summary.mean.mean, wanted);
    let older = regression
        .contrasts(run, "age", &how)
        .expect("it is a term");
    let wanted = births.mean(|p| {
        births.over(
            |_| true,
            |i| p(age[i] + 1.0, race[i], smoke[i]) - p(age[i], race[i], smoke[i]),
        )
    });
    near(older.rows[0].summary.mean.mean, wanted);
}

// The derivative of the logistic function.
#[test]
fn slopes_are_averages_of_derivatives() {
    let births = Births::new();
    let Births {
        regression, run, ..
    } = &births;
    let slope = regression
        .slopes(run, "age", &Averaging::new())
        .expect("it is a term");
    let b = run.draws("b").expect("coefficients");
    let draws = std::cell::RefCell::new(b.rows());
    let wanted = births.mean(|p| {
        let b = draws.borrow_mut().next().expect("a draw")[0];
        let derivative = |i: usize| {
            let probability = p(births.age[i], births.race[i], births.smoke[i]);
            b * probability * (1.0 - probability)
        };
        births.over(|_| true, derivative)
    });
    near(slope.rows[0].summary.mean.mean, wanted);
}

#[test]
fn effects_of_groups_count_where_their_columns_are_named() {
    let sleep = table("sleepstudy");
    let regression =
        formula("Reaction ~ Days + (1 + Days | Subject)").and_then(|text| text.on(&sleep));
    let regression = regression.expect("it fits");
    let engine = Inference::nuts().draws(100).seed(2).progress(false);
    let run = engine.run(&regression).expect("it runs");
    let at = |effects: bayes_formula::Effects| effects.rows[99].summary;
    let fitted =
        |regression: Regression| regression.fitted(&run).table().expect("its run").rows[0].summary;
    let population = at(regression.effects(&run, "Days").expect("a term"));
    assert_eq!(
        population,
        fitted(regression.of_population(&of("Days\n9\n")).expect("it fits"))
    );
    let conditions = Conditions::new().at("Subject", 337);
    let one = at(regression
        .effects_at(&run, "Days", &conditions)
        .expect("a term"));
    assert_eq!(
        one,
        fitted(
            regression
                .of(&of("Days,Subject\n9,337\n"))
                .expect("it fits")
        )
    );
    let new = regression.effects_at(&run, "Days", &Conditions::new().new_group());
    assert!(at(new.expect("a term")).sd > 2.0 * population.sd);
    let all = regression.effects(&run, "Subject").expect("groups");
    assert_eq!(all.rows.len(), 18);
    let svg = all.figure().expect("a picture").svg();
    assert!(
        svg.contains("Expected Reaction by Subject") && svg.contains(">337<"),
        "{svg}"
    );
}

// Seen to detect: levels of the grid without the zeros of the labels, which are other groups than the run's, so that new groups were drawn.
#[test]
fn effects_are_of_the_groups_of_the_run_where_their_labels_are_numbers() {
    let rows = (0..30).map(|i| {
        format!(
            "{},{}\n",
            3 * (i % 3) + i % 2,
            ["007", "008", "10.0"][i % 3]
        )
    });
    let table = of(&format!("y,id\n{}", rows.collect::<String>()));
    for text in ["y ~ 1 + (1 | id)", "y ~ factor(id) + (1 | id)"] {
        let regression = formula(text).and_then(|formula| formula.on(&table));
        let regression = regression.expect("it fits");
        let run = Inference::nuts().draws(100).seed(1).progress(false);
        let run = run.run(&regression).expect("it runs");
        let effects = regression.effects(&run, "id").expect("there are effects");
        let labels: Vec<String> = effects
            .rows
            .iter()
            .map(|row| row.at[0].to_string())
            .collect();
        assert_eq!(labels, ["007", "008", "10"]);
        for (row, wanted) in effects.rows.iter().zip([0.5, 3.5, 6.5]) {
            // a new group has the spread of the groups, about 3
            assert!(row.summary.sd < 0.5, "{text}: {}", row.summary.sd);
            let mean = row.summary.mean.mean;
            assert!((mean - wanted).abs() < 0.6, "{text}: {mean}, {wanted}");
        }
    }
}

// An ordered response has an effect for each grade, a binomial one the effect for a single trial.
#[test]
fn effects_are_probabilities_of_grades_and_successes() {
    let rows = "y,x,n,k\n1,0,5,1\n2,1,8,4\n1,0.5,4,0\n3,2,9,8\n2,1.5,3,1\n3,2.5,6,5\n";
    let ordered = formula("y ~ x")
        .expect("it is a formula")
        .family(Family::Cumulative);
    let ordered = ordered.on(&of(rows)).expect("it fits");
    let engine = || {
        Inference::nuts()
            .chains(1)
            .draws(20)
            .seed(1)
            .progress(false)
    };
    let run = engine().run(&ordered).expect("it runs");
    let effects = ordered.effects(&run, "x").expect("a term");
    assert_eq!(effects.rows.len(), 300);
    for grades in effects.rows.chunks(3) {
        near(grades.iter().map(|row| row.summary.mean.mean).sum(), 1.0);
    }
    assert!(
        effects
            .figure()
            .expect("a picture")
            .svg()
            .contains("grade 3")
    );
    let slopes = ordered
        .slopes(&run, "x", &Averaging::new())
        .expect("a term");
    assert_eq!(slopes.rows.len(), 3);
    assert!(
        slopes
            .rows
            .iter()
            .map(|row| row.summary.mean.mean)
            .sum::<f64>()
            .abs()
            < 1e-6
    );
    let successes = formula("k | trials(n) ~ x")
        .expect("it is a formula")
        .family(Family::Binomial);
    let successes = successes.on(&of(rows)).expect("it fits");
    let run = engine().run(&successes).expect("it runs");
    let effects = successes.effects(&run, "x").expect("a term");
    assert!(
        effects
            .rows
            .iter()
            .all(|row| row.summary.quantiles[4] <= 1.0)
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let births = Births::new();
    let ask = |of: &str, conditions: Conditions| {
        let found = births.regression.effects_at(&births.run, of, &conditions);
        found.expect_err("it cannot be").to_string()
    };
    let none = Conditions::new;
    for (found, wanted) in [
        (
            ask("agee", none()),
            "the terms have no column `agee`; did you mean `age`?",
        ),
        (
            ask("age:race:smoke", none()),
            "effects are of one column or of two",
        ),
        (ask("age", none().at("race", 7)), "`7` is none of 1, 2, 3"),
        (ask("age", none().at("smoke", "yes")), "`yes` is no number"),
        (
            ask("age", none().at("age", 20)),
            "`age` varies, and cannot be at one value",
        ),
    ] {
        assert!(found.contains(wanted), "{found}");
    }
    let slope = births
        .regression
        .slopes(&births.run, "race", &Averaging::new());
    let error = slope.expect_err("labels have none").to_string();
    assert!(
        error.contains("`race` holds labels, which have no slope"),
        "{error}"
    );
}
