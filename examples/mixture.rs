//! Two modes of unequal weight in 16 dimensions: chains get the weights wrong, SMC gets them right.
//!
//! ```text
//! target  0.2 Normal(1, I) + 0.8 Normal(-1, I)    started from Normal(0, I)
//! exact   mean -0.6 in every coordinate, weight 0.2, log evidence 0
//! ```
//!
//! The modes are 8 standard deviations apart. Source: "Comparison of parallel SMC and MCMC", figure 4.

use bayes::prelude::*;

/// A mixture target, reached by tempering from a standard normal: the likelihood is target over prior.
#[model]
fn two_modes(d: usize) {
    let start = Normal::new(0.0, 1.0).iid(d);
    let x = sample(Normal::new(0.0, 1.0).iid(d));
    let target = Mixture::new(
        [0.2, 0.8],
        [Normal::new(1.0, 1.0).iid(d), Normal::new(-1.0, 1.0).iid(d)],
    );
    factor(target.log_density_at(&x) - start.log_density_at(&x));
}

fn main() -> Result<(), bayes::Error> {
    let model = two_modes(16);
    let smc = Inference::smc()
        .particles(8192)
        .mutations(16)
        .seed(1)
        .run(&model)?;
    println!("{smc}");
    let psmc = Inference::psmc()
        .islands(16)
        .particles(1024)
        .mutations(16)
        .seed(1)
        .run(&model)?;
    println!("{psmc}");
    let hmc = Inference::hmc().chains(16).draws(500).seed(1).run(&model)?;
    println!("{hmc}");

    for run in [&smc, &psmc] {
        let is_small = |draw: DrawView<'_>| draw.vector("x").iter().sum::<f64>() > 0.0;
        let weight = run.estimate(|draw| f64::from(u8::from(is_small(draw))));
        println!(
            "{}: weight of the small mode {:.3} ± {:.3}, exactly 0.2",
            run.engine, weight.mean, weight.se
        );
        assert!((weight.mean - 0.2).abs() < 3.0 * weight.se);
    }
    let warnings = hmc.warnings();
    let warning = warnings.first().expect("HMC says that its chains disagree");
    println!("hmc warns: {warning}");
    Ok(())
}
