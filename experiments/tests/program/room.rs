//! Full disks: finished work is kept.

use super::*;
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A command whose files cannot be longer than `kilobytes`, as on a full disk; the system reports this by an error, not a signal.
fn on_a_full_disk(kilobytes: usize, arguments: &[&str]) -> Command {
    let script = format!("trap '' XFSZ; ulimit -S -f {kilobytes}; exec \"$@\"");
    let mut command = Command::new("bash");
    command
        .args(["-c", &script, "bash", PROGRAM])
        .args(arguments);
    command
}

/// The longest wait for a line of a process, so that a change of its words fails the test instead of blocking it forever.
const LONGEST: Duration = Duration::from_secs(300);

/// A process that waits for room.
struct Waiting {
    process: Child,
    /// The line that announces the wait.
    told: String,
    /// The lines after that.
    rest: Receiver<String>,
}

/// Runs a command until it waits for room.
fn waiting(command: &mut Command) -> Waiting {
    let process = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut process = process.expect("there is a shell");
    let errors = process.stderr.take().expect("it is a pipe");
    let (sender, lines) = mpsc::channel();
    // reads to the end, so that the process can always write
    thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut told = Vec::new();
    while let Ok(line) = lines.recv_timeout(LONGEST) {
        if line.contains("waits until it can be written") {
            return Waiting {
                process,
                told: line,
                rest: lines,
            };
        }
        told.push(line);
    }
    let _ = process.kill();
    let status = process.wait();
    panic!("it ended with {status:?} and did not wait: {told:?}");
}

/// Makes room for a process, and returns its outcome.
fn with_room(process: Child) -> Output {
    let made = Command::new("prlimit")
        .args(["--pid", &process.id().to_string(), "--fsize=unlimited"])
        .status();
    assert!(made.expect("Linux has it").success());
    process.wait_with_output().expect("it runs")
}

const SMALL: [&str; 6] = ["--islands", "9", "--particles", "64", "--seed", "1"];

#[test]
fn a_run_without_room_waits_for_it() {
    let folder = Folder::new();
    let (data, whole) = (data(), folder.file("whole.run"));
    small_run(&whole);
    let start = ["run", "--data", &data, "--progress", "none"];
    // in memory; with draws in a file; with checkpoints, which have no room either
    for (name, more) in [
        ("memory", &[][..]),
        ("file", &["--only", "mu"]),
        ("saved", &["--checkpoint"]),
    ] {
        let [out, saved] = ["all.run", "saved"].map(|file| folder.file(&format!("{name}-{file}")));
        let mut command = [&start[..], &SMALL, &["--out", &out], more].concat();
        if name == "saved" {
            command.push(&saved);
        }
        let Waiting { process, told, .. } = waiting(&mut on_a_full_disk(100, &command));
        assert!(
            told.contains("all.run` cannot be written: File too large"),
            "{told}"
        );
        assert!(!Path::new(&out).exists());
        let ended = with_room(process);
        assert!(ended.status.success(), "{name}: {ended:?}");
        let shown = text(&ended.stdout);
        assert!(shown.contains("log evidence"), "{shown}");
        assert!(bytes(&out) == bytes(&whole), "{name}: other bytes");
    }
}

#[test]
fn a_run_without_room_is_given_up_by_a_signal() {
    let folder = Folder::new();
    let (data, out) = (data(), folder.file("all.run"));
    let command = ["run", "--data", &data, "--progress", "none", "--out", &out];
    let command = [&command[..], &SMALL].concat();
    let Waiting { process, rest, .. } = waiting(&mut on_a_full_disk(100, &command));
    let signal = Command::new("kill").arg(process.id().to_string()).status();
    assert!(signal.expect("there is `kill`").success());
    let ended = process.wait_with_output().expect("it runs");
    // the results are printed, although no file holds them
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(text(&ended.stdout).contains("log evidence"));
    let told: Vec<String> = rest.iter().collect();
    assert!(
        told.iter().any(|line| line.contains("error: `")),
        "{told:?}"
    );
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_run_whose_place_is_taken_goes_to_the_temporary_folder() {
    let folder = Folder::new();
    let (data, whole) = (data(), folder.file("whole.run"));
    let temporary = folder.file("temporary");
    fs::create_dir(&temporary).expect("the folder is there");
    small_run(&whole);
    for (name, more) in [("memory", &[][..]), ("file", &["--only", "mu"])] {
        let results = folder.file(name);
        fs::create_dir(&results).expect("the folder is there");
        let out = format!("{results}/all.run");
        let start = ["run", "--data", &data, "--progress", "json", "--out", &out];
        let mut command = Command::new(PROGRAM);
        command.args([&start[..], &SMALL, more].concat());
        command
            .env("TMPDIR", &temporary)
            .env("RAYON_NUM_THREADS", "1");
        let process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut process = process.expect("the program was built for this test");
        let lines = BufReader::new(process.stderr.take().expect("it is a pipe")).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.contains("\"done\":true")));
        fs::remove_dir_all(&results).expect("it was made here");
        let rest: Vec<String> = lines.collect();
        let code = process.wait().expect("it runs").code();
        assert_eq!(code, Some(1), "{rest:?}");
        let kept = format!("{temporary}/all.run");
        let told = rest.last().is_some_and(|line| line.contains(&kept));
        assert!(told, "{name}: {rest:?}");
        assert!(bytes(&kept) == bytes(&whole), "{name}: other bytes");
        fs::remove_file(kept).expect("it is there");
    }
}

#[test]
fn a_full_disk_is_reported_and_costs_no_finished_island() {
    let folder = Folder::new();
    let (data, out) = (data(), folder.file("all.run"));
    small_run(&out);
    let whole = bytes(&out);
    // the checkpoint folder has the whole run, so the same command writes it later
    let saved = folder.file("saved");
    let start = ["run", "--data", &data, "--progress", "none", "--out"];
    let with_folder = ["--checkpoint", &saved];
    let first = folder.file("first.run");
    done(&[&start[..], &[&first], &SMALL, &with_folder].concat());
    let other = folder.file("other.run");
    let command = [&start[..], &[&other], &SMALL, &with_folder].concat();
    let ended = on_a_full_disk(100, &command)
        .output()
        .expect("there is a shell");
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(
        told.contains("other.run` cannot be written: File too large"),
        "{told}"
    );
    assert!(text(&ended.stdout).contains("log evidence") && !Path::new(&other).exists());
    done(&command);
    assert!(bytes(&other) == whole);
    // parts that cannot be merged on a full disk stay unchanged
    let merged = folder.file("merged.run");
    let merge = ["merge", &out, "--out", &merged];
    let ended = on_a_full_disk(100, &merge).output();
    let ended = ended.expect("there is a shell");
    let told = text(&ended.stderr);
    assert!(
        ended.status.code() == Some(1) && told.contains("File too large"),
        "{told}"
    );
    assert!(!Path::new(&merged).exists() && bytes(&out) == whole);
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
