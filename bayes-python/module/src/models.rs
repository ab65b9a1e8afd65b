//! The models of a module, as objects of Python.

use crate::argument::{Kind, Value};
use crate::errors::{caught, exception, text_of, wrong};
use crate::running::{Wanted, run};
use crate::task::{Answer, Quantity, Task};
use crate::words::spoken;
use bayes_check::inspect::Check;
use bayes_core::Error;
use bayes_core::predict::NewGroups;
use bayes_core::run::Run;
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyModule};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// What does a task with a model of these data; `None` if they are of other kinds.
type Perform = for<'d> fn(&'d [Value<'d>], &mut Task<'_>) -> Option<Result<Answer, Error>>;

/// A model of a module, before it is an object of Python.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What its arguments are.
    pub kinds: Vec<Kind>,
    /// What does a task with it.
    pub perform: Perform,
}

/// Data from Python: for each argument its shape, its numbers of 8 bytes, and its texts.
type Data<'py> = Vec<(Vec<usize>, Bound<'py, PyBytes>, Vec<String>)>;

/// What Python gets of a quantity: its name, its shape, the names of its elements, its data, its draws and their statistics.
type Predicted<'py> = (
    String,
    Vec<usize>,
    Vec<String>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// A function that makes models of data.
#[pyclass(frozen, name = "Model", module = "bayes")]
struct Exported {
    entry: Entry,
    name: String,
    source: String,
    /// The name of each argument, its elements and its number of dimensions.
    arguments: Vec<(String, &'static str, usize)>,
}

/// Adds the models to a module, each as a `bayes.ModelFunction` with its name.
///
/// # Errors
/// `ImportError` if the package `bayes` is missing or too old, or if a function panics; `TypeError` for a function that is no model itself.
pub fn export(module: &Bound<'_, PyModule>, entries: Vec<Entry>) -> PyResult<()> {
    let py = module.py();
    let package = py.import("bayes")?;
    let class = package.getattr("ModelFunction").map_err(|_| {
        PyImportError::new_err(
            "the package `bayes` that is installed has no `ModelFunction`: it is too old for this module, or another package of this name",
        )
    })?;
    let qualified = module.name()?.to_string();
    let mut names = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        let model = Exported::new(entry, place)?;
        let name = model.name.clone();
        module.add(
            &*name,
            class.call1((Bound::new(py, model)?, imported(&qualified)))?,
        )?;
        names.push(name);
    }
    module.add("__all__", names)
}

/// The name by which users import a module: a wheel has `schools.schools` within a package `schools` of the same names.
fn imported(qualified: &str) -> &str {
    match qualified.rsplit_once('.') {
        Some((package, name)) if package.rsplit('.').next() == Some(name) => package,
        _ => qualified,
    }
}

impl Exported {
    /// The model of the entry in this place of the module.
    fn new(entry: Entry, place: usize) -> PyResult<Self> {
        let placeholders: Vec<Value<'_>> = entry
            .kinds
            .iter()
            .copied()
            .map(Value::placeholder)
            .collect();
        // not `caught`: a process that imports a module has not worked, and may fork
        let describe = || (entry.perform)(&placeholders, &mut Task::Describe);
        let described = catch_unwind(AssertUnwindSafe(describe)).map_err(|panic| {
            PyImportError::new_err(format!(
                "function {} of `bayes::python!` panicked without data, by which its arguments are found: {}; name the function with `#[model]` \
                 itself, and prepare data in Python or within the model",
                place + 1,
                text_of(&*panic)
            ))
        })?;
        let Some(Ok(Answer::Description {
            name,
            is_made_by_itself,
            source,
            arguments,
        })) = described
        else {
            unreachable!("placeholders are of the kinds of the arguments");
        };
        if !is_made_by_itself || arguments.len() != entry.kinds.len() {
            return Err(PyTypeError::new_err(format!(
                "a function that returns the model `{name}` is not this model: name the function with `#[model]` itself in `bayes::python!`"
            )));
        }
        let kinds = arguments.iter().zip(&entry.kinds);
        let arguments =
            kinds.map(|(name, kind)| ((*name).to_owned(), kind.element.name(), kind.dimensions));
        Ok(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            arguments: arguments.collect(),
            entry,
        })
    }

    /// The answer of a task with these arguments.
    fn performed(&self, values: &[Value<'_>], task: &mut Task<'_>) -> Result<Answer, Error> {
        (self.entry.perform)(values, task)
            .expect("the data were read as the kinds of the arguments")
    }

    /// The data as arguments.
    fn values<'h>(&self, data: &'h Data<'_>) -> PyResult<Vec<Value<'h>>> {
        if data.len() != self.entry.kinds.len() {
            return Err(wrong(format_args!(
                "`{}` has {} arguments, and {} were given",
                self.name,
                self.entry.kinds.len(),
                data.len()
            )));
        }
        let kinds = self.entry.kinds.iter().zip(data).zip(&self.arguments);
        let values = kinds.map(|((kind, (shape, bytes, texts)), (name, ..))| {
            let value = Value::of(*kind, shape, bytes.as_bytes(), texts);
            value.ok_or_else(|| wrong(format_args!("the data of `{name}` are of another kind")))
        });
        values.collect()
    }

    /// The answer of a task with the run of a file, while other threads of Python go on.
    fn asked(
        &self,
        py: Python<'_>,
        data: &Data<'_>,
        path: PathBuf,
        task: impl for<'t> FnOnce(&'t Run) -> Task<'t> + Send,
    ) -> PyResult<Answer> {
        let values = self.values(data)?;
        let work = || {
            let run = Run::load(path)?;
            self.performed(&values, &mut task(&run))
        };
        caught(|| py.detach(work).map_err(exception))
    }
}

#[pymethods]
impl Exported {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The text of the function in Rust.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    #[getter]
    fn arguments(&self) -> Vec<(String, &'static str, usize)> {
        self.arguments.clone()
    }

    /// What `Model::check` prints.
    fn check(&self, py: Python<'_>, data: Data<'_>, seed: u64) -> PyResult<String> {
        let values = self.values(&data)?;
        let work = || self.performed(&values, &mut Task::Check(Check::new().seed(seed)));
        match caught(|| py.detach(work).map_err(exception))? {
            Answer::Text(text) => Ok(spoken(&text)),
            other => Err(unexpected(&other)),
        }
    }

    /// Runs an engine and saves the run: the troubles that did not stop it, and whether Ctrl-C did.
    #[allow(clippy::too_many_arguments)] // they are those of the method of Python
    fn run(
        &self,
        py: Python<'_>,
        data: Data<'_>,
        engine: &str,
        seed: u64,
        progress: bool,
        settings: &Bound<'_, PyDict>,
        out: PathBuf,
    ) -> PyResult<(Vec<String>, bool)> {
        let wanted = Wanted {
            engine,
            seed,
            progress,
            settings,
        };
        let values = self.values(&data)?;
        let ran = run(
            py,
            &wanted,
            || false,
            |engine| match self.performed(&values, &mut Task::Run(engine))? {
                Answer::Run(run) => Ok(*run),
                _ => unreachable!("an engine makes a run"),
            },
        );
        let (run, troubles, interrupted) = ran?;
        caught(|| py.detach(|| run.save(out)).map_err(exception))?;
        Ok((troubles, interrupted))
    }

    /// The log priors, the log likelihoods and the gradients of their sums at positions without constraints, `[positions, dim]`, of this shape.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        positions: &Bound<'py, PyBytes>,
        shape: [usize; 2],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let values = self.values(&data)?;
        let numbers = positions.as_bytes().as_chunks::<8>().0.iter();
        let positions: Vec<f64> = numbers.map(|bytes| f64::from_ne_bytes(*bytes)).collect();
        let [count, coordinates] = shape;
        if count.checked_mul(coordinates) != Some(positions.len()) {
            return Err(wrong(format_args!(
                "`positions` has {} numbers, and not {count} rows of {coordinates}",
                positions.len()
            )));
        }
        let work = || self.performed(&values, &mut Task::Evaluate(&positions, shape, 0));
        match caught(|| py.detach(work).map_err(exception))? {
            Answer::Densities(dim, _) if dim != coordinates => Err(wrong(format_args!(
                "`positions` has {coordinates} coordinates, and the model has {dim}"
            ))),
            Answer::Densities(_, numbers) => Ok(bytes(py, &numbers)),
            other => Err(unexpected(&other)),
        }
    }

    /// Draws of the data, and of generated quantities, by the run of a file.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        run: PathBuf,
        new_groups: bool,
    ) -> PyResult<Vec<Predicted<'py>>> {
        let groups = match new_groups {
            true => NewGroups::Draw,
            false => NewGroups::Refuse,
        };
        let answer = self.asked(py, &data, run, |run| Task::Predict(run, groups))?;
        predicted(py, answer)
    }

    /// The log likelihoods of the observations by the run of a file.
    fn log_likelihood<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        run: PathBuf,
    ) -> PyResult<Vec<Predicted<'py>>> {
        let answer = self.asked(py, &data, run, |run| Task::LogLikelihood(run))?;
        predicted(py, answer)
    }

    /// Leaves each observation out by the run of a file, and writes the file of the estimate.
    fn loo(&self, py: Python<'_>, data: Data<'_>, run: PathBuf, out: PathBuf) -> PyResult<()> {
        self.asked(py, &data, run, |run| Task::Loo(run, out))
            .map(drop)
    }

    /// Writes a page on the run of a file.
    fn report(&self, py: Python<'_>, data: Data<'_>, run: PathBuf, out: PathBuf) -> PyResult<()> {
        self.asked(py, &data, run, |run| Task::Report(run, out))
            .map(drop)
    }
}

fn predicted(py: Python<'_>, answer: Answer) -> PyResult<Vec<Predicted<'_>>> {
    let Answer::Quantities(all) = answer else {
        return Err(unexpected(&answer));
    };
    let all = all.into_iter().map(|quantity: Quantity| {
        let numbers = [&quantity.data, &quantity.draws, &quantity.statistics];
        let [data, draws, statistics] = numbers.map(|numbers| bytes(py, numbers));
        let Quantity {
            name,
            shape,
            elements,
            ..
        } = quantity;
        (name, shape, elements, data, draws, statistics)
    });
    Ok(all.collect())
}

/// Numbers as bytes, of which NumPy makes an array without a copy.
fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyBytes> {
    let all: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    PyBytes::new(py, &all)
}

/// The exception for an answer of another task.
fn unexpected(answer: &Answer) -> PyErr {
    wrong(format_args!(
        "this is no answer to the question: {answer:?}"
    ))
}
