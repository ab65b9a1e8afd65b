//! Runs that are split over several processes have the bytes of one process.

use crate::common::NormalMean;
use bayes_core::Error;
use bayes_core::engine::{Chains, Inference, Smc, Tempering};
use bayes_core::kernel::{Hmc, Nuts};
use bayes_core::run::Run;

fn psmc() -> Smc<Hmc> {
    Inference::psmc().particles(32).seed(3).progress(false)
}

fn nuts() -> Chains<Nuts> {
    Inference::nuts()
        .burn_in(60)
        .draws(8)
        .seed(3)
        .progress(false)
}

fn tempering() -> Tempering<Hmc> {
    let tempering = Inference::tempering().temperatures(4).burn_in(40);
    tempering.draws(8).seed(3).progress(false)
}

fn text(run: &Run) -> String {
    serde_json::to_string(run).expect("runs are JSON")
}

/// Makes all parts, writes and reads them as processes would, and merges them in the opposite
/// order.
fn merged(of: usize, part: impl Fn(usize) -> Result<Run, Error>) -> Run {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = |i: usize| folder.path().join(format!("{i}.bayes"));
    for i in 0..of {
        let part = part(i).expect("a valid part");
        part.save(path(i)).expect("the folder is there");
    }
    let parts = (0..of)
        .rev()
        .map(|i| Run::load(path(i)).expect("it was just written"));
    Run::merge(parts).expect("they fit")
}

#[test]
fn shards_of_every_engine_make_the_bytes_of_one_process() {
    let model = NormalMean::reference();
    let whole = psmc().islands(7).run(&model).unwrap();
    let parts = merged(3, |i| psmc().islands(7).shard(i, 3).run(&model));
    assert!(text(&parts) == text(&whole), "psmc");
    let nested = || Inference::nested().particles(32).islands(7).progress(false);
    let whole = nested().run(&model).unwrap();
    let parts = merged(3, |i| nested().shard(i, 3).run(&model));
    assert!(text(&parts) == text(&whole), "nested");
    // groups of 16, 16 and 8 chains
    let whole = nuts().chains(40).run(&model).unwrap();
    let parts = merged(2, |i| nuts().chains(40).shard(i, 2).run(&model));
    assert!(text(&parts) == text(&whole), "nuts");
    // groups of 8, 8 and 3 chains
    let whole = tempering().chains(19).run(&model).unwrap();
    let parts = merged(3, |i| tempering().chains(19).shard(i, 3).run(&model));
    assert!(text(&parts) == text(&whole), "tempering");
}

#[test]
fn shards_with_a_pilot_count_it_once() {
    let model = NormalMean::reference();
    let psmc = || psmc().islands(6).pilot(64);
    let whole = psmc().run(&model).unwrap();
    let parts = merged(4, |i| psmc().shard(i, 4).run(&model));
    assert!(text(&parts) == text(&whole));
}

#[test]
fn islands_are_added_to_a_run_that_was_whole() {
    let model = NormalMean::reference();
    let first = psmc().islands(3).run(&model).unwrap();
    let more = |i| psmc().island_range(3..8).shard(i, 2).run(&model).unwrap();
    assert!(
        more(1)
            .to_string()
            .contains("3 of 5 islands x 32 particles")
    );
    let whole = psmc().islands(8).run(&model).unwrap();
    let merged = Run::merge([more(1), first.clone(), more(0)]).unwrap();
    assert!(text(&merged) == text(&whole));
    let error = Run::merge([first, more(1)]).unwrap_err().to_string();
    assert_eq!(
        error,
        "the runs cannot be merged: islands 3 to 4 are missing"
    );
}

#[test]
fn shards_that_do_not_exist_are_refused() {
    let model = NormalMean::reference();
    let refused = |run: Result<Run, Error>| run.unwrap_err().to_string();
    assert_eq!(
        refused(psmc().islands(4).shard(4, 4).run(&model)),
        "setting `shard` is 4 of 4, must be below the number of parts, which is at most 4: there are 4 islands"
    );
    assert_eq!(
        refused(nuts().chains(20).shard(0, 3).run(&model)),
        "setting `shard` is 0 of 3, must be below the number of parts, which is at most 2: 20 chains are 2 groups of up \
         to 16 that are tuned together"
    );
}
