//! Makes an engine from settings.

use crate::settings::Family::{Chains, Nested, Pathfinder, Smc as Islands, Tempering, Variational};
use crate::settings::{Settings, names};
use bayes_core::engine::{Engine, Inference, Smc, Variational as VariationalInference};
use bayes_core::kernel::{self, Hmc, Kernel, Mala, Mams, Nuts, Pcn, RandomWalk, Walnuts};
use bayes_core::until::Precision;
use std::sync::Arc;
use std::time::Duration;

/// Sets the given settings by the methods with their names.
macro_rules! set {
    ($engine:ident from $settings:ident: $($setting:ident),*) => {
        $(if let Some(value) = $settings.count(stringify!($setting)) {
            $engine = $engine.$setting(value);
        })*
    };
}

impl Settings {
    /// The engine with these settings.
    ///
    /// # Errors
    /// In words: a name that does not exist, or a setting that the engine does not have.
    pub fn engine(&self) -> Result<Box<dyn Engine>, String> {
        let (name, kernel) = (self.engine.as_str(), self.kernel.as_deref());
        // the error lists the existing names
        Inference::by_name(name, kernel).map_err(|error| error.to_string())?;
        let family = match name {
            "smc" | "psmc" | "ais" => Islands,
            "nested" => Nested,
            "tempering" => Tempering,
            "mean_field" | "full_rank" => Variational,
            "pathfinder" => Pathfinder,
            _ => Chains,
        };
        let mut given = self.given();
        if let Some(other) = given.find(|setting| !setting.engines.contains(&family)) {
            return Err(format!(
                "`{}` is no setting of {name}, but of {}",
                (self.called)(other.id),
                names(other.engines)
            ));
        }
        if self.count("at_most").is_some() && self.real("until").is_none() {
            let [at_most, until] = ["at_most", "until"].map(self.called);
            return Err(format!(
                "`{at_most}` is the most islands that `{until}` may add; give both"
            ));
        }
        let own = match family {
            Chains => name,
            Nested => "random_walk",
            Islands | Tempering | Variational | Pathfinder => "hmc",
        };
        let kernel = chosen_kernel(kernel.unwrap_or(own), self)?;
        let mut engine = match name {
            "smc" => smc(Inference::smc(), kernel, self),
            "psmc" => smc(Inference::psmc(), kernel, self),
            "ais" => smc(Inference::ais(), kernel, self),
            "nested" => nested(kernel, self),
            "tempering" => tempering(kernel, self),
            "mean_field" => variational(Inference::vi(), self),
            "full_rank" => variational(Inference::vi().full_rank(), self),
            "pathfinder" => pathfinder(self),
            _ => chains(kernel, self),
        };
        engine.common_mut().checks_propriety = self.checks_propriety;
        engine.common_mut().memory_limit = self.bytes("memory_limit");
        Ok(engine)
    }
}

/// The settings that not every kernel has: the kernels that have them, and the words about another one.
const OF_KERNELS: [(&str, &[&str], &str); 3] = [
    ("max_depth", &["nuts", "walnuts"], "but of nuts and walnuts"),
    (
        "mass",
        &["hmc", "mala", "nuts", "walnuts", "mams"],
        "but of hmc, mala, nuts, walnuts and mams",
    ),
    (
        "target_acceptance",
        &[
            "hmc",
            "mala",
            "nuts",
            "walnuts",
            "mams",
            "pcn",
            "random_walk",
        ],
        "which has no step size",
    ),
];

/// A kernel with the settings that were given.
macro_rules! kernel {
    ($Kernel:ident with $($setting:ident),*) => {{
        let mut kernel = $Kernel::new();
        $(if let Some(value) = $setting {
            kernel = kernel.$setting(value);
        })*
        Box::new(kernel)
    }};
}

/// The kernel with this name and its settings.
fn chosen_kernel(name: &str, settings: &Settings) -> Result<Box<dyn Kernel>, String> {
    for (setting, kernels, but) in OF_KERNELS {
        let is_given = settings.given().any(|given| given.id == setting);
        if is_given && !kernels.contains(&name) {
            return Err(format!(
                "`{}` is no setting of the kernel {name}, {but}",
                (settings.called)(setting)
            ));
        }
    }
    let target_acceptance = settings.real("target_acceptance");
    let mass = settings.mass();
    let depth = settings.count("max_depth");
    // the kernel's error says what is allowed
    let max_depth = depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
    Ok(match name {
        "nuts" => kernel!(Nuts with target_acceptance, mass, max_depth),
        "walnuts" => kernel!(Walnuts with target_acceptance, mass, max_depth),
        "mams" => kernel!(Mams with target_acceptance, mass),
        "hmc" => kernel!(Hmc with target_acceptance, mass),
        "mala" => kernel!(Mala with target_acceptance, mass),
        "pcn" => kernel!(Pcn with target_acceptance),
        "random_walk" => kernel!(RandomWalk with target_acceptance),
        _ => kernel::by_name(name).map_err(|error| error.to_string())?,
    })
}

fn smc(engine: Smc<Hmc>, kernel: Box<dyn Kernel>, settings: &Settings) -> Box<dyn Engine> {
    let mut engine = engine.kernel(Arc::<dyn Kernel>::from(kernel));
    set!(engine from settings: islands, particles, states_kept, posterior_states, pilot, mutations);
    if let Some(fraction) = settings.real("ess_target") {
        engine = engine.ess_target(fraction);
    }
    if let Some(gradients) = settings.count("gradient_limit") {
        engine = engine.gradient_limit(gradients as u64);
    }
    if let Some(seconds) = settings.real("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(seconds));
    }
    let Some(se) = settings.real("until") else {
        return Box::new(engine);
    };
    let until = engine.until(Precision::log_evidence(se));
    match settings.count("at_most") {
        Some(most) => Box::new(until.at_most(most)),
        None => Box::new(until),
    }
}

fn nested(kernel: Box<dyn Kernel>, settings: &Settings) -> Box<dyn Engine> {
    let mut engine = Inference::nested().kernel(kernel);
    set!(engine from settings: islands, particles, states_kept, mutations);
    if let Some(share) = settings.real("survivors") {
        engine = engine.survivors(share);
    }
    if let Some(share) = settings.real("remaining") {
        engine = engine.remaining(share);
    }
    if let Some(seconds) = settings.real("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(seconds));
    }
    Box::new(engine)
}

fn tempering(kernel: Box<dyn Kernel>, settings: &Settings) -> Box<dyn Engine> {
    let mut engine = Inference::tempering().kernel(kernel);
    set!(engine from settings: chains, burn_in, draws, temperatures, mutations);
    if let Some(seconds) = settings.real("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(seconds));
    }
    Box::new(engine)
}

fn chains(kernel: Box<dyn Kernel>, settings: &Settings) -> Box<dyn Engine> {
    let mut engine = Inference::chains(kernel);
    set!(engine from settings: chains, burn_in, draws, thin, superchains);
    if let Some(starts) = settings.starts() {
        engine = engine.starts(starts);
    }
    if let Some(gradients) = settings.count("gradient_limit") {
        engine = engine.gradient_limit(gradients as u64);
    }
    if let Some(seconds) = settings.real("time_limit") {
        engine = engine.time_limit(Duration::from_secs_f64(seconds));
    }
    Box::new(engine)
}

fn variational(mut engine: VariationalInference, settings: &Settings) -> Box<dyn Engine> {
    set!(engine from settings: draws, epochs, gradient_draws);
    Box::new(engine)
}

fn pathfinder(settings: &Settings) -> Box<dyn Engine> {
    let mut engine = Inference::pathfinder();
    set!(engine from settings: draws, paths, memory, iterations, elbo_draws);
    Box::new(engine)
}
