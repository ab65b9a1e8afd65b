//! Refuses a prior whose density is NaN at its own draws.

use super::{LogDensity, Particles, panics};
use crate::dist::advice;
use crate::error::{Error, PriorDraws};
use crate::rng::{Key, Purpose};

/// Number of prior draws.
const DRAWS: usize = 64;
/// Minimum number of draws with a NaN prior for a refusal. With fewer, the engines give these draws weight zero and warn.
const REFUSED: usize = 4;
/// Maximum number of coordinates of a density that is checked: for a network it may take long.
const MAX_CHECKED: usize = 1000;

impl dyn LogDensity + '_ {
    /// Draws from the prior and evaluates it at the draws. The draws are the same for every seed of a run.
    ///
    /// Draws without a density would get weight zero. The run would then use another prior than the written one, restricted to the part
    /// where it is a number, and its evidence would be too low by that share.
    pub(super) fn check_prior(&self) -> Result<(), Error> {
        let dim = self.dim();
        let Some(prior) = self.prior().filter(|_| dim <= MAX_CHECKED) else {
            return Ok(());
        };
        let mut particles = Particles::new(DRAWS, dim);
        let mut panicked = None;
        for (i, position) in particles.positions.chunks_exact_mut(dim).enumerate() {
            let key = Key::new(0, Purpose::Validation).item(i as u64);
            let drawn = prior.draw_or_nan(&mut key.stream(), position);
            panicked = panicked.or(drawn.err());
        }
        // the run counts panics and names their message
        for (i, _) in panics::evaluate(&mut particles.block(), |block| self.evaluate(block)) {
            particles.log_prior[i] = 0.0;
        }
        let nan: Vec<usize> = (0..DRAWS)
            .filter(|i| particles.log_prior[*i].is_nan())
            .collect();
        let Some(first) = nan.first().filter(|_| nan.len() >= REFUSED) else {
            return Ok(());
        };
        let values = [
            particles.log_prior[*first],
            particles.log_likelihood[*first],
        ];
        Err(Error::NanPrior {
            model: self.describe().name,
            draws: PriorDraws {
                met: nan.len(),
                of: DRAWS,
            },
            cause: match panicked {
                Some(message) => format!(", since the draw panicked: {message}"),
                None => self.first_nan(particles.position(*first), values),
            },
        })
    }

    /// The first statement that is NaN at a position where the log prior and the log likelihood are `values`, in words.
    fn first_nan(&self, position: &[f64], values: [f64; 2]) -> String {
        let statements = self.describe().statements;
        let terms = self.quantities().non_finite_terms(position, values);
        let found = terms.iter().find(|found| found.term.is_nan());
        let place = found.and_then(|found| Some((found, statements.get(found.statement)?)));
        place.map_or_else(String::new, |(found, statement)| {
            let equations = self.inexact_equations(position);
            let equations = equations.map_or_else(String::new, |text| format!("; {text}"));
            let cause = found.cause.as_ref();
            let cause = cause.map_or_else(String::new, |c| format!(": {c}{}", advice(c)));
            format!(", first in {}{cause}{equations}", statement.quoted())
        })
    }
}
