//! Second order, for Hessians.

use super::scaled;
use crate::function::{Binary, Function, Ternary};
use crate::mode::{Mode, arguments};
use crate::real::Real;
use crate::trace::Operation;
use num_dual::{Derivative, Dual2SVec64};

/// Second-order forward mode over `N` directions at once: `N` first and `N²` second derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual2<const N: usize>;

impl<const N: usize> Dual2<N> {
    /// The variable of direction `index`: derivative 1 there, 0 elsewhere.
    #[must_use]
    pub fn variable(x: f64, index: usize) -> Real<Self> {
        Real(Dual2SVec64::from_re(x).derivative(index))
    }

    /// The first derivatives, `[N]`; zeros for a constant.
    #[must_use]
    pub fn gradient(x: Real<Self>) -> [f64; N] {
        let first = x.0.v1.0;
        std::array::from_fn(|i| first.map_or(0.0, |v| v[i]))
    }

    /// The second derivatives, `[N, N]`; zeros for a linear function.
    #[must_use]
    pub fn hessian(x: Real<Self>) -> [[f64; N]; N] {
        // the matrix is symmetric, so its columns are its rows
        x.0.v2.0.map_or([[0.0; N]; N], |v| v.data.0)
    }
}

impl<const N: usize> Mode for Dual2<N> {
    type Repr = Dual2SVec64<N>;
    type Mask = bool;

    #[inline(always)]
    fn constant(x: f64) -> Self::Repr {
        Dual2SVec64::new(x, Derivative::none(), Derivative::none())
    }
    #[inline(always)]
    fn plain_value(x: Self::Repr) -> f64 {
        x.re
    }
    #[inline(always)]
    fn add(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        a + b
    }
    #[inline(always)]
    fn sub(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        a - b
    }
    #[inline(always)]
    fn mul(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        a * b
    }
    #[inline(always)]
    fn div(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        let inverse = 1.0 / b.re;
        let quotient = a.re / b.re;
        // relative to b, whose derivatives may be of the same size: the inverse of its square may be 0
        let (b1, b2) = (b.v1 * inverse, b.v2 * inverse);
        let first = a.v1 * inverse - scaled(b1, quotient);
        let mixed = first.tr_mul(&b1) + b1.tr_mul(&first);
        let second = a.v2 * inverse - scaled(b2, quotient) - mixed;
        Dual2SVec64::new(quotient, first, second)
    }
    #[inline(always)]
    fn neg(a: Self::Repr) -> Self::Repr {
        -a
    }
    #[inline(always)]
    fn add_data(a: Self::Repr, b: f64) -> Self::Repr {
        Dual2SVec64::new(a.re + b, a.v1, a.v2)
    }
    #[inline(always)]
    fn scale(a: Self::Repr, b: f64) -> Self::Repr {
        Dual2SVec64::new(a.re * b, a.v1 * b, a.v2 * b)
    }
    #[inline(always)]
    fn div_data(a: Self::Repr, b: f64) -> Self::Repr {
        Dual2SVec64::new(a.re / b, a.v1 / b, a.v2 / b)
    }
    #[inline(always)]
    fn unary<F: Function>(a: Self::Repr) -> Self::Repr {
        let (f, slope, curvature) = F::second(a.re);
        let square = scaled(a.v1.tr_mul(&a.v1), curvature);
        Dual2SVec64::new(f, scaled(a.v1, slope), scaled(a.v2, slope) + square)
    }
    #[inline(always)]
    fn binary<F: Binary>(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        let (f, [fa, fb], [faa, fab, fbb]) = F::second(a.re, b.re);
        let mixed = scaled(a.v1.tr_mul(&b.v1) + b.v1.tr_mul(&a.v1), fab);
        let squares = scaled(a.v1.tr_mul(&a.v1), faa) + scaled(b.v1.tr_mul(&b.v1), fbb);
        Dual2SVec64::new(
            f,
            scaled(a.v1, fa) + scaled(b.v1, fb),
            scaled(a.v2, fa) + scaled(b.v2, fb) + mixed + squares,
        )
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: Self::Repr, b: Self::Repr, c: Self::Repr) -> Self::Repr {
        chained(&[a, b, c], F::second(a.re, b.re, c.re))
    }
    fn operation(function: &'static Operation, of: &[Self::Repr]) -> Self::Repr {
        chained(of, function.curvatures(arguments(of.iter().map(|x| x.re))))
    }
    #[inline(always)]
    fn lt(a: Self::Repr, b: Self::Repr) -> bool {
        a.re < b.re
    }
    #[inline(always)]
    fn le(a: Self::Repr, b: Self::Repr) -> bool {
        a.re <= b.re
    }
    #[inline(always)]
    fn select(mask: bool, a: Self::Repr, b: Self::Repr) -> Self::Repr {
        if mask { a } else { b }
    }
}

/// The chain rule for a function of up to three arguments, with its value, slopes and curvatures.
fn chained<const N: usize>(
    arguments: &[Dual2SVec64<N>],
    (value, slopes, curvatures): (f64, [f64; 3], [[f64; 3]; 3]),
) -> Dual2SVec64<N> {
    let (mut first, mut second) = (Derivative::none(), Derivative::none());
    for (i, a) in arguments.iter().enumerate() {
        first += scaled(a.v1, slopes[i]);
        second += scaled(a.v2, slopes[i]);
        for (k, b) in arguments.iter().enumerate() {
            second += scaled(a.v1.tr_mul(&b.v1), curvatures[i][k]);
        }
    }
    Dual2SVec64::new(value, first, second)
}
