//! The mass at zero of a count with extra zeros.

use super::elementary::by_lane;
use bayes_autodiff::function::{Binary, Exp, ExpM1, Function, Ln, Ln1p};
use bayes_autodiff::simd::Simd;
use bayes_autodiff::{Mode, Real};

/// `ln(π + (1-π) eᵐ)`: the log mass at zero if zeros are added with probability `π` to a distribution with log mass
/// `m ≤ 0` there.
struct ZeroMass;

/// The mass itself.
fn mass(pi: f64, m: f64) -> f64 {
    pi + (1.0 - pi) * m.exp()
}

impl Binary for ZeroMass {
    const NAME: &'static str = "ln(π + (1-π) e^m)";
    bayes_autodiff::operation!(binary ZeroMass);
    fn value(pi: f64, m: f64) -> f64 {
        let rest = (pi - 1.0) * m.exp_m1();
        if pi == 0.0 {
            m
        } else if rest < 0.5 {
            (-rest).ln_1p()
        } else {
            mass(pi, m).ln()
        }
    }
    fn first(pi: f64, m: f64) -> (f64, [f64; 2]) {
        // at π = 0 the slope in π may exceed the largest double; an infinite slope would be NaN for a fixed π
        let slopes = if pi == 0.0 {
            [(-m).exp_m1().min(f64::MAX), 1.0]
        } else {
            let mass = mass(pi, m);
            [-m.exp_m1() / mass, (1.0 - pi) * m.exp() / mass]
        };
        (Self::value(pi, m), slopes)
    }
    fn second(pi: f64, m: f64) -> (f64, [f64; 2], [f64; 3]) {
        let (value, [along_pi, along_m]) = Self::first(pi, m);
        let mixed = if pi == 0.0 {
            -(-m).exp().min(f64::MAX)
        } else {
            -m.exp() / mass(pi, m) / mass(pi, m)
        };
        let curvature = [
            -(along_pi * along_pi).min(f64::MAX),
            mixed,
            along_m * (1.0 - along_m),
        ];
        (value, [along_pi, along_m], curvature)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(pi: S::Float, m: S::Float) -> (S::Float, [S::Float; 2]) {
        let (zero, one) = (S::splat(0.0), S::splat(1.0));
        let own = S::mul(S::sub(one, pi), Exp::lanes::<S>(m));
        let mass = S::add(pi, own);
        if S::any(S::le(pi, zero)) {
            return by_lane::<S, Self>(pi, m);
        }
        let less = ExpM1::lanes::<S>(m);
        let rest = S::mul(S::sub(pi, one), less);
        let near = S::lt(rest, S::splat(0.5));
        let value = S::select(near, Ln1p::lanes::<S>(S::neg(rest)), Ln::lanes::<S>(mass));
        let inverse = S::div(one, mass);
        (value, [S::neg(S::mul(less, inverse)), S::mul(own, inverse)])
    }
    #[inline(always)]
    fn lanes<S: Simd>(pi: S::Float, m: S::Float) -> S::Float {
        Self::lanes_first::<S>(pi, m).0
    }
}

/// [`ZeroMass`] of random values.
#[inline(always)]
pub(super) fn zero_mass<M: Mode>(pi: Real<M>, m: Real<M>) -> Real<M> {
    Real(M::binary::<ZeroMass>(pi.0, m.0))
}
