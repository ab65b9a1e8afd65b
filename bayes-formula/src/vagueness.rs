//! How much the evidence of a regression depends on its default priors.

use crate::Regression;
use crate::class::{CLASSES, Class};
use crate::defaults::{Priors, ends_of, family_of};
use crate::design::Design;
use crate::formula::Formula;
use crate::inside::mass;
use crate::likelihood::least;
use crate::prior::Prior;
use bayes::autodiff::{PlainValue, Value};
use bayes::diagnose::{Estimate, Psis, psis};
use bayes::dist::Distribution;
use bayes::prelude::*;
use bayes::sensitivity::{EvidenceRow, EvidenceSensitivity};
use bayes::{Error, Run};

/// The change of the default priors whose effect is told.
const WIDER: f64 = 2.0;

impl Regression {
    /// How much the log evidence of the regression's run changes if all default priors are twice as wide: distributions on the line around their locations,
    /// and distributions above 0 on their scale. Priors that were chosen stay, as do the priors of shares and correlations, which are flat. `None` if no prior
    /// is a default with a width.
    ///
    /// The draws of the run are reweighted, as [`Run::evidence_sensitivity`] does it; the likelihood is the same and is not evaluated.
    ///
    /// # Errors
    /// The errors of [`Prediction::check_data`](bayes::predict::Prediction::check_data), because the run must be of this regression; [`Error::Formula`] if an earlier
    /// version made the regression's run, and did not keep which priors were chosen.
    pub fn evidence_sensitivity(&self, run: &Run) -> Result<Option<EvidenceSensitivity>, Error> {
        run.predict(self)?.check_data()?;
        let design = self.design();
        let wide = Priors::default_of(design).widened(WIDER);
        let wide = Formula::of_recipe(self.recipe())?.choose(wide, design)?;
        let mut ratio = 0.0;
        let mut changes = Vec::new();
        for class in CLASSES.iter().map(|row| row.class) {
            let pairs = design.priors.of(class).iter().zip(wide.of(class));
            for (k, (own, other)) in pairs.enumerate().filter(|(_, (own, other))| own != other) {
                if class == Class::Coefficient && is_shrunk(design, k) {
                    continue;
                }
                let places = run.variable(quantity(class))?.range();
                changes.push((places.start + k, *own, *other));
                ratio += log_inside(design, class, k, *own) - log_inside(design, class, k, *other);
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        ratio += design.priors.log_order - wide.log_order;
        let at = |draw: &[f64]| {
            let terms = changes.iter().map(|(place, own, other)| {
                let x = [Real::constant(draw[*place])];
                log_density(*other, &x) - log_density(*own, &x)
            });
            ratio + terms.sum::<f64>()
        };
        Ok(Some(reweighted(run, at)))
    }

    /// The same in a line, for the summary of a run; `None` if the run has no evidence, or no prior is a default.
    ///
    /// # Errors
    /// The errors of [`evidence_sensitivity`](Self::evidence_sensitivity).
    pub fn evidence_in_words(&self, run: &Run) -> Result<Option<String>, Error> {
        if run.log_evidence_estimate().is_none() {
            return Ok(None);
        }
        Ok(self.evidence_sensitivity(run)?.map(|found| said(&found)))
    }
}

/// The quantity of the model that has the priors of a class.
fn quantity(class: Class) -> &'static str {
    match class {
        Class::Intercept => "intercept_at_means",
        Class::Intercepts => "intercepts_at_means",
        Class::Cutpoint => "cutpoints_at_means",
        other => other.name(),
    }
}

fn is_shrunk(design: &Design, coefficient: usize) -> bool {
    let shrunk = design.priors.shrunk.as_ref();
    shrunk.is_some_and(|shrunk| shrunk.of.contains(&coefficient))
}

/// The log probability that a parameter is within the bounds of the regression.
fn log_inside(design: &Design, class: Class, parameter: usize, prior: Prior) -> f64 {
    if let Some(bound) = least(family_of(class, parameter, design), class) {
        return prior.log_sf(bound);
    }
    ends_of(class, design).map_or(0.0, |ends| mass(prior, ends).ln())
}

fn log_density(prior: Prior, x: &[Real<Value>]) -> f64 {
    prior.log_density_of(x).plain_value()
}

/// The log of the mean of the exponentials of `at` over the draws of a run.
fn reweighted(run: &Run, at: impl Fn(&[f64]) -> f64) -> EvidenceSensitivity {
    let logs = run.map_draws(|draw| at(draw.values())).concat();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = run.estimate(|draw| (at(draw.values()) - largest).exp());
    let weights = run.draw_weights();
    let pairs = logs.iter().zip(&weights);
    let weighted: Vec<f64> = pairs.map(|(log, weight)| log + weight.ln()).collect();
    let row = EvidenceRow {
        name: "default priors twice as wide".to_owned(),
        log_bayes_factor: Estimate {
            mean: largest + mean.mean.ln(),
            se: mean.se / mean.mean,
            ..mean
        },
        pareto_k: psis(&weighted, 1.0).pareto_k,
    };
    EvidenceSensitivity {
        rows: vec![row],
        good_k: Psis::good_k(weights.iter().filter(|weight| **weight > 0.0).count()),
    }
}

fn said(found: &EvidenceSensitivity) -> String {
    let (row, good) = (&found.rows[0], found.good_k);
    let mut change = row.log_bayes_factor;
    let reason = match row.pareto_k {
        k if k.is_nan() => Some("k-hat of default priors twice as wide is unknown".to_owned()),
        k if k > good => Some(format!(
            "k-hat of default priors twice as wide is {k:.2}, above {good:.2}"
        )),
        _ if !change.mean.is_finite() => {
            Some("no draw has a density under default priors twice as wide".to_owned())
        }
        _ => None,
    };
    if let Some(reason) = reason {
        return format!(
            "priors         unknown effect on the log evidence: {reason}; choose priors before you compare evidences"
        );
    }
    let verb = match change.mean < 0.0 {
        true => "lower",
        false => "raise",
    };
    change.mean = change.mean.abs();
    format!("priors         default priors twice as wide {verb} the log evidence by {change}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pareto_k: f64, mean: f64) -> EvidenceSensitivity {
        EvidenceSensitivity {
            rows: vec![EvidenceRow {
                name: String::new(),
                log_bayes_factor: Estimate {
                    mean,
                    se: 0.011,
                    degrees_of_freedom: 7.0,
                },
                pareto_k,
            }],
            good_k: 0.7,
        }
    }

    #[test]
    fn the_line_says_the_change_or_that_it_is_unknown() {
        let lower = said(&found(0.3, -2.081));
        assert!(
            lower.ends_with("twice as wide lower the log evidence by 2.081 ± 0.011"),
            "{lower}"
        );
        assert!(said(&found(0.3, 0.5)).contains(" raise the log evidence by 0.500"));
        for (unknown, reason) in [
            (found(0.9, 1.0), "is 0.90, above 0.70"),
            (found(f64::NAN, 1.0), "is unknown;"),
            (found(0.1, f64::NAN), "no draw has a density"),
        ] {
            let line = said(&unknown);
            assert!(
                line.contains("unknown effect") && line.contains(reason) && !line.contains('±'),
                "{line}"
            );
        }
    }
}
