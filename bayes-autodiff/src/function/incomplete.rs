//! Distribution functions that are incomplete gamma and beta functions, on the log scale.
//!
//! Their derivatives are computed by running the algorithm on dual numbers.

use super::{Binary, Ternary};
use crate::dual::{Dual, Dual2};
use crate::incomplete::{beta, gamma, student};
use crate::real::Real;
use crate::value::Value;

/// Declares a [`Binary`] whose derivatives come from an algorithm on dual numbers.
macro_rules! algorithm {
    ($(#[$doc:meta])* $type:ident, $name:literal, $algorithm:path) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $type;
        impl Binary for $type {
            const NAME: &'static str = $name;
            $crate::operation!(binary $type);
            fn value(x: f64, y: f64) -> f64 {
                $algorithm(Real::<Value>::constant(x), Real::constant(y)).primal()
            }
            fn first(x: f64, y: f64) -> (f64, [f64; 2]) {
                let f = $algorithm(Dual::variable(x, 0), Dual::variable(y, 1));
                (Self::value(x, y), Dual::gradient(f))
            }
            fn second(x: f64, y: f64) -> (f64, [f64; 2], [f64; 3]) {
                let f = $algorithm(Dual2::variable(x, 0), Dual2::variable(y, 1));
                let [[xx, xy], [_, yy]] = Dual2::hessian(f);
                let (value, gradient) = Self::first(x, y);
                (value, gradient, [xx, xy, yy])
            }
        }
    };
}

algorithm! {
    /// `ln P(a, x)`: the log of the regularised lower incomplete gamma function.
    LnGammaCdf, "ln_gamma_cdf", gamma::ln_lower
}

algorithm! {
    /// `ln Q(a, x)`: the log of the regularised upper incomplete gamma function.
    LnGammaSf, "ln_gamma_sf", gamma::ln_upper
}

algorithm! {
    /// The log of the distribution function of Student's t with `ν` degrees of freedom at `t`.
    LnStudentCdf, "ln_student_cdf", student::ln_cdf
}

/// `ln I_x(a, b)` at `x = logistic(z)`: the log of the regularised incomplete beta function.
///
/// The upper tail is `f(-z, b, a)`.
#[derive(Clone, Copy, Debug)]
pub struct LnBetaCdf;

impl Ternary for LnBetaCdf {
    const NAME: &'static str = "ln_beta_cdf";
    crate::operation!(ternary LnBetaCdf);
    fn value(z: f64, a: f64, b: f64) -> f64 {
        let [z, a, b] = [z, a, b].map(Real::<Value>::constant);
        beta::ln_lower(z, a, b).primal()
    }
    fn first(z: f64, a: f64, b: f64) -> (f64, [f64; 3]) {
        let f = beta::ln_lower(
            Dual::variable(z, 0),
            Dual::variable(a, 1),
            Dual::variable(b, 2),
        );
        (Self::value(z, a, b), Dual::gradient(f))
    }
    fn second(z: f64, a: f64, b: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        let f = beta::ln_lower(
            Dual2::variable(z, 0),
            Dual2::variable(a, 1),
            Dual2::variable(b, 2),
        );
        let (value, gradient) = Self::first(z, a, b);
        (value, gradient, Dual2::hessian(f))
    }
}
