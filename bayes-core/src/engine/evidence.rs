//! The engines of one log evidence from two samplers: tempered islands and nested islands.

use super::{Inference, Nested, Smc};
use crate::comparison::CheckedEvidence;
use crate::density::LogDensity;
use crate::error::Error;
use crate::kernel::{Hmc, Kernel, Moves, RandomWalk};
use crate::model::Model;
use std::time::Duration;

impl Inference {
    /// The log evidence by tempered islands and by nested islands, and whether they agree: [`Inference::psmc`] and [`Inference::nested`]
    /// with their defaults. The time is the sum of both.
    ///
    /// ```
    /// # use bayes_core::density::{Block, LogDensity, Prior};
    /// # use bayes_core::rng::{RngExt, Stream};
    /// # use bayes_core::engine::Inference;
    /// # struct Line;
    /// # impl LogDensity for Line {
    /// #     fn dim(&self) -> usize { 1 }
    /// #     fn evaluate(&self, block: &mut Block<'_>) { block.fill(|x| [if (0.0..1.0).contains(&x[0]) { 0.0 } else { f64::NEG_INFINITY }, -50.0 * (x[0] - 0.3).powi(2)]); }
    /// #     fn prior(&self) -> Option<&dyn Prior> { Some(self) }
    /// # }
    /// # impl Prior for Line {
    /// #     fn draw(&self, stream: &mut Stream, position: &mut [f64]) { position[0] = stream.random_range(0.0..1.0); }
    /// # }
    /// # use bayes_core::kernel::RandomWalk;
    /// # let density = Line;
    /// use bayes_core::comparison::Verdict;
    ///
    /// // a density without a gradient: tempered islands by random walks, too
    /// let tempered = Inference::psmc().kernel(RandomWalk::new());
    /// let evidence = Inference::evidence().tempered(tempered).seed(1).run_on(&density)?;
    /// assert_eq!(evidence.verdict(), Some(Verdict::Agree));
    /// let exact = f64::ln(0.1 * std::f64::consts::TAU.sqrt());
    /// let found = evidence.estimate().expect("an evidence");
    /// assert!((found.mean - exact).abs() < 4.0 * found.se);
    /// println!("{evidence}");
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    pub fn evidence() -> EvidenceByTwo<Hmc, RandomWalk> {
        EvidenceByTwo {
            tempered: Self::psmc(),
            nested: Self::nested(),
            seed: 0,
        }
        .seed(0)
    }
}

/// Builder of a log evidence by two samplers, made by [`Inference::evidence`].
#[derive(Clone, Debug)]
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct EvidenceByTwo<K, L> {
    tempered: Smc<K>,
    nested: Nested<L>,
    seed: u64,
}

impl<K, L> EvidenceByTwo<K, L> {
    /// The engine of the tempered islands, in place of [`Inference::psmc`]. Its seed comes from [`EvidenceByTwo::seed`].
    pub fn tempered<M>(self, tempered: Smc<M>) -> EvidenceByTwo<M, L> {
        EvidenceByTwo {
            tempered: tempered.seed(self.seed),
            nested: self.nested,
            seed: self.seed,
        }
    }

    /// The engine of the nested islands, in place of [`Inference::nested`]. Its seed is `!seed` of [`EvidenceByTwo::seed`].
    pub fn nested<M>(self, nested: Nested<M>) -> EvidenceByTwo<K, M> {
        EvidenceByTwo {
            tempered: self.tempered,
            nested: nested.seed(!self.seed),
            seed: self.seed,
        }
    }

    /// The seed of both, 0 by default. The nested islands use the seed with its bits inverted (`!seed`), so that the two share no draw.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.tempered = self.tempered.seed(seed);
        self.nested = self.nested.seed(!seed);
        self
    }

    /// The approximate time of both together: each gets half of it, as by [`Smc::time_limit`] and [`Nested::time_limit`].
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.tempered = self.tempered.time_limit(limit / 2);
        self.nested = self.nested.time_limit(limit / 2);
        self
    }

    /// Whether to show progress on stderr (only if stderr is a terminal).
    pub fn progress(mut self, show: bool) -> Self {
        self.tempered = self.tempered.progress(show);
        self.nested = self.nested.progress(show);
        self
    }

    /// Runs both on `model`, one after the other.
    ///
    /// # Errors
    /// The errors of [`Smc::run`] and [`Nested::run`].
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<CheckedEvidence, Error>
    where
        K: Moves<Mo>,
        L: Moves<Mo>,
    {
        Ok(CheckedEvidence {
            tempered: self.tempered.run(model)?,
            nested: self.nested.run(model)?,
        })
    }
}

impl<K: Kernel, L: Kernel> EvidenceByTwo<K, L> {
    /// Runs both on a density, one after the other.
    ///
    /// # Errors
    /// The errors of [`Smc::run_on`] and [`Nested::run_on`].
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<CheckedEvidence, Error> {
        Ok(CheckedEvidence {
            tempered: self.tempered.run_on(density)?,
            nested: self.nested.run_on(density)?,
        })
    }
}
