//! Coordinates that all particles have in common, such as the params of a model: stored once, with their slopes added up over particles.
//!
//! If the weights of the first layers of a network are among them, these layers have the same outputs for all particles: the *features*.
//! They are computed once, and the sum of their slopes passes back through the layers once, for any number of particles.

use super::Trace;
use super::bulk::Outputs;
use super::node::Id;
use super::numbers::Source;
use super::recording::Recording;
use super::replay::{Common, Replay};
use super::tracer::Number;
use crate::batch::Batch;
use crate::network::Network;
use crate::simd::{InstructionSet, LANES, dispatch};
use std::ops::Range;

/// A weight of layers whose outputs are features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weight {
    /// A number.
    Known(f64),
    /// A multiple of a shared coordinate.
    Multiple { of: u32, factor: f64 },
}

/// The first layers of a network on rows of data, if they depend only on numbers and shared coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Features {
    /// The layers and their rows.
    pub(super) layers: Outputs,
    pub(super) weights: Vec<Weight>,
    /// The place of their outputs among the copied numbers, column by column.
    pub(super) copied: usize,
    /// The place of their outputs among the features that depend on coordinates.
    pub(super) first: usize,
}

impl Features {
    /// Number of outputs.
    pub(super) fn len(&self) -> usize {
        self.layers.rows * self.layers.network.outputs()
    }

    /// Whether they depend on coordinates.
    pub(super) fn is_shared(&self) -> bool {
        let mut weights = self.weights.iter();
        weights.any(|weight| matches!(weight, Weight::Multiple { .. }))
    }

    /// Number of outputs if they depend on coordinates, else 0.
    pub(super) fn shared_len(&self) -> usize {
        if self.is_shared() { self.len() } else { 0 }
    }

    /// Writes the outputs to the copied numbers, at a position whose shared coordinates are read.
    fn fill(
        &self,
        level: InstructionSet,
        source: Source<'_>,
        position: &[f64],
        copied: &mut [f64],
    ) {
        let found = self
            .layers
            .applied(source)
            .columns(level, self.weight(position));
        copied[self.copied..][..self.len()].copy_from_slice(&found);
    }

    fn all(&self) -> Range<usize> {
        self.first..self.first + self.len()
    }

    /// The weights, at these coordinates.
    fn weight<'a>(&'a self, position: &'a [f64]) -> impl Fn(usize) -> f64 + 'a {
        |k| match self.weights[k] {
            Weight::Known(x) => x,
            Weight::Multiple { of, factor } => factor * position[of as usize],
        }
    }
}

/// The shared coordinates of a trace.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedCoordinates {
    /// One flag per coordinate: whether it is shared, `[dim]`; empty if none are.
    pub(super) is_shared: Vec<bool>,
    /// The shared coordinates that operations use.
    used: Vec<u32>,
    /// The remaining coordinates.
    random: Vec<u32>,
    pub(super) features: Vec<Features>,
}

impl SharedCoordinates {
    pub(super) fn of(recording: &Recording, outputs: [Number; 2]) -> Self {
        let is_shared = recording.shared.clone();
        let mut is_used = vec![false; is_shared.len()];
        // inputs are the first nodes, in their order
        let mut uses = |id: Id| {
            if let Some(is_used) = is_used.get_mut(id as usize) {
                *is_used = true;
            }
        };
        for node in &recording.nodes {
            node.operands(&recording.bulks, &mut uses);
        }
        outputs.into_iter().filter_map(|x| x.id).for_each(uses);
        let coordinates = |wanted: fn([bool; 2]) -> bool| -> Vec<u32> {
            let flags = is_shared.iter().zip(&is_used).map(|(s, u)| [*s, *u]);
            let chosen = flags.enumerate().filter(|(_, flags)| wanted(*flags));
            chosen.map(|(k, _)| k as u32).collect()
        };
        Self {
            used: coordinates(|[shared, used]| shared && used),
            random: coordinates(|[shared, _]| !shared),
            features: recording.features.clone(),
            is_shared,
        }
    }

    /// The shared coordinates, or the remaining ones, from all coordinates.
    fn part(&self, all: &[f64], shared: bool) -> Vec<f64> {
        let pairs = all.iter().zip(&self.is_shared);
        let wanted = pairs.filter(|(_, is_shared)| **is_shared == shared);
        wanted.map(|(x, _)| *x).collect()
    }
}

/// A trace at values of its shared coordinates: the densities of the other coordinates.
#[derive(Debug)]
pub struct Sharing<'t> {
    trace: &'t Trace<'t>,
    level: InstructionSet,
    /// All coordinates, the shared ones with their values.
    position: Vec<f64>,
    /// The copied numbers, with the features.
    copied: Vec<f64>,
}

impl<'t> Sharing<'t> {
    pub(super) fn new(trace: &'t Trace<'t>, level: InstructionSet, shared: &[f64]) -> Self {
        let mut values = shared.iter();
        let of = |is_shared: &bool| match is_shared {
            true => *values.next().expect("a value for every shared coordinate"),
            false => 0.0,
        };
        let position: Vec<f64> = trace.shared.is_shared.iter().map(of).collect();
        assert!(
            values.next().is_none(),
            "no more values than shared coordinates"
        );
        let source = trace.source(level);
        let mut copied = source.copied.to_vec();
        for features in trace.shared.features.iter().filter(|f| f.is_shared()) {
            features.fill(level, source, &position, &mut copied);
        }
        Self {
            trace,
            level,
            position,
            copied,
        }
    }

    fn replay(
        &self,
        batch: &mut Batch<'_>,
        gradient: Option<([f64; 2], &mut [f64])>,
        common: Common<'_>,
    ) {
        batch.check();
        assert_eq!(
            batch.dim,
            self.trace.shared.random.len(),
            "positions of the coordinates that are not shared"
        );
        let source = Source {
            copied: &self.copied,
            ..self.trace.source(self.level)
        };
        let replay = Replay {
            code: &self.trace.code,
            source,
            batch,
            gradient,
            common: Some(common),
        };
        dispatch(self.level, replay);
    }

    fn common(&self) -> Common<'_> {
        Common {
            random: &self.trace.shared.random,
            used: &self.trace.shared.used,
            position: &self.position,
            sums: None,
        }
    }

    /// [`Trace::values`] for positions without the shared coordinates.
    ///
    /// # Panics
    /// If the lengths do not match, or the processor does not support the level.
    pub fn values(&self, mut batch: Batch<'_>) {
        self.replay(&mut batch, None, self.common());
    }

    /// [`Trace::gradients`] for positions and gradients without the shared coordinates.
    ///
    /// # Panics
    /// As [`Sharing::values`].
    pub fn gradients(&self, weights: [f64; 2], mut batch: Batch<'_>, gradient: &mut [f64]) {
        self.replay(&mut batch, Some((weights, gradient)), self.common());
    }

    /// [`Sharing::gradients`]; adds to `sums` the slopes of the shared coordinates and features, each particle's times its share.
    ///
    /// # Panics
    /// As [`Sharing::values`], or if the numbers of shares and particles differ.
    pub fn add_slopes(
        &self,
        weights: [f64; 2],
        mut batch: Batch<'_>,
        gradient: &mut [f64],
        shares: &[f64],
        sums: &mut SharedSlopes,
    ) {
        assert_eq!(
            shares.len(),
            batch.log_prior.len(),
            "a share for every particle"
        );
        let common = Common {
            sums: Some((shares, sums)),
            ..self.common()
        };
        self.replay(&mut batch, Some((weights, gradient)), common);
    }

    /// Sums of slopes, all 0.
    #[must_use]
    pub fn slopes(&self) -> SharedSlopes {
        let features = &self.trace.shared.features;
        SharedSlopes {
            used: vec![0.0; self.trace.shared.used.len()],
            features: vec![0.0; features.iter().map(Features::shared_len).sum()],
        }
    }

    /// The sums of the slopes of all shared coordinates, in order: the slopes of features are passed back through their layers.
    #[must_use]
    pub fn pull_back(&self, slopes: &SharedSlopes) -> Vec<f64> {
        let shared = &self.trace.shared;
        let mut all = vec![0.0; self.position.len()];
        for (coordinate, slope) in shared.used.iter().zip(&slopes.used) {
            all[*coordinate as usize] += slope;
        }
        for features in shared.features.iter().filter(|f| f.is_shared()) {
            self.pass_back(features, &slopes.features[features.all()], &mut all);
        }
        shared.part(&all, true)
    }

    fn pass_back(&self, features: &Features, slopes: &[f64], all: &mut [f64]) {
        let network: &Network = &features.layers.network;
        let (rows, columns) = (features.layers.rows, network.outputs());
        let at = features.weight(&self.position);
        let weights: Vec<[f64; LANES]> =
            (0..network.parameters()).map(|k| [at(k); LANES]).collect();
        // one of the lanes is enough
        let slope = |i: usize| {
            let mut lanes = [0.0; LANES];
            lanes[0] = slopes[i % columns * rows + i / columns];
            lanes
        };
        let adjoints: Vec<[f64; LANES]> = (0..rows * columns).map(slope).collect();
        let mut gradient = vec![[0.0; LANES]; weights.len()];
        let pass = features
            .layers
            .applied(self.trace.source(self.level))
            .at(&weights);
        pass.pull_back(self.level, &adjoints, &mut gradient);
        for (weight, slope) in features.weights.iter().zip(gradient) {
            if let Weight::Multiple { of, factor } = *weight {
                all[of as usize] += factor * slope[0];
            }
        }
    }
}

/// Sums over particles of the slopes of shared quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedSlopes {
    /// Slopes of the shared coordinates that operations use.
    pub(super) used: Vec<f64>,
    pub(super) features: Vec<f64>,
}

impl SharedSlopes {
    /// Adds other sums of the same trace.
    pub fn add(&mut self, other: &Self) {
        let pairs = self.used.iter_mut().zip(&other.used);
        let features = self.features.iter_mut().zip(&other.features);
        pairs.chain(features).for_each(|(sum, more)| *sum += more);
    }
}

impl Trace<'_> {
    /// Whether layers of a network depend only on shared coordinates, so that a separate evaluation pays.
    #[must_use]
    pub fn has_features(&self) -> bool {
        self.shared.features.iter().any(Features::is_shared)
    }

    /// The copied numbers, with the outputs of layers whose weights are numbers: computed once for each instruction set.
    pub(super) fn copied(&self, level: InstructionSet) -> &[f64] {
        let known = || self.shared.features.iter().filter(|f| !f.is_shared());
        if known().next().is_none() {
            return &self.copied;
        }
        self.filled[level as usize].get_or_init(|| {
            let mut copied = self.copied.clone();
            let source = Source {
                data: &self.data,
                copied: &self.copied,
            };
            for features in known() {
                features.fill(level, source, &[], &mut copied);
            }
            copied
        })
    }

    /// The trace at values of its shared coordinates.
    ///
    /// # Panics
    /// If the numbers of values and of shared coordinates differ.
    #[must_use]
    pub fn share(&self, level: InstructionSet, shared: &[f64]) -> Sharing<'_> {
        Sharing::new(self, level, shared)
    }

    /// Evaluates particles one by one, each at its own shared coordinates.
    pub(super) fn one_by_one(
        &self,
        level: InstructionSet,
        batch: &mut Batch<'_>,
        mut gradient: Option<([f64; 2], &mut [f64])>,
    ) {
        for i in 0..batch.log_prior.len() {
            let row = i * batch.dim..(i + 1) * batch.dim;
            let position = &batch.positions[row.clone()];
            let sharing = self.share(level, &self.shared.part(position, true));
            let random = self.shared.part(position, false);
            let own = Batch {
                dim: random.len(),
                positions: &random,
                log_prior: &mut batch.log_prior[i..=i],
                log_likelihood: &mut batch.log_likelihood[i..=i],
            };
            let Some((weights, gradient)) = &mut gradient else {
                sharing.values(own);
                continue;
            };
            let (mut slopes, mut sums) = (vec![0.0; random.len()], sharing.slopes());
            sharing.add_slopes(*weights, own, &mut slopes, &[1.0], &mut sums);
            let (mut shared, mut random) =
                (sharing.pull_back(&sums).into_iter(), slopes.into_iter());
            for (slope, is_shared) in gradient[row].iter_mut().zip(&self.shared.is_shared) {
                let next = if *is_shared {
                    shared.next()
                } else {
                    random.next()
                };
                *slope = next.unwrap_or(0.0);
            }
        }
    }
}
