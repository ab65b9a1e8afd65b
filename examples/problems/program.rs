//! The program `schools` as its users run it: parts by the job script for Slurm, interruptions, wrong input.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_schools");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn data() -> String {
    let data = repository().join("examples/data/schools.csv");
    data.display().to_string()
}

/// An empty folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("bayes-program-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the system has a folder for temporary files");
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
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
#[cfg(unix)]
fn parts_by_slurm_in_any_order_merge_to_the_bytes_of_one_process() {
    let folder = Folder::new("slurm");
    let results = folder.file("results");
    for part in [3, 0, 6, 1, 5, 2, 4] {
        let job = Command::new("bash")
            .arg(repository().join("docs/jobs/slurm.sh"))
            .env("SLURM_ARRAY_TASK_ID", part.to_string())
            .env("SLURM_ARRAY_TASK_COUNT", "7")
            .env("SLURM_CPUS_PER_TASK", "1")
            .envs([
                ("PROGRAM", PROGRAM),
                ("DATA", &data()),
                ("RESULTS", &results),
            ])
            .envs([("ISLANDS", "9"), ("PARTICLES", "64")])
            .output();
        let job = job.expect("there is a shell");
        let lines = text(&job.stderr);
        assert!(job.status.success(), "part {part}: {lines}");
        assert!(lines.contains("\"done\":true"), "progress: {lines}");
    }
    let part = |number: usize| format!("{results}/part-{number}.run");
    let all = folder.file("all.run");
    let parts: Vec<String> = [5, 1, 0, 4, 6, 2].map(part).into();
    let mut merge: Vec<&str> = vec!["merge", "--out", &all];
    merge.extend(parts.iter().map(String::as_str));
    let (code, message) = failed(&merge);
    assert_eq!(code, 2);
    assert!(message.contains("islands 3 to 4 are missing"), "{message}");
    let last = part(3);
    merge.push(&last);
    done(&merge);
    let one = folder.file("one.run");
    small_run(&one);
    assert!(bytes(&all) == bytes(&one), "the merged run has other bytes");
}

#[test]
#[cfg(unix)]
fn a_run_that_was_asked_to_stop_goes_on_with_the_same_command() {
    let folder = Folder::new("stop");
    let data = data();
    let settings = ["--islands", "64", "--particles", "128", "--seed", "2"];
    let start = ["run", "--data", &data, "--progress", "json"];
    let [stopped, whole, checkpoints] =
        ["stopped.run", "whole.run", "saved"].map(|name| folder.file(name));
    let with_folder = ["--out", &stopped, "--checkpoint", &checkpoints];
    let command = [&start[..], &settings[..], &with_folder[..]].concat();
    let mut process = Command::new(PROGRAM)
        .args(&command)
        // one island after the other, so that some are left
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    let lines = BufReader::new(process.stderr.take().expect("it is a pipe")).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"done\":true")));
    let signal = Command::new("kill").arg(process.id().to_string()).status();
    assert!(signal.expect("there is `kill`").success());
    let rest: Vec<String> = lines.collect();
    let status = process.wait().expect("it runs");
    assert_eq!(status.code(), Some(1), "{rest:?}");
    assert!(
        rest.last()
            .is_some_and(|line| line.contains("the same command goes on")),
        "{rest:?}"
    );
    assert!(!Path::new(&stopped).exists());

    let resume = [&["resume"][..], &command[1..]].concat();
    done(&resume);
    done(&[&start[..], &settings[..], &["--out", &whole]].concat());
    assert!(
        bytes(&stopped) == bytes(&whole),
        "the run that was stopped has other bytes"
    );
    // it goes on, and never begins
    let elsewhere = folder.file("svaed");
    let settings = ["--out", &whole, "--checkpoint", &elsewhere];
    let (code, told) = failed(&[&["resume", "--data", &data][..], &settings[..]].concat());
    assert!(
        code == 2 && told.contains("holds no run that was interrupted"),
        "{told}"
    );
    assert!(!Path::new(&elsewhere).exists());
}

#[test]
fn to_sample_is_to_run_chains() {
    let folder = Folder::new("sample");
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

#[test]
fn other_commands_read_the_run() {
    let folder = Folder::new("commands");
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
    let [one, other] = ["one.elpd", "other.elpd"].map(|name| folder.file(name));
    for file in [&one, &other] {
        assert_eq!(done(&["loo", &run, "--data", &data, "--out", file]), loo);
    }
    let compared = done(&["compare", &one, &other]);
    for wanted in ["stacking", "one", "other", "log Bayes factor"] {
        assert!(compared.contains(wanted), "{wanted} in {compared}");
    }
    let failures = done(&["explain", &run, "--data", &data]);
    assert!(failures.starts_with("nothing failed in"), "{failures}");
    assert_eq!(done(&["report", &run, "--data", &data, "--out", &page]), "");
    assert!(text(&bytes(&page)).contains("<html"));
    // a second run beside it
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
    let folder = Folder::new("export");
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
    let folder = Folder::new("reader");
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
    let folder = Folder::new("calibration");
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
    let folder = Folder::new("wrong");
    let data = data();
    let [other, out] = ["other.csv", "none/out.run"].map(|name| folder.file(name));
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
        "setting `particles` is 1",
    );
    wrong(
        &["run", "--data", &data, "--shard", "7/7", "--out", &other],
        "the 7 parts are 0/7 to 6/7",
    );
    wrong(&["run", "--data", &data, "--shard", "1/7"], "--out <FILE>");
    wrong(&["summary", &data], "is not a run");
    wrong(
        &["compare", &data, &data],
        "is not an expected log predictive density",
    );
    wrong(&["compare", &data], "<FILE>");
    let run = folder.file("small.run");
    small_run(&run);
    let (_, message) = failed(&["export", &run, "--data", &data, "--out", "draws.xlsx"]);
    assert!(message.contains(".csv, .json, .zarr"), "{message}");
    // found before the run, and the same command may succeed later
    let (code, message) = failed(&["run", "--data", &data, "--out", &out]);
    assert!(
        code == 1 && message.contains("cannot be written"),
        "{code}, {message}"
    );
}

/// A command in a shell whose files cannot be longer than so many kilobytes, as on a disk that is full; the system says so by an
/// error and not by a signal.
#[cfg(target_os = "linux")]
fn on_a_full_disk(kilobytes: usize, arguments: &[&str]) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\"");
    let mut command = Command::new("bash");
    command
        .args(["-c", &script, "bash", PROGRAM])
        .args(arguments);
    command.output().expect("there is a shell")
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_and_costs_no_finished_island() {
    let folder = Folder::new("full");
    let data = data();
    let [out, saved, whole] = ["all.run", "saved", "whole.run"].map(|name| folder.file(name));
    small_run(&whole);
    let settings = ["--islands", "9", "--particles", "64", "--seed", "1"];
    let start = ["run", "--data", &data, "--progress", "none"];
    let to_files = ["--out", &out, "--checkpoint", &saved];
    let command = [&start[..], &settings[..], &to_files[..]].concat();
    let ended = on_a_full_disk(100, &command);
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    for wanted in [
        "warning: `",
        "saved/finished-",
        "error: `",
        "all.run` cannot be written: File too large",
    ] {
        assert!(told.contains(wanted), "{wanted} in {told}");
    }
    // what was found is told, though no file holds it
    assert!(text(&ended.stdout).contains("log evidence"));
    assert!(!Path::new(&out).exists());
    // nothing is left of what was begun, and with room the same command succeeds
    let left = fs::read_dir(&saved).expect("it was made").count();
    assert_eq!(left, 1, "the lock alone");
    done(&command);
    assert!(bytes(&out) == bytes(&whole));
    // parts that cannot be merged for want of room stay as they are
    let merged = folder.file("merged.run");
    let ended = on_a_full_disk(100, &["merge", &out, "--out", &merged]);
    let told = text(&ended.stderr);
    assert!(
        ended.status.code() == Some(1) && told.contains("File too large"),
        "{told}"
    );
    assert!(!Path::new(&merged).exists() && bytes(&out) == bytes(&whole));
    // a full standard output
    let full = fs::File::create("/dev/full").expect("Linux has it");
    let process = Command::new(PROGRAM)
        .args(["summary", &out])
        .stdout(full)
        .output()
        .expect("the program was built for this test");
    let told = text(&process.stderr);
    assert!(
        process.status.code() == Some(1) && told.contains("No space left"),
        "{told}"
    );
}

#[test]
fn a_run_whose_draws_leave_memory_has_the_same_bytes() {
    let folder = Folder::new("only");
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

#[test]
fn islands_are_added_and_memory_is_limited_by_options() {
    let folder = Folder::new("limits");
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
            && told.contains("`memory_limit` is 2.0 MB. It would fit with one of: `.particles("),
        "{code}, {told}"
    );
    let (code, told) = failed(&[&start[..], &["--memory-limit", "much"]].concat());
    assert!(code == 2 && told.contains("such as 500M or 4G"), "{told}");
    let (code, told) = failed(&[&start[..], &["--at-most", "9"]].concat());
    assert!(code == 2 && told.contains("--until"), "{told}");
}
