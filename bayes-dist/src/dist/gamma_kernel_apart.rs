//! The gamma kernel for a point whose distance from the shape is known more precisely than both.

use super::elementary::{GammaKernel, gamma_kernel, known_ln};
use bayes_autodiff::function::{Binary, DevianceApart, Function as _, Ln, Ternary};
use bayes_autodiff::simd::{LANES, Simd};
use bayes_autodiff::{Mask, Mode, Real};

/// [`GammaKernel`] at `z = a + apart`; `apart` is a separate argument, as in [`DevianceApart`].
struct GammaKernelApart;

/// Whether the kernel at `z` is a logarithm minus a deviance instead of a limit.
fn is_inside(z: f64) -> bool {
    z > 0.0 && z < f64::INFINITY
}

impl Ternary for GammaKernelApart {
    const NAME: &'static str = "(a-1) ln(z/a) - z + a by z - a";
    bayes_autodiff::operation!(ternary GammaKernelApart);
    fn value(a: f64, z: f64, apart: f64) -> f64 {
        if is_inside(z) {
            -(z / a).ln() - DevianceApart::value(a, z, apart)
        } else {
            GammaKernel::value(a, z)
        }
    }
    fn first(a: f64, z: f64, apart: f64) -> (f64, [f64; 3]) {
        if !is_inside(z) {
            let (value, [in_a, in_z]) = GammaKernel::first(a, z);
            return (value, [in_a, in_z, 0.0]);
        }
        let (deviance, slopes) = DevianceApart::first(a, z, apart);
        let own = [1.0 / a, -1.0 / z, 0.0];
        let slopes = std::array::from_fn(|k| own[k] - slopes[k]);
        (-(z / a).ln() - deviance, slopes)
    }
    fn second(a: f64, z: f64, apart: f64) -> (f64, [f64; 3], [[f64; 3]; 3]) {
        if !is_inside(z) {
            let (value, [in_a, in_z], [aa, az, zz]) = GammaKernel::second(a, z);
            let curvature = [[aa, az, 0.0], [az, zz, 0.0], [0.0; 3]];
            return (value, [in_a, in_z, 0.0], curvature);
        }
        let (value, slopes) = Self::first(a, z, apart);
        let (_, _, mut curvature) = DevianceApart::second(a, z, apart);
        curvature
            .as_flattened_mut()
            .iter_mut()
            .for_each(|c| *c = -*c);
        curvature[0][0] -= 1.0 / a / a;
        curvature[1][1] += 1.0 / z / z;
        (value, slopes, curvature)
    }
    #[inline(always)]
    fn lanes_first<S: Simd>(
        a: S::Float,
        z: S::Float,
        apart: S::Float,
    ) -> (S::Float, [S::Float; 3]) {
        let inside = S::lt(S::splat(0.0), z).and(S::lt(z, S::splat(f64::INFINITY)));
        if S::any(inside.not()) {
            return by_lane::<S>(a, z, apart);
        }
        let one = S::splat(1.0);
        let (deviance, [in_a, in_z, in_apart]) = DevianceApart::lanes_first::<S>(a, z, apart);
        let log = Ln::lanes::<S>(S::div(a, z));
        let slopes = [
            S::sub(S::div(one, a), in_a),
            S::neg(S::add(S::div(one, z), in_z)),
            S::neg(in_apart),
        ];
        (S::sub(log, deviance), slopes)
    }
    #[inline(always)]
    fn lanes<S: Simd>(a: S::Float, z: S::Float, apart: S::Float) -> S::Float {
        Self::lanes_first::<S>(a, z, apart).0
    }
}

/// Applies the function lane by lane.
fn by_lane<S: Simd>(a: S::Float, z: S::Float, apart: S::Float) -> (S::Float, [S::Float; 3]) {
    let (a, z, apart) = (S::array(a), S::array(z), S::array(apart));
    let all: [_; LANES] = std::array::from_fn(|i| GammaKernelApart::first(a[i], z[i], apart[i]));
    let slopes = [0, 1, 2].map(|k| S::load(&all.map(|f| f.1[k])));
    (S::load(&all.map(|f| f.0)), slopes)
}

/// Up to this shape, a density computed from the known logarithm of its argument is wrong by 1e-12 or so at most. Beyond it, the distance
/// is more accurate.
pub(super) const LARGE: f64 = 1e4;

/// [`GammaKernelApart`] of random values. If the logarithm of `z` is known and `a` is not large, it uses the logarithm, because `z` may
/// round to 0.
#[inline(always)]
pub(super) fn gamma_kernel_apart<M: Mode>(a: Real<M>, z: Real<M>, apart: Real<M>) -> Real<M> {
    if known_ln(z).is_none() {
        return Real(M::ternary::<GammaKernelApart>(a.0, z.0, apart.0));
    }
    let is_large = a.gt(LARGE);
    // a point without infinite slopes, at which the other form holds
    let (z_of_large, apart) = (
        Real::select(is_large, z, a),
        Real::select(is_large, apart, 0.0),
    );
    let of_large = Real(M::ternary::<GammaKernelApart>(a.0, z_of_large.0, apart.0));
    Real::select(is_large, of_large, gamma_kernel(a, z))
}
