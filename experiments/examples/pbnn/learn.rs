//! The methods of the paper: each learns the params and has particles of the random weights.

use crate::task::Effort;
use bayes::optimise::{EarlyStopping, KeptWeights};
use bayes::prelude::*;

/// The methods, in the order of the tables.
pub const METHODS: [Method; 6] = [
    Method::MapHmc,
    Method::Ohsmc,
    Method::OhsmcKeepingPrior,
    Method::SgsmcHmc,
    Method::Swag,
    Method::Variational,
];

/// A method to learn the params and sample the random weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All weights at the mode, then HMC for the random ones, starting there.
    MapHmc,
    /// OHSMC with the paper's random walk of variance 0.01.
    Ohsmc,
    /// OHSMC with an Ornstein-Uhlenbeck process for a time of 0.1.
    OhsmcKeepingPrior,
    SgsmcHmc,
    Swag,
    Variational,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::MapHmc => "map-hmc",
            Self::Ohsmc => "ohsmc",
            Self::OhsmcKeepingPrior => "ohsmc-ou",
            Self::SgsmcHmc => "sgsmc-hmc",
            Self::Swag => "swag",
            Self::Variational => "vb",
        }
    }
}

/// Values of the params, and weighted particles of the random weights.
pub struct Found {
    pub psi: Vec<f64>,
    pub particles: Run,
}

impl Found {
    fn of(learnt: Learnt) -> Result<Self, bayes::Error> {
        Ok(Self {
            psi: learnt.fit.value("psi")?.to_vec(),
            particles: learnt.particles,
        })
    }
}

/// A training with its settings.
pub struct Learner<'a, M> {
    pub train: &'a M,
    /// The same with [`Task::narrow`](crate::task::Task).
    pub narrow: &'a M,
    pub validation: &'a M,
    pub minibatch: usize,
    /// The learning rate of Adam.
    pub rate: f64,
    pub effort: Effort,
}

impl<M: Rows + Differentiable> Learner<'_, M> {
    /// Trains by a method. The validation loss is computed after every minibatch, for the mode after every epoch.
    pub fn learn(&self, method: Method) -> Result<Found, bayes::Error> {
        let Effort {
            seed,
            particles,
            epochs,
            ..
        } = self.effort;
        let ohsmc = || {
            let engine = Inference::ohsmc().particles(particles).epochs(epochs);
            engine.minibatch(self.minibatch).adam(self.rate).seed(seed)
        };
        match method {
            Method::MapHmc => {
                let map = self.map()?;
                let mode = map.value("phi")?.to_vec();
                self.sampled(&map, Some(&mode))
            }
            Method::Ohsmc => Found::of(ohsmc().run_validated(self.train, self.validation)?),
            Method::OhsmcKeepingPrior => {
                let engine = ohsmc().ornstein_uhlenbeck(0.1);
                Found::of(engine.run_validated(self.train, self.validation)?)
            }
            Method::SgsmcHmc => {
                // rows one by one, with ten moves between them: a tenth of the particles costs about as much
                let learnt = Inference::sgsmc()
                    .particles((particles / 10).max(10))
                    .epochs(epochs)
                    .minibatch(self.minibatch)
                    .adam(self.rate)
                    .seed(seed)
                    .run_validated(self.train, self.validation)?;
                self.sampled(&learnt.fit, None)
            }
            Method::Swag => self.swag(),
            Method::Variational => {
                let engine = Inference::variational_em().epochs(epochs).seed(seed);
                let engine = engine.minibatch(self.minibatch).adam(self.rate);
                Found::of(engine.run_validated(self.train, self.validation)?)
            }
        }
    }

    /// The mode of all weights, with the lowest validation loss after any epoch, from a start that is usual for networks.
    fn map(&self) -> Result<Fit, bayes::Error> {
        // an epoch without movement
        let start = Inference::map()
            .adam(1e-9)
            .restarts(1)
            .minibatch(self.minibatch)
            .epochs(1)
            .seed(self.effort.seed)
            .run(self.narrow)?;
        let all_epochs = EarlyStopping::new().patience(self.effort.epochs);
        Inference::map()
            .adam(self.rate)
            .start(&start)
            .minibatch(self.minibatch)
            .epochs(self.effort.epochs)
            .early_stopping(all_epochs.keep(KeptWeights::Best))
            .seed(self.effort.seed)
            .run_validated(self.train, self.validation)
    }

    /// The posterior of the random weights at the params of a fit: 1000 draws of eight chains, from prior draws or from a position.
    fn sampled(&self, fit: &Fit, start: Option<&[f64]>) -> Result<Found, bayes::Error> {
        let psi = fit.value("psi")?.to_vec();
        let fixed = self.train.with_params(&[("psi", &psi)])?;
        let engine = Inference::hmc()
            .kernel(Hmc::new().leapfrog_steps(if self.effort.quick { 5 } else { 20 }))
            .chains(8)
            .burn_in(if self.effort.quick { 20 } else { 300 })
            .draws(if self.effort.quick { 10 } else { 125 })
            .seed(self.effort.seed);
        let engine = match start {
            None => engine,
            Some(phi) => engine.start_at(&[("phi", phi)]),
        };
        let particles = engine.run(&fixed)?;
        Ok(Found { psi, particles })
    }

    /// Continues gradient descent from the mode of the random weights at the params of the fit.
    fn swag(&self) -> Result<Found, bayes::Error> {
        let psi = self.map()?.value("psi")?.to_vec();
        let fixed = self.train.with_params(&[("psi", &psi)])?;
        let epochs = self.effort.epochs;
        let mode = Inference::map()
            .adam(self.rate)
            .restarts(1)
            .minibatch(self.minibatch)
            .epochs(epochs)
            .seed(self.effort.seed)
            .run(&fixed)?;
        let particles = Inference::swag()
            .start(&mode)
            .adam(self.rate)
            .minibatch(self.minibatch)
            .burn_in(0)
            .epochs(epochs)
            .rank(50.min(epochs - 1))
            .seed(self.effort.seed)
            .run(&fixed)?;
        Ok(Found { psi, particles })
    }
}
