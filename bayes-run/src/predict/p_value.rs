//! Posterior predictive p-values: is a statistic of the data where the model expects it?

use super::notes::IMPUTED;
use crate::diagnose::{Estimate, Estimator, Unseen};
use crate::error::Error;
use crate::model::{Limits, Model, Statement};
use crate::run::{DrawView, Run};
use crate::text::short;
use std::fmt;

/// A posterior predictive p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictiveP {
    /// The probability that the statistic of new data is at least the statistic of the data, with its Monte Carlo error. Near 0 or 1 the
    /// model does not reproduce the statistic.
    pub p: Estimate,
    /// The probability that both are equal, which is 0 except for discrete data. `p.mean − 0.5 * ties` is the mid-p-value.
    pub ties: f64,
    /// The posterior mean of the statistic of the data; the statistic itself if it does not depend on the parameters.
    pub observed: f64,
    /// The posterior predictive mean of the statistic of new data.
    pub replicated: f64,
    /// The limits of censoring of the data. If the limits of observed rows were most likely left out ([`Limits::differ`]), new data are
    /// not comparable with the data, and printing says so.
    pub limits: Limits,
    /// Whether the model also reads the data outside of `observe` ([`Model::rereads`]). If the term of one value reads another value, new
    /// values are drawn given the data. A statistic that compares values with each other, such as an autocorrelation, is then not the
    /// statistic of new series; printing says so.
    pub is_reread: bool,
    /// Whether the data have gaps that `impute` fills. New values of later statements are then drawn from the data, not from new values of these.
    pub is_imputed: bool,
}

impl Run {
    /// The posterior predictive p-value of a statistic, `P(T(y_new, θ) ≥ T(y, θ) | y)` (Gelman, Meng and Stern 1996): how often the
    /// statistic of new data is at least as large as the statistic of the data. `model` is the model of the run with its data, `name` an
    /// observed variable. `statistic` gets a draw of the parameters and data of that variable, `[elements]` row-major.
    ///
    /// ```text
    /// // does the model expect a school as good as the best?
    /// let p = run.p_value(&model, "y", |_, y| y.iter().copied().fold(f64::MIN, f64::max))?;
    /// ```
    ///
    /// The p-value is not uniform under a true model: the data are used twice, which draws it towards 1/2. A statistic that the model fits
    /// by a parameter, such as the mean, cannot fail. Choose one that the model does not fit. New data are drawn with the seed of the run,
    /// as by [`Run::predict`].
    ///
    /// Censored data need the limit of every row, also of uncensored rows ([`Limits`]).
    ///
    /// # Errors
    /// The errors of [`Run::predict`] and of [`Prediction::check_data`](crate::predict::Prediction::check_data), because the run must have used
    /// these data; [`Error::Prediction`] if the model observes nothing of this name.
    pub fn p_value<Mo: Model>(
        &self,
        model: &Mo,
        name: &str,
        statistic: impl Fn(DrawView<'_>, &[f64]) -> f64,
    ) -> Result<PredictiveP, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let (_, observed) = prediction.variable(name)?;
        let mut views = self.groups.iter().flat_map(|group| self.views(group));
        // the statistics of new data and of the data, draw by draw
        let mut pairs = Vec::new();
        prediction.for_each_draw(|new| {
            pairs.extend(views.next().map(|draw| {
                let of_new = statistic(draw, new.vector(name));
                [of_new, statistic(draw, &observed.data)]
            }));
        });
        let estimator = Estimator::of(self);
        let mean = |of: &dyn Fn([f64; 2]) -> f64| {
            let mut values = pairs.iter().map(|pair| of(*pair));
            let sizes = self.group_sizes().into_iter();
            let column: Vec<Vec<f64>> = sizes
                .map(|draws| values.by_ref().take(draws).collect())
                .collect();
            estimator.mean(&column)
        };
        // NaN stays
        let indicator = |holds: bool, [new, old]: [f64; 2]| match (new + old).is_nan() {
            true => f64::NAN,
            false => f64::from(holds),
        };
        let p = mean(&|pair| indicator(pair[0] >= pair[1], pair));
        Ok(PredictiveP {
            // without spread the draws do not say the error
            p: match p.mean == 0.0 || p.mean == 1.0 {
                true => Unseen::of(self).estimate(p.mean),
                false => p,
            },
            ties: mean(&|pair| indicator(pair[0] == pair[1], pair)).mean,
            observed: mean(&|[_, old]| old).mean,
            replicated: mean(&|[new, _]| new).mean,
            limits: observed.limits,
            is_reread: model.rereads().contains(&name),
            is_imputed: Statement::impute(model.statements(), name),
        })
    }
}

impl fmt::Display for PredictiveP {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [observed, replicated] = [self.observed, self.replicated].map(short);
        write!(
            f,
            "p = {}: {observed} in the data, {replicated} expected",
            self.p
        )?;
        if self.limits.differ() {
            write!(f, "; not comparable: {}", self.limits)?;
        }
        if self.is_imputed {
            return write!(f, "; {IMPUTED}");
        }
        match self.is_reread {
            true => f.write_str(
                "; the model also reads the data outside of `observe`: where the term of one value reads another, new values are drawn given the data, \
                 and for a statistic of several values carry what is drawn, `let step = generate(..); past = step;` in the loop",
            ),
            false => Ok(()),
        }
    }
}
