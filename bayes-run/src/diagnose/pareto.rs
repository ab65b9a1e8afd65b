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
    let shape = |b: f64| log_product(excess.iter().map(|x| -b * x)) / n;
    let points: Vec<f64> = (0..grid).map(point).collect();
    let profile = |b: &f64| {
        let k = shape(*b);
        n * ((-(b / k)).ln() - k - 1.0)
    };
    let log_likelihood: Vec<f64> = points.iter().map(profile).collect();
    let total = log_sum_exp(&log_likelihood);
    let weight = |own: &f64| (own - total).exp();
    let weights: Vec<f64> = log_likelihood.iter().map(weight).collect();
    let kept = || {
        let pairs = weights.iter().zip(&points);
        pairs.filter(|(weight, _)| **weight >= 10.0 * f64::EPSILON)
    };
    let total: f64 = kept().map(|(weight, _)| weight).sum();
    let b = kept().map(|(weight, b)| weight / total * b).sum::<f64>();
    let k = shape(b);
    Pareto {
        shape: (n * k + PRIOR.1 * 0.5) / (n + PRIOR.1),
        scale: -k / b,
    }
}

/// `Σ ln (1 + y)` of numbers above -1. Logarithms take most of the time of a fit, so several factors are multiplied before each.
fn log_product(numbers: impl Iterator<Item = f64>) -> f64 {
    /// A product of several factors within these bounds has the digits of its factors.
    const BOUNDS: std::ops::Range<f64> = -0.5..1e150;
    let (mut sum, mut product) = (0.0, 0.0f64);
    for y in numbers {
        // the product of both, less 1
        let both = product + y + product * y;
        if BOUNDS.contains(&both) {
            product = both;
        } else {
            sum += product.ln_1p();
            product = y;
        }
    }
    sum + product.ln_1p()
}

impl Pareto {
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
    use super::log_product;

    /// Would detect products that overflow, and that lose the digits of small or of negative terms.
    #[test]
    fn logarithms_of_products_are_sums_of_logarithms() {
        let near = [1e-9, 3e-9, -2e-9, 1e-12];
        let wide = [1e300, 1e200, 1e-3, 5.0, -0.999, -0.9, 1e100, -0.3, -0.99];
        let usual: Vec<f64> = (0..200)
            .map(|i| (f64::from(i) / 200.0).powi(3) * -0.98)
            .collect();
        for numbers in [&near[..], &wide, &usual, &[]] {
            let sum: f64 = numbers.iter().map(|y| y.ln_1p()).sum();
            let found = log_product(numbers.iter().copied());
            assert!((found - sum).abs() <= 1e-12 * sum.abs(), "{found}, {sum}");
        }
    }
}
