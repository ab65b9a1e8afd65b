//! What pictures of effects contain.

use super::{dots, marks, message};
use crate::picture::{EffectCurve, Effects, effects};

fn curve(name: &str, points: usize) -> EffectCurve {
    let point = |k: usize| (k as f64, [0.0, 1.0, 2.0, 3.0, 4.0].map(|q| q + k as f64));
    // the last two are far away
    let datum = |k: i32| match k {
        98.. => [2.0, 100.0],
        _ => [f64::from(k % 3), f64::from(k) / 10.0],
    };
    EffectCurve {
        name: name.to_owned(),
        points: (0..points).map(point).collect(),
        data: (0..100).map(datum).collect(),
    }
}

fn of(curves: Vec<EffectCurve>, labels: &[&str]) -> Effects {
    Effects {
        covariate: "x".to_owned(),
        response: "y".to_owned(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        curves,
        ..Effects::default()
    }
}

#[test]
fn numbers_have_bands_and_labels_have_bars() {
    let lines = effects(&of(vec![curve("a", 3), curve("b", 3)], &[])).expect("two curves");
    assert_eq!(lines.panels.len(), 1);
    assert_eq!(lines.legend.iter().filter(|key| key.text == "b").count(), 1);
    let medians = marks(&lines, "median");
    assert_eq!(dots(medians[0]), [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]]);
    assert_eq!(
        marks(&lines, "interval90")[0].coordinates(1),
        [0.0, 4.0, 1.0, 5.0, 2.0, 6.0]
    );
    assert_eq!(
        marks(&lines, "observed")
            .iter()
            .map(|mark| mark.len())
            .sum::<usize>(),
        200
    );
    // the outermost data do not set the axis
    let hidden = "4 observations lie outside of the picture.";
    assert!(
        lines.description().contains(hidden),
        "{}",
        lines.description()
    );
    let bars = effects(&of(vec![curve("a", 2), curve("b", 2)], &["u", "v"])).expect("two curves");
    let beside = marks(&bars, "median")
        .iter()
        .map(|mark| dots(mark)[0][0])
        .collect::<Vec<_>>();
    assert_eq!(beside, [-0.15, 0.15]);
    let names: Vec<&str> = bars.panels[0]
        .x
        .ticks
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(names, ["u", "v"]);
}

#[test]
fn many_curves_have_a_panel_each() {
    let curves = ["a", "b", "c", "d", "e"].map(|name| curve(name, 3));
    let figure = effects(&of(curves.into(), &[])).expect("five curves");
    let titles: Vec<&str> = figure
        .panels
        .iter()
        .map(|panel| panel.title.as_str())
        .collect();
    assert_eq!(titles, ["a", "b", "c", "d", "e"]);
    assert!(
        figure
            .panels
            .iter()
            .all(|panel| panel.y == figure.panels[0].y)
    );
    let error = message(effects(&of(vec![curve("a", 1)], &[])));
    assert!(error.contains("values of the covariate"), "{error}");
}
