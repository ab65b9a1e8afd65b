//! The command `update` of the program, for each engine with settings that are no defaults.

use std::path::Path;
use std::process::Command;

const ENGINES: [&[&str]; 10] = [
    &[
        "nuts",
        "--chains",
        "3",
        "--draws",
        "30",
        "--burn-in",
        "40",
        "--thin",
        "2",
        "--target-acceptance",
        "0.7",
        "--max-depth",
        "5",
        "--mass",
        "low_rank",
    ],
    &[
        "walnuts",
        "--draws",
        "30",
        "--burn-in",
        "40",
        "--chains",
        "4",
        "--superchains",
        "2",
    ],
    &[
        "hmc",
        "--draws",
        "30",
        "--burn-in",
        "40",
        "--starts",
        "pathfinder",
    ],
    &["random_walk", "--draws", "30", "--burn-in", "40"],
    &[
        "psmc",
        "--islands",
        "3",
        "--particles",
        "40",
        "--states-kept",
        "2",
        "--posterior-states",
        "5",
        "--ess-target",
        "0.7",
        "--mutations",
        "5",
        "--pilot",
        "32",
        "--kernel",
        "mala",
    ],
    &[
        "smc",
        "--islands",
        "2",
        "--particles",
        "40",
        "--mass",
        "variance",
    ],
    &["ais", "--islands", "2", "--particles", "32"],
    &[
        "nested",
        "--islands",
        "2",
        "--particles",
        "32",
        "--survivors",
        "0.5",
        "--remaining",
        "0.01",
    ],
    &[
        "tempering",
        "--chains",
        "4",
        "--draws",
        "30",
        "--burn-in",
        "40",
        "--temperatures",
        "5",
        "--mutations",
        "2",
    ],
    &[
        "pathfinder",
        "--draws",
        "30",
        "--paths",
        "3",
        "--memory",
        "5",
        "--iterations",
        "100",
        "--elbo-draws",
        "10",
    ],
];

/// Standard output and standard error of a command that succeeds.
fn bayes(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bayes"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program is built");
    let texts = [output.stdout, output.stderr];
    let [out, err] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{arguments:?}: {err}");
    (out, err)
}

/// Would detect a setting that is forgotten, or one that a default of the program replaces.
#[test]
fn an_update_without_a_change_is_the_run_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(
        folder.join("t.csv"),
        "y,x\n1.2,0.1\n2.3,1.1\n2.9,1.9\n4.1,3.2\n5.2,4.1\n",
    )
    .expect("it is written");
    let files = ["first.run", "again.run"].map(|name| folder.join(name));
    for engine in ENGINES {
        let fit = [
            "fit",
            "y ~ x",
            "--data",
            "t.csv",
            "--prior",
            "b ~ normal(0, 2)",
            "--seed",
            "5",
            "--replace",
            "--out",
            "first.run",
            "--engine",
        ];
        bayes(folder, &[&fit[..], engine].concat());
        let update = [
            "update",
            "first.run",
            "--data",
            "t.csv",
            "--replace",
            "--out",
            "again.run",
        ];
        let (out, err) = bayes(folder, &update);
        assert!(!out.contains("settings other than before"), "{out}");
        assert!(
            err.contains("y ~ x, gaussian; b ~ normal(0, 2), and default priors"),
            "{err}"
        );
        let settings = err.lines().find(|line| line.starts_with("settings: "));
        let settings = settings.unwrap_or_default();
        assert!(
            settings.contains(engine[0]) && settings.ends_with("--seed 5"),
            "{err}"
        );
        for pair in engine[1..].chunks(2) {
            assert!(settings.contains(&pair.join(" ")), "{pair:?} {settings}");
        }
        let [first, again] = files
            .each_ref()
            .map(|file| std::fs::read(file).expect("it is there"));
        assert!(first == again, "{engine:?}: {settings}");
    }
}

/// The words of a command line.
fn words(line: &'static str) -> Vec<&'static str> {
    line.split(' ').collect()
}

#[test]
fn what_an_update_changes_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let table = "y,x\n1,0.1\n2,1.1\n2,1.9\n4,3.2\n5,4.1\n";
    std::fs::write(folder.join("t.csv"), table).expect("it is written");
    let settings = words("--data t.csv --draws 30 --burn-in 40 --out first.run");
    bayes(folder, &[&["fit", "y ~ x"], &settings[..]].concat());
    let update = words("update first.run --data t.csv --family poisson --draws 20 --seed 2");
    let (out, err) = bayes(folder, &update);
    assert!(out.contains("y ~ x, poisson, 5 rows"), "{out}");
    let differs = "settings other than before: draws 20 (before 30)\n";
    assert!(out.contains(differs), "{out}");
    assert!(
        err.contains("--burn-in 40 --draws 20") && err.contains("--seed 2"),
        "{err}"
    );
    let update = words("update first.run --data t.csv --engine psmc --islands 2 --particles 32");
    let (out, err) = bayes(folder, &[&update[..], &["--formula", "y ~ 1"]].concat());
    assert!(out.contains("\npriors         "), "{out}");
    let differs = "engine psmc (before nuts)\n";
    assert!(
        out.contains(differs) && out.contains("log evidence"),
        "{out}"
    );
    let settings = "settings: psmc --islands 2 --particles 32 --seed 0";
    assert!(err.contains(settings), "{err}");
}
