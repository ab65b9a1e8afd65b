//! Expected responses, row by row.

mod table;

pub use table::{FittedRow, FittedTable};

use crate::design::{Design, Margin};
use crate::likelihood::probabilities;
use crate::model::regression;
use crate::moments::{At, Auxiliaries};
use crate::regression::Regression;
use bayes::autodiff::Value;
use bayes::predict::{Prediction, PredictiveDraw};
use bayes::prelude::*;
use bayes::run::Draws;
use bayes::{Error, FormulaError};

/// The expected response of each row at each draw of a run, from [`Regression::fitted`].
pub struct Fitted<'a> {
    run: &'a Run,
    regression: &'a Regression,
    is_linear: bool,
    /// `None` where the answer has no option to draw them.
    new_groups: Option<NewGroups>,
}

impl Regression {
    /// The expected response of each row of this regression's table, at each draw of a run. The table is the run's, another one by
    /// [`of`](Self::of), or one for the population by [`of_population`](Self::of_population).
    ///
    /// ```
    /// # use bayes::data::Table;
    /// # use bayes::prelude::*;
    /// # use bayes_formula::{Family, formula};
    /// let table = Table::from_csv("killed,dose\n0,1\n0,2\n1,2\n0,3\n1,3\n1,4\n".as_bytes())?;
    /// let regression = formula("killed ~ dose")?.family(Family::Bernoulli).on(&table)?;
    /// let run = Inference::nuts().draws(200).seed(1).progress(false).run(&regression)?;
    /// let new = regression.of(&Table::from_csv("dose\n1.5\n3.5\n".as_bytes())?)?;
    /// let fitted = new.fitted(&run);
    /// println!("{}", fitted.table()?);              // means, Monte Carlo errors, quantiles
    /// let probability = fitted.draws()?;            // [draws, rows]
    /// assert!(probability.rows().all(|row| row.iter().all(|p| (0.0..=1.0).contains(p))));
    /// # Ok::<(), bayes::Error>(())
    /// ```
    ///
    /// The expected response is on the scale of the response: the mean of the family's distribution. For zero-inflated and hurdle families
    /// it is the mean of all counts, for binomial families the number of successes among the trials, with `rate(t)` the number of events of
    /// the exposure, for families of grades and for `categorical` the probability of each grade or label, for `multinomial` and `dirichlet` the count or the
    /// share of each column, for `cox` the mean time where those who survive the end of the baseline hazard count with the end, and for `von-mises` the direction. For `student` it is the location, which is the mean if `nu` is
    /// above 1. For censored responses it is the mean of the uncensored response. Weights of rows do not change it. The expected response
    /// of a truncated row is refused, but not its linear predictor.
    #[must_use]
    pub fn fitted<'a>(&'a self, run: &'a Run) -> Fitted<'a> {
        Fitted {
            run,
            regression: self,
            is_linear: false,
            new_groups: None,
        }
    }
}

impl Fitted<'_> {
    /// Uses the linear predictor instead of the expected response.
    #[must_use]
    pub fn linear(self) -> Self {
        Self {
            is_linear: true,
            ..self
        }
    }

    /// The treatment of groups that the run has not seen; by default they are an error.
    #[must_use]
    pub fn new_groups(self, new_groups: NewGroups) -> Self {
        Self {
            new_groups: Some(new_groups),
            ..self
        }
    }

    /// The values, `[draws, rows]`, with the weights of the run's draws; `[draws, rows, grades]` for the probabilities of grades.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the run is not of this regression, or has not seen a group; [`Error::Formula`] for expected responses with
    /// `trunc(..)`, and if a link such as `identity` gives a row a mean outside of the family's range.
    pub fn draws(&self) -> Result<Draws, Error> {
        let mut draws = Draws {
            weights: self.run.draw_weights(),
            values: Vec::new(),
            elements: self.regression.rows() * self.outcomes(),
            groups: self.run.group_sizes(),
        };
        self.for_each_draw(|row| draws.values.extend_from_slice(row))?;
        Ok(draws)
    }

    /// Visits the values draw by draw, in the order of the run, without keeping them.
    ///
    /// # Errors
    /// As [`draws`](Self::draws).
    pub fn for_each_draw(&self, mut visit: impl FnMut(&[f64])) -> Result<(), Error> {
        let mut row = Vec::new();
        self.for_each(|eta, told| {
            row.clear();
            match self.is_linear {
                true => row.extend_from_slice(eta),
                false => told.expected(&mut row),
            }
            visit(&row);
        })
    }

    /// Visits the linear predictor and the other parameters of the family.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&[f64], &Told<'_>)) -> Result<(), Error> {
        let margin = self.regression.only("expected responses")?;
        self.check_truncation()?;
        let model = regression(Design {
            tells: Some(self.regression.number()),
            ..self.regression.design().clone()
        });
        let prediction: Prediction<'_> = match self.new_groups {
            Some(new_groups) => self.run.predict_with(model, new_groups)?,
            None => self.run.predict(model)?,
        };
        let mut outside = None;
        prediction.for_each_draw(|draw| {
            let told = Told::of(margin, &draw);
            if !self.is_linear {
                outside = outside.or_else(|| told.outside());
            }
            visit(told.eta, &told);
        });
        outside.map_or(Ok(()), |row| Err(self.mean_outside(row)))
    }

    /// Refuses the means of truncated responses.
    pub(crate) fn check_truncation(&self) -> Result<(), Error> {
        if self.is_linear || self.regression.margin().adjustments.bounds.is_empty() {
            return Ok(());
        }
        let message = "the expected response within the bounds of `trunc` is not known; ask for the linear predictor (`--linear`, `.linear()`), or for predictions";
        Err(self.wrong(message.to_owned()))
    }

    /// The error of a row whose mean is outside of the family's range.
    fn mean_outside(&self, row: usize) -> Error {
        let Margin { family, link, .. } = self.regression.margin();
        let [low, high] = family.means();
        self.wrong(format!(
            "the link {link} gives row {} a mean outside of {low} and {high} at some draws, which the family {family} does not have; ask for the linear predictor, or fit with the link {}",
            row + 1,
            family.links()[0]
        ))
    }

    fn wrong(&self, message: String) -> Error {
        Error::from(FormulaError {
            formula: self.regression.formula().to_owned(),
            at: 0..0,
            message,
        })
    }

    /// Number of values per row: one for each grade or label, otherwise one.
    pub(crate) fn outcomes(&self) -> usize {
        let design = self.regression.margin();
        match (self.is_linear, design.family.has_cutpoints()) {
            (false, true) => design.grades,
            (true, true) => 1,
            _ => self.labels().len().max(1),
        }
    }

    /// The labels of the values of a row, for a categorical response; otherwise empty.
    pub(crate) fn labels(&self) -> &[String] {
        let labels = &self.regression.margin().labels;
        // the first label has no linear predictor
        let first = usize::from(self.is_linear);
        labels.get(first..).unwrap_or_default()
    }
}

/// What the model returns at a draw.
pub(crate) struct Told<'a> {
    design: &'a Margin,
    eta: &'a [f64],
    /// The means by the link; `complements` has one less these, for families of probabilities.
    means: Vec<f64>,
    complements: Vec<f64>,
    /// `[parameters x rows]`.
    auxiliaries: &'a [f64],
    cutpoints: &'a [f64],
    /// The rule for integrals of survival; empty without a baseline hazard.
    survival: Vec<[f64; 2]>,
}

impl<'a> Told<'a> {
    fn of(design: &'a Margin, draw: &PredictiveDraw<'a>) -> Self {
        let eta = draw.vector("linear_predictor");
        let (link, values) = (design.link, Vector::<Value>::constant(eta));
        let numbers = |values: Vector<Value>| values.iter().map(|x| x.primal()).collect();
        Self {
            design,
            eta,
            means: numbers(link.mean(&values)),
            complements: match design.family.means() {
                [0.0, 1.0] => numbers(link.complement(&values)),
                _ => Vec::new(),
            },
            auxiliaries: draw.vector("auxiliaries"),
            // the first one is below all grades
            cutpoints: draw.vector("thresholds").get(1..).unwrap_or_default(),
            survival: design.baseline.map_or_else(Vec::new, |baseline| {
                baseline.rule(draw.vector("baseline_shares"))
            }),
        }
    }

    /// The values of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = At<'_>> {
        (0..self.design.rows()).map(|row| self.row(row))
    }

    fn row(&self, row: usize) -> At<'_> {
        let trials = self.design.trials.get(row);
        let levels = self.design.number_of_levels();
        let first = row * levels.max(1);
        At {
            link: self.design.link,
            eta: self.eta[first],
            levels: &self.eta[first..first + levels],
            mu: self.means[first],
            complement: self.complements.get(row).copied().unwrap_or(f64::NAN),
            auxiliaries: Auxiliaries {
                family: self.design.family,
                values: self.auxiliaries,
                rows: self.design.rows(),
                row,
            },
            trials: trials.map_or(1.0, |trials| *trials as f64),
            cutpoints: self.cutpoints,
            survival: (
                self.design
                    .baseline
                    .map_or(f64::NAN, |baseline| baseline.ends()[0]),
                &self.survival,
            ),
        }
    }

    /// The first row whose mean is outside of the family's range, if the link allows it.
    fn outside(&self) -> Option<usize> {
        let Margin { family, link, .. } = self.design;
        let [low, high] = family.means();
        let is_outside = |mean: &f64| mean.is_nan() || *mean <= low || *mean >= high;
        match link.is_within(*family) {
            true => None,
            false => self.means.iter().position(is_outside),
        }
    }

    /// The expected responses, or the probabilities of grades, row after row.
    fn expected(&self, all: &mut Vec<f64>) {
        let family = self.design.family;
        for at in self.rows() {
            match family.mean(&at) {
                Some(mean) => all.push(mean),
                None => all.extend(probabilities(family, &at)),
            }
        }
    }
}
