//! Dual averaging of the step size during burn-in.

use serde::{Deserialize, Serialize};

/// Nesterov's dual averaging of `x = log ε` (Hoffman and Gelman 2014, equation 6), with their constants except one.
///
/// ```text
/// H̄ ← (1 - η) H̄ + η (δ - α),  η = 1 / (t + t₀)        δ target, α observed
/// x = μ - √t / γ · H̄,           x̄ ← t^{-κ} x + (1 - t^{-κ}) x̄
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct DualAveraging {
    wanted: f64,
    most: f64,
    /// μ, towards which x is shrunk: the first step size. The paper takes ten times this value. Here a search has found it to a few
    /// hundredths of the acceptance, and the last window of a short burn-in is too short to recover from a larger value.
    centre: f64,
    error: f64,
    log_step: f64,
    log_average: f64,
    updates: f64,
}

/// Twice the value of the paper: the mean acceptance of several chains is less noisy than the acceptance of one chain. With this value
/// the acceptance after 1000 steps was 0.78 to 0.83 for a target of 0.8 (0.85 to 0.91 with 0.05).
const GAMMA: f64 = 0.1;
const T0: f64 = 10.0;
const KAPPA: f64 = 0.75;

impl DualAveraging {
    /// Starts at `step_size` with target acceptance `wanted`; the step size is at most `most`.
    pub(in crate::engine) fn new(step_size: f64, wanted: f64, most: f64) -> Self {
        Self {
            wanted,
            most,
            centre: step_size.ln(),
            error: 0.0,
            log_step: step_size.ln(),
            log_average: step_size.ln(),
            updates: 0.0,
        }
    }

    /// Updates with the mean acceptance of the present step size.
    pub(in crate::engine) fn learn(&mut self, acceptance: f64) {
        self.updates += 1.0;
        let share = 1.0 / (self.updates + T0);
        self.error += share * (self.wanted - acceptance - self.error);
        self.log_step = self.centre - self.updates.sqrt() / GAMMA * self.error;
        self.log_step = self.log_step.min(self.most.ln());
        let share = self.updates.powf(-KAPPA);
        self.log_average += share * (self.log_step - self.log_average);
    }

    /// The step size to try next.
    pub(in crate::engine) fn step_size(&self) -> f64 {
        self.log_step.exp()
    }

    /// The final step size.
    pub(in crate::engine) fn average(&self) -> f64 {
        self.log_average.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step size after `updates` from `start`, where the acceptance of a step is `exp(-ε)`.
    fn learnt(start: f64, wanted: f64, most: f64, updates: usize) -> f64 {
        let mut averaging = DualAveraging::new(start, wanted, most);
        for _ in 0..updates {
            averaging.learn((-averaging.step_size()).exp());
        }
        averaging.average()
    }

    #[test]
    fn the_average_finds_the_step_that_is_wanted() {
        for wanted in [0.6, 0.8, 0.95] {
            let exact = -f64::ln(wanted);
            for start in [0.5 * exact, 2.0 * exact] {
                let found = learnt(start, wanted, f64::INFINITY, 1000);
                assert!((found / exact - 1.0).abs() < 0.05, "{found}, want {exact}");
            }
        }
    }

    #[test]
    fn a_few_updates_stay_near_what_the_search_found() {
        for wanted in [0.6, 0.8, 0.95] {
            let exact = -f64::ln(wanted);
            let found = learnt(exact, wanted, f64::INFINITY, 10);
            assert!((found / exact - 1.0).abs() < 0.01, "{found}, want {exact}");
        }
    }

    #[test]
    fn a_bound_holds() {
        assert!((learnt(0.05, 0.6, 0.1, 1000) - 0.1).abs() < 1e-3);
    }
}
