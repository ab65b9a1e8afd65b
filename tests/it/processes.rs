//! The same seed gives the same bytes in every process, whatever the memory addresses of its functions and data.

use bayes::prelude::*;
use std::process::Command;

/// The number of the child process; set by the parent.
const CHILD: &str = "BAYES_TEST_PROCESS";

/// Many calls of several functions, some of them equal, which a trace finds by hashing.
#[model]
fn survival(groups: usize, group: &[usize], end: &[f64], time: &[f64]) {
    let shape = sample(Gamma::new(4.0, 2.0));
    let beta = sample(Normal::new(0.0, 1.0).iid(2));
    let variance = sample(HalfNormal::new(1.0));
    let frailty = sample(Gamma::new(1.0 / variance, 1.0 / variance).iid(groups));
    for i in 0..time.len() {
        let rate = frailty[group[i]] * (beta[0] + beta[1] * end[i]).exp();
        let distribution = Weibull::new(shape, rate.powf(-1.0 / shape));
        observe(time[i], distribution.censored(0.0, end[i]));
    }
}

/// A run in this process.
fn draws() -> String {
    let (rows, groups) = (250, 20);
    let group: Vec<usize> = (0..rows).map(|i| i % groups).collect();
    let end: Vec<f64> = (0..rows)
        .map(|i| 1.0 + f64::from(i as u32 % 7) / 3.0)
        .collect();
    let time: Vec<f64> = (0..rows)
        .map(|i| end[i] * f64::from(1 + i as u32 % 5) / 5.0)
        .collect();
    let model = survival(groups, &group, &end, &time);
    let engine = Inference::nuts().chains(1).burn_in(15).draws(5);
    let run = engine.seed(1).progress(false).run(&model);
    let mut bytes = Vec::new();
    run.expect("the model is valid")
        .to_json(&mut bytes)
        .expect("memory takes all");
    String::from_utf8(bytes).expect("JSON is text")
}

/// Meant to detect: anything, such as a trace, that is ordered by addresses.
#[test]
fn processes_give_the_same_bytes() {
    if let Ok(path) = std::env::var(CHILD) {
        return std::fs::write(path, draws()).expect("the folder is there");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = std::env::current_exe().expect("the path of this program");
    let child = |name: &str| {
        let file = folder.path().join(name);
        let mut child = Command::new(&program);
        child.args(["--exact", "processes::processes_give_the_same_bytes"]);
        let output = child.env(CHILD, &file).output().expect("it starts");
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(file).expect("the child has written it")
    };
    let first = child("0");
    assert!(first.contains("\"model\":\"survival\""), "{first}");
    for other in 1..6 {
        assert!(
            first == child(&other.to_string()),
            "process {other} draws others"
        );
    }
}
