//! Combinations of subposteriors: from draws of the posteriors of K parts of the data to draws of the posterior of all.
//!
//! Each part has the prior to the power 1/K ([`Subposterior`](bayes_core::density::Subposterior)), and is sampled alone, in another process or
//! on another machine if need be. [`Parts`] takes the densities and the runs, from files or not, and checks that they belong together;
//! a method makes a [`Combination`] of them. All arithmetic is in the unconstrained coordinates.
//!
//! | method | what it takes the parts for |
//! |---|---|
//! | [`Consensus`] | Gaussians: draws are averaged, weighted by precisions |
//! | [`Parametric`] | Gaussians: their product is sampled |
//! | [`Nonparametric`] | kernel density estimates |
//! | [`Semiparametric`] | Gaussians times kernel density estimates |
//! | [`PartitionTrees`] | histograms on random trees (PART) |
//! | [`Pai::gp`] | the exponential of Gaussian processes, fitted to log densities at draws |
//! | [`Pai`] | the same, with points that the parts share and choose (PAI) |
//!
//! All but the last see nothing but the draws of the runs. They fail if the parts have several modes and a run has missed one, or if the parts
//! hardly overlap; [`Combination::warnings`] says so where the draws show it.
//!
//! ```
//! use bayes_combine::{Combine, Consensus, Parts};
//! use bayes_core::density::{Block, LogDensity, Subposterior};
//! use bayes_core::engine::Inference;
//!
//! /// The mean of some numbers, with a Gaussian prior of sd 10.
//! struct Mean(Vec<f64>);
//!
//! impl LogDensity for Mean {
//!     fn dim(&self) -> usize {
//!         1
//!     }
//!     fn evaluate(&self, block: &mut Block<'_>) {
//!         block.fill(|x| {
//!             let squares: f64 = self.0.iter().map(|y| (y - x[0]).powi(2)).sum();
//!             [-0.005 * x[0] * x[0], -0.5 * squares]
//!         });
//!     }
//! }
//!
//! let data = [vec![1.2, 0.4, 0.9], vec![0.3, 1.1]];
//! let parts = data.map(|y| Subposterior::new(Mean(y), 2).expect("two parts"));
//! let nuts = Inference::nuts().chains(2).draws(500).seed(1);
//! let runs = [nuts.run_on(&parts[0])?, nuts.run_on(&parts[1])?];
//! let combined = Consensus::new().combine(&Parts::new(&parts, &runs)?)?;
//! assert!((combined.run.mean("x")?[0] - 3.9 / 5.01).abs() < 0.1);
//! # Ok::<(), bayes_core::Error>(())
//! ```

#![forbid(unsafe_code)]

mod combination;
mod consensus;
mod gaussian;
mod index_walk;
mod nonparametric;
mod pai;
mod parametric;
mod partition_trees;
mod parts;
mod semiparametric;
mod surrogate;
#[cfg(test)]
mod tests;
mod warning;

pub use bayes_core::CombineError;
pub use combination::{Combination, Importance, Sample};
pub use consensus::Consensus;
pub use nonparametric::Nonparametric;
pub use pai::Pai;
pub use parametric::Parametric;
pub use partition_trees::PartitionTrees;
pub use parts::{PartDraws, Parts};
pub use semiparametric::Semiparametric;
pub use warning::Warning;

use bayes_core::Error;

/// A way to combine subposteriors. A new one implements [`sample`](Combine::sample).
pub trait Combine {
    /// Its name, which is the engine of the combined run.
    fn name(&self) -> &'static str;

    /// The seed of its random numbers.
    fn seed(&self) -> u64;

    /// Draws from the product of the parts.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting out of its range, [`Error::Combine`] if the parts do not suit the method.
    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error>;

    /// The combined run, with what is wrong with it.
    ///
    /// # Errors
    /// As [`sample`](Combine::sample).
    fn combine(&self, parts: &Parts<'_>) -> Result<Combination, Error> {
        Ok(Combination::new(
            self.name(),
            self.seed(),
            parts,
            self.sample(parts)?,
        ))
    }
}

/// The setters of the seed and of the number of draws; with the name of a method that has nothing else, its constructor too.
macro_rules! setters {
    ($method:ident) => {
        impl $method {
            /// 4000 draws with seed 0.
            #[must_use]
            pub fn new() -> Self {
                Self {
                    seed: 0,
                    draws: crate::DRAWS,
                }
            }

            crate::setters!();
        }

        impl Default for $method {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    () => {
        /// Sets the seed; 0 by default.
        #[must_use]
        pub fn seed(mut self, seed: u64) -> Self {
            self.seed = seed;
            self
        }

        /// Number of draws of the combined run, at least 2; 4000 by default.
        #[must_use]
        pub fn draws(mut self, draws: usize) -> Self {
            self.draws = draws;
            self
        }

        /// Checks the number of draws.
        fn validate_draws(&self) -> Result<(), bayes_core::Error> {
            let draws = self.draws;
            bayes_core::Error::setting("draws", draws, draws >= 2, "at least 2")
        }
    };
}
use setters;

/// Number of draws unless set otherwise.
const DRAWS: usize = 4000;
