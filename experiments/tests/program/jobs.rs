//! The job scripts of docs/jobs, run as by Slurm and Kubernetes.

use super::stopped::stopped_at;
use super::*;

/// Part `part` of `of`, by the script for Slurm.
fn slurm(part: usize, of: usize, islands: usize, results: &str) -> Command {
    let mut job = Command::new("bash");
    job.arg(repository().join("docs/jobs/slurm.sh"))
        .env("SLURM_ARRAY_TASK_ID", part.to_string())
        .env("SLURM_ARRAY_TASK_COUNT", of.to_string())
        .env("SLURM_CPUS_PER_TASK", "1")
        .envs([
            ("PROGRAM", PROGRAM),
            ("DATA", &data()),
            ("RESULTS", results),
        ])
        .env("ISLANDS", islands.to_string())
        .env("PARTICLES", "64");
    job
}

/// Runs a job that succeeds, and returns its messages.
fn ended(job: &mut Command) -> String {
    let output = job.output().expect("there is a shell");
    let lines = text(&output.stderr).to_owned();
    assert!(output.status.success(), "{lines}");
    lines
}

#[test]
#[cfg(unix)]
fn parts_by_slurm_in_any_order_merge_to_the_bytes_of_one_process() {
    let folder = Folder::new();
    let results = folder.file("results");
    for part in [3, 0, 6, 1, 5, 2, 4] {
        let lines = ended(&mut slurm(part, 7, 9, &results));
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
fn a_part_that_slurm_ends_goes_on_with_the_same_script() {
    let folder = Folder::new();
    let results = folder.file("results");
    let job = || slurm(1, 2, 128, &results);
    // as two minutes before the time limit: the program replaces the script's process
    let (code, rest) = stopped_at("\"done\":true", &mut job());
    assert_eq!(code, Some(1), "{rest:?}");
    let part = format!("{results}/part-1.run");
    assert!(!Path::new(&part).exists());
    ended(&mut job());
    let other = folder.file("other");
    ended(&mut slurm(1, 2, 128, &other));
    assert!(bytes(&part) == bytes(&format!("{other}/part-1.run")));
}

/// The arguments of the container, with the index of the pod substituted for its variable.
fn arguments_in_pod(index: usize) -> Vec<String> {
    let job = fs::read_to_string(repository().join("docs/jobs/kubernetes.yaml"));
    let job = job.expect("it is in the repository");
    let (_, rest) = job
        .split_once("          args:\n")
        .expect("it has arguments");
    let lines = rest.lines().map(str::trim);
    let lines = lines.take_while(|line| line.starts_with("- ") || line.starts_with('#'));
    let arguments = lines.filter_map(|line| line.strip_prefix("- "));
    arguments
        .map(|argument| argument.replace("$(JOB_COMPLETION_INDEX)", &index.to_string()))
        .collect()
}

#[test]
fn the_pods_of_kubernetes_make_the_parts_of_one_run() {
    let folder = Folder::new();
    let results = folder.file("results");
    fs::create_dir(&results).expect("the folder is there");
    let here = |argument: String| {
        let argument = argument.replace("/data/schools.csv", &data());
        let argument = argument.replace("=/results", &format!("={results}"));
        argument.replace("--islands=128", "--islands=20")
    };
    for index in (0..10).rev() {
        let mut arguments: Vec<String> = arguments_in_pod(index).into_iter().map(here).collect();
        arguments.push("--particles=32".to_owned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        done(&arguments);
    }
    let all = folder.file("all.run");
    let parts: Vec<String> = (0..10)
        .map(|index| format!("{results}/part-{index}.run"))
        .collect();
    let mut merge: Vec<&str> = vec!["merge", "--out", &all];
    merge.extend(parts.iter().map(String::as_str));
    done(&merge);
    let one = folder.file("one.run");
    let settings = ["--islands", "20", "--particles", "32", "--seed", "1"];
    done(&[&["run", "--data", &data(), "--out", &one][..], &settings].concat());
    assert!(bytes(&all) == bytes(&one));
}
