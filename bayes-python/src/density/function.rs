//! One log density: a function of the interpreter, a C function, or independent normal distributions.

use super::bytes::{numbers, of_bytes};
use super::pointer::Single;
use bayes::module::wrong;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A log density of a position, `[dim]`.
pub(crate) enum Kind {
    /// A callable `(positions, particles, with_gradients)`, where positions are bytes of `[particles, dim]`; it returns the bytes of the values,
    /// `[particles]`, and with gradients those of `[particles, dim]` after them.
    Interpreted(Py<PyAny>),
    /// A C function.
    Compiled(Single),
    /// Independent normal distributions, `[dim]`.
    Normal { mean: Vec<f64>, sd: Vec<f64> },
}

/// A log density.
#[pyclass(frozen)]
pub(crate) struct Function(pub(crate) Kind);

#[pymethods]
impl Function {
    #[staticmethod]
    fn interpreted(callable: Py<PyAny>) -> Self {
        Self(Kind::Interpreted(callable))
    }

    /// The C function at this address, which lives as long as its owner.
    #[staticmethod]
    #[allow(unsafe_code)]
    fn compiled(address: usize, owner: Py<PyAny>) -> PyResult<Self> {
        // SAFETY: `_numba.py` passes addresses of numba's and ctypes' functions alone, whose signature it has compared and whose owner it passes
        let found = unsafe { Single::at(address, owner) };
        let found = found.ok_or_else(|| wrong("a C function has the address 0"))?;
        Ok(Self(Kind::Compiled(found)))
    }

    #[staticmethod]
    fn normal(mean: Vec<f64>, sd: Vec<f64>) -> Self {
        Self(Kind::Normal { mean, sd })
    }
}

impl Kind {
    /// Fills the values at positions `[particles, dim]`, and with room for them the gradients, `[particles, dim]`.
    ///
    /// # Errors
    /// What a function of the interpreter raises.
    pub(crate) fn fill(
        &self,
        dim: usize,
        positions: &[f64],
        values: &mut [f64],
        gradients: Option<&mut [f64]>,
    ) -> PyResult<()> {
        match self {
            Self::Interpreted(callable) => {
                Python::attach(|py| ask(py, callable, positions, values, gradients))
            }
            Self::Compiled(function) => {
                let mut unwanted = Vec::new();
                let gradients = gradients.unwrap_or_else(|| {
                    unwanted.resize(positions.len(), 0.0);
                    &mut unwanted
                });
                let rows = positions
                    .chunks_exact(dim)
                    .zip(gradients.chunks_exact_mut(dim));
                for (value, (x, gradient)) in values.iter_mut().zip(rows) {
                    *value = function.call(x, gradient);
                }
                Ok(())
            }
            Self::Normal { mean, sd } => {
                let rows = positions.chunks_exact(dim);
                for (value, x) in values.iter_mut().zip(rows) {
                    *value = normal(mean, sd, x);
                }
                let rows = positions.chunks_exact(dim);
                for (gradient, x) in gradients
                    .into_iter()
                    .flat_map(|all| all.chunks_exact_mut(dim))
                    .zip(rows)
                {
                    for k in 0..dim {
                        gradient[k] = (mean[k] - x[k]) / (sd[k] * sd[k]);
                    }
                }
                Ok(())
            }
        }
    }
}

/// The log density of independent normal distributions.
fn normal(mean: &[f64], sd: &[f64], x: &[f64]) -> f64 {
    let half_log_tau = 0.5 * std::f64::consts::TAU.ln();
    let terms = x.iter().zip(mean.iter().zip(sd));
    terms
        .map(|(x, (mean, sd))| {
            let z = (x - mean) / sd;
            -0.5 * z * z - sd.ln() - half_log_tau
        })
        .sum()
}

/// Calls a function of the interpreter for a block.
fn ask(
    py: Python<'_>,
    callable: &Py<PyAny>,
    positions: &[f64],
    values: &mut [f64],
    gradients: Option<&mut [f64]>,
) -> PyResult<()> {
    let given = PyBytes::new(py, &of_bytes(positions));
    let answer = callable.call1(py, (given, values.len(), gradients.is_some()))?;
    let answer = numbers(
        answer.bind(py),
        values.len() + gradients.as_ref().map_or(0, |g| g.len()),
    )?;
    let (of_values, of_gradients) = answer.split_at(values.len());
    values.copy_from_slice(of_values);
    if let Some(gradients) = gradients {
        gradients.copy_from_slice(of_gradients);
    }
    Ok(())
}
