//! First order over lanes, for functions of a few arguments.

use crate::function::{Binary, Function, Ternary, call};
use crate::mode::{MAX_ARGUMENTS, Mode};
use crate::real::Real;
use crate::simd::Simd;
use std::marker::PhantomData;

/// Forward mode over eight particles and [`MAX_ARGUMENTS`] directions: how reverse mode differentiates a
/// [`ScalarFunction`](crate::ScalarFunction) function on the spot.
///
/// The compiler knows on which directions a number depends, so the others cost nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneDual<S>(PhantomData<S>);

/// A value and its slopes.
#[derive(Clone, Copy, Debug)]
pub struct Dual<S: Simd> {
    value: S::Float,
    slopes: [Slope<S>; MAX_ARGUMENTS],
}

/// The slope in one direction.
///
/// Not an enumeration with the number inside: the compiler takes plain fields apart much faster.
#[derive(Clone, Copy, Debug)]
struct Slope<S: Simd> {
    kind: Kind,
    /// Zero and one for the corresponding kinds.
    value: S::Float,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// No dependence.
    Zero,
    /// The argument itself.
    One,
    /// Any other.
    Other,
}

impl<S: Simd> Slope<S> {
    #[inline(always)]
    fn zero() -> Self {
        let (kind, value) = (Kind::Zero, S::splat(0.0));
        Self { kind, value }
    }

    #[inline(always)]
    fn one() -> Self {
        let (kind, value) = (Kind::One, S::splat(1.0));
        Self { kind, value }
    }

    #[inline(always)]
    fn other(value: S::Float) -> Self {
        let kind = Kind::Other;
        Self { kind, value }
    }

    /// `self * factor`.
    #[inline(always)]
    fn times(self, factor: S::Float) -> Self {
        match self.kind {
            Kind::Zero => self,
            Kind::One => Self::other(factor),
            Kind::Other => Self::other(S::mul(self.value, factor)),
        }
    }

    /// `self * factor`, and 0 if the factor is 0: `0 · ∞` has the limit 0 here (`e^{ln 0}`), not NaN.
    #[inline(always)]
    fn through(self, factor: S::Float) -> Self {
        match self.kind {
            Kind::Zero => self,
            Kind::One => Self::other(factor),
            Kind::Other => Self::other(S::mul_or_zero(factor, self.value)),
        }
    }

    /// `self + other`.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        if self.kind == Kind::Zero {
            other
        } else if other.kind == Kind::Zero {
            self
        } else {
            Self::other(S::add(self.value, other.value))
        }
    }

    #[inline(always)]
    fn negated(self) -> Self {
        match self.kind {
            Kind::Zero => self,
            _ => Self::other(S::neg(self.value)),
        }
    }
}

/// `f` of the slopes of one number, direction by direction.
#[inline(always)]
fn map<S: Simd>(a: [Slope<S>; 4], f: impl Fn(Slope<S>) -> Slope<S>) -> [Slope<S>; 4] {
    [f(a[0]), f(a[1]), f(a[2]), f(a[3])]
}

/// `f` of the slopes of two numbers, direction by direction.
#[inline(always)]
fn zip<S: Simd>(
    a: [Slope<S>; 4],
    b: [Slope<S>; 4],
    f: impl Fn(Slope<S>, Slope<S>) -> Slope<S>,
) -> [Slope<S>; 4] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

impl<S: Simd> LaneDual<S> {
    /// Argument number `direction`.
    #[inline(always)]
    pub(crate) fn variable(x: S::Float, direction: usize) -> Real<Self> {
        let mut slopes = [Slope::zero(); MAX_ARGUMENTS];
        slopes[direction] = Slope::one();
        Real(Dual { value: x, slopes })
    }

    /// A number without slopes.
    #[inline(always)]
    pub(crate) fn value(x: S::Float) -> Real<Self> {
        let slopes = [Slope::zero(); MAX_ARGUMENTS];
        Real(Dual { value: x, slopes })
    }

    /// Value and slopes.
    #[inline(always)]
    pub(crate) fn parts(x: Real<Self>) -> (S::Float, [S::Float; MAX_ARGUMENTS]) {
        let [a, b, c, d] = x.0.slopes;
        (x.0.value, [a.value, b.value, c.value, d.value])
    }
}

impl<S: Simd> Mode for LaneDual<S> {
    type Repr = Dual<S>;
    type Mask = S::Mask;

    #[inline(always)]
    fn constant(x: f64) -> Dual<S> {
        Self::value(S::splat(x)).0
    }
    #[inline(always)]
    fn first_lane(x: Dual<S>) -> f64 {
        S::array(x.value)[0]
    }
    #[inline(always)]
    fn add(a: Dual<S>, b: Dual<S>) -> Dual<S> {
        Dual {
            value: S::add(a.value, b.value),
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |a, b| a.plus(b),
            ),
        }
    }
    #[inline(always)]
    fn sub(a: Dual<S>, b: Dual<S>) -> Dual<S> {
        Dual {
            value: S::sub(a.value, b.value),
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |a, b| a.plus(b.negated()),
            ),
        }
    }
    #[inline(always)]
    fn mul(a: Dual<S>, b: Dual<S>) -> Dual<S> {
        Dual {
            value: S::mul(a.value, b.value),
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |da, db| da.times(b.value).plus(db.times(a.value)),
            ),
        }
    }
    #[inline(always)]
    fn div(a: Dual<S>, b: Dual<S>) -> Dual<S> {
        // One division for the value and the slope; where `b` stays the same, the compiler takes it out of a loop. The value
        // may differ from `a / b` in the last bit, and is not finite where `1 / b` is not (b below 6e-309).
        let inverse = S::div(S::splat(1.0), b.value);
        let quotient = S::mul(a.value, inverse);
        let factor = S::neg(S::mul(quotient, inverse));
        Dual {
            value: quotient,
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |da, db| da.times(inverse).plus(db.times(factor)),
            ),
        }
    }
    #[inline(always)]
    fn neg(a: Dual<S>) -> Dual<S> {
        Dual {
            value: S::neg(a.value),
            slopes: map(a.slopes, Slope::negated),
        }
    }
    #[inline(always)]
    fn unary<F: Function>(a: Dual<S>) -> Dual<S> {
        let is_constant = a.slopes.iter().all(|slope| slope.kind == Kind::Zero);
        if is_constant && const { !call::is_inline::<S, F>() } {
            return Self::value(call::value::<S, F>(a.value)).0;
        }
        let (value, factor) = call::first_again::<S, F>(a.value);
        Dual {
            value,
            slopes: map(
                a.slopes,
                #[inline(always)]
                |slope| slope.through(factor),
            ),
        }
    }
    #[inline(always)]
    fn binary<F: Binary>(a: Dual<S>, b: Dual<S>) -> Dual<S> {
        let (value, [fa, fb]) = call::binary_first::<S, F>(a.value, b.value);
        Dual {
            value,
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |da, db| da.through(fa).plus(db.through(fb)),
            ),
        }
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: Dual<S>, b: Dual<S>, c: Dual<S>) -> Dual<S> {
        let (value, [fa, fb, fc]) = F::lanes_first::<S>(a.value, b.value, c.value);
        let pair = zip(a.slopes, b.slopes, |da, db| {
            da.through(fa).plus(db.through(fb))
        });
        Dual {
            value,
            slopes: zip(pair, c.slopes, |pair, dc| pair.plus(dc.through(fc))),
        }
    }
    #[inline(always)]
    fn lt(a: Dual<S>, b: Dual<S>) -> S::Mask {
        S::lt(a.value, b.value)
    }
    #[inline(always)]
    fn le(a: Dual<S>, b: Dual<S>) -> S::Mask {
        S::le(a.value, b.value)
    }
    #[inline(always)]
    fn select(mask: S::Mask, a: Dual<S>, b: Dual<S>) -> Dual<S> {
        Dual {
            value: S::select(mask, a.value, b.value),
            slopes: zip(
                a.slopes,
                b.slopes,
                #[inline(always)]
                |da, db| {
                    if da.kind == Kind::Zero && db.kind == Kind::Zero {
                        da
                    } else {
                        Slope::other(S::select(mask, da.value, db.value))
                    }
                },
            ),
        }
    }
}
