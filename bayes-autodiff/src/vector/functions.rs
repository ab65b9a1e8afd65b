//! Functions of one number, of every element of a vector.

use super::Vector;
use crate::mode::Mode;
use crate::real::Real;

/// One method for each function of the scalar.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        impl<M: Mode> Vector<M> {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(&self) -> Self {
                // passing the function by name would make a call for each element
                self.map(
                    #[inline(always)]
                    |x| x.$name(),
                )
            }
        )*}
    };
}

functions! {
    /// `e` to the power of every element.
    exp,
    /// `exp(x) - 1` of every element, accurate near 0.
    exp_m1,
    /// Natural logarithm of every element.
    ln,
    /// `ln(1 + x)` of every element, accurate near 0.
    ln_1p,
    /// Square root of every element.
    sqrt,
    /// Square of every element.
    square,
    /// Absolute value of every element.
    abs,
    /// `1/x` of every element.
    recip,
    /// Sine of every element (radians).
    sin,
    /// Cosine of every element (radians).
    cos,
    /// Hyperbolic tangent of every element.
    tanh,
    /// `1 / (1 + exp(-x))` of every element.
    logistic,
    /// `ln x - ln(1 - x)` of every element.
    logit,
    /// `ln(1 + exp(x))` of every element.
    log1p_exp,
    /// The standard normal distribution function of every element.
    norm_cdf,
    /// The logarithm of the standard normal distribution function of every element, accurate in both tails.
    ln_norm_cdf,
    /// Logarithm of the gamma function of every element.
    ln_gamma,
}

impl<M: Mode> Vector<M> {
    /// `xʸ` of every element, as [`Real::pow`].
    #[inline(always)]
    #[must_use]
    pub fn powf(&self, y: impl Into<Real<M>>) -> Self {
        let y = y.into();
        self.map(
            #[inline(always)]
            |x| x.pow(y),
        )
    }
}
