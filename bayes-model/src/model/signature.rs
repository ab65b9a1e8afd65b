//! The signature of a model on its data: its random quantities and its observed variables.

use super::dims::{fit, nested};
use super::forward::{Forward, Start, Wanted};
use super::gap_rows::dims_of;
use super::indices::places_of_sums;
use super::layout::{element_names, element_places, named};
use super::outline::Outline;
use super::validate::impossible_in_sums;
use super::{Dim, Limits, Model, Statement, StatementDims, StatementKind, Variable, VariableKind};
use crate::dist::{DataError, Shape, Term};
use crate::error::{Error, Problem, ProblemKind};
use crate::rng::{Key, Purpose};
use bayes_autodiff::fault;

/// An observed variable of a model with the model's data.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The name of the data in `observe(data, ..)`; `y` for `observe(y[i], ..)`.
    pub name: String,
    /// The shape of the data: the shape of a single statement, a vector for scalars in a loop, a matrix for vectors of one length in a
    /// loop.
    pub shape: Shape,
    /// Whether its distribution is over whole numbers.
    pub is_discrete: bool,
    /// The data, row-major.
    pub data: Vec<f64>,
    /// Number of independent observations, each with its own log likelihood. A vector that is observed as a whole, such as one under a
    /// `MultivariateNormal`, is one observation. All data after a `sum_out` are one observation too, counted for the first variable there.
    pub observations: usize,
    /// Number of categories, if each observation is one of several.
    pub categories: Option<usize>,
    /// Numbers of data with a limit of censoring, at their limit, and without one.
    pub limits: Limits,
    /// The elements whose likelihood is not their density, or their probability: those that are censored, or have a weight, with their
    /// numbers.
    pub terms: Vec<(usize, Term)>,
    /// Its dimensions with the names of the places along them, rows first; empty without names.
    pub dims: Vec<Dim>,
    /// For data after `sum_out`, the observation of each element: the index of its variable, and its number there. Empty for other data.
    pub owners: Vec<(usize, usize)>,
    /// The place of each element, `2,0` for `y[2][0]`, where nested loops visit the data in another order than row by row, or loops not all of
    /// them, such as missing ones; otherwise empty, and shape and dimensions name the elements.
    pub places: Vec<String>,
}

/// A quantity of a `generate` or `sum_out` statement, which is drawn after the run, or of a `deterministic` statement, which is computed again.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The `let` name.
    pub name: String,
    /// Its shape: the shape of a single statement, a vector for scalars in a loop, a matrix for vectors of one length in a loop.
    pub shape: Shape,
    /// Whether its distribution is over whole numbers.
    pub is_discrete: bool,
    /// Its dimensions with the names of the places along them, rows first; empty without names.
    pub dims: Vec<Dim>,
}

impl Observed {
    /// The names of the elements: `y[3]`, `y[2,0]`, `y[Choate]`; `y` for a single number.
    #[must_use]
    pub fn element_names(&self) -> Vec<String> {
        match self.places.is_empty() {
            true => element_names(&self.name, self.shape, &self.dims),
            false => named(&self.name, self.places.clone()),
        }
    }

    /// The names of the observations: the names of the elements if each element is an observation; `y[3]`, `y[Choate]` by its row if each
    /// row is an observation, and by its number otherwise.
    #[must_use]
    pub fn observation_names(&self) -> Vec<String> {
        named(&self.name, self.observation_places())
    }

    /// The places in the names of the observations.
    pub fn observation_places(&self) -> Vec<String> {
        let elements = match self.places.is_empty() {
            true => element_places(self.shape, &self.dims),
            false => self.places.clone(),
        };
        if elements.len() == self.observations {
            return elements;
        }
        if let Some(places) = places_of_sums(&elements, &self.owners, self.observations) {
            return places;
        }
        let rows = self
            .dims
            .first()
            .filter(|dim| dim.places.len() == self.observations);
        match rows {
            Some(dim) => dim.places.clone(),
            None => (0..self.observations).map(|i| i.to_string()).collect(),
        }
    }
}

impl Observed {
    /// Names the dimensions, and the places of elements with their own places.
    fn name_places(&mut self, dims: Vec<Dim>) {
        if self.places.is_empty() || dims.len() == 1 {
            self.places.clear();
            self.shape = nested(self.shape, &dims);
            self.dims = dims;
            return;
        }
        let renamed = |place: &String| -> Option<String> {
            let indices = place.split(',').zip(&dims);
            let names = indices.map(|(index, dim)| dim.places.get(index.parse::<usize>().ok()?));
            let names: Option<Vec<&String>> = names.collect();
            Some(
                names?
                    .into_iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(","),
            )
        };
        if dims.len() == 2 {
            let all: Option<Vec<String>> = self.places.iter().map(renamed).collect();
            self.places = all.unwrap_or_else(|| std::mem::take(&mut self.places));
        }
    }
}

impl Generated {
    /// The names of the elements: `y_new[3]`, `y_new[Choate]`; `y_new` for a single number.
    #[must_use]
    pub fn element_names(&self) -> Vec<String> {
        element_names(&self.name, self.shape, &self.dims)
    }
}

/// The random quantities and the observed variables of a model on its data.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The random quantities and the params, in the order of the program.
    pub random: Vec<Variable>,
    /// The observed variables.
    pub observed: Vec<Observed>,
    /// The quantities of `generate`.
    pub generated: Vec<Generated>,
    /// The quantities of `deterministic`.
    pub computed: Vec<Generated>,
    /// Data outside their support, so that there is no log likelihood.
    pub impossible: Vec<Problem>,
    /// Random quantities with an improper prior, and params, which have none: neither can be drawn.
    pub improper: Vec<Problem>,
    /// Whether the log likelihood has terms that are not observations: terms of `factor`, or of a random quantity with a given value.
    pub has_factor: bool,
}

/// What to know of data of a wrong length where a model is asked for new ones.
const NEW_ROWS: &str = "; to predict new rows give one number for each of them: NaN, or any number and `.without_data()` behind `run.predict(&model)?`";

/// The random quantities and the observed variables of `model`.
///
/// Data outside their support are not an error, because one can predict without data: any numbers of the right shape can stand for them.
///
/// # Errors
/// [`Error::Model`] if shapes do not fit or an index is out of range; [`Error::Rows`] if data marked `#[rows]` have
/// different numbers of rows.
pub fn signature<Mo: Model>(model: &Mo) -> Result<Signature, Error> {
    super::rows::count(model)?;
    let statements = model.statements();
    let mut stream = Key::new(0, Purpose::Validation).stream();
    let mut forward = Forward::new(
        statements,
        Start::Prior(&[]),
        Wanted::default(),
        &mut stream,
    );
    forward.outline = Some(Outline::new(statements));
    let outcome = fault::catch(|| forward.run(model));
    let mut outline = forward.outline.unwrap_or_default();
    if let Err(fault) = outcome {
        outline
            .problems
            .push(forward.place.of_fault((model.file(), statements), fault));
    }
    let problem = |(statement, kind): (usize, ProblemKind)| {
        let statement: &Statement = &statements[statement];
        let is_length = matches!(&kind, ProblemKind::InvalidData(DataError::Length { length, .. }) if *length > 0);
        let hint = if is_length { NEW_ROWS } else { "" };
        Problem {
            hint: hint.to_owned(),
            ..statement.problem(model.file(), kind)
        }
    };
    let problems = std::mem::take(&mut outline.problems);
    if !problems.is_empty() {
        return Err(Error::Model {
            model: model.name().to_owned(),
            problems: problems.into_iter().map(problem).collect(),
        });
    }
    let mut impossible = std::mem::take(&mut outline.impossible);
    if statements
        .iter()
        .any(|statement| statement.kind == StatementKind::SumOut)
    {
        impossible.extend(impossible_in_sums(model));
    }
    let improper = std::mem::take(&mut outline.improper);
    let rows = std::mem::take(&mut outline.rows);
    let has_factor = outline.has_factor;
    let mut found = Signature {
        random: outline.random_variables(statements),
        generated: outline.generated_variables(statements),
        computed: outline.computed_variables(statements),
        observed: outline.observed_variables(statements),
        impossible: impossible.into_iter().map(problem).collect(),
        improper: improper.into_iter().map(problem).collect(),
        has_factor,
    };
    let problems = found.name_dims(model, &dims_of(model, &rows));
    match problems.is_empty() {
        true => Ok(found),
        false => Err(Error::Model {
            model: model.name().to_owned(),
            problems,
        }),
    }
}

impl Signature {
    /// Names the dimensions of random, observed and generated quantities as the model does. Returns the random quantities whose names do
    /// not fit: a prediction would find their groups by position.
    fn name_dims<Mo: Model>(&mut self, model: &Mo, of_all: &[StatementDims]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let dims_of = |name: &str, kind: StatementKind, shape: Shape| -> Vec<Dim> {
            let mine = of_all.iter().filter(|dims| {
                let statement = &model.statements()[dims.statement];
                (statement.name, statement.kind) == (name, kind)
            });
            // validation reports the names that do not fit
            let mut fitting =
                mine.filter_map(|mine| fit(nested(shape, &mine.dims), &mine.dims).ok());
            fitting.next().unwrap_or_default()
        };
        for random in &mut self.random {
            let kind = match random.kind {
                VariableKind::Param => StatementKind::Param,
                _ => StatementKind::Sample,
            };
            random.dims = dims_of(&random.name, kind, random.shape);
            if random.dims.is_empty() && random.shape.elements() > 0 {
                problems.extend(misnamed(model, of_all, random));
            }
        }
        for observed in &mut self.observed {
            let of_shape = |shape| dims_of(&observed.name, StatementKind::Observe, shape);
            let mut dims = of_shape(observed.shape);
            if dims.is_empty() {
                // one name for all data that nested loops observe
                let flat = Shape::Vector(observed.data.len());
                dims = of_shape(flat);
                if !dims.is_empty() {
                    observed.shape = flat;
                }
            }
            observed.name_places(dims);
        }
        for generated in &mut self.generated {
            let of_kind = |kind| dims_of(&generated.name, kind, generated.shape);
            generated.dims = of_kind(StatementKind::Generate);
            if generated.dims.is_empty() {
                generated.dims = of_kind(StatementKind::SumOut);
            }
            generated.shape = nested(generated.shape, &generated.dims);
        }
        for computed in &mut self.computed {
            let kind = StatementKind::Deterministic;
            computed.dims = dims_of(&computed.name, kind, computed.shape);
            computed.shape = nested(computed.shape, &computed.dims);
        }
        problems
    }
}

/// Why the dimensions that the model gives to a random quantity do not fit; `None` if it gives none.
fn misnamed<Mo: Model>(model: &Mo, all: &[StatementDims], random: &Variable) -> Option<Problem> {
    all.iter().filter(|dims| !dims.is_part).find_map(|dims| {
        let statement = &model.statements()[dims.statement];
        let is_mine = statement.name == random.name
            && [StatementKind::Sample, StatementKind::Param].contains(&statement.kind);
        let reason = fit(random.shape, &dims.dims).err().filter(|_| is_mine)?;
        let reason = dims.reason(reason);
        Some(statement.problem(model.file(), ProblemKind::Dims { reason }))
    })
}
