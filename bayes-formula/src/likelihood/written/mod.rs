//! Families whose density is written out here, row by row.
//!
//! All of them are one distribution, which chooses the family when it is evaluated: another family is a file and a line, and the methods of
//! distributions are not compiled for it again.

mod categorical;
mod cox;
mod ex_gaussian;
mod intervals;
mod ordinal;
mod skew_normal;
mod zeros;

pub(super) use intervals::Own;
pub(crate) use ordinal::probabilities;

use super::by_row::One;
use super::{Given, Others};
use crate::angles::wrapped;
use crate::baseline::Baseline;
use crate::class::{CLASSES, Class, Support};
use crate::family::Family;
use crate::link::Link;
use bayes::autodiff::{Buffer, PlainValue};
use bayes::dist::{
    Categorical, Data, DataError, Distribution, Domain, Frechet, ParameterError, Shape, VonMises,
};
use bayes::prelude::*;
use bayes::rng::Stream;
use std::marker::PhantomData;

/// The ends of all responses.
const WHOLE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// How a family is written out.
#[derive(Clone, Copy)]
enum Form {
    SkewNormal,
    ExGaussian,
    VonMises,
    Categorical,
    Ordinal,
    Frechet,
    Cox,
    /// Zeros of their own probability, and this part beside them.
    Zeros(zeros::Part),
}

impl Form {
    /// The form of a family; `None` for those that only the library has.
    fn of(family: Family) -> Option<Self> {
        Some(match family {
            Family::SkewNormal => Self::SkewNormal,
            Family::ExGaussian => Self::ExGaussian,
            Family::VonMises => Self::VonMises,
            Family::Categorical => Self::Categorical,
            Family::Frechet => Self::Frechet,
            Family::Cox => Self::Cox,
            Family::Cumulative
            | Family::SequentialRatio
            | Family::ContinuationRatio
            | Family::AdjacentCategory => Self::Ordinal,
            Family::HurdleGamma => Self::Zeros(zeros::Part::Gamma),
            Family::HurdleLogNormal => Self::Zeros(zeros::Part::LogNormal),
            Family::ZeroInflatedBinomial => Self::Zeros(zeros::Part::Binomial),
            Family::ZeroInflatedBetaBinomial => Self::Zeros(zeros::Part::BetaBinomial),
            Family::ZeroInflatedBeta | Family::ZeroOneInflatedBeta => {
                Self::Zeros(zeros::Part::Beta)
            }
            Family::Gaussian
            | Family::StudentT
            | Family::LogNormal
            | Family::Gamma
            | Family::Exponential
            | Family::Weibull
            | Family::InverseGaussian
            | Family::Beta
            | Family::Bernoulli
            | Family::Binomial
            | Family::BetaBinomial
            | Family::Poisson
            | Family::NegativeBinomial
            | Family::Geometric
            | Family::ZeroInflatedPoisson
            | Family::ZeroInflatedNegativeBinomial
            | Family::HurdlePoisson
            | Family::HurdleNegativeBinomial
            | Family::Multinomial
            | Family::Dirichlet => return None,
        })
    }
}

/// The response of a row.
pub(super) struct Row<'a, M: Mode> {
    family: Family,
    link: Link,
    /// The number of the row.
    i: usize,
    /// The parameters from the linear predictor, as [`of_rows`](super::parameters::of_rows) has them.
    first: Real<M>,
    second: Real<M>,
    others: &'a Others<M>,
    trials: u64,
    /// The linear predictors of all labels but the first one, each `[rows]`.
    levels: &'a [Vector<M>],
    baseline: Option<&'a Baseline>,
}

impl<'a, M: Mode> Row<'a, M> {
    pub(super) fn of(given: &'a Given<'_, M>, i: usize) -> Self {
        let second = given.second.elements().get(i);
        Self {
            family: given.d.family,
            link: given.d.link,
            i,
            first: given.first[i],
            second: second.copied().unwrap_or_else(|| Real::constant(f64::NAN)),
            others: &given.others,
            trials: given.d.trials.get(i).copied().unwrap_or(1),
            levels: &given.levels,
            baseline: given.d.baseline.as_ref(),
        }
    }

    /// A parameter of the family.
    fn parameter(&self, class: Class) -> Real<M> {
        self.others.of(class).row(self.i)
    }

    /// The cutpoints between grades.
    fn cuts(&self) -> &'a [Real<M>] {
        // the first one is below all grades
        let all = self.others.cuts.elements();
        all.get(1..).unwrap_or_default()
    }

    /// The linear predictor of each label; the first one is 0.
    fn scores(&self) -> Buffer<Real<M>> {
        Buffer::from_fn(self.levels.len() + 1, |k| match k {
            0 => Real::constant(0.0),
            k => self.levels[k - 1][self.i],
        })
    }

    /// The log density of a response, or its log probability; minus infinity for a value that the family does not have.
    pub(super) fn log_density(&self, y: f64) -> Real<M> {
        if !self.has(y) {
            return Real::constant(f64::NEG_INFINITY);
        }
        match Form::of(self.family) {
            Some(Form::SkewNormal) => skew_normal::log_density(self, y),
            Some(Form::ExGaussian) => ex_gaussian::log_density(self, y),
            Some(Form::VonMises) => {
                let kappa = self.parameter(Class::Kappa);
                density(VonMises::new(self.first, kappa), y)
            }
            Some(Form::Frechet) => density(self.frechet(), y),
            Some(Form::Cox) => cox::log_density(self, y),
            Some(Form::Categorical) => categorical::log_probability(&self.scores(), y),
            Some(Form::Ordinal) => ordinal::log_probability(self, y),
            Some(Form::Zeros(part)) => zeros::log_density(self, part, y),
            None => Real::constant(f64::NAN),
        }
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        match Form::of(self.family) {
            Some(Form::SkewNormal) => skew_normal::draw(self, stream),
            Some(Form::ExGaussian) => ex_gaussian::draw(self, stream),
            Some(Form::VonMises) => {
                let kappa = self.parameter(Class::Kappa);
                let [mu, kappa] = [self.first, kappa].map(PlainValue::plain_value);
                // the library draws around `mu`, also beyond ±π
                wrapped(one(&VonMises::new(mu, kappa), stream))
            }
            Some(Form::Categorical | Form::Ordinal) => {
                let probability = |y: usize| self.log_density(y as f64).plain_value().exp();
                let all: Vec<f64> = (1..=self.outcomes()).map(probability).collect();
                1.0 + one(&Categorical::new(all), stream)
            }
            Some(Form::Zeros(part)) => zeros::draw(self, part, stream),
            Some(Form::Frechet) => {
                let [nu, scale] =
                    [self.parameter(Class::Nu), self.first].map(PlainValue::plain_value);
                one(&Frechet::new(nu, scale), stream)
            }
            Some(Form::Cox) => cox::draw(self, WHOLE, stream),
            None => f64::NAN,
        }
    }

    fn frechet(&self) -> impl Distribution<M, Value = Real<M>> {
        Frechet::new(self.parameter(Class::Nu), self.first)
    }

    /// The number of grades or labels; 0 for other families.
    fn outcomes(&self) -> usize {
        match (self.family.has_cutpoints(), self.family.has_outcomes()) {
            (true, _) => self.cuts().len() + 1,
            (_, true) => self.levels.len() + 1,
            _ => 0,
        }
    }

    /// Whether the family has this value.
    fn has(&self, y: f64) -> bool {
        let is_whole = y.fract() == 0.0;
        match self.family {
            Family::HurdleGamma | Family::HurdleLogNormal => (0.0..f64::INFINITY).contains(&y),
            Family::Frechet | Family::Cox => y > 0.0 && y.is_finite(),
            Family::ZeroInflatedBeta => (0.0..1.0).contains(&y),
            Family::ZeroOneInflatedBeta => (0.0..=1.0).contains(&y),
            Family::ZeroInflatedBinomial | Family::ZeroInflatedBetaBinomial => {
                is_whole && (0.0..=self.trials as f64).contains(&y)
            }
            _ if self.family.has_outcomes() => {
                is_whole && (1.0..=self.outcomes() as f64).contains(&y)
            }
            _ => y.is_finite(),
        }
    }
}

/// The response of a row of such a family.
pub(super) struct Written<'a, M: Mode, O> {
    row: Row<'a, M>,
    domain: PhantomData<O>,
}

impl<'a, M: Mode, O> Written<'a, M, O> {
    pub(super) fn of(given: &'a Given<'_, M>, i: usize) -> Self {
        Self {
            row: Row::of(given, i),
            domain: PhantomData,
        }
    }
}

impl<M: Mode, O: Domain> Distribution<M> for Written<'_, M, O> {
    type Value = Real<M>;
    type Domain = O;

    fn name(&self) -> &'static str {
        let is_own = |(_, family): &&(&'static str, Family)| *family == self.row.family;
        let found = Family::ALL.iter().find(is_own);
        found.map_or("", |(name, _)| name)
    }

    fn shape(&self) -> Shape {
        Shape::Scalar
    }

    fn dim(&self) -> usize {
        1
    }

    /// Checks that no parameter has overflowed or rounded to an end of its range.
    fn check(&self) -> Result<(), ParameterError> {
        let row = &self.row;
        let wrong = |parameter: &'static str, value: f64, allowed: &'static str| {
            Err(ParameterError::Value {
                distribution: Distribution::<M>::name(self),
                parameter,
                index: None,
                value,
                allowed,
            })
        };
        let levels = row.levels.iter().map(|eta| eta[row.i]);
        let mut etas = levels.chain([row.first]);
        if let Some(eta) = etas.find(|eta| !eta.plain_value().is_finite()) {
            return wrong("eta", eta.plain_value(), "finite");
        }
        let positive: &[(&'static str, Real<M>)] = match Form::of(row.family) {
            Some(Form::Zeros(zeros::Part::Gamma)) => &[("rate", row.first)],
            Some(Form::Zeros(zeros::Part::Beta | zeros::Part::BetaBinomial)) => {
                &[("mu phi", row.first), ("(1 - mu) phi", row.second)]
            }
            Some(Form::Frechet) => &[("scale", row.first)],
            _ => &[],
        };
        for (name, value) in positive {
            let value = value.plain_value();
            if !Support::Positive.has(value) {
                return wrong(name, value, "above 0 and finite");
            }
        }
        for class in row.family.auxiliaries() {
            let value = row.parameter(*class).plain_value();
            let own = CLASSES.iter().find(|row| row.class == *class);
            if !own.is_some_and(|row| row.support.has(value)) {
                return wrong(class.name(), value, "finite and within its range");
            }
        }
        Ok(())
    }

    fn is_of_data(&self) -> bool {
        true
    }

    fn categories(&self) -> Option<usize> {
        // outcomes are numbered from 1, so there is no outcome 0
        (self.row.outcomes() > 0).then(|| self.row.outcomes() + 1)
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for y in elements {
            sum += self.row.log_density(y.plain_value());
        }
        sum
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Real<M>, Real<M>) {
        (coordinates[0], Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        vec![self.row.draw(stream)]
    }

    fn check_data<T: Data<O> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let y = data.at(0);
        match self.row.has(y) {
            true => Ok(()),
            false => Err(DataError::Value {
                distribution: Distribution::<M>::name(self),
                index: None,
                value: y,
                allowed: self.row.family.response().words().to_owned(),
            }),
        }
    }

    fn for_each_term<T: Data<O> + ?Sized>(&self, data: &T, mut visit: impl FnMut(Real<M>)) {
        visit(self.row.log_density(data.at(0)));
    }
}

/// The log density of a distribution of the library at a datum.
fn density<M: Mode, D: Distribution<M, Value = Real<M>>>(of: D, y: f64) -> Real<M> {
    of.log_likelihood(&One(y))
}

/// A draw from a distribution of the library at plain parameters.
fn one<D: Distribution<bayes::autodiff::Value>>(of: &D, stream: &mut Stream) -> f64 {
    of.draw(stream)[0]
}
