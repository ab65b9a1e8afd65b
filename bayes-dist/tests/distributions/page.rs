//! Checks the page `docs/distributions.md` against the table. With `BLESS=1` the rows of new families are written, from their docs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

macro_rules! spelled {
    ($($file:ident: $family:ident {
        $($name:ident($($parameter:ident),*)),*
    } $domain:ident $tests:ident;)*) => {
        vec![$($(Constructor {
            file: stringify!($file),
            call: called(
                concat!(stringify!($family), "::", stringify!($name)),
                &[$(stringify!($parameter)),*],
            ),
            is_discrete: stringify!($domain) == "discrete",
        }),*),*]
    };
}

/// A constructor in the table.
struct Constructor {
    file: &'static str,
    /// As called in a model.
    call: String,
    is_discrete: bool,
}

fn called(name: &str, parameters: &[&str]) -> String {
    format!("{name}({})", parameters.join(", "))
}

fn table() -> Vec<Constructor> {
    bayes_catalogue::distributions!(spelled)
}

fn below(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn page() -> String {
    std::fs::read_to_string(below("../../docs/distributions.md")).unwrap()
}

/// The cells of each row whose first cell names constructors.
fn rows() -> Vec<Vec<String>> {
    let text = page();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect());
    cells
        .filter(|cells: &Vec<String>| cells[1].contains("::"))
        .collect()
}

/// The texts between backticks.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn constructors_on_the_page_are_those_of_the_table() {
    let table = table();
    for row in rows() {
        for call in spans(&row[1]) {
            let found = table.iter().find(|known| known.call == call);
            let Some(found) = found else {
                panic!("{call} is not in the table");
            };
            let counts = row[2].starts_with("k ") || row[2] == "vectors of counts";
            assert_eq!(found.is_discrete, counts, "{call}: {}", row[2]);
        }
    }
}

/// The docs of a family of numbers, on one line.
fn docs(file: &str) -> String {
    let path = below("../src/dist/family").join(file).with_extension("rs");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("/// "));
    lines.collect::<Vec<_>>().join(" ")
}

/// The heading of the table of a family, and its values: what the formula in the docs ends with. Without an end it is for real numbers.
fn values(docs: &str) -> Option<(&'static str, &str)> {
    let formula = docs.split("```").nth(1)?;
    let known = [
        ("Real numbers", "x real"),
        ("Intervals", "0 ≤ x ≤ 1"),
        ("Positive numbers", "x ≥ 0"),
        ("Whole numbers", "k = 0, 1, ..."),
    ];
    let bounded = known[1..]
        .iter()
        .find(|(_, values)| formula.contains(values));
    let is_unbounded = !["x ≥", "≤ x", "k ="]
        .iter()
        .any(|end| formula.contains(end));
    bounded
        .or_else(|| is_unbounded.then_some(&known[0]))
        .copied()
}

/// The name in a program, by the sentence of the docs that begins with "Elsewhere: ", or a dash.
fn elsewhere(docs: &str, program: &str) -> String {
    let named = docs.split("Elsewhere: ").nth(1).unwrap_or_default();
    let clauses = named.split("; ").flat_map(|clause| clause.split(", `"));
    let of_program = clauses.map(|clause| clause.trim_start_matches('`'));
    let names = of_program.filter_map(|clause| clause.split_once("` in "));
    let found = names.into_iter().find(|(_, programs)| {
        let mut words = programs.split([' ', ',', '.']);
        words.any(|word| word == program)
    });
    found.map_or_else(|| "–".to_owned(), |(name, _)| format!("`{name}`"))
}

/// The heading of the table where a family belongs, and its row.
fn written(constructor: &Constructor) -> Option<(&'static str, String)> {
    let docs = docs(constructor.file);
    let (heading, values) = values(&docs)?;
    let [stan, pymc, numpyro] = ["Stan", "PyMC", "NumPyro"].map(|name| elsewhere(&docs, name));
    let call = &constructor.call;
    Some((
        heading,
        format!("| `{call}` | {values} | {stan} | {pymc} | {numpyro} |"),
    ))
}

/// The page with the rows of the constructors that it lacks, at the ends of their tables, and without the lines that they were planned.
fn blessed() -> String {
    let mut text = page();
    for constructor in table() {
        if text.contains(&format!("`{}`", constructor.call)) {
            continue;
        }
        let (heading, row) = written(&constructor).expect("its docs say which values it takes");
        let start = text
            .find(&format!("## {heading}\n"))
            .expect("the page has the heading");
        let table = start + text[start..].find("|---|").expect("a table is below");
        let end = table + text[table..].find("\n\n").expect("the table ends");
        text.insert_str(end, &format!("\n{row}"));
        let name = constructor.call.split("::").next().unwrap_or_default();
        text = text.replace(&format!("| `{name}` | planned |\n"), "");
    }
    text
}

#[test]
fn rows_are_written_from_the_docs() {
    let page = page();
    let written_by = |file: &str| {
        let table = table();
        let found = table.iter().find(|constructor| constructor.file == file);
        written(found.expect("it is in the table")).expect("its docs say which values it takes")
    };
    for (file, heading) in [
        ("dagum", "Positive numbers"),
        ("gompertz", "Positive numbers"),
        ("kumaraswamy", "Intervals"),
        ("log_logistic", "Positive numbers"),
        ("moyal", "Real numbers"),
        ("discrete_weibull", "Whole numbers"),
    ] {
        let (found, row) = written_by(file);
        assert_eq!(found, heading, "{file}");
        assert!(page.contains(&format!("\n{row}\n")), "{row}");
    }
}

/// Not part of the tests of a new family, whose row may come later: `.ci/run` runs it.
#[test]
#[ignore = "the rows of new families are checked by .ci/run"]
fn every_constructor_is_on_the_page() {
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(below("../../docs/distributions.md"), blessed()).unwrap();
    }
    let rows = rows();
    let shown: BTreeSet<&str> = rows.iter().flat_map(|row| spans(&row[1])).collect();
    for constructor in table() {
        let call = constructor.call;
        let advice = "`BLESS=1` with this test writes it";
        assert!(
            shown.contains(call.as_str()),
            "docs/distributions.md has no row of {call}; {advice}"
        );
    }
}
