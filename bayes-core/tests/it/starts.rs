//! Chains that start from paths of Pathfinder.
//!
//! Mutations meant to be detected: a start of chains that depends on the others, and given values that a path replaces.

use crate::common::NormalMean;
use crate::common::threads::assert_same_bytes;
use bayes_core::Error;
use bayes_core::engine::{Chains, Inference, Starts};
use bayes_core::kernel::Hmc;
use bayes_core::run::Run;

/// Chains that stay where they start.
fn starts(starts: Starts, chains: usize) -> Chains<Hmc> {
    let still = Hmc::new().step_size(1e-9).leapfrog_steps(1);
    let chains = Inference::chains(still).chains(chains).burn_in(0).draws(2);
    chains.starts(starts).seed(3).progress(false)
}

fn first_draws(run: &Run) -> Vec<f64> {
    let draws = run.map_draws(|draw| draw.values()[0]);
    draws.iter().map(|chain| chain[0]).collect()
}

/// Of a posterior that is Gaussian a path is exact, so that the starts are draws of the posterior; the paths cost a few gradients.
#[test]
fn chains_start_in_the_posterior() -> Result<(), Error> {
    let model = NormalMean::reference();
    let run = starts(Starts::Pathfinder, 64).run(&model)?;
    let drawn = first_draws(&run);
    let mean = drawn.iter().sum::<f64>() / 64.0;
    let square = |x: &f64| ((x - NormalMean::MEAN) / NormalMean::SD).powi(2);
    let chi_squared: f64 = drawn.iter().map(square).sum();
    assert!(
        (mean - NormalMean::MEAN).abs() < 4.0 * NormalMean::SD / 8.0,
        "{mean}"
    );
    // of 64 squares: sd √128
    assert!(
        (chi_squared - 64.0).abs() < 4.0 * 128f64.sqrt(),
        "{chi_squared}"
    );
    assert_eq!(run.settings["starts"], "pathfinder");
    let from_prior = starts(Starts::Prior, 64).run(&model)?;
    assert!(!from_prior.settings.contains_key("starts"));
    let gradients = |run: &Run| run.counts().gradient_evaluations;
    let cost = gradients(&run) - gradients(&from_prior);
    assert!((64 * 2..64 * 12).contains(&cost), "{cost}");
    assert_same_bytes(|| {
        starts(Starts::Pathfinder, 20)
            .run(&model)
            .expect("it ran before")
    });
    // a chain starts where it does beside any number of others
    let few = first_draws(&starts(Starts::Pathfinder, 5).run(&model)?);
    assert_eq!(few, drawn[..5]);
    Ok(())
}

/// A draw of the path's Gaussian would replace the given values without a word.
#[test]
fn given_values_and_paths_are_refused_together() {
    let chains = starts(Starts::Pathfinder, 4).start_at(&[("mu", &[1.0])]);
    let refused = chains.run(&NormalMean::reference());
    assert_eq!(
        refused.expect_err("it is refused").to_string(),
        "setting `start_at` is set, must be left out with `.starts(Starts::Pathfinder)`, whose paths move away from the given values"
    );
}

#[test]
fn chains_of_a_superchain_share_the_start_of_a_path() -> Result<(), Error> {
    let model = NormalMean::reference();
    let of_two = |origin| starts(origin, 8).superchains(2).run(&model);
    let run = of_two(Starts::Pathfinder)?;
    let drawn = first_draws(&run);
    for (chain, x) in drawn.iter().enumerate() {
        assert!((x - drawn[chain % 2]).abs() < 1e-6, "{drawn:?}");
    }
    assert!((drawn[0] - drawn[1]).abs() > 1e-3, "{drawn:?}");
    // two paths, not eight
    let gradients = |run: Run| run.counts().gradient_evaluations;
    let cost = gradients(run) - gradients(of_two(Starts::Prior)?);
    let [paths, prior] =
        [Starts::Pathfinder, Starts::Prior].map(|origin| starts(origin, 2).run(&model));
    assert_eq!(cost, gradients(paths?) - gradients(prior?));
    Ok(())
}
