//! One output with a known partial derivative in each of many parents.

use super::{CONSTANT, Lane, Node, Operation, Payload, Record, Tape, hand_down};
use crate::function::Function;
use crate::mode::ARGUMENTS;
use crate::real::Real;
use crate::simd::Simd;

/// `Σ c_k v_k`, with the same coefficients in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    parents: usize,
    numbers: usize,
    len: usize,
}

/// Any function, with the partial derivatives in every lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighted {
    parents: usize,
    lanes: usize,
    len: usize,
}

impl Linear {
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &[Lane], below: &mut [Lane], payload: &Payload) {
        let adjoint = S::load(&own[0].0);
        let parents = &payload.parents[self.parents..self.parents + self.len];
        let coefficients = &payload.numbers[self.numbers..self.numbers + self.len];
        for k in 0..self.len {
            hand_down::<S>(
                below,
                parents[k],
                S::mul_or_zero(adjoint, S::splat(coefficients[k])),
            );
        }
    }
}

impl Weighted {
    #[inline(always)]
    pub(super) fn sweep<S: Simd>(self, own: &[Lane], below: &mut [Lane], payload: &Payload) {
        let adjoint = S::load(&own[0].0);
        let parents = &payload.parents[self.parents..self.parents + self.len];
        let partials = &payload.lanes[self.lanes..self.lanes + self.len];
        for k in 0..self.len {
            let slope = S::mul_or_zero(adjoint, S::load(&partials[k].0));
            hand_down::<S>(below, parents[k], slope);
        }
    }
}

impl Record {
    /// `Σ coefficients[k] elements[k]`, whose value the caller has.
    #[inline(always)]
    pub(in crate::tape) fn linear<S: Simd>(
        &mut self,
        value: S::Float,
        elements: &[Real<Tape<S>>],
        coefficients: impl Iterator<Item = f64>,
    ) -> Node<S> {
        let Some(parents) = self.keep_parents(elements) else {
            return Node::constant(value);
        };
        let (numbers, len) = (self.payload.numbers.len(), elements.len());
        self.payload.numbers.extend(coefficients);
        let operation = Linear {
            parents,
            numbers,
            len,
        };
        Node::new(value, self.bulk(1, Operation::Linear(operation), parents))
    }

    /// `ln Σ e^elements[k]`, whose value the caller has: the partial derivatives are the shares in the total.
    #[inline(always)]
    pub(in crate::tape) fn log_sum_exp<S: Simd>(
        &mut self,
        total: S::Float,
        elements: &[Real<Tape<S>>],
    ) -> Node<S> {
        let Some(parents) = self.keep_parents(elements) else {
            return Node::constant(total);
        };
        let (lanes, len) = (self.payload.lanes.len(), elements.len());
        for x in elements {
            self.keep_lane::<S>(share::<S>(x.0.value, total));
        }
        let operation = Weighted {
            parents,
            lanes,
            len,
        };
        Node::new(total, self.bulk(1, Operation::Weighted(operation), parents))
    }

    /// A function of up to four quantities, those that are constant left out.
    #[inline(always)]
    pub(in crate::tape) fn gathered<S: Simd>(
        &mut self,
        value: S::Float,
        parents: [u32; ARGUMENTS],
        slopes: [S::Float; ARGUMENTS],
    ) -> Node<S> {
        let (mut indices, mut partials) = ([CONSTANT; ARGUMENTS], slopes);
        let mut len = 0;
        for k in 0..ARGUMENTS {
            if parents[k] != CONSTANT {
                indices[len] = parents[k];
                partials[len] = slopes[k];
                len += 1;
            }
        }
        let index = match len {
            0 => CONSTANT,
            1 => self.unary::<S>(indices[0], partials[0]),
            2 => self.binary::<S>([indices[0], indices[1]], [partials[0], partials[1]]),
            _ => {
                let (start, lanes) = (self.payload.parents.len(), self.payload.lanes.len());
                self.payload.parents.extend_from_slice(&indices[..len]);
                for partial in &partials[..len] {
                    self.keep_lane::<S>(*partial);
                }
                let operation = Weighted {
                    parents: start,
                    lanes,
                    len,
                };
                self.bulk(1, Operation::Weighted(operation), start)
            }
        };
        Node::new(value, index)
    }

    /// `Σ left[k] right[k]`, whose value the caller has.
    #[inline(always)]
    pub(in crate::tape) fn dot<S: Simd>(
        &mut self,
        value: S::Float,
        left: &[Real<Tape<S>>],
        right: &[Real<Tape<S>>],
    ) -> Node<S> {
        let parents = self.payload.parents.len();
        let lanes = self.payload.lanes.len();
        for (own, other) in [(left, right), (right, left)] {
            if self.keep_parents(own).is_some() {
                for x in other {
                    self.keep_lane::<S>(x.0.value);
                }
            }
        }
        let len = self.payload.lanes.len() - lanes;
        if len == 0 {
            return Node::constant(value);
        }
        let operation = Weighted {
            parents,
            lanes,
            len,
        };
        Node::new(value, self.bulk(1, Operation::Weighted(operation), parents))
    }
}

/// `e^(x - total)`, the share of a term in a total; none has a share in a total of nothing.
#[inline(always)]
pub(in crate::tape) fn share<S: Simd>(x: S::Float, total: S::Float) -> S::Float {
    let nothing = S::eq(total, S::splat(f64::NEG_INFINITY));
    let share = crate::function::Exp::lanes::<S>(S::sub(x, total));
    S::select(nothing, S::splat(0.0), share)
}
