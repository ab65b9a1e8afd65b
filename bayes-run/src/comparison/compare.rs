//! The table that compares models.

use super::elpd::{Elpd, Method, error_of_sum};
use super::weights::{pseudo_bma_plus, stacking};
use crate::diagnose::Estimate;
use crate::error::{ComparisonError, Error};
use crate::order;
use crate::text::Style;
use crate::text::table::{self, Line};
use std::fmt;

/// Models from best to worst; printing it shows a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How the expected log predictive densities were estimated.
    pub method: Method,
    /// One row per model, the highest elpd first.
    pub rows: Vec<ComparisonRow>,
    /// Warnings of the models, each with its model's name.
    pub warnings: Vec<String>,
    /// Notes on the comparison, in sentences: rows that belong to one model. Empty if there is nothing to note.
    pub notes: Vec<String>,
}

/// One model of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    /// The model.
    pub name: String,
    /// Expected log predictive density.
    pub elpd: f64,
    /// Standard error of the elpd over data.
    pub se: f64,
    /// Effective number of parameters; NaN for k-fold cross-validation.
    pub effective_parameters: f64,
    /// How much lower its elpd is than the elpd of the best model; 0 for the best.
    pub difference: f64,
    /// Standard error of the difference over data. It is smaller than the errors of both models, because both predict the same
    /// observations.
    pub difference_se: f64,
    /// Stacking weight.
    pub stacking: f64,
    /// Pseudo-BMA+ weight.
    pub pseudo_bma_plus: f64,
    /// Log evidence of its run, if it has one.
    pub log_evidence: Option<Estimate>,
    /// Log Bayes factor against the first row, if both runs have an evidence. It need not agree with the order: the evidence
    /// also judges the prior.
    pub log_bayes_factor: Option<Estimate>,
}

/// Compares models of the same data by their expected log predictive densities, and by their evidence where the runs have one.
///
/// ```text
/// println!("{}", compare([("pooled", &pooled.loo(&a)?), ("hierarchical", &hierarchical.loo(&b)?)])?);
/// ```
///
/// A difference below about twice its error, or below 4 in size, does not distinguish the models (Sivula, Magnusson, Matamoros
/// and Vehtari 2025). Notes name rows of one model that several engines ran.
///
/// # Errors
/// [`Error::Comparison`] if there are fewer than two models, if two have the same name, or if they were estimated from
/// different data or by different methods.
pub fn compare<'a>(
    models: impl IntoIterator<Item = (&'a str, &'a Elpd)>,
) -> Result<Comparison, Error> {
    let models: Vec<(&str, &Elpd)> = models.into_iter().collect();
    check(&models).map_err(Error::Comparison)?;
    let models = order::descending_by(models, |(_, model)| model.elpd());
    let elpds: Vec<&Elpd> = models.iter().map(|model| model.1).collect();
    let best = elpds[0];
    let weights = stacking(&elpds).into_iter().zip(pseudo_bma_plus(&elpds));
    let row = |((name, model), (stacking, pseudo_bma_plus)): (&(&str, &Elpd), (f64, f64))| {
        let pairs = best.pointwise.iter().zip(&model.pointwise);
        let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        let evidences = model.log_evidence.zip(best.log_evidence);
        ComparisonRow {
            name: (*name).to_owned(),
            elpd: model.elpd(),
            se: model.se(),
            effective_parameters: model.effective_parameters,
            difference: differences.iter().sum(),
            difference_se: error_of_sum(&differences),
            stacking,
            pseudo_bma_plus,
            log_evidence: model.log_evidence,
            log_bayes_factor: evidences.map(|(own, best)| own.minus(&best)),
        }
    };
    let mut rows: Vec<ComparisonRow> = models.iter().zip(weights).map(row).collect();
    // the other rows are compared with the first
    rows[0].log_bayes_factor = None;
    let of_model = |(name, model): &(&str, &Elpd)| {
        let warnings = model.warnings().into_iter();
        warnings
            .map(|warning| format!("{name}: {warning}"))
            .collect::<Vec<_>>()
    };
    let mut notes = alike(&models);
    notes.extend(indistinct(&models, &rows));
    notes.extend(densities_beside_probabilities(&models));
    notes.extend(shares(&models));
    Ok(Comparison {
        method: best.method,
        rows,
        warnings: models.iter().flat_map(of_model).collect(),
        notes,
    })
}

/// A difference of elpd below this is little, and its standard error is not reliable (Sivula, Magnusson, Matamoros & Vehtari 2025).
const LITTLE: f64 = 4.0;
/// Standard errors below which a difference is no difference.
const ERRORS: f64 = 2.0;

/// A sentence on the models whose predictions cannot be told apart from the best one's, if there are some.
fn indistinct(models: &[(&str, &Elpd)], rows: &[ComparisonRow]) -> Option<String> {
    let (best, others) = rows.split_first()?;
    let is_other_model = |row: &&ComparisonRow| {
        let of = |name: &str| models.iter().find(|(n, _)| *n == name)?.1.model;
        of(&row.name).is_none_or(|own| of(&best.name) != Some(own))
    };
    let is_little = |row: &&ComparisonRow| {
        row.difference < LITTLE || row.difference < ERRORS * row.difference_se
    };
    let close: Vec<String> = others
        .iter()
        .filter(is_other_model)
        .filter(is_little)
        .map(|row| format!("`{}`", row.name))
        .collect();
    (!close.is_empty()).then(|| {
        format!(
            "{} cannot be told apart from `{}` by predictions: a difference of elpd below {LITTLE}, or below {ERRORS} of its standard errors, may be due to these \
             data alone, also where the weights are 1 and 0",
            close.join(" and "),
            best.name
        )
    })
}

/// A sentence for each model with several rows, such as a model that several engines ran.
fn alike(models: &[(&str, &Elpd)]) -> Vec<String> {
    let mut known: Vec<u64> = models.iter().filter_map(|(_, elpd)| elpd.model).collect();
    known.sort();
    let repeated = known.chunk_by(|a, b| a == b).filter(|all| all.len() > 1);
    let note = |all: &[u64]| {
        let mine = models.iter().filter(|(_, elpd)| elpd.model == Some(all[0]));
        let names: Vec<String> = mine.map(|(name, _)| format!("`{name}`")).collect();
        format!(
            "{} are one model on the same data: only the Monte Carlo errors of their runs tell them apart, and how they share their weights \
             means nothing. Compare one of them with other models",
            names.join(" and ")
        )
    };
    repeated.map(note).collect()
}

/// A sentence on models of which some have densities and others probabilities of the same whole numbers.
fn densities_beside_probabilities(models: &[(&str, &Elpd)]) -> Option<String> {
    let of = |wanted: bool| {
        let mine = models
            .iter()
            .filter(|(_, elpd)| elpd.terms.is_discrete == Some(wanted));
        let names: Vec<String> = mine.map(|(name, _)| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    };
    Some(format!(
        "{} has densities and {} has probabilities of the same whole numbers: they can be compared only where a density hardly changes from one \
         whole number to the next",
        of(false)?,
        of(true)?
    ))
}

/// A sentence on weights that are not whole numbers.
fn shares(models: &[(&str, &Elpd)]) -> Option<String> {
    let (_, first) = models.first()?;
    first.terms.has_shares.then(|| {
        "some observations have weights that are not whole numbers: their likelihood is not a probability of data, and Bayes factors do not hold"
            .to_owned()
    })
}

fn check(models: &[(&str, &Elpd)]) -> Result<(), ComparisonError> {
    let [(first, elpd), others @ ..] = models else {
        return Err(ComparisonError::TooFew { found: 0 });
    };
    if others.is_empty() {
        return Err(ComparisonError::TooFew { found: 1 });
    }
    for (i, (name, other)) in others.iter().enumerate() {
        let (first, name) = ((*first).to_owned(), (*name).to_owned());
        if models[..=i].iter().any(|(earlier, _)| *earlier == name) {
            return Err(ComparisonError::SameName { name });
        }
        if other.pointwise.len() != elpd.pointwise.len() {
            return Err(ComparisonError::Observations {
                first,
                observations: elpd.pointwise.len(),
                other: name,
                found: other.pointwise.len(),
            });
        }
        if other.data != elpd.data {
            return Err(ComparisonError::Data { first, other: name });
        }
        if other.terms.hash != elpd.terms.hash {
            return Err(ComparisonError::Terms { first, other: name });
        }
        if other.method != elpd.method {
            return Err(ComparisonError::Method {
                first,
                method: elpd.method.name(),
                other: name,
                found: other.method.name(),
            });
        }
    }
    Ok(())
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_evidence = self.rows.iter().any(|row| row.log_evidence.is_some());
        let mut header = vec![
            "",
            "elpd",
            "se",
            "p",
            "difference",
            "se",
            "stacking",
            "pseudo-BMA+",
        ];
        if has_evidence {
            header.extend(["log evidence", "log Bayes factor"]);
        }
        let optional = |estimate: Option<Estimate>| {
            estimate.map_or_else(|| "-".to_owned(), |estimate| estimate.to_string())
        };
        let line = |row: &ComparisonRow| {
            let one = |value| Style::Fixed(1).write(value);
            let two = |value| Style::Fixed(2).write(value);
            let mut cells = vec![
                row.name.clone(),
                one(row.elpd),
                one(row.se),
                one(row.effective_parameters),
                one(row.difference),
                one(row.difference_se),
                two(row.stacking),
                two(row.pseudo_bma_plus),
            ];
            if has_evidence {
                cells.extend([optional(row.log_evidence), optional(row.log_bayes_factor)]);
            }
            Line::Cells(cells)
        };
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        writeln!(f, "{}, best model first", self.method.name())?;
        table::write(f, &header, &lines)?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "note: {note}."))
    }
}
