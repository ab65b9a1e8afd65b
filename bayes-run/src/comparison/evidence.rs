//! One log evidence from two samplers that do not share their blind spots: tempered islands and nested islands.

use crate::diagnose::{Estimate, Warning, student, wrapped};
use crate::run::Run;
use crate::text::{self, Style, grouped};
use std::fmt;

/// The probability of the interval of the difference that must contain 0 if both agree: two right estimates fail in 3 of 1000 comparisons.
///
/// Until there the error of their mean grows with the difference ([`Estimate::pooled_with`]): at equal errors it reaches both. With a limit of 0.95
/// one of 20 right pairs would lose its mean, and beyond 0.997 the mean would hide that one of the two is wrong.
const AGREEMENT: f64 = 0.997;
/// A difference that chance explains less often than this is said to be large.
const RARE: f64 = 0.05;
/// With this many degrees of freedom Student's t is normal.
const NORMAL: f64 = 1e6;
/// The allowed relative difference of two exact log evidences.
const ROUNDING: f64 = 1e-9;
/// The difference of the log evidences from which the higher one is believed, in nats.
///
/// Estimates of an evidence are unbiased, or nearly. They are seldom far above the truth (a factor a with a probability of at most 1/a, by
/// Markov's inequality; Grosse, Ancha & Roy 2016), but may be far below it whenever a part of the posterior is missed. In nested sampling,
/// adaptation and moves that are too short raise them by up to a few tenths in 25 coordinates, so a smaller difference decides nothing.
const DECISIVE: f64 = 1.0;
/// What a text says of runs with warnings that doubt the log evidence.
const TEMPERED_DOUBTED: &str = " The tempered islands have a warning, so they have at least the error of the nested islands in this mean.";
const NESTED_DOUBTED: &str = " The nested islands have a warning, so they have at least the error of the tempered islands in this mean.";
const BOTH_DOUBTED: &str = " Both have a warning, so both have the larger error in this mean.";

/// The joint result of two estimates of one log evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The 99.7% interval of their difference, by Student's t, contains 0. The estimate is their mean, weighted by the inverse variances. A run
    /// with a warning that doubts its log evidence has at least the error of the other there, so it has at most half of the weight.
    Agree,
    /// Their difference is outside that interval, and less than 1. The estimate lies between them, with an error that covers both.
    Apart,
    /// The tempered islands find at least 1 more than the nested islands, and are believed.
    Tempered,
    /// The nested islands find at least 1 more than the tempered islands, and are believed.
    Nested,
}

/// The runs of two samplers and their joint log evidence.
#[derive(Clone, Debug)]
pub struct CheckedEvidence {
    /// The run of tempered islands.
    pub tempered: Run,
    /// The run of nested islands.
    pub nested: Run,
}

impl CheckedEvidence {
    /// Both estimates of the log evidence, tempered first; `None` unless both are finite and have an error.
    fn both(&self) -> Option<[Estimate; 2]> {
        let estimates = [
            self.tempered.log_evidence_estimate()?,
            self.nested.log_evidence_estimate()?,
        ];
        let is_known = |e: &Estimate| e.mean.is_finite() && e.se.is_finite();
        estimates.iter().all(is_known).then_some(estimates)
    }

    /// Whether the two agree, or which is believed; `None` if one has no log evidence, or no error for it.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.both().map(verdict)
    }

    /// The joint log evidence, by the verdict; `None` if one has none, or no error for it.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        let both = self.both()?;
        Some(together(both, self.are_doubted()))
    }

    /// Whether a run has a warning that its log evidence may be further off than its error says, tempered first.
    fn are_doubted(&self) -> [bool; 2] {
        [&self.tempered, &self.nested].map(|run| {
            let joined = run.log_evidence_joined();
            let is_joined = joined.is_some_and(|joined| joined.weight_of_path <= LEAST_WEIGHT);
            let warnings = run.warnings();
            warnings
                .iter()
                .any(|one| one.doubts_evidence() && !(is_joined && one.is_of_path()))
        })
    }

    /// The warnings of both runs: first of the tempered islands, then of the nested ones.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        [self.tempered.warnings(), self.nested.warnings()].concat()
    }

    /// The run whose draws to use: the believed one, or the tempered islands if neither is believed over the other.
    #[must_use]
    pub fn posterior(&self) -> &Run {
        match self.verdict() {
            Some(Verdict::Nested) => &self.nested,
            _ => &self.tempered,
        }
    }
}

impl fmt::Display for CheckedEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_verdict(f)?;
        for (islands, run) in [("tempered", &self.tempered), ("nested", &self.nested)] {
            let label = format!("warning of the {islands} islands: ");
            for warning in run.warnings() {
                wrapped::write(f, &label, &warning.to_string())?;
            }
        }
        Ok(())
    }
}

impl CheckedEvidence {
    fn write_verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self
            .estimate()
            .map_or_else(|| "unknown".to_owned(), |found| with_error(&found));
        writeln!(f, "log evidence {text}")?;
        write_run(f, "tempered", &self.tempered)?;
        write_run(f, "nested", &self.nested)?;
        let Some(estimates) = self.both() else {
            return writeln!(f, "One of the two has no log evidence, or no error of it.");
        };
        let apart = in_words(&estimates[1].minus(&estimates[0]));
        match verdict(estimates) {
            Verdict::Agree => {
                let doubted = match self.are_doubted() {
                    [false, false] => "",
                    [true, false] => TEMPERED_DOUBTED,
                    [false, true] => NESTED_DOUBTED,
                    [true, true] => BOTH_DOUBTED,
                };
                writeln!(
                    f,
                    "{apart} {RULE} They agree: the log evidence above is their mean with weights 1 / error²; where they differ by more than one error, its \
                     error is larger by that factor.{doubted}"
                )
            }
            Verdict::Apart => writeln!(
                f,
                "{apart} {RULE} They do not: one of the two, or both, is not right to its printed error. The log evidence above is halfway between them, and its \
                 error covers both. Use more particles, or more moves, in both."
            ),
            believed => {
                let (higher, other) = match believed {
                    Verdict::Nested => ("nested", "tempered"),
                    _ => ("tempered", "nested"),
                };
                writeln!(
                    f,
                    "{apart} {RULE} They do not: the {higher} islands are believed, because an estimate of the evidence is seldom much too high, but too low wherever \
                     a part of the posterior is missed, as the {other} islands seem to do. Take the posterior from the {higher} islands \
                     (`evidence.posterior()`)."
                )
            }
        }
    }
}

/// A path from the prior with a smaller weight in the log evidence is not doubted: integration around the mode decides.
const LEAST_WEIGHT: f64 = 0.1;

/// The rule of agreement, in words: [`AGREEMENT`].
const RULE: &str =
    "Two estimates agree if chance explains their difference more often than 3 times in 1000.";

/// The size of a difference, and how often chance makes two right estimates differ as much.
fn in_words(off: &Estimate) -> String {
    let size = Style::for_error(off.se, off.mean.abs()).write(off.mean.abs());
    let errors = off.mean.abs() / off.se;
    if !errors.is_finite() {
        return format!("The two differ by {size}.");
    }
    let differ = format!("The two differ by {size}, {errors:.1} standard errors of the difference");
    // the square of Student's t is an F
    match student::fisher_tail(errors * errors, 1.0, off.degrees_of_freedom.min(NORMAL)) {
        chance if chance >= RARE => format!("{differ}, as chance explains."),
        chance if chance >= 1e-6 => format!(
            "{differ}: two right estimates differ this much in one of {} comparisons.",
            grouped((1.0 / chance).round() as u64)
        ),
        _ => format!("{differ}, more than chance explains."),
    }
}

/// One of the two runs, on a line.
fn write_run(f: &mut fmt::Formatter<'_>, name: &str, run: &Run) -> fmt::Result {
    let text = run
        .log_evidence_estimate()
        .map_or_else(|| "none".to_owned(), |found| with_error(&found));
    let counts = run.counts();
    let warnings = match run.warnings().len() {
        0 => String::new(),
        1 => "; 1 warning".to_owned(),
        many => format!("; {many} warnings"),
    };
    writeln!(
        f,
        "  {name:<9} {text}  ({}, {}, {} gradients and {} densities{warnings})",
        run.engine,
        run.moves(),
        grouped(counts.gradient_evaluations),
        grouped(counts.density_evaluations)
    )
}

/// A number with its standard error.
fn with_error(estimate: &Estimate) -> String {
    text::with_error(estimate.mean, estimate.se)
}

/// The verdict on a tempered and a nested estimate.
fn verdict([tempered, nested]: [Estimate; 2]) -> Verdict {
    let off = nested.minus(&tempered);
    // both are exact, as for a constant likelihood, up to rounding
    if off.mean.abs() <= ROUNDING * (1.0 + tempered.mean.abs()) {
        return Verdict::Agree;
    }
    let (low, high) = off.interval(AGREEMENT);
    if (low..=high).contains(&0.0) {
        Verdict::Agree
    } else if off.mean.abs() < DECISIVE {
        Verdict::Apart
    } else if off.mean > 0.0 {
        Verdict::Nested
    } else {
        Verdict::Tempered
    }
}

/// The joint estimate of a tempered and a nested one. A doubted estimate must not win by its error: it has at least the error of the other.
fn together([tempered, nested]: [Estimate; 2], doubted: [bool; 2]) -> Estimate {
    let largest = tempered.se.max(nested.se);
    let trusted = |one: Estimate, is_doubted| Estimate {
        se: if is_doubted { largest } else { one.se },
        ..one
    };
    match verdict([tempered, nested]) {
        Verdict::Agree => trusted(tempered, doubted[0]).pooled_with(&trusted(nested, doubted[1])),
        Verdict::Apart => tempered.mixed_with(&nested, 0.5),
        Verdict::Tempered => tempered,
        Verdict::Nested => nested,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::run::example::{chains, islands, of_island};
    use crate::run::{LocalMass, Weights};

    fn joint(both: [Estimate; 2]) -> Estimate {
        together(both, [false, false])
    }

    fn estimate(mean: f64, se: f64) -> Estimate {
        Estimate {
            mean,
            se,
            degrees_of_freedom: 100.0,
        }
    }

    #[test]
    fn the_difference_decides() {
        let of = |a, b| verdict([a, b]);
        let precise = estimate(-3.0, 0.01);
        assert_eq!(of(precise, estimate(-2.8, 0.1)), Verdict::Agree);
        assert_eq!(of(precise, estimate(-2.5, 0.1)), Verdict::Apart);
        assert_eq!(of(precise, estimate(-1.0, 0.1)), Verdict::Nested);
        assert_eq!(of(precise, estimate(-5.0, 0.1)), Verdict::Tempered);
        let exact = estimate(-3.0, 0.0);
        assert_eq!(of(exact, estimate(-3.0 + 1e-12, 0.0)), Verdict::Agree);
        assert_eq!(joint([exact, exact]), exact);
        // a wide error decides nothing
        assert_eq!(of(precise, estimate(-1.0, 1.0)), Verdict::Agree);
    }

    #[test]
    fn the_error_of_both_covers_both() {
        let equal = joint([estimate(-3.0, 0.1), estimate(-3.0, 0.1)]);
        assert!((equal.se - 0.1 / 2f64.sqrt()).abs() < 1e-12, "{equal:?}");
        // two errors of the difference apart: the error is wider by that factor
        let apart = joint([estimate(-3.0, 0.1), estimate(-3.0 + 0.08f64.sqrt(), 0.1)]);
        assert!((apart.se - 2.0 * equal.se).abs() < 1e-12, "{apart:?}");
        let far = joint([estimate(-3.0, 0.01), estimate(-2.5, 0.1)]);
        assert!((far.mean + 2.75).abs() < 1e-12 && far.se > 0.25, "{far:?}");
        let higher = joint([estimate(-3.0, 0.01), estimate(-1.0, 0.1)]);
        assert_eq!(higher, estimate(-1.0, 0.1));
    }

    /// Seen to fail if printed errors decide: the mean is -2.998 with an error of 0.0198.
    #[test]
    fn a_doubted_error_does_not_win() {
        let (tempered, nested) = (estimate(-3.0, 0.01), estimate(-2.8, 0.1));
        let found = together([tempered, nested], [true, false]);
        assert!((found.mean + 2.9).abs() < 1e-12, "{found:?}");
        // 0.1 / √2, wider by the 1.4 errors of the difference
        assert!((found.se - 0.1).abs() < 1e-12, "{found:?}");
        // the larger error stays as it is
        let pooled = together([tempered, nested], [false, true]);
        assert_eq!(pooled, joint([tempered, nested]));
        let both = together([tempered, nested], [true, true]);
        assert_eq!(both, found);
    }

    /// A path that is far too low has a warning, but integration replaced it.
    #[test]
    fn a_path_that_does_not_count_raises_no_doubt() {
        let mut replaced = islands(&[-6.0, -6.1, -5.9, -6.0], 64);
        for group in &mut replaced.groups {
            let mut mass = LocalMass {
                mode: vec![0.0; 3],
                values: vec![0.0; 3],
                factor: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
                radius: 2.5,
                log_mass: -3.0 + 0.9_f64.ln(),
                se: 0.03,
                draws: None,
            };
            let ancestors = of_island(group).ancestors.clone();
            let positions = group.positions.chunks_exact(3);
            mass.draws = Some(mass.draws_of(positions, &Weights::equal(64), &ancestors, 64));
            of_island(group).local_masses = vec![mass];
        }
        let is_missed = |one: &Warning| matches!(one, Warning::MissedMass(_));
        assert!(replaced.warnings().iter().any(is_missed));
        let evidence = |tempered: &Run| CheckedEvidence {
            tempered: tempered.clone(),
            nested: islands(&[-3.0, -3.02, -2.98, -3.01, -3.0, -2.99], 64),
        };
        assert!(!evidence(&replaced).are_doubted()[0]);
        // a pilot's evidence stays, and is doubted
        replaced
            .settings
            .insert("pilot".to_owned(), "64".to_owned());
        assert!(evidence(&replaced).are_doubted()[0]);
    }

    /// The tails of scipy.stats.t.sf; the mutation that it detects: one tail.
    #[test]
    fn a_difference_is_said_in_numbers_of_comparisons() {
        let of = |mean, degrees_of_freedom| {
            in_words(&Estimate {
                mean,
                se: 0.1,
                degrees_of_freedom,
            })
        };
        let many = of(-0.29, f64::INFINITY);
        let wanted = "The two differ by 0.29, 2.9 standard errors of the difference: two right estimates differ this much in one of 268 comparisons.";
        assert_eq!(many, wanted);
        assert!(of(0.29, 3.0).ends_with("as chance explains."));
        assert!(
            of(0.29, 7.0).ends_with("in one of 44 comparisons."),
            "{}",
            of(0.29, 7.0)
        );
        assert!(of(0.9, f64::INFINITY).ends_with("more than chance explains."));
        assert_eq!(in_words(&Estimate::exact(0.5)), "The two differ by 0.5000.");
    }

    #[test]
    fn the_warnings_of_both_runs_are_gathered_and_printed() {
        let scattered = islands(&[-6.0, -1.0, -3.0, -9.0, -2.0, -5.0], 64);
        let mut both = CheckedEvidence {
            tempered: islands(&[-3.0, -3.02, -2.98, -3.01, -3.0, -2.99], 64),
            nested: scattered.clone(),
        };
        let own = scattered.warnings();
        assert!(!own.is_empty());
        assert_eq!(both.warnings(), own);
        let text = both.to_string();
        assert!(text.contains("warning of the nested islands: "), "{text}");
        both.tempered = scattered;
        assert_eq!(both.warnings().len(), 2 * own.len());
        let text = both.to_string();
        assert!(text.contains("warning of the tempered islands: "), "{text}");
    }

    #[test]
    fn a_run_says_what_it_believes_and_why() {
        let low = islands(&[-5.0, -5.02, -4.98, -5.01, -5.0, -4.99], 64);
        let high = islands(&[-3.0, -3.02, -2.98, -3.01, -3.0, -2.99], 64);
        let evidence = CheckedEvidence {
            tempered: low.clone(),
            nested: high.clone(),
        };
        assert_eq!(evidence.verdict(), Some(Verdict::Nested));
        assert_eq!(evidence.posterior().log_evidence(), high.log_evidence());
        let text = evidence.to_string();
        assert!(text.contains("the nested islands are believed"), "{text}");
        let same = CheckedEvidence {
            tempered: low.clone(),
            nested: low,
        };
        let text = same.to_string();
        assert!(text.contains("The two differ by 0"), "{text}");
        assert!(
            text.contains("They agree: the log evidence above is their mean"),
            "{text}"
        );
        let none = CheckedEvidence {
            tempered: chains(2, 8),
            nested: high,
        };
        assert_eq!((none.verdict(), none.estimate()), (None, None));
        assert!(
            none.to_string().starts_with("log evidence unknown"),
            "{none}"
        );
    }
}
