//! The data that the particles of a batch have in common.

use super::{Slots, gradients};
use crate::batch::Batch;
use crate::lanes::Lane;
use crate::simd::{LANES, Simd};
use crate::trace::bulk::Tally;
use crate::trace::code::Code;
use crate::trace::sharing::SharedSlopes;

/// The coordinates that all particles have in common; a batch has the positions of the others.
pub(in crate::trace) struct Common<'a> {
    /// The coordinates of the batch.
    pub(in crate::trace) random: &'a [u32],
    /// The shared coordinates that operations use.
    pub(in crate::trace) used: &'a [u32],
    /// All coordinates, with the values of the shared ones.
    pub(in crate::trace) position: &'a [f64],
    /// The shares of all particles, and the requested sums of slopes.
    pub(in crate::trace) sums: Option<(&'a [f64], &'a mut SharedSlopes)>,
}

impl Common<'_> {
    /// Sets the inputs for the particles from `start` on; the last particle fills the leftover lanes.
    pub(super) fn fill<const W: usize>(
        &self,
        batch: &Batch<'_>,
        start: usize,
        inputs: &mut [[Lane; W]],
    ) {
        let (dim, last) = (batch.dim, batch.log_prior.len() - 1);
        for coordinate in self.used {
            let value = self.position[*coordinate as usize];
            inputs[*coordinate as usize] = [Lane([value; LANES]); W];
        }
        for particle in 0..W * LANES {
            let row = &batch.positions[(start + particle).min(last) * dim..][..dim];
            let (group, lane) = (particle / LANES, particle % LANES);
            for (coordinate, x) in self.random.iter().zip(row) {
                inputs[*coordinate as usize][group].0[lane] = *x;
            }
        }
    }

    /// The gradients of the particles from `start` on, and the sums of the slopes of shared quantities.
    #[inline(always)]
    pub(super) fn gradients<S: Simd, const W: usize>(
        &mut self,
        code: &Code,
        weights: [f64; 2],
        (start, gradient): (usize, &mut [f64]),
        slots: &mut Slots<'_, W>,
    ) {
        let Some((all, sums)) = &mut self.sums else {
            gradients::<S, W>(code, weights, slots);
            self.take(gradient, start, slots.adjoints);
            return;
        };
        let mut shares = [Lane::ZERO; W];
        for (particle, share) in all[start..].iter().take(W * LANES).enumerate() {
            shares[particle / LANES].0[particle % LANES] = *share;
        }
        // for this block only, since a sweep may be repeated
        let mut features = vec![0.0; sums.features.len()];
        let mut with_sums = Slots {
            source: slots.source,
            values: slots.values,
            adjoints: slots.adjoints,
            slopes: slots.slopes,
            sums: slots.sums,
            tally: Tally {
                shares: &shares,
                sums: &mut features,
            },
        };
        gradients::<S, W>(code, weights, &mut with_sums);
        for (sum, more) in sums.features.iter_mut().zip(features) {
            *sum += more;
        }
        for (sum, coordinate) in sums.used.iter_mut().zip(self.used) {
            let adjoints = slots.adjoints[*coordinate as usize].iter();
            for (share, adjoint) in shares.iter().zip(adjoints) {
                let terms = share.0.iter().zip(&adjoint.0);
                let terms = terms.filter(|(share, _)| **share != 0.0);
                *sum += terms.map(|(share, slope)| share * slope).sum::<f64>();
            }
        }
        self.take(gradient, start, slots.adjoints);
    }

    /// Stores the adjoints of the coordinates of the batch as gradients of the particles from `start` on.
    fn take<const W: usize>(&self, gradient: &mut [f64], start: usize, adjoints: &[[Lane; W]]) {
        let dim = self.random.len();
        let rows = gradient[start * dim..].chunks_exact_mut(dim.max(1));
        for (particle, row) in rows.take(W * LANES).enumerate() {
            let (group, lane) = (particle / LANES, particle % LANES);
            for (slope, coordinate) in row.iter_mut().zip(self.random) {
                *slope = adjoints[*coordinate as usize][group].0[lane];
            }
        }
    }
}
