//! Markov chains, serial or many in parallel: the papers' MCMC and MCMC∥.

use super::burn_in::BurnIn;
use super::mover::{self, Mover};
use crate::density::{ArithmeticSettings, Density, Gradient, Particles, Posterior};
use crate::error::Error;
use crate::kernel::{Kernel, Moves, Target, Tuning};
use crate::model::Model;
use crate::report::{Bar, Progress};
use crate::rng::{Key, Purpose};
use crate::run::{Counts, Group, Run, Stage, Weighting};
use bayes_autodiff::simd::Level;
use rayon::prelude::*;

/// Builder of Markov-chain runs.
///
/// Every chain starts from its own draw from the prior (of a [`Flat`](crate::dist::Flat) prior: from an unconstrained
/// coordinate uniform on (-2, 2)), makes `burn_in` steps during which the kernel is tuned, then
/// keeps `draws` states, one every `thin` steps. Serial MCMC is one chain; the papers' MCMC∥ is many chains with
/// `.draws(1)`: each keeps only its last state, and the bias left by the burn-in does not fall with their number.
///
/// Chains are tuned in groups of 16 by their index, so that a long run of few chains and a short run of many both learn
/// their step size and scales; the groups never communicate.
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Chains<K> {
    engine: &'static str,
    kernel: K,
    settings: Settings,
    arithmetic: ArithmeticSettings,
    progress: bool,
}

#[derive(Clone, Debug)]
struct Settings {
    chains: usize,
    burn_in: usize,
    draws: usize,
    thin: usize,
    seed: u64,
}

/// Chains that are tuned together. Fixed: what is computed must not depend on the number of threads.
const GROUP: usize = 16;
/// Draws from the prior tried for a chain's start.
const STARTS: u32 = 100;

impl<K> Chains<K> {
    pub(super) fn new(engine: &'static str, kernel: K, burn_in: usize, thin: usize) -> Self {
        let settings = Settings {
            chains: 4,
            burn_in,
            draws: 1000,
            thin,
            seed: 0,
        };
        Self {
            engine,
            kernel,
            settings,
            arithmetic: ArithmeticSettings::default(),
            progress: true,
        }
    }

    /// Number of chains, at least 1.
    pub fn chains(mut self, chains: usize) -> Self {
        self.settings.chains = chains;
        self
    }

    /// Steps B before the first draw is kept, during which the kernel is tuned.
    pub fn burn_in(mut self, steps: usize) -> Self {
        self.settings.burn_in = steps;
        self
    }

    /// Draws kept of each chain, at least 1.
    pub fn draws(mut self, draws: usize) -> Self {
        self.settings.draws = draws;
        self
    }

    /// Steps T from one kept draw to the next, at least 1.
    pub fn thin(mut self, steps: usize) -> Self {
        self.settings.thin = steps;
        self
    }

    /// The kernel with its settings.
    pub fn kernel(mut self, kernel: K) -> Self {
        self.kernel = kernel;
        self
    }

    /// How gradients are computed; chosen by the model's dimension unless set.
    pub fn gradient(mut self, gradient: Gradient) -> Self {
        self.arithmetic.gradient = gradient;
        self
    }

    /// The instruction set; the fastest of the processor unless set. Two of them may differ in the last bits of a result.
    pub fn instruction_set(mut self, level: Level) -> Self {
        self.arithmetic.instruction_set = Some(level);
        self
    }

    /// The seed of every random number: same seed, same bits, for any number of threads.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Whether to show progress on stderr (only where that is a terminal).
    pub fn progress(mut self, show: bool) -> Self {
        self.progress = show;
        self
    }

    /// Runs the chains on `model`.
    ///
    /// # Errors
    /// A setting out of range, an instruction set that the processor lacks, data that do not fit the model, or no starting point of finite density in 100 draws
    /// from the prior; all before the first move.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
    {
        self.settings.validate()?;
        let posterior = Posterior::with(model, self.settings.seed, self.arithmetic)?;
        self.kernel.validate(posterior.layout().dim)?;
        if let Some(needed_for) = self.kernel.needs_proper_prior() {
            posterior.require_proper_prior(needed_for)?;
        }
        let chains = self.settings.chains;
        let progress = Progress::new(self.progress, chains.div_ceil(GROUP));
        let groups: Result<Vec<Vec<Group>>, Error> = (0..chains.div_ceil(GROUP))
            .into_par_iter()
            .map(|g| {
                let first = g * GROUP;
                let size = GROUP.min(chains - first);
                run_group(
                    &self.settings,
                    &posterior,
                    &self.kernel,
                    first..first + size,
                    &progress.island(g),
                )
            })
            .collect();
        Ok(Run {
            model: model.name().to_owned(),
            engine: self.engine.to_owned(),
            kernel: self.kernel.name().to_owned(),
            seed: self.settings.seed,
            arithmetic: posterior.arithmetic().clone(),
            weighting: Weighting::Chains,
            layout: posterior.layout().clone(),
            statements: posterior.statements(),
            groups: groups?.concat(),
        })
    }
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        Error::setting("chains", self.chains, self.chains >= 1, "at least 1")?;
        Error::setting("draws", self.draws, self.draws >= 1, "at least 1")?;
        Error::setting("thin", self.thin, self.thin >= 1, "at least 1")
    }

    fn key(&self, chain: usize, stage: u32, purpose: Purpose) -> Key {
        Key {
            seed: self.seed,
            group: 0,
            item: chain as u64,
            stage,
            purpose,
        }
    }
}

/// Runs the chains with these indices.
fn run_group(
    settings: &Settings,
    density: &dyn Density,
    kernel: &dyn Kernel,
    chains: std::ops::Range<usize>,
    bar: &Bar,
) -> Result<Vec<Group>, Error> {
    let target = Target {
        density,
        lambda: 1.0,
    };
    let (mut particles, mut counts) = start(settings, density, &chains)?;
    let streams = chains
        .clone()
        .map(|c| settings.key(c, 0, Purpose::Move).stream())
        .collect();
    let mut mover = Mover::new(kernel, particles.dim, streams);
    mover.refresh(&mut particles, target);
    let mut tuning = kernel.init(density);
    // The group's own streams: `item` will name the pilot.
    let group = (chains.start / GROUP) as u64;
    let key = Key {
        group,
        ..settings.key(0, 0, Purpose::Tune)
    };
    let mut burn_in = BurnIn::new(kernel, target, settings.burn_in, key);
    burn_in.run(&mut mover, &mut particles, &mut tuning, bar);
    counts.merge(&burn_in.counts);
    let acceptance = burn_in.acceptances();
    sample(
        settings,
        mover,
        particles,
        Sampling {
            target,
            tuning,
            chains,
            counts,
            acceptance,
            thin: settings.thin,
        },
        bar,
    )
}

/// What the sampling phase starts from.
struct Sampling<'a> {
    target: Target<'a>,
    tuning: Tuning,
    chains: std::ops::Range<usize>,
    counts: Counts,
    /// Each chain's mean acceptance probability, of the burn-in until draws were made.
    acceptance: Vec<f64>,
    thin: usize,
}

fn sample(
    settings: &Settings,
    mut mover: Mover<'_>,
    mut particles: Particles,
    mut state: Sampling<'_>,
    bar: &Bar,
) -> Result<Vec<Group>, Error> {
    let mut draws = vec![Vec::new(); state.chains.len()];
    for done in 0..settings.draws {
        // With burn-in the first draw is its last state: MCMC∥ with one draw makes B steps, not B + T.
        if done > 0 || settings.burn_in == 0 {
            let tuning = &state.tuning;
            mover.step(
                &mut particles,
                [tuning, tuning],
                state.target,
                settings.thin,
            );
        }
        for (i, kept) in draws.iter_mut().enumerate() {
            kept.extend(state.target.density.output(particles.position(i)));
        }
        bar.draw(done + 1, settings.draws);
    }
    bar.finish();
    if settings.draws > 1 || settings.burn_in == 0 {
        state.acceptance = mover.take_acceptances();
    }
    state.counts.merge(&mover.counts());
    Ok(draws
        .into_iter()
        .enumerate()
        .map(|(i, draws)| state.group(i, draws))
        .collect())
}

impl Sampling<'_> {
    fn group(&self, chain: usize, draws: Vec<f64>) -> Group {
        let stage = Stage {
            lambda: 1.0,
            ess: f64::NAN,
            log_increment: 0.0,
            acceptance: self.acceptance[chain],
            step_size: self.tuning.step_size,
            mutations: self.thin,
            unique_ancestors: 1,
        };
        // The group's work is booked once, on its first chain: a sum over chains is then the total.
        let counts = if chain == 0 {
            self.counts.clone()
        } else {
            Counts::default()
        };
        Group {
            log_evidence: None,
            draws,
            ancestors: Vec::new(),
            history: vec![stage],
            counts,
        }
    }
}

/// Draws starting points from the prior until each has a finite density.
fn start(
    settings: &Settings,
    density: &dyn Density,
    chains: &std::ops::Range<usize>,
) -> Result<(Particles, Counts), Error> {
    let dim = density.layout().dim;
    let mut particles = Particles::new(chains.len(), dim);
    let mut counts = Counts::default();
    for (i, chain) in chains.clone().enumerate() {
        let mut one = Particles::new(1, dim);
        let found = (0..STARTS).any(|attempt| {
            let key = settings.key(chain, attempt, Purpose::Initial);
            density.draw_prior(&mut key.stream(), &mut one.positions);
            counts.merge(&mover::evaluate(&mut one, density));
            one.block().log_density(0, 1.0).is_finite()
        });
        if !found {
            return Err(density.start_error(&one.positions, STARTS as usize));
        }
        particles.block().take(i, &one.block());
    }
    Ok((particles, counts))
}
