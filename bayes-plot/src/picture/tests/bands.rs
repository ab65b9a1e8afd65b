//! Predictions against a covariate.

use super::predictions::{Mean, Wide};
use super::*;

#[test]
fn a_band_has_the_quantiles_by_the_covariate_and_the_data_where_they_are() {
    let model = Mean(vec![2.5, f64::NAN, -1.5, f64::NAN]);
    let prediction = prior_predictive(&model, 400).expect("a proper prior");
    let age = [30.0, 10.0, 20.0, 10.0];
    let figure = band(&prediction, "y", ("age", &age)).expect("as many ages");
    let [x, y] = [&figure.panels[0].x, &figure.panels[0].y].map(|axis| axis.label.as_str());
    assert_eq!([x, y], ["age", "y"]);
    let observed = dots(marks(&figure, "observed")[0]);
    assert_eq!(observed, [[30.0, 2.5], [20.0, -1.5]]);
    let Shape::Band(points) = &marks(&figure, "predicted90")[0].shape else {
        panic!("it is an area");
    };
    let places: Vec<f64> = points.iter().map(|point| point[0]).collect();
    assert_eq!(places, [10.0, 20.0, 30.0]);
    let draws = prediction.draws("y").expect("it observes y");
    // both sorts of quantiles lie between neighbouring draws
    let [low, high] = [0.05, 0.95].map(|p| draws.quantile(p).expect("draws")[2]);
    assert!((points[1][1] - low).abs() < 0.1 && (points[1][2] - high).abs() < 0.1);
    let medians = dots(marks(&figure, "median")[0]);
    assert!(
        medians
            .iter()
            .zip(points)
            .all(|(m, p)| p[1] < m[1] && m[1] < p[2])
    );
    assert!(figure.description().contains("The prior should allow"));
    let blind = prediction.without_data();
    let figure = band(&blind, "y", ("age", &age)).expect("as many ages");
    assert!(marks(&figure, "observed").is_empty());
    assert_eq!(
        message(band(&blind, "y", ("age", &age[1..]))),
        "the picture `band` needs one value of `age` for each of the 4 elements of `y`, got 3"
    );
    assert_eq!(
        message(band(&blind, "y", ("age", &[1.0, f64::NAN, 2.0, 3.0]))),
        "`age[1]` is NaN, which has no place on an axis; it must be finite"
    );
    assert!(message(band(&blind, "y", ("age", &[1.0; 4]))).contains("at least 2 different values"));
}

#[test]
fn groups_have_panels_of_the_same_axes_and_no_band_across_them() {
    let model = Mean(vec![2.5, f64::NAN, -1.5, f64::NAN]);
    let prediction = prior_predictive(&model, 400).expect("a proper prior");
    let age = [30.0, 10.0, 20.0, 15.0];
    let sex = ["f", "f", "m", "m"];
    let figure = band_by(&prediction, "y", ("age", &age), ("sex", &sex)).expect("two of each");
    let [women, men] = &figure.panels[..] else {
        panic!("a panel for each group");
    };
    assert_eq!([&women.title, &men.title], ["sex f", "sex m"]);
    assert_eq!((women.x.ends, women.y.ends), (men.x.ends, men.y.ends));
    let places = marks(&figure, "median").into_iter().map(dots);
    let places: Vec<Vec<f64>> = places
        .map(|all| all.iter().map(|p| p[0]).collect())
        .collect();
    assert_eq!(places, [[10.0, 30.0], [15.0, 20.0]]);
    assert_eq!(dots(marks(&figure, "observed")[1]), [[20.0, -1.5]]);
    let text = message(band_by(&prediction, "y", ("age", &age), ("sex", &sex[1..])));
    assert!(
        text.contains("one value of `sex` for each of the 4 elements"),
        "{text}"
    );
    let text = message(band_by(
        &prediction,
        "y",
        ("age", &age),
        ("sex", &[1, 1, 1, 2]),
    ));
    assert!(text.contains("at least 2 different values"), "{text}");
}

#[test]
fn bands_of_long_tails_are_cut_to_the_data() {
    let x: Vec<f64> = (0..20).map(f64::from).collect();
    let model = Wide(x.iter().map(|x| 0.5 * x - 4.9).collect());
    let prediction = prior_predictive(&model, 1000).expect("a proper prior");
    let figure = band(&prediction, "y", ("x", &x)).expect("as many places");
    let Shape::Band(points) = &marks(&figure, "predicted90")[0].shape else {
        panic!("it is an area");
    };
    let highest = points
        .iter()
        .fold(0.0, |most: f64, point| most.max(point[2]));
    let [low, high] = figure.panels[0].y.ends;
    // the data and the 50% bands end at about -5.5 and 5
    assert!(
        highest > 25.0 && high < 16.0 && low < -4.9,
        "{highest} {low} {high}"
    );
}
