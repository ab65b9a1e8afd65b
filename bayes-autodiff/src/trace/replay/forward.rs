//! Values: instructions in their order, and the terms of the log densities.

use super::Slots;
use crate::lanes::Lane;
use crate::simd::Mask;
use crate::simd::{Simd, Work};
use crate::trace::bulk::{Bulk, Forward, Places, Tally, Total};
use crate::trace::code::{Addend, Code, Instruction, Segment, Slot, Sum};
use crate::trace::numbers::Source;
use crate::trace::operation::Operation;
use std::ops::Range;

/// The lanes of a slot.
#[inline(always)]
pub(super) fn load<S: Simd, const W: usize>(from: &[Lane; W]) -> [S::Float; W] {
    let mut x = [S::splat(0.0); W];
    for w in 0..W {
        x[w] = S::load(&from[w].0);
    }
    x
}

#[inline(always)]
pub(super) fn store<S: Simd, const W: usize>(x: [S::Float; W], to: &mut [Lane; W]) {
    for w in 0..W {
        S::store(x[w], &mut to[w].0);
    }
}

/// The value of a sum.
#[inline(always)]
pub(super) fn sum<S: Simd, const W: usize>(
    code: &Code,
    sum: &Sum,
    values: &[[Lane; W]],
) -> [S::Float; W] {
    let mut total = [S::splat(sum.constant); W];
    let (linear, bilinear) = code.terms(sum);
    for product in linear {
        let factor = S::splat(product.factor);
        let a = &values[product.of[0] as usize];
        for w in 0..W {
            total[w] = S::mul_add(factor, S::load(&a[w].0), total[w]);
        }
    }
    for product in bilinear {
        let factor = S::splat(product.factor);
        let a = &values[product.of[0] as usize];
        let b = &values[product.of[1] as usize];
        for w in 0..W {
            let scaled = S::mul(factor, S::load(&a[w].0));
            total[w] = S::mul_add(scaled, S::load(&b[w].0), total[w]);
        }
    }
    total
}

/// Computes the values of instructions.
pub(super) fn values<S: Simd, const W: usize>(
    code: &Code,
    range: Range<usize>,
    slots: &mut Slots<'_, W>,
) {
    S::call(Instructions::<W, false> { code, range, slots });
}

/// Computes the values of instructions, and the partial derivatives of calls.
pub(super) fn slopes<S: Simd, const W: usize>(
    code: &Code,
    range: Range<usize>,
    slots: &mut Slots<'_, W>,
) {
    S::call(Instructions::<W, true> { code, range, slots });
}

struct Instructions<'a, 'b, const W: usize, const SLOPES: bool> {
    code: &'a Code,
    range: Range<usize>,
    slots: &'a mut Slots<'b, W>,
}

impl<const W: usize, const SLOPES: bool> Work for Instructions<'_, '_, W, SLOPES> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Slots {
            source,
            values,
            slopes,
            ..
        } = self.slots;
        for instruction in &self.code.instructions[self.range] {
            let (to, value) = match instruction {
                Instruction::Sum { to, sum } => (to, self::sum::<S, W>(self.code, sum, values)),
                Instruction::Bulk { .. } => {
                    bulk::<S, W, SLOPES>(self.code, *source, instruction, values, slopes);
                    continue;
                }
                Instruction::Call { count: 2.., .. } | Instruction::Known { count: 2.., .. } => {
                    calls::<S, W, SLOPES>(instruction, values, slopes);
                    continue;
                }
                Instruction::Call {
                    to,
                    of,
                    slopes: first,
                    function,
                    ..
                } => {
                    let slopes = &mut slopes[*first as usize..][..function.arity()];
                    (to, call::<S, W, SLOPES>(function, *of, values, slopes))
                }
                Instruction::Known {
                    to, of, function, ..
                } => {
                    let mut value = [Lane::ZERO; W];
                    function.value::<S>(&[&values[*of as usize]], &mut value);
                    (to, load::<S, W>(&value))
                }
                Instruction::Recip { to, of } => {
                    let mut inverse = load::<S, W>(&values[*of as usize]);
                    for x in &mut inverse {
                        *x = S::div(S::splat(1.0), *x);
                    }
                    (to, inverse)
                }
                Instruction::Less { to, of, strict } => (to, less::<S, W>(values, *of, *strict)),
                Instruction::Select { to, of } => (to, select::<S, W>(values, *of)),
            };
            store::<S, W>(value, &mut values[*to as usize]);
        }
    }
}

/// A function of some slots.
#[inline(always)]
fn call<S: Simd, const W: usize, const SLOPES: bool>(
    function: &Operation,
    of: [Slot; 3],
    values: &[[Lane; W]],
    slopes: &mut [[Lane; W]],
) -> [S::Float; W] {
    let mut arguments = [&[][..]; 3];
    for (argument, slot) in arguments.iter_mut().zip(of) {
        *argument = &values[slot as usize][..];
    }
    let mut value = [Lane::ZERO; W];
    if SLOPES {
        function.first::<S>(&arguments, &mut value, slopes.as_flattened_mut());
    } else {
        function.value::<S>(&arguments, &mut value);
    }
    load::<S, W>(&value)
}

/// A function of one argument for several adjacent slots; the arguments come before the results.
#[inline(always)]
fn calls<S: Simd, const W: usize, const SLOPES: bool>(
    instruction: &Instruction,
    values: &mut [[Lane; W]],
    slopes: &mut [[Lane; W]],
) {
    let count = instruction.count();
    let (to, of, function, slopes) = match instruction {
        Instruction::Call {
            to,
            of,
            slopes: first,
            function,
            ..
        } => {
            let slopes = &mut slopes[*first as usize..][..count];
            (*to, of[0], *function, Some(slopes))
        }
        Instruction::Known {
            to, of, function, ..
        } => (*to, *of, *function, None),
        _ => return,
    };
    let (before, from) = values.split_at_mut(to as usize);
    let arguments = [before[of as usize..][..count].as_flattened()];
    let values = from[..count].as_flattened_mut();
    match slopes {
        Some(slopes) if SLOPES => {
            function.first::<S>(&arguments, values, slopes.as_flattened_mut());
        }
        _ => function.value::<S>(&arguments, values),
    }
}

/// The operation on vectors of an instruction, and its places.
#[inline(always)]
pub(super) fn places<'a, const W: usize>(
    code: &'a Code,
    instruction: &Instruction,
    values: &'a mut [[Lane; W]],
    adjoints: &'a mut [[Lane; W]],
    slopes: &'a mut [[Lane; W]],
    tally: Tally<'a>,
) -> Option<(&'a Bulk, Places<'a>)> {
    let Instruction::Bulk {
        to,
        of,
        operands,
        slopes: first,
        operation,
    } = *instruction
    else {
        return None;
    };
    let operation = &code.bulks[operation as usize];
    let operands = operands as usize;
    let places = Places {
        of: &code.operands[of as usize..][..operands],
        to: to as usize,
        values: values.as_flattened_mut(),
        adjoints: adjoints.as_flattened_mut(),
        slopes: slopes[first as usize..][..operation.slopes(operands)].as_flattened_mut(),
        width: W,
        group: 0,
        tally,
    };
    Some((operation, places))
}

/// Computes an operation on vectors.
#[inline(always)]
fn bulk<S: Simd, const W: usize, const SLOPES: bool>(
    code: &Code,
    source: Source<'_>,
    instruction: &Instruction,
    values: &mut [[Lane; W]],
    slopes: &mut [[Lane; W]],
) {
    let Some((operation, places)) =
        places(code, instruction, values, &mut [], slopes, Tally::default())
    else {
        return;
    };
    S::call(Forward::<SLOPES> {
        operation,
        source,
        places,
    });
}

/// 1 where the first slot is less than the second, else 0.
#[inline(always)]
fn less<S: Simd, const W: usize>(
    values: &[[Lane; W]],
    of: [Slot; 2],
    strict: bool,
) -> [S::Float; W] {
    let a = load::<S, W>(&values[of[0] as usize]);
    let b = load::<S, W>(&values[of[1] as usize]);
    let mut truth = a;
    for w in 0..W {
        let mask = if strict {
            S::lt(a[w], b[w])
        } else {
            S::le(a[w], b[w])
        };
        truth[w] = S::select(mask, S::splat(1.0), S::splat(0.0));
    }
    truth
}

/// The second slot where the first is not 0, else the third.
#[inline(always)]
fn select<S: Simd, const W: usize>(values: &[[Lane; W]], of: [Slot; 3]) -> [S::Float; W] {
    let mut chosen = load::<S, W>(&values[of[2] as usize]);
    let yes = load::<S, W>(&values[of[1] as usize]);
    for w in 0..W {
        let mask = truth::<S, W>(values, of[0], w);
        chosen[w] = S::select(mask, yes[w], chosen[w]);
    }
    chosen
}

/// Where a slot is nonzero.
#[inline(always)]
pub(super) fn truth<S: Simd, const W: usize>(
    values: &[[Lane; W]],
    slot: Slot,
    w: usize,
) -> S::Mask {
    S::eq(S::load(&values[slot as usize][w].0), S::splat(0.0)).not()
}

/// Adds up the terms of a segment.
pub(super) fn terms<S: Simd, const W: usize>(
    code: &Code,
    segment: &Segment,
    index: usize,
    slots: &mut Slots<'_, W>,
) {
    S::call(Terms {
        code,
        segment,
        index,
        slots,
    });
}

struct Terms<'a, 'b, const W: usize> {
    code: &'a Code,
    segment: &'a Segment,
    index: usize,
    slots: &'a mut Slots<'b, W>,
}

impl<const W: usize> Work for Terms<'_, '_, W> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Slots { source, values, .. } = self.slots;
        for part in 0..2 {
            let mut total = [S::splat(0.0); W];
            for addend in &self.code.addends[self.segment.addends[part].clone()] {
                match addend {
                    Addend::Sum(terms) => {
                        let sum = sum::<S, W>(self.code, terms, values);
                        for w in 0..W {
                            total[w] = S::add(total[w], sum[w]);
                        }
                    }
                    Addend::Square {
                        scale,
                        sum: terms,
                        factor,
                    } => {
                        let sum = sum::<S, W>(self.code, terms, values);
                        let root = scaled::<S, W>(sum, *factor, values);
                        for w in 0..W {
                            let slope = S::mul(S::splat(*scale), root[w]);
                            total[w] = S::mul_add(slope, root[w], total[w]);
                        }
                    }
                    Addend::Weighted {
                        scale,
                        sum: terms,
                        weight,
                    } => {
                        let sum = sum::<S, W>(self.code, terms, values);
                        let half = scaled::<S, W>(sum, Some(*weight), values);
                        for w in 0..W {
                            let slope = S::mul(S::splat(*scale), half[w]);
                            total[w] = S::mul_add(slope, sum[w], total[w]);
                        }
                    }
                    Addend::Total { factor, .. } => {
                        let own = self::total::<S, W, false>(
                            self.code,
                            *source,
                            addend,
                            0.0,
                            values,
                            (&mut [], Tally::default()),
                        );
                        for w in 0..W {
                            total[w] = S::mul_add(S::splat(*factor), own[w], total[w]);
                        }
                    }
                }
            }
            store::<S, W>(total, &mut self.slots.sums[self.index][part]);
        }
    }
}

/// The value of an operation on vectors that is a term. With `GRADIENT`, adds `weight` times its derivatives to the adjoints of its
/// operands.
#[inline(always)]
pub(super) fn total<S: Simd, const W: usize, const GRADIENT: bool>(
    code: &Code,
    source: Source<'_>,
    addend: &Addend,
    weight: f64,
    values: &mut [[Lane; W]],
    (adjoints, tally): (&mut [[Lane; W]], Tally<'_>),
) -> [S::Float; W] {
    let mut totals = [Lane::ZERO; W];
    if let Addend::Total {
        factor,
        of,
        operands,
        operation,
    } = *addend
    {
        let places = Places {
            of: &code.operands[of as usize..][..operands as usize],
            to: 0,
            values: values.as_flattened_mut(),
            adjoints: adjoints.as_flattened_mut(),
            slopes: &mut [],
            width: W,
            group: 0,
            tally,
        };
        S::call(Total::<GRADIENT> {
            operation: &code.bulks[operation as usize],
            source,
            adjoint: weight * factor,
            places,
            totals: &mut totals,
        });
    }
    load::<S, W>(&totals)
}

/// `sum * factor`.
#[inline(always)]
pub(super) fn scaled<S: Simd, const W: usize>(
    sum: [S::Float; W],
    factor: Option<Slot>,
    values: &[[Lane; W]],
) -> [S::Float; W] {
    let Some(factor) = factor else { return sum };
    let factor = &values[factor as usize];
    let mut root = sum;
    for w in 0..W {
        root[w] = S::mul(sum[w], S::load(&factor[w].0));
    }
    root
}
