//! The messages of a run to other programs: lines of JSON with the documented fields, and no others.

use crate::common::NormalMean;
use bayes_core::engine::{Inference, Schedule};
use bayes_core::observe::JsonLines;
use bayes_core::run::Run;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panics here").write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The fields of a line, except `seconds_left`, which appears once it is known.
fn fields(line: &Value) -> BTreeSet<&str> {
    let all = line.as_object().expect("a line is an object").keys();
    all.map(String::as_str)
        .filter(|name| *name != "seconds_left")
        .collect()
}

/// The lines that the documentation of [`JsonLines`] shows.
fn documented() -> Vec<Value> {
    let source = include_str!("../../src/observe/json_lines.rs");
    let shown = source.lines().filter_map(|line| line.strip_prefix("/// "));
    shown
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).expect("the documentation shows JSON"))
        .collect()
}

/// A run, and its lines, each of which has documented fields.
fn told(run: impl FnOnce(Arc<JsonLines>) -> Run) -> (Run, Vec<Value>) {
    let shared = Shared::default();
    let lines = JsonLines::new(shared.clone()).interval(Duration::ZERO);
    let run = run(Arc::new(lines));
    let bytes = shared.0.lock().expect("no test panics here").clone();
    let text = String::from_utf8(bytes).expect("JSON is text");
    let read = |line| serde_json::from_str(line).expect("every line is JSON");
    let lines = text.lines().map(read);
    let lines: Vec<Value> = lines.collect();
    let documented = documented();
    for line in &lines {
        let is_known = documented.iter().any(|shown| fields(shown) == fields(line));
        assert!(is_known, "{line}");
    }
    (run, lines)
}

/// The lines with this field, some of which report the remaining time.
fn with<'a>(lines: &'a [Value], field: &str) -> Vec<&'a Value> {
    let found: Vec<&Value> = lines
        .iter()
        .filter(|line| line[field].is_number())
        .collect();
    let left: Vec<f64> = found
        .iter()
        .filter_map(|line| line["seconds_left"].as_f64())
        .collect();
    assert!(!left.is_empty(), "{found:?}");
    assert!(left.iter().all(|left| *left >= 0.0), "{left:?}");
    found
}

#[test]
fn islands_tell_temperature_acceptance_evidence_and_time_left() {
    let powers = [1e-3, 1e-2, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0];
    let (run, lines) = told(|lines| {
        let psmc = Inference::psmc().islands(2).particles(64).seed(1);
        let psmc = psmc.schedule(Schedule::fixed(powers));
        let run = psmc.progress(false).observer(lines);
        run.run(&NormalMean::reference()).unwrap()
    });
    let temperatures = with(&lines, "temperature");
    assert_eq!(temperatures.len(), 2 * powers.len());
    for (island, group) in run.groups.iter().enumerate() {
        let mine = temperatures.iter().filter(|line| line["group"] == island);
        let mine: Vec<_> = mine.collect();
        let lambda: Vec<f64> = mine.iter().filter_map(|l| l["lambda"].as_f64()).collect();
        assert_eq!(lambda, powers);
        for line in &mine {
            let acceptance = line["acceptance"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&acceptance), "{line}");
        }
        let last = mine[powers.len() - 1];
        let found = last["log_evidence"].as_f64().unwrap();
        let wanted = group.log_evidence().unwrap();
        assert!((found - wanted).abs() < 1e-9, "{found}, want {wanted}");
    }
    let ends = lines.iter().filter(|line| line["done"] == true);
    assert_eq!(ends.count(), 2);
    assert!(lines.iter().any(|line| line["memory_in_bytes"].is_u64()));
}

#[test]
fn chains_tell_steps_acceptance_divergences_and_time_left() {
    let (run, lines) = told(|lines| {
        let nuts = Inference::nuts().chains(2).burn_in(50).draws(100).seed(1);
        let nuts = nuts.progress(false).observer(lines);
        nuts.run(&NormalMean::reference()).unwrap()
    });
    assert_eq!(run.groups.len(), 2);
    let steps = with(&lines, "step");
    for line in &steps {
        let [done, of] = ["step", "of"].map(|name| line[name].as_u64().unwrap());
        // the end of the burn-in is the first draw
        assert!(done <= of && of == 149, "{line}");
        assert_eq!(line["burn_in"], done <= 50, "{line}");
        assert!(line["divergent"].is_u64(), "{line}");
    }
    let last = steps[steps.len() - 1];
    let acceptance = last["acceptance"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&acceptance), "{last}");
    assert!(lines.iter().any(|line| line["done"] == true));
}

/// Seen to detect an island whose outputs are not shown.
#[test]
fn the_outputs_of_draws_are_shown() {
    let (run, lines) = told(|lines| {
        let psmc = Inference::psmc().islands(2).particles(32).progress(false);
        let run = psmc.observer(lines).run(&NormalMean::reference());
        run.expect("a valid run")
    });
    for (island, group) in run.groups.iter().enumerate() {
        let mine = lines.iter().filter(|line| line["group"] == island);
        let last = mine
            .filter_map(|line| Some((line["outputs"].as_u64()?, line["of"].as_u64()?)))
            .max();
        let draws = group.log_prior.len() as u64;
        assert_eq!(last, Some((draws, draws)));
    }
}
