//! Neural networks with priors on their weights.
//!
//! ```
//! use bayes_model::nn::{Conv2d, Dense, MaxPool, Relu, Sequential};
//!
//! let net = Sequential::image(1, 28, 28)
//!     .layer(Conv2d::new(1, 4, 3).padding(1))
//!     .layer(Relu)
//!     .layer(MaxPool::new(2))
//!     .layer(Dense::new(784, 10))
//!     .build()?;
//! assert_eq!(net.parameters(), 7890);
//! # Ok::<(), bayes_model::nn::NetworkError>(())
//! ```
//!
//! In a model, `let theta = sample(net.prior());` draws the weights, and
//! `observe(labels, CategoricalLogit::new(net.forward(images, &theta)));` scores all images in one operation.

mod forward;
mod layers;
mod partial;
mod sequential;

pub use bayes_autodiff::network::{Layer, NetworkError, Precision};
pub use forward::Forward;
pub use layers::{AveragePool, Conv2d, Dense, Gelu, MaxPool, Relu, Sigmoid, Tanh};
pub use partial::Partial;
pub use sequential::{Builder, Sequential, WeightPrior};
