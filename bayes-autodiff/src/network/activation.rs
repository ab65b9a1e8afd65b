//! Functions of every element.

use super::element::Element;
use super::layer::Activation;
use crate::function::{Function, Logistic, NormCdf, Tanh};
use crate::simd::{LANES, Simd};

impl Activation {
    /// The function of every element of `input`.
    #[inline(always)]
    pub(super) fn forward<S: Simd, E: Element>(self, input: &[[E; LANES]], out: &mut [[E; LANES]]) {
        for (x, out) in input.iter().zip(out) {
            let x = E::load::<S>(x);
            let y = match self {
                // in this order NaN propagates
                Self::Relu => E::max::<S>(E::splat::<S>(E::default()), x),
                Self::Gelu => {
                    let x = E::widen::<S>(x);
                    E::narrow::<S>(S::mul(x, NormCdf::lanes::<S>(x)))
                }
                Self::Tanh => E::narrow::<S>(Tanh::lanes::<S>(E::widen::<S>(x))),
                Self::Sigmoid => E::narrow::<S>(Logistic::lanes::<S>(E::widen::<S>(x))),
            };
            E::store::<S>(y, out);
        }
    }

    /// Multiplies `slopes`, the slopes of the outputs, by the derivatives; `before` are the inputs and `after` the outputs.
    #[inline(always)]
    pub(super) fn backward<S: Simd, E: Element>(
        self,
        before: &[[E; LANES]],
        after: &[[E; LANES]],
        slopes: &mut [[E; LANES]],
    ) {
        let zero = E::splat::<S>(E::default());
        for i in 0..slopes.len() {
            let slope = E::load::<S>(&slopes[i]);
            let own = match self {
                Self::Relu => E::if_less::<S>(zero, E::load::<S>(&after[i]), [slope, zero]),
                Self::Gelu => {
                    let x = E::widen::<S>(E::load::<S>(&before[i]));
                    let (below, density) = NormCdf::lanes_first::<S>(x);
                    E::mul::<S>(slope, E::narrow::<S>(S::mul_add(x, density, below)))
                }
                Self::Tanh => {
                    let y = E::widen::<S>(E::load::<S>(&after[i]));
                    let rest = S::sub(S::splat(1.0), S::mul(y, y));
                    E::mul::<S>(slope, E::narrow::<S>(rest))
                }
                Self::Sigmoid => {
                    let y = E::widen::<S>(E::load::<S>(&after[i]));
                    let own = S::mul(y, S::sub(S::splat(1.0), y));
                    E::mul::<S>(slope, E::narrow::<S>(own))
                }
            };
            E::store::<S>(own, &mut slopes[i]);
        }
    }
}
