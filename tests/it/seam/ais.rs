//! Annealed importance sampling (Neal 2001): an engine with weights within its only group.

use bayes::density::{LogDensity, Particles, Target};
use bayes::engine::{Common, Engine, Mover};
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use bayes::run::{Group, GroupKind, Island};
use bayes::{Error, numeric::log_mean_exp};

#[derive(Debug)]
pub struct Ais(pub Common, pub usize);

impl Engine for Ais {
    fn common(&self) -> &Common {
        &self.0
    }
    fn common_mut(&mut self) -> &mut Common {
        &mut self.0
    }
    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let prior = density.proper_prior("AIS starts from prior draws")?;
        let (kernel, seed, n) = (Hmc::new().step_size(0.3), self.0.seed, 512);
        let key = Key::new(seed, Purpose::Initial);
        let mut particles = Particles::of_prior(n, density.dim(), prior, key);
        density.evaluate(&mut particles.block());
        let (mut log_weights, tuning) = (vec![0.0; n], kernel.init(density)?);
        for stage in 1..=self.1 {
            let step = |s: usize| (s as f64 / self.1 as f64).powi(4);
            let gain = step(stage) - step(stage - 1);
            let likelihoods = particles.log_likelihood.iter();
            let weights = log_weights.iter_mut().zip(likelihoods);
            weights.for_each(|(w, l)| *w += gain * l);
            let key = Key::new(seed, Purpose::Move).stage(stage as u32);
            let streams = (0..n as u64).map(|i| key.item(i).stream());
            let target = Target::tempered(density, step(stage));
            let mut mover = Mover::new(&kernel, target, streams.collect());
            mover.refresh(&mut particles);
            mover.step(&mut particles, [&tuning, &tuning], 1);
        }
        let island = Island {
            log_evidence: Some(log_mean_exp(&log_weights)),
            log_weights,
            ancestors: (0..n as u32).collect(),
            ..Island::default()
        };
        let group = Group::of_particles(0, island, particles, density.quantities());
        let kind = (GroupKind::Islands, Weighting::Evidence);
        let settings = Default::default();
        Ok(self.0.run(density, &kernel, kind, settings, vec![group]))
    }
}
