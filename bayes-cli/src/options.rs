//! Settings of engines as options of the command line.

use crate::number;
use crate::settings::Family::{Nested, Smc as Islands, Tempering};
use crate::settings::{DEFAULT, Family, Kind, SETTINGS, Settings, Value, names};
use bayes_core::engine::Shard;
use bayes_core::kernel;
use bayes_core::run::Run;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, value_parser};

/// The name of an option on the command line.
fn long(id: &str) -> String {
    id.replace('_', "-")
}

/// Whether a setting with this name is an option.
pub(crate) fn is_option(id: &str) -> bool {
    let others = ["checkpoint", "check_propriety", "seed", "shard"];
    SETTINGS.iter().any(|setting| setting.id == id) || others.contains(&id)
}

/// The options of the engines.
pub(crate) fn arguments() -> Vec<Arg> {
    let all = names(&Family::ALL);
    let kernels: Vec<&str> = kernel::names().collect();
    let mut arguments = vec![
        Arg::new("engine").long("engine").value_name("NAME").default_value(DEFAULT).help(format!(
            "{all}. psmc estimates the evidence and finds several modes; nested does so in another way; nuts is the usual choice for chains, walnuts where the posterior has narrow parts, mams another choice, for at least two coordinates; mean_field and full_rank approximate the posterior by a Gaussian, pathfinder by several, with weights"
        )),
        Arg::new("kernel").long("kernel").value_name("NAME").help(format!(
            "How particles move, with {}: {} [default: hmc, random_walk with nested]",
            names(&[Islands, Nested, Tempering]),
            kernels.join(", ")
        )),
        Arg::new("check_propriety")
            .long("check-propriety")
            .value_name("WHETHER")
            .value_parser(value_parser!(bool))
            .default_value("true")
            .hide_possible_values(true)
            .help("true: looks for an improper posterior before the run, and refuses it; false: runs it all the same"),
    ];
    for setting in &SETTINGS {
        let argument = Arg::new(setting.id)
            .long(long(setting.id))
            .help(format!("{} ({})", setting.help, names(setting.engines)))
            .help_heading("Settings of engines")
            // a negative number is refused as a value instead of an unknown option
            .allow_negative_numbers(true);
        let argument = match setting.id {
            "at_most" => argument.requires("until"),
            _ => argument,
        };
        arguments.push(match setting.kind {
            Kind::Count => argument
                .value_name("N")
                .value_parser(number::whole::<usize>),
            Kind::Fraction => argument.value_name("X").value_parser(number::real),
            Kind::Seconds => argument.value_name("SECONDS").value_parser(number::seconds),
            // clap does not read -4G as a number
            Kind::Bytes => argument
                .value_name("BYTES")
                .allow_hyphen_values(true)
                .value_parser(number::bytes),
            Kind::Name(known) => argument.value_name("NAME").value_parser(known),
        });
    }
    arguments
}

/// Part `i` of `n`, from 0, written `i/n`.
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((index, of)) if index < of => Ok(Shard { index, of }),
        Some((_, of)) if of > 0 => Err(format!("the {of} parts are 0/{of} to {}/{of}", of - 1)),
        _ => Err(
            "it must be the number of a part, from 0, and the number of all parts, such as 3/10"
                .to_owned(),
        ),
    }
}

/// The settings of a command line.
pub(crate) fn settings(matches: &ArgMatches) -> Settings {
    let engine = matches.get_one::<String>("engine");
    let engine = engine.map_or(DEFAULT, String::as_str);
    changed(Settings::new(engine), matches)
}

/// The settings of a run with those of a command line in their place. Another engine begins with its defaults, and another kernel too.
///
/// # Errors
/// In words, if the settings of the run are not known.
pub(crate) fn settings_after(run: &Run, matches: &ArgMatches) -> Result<Settings, String> {
    let text = |id| matches.get_one::<String>(id).map(String::as_str);
    let settings = Settings::after(run, text("engine"), text("kernel"))?;
    Ok(changed(settings, matches))
}

/// Settings with those of a command line in their place.
fn changed(mut settings: Settings, matches: &ArgMatches) -> Settings {
    if let Some(kernel) = matches.get_one::<String>("kernel") {
        settings.kernel = Some(kernel.clone());
    }
    let checks = matches.get_one::<bool>("check_propriety").copied();
    settings.checks_propriety = checks.unwrap_or(true);
    settings.called = |id| format!("--{}", long(id));
    for setting in &SETTINGS {
        if matches.value_source(setting.id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let value = match setting.kind {
            Kind::Count => matches.get_one(setting.id).copied().map(Value::Count),
            Kind::Fraction | Kind::Seconds => matches.get_one(setting.id).copied().map(Value::Real),
            Kind::Bytes => matches.get_one(setting.id).copied().map(Value::Bytes),
            Kind::Name(_) => matches.get_one(setting.id).copied().map(Value::Name),
        };
        if let Some(value) = value {
            settings.insert(setting, value);
        }
    }
    settings
}
