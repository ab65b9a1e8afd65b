//! Drift diffusion: distribution functions with their slopes, truncation, censoring.

use crate::battery::{Numbers, stream};
use crate::reference::{agrees, number};
use bayes_autodiff::{Dual, Real, Value};
use bayes_model::dist::*;

type Process = Univariate<Wiener, (f64, f64, f64, f64), 4>;

fn at([boundary, non_decision, start, drift]: [f64; 4]) -> Process {
    Wiener::new(boundary, non_decision, start, drift)
}

/// The points of the reference file with `[log_cdf, log_sf]`.
fn points() -> Vec<([f64; 4], f64, [f64; 2])> {
    let file = crate::reference::file("wiener");
    let mut found = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let parameters = ["boundary", "non_decision", "start", "drift"];
        let parameters = parameters.map(|name| number(&case["params"][name]));
        for point in case["points"].as_array().unwrap() {
            let tails = ["log_cdf", "log_sf"].map(|name| number(&point[name]));
            found.push((parameters, number(&point["x"]), tails));
        }
    }
    found
}

/// Mutations meant to be detected: the ends exchanged; one image or frequency fewer; a tail as the rest of the other one.
#[test]
fn both_tails_agree_with_the_reference() {
    let points = points();
    assert!(points.len() > 60);
    for (parameters, x, wanted) in points {
        let process = at(parameters);
        for (got, wanted) in [process.log_cdf(x), process.log_sf(x)]
            .into_iter()
            .zip(wanted)
        {
            let off = (got - wanted).abs();
            assert!(
                got == wanted || off <= 1e-12 * wanted.abs(),
                "{x}, {parameters:?}: {got:e}, {wanted:e}"
            );
        }
    }
}

/// Parameters, a value, whether the slopes are those of `log_cdf` or of `log_sf`, and the slopes in the parameters, by mpmath with 120 digits.
#[rustfmt::skip]
const SLOPES: &[([f64; 4], f64, bool, [f64; 4])] = &[
    ([1.5, 0.2, 0.5, 1.0], 0.3, true, [-1.3073953941699903, -5.238022602730367, -1.3508293162549856, -0.9134885707089123]),
    ([1.5, 0.2, 0.5, 1.0], 0.3, false, [0.3654335340941492, 1.4640935098260792, 0.37757386418699485, 0.25533159917600795]),
    ([1.5, 0.2, 0.5, 1.0], 2.5, true, [-0.015664676143313752, -0.006045611835519507, 0.0033670944989899632, 0.004312800228419108]),
    ([1.5, 0.2, 0.5, 1.0], 2.5, false, [6.9784197969005355, 2.693245422464302, -1.4999990229492115, -1.9212992479849855]),
    ([1.5, 0.2, 0.5, 1.0], -0.5, true, [0.11479044516401851, 2.656918942322208, -2.0078472867640116, -1.421965697647297]),
    ([1.5, 0.2, 0.5, 1.0], -0.5, false, [-0.014033660469091977, -0.3248205743707349, 0.2454685758555279, 0.17384185391880297]),
    ([1.5, 0.2, 0.5, 1.0], -1.0, true, [1.5919228948132942, 2.6932398082504503, -1.5188900021847178, -1.9212993509807796]),
    ([1.5, 0.2, 0.5, 1.0], -1.0, false, [-0.04652360816071619, -0.07870936081774355, 0.04438923740031951, 0.05614956506731539]),
    ([2.0, 0.1, 0.3, -1.5], -8.0, true, [9.719276811164292, 2.3587005501368483, 5.282500668501406, 11.885943379889081]),
    ([2.0, 0.1, 0.3, -1.5], -8.0, false, [-5.204100814562137e-08, -1.2629453500259858e-08, -2.8284682663112702e-08, -6.364223267524202e-08]),
    ([2.0, 0.1, 0.3, -1.5], 0.2, true, [0.024503275941853687, -0.00010853233541309042, -0.09130857986149253, -0.03268550556719333]),
    ([2.0, 0.1, 0.3, -1.5], 0.2, false, [-1.9284355362758376, 0.008541617575636649, 7.18608852912676, 2.572386264044535]),
    ([1.2, 0.15, 0.35, 0.0], 0.4, true, [-0.3854929458996324, -0.9251830701591177, -0.5508127006054061, -0.23620113259175962]),
    ([1.2, 0.15, 0.35, 0.0], 0.4, false, [1.2730019306105702, 3.0552046334653684, 1.8189324570885035, 0.78]),
    ([1.2, 0.15, 0.35, 0.0], -0.4, true, [1.5710218569275054, 3.7704524566260122, 1.3902499244952675, -0.42]),
    ([1.2, 0.15, 0.35, 0.0], -0.4, false, [-0.5213487600913428, -1.2512370242192226, -0.4613590009309061, 0.13937837864751498]),
    ([1.0, 0.05, 0.001, 0.5], -0.06, true, [1.132762996787311, 57.686527460529575, 999.4616248798345, -0.04193510484655969]),
    ([1.0, 0.05, 0.001, 0.5], -0.06, false, [-0.007874109221882255, -0.4009929871858328, -6.947499185358174, 0.0002915010436687966]),
    ([1.0, 0.05, 0.001, 0.5], -0.5, true, [4.408796620131794, 5.07906417353847, 999.4966972883441, -0.3247222721056586]),
    ([1.0, 0.05, 0.001, 0.5], -0.5, false, [-0.0008832241549782302, -0.0010175003633122043, -0.20023142411128966, 6.505234400550728e-05]),
    ([3.0, 0.02, 0.7, 6.0], -0.2, true, [-8.350646379142166, 0.6164925404614594, -35.78954530358387, -4.212312741998771]),
    ([3.0, 0.02, 0.7, 6.0], -0.2, false, [9.390330404236135e-11, -6.9324796953918065e-12, 4.024546605846746e-10, 4.7367600802904184e-11]),
    ([3.0, 0.02, 0.7, 6.0], 0.9, true, [-7.727066841542394e-07, -8.026361284388964e-06, 7.726630431994528e-06, 1.9680459680103096e-06]),
    ([3.0, 0.02, 0.7, 6.0], 0.9, false, [1.8429941193875787, 19.143792787815805, -18.428900307020715, -4.694015491398847]),
];

#[test]
fn slopes_in_the_parameters_agree_with_the_reference() {
    for (parameters, x, is_cdf, wanted) in SLOPES {
        let variables: [Real<Dual<4>>; 4] =
            std::array::from_fn(|k| Dual::variable(parameters[k], k));
        let [boundary, non_decision, start, drift] = variables;
        let process = Wiener::new(boundary, non_decision, start, drift);
        let tail = match is_cdf {
            true => process.log_cdf_at(Real::constant(*x)),
            false => process.log_sf_at(Real::constant(*x)),
        };
        for (k, (got, wanted)) in Dual::gradient(tail).into_iter().zip(wanted).enumerate() {
            let off = (got - wanted).abs();
            assert!(
                off <= 2e-11 * wanted.abs() + 1e-13 * tail.primal().abs(),
                "slope {k} at {x}, {parameters:?}: {got:e}, {wanted:e}"
            );
        }
    }
}

/// On both sides of the times where another formula takes over.
#[test]
fn slopes_in_the_value_are_the_density() {
    for parameters in [
        [1.5, 0.2, 0.5, 1.0],
        [1.0, 0.1, 0.01, 0.0],
        [1.0, 0.0, 0.97, -6.0],
        [0.7, 0.3, 0.4, 25.0],
    ] {
        let process = at(parameters);
        for k in 1..200 {
            let time = parameters[1] + 0.005 * f64::from(k) * parameters[0].powi(2);
            for x in [time, -time] {
                let density = process.log_density_at(Real::<Value>::constant(x)).primal();
                let x: Real<Dual<1>> = Dual::variable(x, 0);
                let tails = [process.log_cdf_at(x), process.log_sf_at(x)];
                for (tail, sign) in tails.into_iter().zip([1.0, -1.0]) {
                    let wanted = sign * (density - tail.primal()).exp();
                    let got = Dual::gradient(tail)[0];
                    let off = (got - wanted).abs();
                    assert!(off <= 1e-11 * wanted.abs(), "{x:?}: {got:e}, {wanted:e}");
                }
            }
        }
    }
}

/// Between the earliest times at both ends there are no values: the function is flat.
#[test]
fn quantiles_invert_the_distribution_function() {
    for parameters in [
        [1.5, 0.2, 0.5, 1.0],
        [1.0, 0.0, 0.05, 0.0],
        [2.0, 0.3, 0.8, -2.5],
    ] {
        let process = at(parameters);
        for p in [1e-40, 1e-9, 0.01, 0.2, 0.5, 0.77, 0.99, 1.0 - 1e-9] {
            let x = process.quantile(p);
            let off = (process.cdf(x) - p).abs();
            assert!(off <= 1e-11 * p, "{parameters:?}, {p}: {x}, off {off:e}");
        }
    }
}

/// Data up to a time limit: the mass of what is kept is the integral of the density, and draws are within the limits.
#[test]
fn a_truncated_density_is_divided_by_the_mass_that_is_kept() {
    let process = at([1.2, 0.1, 0.4, 0.9]);
    let kept = process.truncated(-0.9, 0.7);
    let density = |x: f64| process.log_density_at(Real::<Value>::constant(x)).primal();
    let steps = 20_000;
    let sum = |low: f64, high: f64| -> f64 {
        let width = (high - low) / f64::from(steps);
        let one = |i: i32| density(low + width * (f64::from(i) + 0.5)).exp();
        (0..steps).map(one).sum::<f64>() * width
    };
    let (lower, upper) = (sum(-0.9, -0.1), sum(0.1, 0.7));
    for x in [-0.7, 0.3] {
        let found = kept.log_density_at(Real::<Value>::constant(x)).primal();
        let wanted = density(x) - (lower + upper).ln();
        assert!((found - wanted).abs() < 1e-7, "{x}: {found}, {wanted}");
    }
    let mut stream = stream(9);
    let n = 400;
    let draws = (0..n).map(|_| Distribution::<Value>::draw(&kept, &mut stream)[0]);
    let draws: Vec<f64> = draws.collect();
    assert!(
        draws
            .iter()
            .all(|x| (-0.9..=0.7).contains(x) && x.abs() > 0.1)
    );
    let share = draws.iter().filter(|x| **x > 0.0).count() as f64 / f64::from(n);
    let wanted = upper / (lower + upper);
    let error = (wanted * (1.0 - wanted) / f64::from(n)).sqrt();
    assert!((share - wanted).abs() < 4.5 * error, "{share}, {wanted}");
}

/// Answers after the limit are late ones at their end; those without a choice are late at either.
#[test]
fn censored_answers_have_the_probability_of_being_later() {
    let process = at([1.2, 0.1, 0.4, 0.9]);
    let data = Numbers(vec![0.5, 0.8, -0.8, -0.4]);
    let found: Real<Value> = process.censored(-0.8, 0.8).log_likelihood(&data);
    let density = |x: f64| process.log_density_at(Real::<Value>::constant(x)).primal();
    let wanted = density(0.5) + process.log_sf(0.8) + process.log_cdf(-0.8) + density(-0.4);
    assert!(agrees(found.primal(), wanted), "{found:?}, {wanted}");
    let late: Real<Value> = process.log_cdf_at(-0.8).log_add_exp(process.log_sf_at(0.8));
    let kept = process.cdf(0.8) - process.cdf(-0.8);
    assert!((late.primal().exp() + kept - 1.0).abs() < 1e-14);
}

#[test]
fn tails_of_parameters_that_are_not_allowed_are_no_numbers() {
    for parameters in [
        [-1.0, 0.1, 0.5, 1.0],
        [f64::NAN, 0.1, 0.5, 1.0],
        [1.0, -0.1, 0.5, 1.0],
        [1.0, 0.1, 1.0, 1.0],
        [1.0, 0.1, f64::NAN, 1.0],
        [1.0, 0.1, 0.5, f64::NAN],
    ] {
        for x in [0.8, -0.8, 0.05] {
            let x = Real::<Value>::constant(x);
            let process = at(parameters);
            assert!(process.log_cdf_at(x).primal().is_nan(), "{parameters:?}");
            assert!(process.log_sf_at(x).primal().is_nan(), "{parameters:?}");
        }
    }
}
