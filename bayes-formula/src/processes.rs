//! Gaussian processes of one column, `gp(x)`, by functions of a Hilbert space.
//!
//! ```text
//! f(x) = Σ_j a_j φ_j(x),    φ_j(x) = L^-½ sin(ω_j (x - centre + L)),    ω_j = π j / (2 L),    j = 1..k
//! a_j ~ Normal(0, sd_j),    sd_j² = sdgp² √(2π) lscale exp(-½ lscale² ω_j²)
//! ```
//!
//! This is the covariance `sdgp² exp(-½ (x - x')² / lscale²)` within the boundary `L` (Solin & Särkkä 2020; Riutort-Mayol et al. 2023).
//! With `S` half the range of `x` and `L = 3.2 S`, the approximation is accurate for length scales from `5.6 S / k` to `S`, by the rules of
//! the second paper.

use crate::columns::{Evaluator, Learnt};
use crate::design::place;
use crate::terms::Process as Term;
use bayes::Error;
use bayes::basis::HilbertBasis;
use bayes::rows::RowData;
use nalgebra::DMatrix;
use std::f64::consts::TAU;

/// The boundary `L`, in units of half the range.
const BOUNDARY: f64 = 3.2;
/// The largest distance of a prediction from the centre, in units of half the range: beyond it the boundary distorts the process.
const FARTHEST: f64 = 2.0;

/// A Gaussian process on a table.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// `x`.
    pub(crate) name: String,
    /// Half the range of `x`.
    pub(crate) half: f64,
    basis: HilbertBasis,
    /// The functions, `[rows, k]`.
    pub(crate) phi: DMatrix<f64>,
}

/// A Gaussian process on a table.
pub(crate) fn process(term: &Term, evaluator: &mut Evaluator<'_>) -> Result<Process, Error> {
    let x = evaluator.numbers(&term.x)?;
    let key = term.node.to_string();
    if evaluator.learns && !evaluator.memory.contains_key(&key) {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (centre, half) = (f64::midpoint(low, high), (high - low) / 2.0);
        if half <= 0.0 {
            let message = format!("`{}` is {low} in all rows; leave the term out", term.x);
            return Err(evaluator.wrong(&term.node, message));
        }
        let learnt = Learnt::Range { centre, half };
        evaluator.memory.insert(key.clone(), learnt);
    }
    let Some(Learnt::Range { centre, half }) = evaluator.memory.get(&key).cloned() else {
        return Err(evaluator.wrong(&term.node, "its range is not known"));
    };
    let is_far = |x: &f64| (x - centre).abs() > FARTHEST * half;
    if let Some(row) = x.iter().position(is_far) {
        let [low, high] = [centre - FARTHEST * half, centre + FARTHEST * half];
        let message = format!(
            "`{}` is {} in row {}; the process is known from {low} to {high}, twice the range where the model was fitted",
            term.x,
            x[row],
            row + 1
        );
        return Err(evaluator.wrong(&term.node, message));
    }
    let basis = HilbertBasis::new(centre, BOUNDARY * half, term.k)?;
    Ok(Process {
        name: place(&term.x.to_string()),
        half,
        phi: basis.at(&x)?,
        basis,
    })
}

impl Process {
    /// The log standard deviations of the coefficients, less `ln sdgp + ½ ln lscale`: a constant less a factor times the square of
    /// `lscale`, as `[constant, factor]`.
    pub(crate) fn log_spectrum(&self) -> impl Iterator<Item = [f64; 2]> {
        let one = |k: usize| [0.25 * TAU.ln(), 0.25 * self.basis.frequency(k).powi(2)];
        (0..self.phi.ncols()).map(one)
    }

    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            half: self.half,
            basis: self.basis,
            phi: self.phi.gather(rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over functions is the squared exponential covariance, for length scales from 5.6 S / k to S.
    #[test]
    fn functions_have_the_covariance_of_the_process() {
        let (half, k) = (2.5, 40);
        let boundary = BOUNDARY * half;
        let basis = HilbertBasis::new(0.0, boundary, k).expect("it has a boundary");
        for length in [0.16 * half, 0.4 * half, half] {
            for (x, y) in [
                (0.0, 0.0),
                (-2.5, -2.5),
                (-1.0, 0.7),
                (2.5, 2.0),
                (-2.5, 2.5),
            ] {
                let term = |j: usize| {
                    let omega = basis.frequency(j);
                    let phi = |x: f64| (omega * (x + boundary)).sin();
                    let variance = TAU.sqrt() * length * (-0.5 * (length * omega).powi(2)).exp();
                    variance * phi(x) * phi(y) / boundary
                };
                let found: f64 = (0..k).map(term).sum();
                let wanted = (-0.5 * ((x - y) / length).powi(2)).exp();
                assert!(
                    (found - wanted).abs() < 5e-3,
                    "{length} {x} {y}: {found}, {wanted}"
                );
            }
        }
    }
}
