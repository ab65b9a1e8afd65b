//! The sum of the log densities of normal variables, without their normaliser.

use super::Places;
use crate::simd::Simd;
use crate::trace::numbers::{Numbers, Source};

/// `-½ Σ (s_i r (v_i - d_i - m))²`, or without values `-½ Σ (s_i r (d_i - m))²`. The operands are those of `v`, then `m`,
/// then `r`, as far as they are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct Normals {
    pub(in crate::trace) len: usize,
    /// Whether there is a value for each variable.
    pub(in crate::trace) has_values: bool,
    /// What is subtracted from each value, or stands in its place.
    pub(in crate::trace) data: Option<Numbers>,
    /// Whether a quantity is subtracted from all values.
    pub(in crate::trace) has_mean: bool,
    /// Whether a quantity multiplies all differences.
    pub(in crate::trace) has_inverse: bool,
    /// The numbers that multiply the differences.
    pub(in crate::trace) scales: Scales,
}

/// `s`, the same for all variables or one for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) enum Scales {
    Shared(f64),
    Each(Numbers),
}

/// [`Scales`] at hand.
#[derive(Clone, Copy)]
enum Scaling<'a> {
    Shared(f64),
    Each(&'a [f64]),
}

impl Scaling<'_> {
    #[inline(always)]
    fn at(self, i: usize) -> f64 {
        match self {
            Self::Shared(scale) => scale,
            Self::Each(scales) => scales[i],
        }
    }
}

/// How many sums are computed side by side: one would wait for the last addition.
const SIDE_BY_SIDE: usize = 4;

impl Normals {
    /// The place of `m` among the operands.
    #[inline(always)]
    fn mean(&self) -> usize {
        if self.has_values { self.len } else { 0 }
    }

    /// The place of `r` among the operands.
    #[inline(always)]
    fn inverse(&self) -> usize {
        self.mean() + usize::from(self.has_mean)
    }

    #[inline(always)]
    fn numbers<'a>(&self, source: Source<'a>) -> Option<&'a [f64]> {
        match self.data {
            Some(data) => Some(source.numbers(data)),
            None => None,
        }
    }

    #[inline(always)]
    fn scaling<'a>(&self, source: Source<'a>) -> Scaling<'a> {
        match self.scales {
            Scales::Shared(scale) => Scaling::Shared(scale),
            Scales::Each(scales) => Scaling::Each(source.numbers(scales)),
        }
    }

    /// `m` and `r`.
    #[inline(always)]
    fn shared<S: Simd>(&self, places: &Places<'_>) -> [S::Float; 2] {
        let (mut mean, mut inverse) = (S::splat(0.0), S::splat(1.0));
        if self.has_mean {
            mean = places.multiple::<S>(self.mean());
        }
        if self.has_inverse {
            inverse = places.multiple::<S>(self.inverse());
        }
        [mean, inverse]
    }

    /// `v_i - d_i - m`, or `d_i - m`.
    #[inline(always)]
    fn difference<S: Simd>(
        &self,
        data: Option<&[f64]>,
        mean: S::Float,
        i: usize,
        places: &Places<'_>,
    ) -> S::Float {
        let mut difference = S::splat(0.0);
        if self.has_values {
            difference = places.multiple::<S>(i);
        }
        if let Some(data) = data {
            let datum = S::splat(data[i]);
            difference = if self.has_values {
                S::sub(difference, datum)
            } else {
                datum
            };
        }
        S::sub(difference, mean)
    }

    #[inline(always)]
    pub(super) fn term<S: Simd, const GRADIENT: bool>(
        &self,
        source: Source<'_>,
        adjoint: S::Float,
        places: &mut Places<'_>,
    ) -> S::Float {
        let (data, scaling) = (self.numbers(source), self.scaling(source));
        let [mean, inverse] = self.shared::<S>(places);
        // an adjoint of 0 contributes nothing, whatever the derivative is
        let weight = S::mul_or_zero(adjoint, inverse);
        let mut sums = [S::splat(0.0); SIDE_BY_SIDE];
        let (mut slopes, mut squares) = (S::splat(0.0), S::splat(0.0));
        for start in (0..self.len).step_by(SIDE_BY_SIDE) {
            let end = self.len.min(start + SIDE_BY_SIDE);
            for i in start..end {
                let scale = S::splat(scaling.at(i));
                let difference = S::mul(scale, self.difference::<S>(data, mean, i, places));
                let z = S::mul(inverse, difference);
                sums[i - start] = S::mul_add(z, z, sums[i - start]);
                if GRADIENT {
                    let slope = S::mul(S::mul_or_zero(weight, z), scale);
                    slopes = S::add(slopes, slope);
                    squares = S::mul_add(z, difference, squares);
                    if self.has_values {
                        let multiple = S::splat(-places.of[i].0);
                        places.pass_on::<S>(i, S::mul(multiple, slope));
                    }
                }
            }
        }
        if GRADIENT && self.has_mean {
            let k = self.mean();
            places.pass_on::<S>(k, S::mul(S::splat(places.of[k].0), slopes));
        }
        if GRADIENT && self.has_inverse {
            let k = self.inverse();
            let slope = S::mul(S::splat(-places.of[k].0), squares);
            places.pass_on::<S>(k, S::mul_or_zero(adjoint, slope));
        }
        let [a, b, c, d] = sums;
        S::mul(S::splat(-0.5), S::add(S::add(a, b), S::add(c, d)))
    }
}
