//! The log posterior density of the hyperparameters, with its gradient.

use super::by_halves;
use super::gp::{Hyper, column, factor};
use super::noise::noise;
use nalgebra::{DMatrix, DVector};

/// Standard deviation of the priors of `ln l` and `ln w`: `ln sqrt(10³)`.
const SPREAD: f64 = 3.453_877_639_491_069;
/// Tails of the box of `m0`, and of `mu`.
const TAILS: [f64; 2] = [1.0, 0.01];
/// Hyperparameters on the log scale beyond this size are refused, before anything overflows.
const LARGEST: f64 = 60.0;

/// Values at points, with the boxes of the empirical priors.
pub struct Training<'a> {
    pub points: &'a DMatrix<f64>,
    pub values: &'a [f64],
    /// The variance of the noise of each value.
    noise: Vec<f64>,
    /// Sides of the bounding box of the points with 10% of margin, `[low, high]`.
    pub sides: Vec<[f64; 2]>,
    /// The range of the values.
    pub range: [f64; 2],
}

impl<'a> Training<'a> {
    pub fn new(points: &'a DMatrix<f64>, values: &'a [f64]) -> Self {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            })
        };
        Self {
            points,
            range: range(&mut values.iter().copied()),
            noise: noise(values, points.nrows()),
            values,
            sides: bounding_box(points),
        }
    }

    /// The prior median of `ln l_d` and `ln w_d`: `ln(sqrt(D/6) L_d)`.
    pub fn log_scales(&self) -> Vec<f64> {
        let factor = 0.5 * (self.sides.len() as f64 / 6.0).ln();
        let scale = |[low, high]: &[f64; 2]| factor + (high - low).ln();
        self.sides.iter().map(scale).collect()
    }

    /// The log posterior density of the hyperparameters up to a constant, and its gradient; `None` where it cannot be computed.
    ///
    /// ```text
    /// -½ rᵀ A⁻¹ r - ½ ln det A + ln p(ψ),    A = K + noise,  r = y - m(X)        de Souza et al. 2022, appendix; Rasmussen and Williams
    /// 2006, equations 5.8 and 5.9
    /// ```
    ///
    /// The paper prints + ½ ln det A, which is a slip.
    pub fn evaluate(&self, hyper: &Hyper) -> Option<(f64, Vec<f64>)> {
        self.likelihood(hyper, true)
    }

    /// The value alone, which costs a fraction.
    pub fn value(&self, hyper: &Hyper) -> Option<f64> {
        self.likelihood(hyper, false).map(|found| found.0)
    }

    fn likelihood(&self, hyper: &Hyper, with_gradient: bool) -> Option<(f64, Vec<f64>)> {
        let logs = [&hyper.0[..1], hyper.log_lengths(), hyper.log_widths()];
        if logs
            .concat()
            .iter()
            .any(|x| x.is_nan() || x.abs() > LARGEST)
        {
            return None;
        }
        let kernel = hyper.own_kernel(self.points);
        let cholesky = factor(kernel.clone(), &self.noise)?;
        let n = self.values.len();
        let residual = DVector::from_fn(n, |i, _| {
            self.values[i] - hyper.mean(column(self.points, i))
        });
        let alpha = cholesky.solve(&residual);
        let log_scale: f64 = cholesky.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let value = -0.5 * residual.dot(&alpha) - log_scale;
        let mut gradient = vec![0.0; hyper.0.len()];
        if with_gradient {
            // ½ (α αᵀ - A⁻¹) ∘ K, whose sum with ∂ln K/∂ψ is the slope along ψ
            let mut shares = cholesky.unpack_dirty();
            by_halves::inverse(&mut shares);
            shares.ger(1.0, &alpha, &alpha, -1.0);
            shares.component_mul_assign(&kernel);
            shares *= 0.5;
            self.kernel_slopes(hyper, &shares, &mut gradient);
            self.mean_slopes(hyper, &alpha, &mut gradient);
        }
        let value = value + self.log_prior(hyper, &mut gradient);
        let holds = value.is_finite() && gradient.iter().all(|x| x.is_finite());
        holds.then_some((value, gradient))
    }

    fn kernel_slopes(&self, hyper: &Hyper, shares: &DMatrix<f64>, gradient: &mut [f64]) {
        gradient[0] += shares.sum();
        for (k, log_length) in hyper.log_lengths().iter().enumerate() {
            let row: Vec<f64> = self.points.row(k).iter().copied().collect();
            let mut sum = 0.0;
            for (j, xj) in row.iter().enumerate() {
                let column = column(shares, j).iter().zip(&row);
                sum += column
                    .map(|(share, xi)| share * (xi - xj) * (xi - xj))
                    .sum::<f64>();
            }
            gradient[2 + k] += sum * (-2.0 * log_length).exp();
        }
    }

    fn mean_slopes(&self, hyper: &Hyper, alpha: &DVector<f64>, gradient: &mut [f64]) {
        let dim = hyper.dim();
        gradient[1] += alpha.sum();
        for k in 0..dim {
            let precision = (-2.0 * hyper.log_widths()[k]).exp();
            for (x, alpha) in self.points.row(k).iter().zip(alpha.iter()) {
                let d = x - hyper.centre()[k];
                gradient[2 + dim + k] += alpha * d * d * precision;
                gradient[2 + 2 * dim + k] += alpha * d * precision;
            }
        }
    }

    /// The empirical priors: flat for `ln sf²`, Gaussian for `ln l` and `ln w`, boxes with Gaussian tails for `m0` and `mu`.
    fn log_prior(&self, hyper: &Hyper, gradient: &mut [f64]) -> f64 {
        let dim = hyper.dim();
        let mut value = 0.0;
        for (k, scale) in self.log_scales().into_iter().enumerate() {
            for i in [2 + k, 2 + dim + k] {
                let z = (hyper.0[i] - scale) / SPREAD;
                value -= 0.5 * z * z;
                gradient[i] -= z / SPREAD;
            }
        }
        let mut boxed = |i: usize, [low, high]: [f64; 2], tail: f64| {
            let x: f64 = hyper.0[i];
            let z = (x - x.clamp(low, high)) / tail;
            value -= 0.5 * z * z;
            gradient[i] -= z / tail;
        };
        boxed(1, self.range, TAILS[0]);
        for (k, side) in self.sides.iter().enumerate() {
            boxed(2 + 2 * dim + k, *side, TAILS[1]);
        }
        value
    }
}

/// The bounding box of points `[dim, n]` with 10% of its length as margin on each side; at least a length of 1e-6.
pub fn bounding_box(points: &DMatrix<f64>) -> Vec<[f64; 2]> {
    let side = |k: usize| {
        let row = points.row(k);
        let margin = 0.1 * (row.max() - row.min()).max(1e-6);
        [row.min() - margin, row.max() + margin]
    };
    (0..points.nrows()).map(side).collect()
}
