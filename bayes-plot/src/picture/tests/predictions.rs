//! Predictions beside data.

use super::super::predictive::{Check, frequencies};
use super::*;

/// `mu ~ Normal(0, 1), y ~ Normal(mu, 0.1)`, written by hand: this package does not have the macro.
pub(super) struct Mean(pub(super) Vec<f64>);

const fn statement(kind: StatementKind, name: &'static str) -> Statement {
    Statement {
        kind,
        name,
        text: name,
        line: 1,
    }
}

impl Model for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn file(&self) -> &'static str {
        "mean.rs"
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 2] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Observe, "y"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).random(Normal::new(0.0, 1.0));
        interpreter
            .at(1)
            .observe_under(Normal::new(mu, 0.1), &self.0);
    }
}

impl Differentiable for Mean {}

#[test]
fn few_observations_stand_one_by_one_beside_their_predictions() {
    let model = Mean(vec![0.5, -3.0]);
    let prediction = prior_predictive(&model, 500).expect("a proper prior");
    let figure = predictive(&prediction, "y").expect("it observes y");
    assert_eq!(
        dots(marks(&figure, "observed")[0]),
        [[0.0, 0.5], [1.0, -3.0]]
    );
    let Shape::Segments(ends) = &marks(&figure, "predicted90")[0].shape else {
        panic!("they are lines");
    };
    // 1.645 √1.01 from 500 draws, whose quantile has a standard error of 0.1
    assert!((ends[0][3] - 1.653).abs() < 0.4, "{ends:?}");
    let many = Mean((0..61).map(f64::from).collect());
    let prediction = prior_predictive(&many, 50).expect("a proper prior");
    let figure = predictive(&prediction, "y").expect("it observes y");
    assert_eq!(marks(&figure, "predicted").len(), 40);
    assert!(message(predictive(&prediction, "z")).contains('z'));
}

/// Values with a limit of censoring for the last one only.
struct Study(Vec<f64>);

impl Model for Study {
    fn name(&self) -> &'static str {
        "study"
    }
    fn file(&self) -> &'static str {
        "study.rs"
    }
    fn statements(&self) -> &'static [Statement] {
        Mean(Vec::new()).statements()
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).random(Normal::new(0.0, 1.0));
        let low = [f64::NEG_INFINITY; 3];
        let high = [f64::INFINITY, f64::INFINITY, 1.0];
        interpreter
            .at(1)
            .observe_under(Normal::new(mu, 1.0).censored(low, high), &self.0);
    }
}

impl Differentiable for Study {}

#[test]
fn a_predictive_check_says_that_some_rows_are_not_censored() {
    let of = |figure: &Figure| {
        figure
            .description()
            .contains("2 of 3 observations have no upper")
    };
    let study = Study(vec![0.5, 2.0, 1.0]);
    let prediction = prior_predictive(&study, 50).expect("a proper prior");
    assert!(of(&predictive(&prediction, "y").expect("it observes y")));
    let mean = Mean(vec![0.5, 2.0, 1.0]);
    let prediction = prior_predictive(&mean, 50).expect("a proper prior");
    assert!(!of(&predictive(&prediction, "y").expect("it observes y")));
}

#[test]
fn counts_stand_beside_the_shares_that_are_predicted() {
    let sets: [&[f64]; 2] = [&[0.0, 1.0, 1.0, 2.0], &[0.0, 0.0, 1.0, 2.0]];
    let data = [0.0, 2.0, 2.0, 2.0];
    let figure = frequencies(Check::Posterior, "y", [0.0, 2.0], &sets, &data);
    let Shape::Bars(bars) = &marks(&figure, "observed")[0].shape else {
        panic!("shares are bars");
    };
    let heights: Vec<f64> = bars.iter().map(|bar| bar[3]).collect();
    assert_eq!(heights, [0.25, 0.0, 0.75]);
    let Shape::Segments(predicted) = &marks(&figure, "predicted90")[0].shape else {
        panic!("intervals are lines");
    };
    let first_and_last = [0.0, 0.25, 0.0, 0.5, 2.0, 0.25, 2.0, 0.25];
    assert_eq!([predicted[0], predicted[2]].concat(), first_and_last);
}

#[test]
fn a_flag_has_ticks_at_its_two_values_and_counts_all_predicted_data_sets() {
    let sets: Vec<Vec<f64>> = (0..100).map(|k| vec![f64::from(k % 2), 1.0]).collect();
    let sets: Vec<&[f64]> = sets.iter().map(Vec::as_slice).collect();
    let figure = frequencies(Check::Posterior, "y", [0.0, 1.0], &sets, &[0.0, 1.0]);
    let ticks = figure.panels[0].x.ticks.iter().map(|tick| tick.1.as_str());
    assert_eq!(ticks.collect::<Vec<_>>(), ["0", "1"]);
    let key = &figure.legend[0].text;
    assert_eq!(key, "5% to 95% of 100 predicted data sets");
}

#[test]
fn a_picture_of_predictions_without_data_has_no_observations() {
    for count in [3, 61] {
        let unknown = Mean(vec![f64::NAN; count]);
        let filled = Mean(vec![0.0; count]);
        let nan = prior_predictive(&unknown, 50).expect("a proper prior");
        let zeros = prior_predictive(&filled, 50).expect("a proper prior");
        let zeros = zeros.without_data();
        for prediction in [nan, zeros] {
            let figure = predictive(&prediction, "y").expect("it observes y");
            assert_eq!(figure.title(), "Predictions of y");
            assert_eq!(figure.description(), "");
            assert!(marks(&figure, "observed").is_empty());
            assert!(figure.legend.iter().all(|key| key.text != "observed"));
        }
    }
    // a missing observation has no dot
    let model = Mean(vec![0.5, f64::NAN, -1.0]);
    let prediction = prior_predictive(&model, 50).expect("a proper prior");
    let figure = predictive(&prediction, "y").expect("it observes y");
    let observed = dots(marks(&figure, "observed")[0]);
    assert_eq!(observed, [[0.0, 0.5], [2.0, -1.0]]);
    assert_eq!(figure.title(), "Prior predictive check of y");
    let text = figure.description();
    assert!(text.contains("The prior should allow") && !text.contains("Most observations"));
}

/// `y ~ Normal(0, tau)` with a heavy-tailed `tau`.
pub(super) struct Wide(pub(super) Vec<f64>);

impl Model for Wide {
    fn name(&self) -> &'static str {
        "wide"
    }
    fn file(&self) -> &'static str {
        "wide.rs"
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 2] = [
            statement(StatementKind::Sample, "tau"),
            statement(StatementKind::Observe, "y"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let tau = interpreter.at(0).random(HalfCauchy::new(5.0));
        interpreter
            .at(1)
            .observe_under(Normal::new(0.0, tau), &self.0);
    }
}

impl Differentiable for Wide {}

#[test]
fn long_tails_of_a_prior_are_cut() {
    let model = Wide((0..100).map(|i| 0.1 * f64::from(i) - 4.9).collect());
    let prediction = prior_predictive(&model, 1000).expect("a proper prior");
    let prediction = prediction.seed(3);
    let draws = prediction.draws("y").expect("it observes y");
    let largest = draws
        .values
        .iter()
        .fold(0.0, |most: f64, y| most.max(y.abs()));
    let figure = predictive(&prediction, "y").expect("it observes y");
    // three quarters of the scales are below 12
    let [low, high] = figure.panels[0].x.ends;
    assert!(
        largest > 1000.0 && -300.0 < low && high < 300.0,
        "{largest}, {low}, {high}"
    );
    assert!(low < -4.9 && 5.0 < high, "the data are inside");
    assert!(
        figure
            .description()
            .ends_with("Long tails and high peaks are cut.")
    );
    let own = dots(marks(&figure, "observed")[0]);
    let own = own.iter().map(|point| point[1]).fold(0.0, f64::max);
    let top = figure.panels[0].y.ends[1];
    assert!(own > 0.1 * top, "{own} of {top}");
}

/// Counts with a mean that differs between groups, written by hand.
struct Visits {
    mean: f64,
    y: Vec<u64>,
}

impl Model for Visits {
    fn name(&self) -> &'static str {
        "visits"
    }
    fn file(&self) -> &'static str {
        "visits.rs"
    }
    fn statements(&self) -> &'static [Statement] {
        Mean(Vec::new()).statements()
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).random(Normal::new(0.0, 0.01));
        let mean = (mu + self.mean.ln()).exp();
        let counts = NegativeBinomial::mean_dispersion(mean, 0.3);
        interpreter.at(1).observe_under(counts, &self.y);
    }
}

impl Differentiable for Visits {}

/// Skewed counts, many of them 0.
fn visits() -> Visits {
    let y = (0..400u64).map(|k| if k % 2 == 0 { 0 } else { k * k * k / 40_000 });
    Visits {
        mean: 200.0,
        y: y.collect(),
    }
}

#[test]
fn skewed_counts_hang_from_their_expected_frequencies() {
    let model = visits();
    let prediction = prior_predictive(&model, 300).expect("a proper prior");
    let figure = predictive(&prediction, "y").expect("it observes y");
    let Shape::Bars(bars) = &marks(&figure, "observed")[0].shape else {
        panic!("they are bars");
    };
    let expected = dots(marks(&figure, "expected")[0]);
    // the first bar has the zeros: 200 of even numbers, and the ones of odd numbers below 35
    assert_eq!(bars[0][..1], [-0.5]);
    let zeros = model.y.iter().filter(|y| **y == 0).count() as f64;
    assert!(
        (bars[0][3] - bars[0][1] - zeros.sqrt()).abs() < 1e-9,
        "{bars:?}"
    );
    assert_eq!(bars[0][3], expected[0][1]);
    // every observation hangs in one bar, and every prediction is expected in one
    let total: f64 = bars.iter().map(|bar| (bar[3] - bar[1]).powi(2)).sum();
    let of_model: f64 = expected.iter().map(|[_, root]| root * root).sum();
    assert!((total - 400.0).abs() < 1e-9 && (of_model - 400.0).abs() < 1e-9);
    // in panels by group; the frequencies of a group are its own
    let site: Vec<&str> = (0..400)
        .map(|k| if k % 2 == 0 { "even" } else { "odd" })
        .collect();
    let by_site = rootogram_by(&prediction, "y", ("site", &site)).expect("a label for each");
    let titles: Vec<&str> = by_site
        .panels
        .iter()
        .map(|panel| panel.title.as_str())
        .collect();
    assert_eq!(titles, ["site even", "site odd"]);
    assert!(message(rootogram_by(&prediction, "y", ("site", &site[1..]))).contains("got 399"));
    let reals = Mean(vec![0.5, 1.5]);
    let reals = prior_predictive(&reals, 50).expect("a proper prior");
    assert!(
        message(rootogram(&reals, "y"))
            .contains("a rootogram shows counts, and a value of `y` is 0.5")
    );
}

#[test]
fn a_picture_gets_another_title_size_and_scale() {
    let model = Mean(vec![0.5, 3.0, 300.0]);
    let prediction = prior_predictive(&model, 500).expect("a proper prior");
    let figure = predictive(&prediction, "y").expect("it observes y");
    let told = message(figure.clone().log_y());
    assert!(
        told.starts_with(
            "the vertical axis of `Prior predictive check of y` cannot be logarithmic: -"
        ),
        "{told}"
    );
    let figure = figure.with_title("All of it").size(900.0, 200.0);
    assert_eq!(
        (figure.title(), figure.panels[0].size),
        ("All of it", [900.0, 200.0])
    );
    assert!(figure.svg().contains(">All of it</text>"));
    let skewed = visits();
    let prediction = prior_predictive(&skewed, 100).expect("a proper prior");
    let ladder = rootogram_by(&prediction, "y", ("part", &[1; 400])).expect("one group");
    assert_eq!(ladder.size(10.0, 1e3).panels[0].size, [90.0, 1e3]);
}
