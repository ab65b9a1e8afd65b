//! Makes an engine from settings.

use crate::settings::Family::{Chains, Nested, Pathfinder, Smc as Islands, Tempering, Variational};
use crate::settings::{Family, Settings, names};
use bayes_core::engine::{Engine, Inference, Smc, Variational as VariationalInference};
use bayes_core::kernel::{self, Hmc, Kernel};
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
        let family = Family::of(name);
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

/// The kernel with this name and its settings.
fn chosen_kernel(name: &str, settings: &Settings) -> Result<Box<dyn Kernel>, String> {
    let mut kernel = kernel::by_name(name).map_err(|error| error.to_string())?;
    let refused = |setting, but: &str| {
        let called = (settings.called)(setting);
        Err(format!(
            "`{called}` is no setting of the kernel {name}, {but}"
        ))
    };
    let own = kernel.adjustable();
    let depth = settings.count("max_depth");
    // the kernel's error says what is allowed
    let depth = depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
    if !is_taken(own.max_depth, depth) {
        let others = kernel::names_with(|own| own.max_depth.is_some());
        return refused("max_depth", &format!("but of {}", spoken(&others)));
    }
    if !is_taken(own.mass, settings.mass()) {
        let others = kernel::names_with(|own| own.mass.is_some());
        return refused("mass", &format!("but of {}", spoken(&others)));
    }
    if !is_taken(own.target_acceptance, settings.real("target_acceptance")) {
        return refused("target_acceptance", "which has no step size");
    }
    Ok(kernel)
}

/// Puts the value, if there is one, into its place; `false` if it has none.
fn is_taken<T>(place: Option<&mut T>, value: Option<T>) -> bool {
    match (place, value) {
        (Some(place), Some(value)) => *place = value,
        (None, Some(_)) => return false,
        (_, None) => {}
    }
    true
}

/// The names in words, such as `nuts and walnuts`.
fn spoken(names: &[&str]) -> String {
    match names {
        [all @ .., before, last] => {
            let all: String = all.iter().map(|name| format!("{name}, ")).collect();
            format!("{all}{before} and {last}")
        }
        _ => names.concat(),
    }
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
