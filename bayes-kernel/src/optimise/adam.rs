//! Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019).

use super::first_order::{FirstOrder, Rule};
use super::{Descent, LearningRate, Optimiser, Seen};
use crate::error::Error;

/// Adam: each coordinate moves by its mean gradient, divided by the root of its mean squared gradient.
///
/// ```text
/// m = β₁ m + (1 - β₁) g,  v = β₂ v + (1 - β₂) g²,  x = x - rate · m̂ / (√v̂ + ε)      Kingma and Ba (2015), algorithm 1
/// ```
///
/// with the bias corrections `m̂ = m / (1 - β₁ᵗ)` and `v̂ = v / (1 - β₂ᵗ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    rate: LearningRate,
    betas: [f64; 2],
    epsilon: f64,
}

impl Adam {
    /// Takes a learning rate: a number or a [`LearningRate`]. β₁ = 0.9, β₂ = 0.999 and ε = 1e-8 as in the paper.
    #[must_use]
    pub fn new(rate: impl Into<LearningRate>) -> Self {
        Self {
            rate: rate.into(),
            betas: [0.9, 0.999],
            epsilon: 1e-8,
        }
    }

    /// The decay rates of the mean gradient and of the mean squared gradient, each at least 0 and below 1.
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Self {
            betas: [first, second],
            ..self
        }
    }

    /// The ε that keeps the divisor from zero.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    fn rule(self, dim: usize, weight_decay: f64) -> Moments {
        Moments {
            settings: self,
            weight_decay,
            first: vec![0.0; dim],
            second: vec![0.0; dim],
            powers: [1.0; 2],
        }
    }
}

impl Optimiser for Adam {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn validate(&self) -> Result<(), Error> {
        self.rate.validate()?;
        for beta in self.betas {
            let holds = (0.0..1.0).contains(&beta);
            Error::setting("betas", beta, holds, "at least 0 and below 1")?;
        }
        let holds = self.epsilon > 0.0 && self.epsilon.is_finite();
        Error::setting("epsilon", self.epsilon, holds, "a finite number above 0")
    }

    fn start(&self, dim: usize) -> Box<dyn Descent> {
        Box::new(FirstOrder::new(self.rule(dim, 0.0)))
    }
}

/// Adam with weight decay that does not pass through the moments: every step also shrinks the coordinates by `rate · decay`
/// (Loshchilov and Hutter 2019, algorithm 2).
///
/// The decay acts in addition to a prior, so it is meant for maximum likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamW {
    adam: Adam,
    weight_decay: f64,
}

impl AdamW {
    /// Takes a learning rate and the weight decay; 0.01 is usual.
    #[must_use]
    pub fn new(rate: impl Into<LearningRate>, weight_decay: f64) -> Self {
        Self {
            adam: Adam::new(rate),
            weight_decay,
        }
    }

    /// As [`Adam::betas`].
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Self {
            adam: self.adam.betas(first, second),
            ..self
        }
    }
}

impl Optimiser for AdamW {
    fn name(&self) -> &'static str {
        "adamw"
    }

    fn validate(&self) -> Result<(), Error> {
        self.adam.validate()?;
        let holds = self.weight_decay >= 0.0 && self.weight_decay.is_finite();
        let allowed = "a finite number, at least 0";
        Error::setting("weight_decay", self.weight_decay, holds, allowed)
    }

    fn start(&self, dim: usize) -> Box<dyn Descent> {
        Box::new(FirstOrder::new(self.adam.rule(dim, self.weight_decay)))
    }
}

/// The moments of the gradient, and β₁ᵗ and β₂ᵗ.
struct Moments {
    settings: Adam,
    weight_decay: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    powers: [f64; 2],
}

impl Rule for Moments {
    fn advance(&mut self, seen: Seen<'_>, position: &mut [f64]) {
        let Adam {
            rate,
            betas: [b1, b2],
            epsilon,
        } = self.settings;
        let rate = rate.at(seen.epoch, seen.epochs);
        self.powers[0] *= b1;
        self.powers[1] *= b2;
        let [c1, c2] = self.powers.map(|power| 1.0 - power);
        let keep = 1.0 - rate * self.weight_decay;
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((x, g), (m, v)) in position.iter_mut().zip(seen.gradient).zip(moments) {
            *m = b1 * *m + (1.0 - b1) * g;
            *v = b2 * *v + (1.0 - b2) * g * g;
            *x = keep * *x - rate * (*m / c1) / ((*v / c2).sqrt() + epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(optimiser: &dyn Optimiser, gradients: &[f64]) -> f64 {
        let mut descent = optimiser.start(1);
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

    // By hand: after gradients 2 and -1 the moments are m = 0.9 * 0.2 - 0.1 = 0.08 and v = 0.999 * 0.004 + 0.001 = 0.004996.
    #[test]
    fn two_steps_are_those_of_the_paper() {
        let first = 1.0 - 0.1;
        let second = first - 0.1 * (0.08 / 0.19) / (0.004_996f64 / 0.001_999).sqrt();
        let found = steps(&Adam::new(0.1), &[2.0, -1.0]);
        assert!((found - second).abs() < 1e-8, "{found}, want {second}");
        let decayed = steps(&AdamW::new(0.1, 0.5), &[2.0]);
        assert!((decayed - (0.95 - 0.1)).abs() < 1e-8, "{decayed}");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let refused: [(&dyn Optimiser, &str); 4] = [
            (&Adam::new(-1.0), "`learning_rate` is -1"),
            (&Adam::new(0.1).betas(0.9, 1.0), "`betas` is 1"),
            (&Adam::new(0.1).epsilon(0.0), "`epsilon` is 0"),
            (&AdamW::new(0.1, -0.5), "`weight_decay` is -0.5"),
        ];
        for (optimiser, wanted) in refused {
            let found = optimiser.validate().expect_err("out of range").to_string();
            assert!(found.contains(wanted), "{found}");
        }
    }
}
