//! Leave-one-out cross-validation without refitting. Where it fails, `refit` repeats the fit.

use super::elpd::{Elpd, LeftOutData, Method};
use super::support::blind;
use super::terms::Terms;
use crate::diagnose::{Estimator, Psis, Smoothed, range, widening};
use crate::error::Error;
use crate::model::Model;
use crate::model::fingerprint::Fingerprint;
use crate::parallel;
use crate::predict::{AtDraws, Observed, Prediction, UsedDraws, log_predictive_density};
use crate::run::Run;

impl Run {
    /// Leave-one-out cross-validation by Pareto smoothed importance sampling (Vehtari, Gelman and Gabry 2017; Vehtari et al.
    /// 2024). `model` is the model of the run with its data.
    ///
    /// Each draw is reweighted by `1 / p(yᵢ | θ)`, times its own weight in the run. A `factor` is not an observation: it stays in the
    /// posterior and has no term. Log likelihoods are computed for some observations at a time, at most 1 GiB of them, and no more than
    /// [`Run::memory_limit`] leaves.
    ///
    /// An SMC sampler keeps many more draws than its effective sample size: its draws are thinned, to at least twice the effective sample
    /// size. The draws of every run are thinned to at most 2²⁴ pairs (16.8 million) of a draw and an observation, but not below 1000 draws:
    /// the Monte Carlo error of the sum is then far below its standard error, and all draws would take longer than the run. The printed
    /// result says how many draws were used if some are left out.
    ///
    /// If the support of an observation depends on parameters (`Uniform` with a random end, `.truncated(..)` with random bounds), the
    /// observation that holds a bound back has an infinite k-hat: without it the bound could be at values that no draw has.
    ///
    /// ```text
    /// let loo = run.loo(&model)?;
    /// println!("{loo}");                       // estimate, error, and which observations it cannot be trusted for
    /// let loo = loo.refit(&model, |others| Inference::nuts().run(others))?;
    /// ```
    ///
    /// # Errors
    /// The errors of [`Run::predict`]; of [`Prediction::check_data`](crate::predict::Prediction::check_data), because the run must have
    /// used these data; and of [`Prediction::log_likelihood`](crate::predict::Prediction::log_likelihood). [`Error::Memory`] if the limit of the
    /// run leaves no memory for one observation.
    pub fn loo<Mo: Model>(&self, model: &Mo) -> Result<Elpd, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        let sample = Sample::of(self, &prediction);
        let all = 0..prediction.observations();
        let of = |at: AtDraws<'_>| sample.leave_out(at.log_likelihood);
        let found = prediction.map_observations(&sample.draws, all, false, of)?;
        let elpd = sample.elpd(prediction.observation_names(), &found);
        let blind = blind(&prediction);
        let elpd = elpd.thinned(sample.log_weights.len(), self);
        Ok(elpd.blind_to(blind).of_run(self, &prediction, model))
    }

    /// The effective number of draws divided by their actual number, the mean over all elements of all quantities (as in ArviZ, which uses
    /// 1 for a single chain). 1 if unknown.
    #[must_use]
    pub fn relative_efficiency(&self) -> f64 {
        let estimator = Estimator::of(self);
        let elements = 0..self.layout.elements();
        let sizes = parallel::map(elements, |element| {
            estimator.effective_size(&self.column(element))
        });
        // a constant quantity has no effective size
        let known: Vec<f64> = sizes.into_iter().filter(|size| size.is_finite()).collect();
        if known.is_empty() {
            return 1.0;
        }
        known.iter().sum::<f64>() / known.len() as f64 / self.total_draws() as f64
    }
}

/// A hash of the observed data.
pub(crate) fn fingerprint(observed: &[Observed]) -> u64 {
    let data = observed.iter().flat_map(|variable| &variable.data);
    Fingerprint::of(data.map(|x| x.to_bits()))
}

/// Log likelihoods of an observation that differ by less, between draws, are the same.
pub(super) const EQUAL: f64 = 1e-12;

/// Whether an observation says nothing about the parameters, such as no success in no trial: without it the posterior is the same.
fn says_nothing(own: &[f64]) -> bool {
    let [least, largest] = range(own);
    largest - least <= EQUAL
}

/// Number of used draws as a multiple of the effective number, and the least number of draws that are left of redundant ones.
const TIMES: f64 = 2.0;
const FEW: usize = 4000;

/// The most pairs of a draw and an observation, unless the fewest draws have more. A constant, whatever the run took: the cost of the result
/// grows with the pairs.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    pairs: usize,
    /// The fewest draws that are left because there are many pairs.
    fewest: usize,
}

/// For the terms of a sum of log densities.
const TERMS: Bound = Bound {
    pairs: 1 << 24,
    fewest: 1000,
};

/// For the probability that a new observation is below the observed one: a share of draws, with an error of at most 1/45 if the draws
/// are independent and have equal weights. Each pair takes a draw of new data too, half of the work or more.
pub(super) const PROBABILITIES: Bound = Bound {
    pairs: 1 << 23,
    fewest: 500,
};

/// The draws for leaving out observations, with the logarithms of their weights and their relative efficiency.
///
/// An SMC sampler keeps many more draws than their effective number, and the cost of each observation is proportional to the draws.
pub(super) struct Sample {
    pub(super) draws: UsedDraws,
    pub(super) log_weights: Vec<f64>,
    pub(super) relative_efficiency: f64,
}

impl Sample {
    pub(super) fn of(run: &Run, prediction: &Prediction<'_>) -> Self {
        Self::within(run, prediction, TERMS)
    }

    /// The draws within a bound of their pairs.
    pub(super) fn within(run: &Run, prediction: &Prediction<'_>, bound: Bound) -> Self {
        let efficiency = run.relative_efficiency();
        // unequal islands lower the efficiency too, but their draws are not redundant
        let islands = run.effective_groups() / run.groups.len().max(1) as f64;
        let is_weighted = run
            .groups
            .iter()
            .any(|group| !group.log_weights().is_empty());
        let step = match is_weighted {
            true => 1,
            false => step(
                efficiency / islands,
                run.total_draws(),
                prediction.observations(),
                bound,
            ),
        };
        let draws = prediction.every(step);
        let efficiency = match step {
            1 => efficiency,
            step => (efficiency * step as f64).min(1.0),
        };
        Self::new(draws, efficiency)
    }

    pub(super) fn new(draws: UsedDraws, relative_efficiency: f64) -> Self {
        Self {
            log_weights: draws.weights.iter().map(|weight| weight.ln()).collect(),
            draws,
            relative_efficiency,
        }
    }

    /// The importance weights of the posterior without an observation, from its log likelihoods `own`, `[draws]`, as multiples of their
    /// sum, which is the second number.
    pub(super) fn weights_without(&self, own: &[f64]) -> (Vec<f64>, f64) {
        let weights = match says_nothing(own) {
            true => self.draws.weights.clone(),
            false => Smoothed::of(self.log_ratios(own), self.relative_efficiency).ratios,
        };
        let total = weights.iter().sum();
        (weights, total)
    }

    /// The logarithms of the importance ratios of the posterior without an observation.
    fn log_ratios(&self, own: &[f64]) -> Vec<f64> {
        let draws = own.iter().zip(&self.log_weights);
        let ratio = |(term, weight): (&f64, &f64)| match *weight {
            w if w > f64::NEG_INFINITY => w - term,
            // a draw without weight, whatever its likelihood
            _ => f64::NEG_INFINITY,
        };
        draws.map(ratio).collect()
    }

    /// The result for an observation that is left out, from its log likelihoods `own`, `[draws]`.
    ///
    /// A draw of weight w has the ratio w/p, and its density p times this ratio is w: only the tail, whose ratios are smoothed, needs another
    /// product. The exponentials of the ratios give all sums.
    pub(super) fn leave_out(&self, own: &[f64]) -> LeftOut {
        let seen = |smoothed: Option<&Smoothed>| match smoothed.and_then(|s| self.seen(s)) {
            Some(seen) => seen,
            None => log_predictive_density(own, &self.log_weights),
        };
        if says_nothing(own) {
            let seen = seen(None);
            return LeftOut {
                elpd: seen,
                pareto_k: 0.0,
                variance: 0.0,
                missing: 0.0,
                seen,
            };
        }
        let smoothed = Smoothed::of(self.log_ratios(own), self.relative_efficiency);
        let draws = self.draws.weights.iter().zip(&smoothed.logs);
        let product = |(weight, log): (&f64, &f64)| match *log == f64::NEG_INFINITY {
            true => 0.0,
            false => *weight,
        };
        let mut products: Vec<f64> = draws.map(product).collect();
        for (draw, before) in &smoothed.tail {
            products[*draw] *= smoothed.ratios[*draw] / before;
        }
        let (sum, total) = (products.iter().sum::<f64>(), smoothed.total());
        // the delta method for the log of a weighted mean
        let shares = products.iter().zip(&smoothed.ratios);
        let variance: f64 = shares
            .map(|(product, ratio)| (product / sum - ratio / total).powi(2))
            .sum();
        // the variance of these draws says little of a tail that is as heavy as k-hat tells
        let widening = widening(smoothed.pareto_k, products.len());
        LeftOut {
            elpd: sum.ln() - smoothed.log_largest - total.ln(),
            pareto_k: smoothed.pareto_k,
            variance: variance / self.relative_efficiency * widening,
            missing: smoothed.missing / total,
            seen: seen(Some(&smoothed)),
        }
    }

    /// The log density of an observation that has been seen, `ln Σ w p`, from its importance ratios r = w/p as `ln Σ w²/r`. `None` if ratios
    /// or weights are so far apart that digits would be lost.
    fn seen(&self, smoothed: &Smoothed) -> Option<f64> {
        let weights = &self.draws.weights;
        // also false for NaN, and for draws without weight
        let draws = weights.iter().zip(&smoothed.logs);
        let is_near = |weight: f64, log: f64| weight > 1e-100 && log > -250.0;
        if !draws.fold(true, |all, (weight, log)| all & is_near(*weight, *log)) {
            return None;
        }
        let inverse = |weight: f64, ratio: f64| weight * weight / ratio;
        let draws = weights.iter().zip(&smoothed.ratios);
        let mut sum: f64 = draws.map(|(weight, ratio)| inverse(*weight, *ratio)).sum();
        for (draw, before) in &smoothed.tail {
            let of = |ratio| inverse(weights[*draw], ratio);
            sum += of(*before) - of(smoothed.ratios[*draw]);
        }
        Some(sum.ln() - smoothed.log_largest)
    }

    /// PSIS-LOO of observations with these names.
    pub(super) fn elpd(&self, names: Vec<String>, found: &[LeftOut]) -> Elpd {
        let pointwise: Vec<f64> = found.iter().map(|f| f.elpd).collect();
        let seen: f64 = found.iter().map(|f| f.seen).sum();
        let weighty = self.draws.weights.iter().filter(|w| **w > 0.0).count();
        let elpd = Elpd {
            method: Method::Loo,
            effective_parameters: seen - pointwise.iter().sum::<f64>(),
            pointwise,
            names,
            pareto_k: found.iter().map(|f| f.pareto_k).collect(),
            good_k: Psis::good_k(weighty),
            mcse: f64::NAN,
            log_evidence: None,
            data: 0,
            terms: Terms::default(),
            unstable: 0,
            model: None,
            rereads: Vec::new(),
            rereads_in_words: None,
            approximation: None,
            imputed: Vec::new(),
            left_out: LeftOutData {
                variances: found.iter().map(|f| f.variance).collect(),
                missing: found.iter().map(|f| f.missing).collect(),
                ..LeftOutData::default()
            },
            of_formula: false,
        };
        elpd.with_mcse()
    }
}

/// One of how many of `total` draws is used for this number of observations; `efficiency` is the effective share of the draws of an island.
fn step(efficiency: f64, total: usize, observations: usize, bound: Bound) -> usize {
    let redundant = match efficiency > 0.0 {
        true => (1.0 / (TIMES * efficiency)).floor().max(1.0) as usize,
        false => 1,
    };
    let affordable = total.saturating_mul(observations).div_ceil(bound.pairs);
    let within = |step: usize, least: usize| step.min((total / least).max(1));
    within(redundant, FEW).max(within(affordable, bound.fewest))
}

/// The result of importance sampling for an observation that is left out.
pub(super) struct LeftOut {
    elpd: f64,
    pareto_k: f64,
    /// Monte Carlo variance of the term.
    variance: f64,
    /// The share of the importance ratios that the draws lack, by the fitted tail: the term is too high by about as much.
    missing: f64,
    /// Its log density when it has been seen.
    seen: f64,
}

#[cfg(test)]
mod tests {
    use super::{PROBABILITIES, TERMS};
    use crate::comparison::waic::waic;
    use crate::run::example::islands;

    /// Seen to detect draws that are thinned below 4000, or 1000, and a step that does not grow with the observations.
    #[test]
    fn draws_are_thinned_where_they_are_redundant_or_too_many() {
        let step = |efficiency, total, rows| super::step(efficiency, total, rows, TERMS);
        // one of five draws is effective
        assert_eq!(step(0.2, 65_536, 100), 2);
        assert_eq!(step(0.9, 65_536, 100), 1);
        assert_eq!(step(f64::NAN, 65_536, 100), 1);
        // redundant draws are thinned to 4000
        assert_eq!(step(0.001, 65_536, 100), 16);
        assert_eq!(step(0.001, 4000, 100), 1);
        // 16.8 million pairs
        assert_eq!(step(0.9, 65_536, 256), 1);
        assert_eq!(step(0.9, 65_536, 5000), 20);
        assert_eq!(step(0.9, 65_536, 100_000), 65);
        assert_eq!(step(0.9, 4000, 4000), 1);
        assert_eq!(step(0.001, 4000, 100_000), 4);
        assert_eq!(step(0.9, 900, 100_000), 1);
        // half of the pairs, and no fewer than 500 draws, where new data are drawn
        let step = |total, rows| super::step(0.9, total, rows, PROBABILITIES);
        assert_eq!(
            [step(4000, 2000), step(4000, 4000), step(4000, 20_000)],
            [1, 2, 8]
        );
    }

    /// Would detect a result that does not say that draws were left out.
    #[test]
    fn a_result_of_thinned_draws_says_so() {
        let run = islands(&[0.0, 0.1], 4);
        let all = run.total_draws();
        let of = |used| waic(vec!["y[0]".to_owned()], &[[-1.0, 0.1]]).thinned(used, &run);
        let note = format!("from 1 of {all} draws");
        assert!(of(1).to_string().contains(&note), "{}", of(1));
        assert!(!of(all).to_string().contains("from"), "{}", of(all));
    }
}
