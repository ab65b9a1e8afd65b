//! Engines on densities without a model.

use bayes_core::density::{Block, Description, LogDensity, Prior, Quantities};
use bayes_core::engine::{Inference, Island};
use bayes_core::kernel::{self, RandomWalk};
use bayes_core::observe::{Observer, Steps};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::{Run, Stage};
use rand_distr::StandardNormal;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Two independent normals, sd 1 and 2, without prior and without its own gradient.
struct Two;

impl LogDensity for Two {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -0.5 * (x[0] * x[0] + x[1] * x[1] / 4.0)]);
    }
}

/// Uniform on (0, 1), with a NaN density in the upper half.
struct Half;

impl LogDensity for Half {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            [
                if (0.0..1.0).contains(&x[0]) {
                    0.0
                } else {
                    f64::NEG_INFINITY
                },
                (0.5 - x[0]).ln(),
            ]
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn block_size(&self) -> usize {
        24
    }
}

impl Prior for Half {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.random_range(0.0..1.0);
    }
}

/// A standard normal, with a NaN density in the middle.
struct Hole;

impl LogDensity for Hole {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let likelihood = if x[0].abs() < 0.01 { f64::NAN } else { 0.0 };
            [-0.5 * x[0] * x[0], likelihood]
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Hole {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.sample(StandardNormal);
    }
}

#[test]
fn engines_note_a_nan_among_their_draws() {
    let count = |run: &Run| run.counts().non_finite[&0].clone();
    for name in ["psmc", "tempering", "nuts"] {
        let mut engine = Inference::by_name(name, None).expect("it exists");
        engine.common_mut().progress = false;
        let run = engine.run_on(&Hole).expect("most draws are finite");
        assert!(count(&run).nan_among_draws, "{name}: {:?}", count(&run));
    }
    // half of the prior is NaN, and no draw lies there
    let islands = Inference::psmc().kernel(RandomWalk::new()).islands(2);
    let run = islands.progress(false).run_on(&Half).unwrap();
    assert!(!count(&run).nan_among_draws, "{:?}", count(&run));
}

fn nuts() -> Run {
    let nuts = Inference::nuts().seed(2).progress(false);
    nuts.run_on(&Two).expect("the density is proper")
}

#[test]
fn differences_stand_in_for_a_gradient() {
    let run = nuts();
    for (found, exact) in run.sd_estimates("x").unwrap().iter().zip([1.0, 2.0]) {
        assert!(
            (found.mean - exact).abs() < 4.0 * found.se,
            "{found:?}, want {exact}"
        );
        assert!(found.se < 0.1 * exact);
    }
    assert_eq!(
        (run.model.as_str(), run.fingerprint.as_str()),
        ("density", "0000000000000000")
    );
}

#[test]
fn a_run_remembers_its_draws_and_how_they_were_reached() {
    let run = nuts();
    for (index, chain) in run.groups.iter().enumerate() {
        assert_eq!((chain.index, chain.positions.len()), (index as u64, 2000));
        assert_eq!(chain.draws, chain.positions);
        let statistics = &chain.statistics;
        for draw in 0..1000 {
            let x = &chain.positions[2 * draw..2 * draw + 2];
            let density = -0.5 * (x[0] * x[0] + x[1] * x[1] / 4.0);
            assert_eq!(
                [chain.log_prior[draw], chain.log_likelihood[draw]],
                [0.0, density]
            );
            assert!((0.0..=1.0).contains(&statistics.acceptance[draw]));
            // a tree has 2^depth states, and the doubling that ended it may have had as many
            let (steps, depth) = (statistics.leapfrogs[draw], statistics.depth[draw]);
            assert!(
                steps >= 1 && steps < 2 << depth,
                "{steps} steps of depth {depth}"
            );
            // the energy is minus the log density at the start of the trajectory, plus half of a momentum
            // squared
            let before = if draw == 0 {
                continue;
            } else {
                chain.log_likelihood[draw - 1]
            };
            assert!(statistics.energy[draw] >= -before - 1e-9);
        }
        let total: u64 = statistics.leapfrogs[1..].iter().sum();
        assert_eq!(chain.trajectories().map(|t| t.leapfrogs), Some(total));
    }
    let islands = Inference::psmc()
        .kernel(RandomWalk::new())
        .islands(2)
        .particles(48)
        .posterior_states(4);
    let run = islands.seed(1).progress(false).run_on(&Half).unwrap();
    for island in &run.groups {
        assert_eq!(island.log_likelihood.len(), 4 * 48);
        assert_eq!(island.statistics.acceptance.len(), 4 * 48);
        assert!(
            island.draws.iter().all(|x| *x < 0.5),
            "a NaN likelihood has no weight"
        );
    }
    assert!(
        run.settings["mutations"].starts_with("Adaptive"),
        "{:?}",
        run.settings
    );
    assert!(
        run.counts().non_finite[&0].nan > 0,
        "NaN is counted also without statements"
    );
}

#[test]
fn smc_needs_a_prior() {
    let error = Inference::psmc().run_on(&Two).unwrap_err().to_string();
    assert_eq!(
        error,
        "`density` has no prior, but SMC starts from prior draws, and the evidence needs a normalised prior; implement \
         `LogDensity::prior`, or use `Inference::nuts()`"
    );
    assert!(Inference::pcn().run_on(&Two).is_err());
}

/// Counts the events of a run.
#[derive(Debug, Default)]
struct Counter([AtomicUsize; 3]);

impl Observer for Counter {
    fn stage(&self, _: usize, stage: &Stage, _: usize) {
        assert!(stage.lambda > 0.0);
        self.0[0].fetch_add(1, Ordering::Relaxed);
    }
    fn step(&self, _: usize, steps: Steps) {
        assert!(steps.done <= steps.of);
        self.0[1].fetch_add(1, Ordering::Relaxed);
    }
    fn finish(&self, _: usize) {
        self.0[2].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_sees_every_temperature_and_every_draw() {
    let counter = Arc::new(Counter::default());
    let seen = || {
        counter
            .0
            .each_ref()
            .map(|count| count.swap(0, Ordering::Relaxed))
    };
    let smc = Inference::psmc()
        .kernel(RandomWalk::new())
        .islands(3)
        .particles(32)
        .progress(false);
    let run = smc.observer(counter.clone()).run_on(&Half).unwrap();
    let stages = run.groups.iter().map(|island| island.history().len()).sum();
    assert_eq!(seen(), [stages, 0, 3]);
    let nuts = Inference::nuts()
        .chains(17)
        .burn_in(10)
        .draws(5)
        .progress(false);
    nuts.observer(counter.clone()).run_on(&Two).unwrap();
    // two groups: 10 steps of burn-in and the 4 draws after its last state
    assert_eq!(seen(), [0, 28, 2]);
}

#[test]
fn a_run_of_another_format_names_both_versions() {
    let mut bytes = Vec::new();
    nuts().to_json(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(Run::from_json(&text).is_ok());
    let error = |from: &str, to: &str| {
        let text = text.replacen(from, to, 1);
        Run::from_json(&text).map(|_| ()).unwrap_err().to_string()
    };
    let version = env!("CARGO_PKG_VERSION");
    let rest = format!(
        "but bayes {version} reads format 4; read it with that version, or run the model again"
    );
    assert_eq!(
        error("\"format\":4,", "\"format\":7,"),
        format!("this run of `density` was saved in format 7 by bayes {version}, {rest}")
    );
    let old = error(&format!("\"format\":4,\"version\":\"{version}\","), "");
    assert_eq!(
        old,
        format!("this run of `density` was saved in format 1 by bayes 0.1.0 or older, {rest}")
    );
    assert_eq!(
        error("\"log_prior\":[0.0,", "\"log_prior\":["),
        "group 0: `log_prior` has 999 numbers, must have 1000"
    );
    assert_eq!(
        error("\"kind\":\"chains\"", "\"kind\":\"islands\""),
        "group 0 belongs to a run of chains, but the run is one of islands"
    );
}

/// Particles in three dimensions. The prior nearly fixes one dimension; half of the particles have likelihood zero.
struct Three;

impl LogDensity for Three {
    fn dim(&self) -> usize {
        3
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let prior = -0.5 * (x[0] * x[0] + x[1] * x[1] + 1e4 * x[2] * x[2]);
            let likelihood = if x[0] > 0.0 {
                -(x[0] - x[1]).powi(2)
            } else {
                f64::NEG_INFINITY
            };
            [prior, likelihood]
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Three {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position
            .iter_mut()
            .for_each(|x| *x = stream.sample(rand_distr::StandardNormal));
        position[2] *= 0.01;
    }
}

#[test]
fn an_island_of_every_kernel_goes_on_from_a_file_with_the_same_bits() {
    for name in kernel::names() {
        let kernel = kernel::by_name(name).unwrap();
        if !kernel.moves_together() {
            continue;
        }
        // enough particles for a dense covariance
        let smc = Inference::smc()
            .kernel(kernel)
            .particles(600)
            .mutations(2)
            .ess_target(0.9);
        let sampler = smc.sampler(&Three).unwrap();
        let text = |island: &Island| serde_json::to_string(island).unwrap();
        let mut island = sampler.start(1).unwrap();
        sampler.advance(&mut island);
        let mut back = sampler
            .restore(serde_json::from_str(&text(&island)).unwrap())
            .unwrap();
        sampler.advance(&mut island);
        sampler.advance(&mut back);
        assert!(text(&island) == text(&back), "{name}");
        assert!(
            island.history.len() == 2 && !island.is_done(),
            "{name}: nothing is left to do"
        );
    }
}

/// A density with inconsistent parts.
struct Misfit(fn(&mut Description), usize);

impl LogDensity for Misfit {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|_| [0.0; 2]);
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
    fn block_size(&self) -> usize {
        self.1
    }
}

impl Quantities for Misfit {
    fn describe(&self) -> Option<Description> {
        let mut description = Description::unnamed(2);
        self.0(&mut description);
        Some(description)
    }
}

#[test]
fn a_density_whose_parts_do_not_fit_is_refused() {
    let error = |change, block| {
        let run = Inference::nuts()
            .progress(false)
            .run_on(&Misfit(change, block));
        run.unwrap_err().to_string()
    };
    let text = |rest| format!("the density `density` does not fit together: {rest}");
    assert_eq!(
        error(|_| {}, 0),
        text("`block_size` is 0, must be at least 1")
    );
    assert_eq!(
        error(|d| d.layout.dim = 3, 16),
        text("`dim` of the layout is 3, must be 2")
    );
    assert_eq!(
        error(|d| d.discrete.truncate(1), 16),
        text("the length of `discrete` is 1, must be 2")
    );
    let wide = error(|d| d.layout = Description::unnamed(5).layout, 16);
    assert_eq!(wide, text("`dim` of the layout is 5, must be 2"));
    let short = error(|d| d.layout.variables.clear(), 16);
    assert_eq!(short, text("the length of the output is 2, must be 0"));
}

#[test]
fn runs_of_densities_without_a_fingerprint_are_not_merged() {
    let part = |islands| {
        let smc = Inference::psmc()
            .kernel(RandomWalk::new())
            .particles(16)
            .progress(false);
        smc.island_range(islands).run_on(&Half).unwrap()
    };
    let error = Run::merge([part(0..1), part(1..2)])
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("implement `Quantities::fingerprint`"),
        "{error}"
    );
}
