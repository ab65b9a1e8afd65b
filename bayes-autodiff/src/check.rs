//! A finite-difference checker for every derivative rule.
//!
//! ```
//! use bayes_autodiff::check::Unary;
//! use bayes_autodiff::function::Exp;
//!
//! Unary::of::<Exp>().check(0.7).expect("the derivatives of exp");
//! ```

use crate::function::{Binary, Function, lanes, lanes_of_two};
use crate::simd::{InstructionSet, LANES};
use std::fmt;

/// A [`Function`] as a plain value, so that functions can be listed.
#[derive(Clone, Copy, Debug)]
pub struct Unary {
    /// [`Function::NAME`].
    pub name: &'static str,
    /// [`Function::value`].
    pub value: fn(f64) -> f64,
    /// [`Function::first`].
    pub first: fn(f64) -> (f64, f64),
    /// [`Function::second`].
    pub second: fn(f64) -> (f64, f64, f64),
    /// [`function::lanes`](crate::function::lanes).
    pub lanes: fn(InstructionSet, [f64; LANES]) -> [[f64; LANES]; 3],
}

/// A [`Binary`] as a plain value, so that functions can be listed.
#[derive(Clone, Copy, Debug)]
pub struct Bivariate {
    /// [`Binary::NAME`].
    pub name: &'static str,
    /// [`Binary::value`].
    pub value: fn(f64, f64) -> f64,
    /// [`Binary::first`].
    pub first: fn(f64, f64) -> (f64, [f64; 2]),
    /// [`Binary::second`].
    pub second: fn(f64, f64) -> SecondOrder,
    /// [`function::lanes_of_two`](crate::function::lanes_of_two).
    pub lanes: fn(InstructionSet, [[f64; LANES]; 2]) -> [[f64; LANES]; 4],
}

/// A value, its gradient and its second derivatives.
type SecondOrder = (f64, [f64; 2], [f64; 3]);

/// A derivative that disagrees with finite differences.
#[derive(Clone, Debug, PartialEq)]
pub struct Discrepancy {
    /// The function's name.
    pub function: &'static str,
    /// The point of evaluation.
    pub input: Vec<f64>,
    /// The derivative: `f_x`, `f_xy`, ...; `f` where the three methods differ in the value itself.
    pub derivative: &'static str,
    /// The result of the function's own formula.
    pub formula: f64,
    /// The result of differences (or, for `f`, of the other methods).
    pub difference: f64,
    /// The estimated error of `difference`.
    pub error: f64,
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} at {:?} is {:e} by its formula, but {:e} (error about {:e}) by differences",
            self.derivative, self.function, self.input, self.formula, self.difference, self.error
        )
    }
}

impl std::error::Error for Discrepancy {}

impl Unary {
    /// The function `F`.
    #[must_use]
    pub const fn of<F: Function>() -> Self {
        Self {
            name: F::NAME,
            value: F::value,
            first: F::first,
            second: F::second,
            lanes: lanes::<F>,
        }
    }

    /// Compares the first derivative with differences of the value, the second with differences of the first.
    ///
    /// # Errors
    /// The first derivative that disagrees with finite differences.
    pub fn check(&self, x: f64) -> Result<(), Discrepancy> {
        let case = Case {
            function: self.name,
            input: &[x],
        };
        let (value, (first, slope), second) = ((self.value)(x), (self.first)(x), (self.second)(x));
        case.same("f", value, first)?;
        case.same("f", value, second.0)?;
        case.same("f_x", slope, second.1)?;
        case.derivative("f_x", slope, x, self.value)?;
        let slope_at = |x| {
            let (value, slope) = (self.first)(x);
            inside(value, slope)
        };
        case.derivative("f_xx", second.2, x, slope_at)
    }
}

impl Bivariate {
    /// The function `F`.
    #[must_use]
    pub const fn of<F: Binary>() -> Self {
        Self {
            name: F::NAME,
            value: F::value,
            first: F::first,
            second: F::second,
            lanes: lanes_of_two::<F>,
        }
    }

    /// Compares first derivatives with differences of the value, second ones with differences of the first.
    ///
    /// # Errors
    /// The first derivative that disagrees with finite differences.
    pub fn check(&self, x: f64, y: f64) -> Result<(), Discrepancy> {
        let case = Case {
            function: self.name,
            input: &[x, y],
        };
        let (value, (first, slopes)) = ((self.value)(x, y), (self.first)(x, y));
        let (second, again, [xx, xy, yy]) = (self.second)(x, y);
        case.same("f", value, first)?;
        case.same("f", value, second)?;
        case.same("f_x", slopes[0], again[0])?;
        case.same("f_y", slopes[1], again[1])?;
        case.derivative("f_x", slopes[0], x, |x| (self.value)(x, y))?;
        case.derivative("f_y", slopes[1], y, |y| (self.value)(x, y))?;
        let slope_at = |x, y, k: usize| {
            let (value, slopes) = (self.first)(x, y);
            inside(value, slopes[k])
        };
        case.derivative("f_xx", xx, x, |x| slope_at(x, y, 0))?;
        case.derivative("f_xy", xy, y, |y| slope_at(x, y, 0))?;
        case.derivative("f_yx", xy, x, |x| slope_at(x, y, 1))?;
        case.derivative("f_yy", yy, y, |y| slope_at(x, y, 1))
    }
}

/// A derivative, only where the value is defined; a formula for the derivative is often defined outside too.
fn inside(value: f64, slope: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { slope }
}

/// The compared case, for the message.
struct Case<'a> {
    function: &'static str,
    input: &'a [f64],
}

impl Case<'_> {
    /// The three methods of a function must return the same bits, so that all modes agree.
    fn same(&self, derivative: &'static str, formula: f64, other: f64) -> Result<(), Discrepancy> {
        if formula == other {
            Ok(())
        } else {
            Err(self.discrepancy(derivative, formula, (other, 0.0)))
        }
    }

    /// Compares a derivative in one variable with differences of `f`.
    ///
    /// Seven digits must agree, or as many as the differences have by their own error estimate. The differences must have three digits,
    /// or resolve changes of 1e-9 of `f` over the size of `x`.
    fn derivative(
        &self,
        derivative: &'static str,
        formula: f64,
        x: f64,
        f: impl Fn(f64) -> f64,
    ) -> Result<(), Discrepancy> {
        let (difference, error) = ridders(&f, x);
        let size = if x == 0.0 { 1.0 } else { x.abs() };
        let scale = f(x).abs().max(f(x + 0.1 * size).abs()) / size;
        let settled = error <= 1e-3 * formula.abs() + 1e-9 * scale;
        let agree = (formula - difference).abs() <= 1e-7 * formula.abs() + 4.0 * error;
        if settled && agree {
            Ok(())
        } else {
            Err(self.discrepancy(derivative, formula, (difference, error)))
        }
    }

    fn discrepancy(
        &self,
        derivative: &'static str,
        formula: f64,
        (difference, error): (f64, f64),
    ) -> Discrepancy {
        Discrepancy {
            function: self.function,
            input: self.input.to_vec(),
            derivative,
            formula,
            difference,
            error,
        }
    }
}

/// The slope of `f` at `x` and an estimate of its error: Ridders (1982), central differences with ever smaller steps, extrapolated to
/// step zero by Neville's scheme. The entry with the least error, rounding included, wins.
#[must_use]
pub fn ridders(f: impl Fn(f64) -> f64, x: f64) -> (f64, f64) {
    const SHRINK: f64 = 1.6;
    const STEPS: usize = 80;
    let mut step = 0.1 * if x == 0.0 { 1.0 } else { x.abs() };
    let mut best = (f64::NAN, f64::INFINITY);
    let mut last: Vec<f64> = Vec::new();
    for _ in 0..STEPS {
        // the step after rounding
        let (low, high) = (x - step, x + step);
        let (below, above) = (f(low), f(high));
        let slope = (above - below) / (high - low);
        let rounding = f64::EPSILON * (above.abs() + below.abs()) / (high - low);
        step /= SHRINK;
        if !slope.is_finite() {
            // outside the domain: start again closer to x
            last.clear();
            continue;
        }
        if slope == 0.0
            && best.1.is_finite()
            && last.first().is_some_and(|previous| *previous != 0.0)
        {
            // the step is too small to change the function
            break;
        }
        let mut row = vec![slope];
        let mut factor = SHRINK * SHRINK;
        for (k, previous) in last.iter().enumerate().take(8) {
            let refined = (row[k] * factor - previous) / (factor - 1.0);
            let error = (refined - row[k]).abs().max((refined - previous).abs()) + rounding;
            if error < best.1 {
                best = (refined, error);
            }
            row.push(refined);
            factor *= SHRINK * SHRINK;
        }
        last = row;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Bivariate, Unary};
    use crate::function::{Hypot, Square};

    /// `x³` with every derivative right except the second.
    const WRONG: Unary = Unary {
        name: "cube",
        value: |x| x * x * x,
        first: |x| (x * x * x, 3.0 * x * x),
        second: |x| (x * x * x, 3.0 * x * x, 6.001 * x),
        ..Unary::of::<Square>()
    };

    #[test]
    fn a_wrong_derivative_is_found_and_named() {
        let text = WRONG
            .check(2.0)
            .expect_err("a wrong second derivative")
            .to_string();
        assert!(
            text.starts_with("f_xx of cube at [2.0] is 1.2002e1 by its formula, but 1.2"),
            "{text}"
        );
        let right = Unary {
            second: |x| (x * x * x, 3.0 * x * x, 6.0 * x),
            ..WRONG
        };
        assert_eq!(right.check(2.0), Ok(()));
    }

    #[test]
    fn methods_that_disagree_are_found() {
        let off = Unary {
            first: |x| (x * x * x + 1e-15, 3.0 * x * x),
            ..WRONG
        };
        assert_eq!(off.check(0.5).expect_err("another value").derivative, "f");
    }

    #[test]
    fn a_wrong_mixed_derivative_is_found() {
        let product = Bivariate {
            name: "product",
            value: |x, y| x * y,
            first: |x, y| (x * y, [y, x]),
            second: |x, y| (x * y, [y, x], [0.0, 1.0, 0.0]),
            ..Bivariate::of::<Hypot>()
        };
        assert_eq!(product.check(0.3, -2.0), Ok(()));
        let wrong = Bivariate {
            second: |x, y| (x * y, [y, x], [0.0, 1.1, 0.0]),
            ..product
        };
        assert_eq!(
            wrong
                .check(0.3, -2.0)
                .expect_err("a wrong mixed derivative")
                .derivative,
            "f_xy"
        );
    }
}
