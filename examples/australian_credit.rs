//! Credit approval (690 Australian applicants, 14 covariates): logistic regression by five engines.
//!
//! ```text
//! beta[k] ~ Normal(0, 10)    y[i] ~ Bernoulli(logistic(x[i]ᵀ beta))
//! ```
//!
//! The prior N(0, 100 I) and the standardised covariates with an intercept are those of "SMC Is All You Need".

mod common;

use bayes::prelude::*;
use bayes::{Error, Run};
use common::{Options, Report, credit_applications};

/// Bayesian logistic regression.
#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// Log evidence by importance sampling from long NUTS chains, standard error 0.0014.
const LOG_EVIDENCE: f64 = -274.0255;

fn main() -> Result<(), Error> {
    let options = Options::from_args();
    let (x, y) = credit_applications();
    let model = credit(&x, &y);
    let seed = options.seed;

    let mut report = Report::new("credit", options);
    let smc = report.run("smc", || {
        Inference::smc()
            .particles(options.size(2048, 512))
            .seed(seed)
            .run(&model)
    });
    let psmc = report.run("psmc", || {
        Inference::psmc()
            .islands(8)
            .particles(options.size(512, 128))
            .seed(seed)
            .run(&model)
    });
    let tempering = report.run("tempering", || {
        let scans = options.size(1000, 300);
        Inference::tempering()
            .burn_in(scans)
            .draws(scans)
            .seed(seed)
            .run(&model)
    });
    let hmc = report.run("hmc", || {
        let steps = options.size(1000, 300);
        Inference::hmc()
            .chains(4)
            .burn_in(steps)
            .draws(steps)
            .seed(seed)
            .run(&model)
    });
    let pcn = report.run("pcn", || {
        let steps = options.size(20_000, 4000);
        Inference::pcn()
            .chains(4)
            .burn_in(steps)
            .draws(1000)
            .thin(steps / 1000)
            .seed(seed)
            .run(&model)
    });

    for run in [&smc, &psmc, &tempering] {
        check_evidence(&mut report, run);
    }
    for other in [&smc, &psmc, &tempering, &pcn] {
        agree(&hmc, other, x.ncols());
    }
    report.finish();
    Ok(())
}

/// The log evidence is right within 4 standard errors.
fn check_evidence(report: &mut Report, run: &Run) {
    let evidence = run.log_evidence().expect("the engine gives the evidence");
    let error = run.log_evidence_se().expect("and its standard error");
    report.say(&format!(
        "{}: log evidence {evidence:.3} ± {error:.3}, reference {LOG_EVIDENCE:.3}",
        run.engine
    ));
    assert!(
        (evidence - LOG_EVIDENCE).abs() < 4.0 * error,
        "log evidence {evidence} ± {error}"
    );
}

/// The posterior means of two engines agree within 5 Monte Carlo standard errors (15 coordinates).
fn agree(one: &Run, other: &Run, coordinates: usize) {
    for k in 0..coordinates {
        let [a, b] = [one, other].map(|run| run.estimate(|draw| draw.vector("beta")[k]));
        let error = a.se.hypot(b.se);
        assert!(
            (a.mean - b.mean).abs() < 5.0 * error,
            "beta[{k}]: {} by {}, {} by {}, standard error {error}",
            a.mean,
            one.engine,
            b.mean,
            other.engine
        );
    }
}
