//! The smallest runs that the settings allow, and a run with very many coordinates.

use crate::common::NormalMean;
use bayes_autodiff::Mode;
use bayes_core::dist::Normal;
use bayes_core::engine::{Chains, Inference, Resampling, Schedule};
use bayes_core::kernel::{Hmc, Kernel, Moves, Mutation, Pcn, RandomWalk};
use bayes_core::model::{AllSampled, Differentiable, Interpreter, Model, Statement, StatementKind};
use bayes_core::run::Run;

/// Asserts that every query of a run has an answer, and that the draws are numbers.
fn assert_whole(run: &Run, draws: usize) {
    assert_eq!(run.total_draws(), draws);
    let numbers = run.groups.iter().flat_map(|g| &g.draws);
    assert!(numbers.into_iter().all(|x| x.is_finite()), "{run}");
    assert!(run.to_string().contains(&run.model));
    assert_eq!(run.summary().rows.len(), run.layout.elements());
    let logs = run.groups.iter().filter_map(|g| g.log_evidence());
    assert!(logs.into_iter().all(f64::is_finite), "{run}");
    let mut text = Vec::new();
    run.to_json(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("JSON is text");
    let back = Run::from_json(&text).expect("it was just written");
    assert_eq!(back.total_draws(), draws);
}

/// SMC with the fewest particles and mutations, on one island and on two.
fn smallest_smc<K: Kernel + Moves<NormalMean> + Mutation + Clone>(kernel: K) {
    let model = NormalMean::reference();
    let schemes = [
        Resampling::Multinomial,
        Resampling::Residual,
        Resampling::Stratified,
        Resampling::Systematic,
    ];
    for (seed, scheme) in schemes.into_iter().enumerate() {
        for islands in [1, 2] {
            let engine = Inference::psmc().islands(islands).particles(2).mutations(1);
            let run = engine
                .kernel(kernel.clone())
                .resampling(scheme)
                .seed(seed as u64)
                .progress(false)
                .run(&model)
                .expect("two particles are allowed");
            assert_whole(&run, 2 * islands);
        }
    }
}

#[test]
fn two_particles_go_from_the_prior_to_the_posterior() {
    smallest_smc(Hmc::new());
    smallest_smc(Hmc::new().leapfrog_steps(1));
    smallest_smc(Pcn::new());
    smallest_smc(RandomWalk::new());
}

fn smallest_chain<K: Kernel + Moves<NormalMean> + Clone>(engine: Chains<K>) {
    let model = NormalMean::reference();
    for (burn_in, draws) in [(0, 1), (1, 1), (1, 2), (20, 5)] {
        let chains = engine.clone().chains(1).burn_in(burn_in).draws(draws);
        let run = chains.thin(1).progress(false).run(&model);
        assert_whole(&run.expect("one chain is allowed"), draws);
    }
}

#[test]
fn a_chain_of_one_draw_is_a_run() {
    smallest_chain(Inference::nuts());
    smallest_chain(Inference::hmc());
    smallest_chain(Inference::pcn());
    smallest_chain(Inference::random_walk());
}

/// `x[i] ~ Normal(0, 1)`, `y[i] ~ Normal(x[i], 30)` for very many i. The likelihood is weak, so that few temperatures
/// lead to it.
struct Wide {
    y: Vec<f64>,
}

impl Model for Wide {
    fn name(&self) -> &'static str {
        "wide"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const fn statement(kind: StatementKind, name: &'static str) -> Statement {
            Statement {
                kind,
                name,
                text: name,
                line: 1,
            }
        }
        const STATEMENTS: [Statement; 2] = [
            statement(StatementKind::Sample, "x"),
            statement(StatementKind::Observe, "y"),
        ];
        &STATEMENTS
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let prior = Normal::new(0.0, 1.0).iid(self.y.len());
        let x = interpreter.at(0).sample(prior);
        interpreter
            .at(1)
            .observe_under(Normal::new(&x, 30.0), &self.y);
    }
}
impl AllSampled for Wide {}
impl Differentiable for Wide {}

/// Neither time nor memory grows with the square of the dimension: a covariance of 10⁵ coordinates would take 80 GB.
fn wide<K: Kernel + Moves<Wide> + Mutation>(kernel: K) {
    let y = (0..100_000).map(|i| f64::from(i % 7) - 3.0).collect();
    let run = Inference::smc()
        .particles(4)
        .kernel(kernel)
        .mutations(2)
        .schedule(Schedule::Fixed(vec![0.5, 1.0]))
        .progress(false)
        .run(&Wide { y })
        .expect("the model is valid");
    assert_eq!(run.layout.elements(), 100_000);
    let draws = &run.groups[0].draws;
    // ten states of each of four particles, the most with at most 2²² numbers
    assert_eq!(draws.len(), 4_000_000);
    assert!(draws.iter().all(|x| x.is_finite()));
    assert!(run.log_evidence().is_some_and(f64::is_finite));
    let last = run.groups[0].history().last().expect("two stages");
    assert!(last.step_size > 0.0 && last.acceptance >= 0.0);
    assert!(run.counts().non_finite.is_empty());
}

#[test]
fn a_random_walk_in_many_dimensions_ends() {
    wide(RandomWalk::new());
}

#[test]
fn trajectories_in_many_dimensions_end() {
    wide(Hmc::new().leapfrog_steps(3));
}
