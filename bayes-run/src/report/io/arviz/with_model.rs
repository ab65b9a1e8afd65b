//! Files that need both a run and its model: data, predictions, log likelihoods, and the prior.

use super::super::equal_draws::EqualDraws;
use super::super::zarr::{Numbers, Store};
use super::group::Group;
use super::names::Names;
use super::{Arviz, arrays_of, attributes, numbers, write_run};
use crate::density::{LogDensity, Posterior, Prior};
use crate::dist::Shape;
use crate::error::Error;
use crate::model::{Dim, Layout, Model, Observations, Start, VariableKind, Wanted, observations};
use crate::predict::{Observed, Pointwise, Prediction};
use crate::rng::{Key, Purpose};
use crate::run::Run;
use std::io;
use std::path::Path;

/// Draws of the prior, the default of PyMC.
const PRIOR_DRAWS: usize = 500;
/// The stage of the streams of the prior's draws: no other draws of predictions use it.
const STAGE: u32 = 4;

impl Run {
    /// Writes the files of [`Run::to_arviz`] and the groups that need the model: `observed_data`, `posterior_predictive` (new data of
    /// every observed variable, and the draws of `generate`), `log_likelihood` of every observation, and, if the prior is proper,
    /// `prior` and `prior_predictive` of 500 draws. ArviZ then has what it needs for predictive checks, for `loo` and for prior plots.
    ///
    /// New data are drawn as by [`Run::predict`], the prior by the seed of the run. In the name of an array, characters that a file name
    /// cannot have, as in `y / scale`, become `_`. An array named like a coordinate of the file, such as `draw`, is written as `draw_`.
    ///
    /// # Errors
    /// The errors of [`Run::predict`]; [`Error::Model`] if the data are outside the support of their distribution; errors of the system
    /// as in [`Run::to_arviz`].
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
        let is_observed = prediction.observed().iter().any(|o| o.observations > 0);
        let terms = is_observed
            .then(|| prediction.log_likelihood())
            .transpose()?;
        let posterior = Posterior::new(model, run.seed)?;
        let mut store = Store::create(path.as_ref())?;
        let draws = self.equal_draws();
        let columns = columns(&prediction);
        let density: &dyn LogDensity = &posterior;
        let names = names(run, &density.describe().layout, &columns);
        write_run((&mut store, &names), run, &draws)?;
        let mut file = File {
            store: &mut store,
            names: &names,
            run,
            draws: &draws,
        };
        file.observed(prediction.observed())?;
        file.predicted(&prediction, &columns)?;
        if let Some(terms) = terms {
            file.log_likelihood(prediction.observed(), terms)?;
        }
        let prior = posterior.prior();
        if let Some(prior) = prior.filter(|prior| prior.require_proper("").is_ok()) {
            let (values, data) = of_the_prior(model, &posterior, prior, run.seed);
            file.prior(&posterior, &values)?;
            file.prior_predictive(&columns, &data)?;
        }
        store.finish()?;
        Ok(())
    }
}

/// A predicted quantity.
struct Column {
    name: String,
    shape: Shape,
    dims: Vec<Dim>,
    is_discrete: bool,
}

impl Column {
    /// Whether the column has elements; a loop that did not run leaves none.
    fn has_elements(&self) -> bool {
        self.shape.elements() > 0
    }
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

/// Draws of the prior as the model's output, and data given them.
fn of_the_prior<Mo: Model>(
    model: &Mo,
    posterior: &dyn LogDensity,
    prior: &dyn Prior,
    seed: u64,
) -> (Vec<Vec<f64>>, Vec<Vec<Observations>>) {
    let key = Key::new(seed, Purpose::Prediction).stage(STAGE);
    let wanted = Wanted {
        draws: true,
        ..Wanted::default()
    };
    let mut position = vec![0.0; posterior.dim()];
    let one = |i: usize| {
        let mut stream = key.item(i as u64).stream();
        prior.draw(&mut stream, &mut position);
        let output = posterior.quantities().output(&position);
        let data = observations(model, Start::At(&position), wanted, &mut stream);
        (output, data)
    };
    (0..PRIOR_DRAWS).map(one).unzip()
}

/// The file that is written, and its sources.
struct File<'a> {
    store: &'a mut Store,
    names: &'a Names,
    run: &'a Run,
    draws: &'a EqualDraws<'a>,
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

    /// Writes one variable after the other, because all draws of all variables may be large.
    fn predicted(&mut self, prediction: &Prediction<'_>, columns: &[Column]) -> Result<(), Error> {
        let draws = self.draws;
        let mut group = self.of_posterior("posterior_predictive")?;
        for column in columns.iter().filter(|column| column.has_elements()) {
            let found = prediction.draws(&column.name)?;
            let values = in_order(draws, &found.values, found.elements);
            let numbers = numbers(values.collect(), column.is_discrete);
            let lengths = column.shape.lengths();
            group.array(&column.name, &lengths, &column.dims, numbers)?;
        }
        Ok(())
    }

    fn log_likelihood(&mut self, all: &[Observed], terms: Pointwise) -> io::Result<()> {
        let draws = self.draws;
        let mut group = self.of_posterior("log_likelihood")?;
        let mut first = 0;
        for observed in all {
            let count = observed.observations;
            let rows = draws
                .places
                .iter()
                .map(|place| place * terms.observations + first);
            let mine = rows.flat_map(|from| terms.values[from..from + count].iter().copied());
            let numbers = Numbers::Real(mine.collect());
            let (lengths, dims) = of_observations(observed);
            group.array(&observed.name, &lengths, dims, numbers)?;
            first += count;
        }
        Ok(())
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

    fn prior_predictive(
        &mut self,
        columns: &[Column],
        data: &[Vec<Observations>],
    ) -> io::Result<()> {
        let mut group = self.of_prior("prior_predictive")?;
        let places = columns.iter().enumerate();
        for (place, column) in places.filter(|(_, column)| column.has_elements()) {
            let mine = data.iter().flat_map(|draw| &draw[place].draws).copied();
            let numbers = numbers(mine.collect(), column.is_discrete);
            let lengths = column.shape.lengths();
            group.array(&column.name, &lengths, &column.dims, numbers)?;
        }
        Ok(())
    }
}

/// Values of all draws of the run, `[draws, elements]`, in the order and number of the file.
fn in_order<'a>(
    draws: &'a EqualDraws<'_>,
    values: &'a [f64],
    elements: usize,
) -> impl Iterator<Item = f64> + 'a {
    let row = move |place: &usize| values[place * elements..(place + 1) * elements].iter();
    draws.places.iter().flat_map(row).copied()
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
