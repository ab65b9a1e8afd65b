//! A posterior with batches of rows that SMC adds one by one: data annealing.

use super::{Block, LogDensity, Particles, Posterior, Prior, Quantities};
use crate::error::Error;
use crate::model::rows::{Rows, Subset};
use std::ops::Range;

/// The posterior of a model with rows, reached by SMC through the posteriors of its first rows: data annealing (Chopin 2002), instead of
/// a single tempered path.
///
/// Each leg of the path goes from the posterior of the first batches to the posterior with one more batch, by powers of the likelihood
/// that the batch adds. A density on the path costs in proportion to its rows so far, so the first legs are cheap. Batches are of equal
/// size, within one row, in the order of the rows. For chains it is the posterior.
///
/// `Smc::run_in_batches` makes one from a model.
#[derive(Debug)]
pub struct Batches<'m, Mo: Rows> {
    whole: Posterior<'m>,
    /// The rows of the first batch, of the first two, and so on to all rows.
    seen: Vec<Subset<'m, Mo>>,
}

impl<'m, Mo: Rows> Batches<'m, Mo> {
    /// The posterior of `model`, with its rows in this number of batches.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the number of batches is from 1 to the number of rows; [`Error::Rows`] if data have different numbers of
    /// rows, or if the number of random values depends on the rows.
    pub fn new(model: &'m Mo, whole: Posterior<'m>, batches: usize) -> Result<Self, Error> {
        let rows = model.rows()?;
        let allowed = format!("from 1 to the number of rows, {rows}");
        Error::setting("batches", batches, (1..=rows).contains(&batches), &allowed)?;
        let first = |batch: usize| -> Range<usize> { 0..batch * rows / batches };
        let subset = |batch| model.subset(&first(batch).collect::<Vec<_>>());
        let seen = (1..=batches).map(subset).collect::<Result<_, _>>()?;
        Ok(Self { whole, seen })
    }
}

impl<Mo: Rows> LogDensity for Batches<'_, Mo> {
    fn dim(&self) -> usize {
        self.whole.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        self.whole.evaluate(block);
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.whole.evaluate_gradient(weights, block);
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.whole.prior()
    }

    fn quantities(&self) -> &dyn Quantities {
        self.whole.quantities()
    }

    fn block_size(&self) -> usize {
        self.whole.block_size()
    }

    fn legs(&self) -> Vec<Box<dyn LogDensity + '_>> {
        let posterior = |batch: usize| self.whole.on(&self.seen[batch]);
        let leg = |batch: usize| -> Box<dyn LogDensity + '_> {
            match batch {
                0 => Box::new(posterior(0)),
                _ => Box::new(Leg {
                    from: posterior(batch - 1),
                    to: posterior(batch),
                }),
            }
        };
        (0..self.seen.len()).map(leg).collect()
    }
}

/// The path from one posterior to another with the same prior.
///
/// ```text
/// log prior of the leg = log prior + log L_from        log likelihood of the leg = log L_to - log L_from
/// ```
///
/// So the ends are right even if the likelihood is not a product over rows.
struct Leg<D> {
    from: D,
    to: D,
}

impl<D: LogDensity> Leg<D> {
    /// Combines the densities of both ends to the two densities of the leg; `block` has the densities of `from`.
    fn combine(block: &mut Block<'_>, to: &Particles) {
        for i in 0..block.len() {
            let (before, after) = (block.log_likelihood[i], to.log_likelihood[i]);
            block.log_prior[i] += before;
            // where the first density is zero, the difference may be NaN
            block.log_likelihood[i] = if block.log_prior[i] == f64::NEG_INFINITY {
                f64::NEG_INFINITY
            } else {
                after - before
            };
        }
    }

    /// A copy of the positions of a block.
    fn copy_of(block: &Block<'_>) -> Particles {
        let mut particles = Particles::new(block.len(), block.dim);
        particles.positions.copy_from_slice(block.positions);
        particles
    }
}

impl<D: LogDensity> LogDensity for Leg<D> {
    fn dim(&self) -> usize {
        self.to.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        let mut to = Self::copy_of(block);
        self.to.evaluate(&mut to.block());
        self.from.evaluate(block);
        Self::combine(block, &to);
    }

    /// `w₀ (log prior + log L_from) + w₁ (log L_to − log L_from)`
    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        let mut to = Self::copy_of(block);
        self.to
            .evaluate_gradient([0.0, likelihood], &mut to.block());
        self.from
            .evaluate_gradient([prior, prior - likelihood], block);
        Self::combine(block, &to);
        let slopes = block.gradient.iter_mut().zip(&to.gradient);
        slopes.for_each(|(slope, more)| *slope += more);
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.to.prior()
    }

    fn quantities(&self) -> &dyn Quantities {
        self.to.quantities()
    }

    fn block_size(&self) -> usize {
        self.to.block_size()
    }
}
