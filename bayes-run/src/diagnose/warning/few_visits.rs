//! Chains: a mean of numbers between 0 and 1 rests on few draws, because nearly all are at one end.
//!
//! Half of the mass of `Beta(0.001, 0.001)` is at 0 and half at 1. After one success the mean of `p` is 0.9990, and what it lacks to 1 comes
//! from one draw in 700. A chain that has seen two of them where there should be five has a mean too near to 1, and, as the same draws give
//! its standard error, an error too small to say so. Ranks do not show it: draws at an end are as different as others.

use super::{Advice, Message};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::estimator::Estimator;
use crate::run::{Run, Variable, VariableKind};
use crate::text::short;
use serde::{Deserialize, Serialize};

/// A mean that is fewer of its standard errors away from an end of its draws rests on few of them. The draws away from the end are then worth
/// fewer than 25: with Poisson numbers of them, in clusters of three, the mean is more than three errors off in 15% of runs that expect four,
/// and in 1% at most of runs that have as many as this.
const ERRORS: f64 = 5.0;

/// The smallest effective number of draws for which this is not said of the chains themselves: a mean as near to an end as that of an
/// exponential distribution then never is.
const FEWEST: f64 = 50.0;

/// The mean of a quantity between 0 and 1 rests on few draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewVisits {
    /// The element whose mean rests on the fewest draws.
    pub element: String,
    /// Its mean, and the standard error of the mean.
    pub mean: f64,
    /// See [`mean`](Self::mean).
    pub se: f64,
    /// The end of its draws that is next to the mean.
    pub end: f64,
    /// The square of the distance of the mean from the end, over the standard error: the number of independent draws away from the end that
    /// have this relative error, if they are equally far from it.
    pub visits: f64,
    /// Number of elements whose means rest on too few draws.
    pub elements: usize,
    /// The number of draws of a chain that would be enough.
    pub advice: Option<Advice>,
}

/// Only quantities that are sampled count: a probability that a model computes far from its data is skewed without any end at which chains
/// could stay. Quantities that are only 0 or 1 are left out: their mean says itself how many draws it counts.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<FewVisits> {
    let estimator = Estimator::of(run);
    let variables = run.layout.variables.iter();
    let sampled = variables.filter(|variable| variable.kind == VariableKind::Continuous);
    let sampled = sampled.flat_map(Variable::range);
    let found = sampled.filter_map(|element| {
        let column = run.column(element);
        let end = near_end(&estimator, &column)?;
        let estimate = estimator.mean(&column);
        let visits = ((estimate.mean - end) / estimate.se).powi(2);
        (visits < ERRORS * ERRORS).then_some((element, end, estimate, visits))
    });
    let found: Vec<_> = found.collect();
    let (element, end, estimate, visits) = found.iter().min_by(|a, b| a.3.total_cmp(&b.3))?;
    Some(FewVisits {
        element: elements[*element].name.clone(),
        mean: estimate.mean,
        se: estimate.se,
        end: *end,
        visits: *visits,
        elements: found.len(),
        advice: Advice::draws(run, *visits, ERRORS * ERRORS),
    })
}

/// The end of the draws that is next to their mean, if they are between 0 and 1, not all 0 or 1, and so close to it that their mean could rest
/// on few of them.
fn near_end(estimator: &Estimator<'_>, column: &[Vec<f64>]) -> Option<f64> {
    let all = || column.iter().flatten().copied();
    // false for NaN
    if !all().all(|x| (0.0..=1.0).contains(&x)) || all().all(|x| x == 0.0 || x == 1.0) {
        return None;
    }
    let number = all().count() as f64;
    let mean = all().sum::<f64>() / number;
    let least = all().fold(f64::INFINITY, f64::min);
    let largest = all().fold(f64::NEG_INFINITY, f64::max);
    let end = match mean - least < largest - mean {
        true => least,
        false => largest,
    };
    let needed = (ERRORS * estimator.spread(column) / (mean - end)).powi(2);
    // also false for NaN, of a constant
    (needed > FEWEST).then_some(end)
}

impl Message for FewVisits {
    fn problem(&self) -> String {
        let Self {
            element,
            mean,
            se,
            end,
            visits,
            ..
        } = self;
        let others = match self.elements {
            0 | 1 => String::new(),
            2 => " (and of 1 other)".to_owned(),
            more => format!(" (and of {} others)", more - 1),
        };
        let distance = (mean - end).abs();
        format!(
            "the mean of `{element}`{others} rests on few draws: nearly all are at {}, and the mean is {} ± {} from there, which is worth \
             {visits:.0} independent draws that are not; at least {:.0} are recommended",
            short(*end),
            short(distance),
            short(*se),
            ERRORS * ERRORS
        )
    }

    fn remedy(&self) -> &'static str {
        "Its standard error comes from the same few draws, and is too small where they are fewer than they should be. Keep more draws, or use \
         the median or `Inference::psmc()`."
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::testing::change;
    use crate::run::example::chains;

    /// Four chains of 500 draws whose `beta[0]` is this function of a standard normal number.
    fn with(of: impl Fn(f64) -> f64) -> Run {
        let mut run = chains(4, 500);
        change(&mut run, 1, |_, _, x| of(x));
        run
    }

    fn found(run: &Run) -> Option<FewVisits> {
        let mut warnings = run.warnings().into_iter();
        warnings.find_map(|warning| match warning {
            Warning::FewVisits(told) => Some(told.found),
            _ => None,
        })
    }

    /// One draw in 300 is between 0 and 1, the others are within 1e-20 of 1 or of 0: without the rule there is no warning.
    #[test]
    fn a_mean_that_rests_on_few_draws_is_reported_by_name() {
        let rare = |x: f64| if x > 2.7 { 0.5 } else { 1e-20 * x.abs() };
        for run in [with(rare), with(|x| 1.0 - rare(x))] {
            let found = found(&run).expect("about seven of 2000 draws");
            assert_eq!((found.element.as_str(), found.elements), ("beta[0]", 1));
            assert!((2.0..15.0).contains(&found.visits), "{found:?}");
        }
        let text = found(&with(rare)).map(|found| found.problem());
        let text = text.expect("the same");
        assert!(text.starts_with("the mean of `beta[0]` rests on few draws: nearly all are at "));
        assert!(text.ends_with("independent draws that are not; at least 25 are recommended"));
    }

    /// Would detect a rule that takes the skewed probabilities that a model computes for those at which chains stay.
    #[test]
    fn means_of_computed_quantities_are_not_reported() {
        let mut run = with(|x| if x > 2.7 { 0.5 } else { 1e-20 * x.abs() });
        run.layout.variables[1].kind = VariableKind::Deterministic;
        assert_eq!(found(&run), None);
    }

    /// Would detect a rule that takes skewed, narrow, wide or unbounded quantities for rare ones.
    #[test]
    fn means_of_ordinary_quantities_are_not_reported() {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let ordinary: [&dyn Fn(f64) -> f64; 12] = [
            &|x| x,
            &logistic,
            // the logit has a mean of 4, the other end
            &|x| logistic(4.0 + x),
            &|x| logistic(4.0 + 3.0 * x),
            &|x| logistic(-8.0 + 1.5 * x),
            // positive and skewed
            &|x| 0.01 * x.exp(),
            &|x| 0.02 * x * x,
            &|x| 1e-3 * x.abs(),
            // at both ends as often
            &|x| logistic(200.0 * x),
            &|x| 0.3 + 1e-9 * x,
            // rare, and counted by its mean
            &|x| f64::from(x > 2.7),
            // constant
            &|_| 1.0,
        ];
        for (k, of) in ordinary.into_iter().enumerate() {
            assert_eq!(found(&with(of)), None, "{k}");
        }
    }
}
