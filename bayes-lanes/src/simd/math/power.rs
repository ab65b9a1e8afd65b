//! `xʸ`, `x ln y` and the deviance.

use super::double::Double;
use super::exponential::exp_sum;
use super::logarithm::{LN, ln, ln_double, ln_of_ratio};
use super::pack::{Operand, Pack, polynomial, select};
use super::rare::patch_two;
use crate::simd::Mask;
use crate::simd::Simd;
use crate::special::slopes;

/// Below this size, even and odd exponents can be distinguished.
const WHOLE: f64 = 1e15;

apart! {
    /// `xʸ` and its slopes: `e^{y ln x}` with the logarithm to some 65 bits, as the exponential magnifies its error by
    /// up to 745. Zeros, infinities and NaN go to the scalar function.
    pub fn pow<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let size = x.abs();
        let usual = size
            .gt(0.0)
            .and(size.lt(f64::INFINITY))
            .and(y.abs().lt(WHOLE));
        let ln = ln_double(select(usual, size, 1.0));
        let value = signed_power(x, ln, y);
        let slope = y * signed_power(x, ln, y - 1.0);
        let in_x = select(y.eq(0.0), 0.0, slope);
        let in_y = value * select(x.gt(0.0), ln.value(), 0.0);
        patch_two(usual.not(), [x, y], (value, [in_x, in_y]), slopes::pow)
    }
}

apart! {
    /// `xʸ` given `ln |x|`: for negative `x` a sign if `y` is odd, NaN if it is not whole.
    fn signed_power<S: Simd>(x: Pack<S>, ln: Double<S>, y: Pack<S>) -> Pack<S> {
        let product = Double::product(y, ln.high);
        let low = y.mul_add(ln.low, product.low);
        let size = exp_sum(product.high, low);
        let half = 0.5 * y;
        let odd = select(half.round().eq(half), size, -size);
        let negative = select(y.round().eq(y), odd, f64::NAN);
        select(x.lt(0.0), negative, size)
    }
}

/// `x ln y` and its slopes, 0 at `x = 0`.
#[inline(always)]
pub fn x_ln_y<S: Simd>(x: Pack<S>, y: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
    let ln = ln(y);
    let (none, no_log) = (x.eq(0.0), x.eq(0.0).and(y.gt(0.0).not()));
    (
        select(none, 0.0, x * ln),
        [select(no_log, 0.0, ln), select(none, 0.0, x / y)],
    )
}

apart! {
    /// Loader's deviance `x ln(x/m) + m - x` and its slopes `ln(x/m)` and `1 - x/m`, like the scalar function.
    pub fn deviance<S: Simd>(x: Pack<S>, m: Pack<S>) -> (Pack<S>, [Pack<S>; 2]) {
        let (none, difference, sum) = (x.eq(0.0), x - m, x + m);
        let relative = select(none, -1.0, difference / m);
        let ln = ln_of_ratio(x, m, relative);
        let far = x.mul_add(ln, -difference);
        // with v = (x - m)/(x + m), ln(x/m) = 2v + v³ LN(v²)
        let v = difference / sum;
        let square = v * v;
        let near = v * (x * square).mul_add(polynomial(&LN, square), difference);
        let value = select(difference.abs().ge(0.2 * sum), far, near);
        (select(none, m, value), [ln, -relative])
    }
}

apart! {
    /// `x ln(x/m) + m - x` for `m = x + apart`, with its slopes: in `x` and `apart` where `x` and `m` are close, in `x` and `m` elsewhere.
    pub fn deviance_apart<S: Simd>(x: Pack<S>, m: Pack<S>, apart: Pack<S>) -> (Pack<S>, [Pack<S>; 3]) {
        let zero: Pack<S> = 0.0.pack();
        // with w = apart/(2x + apart), ln(1 + apart/x) = 2w + w³ LN(w²)
        let w = apart / (x + x + apart);
        let square = w * w;
        let cube = square * polynomial(&LN, square);
        let value = w * (apart - x * cube);
        let share = w / (w + 1.0);
        let slopes = [-w * (share + share + cube), zero, share + share];
        let near = w.abs().lt(0.2);
        if !S::any(near.not()) {
            return (value, slopes);
        }
        let (far, [in_x, in_m]) = deviance(x, m);
        (
            select(near, value, far),
            [
                select(near, slopes[0], in_x),
                select(near, zero, in_m),
                select(near, slopes[2], zero),
            ],
        )
    }
}
