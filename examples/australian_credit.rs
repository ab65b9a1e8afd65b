//! Credit approval (690 Australian applicants, 14 covariates): logistic regression by five engines.
//!
//! ```text
//! beta[k] ~ Normal(0, 10)    y[i] ~ Bernoulli(logistic(x[i]ᵀ beta))
//! ```
//!
//! The prior N(0, 100 I) and the standardised covariates with an intercept are as in "SMC Is All You Need". The data are in
//! `data/australian.csv` beside this program: Statlog (Australian Credit Approval) of the UCI Machine Learning Repository.

use bayes::data::Table;
use bayes::prelude::*;

/// Bayesian logistic regression.
#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

/// Log evidence by importance sampling from long NUTS chains, standard error 0.0014.
const LOG_EVIDENCE: f64 = -274.0255;

fn main() -> Result<(), bayes::Error> {
    let table = Table::from_csv(include_str!("data/australian.csv").as_bytes())?;
    let covariates = table.matrix(&table.columns()[..14])?;
    let x = standardise(covariates).insert_column(0, 1.0);
    let y = table.flags("label")?;
    let model = credit(&x, &y);

    let smc = Inference::smc().particles(512).seed(1).run(&model)?;
    println!("{smc}");
    let psmc = Inference::psmc()
        .islands(8)
        .particles(128)
        .seed(1)
        .run(&model)?;
    println!("{psmc}");
    let tempering = Inference::tempering()
        .burn_in(1000)
        .draws(1000)
        .seed(1)
        .run(&model)?;
    println!("{tempering}");
    let hmc = Inference::hmc()
        .chains(4)
        .burn_in(1000)
        .draws(1000)
        .seed(1)
        .run(&model)?;
    println!("{hmc}");
    let pcn = Inference::pcn()
        .chains(4)
        .burn_in(20_000)
        .draws(1000)
        .thin(20)
        .seed(1)
        .run(&model)?;
    println!("{pcn}");

    for run in [&smc, &psmc, &tempering] {
        let evidence = run.log_evidence_estimate();
        let evidence = evidence.expect("the engine gives the evidence");
        println!(
            "{}: log evidence {:.3} ± {:.3}, reference {LOG_EVIDENCE:.3}",
            run.engine, evidence.mean, evidence.se
        );
        assert!((evidence.mean - LOG_EVIDENCE).abs() < 4.0 * evidence.se);
    }
    for other in [&smc, &psmc, &tempering, &pcn] {
        agree(&hmc, other, x.ncols());
    }
    Ok(())
}

/// Subtracts each column's mean and divides by its standard deviation.
fn standardise(mut x: DMatrix<f64>) -> DMatrix<f64> {
    for mut column in x.column_iter_mut() {
        let mean = column.mean();
        let sd = column.map(|v| (v - mean).powi(2)).mean().sqrt();
        column.apply(|v| *v = (*v - mean) / sd);
    }
    x
}

/// Checks that the posterior means of two engines agree within 5 Monte Carlo standard errors.
fn agree(one: &Run, other: &Run, coefficients: usize) {
    for k in 0..coefficients {
        let [a, b] = [one, other].map(|run| run.estimate(|draw| draw.vector("beta")[k]));
        assert!(
            (a.mean - b.mean).abs() < 5.0 * a.se.hypot(b.se),
            "beta[{k}]: {a} by {}, {b} by {}",
            one.engine,
            other.engine
        );
    }
}
