//! The same seed gives the same bytes, whatever the number of threads; and the stream itself is pinned.

use bayes::engine::{Chains, Smc};
use bayes::kernel::{Kernel, Moves};
use bayes::prelude::*;

/// A scale, a simplex and a vector in a loop: every transform and both forms of `sample`.
#[model]
fn mixed(y: &[f64], group: &[usize]) {
    let tau = sample(HalfCauchy::new(1.0));
    let shares = sample(Dirichlet::new([2.0, 3.0, 4.0]));
    for i in 0..y.len() {
        let effect = sample(Normal::new(0.0, 1.0));
        observe(y[i], Normal::new(tau * effect + shares[group[i]], 0.7));
    }
}

const Y: [f64; 5] = [1.3, -0.4, 0.8, 2.1, 0.1];
const GROUP: [usize; 5] = [0, 1, 2, 0, 2];

/// A run as full text and as a summary.
fn texts(run: &Run) -> [String; 2] {
    let mut bytes = Vec::new();
    run.to_json(&mut bytes).expect("memory takes all");
    let full = String::from_utf8(bytes).expect("JSON is text");
    [full, run.record().to_string()]
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}

fn assert_same_bytes(work: impl Fn() -> Run + Sync) {
    let texts = |threads| with_threads(threads, || texts(&work()));
    let one = texts(1);
    assert!(one[0].contains("\"model\":\"mixed\""), "{}", one[0]);
    for threads in [2, 7] {
        assert!(one == texts(threads), "{threads} threads change the run");
    }
    let again = with_threads(7, || work().record().to_string());
    assert_eq!(one[1], again, "the run differs when repeated");
}

/// Sizes that are not multiples of the numbers of threads.
fn islands<K: Kernel + Moves<mixed<'static, 'static>>>(engine: Smc<K>) -> Smc<K> {
    engine.particles(131).seed(20).progress(false)
}

fn chains<K: Kernel + Moves<mixed<'static, 'static>>>(engine: Chains<K>) -> Run {
    let engine = engine.chains(9).burn_in(60).draws(11).thin(2);
    let engine = engine.seed(20).progress(false);
    engine.run(&mixed(&Y, &GROUP)).expect("the model is valid")
}

fn smc_runs<K: Kernel + Moves<mixed<'static, 'static>>>(engine: Smc<K>) -> Run {
    let engine = islands(engine);
    engine.run(&mixed(&Y, &GROUP)).expect("the model is valid")
}

#[test]
fn smc_gives_the_same_bytes_with_any_number_of_threads() {
    assert_same_bytes(|| smc_runs(Inference::smc()));
    assert_same_bytes(|| smc_runs(Inference::smc().kernel(Pcn::new())));
    assert_same_bytes(|| smc_runs(Inference::smc().kernel(RandomWalk::new())));
    assert_same_bytes(|| smc_runs(Inference::smc().kernel(Mala::new())));
}

#[test]
fn islands_give_the_same_bytes_with_any_number_of_threads() {
    let psmc = || Inference::psmc().islands(5);
    assert_same_bytes(|| smc_runs(psmc()));
    assert_same_bytes(|| smc_runs(psmc().kernel(Hmc::new().mass(Mass::Covariance))));
    assert_same_bytes(|| smc_runs(psmc().kernel(Pcn::new())));
    assert_same_bytes(|| smc_runs(psmc().kernel(RandomWalk::new())));
}

#[test]
fn chains_give_the_same_bytes_with_any_number_of_threads() {
    assert_same_bytes(|| chains(Inference::hmc()));
    assert_same_bytes(|| chains(Inference::nuts()));
    assert_same_bytes(|| chains(Inference::chains(Nuts::new().mass(Mass::Fisher))));
    assert_same_bytes(|| chains(Inference::chains(Nuts::new().mass(Mass::LowRank))));
    assert_same_bytes(|| chains(Inference::walnuts()));
    assert_same_bytes(|| chains(Inference::mams()));
    assert_same_bytes(|| chains(Inference::pcn()));
    assert_same_bytes(|| chains(Inference::random_walk()));
    assert_same_bytes(|| chains(Inference::chains(Mala::new())));
}

#[test]
fn annealed_importance_sampling_gives_the_same_bytes_with_any_number_of_threads() {
    let ais = || Inference::ais().islands(3);
    assert_same_bytes(|| smc_runs(ais()));
    assert_same_bytes(|| smc_runs(ais().kernel(Pcn::new())));
}

#[test]
fn nested_sampling_gives_the_same_bytes_with_any_number_of_threads() {
    assert_same_bytes(|| {
        let nested = Inference::nested().islands(3).particles(131).seed(20);
        let run = nested.progress(false).run(&mixed(&Y, &GROUP));
        run.expect("the model is valid")
    });
}

#[test]
fn interacting_islands_give_the_same_bytes_with_any_number_of_threads() {
    let psmc = || Inference::psmc().islands(5).pilot(67).interacting(1.0);
    assert_same_bytes(|| smc_runs(psmc()));
    assert_same_bytes(|| smc_runs(psmc().kernel(Pcn::new())));
}

/// [`mixed`] without a quantity for each observation, so the observations are rows.
#[model]
fn rows(#[rows] y: &[f64], #[rows] group: &[usize]) {
    let tau = sample(HalfCauchy::new(1.0));
    let shares = sample(Dirichlet::new([2.0, 3.0, 4.0]));
    for i in 0..y.len() {
        observe(y[i], Normal::new(shares[group[i]], tau));
    }
}

#[test]
fn data_annealing_gives_the_same_bytes_with_any_number_of_threads() {
    let psmc = || Inference::psmc().islands(5).particles(131).seed(20);
    let run = |threads| {
        let run = || psmc().progress(false).run_in_batches(&rows(&Y, &GROUP), 3);
        with_threads(threads, || texts(&run().expect("the model has rows")))
    };
    assert!([2, 7].iter().all(|threads| run(*threads) == run(1)));
}

/// Two ensembles, the second smaller.
fn tempered<K: Kernel + Moves<mixed<'static, 'static>>>(kernel: K) -> Run {
    let engine = Inference::tempering().chains(11).burn_in(60).draws(21);
    let engine = engine.kernel(kernel).seed(20).progress(false);
    engine.run(&mixed(&Y, &GROUP)).expect("the model is valid")
}

#[test]
fn tempering_gives_the_same_bytes_with_any_number_of_threads() {
    assert_same_bytes(|| tempered(Hmc::new()));
    assert_same_bytes(|| tempered(Nuts::new()));
    assert_same_bytes(|| tempered(Pcn::new()));
    assert_same_bytes(|| tempered(RandomWalk::new()));
}

#[test]
fn seeds_matter() {
    let run = |seed| {
        let engine = Inference::smc().particles(50).seed(seed).progress(false);
        engine.run(&mixed(&Y, &GROUP)).expect("the model is valid")
    };
    assert_ne!(run(1).groups[0].draws, run(2).groups[0].draws);
}

/// A change of these numbers changes every user's results: make it on purpose, and say so in the changelog.
///
/// By instruction set, with ten digits, because the last digits may differ between platforms' mathematical functions.
#[test]
fn the_streams_are_pinned() {
    let rounded = |run: &Run| {
        let first = run.groups[0].draws[0];
        match run.groups[0].log_evidence() {
            Some(evidence) => format!("{first:.10} {evidence:.10}"),
            None => format!("{first:.10}"),
        }
    };
    for level in InstructionSet::available() {
        let smc = || Inference::smc().instruction_set(level);
        let psmc = Inference::psmc().islands(2).instruction_set(level);
        let found = [
            rounded(&smc_runs(smc())),
            rounded(&smc_runs(psmc.kernel(Pcn::new()))),
            rounded(&smc_runs(smc().kernel(RandomWalk::new()))),
            rounded(&chains(Inference::hmc().instruction_set(level))),
            rounded(&chains(Inference::pcn().instruction_set(level))),
            rounded(&chains(Inference::random_walk().instruction_set(level))),
        ];
        let mut wanted = PINNED;
        if level > InstructionSet::Portable {
            wanted[3] = PINNED_FUSED;
        }
        assert_eq!(found, wanted, "{level}");
    }
}

/// The first drawn number, and for islands the first log evidence.
const PINNED: [&str; 6] = [
    "0.0696882820 -8.0518253339",
    "1.0201536817 -8.0666728515",
    "0.5317435301 -8.1218141197",
    "1.1092978791",
    "6.1592144849",
    "0.7181464518",
];

/// The chain of HMC with fused multiply-add, which rounds once: a difference in the last bit changes a whole chain.
const PINNED_FUSED: &str = "1.1092977395";
