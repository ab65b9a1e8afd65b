//! Some coordinates of a density fixed at given values.

use bayes::density::{Block, Description, LogDensity, Particles, Quantities};

pub struct Fixed<'a> {
    pub inner: &'a dyn LogDensity,
    /// The fixed value of each coordinate of `inner`; `None` if the coordinate is free.
    pub values: Vec<Option<f64>>,
}

impl Fixed<'_> {
    fn whole(&self, free: &[f64]) -> Vec<f64> {
        let mut free = free.iter().copied();
        let value = |fixed: &Option<f64>| fixed.or_else(|| free.next());
        self.values.iter().filter_map(value).collect()
    }
    fn through(&self, block: &mut Block<'_>, evaluate: impl Fn(&mut Block<'_>)) {
        let mut whole = Particles::new(block.len(), self.values.len());
        let rows = block.positions.chunks_exact(block.dim);
        whole.positions = rows.flat_map(|free| self.whole(free)).collect();
        evaluate(&mut whole.block());
        block.log_prior.copy_from_slice(&whole.log_prior);
        block.log_likelihood.copy_from_slice(&whole.log_likelihood);
        let slopes = whole.gradient.iter().zip(self.values.iter().cycle());
        let free = slopes.filter(|(_, fixed)| fixed.is_none());
        let pairs = block.gradient.iter_mut().zip(free);
        pairs.for_each(|(to, (from, _))| *to = *from);
    }
}

impl LogDensity for Fixed<'_> {
    fn dim(&self) -> usize {
        self.values.iter().filter(|fixed| fixed.is_none()).count()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.through(block, |whole| self.inner.evaluate(whole));
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.through(block, |whole| self.inner.evaluate_gradient(weights, whole));
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Quantities for Fixed<'_> {
    fn describe(&self) -> Option<Description> {
        let mut description = self.inner.quantities().describe()?;
        description.layout.dim = self.dim();
        description.discrete = vec![false; self.dim()];
        description.params = vec![false; self.dim()];
        Some(description)
    }
    fn output(&self, position: &[f64]) -> Vec<f64> {
        self.inner.quantities().output(&self.whole(position))
    }
}
