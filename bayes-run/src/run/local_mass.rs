//! The mass of a posterior near a mode, by an integration that does not use the draws.

use crate::number;
use serde::{Deserialize, Serialize};

/// The mass of the posterior in an ellipsoid around a mode, by importance sampling from a Gaussian with the curvature of the mode.
///
/// ```text
/// E = {x : |Lᵀ(x − mode)| ≤ radius},    L Lᵀ = −∂² ln f / ∂x²,    mass = ∫_E f(x) dx
/// ```
///
/// with f = prior × likelihood in the unconstrained coordinates. If the evidence Z agrees with the share p of the draws in E, Z p
/// = mass. The mass is computed without tempering, so it can reveal a mode that no particle has reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalMass {
    /// The mode, unconstrained, `[dim]`.
    #[serde(with = "number::many")]
    pub mode: Vec<f64>,
    /// The quantities at the mode, constrained, `[layout.elements()]`.
    #[serde(with = "number::many")]
    pub values: Vec<f64>,
    /// L, its rows one after another up to the diagonal, `[dim (dim + 1) / 2]`.
    #[serde(with = "number::many")]
    pub factor: Vec<f64>,
    /// The radius of the ellipsoid, in standard deviations.
    #[serde(with = "number::one")]
    pub radius: f64,
    /// The logarithm of the mass.
    #[serde(with = "number::one")]
    pub log_mass: f64,
    /// The Monte Carlo standard error of `log_mass`.
    #[serde(with = "number::one")]
    pub se: f64,
    /// The shares of the island's draws there; `None` where they were not counted: for an approximation, and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<LocalDraws>,
}

/// The shares of an island's draws in the ellipsoid of a mode and near it, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalDraws {
    /// The share in the ellipsoid.
    #[serde(with = "number::one")]
    pub inside: f64,
    /// The share in the ellipsoid of [`LocalMass::NEAR`] times the radius.
    #[serde(with = "number::one")]
    pub near: f64,
    /// The standard error of `inside`; NaN if it is unknown.
    #[serde(default = "unknown", with = "number::one")]
    pub se: f64,
    /// The degrees of freedom of `se`.
    #[serde(default = "one", with = "number::one")]
    pub degrees_of_freedom: f64,
}

fn unknown() -> f64 {
    f64::NAN
}

fn one() -> f64 {
    1.0
}

impl LocalMass {
    /// The share of the Gaussian that lies in its ellipsoid.
    pub const INSIDE: f64 = 0.9;
    /// A position within this many radii is near the mode.
    pub const NEAR: f64 = 3.0;

    /// Whether both are of one mode: each mode lies in the ellipsoid of the other. A spike in the ellipsoid of a broad mode is a mode of its own.
    #[must_use]
    pub fn is_same_mode(&self, other: &Self) -> bool {
        let is_alike = self.mode.len() == other.mode.len();
        is_alike && self.contains(&other.mode) && other.contains(&self.mode)
    }

    /// Whether an unconstrained position, `[dim]`, lies in the ellipsoid.
    ///
    /// # Panics
    /// If the position has another length than the mode.
    #[must_use]
    pub fn contains(&self, position: &[f64]) -> bool {
        self.is_within(1.0, position)
    }

    /// Whether an unconstrained position, `[dim]`, lies in the ellipsoid or in another of the same shape, with this many radii.
    ///
    /// # Panics
    /// If the position has another length than the mode.
    #[must_use]
    pub fn is_within(&self, radii: f64, position: &[f64]) -> bool {
        let dim = self.mode.len();
        assert_eq!(position.len(), dim, "a position has the length of the mode");
        let limit = (radii * self.radius).powi(2);
        let mut distance = 0.0;
        // column k of L begins at its diagonal; the last columns are short, so a distant point exceeds the radius early
        for k in (0..dim).rev() {
            let along: f64 = (k..dim)
                .map(|i| self.factor[i * (i + 1) / 2 + k] * (position[i] - self.mode[i]))
                .sum();
            distance += along * along;
            if distance.is_nan() || distance > limit {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ellipsoid_has_the_shape_of_the_factor() {
        // L = [[2, 0], [1, 3]]: |Lᵀx|² = (2 x + y)² + 9 y²
        let mass = LocalMass {
            mode: vec![1.0, -1.0],
            values: Vec::new(),
            factor: vec![2.0, 1.0, 3.0],
            radius: 1.0,
            log_mass: 0.0,
            se: 0.0,
            draws: None,
        };
        assert!(mass.contains(&[1.49, -1.0]));
        assert!(!mass.contains(&[1.51, -1.0]));
        let [x, y] = [-0.15, 0.3]; // (2 x + y)² = 0, 9 y² = 0.81
        assert!(mass.contains(&[1.0 + x, -1.0 + y]));
        assert!(!mass.contains(&[1.0 - x, -1.0 + y])); // 0.36 + 0.81
        assert!(!mass.contains(&[f64::NAN, -1.0]));
        assert!(mass.is_within(3.0, &[2.49, -1.0]));
        assert!(!mass.is_within(3.0, &[2.51, -1.0]));
        let of_a_line = LocalMass {
            mode: vec![1.0],
            ..mass.clone()
        };
        assert!(mass.is_same_mode(&mass) && !mass.is_same_mode(&of_a_line));
    }

    #[test]
    #[should_panic(expected = "a position has the length of the mode")]
    fn a_position_of_another_length_is_refused() {
        let mass = LocalMass {
            mode: vec![0.0; 2],
            values: Vec::new(),
            factor: vec![1.0, 0.0, 1.0],
            radius: 1.0,
            log_mass: 0.0,
            se: 0.0,
            draws: None,
        };
        let _ = mass.contains(&[0.0; 3]);
    }
}
