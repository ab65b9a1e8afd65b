//! Limits of memory, time and work, and added islands.

use super::*;

#[test]
fn islands_are_added_and_memory_is_limited_by_options() {
    let folder = Folder::new();
    let (data, run) = (data(), folder.file("all.run"));
    let start = ["run", "--data", &data, "--particles", "64", "--seed", "1"];
    let until = ["--until", "0.000001", "--at-most", "20", "--out", &run];
    let shown = done(&[&start[..], &until[..]].concat());
    assert!(
        shown.contains("20 islands do not give the wanted precision"),
        "{shown}"
    );
    let part = done(&["summary", &run, "--only", "mu", "tau"]);
    let names = |text: &str, name: &str| text.lines().any(|line| line.starts_with(name));
    assert!(names(&part, "mu ") && names(&part, "tau ") && !names(&part, "z["));
    assert!(names(&shown, "z["), "{shown}");
    let line = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("mu "));
        let numbers = line.expect("it is there").split_whitespace();
        numbers.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(line(&part), line(&shown));
    let (code, told) = failed(&[&start[..], &["--islands", "40", "--memory-limit", "2M"]].concat());
    assert!(
        code == 2
            && told.contains("`memory_limit` is 2.0 MB. It would fit with one of: `--particles ")
            && told.contains("`--shard i/"),
        "{code}, {told}"
    );
    let (code, told) = failed(&[&start[..], &["--memory-limit", "much"]].concat());
    assert!(code == 2 && told.contains("such as 500M or 4G"), "{told}");
    let (code, told) = failed(&[&start[..], &["--at-most", "9"]].concat());
    assert!(code == 2 && told.contains("--until"), "{told}");
}

#[test]
fn a_limit_of_work_or_time_makes_as_many_islands_as_fit() {
    let folder = Folder::new();
    let data = data();
    let start = ["run", "--data", &data, "--particles", "64", "--seed", "1"];
    let whole = folder.file("whole.run");
    done(&[&start[..], &["--islands", "9", "--out", &whole]].concat());
    // the first line of a summary: "schools: psmc with hmc moves, 9 islands x .."
    let islands_of = |path: &str| {
        let summary = done(&["summary", path]);
        let (before, _) = summary.split_once(" island").expect("it has islands");
        let number = before.rsplit(' ').next().and_then(|text| text.parse().ok());
        let number: u64 = number.unwrap_or_else(|| panic!("no number: {summary}"));
        number
    };
    assert_eq!(islands_of(&whole), 9);
    let limited = |limit: [&str; 2], most: &str| {
        let out = folder.file("limited.run");
        let rest = ["--islands", most, "--out", &out];
        done(&[&start[..], &limit, &rest].concat());
        (islands_of(&out), bytes(&out))
    };
    let (islands, first) = limited(["--gradient-limit", "400000"], "5000");
    assert!((2..5000).contains(&islands), "{islands} islands");
    assert!(limited(["--gradient-limit", "400000"], "5000").1 == first);
    assert_eq!(limited(["--gradient-limit", "1"], "5000").0, 1);
    let (islands, _) = limited(["--time-limit", "0.2"], "1000000");
    assert!((1..1_000_000).contains(&islands), "{islands} islands");
}
