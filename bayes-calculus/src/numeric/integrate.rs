//! Integrals: `integrate(|x| .., lower, upper).value()`.

use super::{check_setting, kept};
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use std::f64::consts::FRAC_PI_2;

/// The equal pieces of the interval, unless the user sets them.
const PIECES: usize = 8;
/// The tolerance, unless the user sets it.
const TOLERANCE: f64 = 1e-6;

/// The steps of the rule for infinite intervals, for each piece.
const DOUBLE: usize = 16;
/// Its last place: `e^(π/2 sinh 4)` is 4e18.
const LONGEST: f64 = 4.0;

/// The places of the rule by Kronrod with 15 points, from the end to the middle (Piessens et al. 1983, QK15).
const PLACES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
/// Their weights.
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_225,
    0.063_092_092_629_978_56,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
/// The weights of every second place in the rule by Gauss with 7 points.
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_64,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_37,
];

/// A limit of an integral: a plain number, which may be infinite, or a random one.
pub trait Limit<M: Mode> {
    /// The limit as a random scalar, and whether it is minus infinity, finite or infinity: -1, 0 or 1.
    fn limit(self) -> (Real<M>, i8);
}

impl<M: Mode> Limit<M> for f64 {
    fn limit(self) -> (Real<M>, i8) {
        let side = if self.is_infinite() {
            self.signum() as i8
        } else {
            0
        };
        (Real::constant(self), side)
    }
}

impl<M: Mode> Limit<M> for Real<M> {
    fn limit(self) -> (Self, i8) {
        (self, 0)
    }
}

/// The integral of `f` from `lower` to `upper`. `f` may read any data and random values. A limit is a number, which may be infinite, or a
/// random value, which must be finite.
///
/// The rule is by Gauss and Kronrod with 15 points in each of [`Integral::pieces`] equal pieces of a finite interval, none of them at a limit. For
/// an infinite one it is the double exponential rule of Takahasi and Mori (1974), with `x = lower + e^(π/2 sinh t)`, or `x = sinh(π/2 sinh t)` if both limits
/// are infinite: `f` is evaluated as far as 4e18, where it must be a number.
///
/// ```
/// use bayes_autodiff::{Real, Value};
/// use bayes_calculus::integrate;
///
/// let rate: Real<Value> = Real::constant(0.5);
/// let mass = integrate(|x| rate * (-rate * x).exp(), 0.0, f64::INFINITY).value();
/// assert!((mass.primal() - 1.0).abs() < 1e-9);
/// ```
pub fn integrate<M, F, A, B>(f: F, lower: A, upper: B) -> Integral<M, F>
where
    M: Mode,
    F: Fn(Real<M>) -> Real<M>,
    A: Limit<M>,
    B: Limit<M>,
{
    Integral {
        f,
        lower: lower.limit(),
        upper: upper.limit(),
        pieces: PIECES,
        tolerance: TOLERANCE,
    }
}

/// An integral; [`Integral::value`] computes it.
#[must_use = "`.value()` computes it"]
pub struct Integral<M: Mode, F> {
    f: F,
    lower: (Real<M>, i8),
    upper: (Real<M>, i8),
    pieces: usize,
    tolerance: f64,
}

impl<M: Mode, F: Fn(Real<M>) -> Real<M>> Integral<M, F> {
    /// The number of equal pieces, 8 by default. It does not follow the random values. `f` is evaluated 15 times in each piece, on
    /// an infinite interval 16 times the number of pieces.
    pub fn pieces(self, pieces: usize) -> Self {
        Self { pieces, ..self }
    }

    /// The largest error, relative to the integral of `|f|`; 1e-6 by default, while most results are exact to far more digits. Where the error may be larger, the result is NaN, and the run counts
    /// a density that is not a number. A wrong estimate of the error is possible for a function with peaks between the places of the rule.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The integral; NaN where the tolerance is not kept.
    ///
    /// # Panics
    /// With a [`Fault::Argument`](bayes_autodiff::fault::Fault::Argument) without pieces or with a tolerance that is not above 0.
    #[must_use]
    pub fn value(self) -> Real<M> {
        check_setting("integrate", "pieces", self.pieces as f64);
        check_setting("integrate", "tolerance", self.tolerance);
        let mut total = Sums::default();
        match (self.lower.1, self.upper.1) {
            (0, 0) => (0..self.pieces).for_each(|piece| total.add(&self.piece(piece))),
            (lower, upper) if lower == upper => return Real::constant(0.0),
            _ => total = self.infinite(),
        }
        let largest = total.absolute * self.tolerance;
        let value = kept(total.value, total.error, largest);
        match (self.lower.1, self.upper.1) {
            (1, _) | (_, -1) => -value,
            _ => value,
        }
    }

    /// The sums of one piece of a finite interval.
    fn piece(&self, index: usize) -> Sums<M> {
        let half = 0.5 / self.pieces as f64;
        let middle = half * (2 * index + 1) as f64;
        let length = self.upper.0 - self.lower.0;
        let mut sums = Sums::default();
        let mut gauss: Real<M> = Real::constant(0.0);
        for (k, place) in PLACES.iter().enumerate() {
            let signs: &[f64] = if k < 7 { &[-1.0, 1.0] } else { &[1.0] };
            for sign in signs {
                let place = middle + half * sign * place;
                let y = (self.f)(self.lower.0 + length * place) * length;
                sums.count(y, KRONROD[k] * half);
                if k % 2 == 1 {
                    gauss += y * (GAUSS[k / 2] * half);
                }
            }
        }
        // the rule of 15 points is far more exact than that of 7: its error is about the square of their difference `e` for smooth functions,
        // and `(10 e)^1.5` is not below it. Piessens et al. (1983) take `(200 e)^1.5`.
        let rough = (sums.value - gauss).abs() / sums.absolute;
        sums.set_error(rough, 10.0 * rough);
        sums
    }

    /// The sums of an infinite interval.
    fn infinite(&self) -> Sums<M> {
        let count = DOUBLE * self.pieces;
        let step = 2.0 * LONGEST / count as f64;
        let mut sums = Sums::default();
        let mut rough: Real<M> = Real::constant(0.0);
        let mut ends: Real<M> = Real::constant(0.0);
        for k in 0..=count {
            let t = step * k as f64 - LONGEST;
            let y = self.at(FRAC_PI_2 * t.sinh()) * (FRAC_PI_2 * t.cosh());
            sums.count(y, step);
            if k % 2 == 0 {
                rough += y * (2.0 * step);
            }
            if k == 0 || k == count {
                ends += y.abs();
            }
        }
        // half the steps double the digits, or nearly so
        let rough = (sums.value - rough).abs() / sums.absolute;
        sums.set_error(rough, rough);
        sums.error += ends;
        sums
    }

    /// `f` at the place of `s`, times the derivative of the place in `s`.
    fn at(&self, s: f64) -> Real<M> {
        let f = &self.f;
        let far = s.exp();
        match (self.lower.1, self.upper.1) {
            (0, side) => f(self.lower.0 + f64::from(side) * far) * far,
            (side, 0) => f(self.upper.0 + f64::from(side) * far) * far,
            _ => f(Real::constant(s.sinh())) * s.cosh(),
        }
    }
}

/// The sums of a rule.
struct Sums<M: Mode> {
    value: Real<M>,
    /// Of `|f|`.
    absolute: Real<M>,
    error: Real<M>,
}

impl<M: Mode> Default for Sums<M> {
    fn default() -> Self {
        let zero = Real::constant(0.0);
        Self {
            value: zero,
            absolute: zero,
            error: zero,
        }
    }
}

impl<M: Mode> Sums<M> {
    /// Counts a value of the function.
    fn count(&mut self, y: Real<M>, weight: f64) {
        self.value += y * weight;
        self.absolute += y.abs() * weight;
    }

    /// Sets the error: the power 1.5 of `fine`, but not more than `rough`, both relative.
    fn set_error(&mut self, rough: Real<M>, fine: Real<M>) {
        let fine = fine.powf(1.5);
        let error = Real::select(fine.lt(rough), fine, rough) * self.absolute;
        let nothing = self.absolute.le(0.0);
        self.error = Real::select(nothing, Real::constant(0.0), error);
    }

    fn add(&mut self, piece: &Self) {
        self.value += piece.value;
        self.absolute += piece.absolute;
        self.error += piece.error;
    }
}
