//! Natural cubic splines as random effects: penalised regression splines.
//!
//! ```text
//! f(x) = a + b x + Σ_j s_j z_j(x),    s_j ~ Normal(0, sds)
//! ```
//!
//! The functions `z_j` are natural cubic splines with the same knots and equal penalties `∫ f''²`, so a normal prior of their coefficients
//! is equivalent to the penalty (Wood 2017, sections 5.3.1 and 5.8). They are orthogonal to the straight lines over the rows, so `a + b x`
//! is the least-squares line of the curve. They are scaled so that `sds` is the prior standard deviation of `f(x) - a - b x`, on average
//! over the rows.

use super::{number_of, refused};
use crate::error::Error;
use crate::order;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};

/// Natural cubic splines with knots at quantiles of `x`, which are no straight lines: a smooth curve is `a + b x + sd (basis * z)`, with
/// standard normal `z`, as many as [`NaturalSpline::len`]. `sd` is then the standard deviation of the curve about its straight line.
///
/// With this prior the curve has the penalty `∫ f''²` (Wood 2017, sections 5.3.1 and 5.8). Beyond the knots it goes on straight.
///
/// ```
/// # use bayes_dist::basis::NaturalSpline;
/// let x: Vec<f64> = (0..30).map(f64::from).collect();
/// let spline = NaturalSpline::new(&x, 8)?;
/// assert_eq!(spline.at(&x).shape(), (30, 6));
/// # Ok::<(), bayes_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NaturalSpline {
    knots: Vec<f64>,
    /// The mean over the rows.
    centre: f64,
    /// The values of each function at the knots.
    values: Vec<Vec<f64>>,
}

impl NaturalSpline {
    /// The splines of these values, with this number of knots, at least 3.
    ///
    /// # Errors
    /// A value that is not finite, fewer than 3 knots, or fewer different values than knots.
    pub fn new(x: &[f64], knots: usize) -> Result<Self, Error> {
        if knots < 3 {
            return Err(number_of("NaturalSpline: knots", knots, 3));
        }
        if let Some(i) = x.iter().position(|x| !x.is_finite()) {
            let value = format!("{:?} at index {i}", x[i]);
            return Err(refused("NaturalSpline: x", value, "a finite number"));
        }
        let rows: Vec<usize> = (0..x.len()).collect();
        Self::of_rows(x, knots, &rows).ok_or_else(|| {
            let value = format!("a list of {} numbers", x.len());
            let allowed = format!("at least {knots} different numbers, one for each knot");
            refused("NaturalSpline: x", value, &allowed)
        })
    }

    /// The splines of these finite values, scaled and straightened over the given rows; `None` if there are fewer different values than knots, at
    /// least 3, or if the curves of these rows are straight lines.
    #[must_use]
    pub fn of_rows(x: &[f64], knots: usize, rows: &[usize]) -> Option<Self> {
        let knots = quantiles(x, knots)?;
        let width = knots[knots.len() - 1] - knots[0];
        // the penalty in units of the range, so its eigenvalues are of order 1 whatever the units of x
        let unit: Vec<f64> = knots.iter().map(|t| (t - knots[0]) / width).collect();
        let second = second_derivatives(&unit);
        let penalty = roughness(&unit, &second);
        let eigen = SymmetricEigen::new(penalty);
        let order = order::ascending(eigen.eigenvalues.as_slice());
        // the first two belong to straight lines and are 0 up to rounding
        let columns = order[2..].iter().map(|k| {
            let size = eigen.eigenvalues[*k].sqrt();
            eigen.eigenvectors.column(*k).map(|v| v / size)
        });
        let columns: Vec<DVector<f64>> = columns.collect();
        let own: Vec<f64> = rows.iter().map(|row| x[*row]).collect();
        let mut basis = Self {
            centre: mean(&own),
            values: columns.iter().map(|v| v.as_slice().to_vec()).collect(),
            knots,
        };
        straighten(&mut basis, &own);
        let curves = basis.columns(&own);
        let squares: f64 = curves.iter().flatten().map(|z| z * z).sum();
        let scale = (squares / own.len() as f64).sqrt();
        // with two values, the remainder of the curves is rounding
        if scale.is_nan() || scale <= 1e-8 {
            return None;
        }
        basis.values.iter_mut().flatten().for_each(|v| *v /= scale);
        Some(basis)
    }

    /// The number of functions: that of knots less 2.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no functions: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The mean of the values over the rows.
    #[must_use]
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// The functions at these values, `[values, functions]`.
    #[must_use]
    pub fn at(&self, x: &[f64]) -> DMatrix<f64> {
        let columns = self.columns(x);
        DMatrix::from_fn(x.len(), columns.len(), |i, k| columns[k][i])
    }

    /// The functions at these values, column by column.
    #[must_use]
    pub fn columns(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let second = second_derivatives(&self.knots);
        let of = |values: &Vec<f64>| {
            let curvature = &second * DVector::from_column_slice(values);
            let at = |x: &f64| cubic(*x, &self.knots, values, curvature.as_slice());
            x.iter().map(at).collect()
        };
        self.values.iter().map(of).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Knots at quantiles of the different values; `None` if there are fewer different values.
fn quantiles(x: &[f64], count: usize) -> Option<Vec<f64>> {
    let mut values = x.to_vec();
    order::sort(&mut values);
    values.dedup();
    if values.len() < count {
        return None;
    }
    let step = (values.len() - 1) as f64 / (count - 1) as f64;
    let at = |k: usize| {
        let place = k as f64 * step;
        let below = (place.floor() as usize).min(values.len() - 2);
        let share = place - below as f64;
        values[below] + share * (values[below + 1] - values[below])
    };
    Some((0..count).map(at).collect())
}

/// The matrix from the values at the knots to the second derivatives there, which are 0 at both ends.
fn second_derivatives(knots: &[f64]) -> DMatrix<f64> {
    let (count, inner) = (knots.len(), knots.len() - 2);
    let width = |k: usize| knots[k + 1] - knots[k];
    let mut slopes = DMatrix::zeros(inner, count);
    let mut band = DMatrix::zeros(inner, inner);
    for i in 0..inner {
        slopes[(i, i)] = width(i).recip();
        slopes[(i, i + 2)] = width(i + 1).recip();
        slopes[(i, i + 1)] = -slopes[(i, i)] - slopes[(i, i + 2)];
        band[(i, i)] = (width(i) + width(i + 1)) / 3.0;
        if i + 1 < inner {
            band[(i, i + 1)] = width(i + 1) / 6.0;
            band[(i + 1, i)] = width(i + 1) / 6.0;
        }
    }
    let solved = band.cholesky().map(|factor| factor.solve(&slopes));
    let solved = solved.expect("knots increase, so that the matrix is positive definite");
    let mut all = DMatrix::zeros(count, count);
    all.rows_mut(1, inner).copy_from(&solved);
    all
}

/// `∫ f''²` as a quadratic form in the values at the knots.
fn roughness(knots: &[f64], second: &DMatrix<f64>) -> DMatrix<f64> {
    let mut penalty = DMatrix::zeros(knots.len(), knots.len());
    for k in 0..knots.len() - 1 {
        let width = knots[k + 1] - knots[k];
        let (a, b) = (second.row(k), second.row(k + 1));
        // second derivatives are linear between knots
        let products = a.transpose() * a + b.transpose() * b;
        let mixed = a.transpose() * b + b.transpose() * a;
        penalty += (products * 2.0 + mixed) * (width / 6.0);
    }
    penalty
}

/// Subtracts from each function its least-squares line through these values.
fn straighten(basis: &mut NaturalSpline, x: &[f64]) {
    let curves = basis.columns(x);
    let centred: Vec<f64> = x.iter().map(|x| x - basis.centre).collect();
    let square: f64 = centred.iter().map(|x| x * x).sum();
    for (values, curve) in basis.values.iter_mut().zip(curves) {
        let level = mean(&curve);
        let product: f64 = curve.iter().zip(&centred).map(|(z, x)| z * x).sum();
        // 0 for rows with a single value
        let slope = if square > 0.0 { product / square } else { 0.0 };
        for (value, knot) in values.iter_mut().zip(&basis.knots) {
            *value -= level + slope * (knot - basis.centre);
        }
    }
}

/// The natural cubic spline with these values and second derivatives at the knots.
fn cubic(x: f64, knots: &[f64], values: &[f64], curvature: &[f64]) -> f64 {
    let last = knots.len() - 1;
    let place = knots.partition_point(|t| *t <= x).clamp(1, last) - 1;
    let (low, high) = (knots[place], knots[place + 1]);
    let width = high - low;
    let (c, d) = (curvature[place], curvature[place + 1]);
    let slope = (values[place + 1] - values[place]) / width;
    if x < low {
        return values[0] + (x - low) * (slope - width * (2.0 * c + d) / 6.0);
    }
    if x > high {
        return values[last] + (x - high) * (slope + width * (c + 2.0 * d) / 6.0);
    }
    let (left, right) = ((high - x) / width, (x - low) / width);
    left * values[place]
        + right * values[place + 1]
        + width * width / 6.0 * ((left.powi(3) - left) * c + (right.powi(3) - right) * d)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance of the curve, which does not depend on the choice of functions, at rows 0, 4 and 9 and at -1, 3 and 9.5, by natural
    /// splines of SciPy 1.x, Simpson's rule for the penalty and a pseudo-inverse.
    const COVARIANCE: [[f64; 6]; 6] = [
        [
            2.11434380779,
            -1.567192830647,
            1.554256484935,
            4.299940330359,
            -1.306514365133,
            3.176477472451,
        ],
        [
            -1.567192830647,
            1.326105321697,
            -1.280418553238,
            -3.018447966393,
            1.017815156736,
            -2.574826833377,
        ],
        [
            1.554256484935,
            -1.280418553238,
            1.500624837487,
            2.900047989075,
            -0.914415596604,
            3.304334323221,
        ],
        [
            4.299940330359,
            -3.018447966393,
            2.900047989075,
            8.98258658853,
            -2.648712727988,
            5.834686806337,
        ],
        [
            -1.306514365133,
            1.017815156736,
            -0.914415596604,
            -2.648712727988,
            0.84990000572,
            -1.76758638803,
        ],
        [
            3.176477472451,
            -2.574826833377,
            3.304334323221,
            5.834686806337,
            -1.76758638803,
            7.532396538795,
        ],
    ];
    const X: [f64; 10] = [0.3, 1.1, 1.9, 2.0, 3.7, 4.4, 5.2, 6.0, 7.9, 8.1];

    #[test]
    fn curves_have_the_covariance_of_the_penalty() {
        let rows: Vec<usize> = (0..10).collect();
        let basis = NaturalSpline::of_rows(&X, 5, &rows).expect("there are ten values");
        let at = basis.columns(&[0.3, 3.7, 8.1, -1.0, 3.0, 9.5]);
        assert_eq!(at.len(), 3);
        for (i, wanted) in COVARIANCE.iter().enumerate() {
            for (j, wanted) in wanted.iter().enumerate() {
                let found: f64 = at.iter().map(|z| z[i] * z[j]).sum();
                assert!((found - wanted).abs() < 1e-9, "{i} {j}: {found}, {wanted}");
            }
        }
        // a new table, and a unit of x a thousand times as small
        let large = X.map(|x| 1000.0 * x);
        let other = NaturalSpline::of_rows(&large, 5, &rows).expect("ten values");
        let other = other.columns(&[3700.0]);
        let square: f64 = other.iter().map(|z| z[0] * z[0]).sum();
        assert!((square - COVARIANCE[1][1]).abs() < 1e-9);
    }

    #[test]
    fn curves_are_neither_levels_nor_lines() {
        let rows: Vec<usize> = (0..10).collect();
        let curves = NaturalSpline::of_rows(&X, 8, &rows).expect("there are ten values");
        let curves = curves.columns(&X);
        for z in &curves {
            let product: f64 = z.iter().zip(&X).map(|(z, x)| z * x).sum();
            assert!(z.iter().sum::<f64>().abs() < 1e-10 && product.abs() < 1e-10);
        }
        assert!(NaturalSpline::of_rows(&X, 11, &rows).is_none());
        assert!(NaturalSpline::of_rows(&X, 5, &[0, 1]).is_none());
    }

    #[test]
    fn what_has_no_spline_is_refused_with_its_reason() {
        let text = |x: &[f64], knots| NaturalSpline::new(x, knots).unwrap_err().to_string();
        let same = "setting `NaturalSpline: x` is a list of 4 numbers, must be at least 5 different numbers, one for each knot";
        assert_eq!(text(&[1.0, 2.0, 3.0, 4.0], 5), same);
        let missing = "setting `NaturalSpline: x` is NaN at index 1, must be a finite number";
        assert_eq!(text(&[1.0, f64::NAN, 3.0], 3), missing);
        assert_eq!(
            text(&X, 2),
            "setting `NaturalSpline: knots` is 2, must be at least 3"
        );
    }
}
