//! The model run forward: parameters are drawn or given, then its observations are drawn, evaluated one by one, or described.
//!
//! One interpreter serves simulation, prediction and pointwise log likelihoods, so that a model is compiled for it once.

use super::draw::Unused;
use super::matched::{FromDraw, Matched, Misfit};
use super::numbers::Constant;
use super::outline::Outline;
use super::passes::{Contribution, ForwardSum, Request};
use super::plain::{PlainData, PlainDistribution, PlainInterpreter};
use super::statement::Place;
use super::sum_out::log_likelihood_of_known;
use super::variables::{computed_names, generated_names, observed_names, places};
use super::{Model, Statement, StatementKind};
use crate::dist::Shape;
use crate::rng::Stream;
use bayes_autodiff::{PlainValue, Real, Value};
use std::fmt;

/// The requested results for the observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// New data, and the quantities of `generate` and `sum_out`, drawn from their distributions.
    pub draws: bool,
    /// The quantities of `deterministic`.
    pub computed: bool,
    /// The log density of every observation.
    pub log_likelihood: bool,
    /// The log probability of every category of every observation that is one of several categories.
    pub log_probabilities: bool,
    /// The log probability of every value of what is summed out.
    pub value_probabilities: bool,
    /// The bounds of the support of every element, if they depend on random values.
    pub supports: bool,
    /// Whether quantities of `sum_out` are drawn given the model's data, instead of from their own distributions.
    pub given_data: bool,
}

/// The requested results for one observed variable, or for one quantity of `generate` or of `deterministic`, which have only draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// New data, `[elements]` row-major, as many as the model's data.
    pub draws: Vec<f64>,
    /// Log density of each observation, `[observations]`.
    pub log_likelihood: Vec<f64>,
    /// Log probabilities, `[observations, categories]` row-major.
    pub log_probabilities: Vec<f64>,
    /// Of a quantity that is summed out, in no other sum: how many log probabilities each element has, of the values 0, 1, and so on, `[elements]`.
    pub values: Vec<usize>,
    /// Bounds of the support, `[elements]`; `None` where they do not depend on random values.
    pub supports: Vec<Option<[f64; 2]>>,
}

/// The first statement of `model` with a given value that its distribution cannot have, at one draw of the others.
pub fn outside<Mo: Model>(
    model: &Mo,
    given: &[(String, Vec<f64>)],
    stream: &mut Stream,
) -> Option<&'static Statement> {
    let statements = model.statements();
    let mut forward = Forward::new(statements, Start::Prior(given), Wanted::default(), stream);
    forward.run(model);
    forward.outside.map(|statement| &statements[statement])
}

/// The first statement of `model` that does not allow its elements from a draw, assigned by `quantities`, and the reason.
pub fn misfit<Mo: Model>(
    model: &Mo,
    draw: &[f64],
    quantities: &[Matched],
    stream: &mut Stream,
) -> Option<(&'static Statement, Misfit)> {
    let statements = model.statements();
    let start = Start::Draw { draw, quantities };
    let mut forward = Forward::new(statements, start, Wanted::default(), stream);
    forward.matched = forward.matched.map(FromDraw::checking);
    forward.run(model);
    let (statement, misfit) = forward.matched?.misfit?;
    Some((&statements[statement], misfit))
}

/// The source of the random quantities of a model that runs forward.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// At a position, `[dim]` unconstrained.
    At(&'a [f64]),
    /// Drawn from their prior, except for the given elements, row-major and in the order of execution.
    Prior(&'a [(String, Vec<f64>)]),
    /// Elements of a draw of a run, `[elements]`. Elements that the draw lacks are drawn from their prior.
    Draw {
        /// The values of the draw.
        draw: &'a [f64],
        /// The indices of the elements of each random quantity in `draw`.
        quantities: &'a [Matched],
    },
}

/// Runs a model forward.
pub struct Forward<'a> {
    /// The coordinates that are not used yet; `None` if parameters are drawn from their prior.
    coordinates: Option<&'a [f64]>,
    /// The elements of a draw that are not used yet, if parameters come from one.
    matched: Option<FromDraw<'a>>,
    given: Unused<'a>,
    /// The first statement with a given value that its distribution cannot have.
    pub(super) outside: Option<usize>,
    /// The name of each statement.
    names: Vec<&'static str>,
    wanted: Wanted,
    stream: &'a mut Stream,
    /// The present statement.
    pub(super) place: Place,
    /// The variable of each statement that has one, by its place in `observations`; 0 for other statements.
    variable: Vec<usize>,
    /// Unconstrained coordinates of the parameters that were drawn, `[dim]` at the end.
    pub(super) position: Vec<f64>,
    /// One entry for each observed variable, then one for each quantity of `generate`, then one for each of `deterministic`.
    pub(super) observations: Vec<Observations>,
    /// The outline of the statements, if requested.
    pub(super) outline: Option<Outline>,
    /// The sums around the present place, outermost first.
    sums: Vec<ForwardSum>,
    /// The terms of the outermost sums that are still to come, if they are known.
    sum_terms: &'a [f64],
    /// Whether the model has a `factor`, which may weight the values of sums.
    has_factor: bool,
}

impl<'a> Forward<'a> {
    /// The model with its random quantities from `start`.
    pub(super) fn new(
        statements: &[Statement],
        start: Start<'a>,
        wanted: Wanted,
        stream: &'a mut Stream,
    ) -> Self {
        let names = [observed_names, generated_names, computed_names].map(|of| of(statements));
        let (mut coordinates, mut matched, mut given) = (None, None, &[][..]);
        match start {
            Start::At(position) => coordinates = Some(position),
            Start::Prior(values) => given = values,
            Start::Draw { draw, quantities } => matched = Some(FromDraw::new(draw, quantities)),
        }
        Self {
            coordinates,
            matched,
            given: Unused::new(given),
            outside: None,
            names: statements.iter().map(|s| s.name).collect(),
            wanted,
            stream,
            place: Place::default(),
            variable: places(statements),
            position: Vec::new(),
            observations: vec![Observations::default(); names.iter().map(Vec::len).sum()],
            outline: None,
            sums: Vec::new(),
            sum_terms: &[],
            has_factor: statements
                .iter()
                .any(|statement| statement.kind == StatementKind::Factor),
        }
    }

    /// Whether observations are drawn or described here. While a sum goes through its values they are not.
    fn is_drawing(&self) -> bool {
        self.sums.iter().all(ForwardSum::draws_data)
    }

    /// The known terms of the next outermost sum, of `values` values; `None` if one is not finite: a value that is excluded, or data that are
    /// missing, which a trace takes for zero density.
    fn known_terms(&mut self, values: usize) -> Option<&'a [f64]> {
        let (terms, rest) = self.sum_terms.split_at_checked(values)?;
        self.sum_terms = rest;
        terms.iter().all(|term| term.is_finite()).then_some(terms)
    }

    /// Adds the contribution of a sum: to the sum around it, or as one observation of the first variable in it.
    fn contribute(&mut self, sum: ForwardSum) {
        if self.wanted.value_probabilities && self.sums.is_empty() {
            let logs = sum.log_probabilities(self.wanted.given_data);
            let found = &mut self.observations[self.variable[sum.statement]];
            found.values.push(logs.len());
            found.log_probabilities.extend(logs);
        }
        let Some(total) = sum.total() else {
            return;
        };
        if let Some(current) = self.sums.last_mut().and_then(ForwardSum::current) {
            return current.add(total);
        }
        if let Some(variable) = total.variable.filter(|_| self.wanted.log_likelihood) {
            let found = &mut self.observations[variable];
            found.log_likelihood.push(total.log_likelihood);
        }
        for (variable, terms) in total.log_probabilities {
            self.observations[variable].log_probabilities.extend(terms);
        }
        for (variable, supports) in total.supports {
            self.observations[variable].supports.extend(supports);
        }
    }

    /// The contribution of observed data, alone or to a sum: the requested results, and in a sum the log likelihood.
    fn contribution(
        &self,
        distribution: &dyn PlainDistribution,
        data: &dyn PlainData,
    ) -> Contribution {
        let variable = self.variable[self.place.statement];
        let mut found = Contribution {
            log_likelihood: log_likelihood_of_known(distribution, data),
            variable: Some(variable),
            ..Contribution::default()
        };
        if let Some(terms) = self.log_probabilities(distribution, data) {
            found.log_probabilities.insert(variable, terms);
        }
        if let Some(supports) = self.supports(distribution, data) {
            found.supports.insert(variable, supports);
        }
        found
    }

    /// The log probabilities of categories, if requested and if there are categories.
    fn log_probabilities(
        &self,
        distribution: &dyn PlainDistribution,
        data: &dyn PlainData,
    ) -> Option<Vec<f64>> {
        let categories = distribution.categories();
        let categories = categories.filter(|_| self.wanted.log_probabilities)?;
        Some(log_probabilities(distribution, data, categories))
    }

    /// The supports of the elements, if requested.
    fn supports(
        &self,
        distribution: &dyn PlainDistribution,
        data: &dyn PlainData,
    ) -> Option<Vec<Option<[f64; 2]>>> {
        let period = distribution.shape().elements().max(1);
        let elements = 0..data.shape().elements();
        let supports = elements.map(|i| distribution.random_support(i % period));
        self.wanted.supports.then(|| supports.collect())
    }

    /// Draws new data in place of the observed data.
    fn draw_data(&mut self, distribution: &dyn PlainDistribution, elements: usize) {
        let is_unknown = self.sums.iter().any(ForwardSum::is_unknown);
        let found = &mut self.observations[self.variable[self.place.statement]];
        let wanted = found.draws.len() + elements;
        while found.draws.len() < wanted && distribution.shape().elements() > 0 {
            found.draws.extend(distribution.draw(self.stream));
        }
        if is_unknown {
            found.draws[wanted - elements..].fill(f64::NAN);
        }
    }

    /// Runs the model.
    pub(super) fn run<Mo: Model>(&mut self, model: &Mo) {
        model.run_plain(self);
    }
}

/// The observations of `model` with its random quantities from `start`: one entry for each observed variable, then one for each quantity
/// of `generate`, then one for each of `deterministic`.
///
/// # Panics
/// If the position has fewer coordinates than the model, or a given quantity fewer elements.
pub fn observations<Mo: Model>(
    model: &Mo,
    start: Start<'_>,
    wanted: Wanted,
    stream: &mut Stream,
) -> Vec<Observations> {
    observations_by_terms(model, start, wanted, &[], stream)
}

/// [`observations`] with known terms of the sums that are in no other sum, `ln p(k) + t_k` by sum and value, as
/// [`SumTerms`](crate::density::SumTerms) computes them. Sums with a term that is not finite, or without terms, are computed.
///
/// # Panics
/// As for [`observations`].
pub fn observations_by_terms<Mo: Model>(
    model: &Mo,
    start: Start<'_>,
    wanted: Wanted,
    sum_terms: &[f64],
    stream: &mut Stream,
) -> Vec<Observations> {
    let mut forward = Forward::new(model.statements(), start, wanted, stream);
    forward.sum_terms = sum_terms;
    forward.run(model);
    forward.observations
}

impl PlainInterpreter for Forward<'_> {
    fn at(&mut self, statement: usize) {
        self.place = Place::at(statement);
    }
    fn leave(&mut self) {
        self.place.leave();
    }
    fn indexed(&mut self, indices: &[&dyn fmt::Display]) {
        if let Some(outline) = &mut self.outline {
            outline.indexed(indices);
        }
    }
    fn sliced(&mut self, first: usize) {
        if let Some(outline) = &mut self.outline {
            outline.sliced(first);
        }
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        if let Some(outline) = &mut self.outline {
            outline.random(self.place.statement, distribution);
        }
        if distribution.shape().elements() == 0 {
            return Vec::new();
        }
        if let Some(coordinates) = self.coordinates {
            let (mine, rest) = coordinates.split_at(distribution.dim());
            self.coordinates = Some(rest);
            return distribution.constrain(mine).0;
        }
        let name = self.names[self.place.statement];
        if let Some(matched) = &mut self.matched {
            return matched.elements((self.place.statement, name), distribution, self.stream);
        }
        if let Some(elements) = self.given.take(name, distribution.shape().elements()) {
            if !distribution.log_density(elements).is_finite() {
                self.outside.get_or_insert(self.place.statement);
            }
            self.position.extend(distribution.unconstrain(elements));
            return elements.to_vec();
        }
        let elements = distribution.draw(self.stream);
        self.position.extend(distribution.unconstrain(&elements));
        elements
    }
    fn param(&mut self, start: &dyn PlainDistribution) -> Vec<f64> {
        // drawn or given like a random value, but recorded as a param
        let mut outline = self.outline.take();
        if let Some(outline) = &mut outline {
            outline.param(self.place.statement, start);
        }
        let value = self.random(start);
        self.outline = outline;
        value
    }
    fn observe(&mut self, distribution: &dyn PlainDistribution, data: &dyn PlainData) {
        let is_drawing = self.is_drawing();
        if let Some(outline) = self.outline.as_mut().filter(|_| is_drawing) {
            let variable = self.variable[self.place.statement];
            let is_inside = !self.sums.is_empty();
            outline.observed(
                self.place.statement,
                variable,
                (distribution, data),
                is_inside,
            );
        }
        let elements = data.shape().elements();
        if elements == 0 {
            return;
        }
        if self.wanted.draws && is_drawing {
            self.draw_data(distribution, elements);
        }
        if self.sums.is_empty() {
            let (terms, supports) = (
                self.log_probabilities(distribution, data),
                self.supports(distribution, data),
            );
            let found = &mut self.observations[self.variable[self.place.statement]];
            if self.wanted.log_likelihood {
                found.log_likelihood.reserve(elements);
                distribution.visit_terms(data, &mut |term| found.log_likelihood.push(term));
            }
            found.log_probabilities.extend(terms.into_iter().flatten());
            found.supports.extend(supports.into_iter().flatten());
            return;
        }
        // other passes need no density
        if !self.sums.last().is_some_and(ForwardSum::is_summing) {
            return;
        }
        let contribution = self.contribution(distribution, data);
        if let Some(current) = self.sums.last_mut().and_then(ForwardSum::current) {
            current.add(contribution);
        }
    }
    fn deterministic(&mut self, elements: &[Real<Value>], shape: Shape) {
        if !self.is_drawing() {
            return;
        }
        let variable = self.variable[self.place.statement];
        if let Some(outline) = &mut self.outline {
            outline.computed(variable, shape);
        }
        if self.wanted.computed {
            let numbers = elements.iter().map(|x| x.plain_value());
            self.observations[variable].draws.extend(numbers);
        }
    }
    fn factor(&mut self, log_weight: f64) {
        if let Some(outline) = &mut self.outline {
            outline.has_factor = true;
        }
        if let Some(current) = self.sums.last_mut().and_then(ForwardSum::current) {
            current.log_factor += log_weight;
        }
    }
    fn begin_sum(&mut self, distribution: &dyn PlainDistribution) {
        let is_drawing = self.is_drawing();
        if let Some(outline) = self.outline.as_mut().filter(|_| is_drawing) {
            let variable = self.variable[self.place.statement];
            outline.generated(self.place.statement, variable, distribution);
            if self.sums.is_empty() {
                outline.enter_sum();
            }
        }
        let request = match self.sums.last() {
            Some(around) => around.request_within(),
            None => Request::of(self.wanted, self.outline.is_some(), self.has_factor),
        };
        let sum = ForwardSum::new(self.place.statement, distribution, request);
        let terms = match self.sums.is_empty() {
            true => self.known_terms(sum.len()),
            false => None,
        };
        let terms = terms.filter(|_| request.needs_terms_alone());
        self.sums.push(match terms {
            Some(terms) => sum.after(terms),
            None => sum,
        });
    }
    fn next_value(&mut self) -> Option<usize> {
        let sum = self.sums.last_mut()?;
        let Some(next) = sum.next(self.stream) else {
            let sum = self.sums.pop()?;
            self.contribute(sum);
            return None;
        };
        let variable = self.variable[sum.statement];
        self.observations[variable].draws.extend(next.draw);
        Some(next.value)
    }
    fn generate(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        let variable = self.variable[self.place.statement];
        if let Some(outline) = &mut self.outline {
            outline.generated(self.place.statement, variable, distribution);
        }
        // an outline draws too, so that later distributions have parameters
        let elements = if distribution.shape().elements() == 0 {
            Vec::new()
        } else if self.wanted.draws || self.outline.is_some() {
            distribution.draw(self.stream)
        } else {
            vec![f64::NAN; distribution.shape().elements()]
        };
        if self.wanted.draws {
            self.observations[variable].draws.extend(&elements);
        }
        elements
    }
}

/// Log probability of each category of each observation, `[observations, categories]` row-major.
fn log_probabilities(
    distribution: &dyn PlainDistribution,
    data: &dyn PlainData,
    categories: usize,
) -> Vec<f64> {
    let mut by_category: Vec<Vec<f64>> = Vec::with_capacity(categories);
    for category in 0..categories {
        let constant = Constant {
            value: category as f64,
            shape: data.shape(),
        };
        by_category.push(distribution.terms(&constant));
    }
    let observations = by_category.first().map_or(0, Vec::len);
    (0..observations)
        .flat_map(|i| by_category.iter().map(move |terms| terms[i]))
        .collect()
}
