//! Two modes of unequal weight in 16 dimensions: chains get the weights wrong, SMC gets them right.
//!
//! ```text
//! target  0.2 Normal(1, I) + 0.8 Normal(-1, I)    started from Normal(0, I)
//! exact   mean -0.6 in every coordinate, weight 0.2, log evidence 0
//! ```
//!
//! The modes are 8 standard deviations apart. "Comparison of parallel SMC and MCMC", figure 4.

mod common;

use bayes::prelude::*;
use common::{Options, Report};

/// A mixture target, reached by tempering from a standard normal: the likelihood is target over prior.
#[model]
fn two_modes(d: usize) {
    let start = Normal::new(0.0, 1.0).iid(d);
    let x = sample(Normal::new(0.0, 1.0).iid(d));
    let target = Mixture::new(
        [0.2, 0.8],
        [Normal::new(1.0, 1.0).iid(d), Normal::new(-1.0, 1.0).iid(d)],
    );
    factor(target.log_density(&x) - start.log_density(&x));
}

fn main() {
    let options = Options::from_args();
    let model = two_modes(16);
    let seed = options.seed;
    let mut report = Report::new("mixture", options);
    let smc = report.run("smc", || {
        Inference::smc()
            .particles(options.size(8192, 4096))
            .mutations(16)
            .seed(seed)
            .run(&model)
    });
    let psmc = report.run("psmc", || {
        let particles = options.size(1024, 512);
        Inference::psmc()
            .islands(16)
            .particles(particles)
            .mutations(16)
            .seed(seed)
            .run(&model)
    });
    let hmc = report.run("hmc", || {
        Inference::hmc()
            .chains(16)
            .draws(500)
            .seed(seed)
            .run(&model)
    });

    for run in [&smc, &psmc] {
        let weight =
            run.estimate(|draw| f64::from(u8::from(draw.vector("x").iter().sum::<f64>() > 0.0)));
        report.say(&format!(
            "{}: weight of the small mode {:.3} ± {:.3}, exactly 0.2",
            run.engine, weight.mean, weight.se
        ));
        assert!(
            (weight.mean - 0.2).abs() < 3.0 * weight.se,
            "{}: {weight:?}",
            run.engine
        );
    }
    assert!(
        !hmc.warnings().is_empty(),
        "HMC must say that its chains disagree"
    );
    report.say(&format!("hmc warns: {}", hmc.warnings()[0]));
    report.finish();
}
