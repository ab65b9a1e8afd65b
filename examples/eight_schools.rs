//! Eight schools (Rubin 1981): how much does coaching help, and do the schools differ?
//!
//! ```text
//! mu ~ Normal(0, 5)    tau ~ HalfCauchy(5)    z[j] ~ Normal(0, 1)    theta[j] = mu + tau z[j]
//! y[j] ~ Normal(theta[j], sigma[j])
//! ```

use bayes::prelude::*;

/// Effects of coaching in eight schools, non-centred.
#[model]
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let theta = deterministic(mu + tau * &z);
    for j in 0..y.len() {
        observe(y[j], Normal::new(theta[j], sigma[j]));
    }
}

fn main() -> Result<(), bayes::Error> {
    let y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
    let sigma = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
    let model = eight_schools(&y, &sigma);
    let run = Inference::psmc()
        .islands(8)
        .particles(1024)
        .seed(1)
        .run(&model)?;
    println!("{run}");

    // the exact answers, by one-dimensional quadrature over log tau
    let evidence = run.log_evidence_estimate();
    let evidence = evidence.expect("islands have an evidence");
    println!("log evidence {evidence}, exactly -31.3113");
    assert!((evidence.mean + 31.311347352).abs() < 4.0 * evidence.se);
    for (name, exact) in [("mu", 4.396820707), ("tau", 3.597705483)] {
        let mean = run.estimate(|draw| draw.scalar(name));
        println!("mean of {name} {mean}, exactly {exact:.3}");
        assert!((mean.mean - exact).abs() < 4.0 * mean.se);
    }
    Ok(())
}
