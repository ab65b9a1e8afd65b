//! Kernel density estimates of weighted draws.

/// Number of points of a curve.
const POINTS: usize = 200;
/// The share of the mass on each side that may lie outside of the picture if the tails are long.
const TAIL: f64 = 0.005;
/// Standard deviations per width of the shortest interval with a quarter of a normal distribution's mass, 1 / (2 Φ⁻¹(0.625)).
const QUARTER: f64 = 1.0 / 0.637_278_727_9;

/// The scale of the shortest quarter is used if it is below this share of the other scales. Its own noise does not reach so far.
const SEVERAL: f64 = 0.7;

/// Draws with their weights, in increasing order.
pub(crate) struct Sorted {
    values: Vec<f64>,
    /// For each value, the mass up to the middle of its own mass, from 0 to 1.
    below: Vec<f64>,
    weights: Vec<f64>,
}

impl Sorted {
    /// The finite draws with weight; `None` if there are none.
    pub(crate) fn new(values: &[f64], weights: &[f64]) -> Option<Self> {
        let pairs = values.iter().copied().zip(weights.iter().copied());
        let mut pairs: Vec<(f64, f64)> = pairs
            .filter(|(value, weight)| value.is_finite() && *weight > 0.0)
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = pairs.iter().map(|pair| pair.1).sum();
        if pairs.is_empty() {
            return None;
        }
        let (values, weights): (Vec<f64>, Vec<f64>) = pairs
            .into_iter()
            .map(|(value, weight)| (value, weight / total))
            .unzip();
        let mut sum = 0.0;
        let middle = |weight: &f64| {
            sum += weight;
            sum - 0.5 * weight
        };
        let below = weights.iter().map(middle).collect();
        Some(Self {
            values,
            below,
            weights,
        })
    }

    /// A quantile, by linear interpolation between the middles of the values' masses.
    pub(crate) fn quantile(&self, probability: f64) -> f64 {
        let next = self.below.partition_point(|below| *below < probability);
        let last = self.values.len() - 1;
        if next == 0 || next > last {
            return self.values[next.min(last)];
        }
        let (low, high) = (self.below[next - 1], self.below[next]);
        let share = (probability - low) / (high - low);
        self.values[next - 1] + share * (self.values[next] - self.values[next - 1])
    }

    fn sd(&self) -> f64 {
        let pairs = || self.values.iter().zip(&self.weights);
        let mean: f64 = pairs().map(|(x, w)| w * x).sum();
        pairs()
            .map(|(x, w)| w * (x - mean).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// The smaller of the standard deviation and the scaled interquartile range. If the mass lies in several modes, the shortest interval
    /// with a quarter of the mass is far shorter. Then the scale of this interval is used, which measures a mode instead of the distance
    /// between modes.
    fn scale(&self) -> f64 {
        let quartiles = (self.quantile(0.75) - self.quantile(0.25)) / 1.349;
        let starts = (0..=30).map(|k| 0.75 * f64::from(k) / 30.0);
        let widths = starts.map(|p| self.quantile(p + 0.25) - self.quantile(p));
        let quarter = QUARTER * widths.fold(f64::INFINITY, f64::min);
        let scales = [self.sd(), quartiles].into_iter();
        let scale = scales
            .filter(|scale| *scale > 0.0)
            .fold(f64::INFINITY, f64::min);
        if (f64::MIN_POSITIVE..SEVERAL * scale).contains(&quarter) {
            quarter
        } else {
            scale
        }
    }

    /// `1.06 scale n^(-1/5)` with the effective number n of draws (Silverman 1986, eq. 3.28); `None` if all draws are equal.
    fn bandwidth(&self) -> Option<f64> {
        let effective = 1.0 / self.weights.iter().map(|w| w * w).sum::<f64>();
        let bandwidth = 1.06 * self.scale() * effective.powf(-0.2);
        bandwidth.is_finite().then_some(bandwidth)
    }
}

/// The values that a picture of densities shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) ends: [f64; 2],
    /// Whether each end is the outermost draw.
    is_extreme: [bool; 2],
}

impl View {
    /// All draws, without the outermost half percent on each side if it is far away.
    pub(crate) fn of(sorted: &Sorted) -> Self {
        let (first, last) = (sorted.values[0], sorted.values[sorted.values.len() - 1]);
        let (low, high) = (sorted.quantile(TAIL), sorted.quantile(1.0 - TAIL));
        let reach = 0.35 * (high - low);
        let ends = [first.max(low - reach), last.min(high + reach)];
        Self {
            ends,
            is_extreme: [ends[0] == first, ends[1] == last],
        }
    }

    /// The view of several sets of values whose scales may be very different. It shows three quarters of the sets in full on each side,
    /// and sets that reach further by up to that width. `None` without sets.
    pub(crate) fn of_sets(sets: &[Sorted]) -> Option<Self> {
        let ends = |side: usize| {
            let mut ends: Vec<f64> = sets.iter().map(|set| Self::of(set).ends[side]).collect();
            ends.sort_by(f64::total_cmp);
            ends
        };
        let (lows, highs) = (ends(0), ends(1));
        let last = sets.len().checked_sub(1)?;
        let (low, high) = (lows[last / 4], highs[last - last / 4]);
        let reach = high - low;
        let firsts = sets.iter().map(|set| set.values[0]);
        let lasts = sets.iter().map(|set| set.values[set.values.len() - 1]);
        let ends = [lows[0].max(low - reach), highs[last].min(high + reach)];
        Some(Self {
            ends,
            is_extreme: [
                ends[0] == firsts.fold(f64::INFINITY, f64::min),
                ends[1] == lasts.fold(f64::NEG_INFINITY, f64::max),
            ],
        })
    }

    /// The union of both views.
    pub(crate) fn with(self, other: Self) -> Self {
        let pick = |side: usize, first_is_wider: bool| {
            let chosen = if first_is_wider { self } else { other };
            (chosen.ends[side], chosen.is_extreme[side])
        };
        let low = pick(0, self.ends[0] <= other.ends[0]);
        let high = pick(1, self.ends[1] >= other.ends[1]);
        Self {
            ends: [low.0, high.0],
            is_extreme: [low.1, high.1],
        }
    }

    /// This view, extended towards `other` by up to its own width on each side: for a posterior beside a much wider prior.
    pub(crate) fn widened_to(self, other: Self) -> Self {
        let both = self.with(other);
        let width = self.ends[1] - self.ends[0];
        let (low, high) = (self.ends[0] - width, self.ends[1] + width);
        Self {
            ends: [both.ends[0].max(low), both.ends[1].min(high)],
            is_extreme: [
                both.is_extreme[0] && both.ends[0] >= low,
                both.is_extreme[1] && both.ends[1] <= high,
            ],
        }
    }

    /// Whether draws lie outside.
    pub(crate) fn is_cut(self) -> bool {
        self.is_extreme != [true; 2]
    }

    /// The estimated density, points `[x, density]`; `None` if all draws are equal.
    ///
    /// The mass that the kernel puts beyond the outermost draw is reflected, so that a density does not fade where its support ends.
    pub(crate) fn density(self, sorted: &Sorted) -> Option<Vec<[f64; 2]>> {
        let [low, high] = self.ends;
        let step = (high - low) / (POINTS - 1) as f64;
        if step <= 0.0 {
            return None;
        }
        // a kernel narrower than the grid would vanish between its points
        let bandwidth = sorted.bandwidth()?.max(0.7 * step);
        let mass = binned(sorted, low, step);
        let reach = ((4.0 * bandwidth / step).ceil() as usize).min(POINTS);
        let kernel = |distance: usize| {
            let z = distance as f64 * step / bandwidth;
            (-0.5 * z * z).exp() / (bandwidth * std::f64::consts::TAU.sqrt())
        };
        let kernel: Vec<f64> = (0..=reach).map(kernel).collect();
        let mut density = vec![0.0; POINTS];
        for (place, mass) in mass.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            for (distance, height) in kernel.iter().enumerate() {
                if let Some(left) = self.reflected(place as i64 - distance as i64) {
                    density[left] += mass * height;
                }
                if let Some(right) = self.reflected((place + distance) as i64)
                    && distance > 0
                {
                    density[right] += mass * height;
                }
            }
        }
        // the outermost point receives each kernel and its reflection at once
        for (end, is_extreme) in [0, POINTS - 1].into_iter().zip(self.is_extreme) {
            density[end] *= if is_extreme { 2.0 } else { 1.0 };
        }
        let points = density.into_iter().enumerate();
        Some(points.map(|(k, y)| [low + k as f64 * step, y]).collect())
    }

    /// The place of a grid point, reflected where the draws end; `None` outside.
    fn reflected(self, place: i64) -> Option<usize> {
        let last = POINTS as i64 - 1;
        let place = match place {
            p if p < 0 && self.is_extreme[0] => -p,
            p if p > last && self.is_extreme[1] => 2 * last - p,
            p => p,
        };
        usize::try_from(place).ok().filter(|p| *p < POINTS)
    }
}

/// The masses of the draws, each divided between the two neighbouring grid points.
fn binned(sorted: &Sorted, low: f64, step: f64) -> Vec<f64> {
    let mut mass = vec![0.0; POINTS];
    for (value, weight) in sorted.values.iter().zip(&sorted.weights) {
        let place = (value - low) / step;
        if !(0.0..=(POINTS - 1) as f64).contains(&place) {
            continue;
        }
        let left = place as usize;
        let share = place - left as f64;
        mass[left] += weight * (1.0 - share);
        if left + 1 < POINTS {
            mass[left + 1] += weight * share;
        }
    }
    mass
}

/// The weighted share of each value, points `[value, share]`, for discrete draws.
pub(crate) fn shares(values: &[f64], weights: &[f64]) -> Vec<[f64; 2]> {
    let Some(sorted) = Sorted::new(values, weights) else {
        return Vec::new();
    };
    let mut shares: Vec<[f64; 2]> = Vec::new();
    for (value, weight) in sorted.values.iter().zip(&sorted.weights) {
        match shares.last_mut() {
            Some(last) if last[0] == *value => last[1] += weight,
            _ => shares.push([*value, *weight]),
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[[f64; 2]]) -> f64 {
        let pairs = points.windows(2);
        pairs
            .map(|p| 0.5 * (p[0][1] + p[1][1]) * (p[1][0] - p[0][0]))
            .sum()
    }

    /// Values at the middles of n equal parts of the mass of an exponential distribution.
    fn exponential(n: usize) -> Vec<f64> {
        (0..n)
            .map(|i| -(1.0 - (i as f64 + 0.5) / n as f64).ln())
            .collect()
    }

    // without reflection the density at zero would be half as high
    #[test]
    fn a_density_does_not_fade_at_the_end_of_its_support() {
        let values = exponential(4000);
        let sorted = Sorted::new(&values, &vec![1.0; 4000]).expect("draws");
        let view = View::of(&sorted);
        let density = view.density(&sorted).expect("they differ");
        assert!((density[0][1] - 1.0).abs() < 0.1, "{:?}", density[0]);
        assert!((area(&density) - 1.0).abs() < 0.02);
        assert_eq!(view.ends[0], values[0]);
    }

    // without weights the two modes have the same height
    #[test]
    fn weights_move_the_mass() {
        let normal = |mean: f64| {
            exponential(500)
                .into_iter()
                .flat_map(move |e| [mean - e, mean + e])
        };
        let values: Vec<f64> = normal(-5.0).chain(normal(5.0)).collect();
        let weights: Vec<f64> = (0..2000)
            .map(|i| if i < 1000 { 3.0 } else { 1.0 })
            .collect();
        let sorted = Sorted::new(&values, &weights).expect("draws");
        let density = View::of(&sorted).density(&sorted).expect("they differ");
        let left: Vec<[f64; 2]> = density.iter().copied().filter(|p| p[0] < 0.0).collect();
        assert!((area(&left) - 0.75).abs() < 0.02, "{}", area(&left));
        // a bandwidth from the standard deviation gives 0.2: here the modes are not smeared over their distance
        let middle = density.iter().find(|p| p[0] > 0.0).expect("a point");
        let highest = density.iter().map(|p| p[1]).fold(0.0, f64::max);
        assert!(
            middle[1] < 0.05 * highest && highest > 0.27,
            "{middle:?}, {highest}"
        );
        // half of the left mode's mass
        assert!((sorted.quantile(0.375) + 5.0).abs() < 0.02);
    }

    #[test]
    fn far_tails_are_cut_and_equal_draws_have_no_density() {
        let mut values = exponential(1000);
        values.push(1e6);
        let sorted = Sorted::new(&values, &vec![1.0; 1001]).expect("draws");
        let view = View::of(&sorted);
        assert!(view.is_cut() && view.ends[1] < 10.0, "{view:?}");
        let equal = Sorted::new(&[2.0; 9], &[1.0; 9]).expect("draws");
        assert_eq!(View::of(&equal).density(&equal), None);
        assert!(Sorted::new(&[f64::NAN], &[1.0]).is_none());
    }

    #[test]
    fn a_few_wide_sets_do_not_set_the_view() {
        let set = |scale: f64| {
            let values: Vec<f64> = exponential(200).iter().map(|x| scale * x).collect();
            Sorted::new(&values, &[1.0; 200]).expect("draws")
        };
        let alike: Vec<Sorted> = (0..40).map(|k| set(1.0 + 0.01 * f64::from(k))).collect();
        let view = View::of_sets(&alike).expect("sets");
        assert!(view.ends[1] > 5.0 && view.is_extreme[0], "{view:?}");
        let some_wide: Vec<Sorted> = (0..40)
            .map(|k| set(if k < 3 { 1e4 } else { 1.0 }))
            .collect();
        let view = View::of_sets(&some_wide).expect("sets");
        assert!(view.is_cut() && view.ends[1] < 20.0, "{view:?}");
        assert_eq!(View::of_sets(&[]), None);
    }

    #[test]
    fn discrete_draws_have_weighted_shares() {
        let shares = shares(&[2.0, 0.0, 2.0], &[1.0, 1.0, 2.0]);
        assert_eq!(shares, [[0.0, 0.25], [2.0, 0.75]]);
    }
}
