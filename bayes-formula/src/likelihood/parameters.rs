//! The parameters of families: from the linear predictor, and others.

use crate::class::Class;
use crate::design::Design;
use crate::family::Family;
use bayes::prelude::*;

/// A parameter besides the linear predictor.
#[derive(Clone, Debug)]
pub(crate) enum Part<M: Mode> {
    /// One for all rows.
    One(Real<M>),
    /// One for each row.
    Rows(Vector<M>),
}

/// All such parameters; a family reads only its own.
pub(crate) struct Others<M: Mode> {
    /// `sigma`, or the known standard deviations.
    pub(crate) scale: Part<M>,
    /// `nu`.
    pub(crate) tail: Part<M>,
    /// `shape`, `alpha` or `beta`.
    pub(crate) form: Part<M>,
    /// `phi`, `kappa` or `disc`.
    pub(crate) precision: Part<M>,
    /// `zi`, `hu` or `zoi`.
    pub(crate) zeros: Part<M>,
    /// `coi`.
    pub(crate) ones: Part<M>,
    /// Cutpoints, with one below all grades.
    pub(crate) cuts: Vector<M>,
}

impl<M: Mode> Others<M> {
    /// All parameters but the cutpoints, of each row, `[6 rows]`: all rows of one parameter after all rows of another.
    pub(crate) fn of_rows(&self, rows: usize) -> Vector<M> {
        let all = self.parts();
        Vector::from_fn(all.len() * rows, |k| all[k / rows].row(k % rows))
    }

    /// Whether each parameter is shared by all rows.
    pub(super) fn are_shared(&self) -> bool {
        let mut all = self.parts().into_iter();
        all.all(|part| matches!(part, Part::One(_)))
    }

    fn parts(&self) -> [&Part<M>; 6] {
        [
            &self.scale,
            &self.tail,
            &self.form,
            &self.precision,
            &self.zeros,
            &self.ones,
        ]
    }
}

impl<M: Mode> Part<M> {
    /// The value of a row.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> Real<M> {
        match self {
            Self::One(value) => *value,
            Self::Rows(values) => values[i],
        }
    }

    /// The value shared by all rows.
    #[inline(always)]
    pub(super) fn whole(&self) -> Real<M> {
        self.row(0)
    }

    /// Applies `f` to the parameter.
    #[inline(always)]
    pub(crate) fn map(&self, f: impl Fn(Real<M>) -> Real<M>) -> Self {
        match self {
            Self::One(value) => Self::One(f(*value)),
            Self::Rows(values) => Self::Rows(values.map(f)),
        }
    }

    /// A vector of the rows times the parameter.
    #[inline(always)]
    fn times(&self, values: Vector<M>) -> Vector<M> {
        match self {
            Self::One(value) => values * *value,
            Self::Rows(own) => values.component_mul(own),
        }
    }

    /// A vector of the rows less the parameter.
    #[inline(always)]
    fn subtracted_from(&self, values: &Vector<M>) -> Vector<M> {
        match self {
            Self::One(value) => values - *value,
            Self::Rows(own) => values - own,
        }
    }
}

/// A parameter of these classes: by row from its linear predictor, or shared by all rows.
#[inline(always)]
pub(crate) fn part<M: Mode>(
    d: &Design,
    classes: &[Class],
    etas: &[Vector<M>],
    one: Real<M>,
) -> Part<M> {
    for class in classes {
        if let Some(line) = d.line_of(*class) {
            return Part::Rows(class.link().mean(&etas[line]));
        }
    }
    Part::One(one)
}

/// The standard deviations of rows with known errors: the errors, or the roots of the sums of squares with `sigma`.
#[inline(always)]
pub(crate) fn known_errors<M: Mode>(d: &Design, sigma: Part<M>) -> Part<M> {
    match (d.errors.is_empty(), d.adds_sigma) {
        (true, _) => sigma,
        (false, false) => Part::Rows(Vector::constant(&d.errors)),
        (false, true) => Part::Rows(Vector::from_fn(d.errors.len(), |i| {
            sigma.row(i).hypot(d.errors[i])
        })),
    }
}

/// The shapes of counts with exposures: for a sum of negative binomial counts, shapes add up.
#[inline(always)]
pub(crate) fn with_exposures<M: Mode>(d: &Design, shape: Part<M>) -> Part<M> {
    match d.exposures.is_empty() {
        true => shape,
        false => Part::Rows(Vector::from_fn(d.exposures.len(), |i| {
            shape.row(i) * d.exposures[i]
        })),
    }
}

/// The parameters from the linear predictor, as the constructors of the families take them.
#[inline(always)]
pub(super) fn of_rows<M: Mode>(
    d: &Design,
    eta: &Vector<M>,
    others: &Others<M>,
) -> (Vector<M>, Vector<M>) {
    let (link, form, precision) = (d.link, &others.form, &others.precision);
    let none = Vector::zeros(0);
    match d.family {
        Family::Gamma | Family::HurdleGamma => (form.times(link.reciprocal(eta)), none),
        Family::Exponential => (link.reciprocal(eta), none),
        Family::Weibull => {
            let log_mean_of_unit = form.map(|form| (1.0 + form.recip()).ln_gamma());
            let log_size = log_mean_of_unit.subtracted_from(&link.log_mean(eta));
            (log_size.exp(), none)
        }
        Family::Beta
        | Family::BetaBinomial
        | Family::ZeroInflatedBeta
        | Family::ZeroOneInflatedBeta
        | Family::ZeroInflatedBetaBinomial => (
            precision.times(link.mean(eta)),
            precision.times(link.complement(eta)),
        ),
        Family::Bernoulli | Family::Binomial | Family::ZeroInflatedBinomial => {
            (link.log_odds(eta), none)
        }
        Family::Poisson => (link.log_mean(eta), none),
        Family::Geometric => ((-link.log_mean(eta)).logistic(), none),
        Family::Cumulative
        | Family::SequentialRatio
        | Family::ContinuationRatio
        | Family::AdjacentCategory
        | Family::Categorical => (eta.clone(), none),
        Family::Gaussian
        | Family::StudentT
        | Family::LogNormal
        | Family::SkewNormal
        | Family::ExGaussian
        | Family::VonMises
        | Family::HurdleLogNormal
        | Family::InverseGaussian
        | Family::NegativeBinomial
        | Family::ZeroInflatedPoisson
        | Family::ZeroInflatedNegativeBinomial
        | Family::HurdlePoisson
        | Family::HurdleNegativeBinomial => (link.mean(eta), none),
    }
}
