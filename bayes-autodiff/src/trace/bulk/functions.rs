//! The sum of a function of a datum and a value, over many of both.

use super::Places;
use crate::lanes::Lane;
use crate::simd::Simd;
use crate::trace::numbers::{Numbers, Source};
use crate::trace::operation::Operation;

/// `base + factor Σ f(d_i, x_i)`: the log density of many observations, each with its own parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct Functions {
    /// `f`, of two arguments.
    pub(in crate::trace) function: &'static Operation,
    pub(in crate::trace) factor: f64,
    /// `d`, followed by `base`, so that other data have the same operation.
    pub(in crate::trace) data: Numbers,
}

/// Number of terms computed by one call of the function.
const TOGETHER: usize = 16;

impl Functions {
    #[inline(always)]
    pub(super) fn term<S: Simd, const GRADIENT: bool>(
        &self,
        source: Source<'_>,
        adjoint: S::Float,
        places: &mut Places<'_>,
    ) -> S::Float {
        let data = source.numbers(self.data);
        let (count, factor) = (places.of.len(), S::splat(self.factor));
        let mut arguments = [[Lane::ZERO; TOGETHER]; 2];
        let mut values = [Lane::ZERO; TOGETHER];
        let mut slopes = [Lane::ZERO; 2 * TOGETHER];
        let mut total = S::splat(0.0);
        for start in (0..count).step_by(TOGETHER) {
            let tile = count.min(start + TOGETHER) - start;
            let [numbers, own] = &mut arguments;
            for i in 0..tile {
                numbers[i].0 = [data[start + i]; 8];
                S::store(places.operand::<S>(start + i), &mut own[i].0);
            }
            let arguments = [&numbers[..tile], &own[..tile]];
            let values = &mut values[..tile];
            if GRADIENT {
                let slopes = &mut slopes[..2 * tile];
                self.function.first::<S>(&arguments, values, slopes);
                for i in 0..tile {
                    let slope = S::mul(factor, S::load(&slopes[tile + i].0));
                    places.pass_on::<S>(start + i, S::mul_or_zero(adjoint, slope));
                }
            } else {
                self.function.value::<S>(&arguments, values);
            }
            for value in values {
                total = S::add(total, S::load(&value.0));
            }
        }
        S::mul_add(factor, total, S::splat(data[count]))
    }
}
