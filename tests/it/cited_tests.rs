//! Pages that answer for faults name tests: each of these exists, in the module that is named.

use std::fs;
use std::path::{Path, PathBuf};

/// The pages, the least number of tests that each names, and whether a name may stand without its module.
const PAGES: [(&str, usize, bool); 3] = [
    ("experiments/reports.md", 100, false),
    ("experiments/reports_more.md", 15, true),
    ("docs/faults.md", 20, false),
];

/// A file of Rust code: the names of its folders and its own, and its text.
struct Source {
    modules: Vec<String>,
    text: String,
}

impl Source {
    /// Whether the file is in these modules, or has them within it, and has this test; any test if the name is empty.
    fn has(&self, modules: &[&str], test: &str) -> bool {
        let is_within = |module: &&str| {
            let inline = || self.text.contains(&format!("mod {module} {{"));
            self.modules.iter().any(|own| own == module) || inline()
        };
        modules.iter().all(is_within) && self.has_test(test)
    }

    /// Whether a function of this name follows `#[test]`, with nothing that ends between them.
    fn has_test(&self, name: &str) -> bool {
        if name.is_empty() {
            return self.text.contains("#[test]");
        }
        let function = format!("fn {name}(");
        let mut places = self.text.match_indices(&function);
        places.any(|(place, _)| {
            let before = self.text[..place].lines().rev();
            let mut own = before.take_while(|line| line.trim() != "}");
            own.any(|line| line.trim() == "#[test]")
        })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All code of the folder.
fn sources(folder: &Path, modules: &[String], all: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let within = [modules, &[stem.to_string()]].concat();
        if path.is_dir() {
            if stem != "target" && !stem.starts_with('.') {
                sources(&path, &within, all);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("code is text");
            let modules = within;
            all.push(Source { modules, text });
        }
    }
}

/// The tests that a line names, each with its modules. A name after `::` alone is in the modules of the one before.
fn cited(line: &str, alone: bool) -> Vec<(Vec<&str>, &str)> {
    let mut modules: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for code in line.split('`').skip(1).step_by(2) {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
        if !code.chars().all(is_name) {
            continue;
        }
        match code.rsplit_once("::") {
            Some(("", name)) => found.push((modules.clone(), name)),
            Some((path, name)) => {
                modules = path
                    .split("::")
                    .filter(|module| *module != "tests")
                    .collect();
                found.push((modules.clone(), name));
            }
            // a name of a test is a sentence
            None if alone && code.matches('_').count() > 3 => found.push((Vec::new(), code)),
            None => {}
        }
    }
    found
}

#[test]
fn tests_that_pages_name_exist() {
    let mut all = Vec::new();
    sources(&root(), &[], &mut all);
    let exists = |modules: &[&str], test: &str| all.iter().any(|file| file.has(modules, test));
    // names that no test has, also because of the module and of a function that is no test
    assert!(exists(&["cited_tests"], "tests_that_pages_name_exist"));
    assert!(!exists(&["improper"], "tests_that_pages_name_exist"));
    assert!(!exists(&["cited_tests"], "cited"));
    for (page, least, alone) in PAGES {
        let text = fs::read_to_string(root().join(page)).expect("the page is there");
        let named: Vec<_> = text.lines().flat_map(|line| cited(line, alone)).collect();
        assert!(named.len() >= least, "{page} names {}", named.len());
        let lost = named
            .iter()
            .filter(|(modules, test)| !exists(modules, test));
        let lost: Vec<_> = lost.collect();
        assert!(
            lost.is_empty(),
            "{page} names tests that do not exist: {lost:?}"
        );
    }
}
