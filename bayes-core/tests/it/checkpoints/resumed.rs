//! Stopped or finished runs continue from their folder.

use super::*;
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Inference, Shard};
use bayes_core::until::Precision;

#[test]
fn stopped_anywhere_and_started_again_gives_the_bytes_of_one_run() {
    for name in ENGINES {
        let whole = text(&engine(name).run_on(&Slow::new()).unwrap());
        for boundaries in [1, 2, 3, 5, 8, 13, 60] {
            let (_base, folder) = folder();
            for again in 0.. {
                assert!(again < 500, "{name} does not end");
                let mut engine = in_folder(name, &folder);
                stopped_after(boundaries, engine.as_mut());
                match engine.run_on(&Slow::new()) {
                    Ok(run) if !run.is_stopped => {
                        assert!(again > 0 || boundaries > 20, "{name} was not stopped");
                        assert!(text(&run) == whole, "{name} after {boundaries}");
                        break;
                    }
                    Ok(run) => {
                        let told = |warning: &Warning| matches!(warning, Warning::Stopped(_));
                        assert!(run.warnings().iter().any(told), "{name}");
                    }
                    Err(error) => assert!(matches!(error, Error::Stopped { .. }), "{error}"),
                }
            }
            assert!(
                files(&folder, "state-")
                    .iter()
                    .all(|path| path.ends_with(PILOT))
            );
            // a finished run is read instead of repeated
            let density = Slow::new();
            let again = in_folder(name, &folder).run_on(&density).unwrap();
            assert!(text(&again) == whole);
        }
    }
}

#[test]
fn what_was_saved_is_found_where_shards_and_rounds_have_it() {
    let (_base, folder) = folder();
    let common = |shard: Option<Shard>| {
        let mut engine = in_folder("psmc", &folder);
        engine.common_mut().shard = shard;
        engine.common().clone()
    };
    let found = || (common(None).has_checkpoints(), common(None).saved_parts());
    assert_eq!(found(), (false, None));
    fs::create_dir_all(folder.join("shard-1-of-9")).unwrap();
    assert_eq!(found(), (false, None), "an empty folder");
    let part = Shard { index: 2, of: 3 };
    let mut engine = in_folder("psmc", &folder);
    engine.common_mut().shard = Some(part);
    engine.run_on(&Slow::new()).unwrap();
    assert_eq!(found(), (false, Some(3)));
    assert!(common(Some(part)).has_checkpoints());
    assert!(!common(Some(Shard { index: 1, of: 3 })).has_checkpoints());
    let psmc = Inference::psmc().islands(1).particles(64).progress(false);
    let until = psmc.checkpoint(&folder).until(Precision::log_evidence(1e9));
    until.run_on(&Slow::new()).unwrap();
    assert_eq!(found(), (true, Some(3)), "islands that are added in rounds");
}

/// The state of a pilot stays, for islands that are added later.
const PILOT: &str = "state-18446744073709551615.bayes";

#[test]
fn a_finished_run_is_not_made_again_and_islands_can_be_added() {
    let (_base, folder) = folder();
    let psmc = |islands| {
        let psmc = Inference::psmc().islands(islands).particles(64).seed(3);
        psmc.progress(false).checkpoint(&folder)
    };
    let evaluations = |islands| {
        let density = Slow::new();
        let run = psmc(islands).run_on(&density).unwrap();
        assert_eq!(run.groups.len(), islands);
        (text(&run), density.evaluations.into_inner())
    };
    let (_, first) = evaluations(3);
    let (_, again) = evaluations(3);
    let (more, added) = evaluations(4);
    // only the comparison of the gradient with differences, and the checks before a run
    assert!(again < first / 4, "{again} of {first} evaluations");
    assert!(
        again < added && added < first,
        "{added} of {first} evaluations"
    );
    let density = Slow::new();
    let whole = Inference::psmc()
        .islands(4)
        .particles(64)
        .seed(3)
        .progress(false);
    assert!(more == text(&whole.run_on(&density).unwrap()));
    let (fewer, _) = evaluations(2);
    assert_eq!(Run::from_json(&fewer).unwrap().groups.len(), 2);
}

#[test]
fn shards_share_a_folder() {
    let (_base, folder) = folder();
    let psmc = || {
        Inference::psmc()
            .islands(5)
            .particles(64)
            .seed(3)
            .progress(false)
    };
    let shard = |i| {
        psmc()
            .shard(i, 2)
            .checkpoint(&folder)
            .run_on(&Slow::new())
            .unwrap()
    };
    let merged = Run::merge([shard(1), shard(0)]).unwrap();
    assert!(text(&merged) == text(&psmc().run_on(&Slow::new()).unwrap()));
}
