//! The program `bayes`, run like a user.

use std::path::Path;
use std::process::{Command, Output};

fn bayes(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_bayes"))
        .current_dir(folder)
        .args(arguments)
        .output();
    output.expect("the program is built")
}

fn text(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Would detect rows that are numbered anew, and known rows among those that are asked for.
fn some_predictions(folder: &Path) {
    let rows = "incidence,size,period,herd\n2,10,1,3\n,10,4,3\n1,9,2,1\n,4,1,1\n";
    std::fs::write(folder.join("gaps.csv"), rows).expect("it is written");
    let asked = ["predict", "cbpp.run", "--data", "gaps.csv"];
    let all = text(&bayes(folder, &asked));
    let missing = text(&bayes(folder, &[&asked[..], &["--missing"]].concat()));
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(
        missing.lines().collect::<Vec<_>>(),
        [lines[0], lines[2], lines[4]]
    );
    assert!(lines[4].starts_with("3,NaN,"), "{all}");
    std::fs::write(
        folder.join("full.csv"),
        "incidence,size,period,herd\n2,10,1,3\n",
    )
    .expect("it is written");
    let refused = bayes(
        folder,
        &["predict", "cbpp.run", "--data", "full.csv", "--missing"],
    );
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && message.contains("`--missing` writes the elements without an observed value, and the table has all values of `y`; leave `--missing` out"),
        "{message}"
    );
}

/// Predictions of the table `new.csv`, which it writes, have the columns of `fitted`.
fn all_predictions(folder: &Path) {
    std::fs::write(folder.join("new.csv"), "size,period,herd\n10,1,3\n10,4,3\n")
        .expect("it is written");
    let predicted = text(&bayes(
        folder,
        &["predict", "cbpp.run", "--data", "new.csv"],
    ));
    let lines: Vec<&str> = predicted.lines().collect();
    assert!(
        lines.len() == 3
            && lines[0] == "row,observed,mean,mcse,sd,q5,q25,q50,q75,q95"
            && lines[1].starts_with("0,NaN,"),
        "{predicted}"
    );
}

/// Leave-one-out and k-fold, which exclude each other.
fn left_out(folder: &Path, data: &str) {
    let loo = text(&bayes(
        folder,
        &["loo", "cbpp.run", "--data", data, "--out", "cbpp.loo"],
    ));
    assert!(loo.contains("56 observations"), "{loo}");
    let both = bayes(
        folder,
        &["loo", "cbpp.run", "--data", data, "--refit", "--folds", "3"],
    );
    assert_eq!(both.status.code(), Some(2));
    let one = bayes(folder, &["loo", "cbpp.run", "--data", data, "--folds", "1"]);
    let words = String::from_utf8_lossy(&one.stderr);
    assert!(
        words.contains("it must be a whole number from 2 on"),
        "{words}"
    );
    let folds = text(&bayes(
        folder,
        &["loo", "cbpp.run", "--data", data, "--folds", "3"],
    ));
    assert!(
        folds.contains("k-fold") && folds.contains("56 observations"),
        "{folds}"
    );
}

/// Would detect options that a command has not, Rust, and files of which only the library speaks.
fn unknown_groups(folder: &Path) {
    let rows = "incidence,size,period,herd\n2,10,1,99\n1,9,2,99\n";
    std::fs::write(folder.join("other.csv"), rows).expect("it is written");
    let said = |arguments: &[&str]| {
        let refused = bayes(folder, arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&refused.stderr).into_owned()
    };
    for (command, may_draw) in [
        ("predict", true),
        ("fitted", true),
        ("loo", false),
        ("r2", false),
    ] {
        let words = said(&[command, "cbpp.run", "--data", "other.csv"]);
        assert!(words.contains("no effects `herd:99:Intercept`"), "{words}");
        assert_eq!(words.contains("--new-groups"), may_draw, "{words}");
        assert!(!words.contains("NewGroups"), "{words}");
    }
    let words = said(&["compare", "cbpp.run", "cbpp.run"]);
    assert!(
        words.contains("a file is of a run: name the table of its data by one --data"),
        "{words}"
    );
    let words = said(&["compare", "other.csv", "cbpp.loo"]);
    assert!(
        words.contains("as `loo FILE --out` of this version writes it"),
        "{words}"
    );
}

/// A run with its table is compared as its file of `loo`.
fn compared(folder: &Path, data: &str) {
    std::fs::copy(folder.join("cbpp.run"), folder.join("again.run")).expect("it is there");
    let of_run = text(&bayes(
        folder,
        &["compare", "again.run", "cbpp.loo", "--data", data],
    ));
    std::fs::copy(folder.join("cbpp.loo"), folder.join("again.loo")).expect("it is there");
    let of_files = text(&bayes(folder, &["compare", "again.loo", "cbpp.loo"]));
    assert_eq!(of_run, of_files);
    assert!(of_run.contains("elpd"), "{of_run}");
}

#[test]
fn a_regression_from_the_table_to_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let data = format!("{}/tests/data/cbpp.csv", env!("CARGO_MANIFEST_DIR"));
    let said = [
        "incidence | trials(size) ~ factor(period) + (1 | herd)",
        "--family",
        "binomial",
        "--data",
        &data,
    ];
    let with = |command: &'static str, more: &[&'static str]| -> String {
        let arguments: Vec<&str> = [&[command], &said[..], more].concat();
        text(&bayes(folder, &arguments))
    };
    let priors = with("priors", &["--prior", "sd ~ exponential(1)"]);
    assert!(
        priors.contains("sd[herd:Intercept] ~ exponential(1)"),
        "{priors}"
    );
    let fit = with("fit", &["--out", "cbpp.run", "--seed", "1"]);
    let first = "incidence | trials(size) ~ factor(period) + (1 | herd), binomial, 56 rows\n";
    assert!(
        fit.starts_with(first)
            && fit.contains("b[factor(period)2]")
            && fit.contains("(not shown: intercept_at_means, z)"),
        "{fit}"
    );
    assert!(fit.contains("no warnings"), "{fit}");
    let evidence = with(
        "fit",
        &["--engine", "psmc", "--islands", "2", "--particles", "64"],
    );
    assert!(evidence.contains("log evidence"), "{evidence}");
    assert!(with("check", &[]).contains("no problems found"));
    all_predictions(folder);
    some_predictions(folder);
    expected_responses(folder);
    questions(folder, &data);
    left_out(folder, &data);
    text(&bayes(
        folder,
        &["report", "cbpp.run", "--data", &data, "--out", "cbpp.html"],
    ));
    let page = std::fs::read_to_string(folder.join("cbpp.html")).expect("it is written");
    assert!(page.contains("b[factor(period)2]"));
    // neither coordinates of the sampler nor Rust
    for word in ["at_means", "z[herd", "Inference::", "elpd.refit"] {
        assert!(!page.contains(word), "{word}");
    }
    unknown_groups(folder);
    compared(folder, &data);
    let summary = text(&bayes(folder, &["summary", "cbpp.run"]));
    assert!(summary.starts_with(first), "{summary}");
}

/// Would detect a script that bash cannot read, and commands and options that are missing in it.
#[test]
fn a_shell_completes_commands_and_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = text(&bayes(folder.path(), &["completions", "bash"]));
    let completed = |words: &str, place: usize| {
        let asked = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD={place}; _complete_bayes; echo ${{COMPREPLY[@]}}"
        );
        text(
            &Command::new("bash")
                .args(["-c", &asked])
                .output()
                .expect("bash is there"),
        )
    };
    assert_eq!(completed("bayes hyp", 1), "hypothesis\n");
    assert_eq!(completed("bayes fit --fam", 2), "--family\n");
    assert_eq!(completed("bayes loo fish.run --ref", 3), "--refit\n");
    assert_eq!(completed("bayes fit fish", 2), "\n");
    assert_eq!(completed("bayes completions --h", 2), "--help\n");
    let fish = text(&bayes(folder.path(), &["completions", "fish"]));
    assert!(
        fish.contains("'__fish_seen_subcommand_from fit' -l family -r -d 'Family"),
        "{fish}"
    );
    let zsh = text(&bayes(folder.path(), &["completions", "zsh"]));
    assert!(
        zsh.starts_with("autoload -U +X bashcompinit") && zsh.ends_with(&script),
        "{zsh}"
    );
    // the special array of zsh's completion functions
    assert!(!zsh.contains("words="), "{zsh}");
    for (shell, script) in [("zsh", zsh), ("fish", fish)] {
        let file = folder.path().join(shell);
        std::fs::write(&file, script).expect("it is written");
        // a machine may lack the shell
        if let Ok(read) = Command::new(shell).arg("-n").arg(&file).output() {
            assert!(read.status.success(), "{shell}: {read:?}");
        }
    }
}

#[test]
fn all_terms_have_their_priors_in_the_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = format!("{}/tests/data/sleepstudy.csv", env!("CARGO_MANIFEST_DIR"));
    let formula = "Reaction | trunc(0) ~ s(Days, k = 5) + (1 | Subject); sigma ~ mo(Days)";
    let arguments = [
        "priors",
        formula,
        "--data",
        &data,
        "--prior",
        "b[sigma] ~ normal(0, 0.5)",
    ];
    let priors = text(&bayes(folder.path(), &arguments));
    for line in [
        "b[s(Days):1]              ~ normal(0, 48.9)",
        "b[sigma:mo(Days)]         ~ normal(0, 0.5)",
        "intercepts[sigma]         ~ student_t(3, 4.1, 2.5)",
        "sds[s(Days)]              ~ half_student_t(3, 59.3)",
        "simo[sigma:Days]          ~ dirichlet(1), 9 steps",
    ] {
        let (name, prior) = line.split_once('~').expect("a prior");
        let mut lines = priors.lines();
        let found = lines.find(|line| line.starts_with(name.trim_end()));
        assert!(
            found.is_some_and(|found| found.ends_with(prior)),
            "{line}: {priors}"
        );
    }
}

/// Expected successes of a herd and of the population, whose log odds are the linear predictor.
fn expected_responses(folder: &Path) {
    let fitted = |more: &[&str]| -> Vec<Vec<f64>> {
        let arguments = [&["fitted", "cbpp.run", "--data"], more].concat();
        let found = text(&bayes(folder, &arguments));
        let (header, rows) = found.split_once('\n').expect("it has a header");
        assert_eq!(header, "row,mean,mcse,sd,q5,q25,q50,q75,q95");
        let numbers = |row: &str| {
            row.split(',')
                .map(|x| x.parse().expect("a number"))
                .collect()
        };
        rows.lines().map(numbers).collect()
    };
    let herd = fitted(&["new.csv"]);
    std::fs::write(folder.join("population.csv"), "size,period\n10,1\n10,4\n")
        .expect("it is written");
    let population = fitted(&["population.csv", "--no-groups"]);
    let linear = fitted(&["population.csv", "--no-groups", "--linear"]);
    assert!(
        herd.len() == 2 && herd[0][1] > 1.1 * population[0][1],
        "{herd:?}, {population:?}"
    );
    for (row, linear) in population.iter().zip(&linear) {
        // monotonic maps preserve quantiles
        let successes = 10.0 / (1.0 + (-linear[6]).exp());
        assert!((row[6] - successes).abs() < 1e-3, "{row:?}, {linear:?}");
    }
}

/// Effects, averages, hypotheses and R², each in all formats.
fn questions(folder: &Path, data: &str) {
    let ask = |arguments: &[&str]| text(&bayes(folder, arguments));
    let effects = ["effects", "cbpp.run", "--data", data, "--of", "period"];
    let svg = folder.join("period.svg");
    let found = ask(&[&effects[..], &["--svg", svg.to_str().expect("UTF-8")]].concat());
    assert!(
        found.starts_with("period") && found.contains("Effects of groups are 0."),
        "{found}"
    );
    let picture = std::fs::read_to_string(svg).expect("it was written");
    assert!(
        picture.contains("Probability of incidence by period"),
        "{picture}"
    );
    let herd = ask(&[&effects[..], &["--at", "herd=3", "--csv"]].concat());
    assert!(
        herd.starts_with("period,mean,") && herd.lines().count() == 5,
        "{herd}"
    );
    let contrast = ask(&[
        "contrast", "cbpp.run", "--data", data, "--of", "period", "--json",
    ]);
    let contrast: serde_json::Value = serde_json::from_str(&contrast).expect("it is JSON");
    assert_eq!(contrast[2]["contrast"], "period: 4 - 1");
    assert!(contrast[2]["q95"].as_f64() < Some(0.0), "{contrast}");
    let asked = [
        "hypothesis",
        "cbpp.run",
        "b[factor(period)4] < 0",
        "factor(period)2 = factor(period)3",
    ];
    let asked = bayes(folder, &asked);
    let error = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(
        error.contains("an operator is missing before this"),
        "{error}"
    );
    let asked = ask(&[
        "hypothesis",
        "cbpp.run",
        "b[factor(period)4] < 0",
        "sd[herd:Intercept]^2 > 0.1",
    ]);
    assert!(
        asked.starts_with("b[factor(period)4] < 0\n")
            && asked.contains("probability 1: all of about ")
            && asked.matches("odds").count() == 1,
        "{asked}"
    );
    let r2 = ask(&["r2", "cbpp.run", "--data", data]);
    assert!(
        r2.contains("\nR2  ") && r2.contains("R2 of rows left out"),
        "{r2}"
    );
    let summary = ask(&["summary", "cbpp.run", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("it is JSON");
    assert_eq!(summary["elements"]["b"][2], "b[factor(period)4]");
}

/// Arguments without the data, with a part of the expected message.
const WRONG: &[(&[&str], &str)] = &[
    (
        &["fit", "Reaction ~ Day"],
        "did you mean `Days`?\n  Reaction ~ Day\n             ^^^",
    ),
    (
        &["fit", "Reaction Days"],
        "an operator is missing before this",
    ),
    (
        &["fit", "Reaction ~ Days", "--family", "poison"],
        "there is no family `poison`",
    ),
    (
        &["fit", "Reaction ~ Days", "--prior", "b normal(0, 1)"],
        "a prior is a parameter, `~` and a distribution",
    ),
    (
        &["fit", "Reaction ~ Days", "--prior", "cor ~ normal(0, 1)"],
        "correlations have the prior `lkj(eta)`",
    ),
    (
        &["fit", "Reaction ~ Days", "--link", "probit"],
        "setting `link` is probit, must be identity, log, inverse, softplus, for the family gaussian",
    ),
    (
        &["fit", "Reaction ~ Days; nu ~ Days"],
        "the family gaussian has no `nu`; it has sigma",
    ),
    (
        &["fit", "Reaction ~ Days", "--prior", "b ~ normal(0)"],
        "write `normal(mean, sd)`",
    ),
];

#[test]
fn what_is_wrong_ends_with_2_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = format!("{}/tests/data/sleepstudy.csv", env!("CARGO_MANIFEST_DIR"));
    for (arguments, wanted) in WRONG {
        let arguments = [arguments, &["--data", data.as_str()][..]].concat();
        let output = bayes(folder.path(), &arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(wanted), "{arguments:?}: {error}");
    }
}

#[test]
fn several_responses_from_the_table_to_the_answer_about_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("both.csv"), crate::responses::ROWS).expect("it is written");
    let fit = [
        "fit",
        "y1 ~ x + (1 | p | g); n ~ z + (1 | p | g)",
        "--family",
        "y1 = student, n = poisson",
        "--data",
        "both.csv",
        "--chains",
        "1",
        "--draws",
        "60",
        "--burn-in",
        "60",
        "--out",
        "both.run",
    ];
    let fit = text(&bayes(folder, &fit));
    for part in [
        ", student and poisson, 7 rows",
        "b[n:z]",
        "cor[g:y1:Intercept:n:Intercept]",
    ] {
        assert!(fit.contains(part), "{part}\n{fit}");
    }
    let data = ["both.run", "--data", "both.csv"];
    let with = |command: &'static str, more: &[&'static str]| {
        bayes(folder, &[&[command], &data[..], more].concat())
    };
    let predicted = text(&with("predict", &[]));
    let lines: Vec<&str> = predicted.lines().collect();
    assert!(
        lines.len() == 15
            && lines[0].starts_with("row,response,observed,mean,mcse,sd,q5,")
            && lines[2].starts_with("0,n,2,"),
        "{predicted}"
    );
    let loo = text(&with("loo", &[]));
    assert!(loo.contains("over 7 observations"), "{loo}");
    let asked = with("fitted", &[]);
    let error = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(
        !asked.status.success() && error.contains("choose one by `--response y1`"),
        "{error}"
    );
    let fitted = text(&with("fitted", &["--response", "n"]));
    assert_eq!(fitted.lines().count(), 8, "{fitted}");
}
