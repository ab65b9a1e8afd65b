//! A line search for a step with the strong Wolfe conditions, one evaluation at a time.

/// The share of the first slope by which the loss must fall along the step (Nocedal and Wright 2006, equation 3.7a).
const DECREASE: f64 = 1e-4;
/// The share of the first slope that may remain at the end of the step (the same, equation 3.7b).
const CURVATURE: f64 = 0.9;
/// Losses that differ by this share of themselves count as equal, because of rounding.
const ROUNDING: f64 = 1e-12;
/// The maximum factor by which a step grows at once.
const GROWTH: f64 = 10.0;
/// Maximum number of evaluations.
const TRIES: usize = 40;

/// The loss and its slope after a step along the line.
#[derive(Clone, Copy, Debug)]
struct Point {
    step: f64,
    loss: f64,
    slope: f64,
}

impl Point {
    fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.slope.is_finite()
    }
}

/// The next request of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Search {
    /// The loss and the slope after this step.
    Try(f64),
    /// The last step is good.
    Accept,
    /// There is no good step.
    Fail,
}

/// A search along a line on which the loss falls at first.
///
/// The steps bracket a minimum between `low`, the best so far, and `high` (Nocedal and Wright 2006, algorithms 3.5 and 3.6). Where
/// the loss is too flat for its rounding, a step counts if the slope alone says so (Hager and Zhang 2005, equation 4.1).
#[derive(Clone, Debug)]
pub(super) struct LineSearch {
    start: Point,
    low: Point,
    high: Option<Point>,
    tried: f64,
    tries: usize,
    /// Nothing better than `low` was found, and `low` is evaluated again.
    returns: bool,
}

impl LineSearch {
    /// A search from a loss with this negative slope; the first step to try is `first`.
    pub(super) fn new(loss: f64, slope: f64, first: f64) -> Self {
        let start = Point {
            step: 0.0,
            loss,
            slope,
        };
        Self {
            start,
            low: start,
            high: None,
            tried: first,
            tries: 0,
            returns: false,
        }
    }

    /// Learns the loss and its slope after the step that was tried.
    pub(super) fn learn(&mut self, loss: f64, slope: f64) -> Search {
        let point = Point {
            step: self.tried,
            loss,
            slope,
        };
        self.tries += 1;
        if self.returns || self.is_good(&point) {
            return Search::Accept;
        }
        self.narrow(point);
        self.tried = self.next();
        let width = self.high.map_or(f64::INFINITY, |h| h.step - self.low.step);
        let is_narrow = width.abs() <= 1e-14 * self.low.step.abs().max(1e-300);
        if self.tries < TRIES && !is_narrow {
            return Search::Try(self.tried);
        }
        if self.low.step == 0.0 {
            return Search::Fail;
        }
        self.returns = true;
        self.tried = self.low.step;
        Search::Try(self.tried)
    }

    fn falls(&self, point: &Point) -> bool {
        point.loss <= self.start.loss + DECREASE * point.step * self.start.slope
    }

    fn is_good(&self, point: &Point) -> bool {
        if !point.is_finite() {
            return false;
        }
        let slope = self.start.slope;
        let strong = self.falls(point) && point.slope.abs() <= -CURVATURE * slope;
        let change = (point.loss - self.start.loss).abs();
        let is_flat = change <= ROUNDING * self.start.loss.abs();
        let by_slope =
            point.slope >= CURVATURE * slope && point.slope <= (2.0 * DECREASE - 1.0) * slope;
        strong || (is_flat && by_slope)
    }

    /// Makes `point` an end of the bracket.
    fn narrow(&mut self, point: Point) {
        let is_high = !point.is_finite()
            || !self.falls(&point)
            || (self.low.step > 0.0 && point.loss >= self.low.loss);
        if is_high {
            self.high = Some(point);
            return;
        }
        let towards_high = self
            .high
            .map_or(1.0, |high| (high.step - self.low.step).signum());
        if point.slope * towards_high >= 0.0 {
            self.high = Some(self.low);
        }
        self.low = point;
    }

    /// The next step: within the bracket, or beyond the best step while there is no bracket.
    fn next(&self) -> f64 {
        let Some(high) = self.high else {
            return GROWTH * self.tried;
        };
        let width = high.step - self.low.step;
        if !high.is_finite() {
            return self.low.step + width / GROWTH;
        }
        let guess = cubic(&self.low, &high).unwrap_or(self.low.step + 0.5 * width);
        let (a, b) = (self.low.step + 0.1 * width, self.low.step + 0.9 * width);
        guess.clamp(a.min(b), a.max(b))
    }
}

/// The minimum of the cubic through two points with their slopes (Nocedal and Wright 2006, equation 3.59).
fn cubic(a: &Point, b: &Point) -> Option<f64> {
    let d1 = a.slope + b.slope - 3.0 * (a.loss - b.loss) / (a.step - b.step);
    let square = d1 * d1 - a.slope * b.slope;
    let d2 = (b.step - a.step).signum() * square.sqrt();
    let step = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The accepted step on a loss with its slope, and the number of evaluations.
    fn search(first: f64, loss: impl Fn(f64) -> (f64, f64)) -> Option<(f64, usize)> {
        let (value, slope) = loss(0.0);
        let mut search = LineSearch::new(value, slope, first);
        for tries in 1.. {
            let (value, slope) = loss(search.tried);
            match search.learn(value, slope) {
                Search::Try(step) => assert_eq!(step, search.tried),
                Search::Accept => return Some((search.tried, tries)),
                Search::Fail => return None,
            }
        }
        None
    }

    #[test]
    fn wolfe_steps_are_found_from_any_first_step() {
        let parabola = |t: f64| ((t - 3.0).powi(2), 2.0 * (t - 3.0));
        for first in [1e-6, 0.1, 1.0, 5.9, 20.0, 1e6] {
            let (step, tries) = search(first, parabola).expect("there is a minimum");
            let (loss, slope) = parabola(step);
            assert!(loss <= 9.0 - DECREASE * 6.0 * step && slope.abs() <= 0.9 * 6.0);
            assert!(tries < 20, "{tries} evaluations from {first}");
        }
    }

    #[test]
    fn steps_into_the_infinite_are_shortened() {
        let barrier = |t: f64| match t < 1.0 {
            true => (-t - (1.0 - t).ln() * 0.1, -1.0 + 0.1 / (1.0 - t)),
            false => (f64::INFINITY, f64::NAN),
        };
        let (step, _) = search(50.0, barrier).expect("the minimum is at 0.9");
        assert!((0.0..1.0).contains(&step));
    }

    #[test]
    fn a_loss_that_does_not_fall_fails() {
        // the slope is wrong
        assert_eq!(
            search(1.0, |t| (t, if t == 0.0 { -1.0 } else { 1.0 })),
            None
        );
    }
}
