//! The preconditioned Crank-Nicolson kernel (Neal 1998; Cotter et al. 2013).

use super::{
    Adjustable, Kernel, Moments, Population, Target, Tuning, Workspace, accept_or_reject,
    acceptance_probability, require_continuous, validate_target_acceptance,
};
use crate::density::{Block, LogDensity, Reference};
use crate::error::Error;
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

/// Preconditioned Crank-Nicolson with a diagonal preconditioner D ("SMC Is All You Need", appendix A).
///
/// In the whitened variable `u = Σ₀^{-1/2} (θ - μ₀)` of the reference measure N(μ₀, Σ₀):
///
/// ```text
/// u'_k = √(1 - β² D_k) u_k + β √D_k δ_k,    δ ~ N(0, I)
/// accept with probability min(1, exp(λ (ℓ(θ') - ℓ(θ)) + r(θ') - r(θ))),    r = log prior - log reference
/// ```
///
/// For a Gaussian prior the reference is the prior, r is zero, and this is exactly the papers' kernel. For any other
/// prior the reference is fitted to the prior's unconstrained coordinates and r keeps the kernel exact.
#[derive(Clone, Debug)]
pub struct Pcn {
    step_size: Option<f64>,
    target_acceptance: f64,
    preconditioned: bool,
}

impl Default for Pcn {
    fn default() -> Self {
        Self::new()
    }
}

impl Pcn {
    /// D from the population's variances, beta tuned to an acceptance of 0.3.
    ///
    /// The papers keep β ≤ 1 even if every D_k is far below 1. Here the only bound is `β² D_k ≤ 1`, so a posterior much narrower than its
    /// prior does not force tiny steps.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.3,
            preconditioned: true,
        }
    }

    setters! {
        /// A fixed beta, above 0 and at most 1, instead of a tuned one.
        step_size(beta: f64) => Some(beta);

        /// The target acceptance of beta; 0.3 by default (the papers state none).
        target_acceptance(probability: f64) => probability;
    }

    /// D = I, the plain Crank-Nicolson proposal, for any population.
    #[must_use]
    pub fn unpreconditioned(mut self) -> Self {
        self.preconditioned = false;
        self
    }
}

/// The explanation of why pCN needs a proper prior.
const NEEDS_PRIOR: &str = "pCN proposes from a Gaussian fitted to prior draws";

/// The reference measure, and the step size of each coordinate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Preconditioner {
    /// D: the population's variances in whitened coordinates, from 0 to 1, `[dim]`.
    variance: Vec<f64>,
    reference: Reference,
}

impl Preconditioner {
    /// Fits D to a population, `[particles, dim]`.
    fn fit(&mut self, positions: &[f64]) {
        let dim = self.variance.len();
        let mut whitened = vec![0.0; positions.len()];
        let rows = positions.chunks_exact(dim);
        for (position, u) in rows.zip(whitened.chunks_exact_mut(dim)) {
            self.reference.whiten(position, u);
        }
        // The variance of u, not of theta: D multiplies noise in whitened units.
        let variance = Moments::of(&whitened, dim).shrunk_variance(positions.len() / dim);
        self.variance = variance.into_iter().map(|v| v.clamp(1e-12, 1.0)).collect();
    }
}

/// Memory for a block.
struct Scratch {
    /// Whitened positions, `[particles, dim]`.
    whitened: Vec<f64>,
    /// Coefficient of the old state in a proposal, `[dim]`.
    old: Vec<f64>,
    /// Coefficient of the new noise, `[dim]`.
    fresh: Vec<f64>,
    /// [`Target::log_ratio_to_reference`] before the move, `[particles]`.
    log_before: Vec<f64>,
}

impl Scratch {
    fn new(block: &Block<'_>) -> Self {
        Self {
            whitened: vec![0.0; block.positions.len()],
            old: vec![0.0; block.dim],
            fresh: vec![0.0; block.dim],
            log_before: vec![0.0; block.len()],
        }
    }
}

/// The coefficients of the old state, `√(1 - β² D_k)`, and of new noise, `β √D_k`, in a proposal.
fn shares(beta: f64, scale: &[f64], old: &mut [f64], fresh: &mut [f64]) {
    for (k, d) in scale.iter().enumerate() {
        let share = (beta * beta * d).min(1.0);
        (old[k], fresh[k]) = ((1.0 - share).sqrt(), share.sqrt());
    }
}

impl Kernel for Pcn {
    fn name(&self) -> &'static str {
        "pcn"
    }

    fn needs_proper_prior(&self) -> Option<&'static str> {
        Some(NEEDS_PRIOR)
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    /// `β² D_k ≤ 1` for every coordinate; with D = I that is β ≤ 1.
    fn max_step_size(&self, tuning: &Tuning) -> f64 {
        let variance = &tuning.shape::<Preconditioner>().variance;
        variance
            .iter()
            .copied()
            .fold(f64::MIN_POSITIVE, f64::max)
            .sqrt()
            .recip()
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable {
            target_acceptance: Some(&mut self.target_acceptance),
            ..Adjustable::default()
        }
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        require_continuous(self.name(), density)?;
        if let Some(beta) = self.step_size {
            Error::setting(
                "step_size",
                beta,
                beta > 0.0 && beta <= 1.0,
                "above 0 and at most 1 (pCN's beta)",
            )?;
        }
        validate_target_acceptance(self.target_acceptance)
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let reference = density.reference(NEEDS_PRIOR)?;
        let shape = Preconditioner {
            variance: vec![1.0; density.dim()],
            reference,
        };
        Ok(Tuning::new(self.step_size.unwrap_or(0.5), shape))
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        if self.preconditioned {
            let preconditioner = tuning.shape_mut::<Preconditioner>();
            preconditioner.fit(population.positions);
        }
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Preconditioner>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let Preconditioner {
            variance,
            reference,
        } = tuning.shape();
        let Workspace {
            proposal,
            acceptance,
            counts,
            scratch,
            ..
        } = workspace;
        let Scratch {
            whitened,
            old,
            fresh,
            log_before,
        } = scratch.of(|| Scratch::new(block));
        let mut proposal = proposal.block();
        let mut last_beta = f64::NAN;
        for (i, stream) in streams.iter_mut().enumerate() {
            let row = block.row(i);
            let u = &mut whitened[row.clone()];
            reference.whiten(&block.positions[row.clone()], u);
            log_before[i] = target.log_ratio_to_reference(block, i, u);
            let beta = tuning.draw_step_size(stream);
            if beta != last_beta {
                shares(beta, variance, old, fresh);
                last_beta = beta;
            }
            for k in 0..u.len() {
                let noise: f64 = StandardNormal.sample(stream);
                u[k] = old[k] * u[k] + fresh[k] * noise;
            }
            reference.unwhiten(u, &mut proposal.positions[row]);
        }
        target.evaluate(&mut proposal, counts);
        for i in 0..streams.len() {
            let after = target.log_ratio_to_reference(&proposal, i, &whitened[block.row(i)]);
            acceptance[i] = acceptance_probability(after - log_before[i]);
        }
        accept_or_reject(block, streams, workspace);
    }
}
