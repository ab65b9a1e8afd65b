//! Adjoints: the terms of the log densities, and instructions in reverse order.

use super::Slots;
use super::forward::{load, places, scaled, store, sum, truth};
use crate::lanes::Lane;
use crate::simd::{Simd, Work};
use crate::trace::bulk::Reverse;
use crate::trace::code::{Addend, Code, Instruction, Segment, Slot, Sum};
use std::ops::Range;

/// `a`; or 0 where `adjoint` is 0, so that the product is 0 for any `a`.
#[inline(always)]
fn masked<S: Simd, const EXACT: bool>(adjoint: S::Float, a: S::Float) -> S::Float {
    if EXACT {
        let zero = S::splat(0.0);
        S::select(S::eq(adjoint, zero), zero, a)
    } else {
        a
    }
}

/// `to += adjoint * a`.
#[inline(always)]
fn add<S: Simd, const W: usize, const EXACT: bool>(
    to: &mut [Lane; W],
    adjoint: &[S::Float; W],
    a: &[S::Float; W],
) {
    for w in 0..W {
        let a = masked::<S, EXACT>(adjoint[w], a[w]);
        S::store(S::mul_add(adjoint[w], a, S::load(&to[w].0)), &mut to[w].0);
    }
}

/// Passes the adjoint of a sum on to its operands.
#[inline(always)]
fn pass_on<S: Simd, const W: usize, const EXACT: bool>(
    code: &Code,
    sum: &Sum,
    adjoint: &[S::Float; W],
    values: &[[Lane; W]],
    adjoints: &mut [[Lane; W]],
) {
    let (linear, bilinear) = code.terms(sum);
    for product in linear {
        let factor = S::splat(product.factor);
        let to = &mut adjoints[product.of[0] as usize];
        for w in 0..W {
            let factor = masked::<S, EXACT>(adjoint[w], factor);
            let total = S::mul_add(adjoint[w], factor, S::load(&to[w].0));
            S::store(total, &mut to[w].0);
        }
    }
    for product in bilinear {
        let factor = S::splat(product.factor);
        let [a, b] = [product.of[0] as usize, product.of[1] as usize];
        let mut share = [factor; W];
        for w in 0..W {
            share[w] = S::mul(adjoint[w], masked::<S, EXACT>(adjoint[w], factor));
        }
        let (x, y) = (load::<S, W>(&values[a]), load::<S, W>(&values[b]));
        add::<S, W, EXACT>(&mut adjoints[a], &share, &y);
        add::<S, W, EXACT>(&mut adjoints[b], &share, &x);
    }
}

/// Adds up the terms of a segment, and passes the weights of the log densities on to their operands.
pub(super) fn terms<S: Simd, const W: usize, const EXACT: bool>(
    code: &Code,
    segment: &Segment,
    index: usize,
    weights: [f64; 2],
    slots: &mut Slots<'_, W>,
) {
    if weights.contains(&0.0) {
        // a term of weight 0 is left out, even if its gradient is not finite
        super::forward::terms::<S, W>(code, segment, index, slots);
    }
    for (part, weight) in weights.into_iter().enumerate() {
        if weight != 0.0 {
            S::call(Terms::<W, EXACT> {
                code,
                range: segment.addends[part].clone(),
                weight,
                place: [index, part],
                slots,
            });
        }
    }
}

struct Terms<'a, 'b, const W: usize, const EXACT: bool> {
    code: &'a Code,
    range: Range<usize>,
    weight: f64,
    /// The place of the sum: the segment and the part.
    place: [usize; 2],
    slots: &'a mut Slots<'b, W>,
}

impl<const W: usize, const EXACT: bool> Work for Terms<'_, '_, W, EXACT> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let (code, weight) = (self.code, S::splat(self.weight));
        let Slots {
            source,
            values,
            adjoints,
            tally,
            ..
        } = self.slots;
        let mut total = [S::splat(0.0); W];
        for addend in &code.addends[self.range] {
            match addend {
                Addend::Sum(terms) => {
                    let value = sum::<S, W>(code, terms, values);
                    for w in 0..W {
                        total[w] = S::add(total[w], value[w]);
                    }
                    pass_on::<S, W, EXACT>(code, terms, &[weight; W], values, adjoints);
                }
                Addend::Square { sum: terms, .. } => {
                    let value = sum::<S, W>(code, terms, values);
                    let slope = square::<S, W, EXACT>(
                        addend,
                        self.weight,
                        &value,
                        &mut total,
                        values,
                        adjoints,
                    );
                    pass_on::<S, W, EXACT>(code, terms, &slope, values, adjoints);
                }
                Addend::Weighted { sum: terms, .. } => {
                    let value = sum::<S, W>(code, terms, values);
                    let slope = weighted::<S, W, EXACT>(
                        addend,
                        self.weight,
                        &value,
                        &mut total,
                        values,
                        adjoints,
                    );
                    pass_on::<S, W, EXACT>(code, terms, &slope, values, adjoints);
                }
                Addend::Total { factor, .. } => {
                    let own = super::forward::total::<S, W, true>(
                        code,
                        *source,
                        addend,
                        self.weight,
                        values,
                        (adjoints, tally.again()),
                    );
                    for w in 0..W {
                        total[w] = S::mul_add(S::splat(*factor), own[w], total[w]);
                    }
                }
            }
        }
        let [index, part] = self.place;
        store::<S, W>(total, &mut self.slots.sums[index][part]);
    }
}

/// Adds a square of `sum` to `total`, and passes its slope on to the factor; returns the slope in `sum`, both times `adjoint`.
#[inline(always)]
fn square<S: Simd, const W: usize, const EXACT: bool>(
    addend: &Addend,
    adjoint: f64,
    sum: &[S::Float; W],
    total: &mut [S::Float; W],
    values: &[[Lane; W]],
    adjoints: &mut [[Lane; W]],
) -> [S::Float; W] {
    let mut slope = *sum;
    if let Addend::Square { scale, factor, .. } = *addend {
        let root = scaled::<S, W>(*sum, factor, values);
        for w in 0..W {
            let half = S::mul(S::splat(scale), root[w]);
            total[w] = S::mul_add(half, root[w], total[w]);
            slope[w] = S::mul(S::splat(2.0 * adjoint), half);
        }
        if let Some(factor) = factor {
            let by = load::<S, W>(&values[factor as usize]);
            add::<S, W, EXACT>(&mut adjoints[factor as usize], &slope, sum);
            for w in 0..W {
                slope[w] = S::mul(slope[w], masked::<S, EXACT>(slope[w], by[w]));
            }
        }
    }
    slope
}

/// Adds a weighted square of `sum` to `total`, and passes its slope on to the weight; returns the slope in `sum`, both times `adjoint`.
#[inline(always)]
fn weighted<S: Simd, const W: usize, const EXACT: bool>(
    addend: &Addend,
    adjoint: f64,
    sum: &[S::Float; W],
    total: &mut [S::Float; W],
    values: &[[Lane; W]],
    adjoints: &mut [[Lane; W]],
) -> [S::Float; W] {
    let (mut slope, mut share) = (*sum, *sum);
    if let Addend::Weighted { scale, weight, .. } = *addend {
        let by = load::<S, W>(&values[weight as usize]);
        for w in 0..W {
            let half = S::mul(S::splat(scale), S::mul(sum[w], by[w]));
            total[w] = S::mul_add(half, sum[w], total[w]);
            slope[w] = S::mul(S::splat(2.0 * adjoint), half);
            share[w] = S::mul(S::splat(adjoint * scale), sum[w]);
        }
        add::<S, W, EXACT>(&mut adjoints[weight as usize], &share, sum);
    }
    slope
}

/// Sweeps instructions from the last to the first.
pub(super) fn values<S: Simd, const W: usize, const EXACT: bool>(
    code: &Code,
    range: Range<usize>,
    slots: &mut Slots<'_, W>,
) {
    S::call(Sweep::<W, EXACT> { code, range, slots });
}

struct Sweep<'a, 'b, const W: usize, const EXACT: bool> {
    code: &'a Code,
    range: Range<usize>,
    slots: &'a mut Slots<'b, W>,
}

impl<const W: usize, const EXACT: bool> Work for Sweep<'_, '_, W, EXACT> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Slots {
            source,
            values,
            adjoints,
            slopes,
            tally,
            ..
        } = self.slots;
        for instruction in self.code.instructions[self.range].iter().rev() {
            match instruction {
                Instruction::Sum { to, sum } => {
                    let adjoint = load::<S, W>(&adjoints[*to as usize]);
                    pass_on::<S, W, EXACT>(self.code, sum, &adjoint, values, adjoints);
                }
                Instruction::Call { .. } => {
                    calls::<S, W, EXACT>(instruction, adjoints, slopes);
                }
                Instruction::Known { .. } => known::<S, W, EXACT>(instruction, values, adjoints),
                Instruction::Recip { to, of } => {
                    let adjoint = load::<S, W>(&adjoints[*to as usize]);
                    let mut slope = load::<S, W>(&values[*to as usize]);
                    for x in &mut slope {
                        *x = S::neg(S::mul(*x, *x));
                    }
                    add::<S, W, EXACT>(&mut adjoints[*of as usize], &adjoint, &slope);
                }
                Instruction::Less { .. } => {}
                Instruction::Bulk { .. } => {
                    let tally = tally.again();
                    let places = places(self.code, instruction, values, adjoints, slopes, tally);
                    if let Some((operation, places)) = places {
                        S::call(Reverse {
                            operation,
                            source: *source,
                            places,
                        });
                    }
                }
                Instruction::Select { to, of } => {
                    let adjoint = load::<S, W>(&adjoints[*to as usize]);
                    choose::<S, W>(values, adjoints, *of, adjoint);
                }
            }
        }
    }
}

/// Passes the adjoints of function values on by their partial derivatives.
#[inline(always)]
fn calls<S: Simd, const W: usize, const EXACT: bool>(
    instruction: &Instruction,
    adjoints: &mut [[Lane; W]],
    slopes: &[[Lane; W]],
) {
    let Instruction::Call {
        to,
        of,
        slopes: first,
        function,
        count,
    } = *instruction
    else {
        return;
    };
    for i in 0..count as usize {
        let adjoint = load::<S, W>(&adjoints[to as usize + i]);
        for k in 0..function.arity() {
            let slope = load::<S, W>(&slopes[first as usize + i + k]);
            add::<S, W, EXACT>(&mut adjoints[of[k] as usize + i], &adjoint, &slope);
        }
    }
}

/// Passes the adjoints of function values on by derivatives that are multiples of other values.
#[inline(always)]
fn known<S: Simd, const W: usize, const EXACT: bool>(
    instruction: &Instruction,
    values: &[[Lane; W]],
    adjoints: &mut [[Lane; W]],
) {
    let Instruction::Known {
        to,
        of,
        scale,
        slope,
        count,
        ..
    } = *instruction
    else {
        return;
    };
    for i in 0..count as usize {
        let mut adjoint = load::<S, W>(&adjoints[to as usize + i]);
        for x in &mut adjoint {
            *x = S::mul(S::splat(scale), *x);
        }
        let slope = load::<S, W>(&values[slope as usize + i]);
        add::<S, W, EXACT>(&mut adjoints[of as usize + i], &adjoint, &slope);
    }
}

/// Passes an adjoint on to the chosen side: the second slot where the first is not 0, else the third.
#[inline(always)]
fn choose<S: Simd, const W: usize>(
    values: &[[Lane; W]],
    adjoints: &mut [[Lane; W]],
    of: [Slot; 3],
    adjoint: [S::Float; W],
) {
    let zero = S::splat(0.0);
    for w in 0..W {
        let mask = truth::<S, W>(values, of[0], w);
        let yes = &mut adjoints[of[1] as usize][w].0;
        S::store(S::add(S::load(yes), S::select(mask, adjoint[w], zero)), yes);
        let no = &mut adjoints[of[2] as usize][w].0;
        S::store(S::add(S::load(no), S::select(mask, zero, adjoint[w])), no);
    }
}
