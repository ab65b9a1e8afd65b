//! The exit for rare arguments: the scalar function, lane by lane, off the common path.

use super::pack::{Pack, select};
use crate::simd::{LANES, Simd};

/// Value and slope of a function of one variable; where `mask` holds, from `scalar`.
#[inline(always)]
pub fn patch<S: Simd>(
    mask: S::Mask,
    x: Pack<S>,
    (value, slope): (Pack<S>, Pack<S>),
    scalar: fn(f64) -> (f64, f64),
) -> (Pack<S>, Pack<S>) {
    if !S::any(mask) {
        return (value, slope);
    }
    let [a, b] = each(&S::array(x.0), scalar);
    let (a, b) = (Pack::<S>(S::load(&a)), Pack::<S>(S::load(&b)));
    (select(mask, a, value), select(mask, b, slope))
}

#[cold]
#[inline(never)]
fn each(x: &[f64; LANES], scalar: fn(f64) -> (f64, f64)) -> [[f64; LANES]; 2] {
    let pairs = x.map(scalar);
    [pairs.map(|p| p.0), pairs.map(|p| p.1)]
}

/// A function of two variables as plain numbers.
type Scalar = fn(f64, f64) -> (f64, [f64; 2]);

/// Value and gradient of a function of two variables; where `mask` holds, from `scalar`.
#[inline(always)]
pub fn patch_two<S: Simd>(
    mask: S::Mask,
    [x, y]: [Pack<S>; 2],
    (value, [in_x, in_y]): (Pack<S>, [Pack<S>; 2]),
    scalar: Scalar,
) -> (Pack<S>, [Pack<S>; 2]) {
    if !S::any(mask) {
        return (value, [in_x, in_y]);
    }
    let [a, b, c] = each_two(&S::array(x.0), &S::array(y.0), scalar);
    let (a, b, c) = (S::load(&a), S::load(&b), S::load(&c));
    let choose = |a, b: Pack<S>| select(mask, Pack::<S>(a), b);
    (choose(a, value), [choose(b, in_x), choose(c, in_y)])
}

#[cold]
#[inline(never)]
fn each_two(x: &[f64; LANES], y: &[f64; LANES], scalar: Scalar) -> [[f64; LANES]; 3] {
    let all: [_; LANES] = std::array::from_fn(|i| scalar(x[i], y[i]));
    [all.map(|f| f.0), all.map(|f| f.1[0]), all.map(|f| f.1[1])]
}
