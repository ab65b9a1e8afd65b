//! One log density: a function of the interpreter, a C function, a Stan program, or a distribution.

use super::bytes::{numbers, of_bytes};
use super::pointer::Single;
use super::program::{self, Addresses, Program};
use super::student::Student;
use crate::draws;
use bayes::module::wrong;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::ffi::CString;

/// The parameters of a Stan program at positions, and the place and the words of the first position at which it has none.
type Constrained<'py> = (Bound<'py, PyByteArray>, Option<(usize, String)>);

/// A log density of a position, `[dim]`.
pub(crate) enum Kind {
    /// A callable `(positions, particles, with_gradients)`, where positions are bytes of `[particles, dim]`; it returns the bytes of the values,
    /// `[particles]`, and with gradients those of `[particles, dim]` after them.
    Interpreted(Py<PyAny>),
    /// A C function.
    Compiled(Single),
    /// Independent normal distributions, `[dim]`.
    Normal { mean: Vec<f64>, sd: Vec<f64> },
    /// A program of Stan.
    Program(Program),
    /// A Student t distribution.
    Student(Student),
    /// The log density of `all` less that of `part`: the likelihood where `part` is taken as the prior.
    Rest {
        all: Py<Function>,
        part: Py<Function>,
    },
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

    /// The Stan program whose model and functions are at these addresses, which live as long as their owner.
    #[staticmethod]
    #[allow(unsafe_code)]
    fn program(addresses: Addresses, is_threaded: bool, owner: Py<PyAny>) -> PyResult<Self> {
        // SAFETY: `_stan.py` passes addresses of a model and of the functions of its library, whose version it has compared, and their owner
        let found = unsafe { Program::at(addresses, is_threaded, owner) };
        let found = found.ok_or_else(|| wrong("a function of the library has the address 0"))?;
        Ok(Self(Kind::Program(found)))
    }

    /// The model of a Stan program with its data, as its address, or the words with which the program refuses them; `of` are the addresses of
    /// `bs_model_construct` and `bs_free_error_msg`.
    #[staticmethod]
    #[allow(unsafe_code)]
    fn construct(
        py: Python<'_>,
        of: (usize, usize),
        data: &str,
        seed: u32,
    ) -> PyResult<(usize, Option<String>)> {
        if of.0 == 0 || of.1 == 0 {
            return Err(wrong("a function of the library has the address 0"));
        }
        let data = CString::new(data).map_err(|_| wrong("`data` has a character 0"))?;
        // SAFETY: `_stan.py` passes addresses of the functions of a library, whose version it has compared
        let made = py.detach(|| unsafe { program::construct(of, &data, seed) });
        Ok(match made {
            Ok(model) => (model, None),
            Err(words) => (0, Some(words.unwrap_or_default())),
        })
    }

    /// Frees the model of a Stan program by the address of `bs_model_destruct`.
    #[staticmethod]
    #[allow(unsafe_code)]
    fn destruct(py: Python<'_>, destruct: usize, model: usize) {
        if destruct != 0 && model != 0 {
            // SAFETY: `_stan.py` passes the address of a function of a library, and a model of it that nothing else refers to
            py.detach(|| unsafe { program::destruct(destruct, model) });
        }
    }

    /// A Student t distribution: `lower` is the factor of its scale, `[dim, dim]`, and `log_normaliser` lacks its diagonal.
    #[staticmethod]
    fn student(
        nu: f64,
        location: Vec<f64>,
        lower: Vec<f64>,
        log_normaliser: f64,
    ) -> PyResult<Self> {
        let found = Student::new(nu, location, &lower, log_normaliser)?;
        Ok(Self(Kind::Student(found)))
    }

    /// The log density of `all` less that of `part`.
    #[staticmethod]
    fn rest(all: Py<Self>, part: Py<Self>) -> Self {
        Self(Kind::Rest { all, part })
    }

    /// Of a Stan program: the numbers of calls and of refusals, and the words of the first refusal.
    fn refusals(&self) -> (u64, u64, Option<String>) {
        match &self.0 {
            Kind::Program(program) => program.refusals(),
            _ => (0, 0, None),
        }
    }

    /// Of a Stan program: its parameters and transformed parameters at positions, `[particles, elements]` in the order of Stan, `of` which there are
    /// `(dim, elements)`; and the place and the words of the first position at which it has none, behind which there are zeros.
    fn constrain<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        particles: usize,
        of: (usize, usize),
    ) -> PyResult<Constrained<'py>> {
        let Kind::Program(program) = &self.0 else {
            return Err(wrong("it is no Stan program"));
        };
        let (dim, elements) = of;
        let positions = numbers(positions, particles * dim)?;
        let mut found = vec![0.0; particles * elements];
        let refused = py.detach(|| {
            let mut rows = positions
                .chunks_exact(dim)
                .zip(found.chunks_exact_mut(elements))
                .enumerate();
            rows.find_map(|(place, (x, row))| {
                let words = program.constrain(x, row).err()?;
                Some((place, words))
            })
        });
        Ok((draws::bytes(py, &found)?, refused))
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
                each(dim, positions, values, gradients, |x, gradient| {
                    for (k, slope) in gradient.into_iter().flatten().enumerate() {
                        *slope = (mean[k] - x[k]) / (sd[k] * sd[k]);
                    }
                    normal(mean, sd, x)
                });
                Ok(())
            }
            Self::Program(program) => {
                each(dim, positions, values, gradients, |x, gradient| {
                    program.call(x, gradient)
                });
                Ok(())
            }
            Self::Student(student) => {
                each(dim, positions, values, gradients, |x, gradient| {
                    student.log_density(x, gradient)
                });
                Ok(())
            }
            Self::Rest { all, part } => {
                let (all, part) = (&all.get().0, &part.get().0);
                let mut gradients = gradients;
                let mut parts = vec![0.0; values.len()];
                let mut slopes = vec![0.0; gradients.as_ref().map_or(0, |all| all.len())];
                let wanted = gradients.is_some().then_some(&mut slopes[..]);
                part.fill(dim, positions, &mut parts, wanted)?;
                all.fill(dim, positions, values, gradients.as_deref_mut())?;
                less(values, &parts);
                if let Some(gradients) = gradients {
                    less(gradients, &slopes);
                }
                Ok(())
            }
        }
    }
}

fn less(values: &mut [f64], parts: &[f64]) {
    let both = values.iter_mut().zip(parts);
    both.for_each(|(value, part)| *value -= part);
}

/// Fills the values, and the gradients if there is room, by a function of one position and its gradient.
fn each(
    dim: usize,
    positions: &[f64],
    values: &mut [f64],
    gradients: Option<&mut [f64]>,
    mut one: impl FnMut(&[f64], Option<&mut [f64]>) -> f64,
) {
    let mut gradients = gradients.map(|all| all.chunks_exact_mut(dim));
    for (value, x) in values.iter_mut().zip(positions.chunks_exact(dim)) {
        *value = one(x, gradients.as_mut().and_then(Iterator::next));
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
