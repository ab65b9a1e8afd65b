//! The methods: a point, an ensemble of points, and samples of the anchored posterior.

use crate::mnist7::with_prior;
use crate::started::Started;
use crate::task::{Settings, Start, Stop, Task};
use bayes::Error;
use bayes::density::{Anchored, LogDensity, Posterior};
use bayes::engine::{AnchoredPrior, Chains};
use bayes::nn::{Sequential, WeightPrior};
use bayes::optimise::{EarlyStopping, KeptWeights};
use bayes::prelude::*;
use serde::{Deserialize, Serialize};

/// A method to find weights of the network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Method {
    Map,
    Ensemble,
    /// SMC∥ of the anchored posterior with this scale.
    Smc(f64),
    /// SMC∥ with s = 0.1, each island with its own MAP.
    SmcMaps,
    /// HMC∥ of the anchored posterior with this scale.
    Hmc(f64),
    /// HMC∥ with the scale that has the lowest validation NLL.
    HmcChosen,
}

impl Method {
    pub fn name(self) -> String {
        match self {
            Self::Map => "MAP".to_owned(),
            Self::Ensemble => "DE".to_owned(),
            Self::Smc(s) => format!("SMC s={s}"),
            Self::SmcMaps => "SMC own MAPs".to_owned(),
            Self::Hmc(s) => format!("HMC s={s}"),
            Self::HmcChosen => "HMC s chosen".to_owned(),
        }
    }

    /// The methods for a task, the long methods first.
    pub fn all(settings: &Settings, is_quick: bool) -> Vec<Self> {
        if is_quick {
            return vec![Self::Smc(0.1), Self::Hmc(0.1), Self::Ensemble, Self::Map];
        }
        let scales = || settings.scales.iter().copied();
        let mut all: Vec<Self> = scales()
            .map(Self::Smc)
            .chain(scales().map(Self::Hmc))
            .collect();
        if settings.scales.len() > 1 {
            all.extend([Self::SmcMaps, Self::HmcChosen]);
        }
        all.extend([Self::Ensemble, Self::Map]);
        all
    }
}

/// Numbers of members, and lengths of runs.
#[derive(Clone, Debug, Serialize)]
pub struct Effort {
    /// N, the particles of an island.
    pub particles: usize,
    /// The values of P, in increasing order; a larger P adds islands or chains to the smaller one.
    pub islands: Vec<usize>,
    /// Largest number of epochs of the optimiser.
    pub epochs: usize,
    /// The divisor of steps and moves.
    pub shorter: usize,
}

impl Effort {
    pub fn of(is_quick: bool) -> Self {
        match is_quick {
            false => Self {
                particles: 10,
                islands: vec![1, 2, 4, 8],
                epochs: 1000,
                shorter: 1,
            },
            true => Self {
                particles: 4,
                islands: vec![1, 2],
                epochs: 40,
                shorter: 5,
            },
        }
    }

    fn most(&self) -> usize {
        self.islands.iter().copied().max().unwrap_or(1)
    }
}

/// Weights that a method found.
pub struct Members {
    /// `[members][weights of the network]`.
    pub draws: Vec<Vec<f64>>,
    /// Weights of the first members for each P; for islands both by their evidence and equal.
    pub shares: Vec<Shares>,
    /// Gradients of all data for each member, without the MAP's.
    pub epochs: f64,
    /// Epochs of the MAP that anchors the posterior, or of all MAPs; 0 without a MAP.
    pub map_epochs: f64,
    /// The scale, if it was chosen.
    pub scale: Option<f64>,
}

/// Weights of some members.
pub struct Shares {
    /// Whether islands have equal weights instead of weights by their evidence.
    pub is_equal: bool,
    /// The weights, which sum to 1.
    pub weights: Vec<f64>,
}

/// The common input of all methods.
pub struct Job<'a> {
    pub task: &'a Task,
    pub effort: &'a Effort,
    pub seed: u64,
}

impl Job<'_> {
    pub fn run(&self, method: Method) -> Result<Members, Error> {
        match method {
            Method::Map => {
                let fit = self.map()?;
                Ok(Members {
                    draws: vec![fit.value("theta")?.to_vec()],
                    shares: vec![Shares {
                        is_equal: false,
                        weights: vec![1.0],
                    }],
                    epochs: epochs(&fit),
                    map_epochs: 0.0,
                    scale: None,
                })
            }
            Method::Ensemble => self.ensemble(),
            Method::Smc(s) => self.smc(&[self.map()?], s),
            Method::SmcMaps => self.smc(&self.maps(self.effort.most())?.split(), 0.1),
            Method::Hmc(s) => self.hmc(&self.map()?, s),
            Method::HmcChosen => self.chosen(),
        }
    }

    /// The MAP, stopped early by the validation rows as in the paper.
    fn map(&self) -> Result<Fit, Error> {
        self.maps(1)
    }

    /// Several MAPs, from different starting points.
    pub fn maps(&self, count: usize) -> Result<Fit, Error> {
        let settings = &self.task.settings;
        let [training, validation] = self.task.split();
        let [training, validation] =
            [&training, &validation].map(|rows| rows.model(&self.task.net));
        let mut map = Inference::map()
            .adam(1e-3)
            .minibatch(settings.batch)
            .epochs(self.effort.epochs)
            .restarts(count)
            .seed(self.seed)
            .progress(false);
        if let Start::Kaiming = settings.start {
            map = map.start(&self.kaiming(count)?);
        }
        match settings.stop {
            Stop::Last => map.run_validated(&training, &validation),
            Stop::Best => map
                .early_stopping(EarlyStopping::new().keep(KeptWeights::Best))
                .run_validated(&training, &validation),
            Stop::After(epochs) => map
                .epochs(epochs.div_ceil(self.effort.shorter))
                .run(&training),
        }
    }

    /// Draws from a prior with variance 2 / fan-in, as a fit without training.
    fn kaiming(&self, count: usize) -> Result<Fit, Error> {
        let net = with_prior(WeightPrior::Kaiming);
        let [training, _] = self.task.split();
        Inference::map()
            .adam(1e-12)
            .epochs(1)
            .restarts(count)
            .seed(self.seed)
            .progress(false)
            .run(&training.model(&net))
    }

    fn ensemble(&self) -> Result<Members, Error> {
        let [training, validation] = self.task.split();
        let batch = self.task.settings.batch;
        let members = self.effort.particles * self.effort.most();
        let members = members.min(self.task.settings.most_in_ensemble);
        let run = Inference::ensemble(members)
            .adam(1e-3)
            .minibatch(batch)
            .epochs(self.effort.epochs)
            .seed(self.seed)
            .progress(false)
            .run_validated(
                &training.model(&self.task.net),
                &validation.model(&self.task.net),
            )?;
        let batches = self.task.training.div_ceil(batch);
        self.equal_members(&run, 1.0 / batches as f64, 0.0)
    }

    /// The paper's kernel: one leapfrog step of one size, mass 1.
    fn kernel() -> Hmc {
        Hmc::new()
            .leapfrog_steps(1)
            .mass(Mass::Identity)
            .jitter(0.0)
            .halvings(0)
            .target_acceptance(0.7)
    }

    fn smc(&self, fits: &[Fit], s: f64) -> Result<Members, Error> {
        let run = Inference::psmc()
            .islands(self.effort.most())
            .particles(self.effort.particles)
            .kernel(Self::kernel())
            .step_size_mixture(0.0)
            .states_kept(1)
            .ess_target(0.5)
            .mutations(self.task.settings.moves.div_ceil(self.effort.shorter))
            .seed(self.seed)
            .progress(false)
            .anchors(fits, s)
            .run(&self.task.data.model(&self.task.net))?;
        let shares = |is_equal, islands| {
            let mut part = run.clone();
            part.groups.truncate(islands);
            if is_equal {
                part.weighting = Weighting::Equal;
            }
            Shares {
                is_equal,
                weights: part.draw_weights(),
            }
        };
        let sizes = || self.effort.islands.iter().copied();
        let by_evidence = sizes().map(|islands| shares(false, islands));
        // one island has a single weight
        let equal = sizes().filter(|n| *n > 1).map(|n| shares(true, n));
        Ok(Members {
            shares: by_evidence.chain(equal).collect(),
            ..self.equal_members(&run, 1.0, fits.iter().map(epochs).sum())?
        })
    }

    pub fn hmc(&self, fit: &Fit, s: f64) -> Result<Members, Error> {
        let run = self
            .chains(fit, s, self.effort.most())
            .run(&self.task.data.model(&self.task.net))?;
        self.equal_members(&run, 1.0, epochs(fit))
    }

    /// HMC∥ that starts at the anchored prior, but has the prior of another network around the same point.
    pub fn with_two_priors(&self, fit: &Fit, s: f64, other: &Sequential) -> Result<Members, Error> {
        let data = &self.task.data;
        let [model, other] = [data.model(&self.task.net), data.model(other)];
        let [own, other] = [
            Posterior::new(&model, self.seed)?,
            Posterior::new(&other, self.seed)?,
        ];
        let start = Anchored::new(&own, fit.position(), s.sqrt())?;
        let density = Started {
            density: &Anchored::new(&other, fit.position(), 1.0)?,
            start: start.prior().expect("an anchored density has a prior"),
        };
        let run = self.unanchored(self.effort.most()).run_on(&density)?;
        self.equal_members(&run, 1.0, epochs(fit))
    }

    /// HMC∥; each chain keeps its last state.
    fn chains(&self, fit: &Fit, s: f64, islands: usize) -> Chains<Hmc, AnchoredPrior> {
        self.unanchored(islands).anchor(fit, s)
    }

    fn unanchored(&self, islands: usize) -> Chains<Hmc> {
        let steps = self.task.settings.steps.div_ceil(self.effort.shorter);
        Inference::hmc()
            .chains(self.effort.particles * islands)
            .burn_in(steps - 1)
            .draws(1)
            .thin(1)
            .kernel(Self::kernel())
            .seed(self.seed)
            .progress(false)
    }

    /// Runs each scale on the rows of the optimiser; then the scale with the best validation NLL on all rows.
    fn chosen(&self) -> Result<Members, Error> {
        let fit = self.map()?;
        let [training, validation] = self.task.split();
        let [training, validation] =
            [&training, &validation].map(|rows| rows.model(&self.task.net));
        let scales = &self.task.settings.scales;
        let choice = choose(scales.iter().copied(), &validation, |s| {
            self.chains(&fit, *s, 1).run(&training)
        })?;
        let members = self.hmc(&fit, choice.setting)?;
        Ok(Members {
            scale: Some(choice.setting),
            ..members
        })
    }

    /// The equally weighted draws of a run, whose gradients use this share of the data.
    fn equal_members(&self, run: &Run, share: f64, map_epochs: f64) -> Result<Members, Error> {
        let draws: Vec<Vec<f64>> = run.draws("theta")?.rows().map(<[f64]>::to_vec).collect();
        let sizes = self
            .effort
            .islands
            .iter()
            .map(|islands| islands * self.effort.particles);
        let sizes = sizes.filter(|n| *n <= draws.len());
        let equal = |n: usize| Shares {
            is_equal: false,
            weights: vec![1.0 / n as f64; n],
        };
        let gradients = run.counts().gradient_evaluations as f64;
        Ok(Members {
            shares: sizes.map(equal).collect(),
            epochs: gradients * share / draws.len() as f64,
            map_epochs,
            draws,
            scale: None,
        })
    }
}

/// Epochs of a fit.
pub fn epochs(fit: &Fit) -> f64 {
    fit.restart().losses.len() as f64
}
