//! The classes of parameters: their names, their allowed values, and their default priors.

use crate::design::{Design, Margin};
use crate::line::Line;
use crate::link::Link;
use crate::prior::Prior;
use crate::scale::{Scales, rounded};
use serde::{Deserialize, Serialize};

/// Parameters of one kind, each with a prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Class {
    /// The intercept where all columns are at their means.
    Intercept,
    /// The same for the cutpoints between grades.
    Cutpoint,
    /// The same for the linear predictors of other parameters.
    Intercepts,
    /// The coefficients of the terms.
    Coefficient,
    /// The standard deviations of curves around their straight lines.
    Curve,
    /// The standard deviations of Gaussian processes.
    Process,
    /// The length scales of Gaussian processes.
    Length,
    /// The standard deviations of group effects.
    Deviation,
    /// The coefficients of the residuals before a row.
    Autoregression,
    /// The standard deviation of what is new in a latent residual.
    Innovation,
    Sigma,
    Nu,
    Shape,
    Phi,
    ZeroInflation,
    Hurdle,
    /// The shape of a skew normal.
    Alpha,
    /// The mean of the exponential part of an ex-Gaussian.
    Beta,
    /// The concentration of a von Mises distribution.
    Kappa,
    /// The probability of an end of the unit interval.
    Ends,
    /// The probability of 1 among the ends.
    Ones,
    /// The factor of the distances between cutpoints and linear predictor. It is 1 unless it has a linear predictor.
    Discrimination,
}

/// What a linear predictor predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The response.
    Response,
    /// Another parameter of the family.
    Parameter(Class),
    /// A label of the response, in place of the response itself; the first one of them has the number 0.
    Level(usize, String),
}

impl Of {
    /// The name before the names of its parameters; none for the response.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Self::Response => None,
            Self::Parameter(class) => Some(class.name().to_owned()),
            Self::Level(_, label) => Some(format!("{LEVEL}{label}")),
        }
    }

    /// Whether it is the response, or one of its labels.
    pub(crate) fn is_response(&self) -> bool {
        !matches!(self, Self::Parameter(_))
    }

    /// Whether it is the first of all linear predictors.
    fn is_first(&self) -> bool {
        matches!(self, Self::Response | Self::Level(0, _))
    }
}

/// The beginning of the name of a label's linear predictor (brms).
pub(crate) const LEVEL: &str = "mu";

/// The values that the parameters of a class may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    Real,
    Positive,
    /// Between 0 and 1.
    Share,
}

/// The properties of a class.
pub(crate) struct Row {
    pub(crate) class: Class,
    pub(crate) name: &'static str,
    pub(crate) support: Support,
    /// The default prior of the parameter with this number.
    pub(crate) default: fn(&Scales, usize) -> Prior,
}

/// The standard deviation of a coefficient's prior on standardised columns (rstanarm).
const WIDTH: f64 = 2.5;

/// All classes, in the order in which they are listed.
pub(crate) const CLASSES: [Row; 22] = [
    Row {
        class: Class::Intercept,
        name: "intercept",
        support: Support::Real,
        default: |of, _| Prior::student_t(3.0, of.centre, of.spread),
    },
    Row {
        class: Class::Cutpoint,
        name: "cutpoints",
        support: Support::Real,
        default: |_, _| Prior::student_t(3.0, 0.0, WIDTH),
    },
    Row {
        class: Class::Intercepts,
        name: "intercepts",
        support: Support::Real,
        default: |of, k| of.intercepts[k],
    },
    Row {
        class: Class::Coefficient,
        name: "b",
        support: Support::Real,
        default: |of, k| Prior::normal(0.0, rounded(WIDTH * of.units[k] / of.columns[k])),
    },
    Row {
        class: Class::Curve,
        name: "sds",
        support: Support::Positive,
        default: |of, k| Prior::half_student_t(3.0, of.curves[k]),
    },
    Row {
        class: Class::Process,
        name: "sdgp",
        support: Support::Positive,
        default: |of, k| Prior::half_student_t(3.0, of.processes[k].0),
    },
    Row {
        class: Class::Length,
        name: "lscale",
        support: Support::Positive,
        // 98% of the mass lies from 0.14 to 1 times half the range, which forty functions can represent
        default: |of, k| Prior::inverse_gamma(6.2, rounded(1.9 * of.processes[k].1)),
    },
    Row {
        class: Class::Deviation,
        name: "sd",
        support: Support::Positive,
        default: |of, k| Prior::half_student_t(3.0, of.deviations[k]),
    },
    Row {
        class: Class::Autoregression,
        name: "ar",
        support: Support::Real,
        // brms has the same bounds for one residual, and a flat prior for several
        default: |of, _| match of.lags {
            1 => Prior::uniform(-1.0, 1.0),
            _ => Prior::normal(0.0, 1.0),
        },
    },
    Row {
        class: Class::Innovation,
        name: "sderr",
        support: Support::Positive,
        default: |of, _| Prior::half_student_t(3.0, of.spread),
    },
    Row {
        class: Class::Sigma,
        name: "sigma",
        support: Support::Positive,
        default: |of, k| Prior::half_student_t(3.0, of.sigmas[k]),
    },
    Row {
        class: Class::Nu,
        name: "nu",
        support: Support::Positive,
        default: |_, _| Prior::gamma(2.0, 0.1),
    },
    Row {
        class: Class::Shape,
        name: "shape",
        support: Support::Positive,
        default: |_, _| Prior::inverse_gamma(0.4, 0.3),
    },
    Row {
        class: Class::Phi,
        name: "phi",
        support: Support::Positive,
        default: |_, _| Prior::gamma(2.0, 0.1),
    },
    Row {
        class: Class::ZeroInflation,
        name: "zi",
        support: Support::Share,
        default: |_, _| Prior::beta(1.0, 1.0),
    },
    Row {
        class: Class::Hurdle,
        name: "hu",
        support: Support::Share,
        default: |_, _| Prior::beta(1.0, 1.0),
    },
    Row {
        class: Class::Alpha,
        name: "alpha",
        support: Support::Real,
        default: |_, _| Prior::normal(0.0, 4.0),
    },
    Row {
        class: Class::Beta,
        name: "beta",
        support: Support::Positive,
        default: |_, _| Prior::gamma(1.0, 0.1),
    },
    Row {
        class: Class::Kappa,
        name: "kappa",
        support: Support::Positive,
        default: |_, _| Prior::gamma(2.0, 0.01),
    },
    Row {
        class: Class::Ends,
        name: "zoi",
        support: Support::Share,
        default: |_, _| Prior::beta(1.0, 1.0),
    },
    Row {
        class: Class::Ones,
        name: "coi",
        support: Support::Share,
        default: |_, _| Prior::beta(1.0, 1.0),
    },
    // it has no parameter of its own
    Row {
        class: Class::Discrimination,
        name: "disc",
        support: Support::Positive,
        default: |_, _| Prior::log_normal(0.0, 1.0),
    },
];

impl Support {
    /// Whether the value is finite and within.
    pub(crate) fn has(self, value: f64) -> bool {
        match self {
            Self::Real => value.is_finite(),
            Self::Positive => value > 0.0 && value.is_finite(),
            Self::Share => (0.0..=1.0).contains(&value),
        }
    }
}

impl Row {
    /// Checks that a prior's values are allowed for the class; the error says which prior to use.
    pub(crate) fn check(&self, prior: Prior) -> Result<(), String> {
        let name = self.name;
        match self.support {
            Support::Positive if !prior.is_positive() => Err(format!(
                "`{name}` is above 0, and {prior} is not; take a prior such as half_normal(1), exponential(1) or gamma(2, 0.1)"
            )),
            Support::Share if !prior.is_share() => Err(format!(
                "`{name}` lies between 0 and 1; take a prior such as beta(1, 1)"
            )),
            _ => Ok(()),
        }
    }
}

impl Class {
    /// The classes that may have a linear predictor.
    pub(crate) const PREDICTED: [Self; 12] = [
        Self::Sigma,
        Self::Nu,
        Self::Shape,
        Self::Phi,
        Self::ZeroInflation,
        Self::Hurdle,
        Self::Alpha,
        Self::Beta,
        Self::Kappa,
        Self::Ends,
        Self::Ones,
        Self::Discrimination,
    ];

    /// The class with this name, if it may have a linear predictor.
    pub(crate) fn predicted(name: &str) -> Option<Self> {
        let mut all = Self::PREDICTED.into_iter();
        all.find(|class| class.name() == name)
    }

    /// The link of the class's linear predictor.
    pub(crate) fn link(self) -> Link {
        match self {
            Self::ZeroInflation | Self::Hurdle | Self::Ends | Self::Ones => Link::Logit,
            Self::Alpha => Link::Identity,
            _ => Link::Log,
        }
    }

    /// The name of the class in outputs.
    pub(crate) fn name(self) -> &'static str {
        let row = CLASSES.iter().find(|row| row.class == self);
        row.map_or("", |row| row.name)
    }

    /// The names of the class's parameters in a regression; `None` if its one parameter has the name of the class.
    pub(crate) fn parameters(self, design: &Design) -> Vec<Option<String>> {
        let named = |names: Vec<String>| names.into_iter().map(Some).collect();
        match self {
            Self::Cutpoint => named(design.first().cutpoints()),
            Self::Intercepts => named(design.intercepts()),
            Self::Coefficient => named(design.coefficients()),
            Self::Curve => named(design.curves().map(|curve| curve.name.clone()).collect()),
            Self::Process | Self::Length => named(
                design
                    .processes()
                    .map(|process| process.name.clone())
                    .collect(),
            ),
            Self::Deviation => named(design.scales()),
            Self::Autoregression => named(design.lags()),
            _ => {
                let own = design.margins.iter().filter(|margin| self.is_of(margin));
                let names: Vec<String> = own.map(|margin| margin.name.clone()).collect();
                match names.len() {
                    0 | 1 => vec![None; names.len()],
                    _ => named(names),
                }
            }
        }
    }

    /// Whether a response has its one parameter of this class.
    fn is_of(self, margin: &Margin) -> bool {
        match self {
            Self::Intercept => {
                let line = &margin.lines[0];
                line.has_intercept && !line.has_named_intercept() && !margin.family.has_outcomes()
            }
            Self::Innovation => margin.latent.is_some(),
            Self::Discrimination => false,
            _ => margin.has(self),
        }
    }

    /// The number of the linear predictor that each parameter of the class belongs to, over all responses; a response's for family parameters.
    pub(crate) fn lines(self, design: &Design) -> Vec<usize> {
        let margins = design.margins.iter();
        let lines = margins.flat_map(|margin| margin.lines.iter().map(move |line| (margin, line)));
        let count = |(margin, line): (&Margin, &Line)| match self {
            Self::Cutpoint if line.of.is_first() => margin.cutpoints().len(),
            Self::Cutpoint => 0,
            Self::Intercepts => usize::from(line.has_named_intercept()),
            Self::Coefficient => line.coefficients.len(),
            Self::Curve => line.curves.len(),
            Self::Process | Self::Length => line.processes.len(),
            Self::Autoregression if line.of.is_first() => design.lags().len(),
            Self::Autoregression => 0,
            Self::Deviation => line.groups.iter().map(|group| group.columns.len()).sum(),
            _ => usize::from(line.of.is_first() && self.is_of(margin)),
        };
        let counts = lines.map(count).enumerate();
        counts.flat_map(|(k, count)| vec![k; count]).collect()
    }
}
