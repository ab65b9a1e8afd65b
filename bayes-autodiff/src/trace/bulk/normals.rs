//! The sum of the log densities of normal variables, without their normaliser.

use super::Places;
use crate::simd::Simd;
use crate::trace::numbers::{Numbers, Source};

/// `-½ Σ (s_i r (v_i - d_i - m))²`, or without values `-½ Σ (s_i r (d_i - m))²`. The operands are `v`, then `m`, then `r`, if present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct Normals {
    pub(in crate::trace) len: usize,
    /// Whether there is a value for each variable.
    pub(in crate::trace) has_values: bool,
    /// The numbers that are subtracted from each value, or replace it.
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

/// [`Scales`] as numbers.
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

/// Number of sums side by side: a single sum would wait for its last addition.
const SIDE_BY_SIDE: usize = 4;

/// The data of a term besides the values, read once; `m` and `r` of `G` groups of lanes.
struct AtHand<'a, S: Simd, const G: usize> {
    data: Option<&'a [f64]>,
    scaling: Scaling<'a>,
    /// `m`, `r`, and `r` times the adjoint.
    mean: [S::Float; G],
    inverse: [S::Float; G],
    weight: [S::Float; G],
}

/// The sums of a term, for each group of lanes.
struct Sums<S: Simd, const G: usize> {
    /// `Σ z²`, each over every fourth variable.
    of: [[S::Float; SIDE_BY_SIDE]; G],
    /// The sum of the slopes in `m`.
    slopes: [S::Float; G],
    /// `Σ z (z / r)`, minus the slope in `r`.
    squares: [S::Float; G],
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

    /// Whether there is no `m` and no `r`, but a value for each variable: a prior of independent variables, or observations around
    /// values, the most common cases.
    pub(super) fn is_plain(&self) -> bool {
        self.has_values && !self.has_mean && !self.has_inverse
    }

    /// The value, for `G` groups of lanes starting with the present one. With `GRADIENT`, adds its derivatives times `adjoint` to the
    /// adjoints of the operands. `PLAIN` is faster, but requires a [plain](Self::is_plain) operation.
    #[inline(always)]
    pub(super) fn term<S: Simd, const GRADIENT: bool, const PLAIN: bool, const G: usize>(
        &self,
        source: Source<'_>,
        adjoint: [S::Float; G],
        places: &mut Places<'_>,
    ) -> [S::Float; G] {
        let at_hand = self.at_hand::<S, G>(source, adjoint, places);
        let mut sums = Sums {
            of: [[S::splat(0.0); SIDE_BY_SIDE]; G],
            slopes: [S::splat(0.0); G],
            squares: [S::splat(0.0); G],
        };
        // the inner loops have constant counts, so that the sums stay in registers
        let whole = self.len - self.len % SIDE_BY_SIDE;
        for start in (0..whole).step_by(SIDE_BY_SIDE) {
            for k in 0..SIDE_BY_SIDE {
                self.add::<S, GRADIENT, PLAIN, G>(start + k, k, &at_hand, &mut sums, places);
            }
        }
        for k in 0..SIDE_BY_SIDE {
            if whole + k < self.len {
                self.add::<S, GRADIENT, PLAIN, G>(whole + k, k, &at_hand, &mut sums, places);
            }
        }
        if GRADIENT && !PLAIN {
            self.pass_on_shared::<S, G>(adjoint, &sums, places);
        }
        let mut totals = adjoint;
        for (total, [a, b, c, d]) in totals.iter_mut().zip(sums.of) {
            *total = S::mul(S::splat(-0.5), S::add(S::add(a, b), S::add(c, d)));
        }
        totals
    }

    /// Reads the data common to all variables.
    #[inline(always)]
    fn at_hand<'a, S: Simd, const G: usize>(
        &self,
        source: Source<'a>,
        adjoint: [S::Float; G],
        places: &Places<'_>,
    ) -> AtHand<'a, S, G> {
        let (mut mean, mut inverse) = ([S::splat(0.0); G], [S::splat(1.0); G]);
        if self.has_mean {
            mean = places.multiples::<S, G>(self.mean());
        }
        if self.has_inverse {
            inverse = places.multiples::<S, G>(self.inverse());
        }
        let mut weight = adjoint;
        for g in 0..G {
            // an adjoint of 0 contributes nothing, for any derivative
            weight[g] = S::mul_or_zero(adjoint[g], inverse[g]);
        }
        AtHand {
            data: self.numbers(source),
            scaling: self.scaling(source),
            mean,
            inverse,
            weight,
        }
    }

    /// Adds the term of variable `i` to sum `k`, and its slopes to their sums.
    #[inline(always)]
    fn add<S: Simd, const GRADIENT: bool, const PLAIN: bool, const G: usize>(
        &self,
        i: usize,
        k: usize,
        at_hand: &AtHand<'_, S, G>,
        sums: &mut Sums<S, G>,
        places: &mut Places<'_>,
    ) {
        let scale = S::splat(at_hand.scaling.at(i));
        let differences = self.differences::<S, PLAIN, G>(at_hand, i, places);
        let mut slopes = differences;
        for g in 0..G {
            let difference = S::mul(scale, differences[g]);
            let z = if PLAIN {
                difference
            } else {
                S::mul(at_hand.inverse[g], difference)
            };
            sums.of[g][k] = S::mul_add(z, z, sums.of[g][k]);
            if GRADIENT {
                slopes[g] = S::mul(S::mul_or_zero(at_hand.weight[g], z), scale);
                if !PLAIN && self.has_mean {
                    sums.slopes[g] = S::add(sums.slopes[g], slopes[g]);
                }
                if !PLAIN && self.has_inverse {
                    sums.squares[g] = S::mul_add(z, difference, sums.squares[g]);
                }
            }
        }
        if GRADIENT && (PLAIN || self.has_values) {
            let factor = S::splat(-places.of[i].0);
            for slope in &mut slopes {
                *slope = S::mul(factor, *slope);
            }
            places.pass_on_groups::<S, G>(i, slopes);
        }
    }

    /// `v_i - d_i - m`, or `d_i - m`.
    #[inline(always)]
    fn differences<S: Simd, const PLAIN: bool, const G: usize>(
        &self,
        at_hand: &AtHand<'_, S, G>,
        i: usize,
        places: &Places<'_>,
    ) -> [S::Float; G] {
        let mut differences = [S::splat(0.0); G];
        if PLAIN || self.has_values {
            differences = places.multiples::<S, G>(i);
        }
        if let Some(data) = at_hand.data {
            let datum = S::splat(data[i]);
            for difference in &mut differences {
                *difference = if PLAIN || self.has_values {
                    S::sub(*difference, datum)
                } else {
                    datum
                };
            }
        }
        if !PLAIN {
            for (difference, mean) in differences.iter_mut().zip(at_hand.mean) {
                *difference = S::sub(*difference, mean);
            }
        }
        differences
    }

    /// Passes the slopes in `m` and `r` on.
    #[inline(always)]
    fn pass_on_shared<S: Simd, const G: usize>(
        &self,
        adjoint: [S::Float; G],
        sums: &Sums<S, G>,
        places: &mut Places<'_>,
    ) {
        if self.has_mean {
            let k = self.mean();
            let factor = S::splat(places.of[k].0);
            let mut slopes = sums.slopes;
            for slope in &mut slopes {
                *slope = S::mul(factor, *slope);
            }
            places.pass_on_groups::<S, G>(k, slopes);
        }
        if self.has_inverse {
            let k = self.inverse();
            let factor = S::splat(-places.of[k].0);
            let mut slopes = sums.squares;
            for g in 0..G {
                slopes[g] = S::mul_or_zero(adjoint[g], S::mul(factor, slopes[g]));
            }
            places.pass_on_groups::<S, G>(k, slopes);
        }
    }
}
