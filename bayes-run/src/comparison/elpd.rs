//! The expected log predictive density of a model, with its errors.

use super::loo::fingerprint;
use super::terms::Terms;
use crate::diagnose::Estimate;
use crate::model::fingerprint::of_known;
use crate::model::{Compiled, Model, Statement};
use crate::number;
use crate::predict::Prediction;
use crate::run::Run;
use crate::text::{Style, quantity};
use serde::{Deserialize, Serialize};
use std::fmt;

/// From this k-hat on weights have no variance.
const FINITE: f64 = 0.5;
/// Number of observations that a warning names.
const NAMED: usize = 5;

/// The method that estimated an expected log predictive density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Leave-one-out cross-validation by PSIS.
    Loo,
    /// The widely applicable information criterion.
    Waic,
    /// k-fold cross-validation, exact except that the training sets are smaller.
    KFold,
    /// Data that were held out of the run.
    HeldOut,
}

impl Method {
    /// The method's name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Loo => "PSIS-LOO",
            Self::Waic => "WAIC",
            Self::KFold => "k-fold",
            Self::HeldOut => "held-out data",
        }
    }
}

/// The expected log predictive density of a model for new data of the same kind and number, on the log scale; higher is
/// better. Printing it shows the estimate and, in plain words, whether it can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elpd {
    /// The method that estimated it.
    pub method: Method,
    /// Log predictive density of each observation, `[observations]`.
    #[serde(with = "number::many")]
    pub pointwise: Vec<f64>,
    /// Names of the observations, `y[3]`.
    pub names: Vec<String>,
    /// The effective number of parameters: how much higher the log density of the observations is once the model has seen them. NaN for
    /// k-fold cross-validation and held-out data.
    pub effective_parameters: f64,
    /// k-hat of each observation, `[observations]`; zero for a refitted observation, empty for other methods than LOO.
    #[serde(with = "number::many")]
    pub pareto_k: Vec<f64>,
    /// The largest k-hat that is good for the number of draws; NaN for other methods.
    pub good_k: f64,
    /// Monte Carlo standard error of the sum, from the finite number of draws; NaN if unknown. It grows with k-hat, by which the terms of
    /// leave-one-out cross-validation are too high.
    pub mcse: f64,
    /// The log evidence of the run, if it has one; `None` for k-fold cross-validation and held-out data.
    pub log_evidence: Option<Estimate>,
    /// A hash of the observed data: only models of the same data can be compared.
    pub(super) data: u64,
    /// What its terms are: only terms of the same kind can be compared.
    #[serde(default)]
    pub(super) terms: Terms,
    /// Number of observations whose WAIC term varies too much.
    pub(super) unstable: usize,
    /// A hash of the model's text and of all its data; `None` if another model could have the same hash.
    #[serde(default)]
    pub(super) model: Option<u64>,
    /// Observed data that the model also reads elsewhere ([`Model::rereads`](crate::model::Model::rereads)).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rereads: Vec<String>,
    /// The words of the model for them ([`Model::rereads_in_words`](crate::model::Model::rereads_in_words)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rereads_in_words: Option<String>,
    /// What is wrong with the approximation that made the draws, if its run warns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) approximation: Option<String>,
    /// Observed data with gaps that the model imputes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) imputed: Vec<String>,
    /// How the terms of LOO were computed.
    #[serde(default)]
    pub(super) left_out: LeftOutData,
    /// Whether the model was written as a formula, whose rows need no mark.
    #[serde(default)]
    pub(super) of_formula: bool,
}

/// How the terms of observations that are left out were computed; empty for other methods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct LeftOutData {
    /// Monte Carlo variances, `[observations]`.
    #[serde(with = "number::many")]
    pub(super) variances: Vec<f64>,
    /// The shares of importance ratios that the draws lack, `[observations]`; empty in files of earlier versions.
    #[serde(default, with = "number::many", skip_serializing_if = "Vec::is_empty")]
    pub(super) missing: Vec<f64>,
    /// Observations that hold back a bound of their own support and are not refitted.
    pub(super) blind: Vec<usize>,
    /// Refitted observations.
    pub(super) refitted: Vec<usize>,
    /// The number of used draws and of all draws, if some are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thinned: Option<[usize; 2]>,
    /// What runs without rows warn of, if some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) warned: Option<WarnedRuns>,
}

/// Runs without some of the rows, of which some have warnings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WarnedRuns {
    /// The number of runs with warnings.
    some: usize,
    /// The number of all runs.
    all: usize,
    /// A warning of the first one.
    such_as: String,
}

impl WarnedRuns {
    fn in_words(&self) -> String {
        let Self { some, all, such_as } = self;
        let have = if *some == 1 { "has" } else { "have" };
        format!("{some} of {all} runs without rows {have} warnings, such as: {such_as}")
    }
}

impl LeftOutData {
    /// Records that an observation was refitted, and the Monte Carlo variance of its term.
    pub(super) fn replace(&mut self, observation: usize, variance: f64) {
        if let Some(known) = self.variances.get_mut(observation) {
            *known = variance;
        }
        if let Some(known) = self.missing.get_mut(observation) {
            *known = 0.0;
        }
        self.blind.retain(|blind| *blind != observation);
        if !self.refitted.contains(&observation) {
            self.refitted.push(observation);
        }
    }
}

impl Elpd {
    /// Adds the fields that belong to a run of `model` on its own data.
    pub(super) fn of_run(
        self,
        run: &Run,
        prediction: &Prediction<'_>,
        model: &dyn Compiled,
    ) -> Self {
        Self {
            log_evidence: run.log_evidence_estimate(),
            data: fingerprint(prediction.observed()),
            terms: Terms::of(prediction.observed()),
            model: of_known(model),
            rereads: rereads(model),
            rereads_in_words: model.rereads_in_words(),
            approximation: run.problem_of_approximation(),
            imputed: imputed(model),
            of_formula: model.recipe().is_some(),
            ..self
        }
    }

    /// Adds the Monte Carlo error. There is none if some terms are invalid, because an error would mislead, or if the variances of terms
    /// are unknown, as for WAIC and files of earlier versions.
    pub(super) fn with_mcse(self) -> Self {
        // what the tails lack makes all terms too high; they were too high by up to twice as much (regressions of 17 to 100 rows)
        const TIMES: f64 = 2.0;
        let LeftOutData {
            variances, missing, ..
        } = &self.left_out;
        let is_known = self.bad().is_empty() && variances.len() == self.pointwise.len();
        let mcse = match is_known {
            true => {
                let too_high = TIMES * missing.iter().sum::<f64>();
                (variances.iter().sum::<f64>() + too_high.powi(2)).sqrt()
            }
            false => f64::NAN,
        };
        Self { mcse, ..self }
    }

    /// Notes that `used` of the draws of a run were used.
    pub(super) fn thinned(mut self, used: usize, run: &Run) -> Self {
        let all = run.total_draws();
        self.left_out.thinned = (used < all).then_some([used, all]);
        self
    }

    /// Sets an infinite k-hat for observations that weights cannot judge.
    pub(super) fn blind_to(mut self, observations: Vec<usize>) -> Self {
        for observation in &observations {
            self.pareto_k[*observation] = f64::INFINITY;
        }
        self.left_out.blind = observations;
        self.with_mcse()
    }

    /// Adds what the runs without rows warn of to [`warnings`](Self::warnings): for each run its warnings, in words.
    #[must_use]
    pub fn warned_by(mut self, runs: &[Vec<String>]) -> Self {
        let some = runs.iter().filter(|warnings| !warnings.is_empty()).count();
        let first = runs.iter().flatten().next().cloned();
        self.left_out.warned = first.map(|such_as| WarnedRuns {
            some,
            all: runs.len(),
            such_as,
        });
        self
    }

    /// The estimate: the sum over observations.
    #[must_use]
    pub fn elpd(&self) -> f64 {
        self.pointwise.iter().sum()
    }

    /// Standard error over data, `√(n var)`: how much the estimate would vary with other data of the same kind. The variance
    /// divides by n, as in ArviZ.
    #[must_use]
    pub fn se(&self) -> f64 {
        error_of_sum(&self.pointwise)
    }

    /// The observations whose k-hat is too high, in order.
    #[must_use]
    pub fn bad(&self) -> Vec<usize> {
        let all = self.pareto_k.iter().enumerate();
        // NaN is bad too
        let is_bad = |k: f64| k.is_nan() || k > self.good_k;
        all.filter(|(_, k)| is_bad(**k)).map(|(i, _)| i).collect()
    }

    /// The observations that [`refit`](Self::refit) leaves out, in order: k-hat is above 0.5, or too high.
    pub(super) fn to_refit(&self) -> Vec<usize> {
        let limit = self.good_k.min(FINITE);
        let all = self.pareto_k.iter().enumerate();
        // k-hat of a refitted observation is zero, unless the draws of its refit were too few
        let is_doubtful = |k: f64| k.is_nan() || k > limit;
        all.filter(|(_, k)| is_doubtful(**k))
            .map(|(i, _)| i)
            .collect()
    }

    /// Why the estimate may be wrong and what to do, in plain words; empty if there is no reason for doubt.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let LeftOutData {
            blind, refitted, ..
        } = &self.left_out;
        let (poor, bad): (Vec<usize>, Vec<usize>) =
            self.bad().into_iter().partition(|i| refitted.contains(i));
        let bad: Vec<usize> = bad.into_iter().filter(|i| !blind.contains(i)).collect();
        if !blind.is_empty() {
            warnings.push(format!(
                "the support of {} depends on parameters, and the bound lies close to {}: without this observation parameters have values that \
                 no draw has, so that no weights can tell its term, which is too high. {}",
                self.variables_of(blind),
                self.named(blind, |_| String::new()),
                self.exact(false)
            ));
        }
        if !poor.is_empty() {
            warnings.push(format!(
                "few draws of the runs with and without an observation are where both have their draws, so that its term is not known: {} (k-hat). \
                 {}",
                self.named(&poor, |i| format!(" ({:.2})", self.pareto_k[i])),
                match self.of_formula {
                    true => "Use `k_fold(..)`",
                    false => "Make many more draws in `refit`",
                }
            ));
        }
        if self.pointwise.len() == 1 {
            // k-hat adds nothing here, and there is nothing to leave out in parts
            warnings.push(
                "all data are one observation, as a series or what stands behind one `sum_out`: without it there is only the prior. Compare such models by the \
                 evidence of `Inference::psmc()`, or by predictions of later data"
                    .to_owned(),
            );
        } else if !bad.is_empty() {
            warnings.push(format!(
                "k-hat is above {:.2} for {} of {} observations: {}. Without them the posterior is so different that its \
                 draws say little about it, and their terms are probably too high. {}; where each observation has a latent value of its own, as in a time series, compare \
                 models by the evidence of `Inference::psmc()` instead. If they are many, look whether the model fits them at all",
                self.good_k,
                bad.len(),
                self.pointwise.len(),
                self.named(&bad, |i| format!(" ({:.2})", self.pareto_k[i])),
                self.exact(true)
            ));
        }
        if self.unstable > 0 {
            warnings.push(format!(
                "the log likelihood of {} of {} observations has a posterior variance above 0.4, so WAIC is unreliable; use `loo`",
                self.unstable,
                self.pointwise.len(),
            ));
        }
        warnings.extend(self.approximation.iter().map(|problem| {
            format!("the draws are of an approximation, and its run warns: {problem}. The terms are as wrong as the draws")
        }));
        warnings.extend(self.left_out.warned.as_ref().map(WarnedRuns::in_words));
        warnings.extend(self.rereads.iter().map(|name| self.reread(name)));
        warnings.extend(self.imputed.iter().map(|name| self.impute(name)));
        warnings
    }

    /// Advice to run the model without the observations of a warning, which it calls "these observations" if they are some of many.
    fn exact(&self, of_some: bool) -> &'static str {
        match (self.of_formula, of_some) {
            (true, true) => "Use `elpd.refit(..)` for these observations, or `k_fold(..)`",
            (true, false) => "Use `elpd.refit(..)`, or `k_fold(..)`",
            (false, true) => {
                "Use `refit` for these observations, or `k_fold` (both need arguments marked `#[rows]`)"
            }
            (false, false) => "Use `refit`, or `k_fold` (both need arguments marked `#[rows]`)",
        }
    }

    /// The names of some observations, the first ones if there are many, each with the text of `beside`.
    fn named(&self, observations: &[usize], beside: impl Fn(usize) -> String) -> String {
        let some = observations.iter().take(NAMED);
        let some: Vec<String> = some
            .map(|i| format!("{}{}", self.names[*i], beside(*i)))
            .collect();
        match observations.len().saturating_sub(NAMED) {
            0 => some.join(", "),
            more => format!("{} and {more} more", some.join(", ")),
        }
    }

    /// The variables of some observations.
    fn variables_of(&self, observations: &[usize]) -> String {
        let mut names: Vec<String> = observations
            .iter()
            .map(|i| format!("`{}`", quantity(&self.names[*i])))
            .collect();
        names.dedup();
        names.join(" and ")
    }

    /// Says what the estimate means if the model imputes data.
    fn impute(&self, name: &str) -> String {
        let stays = match self.method {
            Method::Loo | Method::Waic => {
                "; a value that is left out of its own term stays in the terms that use it, such as that of the response of its row"
            }
            Method::KFold | Method::HeldOut => "",
        };
        format!(
            "`{name}` has gaps that `impute` fills: its known values are observations of their own, beside those of the response{stays}. Compare with models that \
             impute the same data alone: others have fewer observations"
        )
    }

    /// Says what the estimate means if the model also reads the data outside of `observe`.
    fn reread(&self, name: &str) -> String {
        let what = match self.method {
            Method::Loo | Method::Waic => {
                "a value that is left out of its own term stays in the terms that read it: this is not the estimate for data of which one is \
                 missing, and the same model in another form has another"
            }
            Method::KFold | Method::HeldOut => {
                "the rows around those that are left out follow each other as if none were missing"
            }
        };
        if let Some(words) = &self.rereads_in_words {
            return format!(
                "{words}; {what}; compare such models by the evidence, as the engine psmc has it (`--engine psmc`, `Inference::psmc()`)"
            );
        }
        format!(
            "the model also reads `{name}` outside of `observe`. Where the term of one value reads another, as in an autoregression or a filter, \
             {what}; compare such models by the evidence of `Inference::psmc()`"
        )
    }
}

/// The names of the observed data that a model also reads elsewhere, without those that it imputes.
pub(super) fn rereads(model: &dyn Model) -> Vec<String> {
    let names = model.rereads().iter();
    let others = names.filter(|name| !Statement::impute(model.statements(), name));
    others.map(|name| (*name).to_owned()).collect()
}

/// The names of the data with gaps that a model imputes and reads in later statements.
pub(super) fn imputed(model: &dyn Model) -> Vec<String> {
    let names = model.rereads().iter();
    let imputed = names.filter(|name| Statement::impute(model.statements(), name));
    imputed.map(|name| (*name).to_owned()).collect()
}

/// Standard error of a sum of independent terms, with the variance that divides by n.
pub(super) fn error_of_sum(terms: &[f64]) -> f64 {
    let n = terms.len() as f64;
    let mean = terms.iter().sum::<f64>() / n;
    let squares: f64 = terms.iter().map(|x| (x - mean).powi(2)).sum();
    squares.sqrt()
}

impl fmt::Display for Elpd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elpd, se) = (self.elpd(), self.se());
        // differences of models are smaller than their errors over data
        let style = Style::for_error(se.min(1.0), elpd.abs());
        write!(
            f,
            "{}: elpd {} ± {} over {} observations",
            self.method.name(),
            style.write(elpd),
            style.write(se),
            self.pointwise.len()
        )?;
        if self.effective_parameters.is_finite() {
            write!(f, ", {:.1} effective parameters", self.effective_parameters)?;
        }
        writeln!(f)?;
        if self.mcse.is_finite() {
            writeln!(
                f,
                "Monte Carlo error {}",
                Style::for_error(self.mcse, self.mcse).write(self.mcse)
            )?;
        }
        if let Some([used, all]) = self.left_out.thinned {
            writeln!(f, "from {used} of {all} draws")?;
        }
        for warning in self.warnings() {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}
