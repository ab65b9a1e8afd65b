//! The setters of every engine, and of engines whose work can be divided, limited, or begun at a fit: each setter once.

use super::{Algorithm, Builder};
use crate::density::GradientMode;
use crate::engine::anchor::{AnchoredPrior, ScaleMode};
use crate::engine::budget::Budget;
use crate::engine::common::Common;
use crate::engine::save::shard::Shard;
use crate::observe::Observer;
use crate::run::Fit;
use bayes_autodiff::simd::InstructionSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An algorithm of islands, or of groups of chains, that never communicate: a run can be spread over processes, saved and continued.
pub trait Divisible: Algorithm {}

impl<A, K, P> Builder<A, K, P> {
    /// The same engine after a change of the common settings.
    pub(in crate::engine) fn set_common(mut self, change: impl FnOnce(&mut Common)) -> Self {
        change(&mut self.runner.common);
        self
    }

    /// How gradients are computed; reverse mode by default.
    pub fn gradient(self, gradient: GradientMode) -> Self {
        self.set_common(|common| common.arithmetic.gradient = gradient)
    }

    /// The instruction set; by default the fastest of the processor. Results may differ in the last bits between
    /// instruction sets.
    pub fn instruction_set(self, level: InstructionSet) -> Self {
        self.set_common(|common| common.arithmetic.instruction_set = Some(level))
    }

    /// The seed of all random numbers. The same seed gives the same bits for any number of threads.
    pub fn seed(self, seed: u64) -> Self {
        self.set_common(|common| common.seed = seed)
    }

    /// Adds an observer, which is called during the run.
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        self.set_common(|common| common.observers.push(observer))
    }

    /// Whether to show progress on stderr (only if that is a terminal).
    pub fn progress(self, show: bool) -> Self {
        self.set_common(|common| common.progress = show)
    }
}

impl<A: Divisible, K, P> Builder<A, K, P> {
    /// Only part `index`, from 0, of `of` parts of a run that is spread over several processes.
    ///
    /// [`Run::merge`](crate::run::Run::merge) turns all parts, in any order, into the bytes of the whole run. Islands are dealt one
    /// by one. Chains are dealt in groups that are tuned together: 16 chains, or 8 with parallel tempering.
    pub fn shard(self, index: usize, of: usize) -> Self {
        self.set_common(|common| common.shard = Some(Shard { index, of }))
    }

    /// Saves the run in this folder while it goes on. After the process ended for any reason, the same command continues from the
    /// saved state and gives the bytes of an uninterrupted run. After the run was finished, the command returns the result at once.
    ///
    /// An island can continue from each temperature. A group of chains can continue from the end of each window of its burn-in
    /// (Stan's), and later from any draw; parallel tempering from any scan. Unfinished islands or groups are written at most every
    /// ten seconds (see `checkpoint_interval`), finished ones together.
    ///
    /// The folder is created if it is missing; each run needs its own. If the folder holds a run with another model, data, engine,
    /// settings, seed, version or instruction set, the run ends before it begins with
    /// [`Error::Checkpoint`](crate::Error::Checkpoint), which names the difference; the number of islands may differ. If another
    /// process writes to the folder, the error is [`FileError::InUse`](crate::run::FileError::InUse). Damaged files are renamed to
    /// `.damaged`, and their contents are computed again. [`Observer::trouble`](crate::observe::Observer::trouble) receives a message
    /// about each damaged file and each failed write; neither stops the run. A density written by hand needs
    /// [`Quantities::fingerprint`](crate::density::Quantities::fingerprint).
    pub fn checkpoint(self, folder: impl Into<PathBuf>) -> Self {
        self.set_common(|common| common.checkpoint = Some(folder.into()))
    }

    /// The minimum time between two checkpoints of an unfinished island or group of chains; ten seconds by default. The pause after a
    /// write lasts at least 200 times as long as the write, so that checkpoints take less than 1% of the time. With zero, the run
    /// writes at every possible point.
    pub fn checkpoint_interval(self, interval: Duration) -> Self {
        self.set_common(|common| common.checkpoint_interval = interval)
    }

    /// Refuses to begin a run that would take more bytes of memory, with [`Error::Memory`](crate::Error::Memory), which lists smaller
    /// runs that fit. The estimate follows from the numbers of draws, coordinates and threads.
    /// [`Observer::memory`](crate::observe::Observer::memory) always receives the estimate, and `model.check(..)` prints it for the
    /// defaults. The estimate leaves out the data, the recording of the model and, with an adaptive ladder of parallel tempering, the
    /// temperatures beyond 16. If the run is spread over several processes, the limit is for this process alone. What is asked of the run
    /// keeps to it too ([`Run::memory_limit`](crate::run::Run::memory_limit)).
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.set_common(|common| common.memory_limit = Some(bytes))
    }

    /// Whether to search for an improper posterior before the run, and to refuse it with [`Error::Improper`](crate::Error::Improper);
    /// `true` by default. The search climbs from a few draws of the prior, in at most 200 coordinates, and takes some hundred
    /// to some thousand gradients, at most 30,000. The counts of the run leave them out; a time limit does not.
    pub fn check_propriety(self, check: bool) -> Self {
        self.set_common(|common| common.checks_propriety = check)
    }

    /// Stops the run soon after `flag` becomes true. No further island or group of chains begins. Running ones stop at the next
    /// possible checkpoint, and are saved if there is a folder of checkpoints. The library handles no signals by itself; with the
    /// crate signal-hook, `signal_hook::flag::register(SIGINT, Arc::clone(&flag))` lets Ctrl-C set the flag.
    ///
    /// The result is a run of the finished islands or chains, with a warning, because quick islands are then too frequent. If none is
    /// finished, the error is [`Error::Stopped`](crate::Error::Stopped).
    pub fn stop_when(self, flag: Arc<AtomicBool>) -> Self {
        self.set_common(|common| common.stop = Some(flag))
    }
}

impl<A: AsMut<Budget>, K, P> Builder<A, K, P> {
    /// The time of a run: makes only as many islands, or draws of each chain, as fit by a forecast, at least one.
    ///
    /// The number is decided before any island or draw is seen, so it causes no bias of islands, and for chains none beyond the bias of
    /// short chains, which R-hat shows. A rerun may make another number. The limit itself holds on average. At one and a half times the
    /// limit whatever phase is at work ends, also the search for an improper posterior, a pilot or the outputs of draws: the density is
    /// not evaluated any more, and what is unfinished is thrown away. An evaluation that has begun is finished. The comparison of the gradient
    /// with differences at the end of a run takes up to a quarter of the limit more; a comparison that is cut is no warning.
    ///
    /// - Islands: a rehearsal shows the cost of an island on this machine; it is discarded if other islands are made, and is counted with
    ///   island 0. If islands are given up, the result has the other islands, with a warning that the run was stopped: a stopped run
    ///   favours quick islands, and the time of an island is related to its result (Glynn & Heidelberger 1991). The rehearsal replaces
    ///   the first island if that is unfinished; if neither is finished, the error is [`Error::TimeLimit`](crate::Error::TimeLimit), which
    ///   says how far the run came. With a folder of checkpoints the limit is for each process, and a temperature that has begun is
    ///   finished.
    /// - Chains: the burn-in of the first group of chains shows the cost of a step, so the limit needs some burn-in; if the burn-in is
    ///   unfinished, the error is [`Error::TimeLimit`](crate::Error::TimeLimit). Chains slower than the forecast end after a draw, and
    ///   all chains are cut to the number of draws of the shortest, so that they are equally long. The limit is not for parts of a run
    ///   or for folders of checkpoints, where [`Builder::stop_when`] ends a run that goes on later.
    pub fn time_limit(self, limit: Duration) -> Self {
        self.set(|algorithm| algorithm.as_mut().time = Some(limit))
    }

    /// The approximate number of gradients of a run with its burn-in, or with its pilot and rehearsal. Same as [`Builder::time_limit`],
    /// but the number of islands or draws is the same in every rerun. For kernels that use gradients. With it particles in one or two
    /// coordinates do not walk ([`Hmc::random_walk`](crate::kernel::Hmc::random_walk)), because a walk needs no gradients.
    pub fn gradient_limit(self, limit: u64) -> Self {
        self.set(|algorithm| algorithm.as_mut().gradients = Some(limit))
    }
}

impl<A: AsMut<Option<AnchoredPrior>>, K> Builder<A, K> {
    /// Moves the model's Gaussian prior to the point of a fit and multiplies its variances by `scale`: SBMC(s) of "Scalable Bayesian
    /// Monte Carlo". The likelihood does not change.
    ///
    /// ```text
    /// x ~ N(x_fit, s V)   where the model has x ~ N(m, V),   0 < s < 1;   at s = 1 the prior is the model's own
    /// ```
    ///
    /// in the unconstrained coordinates x. As s grows, the posterior goes from a point at the fit (s → 0) towards the model's posterior,
    /// but not all the way: for s < 1 it stays centred at the fit. `comparison::choose` finds the s that predicts held-out data best.
    /// Each random value needs a prior such as `Normal` whose parameters are numbers; with any other prior in the model `run` does not
    /// compile.
    pub fn anchor(self, fit: &Fit, scale: f64) -> Builder<A, K, AnchoredPrior> {
        self.anchored(AnchoredPrior::new([fit], scale))
    }

    pub(in crate::engine) fn anchored(self, prior: AnchoredPrior) -> Builder<A, K, AnchoredPrior> {
        self.set(|algorithm| *algorithm.as_mut() = Some(prior))
            .with(|algorithm| algorithm)
    }
}

impl<A: AsMut<Option<AnchoredPrior>>, K> Builder<A, K, AnchoredPrior> {
    /// Whether the scale of the anchored prior multiplies variances (the default) or standard deviations.
    pub fn scale_mode(self, mode: ScaleMode) -> Self {
        self.set(|algorithm| {
            let anchors = algorithm.as_mut();
            *anchors = anchors.take().map(|prior| prior.mode(mode));
        })
    }
}
