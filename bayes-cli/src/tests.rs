//! What the options mean, on a density written by hand.

use crate::command::command;
use crate::engine::{chosen, shard};
use crate::program::Program;
use crate::task::Running;
use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::engine::{Engine, Shard};
use bayes_core::rng::{RngExt, Stream};
use clap::ArgMatches;

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
    chosen(&options(arguments)).expect("the options fit together")
}

fn refusal(arguments: &[&str]) -> String {
    chosen(&options(arguments)).expect_err("the options do not fit together")
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

#[test]
fn every_setting_reaches_its_engine() {
    let set = |arguments: &[&str], texts: &[&str]| {
        let engine = format!("{:?}", engine(arguments));
        for text in texts {
            assert!(engine.contains(text), "{text} is not in {engine}");
        }
    };
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
    assert_eq!(engine(&[]).name(), "psmc");
    assert_eq!(engine(&["--engine", "ais"]).name(), "ais");
    assert_eq!(engine(&["--engine", "nuts"]).name(), "nuts");
}

#[test]
fn options_of_other_engines_are_refused_by_name() {
    assert_eq!(
        refusal(&["--chains", "4"]),
        "`--chains` is no setting of psmc, but of tempering, hmc, mala, nuts, pcn, elliptical_slice, random_walk"
    );
    assert_eq!(
        refusal(&["--engine", "tempering", "--thin", "2"]),
        "`--thin` is no setting of tempering, but of hmc, mala, nuts, pcn, elliptical_slice, random_walk"
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

/// Uniform on (0, 1), with a likelihood that is NaN in a tenth of it.
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
}

impl Prior for Faulty {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.random_range(0.0..1.0);
    }
}

#[test]
fn a_run_with_failures_names_the_command_that_shows_them() {
    let name = format!("bayes-cli-{}.run", std::process::id());
    let out = std::env::temp_dir().join(name);
    let path = out.to_string_lossy().into_owned();
    let settings = "--engine psmc --kernel random_walk --islands 2 --particles 16 --progress none";
    let settings: Vec<&str> = settings.split(' ').collect();
    let shown = |edge: f64, more: &[&str]| {
        let arguments = [&settings[..], more].concat();
        let mut running = Running::new(&options(&arguments)).expect("the options fit together");
        running.run_on(&Faulty { edge }).expect("it runs").text
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
    std::fs::remove_file(out).expect("it was saved");
}
