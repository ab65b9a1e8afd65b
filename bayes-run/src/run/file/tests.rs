//! Files whose groups are read one at a time.

use super::RunFile;
use crate::run::example::{chains, damaged_places, islands, of_island};
use crate::run::{FileError, LocalMass, Run, RunError};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder for one test, which is removed at its end.
fn folder() -> TempDir {
    tempfile::tempdir().expect("the system has a folder for temporary files")
}

fn save(folder: &TempDir, run: &Run, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    run.save(&path).expect("the folder is there");
    path
}

fn text<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it is JSON")
}

/// The mass near a mode at 0 with `dim` coordinates.
fn mass(dim: usize) -> LocalMass {
    LocalMass {
        mode: vec![0.0; dim],
        values: vec![0.0, 1.0, 2.0],
        factor: vec![1.0; dim * (dim + 1) / 2],
        radius: 2.0,
        log_mass: -1.0,
        se: 0.1,
        draws: None,
    }
}

#[test]
fn groups_are_read_one_at_a_time() {
    let folder = folder();
    // lists of up to 15, up to 65535 and more elements have different heads
    for count in [1, 15, 16, 70_000] {
        let run = islands(&vec![-1.5; count], 1);
        let file = RunFile::open(save(&folder, &run, "all.run")).expect("it was just written");
        assert_eq!(file.len(), count);
        let groups = file.groups().expect("it is there");
        for (i, (found, wanted)) in groups.zip(&run.groups).enumerate() {
            let found = found.expect("it is whole");
            // a text of each takes long
            if count < 100 || i % 997 == 0 || i + 1 == count {
                assert_eq!(text(&found), text(wanted), "{i}");
            }
        }
        let head = Run {
            groups: Vec::new(),
            ..run
        };
        assert_eq!(text(file.run()), text(&head));
    }
}

#[test]
fn some_quantities_are_those_of_the_whole() {
    let folder = folder();
    let mut found = islands(&[-1.0, -2.0, -1.5], 40);
    of_island(&mut found.groups[1]).local_masses = vec![mass(3)];
    for run in [found, chains(4, 50)] {
        let file = RunFile::open(save(&folder, &run, "all.run")).expect("it was just written");
        let part = file.select(["beta"]).expect("it has beta");
        assert_eq!(part.draws("beta"), run.draws("beta"));
        assert_eq!(part.log_evidence(), run.log_evidence());
        let line = |run: &Run| {
            let summary = run.summary();
            format!("{:?}", summary.rows.last())
        };
        assert_eq!(line(&part), line(&run));
        assert!(!part.to_string().is_empty() && part.quantile("mu", 0.5).is_err());
        let read = Run::load(save(&folder, &part, "part.run")).expect("it was just written");
        assert_eq!(text(&read), text(&part));
        if let Some(island) = read.groups[1].island() {
            // the values of beta, which follow mu
            assert_eq!(island.local_masses[0].values, [1.0, 2.0]);
        }
        let told = Run::merge([part.clone()]).expect_err("a part of the quantities");
        assert!(
            told.to_string()
                .contains("run 0 has some of its quantities alone"),
            "{told}"
        );
        let refused = file.select(["betta"]).expect_err("no betta");
        assert!(matches!(refused, RunError::UnknownName { .. }), "{refused}");
    }
}

/// Would detect a selection, which has no positions, whose modes cannot be compared.
#[test]
fn modes_of_a_selection_have_one_dimension() {
    let folder = folder();
    let whole = islands(&[-1.0, -2.0, -1.5], 40);
    let file = RunFile::open(save(&folder, &whole, "all.run")).expect("it was just written");
    let mut part = file.select(["mu", "beta"]).expect("it has both");
    of_island(&mut part.groups[0]).local_masses = vec![mass(3)];
    of_island(&mut part.groups[2]).local_masses = vec![mass(2)];
    let file = RunFile::open(save(&folder, &part, "crafted.run")).expect("every group is intact");
    let wanted = "group 2: `local_masses: mode` has 2 numbers, must have 3";
    let refused = Run::load(file.path()).expect_err("the modes differ");
    assert_eq!(refused.to_string(), wanted);
    let refused = file.select(["mu"]).expect_err("the modes differ");
    assert_eq!(refused.to_string(), wanted);
}

#[test]
fn files_merge_to_the_bytes_of_a_merge_in_memory() {
    let folder = folder();
    for count in [3, 40] {
        let whole = islands(&vec![-1.25; count], 4);
        let part = |range: std::ops::Range<usize>| Run {
            groups: whole.groups[range].to_vec(),
            part_of: Some(0..count as u64),
            ..whole.clone()
        };
        let paths = [2..count, 0..1, 1..2].map(|range| {
            let name = format!("part-{}.run", range.start);
            save(&folder, &part(range), &name)
        });
        let out = folder.path().join("merged.run");
        RunFile::merge(&paths, &out).expect("they fit");
        let bytes = fs::read(&out).expect("it was just written");
        assert!(bytes == fs::read(save(&folder, &whole, "whole.run")).expect("it is there"));
        let refused = RunFile::merge(&paths[..2], &out).expect_err("one is missing");
        assert_eq!(
            refused.to_string(),
            "the runs cannot be merged: island 1 is missing"
        );
        // the file is still there
        assert!(bytes == fs::read(&out).expect("it is there"));
        // and so is a part, under any name
        let before = fs::read(&paths[0]).expect("it is there");
        let same = folder.path().join(".").join("part-2.run");
        let refused = RunFile::merge(&paths, &same).expect_err("it is a part");
        let told = refused.to_string();
        assert!(
            told.contains("part-2.run` is one of them, which the result would replace"),
            "{told}"
        );
        assert!(before == fs::read(&same).expect("it is there"));
    }
}

#[test]
fn bytes_that_are_lost_or_changed_are_seen() {
    let folder = folder();
    let path = save(&folder, &chains(1, 2), "all.run");
    let bytes = fs::read(&path).expect("it was just written");
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the folder is there");
        match RunFile::open(&path).expect_err("it is damaged") {
            RunError::File(FileError::Damaged { .. } | FileError::Foreign { .. }) => {}
            other => panic!("want a damaged file, got {other:?}"),
        }
    };
    damaged_places(bytes.len()).for_each(|length| refused(&bytes[..length]));
    for place in damaged_places(bytes.len()) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        refused(&changed);
    }
    refused(&[bytes.clone(), vec![0]].concat());
}
