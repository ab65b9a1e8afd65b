//! The sum of the log masses of Bernoulli variables, given their log odds.

use super::Places;
use crate::lanes::log_logistic_sum;
use crate::simd::Simd;
use crate::trace::numbers::{Numbers, Source};

/// `Σ ln σ(s_i x_i)` with the signs `s_i`, 1 for an outcome of 1 and -1 for 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct Logits {
    pub(in crate::trace) signs: Numbers,
}

impl Logits {
    #[inline(always)]
    pub(super) fn forward<S: Simd, const SLOPES: bool>(
        &self,
        source: Source<'_>,
        places: &mut Places<'_>,
    ) {
        let signs = source.numbers(self.signs);
        let Places {
            of,
            values,
            slopes,
            width,
            group,
            ..
        } = places;
        let (width, group) = (*width, *group);
        let total = log_logistic_sum::<S>(
            of.len(),
            #[inline(always)]
            |i| {
                let x = S::load(&values[of[i].1 as usize * width + group].0);
                S::mul(x, S::splat(signs[i]))
            },
            #[inline(always)]
            |i, slope| {
                if SLOPES {
                    let slope = S::mul(slope, S::splat(signs[i]));
                    S::store(slope, &mut slopes[i * width + group].0);
                }
            },
        );
        places.set::<S>(0, total);
    }
}
