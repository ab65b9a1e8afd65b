//! Gaussian fields with sparse precisions, drift diffusion and hidden Markov models of several series: gradients by every mode, evidence
//! against an exact one, and a field of counts.

use crate::battery::agree;
use bayes::prelude::*;

/// Fields on a map and on a grid, by value and by reference, copies, and data.
#[model]
fn fields(map: &Neighbours, grid: &MaternGrid, y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let rho = sample(Beta::new(2.0, 2.0));
    let precision = map.car(1.0 / sd.square(), rho);
    let u = sample(GaussianField::new(0.5 * sd, &precision));
    let v = sample(GaussianField::new(&u, map.leroux(sd, rho)).iid(2));
    let w = sample(GaussianField::new(0.0, grid.precision(sd, 2.0 + rho)));
    observe(y, GaussianField::new(v.row(1), &precision));
    observe(y, Normal::new(u + w, 1.0));
}

#[model]
fn choices(x: &[f64], difficulty: &[f64]) {
    let boundary = sample(Gamma::new(4.0, 2.0));
    let non_decision = sample(Uniform::new(0.0, 0.4));
    let start = sample(Beta::new(2.0, 2.0));
    let slope = sample(Normal::new(0.0, 1.0));
    observe(
        x,
        Wiener::new(boundary, non_decision, start, 1.0 + slope * difficulty),
    );
}

/// Answers up to a limit, late ones with a choice, and a late one without.
#[model]
fn late_choices(x: &[f64]) {
    let boundary = sample(Gamma::new(4.0, 2.0));
    let non_decision = sample(Uniform::new(0.0, 0.4));
    let start = sample(Beta::new(2.0, 2.0));
    let drift = sample(Normal::new(0.0, 1.0));
    let process = Wiener::new(boundary, non_decision, start, drift);
    observe(x, process.truncated(-5.0, 4.0));
    observe(x, process.censored(-4.0, 1.9));
    factor(process.log_cdf_at(-2.0).log_add_exp(process.log_sf_at(2.0)));
    let _kept = sample(process.truncated(-3.0, 3.0));
}

#[model]
fn hours(seen: &DMatrix<f64>, night: &[f64]) {
    let hours = seen.nrows();
    let step = sample(Gamma::new(2.0, 0.5).iid(2).ordered());
    let leave = sample(Normal::new(-1.0, 1.0).iid(2));
    let by_night = sample(Normal::new(0.0, 1.0));
    let moves: Matrix = Matrix::from_fn(2 * (hours - 1), 2, |row, to| {
        let change = (leave[row % 2] + by_night * night[row / 2 + 1]).logistic();
        if row % 2 == to { 1.0 - change } else { change }
    });
    let emissions = [0, 1].map(|k| {
        Product::new((Gamma::new(2.0, 2.0 / step[k]), Poisson::new(step[k]))).skip_missing()
    });
    let series = HiddenMarkov::new([0.5, 0.5], &moves, emissions, hours).skip_missing();
    let state = deterministic(series.state_probabilities(seen));
    let path = deterministic(series.most_likely_states(seen));
    observe(seen, series);
}

const SEEN: [f64; 10] = [
    0.2,
    0.0,
    f64::NAN,
    f64::NAN,
    5.1,
    f64::NAN,
    7.0,
    4.0,
    0.3,
    1.0,
];

/// Mutation meant to be detected: an operation that the trace and forward mode compute differently.
#[test]
fn gradients_agree_in_every_mode() {
    let map = Neighbours::new(6, &[(0, 2), (2, 4), (4, 5), (0, 4), (3, 1)]).expect("it is a map");
    let grid = MaternGrid::new(2, 3, 0.7).unwrap();
    agree(&fields(&map, &grid, &[0.4, 0.9, -1.1, -0.9, 0.5, 0.2]));
    agree(&choices(&[0.61, -0.7, 1.9, -4.0], &[0.1, 0.9, 0.3, 1.0]));
    agree(&late_choices(&[0.61, -0.7, 1.9, -4.0]));
    let seen = DMatrix::from_row_slice(5, 2, &SEEN);
    agree(&hours(&seen, &[0.0, 1.0, 1.0, 0.0, 0.0]));
}

/// Normal data about a field of known precision: their evidence is a normal density with the sum of both covariances.
#[model]
fn noisy(map: &Neighbours, y: &[f64]) {
    let field = sample(GaussianField::new(0.5, map.car(2.0, 0.8)));
    observe(y, Normal::new(&field, 0.4));
}

/// Mutation meant to be detected: a determinant that is not the one of the precision.
#[test]
fn the_evidence_of_data_about_a_field_is_exact() {
    let map = Neighbours::new(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]).expect("it is a map");
    let y = [0.9, 0.1, -0.4, 1.3];
    let engine = Inference::psmc().islands(8).particles(256);
    let run = engine.seed(3).progress(false).run(&noisy(&map, &y));
    let run = run.expect("the model is sound");
    let mut precision = DMatrix::<f64>::zeros(4, 4);
    for [a, b] in map.edges() {
        precision[(*a, *a)] += 2.0;
        precision[(*b, *b)] += 2.0;
        precision[(*a, *b)] = -1.6;
        precision[(*b, *a)] = -1.6;
    }
    let covariance = precision.try_inverse().expect("it is positive definite");
    let covariance = covariance + DMatrix::identity(4, 4) * 0.16;
    let from_mean = DVector::from_fn(4, |i, _| y[i] - 0.5);
    let factor = covariance.cholesky().expect("it is positive definite");
    let log_determinant = factor.l().diagonal().map(f64::ln).sum();
    let square = from_mean.dot(&factor.solve(&from_mean));
    let exact = -0.5 * square - log_determinant - 2.0 * std::f64::consts::TAU.ln();
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|x| x.expect("islands have an evidence"));
    assert!(error < 0.05, "the error {error} shows nothing");
    assert!(
        (evidence - exact).abs() < 4.0 * error,
        "{evidence} ± {error}, exactly {exact}"
    );
}

#[model]
fn trees(grid: &MaternGrid, counts: &[u64]) {
    let sd = sample(HalfNormal::new(1.0));
    let range = sample(InverseGamma::new(4.0, 30.0));
    let field = sample(GaussianField::new(0.0, grid.precision(sd, range)));
    observe(counts, PoissonLog::new(0.5 + &field));
}

/// The field of counts that are high in one half of a grid and low in the other.
#[test]
fn a_field_is_found_from_counts() {
    let grid = MaternGrid::new(12, 12, 1.0).unwrap();
    let is_wood = |place: usize| place < 72;
    let count = |place: usize| match is_wood(place) {
        true => 6,
        false => u64::from(place.is_multiple_of(3)),
    };
    let counts: Vec<u64> = (0..144).map(count).collect();
    let engine = Inference::nuts()
        .burn_in(300)
        .draws(100)
        .seed(1)
        .progress(false);
    let run = engine.run(&trees(&grid, &counts));
    let field = run.expect("the model is sound").mean("field");
    let field = field.expect("it is kept");
    let mean = |wood: bool| {
        let own = (0..144).filter(|place| is_wood(*place) == wood);
        own.map(|place| field[place]).sum::<f64>() / 72.0
    };
    let [high, low] = [mean(true), mean(false)];
    assert!(high > 0.8 && low < -0.5, "{high} and {low}");
}
