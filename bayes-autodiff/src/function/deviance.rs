//! Loader's deviance where the difference of its arguments is more accurate than the arguments.

use super::{Binary, Deviance, Ternary};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::Simd;
use crate::simd::math::{self, Pack};
use crate::special;

/// `x ln(x/m) + m - x` for `m = x + apart`; `apart` is an argument too, because it would have lost its digits as the difference of large
/// numbers.
///
/// Where `m` is near `x`, it is a function only of `x` and `apart`, elsewhere only of `x` and `m`, and has its slopes in these. So the
/// slopes along `m = x + apart` are right, and small where `m` is near `x`. No terms of size 1 cancel in them, unlike in the slopes
/// `ln(x/m)` and `1 - x/m` of [`Deviance`].
#[derive(Clone, Copy, Debug)]
pub struct DevianceApart;

impl Ternary for DevianceApart {
    const NAME: &'static str = "deviance_apart";
    crate::operation!(ternary DevianceApart);
    fn value(x: f64, m: f64, apart: f64) -> f64 {
        match special::deviance_near(x, apart) {
            Some((value, _)) => value,
            None => Deviance::value(x, m),
        }
    }
    fn first(x: f64, m: f64, apart: f64) -> (f64, [f64; 3]) {
        if let Some((value, [in_x, in_apart])) = special::deviance_near(x, apart) {
            return (value, [in_x, 0.0, in_apart]);
        }
        let (value, [in_x, in_m]) = Deviance::first(x, m);
        (value, [in_x, in_m, 0.0])
    }
    fn second(x: f64, m: f64, apart: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        if let Some((value, [in_x, in_apart])) = special::deviance_near(x, apart) {
            // with q = apart/(x + apart): q²/x, -q/(x + apart) and (1 - q)/(x + apart)
            let end = x + apart;
            let share = apart / end;
            let [xx, xd, dd] = [share * share / x, -share / end, (1.0 - share) / end];
            let curvature = [[xx, 0.0, xd], [0.0; 3], [xd, 0.0, dd]];
            return (value, [in_x, 0.0, in_apart], curvature);
        }
        let (value, [in_x, in_m], [xx, xm, mm]) = Deviance::second(x, m);
        let curvature = [[xx, xm, 0.0], [xm, mm, 0.0], [0.0; 3]];
        (value, [in_x, in_m, 0.0], curvature)
    }
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, m: S::Float, apart: S::Float) -> S::Float {
        Self::lanes_first::<S>(x, m, apart).0
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(
        x: S::Float,
        m: S::Float,
        apart: S::Float,
    ) -> (S::Float, [S::Float; 3]) {
        let (value, slopes) = math::deviance_apart(Pack::<S>(x), Pack(m), Pack(apart));
        (value.0, slopes.map(|slope| slope.0))
    }
}

/// [`DevianceApart`] of random values.
#[inline(always)]
#[must_use]
pub fn deviance_apart<M: Mode>(x: Real<M>, m: Real<M>, apart: Real<M>) -> Real<M> {
    Real(M::ternary::<DevianceApart>(x.0, m.0, apart.0))
}
