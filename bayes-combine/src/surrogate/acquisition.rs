//! Which of some points to evaluate next: MAXIQR, in batches.

use super::gp::{GaussianProcess, column};
use super::noise::NOISE;
use nalgebra::{DMatrix, DVector};

/// Least variance of a point given pending ones.
pub const FLOOR: f64 = 1e-6;

/// The log of MAXIQR, the interquantile range of `exp f` (Järvenpää et al. 2021; de Souza et al. 2022, equation 5): `ln(e^m sinh(u s))`
/// but for `ln 2`, in the form that does not overflow.
pub fn log_maxiqr(mean: f64, sd: f64, exploration: f64) -> f64 {
    let wide = exploration * sd.max(1e-8);
    mean + wide + (-(-2.0 * wide).exp_m1()).ln()
}

/// Its slope along the sd.
pub fn slope(sd: f64, exploration: f64) -> f64 {
    exploration / (exploration * sd.max(1e-8)).tanh()
}

/// Numbers of `count` of the candidates `[dim, n]`, chosen one after another where MAXIQR is largest.
///
/// The variance of each candidate is conditioned on *all* that are chosen before it; the mean does not change. The authors' notebook
/// conditions on the last one only.
pub fn choose(
    gp: &GaussianProcess,
    candidates: &DMatrix<f64>,
    count: usize,
    exploration: f64,
) -> Vec<usize> {
    let means = gp.means(candidates);
    let whitened = gp.whiten(candidates);
    let mut variances = gp.variances(&whitened);
    // what each pending point takes off: one more row of the whitened kernel for each
    let mut pending: Vec<DVector<f64>> = Vec::new();
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count.min(candidates.ncols()) {
        let value = |i: &usize| {
            let sd = variances[*i].max(FLOOR).sqrt();
            log_maxiqr(means[*i], sd, exploration)
        };
        let open = (0..candidates.ncols()).filter(|i| !chosen.contains(i));
        let Some(best) = open.max_by(|a, b| value(a).total_cmp(&value(b))) else {
            break;
        };
        let at = DMatrix::from_column_slice(gp.dim(), 1, column(candidates, best));
        let mut covariance = gp.hyper.kernel(candidates, &at).column(0).into_owned();
        covariance -= whitened.tr_mul(&whitened.column(best));
        for row in &pending {
            covariance.axpy(-row[best], row, 1.0);
        }
        let row = covariance / (variances[best] + NOISE).sqrt();
        for (variance, change) in variances.iter_mut().zip(row.iter()) {
            *variance = (*variance - change * change).max(0.0);
        }
        pending.push(row);
        chosen.push(best);
    }
    chosen
}
