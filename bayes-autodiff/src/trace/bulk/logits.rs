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
    pub(super) fn term<S: Simd, const GRADIENT: bool>(
        &self,
        source: Source<'_>,
        adjoint: S::Float,
        places: &mut Places<'_>,
    ) -> S::Float {
        let signs = source.numbers(self.signs);
        let Places {
            of,
            values,
            adjoints,
            width,
            group,
            ..
        } = places;
        let (width, group) = (*width, *group);
        log_logistic_sum::<S>(
            of.len(),
            #[inline(always)]
            |i| {
                let x = S::load(&values[of[i].1 as usize * width + group].0);
                S::mul(x, S::splat(signs[i]))
            },
            #[inline(always)]
            |i, slope| {
                if GRADIENT {
                    let to = &mut adjoints[of[i].1 as usize * width + group].0;
                    let slope = S::mul(slope, S::splat(signs[i]));
                    S::store(S::add(S::load(to), S::mul_or_zero(adjoint, slope)), to);
                }
            },
        )
    }
}
