//! Stops an island whose temperature ladder would not end, or whose ladder ended because rounding makes all particles equal.

use super::island::Island;
use crate::density::LogDensity;
use crate::error::Error;
use crate::run::Stage;

/// The end of the ladder is forecast at every multiple of this number of temperatures. Ladders of ordinary models are shorter.
const EVERY: usize = 500;
/// The end of the ladder is forecast after this number of consecutive temperatures with tiny increments that do not grow. Such a ladder
/// has 10¹² temperatures, and each may take a hundred mutation steps. Where particles follow the likelihood, increments grow: twofold in
/// a few temperatures of one coordinate. Before that they stay the same. With an ESS of 0.9, particles move a third of a standard
/// deviation of the prior in each temperature, so that they reach data 30 standard deviations away.
const LEAST: usize = 100;
/// An increment below this is tiny.
const TINY: f64 = 1.5e-12;
/// If increments grow by less than this factor over these temperatures, the ladder creeps.
const GROWTH: f64 = 2.0;
/// A forecast of more temperatures than this stops the run: ten times the possible number.
const DOOMED: f64 = 1e5;
/// The largest allowed distance between neighbouring doubles at the final log likelihood: the logarithm of an acceptance probability is
/// of this size.
const COARSE: f64 = 0.5;
/// The steps of a ladder that grows by a constant factor have the same rate in the second quarter of its temperatures, in the third, and
/// later. A rate that falls below this share belongs to growth by a power of the number of temperatures, or to a stall.
const CONSTANT: f64 = 0.7;

/// Checks after a temperature whether the island can reach the end of the path.
///
/// Where the likelihood at the prior's draws is too steep, every temperature moves the particles by about one step of the prior,
/// and 10 000 temperatures end far from the posterior.
///
/// Where the log likelihood is so large that its differences are lost to rounding, all weights are equal. The ladder then ends at once,
/// with particles that know nothing of the data.
///
/// # Errors
/// [`Error::Ladder`] with the forecast; [`Error::Resolution`] at the end of the path.
pub(in crate::engine) fn check(density: &dyn LogDensity, island: &Island) -> Result<(), Error> {
    let history = &island.history;
    if island.is_at_posterior() {
        return resolved(density, island);
    }
    let is_time = !history.is_empty() && history.len().is_multiple_of(EVERY);
    if island.is_done() || !(is_time || creeps(history)) {
        return Ok(());
    }
    let forecast = forecast(history);
    if forecast <= DOOMED {
        return Ok(());
    }
    Err(Error::Ladder {
        model: density.describe().name,
        temperatures: history.len(),
        lambda: island.progress(),
        forecast,
        statement: largest_term(density, island),
    })
}

/// Checks at the end of the path that log likelihoods are resolved.
///
/// # Errors
/// [`Error::Resolution`], with the statement that has the largest term.
pub(in crate::engine) fn resolved(density: &dyn LogDensity, island: &Island) -> Result<(), Error> {
    let Some((_, log_likelihood)) = best(island) else {
        return Ok(());
    };
    let spacing = log_likelihood.abs().next_up() - log_likelihood.abs();
    if spacing <= COARSE {
        return Ok(());
    }
    Err(Error::Resolution {
        model: density.describe().name,
        log_likelihood,
        spacing,
        statement: largest_term(density, island),
    })
}

/// The particle with the largest log likelihood, and its log likelihood, if it is finite.
fn best(island: &Island) -> Option<(usize, f64)> {
    let log_likelihoods = island.particles.log_likelihood.iter().copied();
    let best = log_likelihoods
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, best)| best.is_finite())
}

/// The statement with the largest term at the best particle, in words; empty if it is unknown.
pub(in crate::engine) fn largest_term(density: &dyn LogDensity, island: &Island) -> String {
    let Some((place, _)) = best(island) else {
        return String::new();
    };
    let position = island.particles.position(place);
    let terms = density.quantities().terms(position);
    let statements = density.describe().statements;
    let terms = terms.into_iter().zip(&statements);
    let largest = terms.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let words =
        largest.map(|(term, statement)| format!("; {} alone is {term:.1e}", statement.quoted()));
    let equations = density.inexact_equations(position);
    let equations = equations.map_or_else(String::new, |text| format!("; {text}"));
    words.unwrap_or_default() + &equations
}

/// Whether the increments of all recent temperatures are tiny and do not grow.
fn creeps(history: &[Stage]) -> bool {
    let Some(first) = history.len().checked_sub(LEAST) else {
        return false;
    };
    let before = |at: usize| at.checked_sub(1).map_or(0.0, |at| history[at].lambda);
    let increment = |at: usize| history[at].lambda - before(at);
    let is_tiny = (first..history.len()).all(|at| increment(at) < TINY);
    is_tiny && increment(history.len() - 1) < GROWTH * increment(first)
}

/// The number of temperatures of the whole ladder: λ grows by a constant factor or as a power of the number of temperatures, whichever
/// fits its second half.
///
/// ```text
/// λ_t = λ_s e^{g (t − s)}:  T = t + ln(1/λ_t) / g          λ_t = λ_s (t/s)^p:  T = t (1/λ_t)^{1/p}
/// ```
fn forecast(history: &[Stage]) -> f64 {
    let t = history.len();
    let log_lambda = |stages: usize| history[stages.max(1) - 1].lambda.ln();
    let (now, half, quarter) = (log_lambda(t), log_lambda(t / 2), log_lambda(t / 4));
    let rate = (now - half) / (t - t / 2) as f64;
    let before = (half - quarter) / (t / 2 - t / 4) as f64;
    if rate >= CONSTANT * before {
        t as f64 - now / rate
    } else {
        let power = (now - half) / (t as f64 / (t / 2) as f64).ln();
        t as f64 * (-now / power).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::stage;

    fn ladder(lambda: impl Fn(f64) -> f64) -> Vec<Stage> {
        (1..=EVERY).map(|t| stage(lambda(t as f64), 64)).collect()
    }

    #[test]
    fn a_linear_ladder_needs_the_inverse_of_its_step() {
        let found = forecast(&ladder(|t| 1e-8 * t));
        assert!((found / 1e8 - 1.0).abs() < 1e-6, "{found}");
    }

    #[test]
    fn a_ladder_of_least_increments_creeps() {
        let least = ladder(|t| 1e-12 * t);
        assert!(creeps(&least[..LEAST]) && forecast(&least[..LEAST]) > DOOMED);
        assert!(!creeps(&least[..LEAST - 1]));
        let mut grown = least[..LEAST].to_vec();
        grown[LEAST - 1].lambda += 1e-12;
        assert!(!creeps(&grown));
        let growing = ladder(|t| 1e-18 * (0.2 * t).exp());
        assert!(!creeps(&growing[..LEAST]));
    }

    #[test]
    fn a_geometric_ladder_is_not_doomed() {
        let found = forecast(&ladder(|t| 1e-12 * (0.03 * t).exp()));
        assert!((found - 12.0 * 10f64.ln() / 0.03).abs() < 1.0, "{found}");
    }

    #[test]
    fn an_ordinary_long_ladder_is_not_doomed() {
        // first faster and faster, then linear towards the end
        assert!(forecast(&ladder(|t| (t / 600.0).powi(3))) < 1000.0);
        assert!(forecast(&ladder(|t| 1e-3 + t / 1000.0)) < 2000.0);
    }
}
