//! The first derivatives of a dual number: linear algebra on `N` slopes, or on none.
//!
//! The same as the operators of num-dual's `Derivative`, which are not inlined: between statements of a model
//! they would copy `N` numbers to memory and back for every `+` and `*`.

use nalgebra::{Const, SVector, U1};
use num_dual::Derivative;

/// `N` slopes; none for a constant.
pub(super) type Slopes<const N: usize> = Derivative<f64, Const<N>, U1>;

/// `f` of every slope.
#[inline(always)]
pub(super) fn map<const N: usize>(a: Slopes<N>, f: impl Fn(f64) -> f64) -> Slopes<N> {
    Derivative(a.0.map(|mut a| {
        array(&mut a).iter_mut().for_each(|a| *a = f(*a));
        a
    }))
}

/// `fa a + fb b`.
#[inline(always)]
pub(super) fn combine<const N: usize>(a: Slopes<N>, fa: f64, b: Slopes<N>, fb: f64) -> Slopes<N> {
    match (a.0, b.0) {
        (Some(mut a), Some(mut b)) => {
            array(&mut a)
                .iter_mut()
                .zip(array(&mut b))
                .for_each(|(a, b)| *a = *a * fa + *b * fb);
            Derivative(Some(a))
        }
        (Some(a), None) => map(Derivative(Some(a)), |a| a * fa),
        (None, b) => map(Derivative(b), |b| b * fb),
    }
}

/// `sum += term`.
#[inline(always)]
pub(super) fn accumulate<const N: usize>(sum: &mut Slopes<N>, term: Slopes<N>) {
    let Some(mut term) = term.0 else { return };
    match &mut sum.0 {
        Some(sum) => array(sum)
            .iter_mut()
            .zip(array(&mut term))
            .for_each(|(a, b)| *a += *b),
        none => *none = Some(term),
    }
}

/// The slopes of an argument for which a function has the derivative `factor`; none if the factor is exactly zero.
///
/// An infinite derivative of a constant would give `0 · ∞` (as in `e^{ln 0}`), whose limit is 0, not NaN.
#[inline(always)]
pub(super) fn dependent<const N: usize>(a: Slopes<N>, factor: f64) -> Slopes<N> {
    if factor == 0.0 { Derivative(None) } else { a }
}

/// The numbers as an array; its fixed length is visible to the compiler.
#[inline(always)]
fn array<const N: usize>(slopes: &mut SVector<f64, N>) -> &mut [f64; N] {
    &mut slopes.data.0[0]
}
