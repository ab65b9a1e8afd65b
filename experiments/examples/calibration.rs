//! Coverage of the error bars: many seeds of the 16 x 32 Gaussian problem, which has exact answers.
//!
//! Prints the coverage of the 95% intervals of a run (asserted: 90 to 99%, but not with `--quick`, whose runs are small and few). With a
//! fixed schedule and a fixed kernel it prints the bias of the evidence (asserted: the mean of Z / exact Z is 1 within 3 standard errors).

use bayes::prelude::*;
use bayes_experiments::common::{Options, Report};
use bayes_experiments::regression::{Problem, regression};
use std::ops::Range;

fn main() {
    let options = Options::from_args();
    let problem = Problem::load();
    let mut report = Report::new("calibration", options);
    let seeds = options.size(200, 8) as u64;
    unbiased(&problem, &mut report, options.seed, seeds);
    let particles = options.size(1024, 128);
    coverage(
        &problem,
        &mut report,
        particles,
        options.seed..options.seed + seeds,
    );
    report.finish();
}

/// Coverage of the 95% intervals of the log evidence and of each coefficient's mean.
fn coverage(problem: &Problem, report: &mut Report, particles: usize, seeds: Range<u64>) {
    let count = seeds.end - seeds.start;
    let model = regression(&problem.x, problem.y.as_slice(), problem.noise);
    let d = problem.mean.len();
    let mut covered = vec![0u64; d + 1];
    for seed in seeds {
        let run = Inference::psmc()
            .islands(4)
            .particles(particles)
            .seed(seed)
            .progress(false)
            .run(&model);
        let run = run.expect("the model fits its data");
        let evidence = run
            .log_evidence_interval(0.95)
            .expect("islands have an evidence");
        covered[d] +=
            u64::from(evidence.0 <= problem.log_evidence && problem.log_evidence <= evidence.1);
        for (k, exact) in problem.mean.iter().enumerate() {
            let (low, high) = run.estimate(|draw| draw.vector("beta")[k]).interval(0.95);
            covered[k] += u64::from(low <= *exact && *exact <= high);
        }
    }
    let share: Vec<f64> = covered.iter().map(|c| *c as f64 / count as f64).collect();
    let [low, high] = [f64::min, f64::max].map(|f| {
        share[..d]
            .iter()
            .copied()
            .reduce(f)
            .expect("32 coefficients")
    });
    let mean = share[..d].iter().sum::<f64>() / d as f64;
    report.say(&format!(
        "95% intervals over {count} seeds, 4 islands of {particles} particles (standard error of a coverage: {:.3})",
        (0.95 * 0.05 / count as f64).sqrt()
    ));
    report.say(&format!("  coverage of the log evidence {:.3}", share[d]));
    report.say(&format!(
        "  coverage of the means {mean:.3} on average, {low:.3} to {high:.3} over {d} coefficients"
    ));
    report.note(
        "coverage",
        serde_json::json!({ "log_evidence": share[d], "mean": share[..d] }),
    );
    if count >= 200 {
        assert!(
            share.iter().all(|s| (0.90..=0.99).contains(s)),
            "coverage outside 90 to 99%: {share:?}"
        );
    }
}

/// Mean of Z / exact Z without adaptation: schedule, step size, mass and M are fixed.
fn unbiased(problem: &Problem, report: &mut Report, first: u64, seeds: u64) {
    let model = regression(&problem.x, problem.y.as_slice(), problem.noise);
    let ladder = (1..=24).map(|j| (f64::from(j) / 24.0).powi(4));
    let kernel = Hmc::new()
        .leapfrog_steps(5)
        .step_size(0.12)
        .mass(Mass::Identity);
    let engine = Inference::smc()
        .particles(512)
        .kernel(kernel)
        .mutations(4)
        .schedule(Schedule::fixed(ladder));
    let ratios: Vec<f64> = (first..first + seeds)
        .map(|seed| {
            let run = engine
                .clone()
                .seed(seed)
                .progress(false)
                .run(&model)
                .expect("the model fits its data");
            (run.log_evidence().expect("SMC gives the evidence") - problem.log_evidence).exp()
        })
        .collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let error = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt();
    report.say(&format!(
        "fixed schedule, fixed kernel, {seeds} seeds: mean of Z / exact Z = {mean:.3} ± {error:.3}"
    ));
    report.note(
        "unbiased",
        serde_json::json!({ "mean_ratio": mean, "se": error }),
    );
    assert!(
        (mean - 1.0).abs() < 3.0 * error,
        "mean of Z / exact Z is {mean} ± {error}"
    );
}
