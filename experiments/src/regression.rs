//! Gaussian problems: linear regression with known noise, with answers in closed form.

use bayes::prelude::*;

/// Linear regression with known noise; there may be fewer rows than coefficients.
#[model]
pub fn regression(x: &DMatrix<f64>, y: &[f64], noise: f64) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, noise));
}

/// Data and closed-form answers.
pub struct Problem {
    /// Design matrix.
    pub x: DMatrix<f64>,
    /// Observations.
    pub y: DVector<f64>,
    /// Standard deviation of the noise.
    pub noise: f64,
    /// Posterior mean of the coefficients.
    pub mean: DVector<f64>,
    /// Posterior variance of each coefficient.
    pub variance: DVector<f64>,
    /// Log evidence.
    pub log_evidence: f64,
}

impl Problem {
    /// The 16 x 32 problem of the shipped reference file.
    ///
    /// # Panics
    /// Never: the file is part of the program.
    pub fn load() -> Self {
        let file: serde_json::Value =
            serde_json::from_str(include_str!("../../tests/data/evidence.json"))
                .expect("the shipped file is JSON");
        let problems = file["problems"].as_array().expect("a list of problems");
        let problem = problems
            .iter()
            .find(|p| p["name"] == "blr_16x32")
            .expect("the problem is in the file");
        let rows: Vec<Vec<f64>> =
            serde_json::from_value(problem["data"]["X"].clone()).expect("a matrix");
        let y: Vec<f64> = serde_json::from_value(problem["data"]["y"].clone()).expect("a vector");
        let noise = problem["data"]["noise_sd"].as_f64().expect("a number");
        let x = DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
        Self::new(x, DVector::from_vec(y), noise)
    }

    /// A 16 x 8 problem for studies that run thousands of islands: the first 8 columns of the 16 x 32 design, all
    /// coefficients 1, and the standard normal numbers of the ninth column as noise.
    pub fn small() -> Self {
        let large = Self::load();
        let x = large.x.columns(0, 8).into_owned();
        let y = x.column_sum() + large.x.column(8) * large.noise;
        Self::new(x, y, large.noise)
    }

    /// Computes the answers.
    ///
    /// ```text
    /// Σ = (I + XᵀX / s²)⁻¹    μ = Σ Xᵀy / s²    log Z = log Normal(y; 0, X Xᵀ + s² I)
    /// ```
    ///
    /// # Panics
    /// If a number is not finite.
    pub fn new(x: DMatrix<f64>, y: DVector<f64>, noise: f64) -> Self {
        let noise_variance = noise * noise;
        let precision = DMatrix::identity(x.ncols(), x.ncols()) + x.tr_mul(&x) / noise_variance;
        let precision = precision.cholesky().expect("positive definite");
        let mean = precision.solve(&(x.tr_mul(&y) / noise_variance));
        let variance = precision.inverse().diagonal();
        let marginal = &x * x.transpose() + DMatrix::identity(y.len(), y.len()) * noise_variance;
        let factor = marginal.cholesky().expect("positive definite");
        let log_determinant = 2.0 * factor.l().diagonal().map(f64::ln).sum();
        let normaliser = y.len() as f64 * std::f64::consts::TAU.ln();
        let log_evidence = -0.5 * (y.dot(&factor.solve(&y)) + log_determinant + normaliser);
        Self {
            x,
            y,
            noise,
            mean,
            variance,
            log_evidence,
        }
    }
}
