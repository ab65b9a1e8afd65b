//! Settings of pSMC as text.

use crate::problems::Engine;
use bayes::kernel::{Kernel, by_name};
use bayes::prelude::*;
use bayes_experiments::common::fail;

/// Number of islands and of particles in each.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub islands: usize,
    pub particles: usize,
}

/// A setting with its text.
#[derive(Clone, Debug)]
pub struct Setting {
    pub text: String,
    /// Words and values.
    words: Vec<(String, f64)>,
    kernel: String,
    resampling: Resampling,
}

impl Setting {
    /// Reads words such as `ess 0.9 steps 8 kernel pcn`; ends the program on an unknown word.
    pub fn read(text: &str) -> Self {
        let mut setting = Self {
            text: text.trim().to_owned(),
            words: Vec::new(),
            kernel: "hmc".to_owned(),
            resampling: Resampling::default(),
        };
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            if word == "default" {
                continue;
            }
            let value = words
                .next()
                .unwrap_or_else(|| fail(&format!("the setting `{word}` has no value")));
            match word {
                "kernel" => setting.kernel = value.to_owned(),
                "resampling" => setting.resampling = resampling(value),
                _ => {
                    let number = value.parse();
                    let number = number.unwrap_or_else(|_| {
                        fail(&format!("`{word}` takes a number, not `{value}`"))
                    });
                    setting.words.push((word.to_owned(), number));
                }
            }
        }
        setting
    }

    /// The engine with this setting.
    pub fn engine(&self, size: Size, seed: u64) -> Engine {
        let mut engine = Inference::psmc()
            .islands(size.islands)
            .particles(size.particles)
            .resampling(self.resampling)
            .seed(seed)
            .progress(false)
            .kernel(self.kernel());
        for (word, value) in &self.words {
            let count = *value as usize;
            engine = match word.as_str() {
                "ess" => engine.ess_target(*value),
                "steps" => engine.mutations(count),
                "correlation" => engine.mutations(Mutations::adaptive().correlation(*value)),
                "kept" => engine.states_kept(count),
                "states" => engine.posterior_states(count),
                "mix" => engine.step_size_mixture(*value),
                "particles" => engine.particles(count),
                "islands" => engine.islands(count),
                "pilot" => engine.pilot(count),
                "control" => engine.control_variates(count > 0),
                "trials" if count == 0 => engine.step_size_rule(StepSizeRule::LastMoves),
                _ => engine,
            };
        }
        engine
    }

    fn kernel(&self) -> Box<dyn Kernel> {
        if self.kernel != "hmc" {
            return by_name(&self.kernel).unwrap_or_else(|error| fail(&error.to_string()));
        }
        let mut hmc = Hmc::new();
        for (word, value) in &self.words {
            let count = *value as usize;
            hmc = match word.as_str() {
                "acceptance" => hmc.target_acceptance(*value),
                "leapfrog" => hmc.leapfrog_steps(count),
                "time" => hmc.integration_time(*value),
                "halvings" => hmc.halvings(count as u32),
                "walk" => hmc.random_walk(count > 0),
                "tolerance" => hmc.energy_tolerance(*value),
                "ess" | "steps" | "correlation" | "kept" | "states" | "mix" | "particles"
                | "islands" | "pilot" | "control" | "trials" => hmc,
                _ => fail(&format!("`{word}` is no setting; see setting.rs")),
            };
        }
        Box::new(hmc)
    }
}

fn resampling(name: &str) -> Resampling {
    match name {
        "multinomial" => Resampling::Multinomial,
        "residual" => Resampling::Residual,
        "stratified" => Resampling::Stratified,
        "systematic" => Resampling::Systematic,
        _ => fail(&format!("`{name}` is no resampling scheme")),
    }
}
