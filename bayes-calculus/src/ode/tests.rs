use super::explicit::{ERROR, NODES, WEIGHTS};
use super::{Solution, Unknown, Unseen, Watch, ode, stiff, watch};
use bayes_autodiff::fault::{Fault, catch};
use bayes_autodiff::{Matrix, Real, Value, Vector};

fn real(x: f64) -> Real<Value> {
    Real::constant(x)
}

fn column(states: &Matrix<Value>, k: usize) -> Vec<f64> {
    states.rows().map(|row| row[k].primal()).collect()
}

fn assert_near(got: &[f64], want: &[f64], error: f64) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= error, "{got}, not {want}");
    }
}

/// The conditions of order four, and those of order five for rates that depend on time alone. A wrong digit of a weight fails one of them.
#[test]
fn the_weights_satisfy_the_conditions_of_their_order() {
    let (weights, mut matrix) = (WEIGHTS[5], vec![[0.0; 6]]);
    matrix.extend_from_slice(&WEIGHTS[..5]);
    for (row, node) in matrix.iter().zip(NODES) {
        assert!((row.iter().sum::<f64>() - node).abs() < 1e-15);
    }
    let apply = |x: &[f64; 6]| -> [f64; 6] {
        std::array::from_fn(|i| matrix[i].iter().zip(x).map(|(a, x)| a * x).sum())
    };
    let total = |x: [f64; 6]| -> f64 { weights.iter().zip(x).map(|(b, x)| b * x).sum() };
    let power = |k: i32| -> [f64; 6] { std::array::from_fn(|i| NODES[i].powi(k)) };
    let times = |a: [f64; 6], b: [f64; 6]| -> [f64; 6] { std::array::from_fn(|i| a[i] * b[i]) };
    let c = power(1);
    let conditions = [
        (total(power(0)), 1.0),
        (total(c), 1.0 / 2.0),
        (total(power(2)), 1.0 / 3.0),
        (total(apply(&c)), 1.0 / 6.0),
        (total(power(3)), 1.0 / 4.0),
        (total(times(c, apply(&c))), 1.0 / 8.0),
        (total(apply(&power(2))), 1.0 / 12.0),
        (total(apply(&apply(&c))), 1.0 / 24.0),
        (total(power(4)), 1.0 / 5.0),
        (total(times(power(2), apply(&c))), 1.0 / 10.0),
        (total(times(c, apply(&power(2)))), 1.0 / 15.0),
        (total(times(c, apply(&apply(&c)))), 1.0 / 30.0),
        (total(times(apply(&c), apply(&c))), 1.0 / 20.0),
        (total(apply(&power(3))), 1.0 / 20.0),
        (total(apply(&times(c, apply(&c)))), 1.0 / 40.0),
        (total(apply(&apply(&power(2)))), 1.0 / 60.0),
        (total(apply(&apply(&apply(&c)))), 1.0 / 120.0),
    ];
    for (i, (got, want)) in conditions.iter().enumerate() {
        assert!((got - want).abs() < 1e-14, "condition {i}: {got}, {want}");
    }
    for power in 0..4 {
        let sum: f64 = (0..7).map(|i| ERROR[i] * NODES[i].powi(power)).sum();
        assert!(sum.abs() < 1e-15, "power {power}: {sum}");
    }
}

/// The conditions of order three for any matrix in place of the Jacobian, and stability at infinity.
#[test]
fn the_weights_of_implicit_steps_satisfy_the_conditions_of_their_order() {
    type Four = [f64; 4];
    let square = |rows: [[f64; 3]; 4], diagonal: f64| -> [Four; 4] {
        std::array::from_fn(|i| {
            std::array::from_fn(|k| match i == k {
                true => diagonal,
                false => rows[i].get(k).copied().unwrap_or(0.0),
            })
        })
    };
    let (alpha, gamma) = (
        square(stiff::ALPHA, 0.0),
        square(stiff::GAMMA, stiff::DIAGONAL),
    );
    let dot = |a: &Four, b: &Four| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let apply = |m: &[Four; 4], x: &Four| -> Four { m.map(|row| dot(&row, x)) };
    let (b, ones) = (stiff::WEIGHTS, [1.0; 4]);
    let (a, g) = (apply(&alpha, &ones), apply(&gamma, &ones));
    let conditions = [
        (dot(&b, &ones), 1.0),
        (dot(&b, &a), 0.5),
        (dot(&b, &g), 0.0),
        (dot(&b, &a.map(|a| a * a)), 1.0 / 3.0),
        (dot(&b, &apply(&alpha, &a)), 1.0 / 6.0),
        (dot(&b, &apply(&alpha, &g)), 0.0),
        (dot(&b, &apply(&gamma, &a)), 0.0),
        (dot(&b, &apply(&gamma, &g)), 0.0),
    ];
    for (i, (got, want)) in conditions.iter().enumerate() {
        assert!((got - want).abs() < 1e-15, "condition {i}: {got}, {want}");
    }
    // the last stage is the step itself: nothing is left of what settles at once
    for k in 0..4 {
        assert!((b[k] - alpha[3][k] - gamma[3][k]).abs() < 1e-15);
    }
}

#[test]
fn twice_as_many_implicit_steps_have_an_eighth_of_the_error() {
    let rates = |_, [x, v]: [Real<Value>; 2]| [v, -x];
    let error = |steps| {
        let z = ode(rates, [real(1.0), real(0.0)]).stiff().steps(steps);
        (z.at(&[6.0])[(0, 0)].primal() - 6.0_f64.cos()).abs()
    };
    let ratio = error(200) / error(400);
    assert!((7.0..9.0).contains(&ratio), "{ratio}");
    // rates that depend on time
    let error = |steps| {
        let z = ode(|t, [z]| [real((3.0 * t).sin()) - z], [real(0.0)]).stiff();
        let exact = 0.1 * ((6.0_f64).sin() - 3.0 * (6.0_f64).cos() + 3.0 * (-2.0_f64).exp());
        (z.steps(steps).at(&[2.0])[(0, 0)].primal() - exact).abs()
    };
    let ratio = error(50) / error(100);
    assert!((6.5..9.5).contains(&ratio), "{ratio}");
}

/// An oscillator from rest at 1: `cos t`, `-sin t`.
fn oscillator(steps: usize, times: &[f64]) -> Matrix<Value> {
    ode(|_, [x, v]| [v, -x], [real(1.0), real(0.0)])
        .steps(steps)
        .at(times)
}

#[test]
fn twice_as_many_steps_have_a_thirty_second_of_the_error() {
    let error = |steps| (oscillator(steps, &[6.0])[(0, 0)].primal() - 6.0_f64.cos()).abs();
    let ratio = error(40) / error(80);
    assert!((28.0..36.0).contains(&ratio), "{ratio}");
    assert!(error(80) < 1e-8);
}

#[test]
fn doses_between_and_at_times_have_the_sum_of_their_decays() {
    let rate = real(0.7);
    let times = [0.0, 1.0, 2.5, 2.5, 4.0];
    let z = ode(|_, [z]| [-rate * z], [real(3.0)])
        .dose(2.5, 0, 2.0)
        .dose(0.0, 0, real(1.0))
        .dose(9.0, 0, 100.0)
        .steps(20)
        .at(&times);
    let decayed = |amount: f64, time: f64| amount * (-0.7 * time).exp();
    // a state at the time of a dose is that before it
    let want = [
        3.0,
        decayed(4.0, 1.0),
        decayed(4.0, 2.5),
        decayed(4.0, 2.5),
        decayed(4.0, 4.0) + decayed(2.0, 1.5),
    ];
    assert_near(&column(&z, 0), &want, 1e-9);
}

#[test]
fn rates_that_jump_at_stops_are_exact() {
    let rates = |t: f64, [_]: [Real<Value>; 1]| match t {
        t if t <= 2000.0 => [real(1000.0)],
        t if t < 2001.0 => [real(1.0)],
        t if t <= 2003.0 => [real(-1.0)],
        _ => [real(1000.0)],
    };
    let z = ode(rates, [real(0.0)])
        .from(2000.0)
        .stop_at(&[2001.0])
        .at(&[2000.0, 2002.5, 2003.0]);
    assert_near(&column(&z, 0), &[0.0, -0.5, -1.0], 1e-12);
}

#[test]
fn a_vector_and_an_array_give_the_same() {
    let capacity = 5.0;
    let growth = real(1.3);
    let start = Vector::constant(&[0.5, 2.0]);
    let vector = ode(
        |_, z: Vector<Value>| z.map(|z| growth * z * (1.0 - z / capacity)),
        start,
    );
    let vector = vector.steps(30).at(&[1.0, 3.0]);
    let logistic =
        |start: f64, t: f64| capacity / (1.0 + (capacity / start - 1.0) * (-1.3 * t).exp());
    assert_near(
        &column(&vector, 0),
        &[logistic(0.5, 1.0), logistic(0.5, 3.0)],
        1e-7,
    );
    let array = ode(
        |_, z| z.map(|z: Real<Value>| growth * z * (1.0 - z / capacity)),
        [real(0.5), real(2.0)],
    );
    let array = array.steps(30).at(&[1.0, 3.0]);
    assert_eq!(column(&vector, 1), column(&array, 1));
}

fn solution(body: impl FnOnce() -> Matrix<Value>) -> Solution {
    let (_, found) = watch(Watch::Fixed, body);
    assert_eq!(found.len(), 1);
    found[0]
}

#[test]
fn the_error_of_fixed_steps_is_found_and_the_other_solution_can_be_had() {
    let times = [1.0, 6.0];
    let found = solution(|| oscillator(10, &times));
    let off = column(&oscillator(10, &times), 0);
    let error = (off[1] - 6.0_f64.cos()).abs() / 1.0;
    let error =
        error.max((column(&oscillator(10, &times), 1)[1] + 6.0_f64.sin()).abs() / 1.0_f64.sin());
    assert!(
        (found.error / error - 1.0).abs() < 0.1,
        "{found:?}, {error}"
    );
    assert!(!found.is_stiff);
    let (exact, _) = watch(Watch::Fitting, || oscillator(10, &times));
    assert_near(&column(&exact, 0), &times.map(f64::cos), 1e-5);
    assert!((column(&exact, 0)[1] - 6.0_f64.cos()).abs() < 0.1 * error);
}

#[test]
fn what_is_exact_enough_is_not_called_inexact() {
    for steps in [100, 300] {
        let found = solution(|| oscillator(steps, &[1.0, 6.0]));
        assert!(found.error < 1e-5, "{found:?}");
    }
}

/// Robertson's reactions (1966), the usual example of stiff equations.
fn robertson(steps: usize, end: f64) -> Matrix<Value> {
    let rates = |_, [a, b, c]: [Real<Value>; 3]| {
        let (slow, fast, other) = (0.04 * a, 3e7 * b * b, 1e4 * b * c);
        [other - slow, slow - other - fast, fast]
    };
    ode(rates, [real(1.0), real(0.0), real(0.0)])
        .steps(steps)
        .at(&[end])
}

#[test]
fn stiff_equations_are_called_stiff() {
    for end in [40.0, 1e5] {
        let found = solution(|| robertson(10, end));
        assert!(found.is_stiff && found.error > 1.0, "{end}: {found:?}");
    }
}

/// By scipy 1.17.1: `solve_ivp(f, (0, 40), [1, 0, 0], method="Radau", rtol=1e-12, atol=1e-16, t_eval=[0.4, 4, 40])`.
#[test]
fn implicit_steps_solve_stiff_equations() {
    let states = [
        (
            0.4,
            [
                0.9851721138609888,
                3.386395378974875e-05,
                0.014794022185221484,
            ],
        ),
        (
            4.0,
            [
                0.905518678584252,
                2.2404756875602687e-05,
                0.0944589166588718,
            ],
        ),
        (
            40.0,
            [
                0.7158270687194148,
                9.185534764558208e-06,
                0.28416374574582026,
            ],
        ),
    ];
    let rates = |_, [a, b, c]: [Real<Value>; 3]| {
        let (slow, fast, other) = (0.04 * a, 3e7 * b * b, 1e4 * b * c);
        [other - slow, slow - other - fast, fast]
    };
    let start = [real(1.0), real(0.0), real(0.0)];
    let equations = || ode(rates, start).stiff().stop_at(&[1e-3, 1e-2]).steps(20);
    let times = states.map(|(time, _)| time);
    let found = solution(|| equations().at(&times));
    assert!(found.error < 1e-4 && !found.is_stiff, "{found:?}");
    let solved = equations().at(&times);
    for k in 0..3 {
        let largest = states
            .map(|(_, state)| state[k])
            .into_iter()
            .fold(0.0, f64::max);
        assert_near(
            &column(&solved, k),
            &states.map(|(_, state)| state[k]),
            1e-4 * largest,
        );
    }
    // beside it the explicit method fails, and the error is known by implicit steps
    let found = solution(|| ode(rates, start).steps(3000).at(&[1000.0]));
    assert!(found.is_stiff, "{found:?}");
}

#[test]
fn a_solution_that_cannot_be_had_is_called_wrong() {
    // z = 1 / (1 - t) has no value at 1
    let found = solution(|| ode(|_, [z]| [z * z], [real(1.0)]).at(&[2.0]));
    assert_eq!(found.error, f64::INFINITY);
    let found = solution(|| ode(|_, [_]| [real(f64::NAN)], [real(1.0)]).at(&[2.0]));
    assert_eq!(found.error, f64::INFINITY);
}

#[test]
fn why_an_error_is_not_known_is_said() {
    let unknown = |rates: fn(f64, [Real<Value>; 1]) -> [Real<Value>; 1], start: f64| {
        solution(|| ode(rates, [real(start)]).at(&[2.0])).unknown
    };
    assert_eq!(unknown(|_, [z]| [-z], f64::NAN), Some(Unknown::Start));
    assert_eq!(unknown(|_, [z]| [(-z).ln()], 1.0), Some(Unknown::Rates));
    // finite at the start, and not where z falls below 0
    assert_eq!(
        unknown(|_, [z]| [-z.sqrt() - 1.0], 1.0),
        Some(Unknown::Steps)
    );
    assert_eq!(unknown(|_, [z]| [z * z], 1.0), Some(Unknown::Steps));
    assert_eq!(unknown(|_, [z]| [-z], 1.0), None);
}

/// An inflow that ends at a time that is no stop, and decay.
fn infusion(steps: usize, stops: &[f64]) -> Solution {
    let rates = |t, [z]: [Real<Value>; 1]| [real(if t < 1.37 { 2.0 } else { 0.0 }) - 0.5 * z];
    solution(|| {
        let equations = ode(rates, [real(0.0)]).steps(steps);
        equations.stop_at(stops).at(&[1.0, 2.0, 4.0])
    })
}

/// The mutation that it detects: more steps are believed to help at a jump.
#[test]
fn rates_that_jump_between_stops_are_rough_and_smooth_ones_are_not() {
    for steps in 3..9 {
        let found = infusion(steps, &[]);
        assert!(found.is_rough && found.error > 1e-4, "{found:?}");
    }
    let found = infusion(4, &[1.37]);
    assert!(!found.is_rough && found.error < 1e-4, "{found:?}");
    for steps in [4, 8] {
        let found = solution(|| oscillator(steps, &[1.0, 6.0]));
        assert!(!found.is_rough && found.error > 1e-5, "{found:?}");
    }
}

/// The mutation that it detects: a warning of a dose at the last time, which no state sees by intention.
#[test]
fn a_dose_or_stop_after_the_last_time_is_noted() {
    let decay = || ode(|_, [x]| [-x], [real(1.0)]);
    let unseen = |times: &[f64]| {
        let equations = || decay().dose(1.0, 0, 1.0).dose(8.0, 0, 1.0).stop_at(&[9.0]);
        solution(|| equations().at(times)).unseen
    };
    let dose = Unseen {
        what: "dose",
        index: 1,
        time: 8.0,
        last: 6.0,
    };
    assert_eq!(unseen(&[2.0, 6.0]), Some(dose));
    let stop = Unseen {
        what: "stop",
        index: 0,
        time: 9.0,
        last: 8.0,
    };
    assert_eq!(unseen(&[2.0, 8.0]), Some(stop));
    assert_eq!(unseen(&[9.0]), None);
    assert_eq!(unseen(&[]), None);
}

#[test]
fn equations_within_rates_are_compared_once() {
    let inner = |z: Real<Value>| ode(|_, [x]| [-x], [z]).at(&[0.1])[(0, 0)];
    let outer = || ode(|_, [z]| [-inner(z)], [real(1.0)]).at(&[1.0]);
    let (_, found) = watch(Watch::Fixed, outer);
    assert_eq!(found.len(), 25, "of 24 rates, and the whole");
    assert!(found.iter().all(|found| found.error < 1e-4));
}

/// The message of the fault of equations with this state.
fn refused(solve: impl FnOnce() -> Matrix<Value>) -> String {
    let fault = catch(solve).expect_err("it is refused");
    assert!(matches!(fault, Fault::Equations { line, .. } if line > 0));
    fault.reason()
}

#[test]
fn what_cannot_be_solved_says_why() {
    let decay = || ode(|_, [x, y]| [-x, -y], [real(1.0), real(1.0)]);
    let cases = [
        (
            refused(|| decay().at(&[1.0, f64::NAN])),
            "`ode`: the time with index 1 is NaN, must be finite",
        ),
        (
            refused(|| decay().at(&[1.0, 3.0, 2.0])),
            "`ode`: the time with index 2 is 2.0, must not be before the time with index 1 at 3.0",
        ),
        (
            refused(|| decay().from(4.0).at(&[2.0])),
            "`ode`: the time with index 0 is 2.0, must not be before the start at 4.0",
        ),
        (
            refused(|| decay().dose(-1.0, 0, 1.0).at(&[2.0])),
            "`ode`: the dose with index 0 is at -1.0, must be finite and not before the start at 0.0",
        ),
        (
            refused(|| {
                decay()
                    .dose(1.0, 0, 1.0)
                    .stop_at(&[1.0, f64::INFINITY])
                    .at(&[2.0])
            }),
            "`ode`: the stop with index 1 is at inf, must be finite and not before the start at 0.0",
        ),
        (
            refused(|| decay().dose(1.0, 2, 1.0).at(&[2.0])),
            "`ode`: the dose with index 0 is for element 2 of a state of 2",
        ),
        (
            refused(|| decay().steps(0).at(&[2.0])),
            "`ode`: there are 0 steps from one stop to the next, must be at least 1",
        ),
        (
            refused(|| decay().tolerance(f64::NAN).at(&[2.0])),
            "`ode`: the tolerance is NaN, must be above 0",
        ),
        (
            refused(|| decay().from(f64::NAN).at(&[2.0])),
            "`ode`: the start is at time NaN, must be finite",
        ),
        (
            refused(|| {
                let start = Vector::constant(&[1.0, 2.0]);
                ode(|_, _| Vector::constant(&[1.0]), start).at(&[2.0])
            }),
            "`ode`: the rates are 1, the states 2: there must be a rate for each state",
        ),
    ];
    for (got, want) in cases {
        assert_eq!(got, want);
    }
}

#[test]
fn no_times_have_no_states() {
    let z = oscillator(4, &[]);
    assert_eq!((z.nrows(), z.ncols()), (0, 2));
}
