//! Refuses a response among what explains it.

use super::{Formula, Predictor, Reader};
use crate::cbind::parts;
use crate::syntax::Node;
use bayes::FormulaError;

/// A term as it is written, and a part of it that reads columns.
type Part<'a> = (&'a Node, &'a Node);

impl Reader<'_> {
    /// Checks that a response is no function of its terms and additions, and that it neither orders the rows of `ar` nor names their series.
    ///
    /// A response of several columns may be given some of them: `after - before ~ before` is a regression of `after`.
    pub(super) fn check_response(&self, formula: &Formula) -> Result<(), FormulaError> {
        let own = formula.own_columns();
        if let Some(residuals) = &formula.predictor.residuals {
            for node in std::iter::once(&residuals.time).chain(&residuals.by) {
                if reads(node).iter().any(|column| own.contains(column)) {
                    let message =
                        "the response cannot order the rows of `ar`, nor name their series";
                    return Err(self.wrong(node, message));
                }
            }
        }
        let predictors = formula.predictors();
        let terms = predictors
            .iter()
            .flat_map(|(_, predictor)| predictor.parts());
        let terms: Vec<(Part<'_>, bool)> = terms.map(|part| (part, true)).collect();
        let additions = formula.additions.given();
        let additions = additions.into_iter().map(|node| ((node, node), false));
        // outcomes that are observed together have no term among themselves
        let is_joint = parts(&formula.response).is_some();
        let mut unknown = own.clone();
        for ((whole, node), is_term) in terms.into_iter().chain(additions) {
            let columns = reads(node);
            let before = unknown.len();
            unknown.retain(|column| !columns.contains(column));
            if unknown.len() < before && (is_joint || unknown.is_empty()) {
                let written = &self.text[whole.at.clone()];
                return Err(self.wrong(whole, refusal(written, is_term)));
            }
        }
        Ok(())
    }

    /// Checks that no coefficient of a column varies by this column alone.
    pub(super) fn check_slopes(&self, predictor: &Predictor) -> Result<(), FormulaError> {
        for group in &predictor.groups {
            let [by] = group.by.as_slice() else {
                continue;
            };
            let by = reads(by);
            let is_same = |factor: &&Node| {
                let columns = reads(factor);
                !columns.is_empty() && columns.iter().all(|column| by.contains(column))
            };
            if let Some(factor) = group.terms.factors.iter().find(is_same) {
                let name = group.name();
                let message = format!(
                    "`{}` is the same in all rows of a group of `{name}`, so that it has no coefficient there beside the intercept: write `(1 | {name})`",
                    &self.text[factor.at.clone()]
                );
                return Err(self.wrong(factor, message));
            }
        }
        Ok(())
    }
}

/// Why a response is not given itself, and what to do.
fn refusal(written: &str, is_term: bool) -> String {
    match is_term {
        true => format!(
            "the response cannot be a term too, and `{written}` reads it: a response that is known needs no explanation. Leave the term out; for responses of earlier \
             rows write `ar(time)`, or take a column that holds them"
        ),
        false => format!(
            "`{written}` is the response, which would change the density of itself; give another column, which is known before the response"
        ),
    }
}

/// The columns that a part of a formula reads.
fn reads(node: &Node) -> Vec<String> {
    let mut columns = Vec::new();
    node.columns(&mut columns);
    columns
}

impl Formula {
    /// The columns of the response, each once.
    pub(super) fn own_columns(&self) -> Vec<String> {
        let mut columns = reads(&self.response);
        columns.sort();
        columns.dedup();
        columns
    }
}

impl Predictor {
    /// All parts that read columns, with the terms to which they belong.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let alone = |node| (node, node);
        let plain = self.terms.factors.iter().chain(&self.offsets).map(alone);
        let smooths = self.smooths.iter().flat_map(|smooth| {
            let read = std::iter::once(&smooth.x)
                .chain(&smooth.z)
                .chain(&smooth.by);
            read.map(|node| (&smooth.node, node))
        });
        let processes = self.processes.iter().map(|p| (&p.node, &p.x));
        let groups = self.groups.iter().flat_map(|group| {
            let read = group.by.iter().chain(&group.terms.factors);
            read.map(|node| (&group.node, node))
        });
        let series = self.residuals.iter().flat_map(|term| {
            let read = std::iter::once(&term.time).chain(&term.by);
            read.map(|node| (&term.node, node))
        });
        let monotonic = self.monotonic.iter().map(alone);
        plain
            .chain(groups)
            .chain(smooths)
            .chain(processes)
            .chain(series)
            .chain(monotonic)
    }
}
