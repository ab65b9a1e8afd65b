//! The product of kernel density estimates.

use super::index_walk::{Component, IndexWalk};
use super::{Combine, Parts, Sample, setters};
use bayes_core::Error;
use nalgebra::DVector;

/// Draws of the product of kernel density estimates of the parts, with bandwidths that shrink from draw to draw (Neiswanger et al. 2014,
/// section 3.2 and algorithm 1).
///
/// ```text
/// w_t = Π_k N(x_(t_k) | x̄_t, h² I),    component N(x̄_t, h²/K I),    h = i^(-1/(4 + D)) at draw i
/// ```
///
/// Consistent as the numbers of draws grow, but slow in more than a few dimensions. Lengths are in units of the parts' standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonparametric {
    seed: u64,
    draws: usize,
}

setters!(Nonparametric);

impl Combine for Nonparametric {
    fn name(&self) -> &'static str {
        "nonparametric"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        self.validate_draws()?;
        let mut kernel = Kernel {
            parts: parts.len() as f64,
            sd: 1.0,
        };
        IndexWalk::new(parts).sample(self, self.draws, &mut kernel)
    }
}

/// A component: a Gaussian around the mean of the chosen draws.
struct Kernel {
    parts: f64,
    sd: f64,
}

impl Component for Kernel {
    fn begin(&mut self, bandwidth: f64) {
        self.sd = bandwidth / self.parts.sqrt();
    }

    fn log_weight(&self, _: &DVector<f64>) -> f64 {
        0.0
    }

    fn log_weight_of(&self, _: usize, _: usize) -> f64 {
        0.0
    }

    fn draw(&self, mean: &DVector<f64>, z: DVector<f64>) -> DVector<f64> {
        mean + z * self.sd
    }
}
