//! A choice of one of several categories by their scores.

use super::{
    Data, DataError, Discrete, Distribution, Form, Iid, MatrixForm, Parameter, ParameterError,
    Quantity, ScalarForm, Shape, VectorForm,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Buffer, Mode, PlainValue, Real};
use rand::RngExt;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The kind of scores: probabilities or logits.
pub trait Scale: Copy + Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// Whether the scores are logits.
    const LOGITS: bool = false;
    /// The name of the scores in the constructor.
    const PARAMETER: &'static str;
    /// `log_probability - log_score`, the normaliser of a row of scores, if it is not zero.
    fn log_normaliser<M: Mode>(scores: &[Real<M>]) -> Real<M>;
    /// The log of an unnormalised probability.
    fn log_score<M: Mode>(score: Real<M>) -> Real<M>;
    /// Adds the log probability of category `chosen` of the row.
    #[inline(always)]
    fn add_choice<M: Mode>(scores: &[Real<M>], chosen: usize, total: &mut Real<M>) {
        *total += Self::log_score(scores[chosen]) + Self::log_normaliser(scores);
    }
    /// Checks one row of scores; its first score is element `start`.
    ///
    /// # Errors
    /// The first score that is not allowed.
    fn check(scores: &[f64], start: usize) -> Result<(), ParameterError>;
}

/// A choice of one category; with a matrix of scores, one choice for each row.
#[derive(Clone, Copy, Debug)]
pub struct Choice<L, P> {
    scores: P,
    scale: PhantomData<L>,
}

/// The scores of a choice: a vector makes it scalar, a matrix a vector.
#[diagnostic::on_unimplemented(
    message = "the categories need a vector of numbers, or a matrix with a row for each observation",
    label = "these categories have a single number"
)]
pub trait Scores: Form {
    /// One choice or many.
    type Choices: Form;
}
impl Scores for VectorForm {
    type Choices = ScalarForm;
}
impl Scores for MatrixForm {
    type Choices = VectorForm;
}

impl<L, P> Choice<L, P> {
    pub(super) fn of(scores: P) -> Self {
        Self {
            scores,
            scale: PhantomData,
        }
    }

    /// Independent copies: `.iid(n)` is a vector.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// Number of rows (1 for a vector of scores) and of categories.
    #[inline(always)]
    fn extent<M: Mode>(&self) -> (usize, usize)
    where
        P: Parameter<M>,
    {
        match self.scores.shape() {
            Shape::Matrix(rows, categories) => (rows, categories),
            other => (1, other.elements()),
        }
    }

    /// Replaces `row` by the scores of row `i`.
    #[inline(always)]
    fn read_row<M: Mode>(&self, i: usize, categories: usize, row: &mut Buffer<Real<M>>)
    where
        P: Parameter<M>,
    {
        row.clear();
        row.extend((0..categories).map(|k| self.scores.at(i * categories + k)));
    }
}

impl<M, L, P> Distribution<M> for Choice<L, P>
where
    M: Mode,
    L: Scale,
    P: Parameter<M>,
    P::Form: Scores,
{
    type Value = <<P::Form as Scores>::Choices as Form>::Value<M>;
    type Domain = Discrete;

    fn name(&self) -> &'static str {
        L::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        match self.scores.shape() {
            Shape::Matrix(rows, _) => Shape::Vector(rows),
            _ => Shape::Scalar,
        }
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.extent().0
    }

    fn check(&self) -> Result<(), ParameterError> {
        let (rows, categories) = self.extent();
        if rows * categories == 0 {
            let parameter = L::PARAMETER;
            let allowed = "at least 1".to_owned();
            return Err(ParameterError::Length {
                distribution: L::NAME,
                parameter,
                length: 0,
                allowed,
            });
        }
        (0..rows).try_for_each(|i| {
            let row: Vec<f64> = (0..categories)
                .map(|k| self.scores.at(i * categories + k).plain_value())
                .collect();
            L::check(&row, i * categories)
        })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let (rows, categories) = self.extent();
        let mut row = Buffer::with_capacity(categories);
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            if i < rows {
                self.read_row(i, categories, &mut row);
            } else if rows > 1 {
                self.read_row(i % rows, categories, &mut row);
            }
            // The category is random, so every category is computed and the chosen one selected.
            let mut log_mass = Real::constant(f64::NEG_INFINITY);
            let log_normaliser = L::log_normaliser(&row);
            for (k, score) in row.iter().enumerate() {
                let chosen = (*x - k as f64).abs().le(0.0);
                log_mass = Real::select(chosen, L::log_score(*score) + log_normaliser, log_mass);
            }
            sum += log_mass;
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let whole = |i: usize| Support::counts().constrain(coordinates[i]).0;
        (
            Self::Value::from_fn(self.shape(), whole),
            Real::constant(0.0),
        )
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn categories(&self) -> Option<usize> {
        Some(self.extent().1)
    }

    fn whole_numbers(&self) -> Option<[f64; 2]> {
        let categories = self.extent().1 as f64;
        (self.shape() == Shape::Scalar).then_some([0.0, categories - 1.0])
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let (rows, categories) = self.extent();
        let mut row = Buffer::with_capacity(categories);
        let mut one = |i| {
            self.read_row(i, categories, &mut row);
            let log_normaliser = L::log_normaliser(&row);
            let mut rest = stream.random::<f64>();
            let beyond = row.iter().position(|score: &Real<M>| {
                rest -= (L::log_score(*score) + log_normaliser).plain_value().exp();
                rest < 0.0
            });
            // by rounding, the probabilities may sum to slightly less than the uniform number
            beyond.unwrap_or(categories.saturating_sub(1)) as f64
        };
        (0..rows).map(&mut one).collect()
    }

    fn check_data<T: Data<Discrete> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (rows, categories) = self.extent();
        let length = data.shape().elements();
        let wrong_length = |allowed| DataError::Length {
            distribution: L::NAME,
            length,
            allowed,
        };
        if self.shape() != Shape::Scalar && length != rows {
            return Err(wrong_length(format!(
                "{rows}, the number of rows of the parameter"
            )));
        }
        if length == 0 {
            return Err(wrong_length("at least 1".to_owned()));
        }
        let support = Support::<M>::counts_to(categories as f64 - 1.0);
        (0..length)
            .find(|i| !support.contains(data.at(*i)))
            .map_or(Ok(()), |i| {
                let index = (data.shape() != Shape::Scalar).then_some(i);
                Err(DataError::Value {
                    distribution: L::NAME,
                    index,
                    value: data.at(i),
                    allowed: support.words(),
                })
            })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Discrete> + ?Sized>(&self, data: &T, mut visit: impl FnMut(Real<M>)) {
        let (rows, categories) = self.extent();
        let mut row = Buffer::with_capacity(categories);
        let mut log_normaliser = Real::constant(0.0);
        for i in 0..data.shape().elements() {
            if i == 0 || rows > 1 {
                self.read_row(i % rows, categories, &mut row);
                log_normaliser = L::log_normaliser(&row);
            }
            visit(row.get(data.at(i) as usize).map_or_else(
                || Real::constant(f64::NEG_INFINITY),
                |score| L::log_score(*score) + log_normaliser,
            ));
        }
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Discrete> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        if L::LOGITS && self.scores.add_choices(data, total) {
            return;
        }
        let (rows, categories) = self.extent();
        if rows == 1 {
            // one row for all observations: its normaliser is computed once
            return self.for_each_term(
                data,
                #[inline(always)]
                |term| *total += term,
            );
        }
        let mut row = Buffer::with_capacity(categories);
        for i in 0..data.shape().elements() {
            self.read_row(i % rows, categories, &mut row);
            let chosen = data.at(i) as usize;
            if chosen < row.len() {
                L::add_choice(&row, chosen, total);
            } else {
                *total += Real::constant(f64::NEG_INFINITY);
            }
        }
    }
}
