//! Linear regression with known noise: posterior and evidence are known in closed form.
//!
//! ```text
//! beta[k] ~ Normal(0, 1)    y[i] ~ Normal(x[i]ᵀ beta, 0.5)    16 rows, 32 coefficients
//! Σ = (I + XᵀX / 0.25)⁻¹    μ = Σ Xᵀy / 0.25    log Z = log Normal(y; 0, X Xᵀ + 0.25 I)
//! ```
//!
//! The data are random numbers, in the file `data/regression.csv` beside this program.

use bayes::data::Table;
use bayes::prelude::*;

/// Standard deviation of the noise.
const NOISE: f64 = 0.5;

/// Linear regression with known noise; there may be fewer rows than coefficients.
#[model]
fn regression(x: &DMatrix<f64>, y: &[f64], noise: f64) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, noise));
}

fn main() -> Result<(), bayes::Error> {
    let table = Table::from_csv(include_str!("data/regression.csv").as_bytes())?;
    let x = table.matrix(&table.columns()[..32])?;
    let y = table.reals("y")?;
    let run = Inference::psmc()
        .islands(16)
        .particles(512)
        .seed(1)
        .run(&regression(&x, &y, NOISE))?;
    println!("{run}");

    let (means, log_evidence) = exact(&x, &DVector::from_vec(y), NOISE * NOISE);
    let evidence = run.log_evidence_estimate();
    let evidence = evidence.expect("islands have an evidence");
    println!("log evidence {evidence}, exactly {log_evidence:.4}");
    assert!((evidence.mean - log_evidence).abs() < 4.0 * evidence.se);
    for (k, exact) in means.iter().enumerate() {
        let mean = run.estimate(|draw| draw.vector("beta")[k]);
        println!("mean of beta[{k}] {mean}, exactly {exact:.3}");
        assert!((mean.mean - exact).abs() < 5.0 * mean.se);
    }
    Ok(())
}

/// The posterior mean and the log evidence.
fn exact(x: &DMatrix<f64>, y: &DVector<f64>, variance: f64) -> (DVector<f64>, f64) {
    let (rows, columns) = x.shape();
    let precision = DMatrix::identity(columns, columns) + x.tr_mul(x) / variance;
    let precision = precision.cholesky().expect("positive definite");
    let mean = precision.solve(&(x.tr_mul(y) / variance));

    let marginal = x * x.transpose() + DMatrix::identity(rows, rows) * variance;
    let factor = marginal.cholesky().expect("positive definite");
    let log_determinant = 2.0 * factor.l().diagonal().map(f64::ln).sum();
    let normaliser = rows as f64 * std::f64::consts::TAU.ln();
    let log_evidence = -0.5 * (y.dot(&factor.solve(y)) + log_determinant + normaliser);
    (mean, log_evidence)
}
