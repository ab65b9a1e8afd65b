//! The passes of a model that runs forward over the rest of a block after `sum_out`: every value in turn, to sum; a value drawn given the
//! data; a value drawn from its prior, for new data.

use super::forward::Wanted;
use super::plain::PlainDistribution;
use super::sum_out::OpenSum;
use crate::numeric::{LogTotal, log_sum_exp};
use crate::rng::Stream;
use rand::RngExt;
use std::collections::BTreeMap;

/// The distribution from which a summed-out quantity is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawnFrom {
    /// Its distribution given the data and the random quantities.
    Posterior,
    /// Its own distribution, like the new data that belong to it.
    Prior,
}

/// The requested results of a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    /// The contributions of all values: log likelihoods, probabilities of categories, supports.
    pub(super) sum: bool,
    /// A draw of the quantity.
    pub(super) value: Option<DrawnFrom>,
    /// New data at a value that is drawn from its prior.
    pub(super) data: bool,
    /// The log probabilities of the values.
    pub(super) probabilities: Option<DrawnFrom>,
    /// Whether later statements may weight the values by `factor`.
    pub(super) has_factor: bool,
}

impl Request {
    /// The request for an outermost sum.
    pub(super) fn of(wanted: Wanted, is_outline: bool, has_factor: bool) -> Self {
        let from = match wanted.given_data {
            true => DrawnFrom::Posterior,
            false => DrawnFrom::Prior,
        };
        Self {
            sum: wanted.log_likelihood || wanted.log_probabilities || wanted.supports,
            value: wanted.draws.then_some(from),
            data: wanted.draws || is_outline,
            probabilities: wanted.value_probabilities.then_some(from),
            has_factor,
        }
    }

    /// Whether the terms of all values are enough: a draw given the data, and nothing of single observations.
    pub(super) fn needs_terms_alone(self) -> bool {
        !self.sum && !self.has_factor && self.is_given_data()
    }

    /// Whether a draw or probabilities given the data are requested.
    fn is_given_data(self) -> bool {
        [self.value, self.probabilities].contains(&Some(DrawnFrom::Posterior))
    }

    /// Whether every value has to run.
    fn needs_all_values(self) -> bool {
        let values = self.value.is_some() || self.data || self.probabilities.is_some();
        self.sum || self.is_given_data() || values && self.has_factor
    }
}

/// The passes in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Pass {
    Before,
    /// Every value in turn.
    Sum,
    /// The terms of all values are known, without a pass.
    Summed,
    /// A value drawn given the data. Sums within this one draw their values in the same pass.
    Posterior,
    /// A value from the prior.
    Data,
}

/// Numbers of the elements of observed variables, by the index of the variable.
type ByVariable<T> = BTreeMap<usize, Vec<T>>;

/// The contribution of a value of the quantity.
#[derive(Clone, Debug, Default)]
pub(super) struct Contribution {
    /// The log likelihood of the observations.
    pub(super) log_likelihood: f64,
    /// The sum of `factor`, which weights the value and is not an observation.
    pub(super) log_factor: f64,
    pub(super) log_probabilities: ByVariable<f64>,
    pub(super) supports: ByVariable<Option<[f64; 2]>>,
    /// The first observed variable.
    pub(super) variable: Option<usize>,
}

impl Contribution {
    /// Adds a part that is independent given the value.
    pub(super) fn add(&mut self, part: Self) {
        self.log_likelihood += part.log_likelihood;
        self.log_factor += part.log_factor;
        self.variable = self.variable.or(part.variable);
        for (variable, terms) in part.log_probabilities {
            let mine = self.log_probabilities.entry(variable).or_default();
            mine.extend(terms);
        }
        for (variable, supports) in part.supports {
            self.supports.entry(variable).or_default().extend(supports);
        }
    }
}

/// The next value for which the rest of the block runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Next {
    pub(super) value: usize,
    /// The draw of the quantity, if this pass draws it; NaN if its distribution is unknown.
    pub(super) draw: Option<f64>,
}

/// A sum over the values of a discrete quantity in a model that runs forward.
pub(super) struct ForwardSum {
    /// The index of the statement.
    pub(super) statement: usize,
    sum: OpenSum<f64>,
    request: Request,
    pass: Pass,
    /// The contribution of the value that runs in [`Pass::Sum`].
    current: Contribution,
    /// The contribution of each value, `[values]` after [`Pass::Sum`].
    by_value: Vec<Contribution>,
    /// Whether the value of the present pass could not be drawn.
    is_unknown: bool,
}

impl ForwardSum {
    pub(super) fn new(
        statement: usize,
        distribution: &dyn PlainDistribution,
        request: Request,
    ) -> Self {
        Self {
            statement,
            sum: OpenSum::over_plain(distribution),
            request,
            pass: Pass::Before,
            current: Contribution::default(),
            by_value: Vec::new(),
            is_unknown: false,
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.sum.len()
    }

    /// The same sum after its pass over all values, which gave these terms, `[values]`.
    pub(super) fn after(self, terms: &[f64]) -> Self {
        Self {
            sum: self.sum.ended(terms),
            pass: Pass::Summed,
            ..self
        }
    }

    /// Whether values are summed in this pass.
    pub(super) fn is_summing(&self) -> bool {
        self.pass == Pass::Sum
    }

    /// The contribution of the present value, if values are summed.
    pub(super) fn current(&mut self) -> Option<&mut Contribution> {
        self.is_summing().then_some(&mut self.current)
    }

    /// Whether new data are drawn in this pass.
    pub(super) fn draws_data(&self) -> bool {
        self.pass == Pass::Data
    }

    /// Whether new data have no distribution, because the value could not be drawn.
    pub(super) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// The request for a sum within this one in the present pass.
    pub(super) fn request_within(&self) -> Request {
        let nothing = Request {
            has_factor: self.request.has_factor,
            ..Request::default()
        };
        match self.pass {
            Pass::Sum => Request {
                sum: true,
                ..nothing
            },
            Pass::Posterior => Request {
                value: Some(DrawnFrom::Posterior),
                ..nothing
            },
            Pass::Before | Pass::Summed | Pass::Data => Request {
                value: self.request.value.filter(|from| *from == DrawnFrom::Prior),
                data: true,
                ..nothing
            },
        }
    }

    /// The next value for which the rest of the block runs; `None` at the end.
    pub(super) fn next(&mut self, stream: &mut Stream) -> Option<Next> {
        if let Some(value) = self.next_to_sum() {
            return Some(Next { value, draw: None });
        }
        let from_posterior = self.request.value == Some(DrawnFrom::Posterior);
        if self.pass < Pass::Posterior && from_posterior {
            self.pass = Pass::Posterior;
            let weights = self.sum.terms().to_vec();
            return Some(self.drawn(&weights, true, stream));
        }
        if self.pass < Pass::Data && self.request.data {
            self.pass = Pass::Data;
            let weights = self.log_prior();
            let is_draw = self.request.value == Some(DrawnFrom::Prior);
            return Some(self.drawn(&weights, is_draw, stream));
        }
        None
    }

    /// The next value of [`Pass::Sum`], if this pass is needed.
    fn next_to_sum(&mut self) -> Option<usize> {
        let mut log_likelihood = 0.0;
        match self.pass {
            Pass::Before if self.request.needs_all_values() => self.pass = Pass::Sum,
            Pass::Sum => {
                log_likelihood = self.current.log_likelihood + self.current.log_factor;
                self.by_value.push(std::mem::take(&mut self.current));
            }
            _ => return None,
        }
        self.sum.next(log_likelihood)
    }

    /// The logarithms of the weights of the values before the data: their probabilities plus `factor`.
    fn log_prior(&self) -> Vec<f64> {
        let factor = |k: usize| self.by_value.get(k).map_or(0.0, |value| value.log_factor);
        let values = self.sum.log_prior().iter().enumerate();
        values.map(|(k, log_prior)| log_prior + factor(k)).collect()
    }

    /// A value drawn by the logarithms of weights. Without finite weights the rest runs for the first value, and its draws are NaN.
    fn drawn(&mut self, log_weights: &[f64], is_draw: bool, stream: &mut Stream) -> Next {
        let chosen = choose(log_weights, stream);
        self.is_unknown = chosen.is_none();
        let value = self.sum.first() + chosen.unwrap_or(0);
        let draw = chosen.map_or(f64::NAN, |_| value as f64);
        Next {
            value,
            draw: is_draw.then_some(draw),
        }
    }

    /// The log probability of each whole number from 0 to the largest value, given the data and before them; NaN if they are not known. Only after
    /// [`Pass::Sum`].
    pub(super) fn log_probabilities(&self, given_data: bool) -> Vec<f64> {
        let weights = match given_data {
            true => self.sum.terms().to_vec(),
            false => self.log_prior(),
        };
        let total = LogTotal::of(weights.iter().copied());
        let below = std::iter::repeat_n(f64::NEG_INFINITY, self.sum.first());
        below
            .chain(weights.iter().map(|weight| total.log_share(*weight)))
            .collect()
    }

    /// The contribution of all values together, if it was requested. The observations after the sum count as one: their log likelihood
    /// given what `factor` adds.
    pub(super) fn total(self) -> Option<Contribution> {
        if !self.request.sum {
            return None;
        }
        let log_factor = log_sum_exp(&self.log_prior());
        let variables = |of: &dyn Fn(&Contribution) -> Vec<usize>| -> Vec<usize> {
            let mut all: Vec<usize> = self.by_value.iter().flat_map(of).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let probabilities = variables(&|value| value.log_probabilities.keys().copied().collect());
        let supports = variables(&|value| value.supports.keys().copied().collect());
        Some(Contribution {
            log_likelihood: log_sum_exp(self.sum.terms()) - log_factor,
            log_factor,
            variable: self.by_value.iter().find_map(|value| value.variable),
            log_probabilities: probabilities
                .into_iter()
                .map(|variable| (variable, self.mixed(variable, log_factor)))
                .collect(),
            supports: supports
                .into_iter()
                .map(|variable| (variable, self.widest(variable)))
                .collect(),
        })
    }

    /// The log probabilities of a variable's categories, over all values by their weights before the data.
    fn mixed(&self, variable: usize, log_factor: f64) -> Vec<f64> {
        let weights = self.log_prior();
        let of = |value: &Contribution| value.log_probabilities.get(&variable).map_or(0, Vec::len);
        let count = self.by_value.iter().map(of).max().unwrap_or(0);
        let at = |i: usize| {
            let pairs = self.by_value.iter().zip(&weights);
            let terms = pairs.filter_map(|(value, weight)| {
                let term = value.log_probabilities.get(&variable)?.get(i)?;
                Some(term + weight)
            });
            log_sum_exp(&terms.collect::<Vec<_>>()) - log_factor
        };
        (0..count).map(at).collect()
    }

    /// The supports of a variable's elements, over all values; `None` if the support at one value does not depend on random values.
    fn widest(&self, variable: usize) -> Vec<Option<[f64; 2]>> {
        let all: Vec<&Vec<Option<[f64; 2]>>> = self
            .by_value
            .iter()
            .filter_map(|value| value.supports.get(&variable))
            .collect();
        let count = all.iter().map(|supports| supports.len()).max().unwrap_or(0);
        let wider = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let at = |i: usize| {
            let supports = all
                .iter()
                .map(|supports| supports.get(i).copied().flatten());
            let supports: Vec<[f64; 2]> = supports.collect::<Option<_>>()?;
            supports.into_iter().reduce(wider)
        };
        (0..count).map(at).collect()
    }
}

/// An index drawn by the logarithms of weights; `None` if they are not finite.
fn choose(log_weights: &[f64], stream: &mut Stream) -> Option<usize> {
    let mut rest = stream.random::<f64>();
    let total = LogTotal::of(log_weights.iter().copied());
    if !total.log.is_finite() {
        return None;
    }
    let beyond = log_weights.iter().position(|log_weight| {
        rest -= total.share(*log_weight);
        rest < 0.0
    });
    // by rounding, the weights may sum to slightly less than the uniform number
    beyond.or_else(|| log_weights.iter().rposition(|w| *w > f64::NEG_INFINITY))
}
