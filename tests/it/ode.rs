//! Differential equations in models: values, warnings of too few steps, refusals, and posteriors that others have sampled.

use bayes::Error;
use bayes::prelude::*;

/// A mass that decays, with a dose, and data without noise to speak of.
#[model]
fn decay(y: &[f64], times: &[f64], steps: usize) {
    let rate = sample(LogNormal::new(0.0, 0.2));
    let z = ode(|_, [mass]| [-rate * mass], [Real::from(2.0)])
        .dose(1.5, 0, 1.0)
        .steps(steps)
        .at(times);
    let mass = deterministic(z.column(0));
    observe(y, Normal::new(&mass, 0.1));
}

const TIMES: [f64; 3] = [1.0, 2.0, 6.0];
const Y: [f64; 3] = [0.8, 1.0, 0.05];

#[test]
fn states_are_outputs_like_others() {
    let model = decay(&Y, &TIMES, 8);
    let run = Inference::psmc()
        .islands(2)
        .particles(64)
        .seed(1)
        .run(&model);
    let run = run.expect("it runs");
    assert!(run.equations[0].inexact == 0 && run.equations[0].draws == 100);
    let (rate, mass) = (run.mean("rate").expect("it is kept")[0], run.mean("mass"));
    let mass = mass.expect("it is kept");
    assert_eq!(mass.len(), 3);
    assert!(
        (mass[0] - 2.0 * (-rate).exp()).abs() < 0.01,
        "{mass:?}, {rate}"
    );
}

fn warned(run: &Run) -> Vec<String> {
    let warnings = run
        .warnings()
        .into_iter()
        .map(|warning| warning.to_string());
    warnings
        .filter(|text| text.contains("differential equations"))
        .collect()
}

#[test]
fn too_few_steps_are_reported_by_every_kind_of_engine() {
    let (few, enough) = (decay(&Y, &TIMES, 1), decay(&Y, &TIMES, 8));
    let nuts = |model| Inference::nuts().draws(100).burn_in(100).seed(1).run(model);
    let smc = |model| Inference::smc().particles(64).seed(1).run(model);
    let vi = |model| Inference::vi().seed(1).run(model);
    for run in [nuts(&few), smc(&few), vi(&few)] {
        let texts = warned(&run.expect("it runs"));
        assert_eq!(texts.len(), 1);
        let line = "the differential equations in tests/it/ode.rs:10 are not solved within their tolerance of 1e-4 at 100.0% of the draws, by 1 step";
        assert!(texts[0].starts_with(line), "{}", texts[0]);
        assert!(
            texts[0].contains("Write `.steps(7)`") || texts[0].contains("Write `.steps(6)`"),
            "{}",
            texts[0]
        );
    }
    for run in [nuts(&enough), smc(&enough), vi(&enough)] {
        assert_eq!(warned(&run.expect("it runs")), [] as [&str; 0]);
    }
    let report = few.check(Check::new()).expect("it can be checked");
    assert!(
        report
            .warnings()
            .iter()
            .any(|text| text.contains("of the prior draws, by 1 step"))
    );
    let report = enough.check(Check::new()).expect("it can be checked");
    assert_eq!(report.warnings(), [] as [&str; 0]);
}

#[test]
fn parts_of_a_run_tell_of_all_draws() {
    let model = decay(&Y, &TIMES, 1);
    let psmc = || Inference::psmc().islands(4).particles(32).seed(1);
    let whole = psmc().run(&model).expect("it runs");
    let parts = [1, 0].map(|part| psmc().shard(part, 2).run(&model).expect("it runs"));
    let merged = Run::merge(parts).expect("they are of one run");
    assert_eq!(merged.equations, whole.equations);
    assert_eq!(whole.equations[0].draws, 4 * 50);
}

/// Robertson's reactions (1966), with the slowest rate unknown.
#[model]
fn reactions(y: &[f64], times: &[f64], stiff: bool) {
    let k = sample(LogNormal::new(-3.2, 0.1));
    let equations = ode(
        |_, [a, b, c]| {
            let (slow, fast, other) = (k * a, 3e7 * b * b, 1e4 * b * c);
            [other - slow, slow - other - fast, fast]
        },
        [Real::from(1.0), Real::from(0.0), Real::from(0.0)],
    )
    .stop_at(&[1e-3, 1e-2]);
    let z = match stiff {
        true => equations.stiff().steps(30).at(times),
        false => equations.steps(30).at(times),
    };
    observe(y, Normal::new(z.column(0), 0.05));
}

#[test]
fn stiff_equations_are_reported_and_solved_by_implicit_steps() {
    let explicit = |times: &[f64]| {
        let model = reactions(&[0.985, 0.9, 0.7], times, false);
        model.check(Check::new())
    };
    // steps at the edge of stability are inexact, longer ones give no numbers
    let report = explicit(&[0.02, 0.065, 0.11]).expect("it can be checked");
    let warnings = report.warnings();
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("The equations are stiff")),
        "{warnings:?}"
    );
    let error = explicit(&[0.4, 4.0, 40.0]).expect_err("there are no states");
    let text = error.to_string();
    let hint = "30 steps from one stop to the next do not solve the differential equations in tests/it/ode.rs:96: they are stiff, so write `.stiff()`";
    assert!(text.contains(hint), "{text}");
    let (y, times) = ([0.985, 0.9, 0.7], [0.4, 4.0, 40.0]);
    let report = reactions(&y, &times, true).check(Check::new());
    let report = report.expect("it can be checked");
    assert_eq!(report.warnings(), [] as [&str; 0]);
    let model = reactions(&y, &times, true);
    let run = Inference::nuts()
        .chains(2)
        .burn_in(100)
        .draws(100)
        .seed(1)
        .run(&model);
    let run = run.expect("it runs");
    assert_eq!(warned(&run), [] as [&str; 0]);
    assert_eq!(run.arithmetic.gradient, GradientMode::Reverse);
}

/// Reactions whose explicit steps explode to numbers that are finite, so that no validation sees them, but not their squares.
#[model]
fn explosion(y: &[f64], times: &[f64]) {
    let k = sample(LogNormal::new(0.0, 0.1));
    let z = ode(|t, [z]| [-4400.0 * k * (z - t.cos())], [Real::from(0.0)])
        .steps(40)
        .at(times);
    observe(y, Normal::new(z.column(0), 0.05));
}

/// The mutation that it detects: the error speaks of data that are impossible under the prior.
#[test]
fn a_run_without_a_start_names_equations_that_explode() {
    let model = explosion(&[1.0, 0.9], &[0.1, 0.2]);
    let hint = "do not solve the differential equations in tests/it/ode.rs:";
    let runs = [
        Inference::nuts().seed(1).run(&model),
        Inference::smc().particles(32).seed(1).run(&model),
        Inference::nuts().start_at(&[("k", &[1.0])]).run(&model),
    ];
    for run in runs {
        let text = run.expect_err("there is no start").to_string();
        assert!(text.contains(hint) && text.contains("`.stiff()`"), "{text}");
        assert!(!text.contains("check that the data"), "{text}");
    }
}

/// An inflow that ends at a time that is no stop unless it is given, and doses.
#[model]
fn infusion(y: &[f64], times: &[f64], end: f64, stops: &[f64], doses: &[f64]) {
    let rate = sample(LogNormal::new(0.0, 0.2));
    let mut mass = ode(
        |t, [mass]| {
            let inflow = if t < end { 2.0 } else { 0.0 };
            [inflow - rate * mass]
        },
        [Real::from(0.0)],
    );
    for time in doses {
        mass = mass.dose(*time, 0, 1.0);
    }
    let mass = mass.stop_at(stops).steps(6).at(times).column(0);
    observe(y, Normal::new(&mass, 0.1));
}

#[test]
fn rates_that_jump_between_stops_are_reported_to_stop_there() {
    let told = |stops: &[f64]| {
        let model = infusion(&Y, &TIMES, 1.37, stops, &[]);
        let run = Inference::nuts()
            .draws(100)
            .burn_in(100)
            .seed(1)
            .run(&model);
        warned(&run.expect("it runs"))
    };
    let texts = told(&[]);
    assert!(
        texts.len() == 1 && texts[0].contains("Write the times of the jumps into `.stop_at(..)`"),
        "{texts:?}"
    );
    assert_eq!(told(&[1.37]), [] as [&str; 0]);
}

#[test]
fn a_dose_that_no_state_sees_is_reported_by_runs_and_by_check() {
    let told = |doses: &[f64]| {
        let model = infusion(&Y, &TIMES, 1.37, &[1.37], doses);
        let run = Inference::nuts()
            .draws(100)
            .burn_in(100)
            .seed(1)
            .run(&model);
        let report = model.check(Check::new()).expect("it can be checked");
        (warned(&run.expect("it runs")), report.warnings())
    };
    let (run, check) = told(&[1.0, 6.5]);
    let text = ", the dose with index 1 is at 6.5, after the last time, 6.0. No state sees it.";
    assert!(run.len() == 1 && run[0].contains(text), "{run:?}");
    assert!(check.len() == 1 && check[0].contains(text), "{check:?}");
    let (run, check) = told(&[1.0, 6.0]);
    assert!(run.is_empty() && check.is_empty(), "{run:?} {check:?}");
}

/// A vector of states whose rates may be of another length, after another statement.
#[model]
fn chain(y: f64, start: &[f64], rates: usize) {
    let rate = sample(LogNormal::new(0.0, 0.2));
    let twice = deterministic(2.0 * rate);
    let z = ode(
        |_, z| Vector::from_fn(rates, |i| -rate * z[i]),
        Vector::constant(start),
    )
    .at(&[1.0]);
    observe(y, Normal::new(z[(0, 0)] + twice, 1.0));
}

/// The mutation that it detects: the statement before or behind the equations heads their mistakes.
#[test]
fn mistakes_in_equations_are_headed_by_their_own_place() {
    let refused = |outcome: Result<Run, Error>| {
        let error = outcome.expect_err("it is refused");
        assert!(matches!(error, Error::Model { .. }));
        error.to_string()
    };
    let decay = |times: &[f64]| refused(Inference::nuts().run(&decay(&Y, times, 4)));
    let cases = [
        (
            decay(&[1.0, f64::NAN, 2.0]),
            "`ode` (tests/it/ode.rs:10): the time with index 1 is NaN, must be finite",
        ),
        (
            decay(&[1.0, 3.0, 2.0]),
            "`ode` (tests/it/ode.rs:10): the time with index 2 is 2.0, must not be before the time with index 1 at 3.0",
        ),
        (
            decay(&[-1.0, 3.0, 4.0]),
            "`ode` (tests/it/ode.rs:10): the time with index 0 is -1.0, must not be before the start at 0.0",
        ),
        (
            refused(Inference::nuts().run(&chain(1.0, &[1.0, 2.0], 1))),
            "the rates are 1, the states 2: there must be a rate for each state",
        ),
    ];
    for (text, want) in cases {
        assert!(text.contains(want), "{text}");
        let headed = text
            .lines()
            .filter(|line| line.starts_with("  - `ode` (tests/it/ode.rs:"));
        assert_eq!(headed.count(), 1, "{text}");
        assert!(!text.contains("before the next statement"), "{text}");
    }
    // states that are not finite, by what the user gave
    let text = refused(Inference::nuts().run(&chain(1.0, &[f64::NAN], 1)));
    assert!(
        text.contains("of the differential equations in tests/it/ode.rs:"),
        "{text}"
    );
    assert!(text.contains("the start is not finite"), "{text}");
    let few = Inference::nuts().run(&self::decay(&Y, &[1.0, 2.0], 4));
    assert!(few.is_err(), "two states and three data");
}

/// A drug that is absorbed from the gut and eliminated at a rate that saturates, `[gut, blood]`, with the dose in the gut at the start.
#[function]
fn elimination(blood: Real, k_m: Real, v_m: Real) -> Real {
    v_m / VOLUME * blood / (k_m + blood)
}

const VOLUME: f64 = 2.0;
const DOSE: f64 = 30.0;

#[model]
fn by_dose(c: &[f64], times: &[f64]) {
    let k_a = sample(HalfCauchy::new(1.0));
    let k_m = sample(HalfCauchy::new(1.0));
    let v_m = sample(HalfCauchy::new(1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let z = ode(
        |_, [gut, blood]| {
            [
                -k_a * gut,
                k_a * gut / VOLUME - elimination(blood, k_m, v_m),
            ]
        },
        [Real::from(0.0), Real::from(0.0)],
    )
    .dose(0.0, 0, DOSE)
    .steps(10)
    .at(times);
    observe(c, LogNormal::new(z.column(1).ln(), sigma));
}

/// The same as it is in posteriordb (`one_comp_mm_elim_abs`): absorption is a rate that jumps at time 0.
#[model]
fn by_rate(c: &[f64], times: &[f64]) {
    let k_a = sample(HalfCauchy::new(1.0));
    let k_m = sample(HalfCauchy::new(1.0));
    let v_m = sample(HalfCauchy::new(1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let z = ode(
        |t, [blood]| {
            let absorbed: Real = if t > 0.0 {
                (-k_a * t).exp() * DOSE * k_a / VOLUME
            } else {
                Real::from(0.0)
            };
            [absorbed - elimination(blood, k_m, v_m)]
        },
        [Real::from(0.0)],
    )
    .steps(10)
    .at(times);
    observe(c, LogNormal::new(z.column(0).ln(), sigma));
}

/// Concentrations (posteriordb, `one_comp_mm_elim_abs`).
const C: [f64; 20] = [
    5.70812264865215,
    7.10126075072086,
    8.38520678426651,
    9.79008249883381,
    13.4390409239245,
    11.4478987597702,
    11.2124282696837,
    11.4269217682577,
    12.2432859438401,
    13.8201804108938,
    13.8408670746042,
    11.422291744251,
    10.5031943081843,
    11.9121452242965,
    14.0849980781312,
    10.5505145523917,
    10.1905539351877,
    12.2232270590821,
    11.7290653047821,
    12.2719396535996,
];

fn hours() -> Vec<f64> {
    (1..=20).map(|i| 0.5 * f64::from(i)).collect()
}

#[test]
fn a_dose_is_the_same_as_a_rate_that_jumps() {
    let hours = hours();
    for [k_a, k_m, v_m, sigma] in [[0.8, 0.5, 0.9, 0.1], [2.0, 3.0, 1.5, 0.3]] {
        let values: [(&str, &[f64]); 4] = [
            ("k_a", &[k_a]),
            ("k_m", &[k_m]),
            ("v_m", &[v_m]),
            ("sigma", &[sigma]),
        ];
        let dose = by_dose(&C, &hours)
            .log_density_at(&values)
            .expect("it fits");
        let rate = by_rate(&C, &hours)
            .log_density_at(&values)
            .expect("it fits");
        let error = (dose.log_likelihood - rate.log_likelihood).abs();
        assert!(error < 1e-6 * dose.log_likelihood.abs(), "{error:e}");
    }
}

/// The mean by draws differs by less than four errors from one of others with its error.
fn assert_agrees(run: &Run, name: &str, [mean, error]: [f64; 2]) {
    let summary = run.summary();
    let row = summary
        .row(name)
        .unwrap_or_else(|| panic!("`{name}` is not in the summary"));
    let z = (row.mean - mean) / row.mcse.hypot(error);
    assert!(z.abs() < 4.0, "{name}: {} and {mean}, {z} errors", row.mean);
}

#[test]
fn a_drug_has_the_moments_of_posteriordb() {
    let hours = hours();
    let run = Inference::nuts()
        .seed(1)
        .run(&by_dose(&C, &hours))
        .expect("it runs");
    assert_eq!(warned(&run), [] as [&str; 0]);
    // the tail of `k_m` is too heavy for means of this many draws
    assert_agrees(&run, "k_a", [0.7610134228763064, 0.00078]);
    assert_agrees(&run, "sigma", [0.12883484181853877, 0.00024]);
}

/// `lotka_volterra` of posteriordb: pelts of hares and lynxes (Howard 2009).
#[model]
fn lynx_and_hares(first: &[f64], y: &DMatrix<f64>, years: &[f64]) {
    let theta = sample(
        Normal::new(&[1.0, 0.05, 1.0, 0.05], &[0.5, 0.05, 0.5, 0.05]).truncated(0.0, f64::INFINITY),
    );
    let z_init = sample(LogNormal::new(10.0_f64.ln(), 1.0).iid(2));
    let sigma = sample(LogNormal::new(-1.0, 1.0).iid(2));
    let z = ode(
        |_, [u, v]| [(theta[0] - theta[1] * v) * u, (theta[3] * u - theta[2]) * v],
        [z_init[0], z_init[1]],
    )
    .steps(6)
    .at(years);
    observe(first, LogNormal::new(z_init.ln(), &sigma));
    for k in 0..2 {
        for i in 0..years.len() {
            observe(y[(i, k)], LogNormal::new(z[(i, k)].ln(), sigma[k]));
        }
    }
}

#[test]
fn lynx_and_hares_have_the_moments_of_posteriordb() {
    let y = [
        47.2, 6.1, 70.2, 9.8, 77.4, 35.2, 36.3, 59.4, 20.6, 41.7, 18.1, 19.0, 21.4, 13.0, 22.0,
        8.3, 25.4, 9.1, 27.1, 7.4, 40.3, 8.0, 57.0, 12.3, 76.6, 19.5, 52.3, 45.7, 19.5, 51.1, 11.2,
        29.7, 7.6, 15.8, 14.6, 9.7, 16.2, 10.1, 24.7, 8.6,
    ];
    let y = DMatrix::from_row_slice(20, 2, &y);
    let years: Vec<f64> = (1..=20).map(f64::from).collect();
    let run = Inference::nuts()
        .seed(1)
        .run(&lynx_and_hares(&[30.0, 4.0], &y, &years));
    let run = run.expect("it runs");
    assert_eq!(warned(&run), [] as [&str; 0]);
    let moments = [
        ("theta[0]", [0.5468644997839287, 0.00063]),
        ("theta[1]", [0.027747287767808132, 4.2e-5]),
        ("theta[2]", [0.8000953602331249, 0.00089]),
        ("theta[3]", [0.024085915253454455, 3.5e-5]),
        ("z_init[0]", [34.035222477046915, 0.029]),
        ("z_init[1]", [5.935897133680614, 0.0053]),
        ("sigma[0]", [0.24805686320251966, 0.00044]),
        ("sigma[1]", [0.251016914583619, 0.00044]),
    ];
    for (name, moments) in moments {
        assert_agrees(&run, name, moments);
    }
}
