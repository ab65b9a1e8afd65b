//! The program `schools`, run as by users: every command, wrong input, and in other files job scripts, interruptions, limits, full disks.

#[cfg(unix)]
mod jobs;
mod limits;
mod progress;
#[cfg(target_os = "linux")]
mod room;
#[cfg(unix)]
mod stopped;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_schools");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn data() -> String {
    let data = repository().join("examples/data/schools.csv");
    data.display().to_string()
}

/// An empty folder for one test, removed at its end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir();
        Self(folder.expect("the system has a folder for temporary files"))
    }

    fn file(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

fn schools(arguments: &[&str]) -> Output {
    let output = Command::new(PROGRAM).args(arguments).output();
    output.expect("the program was built for this test")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the program writes UTF-8")
}

/// The standard output of a command that succeeds.
fn done(arguments: &[&str]) -> String {
    let output = schools(arguments);
    let error = text(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    text(&output.stdout).to_owned()
}

/// The exit code and the standard error of a command that fails.
fn failed(arguments: &[&str]) -> (i32, String) {
    let output = schools(arguments);
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    let code = output.status.code().expect("no signal ended it");
    (code, text(&output.stderr).to_owned())
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(path).expect("the program wrote it")
}

/// A short run of all islands in one process.
fn small_run(out: &str) {
    let data = data();
    let settings = ["--islands", "9", "--particles", "64", "--seed", "1"];
    let start = ["run", "--data", &data, "--out", out];
    done(&[&start[..], &settings[..]].concat());
}

#[test]
fn to_sample_is_to_run_chains() {
    let folder = Folder::new();
    let (data, one, other) = (data(), folder.file("one.run"), folder.file("other.run"));
    let settings = [
        "--data",
        &data,
        "--chains",
        "2",
        "--draws",
        "20",
        "--burn-in",
        "20",
    ];
    done(&[&["sample", "--out", &one][..], &settings[..]].concat());
    done(
        &[
            &["run", "--engine", "nuts", "--out", &other][..],
            &settings[..],
        ]
        .concat(),
    );
    assert!(bytes(&one) == bytes(&other));
}

/// The mutation that it detects: a file of a run is replaced by that of any other.
#[test]
fn the_run_of_another_command_is_not_replaced_unwittingly() {
    let folder = Folder::new();
    let (out, data) = (folder.file("all.run"), data());
    let start = ["sample", "--data", &data, "--out", &out, "--chains", "2"];
    let sample = |rest: &[&'static str]| [&start[..], &["--burn-in", "20"], rest].concat();
    done(&sample(&["--draws", "20"]));
    let first = bytes(&out);
    let (code, message) = failed(&sample(&["--draws", "20", "--seed", "2"]));
    assert_eq!(code, 2, "{message}");
    assert!(
        message.contains(
            "it has a run with the seed 0, and this has 2; name another file, or say --replace"
        ),
        "{message}"
    );
    let (_, message) = failed(&sample(&["--draws", "20", "--engine", "hmc"]));
    assert!(message.contains("of the engine `nuts`"), "{message}");
    assert!(bytes(&out) == first);
    // the same command, and a longer run of it
    done(&sample(&["--draws", "20"]));
    assert!(bytes(&out) == first);
    done(&sample(&["--draws", "30"]));
    done(&sample(&["--draws", "20", "--seed", "2", "--replace"]));
    assert!(bytes(&out) != first);
}

#[test]
fn other_commands_read_the_run() {
    let folder = Folder::new();
    let [run, page, table] =
        ["all.run", "report.html", "predictions.csv"].map(|name| folder.file(name));
    let data = data();
    small_run(&run);
    let summary = done(&["summary", &run]);
    assert!(summary.contains("9 islands x 64 particles"), "{summary}");
    assert!(summary.contains("log evidence"), "{summary}");
    let json = done(&["summary", "--json", &run]);
    let record: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    // exactly -31.3113, by quadrature
    let evidence = record["log_evidence"].as_f64().expect("it is a number");
    assert!((evidence + 31.3113).abs() < 0.5, "{evidence}");

    let check = done(&["check", "--data", &data]);
    assert!(check.contains("schools"), "{check}");
    let loo = done(&["loo", &run, "--data", &data]);
    assert!(loo.contains("elpd"), "{loo}");
    let json = done(&["loo", &run, "--data", &data, "--json"]);
    let record: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(record["names"].as_array().map(Vec::len), Some(8), "{json}");
    assert!(record["elpd"].is_f64(), "{json}");
    let [one, other] = ["one.elpd", "other.elpd"].map(|name| folder.file(name));
    for file in [&one, &other] {
        assert_eq!(done(&["loo", &run, "--data", &data, "--out", file]), loo);
    }
    let json = done(&["compare", "--json", &one, &other]);
    let record: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(record["models"][1]["difference"], 0.0, "{json}");
    let compared = done(&["compare", &one, &other]);
    for wanted in ["stacking", "one", "other", "log Bayes factor"] {
        assert!(compared.contains(wanted), "{wanted} in {compared}");
    }
    let failures = done(&["explain", &run, "--data", &data]);
    assert!(failures.starts_with("nothing failed in"), "{failures}");
    assert_eq!(done(&["report", &run, "--data", &data, "--out", &page]), "");
    assert!(text(&bytes(&page)).contains("<html"));
    // a second run besides the first
    let copy = folder.file("copy.run");
    fs::copy(&run, &copy).expect("the folder is there");
    let two = ["report", &run, &copy, "--data", &data, "--out", &page];
    assert_eq!(done(&two), "");
    let html = text(&bytes(&page)).to_owned();
    for wanted in ["Comparison of the runs", ">copy<"] {
        assert!(html.contains(wanted), "{wanted} in {html:.2000}");
    }
    assert_eq!(
        done(&["predict", &run, "--data", &data, "--out", &table]),
        ""
    );
    let predictions = done(&["predict", &run, "--data", &data]);
    assert_eq!(text(&bytes(&table)), predictions);
    let lines: Vec<&str> = predictions.lines().collect();
    assert_eq!(lines.len(), 9);
    assert!(lines[1].starts_with("effect,0,28,"), "{predictions}");
}

#[test]
fn a_run_is_exported() {
    let folder = Folder::new();
    let (run, data) = (folder.file("all.run"), data());
    small_run(&run);
    let [csv, json, zarr, stan] =
        ["draws.csv", "draws.json", "draws.zarr", "stan"].map(|name| folder.file(name));
    for out in [&csv, &json, &stan] {
        assert_eq!(done(&["export", &run, "--out", out]), "");
    }
    let (_, message) = failed(&["export", &run, "--out", &zarr]);
    assert!(message.contains("name their file by --data"), "{message}");
    assert_eq!(done(&["export", &run, "--data", &data, "--out", &zarr]), "");
    assert!(text(&bytes(&csv)).starts_with(".island,.draw,.log_weight,mu,tau,"));
    assert!(text(&bytes(&json)).starts_with('{'));
    assert!(Path::new(&zarr).join("log_likelihood/effect").exists());
    assert!(Path::new(&format!("{stan}_1.csv")).exists());
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let folder = Folder::new();
    let run = folder.file("all.run");
    small_run(&run);
    let mut process = Command::new(PROGRAM)
        .args(["summary", &run])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    drop(process.stdout.take());
    let output = process.wait_with_output().expect("it runs");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn an_engine_is_calibrated_on_simulated_data() {
    let folder = Folder::new();
    let (data, picture) = (data(), folder.file("ranks.svg"));
    let engine = ["--engine", "nuts", "--chains", "2", "--burn-in", "200"];
    let start = ["sbc", "--data", &data, "--simulations", "40", "--seed", "3"];
    let rest = ["--draws", "200", "--out", &picture];
    let report = done(&[&start[..], &engine[..], &rest[..]].concat());
    assert!(
        report.contains("tau") && report.contains("40 simulations"),
        "{report}"
    );
    assert!(text(&bytes(&picture)).starts_with("<svg"));
    let (code, message) = failed(&["sbc", "--data", &data, "--simulations", "3"]);
    assert!(
        code == 2 && message.contains("at least 10"),
        "{code}, {message}"
    );
}

#[test]
fn wrong_input_ends_with_2_and_says_what_is_wrong() {
    let folder = Folder::new();
    let data = data();
    let other = folder.file("other.csv");
    fs::write(&other, "effect,sd\n1,2\n").expect("the folder is there");
    let wrong = |arguments: &[&str], wanted: &str| {
        let (code, message) = failed(arguments);
        assert!(
            code == 2 && message.contains(wanted),
            "{arguments:?}: {code}, {message}"
        );
    };
    wrong(&["run", "--data", &other], "has no column `error`");
    wrong(&["run", "--data", "none.csv"], "`none.csv` cannot be read");
    wrong(&["run"], "--data <FILE>");
    wrong(
        &["run", "--data", &data, "--engine", "gibbs"],
        "must be one of",
    );
    wrong(
        &["run", "--data", &data, "--engine", "nuts", "--islands", "4"],
        "`--islands` is no setting of nuts, but of psmc, smc, ais",
    );
    wrong(
        &["run", "--data", &data, "--particles", "1"],
        "setting `--particles` is 1",
    );
    wrong(
        &["run", "--data", &data, "--shard", "7/7", "--out", &other],
        "the 7 parts are 0/7 to 6/7",
    );
    wrong(&["run", "--data", &data, "--shard", "1/7"], "--out <FILE>");
    wrong(&["summary", &data], "is not the file of a run");
    wrong(&["compare", &data, &data], "is not the file of an estimate");
    wrong(&["compare", &data], "<FILE>");
    let run = folder.file("small.run");
    small_run(&run);
    wrong(
        &["export", &run, "--data", &data, "--out", "draws.xlsx"],
        ".csv, .json, .zarr",
    );
    wrong(
        &["merge", &run, "--out", &run],
        "which the result would replace",
    );
    for (option, value, wanted) in [
        ("--seed", "-1", "it must be a whole number from 0 on"),
        ("--seed", "1.5", "it must be a whole number from 0 on"),
        ("--islands", "-3", "it must be a whole number from 0 on"),
        ("--ess-target", "x", "it must be a number"),
        ("--time-limit", "-1", "it must be a number of seconds"),
        ("--memory-limit", "-1", "it must be a number of bytes"),
        ("--memory-limit", "-4G", "it must be a number of bytes"),
    ] {
        let told = format!("invalid value '{value}' for '{option} <");
        wrong(&["run", "--data", &data, option, value], &told);
        wrong(&["run", "--data", &data, option, value], wanted);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_reported_before_the_work() {
    let folder = Folder::new();
    let (data, run) = (data(), folder.file("small.run"));
    small_run(&run);
    let nowhere = folder.file("none/out");
    let told = |arguments: &[&str]| {
        let arguments = [arguments, &["--data", &data]].concat();
        let (code, message) = failed(&arguments);
        assert!(
            code == 2 && message.contains("cannot be written"),
            "{arguments:?}: {code}, {message}"
        );
        message
    };
    for command in ["run", "sample"] {
        told(&[command, "--out", &nowhere]);
        told(&[command, "--out", "."]);
        let told = told(&[command, "--checkpoint", &run]);
        assert!(told.contains("it is a file; name a folder"), "{told}");
    }
    for command in ["report", "predict", "loo"] {
        told(&[command, &run, "--out", &nowhere]);
        told(&[command, &run, "--out", "."]);
    }
}

#[test]
fn what_a_killed_run_left_is_reported() {
    let folder = Folder::new();
    let [left, out] = ["all.run.unsaved", "all.run"].map(|name| folder.file(name));
    fs::write(&left, "a part of an island").expect("the folder is there");
    let commands = [
        &["summary", &left][..],
        &["summary", &left, "--only", "mu"],
        &["merge", &left, "--out", &out],
    ];
    for command in commands {
        let (code, message) = failed(command);
        let wanted = "is incomplete: it has what was finished of a run whose program goes on, or was ended before it. Run it again; a run \
                      with `--checkpoint FOLDER` goes on";
        assert!(
            code == 2 && message.contains(wanted),
            "{command:?}: {code}, {message}"
        );
    }
}

#[test]
fn a_run_whose_draws_leave_memory_has_the_same_bytes() {
    let folder = Folder::new();
    let (data, whole) = (data(), folder.file("whole.run"));
    small_run(&whole);
    let out = folder.file("all.run");
    let run = [
        "run",
        "--data",
        &data,
        "--islands",
        "9",
        "--particles",
        "64",
        "--seed",
        "1",
    ];
    let to_file = ["--out", &out, "--only", "mu", "tau"];
    let shown = done(&[&run[..], &to_file[..]].concat());
    assert!(bytes(&out) == bytes(&whole), "the run has other bytes");
    let summary = done(&["summary", &out, "--only", "mu", "tau"]);
    assert_eq!(shown, summary);
    assert!(
        shown.contains("\ntau ") && !shown.contains("\nz["),
        "{shown}"
    );
    // before the run
    fs::remove_file(&out).expect("it was written");
    let unknown = ["--out", &out, "--only", "tua"];
    let (code, told) = failed(&[&run[..], &unknown[..]].concat());
    assert!(
        code == 2 && told.contains("no quantity is called `tua`"),
        "{told}"
    );
    assert!(!Path::new(&out).exists());
}
