//! Learning rates that change from epoch to epoch.

use crate::error::Error;

/// A learning rate, constant or falling over the epochs, perhaps after a warm-up.
///
/// ```
/// use bayes_kernel::optimise::LearningRate;
///
/// let rate = LearningRate::cosine(0.1, 0.001).warm_up(5.0);
/// assert!((rate.at(2.5, 100.0) - 0.05).abs() < 1e-3);
/// assert!((rate.at(100.0, 100.0) - 0.001).abs() < 1e-12);
/// // a number is a constant rate
/// assert_eq!(LearningRate::from(0.01).at(50.0, 100.0), 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningRate {
    first: f64,
    decay: Decay,
    warm_up: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Decay {
    Constant,
    /// To this rate.
    Cosine(f64),
    /// By this factor in each epoch.
    Exponential(f64),
    /// By this factor after every this many epochs.
    Steps(usize, f64),
}

impl From<f64> for LearningRate {
    fn from(rate: f64) -> Self {
        Self::constant(rate)
    }
}

impl LearningRate {
    fn new(first: f64, decay: Decay) -> Self {
        Self {
            first,
            decay,
            warm_up: 0.0,
        }
    }

    /// The same rate in all epochs.
    #[must_use]
    pub fn constant(rate: f64) -> Self {
        Self::new(rate, Decay::Constant)
    }

    /// From `first` to `last` along half a cosine over all epochs (Loshchilov and Hutter 2017, equation 5, without restarts).
    #[must_use]
    pub fn cosine(first: f64, last: f64) -> Self {
        Self::new(first, Decay::Cosine(last))
    }

    /// `first * factor^epoch`.
    #[must_use]
    pub fn exponential(first: f64, factor: f64) -> Self {
        Self::new(first, Decay::Exponential(factor))
    }

    /// `first`, multiplied by `factor` after every `epochs` epochs.
    #[must_use]
    pub fn steps(first: f64, epochs: usize, factor: f64) -> Self {
        Self::new(first, Decay::Steps(epochs, factor))
    }

    /// During the first `epochs` epochs the rate grows linearly from 0.
    #[must_use]
    pub fn warm_up(self, epochs: f64) -> Self {
        Self {
            warm_up: epochs,
            ..self
        }
    }

    /// The rate after `epoch` of `epochs` epochs.
    #[must_use]
    pub fn at(&self, epoch: f64, epochs: f64) -> f64 {
        let rate = match self.decay {
            Decay::Constant => self.first,
            Decay::Cosine(last) => {
                let share = (epoch / epochs).min(1.0);
                last + 0.5 * (self.first - last) * (1.0 + (std::f64::consts::PI * share).cos())
            }
            Decay::Exponential(factor) => self.first * factor.powf(epoch),
            Decay::Steps(every, factor) => self.first * factor.powf((epoch / every as f64).floor()),
        };
        if epoch < self.warm_up {
            rate * epoch / self.warm_up
        } else {
            rate
        }
    }

    /// # Errors
    /// [`Error::Setting`] for a rate or a factor that is not a finite number above 0.
    pub(super) fn validate(&self) -> Result<(), Error> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let check = |setting, value: f64, holds, allowed: &str| {
            Error::setting(setting, value, holds, allowed)
        };
        let number = "a finite number above 0";
        check("learning_rate", self.first, positive(self.first), number)?;
        let holds = self.warm_up >= 0.0 && self.warm_up.is_finite();
        let allowed = "a finite number of epochs, at least 0";
        check("warm_up", self.warm_up, holds, allowed)?;
        match self.decay {
            Decay::Constant => Ok(()),
            Decay::Cosine(last) => {
                let holds = last >= 0.0 && last <= self.first;
                let allowed = "from 0 to the first rate";
                check("learning_rate: last", last, holds, allowed)
            }
            Decay::Exponential(factor) => check(
                "learning_rate: factor",
                factor,
                factor > 0.0 && factor <= 1.0,
                "above 0 and at most 1",
            ),
            Decay::Steps(every, factor) => {
                let allowed = "at least 1";
                check("learning_rate: epochs", every as f64, every >= 1, allowed)?;
                check("learning_rate: factor", factor, positive(factor), number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LearningRate;

    #[test]
    fn every_schedule_has_its_rate_at_known_epochs() {
        let rate = LearningRate::exponential(0.5, 0.9);
        assert!((rate.at(2.0, 10.0) - 0.5 * 0.81).abs() < 1e-15);
        let rate = LearningRate::steps(1.0, 3, 0.1);
        let found = [0.0, 2.9, 3.0, 6.5].map(|epoch| rate.at(epoch, 10.0));
        for (found, wanted) in found.into_iter().zip([1.0, 1.0, 0.1, 0.01]) {
            assert!((found - wanted).abs() < 1e-15);
        }
        let rate = LearningRate::cosine(1.0, 0.2);
        for (epoch, wanted) in [(0.0, 1.0), (5.0, 0.6), (10.0, 0.2), (12.0, 0.2)] {
            assert!((rate.at(epoch, 10.0) - wanted).abs() < 1e-15);
        }
        let rate = LearningRate::constant(2.0).warm_up(4.0);
        assert_eq!([0.0, 1.0, 4.0].map(|e| rate.at(e, 10.0)), [0.0, 0.5, 2.0]);
    }

    #[test]
    fn rates_out_of_range_are_named() {
        let refused = [
            (LearningRate::constant(0.0), "setting `learning_rate` is 0"),
            (
                LearningRate::constant(f64::NAN),
                "setting `learning_rate` is NaN",
            ),
            (
                LearningRate::cosine(0.1, 0.2),
                "setting `learning_rate: last` is 0.2",
            ),
            (
                LearningRate::exponential(0.1, 1.5),
                "setting `learning_rate: factor` is 1.5",
            ),
            (
                LearningRate::steps(0.1, 0, 0.5),
                "setting `learning_rate: epochs` is 0",
            ),
            (
                LearningRate::constant(0.1).warm_up(-1.0),
                "setting `warm_up` is -1",
            ),
        ];
        for (rate, wanted) in refused {
            let found = rate.validate().expect_err("it is out of range").to_string();
            assert!(found.starts_with(wanted), "{found}");
        }
    }
}
