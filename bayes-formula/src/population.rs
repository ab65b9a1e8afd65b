//! A regression whose group effects are 0.

use crate::design::Design;
use crate::recipe::{Purpose, Recipe};
use crate::regression::Regression;
use crate::residuals::set_no_residuals;
use crate::syntax::Kind;
use crate::terms::Grouped;
use bayes::Error;
use bayes::data::Table;

/// The label of an unknown group.
pub(crate) const NOBODY: &str = "(new)";

/// The regression of a table for the population.
pub(crate) fn population(mut recipe: Recipe, table: &Table) -> Result<Regression, Error> {
    let table = with_groups(&recipe, table)?;
    let mut formulas = recipe.terms()?;
    // the population has no residuals, and needs no times of them
    let residuals = formulas.take_residuals();
    let mut design = recipe.design_of(&formulas, &table, Purpose::Predict)?;
    design.priors = recipe.priors.clone();
    without_effects(&mut design, |_| true);
    set_no_residuals(&mut design, &residuals);
    Ok(Regression::new(recipe, design, &table))
}

/// The table, with missing group columns filled by this label.
pub(crate) fn with_groups(recipe: &Recipe, table: &Table) -> Result<Table, Error> {
    let mut filled = table.clone();
    let formula = recipe.terms()?;
    let predictors = formula.predictors();
    let groups = predictors.flat_map(|predictor| &predictor.groups);
    for name in groups.flat_map(columns_of) {
        if !filled.columns().contains(&name) {
            filled = filled.with_column(&name, vec![NOBODY; table.rows()])?;
        }
    }
    Ok(filled)
}

/// The columns whose labels are the groups of a term.
pub(crate) fn columns_of(grouped: &Grouped) -> Vec<String> {
    let name = |kind: &Kind| match kind {
        Kind::Name(name) => Some(name.clone()),
        _ => None,
    };
    grouped
        .by
        .iter()
        .filter_map(|node| name(&node.kind))
        .collect()
}

/// Removes the effects of groups for which `is_left_out`, by the numbers of their terms over all linear predictors. The design that is left takes effects by
/// name, so that its coordinates are free: they are non-centred.
pub(crate) fn without_effects(design: &mut Design, is_left_out: impl Fn(usize) -> bool) {
    let lines = design.margins.iter_mut().flat_map(|one| &mut one.lines);
    let groups = lines.flat_map(|line| &mut line.groups);
    let mut leaves_out = false;
    for (number, group) in groups.enumerate() {
        if is_left_out(number) {
            leaves_out = true;
            group.levels.clear();
            group.of.clear();
            group.columns.iter_mut().for_each(|(_, x)| x.clear());
        }
    }
    if leaves_out {
        design.placements.clear();
    }
}
