//! Powers, exponentials and logarithms.

use super::function;
use crate::simd::math;

function! {
    /// `eˣ`.
    Exp, "exp", |x|
    value: x.exp(),
    first: {
        let f = x.exp();
        (f, f)
    },
    second: {
        let f = x.exp();
        (f, f, f)
    },
    lanes: {
        let f = math::exp(x);
        (f, f)
    }
}

function! {
    /// `eˣ - 1`, accurate for small `x`.
    ExpM1, "exp_m1", |x|
    value: x.exp_m1(),
    first: {
        let f = x.exp_m1();
        (f, exp_from_m1(x, f))
    },
    second: {
        let f = x.exp_m1();
        let d = exp_from_m1(x, f);
        (f, d, d)
    },
    lanes: math::exp_m1(x)
}

function! {
    /// Natural logarithm.
    Ln, "ln", |x|
    value: x.ln(),
    first: (x.ln(), 1.0 / x),
    second: {
        let r = 1.0 / x;
        (x.ln(), r, -r * r)
    },
    lanes: (math::ln(x), 1.0 / x)
}

function! {
    /// `ln(1 + x)`, accurate for small `x`.
    Ln1p, "ln_1p", |x|
    value: x.ln_1p(),
    first: (x.ln_1p(), 1.0 / (1.0 + x)),
    second: {
        let r = 1.0 / (1.0 + x);
        (x.ln_1p(), r, -r * r)
    },
    lanes: (math::ln_1p(x), 1.0 / (1.0 + x))
}

function! {
    /// Square root.
    Sqrt, "sqrt", |x|
    value: x.sqrt(),
    first: {
        let f = x.sqrt();
        (f, 0.5 / f)
    },
    second: {
        let f = x.sqrt();
        (f, 0.5 / f, -0.25 / (x * f))
    },
    lanes: {
        let f = x.sqrt();
        (f, 0.5 / f)
    }
}

function! {
    /// `1/x`.
    Recip, "recip", |x|
    value: 1.0 / x,
    first: {
        let r = 1.0 / x;
        (r, -r * r)
    },
    second: {
        let r = 1.0 / x;
        (r, -r * r, 2.0 * r * r * r)
    },
    lanes: {
        let r = 1.0 / x;
        (r, -r * r)
    }
}

function! {
    /// `x²`.
    Square, "square", |x|
    value: x * x,
    first: (x * x, 2.0 * x),
    second: (x * x, 2.0 * x, 2.0),
    lanes: (x * x, 2.0 * x)
}

function! {
    /// `|x|`, with slope 0 at 0.
    Abs, "abs", |x|
    value: x.abs(),
    first: (x.abs(), sign(x)),
    second: (x.abs(), sign(x), 0.0),
    lanes: (x.abs(), x.sign())
}

/// `eˣ` given `f = eˣ - 1`, which no longer has its digits for negative `x`.
#[inline(always)]
fn exp_from_m1(x: f64, f: f64) -> f64 {
    if x < -0.5 { x.exp() } else { f + 1.0 }
}

/// -1, 0 or 1 (`f64::signum` gives ±1 at zero).
#[inline(always)]
fn sign(x: f64) -> f64 {
    f64::from(x > 0.0) - f64::from(x < 0.0)
}
