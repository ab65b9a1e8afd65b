//! The choice of a setting by held-out data.

use super::compare::{Comparison, compare};
use super::elpd::{Elpd, LeftOutData, Method};
use super::loo::fingerprint;
use super::terms::Terms;
use crate::error::Error;
use crate::model::Model;
use crate::run::Run;
use std::fmt::Display;

/// The setting with the best predictions of held-out data, made by [`choose`].
#[derive(Clone, Debug)]
pub struct Chosen<T> {
    /// The setting.
    pub setting: T,
    /// The run with this setting.
    pub run: Run,
    /// All settings, the best first, with differences and their errors. The elpd is the sum of log predictive densities of the
    /// held-out observations: their negative log likelihood (NLL) with the sign changed.
    pub comparison: Comparison,
}

/// Chooses the setting among `settings` under which the data of `held_out` have the highest log predictive density, which is the
/// lowest validation NLL. `infer` makes the run of a setting, from other data.
///
/// Use it for any number that a run depends on and that is hard to know, such as the scale of an anchored prior:
///
/// ```text
/// let choice = choose([0.01, 0.1, 1.0], &held_out, |s| Inference::psmc().anchor(&fit, *s).run(&training))?;
/// println!("s = {}\n{}", choice.setting, choice.comparison);
/// let run = Inference::psmc().anchor(&fit, choice.setting).run(&all)?;
/// ```
///
/// The elpd of the best of many settings is too high, because it is the highest: score the final run on data that it has not seen.
///
/// # Errors
/// [`Error::Comparison`] for fewer than two settings, or two with the same text; the first error of `infer`; the errors of
/// [`Run::predict`].
pub fn choose<T: Display, Mo: Model>(
    settings: impl IntoIterator<Item = T>,
    held_out: &Mo,
    infer: impl Fn(&T) -> Result<Run, Error>,
) -> Result<Chosen<T>, Error> {
    let mut tried = Vec::new();
    for setting in settings {
        let run = infer(&setting)?;
        let elpd = on_held_out(&run, held_out)?;
        tried.push((setting.to_string(), setting, run, elpd));
    }
    let comparison = compare(tried.iter().map(|(name, _, _, elpd)| (name.as_str(), elpd)))?;
    let best = &comparison.rows[0].name;
    let place = tried.iter().position(|(name, ..)| name == best);
    let (_, setting, run, _) = tried.swap_remove(place.unwrap_or(0));
    Ok(Chosen {
        setting,
        run,
        comparison,
    })
}

/// The log predictive densities of data that a run has not seen.
fn on_held_out<Mo: Model>(run: &Run, held_out: &Mo) -> Result<Elpd, Error> {
    let prediction = run.predict(held_out)?;
    Ok(Elpd {
        method: Method::HeldOut,
        pointwise: prediction.log_predictive_densities()?,
        names: prediction.observation_names(),
        effective_parameters: f64::NAN,
        pareto_k: Vec::new(),
        good_k: f64::NAN,
        mcse: f64::NAN,
        // the evidence of the training data says nothing about these data
        log_evidence: None,
        data: fingerprint(prediction.observed()),
        terms: Terms::of(prediction.observed()),
        unstable: 0,
        model: None,
        // nothing is missing from held-out data
        rereads: Vec::new(),
        rereads_in_words: None,
        approximation: None,
        imputed: Vec::new(),
        left_out: LeftOutData::default(),
        of_formula: false,
    })
}
