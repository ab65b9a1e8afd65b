//! State space models: posterior, evidence and forecasts of the Nile against quadrature, and gradients by every mode.

use crate::battery::agree;
use bayes::prelude::*;
use std::f64::consts::PI;

/// The annual flow of the Nile at Aswan 1871-1970 in 10⁸ cubic metres (Cobb 1978).
const NILE: [f64; 100] = [
    1120.0, 1160.0, 963.0, 1210.0, 1160.0, 1160.0, 813.0, 1230.0, 1370.0, 1140.0, 995.0, 935.0,
    1110.0, 994.0, 1020.0, 960.0, 1180.0, 799.0, 958.0, 1140.0, 1100.0, 1210.0, 1150.0, 1250.0,
    1260.0, 1220.0, 1030.0, 1100.0, 774.0, 840.0, 874.0, 694.0, 940.0, 833.0, 701.0, 916.0, 692.0,
    1020.0, 1050.0, 969.0, 831.0, 726.0, 456.0, 824.0, 702.0, 1120.0, 1100.0, 832.0, 764.0, 821.0,
    768.0, 845.0, 864.0, 862.0, 698.0, 845.0, 744.0, 796.0, 1040.0, 759.0, 781.0, 865.0, 845.0,
    944.0, 984.0, 897.0, 822.0, 1010.0, 771.0, 676.0, 649.0, 846.0, 812.0, 742.0, 801.0, 1040.0,
    860.0, 874.0, 848.0, 890.0, 744.0, 749.0, 838.0, 1050.0, 918.0, 986.0, 797.0, 923.0, 975.0,
    815.0, 1020.0, 906.0, 901.0, 1170.0, 912.0, 746.0, 919.0, 718.0, 714.0, 740.0,
];

#[model]
fn nile(flow: &[f64]) {
    let sd_level = sample(HalfNormal::new(100.0));
    let sd = sample(HalfNormal::new(200.0));
    let series = StateSpace::new(Level::new(sd_level).start(1000.0, 500.0), sd, flow.len());
    let forecast = deterministic(series.forecast(flow, 2));
    let next = generate(series.after(flow, 2));
    observe(flow, series);
}

/// The log likelihood of a local level, and the mean and the variance of the level after the last value.
fn filter(sd_level: f64, sd: f64) -> [f64; 3] {
    let (mut mean, mut variance, mut sum) = (1000.0, 500.0_f64.powi(2), 0.0);
    for y in NILE {
        let total = variance + sd * sd;
        sum -= 0.5 * ((2.0 * PI * total).ln() + (y - mean).powi(2) / total);
        mean += variance / total * (y - mean);
        variance = variance * sd * sd / total + sd_level * sd_level;
    }
    [sum, mean, variance]
}

/// The log evidence, and posterior means of both standard deviations, of the next value, its square, and of its standard deviation given
/// the parameters, by the trapezoidal rule in the logarithms of the standard deviations.
fn quadrature() -> [f64; 6] {
    const POINTS: usize = 400;
    let ends = [1e-4_f64.ln(), 900.0_f64.ln()];
    let width = (ends[1] - ends[0]) / POINTS as f64;
    let at = |i: usize| (ends[0] + width * i as f64).exp();
    let half_normal =
        |x: f64, scale: f64| -0.5 * (x / scale).powi(2) + (2.0 / PI).sqrt().ln() - scale.ln();
    let mut sums = [0.0; 6];
    for i in 0..=POINTS {
        for k in 0..=POINTS {
            let (sd_level, sd) = (at(i), at(k));
            let [log_likelihood, mean, variance] = filter(sd_level, sd);
            let log_prior = half_normal(sd_level, 100.0) + half_normal(sd, 200.0);
            let log_cell = (sd_level * sd).ln() + 2.0 * width.ln();
            // 640 keeps the weights in range
            let weight = (log_likelihood + log_prior + log_cell + 640.0).exp();
            let total = variance + sd * sd;
            let values = [1.0, sd_level, sd, mean, mean * mean + total, total.sqrt()];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
    }
    let [total, ..] = sums;
    let mut found = sums.map(|sum| sum / total);
    found[0] = total.ln() - 640.0;
    found
}

fn assert_near(what: &str, found: f64, error: f64, exact: f64) {
    assert!(
        (found - exact).abs() < 4.0 * error,
        "{what}: {found} ± {error}, exactly {exact}"
    );
}

/// Mutations meant to be detected: an evidence without the prior of the first level; forecasts of the level without noise, or one time
/// late; draws that do not begin where the data end.
fn assert_posterior(run: &Run, exact: &[f64; 6]) {
    let [_, sd_level, sd, next, square, next_sd] = *exact;
    let of = |name: &str, exact: f64, sd: f64, value: &dyn Fn(DrawView<'_>) -> f64| {
        let found = run.estimate(value);
        assert!(
            found.se < 0.15 * sd,
            "{name}: the error {} shows nothing",
            found.se
        );
        assert_near(name, found.mean, found.se, exact);
    };
    of("sd_level", sd_level, 15.0, &|draw| draw.scalar("sd_level"));
    of("sd", sd, 12.0, &|draw| draw.scalar("sd"));
    of("forecast", next, 20.0, &|draw| draw.vector("forecast")[0]);
    of("its sd", next_sd, 12.0, &|draw| draw.vector("forecast")[1]);
    let model = nile(&NILE);
    let draws = run.predict(model).expect("it is the model of the run");
    let draws = draws.draws("next").expect("it is generated");
    let deviation = (square - next * next).sqrt();
    let effective = run.draws("sd").expect("it is sampled").rows().count() as f64 / 8.0;
    assert_near("next", draws.mean()[0], deviation / effective.sqrt(), next);
    let wide = draws.quantile(0.84).expect("it is a probability")[0] - draws.mean()[0];
    assert!(
        (wide / deviation - 1.0).abs() < 0.15,
        "{wide}, not {deviation}"
    );
}

#[test]
fn the_posterior_of_the_nile_is_that_of_quadrature() {
    let exact = quadrature();
    let model = nile(&NILE);
    let check = model.check(Check::new()).expect("the model is sound");
    assert!(check.to_string().contains("no problems found"), "{check}");
    let nuts = Inference::nuts().draws(500).seed(3).progress(false);
    assert_posterior(&nuts.run(&model).expect("the model is sound"), &exact);
    let psmc = Inference::psmc()
        .islands(8)
        .particles(256)
        .seed(4)
        .progress(false);
    let run = psmc.run(&model).expect("the model is sound");
    assert_posterior(&run, &exact);
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|x| x.expect("islands have an evidence"));
    assert!(error < 0.1, "the error {error} shows nothing");
    assert_near("log evidence", evidence, error, exact[0]);
}

/// Two series with all parts, one with a value that is missing.
#[model]
fn parts(x: &[f64], y: &DMatrix<f64>) {
    let sd = sample(HalfNormal::new(1.0).iid(6));
    let start = sample(Normal::new(0.0, 1.0).iid(2));
    let damping = sample(Beta::new(2.0, 2.0));
    let period = sample(LogNormal::new(1.5, 0.2));
    let phi = sample(Uniform::new(-0.45, 0.45).iid(2));
    let trend = Trend::new(sd[0], sd[1]).start(&start, [1.0, 0.2]);
    let rest = Season::new(4, sd[2]).start(0.7) + Regression::new(x).sd(sd[3]).start(0.5, 1.0);
    let around = Cycle::new(period, damping, sd[4]) + Autoregression::new(&phi, 0.3);
    let series = StateSpace::new(trend + rest + around, sd[5], y.ncols()).skip_missing();
    observe(y, series.iid(y.nrows()));
    let latent = sample(StateSpace::new(Level::new(0.2).start(0.0, 1.0), sd[5], 3));
    observe(&x[..3], Normal::new(&latent, 1.0));
}

/// A level in units of `scale`; the square of its variance is no double.
#[model]
fn far(y: &[f64], scale: f64) {
    let sd_level = sample(LogNormal::new(0.0, 0.5));
    let sd = sample(LogNormal::new(0.0, 0.5));
    let level = Level::new(scale * sd_level).start(0.0, 2.0 * scale);
    observe(y, StateSpace::new(level, scale * sd, y.len()));
}

/// A general system of random matrices.
#[model]
fn general(y: &[f64]) {
    let phi = sample(Normal::new(0.0, 0.5).iid(4));
    let q = sample(Wishart::new(4.0, &DMatrix::<f64>::identity(2, 2)));
    let transition: Matrix = Matrix::from_fn(2, 2, |i, k| phi[2 * i + k]);
    let states = States::new(&transition, &q, [1.0, 0.5], [0.0, 0.0], &q);
    observe(y, StateSpace::new(states, phi[0].exp(), y.len()));
}

/// Mutation meant to be detected: an operation that the trace and forward mode compute differently.
#[test]
fn gradients_agree_in_every_mode() {
    let x = [0.5, -1.0, 0.0, 2.0, 0.3, 0.1];
    let y = DMatrix::from_fn(2, 6, |i, k| match (i, k) {
        (1, 2) => f64::NAN,
        _ => (1.7 * i as f64 + 0.9 * k as f64).sin() + 0.2 * k as f64,
    });
    agree(&parts(&x, &y));
    agree(&far(&[0.3e130, -0.4e130, 1.2e130, 0.8e130], 1e130));
    agree(&far(&[0.3e-130, -0.4e-130, 1.2e-130, 0.8e-130], 1e-130));
    agree(&general(&[0.3, -0.4, 1.2, 0.8]));
}
