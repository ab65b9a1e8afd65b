//! Hamiltonian Monte Carlo (Duane et al. 1987; Neal 2011).

use super::covariance::{covariance_factor, supports_dense};
use super::{Kernel, Moments, Target, Tuning, Workspace, accept_or_reject, acceptance_probability};
use crate::density::{Block, Density};
use crate::error::Error;
use crate::rng::Stream;
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};

/// Hamiltonian Monte Carlo with leapfrog integration.
///
/// ```text
/// H(θ, q) = -log π_λ(θ) + ½ qᵀ M⁻¹ q,    dθ/dt = M⁻¹ q,    dq/dt = +∇ log π_λ(θ)
/// accept with probability min(1, exp(H(θ, q) - H(θ', q')))
/// ```
///
/// With `M⁻¹ = F Fᵀ` the code carries `z = Fᵀ q`, which is standard normal whatever the mass:
/// `dθ/dt = F z`, `dz/dt = Fᵀ ∇ log π_λ(θ)`, kinetic energy `½ |z|²`.
///
/// "SMC Is All You Need" prints dq/dt with the wrong sign and accepts on the ratio H'/H; both are slips. The momentum
/// is drawn anew at every step.
#[derive(Clone, Debug)]
pub struct Hmc {
    length: Length,
    step_size: Option<f64>,
    target_acceptance: f64,
    jitter: f64,
    mass: Mass,
}

/// How long a trajectory is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Length {
    /// A fixed number of leapfrog steps L.
    Steps(usize),
    /// A fixed time tau = L * step size, at most [`MAX_LEAPFROG`] steps.
    Time(f64),
}

/// The mass matrix M.
#[derive(Clone, Debug, PartialEq)]
pub enum Mass {
    /// M = I.
    Identity,
    /// A given diagonal, `[dim]`, on the unconstrained coordinates.
    Diagonal(Vec<f64>),
    /// The inverse of the population's variances: in SMC of the particles at hand, in chains of the burn-in.
    Variance,
    /// The inverse of the population's covariance, which turns a correlated Gaussian into a round one. Where the
    /// population has fewer than 8 members for each coordinate, or more than 256 coordinates, as `Variance`.
    Covariance,
}

/// The most leapfrog steps of a trajectory of fixed time.
const MAX_LEAPFROG: usize = 100;

impl Default for Hmc {
    fn default() -> Self {
        Self::new()
    }
}

impl Hmc {
    /// Trajectories of time π/2 (a quarter period of a Gaussian in its own scale, after which it is
    /// independent of its start), mass from the population's covariance, the step size tuned to an acceptance of 0.65, jitter 0.2.
    #[must_use]
    pub fn new() -> Self {
        Self {
            length: Length::Time(std::f64::consts::FRAC_PI_2),
            step_size: None,
            target_acceptance: 0.65,
            jitter: 0.2,
            mass: Mass::Covariance,
        }
    }

    /// A fixed number of leapfrog steps L, at least 1.
    #[must_use]
    pub fn leapfrog(mut self, steps: usize) -> Self {
        self.length = Length::Steps(steps);
        self
    }

    /// A fixed integration time tau: L = round(tau / step size), from 1 to 100.
    #[must_use]
    pub fn trajectory(mut self, time: f64) -> Self {
        self.length = Length::Time(time);
        self
    }

    /// A fixed step size instead of a tuned one.
    #[must_use]
    pub fn step_size(mut self, step_size: f64) -> Self {
        self.step_size = Some(step_size);
        self
    }

    /// The mean acceptance probability that the step size is tuned to; 0.65 (Beskos et al. 2013, section 4).
    #[must_use]
    pub fn target_acceptance(mut self, probability: f64) -> Self {
        self.target_acceptance = probability;
        self
    }

    /// Each trajectory's step size is uniform within this relative distance of the tuned one (0 to 1, 1 excluded).
    ///
    /// A fixed L with a fixed step size can return to its start on every trajectory; 0 gives the papers' kernel.
    #[must_use]
    pub fn jitter(mut self, fraction: f64) -> Self {
        self.jitter = fraction;
        self
    }

    /// The mass matrix.
    #[must_use]
    pub fn mass(mut self, mass: Mass) -> Self {
        self.mass = mass;
        self
    }

    fn leapfrog_steps(&self, step_size: f64) -> usize {
        match self.length {
            Length::Steps(steps) => steps,
            Length::Time(time) => ((time / step_size).round() as usize).clamp(1, MAX_LEAPFROG),
        }
    }
}

impl Kernel for Hmc {
    fn name(&self) -> &'static str {
        "hmc"
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    fn max_step_size(&self, _: &Tuning) -> f64 {
        match self.length {
            Length::Steps(_) => f64::INFINITY,
            Length::Time(time) => time,
        }
    }

    fn validate(&self, dim: usize) -> Result<(), Error> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self.length {
            Length::Steps(steps) => Error::setting("leapfrog", steps, steps >= 1, "at least 1")?,
            Length::Time(time) => Error::setting(
                "trajectory",
                time,
                positive(time),
                "a finite number above 0",
            )?,
        }
        if let Some(step) = self.step_size {
            Error::setting("step_size", step, positive(step), "a finite number above 0")?;
        }
        let target = self.target_acceptance;
        Error::setting(
            "target_acceptance",
            target,
            target > 0.0 && target < 1.0,
            "between 0 and 1",
        )?;
        Error::setting(
            "jitter",
            self.jitter,
            (0.0..1.0).contains(&self.jitter),
            "from 0 to below 1",
        )?;
        if let Mass::Diagonal(mass) = &self.mass {
            let wanted =
                format!("a diagonal of {dim} numbers, one for each unconstrained coordinate");
            Error::setting(
                "mass",
                format!("of length {}", mass.len()),
                mass.len() == dim,
                &wanted,
            )?;
            for m in mass {
                Error::setting("mass", m, positive(*m), "finite numbers above 0")?;
            }
        }
        Ok(())
    }

    fn init(&self, density: &dyn Density) -> Tuning {
        let dim = density.layout().dim;
        let scale = match &self.mass {
            Mass::Diagonal(mass) => mass.iter().map(|m| 1.0 / m).collect(),
            _ => vec![1.0; dim],
        };
        // The optimal step of a Gaussian target scales with d^(-1/4) (Beskos et al. 2013).
        let step_size = self.step_size.unwrap_or((dim as f64).powf(-0.25));
        Tuning {
            step_size,
            scale,
            factor: Vec::new(),
            reference: None,
        }
    }

    fn fit(&self, tuning: &mut Tuning, _: &dyn Density, positions: &[f64]) {
        let dim = tuning.scale.len();
        let n = positions.len() / dim;
        if matches!(self.mass, Mass::Variance | Mass::Covariance) {
            tuning.scale = Moments::of(positions, dim).shrunk_variance(n);
        }
        tuning.factor = match self.mass {
            Mass::Covariance if supports_dense(n, dim) => covariance_factor(positions, dim),
            _ => Vec::new(),
        };
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
            auxiliary: momenta,
            energy: steps,
            acceptance,
            counts,
        } = workspace;
        let mut proposal = proposal.block();
        proposal.copy_from(block);
        for (i, stream) in streams.iter_mut().enumerate() {
            let momentum = &mut momenta[block.row(i)];
            momentum
                .iter_mut()
                .for_each(|z| *z = StandardNormal.sample(stream));
            steps[i] = tuning.step_size * (1.0 + self.jitter * stream.random_range(-1.0..=1.0));
            acceptance[i] = block.log_density(i, target.lambda) - kinetic(momentum);
        }
        let mut flow = Flow::new(tuning, steps, momenta);
        for _ in 0..self.leapfrog_steps(tuning.step_size) {
            flow.half_kick(&proposal);
            flow.drift(&mut proposal);
            target
                .density
                .evaluate_gradient(target.lambda, &mut proposal, counts);
            flow.half_kick(&proposal);
        }
        for (i, log_joint) in acceptance.iter_mut().enumerate() {
            let after =
                proposal.log_density(i, target.lambda) - kinetic(&flow.momenta[block.row(i)]);
            *log_joint = acceptance_probability(after - *log_joint);
        }
        accept_or_reject(block, streams, workspace);
    }
}

/// `½ |z|²`.
fn kinetic(momentum: &[f64]) -> f64 {
    0.5 * momentum.iter().map(|z| z * z).sum::<f64>()
}

/// The two moves of the leapfrog integrator, for every particle of a block by its own step size.
struct Flow<'a> {
    steps: &'a [f64],
    factor: MassFactor<'a>,
    momenta: &'a mut [f64],
}

/// `F` with `M⁻¹ = F Fᵀ`.
enum MassFactor<'a> {
    /// Square roots of the inverse masses.
    Diagonal(Vec<f64>),
    /// Lower triangle, `[dim, dim]` row-major.
    Lower(&'a [f64]),
}

impl<'a> Flow<'a> {
    fn new(tuning: &'a Tuning, steps: &'a [f64], momenta: &'a mut [f64]) -> Self {
        let factor = if tuning.factor.is_empty() {
            MassFactor::Diagonal(tuning.scale.iter().map(|w| w.sqrt()).collect())
        } else {
            MassFactor::Lower(&tuning.factor)
        };
        Self {
            steps,
            factor,
            momenta,
        }
    }

    /// `z += ½ ε Fᵀ ∇ log π_λ(θ)`.
    fn half_kick(&mut self, block: &Block<'_>) {
        for (i, step) in self.steps.iter().enumerate() {
            let row = block.row(i);
            self.factor.add_transposed(
                &block.gradient[row.clone()],
                0.5 * step,
                &mut self.momenta[row],
            );
        }
    }

    /// `θ += ε F z`.
    fn drift(&self, block: &mut Block<'_>) {
        for (i, step) in self.steps.iter().enumerate() {
            let row = block.row(i);
            self.factor
                .add(&self.momenta[row.clone()], *step, &mut block.positions[row]);
        }
    }
}

impl MassFactor<'_> {
    /// `to += scale * F from`.
    fn add(&self, from: &[f64], scale: f64, to: &mut [f64]) {
        match self {
            Self::Diagonal(roots) => {
                to.iter_mut()
                    .zip(from)
                    .zip(roots)
                    .for_each(|((t, f), r)| *t += scale * r * f);
            }
            Self::Lower(lower) => {
                for (k, t) in to.iter_mut().enumerate() {
                    let row = &lower[k * from.len()..=k * from.len() + k];
                    *t += scale * row.iter().zip(from).map(|(l, f)| l * f).sum::<f64>();
                }
            }
        }
    }

    /// `to += scale * Fᵀ from`.
    fn add_transposed(&self, from: &[f64], scale: f64, to: &mut [f64]) {
        match self {
            Self::Diagonal(_) => self.add(from, scale, to),
            Self::Lower(lower) => {
                for (k, f) in from.iter().enumerate() {
                    let row = &lower[k * from.len()..=k * from.len() + k];
                    to.iter_mut()
                        .zip(row)
                        .for_each(|(t, l)| *t += scale * l * f);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leapfrog steps of a unit harmonic oscillator, `log π = -x²/2`.
    fn orbit(x: &mut [f64], q: &mut [f64], step: f64, leapfrog: usize) {
        let n = x.len();
        let mut gradient: Vec<f64> = x.iter().map(|x| -x).collect();
        let (mut log_prior, mut log_likelihood) = (vec![0.0; n], vec![0.0; n]);
        let steps = vec![step; n];
        let mut flow = Flow {
            steps: &steps,
            factor: MassFactor::Diagonal(vec![1.0]),
            momenta: q,
        };
        for _ in 0..leapfrog {
            let mut block = Block {
                dim: 1,
                positions: x,
                log_prior: &mut log_prior,
                log_likelihood: &mut log_likelihood,
                gradient: &mut gradient,
            };
            flow.half_kick(&block);
            flow.drift(&mut block);
            block
                .gradient
                .iter_mut()
                .zip(block.positions.iter())
                .for_each(|(g, x)| *g = -x);
            flow.half_kick(&block);
        }
    }

    fn energy(x: f64, q: f64) -> f64 {
        0.5 * (x * x + q * q)
    }

    #[test]
    fn the_integrator_is_reversible() {
        let (mut x, mut q) = ([0.3, -1.7], [1.1, 0.4]);
        orbit(&mut x, &mut q, 0.3, 17);
        q.iter_mut().for_each(|q| *q = -*q);
        orbit(&mut x, &mut q, 0.3, 17);
        for (found, start) in x.iter().chain(&q).zip([0.3, -1.7, -1.1, -0.4]) {
            assert!(
                (found - start).abs() < 1e-12,
                "{found} after there and back, want {start}"
            );
        }
    }

    #[test]
    fn the_energy_error_falls_with_the_square_of_the_step() {
        let error = |step: f64| {
            let (mut x, mut q) = ([0.8], [0.6]);
            orbit(&mut x, &mut q, step, (1.0 / step) as usize);
            (energy(x[0], q[0]) - energy(0.8, 0.6)).abs()
        };
        let ratio = error(0.1) / error(0.05);
        assert!((ratio - 4.0).abs() < 0.2, "energy errors in ratio {ratio}");
    }

    /// A made-up lower triangle, `[3, 3]`; what lies above the diagonal must not be read.
    const LOWER: [f64; 9] = [2.0, f64::NAN, f64::NAN, 0.5, 1.5, f64::NAN, -1.0, 3.0, 0.25];

    #[test]
    fn a_diagonal_triangle_moves_as_the_diagonal_does() {
        let lower = [2.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.25];
        let (dense, diagonal) = (
            MassFactor::Lower(&lower),
            MassFactor::Diagonal(vec![2.0, 1.5, 0.25]),
        );
        let (from, start) = ([0.3, -1.2, 4.0], [1.0, 2.0, 3.0]);
        for apply in [MassFactor::add, MassFactor::add_transposed] {
            let (mut by_dense, mut by_diagonal) = (start, start);
            apply(&dense, &from, 0.5, &mut by_dense);
            apply(&diagonal, &from, 0.5, &mut by_diagonal);
            assert_eq!(by_dense, by_diagonal);
            assert_eq!(by_dense, [1.3, 1.1, 3.5]);
        }
    }

    #[test]
    fn the_two_products_with_the_factor_are_transposes() {
        let factor = MassFactor::Lower(&LOWER);
        let unit = |k: usize| std::array::from_fn::<f64, 3, _>(|i| f64::from(u8::from(i == k)));
        for k in 0..3 {
            let (mut column, mut row) = ([0.0; 3], [0.0; 3]);
            factor.add(&unit(k), 1.0, &mut column);
            factor.add_transposed(&unit(k), 1.0, &mut row);
            for i in 0..3 {
                let entry = |i: usize, k: usize| if k <= i { LOWER[3 * i + k] } else { 0.0 };
                assert_eq!((column[i], row[i]), (entry(i, k), entry(k, i)));
            }
        }
    }
}
