//! Gaussian approximations: their draws are off by more than a little, and importance weights say by how much.

use super::{Message, shown};
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::run::{Group, Run, Variable};
use crate::text::short;
use serde::{Deserialize, Serialize};

/// A mean that is off by less than this share of a standard deviation, or a standard deviation that is off by less than this share, is close
/// enough.
const CLOSE: f64 = 0.1;
/// Differences within this many of their Monte Carlo errors may be due to the draws.
const ERRORS: f64 = 4.0;

/// The draws of an approximation differ from the posterior, as their importance weights show, which can be relied on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightsCorrect {
    /// The element that is farthest off.
    pub element: String,
    /// Its mean and standard deviation by the draws.
    pub drawn: [f64; 2],
    /// Its mean and standard deviation by the weights.
    pub weighted: [f64; 2],
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<WeightsCorrect> {
    let is_weighted = |group: &Group| !group.log_weights().is_empty();
    if run.groups.iter().any(is_weighted) {
        return None;
    }
    let found = run.importance()?;
    // weights of a higher k-hat say nothing of this kind; another warning tells
    let holds = found.pareto_k <= Psis::finite_k(found.log_weights.len());
    if !holds {
        return None;
    }
    let weights: Vec<f64> = found.log_weights.iter().map(|log| log.exp()).collect();
    let elements = shown(run).flat_map(Variable::range);
    let elements = elements.filter_map(|element| {
        let (size, drawn, weighted) = difference(&run.column(element).concat(), &weights)?;
        (size > 1.0).then_some((size, element, drawn, weighted))
    });
    let (_, element, drawn, weighted) = elements.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(WeightsCorrect {
        element: run.layout.element_names().swap_remove(element),
        drawn,
        weighted,
    })
}

/// How far a column is off, where 1 is just too far, and its mean and standard deviation by the draws and by the weights. `None` for a
/// constant, and for values that are not finite.
fn difference(column: &[f64], weights: &[f64]) -> Option<(f64, [f64; 2], [f64; 2])> {
    let equal = vec![1.0 / column.len() as f64; column.len()];
    let (drawn, weighted) = (moments(column, &equal), moments(column, weights));
    let [mean, sd] = weighted;
    if !(sd > 0.0 && sd.is_finite() && drawn[1] > 0.0 && drawn[1].is_finite()) {
        return None;
    }
    let squares = |of: &dyn Fn(f64) -> f64| {
        let terms = column.iter().zip(weights);
        terms
            .map(|(x, w)| (w * of((x - mean) / sd)).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    // the errors of the weighted moments by the delta method; those of the draws are smaller
    let shift = ((drawn[0] - mean) / sd).abs();
    let of_mean = shift / (ERRORS * squares(&|z| z)).max(CLOSE);
    let scale = (drawn[1] / sd).ln().abs();
    let of_sd = scale / (0.5 * ERRORS * squares(&|z| z * z - 1.0)).max(CLOSE);
    Some((of_mean.max(of_sd), drawn, weighted))
}

/// Mean and standard deviation with these weights, which sum to 1.
fn moments(column: &[f64], weights: &[f64]) -> [f64; 2] {
    let mean: f64 = column.iter().zip(weights).map(|(x, w)| w * x).sum();
    let terms = column.iter().zip(weights);
    let variance: f64 = terms.map(|(x, w)| w * (x - mean).powi(2)).sum();
    [mean, variance.sqrt()]
}

impl Message for WeightsCorrect {
    fn problem(&self) -> String {
        let [mean, sd] = self.drawn.map(short);
        let [right, wide] = self.weighted.map(short);
        let element = &self.element;
        format!(
            "the draws of the approximation differ from the posterior: `{element}` has the mean {mean} and the standard deviation {sd} by \
             the draws, {right} and {wide} by their importance weights"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use an engine that samples, such as `Inference::nuts()`; or correct the draws by their weights, `run.importance_weighted()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::run::example::approximation;

    fn found(run: &Run) -> Option<WeightsCorrect> {
        run.warnings()
            .into_iter()
            .find_map(|warning| match warning {
                Warning::WeightsCorrect(told) => Some(told.found),
                _ => None,
            })
    }

    /// A standard deviation of 0.8 in place of 1 has an exact k of 1 − 0.8² = 0.36; one of 1.3 has bounded weights. Would detect a rule that
    /// takes the draws as they are, and one that warns of an exact approximation.
    #[test]
    fn draws_that_are_too_narrow_or_too_wide_are_named_with_what_is_right() {
        for scale in [0.8, 1.3] {
            let run = approximation(4000, scale);
            let pareto_k = run.importance().expect("it is one").pareto_k;
            assert!(pareto_k < 0.5, "{pareto_k}");
            let found = found(&run).expect("the draws are off");
            assert!((found.drawn[1] - scale).abs() < 0.05, "{found:?}");
            assert!((found.weighted[1] - 1.0).abs() < 0.1, "{found:?}");
            // printed in lines
            let text = run.to_string();
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = words.join(" ");
            assert!(text.contains("by their importance weights"), "{text}");
            let weighted = run.importance_weighted().expect("it is one");
            assert_eq!(self::found(&weighted), None);
        }
        assert_eq!(found(&approximation(4000, 1.0)), None);
        assert_eq!(found(&approximation(4000, 0.97)), None);
    }

    /// Would detect numbers of three decimals, and an element that a formula hides.
    #[test]
    fn small_numbers_are_written_with_their_digits() {
        let found = WeightsCorrect {
            element: "sigma".to_owned(),
            drawn: [1e-5, 2.5e-6],
            weighted: [1.25e-5, 3e-6],
        };
        let text = found.problem();
        let numbers = [1e-5, 2.5e-6, 1.25e-5, 3e-6].map(short);
        assert!(numbers.iter().all(|number| text.contains(number)), "{text}");
        assert!(!text.contains("0.000 "), "{text}");
    }

    /// Weights without a variance say nothing of the draws; another warning says so.
    #[test]
    fn weights_of_a_high_k_are_not_taken_for_right() {
        let run = approximation(4000, 0.5);
        assert_eq!(found(&run), None);
        assert!(!run.warnings().is_empty());
    }
}
