//! Models written by hand, without the macro, whose answers are known.

#![allow(dead_code, reason = "no test file uses all of it")]

pub mod targets;
pub mod threads;

use bayes_autodiff::Mode;
use bayes_core::dist::{Beta, HalfCauchy, Normal, Poisson};
use bayes_core::model::{
    AllSampled, DataArgument, Differentiable, GaussianReference, Interpreter, Model, Statement,
    StatementKind,
};

pub const fn statement(
    kind: StatementKind,
    name: &'static str,
    text: &'static str,
    line: u32,
) -> Statement {
    Statement {
        kind,
        name,
        text,
        line,
    }
}

/// `mu ~ Normal(0, 2), y[i] ~ Normal(mu, 0.8)`.
pub struct NormalMean {
    pub y: Vec<f64>,
}

impl NormalMean {
    /// The data of the reference file's problem `normal_mean`.
    pub fn reference() -> Self {
        Self {
            y: vec![1.3, 0.7, 2.1, 1.9, -0.4, 1.1, 0.2, 1.6, 2.4, 0.9],
        }
    }
    pub const LOG_EVIDENCE: f64 = -14.529778826972063;
    pub const MEAN: f64 = 1.1614173228346456;
    pub const SD: f64 = 0.25098232205526344;
}

impl Model for NormalMean {
    fn name(&self) -> &'static str {
        "normal_mean"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const STATEMENTS: [Statement; 2] = [
            statement(
                StatementKind::Sample,
                "mu",
                "sample(Normal::new(0.0, 2.0))",
                3,
            ),
            statement(
                StatementKind::Observe,
                "y",
                "observe(y, Normal::new(mu, 0.8))",
                4,
            ),
        ];
        &STATEMENTS
    }
    fn data(&self) -> Vec<DataArgument> {
        vec![DataArgument {
            name: "y",
            length: Some(self.y.len()),
            first_nan: None,
            fingerprint: 0,
        }]
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).sample(Normal::new(0.0, 2.0));
        interpreter
            .at(1)
            .observe_under(Normal::new(mu, 0.8), &self.y);
    }
}
impl AllSampled for NormalMean {}
impl Differentiable for NormalMean {}
impl GaussianReference for NormalMean {}

/// `p ~ Beta(2, 3), k ~ Binomial(20, p)` with k = 14, and a half-Cauchy that no datum touches.
pub struct BetaBinomial;

impl Model for BetaBinomial {
    fn name(&self) -> &'static str {
        "beta_binomial"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const STATEMENTS: [Statement; 3] = [
            statement(StatementKind::Sample, "p", "sample(Beta::new(2.0, 3.0))", 1),
            statement(
                StatementKind::Sample,
                "scale",
                "sample(HalfCauchy::new(5.0))",
                2,
            ),
            statement(
                StatementKind::Factor,
                "factor",
                "factor(14.0 * p.ln() + 6.0 * (1.0 - p).ln())",
                3,
            ),
        ];
        &STATEMENTS
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let p = interpreter.at(0).sample(Beta::new(2.0, 3.0));
        let _scale = interpreter.at(1).sample(HalfCauchy::new(5.0));
        interpreter
            .at(2)
            .factor(14.0 * p.ln() + 6.0 * (1.0 - p).ln());
    }
}
impl AllSampled for BetaBinomial {}
impl Differentiable for BetaBinomial {}
impl GaussianReference for BetaBinomial {}

impl BetaBinomial {
    /// `ln B(16, 9) - ln B(2, 3)`.
    pub const LOG_EVIDENCE: f64 = -13.795948461738178;
    pub const MEAN: f64 = 0.64;
    pub const SD: f64 = 0.09413574486632834;
}

/// `k ~ Poisson(3), y ~ Normal(k, 1)` with y = 5: a discrete random value.
pub struct HiddenCount;

impl Model for HiddenCount {
    fn name(&self) -> &'static str {
        "hidden_count"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const STATEMENTS: [Statement; 2] = [
            statement(StatementKind::Sample, "k", "sample(Poisson::new(3.0))", 1),
            statement(
                StatementKind::Observe,
                "y",
                "observe(5.0, Normal::new(k, 1.0))",
                2,
            ),
        ];
        &STATEMENTS
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let k = interpreter.at(0).sample_discrete(Poisson::new(3.0));
        interpreter.at(1).observe_under(Normal::new(k, 1.0), 5.0);
    }
}

impl AllSampled for HiddenCount {}

impl HiddenCount {
    /// Evidence, posterior mean and variance of k by summation.
    pub fn exact() -> (f64, f64, f64) {
        let mut log_factorial = 0.0;
        let (mut z, mut first, mut second) = (0.0, 0.0, 0.0);
        for k in 0..60 {
            let k = f64::from(k);
            if k > 0.0 {
                log_factorial += k.ln();
            }
            let log_prior = k * 3f64.ln() - 3.0 - log_factorial;
            let log_likelihood = -0.5 * (5.0 - k).powi(2) - 0.5 * std::f64::consts::TAU.ln();
            let joint = (log_prior + log_likelihood).exp();
            z += joint;
            first += k * joint;
            second += k * k * joint;
        }
        let mean = first / z;
        (z.ln(), mean, second / z - mean * mean)
    }
}

/// `log_rate ~ Normal(expected, 5), k ~ Poisson(exp(log_rate))`.
pub struct Counted {
    pub k: u64,
    pub expected: f64,
}

impl Model for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const STATEMENTS: [Statement; 2] = [
            statement(
                StatementKind::Sample,
                "log_rate",
                "sample(Normal::new(expected, 5.0))",
                1,
            ),
            statement(
                StatementKind::Observe,
                "k",
                "observe(k, Poisson::new(log_rate.exp()))",
                2,
            ),
        ];
        &STATEMENTS
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let log_rate = interpreter.at(0).sample(Normal::new(self.expected, 5.0));
        interpreter
            .at(1)
            .observe_under(Poisson::new(log_rate.exp()), self.k);
    }
}
impl AllSampled for Counted {}
impl Differentiable for Counted {}
impl GaussianReference for Counted {}
