//! Gaussian-process surrogates of log densities: the process, its fit, and the choice of points.

pub(super) mod acquisition;
mod by_halves;
pub(super) mod fit;
pub(super) mod gp;
pub(super) mod medoids;
pub(super) mod noise;
mod objective;
pub(super) mod search;
#[cfg(test)]
mod tests;
