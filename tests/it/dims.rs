//! `#[dims(..)]`: the names of dimensions and of the elements along them, in the model.

use bayes::prelude::*;

const NAMES: [&str; 3] = ["Choate", "Deerfield", "Exeter"];

#[model]
fn schools(school: &[&str], effect: &[f64], error: &[f64], first: i32) {
    let mu = sample(Normal::new(0.0, 5.0));
    #[dims(school)]
    let theta = sample(Normal::new(mu, 5.0).iid(effect.len()));
    #[dims(school)]
    observe(effect, Normal::new(&theta, error));
    for _ in 0..2 {
        #[dims(year = first..first + 2, school)]
        let trend = deterministic(&theta * 2.0);
    }
    #[dims(school)]
    let again = generate(Normal::new(&theta, error));
}

#[model]
fn unnamed(effect: &[f64], error: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let theta = sample(Normal::new(mu, 5.0).iid(effect.len()));
    observe(effect, Normal::new(&theta, error));
}

fn model() -> schools<'static, 'static, 'static, 'static> {
    schools(&NAMES, &[28.0, 8.0, -3.0], &[15.0, 10.0, 16.0], 1999)
}

fn nuts() -> bayes::engine::Chains<Nuts> {
    Inference::nuts().draws(50).seed(1).progress(false)
}

#[test]
fn elements_are_called_by_their_places() {
    let model = model();
    let run = nuts().run(&model).expect("the model is sound");
    let names = run.layout.element_names();
    assert_eq!(names[..3], ["mu", "theta[Choate]", "theta[Deerfield]"]);
    assert_eq!(names[4], "trend[1999,Choate]");
    assert!(run.to_string().contains("theta[Exeter]"));
    let prediction = run.predict(model).expect("the same model");
    let observed = &prediction.observed()[0];
    assert_eq!(
        (observed.dims[0].name.as_str(), &observed.dims[0].places[..]),
        ("school", &NAMES.map(str::to_owned)[..])
    );
    assert_eq!(prediction.generated()[0].dims, observed.dims);
    // names do not affect the sampler
    let plain = nuts().run(&model).expect("the model is sound");
    let without = nuts().run(&unnamed(&[28.0, 8.0, -3.0], &[15.0, 10.0, 16.0]));
    let without = without.expect("the model is sound").groups[0]
        .positions
        .clone();
    assert_eq!(without, run.groups[0].positions);
    // and a run may get other names
    let other = plain.with_dims("theta", [("house", ["a", "b", "c"])]);
    assert_eq!(
        other.expect("three places").layout.element_names()[1],
        "theta[a]"
    );
}

#[test]
fn parts_of_a_run_and_fits_keep_them() {
    let part = |i| {
        nuts()
            .chains(32)
            .shard(i, 2)
            .run(&model())
            .expect("the model is sound")
    };
    let run = Run::merge([part(0), part(1)]).expect("the parts of one run");
    assert_eq!(run.layout.element_names()[1], "theta[Choate]");
    let fit = Inference::map().run(&model()).expect("the model is sound");
    assert!(fit.to_string().contains("theta[Choate]"), "{fit}");
}

#[test]
fn places_that_do_not_fit_are_errors_before_sampling() {
    let refused = |school: &[&str], effect: &[f64]| {
        let error = vec![10.0; effect.len()];
        let model = schools(school, effect, &error, 1999);
        nuts()
            .run(&model)
            .expect_err("places do not fit")
            .to_string()
    };
    let text = refused(&NAMES, &[1.0, 2.0]);
    for name in ["theta", "effect", "trend", "again"] {
        assert!(text.contains(&format!("`{name}` in ")), "{text}");
    }
    assert!(
        text.contains("its `#[dims(..)]` do not fit: `school` has 3 places for 2 elements"),
        "{text}"
    );
    let text = refused(&["a", "b", "a"], &[1.0, 2.0, 3.0]);
    assert!(text.contains("`a` is there twice along `school`"), "{text}");
}

/// Names that are rows, in a struct held by value.
#[model]
fn rows(#[rows] name: Vec<f64>, #[rows] y: &[f64], groups: Vec<String>) {
    #[dims(group = groups)]
    let mu = sample(Normal::new(0.0, 1.0).iid(groups.len()));
    let centre: Real = mu.iter().sum();
    #[dims(name)]
    let fitted = deterministic(Vector::from_fn(y.len(), |i| centre * y[i]));
    observe(y, Normal::new(centre, 1.0));
}

#[test]
fn a_part_of_the_rows_keeps_the_names_of_all_else() {
    let groups = vec!["a".to_owned(), "b".to_owned()];
    let model = rows(vec![10.0, 20.0, 30.0], &[1.0, 2.0, 3.0], groups);
    let run = nuts().run(&model).expect("the model is sound");
    assert_eq!(
        run.layout.element_names(),
        ["mu[a]", "mu[b]", "fitted[10]", "fitted[20]", "fitted[30]"]
    );
    let part = model.subset(&[0, 2]).expect("two rows");
    let run = nuts().run(&part).expect("the model is sound");
    assert_eq!(
        run.layout.element_names(),
        ["mu[a]", "mu[b]", "fitted[0]", "fitted[1]"]
    );
}

#[model]
fn cases(id: &[&str], y: &[f64], is_large: &[bool]) {
    let mu = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        if is_large[i] {
            #[dims(id)]
            observe(y[i], Normal::new(mu, 3.0));
        } else {
            observe(y[i], Normal::new(mu, 1.0));
        }
        #[dims(id)]
        let shifted = deterministic(mu + y[i]);
        #[dims(id)]
        let again = generate(Normal::new(mu, 1.0));
    }
}

#[test]
fn statements_of_one_name_are_one_variable() {
    let model = cases(&["a", "b", "c"], &[0.1, 5.0, 0.2], &[false, true, false]);
    let run = nuts()
        .run(&model)
        .expect("three places for three observations");
    let prediction = run.predict(model).expect("the same model");
    assert_eq!(prediction.observed()[0].dims[0].places, ["a", "b", "c"]);
    let terms = prediction.log_likelihood().expect("the data are possible");
    assert_eq!(terms.name(1), "y[b]");
    let loo = run.loo(&model).expect("the data are possible");
    assert_eq!(loo.names, ["y[a]", "y[b]", "y[c]"]);
    // a loop that ran once makes a scalar without dimensions
    let one = cases(&["a"], &[0.1], &[false]);
    let run = nuts().run(&one).expect("one place for one observation");
    assert_eq!(run.layout.element_names(), ["mu", "shifted"]);
}

#[model]
fn two_surveys(old: &[&str], new: &[&str], y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    #[dims(school = old)]
    observe(y, Normal::new(mu, 1.0));
    #[dims(school = new)]
    let next = generate(Normal::new(mu, 1.0).iid(new.len()));
}

#[model]
fn reserved(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.0));
    #[dims(chain = 0..4)]
    let next = generate(Normal::new(mu, 1.0).iid(4));
}

#[test]
fn a_dimension_has_the_same_places_everywhere() {
    let error = nuts().run(&two_surveys(&["a", "b"], &["c", "d"], &[0.0, 1.0]));
    let text = error.expect_err("school is two things").to_string();
    assert!(
        text.contains("`next` in ") && text.contains("`y` has other places along `school`"),
        "{text}"
    );
    let text = nuts()
        .run(&reserved(&[0.0]))
        .expect_err("every draw has a chain")
        .to_string();
    assert!(
        text.contains("`chain` is the name of a quantity, or of a dimension that all draws have"),
        "{text}"
    );
}

/// The names are not marked `#[rows]`.
#[model]
fn unmarked(name: &[&str], #[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    #[dims(name)]
    observe(y, Normal::new(mu, 1.0));
}

#[test]
fn names_of_the_whole_do_not_stop_its_parts() {
    let model = unmarked(&["a", "b", "c"], &[0.0, 1.0, 2.0]);
    let loo = k_fold(&model, 3, 1, |part| nuts().run(part)).expect("three folds");
    assert_eq!(loo.names, ["y[a]", "y[b]", "y[c]"]);
    let params = model.with_params(&[]).expect("no params");
    let run = nuts().run(&params).expect("the model is sound");
    let prediction = run.predict(&params).expect("the same model");
    assert_eq!(prediction.observed()[0].dims[0].name, "name");
}

#[test]
fn runs_of_models_with_and_without_names_are_merged() {
    let named = nuts().chains(32).shard(0, 2).run(&model());
    let mut other = nuts()
        .chains(32)
        .shard(1, 2)
        .run(&model())
        .expect("the model is sound");
    for variable in &mut other.layout.variables {
        variable.dims.clear();
    }
    let run = Run::merge([named.expect("the model is sound"), other]);
    assert_eq!(run.expect("the same numbers").groups.len(), 32);
}

#[test]
fn predictions_are_of_the_groups_of_the_run() {
    let run = nuts().run(&model()).expect("the model is sound");
    let mut turned = NAMES;
    turned.reverse();
    let other = schools(&turned, &[-3.0, 8.0, 28.0], &[16.0, 10.0, 15.0], 1999);
    let terms = |run: &Run, model| {
        let terms = run.predict(model).and_then(|found| found.log_likelihood());
        terms.expect("the data are possible").values
    };
    // the terms of a draw are the run's terms in the other order
    let found = terms(&run, other);
    let own = terms(&run, model());
    for (found, own) in found.chunks(3).zip(own.chunks(3)) {
        let wanted = [own[2], own[1], own[0]];
        let gap = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
        assert!(
            gap.fold(0.0, f64::max) < 1e-12,
            "{found:?} and not {wanted:?}"
        );
    }
    // a dimension with another name in the run is the same one if its elements have the same names
    let named = |places| {
        let named = run.clone().with_dims("theta", [("house", places)]);
        named.expect("three places")
    };
    assert_eq!(terms(&named(NAMES), model()), own);
    let other = named(["a", "b", "c"]);
    let error = other.predict(model()).expect_err("no name is known");
    let error = error.to_string();
    assert!(error.contains("along `house` in the run"), "{error}");
}

/// Answers of two persons to three questions, whose data are named by both indices.
#[model]
fn answers(y: &DMatrix<f64>, by_question: bool) {
    let mu = sample(Normal::new(0.0, 1.0));
    if by_question {
        for j in 0..y.ncols() {
            for i in 0..y.nrows() {
                observe(y[(i, j)], Normal::new(mu, 1.0));
            }
        }
    } else {
        for i in 0..y.nrows() {
            for j in 0..y.ncols() {
                observe(y[(i, j)], Normal::new(mu, 1.0));
            }
        }
    }
}

#[model]
fn ragged(y: &[Vec<f64>]) {
    let mu = sample(Normal::new(0.0, 1.0));
    for (i, mine) in y.iter().enumerate() {
        for (j, _) in mine.iter().enumerate() {
            observe(y[i][j], Normal::new(mu, 1.0));
        }
    }
}

#[test]
fn elements_in_nested_loops_are_called_by_their_indices() {
    let y = DMatrix::from_row_slice(2, 3, &[0.0, 0.1, 0.2, 1.0, 1.1, 1.2]);
    let rows = answers(&y, false);
    let run = nuts().run(&rows).expect("the model is sound");
    let wanted = ["y[0,0]", "y[0,1]", "y[0,2]", "y[1,0]", "y[1,1]", "y[1,2]"];
    assert_eq!(run.loo(&rows).expect("the data are possible").names, wanted);
    let prediction = run.predict(rows).expect("the same model");
    let summary = prediction.summary().expect("there is memory");
    let data: Vec<f64> = wanted
        .iter()
        .filter_map(|name| summary.row(name)?.data)
        .collect();
    assert_eq!(data, [0.0, 0.1, 0.2, 1.0, 1.1, 1.2]);
    // in the order of execution if it differs
    let columns = answers(&y, true);
    let run = nuts().run(&columns).expect("the model is sound");
    let terms = run.predict(columns).and_then(|p| p.log_likelihood());
    assert_eq!(terms.expect("the data are possible").name(1), "y[1,0]");
    let summary = run.predict(columns).expect("the same model").summary();
    let summary = summary.expect("there is memory");
    assert_eq!(summary.row("y[1,0]").and_then(|row| row.data), Some(1.0));
    // rows of different lengths
    let y = [vec![0.5], vec![1.0, 1.5]];
    let ragged = ragged(&y);
    let run = nuts().run(&ragged).expect("the model is sound");
    let names = run.loo(&ragged).expect("the data are possible").names;
    assert_eq!(names, ["y[0,0]", "y[1,0]", "y[1,1]"]);
}

#[model]
fn named_answers(person: &[&str], question: &[&str], y: &DMatrix<f64>, flat: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    for j in 0..y.ncols() {
        for i in 0..y.nrows() {
            #[dims(person, question)]
            observe(y[(i, j)], Normal::new(mu, 1.0));
        }
    }
    for i in 0..y.nrows() {
        for j in 0..y.ncols() {
            // indices that are not loop counters: the dimensions belong to the loops
            #[dims(person, question)]
            observe(flat[3 * i + j], Normal::new(mu, 1.0));
            #[dims(person, question)]
            let again = generate(Normal::new(mu, 1.0));
        }
    }
}

#[test]
fn elements_in_nested_loops_are_called_by_the_places_of_both() {
    let y = DMatrix::from_row_slice(2, 3, &[0.0, 0.1, 0.2, 1.0, 1.1, 1.2]);
    let flat = [0.0, 0.1, 0.2, 1.0, 1.1, 1.2];
    let model = named_answers(&["ann", "bob"], &["a", "b", "c"], &y, &flat);
    let run = nuts().run(&model).expect("two dimensions of six elements");
    let prediction = run.predict(model).expect("the same model");
    let summary = prediction.summary().expect("there is memory");
    for name in ["y", "flat"] {
        let row = summary.row(&format!("{name}[bob,a]"));
        assert_eq!(row.and_then(|row| row.data), Some(1.0), "{summary}");
    }
    assert!(summary.row("again[bob,c]").is_some(), "{summary}");
    let terms = prediction.log_likelihood().expect("the data are possible");
    assert_eq!([terms.name(1), terms.name(7)], ["y[bob,a]", "flat[ann,b]"]);
    let three = ["ann", "bob", "eve"];
    let error = nuts().run(&named_answers(&three, &["a", "b", "c"], &y, &flat));
    let text = error.expect_err("nine places").to_string();
    assert!(text.contains("it has 1 dimensions, got 2"), "{text}");
}

/// A matrix of answers, each with its own mean, and a Cholesky factor.
#[model]
fn loadings(y: &DMatrix<f64>) {
    let w = sample(Normal::new(0.0, 1.0).iid((y.nrows(), y.ncols())));
    let l = sample(LKJCholesky::new(2, 2.0));
    observe(y, Normal::new(&w, 1.0));
    observe(0.5, Normal::new(l[(1, 0)], 1.0));
}

#[test]
fn pictures_call_elements_of_matrices_by_both_indices() {
    let y = DMatrix::from_row_slice(2, 3, &[0.0, 0.1, 0.2, 1.0, 1.1, 1.2]);
    let model = loadings(&y);
    let run = nuts().draws(100).run(&model);
    let run = run.expect("the model is sound");
    let plots = run.plot();
    let figures = [
        ("trace", plots.trace()),
        ("rank", plots.rank()),
        ("density", plots.density()),
        ("prior", plots.prior(&model)),
        ("forest", plots.forest()),
        ("autocorrelation", plots.autocorrelation()),
        ("ess", plots.ess()),
        ("ess_evolution", plots.ess_evolution()),
        ("pair", run.plot().of(["w[1,2]", "l[1,0]"]).pair()),
    ];
    for (name, figure) in figures {
        let svg = figure.expect(name).svg();
        for element in [">w[1,2]<", ">l[1,0]<"] {
            assert!(svg.contains(element), "{name}: no {element}");
        }
        assert!(!svg.contains(">w[5]<"), "{name}");
    }
    let prediction = run.predict(model).expect("the same model");
    let check = bayes::plot::predictive(&prediction, "y").expect("it observes y");
    let svg = check.svg();
    assert!(svg.contains(">1,2<") && !svg.contains(">5<"), "{svg}");
    assert!(svg.contains(">observation of y, by row and column<"));
    // and by their names, if they have names
    let flat = [0.0, 0.1, 0.2, 1.0, 1.1, 1.2];
    let model = named_answers(&["ann", "bob"], &["a", "b", "c"], &y, &flat);
    let run = nuts().run(&model).expect("two dimensions of six elements");
    let prediction = run.predict(model).expect("the same model");
    // the loops over the data `y` have another order than its dimensions
    let labels = [
        ("y", "observation of y, by row and column"),
        ("flat", "person, question"),
    ];
    for (name, label) in labels {
        let check = bayes::plot::predictive(&prediction, name).expect("it is observed");
        let svg = check.svg();
        assert!(svg.contains(">bob,c<"), "{name}: {svg}");
        assert!(svg.contains(&format!(">{label}<")), "{name}: {svg}");
    }
}
