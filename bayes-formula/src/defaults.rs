//! The priors of a regression: the defaults and the user's choices.

use crate::baseline::FUNCTIONS;
use crate::class::{CLASSES, Class};
use crate::cutpoints::{LEAST_ORDER, log_order};
use crate::design::{Design, INTERCEPT, place};
use crate::family::Family;
use crate::inside::mass;
use crate::likelihood::least;
use crate::line::Line;
use crate::prior::Prior;
use crate::scale::Scales;
use crate::shrinkage::Shrunk;
use crate::suggest::suggestion;
use bayes::{Error, FormulaError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The smallest probability of a prior above the bound of its parameter.
const LEAST_ABOVE: f64 = 1e-6;

/// The priors of all parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Priors {
    /// The priors of each class in the regression, parameter by parameter.
    of: BTreeMap<Class, Vec<Prior>>,
    /// The exponent of the LKJ prior of correlations of group effects (Lewandowski, Kurowicka and Joe).
    pub(crate) correlation: f64,
    /// The same of the residuals of several responses.
    #[serde(default = "flat", skip_serializing_if = "is_flat")]
    pub(crate) residual: f64,
    /// The log probability that the cutpoints are in order under their priors; 0 if they need no order.
    #[serde(default)]
    pub(crate) log_order: f64,
    /// Coefficients with one prior that shrinks them together; their own priors do not hold.
    #[serde(default)]
    pub(crate) shrunk: Option<Shrunk>,
}

impl Priors {
    /// Weakly informative priors, all proper, from the table of classes. With s the spread of the response on the scale of the linear
    /// predictor:
    ///
    /// - the intercept at the means of all columns: `student_t(3, median, s)`, `s = max(2.5, mad)`, as in brms;
    /// - a coefficient: `normal(0, 2.5 t / sd(x))`, with t the standard deviation of a response with the identity link and 1 for other links,
    ///   as in rstanarm; without an intercept, root mean squares replace standard deviations;
    /// - standard deviations: `half_student_t(3, s)`; correlations: `lkj(1)`, which is flat.
    pub(crate) fn default_of(design: &Design) -> Self {
        let scales = Scales::of(design);
        let mut of = BTreeMap::new();
        for row in &CLASSES {
            let count = row.class.parameters(design).len();
            if count > 0 {
                let priors = (0..count).map(|k| (row.default)(&scales, k));
                of.insert(row.class, priors.collect());
            }
        }
        Self {
            of,
            correlation: 1.0,
            residual: 1.0,
            log_order: 0.0,
            shrunk: None,
        }
    }

    /// The priors of a class, parameter by parameter; none if the regression has no such parameters.
    pub(crate) fn of(&self, class: Class) -> &[Prior] {
        self.of.get(&class).map_or(&[], Vec::as_slice)
    }

    /// The same with priors that are wider by a factor.
    pub(crate) fn widened(mut self, factor: f64) -> Self {
        for prior in self.of.values_mut().flatten() {
            *prior = prior.widened(factor);
        }
        self
    }

    /// The names of all parameters with their priors.
    pub(crate) fn listed(&self, design: &Design) -> Vec<(String, String)> {
        let mut listed = Vec::new();
        for row in &CLASSES {
            let names = row.class.parameters(design).into_iter();
            for (k, (name, prior)) in names.zip(self.of(row.class)).enumerate() {
                let name = name.map_or_else(
                    || row.name.to_owned(),
                    |name| format!("{}[{name}]", row.name),
                );
                let shrunk = self
                    .shrunk
                    .as_ref()
                    .filter(|shrunk| row.class == Class::Coefficient && shrunk.of.contains(&k));
                let mut text = shrunk.map_or_else(|| prior.to_string(), |it| it.prior.to_string());
                let family = family_of(row.class, k, design);
                if let Some(bound) = least(family, row.class) {
                    text += &format!(", above {bound}");
                }
                let ends = ends_of(row.class, design);
                if let Some([low, high]) = ends.filter(|ends| mass(*prior, *ends) < 1.0) {
                    text += &format!(", between {low} and {high}");
                }
                listed.push((name, text));
            }
        }
        listed
    }

    /// Sets the prior of a parameter, or of all parameters of a class in the linear predictor of the response: `b`, `b[sigma]`,
    /// `b[sigma:days]`, `b[days]`, `sd`, `sd[site]`, `sd[site:Intercept]`, `intercept`, `sigma`.
    pub(crate) fn set(&mut self, target: &str, prior: Prior, design: &Design) -> Result<(), Error> {
        let wrong = |message: String| {
            Error::from(FormulaError {
                formula: format!("{target} ~ {prior}"),
                at: 0..target.len(),
                message,
            })
        };
        let has_cutpoints = design.first().family.has_cutpoints();
        let (class, element) = match target.split_once('[') {
            Some((class, rest)) => (class, rest.strip_suffix(']')),
            None => (target, None),
        };
        // as in brms, where cutpoints have the class of intercepts
        let class = match class {
            INTERCEPT if has_cutpoints => "cutpoints",
            INTERCEPT if design.has_several() => "intercepts",
            INTERCEPT => "intercept",
            other => other,
        };
        let is_named = |name: &str| name == class;
        let Some(row) = CLASSES.iter().find(|row| is_named(row.name)) else {
            let known: Vec<&str> = CLASSES.iter().map(|row| row.name).collect();
            let near = suggestion(class, &[], &known);
            return Err(wrong(format!(
                "there is no parameter `{class}`{near}; `bayes priors` lists all"
            )));
        };
        let Some(priors) = self.of.get_mut(&row.class) else {
            let instead = match class {
                "intercept" if has_cutpoints => " but `cutpoints`",
                "intercept" if design.has_several() => " but `intercepts`",
                _ => "",
            };
            return Err(wrong(format!(
                "this regression has no `{class}`{instead}; `bayes priors` lists its parameters"
            )));
        };
        row.check(prior).map_err(wrong)?;
        let Some(element) = element else {
            if target.contains('[') {
                return Err(wrong(format!("the bracket of `{target}` does not close")));
            }
            let own = own_places(row.class, design);
            if own.is_empty() {
                let message = format!(
                    "the linear predictor of the response has no `{class}`; `bayes priors` lists its parameters"
                );
                return Err(wrong(message));
            }
            own.iter().for_each(|k| priors[*k] = prior);
            if row.class == Class::Coefficient {
                self.release(&own);
            }
            return Ok(());
        };
        let places = places(row.class, &place(element), design).map_err(wrong)?;
        places.iter().for_each(|k| priors[*k] = prior);
        if row.class == Class::Coefficient {
            self.release(&places);
        }
        Ok(())
    }
}

impl Priors {
    /// Checks the priors of parameters that are bounded by the family or by each other, and stores the probability of the order of cutpoints.
    pub(crate) fn finish(&mut self, design: &Design) -> Result<(), Error> {
        let wrong = |name: &str, message: String| {
            Err(Error::from(FormulaError {
                formula: name.to_owned(),
                at: 0..0,
                message,
            }))
        };
        for (class, priors) in &self.of {
            for (k, prior) in priors.iter().enumerate() {
                let family = family_of(*class, k, design);
                let bound = least(family, *class);
                let Some(bound) = bound.filter(|bound| prior.log_sf(*bound) < LEAST_ABOVE.ln())
                else {
                    continue;
                };
                let name = class.name();
                let message = format!(
                    "`{name}` of the family {family} is above {bound}, where {prior} has next to no mass; the default is gamma(2, 0.1)"
                );
                return wrong(name, message);
            }
        }
        for (class, priors) in &self.of {
            let Some(ends) = ends_of(*class, design) else {
                continue;
            };
            let is_outside = |prior: &&Prior| mass(**prior, ends) < LEAST_ABOVE;
            if let Some(prior) = priors.iter().find(is_outside) {
                let [low, high] = ends;
                let message = format!(
                    "`{}` is between {low} and {high}, where {prior} has next to no mass; the default is uniform({low}, {high})",
                    class.name()
                );
                return wrong(class.name(), message);
            }
        }
        let wrong = |message: String| wrong("cutpoints", message);
        let priors = self.of(Class::Cutpoint);
        if design.first().family != Family::Cumulative || priors.is_empty() {
            return Ok(());
        }
        if let Some(prior) = priors.iter().find(|prior| !prior.is_on_line()) {
            return wrong(format!(
                "cutpoints of the family cumulative need priors on the whole line, and {prior} is none; take normal, student_t, cauchy, laplace or logistic"
            ));
        }
        let log_order = log_order(priors);
        let differ = priors.iter().any(|prior| *prior != priors[0]);
        if differ && log_order < LEAST_ORDER.ln() {
            return wrong(format!(
                "under their priors the cutpoints are in increasing order with the probability {:.1e}; give later cutpoints larger locations",
                log_order.exp()
            ));
        }
        self.log_order = log_order;
        Ok(())
    }
}

/// The ends of the parameters of a class that the regression bounds.
pub(crate) fn ends_of(class: Class, design: &Design) -> Option<[f64; 2]> {
    let ends = design.ends_of_lags();
    ends.filter(|_| class == Class::Autoregression)
}

/// The family of the response that a parameter belongs to.
pub(crate) fn family_of(class: Class, parameter: usize, design: &Design) -> Family {
    let owner = design.owners(class).nth(parameter);
    owner.unwrap_or_else(|| design.first()).family
}

/// The exponent of correlations whose prior is flat, in the recipes of regressions without residual correlations too.
fn flat() -> f64 {
    1.0
}

fn is_flat(exponent: &f64) -> bool {
    *exponent == flat()
}

/// The parameters of a class in the linear predictors of responses; all of them if the class has none there.
fn own_places(class: Class, design: &Design) -> Vec<usize> {
    let lines = class.lines(design).into_iter().enumerate();
    let all: Vec<&Line> = design.lines().collect();
    // a single response has no intercept with a name
    let has_all = class == Class::Intercepts && !design.has_several();
    let is_own = |line: usize| all[line].of.is_response() || has_all;
    lines
        .filter(|(_, line)| is_own(*line))
        .map(|(k, _)| k)
        .collect()
}

/// The parameters of a class that an element refers to: one, all of a group, or all of the linear predictor of a parameter.
fn places(class: Class, element: &str, design: &Design) -> Result<Vec<usize>, String> {
    let names: Vec<String> = class.parameters(design).into_iter().flatten().collect();
    let mut groups = design.groups();
    let of_group = groups.find(|group| class == Class::Deviation && group.name == element);
    let is_named = |name: &String| match of_group {
        Some(group) => group.scales().contains(name),
        None => *name == element,
    };
    let of_line = design.line_named(element);
    let lines = class.lines(design);
    // one parameter with the name of its class has no other
    let is_meant = |k: &usize| names.get(*k).is_some_and(is_named) || of_line == Some(lines[*k]);
    let places: Vec<usize> = (0..lines.len()).filter(is_meant).collect();
    match places.is_empty() {
        true if names.is_empty() => Err(format!(
            "`{0}` has no `{element}`; it is one parameter, `{0}`",
            class.name()
        )),
        true => {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            Err(format!(
                "`{}` has no `{element}`; it has {}{}",
                class.name(),
                names.join(", "),
                suggestion(element, &[], &known)
            ))
        }
        false => Ok(places),
    }
}

/// The most columns whose means are listed.
const LISTED: usize = 8;

/// Columns with their means, in words; `None` without columns.
fn at_means(means: &[(String, f64)]) -> Option<String> {
    let listed = means.iter().take(LISTED);
    // five digits, of a year too
    let short = |mean: f64| format!("{mean:.4e}").parse().unwrap_or(mean);
    let listed = listed.map(|(name, mean)| format!("{name} = {}", short(*mean)));
    let mut listed: Vec<String> = listed.collect();
    if means.len() > LISTED {
        listed.push(format!("and {} more", means.len() - LISTED));
    }
    (!listed.is_empty()).then(|| listed.join(", "))
}

/// The columns of the linear predictors with an intercept, each once, with the means that are subtracted.
pub(crate) fn centred(design: &Design) -> Vec<(String, f64)> {
    let mut means: Vec<(String, f64)> = Vec::new();
    for line in design.lines().filter(|line| line.has_intercept) {
        // monotonic effects, at the end, are not centred
        for (name, mean) in line.coefficients.iter().zip(&line.means) {
            if means.iter().all(|(known, _)| known != name) {
                means.push((name.clone(), *mean));
            }
        }
    }
    means
}

/// The priors of a regression, a line for each parameter.
#[derive(Clone, Debug)]
pub struct PriorTable {
    pub(crate) priors: Vec<(String, String)>,
    /// The exponent of the prior of correlations, if there are correlations.
    pub(crate) correlation: Option<f64>,
    /// The same of residuals, if they are correlated.
    pub(crate) residual: Option<f64>,
    /// The columns of monotonic effects, with their numbers of steps.
    pub(crate) steps: Vec<(String, usize)>,
    /// Whether there are cutpoints in order.
    pub(crate) are_ordered: bool,
    /// The columns with their means, where the intercepts have their priors.
    pub(crate) means: Vec<(String, f64)>,
    /// Whether there is a baseline hazard.
    pub(crate) has_baseline: bool,
}

impl fmt::Display for PriorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.priors.iter().map(|(name, _)| name.chars().count());
        let width = names.max().unwrap_or(0);
        for (name, prior) in &self.priors {
            writeln!(f, "{name:width$} ~ {prior}")?;
        }
        if let Some(means) = at_means(&self.means) {
            writeln!(
                f,
                "(the priors of intercepts hold where all columns are at their means: {means})"
            )?;
        }
        if self.are_ordered {
            writeln!(f, "(the cutpoints are in increasing order)")?;
        }
        if self.has_baseline {
            writeln!(f, "{:width$} ~ dirichlet(1), {FUNCTIONS} shares", "sbhaz")?;
        }
        for (name, count) in &self.steps {
            let name = format!("simo[{name}]");
            writeln!(f, "{name:width$} ~ dirichlet(1), {count} steps")?;
        }
        if let Some(eta) = self.correlation {
            writeln!(f, "{:width$} ~ lkj({eta})", "cor")?;
        }
        if let Some(eta) = self.residual {
            writeln!(f, "{:width$} ~ lkj({eta})", "rescor")?;
        }
        Ok(())
    }
}
