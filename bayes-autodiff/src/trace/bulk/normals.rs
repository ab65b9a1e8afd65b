//! The sum of the log densities of normal variables, without their normaliser.

use super::Places;
use crate::lanes::Lane;
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

/// What a term needs besides the values, read once.
struct AtHand<'a, S: Simd> {
    data: Option<&'a [f64]>,
    scaling: Scaling<'a>,
    /// `m`, `r` and the latter times the adjoint.
    mean: S::Float,
    inverse: S::Float,
    weight: S::Float,
}

/// The sums of a term.
struct Sums<S: Simd> {
    /// `Σ z²`, of every fourth variable each.
    of: [S::Float; SIDE_BY_SIDE],
    /// Of the slopes in `m`.
    slopes: S::Float,
    /// `Σ z (z / r)`, minus the slope in `r`.
    squares: S::Float,
}

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
        let mut sums = Sums {
            of: [S::splat(0.0); SIDE_BY_SIDE],
            slopes: S::splat(0.0),
            squares: S::splat(0.0),
        };
        let at_hand = AtHand {
            data,
            scaling,
            mean,
            inverse,
            weight,
        };
        // the counts of the inner loops are constant, so that the sums stay in registers
        let whole = self.len - self.len % SIDE_BY_SIDE;
        for start in (0..whole).step_by(SIDE_BY_SIDE) {
            for k in 0..SIDE_BY_SIDE {
                self.add::<S, GRADIENT>(start + k, k, &at_hand, &mut sums, places);
            }
        }
        for k in 0..SIDE_BY_SIDE {
            if whole + k < self.len {
                self.add::<S, GRADIENT>(whole + k, k, &at_hand, &mut sums, places);
            }
        }
        let (slopes, squares) = (sums.slopes, sums.squares);
        if GRADIENT && self.has_mean {
            let k = self.mean();
            places.pass_on::<S>(k, S::mul(S::splat(places.of[k].0), slopes));
        }
        if GRADIENT && self.has_inverse {
            let k = self.inverse();
            let slope = S::mul(S::splat(-places.of[k].0), squares);
            places.pass_on::<S>(k, S::mul_or_zero(adjoint, slope));
        }
        half_of::<S>(sums.of)
    }

    /// Adds the term of variable `i` to sum `k`, and its slopes to theirs.
    #[inline(always)]
    fn add<S: Simd, const GRADIENT: bool>(
        &self,
        i: usize,
        k: usize,
        at_hand: &AtHand<'_, S>,
        sums: &mut Sums<S>,
        places: &mut Places<'_>,
    ) {
        let scale = S::splat(at_hand.scaling.at(i));
        let difference = self.difference::<S>(at_hand.data, at_hand.mean, i, places);
        let difference = S::mul(scale, difference);
        let z = S::mul(at_hand.inverse, difference);
        sums.of[k] = S::mul_add(z, z, sums.of[k]);
        if GRADIENT {
            let slope = S::mul(S::mul_or_zero(at_hand.weight, z), scale);
            if self.has_mean {
                sums.slopes = S::add(sums.slopes, slope);
            }
            if self.has_inverse {
                sums.squares = S::mul_add(z, difference, sums.squares);
            }
            if self.has_values {
                let multiple = S::splat(-places.of[i].0);
                places.pass_on::<S>(i, S::mul(multiple, slope));
            }
        }
    }

    /// The scale, if there is nothing but values, data and a shared scale: a prior of independent variables, or observations around
    /// values, the commonest cases.
    pub(super) fn plain_scale(&self) -> Option<f64> {
        match self.scales {
            Scales::Shared(scale) if self.has_values && !self.has_mean && !self.has_inverse => {
                Some(scale)
            }
            _ => None,
        }
    }

    /// [`Normals::term`] of all `W` groups of lanes at once, where the scale is all there is.
    #[inline(always)]
    pub(super) fn plain<S: Simd, const GRADIENT: bool, const W: usize>(
        &self,
        source: Source<'_>,
        [scale, adjoint]: [f64; 2],
        places: &mut Places<'_>,
        totals: &mut [Lane],
    ) {
        let data = self.numbers(source);
        let mut sums = [[S::splat(0.0); SIDE_BY_SIDE]; W];
        let whole = self.len - self.len % SIDE_BY_SIDE;
        let each = [scale, adjoint];
        for start in (0..whole).step_by(SIDE_BY_SIDE) {
            for k in 0..SIDE_BY_SIDE {
                add_plain::<S, GRADIENT, W>(start + k, k, data, each, &mut sums, places);
            }
        }
        for k in 0..SIDE_BY_SIDE {
            if whole + k < self.len {
                add_plain::<S, GRADIENT, W>(whole + k, k, data, each, &mut sums, places);
            }
        }
        for (total, sums) in totals.iter_mut().zip(sums) {
            S::store(half_of::<S>(sums), &mut total.0);
        }
    }
}

/// `-½ (a + b + c + d)`.
#[inline(always)]
fn half_of<S: Simd>([a, b, c, d]: [S::Float; SIDE_BY_SIDE]) -> S::Float {
    S::mul(S::splat(-0.5), S::add(S::add(a, b), S::add(c, d)))
}

/// Adds the term of variable `i` to sum `k` of every group of lanes.
#[inline(always)]
fn add_plain<S: Simd, const GRADIENT: bool, const W: usize>(
    i: usize,
    k: usize,
    data: Option<&[f64]>,
    [scale, adjoint]: [f64; 2],
    sums: &mut [[S::Float; SIDE_BY_SIDE]; W],
    places: &mut Places<'_>,
) {
    let (factor, slot) = places.of[i];
    let (factor, scale, adjoint) = (S::splat(factor), S::splat(scale), S::splat(adjoint));
    let values = &places.values.as_chunks::<W>().0[slot as usize];
    let mut slopes = [S::splat(0.0); W];
    // without data, what is subtracted changes nothing
    let datum = S::splat(data.map_or(0.0, |data| data[i]));
    for w in 0..W {
        let value = S::mul(factor, S::load(&values[w].0));
        let z = S::mul(scale, S::sub(value, datum));
        sums[w][k] = S::mul_add(z, z, sums[w][k]);
        slopes[w] = S::mul(S::mul_or_zero(adjoint, z), scale);
    }
    if GRADIENT {
        let to = &mut places.adjoints.as_chunks_mut::<W>().0[slot as usize];
        for w in 0..W {
            let slope = S::mul(S::neg(factor), slopes[w]);
            S::store(S::add(S::load(&to[w].0), slope), &mut to[w].0);
        }
    }
}
