//! What a regression on another table needs from the first table, and the data of a table read with it.

use crate::adjustments::Adjustments;
use crate::baseline::Baseline;
use crate::cbind;
use crate::centring::{Centring, placements};
use crate::class::{CLASSES, Class, LEVEL, Row};
use crate::columns::{Evaluator, Learnt, Memory};
use crate::defaults::Priors;
use crate::design::{Design, Margin, place};
use crate::family::Family;
use crate::link::Link;
use crate::reading::Reading;
use crate::response::labels;
use crate::several;
use crate::syntax::Node;
use crate::terms::{self, Formulas, Other};
use bayes::data::Table;
use bayes::{Error, FormulaError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The squares of larger responses are infinite in sums of rows.
const LARGEST_RESPONSE: f64 = 1e150;

/// The use of a table's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The data set levels, scales and means.
    Fit,
    /// The data of a fit, read again.
    Again,
    /// The response is predicted, and may be missing.
    Predict,
    /// Columns are changed to see what changes with them: of several responses the changed ones are terms of others, and no data.
    Change,
}

/// What a regression on another table needs from the first table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) formula: String,
    /// Of the first response.
    pub(crate) family: Family,
    pub(crate) link: Link,
    /// Of further responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) further: Vec<(Family, Link)>,
    /// The number of the response that answers are about, if one of several was chosen.
    #[serde(skip)]
    pub(crate) about: Option<usize>,
    pub(crate) drop_missing: bool,
    /// The columns of the table, for `.`.
    pub(crate) columns: Vec<String>,
    pub(crate) memory: Memory,
    /// The means of the columns of each linear predictor.
    pub(crate) means: Vec<Vec<f64>>,
    pub(crate) grades: usize,
    /// The labels of a categorical response.
    #[serde(default)]
    pub(crate) labels: Vec<String>,
    /// The knots of a baseline hazard.
    #[serde(default)]
    pub(crate) baseline: Option<Baseline>,
    pub(crate) priors: Priors,
    /// The priors that the user chose, as texts; the others are defaults. `None` in runs of earlier versions, which did not keep them.
    #[serde(default)]
    pub(crate) chosen: Option<Vec<String>>,
    /// The coordinates of the coefficients of groups; none in runs of earlier versions, whose coefficients are non-centred.
    #[serde(default)]
    pub(crate) centrings: Vec<Centring>,
}

impl Recipe {
    pub(crate) fn terms(&self) -> Result<Formulas, Error> {
        let mut formulas = terms::read(&self.formula, Some(&self.columns))?;
        let labels = self.labels.get(1..).unwrap_or_default();
        formulas.each[0].levels = labels.to_vec();
        Ok(formulas)
    }

    /// The families of the responses with their links.
    pub(crate) fn families(&self) -> impl Iterator<Item = (Family, Link)> {
        let further = self.further.iter().copied();
        std::iter::once((self.family, self.link)).chain(further)
    }

    /// Which label of a response is the success, or has which number, in words; empty for responses of numbers.
    pub(crate) fn success(&self) -> String {
        if self.family.has_columns() {
            return String::new();
        }
        if !self.labels.is_empty() {
            let number = |(k, label): (usize, &String)| format!("{} is `{label}`", k + 1);
            let numbers: Vec<String> = self.labels.iter().enumerate().map(number).collect();
            return format!(", {}", numbers.join(", "));
        }
        let Ok(formulas) = self.terms() else {
            return String::new();
        };
        let mut words = String::new();
        for (formula, (family, _)) in formulas.each.iter().zip(self.families()) {
            let response = formula.response.to_string();
            let Some(Learnt::Levels(levels)) = self.memory.get(&response) else {
                continue;
            };
            let label = levels.get(1).filter(|_| family == Family::Bernoulli);
            words += &label.map_or_else(String::new, |label| match self.further.is_empty() {
                true => format!(", a success is `{label}`"),
                false => format!(", a success of `{response}` is `{label}`"),
            });
        }
        words
    }

    /// The rows of a table without missing values, if others are to be left out.
    pub(crate) fn complete(&self, table: &Table) -> Result<Option<Table>, Error> {
        let columns = self.terms()?.columns();
        self.drop_missing
            .then(|| table.complete(columns))
            .transpose()
    }

    /// The data of a table. The first table sets levels, scales and means; in a table to predict the response may be missing.
    pub(crate) fn design(&mut self, table: &Table, purpose: Purpose) -> Result<Design, Error> {
        let formulas = self.terms()?;
        if !self.further.is_empty() {
            several::check_families(self, &formulas)?;
        }
        let has_labels = self.family == Family::Categorical || self.family.has_columns();
        if has_labels && purpose == Purpose::Fit && table.rows() > 0 {
            self.learn_labels(table)?;
        }
        self.design_of(&self.terms()?, table, purpose)
    }

    /// The same with different additions to the responses.
    pub(crate) fn design_of(
        &mut self,
        formulas: &Formulas,
        table: &Table,
        purpose: Purpose,
    ) -> Result<Design, Error> {
        if table.rows() == 0 {
            return Err(self.wrong(&formulas.first().response, "the table has no rows"));
        }
        let means = match purpose {
            Purpose::Fit => None,
            _ => Some(std::mem::take(&mut self.means)),
        };
        let mut memory = std::mem::take(&mut self.memory);
        let (mut margins, mut known) = (Vec::new(), means.as_deref());
        let families: Vec<(Family, Link)> = self.families().collect();
        for (formula, family) in formulas.each.iter().zip(families) {
            self.check_others(family.0, formula)?;
            let mut evaluator = Evaluator {
                table,
                formula: &self.formula,
                memory: &mut memory,
                learns: purpose == Purpose::Fit,
                predicts: matches!(purpose, Purpose::Predict | Purpose::Change),
                skips_responses: purpose == Purpose::Change && formulas.each.len() > 1,
            };
            let reading = Reading {
                formula,
                family,
                has_others: formulas.each.len() > 1,
                means: known,
            };
            let margin = reading.margin(&mut evaluator)?;
            known = known.map(|means| &means[margin.lines.len()..]);
            margins.push(margin);
        }
        self.memory = memory;
        let lines = margins.iter().flat_map(|one| &one.lines);
        self.means = lines.map(|line| line.means.clone()).collect();
        if let ([only], [formula]) = (&mut margins[..], &formulas.each[..]) {
            match purpose {
                Purpose::Fit => self.learn_response(formula, only)?,
                _ => self.check_ends(formula, &only.adjustments)?,
            }
            only.grades = self.grades;
            only.labels.clone_from(&self.labels);
            only.baseline = self.baseline;
        } else {
            several::check(self, formulas, &margins, purpose)?;
        }
        let mut design = Design {
            joint: Design::joint(&margins),
            margins,
            rescor: formulas.rescor,
            priors: Priors::default(),
            placements: Vec::new(),
            tells: None,
        };
        design.placements = placements(&self.centrings, &design);
        if purpose == Purpose::Fit {
            self.check_names(formulas.first(), &design)?;
        }
        Ok(design)
    }

    /// Checks that the family has the parameters that have formulas.
    fn check_others(&self, family: Family, formula: &terms::Formula) -> Result<(), Error> {
        let own = family.auxiliaries();
        for other in &formula.others {
            let Some(class) = other.class else {
                self.check_label(family, other)?;
                continue;
            };
            let name = class.name();
            if !own.contains(&class) {
                let own: Vec<&str> = own.iter().map(|class| class.name()).collect();
                let has = match own.as_slice() {
                    [] => "no parameter beside the linear predictor".to_owned(),
                    own => own.join(" and "),
                };
                let message = format!("the family {family} has no `{name}`; it has {has}");
                return Err(self.wrong(&other.node, message));
            }
            let errors = formula.additions.errors.as_ref();
            if class == Class::Sigma && errors.is_some_and(|(_, adds)| !adds) {
                let message =
                    "`se(s)` takes the place of `sigma`; for both write `se(s, sigma = TRUE)`";
                return Err(self.wrong(&other.node, message));
            }
        }
        Ok(())
    }

    /// Checks that a formula is of a label of the response, and not of the first one.
    fn check_label(&self, family: Family, other: &Other) -> Result<(), Error> {
        let label = other.label().unwrap_or_default();
        let message = match self.labels.split_first() {
            Some((_, rest)) if rest.iter().any(|level| level == label) => return Ok(()),
            Some((first, _)) if first == label && self.family.has_columns() => format!(
                "`{first}` is the first column of the response, whose linear predictor is 0; for another one change the order in `cbind(..)`"
            ),
            Some((first, _)) if first == label => format!(
                "`{first}` is the first label of the response, whose linear predictor is 0; for another first label write `factor(y, base = \"..\")`"
            ),
            Some((_, rest)) => {
                let known: Vec<String> =
                    rest.iter().map(|level| format!("{LEVEL}{level}")).collect();
                format!(
                    "`{}` is no label of the response; those with a linear predictor are {}",
                    other.node,
                    known.join(", ")
                )
            }
            None => format!(
                "the family {family} has no `{}`; only labels of a categorical response have linear predictors of their own; a response of this name stands first in the formula, or in `mvbind(..)`",
                other.node
            ),
        };
        Err(self.wrong(&other.node, message))
    }

    /// Learns the labels of a categorical response.
    fn learn_labels(&mut self, table: &Table) -> Result<(), Error> {
        let response = self.terms()?.first().response.clone();
        let mut memory = std::mem::take(&mut self.memory);
        let mut evaluator = Evaluator {
            table,
            formula: &self.formula,
            memory: &mut memory,
            learns: true,
            predicts: false,
            skips_responses: false,
        };
        cbind::check(self.family, &response, &evaluator)?;
        let found = match cbind::parts(&response) {
            Some(columns) => columns.iter().map(|column| column.to_string()).collect(),
            None => labels(&response, &mut evaluator)?.0,
        };
        self.memory = memory;
        if let [only] = found.as_slice() {
            let message =
                format!("`{response}` is `{only}` in all rows, so there is nothing to explain");
            return Err(self.wrong(&response, message));
        }
        let mut names: BTreeMap<String, &String> = BTreeMap::new();
        for label in &found {
            if let Some(other) = names.insert(place(label), label) {
                let message = format!(
                    "the labels `{other}` and `{label}` of `{response}` would have one name in the outputs, `{}`; change one of them",
                    place(label)
                );
                return Err(self.wrong(&response, message));
            }
        }
        self.labels = found;
        Ok(())
    }

    /// Checks that no two parameters have one name, also in two linear predictors: `sigma:x` is a coefficient of `sigma`, and a product of
    /// columns.
    fn check_names(&self, formula: &terms::Formula, design: &Design) -> Result<(), Error> {
        if let Some(message) = design.fault_of_ids() {
            return Err(self.wrong(&formula.response, message));
        }
        for Row { class, name, .. } in &CLASSES {
            let mut known = BTreeSet::new();
            let names = class.parameters(design).into_iter().flatten();
            if let Some(twice) = names.into_iter().find(|own| !known.insert(own.clone())) {
                let message = format!(
                    "two linear predictors would have a parameter called `{name}[{twice}]`; rename a column"
                );
                return Err(self.wrong(&formula.response, message));
            }
        }
        Ok(())
    }

    /// Learns from a single response: checks that it varies, and stores the number of grades.
    fn learn_response(&mut self, formula: &terms::Formula, margin: &Margin) -> Result<(), Error> {
        let counts: Vec<f64> = margin.counts.iter().map(|count| count.0).collect();
        let y = match self.family.response().is_real() {
            true => &margin.y,
            false => &counts,
        };
        self.check_spread(formula, margin)?;
        if self.family == Family::Cox {
            if !formula.predictor.terms.intercept {
                let message = "the family cox needs an intercept, `1 +`: without it the integrated baseline hazard would be 1 at the end of the times";
                return Err(self.wrong(&formula.response, message));
            }
            let ends = margin.adjustments.ends().map(|(_, end)| end);
            self.baseline = Some(Baseline::of(y, ends));
        }
        if self.family.has_cutpoints() {
            self.grades = y.iter().fold(0.0, |most: f64, y| most.max(*y)) as usize;
            if self.grades < 2 {
                let message = "an ordered response needs at least two grades";
                return Err(self.wrong(&formula.response, message));
            }
        }
        Ok(())
    }

    /// Refuses intervals of another table that end after the baseline hazard, where no probabilities are known.
    fn check_ends(&self, formula: &terms::Formula, adjustments: &Adjustments) -> Result<(), Error> {
        let Some([_, last]) = self.baseline.as_ref().map(Baseline::ends) else {
            return Ok(());
        };
        let Some((row, end)) = adjustments.ends().find(|(_, end)| *end > last) else {
            return Ok(());
        };
        let message = format!(
            "the end in `cens` or `trunc` is {end} in row {}, and the times of the fit give a baseline hazard until {last:.4}; leave the row out, or fit with this end in the table",
            row + 1
        );
        Err(self.wrong(&formula.response, message))
    }

    /// Checks that a response varies.
    pub(crate) fn check_spread(
        &self,
        formula: &terms::Formula,
        margin: &Margin,
    ) -> Result<(), Error> {
        // columns of several outcomes are checked where they are read
        let Some(first) = margin.y.first() else {
            return Ok(());
        };
        let largest = margin.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        if margin.link == Link::Identity && largest > LARGEST_RESPONSE {
            let message = format!(
                "`{}` has numbers up to {largest:e}, whose squares are beyond the range of numbers (to 1e308); divide it by a number of this size",
                formula.response
            );
            return Err(self.wrong(&formula.response, message));
        }
        if margin.y.iter().any(|value| value != first) {
            return Ok(());
        }
        let message = format!(
            "`{}` is {first} in all rows, so there is nothing to explain",
            formula.response
        );
        Err(self.wrong(&formula.response, message))
    }

    pub(crate) fn wrong(&self, node: &Node, message: impl Into<String>) -> Error {
        Error::from(FormulaError {
            formula: self.formula.clone(),
            at: node.at.clone(),
            message: message.into(),
        })
    }
}
