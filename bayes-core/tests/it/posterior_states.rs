//! More states of each particle at the posterior: draws from it, known errors, the same evidence.

use crate::common::NormalMean;
use bayes_core::density::{Block, LogDensity, Posterior, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Inference, Schedule, Smc};
use bayes_core::kernel::{Hmc, Kernel, Moves, RandomWalk};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::{Run, Stage};

fn run<K: Kernel + Moves<NormalMean>>(smc: Smc<K>) -> Run {
    let run = smc.progress(false).run(&NormalMean::reference());
    run.expect("the model is valid")
}

fn psmc(particles: usize) -> Smc<Hmc> {
    Inference::psmc().islands(4).particles(particles)
}

fn draws(run: &Run) -> Vec<usize> {
    run.groups.iter().map(|g| g.log_likelihood.len()).collect()
}

#[test]
fn there_are_as_many_as_are_asked_for() {
    assert_eq!(draws(&run(psmc(16).posterior_states(1))), [16; 4]);
    assert_eq!(draws(&run(psmc(16).posterior_states(7))), [16 * 7; 4]);
    // by default eight times the four states of other temperatures, up to 8192 draws
    assert_eq!(draws(&run(psmc(16))), [16 * 32; 4]);
    assert_eq!(draws(&run(psmc(1024))), [1024 * 8; 4]);
    assert_eq!(draws(&run(psmc(4096))), [4096 * 4; 4]);
    assert_eq!(draws(&run(psmc(16).states_kept(2))), [16 * 16; 4]);
    // standard SMC
    assert_eq!(draws(&run(psmc(16).states_kept(1))), [16; 4]);
    let error = psmc(16).posterior_states(0).run(&NormalMean::reference());
    let error = error.expect_err("no state").to_string();
    assert_eq!(
        error,
        "setting `posterior_states` is 0, must be at least 1, and together with the particles at most 4294967295 states"
    );
}

#[test]
fn the_evidence_and_the_first_states_are_the_same() {
    let (few, many) = (run(psmc(64).posterior_states(4)), run(psmc(64)));
    assert_eq!(few.log_evidence(), many.log_evidence());
    for (few, many) in few.groups.iter().zip(&many.groups) {
        // the steps to more states are added only to the last moves
        for (few, many) in few.history().iter().zip(many.history()) {
            let told = |stage: &Stage| [stage.lambda, stage.ess, stage.log_increment];
            assert_eq!(told(few), told(many));
            let more = many.mutations - few.mutations;
            let apart = if many.lambda == 1.0 {
                1..=few.mutations / 4
            } else {
                0..=0
            };
            assert!(more % 28 == 0 && apart.contains(&(more / 28)), "{more}");
        }
        let each = few.draws.chunks(4).zip(many.draws.chunks(32));
        for (few, many) in each {
            assert_eq!(few, &many[..4]);
        }
    }
}

#[test]
fn they_are_draws_of_the_posterior() {
    let run = run(psmc(256).seed(4));
    let mean = run.estimate(|draw| draw.scalar("mu"));
    assert!(
        (mean.mean - NormalMean::MEAN).abs() < 3.5 * mean.se,
        "{mean:?}"
    );
    let square = run.estimate(|draw| (draw.scalar("mu") - NormalMean::MEAN).powi(2));
    let exact = NormalMean::SD * NormalMean::SD;
    assert!((square.mean - exact).abs() < 3.5 * square.se, "{square:?}");
    // four islands of 8192 draws
    let effective = (NormalMean::SD / mean.se).powi(2);
    assert!((10_000.0..45_000.0).contains(&effective), "{effective}");
}

#[test]
fn intervals_cover_as_they_say() {
    let errors = (0..200).map(|seed| {
        let mean = run(psmc(16).seed(seed)).estimate(|draw| draw.scalar("mu"));
        [(mean.mean - NormalMean::MEAN).abs(), mean.se]
    });
    let errors: Vec<[f64; 2]> = errors.collect();
    let covered = errors.iter().filter(|[error, se]| *error < 1.96 * se);
    // 95% of 200, minus four standard deviations
    assert!(covered.count() >= 178);
    // and the claimed errors equal the actual ones
    let mean_square = |k: usize| errors.iter().map(|e| e[k].powi(2)).sum::<f64>() / 200.0;
    let ratio = mean_square(1) / mean_square(0);
    assert!((0.6..1.6).contains(&ratio), "{ratio}");
}

#[test]
fn one_step_apart_is_the_least() {
    let cost = |smc: Smc<Hmc>| run(smc.mutations(4)).counts().gradient_evaluations as f64;
    let ratio = cost(psmc(64)) / cost(psmc(64).posterior_states(4));
    assert!((1.3..2.5).contains(&ratio), "{ratio}");
}

#[test]
fn they_cost_a_quarter_at_most_unless_they_are_asked_for() {
    let walk = |smc: Smc<Hmc>| run(smc.kernel(RandomWalk::new()).mutations(400)).counts();
    let few = walk(psmc(32).posterior_states(4)).density_evaluations as f64;
    let many = walk(psmc(32)).density_evaluations as f64;
    assert!((1.15..1.26).contains(&(many / few)), "{}", many / few);
    let asked = walk(psmc(32).posterior_states(32)).density_evaluations as f64;
    assert!(asked > 1.5 * few, "{}", asked / few);
}

/// Uniform on (0, 1), with a likelihood of zero except in a thousandth of the interval.
struct Needle;

impl LogDensity for Needle {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let log = |holds| if holds { 0.0 } else { f64::NEG_INFINITY };
        block.fill(|x| [log((0.0..1.0).contains(&x[0])), log(x[0] < 1e-3)]);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Needle {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.random_range(0.0..1.0);
    }
}

#[test]
fn islands_that_never_come_to_the_posterior_have_as_many_draws() {
    let smc = psmc(64).islands(16).kernel(RandomWalk::new());
    let run = smc.progress(false).run_on(&Needle).expect("some are alive");
    let dead = |log: Option<f64>| log == Some(f64::NEG_INFINITY);
    let dead = run.groups.iter().filter(|g| dead(g.log_evidence())).count();
    assert!((1..16).contains(&dead), "{dead}");
    assert_eq!(draws(&run), [64 * 32; 16]);
    assert!(run.estimate(|draw| draw.vector("x")[0]).mean < 1e-3);
}

#[test]
fn particles_that_are_never_resampled_keep_their_weights() {
    let ais = |states| run(Inference::ais().particles(512).posterior_states(states));
    let (one, many) = (ais(1), ais(16));
    assert_eq!(one.log_evidence_estimate(), many.log_evidence_estimate());
    let mean = |run: &Run| run.estimate(|draw| draw.scalar("mu"));
    let (one, many) = (mean(&one), mean(&many));
    assert!(
        (many.mean - NormalMean::MEAN).abs() < 3.5 * many.se,
        "{many:?}"
    );
    assert!(
        many.se < one.se && many.se > 0.2 * one.se,
        "{one:?} {many:?}"
    );
}

#[test]
fn an_island_at_the_posterior_comes_back_from_a_file() {
    let model = NormalMean::reference();
    let density = Posterior::new(&model, 0).expect("the model is valid");
    for smc in [psmc(16), psmc(16).posterior_states(2)] {
        let sampler = smc.sampler(&density).expect("the settings are valid");
        let mut island = sampler.start(0).expect("it has a prior");
        sampler.advance(&mut island);
        let early = sampler.finish(island.clone());
        assert_eq!(
            early.log_likelihood.len(),
            16 * 4,
            "an island that is stopped keeps its states"
        );
        while !island.is_done() {
            sampler.advance(&mut island);
        }
        let text = serde_json::to_string(&island).expect("plain data");
        let back = serde_json::from_str(&text).expect("it was just written");
        let back = sampler.restore(back).expect("it is of this sampler");
        let text = |group| serde_json::to_string(&group).expect("plain data");
        assert_eq!(text(sampler.finish(back)), text(sampler.finish(island)));
    }
}

#[test]
fn islands_that_interact_have_them() {
    let interacting = psmc(32).pilot(64).interacting(0.9);
    assert_eq!(draws(&run(interacting)), [32 * 32; 4]);
}

#[test]
fn a_fine_ladder_by_wish_is_no_stall() {
    let fine = (1..=3000).map(|step| f64::from(step) / 3000.0).collect();
    let smc = psmc(16).islands(1).schedule(Schedule::Fixed(fine));
    let run = run(smc
        .kernel(RandomWalk::new())
        .mutations(1)
        .states_kept(1)
        .posterior_states(16));
    let stalled = |warning: &Warning| matches!(warning, Warning::LadderStalled(_));
    assert!(!run.warnings().iter().any(stalled), "{:?}", run.warnings());
    assert!(
        run.groups[0]
            .history()
            .iter()
            .all(|stage| stage.states == 16)
    );
}
