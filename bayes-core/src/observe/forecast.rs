//! How long the islands of a run will still take, from the temperatures that they have finished.

/// Temperatures of an island before its rate is known: the first starts with draws of the prior, and the steps of a ladder
/// are uneven at its beginning.
const LEAST: usize = 4;

/// The time and the power of the likelihood at every temperature that an island has finished.
#[derive(Clone, Debug, Default)]
struct Ladder {
    /// Seconds since the start of the run, and the logarithm of lambda.
    finished: Vec<(f64, f64)>,
    done: bool,
}

impl Ladder {
    /// Seconds to the end of the ladder; `None` while its rate is unknown.
    ///
    /// Lambda grows about geometrically, so the rate is that of its logarithm, over the last half of the temperatures: it includes
    /// how long the moves of a temperature take.
    fn left(&self) -> Option<f64> {
        let count = self.finished.len();
        if self.done {
            return Some(0.0);
        }
        if count < LEAST {
            return None;
        }
        let ((from, low), (to, high)) = (self.finished[count / 2 - 1], self.finished[count - 1]);
        let rate = (high - low) / (to - from);
        (rate > 0.0).then(|| -high / rate)
    }

    /// Seconds from the first temperature to now.
    fn spent(&self) -> f64 {
        match (self.finished.first(), self.finished.last()) {
            (Some((first, _)), Some((last, _))) => last - first,
            _ => 0.0,
        }
    }
}

/// The ladders of all islands of a run.
#[derive(Clone, Debug)]
pub(super) struct Forecast {
    islands: Vec<Ladder>,
}

impl Forecast {
    pub(super) fn new(islands: usize) -> Self {
        Self {
            islands: vec![Ladder::default(); islands],
        }
    }

    /// An island has reached `lambda`, this many seconds after the start of the run.
    pub(super) fn stage(&mut self, island: usize, lambda: f64, seconds: f64) {
        if let Some(ladder) = self.islands.get_mut(island) {
            ladder.finished.push((seconds, lambda.ln()));
        }
    }

    /// An island is done.
    pub(super) fn finish(&mut self, island: usize) {
        if let Some(ladder) = self.islands.get_mut(island) {
            ladder.done = true;
        }
    }

    /// Seconds to the end of the run; `None` while too little is known.
    ///
    /// Islands that have not started, or not shown their rate, take as long as the others. As many as run now will run at once.
    pub(super) fn left(&self) -> Option<f64> {
        let known: Vec<(f64, f64)> = self
            .islands
            .iter()
            .filter_map(|ladder| Some((ladder.spent(), ladder.left()?)))
            .collect();
        if known.is_empty() {
            return None;
        }
        let whole =
            known.iter().map(|(spent, left)| spent + left).sum::<f64>() / known.len() as f64;
        let ahead = (self.islands.len() - known.len()) as f64 * whole;
        let left = known.iter().map(|(_, left)| left).sum::<f64>() + ahead;
        let running = |ladder: &&Ladder| !ladder.done && !ladder.finished.is_empty();
        let running = self.islands.iter().filter(running).count();
        Some(left / running.max(1) as f64)
    }
}

/// `about 4 min left`.
pub(super) fn words(seconds: f64) -> String {
    match seconds {
        s if s < 1.5 => "about 1 s left".to_owned(),
        s if s < 90.0 => format!("about {s:.0} s left"),
        s if s < 5400.0 => format!("about {:.0} min left", s / 60.0),
        s => format!("about {:.1} h left", s / 3600.0),
    }
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
    fn times_are_told_in_fitting_units() {
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
