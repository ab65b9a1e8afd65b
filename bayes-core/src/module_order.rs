//! The order of the modules: data flow in one direction, and so do imports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The modules in the order of the data flow: each may use those before it.
///
/// The errors and the random streams come first, because everything fails and draws. A run and the questions to it (`run` to `sensitivity`)
/// come before the engines that make it.
const ORDER: [&str; 31] = [
    "rng",
    "numeric",
    "autocorrelation",
    "order",
    "parallel",
    "number",
    "codec",
    "text",
    "error",
    "file",
    "transform",
    "dist",
    "basis",
    "nn",
    "model",
    "density",
    "run",
    "diagnose",
    "metrics",
    "predict",
    "comparison",
    "report",
    "graph",
    "sensitivity",
    "observe",
    "optimise",
    "kernel",
    "engine",
    "until",
    "inspect",
    "sbc",
];

/// Remaining uses of a later module: the module, and what it uses. A use that has been removed must be removed from this list.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// A source file.
struct Source {
    /// Its modules from the root, such as `diagnose`, `warning`.
    path: Vec<String>,
    /// Its lines without comments and unit tests.
    lines: Vec<String>,
    /// Modules that it declares for tests only.
    test_modules: Vec<String>,
}

impl Source {
    fn read(root: &Path, file: &Path) -> Self {
        let text = std::fs::read_to_string(file).expect("a source file is text");
        let relative = file.strip_prefix(root).expect("it is below the root");
        let mut path: Vec<String> = relative
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if path.last().is_some_and(|name| name == "mod") {
            path.pop();
        }
        let mut source = Self {
            path,
            lines: Vec::new(),
            test_modules: Vec::new(),
        };
        let mut for_tests = false;
        for line in text.lines() {
            let code = line.split("//").next().unwrap_or_default().trim();
            let module = code.split("mod ").nth(1).filter(|_| for_tests);
            match module {
                Some(name) if name.ends_with(';') => {
                    source.test_modules.push(name.replace(';', ""));
                }
                // a module of unit tests is the end of its file
                Some(_) => break,
                None => source.lines.push(code.to_owned()),
            }
            for_tests = code == "#[cfg(test)]";
        }
        source
    }

    /// The modules of the crate's root that the file uses.
    fn uses(&self) -> BTreeSet<String> {
        let up = "super::".repeat(self.path.len());
        let mut used = BTreeSet::new();
        for line in &self.lines {
            used.extend(names_after(line, "crate::"));
            // `super` of a module within the file is the file itself
            used.extend(names_after(line, &up).filter(|name| place(name).is_some()));
        }
        used
    }
}

/// The names that follow `root` in a line.
fn names_after(line: &str, root: &str) -> impl Iterator<Item = String> {
    line.split(root).skip(1).map(|rest| {
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    })
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The crates below this one, which have the first modules of the order.
const BELOW: [&str; 5] = [
    "../bayes-base/src",
    "../bayes-dist/src",
    "../bayes-model/src",
    "../bayes-kernel/src",
    "../bayes-run/src",
];

/// The folder of this crate: two packages compile its sources as tests, and one of them lies in a folder of the other.
pub fn folder() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .ancestors()
        .find(|folder| folder.join("src/module_order.rs").exists())
        .expect("the tests run where their sources are")
}

/// The sources of the seven crates, except tests and the roots.
fn sources() -> Vec<Source> {
    let roots = BELOW.into_iter().chain(["src", "../bayes-check/src"]);
    roots
        .flat_map(|root| sources_of(&folder().join(root)))
        .collect()
}

fn sources_of(root: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    files(root, &mut paths);
    let mut sources: Vec<Source> = paths.iter().map(|file| Source::read(root, file)).collect();
    let for_tests: Vec<Vec<String>> = sources
        .iter()
        .flat_map(|source| {
            let at_root = source.path == ["lib"];
            let parent = if at_root {
                Vec::new()
            } else {
                source.path.clone()
            };
            source.test_modules.iter().map(move |name| {
                let mut path = parent.clone();
                path.push(name.clone());
                path
            })
        })
        .collect();
    sources.retain(|source| source.path != ["lib"] && !for_tests.contains(&source.path));
    sources
}

fn place(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

#[test]
fn modules_use_only_those_before_them() {
    let mut needed = BTreeSet::new();
    for source in sources() {
        let (file, module) = (source.path.join("/"), source.path[0].as_str());
        let own = place(module).unwrap_or_else(|| panic!("`{module}` has no place in the order"));
        for used in source.uses() {
            assert!(
                !used.is_empty(),
                "{file}: write one `use` per module, so that this test can read it"
            );
            let Some(other) = place(&used) else {
                panic!("{file}: `{used}` has no place in the order")
            };
            if other > own {
                let exception = EXCEPTIONS.iter().find(|e| **e == (module, used.as_str()));
                let known = exception.unwrap_or_else(|| {
                    panic!("{file} uses `{used}`, which comes after `{module}`")
                });
                needed.insert(*known);
            }
        }
    }
    for exception in EXCEPTIONS {
        assert!(
            needed.contains(&exception),
            "{exception:?} is no longer an exception: remove it from the list"
        );
    }
}

// If the reader of sources found nothing, every order would pass.
#[test]
fn uses_are_found() {
    let sources = sources();
    let of = |path: &[&str]| {
        let source = sources.iter().find(|source| source.path == path);
        source.expect("it is a module").uses()
    };
    assert!(of(&["diagnose", "warning", "nan_density"]).contains("run"));
    assert!(of(&["sbc"]).contains("model"));
    assert!(
        !sources
            .iter()
            .any(|s| s.path.ends_with(&["testing".to_owned()]))
    );
    let source = Source {
        path: vec!["dist".to_owned(), "normal".to_owned()],
        lines: vec!["use super::super::model::Model;".to_owned()],
        test_modules: Vec::new(),
    };
    assert!(source.uses().contains("model"));
}
