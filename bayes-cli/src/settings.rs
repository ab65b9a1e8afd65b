//! The settings of engines by name: one table for the command line and for other programs.

use crate::number;
use bayes_core::edit_distance;
use bayes_core::engine::Starts;
use bayes_core::kernel::{self, Mass};
use std::collections::BTreeMap;
use std::fmt;

use Family::{Chains, Nested, Pathfinder, Smc as Islands, Tempering, Variational};

/// The default engine of a program.
pub(crate) const DEFAULT: &str = "psmc";

/// Engines with the same settings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Islands of particles: `smc`, `psmc`, `ais`.
    Smc,
    /// `nested`.
    Nested,
    /// `tempering`.
    Tempering,
    /// Chains of a kernel; the engine has the kernel's name.
    Chains,
    /// Gaussians by variational inference: `mean_field`, `full_rank`.
    Variational,
    /// `pathfinder`.
    Pathfinder,
}

impl Family {
    /// The family of an engine with this name.
    pub(crate) fn of(engine: &str) -> Self {
        match engine {
            "smc" | "psmc" | "ais" => Islands,
            "nested" => Nested,
            "tempering" => Tempering,
            "mean_field" | "full_rank" => Variational,
            "pathfinder" => Pathfinder,
            _ => Chains,
        }
    }

    pub(crate) const ALL: [Self; 6] = [Islands, Nested, Tempering, Chains, Variational, Pathfinder];
}

/// The kind of a setting's value.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Count,
    Fraction,
    Seconds,
    Bytes,
    /// One of some names: the name, or the allowed ones in words.
    Name(fn(&str) -> Result<&'static str, String>),
}

/// A setting that some engines have, named after the builder's method.
pub(crate) struct Setting {
    pub(crate) id: &'static str,
    pub(crate) kind: Kind,
    pub(crate) engines: &'static [Family],
    pub(crate) help: &'static str,
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

pub(crate) const SETTINGS: [Setting; 30] = [
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
        &[Tempering, Chains, Variational, Pathfinder],
        "Draws kept of each chain, or of the Gaussians [default: 1000]",
    ),
    setting(
        "epochs",
        Kind::Count,
        &[Variational],
        "Steps of the optimiser [default: 5000]",
    ),
    setting(
        "gradient_draws",
        Kind::Count,
        &[Variational],
        "Draws for each gradient, a power of 2 [default: 8]",
    ),
    setting(
        "paths",
        Kind::Count,
        &[Pathfinder],
        "Paths of an optimiser, each to its own Gaussian [default: 8]",
    ),
    setting(
        "memory",
        Kind::Count,
        &[Pathfinder],
        "Steps of a path that make an inverse Hessian [default: 6]",
    ),
    setting(
        "iterations",
        Kind::Count,
        &[Pathfinder],
        "Iterates of a path at most [default: 1000]",
    ),
    setting(
        "elbo_draws",
        Kind::Count,
        &[Pathfinder],
        "Draws that choose among the iterates of a path [default: 25]",
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
        "starts",
        Kind::Name(starts),
        &[Chains],
        "Where chains start: prior (the likeliest of ten prior draws) or pathfinder (a draw of the Gaussian that a path of an optimiser finds) [default: prior]",
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
        "Acceptance to which the step size is tuned, above 0 and below 1; near 1 trajectories diverge less [default: 0.8 with nuts and walnuts, 0.9 with mams, 0.65 with hmc]",
    ),
    setting(
        "max_depth",
        Kind::Count,
        &[Chains],
        "Doublings of a trajectory at most, of kernels that double them, such as nuts [default: 10]",
    ),
    setting(
        "mass",
        Kind::Name(mass),
        &[Islands, Tempering, Chains],
        "How kernels that follow gradients learn their mass matrix: identity, variance, covariance, and with chains fisher or low_rank [default: variance with nuts, walnuts and mams, otherwise covariance]",
    ),
    setting(
        "time_limit",
        Kind::Seconds,
        &[Islands, Nested, Tempering, Chains],
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

/// The engines of some families, by name.
pub(crate) fn names(families: &[Family]) -> String {
    let named = |family: &Family| match family {
        Islands => vec!["psmc", "smc", "ais"],
        Nested => vec!["nested"],
        Tempering => vec!["tempering"],
        Chains => kernel::names().collect(),
        Variational => vec!["mean_field", "full_rank"],
        Pathfinder => vec!["pathfinder"],
    };
    let names: Vec<&str> = families.iter().flat_map(named).collect();
    names.join(", ")
}

/// An engine by its name and the given settings, by the names of the command line's options with `_` for `-`.
///
/// ```
/// # use bayes_cli::Settings;
/// let mut settings = Settings::new("nuts");
/// settings.set("chains", "2")?;
/// assert_eq!(settings.engine()?.units(), 1);
/// assert_eq!(settings.set("draws", "-5"), Err("setting `draws` is -5; it must be a whole number from 0 on".to_owned()));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) engine: String,
    pub(crate) kernel: Option<String>,
    values: BTreeMap<&'static str, Value>,
    /// Whether a run looks for an improper posterior before it starts.
    pub(crate) checks_propriety: bool,
    /// The name of a setting in messages.
    pub(crate) called: fn(&str) -> String,
}

/// The value of a setting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Count(usize),
    /// A fraction, or a number of seconds.
    Real(f64),
    Bytes(u64),
    Name(&'static str),
}

impl Value {
    /// # Errors
    /// In words: the allowed values.
    pub(crate) fn read(kind: Kind, text: &str) -> Result<Self, String> {
        match kind {
            Kind::Count => number::whole(text).map(Self::Count),
            Kind::Fraction => number::real(text).map(Self::Real),
            Kind::Seconds => number::seconds(text).map(Self::Real),
            Kind::Bytes => number::bytes(text).map(Self::Bytes),
            Kind::Name(known) => known(text).map(Self::Name),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// The engine and the given settings, as they are called in messages.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.engine)?;
        self.texts()
            .try_for_each(|(name, value)| write!(f, " {} {value}", (self.called)(name)))
    }
}

impl Settings {
    /// The engine with this name and its defaults.
    #[must_use]
    pub fn new(engine: impl Into<String>) -> Self {
        Self {
            engine: engine.into(),
            kernel: None,
            values: BTreeMap::new(),
            checks_propriety: true,
            called: str::to_owned,
        }
    }

    /// The names of all settings, each with the engines that have it and its description.
    pub fn all() -> impl Iterator<Item = (&'static str, String, &'static str)> {
        let all = SETTINGS.iter();
        all.map(|setting| (setting.id, names(setting.engines), setting.help))
    }

    /// How particles or chains move, by the name of a kernel.
    #[must_use]
    pub fn kernel(mut self, name: impl Into<String>) -> Self {
        self.kernel = Some(name.into());
        self
    }

    /// Sets a setting to the value that the command line would read from this text.
    ///
    /// # Errors
    /// In words: the setting does not exist, or the text is not a valid value. Later checks find whether the engine has the setting, and
    /// whether the value is in its range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let Some(setting) = SETTINGS.iter().find(|setting| setting.id == name) else {
            return Err(unknown(name));
        };
        let value = Value::read(setting.kind, text);
        let value = value.map_err(|wanted| format!("setting `{name}` is {text}; {wanted}"))?;
        self.insert(setting, value);
        Ok(())
    }

    pub(crate) fn insert(&mut self, setting: &Setting, value: Value) {
        self.values.insert(setting.id, value);
    }

    /// Takes the default of a setting.
    pub(crate) fn forget(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// The given settings with their values as texts, the kernel first.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let kernel = self.kernel.iter().map(|name| ("kernel", name.clone()));
        let value = |setting: &Setting| self.values[setting.id].to_string();
        kernel.chain(
            self.given()
                .map(move |setting| (setting.id, value(setting))),
        )
    }

    /// The settings that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static Setting> {
        let all = SETTINGS.iter();
        all.filter(|setting| self.values.contains_key(setting.id))
    }

    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        match self.values.get(name) {
            Some(Value::Count(count)) => Some(*count),
            _ => None,
        }
    }

    pub(crate) fn real(&self, name: &str) -> Option<f64> {
        match self.values.get(name) {
            Some(Value::Real(number)) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn mass(&self) -> Option<Mass> {
        match self.values.get("mass") {
            Some(Value::Name(name)) => Mass::by_name(name).ok(),
            _ => None,
        }
    }

    pub(crate) fn starts(&self) -> Option<Starts> {
        match self.values.get("starts") {
            Some(Value::Name(name)) => Starts::by_name(name).ok(),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<u64> {
        match self.values.get(name) {
            Some(Value::Bytes(bytes)) => Some(*bytes),
            _ => None,
        }
    }
}

/// The name of a mass.
fn mass(text: &str) -> Result<&'static str, String> {
    one_of(Mass::names(), text)
}

/// The name of a way to find starting points.
fn starts(text: &str) -> Result<&'static str, String> {
    one_of(Starts::names(), text)
}

/// The name that the text is, or in words the names that it may be.
fn one_of(names: impl Iterator<Item = &'static str>, text: &str) -> Result<&'static str, String> {
    let names: Vec<&str> = names.collect();
    let known = names.iter().find(|name| **name == text).copied();
    known.ok_or_else(|| format!("it must be one of {}", names.join(", ")))
}

/// The message about a name that no setting has.
fn unknown(name: &str) -> String {
    let closest = SETTINGS
        .iter()
        .min_by_key(|setting| edit_distance(name, setting.id));
    let closest = closest.filter(|setting| 2 * edit_distance(name, setting.id) <= setting.id.len());
    match closest {
        Some(setting) => format!(
            "there is no setting `{name}`; did you mean `{}`?",
            setting.id
        ),
        None => {
            let all: Vec<&str> = SETTINGS.iter().map(|setting| setting.id).collect();
            format!("there is no setting `{name}`; there are {}", all.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
