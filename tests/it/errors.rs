//! Error messages for a model and data that do not fit: variable, statement, line, index, value, allowed values.
//!
//! `{line}` in a wanted text stands for `tests/it/errors.rs` and the line of the only statement with that text.

mod some_draws;

use bayes::autodiff::PlainValue;
use bayes::prelude::*;

#[model]
fn mean(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu, 1.5));
}

#[model]
fn waits(y: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Exponential::new(rate));
    }
}

#[model]
fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(2));
    observe(y, Normal::new(x * &beta, 1.0));
}

#[model]
fn measured(y: &[f64], sigma: &[f64]) {
    let mu = sample(Cauchy::new(0.0, 1.0));
    for j in 0..y.len() {
        observe(y[j], Normal::new(mu, sigma[j]));
    }
}

#[model]
fn groups(number: usize) {
    let effect = sample(Laplace::new(0.0, 1.0).iid(number));
    factor(-effect.dot(&effect));
}

#[model]
fn several(y: &[f64], counts: &[u64], scale: f64) {
    let spread = sample(HalfNormal::new(scale));
    let p = sample(Beta::new(1.0, 1.0));
    observe(y, StudentT::new(4.0, p, spread));
    observe(counts, Binomial::new(3, p));
}

#[model]
fn slope(x: &[f64], y: &[f64]) {
    let beta = sample(StudentT::new(3.0, 0.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(beta * x[i], 0.5));
    }
}

#[model]
fn weight(x: f64) {
    let height = sample(Uniform::new(0.0, 1.0));
    factor(height * x);
}

#[model]
fn impossible(y: &[f64]) {
    let high = sample(Uniform::new(1.0, 2.0));
    observe(y, Uniform::new(0.0, high));
}

/// The error of a run that must not start.
fn refusal<Mo: Model + AllSampled + Differentiable>(model: &Mo) -> String {
    Inference::smc()
        .particles(50)
        .progress(false)
        .run(model)
        .expect_err("the data do not fit")
        .to_string()
}

/// The place of the only statement of this file that ends in `text;`.
fn place(text: &str) -> String {
    place_in("tests/it/errors.rs", include_str!("errors.rs"), text)
}

/// The place of the only statement of a file that ends in `text;`.
fn place_in(file: &str, source: &str, text: &str) -> String {
    let wanted = format!("{text};");
    let lines = source.lines().enumerate();
    let mut found = lines.filter(|(_, line)| line.trim().ends_with(&wanted));
    let (index, _) = found.next().expect("a statement of this file");
    assert!(found.next().is_none(), "`{text}` stands twice in this file");
    format!("{file}:{}", index + 1)
}

/// One problem in the expected format.
fn listed(variable: &str, statement: &str, what: &str) -> String {
    format!(
        "\n  - `{variable}` in `{statement}` ({}): {what}",
        place(statement)
    )
}

fn assert_refused<Mo: Model + AllSampled + Differentiable>(model: &Mo, problems: &[String]) {
    let wanted = format!(
        "the model `{}` cannot be run:{}",
        model.name(),
        problems.concat()
    );
    assert_eq!(refusal(model), wanted);
}

#[test]
fn nan_among_the_observations_is_named_by_its_index() {
    let what = "Normal: observation at index 1 is NaN, must be a finite number; where data are missing, observe the others alone, \
                `if !y[i].is_nan() { observe(y[i], ..) }` in a loop, or sample the missing values, `let y = impute(y, Normal::new(mu, sigma));` (see `Missing values and their imputation` in the documentation)";
    let problem = listed("y", "observe(y, Normal::new(mu, 1.5))", what);
    assert_refused(&mean(&[0.5, f64::NAN, f64::NAN]), &[problem]);
}

#[test]
fn observations_off_the_support_are_named_by_their_turn() {
    let problem = |more: &str| {
        let what = format!(
            "Exponential: observation at index 1 is -2, must be a finite number, at least 0{more}"
        );
        listed("y", "observe(y[i], Exponential::new(rate))", &what)
    };
    assert_refused(&waits(&[0.5, -2.0, 3.0, 0.25]), &[problem("")]);
    assert_refused(
        &waits(&[0.5, -2.0, 3.0, -0.25, -7.0]),
        &[problem(" (and in 2 more iterations)")],
    );
}

#[test]
fn too_few_observations_are_counted_against_the_parameters() {
    let what = "Normal: got 3 observations, must be 4, the length of the parameters";
    let problem = listed("y", "observe(y, Normal::new(x * &beta, 1.0))", what);
    assert_refused(&regression(&DMatrix::zeros(4, 2), &[0.0; 3]), &[problem]);
}

#[test]
fn a_matrix_that_does_not_fit_its_vector_is_reported_with_both_shapes() {
    let what = "shapes do not fit: matrix 4 x 3 times vector of length 2";
    let problem = listed("y", "observe(y, Normal::new(x * &beta, 1.0))", what);
    assert_refused(&regression(&DMatrix::zeros(4, 3), &[0.0; 4]), &[problem]);
}

#[test]
fn an_index_out_of_range_names_the_data_and_the_line() {
    let statement = "observe(y[j], Normal::new(mu, sigma[j]))";
    let what = "index 2 is out of range for `sigma`, which has 2 elements";
    let problem = listed("y", statement, what);
    assert_refused(&measured(&[1.0; 3], &[1.0; 2]), &[problem]);
}

#[test]
fn a_parameter_that_data_make_impossible_is_named_by_its_turn() {
    let what = "Normal: parameter `sd` at index 2 is -1, must be a finite number above 0";
    let problem = listed("y", "observe(y[j], Normal::new(mu, sigma[j]))", what);
    assert_refused(&measured(&[1.0; 3], &[1.0, 2.0, -1.0]), &[problem]);
}

/// Data that are read on a line of its own.
#[model]
fn read_before(x: &[f64], y: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        let mean = slope * x[i];
        observe(y[i], Normal::new(mean, 0.25));
    }
}

/// A product on a line of its own.
#[model]
fn multiplied(x: &DMatrix<f64>, y: &[f64]) {
    let coefficients = sample(Normal::new(0.0, 1.0).iid(2));
    let mean = x * &coefficients;
    observe(y, Normal::new(&mean, 0.75));
}

// The mutation that both detect: the fault is that of the statement before.
#[test]
fn a_fault_between_statements_is_headed_by_the_next_one_if_its_line_is_known() {
    let text = refusal(&read_before(&[1.0; 2], &[1.0; 3]));
    let statement = "observe(y[i], Normal::new(mean, 0.25))";
    let wanted = format!("`y` in `{statement}` ({}): line ", place(statement));
    assert!(text.contains(&wanted), "{text}");
    assert!(text.contains("index 2 is out of range for `x`"), "{text}");

    let what = "after it, before the next statement: shapes do not fit: matrix 4 x 3 times vector of length 2";
    let statement = "let coefficients = sample(Normal::new(0.0, 1.0).iid(2))";
    let problem = listed("coefficients", statement, what);
    assert_refused(&multiplied(&DMatrix::zeros(4, 3), &[0.0; 4]), &[problem]);
}

#[test]
fn a_fault_in_the_model_of_a_prediction_is_that_of_its_own_statement() {
    let run = Inference::nuts()
        .draws(20)
        .progress(false)
        .run(&measured(&[1.0; 3], &[1.0; 3]));
    let run = run.expect("the model is sound");
    let new = measured(&[1.0; 3], &[1.0; 2]);
    let text = run.predict(new).expect_err("a short list").to_string();
    let statement = "observe(y[j], Normal::new(mu, sigma[j]))";
    let problem = listed(
        "y",
        statement,
        "index 2 is out of range for `sigma`, which has 2 elements",
    );
    assert!(text.ends_with(&problem), "{text}");
}

/// The mutation that it detects: the message of a run, whose data are there.
#[test]
fn the_right_length_of_the_data_of_a_prediction_is_named() {
    let x = DMatrix::from_fn(4, 2, |i, k| (i * 2 + k) as f64 / 4.0);
    let run = Inference::nuts()
        .draws(20)
        .progress(false)
        .run(&regression(&x, &[0.5; 4]));
    let run = run.expect("the model is sound");
    let new = regression(&x, &[0.5; 3]);
    let text = run.predict(new).expect_err("a short list").to_string();
    let wanted = "got 3 observations, must be 4, the length of the parameters; to predict new rows give one number for each of them: NaN";
    assert!(text.contains(wanted), "{text}");
}

/// Waits that are missing are left out.
#[model]
fn some_waits(y: &[f64]) {
    let rate = sample(Gamma::new(2.0, 2.0));
    for i in 0..y.len() {
        if !y[i].is_nan() {
            observe(y[i], Exponential::new(2.0 * rate));
        }
    }
}

#[test]
fn observations_behind_missing_ones_keep_their_indices() {
    let what = "Exponential: observation at index 3 is -2, must be a finite number, at least 0";
    let problem = listed("y", "observe(y[i], Exponential::new(2.0 * rate))", what);
    assert_refused(&some_waits(&[0.5, f64::NAN, 3.0, -2.0]), &[problem]);

    let model = some_waits(&[0.5, f64::NAN, 3.0, 0.25]);
    let run = Inference::nuts().draws(50).progress(false).run(&model);
    let run = run.expect("the model is sound");
    let summary = run.predict(model).expect("the same model").summary();
    let summary = summary.expect("there is memory");
    let rows: Vec<(&str, Option<f64>)> = summary
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.data))
        .collect();
    assert_eq!(
        rows,
        [
            ("y[0]", Some(0.5)),
            ("y[2]", Some(3.0)),
            ("y[3]", Some(0.25))
        ]
    );
    // which are missing is no value that a term could read
    assert_eq!(summary.notes, [""; 0]);
    let loo = run.loo(&model).expect("the same model");
    assert_eq!(loo.names, ["y[0]", "y[2]", "y[3]"]);
}

#[test]
fn no_rows_are_no_data() {
    let what = "Normal: got 0 observations, must be at least 1";
    let problem = listed("y", "observe(y, Normal::new(mu, 1.5))", what);
    assert_refused(&mean(&[]), &[problem]);

    let what = "`y` has no rows, so nothing is observed";
    let problem = listed("y", "observe(y[i], Exponential::new(rate))", what);
    assert_refused(&waits(&[]), &[problem]);
}

#[test]
fn a_model_whose_only_random_vector_has_no_elements_is_refused() {
    let problem = listed(
        "effect",
        "let effect = sample(Laplace::new(0.0, 1.0).iid(number))",
        "it has no elements, and neither has any other random quantity, so there is nothing to sample; its size, or the number of turns of its \
         loop, must be at least 1",
    );
    assert_refused(&groups(0), &[problem]);
}

#[test]
fn nan_in_covariates_is_traced_to_the_data_argument() {
    let mut x = DMatrix::zeros(4, 2);
    x[(2, 1)] = f64::NAN;
    let what = "Normal: parameter `mean` at index 2 is NaN, must be a finite number; \
                data `x` is NaN at row 2, column 1";
    let problem = listed("y", "observe(y, Normal::new(x * &beta, 1.0))", what);
    assert_refused(&regression(&x, &[0.0; 4]), &[problem]);

    let what = "Normal: parameter `mean` at index 1 is NaN, must be a finite number; \
                data `x` is NaN at index 1";
    let problem = listed("y", "observe(y[i], Normal::new(beta * x[i], 0.5))", what);
    assert_refused(&slope(&[1.0, f64::NAN, 1.0], &[1.0; 3]), &[problem]);

    let what = "its log density is NaN; data `x` is NaN at its only element";
    let problem = listed("factor", "factor(height * x)", what);
    assert_refused(&weight(f64::NAN), &[problem]);
}

/// `y` under a spread that was never drawn is not a separate problem.
#[test]
fn every_problem_is_listed() {
    let model = several(&[1.0, 2.0], &[1, 5], -1.0);
    assert_refused(
        &model,
        &[
            listed(
                "spread",
                "let spread = sample(HalfNormal::new(scale))",
                "HalfNormal: parameter `scale` is -1, must be a finite number above 0",
            ),
            listed(
                "counts",
                "observe(counts, Binomial::new(3, p))",
                "Binomial: observation at index 1 is 5, must be a whole number from 0 to 3",
            ),
        ],
    );
}

/// A branch hidden from the macro.
fn bent<M: Mode>(x: Real<M>) -> Real<M> {
    if x.plain_value() > 0.0 { x } else { x * 0.1 }
}

#[model]
fn steered(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let slope = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(bent(mu) + slope, 3.5));
}

/// A helper that reads a value indirectly, by printing it.
fn printed<M: Mode>(x: Real<M>) -> f64 {
    if format!("{x:?}").contains('-') {
        0.1
    } else {
        1.0
    }
}

#[model]
fn peeks(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu + printed(mu), 4.5));
}

#[test]
fn control_flow_that_the_macro_does_not_see_is_refused() {
    let found = [
        (
            refusal(&steered(&[1.0])),
            "observe(y, Normal::new(bent(mu) + slope, 3.5))",
        ),
        (
            refusal(&peeks(&[1.0])),
            "observe(y, Normal::new(mu + printed(mu), 4.5))",
        ),
    ];
    for (text, statement) in found {
        let wanted = format!(
            "`y` in `{statement}` ({}): here, or on the lines before the next statement, the model does other operations at one prior draw than at another",
            place(statement)
        );
        assert!(text.contains(&wanted), "{text}");
    }
}

/// A censored distribution hidden from the macro.
#[model]
fn latent() {
    let distributions = [Normal::new(0.0, 1.0).censored(-1.0, 1.0)];
    let _x = sample(distributions[0]);
}

#[test]
fn a_latent_value_is_not_censored() {
    let problem = listed(
        "x",
        "let _x = sample(distributions[0])",
        "cannot sample from a censored distribution: censoring applies to data; to restrict a parameter to an interval \
         write `.truncated(low, high)`",
    );
    assert_refused(&latent(), &[problem]);
}

#[model]
fn sparse(tau: f64, relevant: f64) {
    let scale = sample(HalfCauchy::new(Horseshoe::global_scale(
        relevant, 5, 1.0, 20,
    )));
    let lambda = sample(HalfCauchy::new(1.0).iid(5));
    let beta = sample(Normal::new(0.0, &Horseshoe::new(tau).scales(&lambda)));
    factor(-scale * beta.dot(&beta));
}

#[test]
fn arguments_of_the_horseshoe_are_named_with_their_values() {
    let text = refusal(&sparse(-0.5, 2.0));
    let what = "Horseshoe::new: argument `tau` is -0.5, must be a number above 0";
    assert!(text.ends_with(what), "{text}");
    let text = refusal(&sparse(0.5, 5.0));
    let what = "Horseshoe::global_scale: argument `relevant` is 5, must be above 0 and below `coefficients`";
    assert!(text.ends_with(what), "{text}");
}

#[test]
fn data_that_the_prior_cannot_produce_are_reported_after_a_search() {
    let statement = "observe(y, Uniform::new(0.0, high))";
    let at = place(statement);
    let line = at.rsplit(':').next().expect("a line");
    let text = refusal(&impossible(&[0.5, 3.0]));
    let start = "the log density of the model `impossible` is not finite at any of ";
    let end = format!(
        " prior draws; at the last of them `{statement}` (line {line}) is -inf, \
         first at the observation with index 1 of those evaluated, which is 3; check that the data are possible under the prior"
    );
    assert!(text.starts_with(start) && text.ends_with(&end), "{text}");
}

#[model]
fn huge(y: &[u64]) {
    let a = sample(Normal::new(720.0, 0.1));
    observe(y, PoissonLog::new(a));
}

// Seen to detect: "at the last of them nothing".
#[test]
fn a_coordinate_beyond_the_exponential_is_reported_where_no_statement_is_the_cause() {
    let text = refusal(&huge(&[5]));
    let wanted = "at the last of them a coordinate is 7";
    assert!(
        text.contains(wanted) && text.contains("beyond the largest number"),
        "{text}"
    );
}

#[test]
fn settings_are_named_with_what_they_may_be() {
    let model = mean(&[1.0]);
    let text = |outcome: Result<Run, bayes::Error>| outcome.expect_err("a bad setting").to_string();
    assert_eq!(
        text(Inference::smc().particles(0).run(&model)),
        "setting `particles` is 0, must be from 2 to 4294967295"
    );
    assert_eq!(
        text(
            Inference::hmc()
                .kernel(Hmc::new().step_size(f64::NAN))
                .run(&model)
        ),
        "setting `step_size` is NaN, must be a finite number above 0"
    );
}

#[model]
fn endless(rows: usize, columns: usize) {
    let z = sample(Normal::new(0.0, 1.0).iid((rows, columns)));
    observe([0.0], Normal::new(z.sum(), 1.0));
}

#[test]
fn a_quantity_that_no_memory_holds_is_refused() {
    for (rows, columns) in [(1 << 20, 1 << 20), (usize::MAX, 2)] {
        let error = Inference::nuts()
            .run(&endless(rows, columns))
            .expect_err("too large");
        let error = error.to_string();
        assert!(
            error.contains("`let z = sample(") && error.contains("at most 2^30"),
            "{error}"
        );
    }
}
