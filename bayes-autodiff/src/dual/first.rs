//! First order.

use super::product::matrix_vector;
use super::slopes::{accumulate, combine, dependent, map};
use crate::function::{Binary, Function, Ternary};
use crate::mode::{Mode, arguments};
use crate::real::Real;
use crate::special::{is_far, log_sum_exp};
use crate::trace::Operation;
use crate::vector::Vector;
use nalgebra::DMatrix;
use num_dual::{Derivative, DualSVec64};

/// Forward mode over `N` directions at once: a random scalar carries `N` first derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual<const N: usize>;

impl<const N: usize> Dual<N> {
    /// The variable of direction `index`: derivative 1 there, 0 elsewhere.
    #[must_use]
    pub fn variable(x: f64, index: usize) -> Real<Self> {
        Real(DualSVec64::from_re(x).derivative(index))
    }

    /// The derivatives, `[N]`; zeros for a constant.
    #[must_use]
    pub fn gradient(x: Real<Self>) -> [f64; N] {
        x.0.eps.0.map_or([0.0; N], |eps| eps.data.0[0])
    }
}

impl<const N: usize> Mode for Dual<N> {
    type Repr = DualSVec64<N>;
    type Mask = bool;

    #[inline(always)]
    fn constant(x: f64) -> Self::Repr {
        DualSVec64::new(x, Derivative::none())
    }
    #[inline(always)]
    fn plain_value(x: Self::Repr) -> f64 {
        x.re
    }
    #[inline(always)]
    fn add(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        DualSVec64::new(a.re + b.re, combine(a.eps, 1.0, b.eps, 1.0))
    }
    #[inline(always)]
    fn sub(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        DualSVec64::new(a.re - b.re, combine(a.eps, 1.0, b.eps, -1.0))
    }
    #[inline(always)]
    fn mul(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        DualSVec64::new(a.re * b.re, combine(a.eps, b.re, b.eps, a.re))
    }
    #[inline(always)]
    fn div(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        let inverse = 1.0 / b.re;
        let quotient = a.re / b.re;
        // relative to b, whose slope may be of the same size: the inverse of its square may be 0
        let relative = map(dependent(b.eps, quotient), |slope| slope * inverse);
        DualSVec64::new(quotient, combine(a.eps, inverse, relative, -quotient))
    }
    #[inline(always)]
    fn neg(a: Self::Repr) -> Self::Repr {
        DualSVec64::new(-a.re, map(a.eps, |slope| -slope))
    }
    #[inline(always)]
    fn add_data(a: Self::Repr, b: f64) -> Self::Repr {
        DualSVec64::new(a.re + b, a.eps)
    }
    #[inline(always)]
    fn scale(a: Self::Repr, b: f64) -> Self::Repr {
        DualSVec64::new(a.re * b, map(a.eps, |slope| slope * b))
    }
    #[inline(always)]
    fn div_data(a: Self::Repr, b: f64) -> Self::Repr {
        let inverse = 1.0 / b;
        DualSVec64::new(a.re / b, map(a.eps, |slope| slope * inverse))
    }
    #[inline(always)]
    fn accumulate(sum: &mut Self::Repr, term: Self::Repr) {
        sum.re += term.re;
        accumulate(&mut sum.eps, term.eps);
    }
    #[inline(always)]
    fn unary<F: Function>(a: Self::Repr) -> Self::Repr {
        if a.eps.0.is_none() {
            return Self::constant(F::value(a.re));
        }
        let (f, slope) = F::first(a.re);
        DualSVec64::new(f, map(dependent(a.eps, slope), |a| a * slope))
    }
    #[inline(always)]
    fn binary<F: Binary>(a: Self::Repr, b: Self::Repr) -> Self::Repr {
        let (f, [fa, fb]) = F::first(a.re, b.re);
        DualSVec64::new(
            f,
            combine(dependent(a.eps, fa), fa, dependent(b.eps, fb), fb),
        )
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: Self::Repr, b: Self::Repr, c: Self::Repr) -> Self::Repr {
        let (f, [fa, fb, fc]) = F::first(a.re, b.re, c.re);
        let pair = combine(dependent(a.eps, fa), fa, dependent(b.eps, fb), fb);
        DualSVec64::new(f, combine(pair, 1.0, dependent(c.eps, fc), fc))
    }
    fn operation(function: &'static Operation, of: &[Self::Repr]) -> Self::Repr {
        let (value, slopes) = function.slopes(arguments(of.iter().map(|x| x.re)));
        let mut sum = Derivative::none();
        for (x, slope) in of.iter().zip(slopes) {
            accumulate(&mut sum, map(dependent(x.eps, slope), |x| x * slope));
        }
        DualSVec64::new(value, sum)
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
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        let total = log_sum_exp(elements.iter().map(|x| x.0.re));
        let mut sum = Self::constant(total);
        // the share of x in the total, or 0 if the total is 0
        let rounded = |x: f64| match total {
            f64::NEG_INFINITY => 0.0,
            _ => (x - total).exp(),
        };
        // a total far from 0 is rounded by so much that the shares do not sum to 1
        let factor = match is_far(total) {
            true => 1.0 / elements.iter().map(|x| rounded(x.0.re)).sum::<f64>(),
            false => 1.0,
        };
        for x in elements {
            let share = rounded(x.0.re) * factor;
            accumulate(
                &mut sum.eps,
                map(dependent(x.0.eps, share), |slope| slope * share),
            );
        }
        Real(sum)
    }
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        matrix_vector(matrix, vector)
    }
}
