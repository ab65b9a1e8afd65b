//! A density of Python in one run: what its functions raise is kept, and ends the run.

use super::bytes::{numbers, of_bytes};
use super::{Densities, Density, Drawn};
use crate::density::function::Kind;
use bayes::density::{Block, Description, LogDensity, Prior, Quantities};
use bayes::dist::Normal;
use bayes::model::NonFiniteTerm;
use bayes::rng::{RngExt, Stream};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A density, and the first exception that its functions raised.
pub(crate) struct Called<'a> {
    density: &'a Density,
    densities: &'a Densities,
    has_raised: AtomicBool,
    raised: Mutex<Option<PyErr>>,
}

/// The same without its gradient, whose differences the library takes.
struct WithoutGradient<'a>(&'a Called<'a>);

impl<'a> Called<'a> {
    pub(super) fn new(density: &'a Density, densities: &'a Densities) -> Self {
        Self {
            density,
            densities,
            has_raised: AtomicBool::new(false),
            raised: Mutex::new(None),
        }
    }

    /// Whether a function has raised an exception.
    pub(crate) fn has_raised(&self) -> bool {
        self.has_raised.load(Ordering::Relaxed)
    }

    /// The first exception that a function raised.
    pub(crate) fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().ok()?.take()
    }

    /// The answer of a function; `None` if it raises, now or before.
    fn kept<T>(&self, answer: impl FnOnce() -> PyResult<T>) -> Option<T> {
        if self.has_raised() {
            return None;
        }
        answer().map_err(|raised| self.keep(raised)).ok()
    }

    fn keep(&self, raised: PyErr) {
        if let Ok(mut first) = self.raised.lock() {
            first.get_or_insert(raised);
        }
        self.has_raised.store(true, Ordering::Relaxed);
    }

    /// Fills both log densities, and with weights the gradient.
    fn fill(&self, weights: Option<[f64; 2]>, block: &mut Block<'_>) -> PyResult<()> {
        let (prior, likelihood) = match self.densities {
            Densities::Joint(functions) => {
                functions.call(weights, block);
                return Ok(());
            }
            Densities::Split {
                prior, likelihood, ..
            } => (
                prior.as_ref().map(|prior| &prior.get().0),
                &likelihood.get().0,
            ),
        };
        let [of_prior, of_likelihood] = weights.unwrap_or_default();
        block.log_prior.fill(0.0);
        if weights.is_some() {
            block.gradient.fill(0.0);
        }
        let mut slopes = vec![0.0; weights.map_or(0, |_| block.positions.len())];
        let mut add = |function: &Kind, weight: f64, values: &mut [f64]| {
            let wanted = (weight != 0.0).then_some(&mut slopes[..]);
            function.fill(block.dim, block.positions, values, wanted)?;
            if weight != 0.0 {
                let sums = block.gradient.iter_mut().zip(&slopes);
                sums.for_each(|(sum, slope)| *sum += weight * slope);
            }
            PyResult::Ok(())
        };
        if let Some(prior) = prior {
            add(prior, of_prior, block.log_prior)?;
        }
        add(likelihood, of_likelihood, block.log_likelihood)
    }

    fn fill_or_nan(&self, weights: Option<[f64; 2]>, block: &mut Block<'_>) {
        if self.kept(|| self.fill(weights, block)).is_none() {
            block.log_prior.fill(f64::NAN);
            block.log_likelihood.fill(f64::NAN);
            block.gradient.fill(0.0);
        }
    }
}

impl LogDensity for Called<'_> {
    fn dim(&self) -> usize {
        self.density.dim
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        self.fill_or_nan(None, block);
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        let has_gradient = match self.densities {
            Densities::Split { has_gradient, .. } => *has_gradient,
            Densities::Joint(_) => true,
        };
        match has_gradient {
            true => self.fill_or_nan(Some(weights), block),
            false => WithoutGradient(self).evaluate_gradient(weights, block),
        }
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.density.drawn.as_ref()?;
        Some(self)
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl LogDensity for WithoutGradient<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        self.0.evaluate(block);
    }
}

impl Prior for Called<'_> {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let draw = match &self.density.drawn {
            Some(Drawn::Interpreted(draw)) => draw,
            Some(Drawn::Normal { mean, sd }) => {
                for (x, (mean, sd)) in position.iter_mut().zip(mean.iter().zip(sd)) {
                    *x = Normal::new(*mean, *sd).draw_one(stream);
                }
                return;
            }
            Some(Drawn::Student(function)) => {
                return match &function.get().0 {
                    Kind::Student(student) => student.draw(stream, position),
                    _ => position.fill(f64::NAN),
                };
            }
            None => return position.fill(f64::NAN),
        };
        let seed: u64 = stream.random();
        let drawn = self.kept(|| {
            Python::attach(|py| numbers(draw.call1(py, (seed,))?.bind(py), position.len()))
        });
        match drawn {
            Some(drawn) => position.copy_from_slice(&drawn),
            None => position.fill(f64::NAN),
        }
    }

    fn is_normalised(&self) -> bool {
        self.density.is_normalised
    }
}

impl Quantities for Called<'_> {
    fn describe(&self) -> Option<Description> {
        Some(self.density.description.clone())
    }

    fn output(&self, position: &[f64]) -> Vec<f64> {
        self.outputs(position, position.len())
    }

    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        let Some(output) = &self.density.output else {
            return positions.to_vec();
        };
        let particles = positions.len() / dim.max(1);
        let wanted = particles * self.density.description.layout.elements();
        let computed = self.kept(|| {
            Python::attach(|py| {
                let given = PyBytes::new(py, &of_bytes(positions));
                numbers(output.call1(py, (given, particles))?.bind(py), wanted)
            })
        });
        computed.unwrap_or_else(|| vec![f64::NAN; wanted])
    }

    fn non_finite_terms(&self, _: &[f64], values: [f64; 2]) -> Vec<NonFiniteTerm> {
        // the statements are the log prior and the log likelihood
        let terms = values.into_iter().enumerate();
        let term = |(statement, term)| NonFiniteTerm {
            statement,
            term,
            cause: None,
            observation: None,
        };
        terms
            .filter(|(_, term): &(usize, f64)| !term.is_finite())
            .map(term)
            .collect()
    }
}
