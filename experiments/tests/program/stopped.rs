//! Runs stopped by a signal continue with the same command.

use super::*;
use std::io::{BufRead, BufReader};

/// Starts a command, sends it a signal as soon as a line on its standard error contains this text, and returns its exit code with the lines
/// after it.
pub(crate) fn stopped_at(text: &str, command: &mut Command) -> (Option<i32>, Vec<String>) {
    let mut process = command
        // one unit after the other, so that some remain
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    let lines = BufReader::new(process.stderr.take().expect("it is a pipe")).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.contains(text)), "no {text}");
    let signal = Command::new("kill").arg(process.id().to_string()).status();
    assert!(signal.expect("there is `kill`").success());
    let rest = lines.collect();
    (process.wait().expect("it runs").code(), rest)
}

#[test]
#[cfg(unix)]
fn a_run_that_was_asked_to_stop_goes_on_with_the_same_command() {
    let folder = Folder::new();
    let data = data();
    let settings = ["--islands", "64", "--particles", "128", "--seed", "2"];
    let start = ["run", "--data", &data, "--progress", "json"];
    let [stopped, whole, checkpoints] =
        ["stopped.run", "whole.run", "saved"].map(|name| folder.file(name));
    let with_folder = ["--out", &stopped, "--checkpoint", &checkpoints];
    let command = [&start[..], &settings[..], &with_folder[..]].concat();
    let (code, rest) = stopped_at("\"done\":true", Command::new(PROGRAM).args(&command));
    assert_eq!(code, Some(1), "{rest:?}");
    assert!(
        rest.last()
            .is_some_and(|line| line.contains("the same command goes on")),
        "{rest:?}"
    );
    assert!(!Path::new(&stopped).exists());

    let resume = [&["resume"][..], &command[1..]].concat();
    done(&resume);
    done(&[&start[..], &settings[..], &["--out", &whole]].concat());
    assert!(
        bytes(&stopped) == bytes(&whole),
        "the run that was stopped has other bytes"
    );
    // `resume` continues a run, and never begins one
    let elsewhere = folder.file("svaed");
    let settings = ["--out", &whole, "--checkpoint", &elsewhere];
    let (code, told) = failed(&[&["resume", "--data", &data][..], &settings[..]].concat());
    assert!(
        code == 2 && told.contains("holds no run that was interrupted"),
        "{told}"
    );
    assert!(!Path::new(&elsewhere).exists());
}

#[test]
fn chains_and_parts_that_were_stopped_are_resumed() {
    let folder = Folder::new();
    let data = data();
    let chains = ["--chains", "4", "--burn-in", "300", "--draws", "4000"];
    let part = ["--islands", "64", "--particles", "64", "--shard", "1/2"];
    // the first line of chains is about a burn-in
    let kinds = [
        ("sample", &chains[..], &["--engine", "nuts"][..], "\"step\""),
        ("run", &part[..], &[][..], "\"done\":true"),
    ];
    for (command, settings, engine, text) in kinds {
        let [out, saved, whole] =
            ["out", "saved", "whole"].map(|name| folder.file(&format!("{command}-{name}")));
        let start = ["--data", &data, "--seed", "4", "--progress", "json"];
        let begin = [&[command][..], &start, settings].concat();
        let to_files = ["--out", &out, "--checkpoint", &saved];
        let with_folder = [&begin[..], &to_files].concat();
        let (code, rest) = stopped_at(text, Command::new(PROGRAM).args(&with_folder));
        assert_eq!(code, Some(1), "{command}: {rest:?}");
        assert!(!Path::new(&out).exists());
        done(&[&["resume"][..], &with_folder[1..], engine].concat());
        done(&[&begin[..], &["--out", &whole]].concat());
        assert!(bytes(&out) == bytes(&whole), "{command}: other bytes");
    }
}

#[test]
fn a_stop_without_a_folder_leaves_what_was_finished() {
    let folder = Folder::new();
    let (data, out) = (data(), folder.file("all.run"));
    let start = ["run", "--data", &data, "--seed", "2", "--progress", "json"];
    let settings = ["--islands", "64", "--particles", "128", "--out", &out];
    let command = [&start[..], &settings].concat();
    let (code, rest) = stopped_at("\"done\":true", Command::new(PROGRAM).args(&command));
    assert_eq!(code, Some(1), "{rest:?}");
    let part = format!("{out}.stopped");
    assert!(
        rest.last().is_some_and(|line| line.contains(&part)),
        "{rest:?}"
    );
    assert!(done(&["summary", &part]).contains("was stopped"));
    assert!(!Path::new(&out).exists());
}
