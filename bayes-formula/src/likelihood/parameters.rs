//! The parameters of families: from the linear predictor, and others.

use crate::class::Class;
use crate::design::{Design, Margin};
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

/// The parameters of a family besides the linear predictor.
pub(crate) struct Others<M: Mode> {
    /// The family's own parameters by their classes.
    parts: Vec<(Class, Part<M>)>,
    /// What stands for a parameter that the family does not have.
    none: Part<M>,
    /// Cutpoints, with one below all grades; empty for families without them.
    pub(crate) cuts: Vector<M>,
    /// The shares of the functions of a baseline hazard; empty for families without one.
    pub(crate) baseline: Vector<M>,
    /// The coefficients of residuals; empty without them.
    pub(crate) ar: Vector<M>,
}

impl<M: Mode> Others<M> {
    /// The parameters of each response: those with a linear predictor by row, and others from `shared`, which has those of each class in the
    /// order of the responses, with 1 for a parameter that is not there.
    #[inline(always)]
    pub(crate) fn of_all(d: &Design, etas: &[Vector<M>], shared: &[(Class, Real<M>)]) -> Vec<Self> {
        let mut all = Vec::new();
        for (k, margin) in d.margins.iter().enumerate() {
            let before = |class| d.margins[..k].iter().filter(|one| one.has(class)).count();
            let own = |class: &Class| {
                let mut found = shared.iter().filter(|(own, _)| own == class);
                let found = found.nth(before(*class)).filter(|_| margin.has(*class));
                found.map_or_else(|| Real::constant(1.0), |(_, value)| *value)
            };
            all.push(Self::new(margin, d.etas_of(k, etas), own));
        }
        all
    }

    #[inline(always)]
    fn new(d: &Margin, etas: &[Vector<M>], shared: impl Fn(&Class) -> Real<M>) -> Self {
        let one = |class: &Class| {
            let own = match d.line_of(*class) {
                Some(line) => Part::Rows(mean_of(d.family, *class, &etas[line])),
                None => Part::One(shared(class)),
            };
            let adjusted = match class {
                Class::Sigma => known_errors(d, own),
                Class::Shape => with_exposures(d, own),
                _ => own,
            };
            (*class, adjusted)
        };
        Self {
            parts: d.family.auxiliaries().iter().map(one).collect(),
            none: Part::One(Real::constant(f64::NAN)),
            cuts: Vector::zeros(0),
            baseline: Vector::zeros(0),
            ar: Vector::zeros(0),
        }
    }

    /// The parameters of one row, in the order of the family's list.
    pub(crate) fn of_row(family: Family, values: impl Iterator<Item = Real<M>>) -> Self {
        let classes = family.auxiliaries().iter().copied();
        Self {
            parts: classes.zip(values.map(Part::One)).collect(),
            none: Part::One(Real::constant(f64::NAN)),
            cuts: Vector::zeros(0),
            baseline: Vector::zeros(0),
            ar: Vector::zeros(0),
        }
    }

    /// The parameter of a class; NaN if the family has none.
    #[inline(always)]
    pub(crate) fn of(&self, class: Class) -> &Part<M> {
        let found = self.parts.iter().find(|(own, _)| *own == class);
        found.map_or(&self.none, |(_, part)| part)
    }

    /// The parameters of each row in the order of the family's list, `[parameters x rows]`: all rows of one parameter after all rows of another.
    pub(crate) fn of_rows(&self, rows: usize) -> Vector<M> {
        Vector::from_fn(self.parts.len() * rows, |k| {
            self.parts[k / rows].1.row(k % rows)
        })
    }

    /// Whether each parameter is shared by all rows.
    pub(super) fn are_shared(&self) -> bool {
        let mut all = self.parts.iter();
        all.all(|(_, part)| matches!(part, Part::One(_)))
    }
}

/// The smallest value of a parameter of a family, if its class has another one: the mean of a Fréchet variable is finite where `nu` is above 1.
pub(crate) fn least(family: Family, class: Class) -> Option<f64> {
    (family == Family::Frechet && class == Class::Nu).then_some(1.0)
}

/// The values of a parameter by its linear predictor.
#[inline(always)]
fn mean_of<M: Mode>(family: Family, class: Class, eta: &Vector<M>) -> Vector<M> {
    let mean = class.link().mean(eta);
    match least(family, class) {
        Some(least) => mean + least,
        None => mean,
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

/// The standard deviations of rows with known errors: the errors, or the roots of the sums of squares with `sigma`.
#[inline(always)]
fn known_errors<M: Mode>(d: &Margin, sigma: Part<M>) -> Part<M> {
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
fn with_exposures<M: Mode>(d: &Margin, shape: Part<M>) -> Part<M> {
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
    d: &Margin,
    eta: &Vector<M>,
    others: &Others<M>,
) -> (Vector<M>, Vector<M>) {
    let link = d.link;
    let [nu, form, precision] = [Class::Nu, Class::Shape, Class::Phi].map(|class| others.of(class));
    let none = Vector::zeros(0);
    match d.family {
        Family::Gamma | Family::HurdleGamma => (form.times(link.reciprocal(eta)), none),
        Family::Exponential => (link.reciprocal(eta), none),
        Family::Weibull => {
            let log_mean_of_unit = form.map(|form| (1.0 + form.recip()).ln_gamma());
            let log_size = log_mean_of_unit.subtracted_from(&link.log_mean(eta));
            (log_size.exp(), none)
        }
        Family::Frechet => {
            let log_mean_of_unit = nu.map(|nu| (1.0 - nu.recip()).ln_gamma());
            let log_scale = log_mean_of_unit.subtracted_from(&link.log_mean(eta));
            (log_scale.exp(), none)
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
        | Family::Categorical
        | Family::Multinomial
        | Family::Dirichlet
        | Family::Cox => (eta.clone(), none),
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
