//! Elementary functions of eight lanes, called or inlined.
//!
//! A model's code is compiled for every mode and every instruction set. Inlined long functions would multiply its size
//! and compile time, so only short functions that are common in loops over data are inlined.

use super::{Binary, Function};
use crate::mode::Mask;
use crate::simd::{InstructionSet, LANES, Simd, Work};
use std::cell::Cell;
use std::marker::PhantomData;

/// A cached argument and its value for one instruction set; another instruction set may differ in the last bit.
#[derive(Clone, Copy)]
struct Remembered {
    level: InstructionSet,
    argument: [f64; LANES],
    value: [f64; LANES],
}

thread_local! {
    static LAST: Cell<Remembered> = const {
        Cell::new(Remembered {
            level: InstructionSet::Portable,
            argument: [f64::NAN; LANES],
            value: [f64::NAN; LANES],
        })
    };
}

/// `f` and `f'` of eight lanes whose argument is often the same as in the last call.
#[inline(always)]
pub(crate) fn first_again<S: Simd, F: Function>(x: S::Float) -> (S::Float, S::Float) {
    if const { !F::REMEMBER } {
        return first::<S, F>(x);
    }
    let last = LAST.get();
    let mut value = S::load(&last.value);
    if last.level != S::INSTRUCTION_SET || S::any(S::eq(x, S::load(&last.argument)).not()) {
        value = F::lanes::<S>(x);
        LAST.set(Remembered {
            level: S::INSTRUCTION_SET,
            argument: S::array(x),
            value: S::array(value),
        });
    }
    // the derivative of the logarithm; computing both together would be inlined a second time
    (value, S::div(S::splat(1.0), x))
}

/// Whether a function of one argument is inlined; none is if single operations are calls.
pub(crate) const fn is_inline<S: Simd, F: Function>() -> bool {
    !matches!(S::INSTRUCTION_SET, InstructionSet::Portable) && F::INLINE
}

/// Whether a function of two arguments is inlined.
const fn is_inline_binary<S: Simd, F: Binary>() -> bool {
    !matches!(S::INSTRUCTION_SET, InstructionSet::Portable) && F::INLINE
}

/// `f` of eight lanes.
#[inline(always)]
pub(crate) fn value<S: Simd, F: Function>(x: S::Float) -> S::Float {
    if const { is_inline::<S, F>() } {
        return F::lanes::<S>(x);
    }
    S::load(&S::call(Value::<F>(S::array(x), PhantomData)))
}

/// `f` and `f'` of eight lanes.
#[inline(always)]
pub(crate) fn first<S: Simd, F: Function>(x: S::Float) -> (S::Float, S::Float) {
    if const { is_inline::<S, F>() } {
        return F::lanes_first::<S>(x);
    }
    let [value, slope] = S::call(First::<F>(S::array(x), PhantomData));
    (S::load(&value), S::load(&slope))
}

/// `f` and its gradient of eight lanes.
#[inline(always)]
pub(crate) fn binary_first<S: Simd, F: Binary>(
    x: S::Float,
    y: S::Float,
) -> (S::Float, [S::Float; 2]) {
    if const { is_inline_binary::<S, F>() } {
        return F::lanes_first::<S>(x, y);
    }
    let [value, fx, fy] = S::call(BinaryFirst::<F>([S::array(x), S::array(y)], PhantomData));
    (S::load(&value), [S::load(&fx), S::load(&fy)])
}

struct Value<F>([f64; LANES], PhantomData<F>);

struct First<F>([f64; LANES], PhantomData<F>);

struct BinaryFirst<F>([[f64; LANES]; 2], PhantomData<F>);

impl<F: Function> Work for Value<F> {
    type Output = [f64; LANES];
    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; LANES] {
        S::array(F::lanes::<S>(S::load(&self.0)))
    }
}

impl<F: Function> Work for First<F> {
    type Output = [[f64; LANES]; 2];
    #[inline(always)]
    fn run<S: Simd>(self) -> [[f64; LANES]; 2] {
        let (value, slope) = F::lanes_first::<S>(S::load(&self.0));
        [S::array(value), S::array(slope)]
    }
}

impl<F: Binary> Work for BinaryFirst<F> {
    type Output = [[f64; LANES]; 3];
    #[inline(always)]
    fn run<S: Simd>(self) -> [[f64; LANES]; 3] {
        let (value, [fx, fy]) = F::lanes_first::<S>(S::load(&self.0[0]), S::load(&self.0[1]));
        [S::array(value), S::array(fx), S::array(fy)]
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES, first, first_again};
    use crate::function::{Exp, Function, Ln, UNARY};
    use crate::simd::{InstructionSet, Simd, Work, dispatch};

    #[test]
    fn one_function_is_remembered_and_it_is_inline() {
        let remembered: Vec<_> = UNARY.iter().filter(|f| f.remembered).collect();
        assert_eq!(remembered.len(), 1, "the store has room for one");
        assert_eq!(remembered[0].name, Ln::NAME, "its slope is taken to be 1/x");
        const { assert!(Ln::INLINE, "else the slope would be computed by a call") };
    }

    /// The remembered function at arguments that come again, and change in one lane.
    struct Again;

    impl Work for Again {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self) {
            let ones = [1.0; LANES];
            let mut others = [0.0, -0.0, 5e-324, 2.5, -1.0, f64::INFINITY, f64::NAN, 7.0];
            let bits = |(a, b): (S::Float, S::Float)| [a, b].map(|x| S::array(x).map(f64::to_bits));
            // the first is what the level before ended with
            for x in [[3.7; LANES], ones, ones, others, others, ones] {
                let x = S::load(&x);
                assert_eq!(bits(first_again::<S, Ln>(x)), bits(first::<S, Ln>(x)));
                assert_eq!(bits(first_again::<S, Exp>(x)), bits(first::<S, Exp>(x)));
            }
            others[6] = 3.0;
            for i in 0..LANES {
                others[i] += 1.0;
                let x = S::load(&others);
                assert_eq!(bits(first_again::<S, Ln>(x)), bits(first::<S, Ln>(x)));
            }
            for argument in [0.1, 0.3, 0.7, 1.3, 3.7] {
                let x = S::splat(argument);
                assert_eq!(bits(first_again::<S, Ln>(x)), bits(first::<S, Ln>(x)));
            }
        }
    }

    #[test]
    fn what_is_remembered_is_what_would_be_computed() {
        for level in InstructionSet::available() {
            dispatch(level, Again);
        }
    }
}
