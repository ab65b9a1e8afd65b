//! Improper posteriors with a mode, to which most climbs lead, are refused, and their proper neighbours are not.

use bayes::inspect::Check;
use bayes::prelude::*;

/// One mean and a scale for each group.
#[model]
fn groups(y: &[f64], group: &[usize]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let sigma = sample(HalfNormal::new(5.0).iid(2));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu, sigma[group[i]]));
    }
}

/// Two components with scales of their own.
#[model]
fn mixture(y: &[f64]) {
    let share = sample(Beta::new(2.0, 2.0));
    let mu = sample(Normal::new(0.0, 3.0).iid(2));
    let sigma = sample(HalfNormal::new(2.0).iid(2));
    let components = (0..2).map(|k| Normal::new(mu[k], sigma[k]));
    let components: Vec<_> = components.collect();
    observe(y, Mixture::new([share, 1.0 - share], components));
}

/// A flat slope beside coefficients with informative priors.
#[model]
fn logistic(x: &[f64], z: &[f64], y: &[bool]) {
    let intercept = sample(Normal::new(0.0, 1.0));
    let slope = sample(Flat::new());
    let other = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        observe(
            y[i],
            BernoulliLogit::new(intercept + slope * x[i] + other * z[i]),
        );
    }
}

/// A spread of group means with a flat prior, which is proper with three groups or more.
#[model]
fn spread(y: &[f64]) {
    let mu = sample(Flat::new());
    let tau = sample(Flat::above(0.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu + tau * z[i], 1.0));
    }
}

/// The same with a proper prior of the spread.
#[model]
fn proper_spread(y: &[f64], scale: f64) {
    let mu = sample(Flat::new());
    let tau = sample(HalfCauchy::new(scale));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu + tau * z[i], 1.0));
    }
}

/// The same with a flat prior of the logarithm of the spread.
#[model]
fn log_spread(y: &[f64]) {
    let mu = sample(Flat::new());
    let log_tau = sample(Flat::new());
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu + log_tau.exp() * z[i], 1.0));
    }
}

/// 50 values of the second group around 1, and two of the first.
fn grouped(first: [f64; 2]) -> (Vec<f64>, Vec<usize>) {
    let others = (0..50).map(|i| 1.0 + (f64::from(i) * 2.399).sin());
    let y = first.into_iter().chain(others).collect();
    (y, (0..52).map(|i| usize::from(i > 1)).collect())
}

/// 20 values in two clusters; the last two are equal if `ties`.
fn clustered(ties: bool) -> Vec<f64> {
    let mut y: Vec<f64> = (0..20)
        .map(|i| if i < 10 { -2.0 } else { 2.0 } + (f64::from(i) * 2.399).sin())
        .collect();
    if ties {
        y[19] = y[18];
    }
    y
}

/// Rows whose replies are the sign of the first predictor, but for `wrong`.
fn separated(wrong: &[usize]) -> (Vec<f64>, Vec<f64>, Vec<bool>) {
    let x: Vec<f64> = (0..12).map(|i| 0.3 * f64::from(i) - 1.65).collect();
    let z = (0..12).map(|i| (f64::from(i) * 2.399).cos()).collect();
    let y = x.iter().enumerate();
    let y = y.map(|(i, x)| (*x > 0.0) != wrong.contains(&i)).collect();
    (x, z, y)
}

/// Seeds by which each model is checked.
const SEEDS: u64 = 8;

/// The number of seeds by which `check` finds the posterior to be improper, and the quantities that go to an edge.
fn found<M: Model + Differentiable>(model: &M) -> (u64, Vec<String>) {
    let of = |seed| {
        let check = Check::new().seed(seed).forecast(false);
        let report = model.check(check).expect("the model fits its data");
        report.improper.map(|found| found.quantity)
    };
    let all: Vec<String> = (0..SEEDS).filter_map(of).collect();
    let mut names = all.clone();
    names.sort();
    names.dedup();
    (all.len() as u64, names)
}

#[test]
fn equal_values_of_one_group_are_found_beside_a_mode() {
    let (y, group) = grouped([3.0, 3.0]);
    assert_eq!(
        found(&groups(&y, &group)),
        (SEEDS, vec!["sigma[0]".to_owned()])
    );
    let (y, group) = grouped([3.0, 3.1]);
    assert_eq!(found(&groups(&y, &group)).0, 0);
    let (y, group) = grouped([1.0, 5.0]);
    assert_eq!(found(&groups(&y, &group)).0, 0);
}

#[test]
fn equal_values_in_a_mixture_are_found_beside_its_modes() {
    let (seeds, names) = found(&mixture(&clustered(true)));
    assert!(seeds >= SEEDS - 1, "{seeds} of {SEEDS}");
    assert!(
        names.iter().all(|name| name.starts_with("sigma")),
        "{names:?}"
    );
    assert_eq!(found(&mixture(&clustered(false))).0, 0);
}

#[test]
fn a_flat_slope_that_separates_is_found_beside_informative_priors() {
    let (x, z, y) = separated(&[]);
    assert_eq!(
        found(&logistic(&x, &z, &y)),
        (SEEDS, vec!["slope".to_owned()])
    );
    let (x, z, y) = separated(&[5]);
    assert_eq!(found(&logistic(&x, &z, &y)).0, 0);
}

#[test]
fn spreads_of_groups_with_flat_priors_are_found_where_they_are_improper() {
    assert_eq!(found(&log_spread(&[0.3, -1.2, 2.5, 4.0])).0, SEEDS);
    assert_eq!(found(&spread(&[0.3, -1.2, 2.5, 4.0])).0, 0);
}

/// The marginal density of the spread of two groups is level far out, where the ridge of their means is too narrow for differences of
/// gradients; the third group makes it fall.
#[test]
fn a_flat_spread_of_two_groups_is_found() {
    for y in [[0.3, -1.2], [-20.0, 15.0]] {
        assert_eq!(found(&spread(&y)), (SEEDS, vec!["tau".to_owned()]), "{y:?}");
    }
    for scale in [5.0, 1e6] {
        assert_eq!(found(&proper_spread(&[0.3, -1.2], scale)).0, 0, "{scale}");
    }
    for y in [[0.3, -1.2, 2.5], [-20.0, 15.0, 300.0]] {
        assert_eq!(found(&spread(&y)).0, 0, "{y:?}");
    }
}
