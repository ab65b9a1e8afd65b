//! The elementary functions on eight lanes: against high-precision references, against the scalar functions, and each
//! lane against itself in other company.

use bayes_autodiff::function::{BINARY, UNARY};
use bayes_autodiff::simd::{InstructionSet, LANES};
use serde_json::Value;
use std::collections::BTreeMap;

/// The largest error allowed to each function, in ulps of the exact value. The beta function and the difference of
/// `ln Γ` cross zero along lines, where no relative error is bounded: their references stay away from these.
const BOUNDS: [(&str, f64); 35] = [
    ("exp", 2.0),
    ("exp_m1", 2.0),
    ("ln", 2.0),
    ("ln_1p", 2.0),
    ("sqrt", 0.5),
    ("recip", 0.5),
    ("log1p_exp", 2.0),
    ("logistic", 2.0),
    ("ln_logistic", 2.0),
    ("ln_bernoulli_logit", 2.0),
    ("tanh", 2.0),
    ("pow", 2.0),
    ("x_ln_y", 2.0),
    ("log_add_exp", 2.0),
    ("ln_gamma", 4.0),
    ("digamma", 4.0),
    ("trigamma", 4.0),
    ("sin", 2.0),
    ("cos", 2.0),
    ("tan", 2.0),
    ("logit", 3.0),
    ("log1m_exp", 2.0),
    ("log_diff_exp", 2.0),
    ("deviance", 4.0),
    ("sinh", 2.0),
    ("cosh", 2.0),
    ("ln_beta", 20.0),
    ("ln_choose", 20.0),
    ("ln_gamma_delta", 20.0),
    ("ln_factorial", 4.0),
    ("stirling_error", 4.0),
    ("erf", 2.0),
    ("erfc", 6.0),
    ("norm_cdf", 6.0),
    ("ln_norm_cdf", 6.0),
];

/// A row of `data/lanes.json`; `data/lanes.py` says how it was computed. The exact value is the sum of two numbers.
struct Reference {
    input: Vec<f64>,
    exact: [f64; 2],
}

fn references() -> BTreeMap<String, Vec<Reference>> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../data/lanes.json")).expect("rows");
    let mut table = BTreeMap::<String, Vec<Reference>>::new();
    for row in rows {
        let (name, input, exact) = (&row[0], numbers(&row[1]), numbers(&row[2]));
        let exact = [exact[0], exact[1]];
        let name = name.as_str().expect("a name").to_owned();
        table
            .entry(name)
            .or_default()
            .push(Reference { input, exact });
    }
    table
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list of numbers");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The distance between neighbouring numbers at `x`.
fn ulp(x: f64) -> f64 {
    let x = x.abs().max(f64::MIN_POSITIVE);
    f64::from_bits(x.to_bits() & !((1 << 52) - 1)) * f64::EPSILON
}

/// Value and slopes of a function, for up to eight points of one or two coordinates; the rest are ones.
fn evaluate(name: &str, level: InstructionSet, points: &[&[f64]]) -> Vec<Vec<f64>> {
    let coordinate =
        |k: usize| std::array::from_fn(|i| points.get(i).map_or(1.0, |point: &&[f64]| point[k]));
    let results: Vec<[f64; LANES]> = if let Some(f) = UNARY.iter().find(|f| f.name == name) {
        (f.lanes)(level, coordinate(0)).to_vec()
    } else {
        let f = BINARY.iter().find(|f| f.name == name).expect("a function");
        (f.lanes)(level, [coordinate(0), coordinate(1)]).to_vec()
    };
    // the value by itself and the value beside the slopes are the same number
    for (i, point) in points.iter().enumerate() {
        let (alone, beside) = (results[0][i], results[1][i]);
        assert!(
            same(alone, beside),
            "{name}{point:?}: {alone:e}, {beside:e}"
        );
    }
    (0..points.len())
        .map(|i| results[1..].iter().map(|lanes| lanes[i]).collect())
        .collect()
}

/// Whether the function is defined for negative arguments, or says that it is not.
fn takes_negative(name: &str) -> bool {
    !["deviance", "ln_beta", "ln_choose", "ln_gamma_delta"].contains(&name)
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn values_are_within_ulps_of_references() {
    let table = references();
    assert!(table.keys().eq(BTreeMap::from(BOUNDS).keys()));
    let mut failures = Vec::new();
    for level in InstructionSet::available() {
        for (name, bound) in BOUNDS {
            let (mut worst, mut at) = (0.0, Vec::new());
            for rows in table[name].chunks(LANES) {
                let points: Vec<&[f64]> = rows.iter().map(|row| row.input.as_slice()).collect();
                for (row, got) in rows.iter().zip(evaluate(name, level, &points)) {
                    let [high, low] = row.exact;
                    let error = ((got[0] - high) - low).abs() / ulp(high);
                    if error > worst || error.is_nan() {
                        (worst, at) = (error, row.input.clone());
                    }
                }
            }
            println!("{level:8} {name:18} {worst:5.2} ulp at {at:?}");
            if worst.is_nan() || worst > bound {
                failures.push(format!("{name} at {level}: {worst:.2} ulp at {at:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Arguments of every kind: the edges of the format, of the functions and of their approximations, and random ones.
fn arguments() -> Vec<f64> {
    let mut all = vec![
        f64::NAN,
        0.0,
        f64::INFINITY,
        f64::MAX,
        5e-324,
        1e-310,
        2e-308,
    ];
    all.extend([
        1.0, 2.0, 3.0, 0.5, 0.25, 0.75, 1.5, 8.0, 8.5, 10.0, 170.0, 171.0,
    ]);
    all.extend([
        709.7, 709.8, 745.0, 746.0, 1e5, 1e6, 1e15, 1e17, 1e200, 1e-8, 1e-17, 1e-200,
    ]);
    // a linear congruential generator (Knuth's MMIX): the points are fixed
    let mut state = 1_u64;
    for i in 0..400 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
        all.push(uniform * [1.0, 4.0, 30.0, 800.0][i % 4]);
    }
    let negative: Vec<f64> = all.iter().map(|x| -x).collect();
    all.extend(negative);
    all
}

/// Whether `got` is `want` to 12 digits, and the same where that is no ordinary number.
fn agrees(got: f64, want: f64) -> bool {
    if want.is_nan() || want.is_infinite() || want == 0.0 {
        return same(got, want);
    }
    (got - want).abs() <= 1e-12 * want.abs() + 1e-321
}

#[test]
fn lanes_agree_with_the_scalar_functions() {
    let arguments = arguments();
    let mut failures = Vec::new();
    for level in InstructionSet::available() {
        for f in UNARY {
            for chunk in arguments.chunks(LANES) {
                let points: Vec<&[f64]> = chunk.iter().map(std::slice::from_ref).collect();
                for (x, got) in chunk.iter().zip(evaluate(f.name, level, &points)) {
                    let (value, slope) = (f.first)(*x);
                    if !agrees(got[0], value) || !agrees(got[1], slope) {
                        let name = f.name;
                        failures.push(format!(
                            "{name}({x:e}) at {level}: {got:?}, want [{value:e}, {slope:e}]"
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn lanes_agree_with_the_scalar_functions_of_two_variables() {
    let arguments = arguments();
    let mut failures = Vec::new();
    for level in InstructionSet::available() {
        for f in BINARY {
            for (i, chunk) in arguments.chunks(LANES).enumerate() {
                // every edge meets every edge, and a run of random numbers
                for shift in [0, 1, 2, 3, 5, 8, 13, 21, 27, 30, 200, 431, 432, 436, 450] {
                    let pairs: Vec<[f64; 2]> = chunk
                        .iter()
                        .enumerate()
                        .map(|(k, x)| [*x, arguments[(i * LANES + k + shift) % arguments.len()]])
                        .collect();
                    let points: Vec<&[f64]> = pairs.iter().map(<[f64; 2]>::as_slice).collect();
                    for ([x, y], got) in pairs.iter().zip(evaluate(f.name, level, &points)) {
                        if x.min(*y) < 0.0 && !takes_negative(f.name) {
                            continue;
                        }
                        let (value, [in_x, in_y]) = (f.first)(*x, *y);
                        let want = [value, in_x, in_y];
                        if !got.iter().zip(want).all(|(got, want)| agrees(*got, want)) {
                            let name = f.name;
                            failures.push(format!(
                                "{name}({x:e}, {y:e}) at {level}: {got:?}, want {want:?}"
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_lane_does_not_feel_its_neighbours() {
    let arguments = arguments();
    let company: [&[f64]; 6] = [
        &[f64::NAN; 2],
        &[f64::INFINITY; 2],
        &[-1.3, 2.0],
        &[0.0; 2],
        &[1e9, 4.5],
        &[0.3; 2],
    ];
    let names = UNARY.iter().map(|f| f.name);
    for name in names.chain(BINARY.iter().map(|f| f.name)) {
        for level in InstructionSet::available() {
            for (i, x) in arguments.iter().enumerate().step_by(3) {
                let point = [*x, arguments[(7 * i + 3) % arguments.len()]];
                let alone = evaluate(name, level, &[&point[..]; LANES])[0].clone();
                for (k, other) in company.into_iter().enumerate() {
                    let lane = (i + k) % LANES;
                    let mut points = [other; LANES];
                    points[lane] = &point;
                    let among = &evaluate(name, level, &points)[lane];
                    assert!(
                        alone.iter().zip(among).all(|(a, b)| same(*a, *b)),
                        "{name}{point:?} in lane {lane} beside {other:?} at {level}: {among:?}, alone {alone:?}"
                    );
                }
            }
        }
    }
}
