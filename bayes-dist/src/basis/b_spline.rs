//! B-splines.

use super::{check_inside, check_interval, number_of, refused};
use crate::error::Error;
use nalgebra::DMatrix;

/// B-splines on equal pieces of an interval (de Boor 2001, chapter IX): bumps that sum to 1, each above 0 on `degree + 1` pieces.
///
/// For a smooth curve give the coefficients a prior that keeps their differences small (P-splines, Eilers and Marx 1996):
/// `sample(IntrinsicRandomWalk::new(2, sd, basis.len()))`, beside a straight line; or `-½ quadratic_form` with [`BSpline::penalty`].
///
/// ```
/// # use bayes_dist::basis::BSpline;
/// let basis = BSpline::new([0.0, 1.0], 5, 3)?;
/// let at = basis.at(&[0.0, 0.3, 1.0])?;
/// assert_eq!(at.shape(), (3, 8));
/// assert!((at.row(1).sum() - 1.0).abs() < 1e-15);
/// # Ok::<(), bayes_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BSpline {
    ends: [f64; 2],
    pieces: usize,
    degree: usize,
    is_cyclic: bool,
}

impl BSpline {
    /// Splines of this degree, 3 for cubic ones, on an interval in equal pieces. There are `pieces + degree` of them.
    ///
    /// # Errors
    /// An interval that is not finite or empty, or no pieces.
    pub fn new(ends: [f64; 2], pieces: usize, degree: usize) -> Result<Self, Error> {
        check_interval("BSpline: ends", ends)?;
        if pieces == 0 {
            return Err(number_of("BSpline: pieces", pieces, 1));
        }
        Ok(Self {
            ends,
            pieces,
            degree,
            is_cyclic: false,
        })
    }

    /// Splines whose end joins their start, with all derivatives that they have: for the time of a day or of a year. There are `pieces`
    /// of them, more than the degree.
    ///
    /// # Errors
    /// As for [`BSpline::new`], and no more pieces than the degree.
    pub fn cyclic(ends: [f64; 2], pieces: usize, degree: usize) -> Result<Self, Error> {
        if pieces <= degree {
            return Err(number_of("BSpline: pieces", pieces, degree + 1));
        }
        let open = Self::new(ends, pieces, degree)?;
        Ok(Self {
            is_cyclic: true,
            ..open
        })
    }

    /// The number of functions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces + if self.is_cyclic { 0 } else { self.degree }
    }

    /// Whether there are no functions: never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The functions at these values, `[values, functions]`. Cyclic splines go on beyond the ends of their interval.
    ///
    /// # Errors
    /// A value outside of the interval, for cyclic splines one that is not finite.
    pub fn at(&self, x: &[f64]) -> Result<DMatrix<f64>, Error> {
        let range = if self.is_cyclic {
            [f64::MIN, f64::MAX]
        } else {
            self.ends
        };
        check_inside("BSpline: x", x, range)?;
        let mut all = DMatrix::zeros(x.len(), self.len());
        for (i, x) in x.iter().enumerate() {
            let (first, values) = self.bumps(*x);
            for (k, value) in values.into_iter().enumerate() {
                all[(i, (first + k) % self.len())] += value;
            }
        }
        Ok(all)
    }

    /// The first function that is not 0 at a value, and this and the next `degree` functions there, by the recursion of Cox and de Boor.
    fn bumps(&self, x: f64) -> (usize, Vec<f64>) {
        let [low, high] = self.ends;
        let mut place = (x - low) / (high - low);
        if self.is_cyclic {
            place -= place.floor();
        }
        let place = place * self.pieces as f64;
        let piece = (place.floor() as usize).min(self.pieces - 1);
        let rest = place - piece as f64;
        let mut values = vec![1.0];
        for degree in 1..=self.degree {
            let width = degree as f64;
            let mut next = vec![0.0; degree + 1];
            for (k, value) in values.iter().enumerate() {
                // the bump has its piece `k` from the right
                let up = (rest + (degree - 1 - k) as f64) / width;
                next[k] += value * (1.0 - up);
                next[k + 1] += value * up;
            }
            values = next;
        }
        (piece, values)
    }

    /// `Dᵀ D` of the differences `D` of this order between coefficients, `[functions, functions]`: the penalty of P-splines.
    ///
    /// # Errors
    /// An order of 0, or one that is not below the number of functions.
    pub fn penalty(&self, order: usize) -> Result<DMatrix<f64>, Error> {
        let count = self.len();
        if order == 0 || order >= count {
            let allowed = format!("from 1 to {}", count - 1);
            return Err(refused("BSpline: order", order.to_string(), &allowed));
        }
        let mut weights = vec![1.0];
        for _ in 0..order {
            let mut next = vec![0.0; weights.len() + 1];
            for (k, weight) in weights.iter().enumerate() {
                next[k] -= weight;
                next[k + 1] += weight;
            }
            weights = next;
        }
        let rows = if self.is_cyclic { count } else { count - order };
        let mut differences = DMatrix::<f64>::zeros(rows, count);
        for i in 0..rows {
            for (k, weight) in weights.iter().enumerate() {
                differences[(i, (i + k) % count)] += weight;
            }
        }
        Ok(differences.transpose() * differences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cubic bump on pieces of length 1, at `t` from 0 to 4.
    fn bump(t: f64) -> f64 {
        match t {
            _ if t <= 0.0 || t >= 4.0 => 0.0,
            _ if t < 1.0 => t.powi(3) / 6.0,
            _ if t <= 2.0 => (-3.0 * t.powi(3) + 12.0 * t * t - 12.0 * t + 4.0) / 6.0,
            _ => bump(4.0 - t),
        }
    }

    #[test]
    fn cubic_bumps_are_those_of_the_closed_form() {
        let basis = BSpline::new([2.0, 12.0], 5, 3).unwrap();
        let x = [2.0, 2.5, 4.0, 7.3, 11.99, 12.0];
        let at = basis.at(&x).unwrap();
        assert_eq!(at.shape(), (6, 8));
        for (i, x) in x.iter().enumerate() {
            for k in 0..8 {
                let wanted = bump((x - 2.0) / 2.0 - k as f64 + 3.0);
                assert!((at[(i, k)] - wanted).abs() < 1e-15, "{x}, {k}");
            }
            assert!((at.row(i).sum() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn cyclic_splines_join_and_go_on() {
        let basis = BSpline::cyclic([0.0, 1.0], 6, 3).unwrap();
        let [start, end, far] = [0.0, 1.0, -7.0].map(|x| basis.at(&[x]).unwrap());
        assert!((&start - end).amax() < 1e-15 && (start - far).amax() < 1e-15);
        let open = BSpline::new([0.0, 1.0], 6, 3).unwrap().at(&[0.4]).unwrap();
        let cyclic = basis.at(&[0.4]).unwrap();
        for k in 0..6 {
            let wanted = open[(0, k)] + if k < 3 { open[(0, k + 6)] } else { 0.0 };
            assert!((cyclic[(0, k)] - wanted).abs() < 1e-15);
        }
    }

    #[test]
    fn penalties_are_0_for_what_has_no_differences() {
        let basis = BSpline::new([0.0, 1.0], 4, 3).unwrap();
        let penalty = basis.penalty(2).unwrap();
        let line = DMatrix::from_fn(7, 1, |i, _| 3.0 - 0.5 * i as f64);
        assert!((&penalty * line).amax() < 1e-14);
        // a single bump has the differences 1, -2, 1
        assert_eq!(
            (penalty[(3, 3)], penalty[(0, 0)], penalty[(0, 1)]),
            (6.0, 1.0, -2.0)
        );
        let cyclic = BSpline::cyclic([0.0, 1.0], 5, 3)
            .unwrap()
            .penalty(1)
            .unwrap();
        assert_eq!(
            (cyclic[(0, 0)], cyclic[(0, 4)], cyclic[(0, 2)]),
            (2.0, -1.0, 0.0)
        );
    }

    #[test]
    fn arguments_that_are_not_allowed_are_refused_with_their_values() {
        let basis = BSpline::new([0.0, 1.0], 4, 3).unwrap();
        let texts = [
            basis.at(&[0.5, 1.5]).unwrap_err(),
            basis.penalty(7).unwrap_err(),
            BSpline::new([1.0, 1.0], 4, 3).unwrap_err(),
            BSpline::cyclic([0.0, 1.0], 3, 3).unwrap_err(),
        ]
        .map(|error| error.to_string());
        let wanted = [
            "setting `BSpline: x` is 1.5 at index 1, must be from 0 to 1",
            "setting `BSpline: order` is 7, must be from 1 to 6",
            "setting `BSpline: ends` is from 1.0 to 1.0, must be from a finite number to a larger one",
            "setting `BSpline: pieces` is 3, must be at least 4",
        ];
        assert_eq!(texts, wanted);
        let missing = BSpline::cyclic([0.0, 1.0], 4, 3).unwrap().at(&[f64::NAN]);
        assert!(missing.is_err());
    }
}
