//! The effects of the options, on a density written by hand.

use crate::command::command;
use crate::options::{settings, shard};
use crate::prediction::{Elements, predictions};
use crate::program::Program;
use crate::running::Running;
use bayes_autodiff::Mode;
use bayes_core::density::{Block, Description, LogDensity, Prior, Quantities};
use bayes_core::dist::Normal;
use bayes_core::engine::{Engine, Inference, Shard};
use bayes_core::kernel::RandomWalk;
use bayes_core::model::{
    AllSampled, Dim, Interpreter, Model, Statement, StatementDims, StatementKind,
};
use bayes_core::observe::Observer;
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use clap::ArgMatches;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

const PROGRAM: Program = Program {
    version: "1.2.3",
    data: None,
};

/// The options of `model run`.
fn options(arguments: &[&str]) -> ArgMatches {
    let all = ["model", "run"].iter().chain(arguments);
    let matches = command(&PROGRAM).try_get_matches_from(all);
    let matches = matches.unwrap_or_else(|error| panic!("{error}"));
    let (_, options) = matches.subcommand().expect("it is `run`");
    options.clone()
}

fn engine(arguments: &[&str]) -> Box<dyn Engine> {
    settings(&options(arguments))
        .engine()
        .expect("the options fit together")
}

fn refusal(arguments: &[&str]) -> String {
    settings(&options(arguments))
        .engine()
        .expect_err("the options do not fit together")
}

#[test]
fn the_command_line_is_consistent() {
    command(&PROGRAM).debug_assert();
    let with_data = Program {
        data: Some(&["model(&data.reals(\"y\")?)"]),
        ..PROGRAM
    };
    command(&with_data).debug_assert();
    let help = command(&with_data).render_long_help().to_string();
    assert!(help.contains("model(&data.reals(\"y\")?)"), "{help}");
}

/// Asserts that the engine with these arguments prints all texts.
fn set(arguments: &[&str], texts: &[&str]) {
    let engine = format!("{:?}", engine(arguments));
    for text in texts {
        assert!(engine.contains(text), "{text} is not in {engine}");
    }
}

#[test]
fn every_setting_reaches_its_engine() {
    let islands = "--islands 7 --particles 33 --states-kept 3 --posterior-states 21 --pilot 44 --mutations 5 --gradient-limit 999 --ess-target 0.75 --time-limit 1.5";
    let islands: Vec<&str> = islands.split(' ').collect();
    set(
        &islands,
        &[
            "0..7",
            "particles: 33",
            "states_kept: 3",
            "posterior_states: Some(21)",
            "pilot: Some(44)",
            "Some(999)",
            "0.75",
            "1.5s",
        ],
    );
    let chains = "--engine pcn --chains 6 --burn-in 70 --draws 80 --thin 9 --superchains 2";
    let chains: Vec<&str> = chains.split(' ').collect();
    set(
        &chains,
        &[
            "chains: 6",
            "burn_in: 70",
            "draws: 80",
            "thin: 9",
            "superchains: Some(2)",
            "Pcn",
        ],
    );
    let tempering = "--engine tempering --kernel random_walk --chains 6 --burn-in 70 --draws 80 --temperatures 11 --mutations 4";
    let tempering: Vec<&str> = tempering.split(' ').collect();
    set(
        &tempering,
        &[
            "chains: 6",
            "burn_in: 70",
            "draws: 80",
            "temperatures: Some(11)",
            "mutations: Some(4)",
            "RandomWalk",
        ],
    );
    let nuts = "--engine nuts --target-acceptance 0.95 --max-depth 12";
    let nuts: Vec<&str> = nuts.split(' ').collect();
    set(&nuts, &["target_acceptance: 0.95", "max_depth: 12"]);
    for kernel in ["hmc", "mala", "pcn", "random_walk"] {
        let options = ["--kernel", kernel, "--target-acceptance", "0.33"];
        set(&options, &["target_acceptance: 0.33"]);
    }
    assert_eq!(engine(&[]).name(), "psmc");
    assert_eq!(engine(&["--engine", "ais"]).name(), "ais");
    assert_eq!(engine(&["--engine", "nuts"]).name(), "nuts");
}

#[test]
fn settings_that_are_names_reach_the_engine() {
    for (options, made) in [
        ("--engine nuts --mass low_rank", "mass: LowRank"),
        ("--engine hmc --mass fisher", "mass: Fisher"),
        ("--engine mala --mass variance", "mass: Variance"),
        ("--kernel hmc --mass identity", "mass: Identity"),
        ("--engine nuts --starts pathfinder", "starts: Pathfinder"),
        ("--engine pcn --starts prior", "starts: Prior"),
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        set(&options, &[made]);
    }
}

#[test]
fn the_settings_of_mams_reach_it() {
    let mams = "--engine mams --mass low_rank --target-acceptance 0.95";
    let mams: Vec<&str> = mams.split(' ').collect();
    set(&mams, &["Mams", "target_acceptance: 0.95", "mass: LowRank"]);
}

#[test]
fn every_setting_of_nuts_reaches_walnuts() {
    let walnuts =
        "--engine walnuts --mass low_rank --max-depth 12 --target-acceptance 0.9 --draws 77";
    let walnuts: Vec<&str> = walnuts.split(' ').collect();
    let texts = [
        "Walnuts",
        "max_depth: 12",
        "mass: LowRank",
        "target_acceptance: 0.9",
        "draws: 77",
    ];
    set(&walnuts, &texts);
}

#[test]
fn every_setting_reaches_nested_sampling() {
    let nested = "--engine nested --islands 7 --particles 33 --states-kept 3 --survivors 0.3 --remaining 0.02 --mutations 5";
    let nested: Vec<&str> = nested.split(' ').collect();
    set(
        &nested,
        &[
            "range: 0..7",
            "particles: 33",
            "states_kept: 3",
            "survivors: 0.3",
            "remaining: 0.02",
            "Fixed(5)",
            "RandomWalk",
        ],
    );
}

/// The names of all kernels.
fn kernels() -> String {
    bayes_core::kernel::names().collect::<Vec<_>>().join(", ")
}

#[test]
fn options_of_other_engines_are_refused_by_name() {
    assert_eq!(
        refusal(&["--chains", "4"]),
        format!(
            "`--chains` is no setting of psmc, but of tempering, {}",
            kernels()
        )
    );
    assert_eq!(
        refusal(&["--engine", "tempering", "--thin", "2"]),
        format!("`--thin` is no setting of tempering, but of {}", kernels())
    );
    assert_eq!(
        refusal(&["--engine", "hmc", "--max-depth", "9"]),
        "`--max-depth` is no setting of the kernel hmc, but of nuts and walnuts"
    );
    assert_eq!(
        refusal(&["--kernel", "random_walk", "--mass", "variance"]),
        "`--mass` is no setting of the kernel random_walk, but of hmc, mala, nuts, walnuts and mams"
    );
    let slice = ["--kernel", "elliptical_slice", "--target-acceptance", "0.5"];
    assert_eq!(
        refusal(&slice),
        "`--target-acceptance` is no setting of the kernel elliptical_slice, which has no step size"
    );
    assert!(
        refusal(&["--engine", "gibbs"])
            .starts_with("setting `engine` is gibbs, must be one of smc")
    );
    assert!(
        refusal(&["--kernel", "gibbs"])
            .starts_with("setting `kernel` is gibbs, must be one of hmc")
    );
    assert!(
        refusal(&["--engine", "nuts", "--kernel", "hmc"]).starts_with("setting `kernel` is hmc")
    );
}

#[test]
fn shards_are_numbered_from_0() {
    assert_eq!(shard("3/10"), Ok(Shard { index: 3, of: 10 }));
    assert_eq!(
        shard("10/10"),
        Err("the 10 parts are 0/10 to 9/10".to_owned())
    );
    for wrong in ["3", "3/", "/3", "-1/3", "0/0", "1/2/3"] {
        let error = shard(wrong).expect_err("it is no part");
        assert!(error.contains("such as 3/10"), "{wrong}: {error}");
    }
}

/// Uniform on (0, 1), with a likelihood that is NaN in a tenth of the interval.
struct Faulty {
    edge: f64,
}

impl LogDensity for Faulty {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| match x[0] {
            x if x <= 0.0 || x >= 1.0 => [f64::NEG_INFINITY, 0.0],
            x if x > self.edge => [0.0, f64::NAN],
            _ => [0.0, -1.0],
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Quantities for Faulty {
    fn describe(&self) -> Option<Description> {
        Some(Description::unnamed(1))
    }
    fn fingerprint(&self) -> u64 {
        7
    }
}

impl Prior for Faulty {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.random_range(0.0..1.0);
    }
}

#[test]
fn a_run_with_failures_names_the_command_that_shows_them() {
    let folder = Folder::new();
    let path = folder.file("all.run");
    let settings = "--engine psmc --kernel random_walk --islands 2 --particles 16 --progress none";
    let settings: Vec<&str> = settings.split(' ').collect();
    let shown = |edge: f64, more: &[&str]| {
        let arguments = [&settings[..], more].concat();
        let mut running = Running::new(&options(&arguments)).expect("the options fit together");
        running
            .run_on(&Faulty { edge }, &|_| Ok(None))
            .expect("it runs")
            .text
    };
    let program = std::env::args().next().expect("it has a name");
    let command = format!("what failed, and what the model does there: {program} explain {path}\n");
    let saved = ["--out", &path];
    let in_part = ["--out", &path, "--only", "x"];
    for arguments in [&saved[..], &in_part[..]] {
        let text = shown(0.9, arguments);
        assert!(text.ends_with(&command), "{text}");
        let text = shown(1.0, arguments);
        assert!(!text.contains("explain"), "{text}");
    }
    // nothing to explain is left
    assert!(!shown(0.9, &[]).contains(&program));
}

/// A folder for one test, which is removed at its end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir();
        Self(folder.expect("the system has a folder for temporary files"))
    }

    fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
}

/// A run of 64 small islands with more options.
fn running(more: &[&str]) -> Running {
    let settings = "--engine psmc --kernel random_walk --islands 64 --particles 16 --progress none";
    let settings: Vec<&str> = settings.split(' ').collect();
    let arguments = [&settings[..], more].concat();
    Running::new(&options(&arguments)).expect("the options fit together")
}

/// Stops a run when its first island is finished.
#[derive(Debug)]
struct StopAtFirst(Arc<AtomicBool>);

impl Observer for StopAtFirst {
    fn finish(&self, _: usize) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_part_of_a_run_takes_the_place_of_no_whole_one() {
    let folder = Folder::new();
    let density = Faulty { edge: 1.0 };
    let [out, whole, part] =
        ["all.run", "whole.run", "all.run.stopped"].map(|name| folder.file(name));
    let bytes = |path: &str| fs::read(path).expect("it was written");
    running(&["--out", &whole])
        .run_on(&density, &|_| Ok(None))
        .expect("it runs");
    let other = ["--out", &out, "--seed", "5"];
    running(&other)
        .run_on(&density, &|_| Ok(None))
        .expect("it runs");
    let before = bytes(&out);
    for only in [&[][..], &["--only", "x"]] {
        // the file there is of another seed
        let command = [&["--out", &out, "--replace"][..], only].concat();
        let saved = folder.file(&format!("saved-{}", only.len()));
        let with_folder = [&command[..], &["--checkpoint", &saved]].concat();
        let stopped = |arguments: &[&str]| {
            let mut running = running(arguments);
            let flag = Arc::new(AtomicBool::new(false));
            let common = running.engine.common_mut();
            common.stop = Some(Arc::clone(&flag));
            common.observers.push(Arc::new(StopAtFirst(flag)));
            let ended = running
                .run_on(&density, &|_| Ok(None))
                .expect("islands were finished");
            assert!(bytes(&out) == before, "{arguments:?}: a part replaced it");
            ended.stopped.expect("it was stopped")
        };
        let told = stopped(&command);
        assert!(told.contains(&format!("are in {part}; with")), "{told}");
        assert!(Run::load(&part).expect("it is a run").is_stopped);
        fs::remove_file(&part).expect("it was just read");
        // the folder holds the finished islands, and the same command continues to the bytes of
        // one run
        let told = stopped(&with_folder);
        assert_eq!(told, "stopped; the same command goes on from here");
        assert!(!PathBuf::from(&part).exists());
        running(&with_folder)
            .run_on(&density, &|_| Ok(None))
            .expect("it goes on");
        assert!(bytes(&out) == bytes(&whole), "{only:?}: other bytes");
        fs::write(&out, &before).expect("the folder is there");
    }
}

#[test]
fn resume_finds_what_was_saved_and_nothing_else() {
    let folder = Folder::new();
    let density = Faulty { edge: 1.0 };
    let [out, rounds, parts, none] =
        ["all.run", "rounds", "parts", "none"].map(|name| folder.file(name));
    let until = ["--out", &out, "--until", "9", "--checkpoint", &rounds];
    let parts_of = ["--out", &out, "--replace", "--shard", "1/2"];
    let part = [&parts_of[..], &["--checkpoint", &parts]].concat();
    for arguments in [&until[..], &part] {
        assert!(running(arguments).has_begun().is_err());
        running(arguments)
            .run_on(&density, &|_| Ok(None))
            .expect("it runs");
        assert_eq!(running(arguments).has_begun(), Ok(()));
    }
    let refused = |saved: &str| running(&["--checkpoint", saved]).has_begun();
    for (saved, wanted) in [
        (
            &parts,
            "holds a run in 2 parts, which go on with the `--shard` or `--mpi`",
        ),
        (&none, "holds no run that was interrupted"),
    ] {
        let told = refused(saved).expect_err("nothing would go on");
        assert!(told.contains(wanted), "{told}");
    }
}

/// `mu ~ Normal(0, 1)`, `effect[school] ~ Normal(mu, 1)`, and a matrix without names.
struct Schools;

impl Model for Schools {
    fn name(&self) -> &'static str {
        "schools"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const fn statement(kind: StatementKind, name: &'static str) -> Statement {
            Statement {
                kind,
                name,
                text: name,
                line: 1,
            }
        }
        const ALL: [Statement; 4] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Observe, "effect"),
            statement(StatementKind::Observe, "table"),
            statement(StatementKind::Observe, "single"),
        ];
        &ALL
    }
    fn dims(&self) -> Vec<StatementDims> {
        vec![StatementDims {
            statement: 1,
            dims: vec![Dim::new("school", ["Choate", "Deerfield"])],
            of_rows: false,
            is_part: false,
            rows: None,
        }]
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).random(Normal::new(0.0, 1.0));
        let normal = Normal::new(mu, 1.0);
        interpreter.at(1).observe_under(normal, &[28.0, 8.0][..]);
        for row in [[1.0, 2.0], [3.0, 4.0]] {
            interpreter.at(2).observe_under(normal, &row[..]);
        }
        interpreter.at(3).observe_under(normal, 5.0);
    }
}

impl AllSampled for Schools {}

#[test]
fn predictions_are_written_with_the_names_of_places() {
    let walks = Inference::smc().kernel(RandomWalk::new()).particles(64);
    let run = walks.progress(false).run(&Schools).expect("it runs");
    let prediction = run.predict(&Schools).expect("the same model");
    let text = predictions(&run, &prediction, Elements::All).expect("it has draws");
    let begins = [
        "name,element,observed,mean,mcse,sd,q5,q25,q50,q75,q95",
        "effect,Choate,28,",
        "effect,Deerfield,8,",
        "table,\"0,0\",1,",
        "table,\"0,1\",2,",
        "table,\"1,0\",3,",
        "table,\"1,1\",4,",
        "single,0,5,",
    ];
    assert_eq!(text.lines().count(), begins.len(), "{text}");
    for (line, begin) in text.lines().zip(begins) {
        assert!(line.starts_with(begin), "{line}, not {begin}");
    }
}
