//! Finds the random quantities of a prediction's model in the draws of the run, by the names of their places if they have some.

use super::{NewGroups, PredictionError};
use crate::dist::Shape;
use crate::error::Error;
use crate::model::{
    Dim, Matched, Misfit, Model, Statement, StatementKind, Variable, VariableKind, misfit,
};
use crate::rng::{Key, Purpose};
use crate::run::Run;
use std::collections::BTreeMap;

/// Where the random quantities of a model are in the draws of a run. `None` if they equal the quantities of the run, in its order, so that
/// the model can be evaluated at the run's positions.
pub(super) fn matched<Mo: Model>(
    run: &Run,
    model: &Mo,
    random: &[Variable],
    new_groups: NewGroups,
) -> Result<Option<Vec<Matched>>, PredictionError> {
    if run.layout.dim == 0 && !random.is_empty() {
        return Err(PredictionError::Selected);
    }
    let in_run = run.layout.variables.iter();
    let in_run: Vec<&Variable> = in_run
        .filter(|variable| variable.kind != VariableKind::Deterministic)
        .collect();
    let mut pairs = in_run.iter().zip(random);
    if in_run.len() == random.len() && pairs.all(|(mine, theirs)| is_same(mine, theirs)) {
        return Ok(None);
    }
    let pick = Pick {
        model,
        new_groups,
        is_formula: run.recipe.is_some(),
    };
    let quantities = random.iter().map(|theirs| {
        let mut same = in_run.iter().filter(|mine| mine.name == theirs.name);
        pick.of(same.next().copied(), theirs)
    });
    let quantities: Vec<Matched> = quantities.collect::<Result<_, _>>()?;
    for mine in in_run {
        // a quantity that the model lacks belongs to a loop that did not run
        let is_there = statement(model, mine).is_some();
        if !is_there && random.iter().all(|theirs| theirs.name != mine.name) {
            return Err(differ(Some(mine), None));
        }
    }
    match first_misfit(run, model, &quantities) {
        Some((Statement { name, text, .. }, Misfit::Undrawn)) => Err(PredictionError::Undrawn {
            name,
            statement: text,
        }),
        Some((Statement { name, text, .. }, found)) => Err(PredictionError::Together {
            name,
            statement: text,
            is_new: found == Misfit::Together,
        }),
        None => Ok(Some(quantities)),
    }
}

/// An error about groups of a formula that the run has not seen, for answers that draw no effects of such groups.
pub(super) fn without_new_groups(error: Error) -> Error {
    match error {
        Error::Prediction {
            model,
            source: PredictionError::NewGroups { effects },
        } => Error::Prediction {
            model,
            source: PredictionError::OtherGroups { effects },
        },
        other => other,
    }
}

/// Whether two quantities have the same elements in the same order. A dimension with another name but the same places counts as renamed.
fn is_same(mine: &Variable, theirs: &Variable) -> bool {
    let of = |v: &Variable| (v.name.clone(), v.shape, v.kind);
    of(mine) == of(theirs) && mine.turns == theirs.turns && same_places(&mine.dims, &theirs.dims)
}

/// Whether dimensions have the same places in the same order, regardless of the dimensions' names. True if one side names no places.
fn same_places(mine: &[Dim], theirs: &[Dim]) -> bool {
    let mut dims = mine.iter().zip(theirs);
    dims.all(|(a, b)| a.places == b.places && a.rows_of == b.rows_of)
}

/// The inputs for finding elements.
struct Pick<'a, Mo> {
    model: &'a Mo,
    new_groups: NewGroups,
    /// Whether the run is of a formula, whose users know neither quantities nor dimensions of its model.
    is_formula: bool,
}

impl<Mo: Model> Pick<'_, Mo> {
    /// The elements of a quantity of the model, in a draw of the run, where the quantity is `mine`.
    fn of(&self, mine: Option<&Variable>, theirs: &Variable) -> Result<Matched, PredictionError> {
        let name = theirs.name.clone();
        if theirs.shape.elements() == 0 {
            let elements = Vec::new();
            return Ok(Matched { name, elements });
        }
        let Some(mine) = mine.filter(|mine| mine.kind == theirs.kind) else {
            return Err(differ(mine, Some(theirs)));
        };
        let dims = self.dims(theirs);
        let same_dims = mine.dims.len() == dims.len()
            && mine.dims.iter().zip(&dims).all(|(a, b)| a.name == b.name);
        let elements = if same_dims && !dims.is_empty() {
            self.by_place(mine, &dims)
                .map_err(|error| self.in_own_words(error))?
        } else if mine.shape == theirs.shape
            && mine.turns == theirs.turns
            && same_places(&mine.dims, &dims)
        {
            mine.range().map(Some).collect()
        } else {
            return Err(differ(Some(mine), Some(theirs)));
        };
        Ok(Matched { name, elements })
    }

    /// The dimensions of a quantity of the model, including the dimension of a loop that ran once.
    fn dims(&self, theirs: &Variable) -> Vec<Dim> {
        let all = self.model.dims().into_iter();
        let mut mine = all.filter(|dims| {
            let statement = &self.model.statements()[dims.statement];
            is_random(statement) && statement.name == theirs.name
        });
        let lengths = theirs.shape.lengths().len();
        let is_of_one = |dims: &[Dim]| dims.len() == lengths + 1 && dims[0].places.len() == 1;
        match mine.next().map(|dims| dims.dims) {
            Some(dims) if theirs.dims.is_empty() && is_of_one(&dims) => dims,
            _ => theirs.dims.clone(),
        }
    }

    /// An error with the user's name of the dimension, `#[dims(person)]` above `impute`, or of a formula's effects.
    fn in_own_words(&self, error: PredictionError) -> PredictionError {
        let PredictionError::NewPlaces { name, dim, places } = error else {
            return error;
        };
        if self.is_formula {
            return PredictionError::NewGroups { effects: places };
        }
        let all = self.model.dims().into_iter();
        let mut same = all.filter(|dims| dims.dims.iter().any(|own| own.name == dim));
        let rows = same.find_map(|dims| dims.rows).map(str::to_owned);
        let dim = rows.unwrap_or(dim);
        PredictionError::NewPlaces { name, dim, places }
    }

    /// The elements at the places of `dims`, row-major.
    fn by_place(
        &self,
        mine: &Variable,
        dims: &[Dim],
    ) -> Result<Vec<Option<usize>>, PredictionError> {
        let mut elements = vec![Some(0)];
        for (in_run, here) in mine.dims.iter().zip(dims) {
            let is_same_data = in_run.rows_of == here.rows_of;
            if !is_same_data && self.new_groups == NewGroups::Refuse {
                let name = mine.name.clone();
                return Err(PredictionError::OtherRows { name });
            }
            // rows of other data have other values, even under the same number
            let known = in_run.places.iter().filter(|_| is_same_data).enumerate();
            let known: BTreeMap<&String, usize> = known.map(|(i, place)| (place, i)).collect();
            let is_new = |place: &&String| !known.contains_key(place);
            let new: Vec<String> = here.places.iter().filter(is_new).cloned().collect();
            if !new.is_empty() && self.new_groups == NewGroups::Refuse {
                return Err(PredictionError::NewPlaces {
                    name: mine.name.clone(),
                    dim: here.name.clone(),
                    places: new,
                });
            }
            let length = in_run.places.len();
            let along = |so_far: &Option<usize>| {
                let so_far = *so_far;
                let places = here.places.iter().map(|place| known.get(place));
                let next = places.map(move |place| Some(so_far? * length + place?));
                next.collect::<Vec<_>>()
            };
            elements = elements.iter().flat_map(along).collect();
        }
        let from_start = |at: Option<usize>| at.map(|at| mine.offset + at);
        Ok(elements.into_iter().map(from_start).collect())
    }
}

/// The first value in the first draw of a run that the model does not allow.
fn first_misfit<Mo: Model>(
    run: &Run,
    model: &Mo,
    quantities: &[Matched],
) -> Option<(&'static Statement, Misfit)> {
    let width = run.layout.elements();
    let draw = run.groups.iter().find_map(|group| group.draws.get(..width));
    let mut stream = Key::new(0, Purpose::Validation).stream();
    misfit(model, draw?, quantities, &mut stream)
}

fn is_random(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Sample | StatementKind::Param)
}

/// The statement of a random quantity.
fn statement<Mo: Model>(model: &Mo, quantity: &Variable) -> Option<&'static Statement> {
    statement_of(model.statements(), quantity)
}

/// The statement of a random quantity, out of those of a model.
pub(super) fn statement_of(
    statements: &'static [Statement],
    quantity: &Variable,
) -> Option<&'static Statement> {
    let mut statements = statements.iter();
    statements.find(|statement| is_random(statement) && statement.name == quantity.name)
}

/// The error for two quantities that differ.
fn differ(mine: Option<&Variable>, theirs: Option<&Variable>) -> PredictionError {
    let name = mine.or(theirs).map_or("", |known| known.name.as_str());
    PredictionError::Quantity {
        name: name.to_owned(),
        run: mine.map(in_words),
        model: theirs.map(in_words),
    }
}

/// The first lengths of parts, in words.
fn lengths(turns: &[usize]) -> String {
    const SHOWN: usize = 10;
    let shown = turns.iter().take(SHOWN).map(usize::to_string);
    let shown = shown.collect::<Vec<String>>().join(", ");
    match turns.len() > SHOWN {
        true => format!("{shown}, .."),
        false => shown,
    }
}

/// Kind, shape and dimensions of a quantity.
fn in_words(variable: &Variable) -> String {
    let kind = match variable.kind {
        VariableKind::Discrete => "discrete ",
        VariableKind::Param => "learnt ",
        _ => "",
    };
    let shape = match variable.shape {
        Shape::Scalar => "scalar".to_owned(),
        Shape::Vector(n) => format!("vector of {n}"),
        Shape::Matrix(rows, columns) => format!("matrix of {rows} x {columns}"),
    };
    let dims = variable.dims.iter().map(|dim| format!("`{}`", dim.name));
    let dims: Vec<String> = dims.collect();
    if !variable.turns.is_empty() {
        return format!("a {kind}{shape} in parts of {}", lengths(&variable.turns));
    }
    match dims.is_empty() {
        true => format!("a {kind}{shape}"),
        false => format!("a {kind}{shape} along {}", dims.join(" and ")),
    }
}
