//! Solutions of differential equations by traces, in forward mode and by finite differences, and their values beside those of others.

use crate::run::{assert_agrees, numbers};
use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::{Mode, Real, Value, Vector};
use bayes_calculus::ode;

/// Prey and predators (Lotka 1925, Volterra 1926) with a random amount set free at a time, and data on the log scale.
struct Animals;

impl Program for Animals {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let rates: Vec<Real<M>> = x[..4].iter().map(|x| 0.5 * (0.3 * *x).exp()).collect();
        let change = |_, [prey, predators]: [Real<M>; 2]| {
            let eaten = prey * predators;
            [
                rates[0] * prey - rates[1] * eaten,
                rates[2] * eaten - rates[3] * predators,
            ]
        };
        let start = [(0.2 * x[4]).exp(), Real::constant(0.8)];
        let states = ode(change, start)
            .dose(3.5, 1, (0.1 * x[5]).exp())
            .steps(6)
            .at(&[1.0, 2.0, 5.0, 8.0]);
        let mut fit = Real::constant(0.0);
        for state in states.rows() {
            fit -= (state[0].ln() - 0.2).square() + (state[1].ln() + 0.1).square();
        }
        [states[(3, 0)], fit]
    }
}

/// Decays in a chain of many states, driven by a rate that jumps.
struct Chain;

impl Program for Chain {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let rate = (0.5 * x[0]).exp();
        let change = |t: f64, z: Vector<M>| {
            let inflow = if t < 1.0 { x[1].exp() } else { x[2].square() };
            Vector::from_fn(z.len(), |i| match i {
                0 => inflow - rate * z[0],
                _ => rate * (z[i - 1] - z[i]),
            })
        };
        let states = ode(change, Vector::zeros(8)).stop_at(&[1.0]);
        let states = states.steps(5).at(&[0.5, 3.0]);
        [states[(1, 7)], states.sum().ln()]
    }
}

/// The reactions of Robertson (1966) with random rates, by implicit steps.
struct Reactions;

impl Program for Reactions {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let [slow, fast, other] = [0.04, 3e7, 1e4].map(|rate| rate * (0.2 * x[0]).exp());
        let change = |_, [a, b, c]: [Real<M>; 3]| {
            let (slow, fast, other) = (slow * a, fast * b * b, other * b * c);
            [other - slow, slow - other - fast, fast]
        };
        let start = [1.0 + 0.1 * x[1], Real::constant(0.0), Real::constant(0.0)];
        let states = ode(change, start).stiff().stop_at(&[0.01]);
        let states = states.steps(10).at(&[0.4, 4.0, 40.0]);
        [states[(2, 0)], states.column(1).ln().sum()]
    }
}

/// The largest difference between the gradient and central differences, relative to the largest derivative.
fn disagreement<P: Program>(program: &P, position: &[f64]) -> f64 {
    let weights = [0.3, 1.0];
    let mut slope = vec![0.0; position.len()];
    gradient(program, position, weights, &mut slope);
    let value = |position: &[f64]| {
        let x: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
        let [prior, likelihood] = program.evaluate(&x);
        weights[0] * prior.primal() + weights[1] * likelihood.primal()
    };
    let size = slope.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let differences = (0..position.len()).map(|k| {
        let moved = |step: f64| {
            let mut moved = position.to_vec();
            moved[k] += step;
            value(&moved)
        };
        let [near, far] = [1e-3, 2e-3].map(|step| (moved(step) - moved(-step)) / (2.0 * step));
        (slope[k] - (4.0 * near - far) / 3.0).abs() / size
    });
    differences.fold(0.0, f64::max)
}

#[test]
fn gradients_are_those_of_differences_and_of_both_modes() {
    assert_agrees(&Animals, &numbers(9 * 6), 6);
    assert_agrees(&Chain, &numbers(9 * 3), 3);
    assert_agrees(&Reactions, &numbers(9 * 2), 2);
    for position in numbers(5 * 2).chunks(2) {
        let error = disagreement(&Reactions, position);
        assert!(error < 1e-8, "{error:e}");
    }
    for position in numbers(5 * 6).chunks(6) {
        let error = disagreement(&Animals, position);
        assert!(error < 1e-9, "{error:e}");
    }
    for position in numbers(5 * 3).chunks(3) {
        let error = disagreement(&Chain, position);
        assert!(error < 1e-9, "{error:e}");
    }
}

fn real(x: f64) -> Real<Value> {
    Real::constant(x)
}

/// The states at these times from this time on by 200 steps in between differ from these by less than 1e-9 of the largest of each element.
fn assert_solved<const N: usize>(
    rates: impl Fn(f64, [Real<Value>; N]) -> [Real<Value>; N],
    (from, start): (f64, [f64; N]),
    states: &[(f64, [f64; N])],
    dose: Option<(f64, f64)>,
) {
    let times: Vec<f64> = states.iter().map(|(time, _)| *time).collect();
    let mut equations = ode(rates, start.map(real)).from(from).steps(200);
    if let Some((time, amount)) = dose {
        equations = equations.dose(time, 0, amount);
    }
    let solved = equations.at(&times);
    for k in 0..N {
        let sizes = states.iter().map(|(_, state)| state[k].abs());
        let size = sizes.fold(0.0, f64::max);
        for (row, (time, state)) in states.iter().enumerate() {
            let got = solved[(row, k)].primal();
            let error = (got - state[k]).abs() / size;
            assert!(
                error < 1e-9,
                "element {k} at {time}: {got}, not {}",
                state[k]
            );
        }
    }
}

// The numbers of the following tests are those of scipy 1.17.1:
// `solve_ivp(f, (t0, times[-1]), z0, method="DOP853", rtol=1e-12, atol=1e-14, t_eval=times).y.T`,
// after a dose from there on.

#[test]
fn lynx_and_hares_are_those_of_scipy() {
    let rates = |_, [u, v]: [Real<Value>; 2]| [0.55 * u - 0.028 * u * v, 0.024 * u * v - 0.8 * v];
    let states = [
        (1.0, [49.28428397550817, 7.176707176520669]),
        (5.0, [18.857370778110493, 39.117048543165794]),
        (10.0, [32.07298550785365, 5.939942635532436]),
        (20.0, [30.297740758114543, 5.985817371979784]),
    ];
    assert_solved(rates, (0.0, [33.956, 5.933]), &states, None);
}

#[test]
fn an_epidemic_is_that_of_scipy() {
    let rates = |_, [s, i]: [Real<Value>; 2]| [-1.7 * s * i, 1.7 * s * i - 0.45 * i];
    let states = [
        (1.0, [0.9942773001119605, 0.004550671796789316]),
        (5.0, [0.553137931173559, 0.29046419572277477]),
        (10.0, [0.04664816657367968, 0.14234325673636183]),
        (14.0, [0.02846473377638737, 0.029770529658588372]),
    ];
    let start = [1.0 - 1.0 / 763.0, 1.0 / 763.0];
    assert_solved(rates, (0.0, start), &states, None);
}

/// A drug that is absorbed from the gut, and eliminated at a rate that saturates.
#[test]
fn absorption_after_two_doses_is_that_of_scipy() {
    let rates = |_, [gut, blood]: [Real<Value>; 2]| {
        let absorbed = 0.75 * gut;
        [-absorbed, absorbed - 0.45 * blood / (0.3 + blood)]
    };
    let states = [
        (1.0, [4.723665527410997, 4.8926762655738045]),
        (4.0, [0.4978706836787356, 7.824039293273476]),
        (6.0, [0.11108996538245747, 7.344875310655614]),
        (8.0, [1.1404383225096022, 10.44368718750263]),
        (12.0, [0.05677908073210009, 9.778089521725144]),
    ];
    assert_solved(rates, (0.0, [10.0, 0.0]), &states, Some((6.0, 5.0)));
}

#[test]
fn carbon_in_soil_is_that_of_scipy() {
    let rates = |_, [fast, slow]: [Real<Value>; 2]| {
        [
            0.4 * 0.08 * slow - 0.6 * fast,
            0.3 * 0.6 * fast - 0.08 * slow,
        ]
    };
    let states = [
        (1.0, [0.44135771690739795, 6.7275045617496465]),
        (5.0, [0.31113690085604373, 5.109858242029262]),
        (25.0, [0.07727690482456781, 1.2819523857633037]),
    ];
    assert_solved(rates, (0.0, [0.5, 7.2]), &states, None);
}
