//! Options of engines, and the engine that they describe.

use crate::number;
use bayes_core::engine::{Engine, Inference, Shard, Smc};
use bayes_core::kernel::{self, Hmc, Kernel, Mala, Nuts, Pcn, RandomWalk};
use bayes_core::until::Precision;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use std::sync::Arc;
use std::time::Duration;

/// The engine without `--engine`.
const DEFAULT: &str = "psmc";

/// Engines with the same settings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Islands of particles: `smc`, `psmc`, `ais`.
    Smc,
    /// `nested`.
    Nested,
    /// `tempering`.
    Tempering,
    /// Chains of a kernel, by whose name they go.
    Chains,
}

use Family::{Chains, Nested, Smc as Islands, Tempering};

/// What the value of an option is.
#[derive(Clone, Copy)]
enum Kind {
    Count,
    Fraction,
    Seconds,
    Bytes,
}

/// An option that some engines have. Its name is that of the builder's method, with `-` for `_`.
struct Setting {
    id: &'static str,
    kind: Kind,
    engines: &'static [Family],
    help: &'static str,
}

const fn setting(
    id: &'static str,
    kind: Kind,
    engines: &'static [Family],
    help: &'static str,
) -> Setting {
    Setting {
        id,
        kind,
        engines,
        help,
    }
}

const SETTINGS: [Setting; 22] = [
    setting(
        "islands",
        Kind::Count,
        &[Islands, Nested],
        "Independent populations of particles [default: 8 with psmc, 4 with nested]",
    ),
    setting(
        "particles",
        Kind::Count,
        &[Islands, Nested],
        "Particles of each island [default: 256 with psmc, 512 with nested, otherwise 1024]",
    ),
    setting(
        "states_kept",
        Kind::Count,
        &[Islands, Nested],
        "States kept of each particle [default: 4]",
    ),
    setting(
        "posterior_states",
        Kind::Count,
        &[Islands],
        "States kept of each particle at the posterior [default: up to 8 times as many]",
    ),
    setting(
        "ess_target",
        Kind::Fraction,
        &[Islands],
        "Effective sample size that a temperature step leaves, as a fraction [default: 0.9]",
    ),
    setting(
        "survivors",
        Kind::Fraction,
        &[Nested],
        "Share of the states that survive a level of the likelihood [default: 0.25]",
    ),
    setting(
        "remaining",
        Kind::Fraction,
        &[Nested],
        "Share of the evidence that may be left above the last level [default: 0.001]",
    ),
    setting(
        "pilot",
        Kind::Count,
        &[Islands],
        "Particles of a pilot island, which makes the evidence unbiased [default: none, 256 with ais]",
    ),
    setting(
        "chains",
        Kind::Count,
        &[Tempering, Chains],
        "Markov chains [default: 4, 8 with tempering]",
    ),
    setting(
        "burn_in",
        Kind::Count,
        &[Tempering, Chains],
        "Steps before the first draw, in which the kernel is tuned [default: 1000, 5000 without gradients]",
    ),
    setting(
        "draws",
        Kind::Count,
        &[Tempering, Chains],
        "Draws kept of each chain [default: 1000]",
    ),
    setting(
        "thin",
        Kind::Count,
        &[Chains],
        "Steps from one kept draw to the next [default: 1, 10 without gradients]",
    ),
    setting(
        "superchains",
        Kind::Count,
        &[Chains],
        "Different starting points, each with equally many chains [default: every chain has its own]",
    ),
    setting(
        "temperatures",
        Kind::Count,
        &[Tempering],
        "Temperatures from the prior to the posterior [default: adaptive]",
    ),
    setting(
        "mutations",
        Kind::Count,
        &[Islands, Nested, Tempering],
        "Moves of the kernel at each temperature or level [default: adaptive]",
    ),
    setting(
        "target_acceptance",
        Kind::Fraction,
        &[Islands, Nested, Tempering, Chains],
        "Acceptance to which the step size is tuned, above 0 and below 1; near 1 trajectories diverge less [default: 0.8 with nuts, 0.65 with hmc]",
    ),
    setting(
        "max_depth",
        Kind::Count,
        &[Chains],
        "Doublings of a trajectory at most, of the kernel nuts [default: 10]",
    ),
    setting(
        "time_limit",
        Kind::Seconds,
        &[Islands, Chains],
        "About how many seconds to run: as many of the islands or draws as fit; not for shards",
    ),
    setting(
        "gradient_limit",
        Kind::Count,
        &[Islands, Chains],
        "About how many gradients to evaluate: as many of the islands or draws as fit; not for shards",
    ),
    setting(
        "until",
        Kind::Fraction,
        &[Islands],
        "Adds islands until the log evidence has this standard error; not for shards",
    ),
    setting(
        "at_most",
        Kind::Count,
        &[Islands],
        "Islands beyond which --until adds none [default: 1000]",
    ),
    setting(
        "memory_limit",
        Kind::Bytes,
        &[Islands, Nested, Tempering, Chains],
        "Refuses a run that would take more, such as 4G, and says what would fit",
    ),
];

/// The name of an option on the command line.
fn long(id: &str) -> String {
    id.replace('_', "-")
}

/// Whether a setting of this name is an option.
pub(crate) fn is_option(id: &str) -> bool {
    let others = ["checkpoint", "seed", "shard"];
    SETTINGS.iter().any(|setting| setting.id == id) || others.contains(&id)
}

/// The engines of some families, by name.
fn names(families: &[Family]) -> String {
    let named = |family: &Family| match family {
        Islands => vec!["psmc", "smc", "ais"],
        Nested => vec!["nested"],
        Tempering => vec!["tempering"],
        Chains => kernel::names().collect(),
    };
    let names: Vec<&str> = families.iter().flat_map(named).collect();
    names.join(", ")
}

/// The options of the engines.
pub(crate) fn arguments() -> Vec<Arg> {
    let all = names(&[Islands, Nested, Tempering, Chains]);
    let kernels: Vec<&str> = kernel::names().collect();
    let mut arguments = vec![
        Arg::new("engine").long("engine").value_name("NAME").default_value(DEFAULT).help(format!(
            "{all}. psmc estimates the evidence and finds several modes; nested does so in another way; nuts is the usual choice for chains"
        )),
        Arg::new("kernel").long("kernel").value_name("NAME").help(format!(
            "How particles move, with {}: {} [default: hmc, random_walk with nested]",
            names(&[Islands, Nested, Tempering]),
            kernels.join(", ")
        )),
    ];
    for setting in &SETTINGS {
        let argument = Arg::new(setting.id)
            .long(long(setting.id))
            .help(format!("{} ({})", setting.help, names(setting.engines)))
            .help_heading("Settings of engines")
            // refused as its value, not as another option
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
            // -4G is no number to clap
            Kind::Bytes => argument
                .value_name("BYTES")
                .allow_hyphen_values(true)
                .value_parser(number::bytes),
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
            "it must be the number of a part, from 0, and that of all parts, such as 3/10"
                .to_owned(),
        ),
    }
}

/// Sets the settings that were given by the methods of their names.
macro_rules! set {
    ($engine:ident from $matches:ident: $($setting:ident),*) => {
        $(if let Some(value) = $matches.get_one::<usize>(stringify!($setting)) {
            $engine = $engine.$setting(*value);
        })*
    };
}

/// The engine that the options describe.
///
/// # Errors
/// In words: a name that does not exist, or an option that the engine does not have.
pub(crate) fn chosen(matches: &ArgMatches) -> Result<Box<dyn Engine>, String> {
    let text = |id| matches.get_one::<String>(id).map(String::as_str);
    let name = text("engine").unwrap_or(DEFAULT);
    let kernel = text("kernel");
    // the error lists the names that exist
    Inference::by_name(name, kernel).map_err(|error| error.to_string())?;
    let family = match name {
        "smc" | "psmc" | "ais" => Islands,
        "nested" => Nested,
        "tempering" => Tempering,
        _ => Chains,
    };
    for setting in &SETTINGS {
        let given = matches.value_source(setting.id) == Some(ValueSource::CommandLine);
        if given && !setting.engines.contains(&family) {
            return Err(format!(
                "`--{}` is no setting of {name}, but of {}",
                long(setting.id),
                names(setting.engines)
            ));
        }
    }
    let own = match family {
        Chains => name,
        Nested => "random_walk",
        Islands | Tempering => "hmc",
    };
    let kernel = chosen_kernel(kernel.unwrap_or(own), matches)?;
    let mut engine = match name {
        "smc" => smc(Inference::smc(), kernel, matches),
        "psmc" => smc(Inference::psmc(), kernel, matches),
        "ais" => smc(Inference::ais(), kernel, matches),
        "nested" => nested(kernel, matches),
        "tempering" => tempering(kernel, matches),
        _ => chains(kernel, matches),
    };
    engine.common_mut().memory_limit = matches.get_one::<u64>("memory_limit").copied();
    Ok(engine)
}

/// The kernel of this name with the settings that it has.
fn chosen_kernel(name: &str, matches: &ArgMatches) -> Result<Box<dyn Kernel>, String> {
    let target = matches.get_one::<f64>("target_acceptance").copied();
    let depth = matches.get_one::<usize>("max_depth").copied();
    let nuts = match depth {
        Some(_) if name != "nuts" => {
            return Err(format!(
                "`--max-depth` is no setting of the kernel {name}, but of nuts"
            ));
        }
        // the kernel says what is allowed
        Some(depth) => Nuts::new().max_depth(u32::try_from(depth).unwrap_or(u32::MAX)),
        None => Nuts::new(),
    };
    let kernel = |text: &str| kernel::by_name(text).map_err(|error| error.to_string());
    let Some(target) = target else {
        return match name {
            "nuts" => Ok(Box::new(nuts)),
            _ => kernel(name),
        };
    };
    Ok(match name {
        "nuts" => Box::new(nuts.target_acceptance(target)),
        "hmc" => Box::new(Hmc::new().target_acceptance(target)),
        "mala" => Box::new(Mala::new().target_acceptance(target)),
        "pcn" => Box::new(Pcn::new().target_acceptance(target)),
        "random_walk" => Box::new(RandomWalk::new().target_acceptance(target)),
        _ => {
            kernel(name)?;
            return Err(format!(
                "`--target-acceptance` is no setting of the kernel {name}, which has no step size"
            ));
        }
    })
}

fn smc(engine: Smc<Hmc>, kernel: Box<dyn Kernel>, matches: &ArgMatches) -> Box<dyn Engine> {
    let mut engine = engine.kernel(Arc::<dyn Kernel>::from(kernel));
    set!(engine from matches: islands, particles, states_kept, posterior_states, pilot, mutations);
    if let Some(fraction) = matches.get_one::<f64>("ess_target") {
        engine = engine.ess_target(*fraction);
    }
    if let Some(gradients) = matches.get_one::<usize>("gradient_limit") {
        engine = engine.gradient_limit(*gradients as u64);
    }
    if let Some(seconds) = matches.get_one::<f64>("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(*seconds));
    }
    let Some(se) = matches.get_one::<f64>("until") else {
        return Box::new(engine);
    };
    let until = engine.until(Precision::log_evidence(*se));
    match matches.get_one::<usize>("at_most") {
        Some(most) => Box::new(until.at_most(*most)),
        None => Box::new(until),
    }
}

fn nested(kernel: Box<dyn Kernel>, matches: &ArgMatches) -> Box<dyn Engine> {
    let mut engine = Inference::nested().kernel(kernel);
    set!(engine from matches: islands, particles, states_kept, mutations);
    if let Some(share) = matches.get_one::<f64>("survivors") {
        engine = engine.survivors(*share);
    }
    if let Some(share) = matches.get_one::<f64>("remaining") {
        engine = engine.remaining(*share);
    }
    Box::new(engine)
}

fn tempering(kernel: Box<dyn Kernel>, matches: &ArgMatches) -> Box<dyn Engine> {
    let mut engine = Inference::tempering().kernel(kernel);
    set!(engine from matches: chains, burn_in, draws, temperatures, mutations);
    Box::new(engine)
}

fn chains(kernel: Box<dyn Kernel>, matches: &ArgMatches) -> Box<dyn Engine> {
    let mut engine = Inference::chains(kernel);
    set!(engine from matches: chains, burn_in, draws, thin, superchains);
    if let Some(gradients) = matches.get_one::<usize>("gradient_limit") {
        engine = engine.gradient_limit(*gradients as u64);
    }
    if let Some(seconds) = matches.get_one::<f64>("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(*seconds));
    }
    Box::new(engine)
}
