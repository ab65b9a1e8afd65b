//! Messages of the library, whose advice is Rust, in the words of the command line: `` `.particles(64)` `` is `` `--particles 64` ``.

use crate::engine::is_option;

/// What a query of a run is on the command line, by its name.
const QUERIES: [(&str, &str); 5] = [
    ("summary", "summary FILE --json"),
    ("failures", "explain FILE"),
    ("divergences", "report FILE --out report.html"),
    ("loo", "loo FILE"),
    ("to_arviz", "export FILE --out draws.zarr"),
];

/// The text with what the command line has too in its words; all else stays.
pub(crate) fn spoken(text: &str) -> String {
    // spans of code are every second piece
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let mut spoken = String::with_capacity(text.len());
    for (i, piece) in pieces.into_iter().enumerate() {
        let is_code = i % 2 == 1 && i < last;
        match is_code.then(|| code(piece)).flatten() {
            Some(code) => spoken += &code,
            None => spoken += piece,
        }
        if i < last {
            spoken.push('`');
        }
    }
    spoken
}

/// A span of code on the command line; `None` if it is nothing there.
fn code(span: &str) -> Option<String> {
    if let Some(query) = span.strip_prefix("run.") {
        let (name, _) = query.split_once('(')?;
        let found = QUERIES.iter().find(|(query, _)| *query == name)?;
        return Some(found.1.to_owned());
    }
    let (mut words, calls) = match span.strip_prefix("Inference::") {
        Some(engine) => {
            let (name, calls) = engine.split_once("()")?;
            (vec![format!("--engine {name}")], calls)
        }
        None => (Vec::new(), span),
    };
    let mut rest = calls;
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix('.')?.split_once('(')?;
        let (value, after) = after.split_once(')')?;
        words.push(option(name, value)?);
        rest = after;
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// A call of a setting as an option.
fn option(name: &str, value: &str) -> Option<String> {
    let value = match name {
        _ if !is_option(name) => return None,
        _ if value.contains('(') => return None,
        "checkpoint" => "FOLDER",
        "shard" if value != ".." => return None,
        _ if value == ".." => "N",
        _ => value,
    };
    Some(format!("--{} {value}", name.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn settings_and_queries_are_options_and_commands() {
        for (rust, line) in [
            ("Try `.particles(64)`, twice", "Try `--particles 64`, twice"),
            ("`.burn_in(..)`", "`--burn-in N`"),
            ("`.chains(n).draws(1)`", "`--chains n --draws 1`"),
            ("(`.checkpoint(..)`) ends", "(`--checkpoint FOLDER`) ends"),
            (
                "`Inference::psmc().particles(64)`",
                "`--engine psmc --particles 64`",
            ),
            ("`run.failures()` tells", "`explain FILE` tells"),
        ] {
            assert_eq!(spoken(rust), line);
        }
    }

    #[test]
    fn what_the_command_line_does_not_have_stays() {
        for text in [
            "no code",
            "`observe(y, Normal::new(mu, 1.0))`",
            "`.truncated(low, high)`",
            "`.optimiser(Adam::new(rate))`",
            "`run.relabelled(\"mu\", [\"weights\"])`",
            "an open ` mark and .draws(3)",
            "",
        ] {
            assert_eq!(spoken(text), text);
        }
    }
}
