//! Early stopping by the loss of held-out rows.

use crate::error::Error;

/// The rule that stops by the validation loss, and the choice of returned weights.
///
/// An optimisation stops when the mean of the last `window` validation losses has not fallen below its lowest value for `patience`
/// epochs in a row (Scalable Bayesian Monte Carlo: window 10, patience 5). There is no mean before epoch `window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyStopping {
    window: usize,
    patience: usize,
    kept: KeptWeights,
}

/// The weights that an optimisation with validation returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptWeights {
    /// The weights of the last epoch.
    #[default]
    Last,
    /// The weights of the epoch with the lowest validation loss.
    Best,
}

impl Default for EarlyStopping {
    fn default() -> Self {
        Self::new()
    }
}

impl EarlyStopping {
    /// Means over 10 epochs, patience 5, the last weights.
    #[must_use]
    pub fn new() -> Self {
        Self {
            window: 10,
            patience: 5,
            kept: KeptWeights::Last,
        }
    }

    /// Number of epochs of the moving average, at least 1.
    #[must_use]
    pub fn window(self, epochs: usize) -> Self {
        Self {
            window: epochs,
            ..self
        }
    }

    /// Number of epochs without an improvement before the optimisation stops, at least 1.
    #[must_use]
    pub fn patience(self, epochs: usize) -> Self {
        Self {
            patience: epochs,
            ..self
        }
    }

    /// The weights to return.
    #[must_use]
    pub fn keep(self, kept: KeptWeights) -> Self {
        Self { kept, ..self }
    }

    /// The weights to return.
    #[must_use]
    pub fn kept(&self) -> KeptWeights {
        self.kept
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Setting`] for a window or a patience of 0.
    pub fn validate(&self) -> Result<(), Error> {
        let (window, patience) = (self.window, self.patience);
        let allowed = "at least 1";
        Error::setting("early_stopping: window", window, window >= 1, allowed)?;
        Error::setting("early_stopping: patience", patience, patience >= 1, allowed)
    }

    /// The decision after the validation losses of all epochs so far.
    #[must_use]
    pub fn verdict(&self, losses: &[f64]) -> Verdict {
        let Some(last) = losses.last() else {
            return Verdict::default();
        };
        let earlier = &losses[..losses.len() - 1];
        let (mut best, mut waited) = (f64::INFINITY, 0);
        for window in losses.windows(self.window) {
            let mean = window.iter().sum::<f64>() / self.window as f64;
            if mean < best {
                (best, waited) = (mean, 0);
            } else {
                waited += 1;
            }
        }
        Verdict {
            is_best: earlier.iter().all(|loss| last < loss),
            stops: waited >= self.patience,
        }
    }
}

/// The decision after the last validation loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The last loss is the lowest.
    pub is_best: bool,
    /// The optimisation ends.
    pub stops: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The epoch, from 1, after which the optimisation stops.
    fn stop(rule: EarlyStopping, losses: &[f64]) -> Option<usize> {
        (1..=losses.len()).find(|n| rule.verdict(&losses[..*n]).stops)
    }

    #[test]
    fn it_stops_five_epochs_after_the_lowest_mean_of_ten() {
        // falls by 1 to epoch 20, then rises by 1: the means of ten are lowest, and equal, at epochs 24 and 25
        let loss = |epoch: i32| f64::from((epoch - 20).abs());
        let losses: Vec<f64> = (1..=60).map(loss).collect();
        assert_eq!(stop(EarlyStopping::new(), &losses), Some(29));
        let slow = EarlyStopping::new().patience(7);
        assert_eq!(stop(slow, &losses), Some(31));
        let short = EarlyStopping::new().window(1);
        assert_eq!(stop(short, &losses), Some(25));
    }

    #[test]
    fn falling_losses_never_stop_and_constant_ones_do() {
        let falling: Vec<f64> = (0..100).map(|i| 1.0 / f64::from(i + 1)).collect();
        assert_eq!(stop(EarlyStopping::new(), &falling), None);
        // the first mean is at epoch 10
        assert_eq!(stop(EarlyStopping::new(), &[2.0; 40]), Some(15));
    }

    #[test]
    fn the_lowest_loss_is_the_best() {
        let is_best = |losses: &[f64]| EarlyStopping::new().verdict(losses).is_best;
        assert!(is_best(&[3.0]) && is_best(&[3.0, 2.0]));
        assert!(!is_best(&[3.0, 2.0, 2.0]) && !is_best(&[3.0, 2.0, 2.5]));
    }
}
