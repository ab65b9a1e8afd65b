//! Nested sampling and pSMC on problems that other people publish: the log evidence of each, its error, and what it costs.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example nested
//! ```
//!
//! E is the squared error of a run times its calls of the density, a gradient counted as three: the size of a run cancels. The egg box and the
//! shells are those of Feroz, Hobson & Bridges (2009), the phase transition is that of Skilling (2006) in ten dimensions; the evidences are by
//! quadrature on a grid or along the radius. Asserted: nested sampling, and both together, are within five printed errors of it.

use bayes::Run;
use bayes::comparison::{CheckedEvidence, Verdict};
use bayes::diagnose::Estimate;
use bayes::prelude::*;
use bayes_experiments::common::{Options, Report, or_fail};
use serde_json::json;

/// Two shells of radius 2 and width 0.1, their centres 7 apart.
#[model]
fn shells(dim: usize) {
    let x = sample(Uniform::new(-6.0, 6.0).iid(dim));
    let mut rest: Real = Real::from(0.0);
    for k in 1..dim {
        rest += x[k].square();
    }
    let first = (rest + (x[0] - 3.5).square()).sqrt() - 2.0;
    let second = (rest + (x[0] + 3.5).square()).sqrt() - 2.0;
    let norm = (0.1 * std::f64::consts::TAU.sqrt()).ln();
    factor((-50.0 * first.square()).log_add_exp(-50.0 * second.square()) - norm);
}

/// 18 peaks, of which those at the edges are cut.
#[model]
fn egg_box() {
    let x = sample(Uniform::new(0.0, 10.0 * std::f64::consts::PI).iid(2));
    let product = (0.5 * x[0]).cos() * (0.5 * x[1]).cos();
    factor((product + 2.0).powi(5));
}

/// A normal with unit variances and correlations of 0.4.
#[model]
fn correlated(dim: usize) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(dim));
    let n = dim as f64;
    let (mut sum, mut squares): (Real, Real) = (Real::from(0.0), Real::from(0.0));
    for k in 0..dim {
        sum += x[k];
        squares += x[k].square();
    }
    let log_determinant = (n - 1.0) * 0.6f64.ln() + (0.6 + 0.4 * n).ln();
    let quadratic = (squares - sum.square() * (0.4 / (0.6 + 0.4 * n))) / 0.6;
    factor(-0.5 * (quadratic + log_determinant + n * std::f64::consts::TAU.ln()));
}

/// A narrow mode with ten times the mass of the wide one around it.
#[model]
fn phase_transition(dim: usize) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(dim));
    let mut squares: Real = Real::from(0.0);
    for k in 0..dim {
        squares += x[k].square();
    }
    factor((-0.5 * squares).log_add_exp(9e10f64.ln() - 50.0 * squares));
}

/// Neal's funnel over a normal reference: its evidence is 1.
#[model]
fn funnel(dim: usize) {
    let x = sample(Normal::new(0.0, 3.0).iid(dim));
    let mut log_ratio: Real = Real::from(0.0);
    for k in 1..dim {
        log_ratio +=
            x[k].square() / 18.0 + 3.0f64.ln() - 0.5 * x[0] - 0.5 * (-x[0]).exp() * x[k].square();
    }
    factor(log_ratio);
}

/// Two coordinates along a bent valley.
#[model]
fn rosenbrock() {
    let x = sample(Uniform::new(-5.0, 5.0).iid(2));
    factor(-100.0 * (x[1] - x[0].square()).square() - (1.0 - x[0]).square());
}

/// A normal mean of each coordinate, known but for a tenth.
#[model]
fn conjugate(dim: usize) {
    let x = sample(Normal::new(0.0, 1.0).iid(dim));
    for k in 0..dim {
        observe(1.0, Normal::new(x[k], 0.1));
    }
}

/// A model with its log evidence, and both engines on it.
struct Problem {
    name: &'static str,
    truth: f64,
    run: Box<dyn Fn(u64) -> CheckedEvidence>,
}

fn problem<Mo>(name: &'static str, truth: f64, model: Mo) -> Problem
where
    Mo: Model + Differentiable + AllSampled + 'static,
{
    let evidence = move |seed| {
        let both = Inference::evidence().seed(seed).progress(false);
        or_fail(both.run(&model))
    };
    Problem {
        name,
        truth,
        run: Box::new(evidence),
    }
}

fn problems() -> Vec<Problem> {
    let normal = |dim: f64| -0.5 * dim * (f64::ln(1.01 * std::f64::consts::TAU) + 1.0 / 1.01);
    vec![
        problem("shells, 2 d", -1.746, shells(2)),
        problem("egg box", 235.855_94, egg_box()),
        problem("Rosenbrock, 2 d", -5.8041, rosenbrock()),
        problem("conjugate, 5 d", normal(5.0), conjugate(5)),
        problem("phase transition, 10 d", -11.534, phase_transition(10)),
        problem("shells, 10 d", -14.5906, shells(10)),
        problem("funnel, 10 d", 0.0, funnel(10)),
        problem("conjugate, 25 d", normal(25.0), conjugate(25)),
        problem("correlated normal, 25 d", -57.5646, correlated(25)),
    ]
}

/// The largest root mean square of the deviations of nested sampling, or of both together, in printed errors. pSMC alone misses the phase
/// transition.
const WORST: f64 = 5.0;

/// What the runs of one way to the evidence add up to.
#[derive(Default)]
struct Row {
    runs: f64,
    mean: f64,
    error: f64,
    squares: f64,
    z: f64,
    zz: f64,
    calls: f64,
    warned: usize,
}

impl Row {
    /// Adds a run with this estimate.
    fn add(&mut self, found: Option<Estimate>, truth: f64, runs: &[&Run]) {
        let Some(found) = found else { return };
        let off = found.mean - truth;
        self.runs += 1.0;
        self.mean += found.mean;
        self.error += found.se;
        self.squares += off * off;
        self.z += off / found.se;
        self.zz += (off / found.se).powi(2);
        for run in runs {
            let counts = run.counts();
            self.calls += (counts.density_evaluations + 3 * counts.gradient_evaluations) as f64;
        }
        self.warned += usize::from(runs.iter().any(|run| !run.warnings().is_empty()));
    }

    fn say(&self, report: &mut Report, problem: &Problem, name: &str) {
        let [mean, error, squares, z, zz, calls] = [
            self.mean,
            self.error,
            self.squares,
            self.z,
            self.zz,
            self.calls,
        ]
        .map(|sum| sum / self.runs);
        report.say(&format!(
            "{:<25}{name:<9}{:>9.4}{mean:>10.4} ± {error:<7.4}{:>7.2}{z:>8.2}{:>9.0}{:>10.0}{:>8}",
            problem.name,
            problem.truth,
            zz.sqrt(),
            calls / 1e3,
            squares * calls,
            self.warned
        ));
        let content = json!({ "mean": mean, "se": error, "z": zz.sqrt(), "calls": calls });
        report.note(&format!("{}, {name}", problem.name), content);
    }
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let mut report = Report::new("nested", options);
    let seeds = options.size(5, 1) as u64;
    report.say("problem                  by           truth      mean ± error  rms of z  mean z   kcalls         E  warned");
    for problem in problems() {
        // minutes each
        let is_long = problem.name.contains("25 d") || problem.name.contains("funnel");
        if options.quick && is_long {
            continue;
        }
        if only
            .as_ref()
            .is_some_and(|only| !problem.name.contains(only.as_str()))
        {
            continue;
        }
        let mut rows: [Row; 3] = Default::default();
        let mut verdicts = [0; 3];
        for seed in options.seed..options.seed + seeds {
            let found = (problem.run)(seed);
            let (tempered, nested) = (&found.tempered, &found.nested);
            let [both, alone, other] = &mut rows;
            both.add(found.estimate(), problem.truth, &[tempered, nested]);
            alone.add(tempered.log_evidence_estimate(), problem.truth, &[tempered]);
            other.add(nested.log_evidence_estimate(), problem.truth, &[nested]);
            let verdict = match found.verdict() {
                Some(Verdict::Agree) => 0,
                Some(Verdict::Nested) => 1,
                _ => 2,
            };
            verdicts[verdict] += 1;
        }
        let worst = (rows[0].zz.max(rows[2].zz) / seeds as f64).sqrt();
        assert!(worst < WORST, "{}: {worst} errors off", problem.name);
        for (row, name) in rows[1..].iter().zip(["psmc", "nested"]) {
            row.say(&mut report, &problem, name);
        }
        rows[0].say(&mut report, &problem, "both");
        let [agree, nested, rest] = verdicts;
        report.say(&format!(
            "{:<25}agree {agree}, nested believed {nested}, otherwise {rest}",
            ""
        ));
    }
    report.finish();
}
