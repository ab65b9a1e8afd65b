//! The classes of parameters: their names, their allowed values, and their default priors.

use crate::design::Design;
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
    Sigma,
    Nu,
    Shape,
    Phi,
    ZeroInflation,
    Hurdle,
}

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
pub(crate) const CLASSES: [Row; 13] = [
    Row {
        class: Class::Intercept,
        name: "intercept",
        support: Support::Real,
        default: |of, _| Prior::student_t(3.0, of.centre, of.spread),
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
        class: Class::Sigma,
        name: "sigma",
        support: Support::Positive,
        default: |of, _| Prior::half_student_t(3.0, of.spread),
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
];

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
    pub(crate) const PREDICTED: [Self; 6] = [
        Self::Sigma,
        Self::Nu,
        Self::Shape,
        Self::Phi,
        Self::ZeroInflation,
        Self::Hurdle,
    ];

    /// The class with this name, if it may have a linear predictor.
    pub(crate) fn predicted(name: &str) -> Option<Self> {
        let mut all = Self::PREDICTED.into_iter();
        all.find(|class| class.name() == name)
    }

    /// The link of the class's linear predictor.
    pub(crate) fn link(self) -> Link {
        match self {
            Self::ZeroInflation | Self::Hurdle => Link::Logit,
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
        let has = |one: bool| if one { vec![None] } else { Vec::new() };
        match self {
            Self::Intercept => has(design.lines[0].has_intercept && !design.family.has_cutpoints()),
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
            _ if design.line_of(self).is_some() => Vec::new(),
            // known standard deviations replace `sigma`
            Self::Sigma if !design.errors.is_empty() && !design.adds_sigma => Vec::new(),
            _ => has(design.family.auxiliaries().contains(&self)),
        }
    }

    /// The number of the linear predictor that each parameter of the class belongs to; 0, the response's, for family parameters.
    pub(crate) fn lines(self, design: &Design) -> Vec<usize> {
        let lines = design.lines.iter().enumerate();
        let count = |line: &Line| match self {
            Self::Intercepts => usize::from(line.of.is_some() && line.has_intercept),
            Self::Coefficient => line.coefficients.len(),
            Self::Curve => line.curves.len(),
            Self::Process | Self::Length => line.processes.len(),
            Self::Deviation => line.groups.iter().map(|group| group.columns.len()).sum(),
            _ => usize::from(line.of.is_none()),
        };
        lines.flat_map(|(k, line)| vec![k; count(line)]).collect()
    }
}
