//! Pareto smoothed importance sampling.

use super::pareto;

/// A tail with fewer ratios cannot be fitted.
const SMALLEST_TAIL: usize = 5;

/// Smoothed importance weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Psis {
    /// Log weights, `[draws]`; their exponentials sum to 1.
    pub log_weights: Vec<f64>,
    /// k-hat, the shape of the generalised Pareto distribution of the largest ratios. The ratios have about 1/k finite
    /// moments: estimates are reliable below [`Psis::good_k`]. Infinite if fewer than five ratios are in the tail.
    pub pareto_k: f64,
}

impl Psis {
    /// The largest k-hat for which this many draws are enough, `min(1 − 1/log₁₀ S, 0.7)` (Vehtari et al. 2024, section 3.2.4).
    #[must_use]
    pub fn good_k(draws: usize) -> f64 {
        (1.0 - 1.0 / (draws as f64).log10()).min(0.7)
    }

    /// The standard error of k-hat with this many draws, `(1 + k) √m / (m + 10)` for a tail of m: the variance `(1 + k)²/m` of the maximum
    /// likelihood (Smith 1987), shrunk by the prior of Vehtari et al. (2024).
    pub(crate) fn error_of_k(pareto_k: f64, draws: usize) -> f64 {
        let tail = tail(draws as f64, 1.0);
        (1.0 + pareto_k) * tail.sqrt() / (tail + 10.0)
    }

    /// The largest k-hat of an approximation that may be relied on. From 1/2 on the variance of the weights is infinite, so that their
    /// standard errors are too small.
    #[doc(hidden)]
    #[must_use]
    pub fn finite_k(draws: usize) -> f64 {
        Self::good_k(draws).min(0.5)
    }
}

/// By how much the variance of a mean with S weights of this k-hat is larger than in S independent draws of a finite variance, `S^(1 − r)`, where
/// the error falls like `S^(−r/2)`:
///
/// ```text
/// r = (2(k − 1) S^(2k + 1) + (1 − 2k) S^(2k) + S²) / ((S − 1)(S − S^(2k))),    0 < k < 1
/// ```
///
/// (Vehtari et al. 2024, appendix B). 1 for weights that are bounded, and `S` where they have no mean.
pub(crate) fn widening(pareto_k: f64, draws: usize) -> f64 {
    /// The formula is 0/0 at 1/2.
    const NEAR: f64 = 1e-3;
    let s = draws as f64;
    let rate = match pareto_k {
        k if k <= 0.0 => 1.0,
        k if k < 1.0 && (k - 0.5).abs() < NEAR => 1.0 - 1.0 / s.ln(),
        k if k < 1.0 => {
            let power = s.powf(2.0 * k);
            let above = 2.0 * (k - 1.0) * power * s + (1.0 - 2.0 * k) * power + s * s;
            (above / ((s - 1.0) * (s - power))).clamp(0.0, 1.0)
        }
        // also NaN
        _ => 0.0,
    };
    s.powf(1.0 - rate)
}

/// Smooths importance ratios: the largest `min(S/5, 3√(S/r))` of S ratios are replaced by the expected order statistics of a
/// generalised Pareto distribution, and cut off at the largest ratio (Vehtari, Simpson, Gelman, Yao and Gabry 2024, algorithm 1).
///
/// `log_ratios` are known up to a constant, `[draws]`. `relative_efficiency` r is the effective over the actual number of draws.
/// Ratios of zero (minus infinity) have weight zero and do not count as draws.
#[must_use]
pub fn psis(log_ratios: &[f64], relative_efficiency: f64) -> Psis {
    let smoothed = Smoothed::of(log_ratios.to_vec(), relative_efficiency);
    let log_total = smoothed.total().ln();
    let mut log_weights = smoothed.logs;
    for (draw, _) in smoothed.tail {
        log_weights[draw] = smoothed.ratios[draw].ln();
    }
    log_weights.iter_mut().for_each(|x| *x -= log_total);
    Psis {
        log_weights,
        pareto_k: smoothed.pareto_k,
    }
}

/// The least and the largest number, NaN apart; infinity and minus infinity of none.
pub(crate) fn range(numbers: &[f64]) -> [f64; 2] {
    let chunks = numbers.chunks_exact(8);
    let rest = chunks.remainder();
    // several at once, which do not wait for one another
    let mut ends = [[f64::INFINITY; 8], [f64::NEG_INFINITY; 8]];
    for chunk in chunks {
        for (k, x) in chunk.iter().enumerate() {
            ends[0][k] = if *x < ends[0][k] { *x } else { ends[0][k] };
            ends[1][k] = if *x > ends[1][k] { *x } else { ends[1][k] };
        }
    }
    let all = |end: usize| ends[end].iter().chain(rest).copied();
    [
        all(0).fold(f64::INFINITY, f64::min),
        all(1).fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// The number of ratios in the tail of `count`.
fn tail(count: f64, relative_efficiency: f64) -> f64 {
    (count / 5.0)
        .min(3.0 * (count / relative_efficiency).sqrt())
        .ceil()
}

/// Smoothed importance ratios, as shares of the largest ratio before. There is one exponential for each.
pub(crate) struct Smoothed {
    /// The logarithm of the largest ratio.
    pub(crate) log_largest: f64,
    /// The logarithms before smoothing, `[draws]`.
    pub(crate) logs: Vec<f64>,
    /// `[draws]`.
    pub(crate) ratios: Vec<f64>,
    /// The draws whose ratios were replaced, with the ratios before.
    pub(crate) tail: Vec<(usize, f64)>,
    /// [`Psis::pareto_k`].
    pub(crate) pareto_k: f64,
    /// The sum of ratios beyond the largest draw that the fitted tail has: the draws lack it. Infinite where the tail has no mean.
    pub(crate) missing: f64,
}

impl Smoothed {
    /// The arguments are those of [`psis`].
    pub(crate) fn of(log_ratios: Vec<f64>, relative_efficiency: f64) -> Self {
        let mut logs = log_ratios;
        let [_, log_largest] = range(&logs);
        // the difference of minus infinity from itself is NaN, and such a draw does not count
        let counts = |log: &f64| *log > f64::NEG_INFINITY;
        let mut values = match logs.iter().all(counts) {
            true => logs.clone(),
            false => logs.iter().copied().filter(counts).collect(),
        };
        values.iter_mut().for_each(|x| *x -= log_largest);
        logs.iter_mut().for_each(|x| *x -= log_largest);
        let count = values.len() as f64;
        let tail = tail(count, relative_efficiency);
        let mut smoothed = Self {
            log_largest,
            ratios: logs.iter().map(|log| log.exp()).collect(),
            logs,
            tail: Vec::new(),
            pareto_k: f64::INFINITY,
            missing: 0.0,
        };
        if let Some(cut) = values
            .len()
            .checked_sub(tail as usize + 1)
            .filter(|_| tail >= 1.0)
        {
            let (_, threshold, _) = values.select_nth_unstable_by(cut, f64::total_cmp);
            smoothed.smooth(*threshold);
        }
        smoothed
    }

    /// Smooths the ratios above a threshold.
    fn smooth(&mut self, threshold: f64) {
        // smaller ratios are not normal doubles
        let threshold = threshold.max(f64::MIN_POSITIVE.ln());
        let logs = self.logs.iter().copied().enumerate();
        let mut tail: Vec<(usize, f64)> = logs.filter(|(_, log)| *log > threshold).collect();
        // only the tail needs an order: by ratio, and by draw where ratios are equal
        tail.sort_by(|a, b| a.1.total_cmp(&b.1));
        if tail.len() < SMALLEST_TAIL {
            return;
        }
        let lowest = threshold.exp();
        let excess: Vec<f64> = tail.iter().map(|(s, _)| self.ratios[*s] - lowest).collect();
        let fit = pareto::fit(&excess);
        self.pareto_k = fit.shape;
        if !fit.shape.is_finite() {
            return;
        }
        let count = tail.len() as f64;
        for (place, (draw, own)) in tail.iter_mut().enumerate() {
            *own = self.ratios[*draw];
            let probability = (place as f64 + 0.5) / count;
            self.ratios[*draw] = (fit.quantile(probability) + lowest).min(1.0);
        }
        let seen: f64 = tail.iter().map(|(draw, _)| self.ratios[*draw]).sum();
        self.missing = (count * (lowest + fit.mean()) - seen).max(0.0);
        self.tail = tail;
    }

    /// The sum of the ratios.
    pub(crate) fn total(&self) -> f64 {
        self.ratios.iter().sum()
    }
}
