//! Gradient descent with momentum.

use super::first_order::{FirstOrder, Rule};
use super::{Descent, LearningRate, Optimiser, Seen};
use crate::error::Error;

/// Gradient descent with momentum (Polyak 1964); with minibatches it is stochastic.
///
/// ```text
/// u = μ u + g,   x = x - rate · u        Nesterov: x = x - rate · (g + μ u)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    rate: LearningRate,
    momentum: f64,
    nesterov: bool,
}

impl Sgd {
    /// Takes a learning rate: a number or a [`LearningRate`]. Momentum 0.9.
    ///
    /// The gradient belongs to the mean loss of a row, so a rate does not depend on the number of rows.
    #[must_use]
    pub fn new(rate: impl Into<LearningRate>) -> Self {
        Self {
            rate: rate.into(),
            momentum: 0.9,
            nesterov: false,
        }
    }

    /// The momentum μ, at least 0 and below 1.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }

    /// Nesterov's momentum, which looks one step ahead (Sutskever et al. 2013).
    #[must_use]
    pub fn nesterov(self) -> Self {
        Self {
            nesterov: true,
            ..self
        }
    }
}

impl Optimiser for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn validate(&self) -> Result<(), Error> {
        self.rate.validate()?;
        let holds = (0.0..1.0).contains(&self.momentum);
        Error::setting("momentum", self.momentum, holds, "at least 0 and below 1")
    }

    fn start(&self, dim: usize) -> Box<dyn Descent> {
        Box::new(FirstOrder::new(Velocity {
            settings: *self,
            velocity: vec![0.0; dim],
        }))
    }
}

struct Velocity {
    settings: Sgd,
    velocity: Vec<f64>,
}

impl Rule for Velocity {
    fn advance(&mut self, seen: Seen<'_>, position: &mut [f64]) {
        let Sgd {
            rate,
            momentum,
            nesterov,
        } = self.settings;
        let rate = rate.at(seen.epoch, seen.epochs);
        let coordinates = position.iter_mut().zip(&mut self.velocity);
        for ((x, u), g) in coordinates.zip(seen.gradient) {
            *u = momentum * *u + g;
            *x -= rate * if nesterov { g + momentum * *u } else { *u };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(sgd: Sgd, gradients: &[f64]) -> f64 {
        let mut descent = sgd.start(1);
        let mut x = [1.0];
        for g in gradients {
            let seen = Seen {
                loss: 0.0,
                gradient: &[*g],
                epoch: 0.0,
                epochs: 1.0,
            };
            descent.step(seen, &mut x);
        }
        x[0]
    }

    #[test]
    fn two_steps_are_those_of_the_formula() {
        let plain = steps(Sgd::new(0.1).momentum(0.5), &[2.0, 4.0]);
        // velocities 2 and 5
        assert!((plain - (1.0 - 0.2 - 0.5)).abs() < 1e-15, "{plain}");
        let ahead = steps(Sgd::new(0.1).momentum(0.5).nesterov(), &[2.0, 4.0]);
        assert!((ahead - (1.0 - 0.3 - 0.65)).abs() < 1e-15, "{ahead}");
    }

    #[test]
    fn a_momentum_out_of_range_is_named() {
        for momentum in [-0.1, 1.0, f64::NAN] {
            let error = Sgd::new(0.1).momentum(momentum).validate();
            let found = error.expect_err("out of range").to_string();
            assert!(found.starts_with("setting `momentum` is"), "{found}");
        }
    }
}
