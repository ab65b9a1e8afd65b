//! Neural networks as one operation on eight particles: dense and convolutional layers, pooling, activations.
//!
//! A [`Network`] is a checked list of [`Layer`]s. A [`Pass`] runs it over the rows of its inputs, at the weights of eight particles, and
//! sums the terms that [`Rows`] compute from the outputs: a log likelihood, and with it the gradient. It processes the rows in chunks
//! that stay in the cache, each forward and then backward, so no intermediate result is as long as the data. A first dense layer is one
//! matrix product for eight particles together; all else is computed lane by lane in blocks of registers. [`forward`] is the network in
//! any [`Mode`](crate::Mode), for derivatives of small networks.
//!
//! For a single particle the lanes hold eight rows of the data instead of eight particles. Only its outputs are computed this way
//! (`alone.rs`), without the first layers if the previous particle had the same weights there (`recent.rs`).
//!
//! The weights are stored layer after layer, as described at [`Layer`], each with one value for each of the eight particles.
//!
//! Without the feature `networks` there is no value of the type [`Network`], and no network code is compiled (`absent.rs`).

mod activation;
mod alone;
mod applied;
mod choices;
mod chunk;
mod conv_pool;
mod convolution;
mod dense;
mod element;
mod layer;
mod layers;
mod pass;
mod pool;
mod product;
mod recent;
mod rows;
mod scalar;
mod split;
mod stage;
mod workspace;

pub use applied::Applied;
pub(crate) use applied::Scratch;
pub use choices::Choices;
pub use layer::{Activation, Layer, NetworkError, Shape};
pub use layers::Network;
pub use pass::Pass;
pub(crate) use rows::InputSlopes;
pub use rows::{Inputs, Precision, Rows};
pub use scalar::forward;
pub(crate) use split::Split;

#[cfg(test)]
mod tests;
