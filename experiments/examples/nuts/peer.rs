//! The crate `nuts-rs` on a density of this library.

use bayes::density::{LogDensity, Particles, Target};
use bayes::rng::{Key, Purpose};
use bayes::run::Counts;
use nuts_rs::{
    Chain as _, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings,
};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Draws of a chain and their cost.
pub struct Chain {
    /// Unconstrained positions.
    pub positions: Vec<Vec<f64>>,
    /// Gradients after the warm-up.
    pub gradients: u64,
    /// All gradients.
    pub all_gradients: u64,
}

/// Draws a chain with default settings, except for the number of `steps` of the warm-up and of draws.
pub fn sample(density: &dyn LogDensity, seed: u64, chain: u64, steps: usize) -> Chain {
    let dim = density.dim();
    let key = |purpose| Key::new(seed, purpose).item(chain);
    let evaluations = AtomicU64::new(0);
    let math = CpuMath::new(Peer {
        density,
        particle: Particles::new(1, dim),
        evaluations: &evaluations,
    });
    let settings = DiagNutsSettings {
        num_tune: steps as u64,
        num_draws: steps as u64,
        ..DiagNutsSettings::default()
    };
    let mut stream = key(Purpose::Move).stream();
    let mut sampler = settings
        .new_chain(chain, math, &mut stream)
        .expect("the settings are in range");
    let mut start = vec![0.0; dim];
    density.draw_start(&mut key(Purpose::Initial).stream(), &mut start);
    sampler
        .set_position(&start)
        .expect("a draw of the prior has a finite density");
    let mut draw = |_| {
        sampler
            .draw()
            .expect("every error is recoverable")
            .0
            .to_vec()
    };
    (0..steps).for_each(|step| drop(draw(step)));
    let warm_up = evaluations.load(Ordering::Relaxed);
    let positions = (0..steps).map(draw).collect();
    let all_gradients = evaluations.load(Ordering::Relaxed);
    Chain {
        positions,
        gradients: all_gradients - warm_up,
        all_gradients,
    }
}

/// A density, one position at a time.
struct Peer<'a> {
    density: &'a dyn LogDensity,
    particle: Particles,
    evaluations: &'a AtomicU64,
}

/// A density that is not finite: a divergence.
#[derive(Debug)]
struct NotFinite;

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the log density is not finite")
    }
}

impl std::error::Error for NotFinite {}

impl LogpError for NotFinite {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl HasDims for Peer<'_> {
    #[expect(
        clippy::disallowed_types,
        reason = "the trait of the other crate asks for it"
    )]
    fn dim_sizes(&self) -> std::collections::HashMap<String, u64> {
        [("unconstrained_parameter".to_owned(), self.dim() as u64)].into()
    }
}

impl CpuLogpFunc for Peer<'_> {
    type LogpError = NotFinite;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.particle.dim
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        self.particle.positions.copy_from_slice(position);
        let mut block = self.particle.block();
        let posterior = Target::posterior(self.density);
        posterior.evaluate_gradient(&mut block, &mut Counts::default());
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        gradient.copy_from_slice(block.gradient);
        let log_density = posterior.log_density(&block, 0);
        if log_density.is_finite() {
            Ok(log_density)
        } else {
            Err(NotFinite)
        }
    }

    fn expand_vector<R: nuts_rs::rand::Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}
