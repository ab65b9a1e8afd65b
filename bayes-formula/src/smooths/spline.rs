//! Penalised cubic regression splines as random effects.
//!
//! ```text
//! f(x) = a + b x + Σ_j s_j z_j(x),    s_j ~ Normal(0, sds)
//! ```
//!
//! The functions `z_j` are natural cubic splines with the same knots and equal penalties `∫ f''²`, so a normal prior of their coefficients
//! is equivalent to the penalty (Wood 2017, sections 5.3.1 and 5.8). They are orthogonal to the straight lines over the rows, so `a + b x`
//! is the least-squares line of the curve. They are scaled so that `sds` is the prior standard deviation of `f(x) - a - b x`, on average
//! over the rows.

use crate::columns::{SplineBasis, mean};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// The splines of these values, for the given rows; `None` if there are fewer different values than knots, or if the curves of these rows
/// are straight lines.
pub(crate) fn learn(x: &[f64], knots: usize, rows: &[usize]) -> Option<SplineBasis> {
    let knots = quantiles(x, knots)?;
    let width = knots[knots.len() - 1] - knots[0];
    // the penalty in units of the range, so its eigenvalues are of order 1 whatever the units of x
    let unit: Vec<f64> = knots.iter().map(|t| (t - knots[0]) / width).collect();
    let second = second_derivatives(&unit);
    let penalty = roughness(&unit, &second);
    let eigen = SymmetricEigen::new(penalty);
    let mut order: Vec<usize> = (0..knots.len()).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    // the first two belong to straight lines and are 0 up to rounding
    let columns = order[2..].iter().map(|k| {
        let size = eigen.eigenvalues[*k].sqrt();
        eigen.eigenvectors.column(*k).map(|v| v / size)
    });
    let columns: Vec<DVector<f64>> = columns.collect();
    let own: Vec<f64> = rows.iter().map(|row| x[*row]).collect();
    let mut basis = SplineBasis {
        centre: mean(&own),
        values: columns.iter().map(|v| v.as_slice().to_vec()).collect(),
        knots,
    };
    straighten(&mut basis, &own);
    let curves = evaluate(&own, &basis);
    let squares: f64 = curves.iter().flatten().map(|z| z * z).sum();
    let scale = (squares / own.len() as f64).sqrt();
    // with two values, the remainder of the curves is rounding
    if scale.is_nan() || scale <= 1e-8 {
        return None;
    }
    basis.values.iter_mut().flatten().for_each(|v| *v /= scale);
    Some(basis)
}

/// The functions at these values, column by column; straight lines beyond the knots.
pub(crate) fn evaluate(x: &[f64], basis: &SplineBasis) -> Vec<Vec<f64>> {
    let second = second_derivatives(&basis.knots);
    let of = |values: &Vec<f64>| {
        let curvature = &second * DVector::from_column_slice(values);
        let at = |x: &f64| cubic(*x, &basis.knots, values, curvature.as_slice());
        x.iter().map(at).collect()
    };
    basis.values.iter().map(of).collect()
}

/// Knots at quantiles of the different values; `None` if there are fewer different values.
fn quantiles(x: &[f64], count: usize) -> Option<Vec<f64>> {
    let mut values = x.to_vec();
    values.sort_by(f64::total_cmp);
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
fn straighten(basis: &mut SplineBasis, x: &[f64]) {
    let curves = evaluate(x, basis);
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
        let basis = learn(&X, 5, &rows).expect("there are ten values");
        let at = evaluate(&[0.3, 3.7, 8.1, -1.0, 3.0, 9.5], &basis);
        assert_eq!(at.len(), 3);
        for (i, wanted) in COVARIANCE.iter().enumerate() {
            for (j, wanted) in wanted.iter().enumerate() {
                let found: f64 = at.iter().map(|z| z[i] * z[j]).sum();
                assert!((found - wanted).abs() < 1e-9, "{i} {j}: {found}, {wanted}");
            }
        }
        // a new table, and a unit of x a thousand times as small
        let large = X.map(|x| 1000.0 * x);
        let other = evaluate(&[3700.0], &learn(&large, 5, &rows).expect("ten values"));
        let square: f64 = other.iter().map(|z| z[0] * z[0]).sum();
        assert!((square - COVARIANCE[1][1]).abs() < 1e-9);
    }

    #[test]
    fn curves_are_neither_levels_nor_lines() {
        let rows: Vec<usize> = (0..10).collect();
        let curves = evaluate(&X, &learn(&X, 8, &rows).expect("there are ten values"));
        for z in &curves {
            let product: f64 = z.iter().zip(&X).map(|(z, x)| z * x).sum();
            assert!(z.iter().sum::<f64>().abs() < 1e-10 && product.abs() < 1e-10);
        }
        assert!(learn(&X, 11, &rows).is_none());
        assert!(learn(&X, 5, &[0, 1]).is_none());
    }
}
