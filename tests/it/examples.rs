//! The examples can be copied: each is one file that needs only the crate `bayes` and its data beside it.

use std::fs;
use std::path::Path;

#[test]
fn each_example_is_one_file_that_needs_bayes_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.display();
        let text = fs::read_to_string(&path).expect("an example is text");
        let mut uses = text.lines().filter_map(|line| line.strip_prefix("use "));
        let other = uses.find(|line| !line.starts_with("bayes::") && !line.starts_with("std::"));
        assert_eq!(other, None, "{name}");
        assert!(!text.contains("\nmod "), "{name} is one file");
        assert!(!text.contains("env!("), "{name}: data are beside it");
        assert!(text.lines().count() <= 150, "{name} is short");
        seen += 1;
    }
    assert!(seen >= 8, "{seen} examples");
}
