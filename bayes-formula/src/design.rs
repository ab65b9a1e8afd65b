//! The data of a regression, as read by its model.

use crate::adjustments::Adjustments;
use crate::baseline::Baseline;
use crate::centring::Placement;
use crate::class::{Class, Of};
use crate::coding::Named;
use crate::defaults::Priors;
use crate::family::Family;
use crate::line::Line;
use crate::link::Link;
use crate::monotonic::Steps;
use crate::processes::Process;
use crate::residuals::{Latent, Residuals};
use crate::shrinkage::Shrinkage;
use bayes::dist::{Datum, Discrete};
use bayes::rows::{RowCount, RowData};
use nalgebra::DMatrix;

/// The data of a regression: its responses, and what they share.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    /// One for each response.
    pub(crate) margins: Vec<Margin>,
    /// Several responses, `[rows, responses]`; without rows for one. NaN for missing values of a table to predict.
    pub(crate) joint: DMatrix<f64>,
    /// Whether the residuals of the responses are correlated.
    pub(crate) rescor: bool,
    pub(crate) priors: Priors,
    /// The coordinates of the coefficients of groups, in the order of their standard deviations; coefficients beyond the end are non-centred.
    pub(crate) placements: Vec<Placement>,
    /// The number of the response of which predictions also return the linear predictor and the other parameters of the family.
    pub(crate) tells: Option<usize>,
}

/// The data of one response.
#[derive(Clone, Debug)]
pub(crate) struct Margin {
    /// The name of the response.
    pub(crate) name: String,
    pub(crate) family: Family,
    pub(crate) link: Link,
    /// The linear predictors: first the response's, then other parameters'.
    pub(crate) lines: Vec<Line>,
    /// The response, `[rows]`, if it holds numbers; otherwise empty. NaN for missing values of a table to predict.
    pub(crate) y: Vec<f64>,
    /// The response if it holds whole numbers: counts, or grades from 1.
    pub(crate) counts: Vec<Whole>,
    /// The numbers of trials, `[rows]`; empty for families without them.
    pub(crate) trials: Vec<u64>,
    pub(crate) adjustments: Adjustments,
    /// The residuals before each row, if the response depends on them.
    pub(crate) residuals: Option<Residuals>,
    /// Residuals of the linear predictor instead of the response.
    pub(crate) latent: Option<Latent>,
    /// The known standard deviations of the responses, `[rows]`; empty if there are none.
    pub(crate) errors: Vec<f64>,
    /// Whether `sigma` is added to the known standard deviations.
    pub(crate) adds_sigma: bool,
    /// The exposures of counts, `[rows]`; empty if there are none. Their logarithms are in the offset.
    pub(crate) exposures: Vec<f64>,
    /// The number of grades of an ordered response.
    pub(crate) grades: usize,
    /// The labels of a categorical response; the first one has no linear predictor.
    pub(crate) labels: Vec<String>,
    /// The response of several columns, `[rows, columns]`; without rows for other families. NaN for missing rows of a table to predict.
    pub(crate) columns: DMatrix<f64>,
    /// The knots of the baseline hazard; `None` for families without one.
    pub(crate) baseline: Option<Baseline>,
}

/// A smooth curve.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// `s(x)`.
    pub(crate) name: String,
    /// `x`.
    pub(crate) short: String,
    /// The basis functions of the curve, with equal penalties, `[rows, functions]`.
    pub(crate) z: DMatrix<f64>,
}

/// The coefficients of the groups of a term `(x | g)`.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The term in the formula: `(x | g)`.
    pub(crate) term: String,
    /// `g`, behind the name of a linear predictor other than the response's: `sigma:g`.
    pub(crate) name: String,
    /// `g`.
    pub(crate) by: String,
    /// The name of the linear predictor and a colon; empty for the response.
    pub(crate) prefix: String,
    /// The id of `(x | id | g)`: coefficients of all terms with the id are correlated.
    pub(crate) id: Option<String>,
    /// Whether the first column is an intercept.
    pub(crate) has_intercept: bool,
    pub(crate) correlated: bool,
    pub(crate) levels: Vec<String>,
    /// The level of each row.
    pub(crate) of: Vec<usize>,
    pub(crate) columns: Vec<Named>,
}

/// A whole number, or NaN if it is missing in a table to predict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole(pub(crate) f64);

impl Datum<Discrete> for Whole {
    fn value(self) -> f64 {
        self.0
    }
}

/// A name that can be used for an element: without `[`, `]`, `,` and `"`.
pub(crate) fn place(name: &str) -> String {
    let name = name.replace('[', "(").replace(']', ")");
    name.replace(',', ";").replace('"', "'")
}

/// The name of the intercept among the coefficients of a group.
pub(crate) const INTERCEPT: &str = "Intercept";

impl Margin {
    pub(crate) fn rows(&self) -> usize {
        let own = self.residuals.as_ref().map(Residuals::rows);
        own.unwrap_or_else(|| self.lines[0].offset.len())
    }

    /// The response of a row, as it is observed; NaN if it is missing.
    fn value(&self, row: usize) -> f64 {
        let y = self.y.get(row).copied();
        let y = y.or_else(|| self.counts.get(row).map(|count| count.0));
        y.unwrap_or(f64::NAN)
    }

    /// The response of a row, as a share of its trials; NaN if it is missing.
    pub(crate) fn observed(&self, row: usize) -> f64 {
        self.value(row) / self.trials.get(row).map_or(1.0, |trials| *trials as f64)
    }

    /// The number of the linear predictor of a parameter other than the response's.
    pub(crate) fn line_of(&self, class: Class) -> Option<usize> {
        let of = Of::Parameter(class);
        self.lines.iter().position(|line| line.of == of)
    }

    /// The number of labels with a linear predictor; 0 for other responses.
    pub(crate) fn number_of_levels(&self) -> usize {
        let lines = self.lines.iter();
        lines
            .filter(|line| matches!(line.of, Of::Level(..)))
            .count()
    }

    /// The names of the columns of a response of several columns.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        self.labels.iter().map(|label| place(label)).collect()
    }

    /// The names of the cutpoints, each the grade below it.
    pub(crate) fn cutpoints(&self) -> Vec<String> {
        (1..self.grades).map(|grade| grade.to_string()).collect()
    }

    /// Whether known values take the place of a parameter of the family.
    pub(crate) fn knows(&self, class: Class) -> bool {
        class == Class::Sigma && !self.errors.is_empty() && !self.adds_sigma
    }

    /// Whether the family has a parameter of this class, and neither a linear predictor nor known values take its place.
    pub(crate) fn has(&self, class: Class) -> bool {
        let is_own = self.family.auxiliaries().contains(&class);
        is_own && self.line_of(class).is_none() && !self.knows(class)
    }

    /// Whether some rows have weights that are not whole numbers.
    pub(crate) fn has_shares_of_rows(&self) -> bool {
        self.adjustments.weights.iter().any(|w| w.fract() != 0.0)
    }

    fn gather(&self, rows: &[usize]) -> Self {
        let residuals = self.residuals.as_ref().map(|own| own.gather(rows));
        let (residuals, of_response) = residuals.unzip();
        let of_response = of_response.as_deref().unwrap_or(rows);
        let line = |(k, line): (usize, &Line)| match k {
            0 => line.gather(of_response),
            _ => line.gather(rows),
        };
        Self {
            name: self.name.clone(),
            y: some(&self.y, rows),
            counts: some(&self.counts, rows),
            trials: some(&self.trials, rows),
            adjustments: Adjustments {
                weights: some(&self.adjustments.weights, rows),
                regions: some(&self.adjustments.regions, rows),
                bounds: some(&self.adjustments.bounds, rows),
            },
            residuals,
            latent: self.latent.as_ref().map(|own| own.gather(rows)),
            errors: some(&self.errors, rows),
            exposures: some(&self.exposures, rows),
            lines: self.lines.iter().enumerate().map(line).collect(),
            labels: self.labels.clone(),
            columns: gathered(&self.columns, rows),
            ..*self
        }
    }
}

impl Design {
    pub(crate) fn rows(&self) -> usize {
        self.first().rows()
    }

    /// The first response, for families that only a single response has.
    pub(crate) fn first(&self) -> &Margin {
        &self.margins[0]
    }

    pub(crate) fn has_several(&self) -> bool {
        self.margins.len() > 1
    }

    /// The number of the response whose parameters predictions return, if there is one.
    pub(crate) fn told(&self) -> impl Iterator<Item = usize> {
        self.tells.into_iter()
    }

    /// The names of the responses.
    pub(crate) fn names(&self) -> Vec<String> {
        self.margins.iter().map(|one| one.name.clone()).collect()
    }

    /// The names of several responses. None for a single one: its elements have no second name.
    pub(crate) fn joint_names(&self) -> Vec<String> {
        match self.has_several() {
            true => self.names(),
            false => Vec::new(),
        }
    }

    /// The responses whose family has a parameter of this class.
    pub(crate) fn owners(&self, class: Class) -> impl Iterator<Item = &Margin> {
        self.margins.iter().filter(move |one| one.has(class))
    }

    /// Their names.
    pub(crate) fn owner_names(&self, class: Class) -> Vec<String> {
        self.owners(class).map(|one| one.name.clone()).collect()
    }

    /// The names of the pairs of responses: `y1:y2`.
    pub(crate) fn pairs(&self) -> Vec<String> {
        let names = self.names();
        let pairs = (1..names.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        pairs
            .map(|(j, i)| format!("{}:{}", names[j], names[i]))
            .collect()
    }

    /// Several responses, `[rows, responses]`.
    pub(crate) fn joint(margins: &[Margin]) -> DMatrix<f64> {
        match margins {
            [_] => DMatrix::zeros(0, 0),
            all => DMatrix::from_fn(all[0].rows(), all.len(), |row, k| all[k].value(row)),
        }
    }

    /// The linear predictors of all responses, response after response.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &Line> {
        self.margins.iter().flat_map(|one| &one.lines)
    }

    /// The linear predictors of a response among those of all.
    pub(crate) fn etas_of<'e, T>(&self, margin: usize, etas: &'e [T]) -> &'e [T] {
        let counts = self.margins.iter().map(|one| one.lines.len());
        let first: usize = counts.take(margin).sum();
        &etas[first..first + self.margins[margin].lines.len()]
    }

    /// The number of the linear predictor with this name: `sigma`, or `mub` of the label `b`; `y1` and `y1:sigma` with several responses.
    pub(crate) fn line_named(&self, name: &str) -> Option<usize> {
        self.lines()
            .position(|line| line.name.as_deref() == Some(name))
    }

    /// The parameters, such as `sigma`, and the labels whose linear predictors have an intercept, and several responses; without a single response.
    pub(crate) fn intercepts(&self) -> Vec<String> {
        let lines = self.lines().filter(|line| line.has_named_intercept());
        lines.filter_map(|line| line.name.clone()).collect()
    }

    /// The coefficients of all terms: `days`.
    pub(crate) fn coefficients(&self) -> Vec<String> {
        let lines = self.lines();
        lines.flat_map(|line| line.coefficients.clone()).collect()
    }

    /// The names of the coefficients that such a prior shrinks together.
    pub(crate) fn shrunk(&self, is_such: fn(Shrinkage) -> bool) -> Vec<String> {
        let names = self.coefficients();
        let shrunk = self.priors.shrunk_by(is_such);
        let of = shrunk.map_or(&[][..], |shrunk| &shrunk.of);
        of.iter().map(|k| names[*k].clone()).collect()
    }

    pub(crate) fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.lines().flat_map(|line| &line.curves)
    }

    /// The number of functions of all curves.
    pub(crate) fn number_of_functions(&self) -> usize {
        self.curves().map(|curve| curve.z.ncols()).sum()
    }

    /// The names of the functions of all curves: `x:1`.
    pub(crate) fn functions(&self) -> Vec<String> {
        let of = |curve: &Curve| -> Vec<String> {
            let numbers = 1..=curve.z.ncols();
            numbers.map(|k| format!("{}:{k}", curve.short)).collect()
        };
        self.curves().flat_map(of).collect()
    }

    pub(crate) fn processes(&self) -> impl Iterator<Item = &Process> {
        self.lines().flat_map(|line| &line.processes)
    }

    /// The number of functions of all Gaussian processes.
    pub(crate) fn number_of_waves(&self) -> usize {
        self.processes().map(|process| process.phi.ncols()).sum()
    }

    /// The names of the functions of all Gaussian processes: `x:1`.
    pub(crate) fn waves(&self) -> Vec<String> {
        let of = |process: &Process| -> Vec<String> {
            let numbers = 1..=process.phi.ncols();
            numbers.map(|k| format!("{}:{k}", process.name)).collect()
        };
        self.processes().flat_map(of).collect()
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &Steps> {
        self.lines().flat_map(|line| &line.steps)
    }

    /// The names of the shares of steps: `income:1`.
    pub(crate) fn shares(&self) -> Vec<String> {
        let of = |steps: &Steps| -> Vec<String> {
            let numbers = 1..=steps.count;
            numbers.map(|k| format!("{}:{k}", steps.name)).collect()
        };
        self.steps().flat_map(of).collect()
    }

    /// The numbers of the residuals before a row that it depends on, from 1. Only a single response has them.
    pub(crate) fn lags(&self) -> Vec<String> {
        let only = self.first();
        let latent = usize::from(only.latent.is_some());
        let order = only.residuals.as_ref().map_or(latent, Residuals::order);
        (1..=order).map(|k| k.to_string()).collect()
    }

    /// The names of the latent residuals.
    pub(crate) fn latent_residuals(&self) -> Vec<String> {
        let own = self.first().latent.as_ref();
        own.map_or_else(Vec::new, |own| own.names.clone())
    }

    /// The ends of a coefficient of residuals: a series of one such coefficient within them does not explode.
    pub(crate) fn ends_of_lags(&self) -> Option<[f64; 2]> {
        (self.lags().len() == 1).then_some([-1.0, 1.0])
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = &Group> {
        self.lines().flat_map(|line| &line.groups)
    }

    /// The names of the standard deviations of group effects: `site:Intercept`.
    pub(crate) fn scales(&self) -> Vec<String> {
        self.groups().flat_map(Group::scales).collect()
    }

    /// The names of the effects, group after group, and within each group coefficient after coefficient: `site:north:Intercept`.
    pub(crate) fn effects(&self) -> Vec<String> {
        let of = |group: &Group| -> Vec<String> {
            let Group { name, levels, .. } = group;
            let of_column = |(column, _): &Named| -> Vec<String> {
                let levels = levels.iter();
                levels
                    .map(|level| format!("{name}:{level}:{column}"))
                    .collect()
            };
            group.columns.iter().flat_map(of_column).collect()
        };
        self.groups().flat_map(of).collect()
    }
}

impl Group {
    /// The names of the group's standard deviations: `site:Intercept`.
    pub(crate) fn scales(&self) -> Vec<String> {
        let names = self.columns.iter();
        names
            .map(|(column, _)| format!("{}:{column}", self.name))
            .collect()
    }

    /// The number of the group's effects.
    pub(crate) fn effects(&self) -> usize {
        self.columns.len() * self.levels.len()
    }

    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            of: self.of.gather(rows),
            columns: self
                .columns
                .iter()
                .map(|(name, x)| (name.clone(), x.gather(rows)))
                .collect(),
            term: self.term.clone(),
            name: self.name.clone(),
            by: self.by.clone(),
            prefix: self.prefix.clone(),
            id: self.id.clone(),
            levels: self.levels.clone(),
            ..*self
        }
    }
}

impl Curve {
    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            short: self.short.clone(),
            z: self.z.gather(rows),
        }
    }
}

/// The rows of a list that may be empty.
pub(crate) fn some<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    match values.is_empty() {
        true => Vec::new(),
        false => rows.iter().map(|row| values[*row]).collect(),
    }
}

/// The rows of a matrix that may have none.
fn gathered(values: &DMatrix<f64>, rows: &[usize]) -> DMatrix<f64> {
    match values.nrows() {
        0 => values.clone(),
        _ => values.gather(rows),
    }
}

impl RowData for Design {
    type Owned = Self;
    type View<'s> = &'s Self;

    fn rows(&self) -> usize {
        Self::rows(self)
    }

    fn gather(&self, rows: &[usize]) -> Self {
        Self {
            margins: self.margins.iter().map(|one| one.gather(rows)).collect(),
            joint: gathered(&self.joint, rows),
            priors: self.priors.clone(),
            placements: self.placements.clone(),
            ..*self
        }
    }

    fn view<'s>(&'s self, owned: &'s Self) -> &'s Self {
        owned
    }

    fn row_counts(&self, _: &str) -> Vec<RowCount> {
        vec![RowCount {
            name: "table".to_owned(),
            rows: self.rows(),
        }]
    }
}
