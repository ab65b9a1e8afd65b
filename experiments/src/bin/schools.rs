//! Eight schools (Rubin 1981) as a program: `bayes::main!` makes a command line from a model.
//!
//! ```text
//! cargo build --release -p bayes-experiments --bin schools
//! target/release/schools --help
//! target/release/schools run --data examples/data/schools.csv --islands 8 --particles 1024 --seed 1 --out all.run
//! target/release/schools report all.run --data examples/data/schools.csv --out report.html
//! ```

use bayes::prelude::*;

/// Effects of coaching in eight schools, with the standard errors of their estimates.
#[model]
fn schools(effect: &[f64], error: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(effect.len()));
    let theta = deterministic(mu + tau * &z);
    for j in 0..effect.len() {
        observe(effect[j], Normal::new(theta[j], error[j]));
    }
}

bayes::main!(|data| schools(&data.reals("effect")?, &data.reals("error")?));
