//! `ar(time)`, `ar(time, gr = g, p = 2)`.

use super::additions::truth;
use super::{Reader, Residuals};
use crate::signatures::usage;
use crate::syntax::{Argument, Kind, Node};
use bayes::FormulaError;

/// The largest order.
const MOST_LAGS: f64 = 20.0;

/// Whether this is a term of residuals.
pub(super) fn is_residuals(node: &Node) -> bool {
    matches!(&node.kind, Kind::Call { function, .. } if function == "ar")
}

impl Reader<'_> {
    /// Reads autoregressive residuals.
    pub(super) fn residuals(&self, node: &Node) -> Result<Residuals, FormulaError> {
        let wrong = || self.wrong(node, usage("ar"));
        let Kind::Call { arguments, .. } = &node.kind else {
            return Err(wrong());
        };
        let mut given: [Option<&Node>; 4] = [None; 4];
        for (k, Argument { name, value }) in arguments.iter().enumerate() {
            let place = match name.as_deref() {
                None => k,
                Some("time") => 0,
                Some("gr") => 1,
                Some("p") => 2,
                Some("cov") => 3,
                Some(_) => return Err(wrong()),
            };
            let free = given.get_mut(place).filter(|value| value.is_none());
            *free.ok_or_else(wrong)? = Some(value);
        }
        let [time, by, order, cov] = given;
        let time = time.ok_or_else(|| {
            let message = "`ar` needs the column that orders the rows: `ar(time)`; for rows in the order of the table add a column of their numbers";
            self.wrong(node, message)
        })?;
        // `ar(2)` and `ar(time, 2)`, as R's `arima` has an order
        let order_at = [
            (time, "time"),
            (by.unwrap_or(time), &self.text[time.at.clone()]),
        ];
        for (place, time) in order_at {
            if let Kind::Number(number) = place.kind {
                let message = format!(
                    "`{number}` is no column; if it is the number of residuals, write `ar({time}, p = {number})`. In general {}",
                    usage("ar")
                );
                return Err(self.wrong(place, message));
            }
        }
        let order = match order.map(|order| &order.kind) {
            None => 1.0,
            Some(Kind::Number(order)) => *order,
            Some(_) => return Err(wrong()),
        };
        if !(1.0..=MOST_LAGS).contains(&order) || order.fract() != 0.0 {
            let message = format!("`p` of `ar` is a whole number from 1 to {MOST_LAGS}");
            return Err(self.wrong(node, message));
        }
        Ok(Residuals {
            node: node.clone(),
            time: time.clone(),
            by: by.map_or_else(|| Ok(Vec::new()), |by| self.series(by))?,
            order: order as usize,
            is_stationary: cov.map(|cov| truth(cov).ok_or_else(wrong)).transpose()?,
        })
    }

    /// The columns of `gr`.
    fn series(&self, by: &Node) -> Result<Vec<Node>, FormulaError> {
        match self.groups(by)?.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(self.wrong(by, "`gr` of `ar` is one column, or `a:b`")),
        }
    }
}
