//! A Gaussian process with a squared exponential kernel and a negative quadratic mean.

use super::by_halves;
use super::noise::{deep, largest, noise};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Least variance of the latent function.
const LEAST: f64 = 1e-16;

/// Hyperparameters: of the kernel `sf² exp(-½ Σ (x_d - x'_d)²/l_d²)` and of the mean `m0 - ½ Σ (x_d - mu_d)²/w_d²`.
///
/// As a vector `[2 + 3 dim]`: ln sf², m0, ln l, ln w, mu.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper(pub Vec<f64>);

impl Hyper {
    pub fn dim(&self) -> usize {
        (self.0.len() - 2) / 3
    }

    pub fn log_variance(&self) -> f64 {
        self.0[0]
    }

    pub fn log_lengths(&self) -> &[f64] {
        &self.0[2..2 + self.dim()]
    }

    pub fn log_widths(&self) -> &[f64] {
        &self.0[2 + self.dim()..2 + 2 * self.dim()]
    }

    pub fn centre(&self) -> &[f64] {
        &self.0[2 + 2 * self.dim()..]
    }

    /// The prior mean at a position.
    pub fn mean(&self, x: &[f64]) -> f64 {
        let terms = x.iter().zip(self.centre()).zip(self.log_widths());
        let squares = terms.map(|((x, mu), log_w)| ((x - mu) / log_w.exp()).powi(2));
        self.0[1] - 0.5 * squares.sum::<f64>()
    }

    /// The kernel of two sets of points, `[dim, n]` and `[dim, m]`: `[n, m]`.
    pub fn kernel(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
        let (a, b) = (self.scaled(a), self.scaled(b));
        let log_variance = self.log_variance();
        DMatrix::from_fn(a.ncols(), b.ncols(), |i, j| {
            squared_exponential(log_variance, column(&a, i), column(&b, j))
        })
    }

    /// The kernel of points `[dim, n]` among themselves, `[n, n]`, of which half is computed.
    pub fn own_kernel(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        let scaled = self.scaled(points);
        let n = scaled.ncols();
        let log_variance = self.log_variance();
        let mut kernel = DMatrix::zeros(n, n);
        for j in 0..n {
            let here = column(&scaled, j);
            for i in j..n {
                kernel[(i, j)] = squared_exponential(log_variance, column(&scaled, i), here);
            }
        }
        kernel.fill_upper_triangle_with_lower_triangle();
        kernel
    }

    /// Points in units of the length scales.
    fn scaled(&self, points: &DMatrix<f64>) -> DMatrix<f64> {
        let mut points = points.clone();
        for (k, log_length) in self.log_lengths().iter().enumerate() {
            points.row_mut(k).scale_mut((-log_length).exp());
        }
        points
    }
}

/// The kernel of two positions in units of the length scales.
fn squared_exponential(log_variance: f64, a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    let square: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
    (log_variance - 0.5 * square).exp()
}

/// Column `i`, which lies in one piece.
pub fn column(matrix: &DMatrix<f64>, i: usize) -> &[f64] {
    let rows = matrix.nrows();
    &matrix.as_slice()[i * rows..(i + 1) * rows]
}

/// Points as the columns of a matrix, from rows `[n, dim]` in one list.
pub fn columns(positions: &[f64], dim: usize) -> DMatrix<f64> {
    DMatrix::from_column_slice(dim, positions.len() / dim, positions)
}

/// The factor of `kernel + noise`, with a larger diagonal where rounding makes it indefinite.
pub fn factor(mut kernel: DMatrix<f64>, noise: &[f64]) -> Option<Cholesky<f64, Dyn>> {
    let scale = kernel.diagonal().max();
    for step in 0..6 {
        for (i, noise) in noise.iter().enumerate() {
            kernel[(i, i)] += match step {
                0 => *noise,
                _ => scale * 1e-12 * 100f64.powi(step - 1),
            };
        }
        let mut lower = kernel.clone();
        if by_halves::factor(&mut lower) {
            return Some(Cholesky::pack_dirty(lower));
        }
    }
    None
}

/// A process conditioned on values at points.
#[derive(Clone, Debug)]
pub struct GaussianProcess {
    pub hyper: Hyper,
    /// The points, `[dim, n]`.
    pub points: DMatrix<f64>,
    /// The values at the points, `[n]`.
    pub values: Vec<f64>,
    /// Of the kernel matrix with the noise.
    cholesky: Cholesky<f64, Dyn>,
    /// Its inverse times the values less their prior mean.
    alpha: DVector<f64>,
}

impl GaussianProcess {
    /// The process given values at points; `None` if the kernel matrix is singular.
    pub fn new(hyper: Hyper, points: DMatrix<f64>, values: Vec<f64>) -> Option<Self> {
        let noise = noise(&values, points.nrows());
        let cholesky = factor(hyper.own_kernel(&points), &noise)?;
        let residual = DVector::from_fn(values.len(), |i, _| {
            values[i] - hyper.mean(column(&points, i))
        });
        let alpha = cholesky.solve(&residual);
        let holds = alpha.iter().all(|x| x.is_finite());
        holds.then_some(Self {
            hyper,
            points,
            values,
            cholesky,
            alpha,
        })
    }

    pub fn dim(&self) -> usize {
        self.points.nrows()
    }

    /// The log density below which a point does not matter.
    pub fn deep(&self) -> f64 {
        largest(&self.values) - deep(self.dim())
    }

    /// The posterior mean at points `[dim, n]`: `[n]`.
    pub fn means(&self, at: &DMatrix<f64>) -> Vec<f64> {
        let changes = self.hyper.kernel(at, &self.points) * &self.alpha;
        let means = changes.iter().enumerate();
        means
            .map(|(i, change)| self.hyper.mean(column(at, i)) + change)
            .collect()
    }

    /// Posterior means and variances of the latent function at points `[dim, n]`: `[n]` each.
    pub fn predict(&self, at: &DMatrix<f64>) -> (Vec<f64>, Vec<f64>) {
        (self.means(at), self.variances(&self.whiten(at)))
    }

    /// The posterior variances of the latent function at points that were [whitened](Self::whiten): `[n]`.
    pub fn variances(&self, whitened: &DMatrix<f64>) -> Vec<f64> {
        let prior = self.hyper.log_variance().exp();
        let taken = whitened.column_iter().map(|column| column.norm_squared());
        taken.map(|taken| (prior - taken).max(LEAST)).collect()
    }

    /// `L⁻¹ k(X, at)`, `[points, n]`: the dot product of two columns is what the points take off the prior covariance of two positions.
    pub fn whiten(&self, at: &DMatrix<f64>) -> DMatrix<f64> {
        let mut kernel = self.hyper.kernel(&self.points, at);
        by_halves::solve(self.cholesky.l_dirty(), &mut kernel);
        kernel
    }

    /// The posterior means at points `[dim, n]`, `[n]`, and their gradients, `[dim, n]`.
    pub fn means_with_slopes(&self, at: &DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
        let hyper = &self.hyper;
        let mut shares = hyper.kernel(&self.points, at);
        for mut column in shares.column_iter_mut() {
            column.component_mul_assign(&self.alpha);
        }
        let means = shares.column_iter().enumerate();
        let means = means.map(|(i, shares)| hyper.mean(column(at, i)) + shares.sum());
        let means = means.collect();
        let mut slopes = self.pull(&shares, at);
        for (k, log_width) in hyper.log_widths().iter().enumerate() {
            let precision = (-2.0 * log_width).exp();
            for (slope, x) in slopes.row_mut(k).iter_mut().zip(&at.row(k)) {
                *slope -= (x - hyper.centre()[k]) * precision;
            }
        }
        (means, slopes)
    }

    /// The posterior variances of the latent function at points `[dim, n]`, `[n]`, and their gradients, `[dim, n]`.
    pub fn variances_with_slopes(&self, at: &DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
        let kernel = self.hyper.kernel(&self.points, at);
        let lower = self.cholesky.l_dirty();
        let mut solved = kernel.clone();
        by_halves::solve(lower, &mut solved);
        let prior = self.hyper.log_variance().exp();
        let taken = solved.column_iter().map(|column| column.norm_squared());
        let variances = taken.map(|taken| prior - taken).collect();
        by_halves::solve_transposed(lower, &mut solved);
        solved.component_mul_assign(&kernel);
        (variances, self.pull(&solved, at) * -2.0)
    }

    /// `Σ_i s_ij (X_i - x_j) / l²`, `[dim, n]`, of shares `[points, n]`: the slopes of sums of kernels that are multiplied by something.
    fn pull(&self, shares: &DMatrix<f64>, at: &DMatrix<f64>) -> DMatrix<f64> {
        let mut pulled = &self.points * shares;
        let totals = shares.row_sum();
        for (k, log_length) in self.hyper.log_lengths().iter().enumerate() {
            let precision = (-2.0 * log_length).exp();
            for j in 0..at.ncols() {
                pulled[(k, j)] = (pulled[(k, j)] - totals[j] * at[(k, j)]) * precision;
            }
        }
        pulled
    }
}
