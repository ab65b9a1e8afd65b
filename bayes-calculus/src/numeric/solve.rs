//! Roots: `solve(|x| .., lower, upper).root()`.

use super::{check_setting, kept};
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::function::Function;

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

/// The root of `f` between `lower` and `upper`, at which `f` must have different signs. `f` may read any data and random values, and so may the
/// ends.
///
/// The steps are those of Ridders (1979), which halve the interval at least, and double the digits of a root near the end. The derivatives
/// are those of the implicit function theorem, `dx/dp = -f_p / f_x`, by steps of Newton's method from the root.
///
/// ```
/// use bayes_autodiff::{Real, Value};
/// use bayes_calculus::solve;
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
    /// The number of steps, 12 by default, each with two evaluations of `f`. It does not follow the random values.
    pub fn steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }

    /// The largest error of the root, relative to the root; 1e-10 by default. Where it may be larger, `f` has the same sign at both ends, or the
    /// slope at the root is 0 or not known, the result is NaN, and the run counts a density that is not a number.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The root; NaN where the tolerance is not kept.
    ///
    /// # Panics
    /// With a [`Fault::Argument`](bayes_autodiff::fault::Fault::Argument) without steps or with a tolerance that is not above 0.
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

    /// The slope at the root; NaN where the slopes to both sides differ at all distances.
    fn slope(&self, x: Real<M>) -> Real<M> {
        let at_x = (self.f)(x);
        let mut slope = Real::constant(f64::NAN);
        for share in DISTANCES.into_iter().rev() {
            let step = (self.upper - self.lower) * share;
            let [above, below] = [(x + step).min(self.upper), (x - step).max(self.lower)];
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
        let (mut at_a, mut at_b) = (f(a), f(b));
        let mut best = a;
        for _ in 0..self.steps {
            let middle = (a + b) * 0.5;
            let at_middle = f(middle);
            // by signs and quotients, since a product may underflow
            let [first, second] = [at_a / at_middle, at_b / at_middle];
            let root = (1.0 - first * second).sqrt();
            let toward = (middle - a) * sign(at_a - at_b) * sign(at_middle) / root;
            let is_root = Real::constant(0.0).lt(at_middle.abs());
            best = Real::select(is_root, middle + toward, middle);
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
        let same = differ((self.f)(self.lower), (self.f)(self.upper));
        Real::select(same.lt(0.0), best, Real::constant(f64::NAN))
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
    bayes_autodiff::operation!(unary Held);
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
