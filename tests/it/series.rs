//! State space and hidden Markov models: parts that data switch on, data that do not fit, missing values, new series.

use bayes::Error;
use bayes::prelude::*;

const Y: [f64; 8] = [1.2, 0.7, 1.9, 1.1, 1.4, 0.6, 2.1, 1.0];

/// A level, with a season if the data have one.
#[model]
fn seasonal(y: &[f64], has_season: bool) {
    let sd_season = sample(HalfNormal::new(1.0));
    let sd = sample(HalfNormal::new(1.0));
    let season = has_season.then(|| Season::new(4, sd_season).start(1.0));
    let level = Level::new(0.1).start(1.0, 1.0);
    observe(y, StateSpace::new(level + season, sd, y.len()));
}

/// The same with a season, and without.
#[model]
fn with_season(y: &[f64]) {
    let sd_season = sample(HalfNormal::new(1.0));
    let sd = sample(HalfNormal::new(1.0));
    let parts = Level::new(0.1).start(1.0, 1.0) + Season::new(4, sd_season).start(1.0);
    observe(y, StateSpace::new(parts, sd, y.len()));
}

#[model]
fn without_season(y: &[f64]) {
    let _sd_season = sample(HalfNormal::new(1.0));
    let sd = sample(HalfNormal::new(1.0));
    observe(
        y,
        StateSpace::new(Level::new(0.1).start(1.0, 1.0), sd, y.len()),
    );
}

/// The mutation that it detects: a part that is absent leaves a state behind.
#[test]
fn data_switch_a_part_on_and_off() {
    let values: [(&str, &[f64]); 2] = [("sd_season", &[0.3]), ("sd", &[0.5])];
    let of = |density: Result<bayes::inspect::PointDensity, Error>| {
        density.expect("they fit").log_likelihood
    };
    let on = of(seasonal(&Y, true).log_density_at(&values));
    let off = of(seasonal(&Y, false).log_density_at(&values));
    assert_eq!(on, of(with_season(&Y).log_density_at(&values)));
    assert_eq!(off, of(without_season(&Y).log_density_at(&values)));
    let run = Inference::nuts().draws(50).seed(1).run(&seasonal(&Y, true));
    assert_eq!(
        run.expect("it runs").arithmetic.gradient,
        GradientMode::Reverse
    );
}

/// What a series says of data that are given apart from those observed.
#[model]
fn asked(y: &[f64], other: &[f64], what: usize) {
    let sd = sample(HalfNormal::new(1.0));
    let series = StateSpace::new(Level::new(0.2).start(1.0, 1.0), sd, y.len());
    let found: Matrix = match what {
        0 => series.states(other),
        1 => series.filtered_states(other),
        2 => series.state_sds(other),
        _ => series.forecast(other, 2),
    };
    let found = deterministic(found);
    let next = generate(series.after(other, 2));
    observe(y, series);
}

#[model]
fn weather(y: &[u64], other: &[u64]) {
    let rate = sample(Gamma::new(2.0, 0.5).iid(2).ordered());
    let emissions = [Poisson::new(rate[0]), Poisson::new(rate[1])];
    let moves = DMatrix::from_row_slice(2, 2, &[0.8, 0.2, 0.3, 0.7]);
    let series = HiddenMarkov::new([0.5, 0.5], &moves, emissions, y.len());
    let state = deterministic(series.state_probabilities(other));
    observe(y, series);
}

/// The mutations that it detects: an index out of range panics; data that are too long are read in part.
#[test]
fn states_of_data_of_another_length_are_refused_by_both_lengths() {
    let long = [Y, Y].concat();
    for other in [&Y[1..], &long] {
        for what in 0..4 {
            let error = asked(&Y, other, what).check(Check::new());
            let text = error.expect_err("they do not fit").to_string();
            let lengths = format!(
                "of a `StateSpace` of 8 values, given a vector of length {}",
                other.len()
            );
            assert!(text.contains(&lengths), "{what}: {text}");
            assert!(!text.contains("panicked"), "{what}: {text}");
        }
    }
    let error = weather(&[1, 2, 9], &[1, 2]).check(Check::new());
    let text = error.expect_err("they do not fit").to_string();
    assert!(
        text.contains("states of a `HiddenMarkov` of 3 values, given a vector of length 2"),
        "{text}"
    );
}

#[model]
fn gaps(y: &[f64], as_vector: bool) {
    let sd = sample(HalfNormal::new(1.0));
    match as_vector {
        true => observe(
            y,
            MultivariateNormal::new(0.0, &DMatrix::<f64>::identity(8, 8)),
        ),
        false => observe(
            y,
            StateSpace::new(Level::new(0.2).start(1.0, 1.0), sd, y.len()),
        ),
    }
}

/// The mutation that it detects: the advice to observe elements one by one where they have one density together.
#[test]
fn missing_elements_are_reported_what_their_distribution_can_do() {
    let mut y = Y;
    y[3] = f64::NAN;
    let told = |as_vector| {
        let run = Inference::nuts().run(&gaps(&y, as_vector));
        run.expect_err("a value is missing").to_string()
    };
    let text = told(false);
    assert!(
        text.contains("write `.skip_missing()` behind the `StateSpace`"),
        "{text}"
    );
    let text = told(true);
    assert!(text.contains("its elements depend on each other"), "{text}");
    for text in [told(false), told(true)] {
        assert!(!text.contains("in a loop"), "{text}");
    }
}

#[model]
fn activity(counts: &[u64]) {
    let rate = sample(Gamma::new(2.0, 0.5).iid(2).ordered());
    let emissions = [Poisson::new(rate[0]), Poisson::new(rate[1])];
    let moves = DMatrix::from_row_slice(2, 2, &[0.8, 0.2, 0.3, 0.7]);
    let series = HiddenMarkov::new([0.5, 0.5], &moves, emissions, counts.len());
    let state = deterministic(series.state_probabilities(counts));
    observe(counts, series);
}

/// The mutation that it detects: a prediction computes states of the series of the run, or not at all.
#[test]
fn a_prediction_has_the_states_of_a_new_series() {
    let counts = [1, 2, 14, 12, 0];
    let run = Inference::nuts().draws(50).seed(1).run(&activity(&counts));
    let run = run.expect("it runs");
    let states = |counts: &[u64]| {
        let prediction = run.predict(activity(counts)).expect("it fits");
        prediction.draws("state").expect("it is computed")
    };
    let own = run.draws("state").expect("it is kept");
    for (found, kept) in states(&counts).rows().zip(own.rows()) {
        for (found, kept) in found.iter().zip(kept) {
            assert!((found - kept).abs() < 1e-12, "{found} and {kept}");
        }
    }
    let new = states(&[15, 0, 1]);
    assert_eq!(new.elements, 6);
    let mean = new.mean();
    assert!(mean[1] > 0.9 && mean[2] > 0.9 && mean[4] > 0.9, "{mean:?}");
    let prediction = run.predict(activity(&[15, 0, 1])).expect("it fits");
    let mut total = 0.0;
    prediction.for_each_draw(|draw| total += draw.weight * draw.vector("state")[1]);
    assert!((total - mean[1]).abs() < 1e-12);
    let summary = prediction.summary().expect("there is memory");
    assert_eq!(summary.rows.len(), 3, "it has the observed data alone");
    assert!(prediction.probabilities("state").is_err());
}

#[model]
fn states(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2).ordered());
    let emissions = [Normal::new(mu[0], 1.0), Normal::new(mu[1], 1.0)];
    let moves = DMatrix::from_row_slice(2, 2, &[0.8, 0.2, 0.3, 0.7]);
    observe(y, HiddenMarkov::new([0.5, 0.5], &moves, emissions, y.len()));
}

/// The mutation that it detects: the name of an emission, or the advice to observe values in a loop.
#[test]
fn missing_values_of_hidden_states_are_advised_to_be_passed_over() {
    let error = Inference::nuts().run(&states(&[0.1, f64::NAN, 0.3]));
    let text = error.expect_err("a value is missing").to_string();
    assert!(
        text.contains("write `.skip_missing()` behind the `HiddenMarkov`"),
        "{text}"
    );
}
