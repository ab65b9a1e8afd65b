//! Probabilities of categories at every draw, without Monte Carlo error given the draw.

use super::{Prediction, PredictionError};
use crate::error::Error;
use crate::metrics::ClassProbabilities;
use crate::model::Wanted;

impl Prediction<'_> {
    /// The probability of every category of every observation at every draw, `p(y | x)` member by member; or of a quantity that is summed out, `sum_out`, the
    /// probability of each of its values 0, 1, and so on, given the draw and the data of the model ([`without_data`](Self::without_data): given the draw
    /// alone). Their mean over draws has less Monte Carlo error than [`draws`](Self::draws) of the quantity have.
    ///
    /// ```text
    /// let classes = run.predict(&model)?.probabilities("k")?;
    /// println!("{:?}", classes.mean().class(1));        // of class 1, a number for each observation
    /// ```
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model has nothing of this name, if its observations have no categories, or for a quantity of `generate` and one
    /// that is summed out within another sum.
    pub fn probabilities(&self, name: &str) -> Result<ClassProbabilities, Error> {
        let place = self.place(name).ok_or_else(|| self.unknown(name))?;
        let Some(observed) = self.observed.get(place) else {
            return self.probabilities_of_values(place, name);
        };
        if observed.data.is_empty() {
            return Err(self.no_rows(name));
        }
        let Some(classes) = observed.categories else {
            let name = name.to_owned();
            return Err(self.error(PredictionError::NoCategories { name }));
        };
        let draws = self.source.weights().len();
        let mut values = self.numbers(draws, observed.observations * classes)?;
        let wanted = Wanted {
            log_probabilities: true,
            ..Wanted::default()
        };
        self.visit(wanted, |_, found| {
            let logs = found[place].log_probabilities.iter();
            values.extend(logs.map(|log| log.exp()));
        });
        self.classified(values, classes)
    }

    /// Those of the values of a quantity that is summed out.
    fn probabilities_of_values(
        &self,
        place: usize,
        name: &str,
    ) -> Result<ClassProbabilities, Error> {
        let generated = self.generated.get(place - self.observed.len());
        let Some(elements) = generated.map(|generated| generated.shape.elements()) else {
            let name = name.to_owned();
            return Err(self.error(PredictionError::NoCategories { name }));
        };
        if elements == 0 {
            return Err(self.no_rows(name));
        }
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut is_known = true;
        let wanted = Wanted {
            value_probabilities: true,
            ..Wanted::default()
        };
        self.visit(wanted, |_, found| {
            let found = &found[place];
            is_known &= found.values.len() == elements;
            let mut logs = found.log_probabilities.iter();
            for count in &found.values {
                let row = logs.by_ref().take(*count);
                rows.push(row.map(|log| log.exp()).collect());
            }
        });
        if !is_known {
            let name = name.to_owned();
            return Err(self.error(PredictionError::NoProbabilities { name }));
        }
        // an element with fewer values has the others with probability 0
        let classes = rows.iter().map(Vec::len).max().unwrap_or(0);
        rows.iter_mut().for_each(|row| row.resize(classes, 0.0));
        self.classified(rows.concat(), classes)
    }

    fn classified(&self, values: Vec<f64>, classes: usize) -> Result<ClassProbabilities, Error> {
        let weights = self.source.weights();
        Ok(ClassProbabilities::weighted(values, classes, weights)?
            .in_groups(&self.source.groups())?)
    }

    fn no_rows(&self, name: &str) -> Error {
        let names = vec![name.to_owned()];
        self.error(PredictionError::NoRows { names })
    }
}
