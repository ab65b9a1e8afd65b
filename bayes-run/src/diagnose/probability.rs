//! Posterior probabilities of events, also of those that no draw, or every draw, has.

use super::{ColumnDiagnostics, Estimate};
use crate::run::{DrawView, Run};
use crate::text::short;
use std::fmt;

/// Without an event in n independent draws its probability is at most `3 / n`, with a probability of 95% (Hanley & Lippman-Hand 1983): the rule of
/// three.
const RULE_OF_THREE: f64 = 3.0;

/// The posterior probability of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability {
    /// The share of the draws, with its Monte Carlo error. If it is 0 or 1, the draws do not spread: the error is then 1 over the number of effective
    /// draws, NaN if that is unknown.
    pub estimate: Estimate,
    /// What is known if no draw, or every draw, has the event; otherwise `None`.
    pub unseen: Option<Unseen>,
}

/// How far a probability may be from 0, if no draw has the event, or from 1, if every draw has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unseen {
    /// The number of effective draws: the least bulk effective size of all elements. NaN if it is unknown.
    pub effective: f64,
    /// `3 / effective`, at most 1: the distance that is not exceeded with a probability of 95%.
    pub distance: f64,
}

impl Unseen {
    pub(crate) fn of(run: &Run) -> Self {
        let columns = ColumnDiagnostics::of_run(run);
        let known = columns.iter().map(|column| column.ess_bulk);
        let least = known.filter(|ess| !ess.is_nan()).reduce(f64::min);
        let effective = least.unwrap_or(f64::NAN);
        Self {
            effective,
            distance: match effective.is_nan() {
                true => f64::NAN,
                false => (RULE_OF_THREE / effective).min(1.0),
            },
        }
    }

    /// The share 0 or 1 with an error.
    pub(crate) fn estimate(&self, share: f64) -> Estimate {
        Estimate {
            mean: share,
            se: 1.0 / self.effective,
            degrees_of_freedom: f64::INFINITY,
        }
    }
}

impl Run {
    /// The posterior probability of an event, with its Monte Carlo error.
    ///
    /// If no draw has the event, or every draw has it, the spread of the draws says nothing of the error. The result then has a bound by the rule of three,
    /// and prints it:
    ///
    /// ```text
    /// let p = run.probability(|draw| draw.scalar("slope") > 0.0);
    /// println!("{p}"); // 1: all of about 3120 effective draws, so at least 0.9990
    /// ```
    #[must_use]
    pub fn probability(&self, event: impl Fn(DrawView<'_>) -> bool) -> Probability {
        let estimate = self.estimate(|draw| f64::from(u8::from(event(draw))));
        let is_spread = estimate.mean > 0.0 && estimate.mean < 1.0;
        Probability {
            estimate,
            unseen: (!is_spread).then(|| Unseen::of(self)),
        }
    }
}

/// `0.214 ± 0.008`, or a bound where the draws do not differ.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Unseen {
            effective,
            distance,
        }) = self.unseen
        else {
            return self.estimate.fmt(f);
        };
        let (share, some) = match self.estimate.mean < 0.5 {
            true => (0, "none"),
            false => (1, "all"),
        };
        let text = match effective.is_nan() {
            true => format!(
                "{share}: {some} of the draws, of which it is unknown how many are effective"
            ),
            false => {
                let bound = match share {
                    0 => format!("at most {}", short(distance)),
                    _ => format!("at least {}", short(1.0 - distance)),
                };
                format!("{share}: {some} of about {effective:.0} effective draws, so {bound}")
            }
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::{chains, islands};

    /// Would detect an error of 0, and NaN.
    #[test]
    fn an_event_of_no_draw_has_a_bound() {
        for run in [chains(4, 250), islands(&[-3.0; 4], 512)] {
            let never = run.probability(|draw| draw.scalar("mu") > 100.0);
            let unseen = never.unseen.expect("no draw is there");
            assert!((100.0..3000.0).contains(&unseen.effective), "{unseen:?}");
            assert!((unseen.distance * unseen.effective - 3.0).abs() < 1e-12);
            assert_eq!(never.estimate.mean, 0.0);
            assert!((never.estimate.se * unseen.effective - 1.0).abs() < 1e-12);
            let text = never.to_string();
            assert!(text.starts_with("0: none of about "), "{text}");
            assert!(text.contains("so at most 0.0"), "{text}");
            let always = run.probability(|draw| draw.scalar("mu") < 100.0);
            assert_eq!((always.estimate.mean, always.unseen), (1.0, Some(unseen)));
            let text = always.to_string();
            assert!(
                text.starts_with("1: all of about ") && text.contains("so at least 0.9"),
                "{text}"
            );
            let half = run.probability(|draw| draw.scalar("mu") < 0.0);
            assert_eq!(
                (half.unseen, half.to_string().contains(" ± ")),
                (None, true)
            );
        }
    }

    #[test]
    fn one_short_chain_has_an_unknown_bound() {
        let never = chains(1, 2).probability(|_| false);
        assert!(never.unseen.expect("no draw is there").distance.is_nan());
        assert_eq!(
            never.to_string(),
            "0: none of the draws, of which it is unknown how many are effective"
        );
    }

    /// Would detect NaN for chains, and an error of 0 of an indicator.
    #[test]
    fn estimates_of_constants_have_errors() {
        for run in [chains(4, 250), chains(1, 3), islands(&[-3.0; 4], 512)] {
            let constant = run.estimate(|_| 2.5);
            assert_eq!((constant.mean, constant.se), (2.5, 0.0));
        }
        let indicator = chains(4, 250).estimate(|_| 1.0);
        assert!((0.0002..0.01).contains(&indicator.se), "{indicator:?}");
    }
}
