//! What a run and its model say together: data, predictions, log likelihoods, and the prior.

use super::super::equal_draws::EqualDraws;
use super::super::zarr::{Numbers, Store};
use super::group::Group;
use super::{attributes, write_run};
use crate::density::{LogDensity, Posterior};
use crate::error::Error;
use crate::model::{Dim, Model, Observations, VariableKind, Wanted, observations};
use crate::predict::{Observed, Prediction};
use crate::rng::{Key, Purpose};
use crate::run::Run;
use std::io;
use std::path::Path;

/// Draws of the prior, as PyMC takes them.
const PRIOR_DRAWS: usize = 500;
/// The stage of the streams of the prior's draws: no other draws of predictions use it.
const STAGE: u32 = 4;

impl Run {
    /// The same as [`Run::to_arviz`], with what the run and its model say together: `observed_data`, `posterior_predictive` (new data
    /// of every observed variable, and what `generate` draws), `log_likelihood` of every observation, and, if the prior is proper,
    /// `prior` and `prior_predictive` of 500 draws. ArviZ then has what it needs for predictive checks, for `loo` and for prior plots.
    ///
    /// New data are those of [`Run::predict`]; the prior is drawn by the seed of the run.
    ///
    /// # Errors
    /// As [`Run::predict`]; [`Error::Model`] if the data are outside the support of their distribution; of the system as with
    /// [`Run::to_arviz`].
    pub fn to_arviz_with<Mo: Model>(
        &self,
        model: &Mo,
        path: impl AsRef<Path>,
    ) -> Result<(), Error> {
        let prediction = self.predict(model)?;
        let mut store = Store::create(path.as_ref())?;
        let draws = EqualDraws::of(self);
        write_run(&mut store, self, &draws)?;
        let mut file = File {
            store: &mut store,
            run: self,
            draws: &draws,
            prediction: &prediction,
        };
        file.observed()?;
        file.predicted()?;
        if prediction.observed().iter().any(|o| o.observations > 0) {
            file.log_likelihood()?;
        }
        file.prior(model)?;
        store.finish()?;
        Ok(())
    }
}

/// What is written.
struct File<'a> {
    store: &'a mut Store,
    run: &'a Run,
    draws: &'a EqualDraws<'a>,
    prediction: &'a Prediction<'a>,
}

/// A predicted quantity: its name, the lengths of its dimensions, and their names.
type Column<'a> = (&'a str, Vec<usize>, &'a [Dim]);

impl File<'_> {
    fn samples(&self) -> [usize; 2] {
        [self.draws.chains, self.draws.each]
    }

    fn observed(&mut self) -> io::Result<()> {
        let mut group = Group::of_data(self.store, "observed_data", attributes(self.run))?;
        for observed in self.prediction.observed() {
            let numbers = numbers(observed.data.clone());
            let lengths = observed.shape.lengths();
            group.array(&observed.name, &lengths, &observed.dims, numbers)?;
        }
        Ok(())
    }

    /// The observed variables, then the quantities of `generate`.
    fn columns(&self) -> Vec<Column<'_>> {
        let observed = self.prediction.observed().iter();
        let observed = observed.map(|o| (o.name.as_str(), o.shape.lengths(), o.dims.as_slice()));
        let generated = self.prediction.generated().iter();
        let generated = generated.map(|g| (g.name.as_str(), g.shape.lengths(), g.dims.as_slice()));
        observed.chain(generated).collect()
    }

    fn predicted(&mut self) -> Result<(), Error> {
        let (samples, attributes) = (self.samples(), attributes(self.run));
        let mut arrays = Vec::new();
        for (name, lengths, dims) in self.columns() {
            let draws = self.prediction.draws(name)?;
            let values = self.in_order(&draws.values, draws.elements);
            arrays.push((name.to_owned(), lengths, dims.to_vec(), numbers(values)));
        }
        let mut group = Group::of_draws(self.store, "posterior_predictive", samples, attributes)?;
        for (name, lengths, dims, numbers) in arrays {
            group.array(&name, &lengths, &dims, numbers)?;
        }
        Ok(())
    }

    fn log_likelihood(&mut self) -> Result<(), Error> {
        let terms = self.prediction.log_likelihood()?;
        let (samples, attributes) = (self.samples(), attributes(self.run));
        let rows = self.in_order(&terms.values, terms.observations);
        let mut group = Group::of_draws(self.store, "log_likelihood", samples, attributes)?;
        let mut first = 0;
        for observed in self.prediction.observed() {
            let count = observed.observations;
            let mine = rows.chunks_exact(terms.observations);
            let mine = mine.flat_map(|row| row[first..first + count].iter().copied());
            let numbers = Numbers::Real(mine.collect());
            let (lengths, dims) = of_observations(observed);
            group.array(&observed.name, &lengths, dims, numbers)?;
            first += count;
        }
        Ok(())
    }

    /// Values of all draws of the run, `[draws, elements]`, in the order and number of the file.
    fn in_order(&self, values: &[f64], elements: usize) -> Vec<f64> {
        let places = self.draws.places.iter();
        places
            .flat_map(|place| {
                values[place * elements..(place + 1) * elements]
                    .iter()
                    .copied()
            })
            .collect()
    }

    /// Draws of the prior, and data given them.
    fn prior<Mo: Model>(&mut self, model: &Mo) -> Result<(), Error> {
        let posterior = Posterior::new(model, self.run.seed)?;
        let Some(prior) = posterior
            .prior()
            .filter(|prior| prior.require_proper("").is_ok())
        else {
            return Ok(());
        };
        let key = Key::new(self.run.seed, Purpose::Prediction).stage(STAGE);
        let wanted = Wanted {
            draws: true,
            ..Wanted::default()
        };
        let mut position = vec![0.0; posterior.dim()];
        let mut values = Vec::new();
        let mut data: Vec<Vec<Observations>> = Vec::new();
        for i in 0..PRIOR_DRAWS {
            let mut stream = key.item(i as u64).stream();
            prior.draw(&mut stream, &mut position);
            values.push(posterior.quantities().output(&position));
            data.push(observations(model, Some(&position), wanted, &mut stream));
        }
        let columns: Vec<_> = self.columns();
        let columns: Vec<(String, Vec<usize>, Vec<Dim>)> = columns
            .into_iter()
            .map(|(name, lengths, dims)| (name.to_owned(), lengths, dims.to_vec()))
            .collect();
        let samples = [1, PRIOR_DRAWS];
        let mut group = Group::of_draws(self.store, "prior", samples, attributes(self.run))?;
        for variable in &self.run.layout.variables {
            let mine = values
                .iter()
                .flat_map(|draw| &draw[variable.range()])
                .copied();
            let numbers = match variable.kind {
                VariableKind::Discrete => Numbers::Whole(mine.map(|value| value as i64).collect()),
                _ => Numbers::Real(mine.collect()),
            };
            group.array(
                &variable.name,
                &variable.shape.lengths(),
                &variable.dims,
                numbers,
            )?;
        }
        let attributes = attributes(self.run);
        let mut group = Group::of_draws(self.store, "prior_predictive", samples, attributes)?;
        for (place, (name, lengths, dims)) in columns.iter().enumerate() {
            let mine = data.iter().flat_map(|draw| &draw[place].draws).copied();
            group.array(name, lengths, dims, numbers(mine.collect()))?;
        }
        Ok(())
    }
}

/// Data as whole numbers if all of them are.
fn numbers(values: Vec<f64>) -> Numbers {
    // 2^53: up to here whole numbers are exact
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    match values.iter().all(is_whole) {
        true => Numbers::Whole(values.into_iter().map(|value| value as i64).collect()),
        false => Numbers::Real(values),
    }
}

/// The dimensions of the log likelihoods of a variable: those of its data, or of its rows if each row is an observation.
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
