//! Autoregressive residuals: `ar(time, gr = g, p = 1)`.
//!
//! ```text
//! E[y_t] = mu_t + Σ_k ar_k (y_(t-k) - mu_(t-k)),    k = 1..p
//! ```
//!
//! `mu` is the linear predictor of the other terms, and `t` counts the rows of a series; terms before its first row are left out (Bürkner
//! 2017, `ar` with `cov = FALSE`). The responses are given, so that each row costs a difference and a product. Families whose responses
//! are not a mean plus a residual have [`Latent`] residuals.

mod latent;
mod series;

pub(crate) use latent::{Latent, with_latent};

use self::latent::latent;
use self::series::{Series, series};
use crate::adjustments::Adjustments;
use crate::columns::Evaluator;
use crate::design::Design;
use crate::family::{Family, Response};
use crate::link::Link;
use crate::terms::{Formula, Residuals as Term};
use bayes::Error;
use bayes::prelude::*;

/// The residuals before each row. The linear predictor of the response has these rows, and behind them copies of rows that only their
/// residuals are needed of.
#[derive(Clone, Debug)]
pub(crate) struct Residuals {
    /// The place of the row before each row by 1, by 2, and so on, `[order][rows]`; `None` before the first row of its series.
    lags: Vec<Vec<Option<usize>>>,
    /// The rows such that those before come before.
    order: Vec<usize>,
    /// The response of each row of the linear predictor; NaN if it is missing in a table to predict.
    responses: Vec<f64>,
}

/// The residuals of a table, or its latent ones; neither without a term.
pub(crate) fn all_residuals(
    formula: &Formula,
    (family, link): (Family, Link),
    of_rows: (&[f64], &Adjustments),
    evaluator: &mut Evaluator<'_>,
) -> Result<(Option<Residuals>, Option<Latent>), Error> {
    if let Some(term) = &formula.predictor.residuals {
        check_start(term, family, evaluator)?;
    }
    Ok(match &formula.predictor.residuals {
        Some(term) if has_residuals(family) => {
            (Some(residuals(term, link, of_rows, evaluator)?), None)
        }
        Some(term) => (None, Some(latent(term, family, evaluator)?)),
        None => (None, None),
    })
}

/// The residuals of a table.
fn residuals(
    term: &Term,
    link: Link,
    (y, adjustments): (&[f64], &Adjustments),
    evaluator: &mut Evaluator<'_>,
) -> Result<Residuals, Error> {
    check(term, link, adjustments, evaluator)?;
    let series = series(term, evaluator)?;
    check_missing(term, &series, y, evaluator)?;
    let mut lags = vec![vec![None; y.len()]; term.order];
    for Series { rows, .. } in &series {
        for (k, lag) in lags.iter_mut().enumerate() {
            let pairs = rows.iter().skip(k + 1).zip(rows);
            pairs.for_each(|((row, _), (before, _))| lag[*row] = Some(*before));
        }
    }
    let rows = series.iter().flat_map(|one| &one.rows);
    Ok(Residuals {
        lags,
        order: rows.map(|(row, _)| *row).collect(),
        responses: y.to_vec(),
    })
}

/// Refuses another start of the series than the family has.
fn check_start(term: &Term, family: Family, evaluator: &Evaluator<'_>) -> Result<(), Error> {
    let message = match (has_residuals(family), term.is_stationary) {
        (true, Some(true)) => format!(
            "`cov = TRUE` makes a series stationary from its first row on, and the residuals of the family {family} have none before the first row, as with `cov = FALSE`; leave it out"
        ),
        (false, Some(false)) => format!(
            "`ar` of the family {family} has latent residuals, stationary from the first row of a series on, as with `cov = TRUE`; leave `cov` out"
        ),
        _ => return Ok(()),
    };
    Err(evaluator.wrong(&term.node, message))
}

/// Refuses responses that are not a mean plus a residual.
fn check(
    term: &Term,
    link: Link,
    adjustments: &Adjustments,
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    let wrong = |message: String| Err(evaluator.wrong(&term.node, message));
    if link != Link::Identity {
        return wrong(format!(
            "`ar` adds residuals of the response to the linear predictor, which the link {link} has on another scale; take the link identity"
        ));
    }
    let is_censored = adjustments.regions.iter().any(Option::is_some);
    if is_censored || !adjustments.bounds.is_empty() {
        return wrong(
            "`ar` needs the residual of every row, which `cens` and `trunc` hide; leave one of them out"
                .to_owned(),
        );
    }
    Ok(())
}

/// Refuses missing responses with later ones behind them: draws of them would not know what came later.
fn check_missing(
    term: &Term,
    series: &[Series],
    y: &[f64],
    evaluator: &Evaluator<'_>,
) -> Result<(), Error> {
    for Series { rows, .. } in series {
        let is_missing = |(row, _): &(usize, f64)| y[*row].is_nan();
        let first = rows.iter().position(is_missing).unwrap_or(rows.len());
        let later = rows[first..].iter().find(|row| !is_missing(row));
        if let (Some((row, _)), Some((later, _))) = (rows.get(first), later) {
            let message = format!(
                "row {} has no response, and row {} after it in `{}` has one: with `ar` a series is predicted from its last response on; leave later responses out",
                row + 1,
                later + 1,
                term.time
            );
            return Err(evaluator.wrong(&term.node, message));
        }
    }
    Ok(())
}

/// Rows whose residuals are 0, for formulas whose residuals were taken off: the design keeps the parameters of the run.
pub(crate) fn set_no_residuals(design: &mut Design, terms: &[Option<Term>]) {
    for (margin, term) in design.margins.iter_mut().zip(terms) {
        let Some(term) = term else { continue };
        let rows = margin.rows();
        (margin.residuals, margin.latent) = match has_residuals(margin.family) {
            true => (Some(Residuals::alone(term.order, rows)), None),
            false => (None, Some(Latent::none())),
        };
    }
}

/// Whether the responses of a family are a mean plus a residual.
fn has_residuals(family: Family) -> bool {
    family.response() == Response::Real
}

impl Residuals {
    /// Rows without any before them.
    pub(crate) fn alone(order: usize, rows: usize) -> Self {
        Self {
            lags: vec![vec![None; rows]; order],
            order: (0..rows).collect(),
            responses: vec![f64::NAN; rows],
        }
    }

    /// The number of residuals that a row depends on.
    pub(crate) fn order(&self) -> usize {
        self.lags.len()
    }

    pub(crate) fn rows(&self) -> usize {
        self.order.len()
    }

    /// The places of the residuals before a row, with the numbers of their coefficients.
    fn before(&self, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let lags = self.lags.iter().enumerate();
        lags.filter_map(move |(k, lag)| Some((k, lag[row]?)))
    }

    /// Some rows, and the rows of the linear predictor that they need: first their own, then the rows of the residuals before them. A row
    /// after a row with a missing response gets NaN, because only the whole series knows its residual.
    pub(crate) fn gather(&self, rows: &[usize]) -> (Self, Vec<usize>) {
        let mut all = rows.to_vec();
        let mut lags = vec![vec![None; rows.len()]; self.order()];
        for (place, row) in rows.iter().enumerate() {
            for (k, before) in self.before(*row) {
                lags[k][place] = Some(all.len());
                all.push(before);
            }
        }
        let gathered = Self {
            lags,
            order: (0..rows.len()).collect(),
            responses: all.iter().map(|row| self.responses[*row]).collect(),
        };
        (gathered, all)
    }

    /// Draws of the responses, where `means` were the means of the rows by themselves: a residual that was drawn moves the rows after it.
    pub(crate) fn carry(&self, ar: &[f64], means: &[f64], y: &mut [f64]) {
        for row in &self.order {
            for (k, before) in self.before(*row) {
                if self.responses[before].is_nan() {
                    y[*row] += match means.get(before) {
                        Some(mean) => ar[k] * (y[before] - mean),
                        None => f64::NAN,
                    };
                }
            }
        }
    }
}

/// The mean of each row, given the responses before it. The expectation of a residual stands for one whose response is missing.
#[function]
pub(crate) fn with_residuals(of: &Residuals, eta: &Vector, ar: &Vector) -> Vector {
    let mut means: Vec<Real> = eta.iter().take(of.rows()).copied().collect();
    for row in &of.order {
        let mut mean: Real = eta[*row];
        for (k, place) in of.before(*row) {
            // a residual beside its use, so that a trace carries few numbers; NaN where only the whole series knows it
            let y: Real = match means.get(place) {
                Some(expected) if of.responses[place].is_nan() => *expected,
                _ => Real::from(of.responses[place]),
            };
            mean += ar[k] * (y - eta[place]);
        }
        means[*row] = mean;
    }
    Vector::from(means)
}
