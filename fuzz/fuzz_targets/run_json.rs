//! Any text as a run: the text is rejected, or every query to the run works.
#![no_main]

mod dice;

use bayes::run::Weighting;
use bayes::{Run, report};
use dice::Dice;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::{Value, json};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else {
        return Corpus::Reject;
    };
    let Ok(run) = Run::from_json(text) else {
        return Corpus::Keep;
    };
    let shown = run.to_string();
    assert!(!shown.is_empty());
    let summary = run.summary();
    assert_eq!(summary.rows.len(), run.layout.elements());
    let _ = (summary.to_string(), run.warnings(), run.record());
    for name in run.layout.names() {
        let answers = [
            run.mean(&name),
            run.sd(&name),
            run.quantile(&name, 0.3),
            run.divergences(&name),
        ];
        assert!(answers.iter().all(Result::is_ok));
        let draws = run.draws(&name).expect("the run has this quantity");
        assert_eq!(
            draws.rows().count(),
            if draws.elements == 0 {
                0
            } else {
                run.total_draws()
            }
        );
    }
    let equal = run.clone().reweighted(Weighting::Equal);
    let _ = (equal.to_string(), run.log_evidence_interval(0.95));
    run.to_csv(std::io::sink()).expect("the sink takes all");
    let mut written = Vec::new();
    run.to_json(&mut written).expect("memory takes all");
    let written = String::from_utf8(written).expect("JSON is text");
    Run::from_json(&written).expect("a run that was read can be written and read again");
    let _ = report::Progress::hidden();
    Corpus::Keep
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut dice = Dice::new(seed);
    match serde_json::from_slice::<Value>(&data[..size]) {
        Ok(mut json) if dice.below(16) > 0 => {
            for _ in 0..=dice.below(3) {
                mutate(&mut json, &mut dice);
            }
            let text = json.to_string();
            if text.len() > max_size {
                return fuzzer_mutate(data, size, max_size);
            }
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});

/// Walks down to a random node and changes it.
fn mutate(json: &mut Value, dice: &mut Dice) {
    let deeper = dice.below(8) > 0;
    match json {
        Value::Array(items) if deeper && !items.is_empty() => {
            let i = dice.below(items.len());
            mutate(&mut items[i], dice);
        }
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let i = dice.below(fields.len());
            if let Some(value) = fields.values_mut().nth(i) {
                mutate(value, dice);
            }
        }
        Value::Array(items) => {
            let at = dice.below(items.len());
            match dice.below(4) {
                0 => items.truncate(at),
                1 if !items.is_empty() => drop(items.remove(at)),
                2 if !items.is_empty() => items.insert(at, items[at].clone()),
                _ => items.insert(at, number(dice)),
            }
        }
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            if let Some(name) = names.get(dice.below(names.len())) {
                fields.remove(name);
            }
        }
        Value::String(text) => match dice.below(3) {
            0 => *text = dice.one_of(WORDS).to_owned(),
            1 => text.push_str(dice.one_of(WORDS)),
            _ => *json = number(dice),
        },
        other => *other = number(dice),
    }
}

fn number(dice: &mut Dice) -> Value {
    match dice.below(24) {
        0 => json!("NaN"),
        1 => json!("inf"),
        2 => json!("-inf"),
        3 => json!(u64::MAX),
        4 => json!(u64::from(u32::MAX)),
        5 => json!(i64::MIN),
        6 => json!(f64::MAX),
        7 => json!(f64::MIN),
        8 => json!(5e-324),
        9 => json!(-0.0),
        10 => json!(1e18),
        11 => json!(null),
        12 => json!(1_u64 << 33),
        13 => json!({ "Vector": dice.below(5) }),
        14 => json!({ "Vector": u64::MAX }),
        15 => json!({ "Matrix": [dice.below(4), dice.below(4)] }),
        16 => json!({ "Matrix": [1_u64 << 32, 1_u64 << 32] }),
        17 => json!("Scalar"),
        18 => json!(dice.below(100) as f64 / 8.0 - 6.0),
        _ => json!(dice.below(6)),
    }
}

const WORDS: &[&str] = &[
    "",
    "mu",
    "beta",
    ",",
    "\"",
    "é",
    "psmc",
    "smc",
    "nested",
    "hmc",
    "nuts",
    "pcn",
    "random_walk",
    "Evidence",
    "Equal",
    "Chains",
    "Continuous",
    "Discrete",
    "Deterministic",
    "forward",
    "reverse",
    "NaN",
    "inf",
    "a very long name indeed",
];
