//! The picture of effects.

use super::conditions::{Conditions, Varying};
use super::grid::{Level, Variable, Variables};
use super::{EffectRow, Effects};
use crate::design::Margin;
use crate::family::Family;
use crate::regression::Regression;
use crate::syntax::Node;
use bayes::Error;
use bayes::plot;

/// The picture of [`Effects::figure`](super::Effects::figure).
pub(super) fn picture(
    regression: &Regression,
    effects: &Effects,
    (variables, varying): (&Variables, &Varying),
    conditions: &Conditions,
) -> Result<plot::Effects, Error> {
    let (x, values) = &varying[0];
    let formulas = regression.recipe().terms()?;
    let formula = &formulas.each[regression.number()];
    // as in the formula, not as in the names of elements, where commas are semicolons
    let written = |node: &Node| &regression.formula()[node.at.clone()];
    let response = written(&formula.response);
    let design = regression.margin();
    let is_of_grades = variables[x].grades().is_some();
    let labels: Vec<String> = match values.len() {
        // at most two different numbers are treated as labels
        0..=2 => values.iter().map(Level::to_string).collect(),
        _ if is_of_grades => values.iter().map(Level::to_string).collect(),
        _ => variables[x].levels().unwrap_or_default().to_vec(),
    };
    let mut curves = curves(effects, varying, !labels.is_empty());
    if !conditions.is_linear && !design.family.has_outcomes() {
        add_data(&mut curves, design, variables, varying, !labels.is_empty());
    }
    let scale = match (conditions.is_linear, design.family) {
        (true, _) => format!("linear predictor of {response}"),
        (_, Family::Bernoulli | Family::Binomial | Family::BetaBinomial) => {
            format!("probability of {response}")
        }
        (_, Family::Categorical) => format!("probability of a label of {response}"),
        (_, Family::Dirichlet) => format!("share of a column of {response}"),
        (_, Family::Multinomial) => format!("probability of a column of {response}"),
        (_, family) if family.has_cutpoints() => {
            format!("probability of a grade of {response}")
        }
        _ => match &formula.additions.rate {
            Some(exposure) => format!("expected {response} of {} = 1", written(exposure)),
            None => format!("expected {response}"),
        },
    };
    let names: Vec<&str> = varying.iter().map(|(name, _)| name.as_str()).collect();
    Ok(plot::Effects {
        title: format!("{} by {}", capital(&scale), names.join(" and ")),
        notes: effects.note().into_iter().collect(),
        covariate: x.clone(),
        response: scale,
        labels,
        curves,
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// A curve for each value of the second column and each grade.
fn curves(effects: &Effects, varying: &Varying, is_of_places: bool) -> Vec<plot::EffectCurve> {
    let seconds = varying.get(1).map_or(1, |(_, values)| values.len());
    let grades = effects.rows.iter().filter_map(|row| row.grade).max();
    let mut curves = Vec::new();
    for second in 0..seconds {
        let at = varying.get(1).map(|(name, values)| (name, &values[second]));
        for grade in 1..=grades.unwrap_or(1) {
            let is_of = |row: &&EffectRow| {
                row.grade.is_none_or(|own| own == grade)
                    && at.is_none_or(|(_, level)| row.at[1] == *level)
            };
            let rows = effects.rows.iter().filter(is_of).enumerate();
            let point = |(k, row): (usize, &EffectRow)| {
                let x = match &row.at[0] {
                    Level::Number(x) if !is_of_places => *x,
                    _ => k as f64,
                };
                (x, row.summary.quantiles)
            };
            let name = at.map(|(name, level)| format!("{name} = {level}"));
            let label = rows.clone().find_map(|(_, row)| row.label.clone());
            let grade = grades.map(|_| label.unwrap_or_else(|| format!("grade {grade}")));
            curves.push(plot::EffectCurve {
                name: name.into_iter().chain(grade).collect::<Vec<_>>().join(", "),
                points: rows.map(point).collect(),
                data: Vec::new(),
            });
        }
    }
    curves
}

/// Adds the data to the curves of their label, or of the nearest number. Counts are divided by their exposures; censored rows are left out.
fn add_data(
    curves: &mut [plot::EffectCurve],
    design: &Margin,
    variables: &Variables,
    varying: &Varying,
    is_of_places: bool,
) {
    let place = |(name, values): &(String, Vec<Level>), row: usize| -> Option<usize> {
        let own = variables[name].at(row);
        let distance = |level: &Level| match (level, &own) {
            (Level::Number(a), Level::Number(b)) => (a - b).abs(),
            _ => f64::from(u8::from(*level != own)),
        };
        let distances = values.iter().map(distance).enumerate();
        distances
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(k, _)| k)
    };
    let is_known = |row: &usize| {
        let y = design.observed(*row);
        !design.adjustments.is_censored(*row, y)
    };
    for row in (0..design.rows()).filter(is_known) {
        let y = design.observed(row) / design.exposures.get(row).unwrap_or(&1.0);
        let x = match (&variables[&varying[0].0], is_of_places) {
            (Variable::Numbers(x), false) => Some(x[row]),
            _ => place(&varying[0], row).map(|k| k as f64),
        };
        let curve = varying.get(1).map_or(Some(0), |second| place(second, row));
        if let (Some(x), Some(curve)) = (x, curve) {
            curves[curve].data.push([x, y]);
        }
    }
}
