//! NUTS at its defaults on ordinary models of probabilities, shares and small scales: how often does it say that a mean rests on few draws?
//!
//! ```text
//! cargo run --release -p bayes-experiments --example few_visits                  20 seeds of each model
//! cargo run --release -p bayes-experiments --example few_visits -- --only rare   models whose names begin so
//! ```
//!
//! The warning `FewVisits` is right where few independent draws carry a mean, as in priors whose mass is at 0 and 1 (the experiment
//! `prior_mass`). Here are models without such priors. For each it prints the runs with this warning, and the runs with any. Asserted: of all
//! runs at most one in 200 has the warning.

use bayes::Run;
use bayes::diagnose::Warning;
use bayes::prelude::*;
use bayes_experiments::AnyModel;
use bayes_experiments::common::{Options, Report, or_fail};
use serde_json::json;

/// Successes of equal trials.
#[model]
fn share(k: u64, n: u64) {
    let p = sample(Beta::new(1.0, 1.0));
    observe(k, Binomial::new(n, p));
}

/// The prevalence behind a test that errs.
#[model]
fn screening(positive: u64, tested: u64) {
    let sensitivity = sample(Beta::new(50.0, 2.0));
    let specificity = sample(Beta::new(80.0, 1.0));
    let prevalence = sample(Beta::new(1.0, 1.0));
    let p = prevalence * sensitivity + (1.0 - prevalence) * (1.0 - specificity);
    observe(positive, Binomial::new(tested, p));
}

/// Rates of groups around a common one.
#[model]
fn rates(k: &[u64], n: &[u64]) {
    let mean = sample(Beta::new(1.0, 1.0));
    let size = sample(LogNormal::new(3.0, 1.0));
    let p = sample(Beta::new(mean * size, (1.0 - mean) * size).iid(k.len()));
    for i in 0..k.len() {
        observe(k[i], Binomial::new(n[i], p[i]));
    }
}

/// A logistic regression with the probability at other places, some of them far away.
#[model]
fn logistic(x: &[f64], y: &[bool], places: &[f64]) {
    let a = sample(Normal::new(0.0, 2.5));
    let b = sample(Normal::new(0.0, 2.5));
    for i in 0..y.len() {
        observe(y[i], BernoulliLogit::new(a + b * x[i]));
    }
    let at: Vec<Real> = places.iter().map(|x| (a + b * *x).logistic()).collect();
    let probability = deterministic(Vector::from(at));
}

/// Counts with more zeros than a Poisson distribution has.
#[model]
fn zeros(y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 0.5));
    let extra = sample(Beta::new(1.0, 1.0));
    observe(y, ZeroInflatedPoisson::new(extra, rate));
}

/// Two normal classes.
#[model]
fn classes(y: &[f64]) {
    let weights = sample(Dirichlet::new(vec![2.0; 2]));
    let means = sample(Normal::new(0.0, 5.0).iid(2).ordered());
    let sd = sample(HalfNormal::new(2.0));
    observe(
        y,
        Mixture::new(
            &weights,
            [Normal::new(means[0], sd), Normal::new(means[1], sd)],
        ),
    );
}

/// Shares of categories, of which some were not seen.
#[model]
fn shares(counts: &[u64], n: u64, concentration: f64) {
    let p = sample(Dirichlet::new(vec![concentration; counts.len()]));
    observe(counts, Multinomial::new(n, &p));
}

/// Coefficients of which most are 0, with the share by which each is shrunk.
#[model]
fn shrinkage(x: &DMatrix<f64>, y: &[f64]) {
    let tau = sample(HalfCauchy::new(0.2));
    let lambda = sample(HalfCauchy::new(1.0).iid(x.ncols()));
    let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    let scales: Vec<Real> = lambda.iter().map(|l| *l * tau).collect();
    let beta: Vec<Real> = scales.iter().zip(z.iter()).map(|(s, z)| *s * *z).collect();
    observe(y, Normal::new(x * &Vector::from(beta), sd));
    let kept: Vec<Real> = scales.iter().map(|s| 1.0 / (1.0 + s.square())).collect();
    let kappa = deterministic(Vector::from(kept));
}

/// A series that returns to 0.
#[model]
fn returning(y: &[f64]) {
    let phi = sample(Uniform::new(0.0, 1.0));
    let sd = sample(HalfNormal::new(1.0));
    for t in 1..y.len() {
        observe(y[t], Normal::new(phi * y[t - 1], sd));
    }
}

/// A line with a small error, and the share of the variance that it explains.
#[model]
fn line(x: &[f64], y: &[f64]) {
    let a = sample(Normal::new(0.0, 1.0));
    let b = sample(Normal::new(0.0, 1.0));
    let sd = sample(HalfNormal::new(0.5));
    for i in 0..y.len() {
        observe(y[i], Normal::new(a + b * x[i], sd));
    }
    let explained = deterministic(b.square() / (b.square() + sd.square()));
    let above = deterministic(((a - 0.45) / sd).norm_cdf());
}

/// Times until an event that some never have.
#[model]
fn cured(time: &[f64], seen: &[bool]) {
    let cured = sample(Beta::new(1.0, 1.0));
    let rate = sample(Gamma::new(2.0, 2.0));
    for i in 0..time.len() {
        let alive = -(rate * time[i]);
        if seen[i] {
            factor((1.0 - cured).ln() + rate.ln() + alive);
        } else {
            factor((cured + (1.0 - cured) * alive.exp()).ln());
        }
    }
}

/// Grades, and the probability of the best one.
#[model]
fn grades(x: &[f64], y: &[u64]) {
    let cuts = sample(Normal::new(0.0, 3.0).iid(3).ordered());
    let b = sample(Normal::new(0.0, 2.0));
    for i in 0..y.len() {
        observe(y[i], OrderedLogistic::new(b * x[i], &cuts));
    }
    let best = deterministic((b - cuts[2]).logistic());
}

/// Two groups of a trial: both probabilities, and their difference in size.
#[model]
fn trial(k: &[u64], n: &[u64]) {
    let base = sample(Normal::new(0.0, 1.5));
    let effect = sample(Normal::new(0.0, 1.0));
    observe(k[0], BinomialLogit::new(n[0], base));
    observe(k[1], BinomialLogit::new(n[1], base + effect));
    let control = deterministic(base.logistic());
    let treated = deterministic((base + effect).logistic());
}

/// Durations of a machine, by the probability that it works for a year.
#[model]
fn survival(time: &[f64]) {
    let shape = sample(LogNormal::new(0.0, 0.5));
    let scale = sample(LogNormal::new(0.0, 1.0));
    observe(time, Weibull::new(shape, scale));
    let lasts = deterministic((-(3.0 / scale).powf(shape)).exp());
}

fn noise(i: usize) -> f64 {
    (7.3 * i as f64).sin() + (3.1 * i as f64 + 1.0).cos()
}

fn series(n: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..n).map(of).collect()
}

/// Data of the models.
struct Data {
    x: Vec<f64>,
    linear: Vec<f64>,
    won: Vec<bool>,
    design: DMatrix<f64>,
    sparse: Vec<f64>,
    two: Vec<f64>,
    graded: Vec<u64>,
    path: Vec<f64>,
    times: Vec<f64>,
    seen: Vec<bool>,
    counts: Vec<u64>,
}

const N: usize = 40;

impl Data {
    fn new() -> Self {
        let x = series(N, |i| i as f64 / 20.0 - 1.0);
        let design = DMatrix::from_fn(N, 6, |i, k| noise(17 * k + 5 * i + 3));
        let mut path = vec![0.0];
        (1..60).for_each(|i| path.push(0.8 * path[i - 1] + 0.4 * noise(i)));
        let times = series(N, |i| 0.2 + 1.4 * noise(i).abs());
        let grade = |i: usize| (1.6 + 1.2 * x[i] + 0.8 * noise(i)).clamp(0.0, 3.0) as u64;
        let count = |i: usize| match i % 3 {
            0 => 0,
            _ => 1 + (2.0 * noise(i).abs()) as u64,
        };
        Self {
            linear: series(N, |i| 0.3 + 0.5 * x[i] + 0.05 * noise(i)),
            won: (0..N).map(|i| 1.5 * x[i] + noise(i) > 0.2).collect(),
            sparse: series(N, |i| 1.2 * design[(i, 0)] + 0.4 * noise(i)),
            two: series(N, |i| if i % 3 == 0 { 3.0 } else { -1.0 } + 0.5 * noise(i)),
            graded: (0..N).map(grade).collect(),
            seen: times.iter().map(|t| *t < 1.8).collect(),
            counts: (0..N).map(count).collect(),
            x,
            design,
            path,
            times,
        }
    }

    fn models(&self) -> Vec<(&'static str, Box<dyn AnyModel + '_>)> {
        const GROUPS: [u64; 10] = [2, 0, 1, 4, 0, 3, 1, 0, 6, 2];
        const SEEN: [u64; 5] = [3, 0, 0, 9, 1];
        vec![
            ("share, 7 of 20", Box::new(share(7, 20))),
            ("rare, 0 of 1000", Box::new(share(0, 1000))),
            ("certain, 1000 of 1000", Box::new(share(1000, 1000))),
            ("rare, 1 of 100 000", Box::new(share(1, 100_000))),
            ("screening", Box::new(screening(12, 400))),
            ("rates of groups", Box::new(rates(&GROUPS, &[20; 10]))),
            (
                "logistic",
                Box::new(logistic(&self.x, &self.won, &[-4.0, -1.0, 0.0, 3.0, 6.0])),
            ),
            ("zero-inflated counts", Box::new(zeros(&self.counts))),
            ("two classes", Box::new(classes(&self.two))),
            ("shares, Dirichlet(1)", Box::new(shares(&SEEN, 13, 1.0))),
            ("shares, Dirichlet(.5)", Box::new(shares(&SEEN, 13, 0.5))),
            ("horseshoe", Box::new(shrinkage(&self.design, &self.sparse))),
            ("autoregression", Box::new(returning(&self.path))),
            ("line", Box::new(line(&self.x, &self.linear))),
            ("cured", Box::new(cured(&self.times, &self.seen))),
            ("grades", Box::new(grades(&self.x, &self.graded))),
            ("trial", Box::new(trial(&[3, 11], &[50, 48]))),
            ("survival", Box::new(survival(&self.times))),
        ]
    }
}

/// The element and the number of draws of the warning.
fn few_visits(run: &Run) -> Option<String> {
    run.warnings()
        .into_iter()
        .find_map(|warning| match warning {
            Warning::FewVisits(found) => Some(format!("{}: {:.0}", found.element, found.visits)),
            _ => None,
        })
}

fn main() {
    let (options, [only]) = Options::with(["--only"]);
    let mut report = Report::new("few_visits", options);
    let seeds = options.size(20, 1) as u64;
    report.say("model                       runs  few visits  any warning");
    let (mut all, mut alarms) = (0, 0);
    let data = Data::new();
    for (name, model) in data.models() {
        if only.as_ref().is_some_and(|only| !name.starts_with(only)) {
            continue;
        }
        let (mut found, mut any) = (Vec::new(), 0);
        for seed in options.seed..options.seed + seeds {
            let run = or_fail(model.run(&Inference::nuts().seed(seed).progress(false)));
            any += usize::from(!run.warnings().is_empty());
            found.extend(few_visits(&run));
        }
        all += seeds as usize;
        alarms += found.len();
        report.say(&format!(
            "{name:<26} {seeds:>5} {:>11} {any:>12}  {}",
            found.len(),
            found.join(", ")
        ));
        report.note(
            name,
            json!({ "runs": seeds, "few_visits": found.len(), "any": any }),
        );
    }
    report.say(&format!("{alarms} of {all} runs"));
    report.finish();
    assert!(
        200 * alarms <= all.max(200),
        "{alarms} of {all} runs say that a mean rests on few draws"
    );
}
