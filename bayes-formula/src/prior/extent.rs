//! Where a prior has its values, and how widely they spread.

use super::{Prior, PriorFamily};

impl Prior {
    /// Whether the prior's values are above 0.
    pub(crate) fn is_positive(self) -> bool {
        self.family.is_positive() || self.ends().is_some_and(|[low, _]| low >= 0.0)
    }

    /// Whether every number is possible.
    pub(crate) fn is_on_line(self) -> bool {
        !self.family.is_positive() && self.family != PriorFamily::Uniform
    }

    /// Whether the prior's values lie between 0 and 1.
    pub(crate) fn is_share(self) -> bool {
        let is_inside = |[low, high]: [f64; 2]| low >= 0.0 && high <= 1.0;
        self.family == PriorFamily::Beta || self.ends().is_some_and(is_inside)
    }

    /// The ends of a uniform prior.
    pub(crate) fn ends(self) -> Option<[f64; 2]> {
        let [low, high, _] = self.parameters;
        (self.family == PriorFamily::Uniform).then_some([low, high])
    }

    /// A prior that is wider by a factor: around its location on the line, and in its scale above 0. A prior between bounds stays.
    pub(crate) fn widened(self, factor: f64) -> Self {
        let [a, b, c] = self.parameters;
        let parameters = match self.family {
            PriorFamily::Normal
            | PriorFamily::Cauchy
            | PriorFamily::Laplace
            | PriorFamily::Logistic
            | PriorFamily::HalfStudentT
            | PriorFamily::InverseGamma => [a, factor * b, c],
            PriorFamily::StudentT => [a, b, factor * c],
            PriorFamily::HalfNormal | PriorFamily::HalfCauchy => [factor * a, b, c],
            PriorFamily::Exponential => [a / factor, b, c],
            PriorFamily::Gamma => [a, b / factor, c],
            PriorFamily::LogNormal => [a + factor.ln(), b, c],
            PriorFamily::Beta | PriorFamily::Uniform => [a, b, c],
        };
        Self { parameters, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_prior_has_its_quantiles_further_away() {
        let about = [
            (Prior::normal(1.0, 2.0), 1.0),
            (Prior::student_t(3.0, -1.0, 2.5), -1.0),
            (Prior::cauchy(1.0, 2.0), 1.0),
            (Prior::laplace(1.0, 2.0), 1.0),
            (Prior::logistic(0.5, 1.0), 0.5),
            (Prior::half_normal(2.0), 0.0),
            (Prior::half_student_t(3.0, 2.5), 0.0),
            (Prior::half_cauchy(2.0), 0.0),
            (Prior::exponential(0.5), 0.0),
            (Prior::gamma(2.0, 0.1), 0.0),
            (Prior::inverse_gamma(0.4, 0.3), 0.0),
            (Prior::log_normal(1.0, 0.5), 0.0),
        ];
        for (prior, location) in about {
            let (one, two) = (prior.quantile(0.8), prior.widened(2.0).quantile(0.8));
            let ratio = (two - location) / (one - location);
            assert!((ratio - 2.0).abs() < 1e-8, "{prior} {ratio}");
        }
        for prior in [Prior::beta(1.0, 1.0), Prior::uniform(-1.0, 1.0)] {
            assert_eq!(prior.widened(2.0), prior);
        }
    }
}
