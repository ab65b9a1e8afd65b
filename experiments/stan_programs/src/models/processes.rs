//! Gaussian processes and splines.

use bayes::prelude::*;

#[model]
pub fn gp_regr(x: &[f64], y: &[f64]) {
    let rho = sample(Gamma::new(25.0, 4.0));
    let alpha = sample(HalfNormal::new(2.0));
    // a variance
    let sigma = sample(HalfNormal::new(1.0));
    let covariance = Matrix::from_fn(x.len(), x.len(), |i, j| {
        let smooth = alpha.square() * (-0.5 * ((x[i] - x[j]) / rho).square()).exp();
        if i == j { smooth + sigma } else { smooth }
    });
    observe(y, MultivariateNormal::new(0.0, covariance));
}

#[model]
pub fn gp_pois_regr(x: &[f64], k: &[u64]) {
    let rho = sample(Gamma::new(25.0, 4.0));
    let alpha = sample(HalfNormal::new(2.0));
    let f_tilde = sample(Normal::new(0.0, 1.0).iid(x.len()));
    let covariance = Matrix::from_fn(x.len(), x.len(), |i, j| {
        let smooth = alpha.square() * (-0.5 * ((x[i] - x[j]) / rho).square()).exp();
        if i == j { smooth + 1e-10 } else { smooth }
    });
    let f = deterministic(covariance.cholesky() * &f_tilde);
    observe(k, PoissonLog::new(&f));
}

/// Accelerations of a head in a crash: mean and log standard deviation are processes in a basis of Hilbert space; `speeds` are the squared frequencies.
#[model]
pub fn accel_gp(
    y: &[f64],
    x: &DMatrix<f64>,
    speeds: &[f64],
    x_sigma: &DMatrix<f64>,
    speeds_sigma: &[f64],
) {
    let Intercept = sample(StudentT::new(3.0, -13.0, 36.0));
    let sdgp_1 = sample(HalfStudentT::new(3.0, 36.0));
    let lscale_1 = sample(InverseGamma::new(1.124909, 0.0177));
    let zgp_1 = sample(Normal::new(0.0, 1.0).iid(speeds.len()));
    let Intercept_sigma = sample(StudentT::new(3.0, 0.0, 10.0));
    let sdgp_sigma_1 = sample(HalfStudentT::new(3.0, 36.0));
    let lscale_sigma_1 = sample(InverseGamma::new(1.124909, 0.0177));
    let zgp_sigma_1 = sample(Normal::new(0.0, 1.0).iid(speeds_sigma.len()));
    let mean = Intercept + x * &weights(sdgp_1, lscale_1, speeds, &zgp_1);
    let log_sd = Intercept_sigma
        + x_sigma * &weights(sdgp_sigma_1, lscale_sigma_1, speeds_sigma, &zgp_sigma_1);
    observe(y, Normal::new(mean, log_sd.exp()));
}

/// The weights of the basis: the square root of the spectral density of the squared exponential kernel, times `z`.
#[function]
fn weights(sd: Real, scale: Real, speeds: &[f64], z: &Vector) -> Vector {
    let root = (sd.square() * (2.0 * std::f64::consts::PI).sqrt() * scale).sqrt();
    Vector::from_fn(speeds.len(), |m| {
        root * (-0.25 * scale.square() * speeds[m].powi(2)).exp() * z[m]
    })
}

#[model]
pub fn accel_splines(
    y: &[f64],
    x: &DMatrix<f64>,
    z: &DMatrix<f64>,
    x_sigma: &DMatrix<f64>,
    z_sigma: &DMatrix<f64>,
) {
    let Intercept = sample(StudentT::new(3.0, -13.0, 36.0));
    let bs = sample(Flat::new().iid(x.ncols()));
    let zs_1_1 = sample(Normal::new(0.0, 1.0).iid(z.ncols()));
    let sds_1_1 = sample(HalfStudentT::new(3.0, 36.0));
    let Intercept_sigma = sample(StudentT::new(3.0, 0.0, 10.0));
    let bs_sigma = sample(Flat::new().iid(x_sigma.ncols()));
    let zs_sigma_1_1 = sample(Normal::new(0.0, 1.0).iid(z_sigma.ncols()));
    let sds_sigma_1_1 = sample(HalfStudentT::new(3.0, 36.0));
    let mean = Intercept + x * &bs + z * &(sds_1_1 * &zs_1_1);
    let log_sd = Intercept_sigma + x_sigma * &bs_sigma + z_sigma * &(sds_sigma_1_1 * &zs_sigma_1_1);
    observe(y, Normal::new(mean, log_sd.exp()));
}

/// A field on a grid: a squared exponential along the columns, any correlation along the rows, and noise. Without eigenvectors of a random matrix the
/// covariance of the whole grid is factored.
#[model]
pub fn kronecker_gp(y: &DMatrix<f64>, x: &[f64]) {
    let (rows, columns) = y.shape();
    let var1 = sample(LogNormal::new(0.0, 1.0));
    let bw1 = sample(HalfCauchy::new(2.5));
    let sigma1 = sample(LogNormal::new(0.0, 1.0).truncated(0.00001, f64::INFINITY));
    let L = sample(LKJCholesky::new(rows, 2.0));
    let along_rows = &L * &L.transpose();
    let along_columns = Matrix::from_fn(columns, columns, |i, j| {
        let smooth = var1 * (-(x[i] - x[j]).powi(2) * bw1).exp();
        if i == j { smooth + 0.00001 } else { smooth }
    });
    let covariance = Matrix::from_fn(rows * columns, rows * columns, |a, b| {
        let product = along_rows[(a % rows, b % rows)] * along_columns[(a / rows, b / rows)];
        if a == b { product + sigma1 } else { product }
    });
    observe(y.as_slice(), MultivariateNormal::new(0.0, covariance));
}

/// Votes for president by state, region and year, with two processes for each state and region.
#[model]
pub fn hierarchical_gp(y: &[f64], of: &Votes) {
    let [years, seen_years, states, regions] = of.sizes;
    let GP_region_std = sample(Normal::new(0.0, 1.0).iid((years, regions)));
    let GP_state_std = sample(Normal::new(0.0, 1.0).iid((years, states)));
    let year_std = sample(Normal::new(0.0, 1.0).iid(seen_years));
    let state_std = sample(Normal::new(0.0, 1.0).iid(states));
    let region_std = sample(Normal::new(0.0, 1.0).iid(regions));
    let tot_var = sample(Gamma::new(3.0, 3.0));
    let prop_var = sample(Dirichlet::new([2.0; 17]));
    let mu = sample(Normal::new(0.5, 0.5));
    let length_GP_region_long = sample(Weibull::new(30.0, 8.0));
    let length_GP_state_long = sample(Weibull::new(30.0, 8.0));
    let length_GP_region_short = sample(Weibull::new(30.0, 3.0));
    let length_GP_state_short = sample(Weibull::new(30.0, 3.0));
    let variance = 17.0 * tot_var * &prop_var;
    let sd = variance.sqrt();
    let region = lower(
        years,
        [variance[12], variance[14]],
        [length_GP_region_long, length_GP_region_short],
    );
    let state = lower(
        years,
        [variance[13], variance[15]],
        [length_GP_state_long, length_GP_state_short],
    );
    let [region, state] = [region * &GP_region_std, state * &GP_state_std];
    for n in 0..y.len() {
        let (t, s, r) = (of.year[n], of.state[n], of.region[n]);
        let of_state = sd[2 + of.region_of_state[s]] * state_std[s];
        let mean = mu
            + sd[0] * year_std[t]
            + of_state
            + sd[1] * region_std[r]
            + region[(t, r)]
            + state[(t, s)];
        observe(y[n], Normal::new(mean, sd[16]));
    }
}

/// The factor of the covariance of a long and a short process.
#[function]
fn lower(years: usize, variance: [Real; 2], length: [Real; 2]) -> Matrix {
    let covariance = Matrix::from_fn(years, years, |i, j| {
        let distance = i as f64 - j as f64;
        let part = |k: usize| variance[k] * (-0.5 * (distance / length[k]).square()).exp();
        part(0) + part(1) + if i == j { 1e-6 } else { 0.0 }
    });
    covariance.cholesky()
}

/// The state, region and year of each vote, and how many years, years with votes, states and regions there are.
#[allow(missing_docs)]
pub struct Votes {
    pub state: Vec<usize>,
    pub region: Vec<usize>,
    pub year: Vec<usize>,
    pub region_of_state: Vec<usize>,
    pub sizes: [usize; 4],
}
