//! Files that need both a run and its model: data, predictions, log likelihoods, and the prior.

use super::super::equal_draws::EqualDraws;
use super::super::zarr::Store;
use super::group::Group;
use super::names::Names;
use super::{Arviz, arrays_of, attributes, numbers, write_run};
use crate::density::{LogDensity, Posterior, Prior};
use crate::dist::Shape;
use crate::error::Error;
use crate::model::{Dim, Layout, Model, Observations, Start, VariableKind, Wanted, observations};
use crate::predict::{Observed, Prediction};
use crate::rng::{Key, Purpose, Stream};
use crate::run::Run;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Draws of the prior, the default of PyMC.
const PRIOR_DRAWS: usize = 500;
/// The stage of the streams of the prior's draws: no other draws of predictions use it.
const STAGE: u32 = 4;
/// The most bytes of the numbers of a chunk of draws, unless the limit of the run leaves fewer.
const CHUNK_BYTES: usize = 1 << 26;
/// How many times the numbers of a chunk are in memory.
const COPIES: usize = 3;
const NOTHING: Wanted = Wanted {
    draws: false,
    log_likelihood: false,
    log_probabilities: false,
    value_probabilities: false,
    supports: false,
    given_data: false,
    computed: false,
};
/// New data.
const DRAWS: Wanted = Wanted {
    draws: true,
    ..NOTHING
};
/// The log likelihood of every observation.
const TERMS: Wanted = Wanted {
    log_likelihood: true,
    ..NOTHING
};

impl Run {
    /// Writes the files of [`Run::to_arviz`] and the groups that need the model: `observed_data`, `posterior_predictive` (new data of
    /// every observed variable, and the draws of `generate`), `log_likelihood` of every observation, and, if the prior is proper,
    /// `prior` and `prior_predictive` of 500 draws. ArviZ then has what it needs for predictive checks, for `loo` and for prior plots.
    ///
    /// The files need no more memory than [`Run::memory_limit`] leaves beside the run.
    ///
    /// New data are drawn as by [`Run::predict`], the prior by the seed of the run. In the name of an array, characters that a file name
    /// cannot have, as in `y / scale`, become `_`. An array named like a coordinate of the file, such as `draw`, is written as `draw_`.
    ///
    /// # Errors
    /// The errors of [`Run::predict`] and of [`Prediction::check_data`], because the run must have used these data; [`Error::Memory`];
    /// [`Error::Model`] if the data are outside the support of their distribution; errors of the system as in [`Run::to_arviz`].
    pub fn to_arviz_with<Mo: Model>(
        &self,
        model: &Mo,
        path: impl AsRef<Path>,
    ) -> Result<(), Error> {
        Arviz::new(self).save_with(model, path)
    }
}

impl Arviz<'_> {
    /// Writes the files of [`Run::to_arviz_with`].
    ///
    /// # Errors
    /// [`Error::Setting`] without draws; otherwise the errors of [`Run::to_arviz_with`].
    pub fn save_with<Mo: Model>(&self, model: &Mo, path: impl AsRef<Path>) -> Result<(), Error> {
        self.check()?;
        let run = self.run;
        let prediction = run.predict(model)?;
        prediction.check_data()?;
        let is_observed = prediction.observed().iter().any(|o| o.observations > 0);
        if is_observed {
            prediction.require_likelihood()?;
        }
        let posterior = Posterior::new(model, run.seed)?;
        let mut store = Store::create(path.as_ref())?;
        let draws = self.equal_draws();
        let columns = columns(&prediction);
        let density: &dyn LogDensity = &posterior;
        let room = room(run, &draws, &columns, prediction.observed())?;
        let names = names(run, &density.describe().layout, &columns);
        write_run((&mut store, &names), run, &draws)?;
        let mut file = File {
            store: &mut store,
            names: &names,
            run,
            draws: &draws,
            room,
        };
        file.observed(prediction.observed())?;
        let predicted: Vec<Array<'_>> = columns.iter().enumerate().map(Array::predicted).collect();
        let at = |wanted: Wanted| {
            let (prediction, places) = (&prediction, &draws.places);
            move |rows: Range<usize>| prediction.at_draws(&places[rows], wanted)
        };
        file.posterior("posterior_predictive", &predicted, at(DRAWS))?;
        if is_observed {
            let observed = prediction.observed().iter().enumerate();
            let terms: Vec<Array<'_>> = observed.map(Array::terms).collect();
            file.posterior("log_likelihood", &terms, at(TERMS))?;
        }
        let prior = posterior.prior();
        if let Some(prior) = prior.filter(|prior| prior.require_proper("").is_ok()) {
            let prior = PriorDraws {
                model,
                posterior: &posterior,
                prior,
                key: Key::new(run.seed, Purpose::Prediction).stage(STAGE),
            };
            file.prior(&posterior, &prior.outputs())?;
            let group = file.of_prior("prior_predictive")?;
            series(group, ([1, PRIOR_DRAWS], room), &predicted, |rows| {
                prior.data(rows)
            })?;
        }
        store.finish()?;
        Ok(())
    }
}

/// The most bytes of the numbers of a chunk of draws, by the limit of the run: they are in memory three times, as results of the draws, as
/// one list, and as bytes of the file.
///
/// # Errors
/// [`Error::Memory`] if the limit leaves no room for the numbers of a draw, or for the draws of a quantity.
fn room(
    run: &Run,
    draws: &EqualDraws<'_>,
    columns: &[Column],
    observed: &[Observed],
) -> Result<usize, Error> {
    let Some(left) = run.memory_left() else {
        return Ok(CHUNK_BYTES);
    };
    let predicted: usize = columns.iter().map(|c| c.shape.elements()).sum();
    let terms: usize = observed.iter().map(|o| o.observations).sum();
    let variables = run.layout.variables.iter();
    let widest = variables.map(|variable| variable.range().len()).max();
    let number = size_of::<f64>();
    let a_draw = COPIES * number * (predicted + terms);
    let quantity = COPIES * number * widest.unwrap_or(0) * draws.places.len();
    let what = "the numbers of a draw and the draws of a quantity";
    run.require_memory(a_draw.max(quantity) as u64, what)?;
    let room = usize::try_from(left / COPIES as u64).unwrap_or(usize::MAX);
    Ok(room.min(CHUNK_BYTES))
}

/// A predicted quantity.
struct Column {
    name: String,
    shape: Shape,
    dims: Vec<Dim>,
    is_discrete: bool,
}

/// The observed variables, then the quantities of `generate`.
fn columns(prediction: &Prediction<'_>) -> Vec<Column> {
    let observed = prediction.observed().iter().map(|o| Column {
        name: o.name.clone(),
        shape: o.shape,
        dims: o.dims.clone(),
        is_discrete: o.is_discrete,
    });
    let generated = prediction.generated().iter().map(|g| Column {
        name: g.name.clone(),
        shape: g.shape,
        dims: g.dims.clone(),
        is_discrete: g.is_discrete,
    });
    observed.chain(generated).collect()
}

/// The names of all arrays: a quantity or a data variable has the same name in every group.
fn names(run: &Run, layout: &Layout, columns: &[Column]) -> Names {
    let columns = columns.iter().map(|column| {
        let dimensions = column.shape.lengths().len();
        (column.name.as_str(), dimensions, column.dims.as_slice())
    });
    let quantities = arrays_of(&run.layout).chain(arrays_of(layout));
    Names::of(quantities.chain(columns))
}

/// An array of a number of each draw: new data of a quantity, or the log likelihoods of a variable.
pub(super) struct Array<'a> {
    pub(super) name: &'a str,
    pub(super) lengths: Vec<usize>,
    pub(super) dims: &'a [Dim],
    pub(super) is_discrete: bool,
    /// The index of the quantity among the results of a draw.
    pub(super) place: usize,
    pub(super) of: fn(&Observations) -> &[f64],
}

impl<'a> Array<'a> {
    fn predicted((place, column): (usize, &'a Column)) -> Self {
        Self {
            name: &column.name,
            lengths: column.shape.lengths(),
            dims: &column.dims,
            is_discrete: column.is_discrete,
            place,
            of: |found| &found.draws,
        }
    }

    fn terms((place, observed): (usize, &'a Observed)) -> Self {
        let (lengths, dims) = of_observations(observed);
        Self {
            name: &observed.name,
            lengths,
            dims,
            is_discrete: false,
            place,
            of: |found| &found.log_likelihood,
        }
    }

    fn elements(&self) -> usize {
        self.lengths.iter().product()
    }

    /// The numbers of these draws, `[draws, elements]`.
    fn values(&self, found: &[Vec<Observations>]) -> Vec<f64> {
        let of_draw = |draw: &'_ Vec<Observations>| (self.of)(&draw[self.place]).to_vec();
        found.iter().flat_map(of_draw).collect()
    }
}

/// Writes arrays `[chain, draw, ..]` with the results `at` these draws of the file. If all draws would take more bytes than `room`, the
/// arrays have chunks of some draws, in double precision: whether all numbers are whole is known only at the end.
pub(super) fn series(
    mut group: Group<'_>,
    ([chains, each], room): ([usize; 2], usize),
    arrays: &[Array<'_>],
    at: impl Fn(Range<usize>) -> Vec<Vec<Observations>>,
) -> io::Result<()> {
    let arrays = || arrays.iter().filter(|array| array.elements() > 0);
    let numbers_of_a_draw: usize = arrays().map(Array::elements).sum();
    let room = room / (size_of::<f64>() * numbers_of_a_draw.max(1));
    if chains * each <= room {
        let found = at(0..chains * each);
        return arrays().try_for_each(|array| {
            let numbers = numbers(array.values(&found), array.is_discrete);
            group.array(array.name, &array.lengths, array.dims, numbers)
        });
    }
    let draws = room.clamp(1, each);
    for array in arrays() {
        group.array_in_parts(array.name, &array.lengths, array.dims, draws)?;
    }
    for chain in 0..chains {
        for part in 0..each.div_ceil(draws) {
            let first = chain * each + part * draws;
            let found = at(first..(first + draws).min((chain + 1) * each));
            for array in arrays() {
                let values = (array.values(&found), draws);
                group.draws(array.name, &array.lengths, [chain, part], values)?;
            }
        }
    }
    Ok(())
}

/// Draws of the prior, and data given them.
struct PriorDraws<'a, Mo> {
    model: &'a Mo,
    posterior: &'a dyn LogDensity,
    prior: &'a dyn Prior,
    key: Key,
}

impl<Mo: Model> PriorDraws<'_, Mo> {
    /// The position of a draw, and its stream after it.
    fn draw(&self, i: usize) -> (Vec<f64>, Stream) {
        let mut stream = self.key.item(i as u64).stream();
        let mut position = vec![0.0; self.posterior.dim()];
        self.prior.draw(&mut stream, &mut position);
        (position, stream)
    }

    /// The model's output at each draw.
    fn outputs(&self) -> Vec<Vec<f64>> {
        let quantities = self.posterior.quantities();
        let output = |i| quantities.output(&self.draw(i).0);
        (0..PRIOR_DRAWS).map(output).collect()
    }

    fn data(&self, rows: Range<usize>) -> Vec<Vec<Observations>> {
        let one = |i| {
            let (position, mut stream) = self.draw(i);
            observations(self.model, Start::At(&position), DRAWS, &mut stream)
        };
        rows.map(one).collect()
    }
}

/// The file that is written, and its sources.
struct File<'a> {
    store: &'a mut Store,
    names: &'a Names,
    run: &'a Run,
    draws: &'a EqualDraws<'a>,
    /// The most bytes of the numbers of a chunk of draws.
    room: usize,
}

impl File<'_> {
    /// A group with one row for each draw of the posterior.
    fn of_posterior(&mut self, name: &'static str) -> io::Result<Group<'_>> {
        let samples = [self.draws.chains, self.draws.each];
        let attributes = attributes(self.run, !self.run.is_chains());
        Group::of_draws((self.store, self.names), name, samples, attributes)
    }

    fn of_prior(&mut self, name: &'static str) -> io::Result<Group<'_>> {
        let attributes = attributes(self.run, false);
        Group::of_draws((self.store, self.names), name, [1, PRIOR_DRAWS], attributes)
    }

    fn observed(&mut self, all: &[Observed]) -> io::Result<()> {
        let attributes = attributes(self.run, false);
        let mut group = Group::of_data((self.store, self.names), "observed_data", attributes)?;
        for observed in all {
            let numbers = numbers(observed.data.clone(), observed.is_discrete);
            let lengths = observed.shape.lengths();
            group.array(&observed.name, &lengths, &observed.dims, numbers)?;
        }
        Ok(())
    }

    /// A group of arrays with the results `at` the draws of the posterior.
    fn posterior(
        &mut self,
        name: &'static str,
        arrays: &[Array<'_>],
        at: impl Fn(Range<usize>) -> Vec<Vec<Observations>>,
    ) -> io::Result<()> {
        let samples = [self.draws.chains, self.draws.each];
        let size = (samples, self.room);
        series(self.of_posterior(name)?, size, arrays, at)
    }

    /// The quantities of the model, whose layout equals the layout of the run except for deterministic quantities.
    fn prior(&mut self, posterior: &dyn LogDensity, values: &[Vec<f64>]) -> io::Result<()> {
        let mut group = self.of_prior("prior")?;
        for variable in &posterior.describe().layout.variables {
            let mine = values
                .iter()
                .flat_map(|draw| &draw[variable.range()])
                .copied();
            let numbers = numbers(mine.collect(), variable.kind == VariableKind::Discrete);
            let lengths = variable.shape.lengths();
            group.array(&variable.name, &lengths, &variable.dims, numbers)?;
        }
        Ok(())
    }
}

/// The dimensions of the log likelihoods of a variable: the dimensions of its data, or of its rows if each row is an observation.
fn of_observations(observed: &Observed) -> (Vec<usize>, &[Dim]) {
    let lengths = observed.shape.lengths();
    if lengths.iter().product::<usize>() == observed.observations {
        return (lengths, &observed.dims);
    }
    let rows = observed.dims.get(..1).unwrap_or_default();
    let named = rows
        .iter()
        .all(|dim| dim.places.len() == observed.observations);
    (vec![observed.observations], if named { rows } else { &[] })
}
