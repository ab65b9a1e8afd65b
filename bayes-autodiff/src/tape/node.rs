//! What a random scalar is on the tape.

use super::linear_combination::LinearCombination;
use super::recording::record;
use crate::simd::{Simd, in_place};

/// A value in each of eight particles, and its derivative.
///
/// Not `Send`, because it refers to the record of its thread.
#[derive(Clone, Copy, Debug)]
pub struct Node<S: Simd> {
    pub(super) value: S::Float,
    pub(super) form: LinearCombination,
    local: std::marker::PhantomData<*const ()>,
}

impl<S: Simd> Node<S> {
    #[inline(always)]
    pub(super) fn new(value: S::Float, form: LinearCombination) -> Self {
        Self {
            value,
            form,
            local: std::marker::PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn constant(value: S::Float) -> Self {
        Self::new(value, LinearCombination::CONSTANT)
    }

    #[inline(always)]
    pub(super) fn is_constant(self) -> bool {
        self.form.is_constant()
    }

    /// A function of one quantity, with its partial derivative.
    #[inline(always)]
    pub(super) fn unary(value: S::Float, parent: Self, partial: S::Float) -> Self {
        if parent.is_constant() {
            return Self::constant(value);
        }
        in_place::<S, _>(
            #[inline(always)]
            || {
                record!(|r| {
                    let begin = r.begin();
                    r.times::<S>(parent.form, partial);
                    Self::new(value, r.since(begin))
                })
            },
        )
    }

    /// A multiple of one quantity, the same in all particles.
    #[inline(always)]
    pub(super) fn multiple(value: S::Float, parent: Self, factor: f64) -> Self {
        if parent.is_constant() {
            return Self::constant(value);
        }
        let form = in_place::<S, _>(
            #[inline(always)]
            || record!(|r| r.multiple::<S>(parent.form, factor)),
        );
        Self::new(value, form)
    }

    /// A function of two quantities, with its partial derivatives.
    #[inline(always)]
    pub(super) fn binary(value: S::Float, [a, b]: [Self; 2], partials: [S::Float; 2]) -> Self {
        in_place::<S, _>(
            #[inline(always)]
            || {
                record!(|r| {
                    let begin = r.begin();
                    r.times::<S>(a.form, partials[0]);
                    r.times::<S>(b.form, partials[1]);
                    Self::new(value, r.since(begin))
                })
            },
        )
    }

    /// A function of three quantities, with its partial derivatives.
    #[inline(always)]
    pub(super) fn ternary(value: S::Float, [a, b, c]: [Self; 3], partials: [S::Float; 3]) -> Self {
        in_place::<S, _>(
            #[inline(always)]
            || {
                record!(|r| {
                    let begin = r.begin();
                    r.times::<S>(a.form, partials[0]);
                    r.times::<S>(b.form, partials[1]);
                    r.times::<S>(c.form, partials[2]);
                    Self::new(value, r.since(begin))
                })
            },
        )
    }

    /// The sum of two quantities.
    #[inline(always)]
    pub(super) fn sum(value: S::Float, a: Self, b: Self) -> Self {
        // a constant shifts the value and changes no derivative
        if b.is_constant() {
            return Self::new(value, a.form);
        }
        if a.is_constant() {
            return Self::new(value, b.form);
        }
        let form = in_place::<S, _>(
            #[inline(always)]
            || record!(|r| r.join(a.form, b.form)),
        );
        Self::new(value, form)
    }
}
