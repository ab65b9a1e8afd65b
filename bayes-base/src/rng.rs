//! Keyed random streams: draws depend only on the key, never on threads or order.
//!
//! [`RngExt`] has the methods that draw: `stream.random::<f64>()` is uniform on [0, 1).

mod fingerprint;
mod stream;

#[doc(hidden)]
pub use fingerprint::fingerprint;
pub use rand::RngExt;
pub use stream::Stream;

/// The purpose of a stream; streams with different purposes never coincide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// The model's validation run before sampling.
    Validation = 0,
    /// Prior draws to fit the pCN reference measure.
    Reference = 1,
    /// The initial draw of a particle or chain from the prior.
    Initial = 2,
    /// Resampling within an island.
    Resample = 3,
    /// Moving a particle or chain.
    Move = 4,
    /// Trial moves that tune the step size and are discarded.
    Tune = 5,
    /// Simulated parameters and data of a calibration, and their ranks.
    Calibration = 6,
    /// Draws by a user: [`stream`].
    User = 7,
    /// Rows of data dealt into parts.
    Rows = 8,
    /// Swaps between the temperatures of parallel tempering.
    Swap = 9,
    /// The order of the rows in an epoch of an optimisation.
    Minibatch = 10,
    /// Data drawn from the posterior predictive distribution.
    Prediction = 11,
    /// The Bayesian bootstrap of a comparison of models.
    Bootstrap = 12,
    /// Draws of a Gaussian approximation of a posterior, or of a mode, and where the climbs to it start.
    Approximation = 13,
    /// The draws from which an evidence lower bound is estimated.
    Elbo = 14,
    /// The combination of subposteriors.
    Combine = 15,
    /// Directions and resampling of distances between draws.
    Distance = 16,
}

/// A stream for simulating data: the same for the same seed, and different from all streams of engines.
///
/// ```
/// # use bayes_base as bayes;
/// use bayes::rng::{RngExt, stream};
///
/// let mut stream = stream(1);
/// let x: Vec<f64> = (0..100).map(|_| stream.random::<f64>()).collect();
/// let y: Vec<f64> = x.iter().map(|x| 2.0 * x + stream.random_range(-0.5..0.5)).collect();
/// assert_eq!(y.len(), 100);
/// ```
#[must_use]
pub fn stream(seed: u64) -> Stream {
    Key::new(seed, Purpose::User).stream()
}

/// Identifies a use of randomness in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The user's seed.
    pub seed: u64,
    /// Island or group of chains.
    pub group: u64,
    /// Particle or chain within the group.
    pub item: u64,
    /// Stage of the temperature ladder (0 for chains).
    pub stage: u32,
    /// The purpose of the stream.
    pub purpose: Purpose,
}

impl Key {
    /// The key of group 0, item 0 and stage 0.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        Self {
            seed,
            group: 0,
            item: 0,
            stage: 0,
            purpose,
        }
    }

    /// The same for another island or group of chains.
    #[must_use]
    pub fn group(self, group: u64) -> Self {
        Self { group, ..self }
    }

    /// The same for another particle or chain.
    #[must_use]
    pub fn item(self, item: u64) -> Self {
        Self { item, ..self }
    }

    /// The same for another stage.
    #[must_use]
    pub fn stage(self, stage: u32) -> Self {
        Self { stage, ..self }
    }

    /// The stream of this key, from its beginning.
    #[must_use]
    pub fn stream(self) -> Stream {
        let mut bytes = [0u8; 32];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.group.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.item.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.stage.to_le_bytes());
        bytes[28..].copy_from_slice(&(self.purpose as u32).to_le_bytes());
        Stream::of_key(bytes)
    }
}
