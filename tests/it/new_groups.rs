//! Predictions for other groups than in the run: fewer, in another order, or new ones.

use bayes::Error;
use bayes::predict::{Prediction, PredictionError};
use bayes::prelude::*;

const BUILDINGS: [&str; 5] = ["Abbey", "Barn", "Castle", "Dairy", "Elm"];
/// The building of each row.
const OF_ROW: [usize; 10] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4];
const Y: [f64; 10] = [1.0, 1.2, 3.0, 2.8, 5.1, 4.9, 7.0, 7.2, 9.0, 8.8];

/// Effects of buildings in the non-centred form.
#[model]
fn counts(building: &[&str], of_row: &[usize], y: &[f64]) {
    let mu = sample(Normal::new(5.0, 3.0));
    let tau = sample(HalfNormal::new(3.0));
    #[dims(building)]
    let z = sample(Normal::new(0.0, 1.0).iid(building.len()));
    let sigma = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu + tau * z[of_row[i]], sigma));
    }
}

fn nuts() -> bayes::engine::Chains<Nuts> {
    Inference::nuts()
        .draws(200)
        .chains(2)
        .seed(1)
        .progress(false)
}

fn run() -> Run {
    let run = nuts().run(&counts(&BUILDINGS, &OF_ROW, &Y));
    run.expect("the model is sound")
}

fn terms(prediction: &Prediction<'_>) -> Vec<Vec<f64>> {
    let terms = prediction.log_likelihood().expect("the data are possible");
    terms.rows().map(<[f64]>::to_vec).collect()
}

/// Asserts that the log likelihoods of `rows` of the run's data agree with `found`, draw by draw.
fn assert_rows(run: &Run, rows: &[usize], found: &Prediction<'_>) {
    let all = terms(
        &run.predict(counts(&BUILDINGS, &OF_ROW, &Y))
            .expect("the same model"),
    );
    for (all, found) in all.iter().zip(terms(found)) {
        for (row, found) in rows.iter().zip(found) {
            let gap = (all[*row] - found).abs();
            assert!(gap < 1e-9 * (1.0 + found.abs()), "row {row}: {gap}");
        }
    }
}

#[test]
fn some_groups_in_another_order_are_found_by_name() {
    let run = run();
    let some = counts(
        &["Elm", "Barn", "Abbey"],
        &[0, 1, 2, 1],
        &[9.0, 3.0, 1.2, 2.8],
    );
    let found = run.predict(some).expect("they are in the run");
    assert_rows(&run, &[8, 2, 1, 3], &found);
    // a single group
    let one = counts(&["Dairy"], &[0], &[7.2]);
    assert_rows(&run, &[7], &run.predict(one).expect("it is in the run"));
    // new data follow the groups too: the means of buildings differ by some 2
    let y = found.draws("y").expect("it is observed").mean();
    assert!(
        (y[0] - 8.9).abs() < 0.5 && (y[1] - 2.9).abs() < 0.5,
        "{y:?}"
    );
    let refused = run.p_value(&some, "y", |_, y| y[0]);
    let refused = refused.expect_err("rows of the run alone").to_string();
    assert!(refused.contains("observes other values"), "{refused}");
    // all groups in another order: estimates for the run's own data
    let mut turned = BUILDINGS;
    turned.reverse();
    let of_row = OF_ROW.map(|i| 4 - i);
    let again = counts(&turned, &of_row, &Y);
    let loo = run.loo(&again).expect("the data of the run");
    let own = run
        .loo(&counts(&BUILDINGS, &OF_ROW, &Y))
        .expect("the data of the run");
    assert!((loo.elpd() - own.elpd()).abs() < 1e-9);
}

#[test]
fn groups_that_the_run_has_not_seen_are_named() {
    let run = run();
    let new = ["Fort", "Barn", "Gate", "Hall", "Inn", "Jail", "Keep"];
    let model = counts(&new, &[0, 1], &[0.0, 0.0]);
    let error = run.predict(model).expect_err("six are new");
    let Error::Prediction {
        source: PredictionError::NewPlaces { places, .. },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(places.len(), 6);
    assert_eq!(
        error.to_string(),
        "prediction of `counts`: `z`: the run has no `Fort`, `Gate`, `Hall`, `Inn`, `Jail` and 1 more along `building`; leave out their rows, or draw \
         them from their prior given each draw's other quantities, `run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line"
    );
}

/// [`counts`] with another name for its buildings.
#[model]
fn houses(house: &[&str], of_row: &[usize], y: &[f64]) {
    let mu = sample(Normal::new(5.0, 3.0));
    let tau = sample(HalfNormal::new(3.0));
    #[dims(house)]
    let z = sample(Normal::new(0.0, 1.0).iid(house.len()));
    let sigma = sample(HalfNormal::new(1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu + tau * z[of_row[i]], sigma));
    }
}

/// Seen to fail: elements matched by position, which gave each house the draws of another one.
#[test]
fn a_dimension_of_another_name_has_the_same_places_or_is_refused() {
    let run = run();
    let places = &run.layout.variables[2].dims[0].places;
    let names: Vec<&str> = places.iter().map(String::as_str).collect();
    let rows: Vec<usize> = (0..names.len()).collect();
    let unknown = vec![f64::NAN; names.len()];
    let same = run.predict(houses(&names, &rows, &unknown));
    same.expect("the same places");
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    let error = run.predict(houses(&reversed, &rows, &unknown));
    let error = error.expect_err("other places").to_string();
    assert!(error.contains("along `building` in the run"), "{error}");
    assert!(error.contains("along `house` in the model"), "{error}");
}

#[test]
fn new_groups_are_drawn_from_their_prior_given_the_draw() {
    let run = run();
    // two rows of a new building, one of a known one
    let model = counts(&["New", "Castle"], &[0, 0, 1], &[f64::NAN; 3]);
    let found = run.predict_with(model, NewGroups::Draw).expect("drawn");
    let y = found.draws("y").expect("it is observed");
    let [mu, tau, sigma, z] = ["mu", "tau", "sigma", "z"].map(|name| run.draws(name).expect(name));
    let (mut between, mut within, mut scores) = (0.0, 0.0, 0.0);
    let rows: Vec<&[f64]> = y.rows().collect();
    for (i, row) in rows.iter().enumerate() {
        let [mu, tau, sigma] = [&mu, &tau, &sigma].map(|draws| draws.values[i]);
        // exact distributions given the draw: both have mean 1
        scores += (row[0] - mu).powi(2) / (tau * tau + sigma * sigma);
        within += (row[0] - row[1]).powi(2) / (2.0 * sigma * sigma);
        let z = z.values[5 * i + 2];
        between += (row[2] - mu - tau * z).powi(2) / (sigma * sigma);
    }
    let n = rows.len() as f64;
    // the sd of a mean of n squares of standard normal numbers is sqrt(2 / n) = 0.07
    for mean in [scores / n, within / n, between / n] {
        assert!((mean - 1.0).abs() < 0.28, "{mean}");
    }
    // the same seed, the same draws
    let again = run.predict_with(model, NewGroups::Draw).expect("drawn");
    assert_eq!(again.draws("y").expect("it is observed"), y);
    // without new groups it equals `predict`
    let known = counts(&BUILDINGS, &OF_ROW, &Y);
    let [all, same] = [run.predict_with(known, NewGroups::Draw), run.predict(known)]
        .map(|found| found.and_then(|found| found.draws("y")).expect("known"));
    assert_eq!(all, same);
}

/// Answers by two dimensions, one element at a time, in loops.
#[model]
fn answers(person: &[&str], question: &[&str], y: &DMatrix<f64>) {
    for i in 0..person.len() {
        #[dims(person, question)]
        let skill = sample(Normal::new(0.0, 2.0).iid(question.len()));
        for j in 0..question.len() {
            observe(y[(i, j)], Normal::new(&skill[j], 0.1));
        }
    }
}

#[test]
fn both_dimensions_of_a_matrix_are_found_by_name_and_a_loop_may_run_once() {
    let y = DMatrix::from_fn(3, 2, |i, j| (10 * i + j) as f64 / 10.0);
    let run = nuts().run(&answers(&["ann", "bob", "eve"], &["a", "b"], &y));
    let run = run.expect("the model is sound");
    let mean = |person: &[&str], question: &[&str]| {
        let unknown = DMatrix::from_element(person.len(), question.len(), f64::NAN);
        let found = run.predict(answers(person, question, &unknown));
        found
            .and_then(|found| found.draws("y"))
            .expect("they are in the run")
            .mean()
    };
    let found = mean(&["eve", "ann"], &["b", "a"]);
    for (found, wanted) in found.iter().zip([2.1, 2.0, 0.1, 0.0]) {
        assert!((found - wanted).abs() < 0.06, "{found} and not {wanted}");
    }
    let found = mean(&["bob"], &["b", "a"]);
    for (found, wanted) in found.iter().zip([1.1, 1.0]) {
        assert!((found - wanted).abs() < 0.06, "{found} and not {wanted}");
    }
}

/// Predictors with missing values, and an effect for each group.
#[model]
fn imputed(x: &[f64], missing: &[usize], groups: usize, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0));
    let x_missing = sample(Normal::new(0.0, 1.0).iid(missing.len()));
    for _ in 0..groups {
        let _offset = sample(Normal::new(0.0, 1.0));
    }
    let mut all = Vector::from_fn(x.len(), |i| Real::from(x[i]));
    for (k, i) in missing.iter().enumerate() {
        all[*i] = x_missing[k];
    }
    observe(y, Normal::new(all * beta, 0.5));
}

#[test]
fn a_quantity_without_elements_is_no_mistake_where_a_model_is_only_predicted() {
    let model = imputed(&[1.0, f64::NAN, 3.0], &[1], 2, &[1.0, 2.0, 3.0]);
    let run = nuts().run(&model).expect("the model is sound");
    let new = imputed(&[2.0, 4.0], &[], 0, &[f64::NAN; 2]);
    let y = run.predict(new).and_then(|found| found.draws("y"));
    let mean = y.expect("nothing is missing").mean();
    let beta = run.draws("beta").expect("it is there").mean()[0];
    assert!((mean[1] - 4.0 * beta).abs() < 0.15, "{mean:?}");
    // a run needs data
    let error = nuts().run(&new).expect_err("nothing is observed");
    assert!(error.to_string().contains("index 0 is NaN"), "{error}");
    // without names the elements cannot be identified
    let two = imputed(&[1.0, f64::NAN, f64::NAN], &[1, 2], 2, &[1.0, 2.0, 3.0]);
    let error = run.predict(two).expect_err("two are missing").to_string();
    let wanted = "`x_missing` is a vector of 1 in the run and a vector of 2 in the model; elements of groups are found by name";
    assert!(error.contains(wanted), "{error}");
}

#[test]
fn no_rows_are_refused_in_words() {
    let run = run();
    let none = counts(&BUILDINGS, &[], &[]);
    let error = run
        .predict(none)
        .expect_err("there are no rows")
        .to_string();
    assert_eq!(
        error,
        "prediction of `counts`: `y` has no elements, so there is nothing to predict; give the model at least one row"
    );
}

/// Values of groups that are drawn together, and shares of a whole.
#[model]
fn together(group: &[&str], part: &[&str], y: &[f64]) {
    let n = group.len();
    let covariance = DMatrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.5 });
    #[dims(group)]
    let f = sample(MultivariateNormal::new(vec![0.0; n], covariance));
    #[dims(part)]
    let share = sample(Dirichlet::new(vec![2.0; part.len()]));
    let mean = f[0] + share[0];
    observe(y, Normal::new(mean, 0.1));
}

#[test]
fn elements_that_are_drawn_together_are_not_drawn_apart() {
    let [groups, parts] = [["a", "b", "c"], ["p", "q", "r"]];
    let run = nuts()
        .run(&together(&groups, &parts, &[1.0]))
        .expect("the model is sound");
    let first = |group: &[&str], part: &[&str]| {
        let found = run.predict_with(together(group, part, &[f64::NAN]), NewGroups::Draw);
        found
            .and_then(|found| found.draws("y"))
            .map(|y| y.mean()[0])
    };
    // some of them, or all of them in another order
    let f = run.draws("f").expect("it is there").mean();
    let share = run.draws("share").expect("it is there").mean();
    let found = first(&["c", "a"], &["q", "p", "r"]).expect("both are in the run");
    assert!((found - f[2] - share[1]).abs() < 0.05, "{found}");
    let error = first(&["a", "d"], &parts)
        .expect_err("d is new")
        .to_string();
    assert!(
        error.contains(
            "draws the elements of `f` together, so that nothing is drawn for new places"
        ),
        "{error}"
    );
    let error = first(&groups, &["p", "q"])
        .expect_err("no whole")
        .to_string();
    assert!(
        error.contains("draws the elements of `share` together, so that a part of them"),
        "{error}"
    );
    // with only new groups it is a new quantity
    assert!(first(&["x", "y"], &parts).is_ok());
}

#[model]
fn sites(site: &[&str], y: &[f64]) {
    #[dims(site)]
    let z = sample(Normal::new(0.0, 10.0).iid(3));
    for i in 0..y.len() {
        observe(y[i], Normal::new(z[i % 3], 0.1));
    }
}

/// Otherwise a prediction would match the groups by position.
#[test]
fn names_that_do_not_fit_are_refused_in_predictions_too() {
    let y = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
    let run = Inference::nuts()
        .draws(20)
        .burn_in(20)
        .seed(1)
        .progress(false)
        .run(&sites(&["a", "b", "c"], &y));
    let run = run.expect("the names fit");
    for (names, reason) in [
        (&["c", "b"][..], "`site` has 2 places for 3 elements"),
        (&["c", "b", "b"], "`b` is there twice along `site`"),
        (&["a", "b", "c", "d"], "`site` has 4 places for 3 elements"),
    ] {
        let error = run.predict(sites(names, &y)).expect_err("they do not fit");
        assert!(error.to_string().contains(reason), "{error}");
    }
    run.predict(sites(&["c", "b", "a"], &y))
        .expect("in another order");
}
