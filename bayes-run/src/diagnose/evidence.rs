//! The log evidence of a run with its standard error.

use super::Estimate;
use super::control::{self, Choice};
use super::gains;
use super::genealogy::Families;
use super::joined_evidence::{self, JoinedEvidence};
use super::lineages::Lineages;
use super::local_evidence;
use super::mean_evidence::MeanEvidence;
use super::rhat::{mean, variance};
use crate::error::{ComparisonError, Error};
use crate::run::{Group, Independent, Run};

impl Run {
    /// The log evidence: `log (1/P) Σ Zᵖ` over islands, joined with integration around the mode where that is more precise
    /// ([`log_evidence_estimate`](Self::log_evidence_estimate)), or the mean of the log evidences of chains of parallel tempering; `None` for other
    /// chains.
    #[must_use]
    pub fn log_evidence(&self) -> Option<f64> {
        self.log_evidence_estimate().map(|estimate| estimate.mean)
    }

    /// Whether the estimate of the evidence has no bias: a pilot learned all settings of the islands
    /// (`Smc::pilot`).
    #[must_use]
    pub fn is_evidence_unbiased(&self) -> bool {
        self.settings
            .get("pilot")
            .is_some_and(|pilot| pilot != "none")
    }

    /// Standard error of the log evidence.
    ///
    /// `None` for chains without evidence, for a single chain, for a single island whose particles all descend from one particle, and for
    /// Laplace's approximation, which has [`Run::importance_evidence`].
    #[must_use]
    pub fn log_evidence_se(&self) -> Option<f64> {
        self.log_evidence_estimate()
            .map(|estimate| estimate.se)
            .filter(|se| !se.is_nan())
    }

    /// The interval that covers the true log evidence with the given probability.
    ///
    /// From four islands on, the interval reaches further up than down if the log evidences of the islands differ: few islands rarely
    /// include one of the large evidences that carry the mean (Krishnamoorthy & Mathew 2003). If the estimate is between the one by
    /// control variates and the one by the weights, the interval covers the intervals of both. If integration around the mode counts, it is
    /// the interval of [`log_evidence_estimate`](Self::log_evidence_estimate). `None` if there is no standard error.
    #[must_use]
    pub fn log_evidence_interval(&self, level: f64) -> Option<(f64, f64)> {
        let estimate = self.log_evidence_of_path()?;
        if let Some(joined) = joined_evidence::joined(self, &estimate) {
            return Some(joined.together.interval(level));
        }
        if estimate.se.is_nan() {
            return None;
        }
        Some(match control::choice(self) {
            Choice::Controlled => self.interval_of(true, level)?,
            Choice::Plain | Choice::Imprecise => self.interval_of(false, level)?,
            Choice::Both(_) => {
                let (controlled, plain) = (
                    self.interval_of(true, level)?,
                    self.interval_of(false, level)?,
                );
                (controlled.0.min(plain.0), controlled.1.max(plain.1))
            }
        })
    }

    /// The interval of the evidence by control variates, or by the weights alone.
    fn interval_of(&self, controlled: bool, level: f64) -> Option<(f64, f64)> {
        let independent = self.groups.len() > 1 && Lineages::of(self).is_none();
        if !independent || self.is_chains() {
            return Some(self.evidence(controlled)?.interval(level));
        }
        let (log_evidence, within) = self.evidence_of_islands(controlled);
        Some(MeanEvidence::of(&log_evidence, &within).interval(level))
    }

    /// The log evidence with its standard error, NaN if that error cannot be estimated. `None` for chains without evidence.
    ///
    /// The error of one island comes from what the descendants of each of its initial particles gained by reweighting. The error of
    /// several islands comes from these gains and from the spread of the islands; if the spread is significantly larger, from the spread
    /// alone. Chains have their spread only. Interacting islands that descend from the same initial island count as one, since they are
    /// not independent.
    ///
    /// The estimate is the one by control variates ([`Island::controlled`](crate::run::Island::controlled)) if the islands have one and it
    /// agrees with the weights and has the smaller error. If the two are so far apart that control variates may be wrong, the estimate is
    /// between them, with an error that covers both. The bias of the weights because the states decided over the temperatures
    /// ([`Island::adaptation_bias`](crate::run::Island::adaptation_bias)) is subtracted.
    ///
    /// Where nearly all draws are near one mode, their share in its ellipsoid and the mass there ([`LocalMass`](crate::run::LocalMass)) give the
    /// evidence too, by the formula of Besag (1989) and Chib (1995). It does not depend on the path from the prior. A log evidence with a
    /// larger error becomes the mean of both, where the path's weight is the ratio of the squared errors, and one that is too low by more than
    /// chance explains, or whose error is unknown, is replaced. An evidence without bias stays as it is.
    #[must_use]
    pub fn log_evidence_estimate(&self) -> Option<Estimate> {
        let path = self.log_evidence_of_path()?;
        let joined = joined_evidence::joined(self, &path);
        Some(joined.map_or(path, |joined| joined.together))
    }

    /// The log evidence by the path from the prior and by integration around the mode, if the estimate uses both.
    pub(crate) fn log_evidence_joined(&self) -> Option<JoinedEvidence> {
        joined_evidence::joined(self, &self.log_evidence_of_path()?)
    }

    /// How [`log_evidence_estimate`](Self::log_evidence_estimate) is made if it uses more than the weights, in words: by integration around the mode or by
    /// control variates, and what the other estimates are. `with_error` writes an estimate.
    #[must_use]
    pub fn log_evidence_in_words(
        &self,
        with_error: &dyn Fn(&Estimate) -> String,
    ) -> Option<String> {
        if let Some(joined) = self.log_evidence_joined() {
            return Some(joined.in_words(with_error));
        }
        if let Some(plain) = self.log_evidence_without_controls() {
            let plain = with_error(&plain);
            return Some(format!("by control variates; without them {plain}"));
        }
        let [controlled, plain] = self.log_evidence_of_both()?.map(|one| with_error(&one));
        Some(format!(
            "between {controlled} by control variates and {plain} by the weights, which differ by more than they should"
        ))
    }

    /// The log evidence by integration around the mode that all islands have found, with its standard error; `None` unless at least a tenth of the
    /// draws are in the ellipsoid of the mode, and 80% near it, no other measured mode matters, and all islands reached the posterior. It does not
    /// depend on the path from the prior. The error is pooled from the errors of the integrals and of the shares of the draws, and from the spread
    /// of the islands.
    #[must_use]
    pub fn log_evidence_around_mode(&self) -> Option<Estimate> {
        local_evidence::estimate(self)
    }

    /// The log evidence by the path from the prior alone: by control variates, by the weights or by both, with its standard error, NaN if it
    /// cannot be estimated. `None` for chains without evidence.
    #[must_use]
    pub fn log_evidence_of_path(&self) -> Option<Estimate> {
        match control::choice(self) {
            Choice::Controlled => self.evidence(true),
            Choice::Plain | Choice::Imprecise => self.evidence(false),
            Choice::Both(right) => {
                let [controlled, plain] = self.log_evidence_of_both()?;
                Some(controlled.mixed_with(&plain, right))
            }
        }
    }

    /// The log evidence by the weights alone, if [`log_evidence_of_path`](Self::log_evidence_of_path) uses control variates; otherwise
    /// `None`.
    #[must_use]
    pub fn log_evidence_without_controls(&self) -> Option<Estimate> {
        let is_controlled = control::choice(self) == Choice::Controlled;
        is_controlled.then(|| self.evidence(false)).flatten()
    }

    /// The log evidences by control variates and by the weights alone, if the estimate is between them.
    pub(crate) fn log_evidence_of_both(&self) -> Option<[Estimate; 2]> {
        match control::choice(self) {
            Choice::Both(_) => Some([self.evidence(true)?, self.evidence(false)?]),
            Choice::Controlled | Choice::Plain | Choice::Imprecise => None,
        }
    }

    /// The log evidence by control variates, or by the weights alone.
    pub(super) fn evidence(&self, controlled: bool) -> Option<Estimate> {
        if self.groups.is_empty()
            || self
                .groups
                .iter()
                .any(|group| group.log_evidence().is_none())
        {
            return None;
        }
        let (log_evidence, within) = self.evidence_of_islands(controlled);
        Some(match (log_evidence.as_slice(), within.as_slice()) {
            (chains, _) if self.is_chains() => mean_log_evidence(chains),
            ([_], [Some(known)]) => *known,
            ([single], _) => self.single_evidence(*single),
            (islands, within) => self.island_evidence(islands, within),
        })
    }

    /// The log evidences of the islands that [`log_evidence_of_path`](Self::log_evidence_of_path) averages: by control variates if it is
    /// theirs alone, otherwise by the weights.
    pub(super) fn log_evidence_of_each(&self) -> Vec<f64> {
        let controlled = control::choice(self) == Choice::Controlled;
        self.evidence_of_islands(controlled).0
    }

    /// The log evidences of the islands, and the log evidence of each with its error if the island itself provides one.
    fn evidence_of_islands(&self, controlled: bool) -> (Vec<f64>, Vec<Option<Estimate>>) {
        let of = |group: &Group| match control::log_evidence(group) {
            Some(known) if controlled => (known.mean, Some(known)),
            _ => {
                let plain = group.log_evidence_estimate().unwrap_or(f64::NEG_INFINITY);
                (plain, gains::log_evidence(group))
            }
        };
        self.groups.iter().map(of).unzip()
    }

    /// The log Bayes factor of this run's model against another's, both on the same data, with its standard error;
    /// `None` if one of the runs has chains.
    ///
    /// Both models must observe the same numbers in the same order, with the same weights and limits of censoring. Predictors may differ:
    /// the evidence is the probability of what is observed, given the predictors. Runs without
    /// [`observed_data`](Run::observed_data) are not compared.
    ///
    /// The runs must be independent, so use different seeds. Their squared errors are added, with the degrees of
    /// freedom of Satterthwaite (1946). The error is NaN if it is unknown for one of the runs, and the factor is NaN
    /// if the likelihood of the data is zero under both models.
    ///
    /// # Errors
    /// [`ComparisonError::Data`] if the models observe different data.
    pub fn log_bayes_factor(&self, other: &Self) -> Result<Option<Estimate>, Error> {
        let hashes = [&self.observed_data, &other.observed_data];
        if hashes[0] != hashes[1] && hashes.iter().all(|hash| !hash.is_empty()) {
            let [first, other] = [self, other].map(|run| run.model.clone());
            return Err(ComparisonError::Data { first, other }.into());
        }
        let evidences = self.log_evidence_estimate();
        let evidences = evidences.zip(other.log_evidence_estimate());
        Ok(evidences.map(|(mine, theirs)| mine.minus(&theirs)))
    }

    fn island_evidence(&self, log_evidence: &[f64], within: &[Option<Estimate>]) -> Estimate {
        let apart = MeanEvidence::of(log_evidence, within).estimate();
        let Some(lineages) = Lineages::of(self) else {
            return apart;
        };
        let (se, degrees_of_freedom) = lineages.log_evidence_error(log_evidence);
        Estimate {
            se,
            degrees_of_freedom,
            ..apart
        }
    }

    fn single_evidence(&self, log_evidence: f64) -> Estimate {
        let group = &self.groups[0];
        let is_gaussian = |own: &Independent| !own.log_approximation.is_empty();
        if group.independent().is_some_and(is_gaussian) && group.log_weights().is_empty() {
            // Laplace's approximation: the draws of the Gaussian do not show how far it is from the posterior
            return Estimate {
                mean: log_evidence,
                se: f64::NAN,
                degrees_of_freedom: 1.0,
            };
        }
        // the error by the weights as they are: smoothed weights have a smaller spread
        if let Some(evidence) = self
            .importance_evidence()
            .filter(|_| group.independent().is_some())
        {
            return Estimate {
                mean: log_evidence,
                ..evidence
            };
        }
        let families = Families::of(group, self.draws_per_group());
        Estimate {
            mean: log_evidence,
            se: families
                .as_ref()
                .map_or(f64::NAN, Families::log_evidence_se),
            degrees_of_freedom: families
                .as_ref()
                .map_or(1.0, |f| f.degrees_of_freedom().max(1.0)),
        }
    }
}

/// The mean of the log evidences of chains of parallel tempering, with its standard error.
///
/// Each log evidence is a sum of log ratios without a bias of the order of its error, so their mean is right. Islands of SMC need the log
/// of a mean instead. NaN error for a single chain.
fn mean_log_evidence(chains: &[f64]) -> Estimate {
    let number = chains.len() as f64;
    Estimate {
        mean: mean(chains),
        se: (variance(chains) / number).sqrt(),
        degrees_of_freedom: (number - 1.0).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Run;
    use crate::run::example::{chains, islands, of_island, tempered};

    #[test]
    fn islands_give_the_log_of_their_mean_evidence() {
        let run = islands(&[-700.0, -700.0 + 3f64.ln(), -700.0, -700.0], 16);
        let log_evidence = run.log_evidence().expect("islands have evidence");
        assert!((log_evidence - (-700.0 + 1.5f64.ln())).abs() < 1e-12);
        let (low, high) = run.log_evidence_interval(0.95).expect("and its error");
        assert!(low < log_evidence && log_evidence < high);
    }

    #[test]
    fn the_bias_of_the_ladder_is_subtracted() {
        for number in [1, 4] {
            let mut run = islands(&vec![-3.0; number], 64);
            for group in &mut run.groups {
                of_island(group).adaptation_bias = 0.25;
            }
            let found = run.log_evidence().expect("islands have evidence");
            assert!((found + 3.25).abs() < 1e-12, "{found}");
            let (low, high) = run.log_evidence_interval(0.95).expect("and its error");
            assert!(low <= found && found <= high, "{low} to {high}");
        }
    }

    #[test]
    fn a_single_island_takes_its_error_from_its_ancestry() {
        let run = islands(&[-3.0], 64);
        // The example's families are pairs, 32 of them: (1/32 − 1/64) / (1 − 1/32) = 1/62.
        let se = run.log_evidence_se().expect("32 families");
        assert!((se - (1.0f64 / 62.0).ln_1p().sqrt()).abs() < 1e-12);
        assert_eq!(run.log_evidence(), Some(-3.0));
    }

    #[test]
    fn without_ancestry_there_is_no_error() {
        let mut run = islands(&[-3.0], 64);
        of_island(&mut run.groups[0]).ancestors.clear();
        assert_eq!(run.log_evidence(), Some(-3.0));
        assert_eq!(run.log_evidence_se(), None);
        assert_eq!(run.log_evidence_interval(0.95), None);
    }

    #[test]
    fn errors_of_a_bayes_factor_add_up_in_squares() {
        let (first, second) = (islands(&[-3.0, -2.5, -3.2, -2.9], 64), islands(&[-7.0], 64));
        let factor = first.log_bayes_factor(&second);
        let factor = factor.expect("unknown data").expect("two evidences");
        let [a, b] = [&first, &second].map(|run| run.log_evidence_estimate().expect("an evidence"));
        assert!((factor.mean - (a.mean + 7.0)).abs() < 1e-13);
        assert!((factor.se - a.se.hypot(b.se)).abs() < 1e-15);
        let least = a.degrees_of_freedom.min(b.degrees_of_freedom);
        let most = a.degrees_of_freedom + b.degrees_of_freedom;
        assert!(
            (least..=most).contains(&factor.degrees_of_freedom),
            "{factor:?}"
        );
        assert_eq!(first.log_bayes_factor(&chains(4, 10)), Ok(None));
    }

    /// Would detect a Bayes factor of unlike data in silence, and a refusal where one of the runs is of an older version.
    #[test]
    fn a_bayes_factor_of_unlike_data_is_refused() {
        let of = |hash: &str| Run {
            observed_data: hash.to_owned(),
            ..islands(&[-3.0, -2.5], 64)
        };
        let refused = of("1f").log_bayes_factor(&of("2f"));
        let refused = refused.expect_err("unlike data").to_string();
        assert!(refused.contains("observe different data"), "{refused}");
        for (mine, theirs) in [("1f", "1f"), ("1f", ""), ("", "2f"), ("", "")] {
            let factor = of(mine).log_bayes_factor(&of(theirs));
            assert!(factor.expect("nothing differs").is_some());
        }
    }

    #[test]
    fn chains_of_parallel_tempering_have_the_mean_of_their_log_evidences() {
        let run = tempered(4, 200, 0.5, 30);
        let found = run.log_evidence_estimate().expect("it has evidence");
        assert!((found.mean + 2.85).abs() < 1e-12, "{found}");
        // the variance of 0, 0.1, 0.2 and 0.3 is 1/60
        assert!((found.se - (1.0f64 / 240.0).sqrt()).abs() < 1e-12);
        assert_eq!(found.degrees_of_freedom, 3.0);
        assert_eq!(tempered(1, 200, 0.5, 30).log_evidence_se(), None);
    }

    #[test]
    fn chains_have_no_evidence() {
        let run = chains(4, 10);
        assert_eq!(run.log_evidence(), None);
        assert_eq!(run.log_evidence_se(), None);
    }
}
