//! Linear regression with known noise: posterior and evidence are known in closed form.
//!
//! ```text
//! beta[k] ~ Normal(0, 1)    y[i] ~ Normal(x[i]ᵀ beta, 0.5)    16 rows, 32 coefficients
//! Σ = (I + XᵀX / 0.25)⁻¹    μ = Σ Xᵀy / 0.25    log Z = log Normal(y; 0, X Xᵀ + 0.25 I)
//! ```

mod common;
#[path = "common/regression.rs"]
mod problem;

use bayes::prelude::*;
use common::{Options, Report};
use problem::{Problem, regression};

fn main() {
    let options = Options::from_args();
    let problem = Problem::load();
    let model = regression(&problem.x, problem.y.as_slice(), problem.noise);

    let mut report = Report::new("gaussian", options);
    let run = report.run("psmc", || {
        Inference::psmc()
            .islands(16)
            .particles(options.size(512, 256))
            .seed(options.seed)
            .run(&model)
    });

    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|v| v.expect("islands have an evidence"));
    report.say(&format!(
        "log evidence {evidence:.3} ± {error:.3}, exactly {:.3}",
        problem.log_evidence
    ));
    assert!(
        (evidence - problem.log_evidence).abs() < 4.0 * error,
        "log evidence {evidence} ± {error}"
    );
    for (k, exact) in problem.mean.iter().enumerate() {
        let estimate = run.estimate(|draw| draw.vector("beta")[k]);
        let off = (estimate.mean - exact) / estimate.se;
        assert!(
            off.abs() < 5.0,
            "beta[{k}] is {off:.1} standard errors from {exact}"
        );
    }
    report.finish();
}
