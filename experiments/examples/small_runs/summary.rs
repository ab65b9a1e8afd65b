//! The table: a line for the runs of a problem.

use crate::record::Record;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The names of the columns.
pub const HEAD: &str = "                                          mean off           in errors   rms off  printed  covered  below  above    no warning  silent  warned      calls  seconds";

/// A line of the table, and the same numbers.
pub fn of(records: &[&Record]) -> (String, Value) {
    let n = records.len() as f64;
    let mean =
        |of: &dyn Fn(&Record) -> f64| records.iter().map(|record| of(record)).sum::<f64>() / n;
    let count = |of: &dyn Fn(&Record) -> bool| records.iter().filter(|record| of(record)).count();
    let off = mean(&|record| record.off);
    let squares = mean(&|record| record.off.powi(2));
    let error = ((squares - off * off) / (n - 1.0)).sqrt();
    let printed = mean(&|record| record.error);
    let covered = count(&Record::holds);
    let below = count(&|record| record.interval[1] < 0.0);
    let above = count(&|record| record.interval[0] > 0.0);
    let silent = count(&Record::is_silent);
    let warned = count(&Record::is_warned);
    let quiet = records.len() - warned;
    let quiet_covered = count(&|record| !record.is_warned() && record.holds());
    let calls = mean(&|record| (record.calls[0] + 3 * record.calls[1]) as f64);
    let seconds = mean(&|record| record.seconds);
    let line = format!(
        "{off:>+9.4} ± {error:<8.4} {:>+6.1} {:>9.4} {printed:>8.4} {:>8} {below:>6} {above:>6} {:>13} {silent:>7} {warned:>7} {calls:>10.0} {seconds:>8.2}  {}",
        off / error,
        squares.sqrt(),
        format!("{covered}/{}", records.len()),
        format!("{quiet_covered}/{quiet}"),
        kinds(records)
    );
    let content = json!({
        "off": off, "error": error, "rms": squares.sqrt(), "printed": printed, "covered": covered, "below": below,
        "above": above, "quiet": quiet, "quiet_covered": quiet_covered, "silent": silent, "runs": records.len(),
        "warned": warned, "calls": calls,
    });
    (line, content)
}

/// The kinds of warnings with their runs.
fn kinds(records: &[&Record]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for name in records.iter().flat_map(|record| &record.warnings) {
        *kinds.entry(name).or_default() += 1;
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(name, runs)| format!("{name} {runs}"))
        .collect();
    kinds.join(", ")
}
