//! The Metropolis-adjusted Langevin algorithm (Roberts and Tweedie 1996).

use super::factor::half_square;
use super::metric::{Mass, Metric, validate_mass};
use super::{
    Adjustable, Kernel, Population, Target, Tuning, Workspace, accept_or_reject,
    acceptance_probability, require_continuous, validate_step_size, validate_target_acceptance,
};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use rand_distr::{Distribution as _, StandardNormal};

/// The Metropolis-adjusted Langevin algorithm: a random walk with drift along the gradient.
///
/// With `M⁻¹ = F Fᵀ` an estimate of the posterior covariance and z ~ N(0, I):
///
/// ```text
/// θ' = θ + ½ ε² M⁻¹ g(θ) + ε F z,    g = ∇ log π_λ
/// accept with probability min(1, π_λ(θ') q(θ | θ') / (π_λ(θ) q(θ' | θ)))
/// ```
///
/// The noise that leads back from θ' to θ is `z' = −(z + ½ ε Fᵀ (g(θ) + g(θ')))`, so the ratio of the proposal densities is
/// `exp(½ |z|² − ½ |z'|²)`.
///
/// A move costs one gradient. The step must fall as `d^(-1/6)`, and the state diffuses, so [`Hmc`](super::Hmc) is better where a
/// trajectory of several steps pays off. MALA is for moves that should be cheap: many short mutation steps, or a density whose gradient
/// changes fast.
#[derive(Clone, Debug)]
pub struct Mala {
    step_size: Option<f64>,
    target_acceptance: f64,
    mass: Mass,
}

impl Default for Mala {
    fn default() -> Self {
        Self::new()
    }
}

impl Mala {
    /// The step ε is tuned to an acceptance of 0.574, optimal as the dimension grows (Roberts and Rosenthal 1998); mass
    /// from the population's covariance.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.574,
            mass: Mass::Covariance,
        }
    }

    setters! {
        /// A fixed step ε instead of a tuned one.
        step_size(step_size: f64) => Some(step_size);

        /// The target acceptance of the step.
        target_acceptance(probability: f64) => probability;

        /// The mass matrix M, the preconditioner of drift and noise.
        mass(mass: Mass) => mass;
    }
}

impl Kernel for Mala {
    fn name(&self) -> &'static str {
        "mala"
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        Adjustable {
            target_acceptance: Some(&mut self.target_acceptance),
            mass: Some(&mut self.mass),
            ..Adjustable::default()
        }
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        require_continuous(self.name(), density)?;
        validate_step_size(self.step_size)?;
        validate_target_acceptance(self.target_acceptance)?;
        validate_mass(&self.mass, density.dim())
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let dim = density.dim();
        // optimal for independent standard normals (Roberts and Rosenthal 1998)
        let optimal = 1.65 * (dim as f64).powf(-1.0 / 6.0);
        let step_size = self.step_size.unwrap_or(optimal);
        Ok(Tuning::new(step_size, Metric::new(&self.mass, dim)))
    }

    fn fits_gradients(&self) -> bool {
        self.mass.fits_gradients()
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        tuning.shape_mut::<Metric>().fit(&self.mass, population);
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Metric>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let Workspace {
            proposal,
            acceptance,
            counts,
            scratch,
            ..
        } = workspace;
        let Scratch {
            noise,
            step_sizes,
            log_before,
        } = scratch.of(|| Scratch::new(block));
        let factor = &tuning.shape::<Metric>().factor;
        let mut proposal = proposal.block();
        proposal.positions.copy_from_slice(block.positions);
        for (i, stream) in streams.iter_mut().enumerate() {
            let z = &mut noise[block.row(i)];
            z.iter_mut()
                .for_each(|z| *z = StandardNormal.sample(stream));
            step_sizes[i] = tuning.draw_step_size(stream);
            log_before[i] = target.log_density(block, i) - half_square(z);
        }
        factor.add_transposed(block.gradient, 0.5, step_sizes, noise);
        factor.add(noise, step_sizes, proposal.positions);
        target.evaluate_gradient(&mut proposal, counts);
        // now `noise` becomes −z', whose square is the square of z'
        factor.add_transposed(proposal.gradient, 0.5, step_sizes, noise);
        for i in 0..streams.len() {
            let after = target.log_density(&proposal, i) - half_square(&noise[block.row(i)]);
            acceptance[i] = acceptance_probability(after - log_before[i]);
        }
        accept_or_reject(block, streams, workspace);
    }
}

/// Memory for a block.
struct Scratch {
    /// The noise z, then −z' of the reverse move, `[particles, dim]`.
    noise: Vec<f64>,
    /// `[particles]`.
    step_sizes: Vec<f64>,
    /// Log density of the state and of the noise of its move, `[particles]`.
    log_before: Vec<f64>,
}

impl Scratch {
    fn new(block: &Block<'_>) -> Self {
        Self {
            noise: vec![0.0; block.positions.len()],
            step_sizes: vec![0.0; block.len()],
            log_before: vec![0.0; block.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Particles;
    use crate::kernel::{Factor, Triangle};
    use crate::rng::{Key, Purpose};

    /// `log prior = 0, log likelihood = −x⁴ − (y − x)²`.
    struct Valley;

    impl LogDensity for Valley {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, value(x)]);
        }
        fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, slopes| {
                let found = slope(x);
                (slopes[0], slopes[1]) = (weights[1] * found[0], weights[1] * found[1]);
                [0.0, value(x)]
            });
        }
    }

    fn value(x: &[f64]) -> f64 {
        -x[0].powi(4) - (x[1] - x[0]).powi(2)
    }

    fn slope(x: &[f64]) -> [f64; 2] {
        let pull = 2.0 * (x[1] - x[0]);
        [pull - 4.0 * x[0].powi(3), -pull]
    }

    const STEP: f64 = 0.7;
    /// The lower factor of M⁻¹.
    const FACTOR: [f64; 4] = [0.8, 0.0, 0.5, 0.6];

    /// `log q(to | from)` of the formula, up to a constant: a normal density with covariance ε² M⁻¹.
    fn log_proposal(from: [f64; 2], to: [f64; 2]) -> f64 {
        let [a, _, b, c] = FACTOR;
        let g = slope(&from);
        let whitened = [a * g[0] + b * g[1], c * g[1]];
        let drift = [a * whitened[0], b * whitened[0] + c * whitened[1]];
        let noise = [0, 1].map(|k| (to[k] - from[k] - 0.5 * STEP * STEP * drift[k]) / STEP);
        let first = noise[0] / a;
        let second = (noise[1] - b * first) / c;
        -0.5 * (first * first + second * second)
    }

    /// Seen to detect: no second half kick, and the forward noise in place of the reverse noise.
    #[test]
    fn the_acceptance_is_the_ratio_of_both_directions() {
        let n = 64;
        let mut particles = Particles::new(n, 2);
        for (i, x) in particles.positions.iter_mut().enumerate() {
            *x = 0.8 * (0.7 * i as f64).sin();
        }
        let kernel = Mala::new().step_size(STEP);
        let mut tuning = kernel.init(&Valley).expect("nothing is needed");
        tuning.shape_mut::<Metric>().factor = Factor::Lower(Triangle::new(2, &FACTOR));
        let key = Key::new(1, Purpose::Move);
        let mut streams: Vec<Stream> = (0..n as u64).map(|i| key.item(i).stream()).collect();
        let mut workspace = Workspace::new(n, 2);
        let target = Target::posterior(&Valley);
        target.evaluate_gradient(&mut particles.block(), &mut workspace.counts);
        let before = particles.clone();
        let block = &mut particles.block();
        kernel.step(&tuning, target, block, &mut streams, &mut workspace);
        let mut certain = 0;
        for i in 0..n {
            let point = |particles: &Particles| [0, 1].map(|k| particles.positions[2 * i + k]);
            let (from, to) = (point(&before), point(&workspace.proposal));
            let change = value(&to) - value(&from);
            let back = log_proposal(to, from) - log_proposal(from, to);
            let wanted = (change + back).min(0.0).exp();
            let found = workspace.acceptance[i];
            assert!((found - wanted).abs() < 1e-12, "{found}, want {wanted}");
            certain += usize::from(wanted == 1.0);
        }
        assert!((1..n).contains(&certain), "{certain} of {n} are certain");
    }
}
