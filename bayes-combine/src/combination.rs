//! The result of a combination.

use super::{Parts, Warning};
use bayes_core::density::Particles;
use bayes_core::engine::Common;
use bayes_core::internal::Fingerprint;
use bayes_core::internal::PARTS;
use bayes_core::run::{Chain, Group, Island, Origin, Run, Weighting};
use std::fmt;

/// Fewer draws than this with most of the importance weight are worth a warning.
const FEW: f64 = 100.0;

/// A combined run, with what is known of its quality.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The draws. The log likelihood is the log density of the combination up to a constant, or 0 where the method has none; the log
    /// prior is 0. A run with importance weights is one island, any other is one chain. If the weights are exact, its evidence is the estimate of
    /// `∫ Π_k p_k dx`; that of a surrogate would have an error that the draws do not tell.
    pub run: Run,
    /// Effective sample size of the importance weights, where there are some.
    pub ess: Option<f64>,
    /// The number of these weights; 0 where there are none.
    pub weights: usize,
    /// What is wrong with the runs of the parts and with the combination.
    pub warnings: Vec<Warning>,
    /// Exact evaluations of the density of each part.
    pub evaluations: Vec<usize>,
}

/// Draws of a combination, in the unconstrained coordinates.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Positions, `[draws, dim]` row-major.
    pub positions: Vec<f64>,
    /// Log density of the combination at each draw, up to a constant, `[draws]`; empty if the method has none.
    pub log_density: Vec<f64>,
    /// Importance weights.
    pub importance: Option<Importance>,
    /// What is wrong with the draws, beyond the parts' own warnings.
    pub warnings: Vec<Warning>,
    /// Exact evaluations of the density of each part; empty for none.
    pub evaluations: Vec<usize>,
}

/// Importance weights of draws.
#[derive(Clone, Debug)]
pub struct Importance {
    /// Log weights, up to a constant, `[draws]`; empty if they are equal, because draws were resampled.
    pub log_weights: Vec<f64>,
    /// Effective sample size of the weights, before resampling if there was one.
    pub ess: f64,
    /// The number of these weights.
    pub weights: usize,
    /// The number of the proposal that each draw is, `[draws]`: resampling may have chosen one more than once.
    pub ancestors: Vec<u32>,
    /// What each proposal gained by its weights, `[proposals]`, as [`Island::gains`]; the error that they give is too large in one and two
    /// dimensions, where proposals are spread evenly.
    pub gains: Vec<f64>,
    /// Estimate of `ln ∫ Π_k p_k dx`; `None` if the weights are those of a surrogate.
    pub log_evidence: Option<f64>,
}

impl Sample {
    /// Draws with equal weights; `log_density` may be empty.
    #[must_use]
    pub fn equal(positions: Vec<f64>, log_density: Vec<f64>) -> Self {
        Self {
            positions,
            log_density,
            ..Self::default()
        }
    }
}

impl Combination {
    /// The result of the method `name` from its draws.
    pub(super) fn new(name: &'static str, seed: u64, parts: &Parts<'_>, sample: Sample) -> Self {
        let densities = parts.densities();
        let draws = sample.positions.len() / parts.dim();
        let mut particles = Particles::new(draws, parts.dim());
        particles.positions = sample.positions;
        particles.log_prior = vec![0.0; draws];
        particles.log_likelihood = match sample.log_density.is_empty() {
            true => vec![0.0; draws],
            false => sample.log_density,
        };
        let mut origin = Origin::Chain(Chain::default());
        let mut warnings = parts.warnings().to_vec();
        warnings.extend(sample.warnings);
        let (mut ess, mut weights) = (None, 0);
        if let Some(importance) = sample.importance {
            origin = Origin::Island(Island {
                log_evidence: importance.log_evidence,
                log_weights: importance.log_weights,
                ancestors: importance.ancestors,
                gains: importance.gains,
                ..Island::default()
            });
            ess = Some(importance.ess);
            weights = importance.weights;
            if importance.ess < FEW.min(0.5 * weights as f64) {
                warnings.push(Warning::CollapsedWeights {
                    ess: importance.ess,
                    draws: weights,
                });
            }
        }
        let common = Common {
            seed,
            ..Common::new(name)
        };
        let settings = [(PARTS.to_owned(), parts.len().to_string())].into();
        let kind = origin.kind();
        let group = Group::of_particles(0, origin, particles, densities[0].quantities());
        let weighting = match group.log_evidence() {
            Some(_) => Weighting::Evidence,
            None => Weighting::Equal,
        };
        let kind = (kind, weighting);
        let run = common.run_without_kernel(densities[0], kind, settings, vec![group]);
        let evaluations = match sample.evaluations.is_empty() {
            true => vec![0; parts.len()],
            false => sample.evaluations,
        };
        Self {
            run: Run {
                fingerprint: fingerprint(parts),
                // the parts hold the rows in an order of their own
                observed_data: String::new(),
                ..run
            },
            ess,
            weights,
            warnings,
            evaluations,
        }
    }
}

/// That of all parts together; zeros if one is unknown.
fn fingerprint(parts: &Parts<'_>) -> String {
    let of = parts
        .densities()
        .iter()
        .map(|d| d.quantities().fingerprint());
    let words: Vec<u64> = of.collect();
    let all = match words.contains(&0) {
        true => 0,
        false => Fingerprint::of(words.into_iter()),
    };
    format!("{all:016x}")
}

/// The run, the importance ESS, the exact evaluations and the warnings.
impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run.to_string();
        let has_none = run.strip_suffix("no warnings\n");
        let has_none = has_none.filter(|_| !self.warnings.is_empty());
        write!(f, "{}", has_none.unwrap_or(&run))?;
        if let Some(ess) = self.ess {
            writeln!(f, "importance ess {ess:.0} of {} weights", self.weights)?;
        }
        if self.run.log_evidence().is_none() {
            let note = "the errors above come from the number of draws alone; they do not contain the error of the combination";
            writeln!(f, "{note}")?;
        }
        let most = self.evaluations.iter().max().copied().unwrap_or(0);
        writeln!(f, "exact evaluations {most} of the density of a part")?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}
