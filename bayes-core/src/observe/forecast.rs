//! The remaining time of a run, from the progress of its islands or chains.

use crate::text::duration;

/// Number of events of a group before its rate is known: the first temperature starts with draws of the prior, and the first steps of a
/// ladder are uneven.
const LEAST: usize = 4;

/// The progress of a group over time.
#[derive(Clone, Debug, Default)]
struct Track {
    /// Seconds since the start of the run, and the remaining amount: `-log lambda`, or steps.
    reached: Vec<(f64, f64)>,
    done: bool,
}

impl Track {
    /// Seconds to the end of the group; `None` while its rate is unknown.
    ///
    /// The rate comes from the last half of the events. Lambda grows about geometrically, so the rate of its logarithm includes the time
    /// for the moves of a temperature. The first steps of a chain are the most expensive.
    fn left(&self) -> Option<f64> {
        let count = self.reached.len();
        if self.done {
            return Some(0.0);
        }
        if count < LEAST {
            return None;
        }
        let ((from, before), (to, left)) = (self.reached[count / 2 - 1], self.reached[count - 1]);
        let rate = (before - left) / (to - from);
        (rate > 0.0).then(|| left / rate)
    }

    /// Seconds from the group's first to its last event.
    fn spent(&self) -> f64 {
        match (self.reached.first(), self.reached.last()) {
            (Some((first, _)), Some((last, _))) => last - first,
            _ => 0.0,
        }
    }
}

/// The tracks of all groups of a run.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    groups: Vec<Track>,
}

impl Forecast {
    pub(crate) fn new(groups: usize) -> Self {
        Self {
            groups: vec![Track::default(); groups],
        }
    }

    /// An island reached `lambda` this number of seconds after the start of the run.
    pub(crate) fn stage(&mut self, island: usize, lambda: f64, seconds: f64) {
        // the share of the evidence below the first levels may underflow to 0
        if lambda > 0.0 {
            self.reached(island, -lambda.ln(), seconds);
        }
    }

    /// A chain has `left` steps to go, this number of seconds after the start of the run.
    pub(crate) fn steps(&mut self, group: usize, left: usize, seconds: f64) {
        self.reached(group, left as f64, seconds);
    }

    fn reached(&mut self, group: usize, left: f64, seconds: f64) {
        if let Some(track) = self.groups.get_mut(group) {
            track.reached.push((seconds, left));
        }
    }

    /// A group is finished.
    pub(super) fn finish(&mut self, group: usize) {
        if let Some(track) = self.groups.get_mut(group) {
            track.done = true;
        }
    }

    /// Seconds to the end of the run; `None` while too little is known.
    ///
    /// Groups that have not started, or have no rate yet, count with the mean of the others. The number of groups that run at once stays
    /// the same.
    pub(crate) fn left(&self) -> Option<f64> {
        let known: Vec<(f64, f64)> = self
            .groups
            .iter()
            .filter_map(|track| Some((track.spent(), track.left()?)))
            .collect();
        if known.is_empty() {
            return None;
        }
        let whole =
            known.iter().map(|(spent, left)| spent + left).sum::<f64>() / known.len() as f64;
        let ahead = (self.groups.len() - known.len()) as f64 * whole;
        let left = known.iter().map(|(_, left)| left).sum::<f64>() + ahead;
        let running = |track: &&Track| !track.done && !track.reached.is_empty();
        let running = self.groups.iter().filter(running).count();
        Some(left / running.max(1) as f64)
    }
}

/// `about 4 min left`.
pub(super) fn words(seconds: f64) -> String {
    format!("{} left", duration(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lambda doubles at every temperature, from 2⁻²⁰, and a temperature takes a second.
    fn climb(forecast: &mut Forecast, island: usize, from: f64, temperatures: i32) {
        for stage in 0..temperatures {
            let lambda = 2f64.powi(stage - 20);
            forecast.stage(island, lambda, from + f64::from(stage));
        }
    }

    #[test]
    fn a_geometric_ladder_is_forecast_exactly() {
        let mut forecast = Forecast::new(1);
        climb(&mut forecast, 0, 5.0, 3);
        assert_eq!(forecast.left(), None);
        let mut forecast = Forecast::new(1);
        climb(&mut forecast, 0, 5.0, 11);
        let left = forecast.left().expect("the rate is known");
        // lambda is 2⁻¹⁰ now
        assert!((left - 10.0).abs() < 1e-9, "{left}");
        forecast.finish(0);
        assert_eq!(forecast.left(), Some(0.0));
    }

    #[test]
    fn islands_that_wait_take_as_long_as_the_others() {
        let mut forecast = Forecast::new(6);
        climb(&mut forecast, 0, 0.0, 11);
        climb(&mut forecast, 1, 0.0, 11);
        let left = forecast.left().expect("two rates are known");
        // two at once: ten seconds each, and two rounds of twenty
        assert!((left - 50.0).abs() < 1e-9, "{left}");
    }

    #[test]
    fn a_ladder_without_progress_is_not_forecast() {
        let mut forecast = Forecast::new(1);
        (0..6).for_each(|second| forecast.stage(0, 0.25, f64::from(second)));
        assert_eq!(forecast.left(), None);
    }

    #[test]
    fn chains_are_forecast_by_their_last_half() {
        let mut forecast = Forecast::new(2);
        for group in 0..2 {
            // a hundred expensive steps, then ten steps a second
            forecast.steps(group, 900, 100.0);
            for second in 1..=10 {
                forecast.steps(group, 900 - 10 * second, 100.0 + second as f64);
            }
        }
        let left = forecast.left().expect("the rates are known");
        assert!((left - 80.0).abs() < 1e-9, "{left}");
    }

    #[test]
    fn times_are_reported_in_fitting_units() {
        let told = [0.2, 42.4, 240.0, 9000.0].map(words);
        assert_eq!(
            told,
            [
                "about 1 s left",
                "about 42 s left",
                "about 4 min left",
                "about 2.5 h left"
            ]
        );
    }
}
