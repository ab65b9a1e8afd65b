//! The places of a vector operation's operands and outputs: one group of lanes of a block of particles.

use crate::lanes::Lane;
use crate::simd::Simd;
use crate::trace::code::Slot;

/// The slots of an operation. A slot has `width` groups of lanes; the operation works on one of them.
pub(in crate::trace) struct Places<'a> {
    /// The operands: multiples of slots.
    pub(in crate::trace) of: &'a [(f64, Slot)],
    /// The slot of the first output.
    pub(in crate::trace) to: usize,
    /// All values.
    pub(in crate::trace) values: &'a mut [Lane],
    /// All adjoints; empty if none are needed.
    pub(in crate::trace) adjoints: &'a mut [Lane],
    /// The partial derivatives of this operation; empty if none are needed.
    pub(in crate::trace) slopes: &'a mut [Lane],
    pub(in crate::trace) width: usize,
    pub(in crate::trace) group: usize,
    pub(in crate::trace) tally: Tally<'a>,
}

/// Sums of the slopes of features over particles; empty if none are needed.
#[derive(Debug, Default)]
pub(in crate::trace) struct Tally<'a> {
    /// The weights of the particles, by group of lanes.
    pub(in crate::trace) shares: &'a [Lane],
    /// The sums by feature.
    pub(in crate::trace) sums: &'a mut [f64],
}

impl Tally<'_> {
    /// A reborrow for another operation.
    #[inline(always)]
    pub(in crate::trace) fn again(&mut self) -> Tally<'_> {
        Tally {
            shares: self.shares,
            sums: self.sums,
        }
    }
}

impl Places<'_> {
    #[inline(always)]
    fn index(&self, slot: usize) -> usize {
        slot * self.width + self.group
    }

    /// Operand `k` of an operation that takes values.
    #[inline(always)]
    pub(super) fn operand<S: Simd>(&self, k: usize) -> S::Float {
        S::load(&self.values[self.index(self.of[k].1 as usize)].0)
    }

    /// Operand `k` of an operation that takes [multiples](super::Bulk::takes_multiples).
    #[inline(always)]
    pub(super) fn multiple<S: Simd>(&self, k: usize) -> S::Float {
        let [multiple] = self.multiples::<S, 1>(k);
        multiple
    }

    /// [`Places::multiple`] for `G` groups of lanes, starting with the present one.
    #[inline(always)]
    pub(super) fn multiples<S: Simd, const G: usize>(&self, k: usize) -> [S::Float; G] {
        let (factor, slot) = self.of[k];
        let lanes = &self.values[self.index(slot as usize)..][..G];
        let mut multiples = [S::splat(factor); G];
        for g in 0..G {
            multiples[g] = S::mul(multiples[g], S::load(&lanes[g].0));
        }
        multiples
    }

    /// Output `i`.
    #[inline(always)]
    pub(super) fn output<S: Simd>(&self, i: usize) -> S::Float {
        S::load(&self.values[self.index(self.to + i)].0)
    }

    /// Sets output `i`.
    #[inline(always)]
    pub(super) fn set<S: Simd>(&mut self, i: usize, x: S::Float) {
        let index = self.index(self.to + i);
        S::store(x, &mut self.values[index].0);
    }

    /// The adjoint of output `i`.
    #[inline(always)]
    pub(super) fn adjoint<S: Simd>(&self, i: usize) -> S::Float {
        let [adjoint] = self.adjoints::<S, 1>(i);
        adjoint
    }

    /// Subtracts `a * b` from the adjoint of output `i`, for a sweep through several outputs.
    #[inline(always)]
    pub(super) fn subtract<S: Simd>(&mut self, i: usize, a: S::Float, b: S::Float) {
        let index = self.index(self.to + i);
        let to = &mut self.adjoints[index].0;
        S::store(S::sub(S::load(to), S::mul(a, b)), to);
    }

    /// Adds to the adjoint of operand `k`.
    #[inline(always)]
    pub(super) fn pass_on<S: Simd>(&mut self, k: usize, x: S::Float) {
        self.pass_on_groups::<S, 1>(k, [x]);
    }

    /// [`Places::adjoint`] for `G` groups of lanes, starting with the present one.
    #[inline(always)]
    pub(super) fn adjoints<S: Simd, const G: usize>(&self, i: usize) -> [S::Float; G] {
        let lanes = &self.adjoints[self.index(self.to + i)..][..G];
        let mut adjoints = [S::splat(0.0); G];
        for g in 0..G {
            adjoints[g] = S::load(&lanes[g].0);
        }
        adjoints
    }

    /// [`Places::pass_on`] for `G` groups of lanes, starting with the present one.
    #[inline(always)]
    pub(super) fn pass_on_groups<S: Simd, const G: usize>(&mut self, k: usize, x: [S::Float; G]) {
        let index = self.index(self.of[k].1 as usize);
        let lanes = &mut self.adjoints[index..][..G];
        for g in 0..G {
            let to = &mut lanes[g].0;
            S::store(S::add(S::load(to), x[g]), to);
        }
    }

    /// The partial derivative in operand `k`.
    #[inline(always)]
    pub(super) fn slope<S: Simd>(&self, k: usize) -> S::Float {
        S::load(&self.slopes[self.index(k)].0)
    }

    /// Sets the partial derivative in operand `k`.
    #[inline(always)]
    pub(super) fn set_slope<S: Simd>(&mut self, k: usize, x: S::Float) {
        let index = self.index(k);
        S::store(x, &mut self.slopes[index].0);
    }
}

/// Passes on the adjoint of the only output by the partial derivatives.
#[inline(always)]
pub(super) fn by_slopes<S: Simd>(places: &mut Places<'_>) {
    let adjoint = places.adjoint::<S>(0);
    for k in 0..places.of.len() {
        // an adjoint of 0 contributes nothing, for any slope
        let slope = S::mul_or_zero(adjoint, places.slope::<S>(k));
        places.pass_on::<S>(k, slope);
    }
}
