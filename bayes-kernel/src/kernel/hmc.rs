//! Hamiltonian Monte Carlo (Duane et al. 1987; Neal 2011).

use super::halving::Moves;
use super::leapfrog::{Dynamics, Motion};
use super::macro_step::Halving;
use super::metric::{Mass, Metric, validate_mass};
use super::{
    Adjustable, ChainBlock, Kernel, Population, RandomWalk, Target, Tuning, Visit, Workspace,
    require_continuous, validate_energy_tolerance, validate_step_size, validate_target_acceptance,
};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use rand::RngExt;
use std::f64::consts::FRAC_PI_2;

/// Hamiltonian Monte Carlo with leapfrog integration.
///
/// ```text
/// H(θ, q) = -log π_λ(θ) + ½ qᵀ M⁻¹ q,    dθ/dt = M⁻¹ q,    dq/dt = +∇ log π_λ(θ)
/// accept with probability min(1, exp(H(θ, q) - H(θ', q')))
/// ```
///
/// With `M⁻¹ = F Fᵀ` the code uses `z = Fᵀ q`, which is standard normal for any mass:
/// `dθ/dt = F z`, `dz/dt = Fᵀ ∇ log π_λ(θ)`, kinetic energy `½ |z|²`.
///
/// "SMC Is All You Need" prints dq/dt with the wrong sign and accepts by the ratio H'/H; both are misprints. The momentum
/// is redrawn at every step.
#[derive(Clone, Debug)]
pub struct Hmc {
    length: Length,
    step_size: Option<f64>,
    target_acceptance: f64,
    jitter: f64,
    mass: Mass,
    halvings: u32,
    /// `None`: the default of the engine.
    energy_tolerance: Option<f64>,
    random_walk: bool,
}

/// The length of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Length {
    /// A fixed number of leapfrog steps L.
    Steps(usize),
    /// A fixed time tau = L * step size, chosen by the user, at most [`MAX_LEAPFROG`] steps.
    Time(f64),
    /// A time of π/2, at most [`Tuning::leapfrog_limit`] steps.
    QuarterPeriod,
}

/// Maximum number of leapfrog steps of a trajectory with an integration time chosen by the user (Liang et al. 2025).
const MAX_LEAPFROG: usize = 100;

/// Maximum number of leapfrog steps that a user may ask for; more would not end, and no posterior needs them.
const MAX_LEAPFROG_FIXED: usize = 100_000;

/// Default of [`Hmc::halvings`].
const MAX_HALVINGS: u32 = 6;
/// Default of [`Hmc::energy_tolerance`] where particles move to the next temperature.
const ENERGY_TOLERANCE: f64 = 1.0;
/// Default of [`Hmc::energy_tolerance`] for chains. On six posteriors chains with this tolerance take 0.8 to 1.2 times the gradients of
/// plain steps for the same effective draws, and up to 1.8 times with a tolerance of 1. Both are right in the tails of a banana
/// (experiments/figures.md).
const ENERGY_TOLERANCE_OF_CHAINS: f64 = 4.0;

impl Default for Hmc {
    fn default() -> Self {
        Self::new()
    }
}

impl Hmc {
    /// Trajectories of time π/2 (a quarter period of a standardised Gaussian, after which the state is independent of the start) and at
    /// most 24 leapfrog steps; in SMC more where that saves moves ([`Tuning::leapfrog_limit`]). Each step is halved up to 6 times where
    /// the energy changes by more than [`Hmc::energy_tolerance`]. Mass from the population's covariance; step size tuned to an acceptance
    /// of 0.65, jitter 0.2.
    #[must_use]
    pub fn new() -> Self {
        Self {
            length: Length::QuarterPeriod,
            step_size: None,
            target_acceptance: 0.65,
            jitter: 0.2,
            mass: Mass::Covariance,
            halvings: MAX_HALVINGS,
            energy_tolerance: None,
            random_walk: true,
        }
    }

    /// A fixed number of leapfrog steps L, from 1 to 100000.
    #[must_use]
    pub fn leapfrog_steps(mut self, steps: usize) -> Self {
        self.length = Length::Steps(steps);
        self
    }

    /// A fixed integration time tau: L = round(tau / step size), from 1 to 100.
    #[must_use]
    pub fn integration_time(mut self, time: f64) -> Self {
        self.length = Length::Time(time);
        self
    }

    setters! {
        /// A fixed step size instead of a tuned one.
        step_size(step_size: f64) => Some(step_size);

        /// The target acceptance of the step size; 0.65 by default (Beskos et al. 2013, section 4).
        target_acceptance(probability: f64) => probability;

        /// The step size of each trajectory is uniform within this relative distance of the tuned one (from 0 to below 1).
        ///
        /// With a fixed L and a fixed step size, every trajectory could return to its start; 0 gives the papers' kernel.
        jitter(fraction: f64) => fraction;

        /// The maximum number of halvings of a leapfrog step where the energy changes too much, at most 20; 6 by default. With 0 every
        /// step has the same size.
        ///
        /// Particles in narrow parts of the posterior, such as the neck of a funnel, then move by short steps, and the others by long
        /// ones (Bou-Rabee et al. 2025). A halved step costs up to three times as many gradients as it has parts, because it must be
        /// found and its reverse checked.
        halvings(most: u32) => most;

        /// The change of the energy (a difference of log densities) above which a leapfrog step is halved; by default 4 in chains
        /// (`Inference::hmc`) and 1 elsewhere.
        ///
        /// A step that changes the energy by 4 would alone be accepted with probability 0.02, so chains halve only steps that would be
        /// rejected. Particles of SMC make few moves at each temperature, and need to follow the posterior into its narrow parts within
        /// these.
        energy_tolerance(tolerance: f64) => Some(tolerance);

        /// Whether SMC in one or two coordinates may move the particles by a [`RandomWalk`], `true` by default. Trajectories are then tried
        /// only where a policy of more than the default 200 moves (`Mutations::adaptive().max_steps(N)`) lets walks need very many calls of the
        /// density. It has no effect with a step size, a length or a mass of the user.
        ///
        /// Trajectories also remember where they lost most energy, and the search for narrow modes climbs from there; walks add no such
        /// places.
        random_walk(may_walk: bool) => may_walk;

        /// The mass matrix.
        mass(mass: Mass) => mass;
    }

    fn halving(&self) -> Halving {
        let tolerance = self.energy_tolerance.unwrap_or(ENERGY_TOLERANCE);
        Halving {
            most: self.halvings,
            tolerance,
            limit: tolerance,
        }
    }

    /// Leapfrog steps of a trajectory; at most `limit` if the length is adapted.
    fn steps_at(&self, step_size: f64, limit: usize) -> usize {
        match self.length {
            Length::Steps(steps) => steps,
            Length::Time(time) => steps_within(time, step_size, MAX_LEAPFROG),
            Length::QuarterPeriod => steps_within(FRAC_PI_2, step_size, limit),
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
            Length::QuarterPeriod => FRAC_PI_2,
        }
    }

    fn trajectory_steps(&self, tuning: &Tuning) -> usize {
        self.steps_at(tuning.step_size, tuning.leapfrog_limit)
    }

    /// Plain leapfrog steps: with halving, trial moves of any size would be accepted.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        (self.halvings > 0).then(|| Box::new(self.clone().halvings(0)) as Box<dyn Kernel>)
    }

    fn walk(&self) -> Option<Box<dyn Kernel>> {
        let adapts = self.step_size.is_none() && self.length == Length::QuarterPeriod;
        let walks = self.random_walk && adapts && self.mass == Mass::Covariance;
        walks.then(|| Box::new(RandomWalk::new()) as Box<dyn Kernel>)
    }

    fn for_chains(&self) -> Option<Box<dyn Kernel>> {
        self.energy_tolerance.is_none().then(|| {
            let own = self.clone().energy_tolerance(ENERGY_TOLERANCE_OF_CHAINS);
            Box::new(own) as Box<dyn Kernel>
        })
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
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self.length {
            Length::Steps(steps) => {
                let holds = (1..=MAX_LEAPFROG_FIXED).contains(&steps);
                Error::setting("leapfrog_steps", steps, holds, "from 1 to 100000")?
            }
            Length::Time(time) => Error::setting(
                "integration_time",
                time,
                positive(time),
                "a finite number above 0",
            )?,
            Length::QuarterPeriod => {}
        }
        validate_step_size(self.step_size)?;
        validate_target_acceptance(self.target_acceptance)?;
        Error::setting(
            "jitter",
            self.jitter,
            (0.0..1.0).contains(&self.jitter),
            "from 0 to below 1",
        )?;
        let most = self.halvings;
        Error::setting("halvings", most, most <= 20, "at most 20")?;
        validate_energy_tolerance(self.halving().tolerance)?;
        validate_mass(&self.mass, density.dim())
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let dim = density.dim();
        // The optimal step of a Gaussian target scales with d^(-1/4) (Beskos et al. 2013).
        let step_size = self.step_size.unwrap_or((dim as f64).powf(-0.25));
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
        let chains = ChainBlock {
            block,
            streams,
            workspace,
        };
        self.transitions(tuning, target, chains, 1, &mut |_| tuning.step_size);
    }

    /// Particles begin their next trajectories independently, so the lengths of trajectories may differ.
    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        let dynamics = Dynamics {
            target,
            factor: &tuning.shape::<Metric>().factor,
            motion: Motion::Hamiltonian,
        };
        let launch = |tuned: f64, stream: &mut Stream| {
            let jitter = self.jitter * stream.random_range(-1.0..=1.0);
            let step_size = tuning.shortened(tuned, stream) * (1.0 + jitter);
            (step_size, self.steps_at(tuned, tuning.leapfrog_limit))
        };
        Moves::new(chains, dynamics, self.halving(), tuning.step_size, &launch).run(count, visit);
    }
}

/// round(time / step size), from 1 to `most`.
fn steps_within(time: f64, step_size: f64, most: usize) -> usize {
    ((time / step_size).round() as usize).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::FIRST_LEAPFROG_LIMIT;

    #[test]
    fn a_chosen_time_is_capped_at_a_hundred_leapfrog_steps() {
        let kernel = Hmc::new().integration_time(0.1);
        for (step_size, steps) in [(1.0, 1), (0.1, 1), (0.004, 25), (0.001, 100), (1e-9, 100)] {
            assert_eq!(kernel.steps_at(step_size, 24), steps, "{step_size}");
        }
    }

    #[test]
    fn the_default_time_is_capped_at_twenty_four_leapfrog_steps() {
        for (step_size, steps) in [(2.0, 1), (0.1, 16), (0.01, 24), (1e-9, 24)] {
            let found = Hmc::new().steps_at(step_size, FIRST_LEAPFROG_LIMIT);
            assert_eq!(found, steps, "{step_size}");
        }
        assert_eq!(Hmc::new().steps_at(0.01, 200), 157);
    }
}
