//! The modified Bessel function `I₀` on the log scale.

use super::function;

function! {
    /// `ln(e⁻ˣ I₀(x))` for `x ≥ 0`, with the modified Bessel function of order 0.
    LnBesselI0Scaled, "ln_bessel_i0_scaled", |x|
    value: ln_bessel_i0_scaled(x),
    first: (ln_bessel_i0_scaled(x), ln_bessel_i0_scaled_derivatives(x).0),
    second: {
        let (d, dd) = ln_bessel_i0_scaled_derivatives(x);
        (ln_bessel_i0_scaled(x), d, dd)
    }
}

function! {
    /// `ln I₀(x)`, with the modified Bessel function of order 0: about `x²/4` near 0, about `|x| - ½ ln 2π|x|` far out.
    LnBesselI0, "ln_bessel_i0", |x|
    value: ln_bessel_i0(x),
    first: (ln_bessel_i0(x), ln_bessel_i0_slope(x)),
    second: (ln_bessel_i0(x), ln_bessel_i0_slope(x), ln_bessel_i0_scaled_derivatives(x.abs()).1)
}

/// From here on the asymptotic series reaches rounding before it diverges.
const FAR: f64 = 20.0;

/// `ln(e⁻ˣ I₀(x))` for `x ≥ 0`: about `-x` near 0, about `-½ ln 2πx` far out.
fn ln_bessel_i0_scaled(x: f64) -> f64 {
    if x < FAR {
        power_series(x).ln_1p() - x
    } else {
        -0.5 * (std::f64::consts::TAU * x).ln() + asymptotic_series(x)[0].ln_1p()
    }
}

/// First and second derivative of [`ln_bessel_i0_scaled`].
fn ln_bessel_i0_scaled_derivatives(x: f64) -> (f64, f64) {
    if x < FAR {
        return (-near_slope(x), near_curvature(x));
    }
    let [rest, first, second] = asymptotic_series(x);
    let sum = 1.0 + rest;
    let slope = first / sum;
    (slope - 0.5 / x, 0.5 / x / x + second / sum - slope * slope)
}

/// `I₀(x) - 1 = Σ yᵏ/k!²` over `k ≥ 1`, with `y = x²/4` (NIST DLMF 10.25.2).
fn power_series(x: f64) -> f64 {
    let y = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (y, y, 1.0);
    while term > 1e-18 * sum {
        k += 1.0;
        term *= y / (k * k);
        sum += term;
    }
    sum
}

/// `1 - I₁(x)/I₀(x)`, which would cancel for large `x`, as a quotient of positive sums.
///
/// ```text
/// eˣ I₀(x) = Σ aₖ,    eˣ (I₀(x) - I₁(x)) = Σ aₖ/(k+1),    aₖ = (½)ₖ (2x)ᵏ/k!²
/// ```
///
/// Both are Kummer's function (NIST DLMF 10.39.5).
fn near_slope(x: f64) -> f64 {
    let (mut term, mut sum, mut difference, mut k) = (1.0, 1.0, 1.0, 0.0);
    while term > 1e-18 * difference {
        term *= 2.0 * x * (k + 0.5) / ((k + 1.0) * (k + 1.0));
        k += 1.0;
        sum += term;
        difference += term / (k + 1.0);
    }
    difference / sum
}

/// `(I₀ I₀'' - I₀'²)/I₀²`, again as positive sums: the products of the power series (NIST DLMF 10.31.3) give
///
/// ```text
/// I₀ I₀'' - I₀'² = Σ (2k)!/(2 k!⁴ (k+1)²) yᵏ,    y = x²/4
/// ```
fn near_curvature(x: f64) -> f64 {
    let y = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (1.0, 0.5, 0.0);
    while term > 1e-18 * sum {
        let next = k + 1.0;
        term *= 2.0 * (2.0 * k + 1.0) * y / (next * next * next);
        k = next;
        sum += 0.5 * term / ((k + 1.0) * (k + 1.0));
    }
    let value = 1.0 + power_series(x);
    sum / (value * value)
}

/// `S(x) - 1`, `S'(x)` and `S''(x)` where `I₀(x) = eˣ/√(2πx) S(x)` (NIST DLMF 10.40.1).
fn asymptotic_series(x: f64) -> [f64; 3] {
    let (mut term, mut k) = (1.0, 0.0);
    let mut sums = [0.0; 3];
    while term > 1e-18 {
        term *= (2.0 * k + 1.0) * (2.0 * k + 1.0) / (8.0 * (k + 1.0) * x);
        k += 1.0;
        sums[0] += term;
        sums[1] -= k * term / x;
        sums[2] += k * (k + 1.0) * term / x / x;
    }
    sums
}

/// `ln I₀(x)`, relative to itself also near 0, where [`ln_bessel_i0_scaled`] and `x` would cancel.
fn ln_bessel_i0(x: f64) -> f64 {
    let x = x.abs();
    if x < FAR {
        power_series(x).ln_1p()
    } else if x < f64::INFINITY {
        x + ln_bessel_i0_scaled(x)
    } else {
        x
    }
}

/// `I₁(x)/I₀(x)`, the derivative of [`ln_bessel_i0`].
fn ln_bessel_i0_slope(x: f64) -> f64 {
    let size = x.abs();
    let slope = if size < FAR {
        half_series(size) / (1.0 + power_series(size))
    } else {
        1.0 + ln_bessel_i0_scaled_derivatives(size).0
    };
    slope.copysign(x)
}

/// `I₁(x) = ½ x Σ yᵏ/(k! (k+1)!)`, with `y = x²/4` (NIST DLMF 10.25.2).
fn half_series(x: f64) -> f64 {
    let y = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (0.5 * x, 0.5 * x, 0.0);
    while term > 1e-18 * sum {
        k += 1.0;
        term *= y / (k * (k + 1.0));
        sum += term;
    }
    sum
}
