//! Refuses a response among what explains it.

use super::dependence::is_function_of;
use super::{Formula, Predictor, Reader};
use crate::cbind::parts;
use crate::syntax::Node;
use bayes::FormulaError;

/// A term as it is written, and a part of it that reads columns.
type Part<'a> = (&'a Node, &'a Node);

impl Reader<'_> {
    /// Checks that a response is no function of its terms and additions, and that it neither orders the rows of `ar` nor names their series.
    ///
    /// A response of several columns may be given some of them: `after - before ~ before` is a regression of `after`. A function of several unknown columns,
    /// other than the response itself, makes none of them known: `a - b ~ I((a + b) / 2)`. `has_others` says that there are other responses, whose densities
    /// leave no such function free.
    pub(super) fn check_response(
        &self,
        formula: &Formula,
        has_others: bool,
    ) -> Result<(), FormulaError> {
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
        let all: Vec<(Part<'_>, bool)> = terms.into_iter().chain(additions).collect();
        let mut unknown = own.clone();
        loop {
            let before = unknown.len();
            for ((whole, node), is_term) in &all {
                let columns = reads(node);
                let is_read = |column: &&String| columns.contains(column);
                let count = unknown.iter().filter(is_read).count();
                let makes_known = is_joint || has_others || count == 1;
                let is_function = count > 0
                    && (is_joint || is_function_of(node, &formula.response, &own, &unknown));
                if count == 0 || !(makes_known || is_function) {
                    continue;
                }
                unknown.retain(|column| !columns.contains(column));
                if is_function || unknown.is_empty() {
                    let written = &self.text[whole.at.clone()];
                    let is_alone = written == &self.text[formula.response.at.clone()];
                    return Err(self.wrong(whole, refusal(written, *is_term, is_alone)));
                }
            }
            if unknown.len() == before {
                return Ok(());
            }
        }
    }

    /// Checks that no coefficient is of a product that is the same in all rows of a group that has an intercept.
    pub(super) fn check_slopes(&self, predictor: &Predictor) -> Result<(), FormulaError> {
        let groups = predictor.groups.iter();
        for group in groups.filter(|group| group.terms.intercept) {
            let by: Vec<String> = group.by.iter().flat_map(reads).collect();
            let is_same = |factor: &usize| {
                let columns = reads(&group.terms.factors[*factor]);
                !columns.is_empty() && columns.iter().all(|column| by.contains(column))
            };
            let mut products = group.terms.products.iter();
            let Some(product) = products.find(|product| product.iter().all(is_same)) else {
                continue;
            };
            let factors = product.iter().map(|factor| &group.terms.factors[*factor]);
            let factors: Vec<&Node> = factors.collect();
            let written = factors.iter().map(|factor| &self.text[factor.at.clone()]);
            let written = written.collect::<Vec<_>>().join(":");
            let name = group.name();
            let message = format!(
                "`{written}` is the same in all rows of a group of `{name}`, so that it has no coefficient there beside the intercept: write `(1 | {name})`"
            );
            return Err(self.wrong(factors[0], message));
        }
        Ok(())
    }
}

/// Why a response is not given itself, and what to do.
fn refusal(written: &str, is_term: bool, is_response: bool) -> String {
    let how = match is_response {
        true => "is the response itself",
        false if is_term => "reads it",
        false => "reads the response",
    };
    match is_term {
        true => format!(
            "the response cannot be a term too, and `{written}` {how}: a response that is known needs no explanation. Leave the term out; for responses of earlier \
             rows write `ar(time)`, or take a column that holds them"
        ),
        false => format!(
            "`{written}` {how}, which would change its own density; give a column that is known before the response"
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
        let plain = self.terms.factors.iter().map(alone);
        let applied = self.offsets.iter().chain(&self.monotonic);
        let applied = applied.map(|term| (&term.node, &term.x));
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
        plain
            .chain(groups)
            .chain(smooths)
            .chain(processes)
            .chain(series)
            .chain(applied)
    }
}
