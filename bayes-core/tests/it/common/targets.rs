//! Hard targets with known moments: each is a wide prior and a factor that turns it into the target.

use super::statement;
use bayes_autodiff::{Mode, Real};
use bayes_core::dist::{HalfCauchy, Normal, PoissonLog, StudentT};
use bayes_core::model::{
    AllSampled, Differentiable, GaussianReference, Interpreter, Model, Statement, StatementKind,
};

const fn sample(name: &'static str) -> Statement {
    statement(StatementKind::Sample, name, "sample(..)", 1)
}
const OBSERVE: Statement = statement(StatementKind::Observe, "y", "observe(..)", 2);
const FACTOR: Statement = statement(StatementKind::Factor, "factor", "factor(..)", 2);

/// A model with the given statements and body.
macro_rules! target {
    ($(#[$doc:meta])* $name:ident, $statements:expr, |$interpreter:ident| $body:block) => {
        $(#[$doc])*
        pub struct $name;

        impl Model for $name {
            fn name(&self) -> &'static str {
                stringify!($name)
            }
            fn file(&self) -> &'static str {
                file!()
            }
            fn statements(&self) -> &'static [Statement] {
                const STATEMENTS: &[Statement] = &$statements;
                STATEMENTS
            }
            fn program<M: Mode, I: Interpreter<M>>(&self, $interpreter: &mut I) $body
        }
        impl AllSampled for $name {}
        impl Differentiable for $name {}
        impl GaussianReference for $name {}
    };
}

target! {
    /// Gaussian with standard deviations 10 and 0.1 along the diagonals of the plane: condition number 10⁴.
    Ridge, [sample("x"), FACTOR], |interpreter| {
        let x = interpreter.at(0).sample(Normal::new(0.0, 20.0).iid(2));
        let [along, across] = [x[0] + x[1], x[0] - x[1]].map(|sum| sum * sum / 2.0);
        let weight = |sd: f64| -0.5 * (1.0 / (sd * sd) - 1.0 / 400.0);
        interpreter.at(1).factor(along * weight(10.0) + across * weight(0.1));
    }
}

target! {
    /// `x ~ Normal(0, 10)`, `y ~ Normal(0.03 (x² - 100), 1)` (Haario, Saksman and Tamminen 1999).
    Banana, [sample("x"), sample("y"), FACTOR], |interpreter| {
        let x = interpreter.at(0).sample(Normal::new(0.0, 10.0));
        let y = interpreter.at(1).sample(Normal::new(0.0, 10.0));
        let bent = y - 0.03 * (x * x - 100.0);
        interpreter.at(2).factor(-0.5 * (bent * bent - y * y / 100.0));
    }
}

target! {
    /// `x ~ Normal(0, 1)`, `y ~ Normal(x² - 1, 0.5)`: in its tails five times as narrow as at its centre.
    SharpBanana, [sample("x"), sample("y"), FACTOR], |interpreter| {
        let x = interpreter.at(0).sample(Normal::new(0.0, 1.0));
        let y = interpreter.at(1).sample(Normal::new(0.0, 5.0));
        let bent = y - x * x + 1.0;
        interpreter.at(2).factor(-0.5 * (bent * bent / 0.25 - y * y / 25.0));
    }
}

target! {
    /// Neal's funnel in 10 dimensions: `v ~ Normal(0, 3)`, `x_k ~ Normal(0, exp(v / 2))`.
    Funnel, [sample("v"), sample("x")], |interpreter| {
        let v = interpreter.at(0).sample(Normal::new(0.0, 3.0));
        let scale = (v * 0.5).exp();
        interpreter.at(1).sample(Normal::new(0.0, scale).iid(9));
    }
}

target! {
    /// The funnel with standard normal `z_k = x_k / exp(v / 2)`.
    NonCentredFunnel, [sample("v"), sample("z")], |interpreter| {
        interpreter.at(0).sample(Normal::new(0.0, 3.0));
        interpreter.at(1).sample(Normal::new(0.0, 1.0).iid(9));
    }
}

target! {
    /// Ten counts in each of 30 groups, with non-centred log rates and a heavy-tailed prior for the scale.
    GroupedCounts, [sample("mu"), sample("tau"), sample("z"), OBSERVE], |interpreter| {
        let mu = interpreter.at(0).sample(Normal::new(0.0, 2.0));
        let tau = interpreter.at(1).sample(HalfCauchy::new(1.0));
        let z = interpreter.at(2).sample(Normal::new(0.0, 1.0).iid(30));
        for (group, z) in z.iter().enumerate() {
            for i in 0..10 {
                let count = ((7 * group + 3 * i) % 5 + group % 4) as u64;
                interpreter.at(3).observe_under(PoissonLog::new(mu + tau * *z), count);
            }
        }
    }
}

target! {
    /// Two independent Student's t with 5 degrees of freedom.
    HeavyTails, [sample("x")], |interpreter| {
        interpreter.at(0).sample(StudentT::new(5.0, 0.0, 1.0).iid(2));
    }
}

target! {
    /// `0.3 Normal(-4, 0.5) + 0.7 Normal(4, 0.5)`.
    TwoModes, [sample("x"), FACTOR], |interpreter| {
        let x: Real<M> = interpreter.at(0).sample(Normal::new(0.0, 5.0));
        let (low, high) = ((x + 4.0) / 0.5, (x - 4.0) / 0.5);
        let mode = |weight: f64, z: Real<M>| -0.5 * z * z + weight.ln();
        let (low, high) = (mode(0.3, low), mode(0.7, high));
        let mixture = low.log_add_exp(high);
        interpreter.at(1).factor(mixture + x * x / 50.0);
    }
}

target! {
    /// Two equal data with unknown mean and standard deviation: the density has no bound as `sigma` goes to 0.
    EqualData, [sample("mu"), sample("sigma"), OBSERVE], |interpreter| {
        let mu = interpreter.at(0).sample(Normal::new(0.0, 10.0));
        let sigma = interpreter.at(1).sample(HalfCauchy::new(5.0));
        for _ in 0..2 {
            interpreter.at(2).observe_under(Normal::new(mu, sigma), 3.0);
        }
    }
}

target! {
    /// Data about 1e-7 apart, with the standard deviation 7.9e-8 where the density is highest: a proper scale far below 1.
    CloseData, [sample("mu"), sample("sigma"), OBSERVE], |interpreter| {
        let mu = interpreter.at(0).sample(Normal::new(0.0, 10.0));
        let sigma = interpreter.at(1).sample(HalfCauchy::new(5.0));
        for step in [-1.2, 0.3, 0.9, -0.4, 0.4] {
            interpreter.at(2).observe_under(Normal::new(mu, sigma), 3.0 + 1e-7 * step);
        }
    }
}
