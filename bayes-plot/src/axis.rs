//! Axes: maps values to places, with ticks at round numbers.

use crate::label;

/// Steps between ticks, times a power of ten.
const ROUND: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// How an axis maps values to places.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    /// Logarithms; a value of zero is drawn at the low end, which is labelled so.
    Log,
    /// Logarithms of 1 and the value, for counts.
    Log1p,
}

/// An axis with its name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) label: String,
    scale: Scale,
    /// The values at both ends; the first may be the larger one.
    pub(crate) ends: [f64; 2],
    pub(crate) ticks: Vec<(f64, String)>,
    /// Whether lines across the panel mark the ticks.
    pub(crate) has_grid: bool,
}

impl Axis {
    /// A linear axis over a range, with about `count` ticks, but at least two: one does not show the scale.
    pub(crate) fn linear(label: impl Into<String>, range: [f64; 2], count: usize) -> Self {
        let ends = widened(range);
        let width = ends[1] - ends[0];
        let mut parts = count as f64;
        let mut step = round_step(width / parts);
        let [mut first, mut last] = multiples(ends, step);
        while last <= first {
            parts *= 2.0;
            step = round_step(width / parts);
            [first, last] = multiples(ends, step);
        }
        let tick = |k: i64| (k as f64 * step, label::tick(k as f64 * step, step));
        Self {
            label: label.into(),
            scale: Scale::Linear,
            ends,
            ticks: (first..=last).map(tick).collect(),
            has_grid: true,
        }
    }

    /// A linear axis over whole numbers, with about `count` ticks, all at whole numbers. Half a place more on each side leaves room for
    /// bars.
    pub(crate) fn whole(label: impl Into<String>, [low, high]: [f64; 2], count: usize) -> Self {
        let step = round_step(((high - low) / count as f64).max(1.0));
        let [first, last] = [(low / step).ceil() as i64, (high / step).floor() as i64];
        let tick = |k: i64| (k as f64 * step, label::tick(k as f64 * step, step));
        Self {
            label: label.into(),
            scale: Scale::Linear,
            ends: [low - 0.6, high + 0.6],
            ticks: (first..=last).map(tick).collect(),
            has_grid: true,
        }
    }

    /// A logarithmic axis over values that are not negative, with ticks at powers of ten.
    pub(crate) fn log(label: impl Into<String>, values: &[f64]) -> Self {
        let positive = || values.iter().copied().filter(|v| *v > 0.0 && v.is_finite());
        let low = positive()
            .fold(f64::INFINITY, f64::min)
            .min(0.1)
            .log10()
            .floor();
        let high = positive()
            .fold(f64::NEG_INFINITY, f64::max)
            .max(1.0)
            .log10()
            .ceil();
        let has_zero = values.contains(&0.0);
        let low = if has_zero { low - 1.0 } else { low };
        let step = ((high - low) / 5.0).ceil().max(1.0) as i64;
        let mut ticks = Vec::new();
        let mut exponent = high as i64;
        while exponent as f64 >= low + f64::from(u8::from(has_zero)) {
            let value = 10f64.powi(exponent as i32);
            let text = match exponent {
                -3..=3 => value.to_string(),
                _ => label::tick(value, 1e-9),
            };
            ticks.push((value, text));
            exponent -= step;
        }
        if has_zero {
            ticks.push((0.0, "0".to_owned()));
        }
        Self {
            label: label.into(),
            scale: Scale::Log,
            // room for a mark at the upper end
            ends: [10f64.powf(low), 10f64.powf(high + 0.04 * (high - low))],
            ticks,
            has_grid: true,
        }
    }

    /// An axis of counts on the scale of `ln(1 + y)`, so that 0 has a place. Half a place more on each side leaves room for bars.
    pub(crate) fn log_counts(label: impl Into<String>, [low, high]: [f64; 2]) -> Self {
        let mut ticks: Vec<(f64, String)> = Vec::new();
        let decades = (high + 1.0).log10();
        let steps: &[f64] = if decades <= 2.5 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let values =
            (0..=decades as i32).flat_map(|k| steps.iter().map(move |step| of_power(*step, k)));
        for value in std::iter::once(0.0).chain(values) {
            if (low..=high).contains(&value) {
                ticks.push((value, label::tick(value, 1.0)));
            }
        }
        Self {
            label: label.into(),
            scale: Scale::Log1p,
            ends: [low - 0.6, high + 0.6],
            ticks,
            has_grid: true,
        }
    }

    /// The same axis on a logarithmic scale, over these values, none of which is negative. A value of zero is drawn at the low end. `None`
    /// if no value is positive.
    pub(crate) fn to_log(&self, values: &[f64]) -> Option<Self> {
        let positive = values.iter().copied().filter(|v| *v > 0.0 && v.is_finite());
        let [low, high] = range(positive, 0.0)?;
        let low = low.max(1e-15 * high);
        let has_zero = values.contains(&0.0);
        let decades = (high / low).log10();
        let steps: &[f64] = match decades {
            d if d <= 1.5 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
            d if d <= 4.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let every = (decades / 8.0).ceil().max(1.0) as i32;
        let powers =
            (low.log10().floor() as i32..=high.log10().ceil() as i32).filter(|k| k % every == 0);
        let values = powers.flat_map(|k| steps.iter().map(move |step| of_power(*step, k)));
        let inside = values.filter(|value| (0.999 * low..=1.001 * high).contains(value));
        let text = |value: f64| match (1e-4..1e6).contains(&value) {
            true => value.to_string(),
            false => label::tick(value, 1e-9),
        };
        let mut ticks: Vec<(f64, String)> = inside.map(|value| (value, text(value))).collect();
        // a zero, if there is one, is a tenth of the axis below the smallest other value
        let room = (high / low).max(1.5).powf(0.1);
        let start = if has_zero {
            low / room
        } else {
            low / room.powf(0.3)
        };
        if has_zero {
            ticks.push((0.0, "0".to_owned()));
        }
        Some(Self {
            label: self.label.clone(),
            scale: Scale::Log,
            ends: [start, high * room.powf(0.3)],
            ticks,
            has_grid: self.has_grid,
        })
    }

    /// A linear axis without ticks, for values whose size does not matter, such as densities.
    pub(crate) fn bare(label: impl Into<String>, range: [f64; 2]) -> Self {
        Self {
            ticks: Vec::new(),
            has_grid: false,
            ..Self::linear(label, range, 1)
        }
    }

    /// Names at 0, 1, 2, ..., the first at the top.
    pub(crate) fn names(names: &[String]) -> Self {
        let ticks = names.iter().enumerate();
        Self {
            label: String::new(),
            scale: Scale::Linear,
            ends: [names.len() as f64 - 0.4, -0.6],
            ticks: ticks.map(|(k, name)| (k as f64, name.clone())).collect(),
            has_grid: true,
        }
    }

    /// Whole numbers at places 0, 1, 2, ..., with a tick at some of them.
    pub(crate) fn places(label: impl Into<String>, names: &[String]) -> Self {
        let every = names.len().div_ceil(10).max(1);
        let ticks = names.iter().enumerate().step_by(every);
        Self {
            label: label.into(),
            scale: Scale::Linear,
            ends: [-0.6, names.len() as f64 - 0.4],
            ticks: ticks.map(|(k, name)| (k as f64, name.clone())).collect(),
            has_grid: false,
        }
    }

    pub(crate) fn without_grid(self) -> Self {
        Self {
            has_grid: false,
            ..self
        }
    }

    /// The place of a value, from 0 at the first end to 1 at the second.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let on = |x: f64| match self.scale {
            Scale::Linear => x,
            Scale::Log if x <= 0.0 => self.ends[0].ln(),
            Scale::Log => x.ln(),
            // a bar of the count 0 begins at -0.5
            Scale::Log1p => x.max(-0.9).ln_1p(),
        };
        let [start, end] = self.ends.map(on);
        (on(value) - start) / (end - start)
    }
}

/// `step` times a power of ten, rounded once.
fn of_power(step: f64, exponent: i32) -> f64 {
    match exponent < 0 {
        true => step / 10f64.powi(-exponent),
        false => step * 10f64.powi(exponent),
    }
}

/// The first and the last multiple of `step` within a range. An end just short of a round number counts too, such as the end of draws near
/// zero.
fn multiples(ends: [f64; 2], step: f64) -> [i64; 2] {
    let near = 0.01 * (ends[1] - ends[0]) / step;
    [
        (ends[0] / step - near).ceil() as i64,
        (ends[1] / step + near).floor() as i64,
    ]
}

/// A range of at least some width.
fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    if !(low.is_finite() && high.is_finite()) {
        return [0.0, 1.0];
    }
    let least = 1e-9 * low.abs().max(high.abs()).max(1e-300);
    if high - low > least {
        return [low, high];
    }
    let reach = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    [low - reach, high + reach]
}

/// The smallest round number that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let round = ROUND.iter().map(|r| r * power);
    round
        .filter(|r| *r >= step * (1.0 - 1e-9))
        .fold(f64::INFINITY, f64::min)
}

/// The range of the finite values, with a margin on both sides, a share of its width; `None` if there are none.
pub(crate) fn range(values: impl IntoIterator<Item = f64>, margin: f64) -> Option<[f64; 2]> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let ends = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    if ends[0] > ends[1] {
        return None;
    }
    let reach = margin * (ends[1] - ends[0]);
    Some(widened([ends[0] - reach, ends[1] + reach]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::linear("x", [-0.37, 1.21], 4);
        assert_eq!(texts(&axis), ["0.0", "0.5", "1.0"]);
        assert_eq!(axis.place(-0.37), 0.0);
        assert!((axis.place(1.21) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn counts_have_ticks_at_whole_numbers() {
        assert_eq!(texts(&Axis::whole("y", [0.0, 1.0], 8)), ["0", "1"]);
        assert_eq!(texts(&Axis::whole("y", [3.0, 3.0], 8)), ["3"]);
        assert_eq!(
            texts(&Axis::whole("y", [0.0, 39.0], 8)),
            ["0", "5", "10", "15", "20", "25", "30", "35"]
        );
    }

    #[test]
    fn an_axis_has_two_ticks_at_least() {
        for count in 2..6 {
            for low in [-18.0, -0.4, 0.3, 0.61, 3.7, 5.2] {
                for width in [0.7, 1.3, 8.5, 19.0, 44.0, 63.0] {
                    let axis = Axis::linear("x", [low, low + width], count);
                    let found = texts(&axis).len();
                    assert!(found >= 2, "{found} ticks from {low} to {}", low + width);
                }
            }
        }
    }

    #[test]
    fn values_without_a_spread_get_an_axis() {
        assert!(
            range([3.0, 3.0, f64::NAN], 0.1).is_some_and(|[low, high]| low < 3.0 && 3.0 < high)
        );
        assert_eq!(range([f64::NAN], 0.1), None);
        assert!(Axis::linear("x", [0.0, 0.0], 4).place(0.0) == 0.5);
    }

    #[test]
    fn zero_has_a_place_on_a_logarithmic_axis() {
        let axis = Axis::log("power", &[0.0, 1e-5, 0.1, 1.0]);
        assert_eq!(axis.place(0.0), 0.0);
        assert!((0.9..1.0).contains(&axis.place(1.0)));
        assert!(axis.place(1e-5) > 0.1);
        assert_eq!(texts(&axis).last(), Some(&"0"));
    }

    #[test]
    fn counts_have_places_by_their_logarithms() {
        let axis = Axis::log_counts("y", [0.0, 120.0]);
        assert_eq!(texts(&axis), ["0", "1", "2", "5", "10", "20", "50", "100"]);
        let gap = |a: f64, b: f64| axis.place(b) - axis.place(a);
        assert!((gap(0.0, 1.0) - gap(9.0, 19.0)).abs() < 1e-12);
        assert_eq!(axis.place(-0.6), 0.0);
    }

    #[test]
    fn an_axis_becomes_logarithmic() {
        let linear = Axis::linear("x", [0.5, 300.0], 5);
        let axis = linear
            .to_log(&[0.5, 2.0, 300.0])
            .expect("they are positive");
        assert_eq!(
            texts(&axis),
            ["0.5", "1", "2", "5", "10", "20", "50", "100", "200"]
        );
        assert!(axis.place(0.5) > 0.0 && axis.place(300.0) < 1.0);
        let with_zero = linear
            .to_log(&[0.0, 0.5, 300.0])
            .expect("some are positive");
        assert_eq!(with_zero.place(0.0), 0.0);
        assert!(with_zero.place(0.5) > 0.05);
        assert!(linear.to_log(&[0.0]).is_none());
    }

    #[test]
    fn the_first_name_is_at_the_top() {
        let axis = Axis::names(&["a".to_owned(), "b".to_owned()]);
        assert!(axis.place(0.0) > axis.place(1.0));
    }
}
