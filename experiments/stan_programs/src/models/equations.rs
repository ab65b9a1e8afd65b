//! Differential equations.

use bayes::prelude::*;

/// Hares and lynxes, from 1900 on.
#[model]
pub fn lotka_volterra(start: [f64; 2], y: &DMatrix<f64>, years: &[f64], steps: usize) {
    let theta_1 = sample(Normal::new(1.0, 0.5).truncated(0.0, f64::INFINITY));
    let theta_2 = sample(Normal::new(0.05, 0.05).truncated(0.0, f64::INFINITY));
    let theta_3 = sample(Normal::new(1.0, 0.5).truncated(0.0, f64::INFINITY));
    let theta_4 = sample(Normal::new(0.05, 0.05).truncated(0.0, f64::INFINITY));
    let z_init = sample(LogNormal::new(10.0_f64.ln(), 1.0).iid(2));
    let sigma = sample(LogNormal::new(-1.0, 1.0).iid(2));
    let z = ode(
        |_, [u, v]| [(theta_1 - theta_2 * v) * u, (theta_4 * u - theta_3) * v],
        [z_init[0], z_init[1]],
    )
    .steps(steps)
    .at(years);
    for k in 0..2 {
        observe(start[k], LogNormal::new(z_init[k].ln(), sigma[k]));
        for t in 0..years.len() {
            observe(y[(t, k)], LogNormal::new(z[(t, k)].ln(), sigma[k]));
        }
    }
}

/// A drug that is absorbed and eliminated at a rate that saturates (Michaelis and Menten 1913).
#[model]
pub fn one_comp_mm_elim_abs(
    concentration: &[f64],
    times: &[f64],
    dose: f64,
    volume: f64,
    steps: usize,
) {
    let k_a = sample(HalfCauchy::new(1.0));
    let K_m = sample(HalfCauchy::new(1.0));
    let V_m = sample(HalfCauchy::new(1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let c = ode(
        |t, [c]| {
            let absorbed = (-k_a * t).exp() * dose * k_a / volume;
            [absorbed - V_m / volume * c / (K_m + c)]
        },
        [Real::from(0.0)],
    )
    .steps(steps)
    .at(times)
    .column(0);
    observe(concentration, LogNormal::new(c.ln(), sigma));
}

/// Cholera: people and the bacteria in the water. Chains start where bacteria die within minutes, so the steps are implicit; a difference that rounding makes
/// negative is no rate.
#[model]
pub fn sir(
    new: &[u64],
    bacteria: &[f64],
    start: [f64; 4],
    times: &[f64],
    steps: usize,
    is_stiff: bool,
) {
    let beta = sample(HalfCauchy::new(2.5));
    let gamma = sample(HalfCauchy::new(1.0));
    let xi = sample(HalfCauchy::new(25.0));
    let delta = sample(HalfCauchy::new(1.0));
    let mut equations = ode(
        |_, [s, i, _r, b]| {
            let infected = beta * b / (b + 1e6) * s;
            [
                -infected,
                infected - gamma * i,
                gamma * i,
                xi * i - delta * b,
            ]
        },
        start.map(Real::from),
    );
    if is_stiff {
        equations = equations.stiff();
    }
    let y = equations.steps(steps).at(times);
    for t in 0..times.len() {
        let before = if t > 0 {
            y[(t - 1, 0)]
        } else {
            Real::from(start[0])
        };
        observe(new[t], Poisson::new((before - y[(t, 0)]).max(1e-9)));
        observe(bacteria[t], LogNormal::new(y[(t, 3)].ln(), 0.15));
    }
}

/// Carbon of the soil in two pools that feed each other.
#[model]
pub fn soil_incubation(evolved: &[f64], times: &[f64], total: f64, steps: usize) {
    let k1 = sample(HalfNormal::new(1.0));
    let k2 = sample(HalfNormal::new(1.0));
    let alpha21 = sample(HalfNormal::new(1.0));
    let alpha12 = sample(HalfNormal::new(1.0));
    let gamma = sample(Beta::new(10.0, 1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let pools = ode(
        |_, [a, b]| [alpha12 * k2 * b - k1 * a, alpha21 * k1 * a - k2 * b],
        [gamma * total, (1.0 - gamma) * total],
    )
    .steps(steps)
    .at(times);
    for t in 0..times.len() {
        let left = pools[(t, 0)] + pools[(t, 1)];
        observe(evolved[t], Normal::new(total - left, sigma));
    }
}
