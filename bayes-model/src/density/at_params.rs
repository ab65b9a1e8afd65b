//! A density with its params fixed, and the gradient with respect to them.

use super::{
    Block, Counts, Description, LogDensity, Particles, Prior, Quantities, Reference, Target,
    posterior::batch_of,
};
use crate::error::Error;
use crate::model::fingerprint::Fingerprint;
use crate::model::{Layout, NonFiniteTerm, VariableKind};
use crate::numeric::weighted_sum;
use crate::parallel;
use crate::rng::Stream;
use bayes_autodiff::batch::Batch;
use bayes_autodiff::trace::Sharing;
use std::sync::OnceLock;

/// A density with its params fixed: a density of only the random coordinates, for kernels and engines.
///
/// For a model there is [`Model::with_params`](crate::model::Model::with_params), which leaves out the computations that depend only on
/// params. This decorator serves densities written by hand, and engines that learn the params while they move the random values.
pub struct AtParams<'a> {
    inner: &'a dyn LogDensity,
    /// One flag per coordinate of the inner density: whether it is a param.
    is_param: &'a [bool],
    params: &'a [f64],
    /// Runs of consecutive coordinates: whether they are params, and their number.
    runs: Vec<(bool, usize)>,
    sharing: OnceLock<Option<Sharing<'a>>>,
    reference: OnceLock<Reference>,
}

impl<'a> AtParams<'a> {
    /// The density `inner` with the params at these unconstrained coordinates; `is_param` has one flag per coordinate, as in its
    /// [`Description::params`].
    ///
    /// # Panics
    /// If the lengths do not match.
    #[must_use]
    pub fn new(inner: &'a dyn LogDensity, is_param: &'a [bool], params: &'a [f64]) -> Self {
        assert_eq!(is_param.len(), inner.dim(), "one flag per coordinate");
        assert_eq!(params.len(), count(is_param), "every param has a value");
        Self {
            inner,
            is_param,
            params,
            runs: is_param
                .chunk_by(|a, b| a == b)
                .map(|run| (run[0], run.len()))
                .collect(),
            sharing: OnceLock::new(),
            reference: OnceLock::new(),
        }
    }

    /// The inner density for particles that share the params, if it has one.
    pub fn sharing(&self) -> Option<&Sharing<'a>> {
        let of = || self.inner.sharing(self.params);
        self.sharing.get_or_init(of).as_ref()
    }

    /// The position of the inner density, given the random coordinates.
    pub fn whole(&self, random: &[f64]) -> Vec<f64> {
        let mut whole = Vec::with_capacity(self.is_param.len());
        self.extend(&mut whole, random);
        whole
    }

    fn extend(&self, whole: &mut Vec<f64>, random: &[f64]) {
        let (mut params, mut random) = (self.params, random);
        for (is_param, len) in &self.runs {
            let from = if *is_param { &mut params } else { &mut random };
            let (own, rest) = from.split_at(*len);
            whole.extend_from_slice(own);
            *from = rest;
        }
    }

    /// Particles as positions of the inner density.
    pub fn particles(&self, random: &Particles) -> Particles {
        self.of_positions(random.len(), &random.positions, random.dim)
    }

    fn of_positions(&self, count: usize, positions: &[f64], dim: usize) -> Particles {
        let mut whole = Particles::new(count, self.is_param.len());
        whole.positions.clear();
        let rows = positions.chunks_exact(dim);
        rows.for_each(|random| self.extend(&mut whole.positions, random));
        whole
    }

    /// Evaluates the inner density at the particles of a block, and copies the values.
    fn through(&self, block: &mut Block<'_>, evaluate: impl FnOnce(&mut Block<'_>)) -> Particles {
        let mut whole = self.of_positions(block.len(), block.positions, block.dim);
        evaluate(&mut whole.block());
        block.log_prior.copy_from_slice(&whole.log_prior);
        block.log_likelihood.copy_from_slice(&whole.log_likelihood);
        whole
    }

    /// The entries for params, or for random coordinates, from rows over all coordinates.
    fn select<'s>(&'s self, all: &'s [f64], params: bool) -> impl Iterator<Item = f64> + 's {
        let entries = all.iter().zip(self.is_param.iter().cycle());
        let wanted = entries.filter(move |(_, is_param)| **is_param == params);
        wanted.map(|(x, _)| *x)
    }

    /// Evaluates all particles. Returns the gradient of `weights[0] * log_prior + weights[1] * log_likelihood` with respect to the
    /// coordinates of the params at each, `[particles, params]`: one sweep in SIMD lanes gives both.
    ///
    /// The particles then have the gradient with respect to their own coordinates. Values that are not finite are counted, and become
    /// minus infinity; derivatives that are not finite become 0.
    pub fn param_gradients(
        &self,
        weights: [f64; 2],
        particles: &mut Particles,
        counts: &mut Counts,
    ) -> Vec<f64> {
        let target = Target::weighted(self.inner, weights);
        let blocks = particles.blocks(self.block_size());
        let of_block = |mut block: Block<'_>| {
            let mut counts = Counts::default();
            let whole = self.through(&mut block, |whole| {
                target.evaluate_gradient(whole, &mut counts);
            });
            let random = self.select(&whole.gradient, false);
            let own = block.gradient.iter_mut();
            own.zip(random).for_each(|(to, slope)| *to = slope);
            let slopes: Vec<f64> = self.select(&whole.gradient, true).collect();
            (slopes, counts)
        };
        let found: Vec<(Vec<f64>, Counts)> = parallel::map(blocks, of_block);
        let mut slopes = Vec::with_capacity(particles.len() * self.params.len());
        for (of_block, counted) in found {
            slopes.extend(of_block);
            counts.merge(&counted);
        }
        slopes
    }

    /// As [`AtParams::param_gradients`] at particles that were evaluated before, but returns the sum of the gradients weighted by the
    /// particles' shares, `[params]`; particles without a share are left out.
    pub fn summed_gradient(
        &self,
        weights: [f64; 2],
        shares: &[f64],
        particles: &mut Particles,
        counts: &mut Counts,
    ) -> Vec<f64> {
        let found = self.sharing().map(|sharing| {
            shared_gradient(sharing, weights, (shares, self.block_size()), particles)
        });
        match found.filter(|sum| sum.iter().all(|x| x.is_finite())) {
            Some(sum) => {
                let target = Target::weighted(self, weights);
                target.settle_gradients(&mut particles.block(), counts);
                counts.gradient_evaluations += particles.len() as u64;
                sum
            }
            // this path leaves out values that are not finite
            None => {
                let slopes = self.param_gradients(weights, particles, counts);
                weighted_sum(shares, &slopes)
            }
        }
    }

    /// The values of the params, row-major, one after another in the order of the layout.
    pub fn values(&self, random: &[f64]) -> Vec<f64> {
        let all = self.inner.quantities().output(&self.whole(random));
        self.elements(&all, true)
    }

    /// The elements of the output that belong to params, or to all other quantities.
    fn elements(&self, output: &[f64], params: bool) -> Vec<f64> {
        let layout = (self.inner).describe().layout;
        let variables = layout.variables.iter();
        let wanted = variables.filter(|v| (v.kind == VariableKind::Param) == params);
        wanted
            .flat_map(|v| output[v.range()].iter().copied())
            .collect()
    }
}

/// The quantities of a layout that are params, or all others; the caller gives the number of coordinates.
pub fn part_of_layout(layout: &Layout, params: bool, dim: usize) -> Layout {
    let mut part = Layout {
        variables: Vec::new(),
        dim,
    };
    let variables = layout.variables.iter();
    for variable in variables.filter(|v| (v.kind == VariableKind::Param) == params) {
        let offset = part.elements();
        part.variables.push(crate::model::Variable {
            offset,
            ..variable.clone()
        });
    }
    part
}

/// The sum over particles of their gradients with respect to shared params; the particles have their own gradients afterwards.
fn shared_gradient(
    sharing: &Sharing<'_>,
    weights: [f64; 2],
    (shares, block_size): (&[f64], usize),
    particles: &mut Particles,
) -> Vec<f64> {
    let blocks = particles.blocks(block_size);
    let of_block = |(block, shares): (Block<'_>, &[f64])| {
        let mut sums = sharing.slopes();
        // the values are known, and non-finite values were settled
        let (mut prior, mut likelihood) = (vec![0.0; block.len()], vec![0.0; block.len()]);
        let batch = Batch {
            dim: block.dim,
            positions: block.positions,
            log_prior: &mut prior,
            log_likelihood: &mut likelihood,
        };
        sharing.add_slopes(weights, batch, block.gradient, shares, &mut sums);
        sums
    };
    let mut pairs: Vec<_> = blocks.into_iter().zip(shares.chunks(block_size)).collect();
    let mut sums = sharing.slopes();
    // a sum has one entry per feature: at most one sum per thread at a time, added in the order of the blocks
    while !pairs.is_empty() {
        let next = pairs.drain(..pairs.len().min(rayon::current_num_threads()));
        let found = parallel::map(next, of_block);
        found.iter().for_each(|own| sums.add(own));
    }
    sharing.pull_back(&sums)
}

fn count(is_param: &[bool]) -> usize {
    is_param.iter().filter(|is_param| **is_param).count()
}

impl LogDensity for AtParams<'_> {
    fn dim(&self) -> usize {
        self.is_param.len() - self.params.len()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        match self.sharing() {
            Some(sharing) => sharing.values(batch_of(block).0),
            None => drop(self.through(block, |whole| self.inner.evaluate(whole))),
        }
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        if let Some(sharing) = self.sharing() {
            let (batch, gradient) = batch_of(block);
            return sharing.gradients(weights, batch, gradient);
        }
        let whole = self.through(block, |whole| self.inner.evaluate_gradient(weights, whole));
        let slopes = self.select(&whole.gradient, false);
        let pairs = block.gradient.iter_mut().zip(slopes);
        pairs.for_each(|(to, slope)| *to = slope);
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.inner.prior().map(|_| self as &dyn Prior)
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }

    fn block_size(&self) -> usize {
        self.inner.block_size()
    }
}

impl Prior for AtParams<'_> {
    fn is_normalised(&self) -> bool {
        self.inner.prior().is_some_and(Prior::is_normalised)
    }

    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let mut whole = self.whole(position);
        if let Some(prior) = self.inner.prior() {
            prior.draw_at_params(stream, &mut whole);
        }
        let random = self.select(&whole, false);
        let pairs = position.iter_mut().zip(random);
        pairs.for_each(|(to, x)| *to = x);
    }

    /// The reference of the inner density without the params, which have no blocks in it.
    fn reference(&self) -> Option<&Reference> {
        let inner = self.inner.prior()?.reference()?;
        Some(self.reference.get_or_init(|| {
            let mut reference = inner.clone();
            for block in &mut reference.blocks {
                block.offset -= count(&self.is_param[..block.offset]);
            }
            reference
        }))
    }

    fn not_gaussian(&self) -> Option<String> {
        self.inner.prior()?.not_gaussian()
    }

    fn require_proper(&self, needed_for: &'static str) -> Result<(), Error> {
        match self.inner.prior() {
            Some(prior) => prior.require_proper(needed_for),
            None => Ok(()),
        }
    }

    fn require_density(&self) -> Result<(), Error> {
        match self.inner.prior() {
            Some(prior) => prior.require_density(),
            None => Ok(()),
        }
    }
}

impl Quantities for AtParams<'_> {
    fn describe(&self) -> Option<Description> {
        let inner = self.inner.describe();
        let dim = self.dim();
        let flags = inner.discrete.iter().zip(self.is_param);
        let discrete = flags.filter(|(_, is_param)| !**is_param).map(|(d, _)| *d);
        Some(Description {
            layout: part_of_layout(&inner.layout, false, dim),
            discrete: discrete.collect(),
            params: vec![false; dim],
            ..inner
        })
    }

    fn fingerprint(&self) -> u64 {
        match self.inner.quantities().fingerprint() {
            0 => 0,
            inner => {
                let params = self.params.iter().map(|x| x.to_bits());
                Fingerprint::of(std::iter::once(inner).chain(params))
            }
        }
    }

    fn observed_data(&self) -> Option<u64> {
        self.inner.quantities().observed_data()
    }

    fn output(&self, position: &[f64]) -> Vec<f64> {
        let all = self.inner.quantities().output(&self.whole(position));
        self.elements(&all, false)
    }

    fn terms(&self, position: &[f64]) -> Vec<f64> {
        self.inner.quantities().terms(&self.whole(position))
    }

    fn non_finite_terms(&self, position: &[f64], values: [f64; 2]) -> Vec<NonFiniteTerm> {
        let quantities = self.inner.quantities();
        quantities.non_finite_terms(&self.whole(position), values)
    }
}
