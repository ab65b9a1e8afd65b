//! Linear predictors on a table.

use crate::class::{Class, Of};
use crate::coding::{self, Named};
use crate::columns::{Evaluator, mean};
use crate::design::{Curve, Group, place, some};
use crate::groups::group;
use crate::independence::are_clearly_independent;
use crate::monotonic::{Steps, steps};
use crate::processes::{Process, process};
use crate::smooths::smoothed;
use crate::terms::{Applied, Predictor, Terms};
use bayes::rows::RowData;
use bayes::{Error, FormulaError};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeSet;

/// A column depends on the columns before it if its remainder beyond them is at most this share of the column.
const DEPENDENT: f64 = 1e-9;

/// A linear predictor on a table.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) of: Of,
    /// The name before the names of its parameters: `sigma`, `y1` and `y1:sigma` with several responses; none for a single response.
    pub(crate) name: Option<String>,
    /// Whether there is an intercept, or cutpoints instead.
    pub(crate) has_intercept: bool,
    /// The sum of offsets, `[rows]`.
    pub(crate) offset: Vec<f64>,
    /// The columns of the terms less their means, `[rows, coefficients]`.
    pub(crate) x: DMatrix<f64>,
    /// The subtracted means, from the table of the fit, `[coefficients]`.
    pub(crate) means: Vec<f64>,
    /// The names of the coefficients: first of the columns, then of the monotonic effects.
    pub(crate) coefficients: Vec<String>,
    pub(crate) steps: Vec<Steps>,
    pub(crate) curves: Vec<Curve>,
    pub(crate) processes: Vec<Process>,
    pub(crate) groups: Vec<Group>,
}

impl Line {
    /// The linear predictor of a table. Without given means it learns them, and checks that its columns are independent. `response` is the
    /// name of the response if there are several.
    pub(crate) fn new(
        response: Option<&str>,
        (of, predictor): (Of, &Predictor),
        (has_cutpoints, means): (bool, Option<&[f64]>),
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Self, Error> {
        let rows = evaluator.table.rows();
        // cutpoints have the scale of the distances, so that an intercept of `disc` would change nothing
        let is_free = of != Of::Parameter(Class::Discrimination);
        let terms = Terms {
            intercept: predictor.terms.intercept || !is_free,
            ..predictor.terms.clone()
        };
        let mut columns = coding::columns(&terms, evaluator)?;
        let curves = curves(predictor, &mut columns, evaluator)?;
        let groups = groups(predictor, evaluator)?;
        let mut offset = vec![0.0; rows];
        for term in &predictor.offsets {
            let values = evaluator.numbers(&term.x)?;
            offset.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
        }
        let steps = all_steps(predictor, evaluator)?;
        let processes = processes(predictor, evaluator)?;
        let has_intercept = is_free && predictor.terms.intercept || has_cutpoints;
        let learnt = |(_, x): &Named| if has_intercept { mean(x) } else { 0.0 };
        let own: Vec<f64> = match means {
            Some(means) => means.to_vec(),
            None => columns.iter().map(learnt).collect(),
        };
        let monotonic = steps.iter().map(|steps| format!("mo({})", steps.name));
        let names = columns.iter().map(|(name, _)| name.clone());
        let line = Self {
            name: named(response, &of),
            of,
            has_intercept,
            offset,
            x: DMatrix::from_vec(rows, columns.len(), centred(&columns, &own)),
            means: own,
            coefficients: names.chain(monotonic).collect(),
            steps,
            curves,
            processes,
            groups,
        };
        let line = line.named();
        if !is_free && line.is_empty() {
            return Err(FormulaError {
                formula: evaluator.formula.to_owned(),
                at: 0..0,
                message: "`disc` has no term: it is 1 without its formula, and has no intercept, since the cutpoints have its scale".to_owned(),
            }
            .into());
        }
        if means.is_none() {
            line.check_names()
                .and_then(|()| line.check_dependence(is_free && predictor.terms.intercept))
                .map_err(|message| FormulaError {
                    formula: evaluator.formula.to_owned(),
                    at: 0..0,
                    message,
                })?;
        }
        Ok(line)
    }

    /// The same with names that elements can have, and that include the predicted parameter.
    fn named(mut self) -> Self {
        let prefix = self
            .name
            .as_ref()
            .map_or_else(String::new, |name| format!("{name}:"));
        let named = |name: &str| place(&format!("{prefix}{name}"));
        self.coefficients = self.coefficients.iter().map(|name| named(name)).collect();
        for steps in &mut self.steps {
            steps.name = named(&steps.name);
        }
        for curve in &mut self.curves {
            curve.name = named(&curve.name);
            curve.short = named(&curve.short);
        }
        for process in &mut self.processes {
            process.name = named(&process.name);
        }
        for group in &mut self.groups {
            group.name = named(&group.name);
            group.prefix.clone_from(&prefix);
        }
        self
    }

    /// Whether it has no parameter.
    fn is_empty(&self) -> bool {
        self.coefficients.is_empty() && self.processes.is_empty() && self.groups.is_empty()
    }

    /// Whether it has an intercept among `intercepts`, with a name.
    pub(crate) fn has_named_intercept(&self) -> bool {
        self.has_intercept && self.name.is_some()
    }

    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            offset: some(&self.offset, rows),
            x: self.x.gather(rows),
            steps: self.steps.iter().map(|steps| steps.gather(rows)).collect(),
            curves: self.curves.iter().map(|curve| curve.gather(rows)).collect(),
            processes: self.processes.iter().map(|one| one.gather(rows)).collect(),
            groups: self.groups.iter().map(|group| group.gather(rows)).collect(),
            of: self.of.clone(),
            name: self.name.clone(),
            means: self.means.clone(),
            coefficients: self.coefficients.clone(),
            ..*self
        }
    }

    /// Checks that coefficients have names of their own. A column `gcy` has the name of the label `cy` of a column `g`.
    fn check_names(&self) -> Result<(), String> {
        let mut known = BTreeSet::new();
        let twice = self.coefficients.iter().find(|name| !known.insert(*name));
        twice.map_or(Ok(()), |name| {
            Err(format!(
                "two coefficients would be called `{name}`, from columns and labels with these names; rename a column"
            ))
        })
    }

    /// Whether a column of this norm has the same value in all rows, up to rounding.
    fn is_constant(&self, k: usize, size: f64) -> bool {
        let root = (self.x.nrows() as f64).sqrt();
        size <= DEPENDENT * root * self.means[k].abs()
    }

    /// Checks that numbers hold the squares of columns, which have these norms.
    fn check_sizes(&self, sizes: &[f64]) -> Result<(), String> {
        for (k, (column, size)) in self.x.column_iter().zip(sizes).enumerate() {
            let name = &self.coefficients[k];
            if !size.is_finite() || *size == 0.0 && column.amax() > 0.0 {
                return Err(format!(
                    "the column `{name}` has values whose squares are beyond the range of numbers (from 1e-308 to 1e308); write it in other \
                     units, such as `I({name} / 1e200)`"
                ));
            }
            if self.is_constant(k, *size) && column.iter().any(|x| *x != column[0]) {
                return Err(format!(
                    "the values of the column `{name}` differ by less than a billionth of their size, {:e}; subtract a number of their size in \
                     the table, or leave it out",
                    self.means[k].abs()
                ));
            }
        }
        Ok(())
    }

    /// Checks that no column is a combination of the columns before it.
    fn check_dependence(&self, intercept: bool) -> Result<(), String> {
        let sizes: Vec<f64> = self.x.column_iter().map(|column| column.norm()).collect();
        self.check_sizes(&sizes)?;
        let mut each = sizes.iter().enumerate();
        if are_clearly_independent(&self.x) && !each.any(|(k, size)| self.is_constant(k, *size)) {
            return Ok(());
        }
        let mut basis: Vec<(usize, DVector<f64>)> = Vec::new();
        for (k, size) in sizes.into_iter().enumerate() {
            let mut rest = self.x.column(k).into_owned();
            let mut parts = vec![0.0; k];
            // twice: the second pass removes the rounding errors of the first
            for _ in 0..2 {
                for (j, direction) in &basis {
                    let part = rest.dot(direction);
                    parts[*j] += part;
                    rest.axpy(-part, direction, 1.0);
                }
            }
            // also for a constant column less its mean
            if rest.norm() <= DEPENDENT * size || self.is_constant(k, size) {
                let others = (0..k).filter(|j| parts[*j].abs() > 1e-6 * size);
                return Err(self.dependence(k, &others.collect::<Vec<_>>(), intercept));
            }
            let norm = rest.norm();
            basis.push((k, rest / norm));
        }
        Ok(())
    }

    /// The message for a column that is a sum of others, or the same in all rows.
    fn dependence(&self, k: usize, others: &[usize], intercept: bool) -> String {
        let name = &self.coefficients[k];
        if others.is_empty() {
            let same = if intercept {
                ", as the intercept is"
            } else {
                ""
            };
            return format!("the column `{name}` is the same in all rows{same}; leave it out");
        }
        let others: Vec<&str> = others
            .iter()
            .map(|j| self.coefficients[*j].as_str())
            .collect();
        format!(
            "the column `{name}` is a sum of others ({}) times numbers, so the data cannot tell them apart; leave one out",
            others.join(", ")
        )
    }
}

/// The columns less these means, one behind the other.
fn centred(columns: &[Named], means: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(columns.iter().map(|(_, x)| x.len()).sum());
    for ((_, x), mean) in columns.iter().zip(means) {
        all.extend(x.iter().map(|x| x - mean));
    }
    all
}

/// The name of a linear predictor among all.
fn named(response: Option<&str>, of: &Of) -> Option<String> {
    let own = of.name();
    let parts: Vec<&str> = response.into_iter().chain(own.as_deref()).collect();
    (!parts.is_empty()).then(|| place(&parts.join(":")))
}

/// The curves of smooth terms. Also adds the columns of their straight parts.
fn curves(
    predictor: &Predictor,
    columns: &mut Vec<Named>,
    evaluator: &mut Evaluator<'_>,
) -> Result<Vec<Curve>, Error> {
    let mut curves: Vec<Curve> = Vec::new();
    for smooth in &predictor.smooths {
        let parts = smoothed(smooth, evaluator)?;
        let is_known = |new: &&Curve| curves.iter().any(|old| old.name == new.name);
        if let Some(curve) = parts.curves.iter().find(is_known) {
            let message = format!("the curve `{}` is there twice; leave one out", curve.name);
            return Err(evaluator.wrong(&smooth.node, message));
        }
        columns.extend(parts.columns);
        curves.extend(parts.curves);
    }
    Ok(curves)
}

/// The grades of monotonic effects.
fn all_steps(predictor: &Predictor, evaluator: &mut Evaluator<'_>) -> Result<Vec<Steps>, Error> {
    let mut all: Vec<Steps> = Vec::new();
    for Applied { node, x } in &predictor.monotonic {
        let new = steps(x, evaluator)?;
        if all.iter().any(|old| old.name == new.name) {
            let message = format!("`{node}` is there twice; leave one out");
            return Err(evaluator.wrong(node, message));
        }
        all.push(new);
    }
    Ok(all)
}

/// The Gaussian processes.
fn processes(predictor: &Predictor, evaluator: &mut Evaluator<'_>) -> Result<Vec<Process>, Error> {
    let mut all: Vec<Process> = Vec::new();
    for term in &predictor.processes {
        let new = process(term, evaluator)?;
        if all.iter().any(|old| old.name == new.name) {
            let message = format!("the process of `{}` is there twice; leave one out", term.x);
            return Err(evaluator.wrong(&term.node, message));
        }
        all.push(new);
    }
    Ok(all)
}

/// The groups whose coefficients vary.
fn groups(predictor: &Predictor, evaluator: &mut Evaluator<'_>) -> Result<Vec<Group>, Error> {
    let mut groups = Vec::new();
    for grouped in &predictor.groups {
        let group = group(grouped, evaluator)?;
        check_scales(&groups, &group).map_err(|message| evaluator.wrong(&grouped.node, message))?;
        groups.push(group);
    }
    Ok(groups)
}

/// Checks that no coefficient varies in two terms.
fn check_scales(before: &[Group], group: &Group) -> Result<(), String> {
    let known: Vec<String> = before.iter().flat_map(Group::scales).collect();
    let repeated = group
        .scales()
        .into_iter()
        .find(|scale| known.contains(scale));
    repeated.map_or(Ok(()), |scale| {
        Err(format!(
            "the coefficient `{scale}` varies in two terms; leave one out"
        ))
    })
}
