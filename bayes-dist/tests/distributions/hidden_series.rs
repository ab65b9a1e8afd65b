//! Hidden Markov models whose moves change with time, and of several series, against the sum over all paths of states.

use crate::battery::stream;
use crate::reference::agrees;
use crate::vectors::assert_gradient;
use bayes_autodiff::fault::catch;
use bayes_autodiff::{Dual, Matrix, Mode, Real, Value};
use bayes_model::dist::*;
use nalgebra::DMatrix;

const LENGTH: usize = 6;
const START: [f64; 2] = [0.6, 0.4];
/// The chance to stay in each state at each step.
const STAY: [[f64; 2]; LENGTH - 1] = [[0.9, 0.7], [0.5, 0.8], [0.2, 0.6], [0.95, 0.1], [0.6, 0.6]];
/// A real number and a count.
type NumberAndCount = Product<(
    Univariate<Normal, (f64, f64), 2>,
    Univariate<Poisson, (f64,), 1>,
)>;
const NAN: f64 = f64::NAN;

fn moves<M: Mode>() -> Matrix<M> {
    Matrix::from_fn(2 * (LENGTH - 1), 2, |row, to| {
        let stay = STAY[row / 2][row % 2];
        Real::constant(if row % 2 == to { stay } else { 1.0 - stay })
    })
}

/// A real number and a count in each state.
fn emissions() -> [NumberAndCount; 2] {
    [(-0.5, 1.5), (1.0, 4.0)].map(|(mean, rate)| {
        Product::new((Normal::new(mean, 0.8), Poisson::new(rate))).skip_missing()
    })
}

/// Numbers and counts, some of which are missing: one element, and all of a time.
fn data() -> DMatrix<f64> {
    DMatrix::from_row_slice(
        LENGTH,
        2,
        &[-0.2, 1.0, 0.9, NAN, NAN, NAN, 0.4, 5.0, NAN, 2.0, -1.3, 0.0],
    )
}

/// The density of what is known at a time in a state.
fn emission(t: usize, k: usize) -> f64 {
    let (mean, rate) = [(-0.5, 1.5), (1.0, 4.0_f64)][k];
    let (x, count) = (data()[(t, 0)], data()[(t, 1)]);
    let mut density = 1.0;
    if !x.is_nan() {
        let z = (x - mean) / 0.8;
        density *= (-0.5 * z * z).exp() / (0.8 * std::f64::consts::TAU.sqrt());
    }
    if !count.is_nan() {
        let factorial: f64 = (1..=count as u32).map(f64::from).product();
        density *= (-rate).exp() * rate.powi(count as i32) / factorial;
    }
    density
}

/// All paths of states, each with the density of the path and of what is known.
fn paths() -> Vec<([usize; LENGTH], f64)> {
    let path = |code: usize| -> [usize; LENGTH] { std::array::from_fn(|t| code >> t & 1) };
    let density = |path: &[usize; LENGTH]| {
        let mut density = START[path[0]] * emission(0, path[0]);
        for t in 1..LENGTH {
            let stay = STAY[t - 1][path[t - 1]];
            let stays = path[t] == path[t - 1];
            density *= if stays { stay } else { 1.0 - stay } * emission(t, path[t]);
        }
        density
    };
    let all = (0..1 << LENGTH).map(path);
    all.map(|path| (path, density(&path))).collect()
}

fn series() -> HiddenMarkov<[f64; 2], Matrix<Value>, [NumberAndCount; 2]> {
    HiddenMarkov::new(START, moves(), emissions(), LENGTH).skip_missing()
}

/// Mutations meant to be detected: the moves of the first step for all, one step late, or by columns; a missing element that counts.
#[test]
fn the_density_is_the_sum_over_all_paths() {
    let total: f64 = paths().iter().map(|(_, density)| density).sum();
    assert_eq!(series().check(), Ok(()));
    assert_eq!(series().check_data(&data()), Ok(()));
    let found = series().log_likelihood(&data()).primal();
    assert!(agrees(found, total.ln()), "{found}, wanted {}", total.ln());
}

#[test]
fn states_are_those_of_all_paths_and_the_likeliest_path_is_one_of_them() {
    let paths = paths();
    let total: f64 = paths.iter().map(|(_, density)| density).sum();
    let found: Matrix<Value> = series().state_probabilities(&data());
    for t in 0..LENGTH {
        let mine = paths.iter().filter(|(path, _)| path[t] == 1);
        let wanted = mine.map(|(_, density)| density).sum::<f64>() / total;
        assert!(agrees(found[(t, 1)].primal(), wanted), "time {t}");
    }
    let (best, _) = paths
        .iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are paths");
    let path = series().most_likely_states::<Value, _>(&data());
    let path: Vec<usize> = path.iter().map(|x| x.primal() as usize).collect();
    assert_eq!(path, best);
    // it is not the list of the likeliest states, so the test sees the difference
    let likeliest = (0..LENGTH).map(|t| usize::from(found[(t, 1)].primal() > 0.5));
    assert_ne!(path, likeliest.collect::<Vec<_>>());
}

/// A list of numbers does not say which elements belong to a time.
#[test]
fn a_flat_list_of_vectors_is_refused_by_data_and_states_alike() {
    let flat = [0.0; 2 * LENGTH];
    let turned = data().transpose();
    assert!(series().check_data(&flat).is_err() && series().check_data(&turned).is_err());
    let states = |data: &dyn Fn() -> Matrix<Value>| catch(data).map(|_| ());
    let of_flat = states(&|| series().state_probabilities(&flat)).expect_err("a flat list");
    assert!(of_flat.to_string().contains("12"), "{of_flat}");
    assert!(states(&|| series().state_probabilities(&turned)).is_err());
}

#[test]
fn gradients_agree_with_differences() {
    let density = |v: &[Real<Dual<5>>; 5]| {
        let x = [0.3, -1.0, 0.5, 2.0, -0.4];
        let moves = Matrix::from_fn(2 * (LENGTH - 1), 2, |row, to| {
            let stay = (v[row % 2] + v[2] * x[row / 2]).logistic();
            if row % 2 == to { stay } else { 1.0 - stay }
        });
        let emissions = [0, 1].map(|k| {
            let factors = (Normal::new(v[3] * k as f64, 0.8), Poisson::new(v[4].exp()));
            Product::new(factors).skip_missing()
        });
        HiddenMarkov::new(START, moves, emissions, LENGTH)
            .skip_missing()
            .log_likelihood(&data())
    };
    assert_gradient(density, [0.5, 1.0, -0.7, 0.8, 0.4]);
}

/// A series of counts with gaps has the density of its known ones.
#[test]
fn missing_counts_say_nothing_of_their_state() {
    let counts = [Some(1_u64), None, Some(6)];
    let moves = DMatrix::from_row_slice(2, 2, &[0.9, 0.1, 0.3, 0.7]);
    let emissions = || [Poisson::new(0.5), Poisson::new(5.0)];
    let whole = HiddenMarkov::new(START, &moves, emissions(), 3);
    let refused = Distribution::<Value>::check_data(&whole, &counts);
    let refused = refused.expect_err("a count is missing").to_string();
    assert!(
        refused.starts_with("HiddenMarkov: observation at index 1 is NaN"),
        "{refused}"
    );
    let found = whole.skip_missing().log_likelihood(&counts);
    let two_steps = &moves * &moves;
    let known = HiddenMarkov::new(START, two_steps, emissions(), 2).log_likelihood(&[1_u64, 6]);
    let [found, known]: [Real<Value>; 2] = [found, known];
    assert!(agrees(found.primal(), known.primal()));
}

/// Mutations meant to be detected: draws that take the moves of one step for all, or of the next.
#[test]
fn draws_follow_the_moves_of_each_step() {
    let sure = |mean: f64| Product::new([Normal::new(mean, 1e-6), Normal::new(-mean, 1e-6)]);
    let series = HiddenMarkov::new(START, moves::<Value>(), [sure(0.0), sure(1.0)], LENGTH);
    let n = 20_000;
    let mut stays = [[[0.0; 2]; 2]; LENGTH - 1];
    let mut stream = stream(11);
    for _ in 0..n {
        let draw = Distribution::<Value>::draw(&series, &mut stream);
        assert!(draw.chunks(2).all(|x| (x[0] + x[1]).abs() < 1e-4));
        let path: Vec<usize> = draw.chunks(2).map(|x| x[0].round() as usize).collect();
        for t in 1..LENGTH {
            let stayed = f64::from(u8::from(path[t] == path[t - 1]));
            stays[t - 1][path[t - 1]][0] += stayed;
            stays[t - 1][path[t - 1]][1] += 1.0;
        }
    }
    for (t, stays) in stays.iter().enumerate() {
        for (k, [stayed, all]) in stays.iter().enumerate() {
            let error = (STAY[t][k] * (1.0 - STAY[t][k]) / all).sqrt();
            let share = stayed / all;
            assert!((share - STAY[t][k]).abs() < 4.5 * error, "step {t}, {k}");
        }
    }
}

#[test]
fn errors_name_what_does_not_fit() {
    let wrong = HiddenMarkov::new(START, moves::<Value>(), emissions(), LENGTH + 1);
    assert_eq!(
        wrong.check().expect_err("six steps").to_string(),
        "HiddenMarkov: parameter `moves` is a matrix of 10 x 2, must be a matrix of 2 x 2, a row for each state, or of 12 x 2 if the moves \
         change with time"
    );
    let mut moves = moves::<Value>();
    moves[(7, 0)] = Real::constant(0.5);
    let wrong = HiddenMarkov::new(START, moves, emissions(), LENGTH);
    let text = wrong.check().expect_err("a row").to_string();
    assert!(
        text.contains("`moves` is 0.6, must be a vector that sums to 1"),
        "{text}"
    );
    let flat: Vec<f64> = data().transpose().as_slice().to_vec();
    let text = series().check_data(&flat).expect_err("a list").to_string();
    assert_eq!(
        text,
        "HiddenMarkov: got 12 observations, must be a matrix of 6 x 2, a row for each time"
    );
    let mut half = data();
    half[(3, 1)] = 1.5;
    let text = series()
        .check_data(&half)
        .expect_err("no count")
        .to_string();
    assert!(
        text.starts_with("Poisson: observation at index 7 is 1.5"),
        "{text}"
    );
}
