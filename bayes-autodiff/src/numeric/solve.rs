//! Roots: `solve(|x| .., lower, upper).root()`.

use super::{check_setting, kept};
use crate::function::Function;
use crate::mode::Mode;
use crate::real::Real;

/// The steps, unless the user sets them.
const STEPS: usize = 12;
/// The tolerance, unless the user sets it.
const TOLERANCE: f64 = 1e-10;
/// The distances from the root at which the slope is taken, as shares of the interval. The first is taken at which the slopes to both sides
/// are alike.
const DISTANCES: [f64; 3] = [1e-5, 1e-8, 1e-11];
/// The largest relative difference of the slopes to both sides.
const ALIKE: f64 = 1e-3;
/// The last steps, by Newton's method. Each takes the error of a derivative down by that of the slope, at most 1e-3.
const LAST: usize = 4;
/// The smallest error of a root, as a share of the interval.
const ROUNDING: f64 = 1e-15;

/// The root of `f` between `lower` and `upper`, in either order. `f` must have different signs at the two ends, or be 0 at one of them and have
/// no other root. `f` and the ends may depend on data and random values.
///
/// The steps are those of Ridders (1979). Each at least halves the interval, and near the root it doubles the number of right digits. The
/// derivatives are those of the implicit function theorem, `dx/dp = -f_p / f_x`, by steps of Newton's method from the root.
///
/// ```
/// use bayes_autodiff::{Real, Value, solve};
///
/// let a: Real<Value> = Real::constant(3.0);
/// let x = solve(|x| x * x.exp() - a, 0.0, 3.0).root();
/// assert!((x.primal() * x.primal().exp() - 3.0).abs() < 1e-12);
/// ```
pub fn solve<M, F>(f: F, lower: impl Into<Real<M>>, upper: impl Into<Real<M>>) -> Equation<M, F>
where
    M: Mode,
    F: Fn(Real<M>) -> Real<M>,
{
    Equation {
        f,
        lower: lower.into(),
        upper: upper.into(),
        steps: STEPS,
        tolerance: TOLERANCE,
    }
}

/// An equation `f(x) = 0`; [`Equation::root`] solves it.
#[must_use = "`.root()` solves it"]
pub struct Equation<M: Mode, F> {
    f: F,
    lower: Real<M>,
    upper: Real<M>,
    steps: usize,
    tolerance: f64,
}

impl<M: Mode, F: Fn(Real<M>) -> Real<M>> Equation<M, F> {
    /// The number of steps, 12 by default, each with two evaluations of `f`. It is the same for all random values.
    pub fn steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }

    /// The largest relative error of the root, 1e-10 by default. The result is NaN where the error may be larger, where `f` has the same sign at
    /// both ends, and where the slope of `f` at the root is 0 or not known. The run then counts a density that is not a number.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The root; NaN where the tolerance is not kept.
    ///
    /// # Panics
    /// With a [`Fault::Argument`](crate::fault::Fault::Argument) without steps or with a tolerance that is not above 0.
    #[must_use]
    pub fn root(self) -> Real<M> {
        check_setting("solve", "steps", self.steps as f64);
        check_setting("solve", "tolerance", self.tolerance);
        let width = self.upper - self.lower;
        let mut x = Real(M::unary::<Held>(self.between().0));
        let slope = self.slope(x);
        let mut last = width;
        for _ in 0..LAST {
            last = (self.f)(x) / slope;
            x -= last;
        }
        let largest = x.abs() * self.tolerance + width.abs() * ROUNDING;
        kept(x, last.abs(), largest)
    }

    /// The slope at the root; NaN where the slopes to both sides differ at all distances. At an end both are taken inside.
    fn slope(&self, x: Real<M>) -> Real<M> {
        let at_x = (self.f)(x);
        let (lowest, highest) = (self.lower.min(self.upper), self.lower.max(self.upper));
        let mut slope = Real::constant(f64::NAN);
        for share in DISTANCES.into_iter().rev() {
            let step = (highest - lowest) * share;
            let (above, below) = (x + step, x - step);
            let [above, below] = [
                Real::select(highest.lt(above), x - step * 0.5, above),
                Real::select(below.lt(lowest), x + step * 0.5, below),
            ];
            let [right, left] = [above, below].map(|y| ((self.f)(y) - at_x) / (y - x));
            let gap = (right - left).abs();
            let alike = gap.le((right + left).abs() * ALIKE);
            slope = Real::select(alike, (right + left) * 0.5, slope);
        }
        slope
    }

    /// The root by steps that keep it between two places.
    fn between(&self) -> Real<M> {
        let f = |x| (self.f)(x);
        let (mut a, mut b) = (self.lower, self.upper);
        let [at_lower, at_upper] = [f(a), f(b)];
        let (mut at_a, mut at_b) = (at_lower, at_upper);
        let mut best = a;
        for _ in 0..self.steps {
            let middle = (a + b) * 0.5;
            let at_middle = f(middle);
            // by signs and quotients, since a product may underflow
            let [first, second] = [at_a / at_middle, at_b / at_middle];
            let root = (1.0 - first * second).sqrt();
            let toward = (middle - a) * sign(at_a - at_b) * sign(at_middle) / root;
            let not_root = Real::constant(0.0).lt(at_middle.abs());
            best = Real::select(not_root, middle + toward, middle);
            let at_best = f(best);
            // the two places with different signs that are the closest
            let beside = differ(at_middle, at_best);
            let left = differ(at_a, at_best);
            let pick = |near, other| Real::select(beside.lt(0.0), near, other);
            let split = |first, second| Real::select(left.lt(0.0), first, second);
            (a, b) = (pick(middle, split(a, best)), pick(best, split(best, b)));
            (at_a, at_b) = (
                pick(at_middle, split(at_a, at_best)),
                pick(at_best, split(at_best, at_b)),
            );
        }
        let nan = Real::constant(f64::NAN);
        let between = Real::select(differ(at_lower, at_upper).lt(0.0), best, nan);
        // a root at an end counts where `f` has the sign beside it at the other end too: else there is a second root
        let beside = (self.upper - self.lower) * DISTANCES[0];
        let at_end = |end, at_end: Real<M>, near, at_other: Real<M>, otherwise| {
            let alone = Real::constant(0.0).lt(at_other / f(near));
            let found = Real::select(alone, end, nan);
            Real::select(at_end.abs().le(0.0), found, otherwise)
        };
        let (lower, upper) = (self.lower, self.upper);
        let not_lower = at_end(upper, at_upper, upper - beside, at_lower, between);
        at_end(lower, at_lower, lower + beside, at_upper, not_lower)
    }
}

/// 1 or -1.
fn sign<M: Mode>(x: Real<M>) -> Real<M> {
    Real::select(x.lt(0.0), Real::constant(-1.0), Real::constant(1.0))
}

/// -1 if two numbers have different signs, else 1.
fn differ<M: Mode>(x: Real<M>, y: Real<M>) -> Real<M> {
    sign(x) * sign(y)
}

/// A number as a constant: without derivatives.
struct Held;

impl Function for Held {
    const NAME: &'static str = "held";
    crate::operation!(unary Held);
    fn value(x: f64) -> f64 {
        x
    }
    fn first(x: f64) -> (f64, f64) {
        (x, 0.0)
    }
    fn second(x: f64) -> (f64, f64, f64) {
        (x, 0.0, 0.0)
    }
}
