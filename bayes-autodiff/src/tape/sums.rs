//! Operations with many arguments: one term for each argument.

use super::linear_combination::LinearCombination;
use super::record::Record;
use super::{Node, Tape};
use crate::function::{Exp, Function};
use crate::mode::{MAX_ARGUMENTS, for_each_argument};
use crate::real::Real;
use crate::simd::Simd;

impl Record {
    /// `Σ coefficients[k] elements[k]`, with the value given by the caller.
    #[inline(always)]
    pub(super) fn linear<S: Simd>(
        &mut self,
        value: S::Float,
        elements: &[Real<Tape<S>>],
        coefficient: impl Fn(usize) -> f64,
    ) -> Node<S> {
        let begin = self.begin();
        for (k, x) in elements.iter().enumerate() {
            let form = x.0.form;
            if form.is_constant() {
                continue;
            }
            let factor = form.factor * coefficient(k);
            if factor.abs() < f64::INFINITY {
                self.write(LinearCombination { factor, ..form });
            } else {
                self.times::<S>(form, S::splat(coefficient(k)));
            }
        }
        Node::new(value, self.since(begin))
    }

    /// `ln Σ e^elements[k]`, with the value given by the caller; the partial derivatives are the shares in the total.
    #[inline(always)]
    pub(super) fn log_sum_exp<S: Simd>(
        &mut self,
        total: S::Float,
        elements: &[Real<Tape<S>>],
    ) -> Node<S> {
        let begin = self.begin();
        for x in elements {
            self.times::<S>(x.0.form, share::<S>(x.0.value, total));
        }
        Node::new(total, self.since(begin))
    }

    /// A function of up to four quantities; those that are not `random` are left out.
    #[inline(always)]
    pub(super) fn gathered<S: Simd>(
        &mut self,
        value: S::Float,
        arguments: &[Real<Tape<S>>; MAX_ARGUMENTS],
        random: [bool; MAX_ARGUMENTS],
        slopes: [S::Float; MAX_ARGUMENTS],
    ) -> Node<S> {
        let begin = self.begin();
        for_each_argument(
            #[inline(always)]
            |k| {
                if random[k] {
                    self.times::<S>(arguments[k].0.form, slopes[k]);
                }
            },
        );
        Node::new(value, self.since(begin))
    }

    /// `Σ left[k] right[k]`, with the value given by the caller.
    #[inline(always)]
    pub(super) fn dot<S: Simd>(
        &mut self,
        value: S::Float,
        left: &[Real<Tape<S>>],
        right: &[Real<Tape<S>>],
    ) -> Node<S> {
        let begin = self.begin();
        for (x, y) in left.iter().zip(right) {
            self.times::<S>(x.0.form, y.0.value);
            self.times::<S>(y.0.form, x.0.value);
        }
        Node::new(value, self.since(begin))
    }
}

/// `e^(x - total)`, the share of a term in a total; 0 if the total is minus infinity.
#[inline(always)]
pub(super) fn share<S: Simd>(x: S::Float, total: S::Float) -> S::Float {
    let nothing = S::eq(total, S::splat(f64::NEG_INFINITY));
    let share = Exp::lanes::<S>(S::sub(x, total));
    S::select(nothing, S::splat(0.0), share)
}
