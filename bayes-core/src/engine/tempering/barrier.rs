//! The ladder of parallel tempering: temperatures between which swaps are rejected equally often.
//!
//! The rejection probabilities of neighbours add up to the communication barrier Λ(λ), which does not depend on the ladder if the ladder
//! is fine (Syed et al. 2022). So in the ladder with equal rejection the temperatures are at equal distances of Λ(λ), which is
//! interpolated between the present temperatures.

/// The exponent of the coordinate `x = λ^(1/4)`, in which the first ladder is even and ladders are interpolated: temperatures crowd
/// towards the prior.
const POWER: i32 = 4;

/// A rejection below this value counts as this value, so that temperatures never coincide.
const LEAST: f64 = 1e-3;

/// The first ladder, from 0 to 1: equal distances of `λ^(1/4)`.
pub(in crate::engine) fn first_ladder(temperatures: usize) -> Vec<f64> {
    let last = (temperatures - 1) as f64;
    let lambda = |k: usize| (k as f64 / last).powi(POWER);
    (0..temperatures).map(lambda).collect()
}

/// The ladder of `temperatures` temperatures that divides the barrier into equal parts. `rejection` has the rejection probabilities
/// between neighbours of the ladder `lambdas`, from 0 to 1.
pub(in crate::engine) fn respaced(
    lambdas: &[f64],
    rejection: &[f64],
    temperatures: usize,
) -> Vec<f64> {
    let mut barrier = vec![0.0];
    let mut total = 0.0;
    for share in rejection {
        total += share.max(LEAST);
        barrier.push(total);
    }
    let x: Vec<f64> = lambdas.iter().map(|lambda| coordinate(*lambda)).collect();
    let curve = Monotone::new(&barrier, &x);
    let last = temperatures - 1;
    let lambda = |k: usize| match k {
        0 => 0.0,
        k if k == last => 1.0,
        k => curve.at(total * k as f64 / last as f64).powi(POWER),
    };
    (0..temperatures).map(lambda).collect()
}

/// The temperature of `lambdas` that is nearest to `lambda` in the coordinate of the ladder.
pub(in crate::engine) fn nearest(lambdas: &[f64], lambda: f64) -> usize {
    let distance = |other: f64| (coordinate(other) - coordinate(lambda)).abs();
    let pairs = lambdas.iter().map(|other| distance(*other)).enumerate();
    let nearest = pairs.min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map_or(0, |(index, _)| index)
}

fn coordinate(lambda: f64) -> f64 {
    lambda.powf(1.0 / f64::from(POWER))
}

/// A monotone piecewise cubic interpolant of increasing values (Fritsch and Butland 1984). Its slope at a point is the weighted harmonic
/// mean of the two secants, which is small where they differ much.
struct Monotone<'a> {
    at: &'a [f64],
    values: &'a [f64],
    slopes: Vec<f64>,
}

impl<'a> Monotone<'a> {
    /// Through `values` at the increasing points `at`, at least two of both.
    fn new(at: &'a [f64], values: &'a [f64]) -> Self {
        let width = |i: usize| at[i + 1] - at[i];
        let secant = |i: usize| (values[i + 1] - values[i]) / width(i);
        let last = at.len() - 1;
        let slope = |i: usize| {
            if i == 0 || i == last {
                // flat enough to be monotone, for any other end
                return secant(i.min(last - 1));
            }
            let (left, right) = (secant(i - 1), secant(i));
            if left <= 0.0 || right <= 0.0 {
                return 0.0;
            }
            let (a, b) = (2.0 * width(i) + width(i - 1), width(i) + 2.0 * width(i - 1));
            (a + b) / (a / left + b / right)
        };
        Self {
            at,
            values,
            slopes: (0..=last).map(slope).collect(),
        }
    }

    /// The value at a point between the first and the last.
    fn at(&self, point: f64) -> f64 {
        let after = self.at.partition_point(|at| *at <= point);
        let i = after.clamp(1, self.at.len() - 1) - 1;
        let width = self.at[i + 1] - self.at[i];
        let t = (point - self.at[i]) / width;
        let s = 1.0 - t;
        // the cubic Hermite polynomials
        let [low, high] = [self.values[i], self.values[i + 1]];
        let [out, into] = [self.slopes[i] * width, self.slopes[i + 1] * width];
        low * (1.0 + 2.0 * t) * s * s + high * t * t * (3.0 - 2.0 * t) + out * t * s * s
            - into * t * t * s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn increases(ladder: &[f64]) -> bool {
        ladder.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Rejections of a ladder whose barrier is `Λ(λ) = total · λ^power`.
    fn rejections(ladder: &[f64], total: f64, power: f64) -> Vec<f64> {
        let barrier = |lambda: f64| total * lambda.powf(power);
        let pairs = ladder.windows(2);
        pairs
            .map(|pair| barrier(pair[1]) - barrier(pair[0]))
            .collect()
    }

    #[test]
    fn a_few_rounds_make_the_rejections_equal() {
        for power in [0.1, 0.2, 1.0, 3.0] {
            let (total, n) = (4.0, 12);
            let mut ladder = first_ladder(n);
            for _ in 0..10 {
                ladder = respaced(&ladder, &rejections(&ladder, total, power), n);
                assert!(increases(&ladder), "{ladder:?}");
                assert_eq!((ladder[0], ladder[n - 1]), (0.0, 1.0));
            }
            let wanted = total / (n - 1) as f64;
            for found in rejections(&ladder, total, power) {
                assert!(
                    (found / wanted - 1.0).abs() < 0.02,
                    "{power}: {found}, want {wanted}"
                );
            }
        }
    }

    #[test]
    fn more_temperatures_divide_the_same_barrier() {
        let coarse = first_ladder(5);
        let fine = respaced(&coarse, &[0.5; 4], 9);
        assert!(increases(&fine));
        for (k, lambda) in coarse.iter().enumerate() {
            assert!((fine[2 * k] - lambda).abs() < 1e-12);
        }
    }

    #[test]
    fn swaps_that_are_always_or_never_rejected_leave_a_ladder() {
        for share in [0.0, 1.0] {
            let ladder = respaced(&first_ladder(7), &[share; 6], 7);
            assert!(increases(&ladder), "{ladder:?}");
        }
        let mut steep = vec![0.0; 6];
        steep[0] = 1.0;
        assert!(increases(&respaced(&first_ladder(7), &steep, 7)));
    }

    #[test]
    fn the_nearest_temperature_is_found() {
        let ladder = first_ladder(5);
        assert_eq!(nearest(&ladder, 0.0), 0);
        assert_eq!(nearest(&ladder, 0.07), 2);
        assert_eq!(nearest(&ladder, 1.0), 4);
    }
}
