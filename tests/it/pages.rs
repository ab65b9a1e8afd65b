//! The lists in the documentation: each pattern can be found from them.

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
