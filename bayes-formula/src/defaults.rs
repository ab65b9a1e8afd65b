//! Priors where the user gives none, and those that the user gives.

use crate::columns::{deviation, mean};
use crate::design::{Design, INTERCEPT, place};
use crate::family::{Auxiliary, Family, Link};
use crate::prior::Prior;
use bayes::{Error, FormulaError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The priors of all parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Priors {
    /// Of the intercept where all columns are at their means; none without an intercept.
    pub(crate) intercept: Vec<Prior>,
    /// `[coefficients]`.
    pub(crate) coefficients: Vec<Prior>,
    /// Of the standard deviations of group effects.
    pub(crate) scales: Vec<Prior>,
    /// The exponent of the prior of correlations, that of Lewandowski, Kurowicka and Joe.
    pub(crate) correlation: f64,
    pub(crate) sigma: Vec<Prior>,
    pub(crate) nu: Vec<Prior>,
    pub(crate) shape: Vec<Prior>,
    pub(crate) phi: Vec<Prior>,
    pub(crate) zi: Vec<Prior>,
    pub(crate) hu: Vec<Prior>,
}

/// The place and the spread of a response on the scale of the linear predictor.
#[derive(Clone, Copy, Debug)]
struct Scale {
    centre: f64,
    spread: f64,
}

/// The smallest spread that the defaults take for that of a response (brms).
const LEAST_SPREAD: f64 = 2.5;
/// What the standard deviation of a coefficient's prior is on standardised columns (rstanarm).
const WIDTH: f64 = 2.5;

impl Priors {
    /// Weakly informative priors, all proper. With s the spread of the response on the scale of the linear predictor:
    ///
    /// - the intercept at the means of all columns: `student_t(3, median, s)`, `s = max(2.5, mad)`, as brms has it;
    /// - a coefficient: `normal(0, 2.5 t / sd(x))`, with t the standard deviation of a response with the identity link and 1 for other links,
    ///   as rstanarm has it; without an intercept the roots of mean squares in place of standard deviations;
    /// - standard deviations: `half_student_t(3, s)`; correlations: `lkj(1)`, which is flat.
    pub(crate) fn default_of(design: &Design) -> Self {
        let family = design.family;
        let scale = Scale::of(design);
        let unit = match family.link() {
            Link::Identity => {
                let values: Vec<f64> = responses(design).collect();
                let spread = spread(&values, design);
                if spread.is_finite() && spread > 0.0 {
                    spread
                } else {
                    1.0
                }
            }
            Link::Log | Link::Logit => 1.0,
        };
        let coefficient = |k: usize| {
            let spread = spread(design.x.column(k).as_slice(), design);
            let spread = if spread.is_finite() && spread > 0.0 {
                spread
            } else {
                1.0
            };
            Prior::normal(0.0, rounded(WIDTH * unit / spread))
        };
        let half = Prior::half_student_t(3.0, scale.spread);
        let of = |auxiliary, prior| match family.auxiliaries().contains(&auxiliary) {
            true => vec![prior],
            false => Vec::new(),
        };
        let cumulative = family == Family::Cumulative;
        Self {
            intercept: match design.has_intercept && !cumulative {
                true => vec![Prior::student_t(3.0, scale.centre, scale.spread)],
                false => Vec::new(),
            },
            coefficients: (0..design.coefficients.len()).map(coefficient).collect(),
            scales: vec![half; design.scales().len()],
            correlation: 1.0,
            sigma: of(Auxiliary::Sigma, half),
            nu: of(Auxiliary::Nu, Prior::gamma(2.0, 0.1)),
            shape: of(Auxiliary::Shape, Prior::inverse_gamma(0.4, 0.3)),
            phi: of(Auxiliary::Phi, Prior::gamma(2.0, 0.1)),
            zi: of(Auxiliary::ZeroInflation, Prior::beta(1.0, 1.0)),
            hu: of(Auxiliary::Hurdle, Prior::beta(1.0, 1.0)),
        }
    }

    /// The names of all parameters with their priors.
    pub(crate) fn listed(&self, design: &Design) -> Vec<(String, Prior)> {
        let named = |name: &str, priors: &[Prior]| -> Vec<(String, Prior)> {
            priors
                .iter()
                .map(|prior| (name.to_owned(), *prior))
                .collect()
        };
        let each = |class: &str, names: &[String], priors: &[Prior]| -> Vec<(String, Prior)> {
            let pairs = names.iter().zip(priors);
            pairs
                .map(|(name, prior)| (format!("{class}[{name}]"), *prior))
                .collect()
        };
        [
            named("intercept", &self.intercept),
            each("b", &design.coefficients, &self.coefficients),
            each("sd", &design.scales(), &self.scales),
            named("sigma", &self.sigma),
            named("nu", &self.nu),
            named("shape", &self.shape),
            named("phi", &self.phi),
            named("zi", &self.zi),
            named("hu", &self.hu),
        ]
        .concat()
    }

    /// The priors of a class of parameters.
    fn of_class(&mut self, class: &str) -> Option<&mut Vec<Prior>> {
        Some(match class {
            "intercept" | INTERCEPT => &mut self.intercept,
            "b" => &mut self.coefficients,
            "sd" => &mut self.scales,
            "sigma" => &mut self.sigma,
            "nu" => &mut self.nu,
            "shape" => &mut self.shape,
            "phi" => &mut self.phi,
            "zi" => &mut self.zi,
            "hu" => &mut self.hu,
            _ => return None,
        })
    }

    /// Gives a parameter, or all of a class, this prior: `b`, `b[days]`, `sd`, `sd[site]`, `sd[site:Intercept]`, `intercept`, `sigma`.
    pub(crate) fn set(&mut self, target: &str, prior: Prior, design: &Design) -> Result<(), Error> {
        let wrong = |message: String| {
            Error::from(FormulaError {
                formula: format!("{target} ~ {prior}"),
                at: 0..target.len(),
                message,
            })
        };
        let (class, element) = match target.split_once('[') {
            Some((class, rest)) => (class, rest.strip_suffix(']')),
            None => (target, None),
        };
        let names = match class {
            "b" => design.coefficients.clone(),
            "sd" => design.scales(),
            _ => Vec::new(),
        };
        let Some(priors) = self.of_class(class) else {
            return Err(wrong(format!(
                "there is no parameter `{class}`; `bayes priors` lists all"
            )));
        };
        if priors.is_empty() {
            return Err(wrong(format!(
                "this regression has no `{class}`; `bayes priors` lists its parameters"
            )));
        }
        check_support(class, prior).map_err(wrong)?;
        let Some(element) = element else {
            if target.contains('[') {
                return Err(wrong(format!("the bracket of `{target}` does not close")));
            }
            priors.fill(prior);
            return Ok(());
        };
        let element = place(element);
        let mut groups = design.groups.iter();
        let of_group = groups.find(|group| class == "sd" && group.name == element);
        let is_meant = |name: &String| match of_group {
            Some(group) => group.scales().contains(name),
            None => *name == element,
        };
        let places: Vec<usize> = (0..names.len()).filter(|k| is_meant(&names[*k])).collect();
        if places.is_empty() {
            return Err(wrong(format!(
                "`{class}` has no `{element}`; it has {}",
                names.join(", ")
            )));
        }
        places.into_iter().for_each(|k| priors[k] = prior);
        Ok(())
    }
}

/// Whether the values of a prior are those that a class of parameters may have.
fn check_support(class: &str, prior: Prior) -> Result<(), String> {
    if matches!(class, "sd" | "sigma" | "nu" | "shape" | "phi") && !prior.is_positive() {
        return Err(format!(
            "`{class}` is above 0, and {prior} is not; take a prior such as half_normal(1), exponential(1) or gamma(2, 0.1)"
        ));
    }
    if matches!(class, "zi" | "hu") && !prior.is_share() {
        return Err(format!(
            "`{class}` lies between 0 and 1; take a prior such as beta(1, 1)"
        ));
    }
    Ok(())
}

/// The responses on the scale of the linear predictor, as well as it can be said.
fn responses(design: &Design) -> impl Iterator<Item = f64> {
    let counts = design.counts.iter().map(|count| count.0);
    let all = design.y.iter().copied().chain(counts);
    let all = all.zip(&design.offset);
    let is_log = design.family.link() == Link::Log || design.family == Family::LogNormal;
    all.map(move |(y, offset)| match (is_log, y == 0.0) {
        // as brms
        (true, true) => 0.1_f64.ln() - offset,
        (true, false) => y.ln() - offset,
        (false, _) => y - offset,
    })
}

impl Scale {
    /// Median and median absolute deviation, those of a normal variable; of a probability the log odds have none.
    fn of(design: &Design) -> Self {
        if design.family.link() == Link::Logit {
            return Self {
                centre: 0.0,
                spread: LEAST_SPREAD,
            };
        }
        let mut values: Vec<f64> = responses(design).collect();
        let centre = median(&mut values);
        let mut distances: Vec<f64> = values.iter().map(|y| (y - centre).abs()).collect();
        let spread = 1.4826 * median(&mut distances);
        Self {
            centre: if centre.is_finite() {
                tenth(centre)
            } else {
                0.0
            },
            // false for a NaN
            spread: if spread > LEAST_SPREAD {
                tenth(spread)
            } else {
                LEAST_SPREAD
            },
        }
    }
}

/// The standard deviation, or without an intercept the root of the mean square.
fn spread(values: &[f64], design: &Design) -> f64 {
    match design.has_intercept {
        true => deviation(values),
        false => mean(&values.iter().map(|x| x * x).collect::<Vec<_>>()).sqrt(),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        _ if n.is_multiple_of(2) => mean(&values[n / 2 - 1..=n / 2]),
        _ => values[n / 2],
    }
}

/// To one digit behind the point, as brms prints it.
fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// To three digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The priors of a regression, a line for each parameter.
#[derive(Clone, Debug)]
pub struct PriorTable {
    pub(crate) priors: Vec<(String, Prior)>,
    /// The exponent of the prior of correlations, if there are some.
    pub(crate) correlation: Option<f64>,
    /// The number of cutpoints.
    pub(crate) cutpoints: usize,
}

impl fmt::Display for PriorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.priors.iter().map(|(name, _)| name.chars().count());
        let width = names.max().unwrap_or(0);
        for (name, prior) in &self.priors {
            writeln!(f, "{name:width$} ~ {prior}")?;
        }
        if self.cutpoints > 0 {
            writeln!(
                f,
                "{:width$} ~ student_t(3, 0, 2.5), {} in order",
                "cutpoints", self.cutpoints
            )?;
        }
        if let Some(eta) = self.correlation {
            writeln!(f, "{:width$} ~ lkj({eta})", "cor")?;
        }
        Ok(())
    }
}
