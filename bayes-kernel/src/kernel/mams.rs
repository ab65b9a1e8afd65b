//! The Metropolis-adjusted microcanonical sampler (Robnik, Cohn-Gordon and Seljak 2025).

use super::halving::Moves;
use super::leapfrog::{Dynamics, Motion};
use super::macro_step::Halving;
use super::metric::{Mass, Metric, validate_mass};
use super::microcanonical::steps_about;
use super::{
    Adjustable, ChainBlock, Kernel, Population, Target, Tuning, Visit, Workspace,
    require_continuous, validate_energy_tolerance, validate_step_size, validate_target_acceptance,
};
use crate::autocorrelation::ess;
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The Metropolis-adjusted microcanonical sampler (MAMS).
///
/// A trajectory moves at unit speed, and the gradient turns its direction: with `M⁻¹ = F Fᵀ`
///
/// ```text
/// dθ/dt = F u,    du/dt = (I − u uᵀ) Fᵀ ∇ log π(θ) / (d − 1),    |u| = 1
/// ```
///
/// It begins in a uniform direction, makes a random number of leapfrog steps, uniform from 1 to about twice its mean, and its end is
/// accepted with probability `min(1, exp(−change))`, where `change` is the change of `work − log π` (equation 8 of the paper). Since the speed
/// does not depend on the density, trajectories do not slow down where it is high.
///
/// Two settings are tuned: the step size to an acceptance, and the mean length of a trajectory to the autocorrelation of the chains. The
/// directions of one coordinate are only two, and no gradient turns one into the other, so the model needs two coordinates.
///
/// For chains only.
///
/// ```
/// # use bayes_core::density::{Block, LogDensity};
/// # use bayes_core::engine::Inference;
/// # use bayes_core::kernel::{Mams, Mass};
/// # struct Plane;
/// # impl LogDensity for Plane {
/// #     fn dim(&self) -> usize { 2 }
/// #     fn evaluate(&self, block: &mut Block<'_>) { block.fill(|x| [0.0, -0.5 * (x[0] * x[0] + x[1] * x[1])]); }
/// #     fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
/// #         block.fill_gradient(|x, gradient| {
/// #             gradient.copy_from_slice(&[-x[0], -x[1]]);
/// #             [0.0, -0.5 * (x[0] * x[0] + x[1] * x[1])]
/// #         });
/// #     }
/// # }
/// # let density = Plane;
/// let kernel = Mams::new().mass(Mass::LowRank).target_acceptance(0.95);
/// let run = Inference::mams().kernel(kernel).seed(1).progress(false).run_on(&density)?;
/// assert!(run.warnings().is_empty());
/// # Ok::<(), bayes_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mams {
    step_size: Option<f64>,
    target_acceptance: f64,
    length: Option<f64>,
    mass: Mass,
    halvings: u32,
    energy_tolerance: f64,
    /// One step for each trajectory: the search for a step size.
    single: bool,
}

/// What is learnt: the mass, and the mean length of a trajectory.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Fitted {
    metric: Metric,
    length: f64,
}

/// The length of a trajectory for each integrated autocorrelation time, as a share of the length with which that was measured: so that the
/// length of a standard Gaussian, for which `√d` is best, stays (the paper, section 6).
const SHARE: f64 = 0.3;
/// The range of tuned lengths, in units of `√d`.
const RANGE: [f64; 2] = [0.25, 2.0];
/// The largest change of a length by one window of the burn-in, as a factor.
const CHANGE: f64 = 2.0;
/// The fewest states of each chain from which a length is tuned.
const LONG: usize = 50;
/// The maximum number of leapfrog steps of a trajectory: as many as the deepest default tree of NUTS has.
const MAX_STEPS: usize = 1023;

impl Default for Mams {
    fn default() -> Self {
        Self::new()
    }
}

impl Mams {
    /// The defaults of the paper: step size tuned to an acceptance of 0.9, length from the autocorrelation, starting at `√d`; mass from the
    /// variances of the burn-in, as in [`Nuts`](super::Nuts). A trajectory has at most 1023 steps.
    #[must_use]
    pub fn new() -> Self {
        Self {
            step_size: None,
            target_acceptance: 0.9,
            length: None,
            mass: Mass::Variance,
            halvings: 0,
            energy_tolerance: 2.0,
            single: false,
        }
    }

    setters! {
        /// A fixed step size instead of a tuned one, in units of the posterior's scales: a step moves a coordinate by about `ε / √d` of its
        /// standard deviations.
        step_size(step_size: f64) => Some(step_size);

        /// The target of the acceptance of trajectories, which tunes the step size.
        target_acceptance(probability: f64) => probability;

        /// A fixed mean length of trajectories instead of a tuned one, in the units of [`Mams::step_size`]: `√d` crosses a standard Gaussian of
        /// d coordinates.
        length(length: f64) => Some(length);

        /// The mass matrix; see [`Nuts::mass`](super::Nuts::mass).
        mass(mass: Mass) => mass;

        /// The maximum number of halvings of a leapfrog step where the energy changes too much, at most 20; 0 by default: every step of a
        /// trajectory has the same size. See [`Hmc::halvings`](super::Hmc::halvings).
        halvings(most: u32) => most;

        /// The change of the energy (a difference of log densities) above which a leapfrog step is halved; 2 by default.
        energy_tolerance(tolerance: f64) => tolerance;
    }

    fn halving(&self) -> Halving {
        Halving {
            most: self.halvings,
            tolerance: self.energy_tolerance,
            limit: self.energy_tolerance,
        }
    }

    /// The number of steps of a trajectory with this mean length, from a number uniform in (0, 1).
    fn steps(&self, length: f64, step_size: f64, uniform: f64) -> usize {
        if self.single {
            return 1;
        }
        steps_about(length / step_size, uniform).min(MAX_STEPS)
    }
}

impl Kernel for Mams {
    fn name(&self) -> &'static str {
        "mams"
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn moves_together(&self) -> bool {
        false
    }

    fn target_acceptance(&self) -> Option<f64> {
        self.step_size.is_none().then_some(self.target_acceptance)
    }

    fn max_step_size(&self, tuning: &Tuning) -> f64 {
        tuning.shape::<Fitted>().length
    }

    /// One step that is not divided.
    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        Some(Box::new(Self {
            halvings: 0,
            single: true,
            ..self.clone()
        }))
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
        let dim = density.dim();
        let allowed = format!(
            "`nuts` for `{}`, which has {dim} unconstrained coordinate: `mams` turns directions, which needs 2 or more",
            density.describe().name
        );
        Error::setting("kernel", self.name(), dim != 1, &allowed)?;
        validate_step_size(self.step_size)?;
        validate_target_acceptance(self.target_acceptance)?;
        if let Some(length) = self.length {
            let holds = length > 0.0 && length.is_finite();
            Error::setting("length", length, holds, "a finite number above 0")?;
        }
        let most = self.halvings;
        Error::setting("halvings", most, most <= 20, "at most 20")?;
        validate_energy_tolerance(self.energy_tolerance)?;
        validate_mass(&self.mass, dim)
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let dim = density.dim();
        let root = (dim as f64).sqrt();
        let length = self.length.unwrap_or(root);
        let metric = Metric::new(&self.mass, dim);
        let step_size = self.step_size.unwrap_or(0.2 * root);
        Ok(Tuning::new(step_size, Fitted { metric, length }))
    }

    fn fits_gradients(&self) -> bool {
        self.mass.fits_gradients()
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        let Fitted { metric, length } = tuning.shape_mut::<Fitted>();
        if self.length.is_none() {
            *length = tuned_length(*length, metric.variance.len(), population);
        }
        metric.fit_chains(&self.mass, population);
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Fitted>()
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

    /// Chains begin their next trajectories independently, since these differ in length.
    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        let Fitted { metric, length } = tuning.shape::<Fitted>();
        let dynamics = Dynamics {
            target,
            factor: &metric.factor,
            motion: Motion::Microcanonical,
        };
        let launch = |tuned: f64, stream: &mut Stream| {
            let step_size = tuning.shortened(tuned, stream);
            (step_size, self.steps(*length, tuned, stream.random()))
        };
        Moves::new(chains, dynamics, self.halving(), tuning.step_size, &launch).run(count, visit);
    }
}

/// The mean length of trajectories, from the autocorrelation times that chains had with the present length; the present one if they are too
/// short to say.
///
/// ```text
/// L ← 0.3 L τ,    1 / τ the mean over the coordinates of ESS / draws        the paper, equation 12
/// ```
fn tuned_length(length: f64, dim: usize, population: Population<'_>) -> f64 {
    let chains = population.chains.iter().max().map_or(0, |last| last + 1);
    let draws = population.chains.len() as f64;
    let mut rows = vec![Vec::new(); chains];
    for (row, chain) in population.chains.iter().enumerate() {
        rows[*chain].push(row);
    }
    if rows.iter().any(|rows| rows.len() < LONG) || rows.is_empty() {
        return length;
    }
    let share = |k: usize| {
        let of = |rows: &Vec<usize>| {
            let values = rows.iter().map(|row| population.positions[row * dim + k]);
            values.collect::<Vec<f64>>()
        };
        let values: Vec<Vec<f64>> = rows.iter().map(of).collect();
        ess(&values) / draws
    };
    let shares = (0..dim).map(share).filter(|share| share.is_finite());
    let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
    if count == 0 {
        return length;
    }
    let wanted = SHARE * length * f64::from(count) / sum;
    let root = (dim as f64).sqrt();
    let wanted = wanted.clamp(length / CHANGE, length * CHANGE);
    wanted.clamp(RANGE[0] * root, RANGE[1] * root)
}

#[cfg(test)]
mod tests {
    //! Mutations that a short program of the same moves of the same density detects: the work of the turns left out of the energy, `d` in
    //! place of `d − 1` in the turns, and a number of steps that depends on the log density of the start.

    use super::*;
    use crate::density::Particles;
    use crate::rng::{Key, Purpose};
    use rand_distr::{Distribution as _, StandardNormal};

    /// `x ~ N(0, 1)`, `y ~ N(x², ¼)`, `z ~ N(0, 4)`: a valley that bends.
    struct Bent;

    impl LogDensity for Bent {
        fn dim(&self) -> usize {
            3
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, height(x)]);
        }
        fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, slopes| {
                let across = 4.0 * (x[1] - x[0] * x[0]);
                let found = [2.0 * x[0] * across - x[0], -across, -0.25 * x[2]];
                for (slope, found) in slopes.iter_mut().zip(found) {
                    *slope = weights[1] * found;
                }
                [0.0, height(x)]
            });
        }
    }

    fn height(x: &[f64]) -> f64 {
        -0.5 * standardised(x).iter().map(|z| z * z).sum::<f64>()
    }

    /// Three independent standard normals.
    fn standardised(x: &[f64]) -> [f64; 3] {
        [x[0], 2.0 * (x[1] - x[0] * x[0]), 0.5 * x[2]]
    }

    const PARTICLES: usize = 20_000;

    fn streams(purpose: Purpose) -> Vec<Stream> {
        let key = |item| Key::new(5, purpose).item(item);
        (0..PARTICLES as u64).map(|i| key(i).stream()).collect()
    }

    /// Exact draws after five moves, and the mean acceptance.
    fn moved(kernel: &Mams) -> (Particles, f64) {
        let mut particles = Particles::new(PARTICLES, 3);
        let rows = particles.positions.chunks_exact_mut(3);
        for (x, stream) in rows.zip(&mut streams(Purpose::Initial)) {
            let z: [f64; 3] = std::array::from_fn(|_| StandardNormal.sample(stream));
            x.copy_from_slice(&[z[0], z[0] * z[0] + 0.5 * z[1], 2.0 * z[2]]);
        }
        let target = Target::posterior(&Bent);
        let tuning = kernel.init(&Bent).expect("the kernel suits the density");
        let mut workspace = Workspace::new(PARTICLES, 3);
        let mut block = particles.block();
        target.evaluate_gradient(&mut block, &mut workspace.counts);
        let mut streams = streams(Purpose::Move);
        let mut acceptance = 0.0;
        for _ in 0..5 {
            kernel.step(&tuning, target, &mut block, &mut streams, &mut workspace);
            acceptance += workspace.acceptance.iter().sum::<f64>() / (5 * PARTICLES) as f64;
        }
        (particles, acceptance)
    }

    #[test]
    fn a_bent_valley_stays_as_it_is() {
        let mams = Mams::new().step_size(0.6).mass(Mass::Identity);
        let kernels = [
            mams.clone().length(0.6),
            mams.clone().length(3.0),
            mams.halvings(4).energy_tolerance(0.2),
        ];
        for kernel in kernels {
            let (particles, acceptance) = moved(&kernel);
            assert!(
                (0.3..0.97).contains(&acceptance),
                "{kernel:?}: acceptance {acceptance} tests nothing"
            );
            for k in 0..3 {
                let of = |power: i32| {
                    let rows = particles.positions.chunks_exact(3);
                    let sum: f64 = rows.map(|x| standardised(x)[k].powi(power)).sum();
                    sum / PARTICLES as f64
                };
                // their variances are 1 and 2
                let (mean, square) = (of(1), of(2));
                let error = (PARTICLES as f64).sqrt().recip();
                assert!(mean.abs() < 5.0 * error, "{kernel:?}: mean {mean} of {k}");
                assert!(
                    (square - 1.0).abs() < 5.0 * 2f64.sqrt() * error,
                    "{kernel:?}: variance {square} of {k}"
                );
            }
        }
    }

    /// Four autoregressions of coefficient ½ have an autocorrelation time of 3, so the length should become 0.9 of what it was.
    #[test]
    fn the_length_follows_the_autocorrelation() {
        const STEPS: usize = 4000;
        let mut stream = Key::new(3, Purpose::Initial).stream();
        let (mut positions, mut chains) = (Vec::new(), Vec::new());
        let mut states = [[0.0; 2]; 4];
        for _ in 0..STEPS {
            for (chain, state) in states.iter_mut().enumerate() {
                for x in state.iter_mut() {
                    let z: f64 = StandardNormal.sample(&mut stream);
                    *x = 0.5 * *x + z;
                }
                positions.extend_from_slice(state);
                chains.push(chain);
            }
        }
        let found = |steps: usize, length: f64| {
            let population = Population {
                positions: &positions[..8 * steps],
                gradients: &[],
                chains: &chains[..4 * steps],
            };
            tuned_length(length, 2, population)
        };
        // the relative error of the time is about √(8 · 3 / (2 · 16000)) = 0.03
        assert!((found(STEPS, 1.5) / 1.35 - 1.0).abs() < 0.12);
        assert_eq!(found(LONG - 1, 1.5), 1.5);
        let longest = RANGE[1] * 2f64.sqrt();
        assert_eq!(found(STEPS, 10.0), longest);
        assert_eq!(
            tuned_length(1.5, 2, Population::of_positions(&positions)),
            1.5
        );
    }

    /// A standard normal of one coordinate.
    struct Line;

    impl LogDensity for Line {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x[0] * x[0]]);
        }
        fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, slopes| {
                slopes[0] = -x[0];
                [0.0, -0.5 * x[0] * x[0]]
            });
        }
    }

    #[test]
    fn settings_that_cannot_be_are_refused_by_name() {
        let refused = |kernel: Mams| {
            let error = kernel.validate(&Bent).expect_err("it cannot be");
            error.to_string()
        };
        for (kernel, want) in [
            (
                Mams::new().length(0.0),
                "setting `length` is 0, must be a finite number above 0",
            ),
            (
                Mams::new().halvings(21),
                "setting `halvings` is 21, must be at most 20",
            ),
            (
                Mams::new().target_acceptance(1.0),
                "setting `target_acceptance` is 1, must be between 0 and 1",
            ),
        ] {
            assert_eq!(refused(kernel), want);
        }
        let error = Mams::new()
            .validate(&Line)
            .expect_err("it has one direction");
        let text = error.to_string();
        assert!(
            text.starts_with("setting `kernel` is mams, must be `nuts` for "),
            "{text}"
        );
    }
}
