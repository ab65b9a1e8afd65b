//! Autoregressive residuals on the scale of the linear predictor, for responses that are not a mean plus a residual.
//!
//! ```text
//! err_1 = sderr z_1 / √(1 - ar²),    err_t = ar err_(t-1) + sderr z_t,    z ~ Normal(0, 1)
//! ```
//!
//! Each series is stationary (Bürkner 2017, `ar` with `cov = TRUE`).

use super::series::{Series, series};
use crate::columns::Evaluator;
use crate::design::place;
use crate::family::Family;
use crate::syntax::Kind;
use crate::terms::Residuals as Term;
use bayes::Error;
use bayes::prelude::*;

/// Latent residuals: one for each time of each series, in order.
#[derive(Clone, Debug)]
pub(crate) struct Latent {
    /// The names of the residuals: the time, with a series `a:3`.
    pub(crate) names: Vec<String>,
    /// Whether a residual is the first of its series.
    is_first: Vec<bool>,
    /// The residual of each row; empty if none has one.
    of: Vec<usize>,
}

/// The latent residuals of a table.
pub(crate) fn latent(
    term: &Term,
    family: Family,
    evaluator: &mut Evaluator<'_>,
) -> Result<Latent, Error> {
    let wrong = |message: String| Err(evaluator.wrong(&term.node, message));
    if term.order > 1 {
        return wrong(format!(
            "`ar` of the family {family} has latent residuals, and they depend on one before: leave `p` out"
        ));
    }
    if family.has_outcomes() && !family.has_cutpoints() {
        return wrong(format!(
            "the family {family} has a linear predictor for each label, and `ar` adds residuals to one; take a Gaussian process, `gp({})`",
            term.time
        ));
    }
    // dates as such
    let dates = match &term.time.kind {
        Kind::Name(name) => evaluator.table.dates(name).ok(),
        _ => None,
    };
    let mut found = Latent {
        names: Vec::new(),
        is_first: Vec::new(),
        of: vec![0; evaluator.table.rows()],
    };
    for Series { name, rows } in series(term, evaluator)? {
        for (k, (row, time)) in rows.iter().enumerate() {
            found.of[*row] = found.names.len();
            found.is_first.push(k == 0);
            let time = match &dates {
                Some(dates) => dates[*row].to_string(),
                None => time.to_string(),
            };
            found.names.push(place(&match name.as_str() {
                "" => time,
                name => format!("{name}:{time}"),
            }));
        }
    }
    Ok(found)
}

impl Latent {
    /// No residuals.
    pub(crate) fn none() -> Self {
        Self {
            names: Vec::new(),
            is_first: Vec::new(),
            of: Vec::new(),
        }
    }

    pub(crate) fn gather(&self, rows: &[usize]) -> Self {
        Self {
            of: crate::design::some(&self.of, rows),
            names: self.names.clone(),
            is_first: self.is_first.clone(),
        }
    }
}

/// The linear predictor with its latent residuals.
#[function]
pub(crate) fn with_latent(of: &Latent, eta: &Vector, [ar, sderr]: [Real; 2], z: &Vector) -> Vector {
    if of.of.is_empty() {
        return eta.clone();
    }
    let stationary: Real = sderr / (1.0 - ar.square()).sqrt();
    let mut all: Vec<Real> = Vec::new();
    for (k, is_first) in of.is_first.iter().enumerate() {
        let residual: Real = if *is_first {
            stationary * z[k]
        } else {
            ar * all[k - 1] + sderr * z[k]
        };
        all.push(residual);
    }
    eta + Vector::from(all).at(&of.of)
}
