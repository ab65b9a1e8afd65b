//! Functions without a closed form: written once for a single particle in any mode, and applied to all particles.
//!
//! The functions see a single particle, so they may branch and iterate on its values; derivatives come from dual
//! numbers.

use bayes_autodiff::function::{Binary, Ternary};
use bayes_autodiff::trace::Operation;
use bayes_autodiff::{Dual, Dual2, Mode, Real, SingleParticle, Value};
use std::marker::PhantomData;

/// A function of `N` arguments in any mode of a single particle.
pub(super) trait LiftedFunction<const N: usize>: 'static {
    /// The usual name.
    const NAME: &'static str;
    /// The function as a plain value, for traces: [`lifted_operation`].
    fn operation() -> &'static Operation;
    /// The function.
    fn evaluate<M: SingleParticle>(arguments: [Real<M>; N]) -> Real<M>;
}

/// `F` in the modes with many particles.
pub(super) struct Lifted<F>(PhantomData<F>);

/// The method `operation` of a [`LiftedFunction`], compiled in this crate: `lifted_operation!(binary LogBelow);`.
macro_rules! lifted_operation {
    ($arity:ident $function:ty) => {
        bayes_autodiff::operation!($arity $crate::dist::lifted::Lifted<$function>);
    };
}
pub(super) use lifted_operation;

/// Value and gradient.
fn first<F: LiftedFunction<N>, const N: usize>(arguments: [f64; N]) -> (f64, [f64; N]) {
    let value = F::evaluate(std::array::from_fn(|i| {
        Dual::<N>::variable(arguments[i], i)
    }));
    (value.primal(), Dual::gradient(value))
}

/// Value, gradient and Hessian.
fn second<F: LiftedFunction<N>, const N: usize>(
    arguments: [f64; N],
) -> (f64, [f64; N], [[f64; N]; N]) {
    let value = F::evaluate(std::array::from_fn(|i| {
        Dual2::<N>::variable(arguments[i], i)
    }));
    (
        value.primal(),
        Dual2::gradient(value),
        Dual2::hessian(value),
    )
}

impl<F: LiftedFunction<2>> Binary for Lifted<F> {
    const NAME: &'static str = F::NAME;
    fn operation() -> &'static Operation {
        F::operation()
    }
    fn value(x: f64, y: f64) -> f64 {
        F::evaluate::<Value>([x, y].map(Real::constant)).primal()
    }
    fn first(x: f64, y: f64) -> (f64, [f64; 2]) {
        first::<F, 2>([x, y])
    }
    fn second(x: f64, y: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, gradient, [[xx, xy], [_, yy]]) = second::<F, 2>([x, y]);
        (value, gradient, [xx, xy, yy])
    }
}

impl<F: LiftedFunction<3>> Ternary for Lifted<F> {
    const NAME: &'static str = F::NAME;
    fn operation() -> &'static Operation {
        F::operation()
    }
    fn value(x: f64, y: f64, z: f64) -> f64 {
        F::evaluate::<Value>([x, y, z].map(Real::constant)).primal()
    }
    fn first(x: f64, y: f64, z: f64) -> (f64, [f64; 3]) {
        first::<F, 3>([x, y, z])
    }
    fn second(x: f64, y: f64, z: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        second::<F, 3>([x, y, z])
    }
}

/// `F` of two random values.
#[inline(always)]
pub(super) fn of_two<M: Mode, F: LiftedFunction<2>>([x, y]: [Real<M>; 2]) -> Real<M> {
    Real(M::binary::<Lifted<F>>(x.0, y.0))
}

/// `F` of three random values.
#[inline(always)]
pub(super) fn of_three<M: Mode, F: LiftedFunction<3>>([x, y, z]: [Real<M>; 3]) -> Real<M> {
    Real(M::ternary::<Lifted<F>>(x.0, y.0, z.0))
}

/// Nodes and weights of Gauss and Legendre on `[0, 1]`, 16 of them.
const NODES: [[f64; 2]; 16] = [
    [0.005_299_532_504_175_033, 0.013_576_229_705_877_046],
    [0.027_712_488_463_383_71, 0.031_126_761_969_323_947],
    [0.067_184_398_806_084_12, 0.047_579_255_841_246_39],
    [0.122_297_795_822_498_49, 0.062_314_485_627_766_94],
    [0.191_061_877_798_678_14, 0.074_797_994_408_288_37],
    [0.270_991_611_171_386_3, 0.084_578_259_697_501_27],
    [0.359_198_224_610_370_54, 0.091_301_707_522_461_79],
    [0.452_493_745_081_181_3, 0.094_725_305_227_534_25],
    [0.547_506_254_918_818_8, 0.094_725_305_227_534_25],
    [0.640_801_775_389_629_5, 0.091_301_707_522_461_79],
    [0.729_008_388_828_613_7, 0.084_578_259_697_501_27],
    [0.808_938_122_201_321_9, 0.074_797_994_408_288_37],
    [0.877_702_204_177_501_6, 0.062_314_485_627_766_94],
    [0.932_815_601_193_915_8, 0.047_579_255_841_246_39],
    [0.972_287_511_536_616_3, 0.031_126_761_969_323_947],
    [0.994_700_467_495_825, 0.013_576_229_705_877_046],
];

/// The integration ends when a part adds less than this share.
const NEGLIGIBLE: f64 = 1e-18;

/// Maximum number of parts of an integral; their lengths double, so that they reach any length.
const PARTS: usize = 400;

/// `∫ f(s) ds` from 0 to `span`, in parts. The first part is as long as `scale`, over which `f` changes by a factor of
/// about e, and every other part as long as all parts before it. Ends before `span` if a part adds nothing.
pub(super) fn integral<M: SingleParticle>(
    scale: f64,
    span: Real<M>,
    f: impl Fn(Real<M>) -> Real<M>,
) -> Real<M> {
    let mut sum = Real::constant(0.0);
    let (mut low, mut high) = (0.0, scale);
    for _ in 0..PARTS {
        let is_last = high >= span.primal();
        let end = if is_last { span } else { Real::constant(high) };
        let part = part(low, end - low, &f);
        sum += part;
        // written so that NaN ends the loop too
        let goes_on = part.primal() > NEGLIGIBLE * sum.primal();
        if is_last || !goes_on {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    sum
}

/// `∫ f(s) ds` from `low` over `width`, by one rule.
pub(super) fn part<M: SingleParticle>(
    low: f64,
    width: Real<M>,
    f: impl Fn(Real<M>) -> Real<M>,
) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for [node, weight] in NODES {
        sum += f(low + width * node) * weight;
    }
    sum * width
}

/// `ln (1 + r₀ + r₀ r₁ + ...)` for `count` ratios of successive masses.
pub(super) fn log_sum<M: SingleParticle>(count: f64, ratio: impl Fn(f64) -> Real<M>) -> Real<M> {
    let (mut sum, mut term) = (Real::constant(1.0), Real::constant(1.0));
    let mut j = 0.0;
    while j < count {
        let next = ratio(j);
        term *= next;
        sum += term;
        j += 1.0;
        // written so that NaN ends the loop too
        let grows = next.primal() >= 1.0;
        let matters = term.primal() * (count - j) > NEGLIGIBLE * sum.primal();
        if !grows && !matters {
            break;
        }
    }
    sum.ln()
}

/// Counts from this size on do not fit into half of a number.
const HALF: f64 = 67_108_864.0;

/// Packs two counts into one number, `count ≤ most`, because a [`LiftedFunction`] has three arguments. NaN if `most`
/// is 2²⁶ or more.
#[inline(always)]
pub(super) fn packed<M: Mode>(count: Real<M>, most: Real<M>) -> Real<M> {
    Real::select(most.lt(HALF), count * HALF + most, f64::NAN)
}

/// The two counts in a [`packed`] number.
pub(super) fn unpacked<M: SingleParticle>(both: Real<M>) -> [f64; 2] {
    let both = both.primal();
    let count = (both / HALF).floor();
    [count, both - count * HALF]
}
