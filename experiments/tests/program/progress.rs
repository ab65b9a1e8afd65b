//! Messages of the program during a run: none in a pipe, except lines of JSON on request.

use super::*;
use serde_json::Value;

const RUN: [&str; 6] = ["--islands", "2", "--particles", "64", "--seed", "1"];
const SAMPLE: [&str; 8] = [
    "--chains",
    "2",
    "--burn-in",
    "100",
    "--draws",
    "100",
    "--seed",
    "1",
];

/// The standard error of a command that succeeds, which is a pipe here.
fn told(command: &str, more: &[&[&str]]) -> String {
    let data = data();
    let start: [&[&str]; 1] = [&[command, "--data", &data]];
    let output = schools(&[&start[..], more].concat().concat());
    assert!(output.status.success(), "{output:?}");
    text(&output.stderr).to_owned()
}

#[test]
fn in_a_pipe_there_are_no_bars() {
    let simulations: [&str; 2] = ["--simulations", "10"];
    assert_eq!(told("run", &[&RUN]), "");
    assert_eq!(told("sample", &[&SAMPLE]), "");
    assert_eq!(told("sbc", &[&RUN, &simulations]), "");
    assert_eq!(told("check", &[]), "");
    assert_eq!(told("run", &[&RUN, &["--progress", "none"]]), "");
}

#[test]
fn lines_of_json_are_written_on_request() {
    let json: [&str; 2] = ["--progress", "json"];
    for (command, settings, field) in [("run", &RUN[..], "lambda"), ("sample", &SAMPLE[..], "step")]
    {
        let told = told(command, &[settings, &json]);
        let lines = told.lines().map(serde_json::from_str::<Value>);
        let lines: Vec<Value> = lines.map(|line| line.expect(&told)).collect();
        for wanted in [field, "acceptance", "seconds", "memory_in_bytes", "done"] {
            let found = lines.iter().any(|line| !line[wanted].is_null());
            assert!(found, "{command}: no `{wanted}` in {told}");
        }
    }
}
