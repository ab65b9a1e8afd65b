//! Log densities of Python: of functions that the interpreter runs, and of compiled ones that it does not.

mod bytes;
mod called;
mod evidence;
mod function;
mod pointer;
mod program;
mod student;

use crate::draws;
use crate::run::Run;
use bayes::density::{Description, LogDensity, Particles};
use bayes::dist::Shape;
use bayes::model::{Dim, Layout, StatementInfo, Variable, VariableKind};
use bayes::module::{self, Wanted, caught, wrong};
use bayes::rng::{Key, Purpose};
use bytes::numbers;
use called::Called;
pub(crate) use evidence::together;
pub(crate) use function::Function;
use pointer::Joint;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

/// A quantity: its name, its shape of at most two dimensions, these with the names of their places, and whether it is deterministic.
type Quantity = (String, Vec<usize>, Vec<(String, Vec<String>)>, bool);

/// What a call for a run returns: the run, trouble that did not stop it, and whether Ctrl-C did.
type Ran = (Run, Vec<String>, bool);

/// How the log prior and the log likelihood are computed.
enum Densities {
    Split {
        prior: Option<Py<Function>>,
        likelihood: Py<Function>,
        has_gradient: bool,
    },
    Joint(Joint),
}

/// How prior draws are made.
enum Drawn {
    /// A callable of a seed that returns the bytes of a position, `[dim]`.
    Interpreted(Py<PyAny>),
    /// Independent normal distributions, `[dim]`.
    Normal { mean: Vec<f64>, sd: Vec<f64> },
    /// A Student t distribution.
    Student(Py<Function>),
}

/// A log density on R^d, on which engines run.
#[pyclass]
pub(crate) struct Density {
    dim: usize,
    description: Description,
    densities: Option<Densities>,
    drawn: Option<Drawn>,
    is_normalised: bool,
    /// A callable of positions as bytes, `[particles, dim]`, and their number; it returns those of the quantities, `[particles, elements]`.
    output: Option<Py<PyAny>>,
}

#[pymethods]
impl Density {
    #[new]
    fn new(dim: usize, name: String, quantities: Vec<Quantity>) -> PyResult<Self> {
        let statement = |text: &str| StatementInfo {
            text: text.to_owned(),
            line: 0,
            improper: false,
            words: None,
        };
        let description = Description {
            name,
            layout: layout(dim, quantities)?,
            statements: vec![statement("the log prior"), statement("the log likelihood")],
            ..Description::unnamed(dim)
        };
        Ok(Self {
            dim,
            description,
            densities: None,
            drawn: None,
            is_normalised: false,
            output: None,
        })
    }

    /// Computes it by two functions; without one for the prior it is all likelihood.
    fn split(&mut self, prior: Option<Py<Function>>, likelihood: Py<Function>, has_gradient: bool) {
        self.densities = Some(Densities::Split {
            prior,
            likelihood,
            has_gradient,
        });
    }

    /// Computes it by two C functions of blocks, of values and of gradients too, which live as long as their owner.
    #[allow(unsafe_code)]
    fn joint(&mut self, values: usize, gradients: usize, owner: Py<PyAny>) -> PyResult<()> {
        // SAFETY: `_numba.py` passes addresses of functions alone that it has compiled with this signature, and their owner
        let found = unsafe { Joint::at(values, gradients, owner) };
        let found = found.ok_or_else(|| wrong("a C function has the address 0"))?;
        self.densities = Some(Densities::Joint(found));
        Ok(())
    }

    /// Draws from the prior by a function of a seed.
    fn drawn_by(&mut self, draw: Py<PyAny>, is_normalised: bool) {
        self.drawn = Some(Drawn::Interpreted(draw));
        self.is_normalised = is_normalised;
    }

    /// Draws from independent normal distributions, `[dim]`.
    fn drawn_normal(&mut self, mean: Vec<f64>, sd: Vec<f64>) {
        self.drawn = Some(Drawn::Normal { mean, sd });
        self.is_normalised = true;
    }

    /// Draws from a Student t distribution.
    fn drawn_student(&mut self, student: Py<Function>) {
        self.drawn = Some(Drawn::Student(student));
        self.is_normalised = true;
    }

    /// Computes the quantities by a function of positions.
    fn output_by(&mut self, output: Py<PyAny>) {
        self.output = Some(output);
    }

    /// The log priors and log likelihoods at positions, `[particles, dim]`, and with `weights` the gradients of their weighted sum.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        particles: usize,
        weights: Option<[f64; 2]>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let called = self.called()?;
        let positions = numbers(positions, particles * self.dim)?;
        let mut all = Particles::new(particles, self.dim);
        all.positions = positions;
        caught(|| {
            py.detach(|| match weights {
                Some(weights) => called.evaluate_gradient(weights, &mut all.block()),
                None => called.evaluate(&mut all.block()),
            });
            Ok(())
        })?;
        if let Some(raised) = called.take_raised() {
            return Err(raised);
        }
        let mut answer = [all.log_prior, all.log_likelihood].concat();
        answer.extend(weights.map_or_else(Vec::new, |_| all.gradient));
        draws::bytes(py, &answer)
    }

    /// Draws from the prior, `[draws, dim]`, each with its own stream.
    fn draw_prior<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        draws: usize,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let called = self.called()?;
        let prior = called
            .prior()
            .ok_or_else(|| wrong("there is no prior to draw from"))?;
        let key = Key::new(seed, Purpose::Validation);
        let all = py.detach(|| Particles::of_prior(draws, self.dim, prior, key));
        match called.take_raised() {
            Some(raised) => Err(raised),
            None => draws::bytes(py, &all.positions),
        }
    }

    /// The run of an engine with these settings.
    fn run(
        &self,
        py: Python<'_>,
        name: &str,
        seed: u64,
        progress: bool,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Ran> {
        let wanted = Wanted {
            engine: name,
            seed,
            progress,
            settings,
        };
        let called = self.called()?;
        let is_over = || called.has_raised();
        let ran = module::run(py, &wanted, is_over, |engine| engine.run_on(&called));
        if let Some(raised) = called.take_raised() {
            return Err(raised);
        }
        let (run, troubles, interrupted) = ran?;
        Ok((Run::new(run), troubles, interrupted))
    }
}

impl Density {
    fn called(&self) -> PyResult<Called<'_>> {
        let densities = self.densities.as_ref();
        let densities = densities.ok_or_else(|| wrong("the density has no functions"))?;
        Ok(Called::new(self, densities))
    }
}

/// The layout of a draw with these quantities.
///
/// # Errors
/// `BayesInputError` for more than two dimensions.
fn layout(dim: usize, quantities: Vec<Quantity>) -> PyResult<Layout> {
    let mut offset = 0;
    let mut variables = Vec::new();
    for (name, shape, dims, is_deterministic) in quantities {
        let shape = match shape[..] {
            [] => Shape::Scalar,
            [n] => Shape::Vector(n),
            [rows, columns] => Shape::Matrix(rows, columns),
            _ => return Err(wrong(format_args!("`{name}` has more than two dimensions"))),
        };
        let dims = dims
            .into_iter()
            .map(|(name, places)| Dim::new(&name, places));
        let kind = match is_deterministic {
            true => VariableKind::Deterministic,
            false => VariableKind::Continuous,
        };
        variables.push(Variable {
            name,
            shape,
            kind,
            offset,
            dims: dims.collect(),
            turns: Vec::new(),
            is_angle: false,
        });
        offset += shape.elements();
    }
    Ok(Layout { variables, dim })
}
