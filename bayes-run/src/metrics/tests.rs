//! Scores against scikit-learn and properscoring (`tests/data/metrics/metrics.py`), errors against simulation, and bad input.
//!
//! Mutations that these tests were seen to detect: unweighted means over members; bins closed on the left; ties of scores broken
//! by order; entropy of the mean in place of the mean entropy; the factor (B − 1)/B of the jackknife left out.

mod distance;

use super::*;
use crate::rng::{RngExt, Stream, stream};
use crate::run::Draws;
use rand_distr::{Distribution as _, StandardNormal};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct References {
    classification: Vec<Case>,
    ranking: Ranking,
    regression: Numbers,
}

#[derive(Deserialize)]
struct Case {
    classes: usize,
    weights: Vec<f64>,
    probabilities: Vec<f64>,
    labels: Vec<usize>,
    #[serde(flatten)]
    scores: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Ranking {
    scores: Vec<f64>,
    positive: Vec<bool>,
    roc_auc: f64,
    pr_auc: f64,
    false_positive_rate: Vec<f64>,
    true_positive_rate: Vec<f64>,
}

#[derive(Deserialize)]
struct Numbers {
    draws: Vec<f64>,
    weights: Vec<f64>,
    y: Vec<f64>,
    crps: f64,
    crps_equal: f64,
    rmse: f64,
}

fn references() -> References {
    let text = include_str!("../../tests/data/metrics/metrics.json");
    serde_json::from_str(text).expect("the file is well formed")
}

fn members(case: &Case) -> ClassProbabilities {
    let (values, weights) = (case.probabilities.clone(), case.weights.clone());
    ClassProbabilities::weighted(values, case.classes, weights).expect("the input is sound")
}

#[track_caller]
fn assert_near(found: f64, wanted: f64) {
    assert!(
        (found - wanted).abs() < 1e-12,
        "{found}, reference {wanted}"
    );
}

#[test]
fn scores_of_classifications_are_those_of_scikit_learn() {
    for case in references().classification {
        let (p, labels, of) = (members(&case), &case.labels, |name: &str| case.scores[name]);
        let table = classification(&p, labels, Bins::equal_width(10)).expect("it has all classes");
        assert_near(table.accuracy.value, of("accuracy"));
        assert_near(table.nll.value, of("nll"));
        assert_near(table.brier.value, of("brier"));
        assert_near(table.calibration_error.value, of("equal_width"));
        assert_near(table.f1.value, of("f1"));
        assert_near(table.roc_auc.expect("all classes").value, of("roc_auc"));
        assert_near(table.pr_auc.expect("all classes").value, of("pr_auc"));
        assert_near(table.entropies.mean_total.value, of("total"));
        assert_near(table.entropies.mean_aleatoric.value, of("aleatoric"));
        assert_near(table.entropies.mean_epistemic.value, of("epistemic"));
        let mass = calibration_error(&p, labels, Bins::equal_mass(7)).expect("seven bins");
        assert_near(mass.value, of("equal_mass"));
        let diagram = reliability(&p, labels, Bins::equal_mass(7)).expect("seven bins");
        let counts: Vec<usize> = diagram.bins.iter().map(|bin| bin.count).collect();
        assert_eq!(counts.iter().sum::<usize>(), labels.len());
        assert!(
            counts.iter().all(|n| n.abs_diff(labels.len() / 7) <= 1),
            "{counts:?}"
        );
        if case.classes == 2 {
            assert_near(table.brier.value, 2.0 * of("brier_of_scikit_learn"));
            let positive: Vec<bool> = labels.iter().map(|label| *label == 1).collect();
            for threshold in [0.3, 0.6] {
                let c = at_threshold(&p.mean().class(1), &positive, threshold).expect("it fits");
                assert_near(c.precision(), of(&format!("precision_{threshold}")));
                assert_near(c.recall(), of(&format!("recall_{threshold}")));
                assert_near(c.f1(), of(&format!("f1_{threshold}")));
            }
        }
        let text = table.to_string();
        let header = text.lines().next().unwrap_or_default();
        assert!(header.ends_with("  score  se (data)  se (draws)"), "{text}");
        assert_eq!(text.lines().count(), 11);
    }
}

#[test]
fn a_confidence_on_an_edge_belongs_to_the_lower_bin() {
    let p = ClassProbabilities::new(vec![0.5, 0.5, 0.4, 0.6, 1.0, 0.0], 2).expect("it is sound");
    let diagram = reliability(&p, &[0, 1, 0], Bins::equal_width(10)).expect("they fit");
    let counts: Vec<usize> = diagram.bins.iter().map(|bin| bin.count).collect();
    assert_eq!(counts, [0, 0, 0, 0, 1, 1, 0, 0, 0, 1]);
}

#[test]
fn ties_of_scores_count_half() {
    let Ranking {
        scores,
        positive,
        roc_auc: roc,
        pr_auc: pr,
        false_positive_rate,
        true_positive_rate,
    } = references().ranking;
    assert_near(roc_auc(&scores, &positive).expect("both classes"), roc);
    assert_near(pr_auc(&scores, &positive).expect("both classes"), pr);
    let curve = roc_curve(&scores, &positive).expect("both classes");
    let wanted: Vec<(f64, f64)> = false_positive_rate
        .into_iter()
        .zip(true_positive_rate)
        .collect();
    assert_eq!(curve, wanted);
    let sweep = threshold_sweep(&scores, &positive).expect("they fit");
    for found in sweep {
        assert_eq!(at_threshold(&scores, &positive, found.threshold), Ok(found));
    }
}

fn predicted(numbers: &Numbers, weights: Vec<f64>) -> Draws {
    Draws {
        groups: vec![1; weights.len()],
        weights,
        values: numbers.draws.clone(),
        elements: numbers.y.len(),
    }
}

#[test]
fn scores_of_numbers_are_those_of_properscoring() {
    let numbers = references().regression;
    let weighted = predicted(&numbers, numbers.weights.clone());
    let equal = predicted(&numbers, vec![1.0 / 30.0; 30]);
    assert_near(
        crps(&weighted, &numbers.y).expect("it fits").value,
        numbers.crps,
    );
    assert_near(
        crps(&equal, &numbers.y).expect("it fits").value,
        numbers.crps_equal,
    );
    assert_near(
        rmse(&weighted, &numbers.y).expect("it fits").value,
        numbers.rmse,
    );
    let table = regression(&weighted, &numbers.y).expect("it fits");
    assert!(table.coverage_50.value <= table.coverage_90.value);
    assert!(
        table.to_string().contains("coverage of 90% intervals"),
        "{table}"
    );
}

fn normal(stream: &mut Stream) -> f64 {
    StandardNormal.sample(stream)
}

// With 200 data sets, the standard deviation of a score is known within 5%; the tolerance is four times this plus the bias of the
// jackknife. Without its factor the errors over draws would be √(32/31) times as large: the exact test is below.
#[test]
fn errors_are_the_spread_of_the_score_over_data_and_over_draws() {
    let probabilities = |data: &mut Stream, draws: &mut Stream| {
        let logits: Vec<f64> = (0..50).map(|_| normal(data)).collect();
        let chance = |x: f64| 1.0 / (1.0 + (-x).exp());
        let labels: Vec<bool> = logits
            .iter()
            .map(|x| data.random::<f64>() < chance(*x + 1.5))
            .collect();
        // all observations of a member share its error, as they do for a posterior draw
        let members: Vec<f64> = (0..40).map(|_| 2.0 * normal(draws)).collect();
        let row = |shift: f64, x: f64| [1.0 - chance(x + shift), chance(x + shift)];
        let values = members
            .iter()
            .flat_map(|shift| logits.iter().flat_map(|x| row(*shift, *x)));
        let p = ClassProbabilities::weighted(values.collect(), 2, vec![1.0 / 40.0; 40]);
        (p.expect("they sum to one"), labels)
    };
    let scores = |seed: u64| {
        let (p, labels) = probabilities(&mut stream(2 * seed), &mut stream(2 * seed + 1));
        let positive = |means: &MeanProbabilities, labels: &[usize]| {
            let positive: Vec<bool> = labels.iter().map(|label| *label == 1).collect();
            roc_auc(&means.class(1), &positive).expect("50 labels")
        };
        let auc = p.score(&labels, positive).expect("they fit");
        [
            nll(&p, &labels).expect("they fit"),
            brier(&p, &labels).expect("they fit"),
            auc,
        ]
    };
    let over_data: Vec<[Score; 3]> = (0..200).map(scores).collect();
    let fixed = |seed: u64| {
        let (p, labels) = probabilities(&mut stream(0), &mut stream(2 * seed + 1));
        [
            nll(&p, &labels).expect("they fit"),
            brier(&p, &labels).expect("they fit"),
        ]
    };
    let over_draws: Vec<[Score; 2]> = (0..200).map(fixed).collect();
    for score in 0..3 {
        let values: Vec<f64> = over_data.iter().map(|s| s[score].value).collect();
        // with other data and other draws, both errors act
        let error = |s: &[Score; 3]| {
            let draws = if score < 2 { s[score].se_draws } else { 0.0 };
            s[score].se_data.powi(2) + draws.powi(2)
        };
        let errors = over_data.iter().map(error).sum::<f64>() / 200.0;
        let ratio = errors.sqrt() / spread(&values);
        assert!((0.8..1.25).contains(&ratio), "score {score}: {ratio}");
    }
    for score in 0..2 {
        let values: Vec<f64> = over_draws.iter().map(|s| s[score].value).collect();
        let errors = over_draws
            .iter()
            .map(|s| s[score].se_draws.powi(2))
            .sum::<f64>()
            / 200.0;
        let ratio = errors.sqrt() / spread(&values);
        assert!((0.8..1.25).contains(&ratio), "score {score}: {ratio}");
    }
}

fn spread(values: &[f64]) -> f64 {
    score::standard_error(values) * (values.len() as f64).sqrt()
}

#[test]
fn the_jackknife_of_a_mean_is_its_standard_error() {
    let values = [1.0, 4.0, -2.0, 0.5, 3.0];
    let without = |i: usize| (values.iter().sum::<f64>() - values[i]) / 4.0;
    let left_out: Vec<f64> = (0..5).map(without).collect();
    assert_near(blocks::jackknife(&left_out), score::standard_error(&values));
}

#[test]
fn blocks_are_whole_groups_or_pieces_of_them() {
    assert_eq!(blocks::blocks(&[]), Vec::new());
    assert_eq!(blocks::blocks(&[3]), [0..1, 1..2, 2..3]);
    let chains = blocks::blocks(&[100, 100]);
    assert_eq!((chains.len(), chains[15].end), (32, 100));
    assert_eq!(blocks::blocks(&[7; 40])[1], 7..14);
    let many = blocks::blocks(&[2; 1000]);
    assert_eq!((many.len(), many[31].end), (32, 2000));
    assert!(many.iter().all(|block| block.start % 2 == 0));
}

#[test]
fn a_single_member_has_no_error_over_draws_and_no_epistemic_entropy() {
    let p = ClassProbabilities::new(vec![0.9, 0.1, 0.2, 0.8, 0.6, 0.4], 2).expect("it is sound");
    let score = accuracy(&p, &[false, true, true]).expect("they fit");
    assert!(score.se_draws.is_nan() && (score.value - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(entropies(&p).epistemic, [0.0; 3]);
    assert_eq!(score.to_string(), "0.67 ± 0.33 (data) ± - (draws)");
}

/// The text of the error.
fn told<T>(outcome: Result<T, MetricsError>) -> String {
    match outcome {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn two(values: &[f64]) -> Result<ClassProbabilities, MetricsError> {
    ClassProbabilities::weighted(values.to_vec(), 2, vec![0.5, 0.5])
}

#[test]
fn bad_probabilities_are_reported_with_their_place() {
    let weighted =
        |weights: &[f64]| ClassProbabilities::weighted(vec![0.5; 4], 2, weights.to_vec());
    let sound = two(&[0.5; 8]).expect("it is sound");
    let cases = [
        (
            two(&[0.5, 0.5, 0.3, 0.7, 0.5, 0.5, 0.5, 0.6]),
            "member 1, observation 1: the probabilities of all classes sum to 1.1, must be 1",
        ),
        (
            two(&[0.5, 0.5, 1.5, -0.5, 0.5, 0.5, 0.5, 0.5]),
            "member 0, observation 1: the probability of class 0 is 1.5, must be from 0 to 1",
        ),
        (
            two(&[f64::NAN, 0.5, 0.5, 0.5]),
            "member 0, observation 0: the probability of class 0 is NaN, must be from 0 to 1",
        ),
        (two(&[]), "there are no observations"),
        (
            two(&[0.5; 6]),
            "there are 6 probabilities, must be a multiple of 4, which is 2 members times 2 classes",
        ),
        (
            ClassProbabilities::new(vec![1.0], 1),
            "there are 1 classes, must be at least 2",
        ),
        (
            weighted(&[0.5, 0.4]),
            "the weights of the members: their sum is 0.9, must be 1",
        ),
        (
            weighted(&[1.5, -0.5]),
            "the weights of the members: weight 1 is -0.5, must be a finite number, at least 0",
        ),
        (weighted(&[]), "there are no members"),
        (
            sound.in_groups(&[3]),
            "there are 3 members in groups, must be 2",
        ),
    ];
    for (outcome, wanted) in cases {
        assert_eq!(told(outcome), wanted);
    }
}

#[test]
fn bad_labels_scores_and_data_are_reported_with_their_place() {
    let p = two(&[0.5; 8]).expect("it is sound");
    let one_class = "; this metric compares observations of both classes";
    let cases = [
        (
            told(accuracy(&p, &[0, 2])),
            "label 1 is 2, must be a whole number from 0 to 1".to_owned(),
        ),
        (
            told(nll(&p, &[-1, 0])),
            "label 0 is -1, must be a whole number from 0 to 1".to_owned(),
        ),
        (
            told(brier(&p, &[true])),
            "there are 1 labels, must be 2".to_owned(),
        ),
        (
            told(calibration_error(&p, &[0, 1], Bins::equal_mass(0))),
            "`bins` is 0, must be at least 1".to_owned(),
        ),
        (
            told(roc_auc(&[0.1, 0.2], &[true; 2])),
            format!("all labels are positive{one_class}"),
        ),
        (
            told(pr_auc(&[0.1, 0.2], &[false; 2])),
            format!("all labels are negative{one_class}"),
        ),
        (
            told(roc_auc(&[0.1, f64::NAN], &[true, false])),
            "score 1 is NaN, must be finite".to_owned(),
        ),
        (
            told(threshold_sweep(&[], &[])),
            "there are no observations".to_owned(),
        ),
        (
            told(at_threshold(&[0.1], &[], 0.5)),
            "there are 0 labels, must be 1".to_owned(),
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
    let numbers = references().regression;
    let draws = predicted(&numbers, numbers.weights.clone());
    assert_eq!(
        told(crps(&draws, &numbers.y[1..])),
        "there are 11 data, must be 12"
    );
    let level = coverage(&draws, &numbers.y, 1.0);
    assert_eq!(told(level), "`level` is 1, must be above 0 and below 1");
    assert_eq!(
        told(rmse(&draws, &[f64::NAN; 12])),
        "datum 0 is NaN, must be finite"
    );
}

#[test]
fn the_error_of_a_coverage_over_draws_is_that_between_runs_and_not_zero() {
    let mut stream = stream(31);
    let mut normals = |count: usize| -> Vec<f64> {
        (0..count)
            .map(|_| StandardNormal.sample(&mut stream))
            .collect()
    };
    let (data, repetitions, draws) = (normals(20), 100, 512);
    let scores: Vec<Score> = (0..repetitions)
        .map(|_| {
            // 32 islands, whose draws are shifted together: predictions of all data share an error
            let mut values = Vec::new();
            for shift in normals(32) {
                let island = normals(20 * draws / 32);
                values.extend(island.into_iter().map(|x| x + 0.25 * shift));
            }
            let draws = Draws {
                weights: vec![1.0 / draws as f64; draws],
                values,
                elements: 20,
                groups: vec![draws / 32; 32],
            };
            coverage(&draws, &data, 0.5).expect("they fit")
        })
        .collect();
    let n = f64::from(repetitions);
    let mean = scores.iter().map(|s| s.value).sum::<f64>() / n;
    let between = scores.iter().map(|s| (s.value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let within = scores.iter().map(|s| s.se_draws.powi(2)).sum::<f64>() / n;
    // the sd of n scores has an error of 1/√(2n); the root of the mean of n squared errors from 32 islands each has an error of
    // 1/√(2·31·n)
    let error = (1.0 / (2.0 * n) + 1.0 / (2.0 * 31.0 * n)).sqrt();
    let z = (within / between).ln() / 2.0 / error;
    assert!(z.abs() < 3.0, "{z}: {within} and {between}");
    assert!(scores.iter().all(|score| score.se_draws > 0.0));
}

#[test]
fn mean_probabilities_are_iterated_by_observation() {
    // two members, two observations, two classes
    let values = vec![0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.4, 0.6];
    let p = ClassProbabilities::weighted(values, 2, vec![0.75, 0.25]).expect("they sum to one");
    let mean = p.mean();
    let mut rows = Vec::new();
    for row in &mean {
        rows.push(row);
    }
    assert_eq!(rows, mean.rows().collect::<Vec<_>>());
    assert!((rows[0][0] - 0.8).abs() < 1e-15 && (rows[1][0] - 0.25).abs() < 1e-15);
}
