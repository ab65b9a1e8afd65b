//! The models of a module, as objects of Python.

use crate::argument::{Kind, Value};
use crate::errors::{caught, exception, wrong};
use crate::running::{Wanted, run};
use crate::task::{Answer, Quantity, Task};
use crate::words::spoken;
use bayes_core::Error;
use bayes_core::inspect::Check;
use bayes_core::predict::NewGroups;
use bayes_core::run::Run;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyModule};
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
/// `ImportError` if the package `bayes` is missing or too old; `TypeError` for a function that is no model itself.
pub fn export(module: &Bound<'_, PyModule>, entries: Vec<Entry>) -> PyResult<()> {
    let py = module.py();
    let class = py.import("bayes")?.getattr("ModelFunction")?;
    let mut names = Vec::new();
    for entry in entries {
        let model = Exported::new(entry)?;
        let name = model.name.clone();
        let qualified = module.name()?;
        module.add(&*name, class.call1((Bound::new(py, model)?, qualified))?)?;
        names.push(name);
    }
    module.add("__all__", names)
}

impl Exported {
    fn new(entry: Entry) -> PyResult<Self> {
        let placeholders: Vec<Value<'_>> = entry
            .kinds
            .iter()
            .copied()
            .map(Value::placeholder)
            .collect();
        let described = (entry.perform)(&placeholders, &mut Task::Describe);
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
            return Err(wrong(format_args!(
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

    /// The log priors, the log likelihoods and the gradients of their sums at positions without constraints, `[positions, dim]`.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        positions: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let values = self.values(&data)?;
        let numbers = positions.as_bytes().as_chunks::<8>().0.iter();
        let positions: Vec<f64> = numbers.map(|bytes| f64::from_ne_bytes(*bytes)).collect();
        let work = || self.performed(&values, &mut Task::Evaluate(&positions, 0));
        match caught(|| py.detach(work).map_err(exception))? {
            Answer::Numbers(numbers) => Ok(bytes(py, &numbers)),
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
