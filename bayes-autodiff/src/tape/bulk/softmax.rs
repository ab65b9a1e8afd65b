//! Shares `e^x_k / Σ e^x`.

use super::{Lane, Operation, Payload, Record, Tape, hand_down, output};
use crate::lanes;
use crate::real::Real;
use crate::simd::Simd;
use crate::tape::sums::share;
use crate::vector::Vector;

/// As many outputs as elements; their values are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softmax {
    parents: usize,
    lanes: usize,
    len: usize,
}

impl Softmax {
    /// `x̄_k += p_k (p̄_k - Σ_j p̄_j p_j)`.
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &[Lane], below: &mut [Lane], payload: &Payload) {
        let parents = &payload.parents[self.parents..self.parents + self.len];
        let shares = &payload.lanes[self.lanes..self.lanes + self.len];
        let mut mean = S::splat(0.0);
        for k in 0..self.len {
            mean = S::mul_add(S::load(&own[k].0), S::load(&shares[k].0), mean);
        }
        for k in 0..self.len {
            let slope = S::sub(S::load(&own[k].0), mean);
            hand_down::<S>(below, parents[k], S::mul(S::load(&shares[k].0), slope));
        }
    }
}

impl Record {
    /// The shares of the elements.
    #[inline(always)]
    pub(in crate::tape) fn softmax<S: Simd>(
        &mut self,
        elements: &[Real<Tape<S>>],
    ) -> Vector<Tape<S>> {
        let len = elements.len();
        let total = lanes::log_sum_exp::<S>(len, |k| elements[k].0.value);
        let mut out = Vector::zeros(len);
        let lanes = self.payload.lanes.len();
        let parents = self.keep_parents(elements);
        let first = parents.map(|parents| {
            let operation = Softmax {
                parents,
                lanes,
                len,
            };
            self.bulk(len, Operation::Softmax(operation))
        });
        for k in 0..len {
            let share = share::<S>(elements[k].0.value, total);
            if first.is_some() {
                self.keep_value::<S>(share);
            }
            out[k] = output(share, first, k);
        }
        out
    }
}
