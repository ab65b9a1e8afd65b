//! Dates as numbers.

use super::{Evaluator, Learnt};
use crate::syntax::{Kind, Node};
use bayes::Error;
use bayes::data::Date;
use bayes::run::TableError;

impl Evaluator<'_> {
    /// `days(date)`: the days since the first date of the table of the fit.
    pub(super) fn days(&mut self, node: &Node, value: &Node) -> Result<Vec<f64>, Error> {
        let Kind::Name(name) = &value.kind else {
            return Err(self.wrong(value, "`days` takes the name of a column"));
        };
        self.check_column(value, name)?;
        let dates = self.table.dates(name).map_err(|error| match error {
            Error::Table(TableError::Missing { .. }) => self.unread(value, name, error),
            error => self.wrong(value, error.to_string()),
        })?;
        let from_1970: Vec<f64> = dates
            .iter()
            .map(|date| date.days_since(Date::EPOCH))
            .collect();
        let key = node.to_string();
        if self.learns && !self.memory.contains_key(&key) {
            let first = from_1970.iter().copied().fold(f64::INFINITY, f64::min);
            self.memory.insert(key.clone(), Learnt::Scale([first, 1.0]));
        }
        match self.memory.get(&key) {
            Some(Learnt::Scale([first, _])) => {
                Ok(from_1970.iter().map(|day| day - first).collect())
            }
            _ => Err(self.wrong(node, "its first date is not known")),
        }
    }
}
