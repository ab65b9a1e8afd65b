//! The figures of the paper, as SVG.

use crate::detection::thresholds;
use crate::found::{Found, Results};
use crate::score::Scores;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};

/// The figures of a task by name, each with its number of panels side by side.
pub fn all(results: &Results<'_>) -> Vec<(&'static str, Vec<Panel>, usize)> {
    let mut figures = vec![
        ("entropies", entropies(results), 3),
        ("detection", detection(results), 2),
        ("reliability", vec![reliability(results)], 1),
        ("cost", cost(results), 2),
        ("two-level", vec![two_level(results)], 1),
    ];
    if results.task.settings.scales.len() > 1 {
        figures.push(("scales", scales(results), 2));
    }
    figures
}

/// The methods of most figures.
const METHODS: [&str; 5] = ["MAP", "DE", "SMC s=0.1", "SMC s=0.1 equal", "HMC s=0.1"];
const MEMBERS: Quantity = Quantity::counted("members");

fn point(x: f64, [y, error]: [f64; 2]) -> Point {
    let error = if error.is_finite() { error } else { 0.0 };
    Point { x, y, error }
}

/// A curve over the numbers of members; a method with one member is a horizontal line.
fn by_members(results: &Results<'_>, method: &str, of: &dyn Fn(&Scores) -> f64) -> Curve {
    let rows: Vec<&Found> = results.of(method).collect();
    let at = |row: &&Found| point(row.members() as f64, row.mean(of));
    let mut points: Vec<Point> = rows.iter().map(at).collect();
    let most = results.found.iter().map(Found::members).max().unwrap_or(1);
    let least = results
        .found
        .iter()
        .map(Found::members)
        .filter(|n| *n > 1)
        .min();
    if let ([only], Some(least)) = (points.as_slice(), least) {
        let level = |x: usize| Point {
            x: x as f64,
            ..*only
        };
        points = vec![level(least), level(most)];
    }
    Curve {
        name: method.to_owned(),
        points,
    }
}

/// Epistemic entropy by set against the number of members.
fn entropies(results: &Results<'_>) -> Vec<Panel> {
    let panel = |method: &&str| {
        let sets = results.sets().into_iter().enumerate();
        let curve = |(set, name): (usize, &str)| Curve {
            name: name.to_owned(),
            ..by_members(results, method, &|s| s.epistemic[set].max(1e-6))
        };
        Panel {
            title: (*method).to_owned(),
            x: MEMBERS,
            y: Quantity::new("epistemic entropy, nats"),
            curves: sets.map(curve).collect(),
        }
    };
    METHODS[1..].iter().map(panel).collect()
}

fn detection(results: &Results<'_>) -> Vec<Panel> {
    let panel = |title: &str, y: Quantity, of: &dyn Fn(&Scores) -> f64| Panel {
        title: title.to_owned(),
        x: MEMBERS,
        y,
        curves: METHODS.iter().map(|m| by_members(results, m, of)).collect(),
    };
    vec![
        panel("F1, optimal rule", Quantity::linear("F1"), &|s| {
            s.detection[1].optimal[2]
        }),
        panel("area under the ROC curve", Quantity::linear("AUC"), &|s| {
            s.detection[1].auc
        }),
    ]
}

/// Accuracy against confidence of the first seed, with the most members.
fn reliability(results: &Results<'_>) -> Panel {
    let mut curves = vec![Curve {
        name: "calibrated".to_owned(),
        points: [0.2, 1.0].map(|x| point(x, [x, 0.0])).to_vec(),
    }];
    for method in METHODS {
        let Some(row) = results.last(method) else {
            continue;
        };
        let bins = row.scores[0].reliability.iter();
        curves.push(Curve {
            name: method.to_owned(),
            points: bins.map(|[x, y, error]| point(*x, [*y, *error])).collect(),
        });
    }
    Panel {
        title: "reliability".to_owned(),
        x: Quantity::linear("confidence"),
        y: Quantity::linear("accuracy"),
        curves,
    }
}

/// Title, axis and value of the scores of predictions.
type Score = (&'static str, &'static str, fn(&Scores) -> f64);
const SCORES: [Score; 2] = [
    ("accuracy", "accuracy", |s| s.accuracy),
    ("negative log likelihood", "NLL, nats", |s| s.nll),
];

/// Accuracy and NLL against all gradients, including the MAP's.
fn cost(results: &Results<'_>) -> Vec<Panel> {
    let gradients = |s: &Scores| s.map_epochs + s.epochs * s.members as f64;
    let panel = |title: &str, y: Quantity, of: fn(&Scores) -> f64| {
        let curve = |method: &&str| Curve {
            name: (*method).to_owned(),
            points: results
                .of(method)
                .map(|row| point(row.mean(gradients)[0], row.mean(of)))
                .collect(),
        };
        Panel {
            title: title.to_owned(),
            x: Quantity::new("gradients of all data"),
            y,
            curves: METHODS.iter().map(curve).collect(),
        }
    };
    SCORES
        .map(|(title, axis, of)| panel(title, Quantity::linear(axis), of))
        .into()
}

/// The two-level estimator with the most members.
fn two_level(results: &Results<'_>) -> Panel {
    let curve = |method: &&str| {
        let row = results.last(method)?;
        let points = thresholds().enumerate().step_by(7);
        Some(Curve {
            name: (*method).to_owned(),
            points: points
                .map(|(k, t)| point(t, row.mean(|s| s.detection[1].two_level[k])))
                .collect(),
        })
    };
    Panel {
        title: "predict, or abstain".to_owned(),
        x: Quantity::linear("threshold of the meta-classifier"),
        y: Quantity::linear("share of right decisions"),
        curves: METHODS.iter().filter_map(curve).collect(),
    }
}

/// Accuracy and NLL against the scale of the anchored prior.
fn scales(results: &Results<'_>) -> Vec<Panel> {
    let panel = |title: &str, y: Quantity, of: fn(&Scores) -> f64| {
        let curve = |(kind, first): (&str, bool)| {
            let scales = results.task.settings.scales.iter();
            let at = |s: &f64| {
                let name = format!("{kind} s={s}");
                let rows: Vec<&Found> = results.of(&name).collect();
                let row = if first { rows.first() } else { rows.last() };
                row.map(|row| point(*s, row.mean(of)))
            };
            Curve {
                name: format!("{kind}, {} members", if first { "least" } else { "most" }),
                points: scales.filter_map(at).collect(),
            }
        };
        let kinds = [("SMC", true), ("SMC", false), ("HMC", true), ("HMC", false)];
        Panel {
            title: title.to_owned(),
            x: Quantity::new("scale s"),
            y,
            curves: kinds.into_iter().map(curve).collect(),
        }
    };
    SCORES
        .map(|(title, axis, of)| panel(title, Quantity::linear(axis), of))
        .into()
}
