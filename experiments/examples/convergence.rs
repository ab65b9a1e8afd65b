//! Convergence on a 16 x 8 Gaussian problem, as in the papers: the mean squared error of pSMC falls as 1/P.
//!
//! Islands are independent, so one set of islands is grouped for every P: the first P, the next P, and so on. Prints
//! the mean squared error of the posterior mean (summed over coordinates) for P = 1 to 256 with a fixed N, weighted by
//! evidence and with equal weights, and the slopes in log-log coordinates. Asserted: -1.0 ± 0.1 weighted; with few
//! particles and few moves the equally weighted average stops improving (slope above -0.5 from P = 64 to 256).

use bayes::prelude::*;
use bayes_experiments::common::{Options, Report};
use bayes_experiments::regression::{Problem, regression};

const ISLANDS: usize = 256;

fn main() {
    let options = Options::from_args();
    let problem = Problem::small();
    let mut report = Report::new("convergence", options);
    let repeats = options.size(40, 4);
    let adaptive = Mutations::adaptive();
    let large = study(&problem, &mut report, &options, (64, adaptive), repeats);
    let small = study(
        &problem,
        &mut report,
        &options,
        (8, Mutations::Fixed(2)),
        repeats,
    );
    report.say(&format!(
        "slope in P, N = 64, weighted by evidence {:.3}",
        large.slope
    ));
    report.say(&format!(
        "slope over P = 64 to 256, N = 8, M = 2, equal weights {:.3}",
        small.equal_tail
    ));
    report.note("slope_weighted", serde_json::json!(large.slope));
    report.note("slope_equal_small_n", serde_json::json!(small.equal_tail));
    if !options.quick {
        assert!((large.slope + 1.0).abs() <= 0.1, "slope {}", large.slope);
        assert!(
            small.equal_tail > -0.5,
            "the equally weighted average shows no bias: slope {}",
            small.equal_tail
        );
    }
    report.finish();
}

/// Slopes of the mean squared error against the number of islands, log-log.
struct Slopes {
    slope: f64,
    equal_tail: f64,
}

/// An island's evidence and posterior mean.
struct Island {
    log_evidence: f64,
    mean: DVector<f64>,
}

fn study(
    problem: &Problem,
    report: &mut Report,
    options: &Options,
    (particles, mutations): (usize, Mutations),
    repeats: usize,
) -> Slopes {
    let islands: Vec<Island> = (0..repeats as u64)
        .flat_map(|r| islands(problem, particles, mutations, options.seed + r))
        .collect();
    report.say(&format!(
        "N = {particles}, {} islands: mean squared error of the mean, summed over coordinates",
        islands.len()
    ));
    report.say(&format!(
        "{:>5} {:>8} {:>12} {:>10} {:>12}",
        "P", "repeats", "weighted", "± s.e.", "equal"
    ));
    let mut points = Vec::new();
    let mut p = 1;
    while p <= ISLANDS {
        let errors = |equal| -> Vec<f64> {
            islands
                .chunks(p)
                .map(|group| squared_error(group, &problem.mean, equal))
                .collect()
        };
        let (weighted, equal) = (errors(false), errors(true));
        let (mse, se) = mean_and_error(&weighted);
        let (equal_mse, _) = mean_and_error(&equal);
        report.say(&format!(
            "{p:>5} {:>8} {mse:>12.3e} {se:>10.1e} {equal_mse:>12.3e}",
            weighted.len()
        ));
        points.push([(p as f64).ln(), mse.ln(), equal_mse.ln()]);
        p *= 2;
    }
    let tail = &points[points.len() - 3..];
    Slopes {
        slope: slope(&points, 1),
        equal_tail: slope(tail, 2),
    }
}

fn islands(problem: &Problem, particles: usize, mutations: Mutations, seed: u64) -> Vec<Island> {
    let model = regression(&problem.x, problem.y.as_slice(), problem.noise);
    // standard SMC with the paper's ladder
    let engine = Inference::psmc()
        .islands(ISLANDS)
        .particles(particles)
        .states_kept(1)
        .ess_target(0.5)
        .mutations(mutations)
        .seed(seed)
        .progress(false);
    let run = engine.run(&model).expect("the model fits its data");
    let island = |group: &bayes::run::Group| Island {
        log_evidence: group.log_evidence().expect("islands have an evidence"),
        mean: DMatrix::from_row_slice(particles, problem.mean.len(), &group.draws)
            .row_mean()
            .transpose(),
    };
    run.groups.iter().map(island).collect()
}

/// Squared distance of the combined mean from the truth.
fn squared_error(islands: &[Island], truth: &DVector<f64>, equal: bool) -> f64 {
    let largest = islands
        .iter()
        .map(|i| i.log_evidence)
        .fold(f64::NEG_INFINITY, f64::max);
    let weight = |i: &Island| {
        if equal {
            1.0
        } else {
            (i.log_evidence - largest).exp()
        }
    };
    let total: f64 = islands.iter().map(weight).sum();
    let mean = islands.iter().fold(DVector::zeros(truth.len()), |sum, i| {
        sum + &i.mean * (weight(i) / total)
    });
    (mean - truth).norm_squared()
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (
        mean,
        (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt() / n.sqrt(),
    )
}

/// Least-squares slope of column `y` against column 0.
fn slope(points: &[[f64; 3]], y: usize) -> f64 {
    let n = points.len() as f64;
    let [mean_x, mean_y] = [0, y].map(|c| points.iter().map(|p| p[c]).sum::<f64>() / n);
    let xy: f64 = points
        .iter()
        .map(|p| (p[0] - mean_x) * (p[y] - mean_y))
        .sum();
    let xx: f64 = points.iter().map(|p| (p[0] - mean_x).powi(2)).sum();
    xy / xx
}
