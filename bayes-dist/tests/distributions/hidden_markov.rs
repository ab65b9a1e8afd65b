//! Hidden Markov models against the sum over all paths of states.

use crate::battery::stream;
use crate::reference::agrees;
use crate::vectors::{assert_gradient, compare};
use bayes_autodiff::{Dual, Matrix, Real, Value};
use bayes_model::dist::*;

type D = Dual<6>;

const START: [f64; 3] = [0.5, 0.3, 0.2];
const MOVES: [f64; 9] = [0.7, 0.2, 0.1, 0.25, 0.5, 0.25, 0.0, 0.4, 0.6];
const MEANS: [f64; 3] = [-1.0, 0.5, 3.0];
const SERIES: [f64; 6] = [-0.7, 0.1, 2.2, 3.4, 0.3, -1.2];

fn moves() -> Matrix<Value> {
    Matrix::from_elements(3, 3, MOVES.map(Real::constant).to_vec())
}

fn normals() -> [Univariate<Normal, (f64, f64), 2>; 3] {
    MEANS.map(|mean| Normal::new(mean, 1.2))
}

/// All paths of states, each with the density of the path and the series.
fn paths() -> Vec<([usize; 6], f64)> {
    let emission = |t: usize, k: usize| -> f64 {
        let z = (SERIES[t] - MEANS[k]) / 1.2;
        (-0.5 * z * z).exp() / (1.2 * (2.0 * std::f64::consts::PI).sqrt())
    };
    (0..3_usize.pow(6))
        .map(|code| {
            let path: [usize; 6] = std::array::from_fn(|t| code / 3_usize.pow(t as u32) % 3);
            let mut density = START[path[0]] * emission(0, path[0]);
            for t in 1..6 {
                density *= MOVES[path[t - 1] * 3 + path[t]] * emission(t, path[t]);
            }
            (path, density)
        })
        .collect()
}

/// Mutations meant to be detected: a matrix of moves that is read by columns, and the first state without its probability.
#[test]
fn the_density_is_the_sum_over_all_paths() {
    let total: f64 = paths().iter().map(|(_, density)| density).sum();
    let series = HiddenMarkov::new(START, moves(), normals(), 6);
    compare(series, &SERIES, total.ln());
    let counts = |rates: [f64; 2]| {
        let moves = Matrix::from_elements(2, 2, [0.9, 0.1, 0.3, 0.7].map(Real::constant).to_vec());
        HiddenMarkov::new([1.0, 0.0], moves, rates.map(Poisson::new), 2)
    };
    let poisson = |k: i32, rate: f64| {
        let factorial: f64 = (1..=k).map(f64::from).product();
        (-rate).exp() * rate.powi(k) / factorial
    };
    let want = poisson(1, 0.5) * (0.9 * poisson(4, 0.5) + 0.1 * poisson(4, 5.0));
    compare(counts([0.5, 5.0]), &[1.0, 4.0], want.ln());
}

/// Mutation meant to be detected: states that are filtered instead of smoothed, that is, without the later values.
#[test]
fn states_are_those_of_all_paths() {
    let paths = paths();
    let total: f64 = paths.iter().map(|(_, density)| density).sum();
    let series = HiddenMarkov::new(START, moves(), normals(), 6);
    let found: Matrix<Value> = series.state_probabilities(&SERIES);
    for t in 0..6 {
        for k in 0..3 {
            let mine = paths.iter().filter(|(path, _)| path[t] == k);
            let want = mine.map(|(_, density)| density).sum::<f64>() / total;
            assert!(agrees(found[(t, k)].primal(), want), "time {t}, state {k}");
        }
    }
}

#[test]
fn gradients_agree_with_differences() {
    let density = |v: &[Real<D>; 6]| {
        let stay = [v[0].logistic(), v[1].logistic()];
        let moves = vec![stay[0], 1.0 - stay[0], 1.0 - stay[1], stay[1]];
        let emissions = [Normal::new(v[2], v[4].exp()), Normal::new(v[3], v[5].exp())];
        let start = [Real::constant(0.4), Real::constant(0.6)];
        HiddenMarkov::new(start, Matrix::from_elements(2, 2, moves), emissions, 6)
            .log_likelihood(&SERIES)
    };
    assert_gradient(density, [0.5, 1.0, -1.0, 2.0, 0.1, -0.3]);
}

/// The correlation of neighbouring states of a chain that starts from its stationary distribution is the second eigenvalue of its moves.
#[test]
fn draws_follow_the_chain() {
    let moves = Matrix::from_elements(2, 2, [0.9, 0.1, 0.2, 0.8].map(Real::constant).to_vec());
    let emissions = [Normal::new(0.0, 0.001), Normal::new(1.0, 0.001)];
    let series = HiddenMarkov::new([2.0 / 3.0, 1.0 / 3.0], moves, emissions, 20_000);
    let draw = Distribution::<Value>::draw(&series, &mut stream(7));
    let n = draw.len() as f64;
    let mean = draw.iter().sum::<f64>() / n;
    let variance = draw.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let pairs = draw
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean));
    let correlation = pairs.sum::<f64>() / n / variance;
    // the integrated autocorrelation time is (1 + .7) / (1 - .7)
    let error = (2.0 / 9.0 * 5.7 / n).sqrt();
    assert!((mean - 1.0 / 3.0).abs() < 4.0 * error, "{mean}");
    assert!((correlation - 0.7).abs() < 0.04, "{correlation}");
}

#[test]
fn errors_name_the_parameter() {
    let message = |distribution: &dyn Fn() -> Result<(), ParameterError>| {
        distribution().unwrap_err().to_string()
    };
    let identity =
        || Matrix::<Value>::from_elements(2, 2, [1.0, 0.0, 0.0, 1.0].map(Real::constant).to_vec());
    let two = || [Normal::new(0.0, 1.0), Normal::new(1.0, 1.0)];
    let half = [0.5, 0.5];
    for (found, want) in [
        (
            message(&|| HiddenMarkov::new(START, identity(), two(), 3).check()),
            "HiddenMarkov: parameter `start` has length 3, must be 2, the number of emissions",
        ),
        (
            message(&|| HiddenMarkov::new(half, moves(), two(), 3).check()),
            "HiddenMarkov: parameter `moves` is a matrix of 3 x 3, must be a matrix of 2 x 2, a row for each state, or of 4 x 2 if the moves change \
             with time",
        ),
        (
            message(&|| HiddenMarkov::new([0.5, 0.6], identity(), two(), 3).check()),
            "HiddenMarkov: parameter `start` is 1.1, must be a vector that sums to 1 (the value shown is its sum)",
        ),
        (
            message(&|| HiddenMarkov::new(half, identity(), two(), 0).check()),
            "HiddenMarkov: parameter `length` has length 0, must be at least 1",
        ),
    ] {
        assert_eq!(found, want);
    }
    let series = HiddenMarkov::new(half, identity(), two(), 3);
    let error = Distribution::<Value>::check_data(&series, &[0.0, 1.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "HiddenMarkov: got 2 observations, must be a vector of 3, or a matrix with rows of 3"
    );
}
