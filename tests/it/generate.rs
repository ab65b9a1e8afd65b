//! `generate`: quantities that are drawn after the run and are not part of its density.
//!
//! Mutations seen: the value seen by a density is 0 instead of NaN; one stream for all draws of the run.

use bayes::prelude::*;
use bayes::run::RunError;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
}

#[model]
fn mean_and_more(y: &[f64], weights: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next = generate(Normal::new(mu, 1.0));
    let twice = 2.0 * next;
    let found = generate(Normal::new(twice, 2.0));
    observe(y, Normal::new(mu, 1.0));
    for &weight in weights {
        let counts = generate(Poisson::new(weight * mu.exp()).iid(2));
        let count = generate(Poisson::new(weight * mu.exp()));
    }
    let path = generate(GaussianRandomWalk::new(Normal::new(next, 1.0), 1.0, 3));
}

const WEIGHTS: [f64; 3] = [0.5, 1.0, 2.0];

fn nuts() -> bayes::engine::Chains<Nuts> {
    Inference::nuts().draws(2500).seed(1).progress(false)
}

#[test]
fn what_is_generated_has_its_names_and_a_summary() {
    let model = mean_and_more(&[2.0], &WEIGHTS);
    let run = nuts().run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    let shapes: Vec<(&str, usize)> = prediction
        .generated()
        .iter()
        .map(|g| (g.name.as_str(), g.shape.elements()))
        .collect();
    let wanted = [
        ("next", 1),
        ("found", 1),
        ("counts", 6),
        ("count", 3),
        ("path", 3),
    ];
    assert_eq!(shapes, wanted);
    // the run does not have them, and says where they are
    assert_eq!(
        run.mean("next")
            .expect_err("it is no part of the run")
            .to_string(),
        "`next` is drawn after the run: `run.predict(&model)?.draws(\"next\")?`"
    );
    assert!(matches!(
        run.mean("weight"),
        Err(RunError::UnknownName { .. })
    ));
    let summary = prediction.summary().expect("there is memory");
    assert_eq!(summary.rows.len(), 1 + 14);
    assert_eq!(
        (summary.rows[0].name.as_str(), summary.rows[0].data),
        ("y[0]", Some(2.0))
    );
    let row = summary.row("counts[2,1]").expect("three rows of two");
    let draws = prediction.draws("counts").expect("it is generated");
    assert!((row.mean.mean - draws.mean()[5]).abs() < 1e-12 && row.data.is_none());
    assert_eq!(row.q95, draws.quantile(0.95).expect("a probability")[5]);
    // independent draws of the posterior would have this error
    let independent = row.sd / 10_000f64.sqrt();
    assert!(row.mean.se > 0.7 * independent && row.mean.se < 2.0 * independent);
}

#[test]
fn draws_have_the_predictive_distribution() {
    let model = mean_and_more(&[2.0], &WEIGHTS);
    let run = nuts().run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    let column = |name: &str, i: usize| -> Vec<f64> {
        let draws = prediction.draws(name).expect("it is generated");
        draws.rows().map(|row| row[i]).collect()
    };
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let of = |f: &dyn Fn(usize) -> f64| average(&(0..10_000).map(f).collect::<Vec<_>>());
    let (next, found) = (column("next", 0), column("found", 0));
    // mu | y is N(1, 1/2): next is N(1, 3/2), found N(2, 10), their covariance 3; errors of some 10,000 draws
    assert!((average(&next) - 1.0).abs() < 0.06 && (average(&found) - 2.0).abs() < 0.15);
    let variance = of(&|i| (next[i] - 1.0).powi(2));
    assert!((variance - 1.5).abs() < 0.1, "{variance}");
    let covariance = of(&|i| (next[i] - 1.0) * (found[i] - 2.0));
    assert!((covariance - 3.0).abs() < 0.25, "{covariance}");
    // E exp(mu) = exp(1 + 1/4)
    let count = average(&column("count", 2));
    assert!(
        (count / (2.0 * 1.25f64.exp()) - 1.0).abs() < 0.06,
        "{count}"
    );
    let path = column("path", 2);
    // a step from `next` to each of three elements
    let variance = of(&|i| (path[i] - next[i]).powi(2));
    assert!((variance - 3.0).abs() < 0.25, "{variance}");
    // draws visited one by one are the same
    let mut visited = Vec::new();
    prediction.for_each_draw(|draw| visited.push(draw.scalar("found")));
    assert_eq!(visited, found);
}

#[test]
fn the_run_is_that_of_the_model_without_them() {
    let alone = nuts().run(&mean(&[2.0])).expect("the model is sound");
    let model = mean_and_more(&[2.0], &WEIGHTS);
    let run = nuts().run(&model).expect("the model is sound");
    let draws = |run: &Run| {
        run.groups
            .iter()
            .flat_map(|g| g.draws.clone())
            .collect::<Vec<f64>>()
    };
    assert_eq!(draws(&run), draws(&alone));
    assert_eq!(run.layout, alone.layout);
    let operations = |text: String| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains("operations"));
        lines.map(str::to_owned).collect()
    };
    let checked = |text: Result<bayes::inspect::CheckReport, bayes::Error>| {
        operations(text.expect("the model is sound").to_string())
    };
    let (with, without) = (
        checked(model.check(Check::new())),
        checked(mean(&[2.0]).check(Check::new())),
    );
    assert!(!with.is_empty());
    assert_eq!(with, without);
}

#[test]
fn the_prior_and_other_data_generate_too() {
    let model = mean_and_more(&[2.0], &WEIGHTS[..1]);
    let prior = prior_predictive(model, 4000).expect("the prior is proper");
    let next = prior.draws("next").expect("it is generated");
    // N(0, 2)
    let square = next.rows().map(|row| row[0].powi(2)).sum::<f64>() / 4000.0;
    assert!((square - 2.0).abs() < 0.2, "{square}");
    let run = nuts().run(&mean(&[2.0])).expect("the model is sound");
    // the run needs the random quantities of the model, but not its generated quantities
    let prediction = run.predict(model).expect("the same quantities");
    assert_eq!(
        prediction.draws("count").expect("it is generated").elements,
        1
    );
    let error = prediction.draws("mu").expect_err("it is not predicted");
    assert!(
        error
            .to_string()
            .contains("`mu`, which is a quantity of the run: `run.draws(\"mu\")`"),
        "{error}"
    );
    let error = prediction.draws("counted").expect_err("no such name");
    let text = error.to_string();
    assert!(text.contains("did you mean `count"), "{text}");
    assert!(
        text.contains(
            "it observes `y`, and draws `next`, `found`, `counts`, `count`, `path` after the run"
        ),
        "{text}"
    );
}

#[model]
fn unobserved() {
    let mu = sample(Normal::new(0.0, 1.0));
    factor(-0.5 * mu * mu);
    let next = generate(Normal::new(mu, 0.1));
}

#[test]
fn nothing_need_be_observed() {
    let model = unobserved();
    let run = nuts().draws(500).run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("it generates");
    assert_eq!(
        prediction.draws("next").expect("it is generated").elements,
        1
    );
    let text = prediction
        .log_likelihood()
        .expect_err("no data")
        .to_string();
    assert!(text.contains("it observes nothing"), "{text}");
}

#[function]
fn shifted(x: Real) -> Real {
    x + 1.0
}

/// NaN would be lost in the smaller of two numbers.
#[function]
fn smaller(x: Real) -> Real {
    x.min(0.3)
}

#[model]
fn through_a_function(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next = generate(Normal::new(mu, 1.0));
    let mut centre: Real = mu;
    centre += shifted(next);
    observe(y, Normal::new(centre, 1.0));
}

#[model]
fn through_a_minimum(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next = generate(Normal::new(mu, 1.0));
    let mut centre: Real = mu;
    centre += smaller(next);
    observe(y, Normal::new(centre, 1.0));
}

#[model]
fn kept(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next = generate(Normal::new(mu, 1.0));
    let mut centre: Real = mu;
    centre += next;
    let shifted = deterministic(centre);
    observe(y, Normal::new(mu, 1.0));
}

#[model]
fn as_a_prior(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let next = generate(Normal::new(mu, 1.0));
    let mut centre: Real = mu;
    centre += next;
    let other = sample(Normal::new(centre, 1.0));
    observe(y, Normal::new(other, 1.0));
}

#[test]
fn a_value_that_reaches_another_statement_unseen_is_an_error() {
    let refused = |error: Result<Run, bayes::Error>, statement: &str| {
        let text = error.expect_err("it depends on it").to_string();
        let wanted =
            "it depends on what a `generate` statement draws, which exists after the run only";
        assert!(text.contains(wanted) && text.contains(statement), "{text}");
    };
    refused(nuts().run(&through_a_function(&[1.0])), "`y` in `observe");
    refused(nuts().run(&through_a_minimum(&[1.0])), "`y` in `observe");
    refused(nuts().run(&kept(&[1.0])), "`shifted` in `let shifted");
    refused(nuts().run(&as_a_prior(&[1.0])), "`other` in `let other");
}

/// Lengths and closure arguments are not values of the quantity.
#[model]
fn sound(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let path = generate(Normal::new(mu, 1.0).iid(3));
    let mut total: Real = Real::from(0.0);
    for i in 0..path.len() {
        total += mu * i as f64;
    }
    // NaN at some prior draws, which is allowed here
    let root = deterministic(mu.sqrt());
    let sum: Real = y.iter().map(|path| *path * mu).sum();
    factor(-0.01 * sum.square());
    observe(y, Normal::new(total, 1.0));
}

#[test]
fn sound_models_are_not_refused() {
    let run = nuts().draws(50).run(&sound(&[1.0]));
    assert_eq!(run.expect("it is sound").layout.names(), ["mu", "root"]);
}

#[test]
fn what_cannot_be_drawn_is_named() {
    #[model]
    fn flat(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
        let anything = generate(Flat::new());
    }
    let text = nuts()
        .run(&flat(&[1.0]))
        .expect_err("no such draw")
        .to_string();
    assert!(
        text.contains("its prior is improper, but `generate` draws from it"),
        "{text}"
    );
    #[model]
    fn negative(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
        let next = generate(Normal::new(mu, -1.0));
    }
    let text = nuts()
        .run(&negative(&[1.0]))
        .expect_err("no such draw")
        .to_string();
    assert!(text.contains("parameter `sd` is -1"), "{text}");
    // the quantity is not data, which the method needs
    let model = mean_and_more(&[2.0], &WEIGHTS);
    let run = nuts().draws(50).run(&model).expect("the model is sound");
    let error = run
        .loo_pit(&model, "next")
        .expect_err("nothing is observed");
    assert!(
        error.to_string().contains("does not observe `next`"),
        "{error}"
    );
    let prediction = run.predict(model).expect("the same model");
    assert!(bayes::plot::predictive(&prediction, "next").is_err());
}

#[model]
fn learnt(#[rows] y: &[f64]) {
    let mu = param(Normal::new(0.0, 1.0));
    let z = sample(Normal::new(mu, 1.0));
    observe(y, Normal::new(z, 1.0));
    let next = generate(Normal::new(z, 1.0));
}

#[test]
fn params_rows_and_graphs_know_it() {
    let whole = learnt(&[0.0, 1.0, 2.0]);
    let fixed = whole.with_params(&[("mu", &[0.5])]).expect("it has mu");
    let run = nuts().draws(100).run(&fixed).expect("all is sampled");
    let draws = |prediction: Result<bayes::predict::Prediction<'_>, bayes::Error>| {
        prediction
            .and_then(|p| p.draws("next"))
            .expect("it is generated")
    };
    assert_eq!(draws(run.predict(&fixed)).rows().count(), 400);
    let part = fixed.subset(&[1]).expect("a row");
    assert_eq!(draws(prior_predictive(&part, 7)).rows().count(), 7);
    let graph = whole.graph().expect("the model is sound");
    let dot = graph.dot();
    assert!(dot.contains("style=dotted"), "{dot}");
    assert!(graph.svg().contains(r#"stroke-dasharray="1.5 3""#));
}
