//! The problems: all of `evidence`, credit approval, the posteriors of posteriordb with proper priors, and four more.

use bayes::engine::Smc;
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::common::credit_applications;
use bayes_experiments::exact;
use bayes_experiments::exact::models::mixture;
use bayes_experiments::published::{NAMES, Problem};

/// SMC or pSMC with a kernel that is chosen at run time.
pub type Engine = Smc<Box<dyn Kernel>>;

/// A problem with its answers.
pub struct Case {
    pub name: String,
    pub log_evidence: f64,
    pub moments: Vec<Moment>,
    solve: Solve,
}

type Solve = Box<dyn Fn(&Engine) -> Result<Run, Error>>;

/// Posterior mean and standard deviation of an element.
pub struct Moment {
    pub of: Element,
    pub mean: f64,
    pub sd: f64,
    /// Standard error of the mean in the reference; 0 if it is exact.
    pub mean_se: f64,
}

/// An element of the random quantities.
#[derive(Debug)]
pub enum Element {
    /// By its name, such as `beta[2]`.
    Named(String),
    /// By its index in a quantity of any shape.
    Of(&'static str, usize),
}

impl Element {
    /// The index of the element among the names of all elements.
    pub fn place(&self, names: &[String]) -> Option<usize> {
        match self {
            Self::Named(element) => names.iter().position(|name| name == element),
            Self::Of(quantity, element) => {
                let belongs = |name: &String| name.split('[').next() == Some(*quantity);
                let mut places = names.iter().enumerate().filter(|(_, name)| belongs(name));
                places.nth(*element).map(|(place, _)| place)
            }
        }
    }
}

impl Case {
    /// Runs an engine on the problem.
    pub fn solve(&self, engine: &Engine) -> Result<Run, Error> {
        (self.solve)(engine)
    }

    /// Number of unconstrained coordinates.
    pub fn dim(&self) -> usize {
        let engine = Inference::psmc()
            .islands(1)
            .particles(8)
            .ess_target(0.01)
            .mutations(1);
        let engine = engine.kernel(Box::new(RandomWalk::new()) as Box<dyn bayes::kernel::Kernel>);
        let run = self.solve(&engine.progress(false));
        run.map_or(0, |run| run.layout.dim)
    }

    fn new<M>(name: &str, log_evidence: f64, moments: Vec<Moment>, model: M) -> Self
    where
        M: Fn(&Engine) -> Result<Run, Error> + 'static,
    {
        Self {
            name: name.to_owned(),
            log_evidence,
            moments,
            solve: Box::new(model),
        }
    }
}

/// All problems.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = exact::problems()
        .into_iter()
        .filter(|problem| !problem.is_discrete)
        .map(of_evidence)
        .collect();
    cases.extend([credit(), funnel(), two_modes(), heavy_tails()]);
    cases.extend(posteriordb());
    cases
}

fn of_evidence(problem: exact::Problem) -> Case {
    let moment = |m: &exact::Moment| Moment {
        of: Element::Of(m.variable, m.element),
        mean: m.mean,
        sd: m.sd,
        mean_se: 0.0,
    };
    Case {
        name: problem.name.clone(),
        log_evidence: problem.log_evidence,
        moments: problem.moments.iter().map(moment).collect(),
        solve: Box::new(move |engine| problem.solve(engine)),
    }
}

/// Logistic regression with the data and the prior of "SMC Is All You Need".
#[model]
fn logistic(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// The evidence is from `australian_credit`; posterior means and standard deviations are not judged.
fn credit() -> Case {
    let (x, y) = credit_applications();
    Case::new("credit", -274.0255, Vec::new(), move |e| {
        e.run(&logistic(&x, &y))
    })
}

/// v ~ Normal(0, 3), x[k] ~ Normal(0, 10), likelihood Π Normal(x[k]; 0, e^(v/2)): a neck at every temperature.
#[model]
fn funnel_likelihood(d: usize) {
    let v = sample(Normal::new(0.0, 3.0));
    let x = sample(Normal::new(0.0, 10.0).iid(d));
    factor(Normal::new(0.0, (0.5 * v).exp()).iid(d).log_density_at(&x));
}

/// Integrating out x leaves `E Normal(0; 0, sqrt(100 + e^v))^d` over the prior of v, by Simpson's rule.
fn funnel() -> Case {
    let d = 9;
    let term = |v: f64| -4.5 * (std::f64::consts::TAU * (100.0 + v.exp())).ln();
    let weighted = |power: i32| {
        simpson((-30.0, 30.0), |v| {
            v.powi(power) * normal(v, 3.0) * term(v).exp()
        })
    };
    let [z, first, second] = [0, 1, 2].map(weighted);
    let mean = first / z;
    let moment = Moment {
        of: Element::Of("v", 0),
        mean,
        sd: (second / z - mean * mean).sqrt(),
        mean_se: 0.0,
    };
    Case::new("funnel_likelihood", z.ln(), vec![moment], move |e| {
        e.run(&funnel_likelihood(d))
    })
}

/// x ~ Normal_10(0, 5² I), likelihood 0.3 Normal_10(x; 4, I) + 0.7 Normal_10(x; -4, I).
fn two_modes() -> Case {
    let (d, weights, centres, sd) = (10, [0.3, 0.7], [4.0, -4.0], 5.0);
    let variance = sd * sd + 1.0;
    let log_evidence = d as f64 * (normal(4.0, f64::sqrt(variance))).ln();
    let shrink: f64 = sd * sd / variance;
    let mean = shrink * 4.0 * (0.3 - 0.7);
    let moment = |k: usize| Moment {
        of: Element::Of("x", k),
        mean,
        sd: (shrink + (shrink * 4.0).powi(2) - mean * mean).sqrt(),
        mean_se: 0.0,
    };
    let moments = (0..d).map(moment).collect();
    Case::new("two_modes", log_evidence, moments, move |e| {
        e.run(&mixture(d, &weights, &centres, sd))
    })
}

/// mu[k] ~ StudentT(2, 0, 1), y[k] ~ Normal(mu[k], 1/2)
#[model]
fn location_of_each(y: &[f64]) {
    let mu = sample(StudentT::new(2.0, 0.0, 1.0).iid(y.len()));
    observe(y, Normal::new(&mu, 0.5));
}

/// The coordinates are independent: one integral for each.
fn heavy_tails() -> Case {
    let d = 50;
    // quantiles of the prior, so some observations are outliers
    let y: Vec<f64> = (0..d)
        .map(|k| 2.0 * (k as f64 + 0.5) / d as f64 - 1.0)
        .map(|a| a * (2.0 / (1.0 - a * a)).sqrt())
        .collect();
    // Student's t with 2 degrees of freedom: (2 + x²)^(-3/2)
    let density = |x: f64| (2.0 + x * x).powf(-1.5);
    let integral = |y: f64, power: i32| {
        simpson((y - 8.0, y + 8.0), |x| {
            x.powi(power) * density(x) * normal(y - x, 0.5)
        })
    };
    let log_evidence = y.iter().map(|y| integral(*y, 0).ln()).sum();
    let moment = |(k, y): (usize, &f64)| {
        let [z, first, second] = [0, 1, 2].map(|power| integral(*y, power));
        let mean = first / z;
        Moment {
            of: Element::Of("mu", k),
            mean,
            sd: (second / z - mean * mean).sqrt(),
            mean_se: 0.0,
        }
    };
    let moments = y.iter().enumerate().map(moment).collect();
    Case::new("heavy_tails", log_evidence, moments, move |e| {
        e.run(&location_of_each(&y))
    })
}

/// The posteriors with proper priors.
fn posteriordb() -> Vec<Case> {
    let problems = NAMES.into_iter().map(Problem::shipped);
    problems.filter_map(published).collect()
}

/// A problem of posteriordb, if it has an evidence.
fn published(problem: Problem) -> Option<Case> {
    let log_evidence = problem.log_evidence()?;
    let moments = references(&problem);
    let name = short_name(problem.name).to_owned();
    Some(Case {
        name,
        log_evidence,
        moments,
        solve: Box::new(move |engine| problem.solve(engine)),
    })
}

/// Short names; `blr` of posteriordb becomes `sblrc`, because three problems of `evidence` are called `blr` too.
fn short_name(name: &'static str) -> &'static str {
    match name {
        "sblrc-blr" => "sblrc",
        "radon_mn-radon_hierarchical_intercept_noncentered" => "radon",
        "eight_schools-eight_schools_centered" => "schools_centred",
        "eight_schools-eight_schools_noncentered" => "schools",
        "extra_brownian_known_scales" => "brownian_known",
        "extra_brownian_unknown_scales" => "brownian_unknown",
        name => name.split('-').next_back().unwrap_or(name),
    }
}

fn references(p: &Problem) -> Vec<Moment> {
    let moments = p.moments().into_iter();
    moments
        .map(|(element, m)| Moment {
            of: Element::Named(element),
            mean: m.mean,
            sd: m.sd,
            mean_se: m.mean_se,
        })
        .collect()
}

/// The density of a normal distribution of mean 0.
fn normal(x: f64, sd: f64) -> f64 {
    (-0.5 * (x / sd).powi(2)).exp() / (sd * std::f64::consts::TAU.sqrt())
}

/// The integral from `low` to `high` by Simpson's rule.
fn simpson((low, high): (f64, f64), f: impl Fn(f64) -> f64) -> f64 {
    let pieces = 4000;
    let h = (high - low) / pieces as f64;
    let weight = |i: usize| match i {
        0 => 1.0,
        i if i == pieces => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=pieces)
        .map(|i| weight(i) * f(low + i as f64 * h))
        .sum::<f64>()
        * h
        / 3.0
}
