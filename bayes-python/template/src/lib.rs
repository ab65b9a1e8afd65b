//! Models in Rust for Python: `maturin develop --release`, then `import schools`.

use bayes::prelude::*;

/// Effects of coaching in schools (Rubin 1981); non-centred.
#[model]
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        let theta = mu + tau * z[j];
        observe(y[j], Normal::new(theta, sigma[j]));
    }
}

/// Successes of trials at sites, whose log odds vary about a line. `site` numbers the sites from 0, and `sites` names them, so that predictions find them by
/// name; `wide` is the scale of their spread.
#[model]
fn seeds(
    successes: &[u64],
    trials: &[u64],
    x: &DMatrix<f64>,
    site: &[usize],
    sites: &[&str],
    wide: f64,
) {
    let intercept = sample(Normal::new(0.0, 2.0));
    let slopes = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let spread = sample(HalfNormal::new(wide));
    #[dims(site = sites)]
    let effects = sample(Normal::new(0.0, spread).iid(sites.len()));
    let linear = x * &slopes;
    for i in 0..successes.len() {
        observe(
            successes[i],
            BinomialLogit::new(trials[i], intercept + linear[i] + effects[site[i]]),
        );
    }
}

bayes::python!(eight_schools, seeds);
