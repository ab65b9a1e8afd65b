//! The preconditioned Crank-Nicolson kernel (Neal 1998; Cotter et al. 2013).

use super::{
    Factor, Kernel, Moments, Target, Tuning, Workspace, accept_or_reject, acceptance_probability,
    validate_target_acceptance,
};
use crate::density::{Block, Density, Reference};
use crate::error::Error;
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};

/// Preconditioned Crank-Nicolson with a diagonal preconditioner D ("SMC Is All You Need", appendix A).
///
/// In the whitened variable `u = Σ₀^{-1/2} (θ - μ₀)` of the reference measure N(μ₀, Σ₀):
///
/// ```text
/// u'_k = √(1 - β² D_k) u_k + β √D_k δ_k,    δ ~ N(0, I)
/// accept with probability min(1, exp(λ (ℓ(θ') - ℓ(θ)) + r(θ') - r(θ))),    r = log prior - log reference
/// ```
///
/// For a Gaussian prior the reference is the prior, r vanishes, and this is exactly the papers' kernel. For any other
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
    /// The papers keep β ≤ 1 also where every D_k is far below 1; here β is bounded by `β² D_k ≤ 1` alone, so that a
    /// posterior much narrower than its prior does not force tiny steps.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.3,
            preconditioned: true,
        }
    }

    /// A fixed beta, above 0 and at most 1, instead of a tuned one.
    #[must_use]
    pub fn step_size(mut self, beta: f64) -> Self {
        self.step_size = Some(beta);
        self
    }

    /// The mean acceptance probability that beta is tuned to; 0.3 where the papers print none.
    #[must_use]
    pub fn target_acceptance(mut self, probability: f64) -> Self {
        self.target_acceptance = probability;
        self
    }

    /// D = I, the plain Crank-Nicolson proposal, whatever the population.
    #[must_use]
    pub fn unpreconditioned(mut self) -> Self {
        self.preconditioned = false;
        self
    }
}

/// `r + λ ℓ` up to a constant.
///
/// Where the prior is the reference r is a constant and drops out of the ratio, to rounding: the papers' kernel.
fn log_ratio_term(target: Target<'_>, block: &Block<'_>, i: usize, whitened: &[f64]) -> f64 {
    block.log_density(i, target.lambda) - Reference::log_density(whitened)
}

/// The shares of the old state, `√(1 - β² D_k)`, and of fresh noise, `β √D_k`, in a proposal.
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
        Some("pCN proposes from a Gaussian fitted to draws of the prior")
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    /// `β² D_k ≤ 1` for every coordinate; with D = I that is β ≤ 1.
    fn max_step_size(&self, tuning: &Tuning) -> f64 {
        tuning
            .scale
            .iter()
            .copied()
            .fold(f64::MIN_POSITIVE, f64::max)
            .sqrt()
            .recip()
    }

    fn validate(&self, _: usize) -> Result<(), Error> {
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

    fn init(&self, density: &dyn Density) -> Tuning {
        Tuning {
            step_size: self.step_size.unwrap_or(0.5),
            short_steps: 0.0,
            scale: vec![1.0; density.layout().dim],
            factor: Factor::Diagonal(Vec::new()),
            reference: Some(density.reference().clone()),
        }
    }

    fn fit(&self, tuning: &mut Tuning, density: &dyn Density, positions: &[f64]) {
        if !self.preconditioned {
            return;
        }
        let dim = tuning.scale.len();
        let mut whitened = vec![0.0; positions.len()];
        for (position, u) in positions
            .chunks_exact(dim)
            .zip(whitened.chunks_exact_mut(dim))
        {
            density.reference().whiten(position, u);
        }
        // The variance of u, not of theta: D multiplies noise in whitened units.
        let variance = Moments::of(&whitened, dim).shrunk_variance(positions.len() / dim);
        tuning.scale = variance.into_iter().map(|v| v.clamp(1e-12, 1.0)).collect();
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let reference = tuning
            .reference
            .as_ref()
            .expect("pCN's tuning is made with a reference measure");
        let Workspace {
            proposal,
            auxiliary: whitened,
            coefficients,
            log_before,
            acceptance,
            counts,
            ..
        } = workspace;
        let mut proposal = proposal.block();
        let (old, fresh) = coefficients.split_at_mut(block.dim);
        let mut last_beta = f64::NAN;
        for (i, stream) in streams.iter_mut().enumerate() {
            let row = block.row(i);
            let u = &mut whitened[row.clone()];
            reference.whiten(&block.positions[row.clone()], u);
            log_before[i] = log_ratio_term(target, block, i, u);
            let beta = tuning.draw_step_size(stream);
            if beta != last_beta {
                shares(beta, &tuning.scale, old, fresh);
                last_beta = beta;
            }
            for k in 0..u.len() {
                let noise: f64 = StandardNormal.sample(stream);
                u[k] = old[k] * u[k] + fresh[k] * noise;
            }
            reference.colour(u, &mut proposal.positions[row]);
        }
        target.density.evaluate(&mut proposal, counts);
        for i in 0..streams.len() {
            let after = log_ratio_term(target, &proposal, i, &whitened[block.row(i)]);
            acceptance[i] = acceptance_probability(after - log_before[i]);
        }
        accept_or_reject(block, streams, workspace);
    }
}
