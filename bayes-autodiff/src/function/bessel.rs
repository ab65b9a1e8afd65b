//! Bessel functions.

use super::function;
use crate::special::{ln_bessel_i0_scaled, ln_bessel_i0_scaled_derivatives};

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
