//! Checks the page `docs/distributions.md` against the table.

use std::collections::BTreeSet;
use std::path::Path;

macro_rules! spelled {
    ($($file:ident: $family:ident {
        $($name:ident($($parameter:ident),*)),*
    } $domain:ident $tests:ident;)*) => {
        vec![$($((
            concat!(stringify!($family), "::", stringify!($name)),
            vec![$(stringify!($parameter)),*],
            stringify!($domain),
        )),*),*]
    };
}

/// Each constructor as called, and whether it gives whole numbers.
fn table() -> Vec<(String, bool)> {
    let lines: Vec<(&str, Vec<&str>, &str)> = bayes_catalogue::distributions!(spelled);
    let spelled = lines.into_iter().map(|(name, parameters, domain)| {
        let call = format!("{name}({})", parameters.join(", "));
        (call, domain == "discrete")
    });
    spelled.collect()
}

/// The cells of each row whose first cell names constructors.
fn rows() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/distributions.md");
    let text = std::fs::read_to_string(path).unwrap();
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
            let found = table.iter().find(|(known, _)| known == call);
            let Some((_, discrete)) = found else {
                panic!("{call} is not in the table");
            };
            let counts = row[2].starts_with("k ") || row[2] == "vectors of counts";
            assert_eq!(*discrete, counts, "{call}: {}", row[2]);
        }
    }
}

/// Not part of the tests of a new family, whose row may come later: `.ci/run` runs it.
#[test]
#[ignore = "the rows of new families are checked by .ci/run"]
fn every_constructor_is_on_the_page() {
    let rows = rows();
    let shown: BTreeSet<&str> = rows.iter().flat_map(|row| spans(&row[1])).collect();
    for (call, _) in table() {
        assert!(
            shown.contains(call.as_str()),
            "docs/distributions.md has no row of {call}"
        );
    }
}
