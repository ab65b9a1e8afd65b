//! The command line: commands and their options.

use crate::completions;
use crate::dialect::Dialect;
use crate::number;
use crate::options;
use crate::program::Program;
use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

const AFTER: &str = "\
A run on many machines: start `run` once for each part, with --shard 0/10 to --shard 9/10 and otherwise the same options, and `merge` the \
files. The merged run has the bytes of a run on one machine.

A run that may be interrupted: with --checkpoint FOLDER, the same command goes on where the last one was ended.

Exit codes: 0, 1 if the work failed or was stopped, 2 if an option, a file or the data are wrong.";

/// The command line of a program.
pub(crate) fn command(program: &Program) -> Command {
    let about = match program.data {
        Some(call) => format!(
            "A Bayesian model with its inference. The columns of the table --data are its arguments:\n\n  {}",
            call.join("\n  ")
        ),
        None => "A Bayesian model with its inference.".to_owned(),
    };
    let with_model = [
        run(),
        sample(),
        resume(),
        check(),
        sbc(),
        report(),
        predict(),
        loo(),
        explain(),
    ];
    let with_model = with_model.map(|command| match program.data {
        Some(_) => command.arg(data()),
        None => command,
    });
    Command::new("model")
        .version(program.version)
        .about(about)
        .after_help(AFTER)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(with_model)
        .subcommand(match program.data {
            Some(_) => export().arg(data().required(false)),
            None => export(),
        })
        .subcommand(merge())
        .subcommand(summary())
        .subcommand(compare())
        .subcommand(completions::command())
}

/// The command line of a program whose model is described there.
pub(crate) fn command_of(program: &Program, dialect: &Dialect) -> Command {
    let fit = sample().name("fit").about("Samples the posterior, by chains of nuts unless --engine names another").long_about(
        "Samples the posterior, by chains of nuts unless --engine names another; psmc, smc, nested and tempering estimate the evidence too. Prints a summary \
         with warnings. The same seed gives the same bytes for any number of threads and of shards.",
    );
    let resume = resume().mut_arg("engine", |engine| engine.default_value("nuts"));
    let priors = Command::new("priors").about("Lists all parameters with their priors");
    let of_table = [fit, resume, priors, check(), sbc()];
    let of_table = of_table.map(|command| command.args(&dialect.model).arg(data()));
    let predict = predict().long_about(
        "Predicts the response of a table, the same or a new one: the mean and quantiles of the posterior predictive distribution of each row, as \
         comma-separated values. A new table may lack the response.",
    );
    let of_run = [report(), predict, loo().args(without_rows()), explain()]
        .map(|command| command.arg(data()));
    let questions = dialect.questions.iter().map(|question| {
        let command = question.command.clone().arg(file().index(1));
        match question.reads_table {
            true => command.arg(data()),
            false => command,
        }
    });
    Command::new(dialect.name)
        .version(program.version)
        .about(dialect.about)
        .after_help(AFTER.replace("`run`", "`fit`"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(of_table)
        .subcommand(update().args(&dialect.changes).arg(data()))
        .subcommands(of_run)
        .subcommands(questions)
        .subcommand(export().arg(data().required(false)))
        .subcommand(merge())
        .subcommand(summary())
        .subcommand(compare_runs())
        .subcommand(completions::command())
}

fn run() -> Command {
    let command = Command::new("run")
        .about("Samples the posterior, and estimates the evidence with psmc, smc, ais, nested or tempering")
        .long_about(
            "Samples the posterior, and estimates the evidence with psmc, smc, ais, nested or tempering. Prints a summary with warnings. The same seed \
             gives the same bytes for any number of threads and of shards.",
        )
        .arg(out().help("File of the run, for the other commands"))
        .arg(replace().requires("out"))
        .arg(only().requires("out").help(
            "Prints the summary of these quantities alone, such as mu tau; the draws then leave memory for --out as islands and chains are \
             finished",
        ))
        .args(options::arguments())
        .arg(seed())
        .arg(
            Arg::new("shard")
                .long("shard")
                .value_name("i/n")
                .value_parser(options::shard)
                .requires("out")
                .help("Only part i of n, from 0/n to (n-1)/n; `merge` makes one run of all"),
        )
        .arg(
            path("checkpoint")
                .value_name("FOLDER")
                .help("Saves the run here while it goes on; the same command goes on after an interruption"),
        )
        .arg(
            Arg::new("checkpoint-interval")
                .long("checkpoint-interval")
                .value_name("SECONDS")
                .value_parser(number::seconds)
                .allow_negative_numbers(true)
                .requires("checkpoint")
                .help("Saves as often; a program that is killed loses what it did since [default: 10]"),
        )
        .arg(
            Arg::new("progress")
                .long("progress")
                .value_name("HOW")
                .value_parser(["auto", "json", "none"])
                .default_value("auto")
                .help("auto: bars, if standard error is a terminal; json: lines of JSON on standard error"),
        );
    #[cfg(feature = "mpi")]
    let command = command.arg(
        Arg::new("mpi")
            .long("mpi")
            .action(ArgAction::SetTrue)
            .conflicts_with_all(["shard", "only"])
            .help("The processes that `mpirun` has started share the work; the first prints and saves"),
    );
    command
}

fn sample() -> Command {
    run()
        .name("sample")
        .about("As `run`, by chains of nuts unless --engine names another")
        .long_about("As `run`, by chains of nuts unless --engine names another. Chains have no estimate of the evidence.")
        .mut_arg("engine", |engine| engine.default_value("nuts"))
}

fn resume() -> Command {
    run()
        .name("resume")
        .about("Goes on with a run that was interrupted, with the options with which it began")
        .long_about(
            "Goes on with a run that was interrupted, given the options with which it began (after `sample` also `--engine nuts`). The command that began it does so too, but begins anew where the folder holds \
             nothing; this is an error here, such as for a folder that is misspelt.",
        )
        .mut_arg("checkpoint", |folder| {
            folder.required(true).help("Where the run was saved while it went on")
        })
}

fn update() -> Command {
    run()
        .name("update")
        .about("Fits a run again, to other data or with a part of its description or of its settings changed")
        .long_about(
            "Fits a run again, to other data or with a part of its description or of its settings changed. All else is as in the run: the model with the priors that were chosen, the engine with \
             its settings, and the seed; both are printed. Default priors are set by the data. Another engine or kernel begins with its defaults; limits of time, gradients and memory and --until are not \
             kept, but the numbers of islands and draws that they left.",
        )
        .mut_arg("engine", |engine| engine.default_value(Resettable::Reset))
        .mut_arg("seed", |seed| seed.default_value(Resettable::Reset).help("Seed of all random numbers [default: that of the run]"))
        .arg(file().index(1))
}

fn check() -> Command {
    Command::new("check")
        .about("Evaluates the model at draws of its prior, and looks for errors before a long run")
        .arg(seed())
}

fn sbc() -> Command {
    Command::new("sbc")
        .about("Simulates data from the model and checks that the posteriors of the engine are right on average")
        .long_about(
            "Simulation-based calibration: draws parameters from the prior and data given them, in place of the observed columns of the table, \
             runs the engine on each data set, and tests whether the truth has a uniform rank among the draws. It takes as long as so many runs.",
        )
        .args(options::arguments())
        .arg(seed())
        .arg(
            Arg::new("simulations")
                .long("simulations")
                .value_name("N")
                .value_parser(number::whole::<usize>)
                .allow_negative_numbers(true)
                .help("Simulated data sets, at least 10 [default: 200]"),
        )
        .arg(out().help("Picture of the ranks, such as ranks.svg"))
}

fn merge() -> Command {
    Command::new("merge")
        .about("Makes one run of the parts of a run, in any order")
        .arg(files("parts", "Files of `run --shard`").num_args(1..))
        .arg(out().required(true).help("File of the whole run"))
        .arg(replace())
}

fn summary() -> Command {
    Command::new("summary")
        .about("Prints means, intervals, effective sample sizes, the evidence, and warnings")
        .arg(file())
        .arg(only().help("These quantities alone, such as mu tau: the others take no memory"))
        .arg(json())
}

fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("As one JSON object")
}

fn replace() -> Arg {
    Arg::new("replace")
        .long("replace")
        .action(ArgAction::SetTrue)
        .help("Replaces the file --out also where it has a run of another model, other data, another engine or seed")
}

fn report() -> Command {
    Command::new("report")
        .about("Writes a web page: warnings, summary, pictures, and how well the model predicts its data")
        .arg(files("run", "File of a run, perhaps with others of the same model to compare").num_args(1..))
        .arg(out().required(true).help("The page, such as report.html"))
}

fn predict() -> Command {
    Command::new("predict")
        .about("Predicts the observed columns of a table, the same or a new one")
        .long_about(
            "Predicts the observed columns of a table, the same or a new one: the mean and quantiles of the posterior predictive \
             distribution of each element, as comma-separated values. A new table has the observed columns too, whose numbers do not matter; \
             with a formula it may lack the response, and `--missing` writes only elements without an observed value. Groups that the model names by `#[dims(..)]` are found by name; without it a new table needs the groups of the table of the run, all of them \
             and no others.",
        )
        .arg(file())
        .arg(
            Arg::new("new-groups")
                .long("new-groups")
                .action(ArgAction::SetTrue)
                .help("Draw groups that the run has not seen from their prior; otherwise they are an error"),
        )
        .arg(
            Arg::new("missing")
                .long("missing")
                .action(ArgAction::SetTrue)
                .help("Writes only elements without an observed value"),
        )
        .arg(out().help("File of comma-separated values [default: standard output]"))
}

fn loo() -> Command {
    Command::new("loo")
        .about("Estimates how well the model predicts new data, by leave-one-out cross-validation")
        .arg(file())
        .arg(json())
        .arg(out().help("File of the estimate, for `compare`"))
}

/// Runs without some of the rows.
fn without_rows() -> [Arg; 2] {
    [
        Arg::new("refit")
            .long("refit")
            .action(ArgAction::SetTrue)
            .conflicts_with("folds")
            .help("Fits the model again without each row whose k-hat is above 0.5, by the engine of the run with its defaults, and takes the term from there"),
        Arg::new("folds")
            .long("folds")
            .value_name("K")
            .value_parser(number::parts)
            .allow_negative_numbers(true)
            .help("Cross-validation in K parts in place of single rows: fits the model again without each part, by the engine of the run with its defaults. The seed of the run deals the rows: compare runs of the same seed and number of folds"),
    ]
}

fn explain() -> Command {
    Command::new("explain")
        .about("Says what went wrong in a run, and what the model does there")
        .long_about(
            "Lists every NaN, infinity and panic of a run, by statement: how often, in how many islands, and at which power of the likelihood \
             first. Then it evaluates the model once more at the first position of each: the values there, what each statement adds, and which \
             parameter is out of range. Last it says where trajectories diverged, if any did.",
        )
        .arg(file())
}

fn export() -> Command {
    Command::new("export")
        .about("Writes the draws for other programs")
        .long_about(
            "Writes the draws for other programs, by the ending of --out: .csv, .json, .parquet, or .zarr, a folder for ArviZ with data, predictions, \
             log likelihoods and the prior too, for which alone --data is needed. A name without an ending makes CmdStan's files, NAME_1.csv and so on, one for each chain.",
        )
        .arg(file())
        .arg(out().required(true).help("Where to, such as draws.csv or schools.zarr"))
}

fn compare() -> Command {
    Command::new("compare")
        .about("Compares models of the same data: their predictions, and their evidence")
        .long_about(
            "Compares models of the same data by the files of `loo --out`, of this and of other programs: differences with standard errors, \
             weights of the models, and Bayes factors where their runs have an evidence. A model is called as its file.",
        )
        .arg(json())
        .arg(files("estimates", "Files of `loo --out`").num_args(2..))
}

/// The same for a program that makes the model of a run from the run.
fn compare_runs() -> Command {
    compare()
        .long_about(
            "Compares models of the same data: differences with standard errors, weights of the models, and Bayes factors where their runs have an \
             evidence. It reads runs with the table of their data, `compare a.run b.run --data trial.csv`, and files of `loo --out`, of this and of other \
             programs. A model is called as its file.",
        )
        .mut_arg("estimates", |files| files.help("Files of runs, with --data, and of `loo --out`"))
        .arg(data().required(false))
}

fn data() -> Arg {
    path("data")
        .required(true)
        .value_name("FILE")
        .action(ArgAction::Append)
        .help(
            "Table of comma-separated values whose first line has the names of the columns; .tsv, .json and .parquet are read too. NAME=FILE is \
             an array of an idx file (as MNIST's) or of .npy; give --data again for each",
        )
}

fn out() -> Arg {
    path("out").value_name("FILE")
}

fn only() -> Arg {
    Arg::new("only")
        .long("only")
        .value_name("NAME")
        .num_args(1..)
}

fn path(name: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_parser(value_parser!(PathBuf))
}

fn file() -> Arg {
    files("run", "File of a run")
}

fn files(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .required(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

fn seed() -> Arg {
    Arg::new("seed")
        .long("seed")
        .value_name("N")
        .value_parser(number::whole::<u64>)
        .allow_negative_numbers(true)
        .default_value("0")
        .help("Seed of all random numbers")
}

/// The path of a required option.
pub(crate) fn required(matches: &ArgMatches, name: &str) -> PathBuf {
    let path = matches.get_one::<PathBuf>(name).cloned();
    path.expect("the command line was refused without it")
}
