//! The passes of a model that runs forward over the rest of a block behind `sum_out`: for every value, to sum; for a value that is drawn given
//! the data; for a value that is drawn from its prior, for new data.

use super::forward::Wanted;
use super::plain::PlainDistribution;
use super::sum_out::OpenSum;
use crate::numeric::log_sum_exp;
use crate::rng::Stream;
use rand::RngExt;
use std::collections::BTreeMap;

/// Where a quantity that is summed out is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawnFrom {
    /// Its distribution given the data and the random quantities.
    Posterior,
    /// Its own distribution, as the new data beside it.
    Prior,
}

/// What is wanted of a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// The sum itself, or what else every value contributes to.
    pub(super) sum: bool,
    /// A draw of the quantity.
    pub(super) value: Option<DrawnFrom>,
    /// New data at a value that is drawn from its prior.
    pub(super) data: bool,
}

/// The passes in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Every value in turn.
    Sum,
    /// A value given the data: sums within this one draw theirs beside it.
    Posterior,
    /// A value from the prior.
    Draw,
    End,
}

/// What observations contribute to a sum: their log likelihood, and the log probabilities of categories by observed variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Contribution {
    pub(super) log_likelihood: f64,
    pub(super) log_probabilities: BTreeMap<usize, Vec<f64>>,
    /// The observed variable that came first.
    pub(super) variable: Option<usize>,
}

impl Contribution {
    /// Adds observed data of a variable.
    pub(super) fn observed(
        &mut self,
        variable: usize,
        log_likelihood: f64,
        log_probabilities: Option<Vec<f64>>,
    ) {
        self.variable.get_or_insert(variable);
        self.log_likelihood += log_likelihood;
        if let Some(terms) = log_probabilities {
            let mine = self.log_probabilities.entry(variable).or_default();
            mine.extend(terms);
        }
    }

    /// Adds what a sum within contributes.
    pub(super) fn add(&mut self, other: Self) {
        self.log_likelihood += other.log_likelihood;
        self.variable = self.variable.or(other.variable);
        for (variable, terms) in other.log_probabilities {
            let mine = self.log_probabilities.entry(variable).or_default();
            mine.extend(terms);
        }
    }
}

/// A sum over the values of a discrete quantity in a model that runs forward.
pub(super) struct ForwardSum {
    /// The statement.
    pub(super) statement: usize,
    sum: OpenSum<f64>,
    wishes: Wishes,
    pass: Pass,
    /// Whether the rest of the block runs.
    has_begun: bool,
    present: Contribution,
    /// Of each value, `[values]`.
    found: Vec<Contribution>,
}

impl ForwardSum {
    pub(super) fn new(
        statement: usize,
        distribution: &dyn PlainDistribution,
        wishes: Wishes,
    ) -> Self {
        Self {
            statement,
            sum: OpenSum::over_plain(distribution),
            wishes,
            pass: Pass::Sum,
            has_begun: false,
            present: Contribution::default(),
            found: Vec::new(),
        }
    }

    /// The present value's contribution, if it is summed.
    pub(super) fn present(&mut self) -> Option<&mut Contribution> {
        (self.pass == Pass::Sum).then_some(&mut self.present)
    }

    /// Whether new data are drawn in this pass.
    pub(super) fn draws_data(&self) -> bool {
        self.pass == Pass::Draw
    }

    /// Whether this is the first value that is summed.
    pub(super) fn is_first(&self) -> bool {
        self.pass == Pass::Sum && self.found.is_empty()
    }

    /// What is wanted of a sum within this one in the present pass.
    pub(super) fn wishes_within(&self) -> Wishes {
        match self.pass {
            Pass::Sum => Wishes {
                sum: true,
                ..Wishes::default()
            },
            Pass::Posterior => Wishes {
                value: Some(DrawnFrom::Posterior),
                ..Wishes::default()
            },
            Pass::Draw | Pass::End => Wishes {
                value: self.wishes.value.filter(|from| *from == DrawnFrom::Prior),
                data: true,
                ..Wishes::default()
            },
        }
    }

    /// The value for which the rest of the block runs next, and whether it is the draw that was wished for; `None` at the end.
    pub(super) fn next(&mut self, stream: &mut Stream) -> Option<(usize, bool)> {
        if self.pass == Pass::Sum {
            let is_needed = self.wishes.sum || self.wishes.value == Some(DrawnFrom::Posterior);
            if self.has_begun {
                self.found.push(std::mem::take(&mut self.present));
            }
            let last = self.found.last().map_or(0.0, |found| found.log_likelihood);
            self.has_begun = true;
            if is_needed && let Some(value) = self.sum.next(last) {
                return Some((value, false));
            }
            self.pass = Pass::Posterior;
            if self.wishes.value == Some(DrawnFrom::Posterior) {
                return Some((self.draw(self.log_posterior(), stream), true));
            }
        }
        if self.pass == Pass::Posterior {
            self.pass = Pass::Draw;
            if self.wishes.data {
                let value = self.draw(self.sum.log_prior(), stream);
                return Some((value, self.wishes.value == Some(DrawnFrom::Prior)));
            }
        }
        self.pass = Pass::End;
        None
    }

    /// The logarithms of the weights of the values given the data: their prior where the data say nothing, as data that are to be predicted.
    fn log_posterior(&self) -> &[f64] {
        match log_sum_exp(self.sum.terms()).is_finite() {
            true => self.sum.terms(),
            false => self.sum.log_prior(),
        }
    }

    /// A value by the logarithms of weights.
    fn draw(&self, log_weights: &[f64], stream: &mut Stream) -> usize {
        let total = log_sum_exp(log_weights);
        let mut rest = stream.random::<f64>();
        let beyond = log_weights.iter().position(|log_weight| {
            rest -= (log_weight - total).exp();
            rest < 0.0
        });
        // by rounding, the weights may sum to slightly less than the uniform number
        let last = log_weights
            .iter()
            .rposition(|log_weight| *log_weight > f64::NEG_INFINITY);
        self.sum.first() + beyond.or(last).unwrap_or(0)
    }

    /// What all values contribute together, if that was wished for.
    pub(super) fn together(self) -> Option<Contribution> {
        if !self.wishes.sum {
            return None;
        }
        let variable = self.found.iter().find_map(|found| found.variable);
        let mut log_probabilities: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let variables: Vec<usize> = self
            .found
            .iter()
            .flat_map(|found| found.log_probabilities.keys().copied())
            .collect();
        for variable in variables {
            log_probabilities
                .entry(variable)
                .or_insert_with(|| self.mixed(variable));
        }
        Some(Contribution {
            log_likelihood: log_sum_exp(self.sum.terms()),
            log_probabilities,
            variable,
        })
    }

    /// The log probabilities of a variable's categories, over all values by their prior.
    fn mixed(&self, variable: usize) -> Vec<f64> {
        let of = |found: &Contribution| found.log_probabilities.get(&variable).map_or(0, Vec::len);
        let count = self.found.iter().map(of).max().unwrap_or(0);
        let at = |i: usize| {
            let pairs = self.found.iter().zip(self.sum.log_prior());
            let terms = pairs.filter_map(|(found, log_prior)| {
                let term = found.log_probabilities.get(&variable)?.get(i)?;
                Some(term + log_prior)
            });
            log_sum_exp(&terms.collect::<Vec<_>>())
        };
        (0..count).map(at).collect()
    }
}

impl Wishes {
    /// What is wanted of a sum that stands in no other; `is_given` where the random quantities are not drawn from their prior.
    pub(super) fn of(wanted: Wanted, is_given: bool, is_outline: bool) -> Self {
        let from = match is_given {
            true => DrawnFrom::Posterior,
            false => DrawnFrom::Prior,
        };
        Self {
            sum: wanted.log_likelihood || wanted.log_probabilities || wanted.supports,
            value: wanted.draws.then_some(from),
            data: wanted.draws || is_outline,
        }
    }
}
