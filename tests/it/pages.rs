//! The pages of the documentation: each pattern can be found from the lists, and lines have one width.

use std::fs;
use std::path::{Path, PathBuf};

/// The mutation that it detects: a pattern whose section no list names.
#[test]
fn every_pattern_is_in_both_lists() {
    let page = include_str!("../../src/model.md");
    let (_, patterns) = page.split_once("\n# Patterns\n").expect("it is there");
    let (patterns, _) = patterns
        .split_once("\n# Complex numbers")
        .expect("it follows");
    let (list, sections) = patterns.split_once("\n## ").expect("there are patterns");
    let guide = include_str!("../../docs/guide.md");
    let titles = sections
        .split("\n## ")
        .filter_map(|section| section.lines().next());
    let mut number = 0;
    for title in titles {
        let anchor = title.to_lowercase().replace(' ', "-").replace(',', "");
        assert!(list.contains(&format!("(#{anchor})")), "{title}: model.md");
        let link = format!("model.md#{anchor})");
        assert!(guide.contains(&link), "{title}: guide.md");
        number += 1;
    }
    assert!(number > 10, "{number} patterns");
}

/// Characters of a line, but in code, tables and headings.
const WIDTH: usize = 140;

/// The pages for users and those of experiments.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root.ancestors().nth(2).expect("it is in tests/it");
    let of = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("it is a folder");
        let paths = entries.map(|entry| entry.expect("it can be read").path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"))
    };
    ["", "docs", "experiments", "src", "bayes-python"]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// Lines beyond the width that could be broken: outside of code, where a word ends before the limit.
fn too_wide(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let starts = line.trim_start();
        let is_kept = is_code
            || starts.starts_with(['|', '#', '<', '['])
            || line.starts_with("    ")
            || starts.starts_with('`') && !starts.contains("` ");
        if !is_kept && line.chars().count() > WIDTH {
            found.push(line);
        }
    }
    found
}

#[test]
fn lines_of_pages_have_one_width() {
    let pages = pages();
    assert!(pages.len() > 25, "{}", pages.len());
    for path in pages {
        let page = fs::read_to_string(&path).expect("it is text");
        let found = too_wide(&page);
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
    }
}
