//! What several responses need and do not have.

use crate::adjustments::Adjustments;
use crate::design::Margin;
use crate::family::Family;
use crate::recipe::{Purpose, Recipe};
use crate::terms::Formulas;
use bayes::Error;

/// Refuses families that only a single response has so far, and residual correlations of others than Gaussian responses.
pub(crate) fn check_families(recipe: &Recipe, formulas: &Formulas) -> Result<(), Error> {
    for (formula, (family, _)) in formulas.each.iter().zip(recipe.families()) {
        let message = if family.has_outcomes() || family == Family::Cox {
            format!(
                "the family {family} is of a single response so far; several responses are numbers or counts, such as gaussian, bernoulli and poisson"
            )
        } else if formulas.rescor && family != Family::Gaussian {
            format!(
                "`set_rescor(TRUE)` needs responses of the family gaussian, and this is {family}; group terms with one id, `(1 | p | g)`, correlate responses of all families"
            )
        } else {
            continue;
        };
        return Err(recipe.wrong(&formula.response, message));
    }
    Ok(())
}

/// Checks the additions of several responses, and that each response of a fit varies.
pub(crate) fn check(
    recipe: &Recipe,
    formulas: &Formulas,
    margins: &[Margin],
    purpose: Purpose,
) -> Result<(), Error> {
    for (formula, margin) in formulas.each.iter().zip(margins) {
        if let Some(addition) = apart(margin).filter(|_| formulas.rescor) {
            let message = format!(
                "responses with `{addition}` have no residual correlations; leave out `set_rescor(TRUE)` or `{addition}`"
            );
            return Err(recipe.wrong(&formula.response, message));
        }
        if purpose == Purpose::Fit {
            recipe.check_spread(formula, margin)?;
        }
    }
    Ok(())
}

/// The addition of a response with which normal responses together have no density for each row.
fn apart(margin: &Margin) -> Option<&'static str> {
    let Adjustments {
        weights,
        regions,
        bounds,
    } = &margin.adjustments;
    let all = [
        ("weights", weights.is_empty()),
        ("cens", regions.is_empty()),
        ("trunc", bounds.is_empty()),
    ];
    let found = all.into_iter().find(|(_, is_empty)| !is_empty);
    found.map(|(name, _)| name)
}
