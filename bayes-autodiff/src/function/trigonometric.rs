//! Circular and hyperbolic functions and their inverses.

use super::function;
use crate::simd::math;

function! {
    /// Sine.
    Sin, "sin", |x|
    value: x.sin(),
    first: x.sin_cos(),
    second: {
        let (s, c) = x.sin_cos();
        (s, c, -s)
    },
    lanes: math::sin(x)
}

function! {
    /// Cosine.
    Cos, "cos", |x|
    value: x.cos(),
    first: {
        let (s, c) = x.sin_cos();
        (c, -s)
    },
    second: {
        let (s, c) = x.sin_cos();
        (c, -s, -c)
    },
    lanes: math::cos(x)
}

function! {
    /// Tangent.
    Tan, "tan", |x|
    value: x.tan(),
    first: {
        let t = x.tan();
        (t, 1.0 + t * t)
    },
    second: {
        let t = x.tan();
        let d = 1.0 + t * t;
        (t, d, 2.0 * t * d)
    },
    lanes: math::tan(x)
}

function! {
    /// Arc sine.
    Asin, "asin", |x|
    value: x.asin(),
    first: (x.asin(), 1.0 / one_minus_square(x).sqrt()),
    second: {
        let q = one_minus_square(x);
        let d = 1.0 / q.sqrt();
        (x.asin(), d, x * d / q)
    }
}

function! {
    /// Arc cosine.
    Acos, "acos", |x|
    value: x.acos(),
    first: (x.acos(), -1.0 / one_minus_square(x).sqrt()),
    second: {
        let q = one_minus_square(x);
        let d = -1.0 / q.sqrt();
        (x.acos(), d, x * d / q)
    }
}

function! {
    /// Arc tangent.
    Atan, "atan", |x|
    value: x.atan(),
    first: (x.atan(), 1.0 / (1.0 + x * x)),
    second: {
        let d = 1.0 / (1.0 + x * x);
        (x.atan(), d, -2.0 * (x * d) * d)
    }
}

function! {
    /// Hyperbolic sine.
    Sinh, "sinh", |x|
    value: x.sinh(),
    first: (x.sinh(), x.cosh()),
    second: {
        let f = x.sinh();
        (f, x.cosh(), f)
    },
    lanes: math::sinh(x)
}

function! {
    /// Hyperbolic cosine.
    Cosh, "cosh", |x|
    value: x.cosh(),
    first: (x.cosh(), x.sinh()),
    second: {
        let f = x.cosh();
        (f, x.sinh(), f)
    },
    lanes: math::cosh(x)
}

function! {
    /// Hyperbolic tangent.
    Tanh, "tanh", |x|
    value: x.tanh(),
    first: (x.tanh(), sech_squared(x)),
    second: {
        let (f, d) = (x.tanh(), sech_squared(x));
        (f, d, -2.0 * f * d)
    },
    lanes: math::tanh(x)
}

function! {
    /// Inverse hyperbolic sine.
    Asinh, "asinh", |x|
    value: x.asinh(),
    first: (x.asinh(), 1.0 / x.hypot(1.0)),
    second: {
        let d = 1.0 / x.hypot(1.0);
        (x.asinh(), d, -(x * d) * d * d)
    }
}

function! {
    /// Inverse hyperbolic cosine, for `x ≥ 1`.
    Acosh, "acosh", |x|
    value: acosh(x),
    first: (acosh(x), 1.0 / (x - 1.0).sqrt() / (x + 1.0).sqrt()),
    second: {
        let d = 1.0 / (x - 1.0).sqrt() / (x + 1.0).sqrt();
        (acosh(x), d, -(x * d) * d * d)
    }
}

function! {
    /// Inverse hyperbolic tangent, for `|x| < 1`.
    Atanh, "atanh", |x|
    value: atanh(x),
    first: (atanh(x), 1.0 / one_minus_square(x)),
    second: {
        let d = 1.0 / one_minus_square(x);
        (atanh(x), d, 2.0 * x * d * d)
    }
}

/// `1 - x²` without the cancellation near `|x| = 1`.
#[inline(always)]
fn one_minus_square(x: f64) -> f64 {
    (1.0 - x) * (1.0 + x)
}

/// `1 / cosh² x`; `1 - tanh² x` would lose all digits for `|x| > 18`.
#[inline(always)]
fn sech_squared(x: f64) -> f64 {
    let e = (-2.0 * x.abs()).exp();
    4.0 * e / ((1.0 + e) * (1.0 + e))
}

/// `std` loses the digits of `x - 1` near 1.
#[inline(always)]
fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if t < 1.0 {
        (t + (t * (2.0 + t)).sqrt()).ln_1p()
    } else {
        x.acosh()
    }
}

/// `std` loses digits near -1; the function is odd.
#[inline(always)]
fn atanh(x: f64) -> f64 {
    let t = x.abs();
    (0.5 * (2.0 * t / (1.0 - t)).ln_1p()).copysign(x)
}
