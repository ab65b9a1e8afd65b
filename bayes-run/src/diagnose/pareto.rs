//! The generalised Pareto distribution: its fit to the tail of importance ratios, and its quantiles.

use crate::numeric::log_sum_exp;

/// Shape and scale of a generalised Pareto distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pareto {
    pub(crate) shape: f64,
    pub(crate) scale: f64,
}

/// The fit to excesses over a threshold, in increasing order: the posterior mean of Zhang and Stephens (2009), with the weak
/// prior for the shape of Vehtari et al. (2024, appendix C), which is worth ten observations at 1/2.
///
/// ```text
/// b_j = 1/x_n + (1 − √(m/(j − ½))) / (3 x_q),  j = 1..m,   m = 30 + √n,   x_q the first quartile
/// k_j = mean ln(1 − b_j x),   weight of b_j ∝ exp(n (ln(−b_j/k_j) − k_j − 1))
/// ```
pub(crate) fn fit(excess: &[f64]) -> Pareto {
    /// Zhang and Stephens' prior of b, and the weight of the prior of the shape.
    const PRIOR: (f64, f64) = (3.0, 10.0);
    let n = excess.len() as f64;
    let (last, quartile) = (excess.len() - 1, (n / 4.0 + 0.5) as usize - 1);
    let grid = 30 + n.sqrt() as usize;
    let point = |j: usize| {
        let step = 1.0 - (grid as f64 / (j as f64 + 0.5)).sqrt();
        step / (PRIOR.0 * excess[quartile]) + 1.0 / excess[last]
    };
    let points: Vec<f64> = (0..grid).map(point).collect();
    let shapes = points.chunks(TOGETHER).flat_map(|b| {
        let mut slopes = [0.0; TOGETHER];
        slopes.iter_mut().zip(b).for_each(|(to, b)| *to = -b);
        log_products(excess, slopes).into_iter().take(b.len())
    });
    let profile = |(b, sum): (&f64, f64)| {
        let k = sum / n;
        n * ((-(b / k)).ln() - k - 1.0)
    };
    let log_likelihood: Vec<f64> = points.iter().zip(shapes).map(profile).collect();
    let total = log_sum_exp(&log_likelihood);
    let weight = |own: &f64| (own - total).exp();
    let weights: Vec<f64> = log_likelihood.iter().map(weight).collect();
    let kept = || {
        let pairs = weights.iter().zip(&points);
        pairs.filter(|(weight, _)| **weight >= 10.0 * f64::EPSILON)
    };
    let total: f64 = kept().map(|(weight, _)| weight).sum();
    let b = kept().map(|(weight, b)| weight / total * b).sum::<f64>();
    let k = log_products(excess, [-b])[0] / n;
    Pareto {
        shape: (n * k + PRIOR.1 * 0.5) / (n + PRIOR.1),
        scale: -k / b,
    }
}

/// Points of the grid that are computed together: their products do not wait for one another.
const TOGETHER: usize = 8;

/// `Σ ln (1 + s x)` over x for each slope s, of products above -1. Logarithms take most of the time of a fit, so several factors are multiplied
/// before each.
fn log_products<const N: usize>(numbers: &[f64], slopes: [f64; N]) -> [f64; N] {
    /// A product of several factors within these bounds has the digits of its factors.
    const BOUNDS: std::ops::Range<f64> = -0.5..1e150;
    // products less 1
    let (mut sums, mut products) = ([0.0; N], [0.0; N]);
    for x in numbers {
        let factors = slopes.map(|slope| slope * x);
        let mut both = [0.0; N];
        for k in 0..N {
            both[k] = products[k] + factors[k] + products[k] * factors[k];
        }
        let mut is_inside = true;
        for product in &both {
            is_inside &= BOUNDS.start <= *product && *product < BOUNDS.end;
        }
        if is_inside {
            products = both;
        } else {
            for k in 0..N {
                sums[k] += products[k].ln_1p();
            }
            products = factors;
        }
    }
    for k in 0..N {
        sums[k] += products[k].ln_1p();
    }
    sums
}

impl Pareto {
    /// The mean; infinite from a shape of 1 on.
    pub(crate) fn mean(self) -> f64 {
        match self.shape < 1.0 {
            true => self.scale / (1.0 - self.shape),
            false => f64::INFINITY,
        }
    }

    /// The quantile of a probability between 0 and 1.
    pub(crate) fn quantile(self, probability: f64) -> f64 {
        let log_rest = (-probability).ln_1p();
        if self.shape.abs() < f64::EPSILON {
            -self.scale * log_rest
        } else {
            self.scale * (-self.shape * log_rest).exp_m1() / self.shape
        }
    }
}

#[cfg(test)]
mod tests {
    use super::log_products;

    /// Would detect products that overflow, that lose the digits of small or of negative terms, and slopes that are mixed up.
    #[test]
    fn logarithms_of_products_are_sums_of_logarithms() {
        let near = [1e-9, 3e-9, -2e-9, 1e-12];
        let wide = [1e300, 1e200, 1e-3, 5.0, -0.999, -0.9, 1e100, -0.3, -0.99];
        let usual: Vec<f64> = (0..200)
            .map(|i| (f64::from(i) / 200.0).powi(3) * -0.98)
            .collect();
        for numbers in [&near[..], &wide, &usual, &[]] {
            let slopes = [1.0, 0.5, 1e-3];
            for (slope, found) in slopes.into_iter().zip(log_products(numbers, slopes)) {
                let sum: f64 = numbers.iter().map(|y| (slope * y).ln_1p()).sum();
                assert!((found - sum).abs() <= 1e-12 * sum.abs(), "{found}, {sum}");
            }
        }
    }
}
