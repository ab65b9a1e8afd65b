//! Gaussian-process surrogates of log densities: the process, its fit, and the choice of points.

pub(super) mod acquisition;
pub(super) mod fit;
pub(super) mod gp;
pub(super) mod medoids;
pub(super) mod noise;
mod objective;
#[cfg(test)]
mod tests;
