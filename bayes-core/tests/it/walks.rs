//! Temperatures of SMC whose particles walk in place of trajectories.
//!
//! Mutations meant to be detected: the tuning of the other kernel after a change, a kernel that an island from a file does not know, gradients
//! of an earlier target for control variates after a walk.

use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::engine::{Inference, Island, Mutations, Smc};
use bayes_core::kernel::Hmc;
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

/// A ring of radius 2 and width 0.1 in the plane with a prior N(0, 3²) in each coordinate.
struct Ring;

const SCALE: f64 = 3.0;
const RADIUS: f64 = 2.0;
const WIDTH: f64 = 0.1;

impl Ring {
    fn log_evidence() -> f64 {
        let step = 1e-4;
        let term = |k: i32| {
            let r = step * (f64::from(k) + 0.5);
            let z = (r - RADIUS) / WIDTH;
            r * (-0.5 * (r / SCALE).powi(2) - 0.5 * z * z).exp() / (SCALE * SCALE)
        };
        (step * (0..40_000).map(term).sum::<f64>()).ln()
    }
}

impl LogDensity for Ring {
    fn dim(&self) -> usize {
        2
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let square = x[0] * x[0] + x[1] * x[1];
            let z = (square.sqrt() - RADIUS) / WIDTH;
            let norm = TAU.ln() + 2.0 * SCALE.ln();
            [-0.5 * square / (SCALE * SCALE) - norm, -0.5 * z * z]
        });
    }

    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        for i in 0..block.len() {
            for at in block.row(i) {
                let first = block.row(i).start;
                let [x, y] = [block.positions[first], block.positions[first + 1]];
                let r = x.hypot(y);
                let outwards =
                    -prior * r / (SCALE * SCALE) - likelihood * (r - RADIUS) / WIDTH.powi(2);
                block.gradient[at] = outwards * block.positions[at] / r;
            }
        }
    }

    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Ring {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position.fill_with(|| SCALE * stream.sample::<f64, _>(StandardNormal));
    }

    fn is_normalised(&self) -> bool {
        true
    }
}

fn psmc(may_walk: bool) -> Smc<Hmc> {
    let hmc = Hmc::new().random_walk(may_walk);
    let psmc = Inference::psmc().kernel(hmc).control_variates(true);
    psmc.islands(8).particles(64).seed(5).progress(false)
}

fn calls(run: &Run) -> u64 {
    let counts = run.counts();
    counts.density_evaluations + 3 * counts.gradient_evaluations
}

#[test]
fn a_thin_ring_needs_fewer_calls_by_walks() {
    let [walks, trajectories] = [true, false].map(|may_walk| psmc(may_walk).run_on(&Ring));
    let (walks, trajectories) = (walks.unwrap(), trajectories.unwrap());
    let [few, many] = [&walks, &trajectories].map(calls);
    assert!(3 * few < 2 * many, "{few} and {many} calls");
    for run in [walks, trajectories] {
        let found = run.log_evidence_estimate().unwrap();
        let z = (found.mean - Ring::log_evidence()) / found.se;
        assert!(z.abs() < 3.5 && found.se < 0.1, "{z} {found:?}");
    }
}

/// Would detect a first temperature of walks that asks for more moves than its policy allows.
#[test]
fn walks_keep_to_the_moves_that_are_allowed() {
    let few = psmc(true).mutations(Mutations::adaptive().max_steps(8));
    let run = few.run_on(&Ring).unwrap();
    let stages = run.groups.iter().flat_map(|group| group.history());
    // at the posterior they go on for its states
    let before: Vec<_> = stages.filter(|stage| stage.lambda < 1.0).collect();
    assert!(!before.is_empty());
    for stage in before {
        assert!(stage.mutations <= 8, "{stage:?}");
    }
}

#[test]
fn walks_end_nowhere_but_in_few_coordinates_with_adaptive_moves() {
    let walked = |run: Run| {
        let stages = run.groups.iter().flat_map(|group| group.history());
        stages.filter(|stage| stage.leapfrog_steps == 0).count()
    };
    assert!(walked(psmc(true).run_on(&Ring).unwrap()) > 0);
    for psmc in [
        psmc(false),
        psmc(true).mutations(12),
        psmc(true).pilot(64),
        psmc(true).gradient_limit(10_000_000),
    ] {
        assert_eq!(walked(psmc.run_on(&Ring).unwrap()), 0);
    }
}

#[test]
fn an_island_that_walks_goes_on_from_a_file_with_the_same_bits() {
    let psmc = psmc(true);
    let sampler = psmc.sampler(&Ring).unwrap();
    let text = |island: &Island| serde_json::to_string(island).unwrap();
    let mut island = sampler.start(1).unwrap();
    let mut back = sampler.start(1).unwrap();
    let mut walked = 0;
    while !island.is_done() {
        sampler.advance(&mut island);
        sampler.advance(&mut back);
        assert!(text(&island) == text(&back), "at {}", island.lambda);
        back = sampler
            .restore(serde_json::from_str(&text(&back)).unwrap())
            .unwrap();
        walked += usize::from(island.walks);
    }
    assert!(walked > 2, "{walked}");
}
