//! Statistics of repeated estimates.

/// Mean of squared errors, and its standard error as in the papers: the population standard deviation over the square root of the number.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean, (variance / n).sqrt())
}

pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

/// The Kullback-Leibler divergence of predicted probabilities from the true ones, averaged over `rows` predictions. A probability below
/// 2e-308 counts as 2e-308.
pub fn divergence(truth: &[f64], predicted: &[f64], rows: usize) -> f64 {
    let pairs = truth.iter().zip(predicted).filter(|(t, _)| **t > 0.0);
    pairs
        .map(|(t, p)| t * (t.ln() - p.max(f64::MIN_POSITIVE).ln()))
        .sum::<f64>()
        / rows as f64
}

/// The least-squares line through the points: its value at 0 and its slope.
pub fn line(points: &[[f64; 2]]) -> [f64; 2] {
    let [x, y] = [0, 1].map(|c| mean(points.iter().map(|p| p[c])));
    let sum =
        |f: fn([f64; 2]) -> f64| -> f64 { points.iter().map(|p| f([p[0] - x, p[1] - y])).sum() };
    let slope = sum(|[x, y]| x * y) / sum(|[x, _]| x * x);
    [y - slope * x, slope]
}

/// An estimate from independent batches and its jackknife standard error; a single batch has no error.
pub fn jackknife(batches: usize, estimate: impl Fn(&[usize]) -> f64) -> (f64, f64) {
    let all: Vec<usize> = (0..batches).collect();
    let without = |out: usize| {
        let rest: Vec<usize> = all.iter().copied().filter(|b| *b != out).collect();
        estimate(&rest)
    };
    let whole = estimate(&all);
    if batches < 2 {
        return (whole, f64::NAN);
    }
    let parts: Vec<f64> = all.iter().map(|out| without(*out)).collect();
    let centre = mean(parts.iter().copied());
    let spread: f64 = parts.iter().map(|part| (part - centre).powi(2)).sum();
    (
        whole,
        (spread * (batches - 1) as f64 / batches as f64).sqrt(),
    )
}

/// The value at `x` of a curve through points with increasing x, linear between logarithms and extrapolated beyond the ends.
pub fn interpolate(points: &[[f64; 2]], x: f64) -> f64 {
    let after = points.partition_point(|p| p[0] <= x);
    let after = after.clamp(1, points.len() - 1);
    let [a, b] = [points[after - 1], points[after]].map(|p| p.map(f64::ln));
    let share = (x.ln() - a[0]) / (b[0] - a[0]);
    (a[1] + share * (b[1] - a[1])).exp()
}
