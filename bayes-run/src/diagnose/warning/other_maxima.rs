//! Approximations: climbs ended at maxima that no draw is near.

use super::{Message, shown};
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::order;
use crate::run::{Climbs, Group, Maximum, Run, Variable};
use crate::text::{count, percent, short};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A maximum with fewer draws in the ellipsoid of its Gaussian, or less than one of `SCARCE`, is not in the approximation; with more of them
/// their weights tell.
const FEW: u64 = 5;
const SCARCE: u64 = 50;
/// Maxima with a smaller share of the posterior do not matter.
const LEAST: f64 = 0.01;
/// Log densities that differ by less, relative to their size, are those of copies: components of a mixture that have changed places.
const SAME: f64 = 1e-6;
/// Number of elements that are named: the elements in which the maximum is farthest from the mean of the draws.
const NAMED: usize = 3;

/// Climbs of the log density ended at maxima that no draw of the approximation is near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherMaxima {
    /// Number of climbs.
    pub climbs: u64,
    /// Number of climbs that ended at these maxima.
    pub elsewhere: u64,
    /// Number of these maxima.
    pub maxima: usize,
    /// Elements with their values at the one with most mass.
    pub place: Vec<(String, f64)>,
    /// Number of elements that are not named.
    pub more: usize,
    /// The log density there.
    pub log_density: f64,
    /// Number of draws near these maxima: a few at most.
    pub draws: u64,
    /// The share of the posterior around all of these maxima.
    pub share: f64,
    /// The log evidence of the approximation and the one with these maxima; `None` with an improper prior.
    pub log_evidence: Option<[f64; 2]>,
    /// Whether the highest maximum of the approximation and of these have the same density, as copies do.
    pub are_copies: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<OtherMaxima> {
    let log_mass = run.log_mass_of_approximation()?;
    let found = climbs(run)?;
    let draws: u64 = run
        .groups
        .iter()
        .map(|group| group.log_prior.len() as u64)
        .sum();
    let has_draws =
        |maximum: &&Maximum| maximum.draws > 0 && maximum.draws >= FEW.min(draws / SCARCE);
    let (near, far): (Vec<&Maximum>, Vec<&Maximum>) = found.maxima.iter().partition(has_draws);
    // draws that are too wide in many coordinates are in no ellipsoid, not even in the one of their own maximum; k-hat tells
    if near.is_empty() && !is_close(run) {
        return None;
    }
    // relative to the largest of all, because a mass may be e^1000 times the one of the draws
    let masses = || far.iter().map(|maximum| maximum.log_mass);
    let unit = masses().fold(log_mass, f64::max);
    let whole = (log_mass - unit).exp() + masses().map(|mass| (mass - unit).exp()).sum::<f64>();
    let share = |maximum: &Maximum| (maximum.log_mass - unit).exp() / whole;
    let matters = |maximum: &&&Maximum| share(maximum) >= LEAST;
    let missed: Vec<&Maximum> = far.iter().filter(matters).copied().collect();
    let largest = missed
        .iter()
        .max_by(|a, b| a.log_mass.total_cmp(&b.log_mass))?;
    let with_them = unit + whole.ln();
    let is_copy = |own: &&Maximum| {
        let apart = (own.log_density - largest.log_density).abs();
        apart <= SAME * (1.0 + own.log_density.abs())
    };
    let (place, more) = place(run, largest);
    Some(OtherMaxima {
        climbs: found.number,
        elsewhere: missed.iter().map(|maximum| maximum.climbs).sum(),
        maxima: missed.len(),
        place,
        more,
        log_density: largest.log_density,
        draws: missed.iter().map(|maximum| maximum.draws).sum(),
        share: missed.iter().map(|maximum| share(maximum)).sum(),
        log_evidence: (!run.has_improper_prior()).then_some([log_mass, with_them]),
        are_copies: near.first().is_some_and(is_copy),
    })
}

/// Whether k-hat is low.
fn is_close(run: &Run) -> bool {
    let found = run.importance();
    found.is_some_and(|found| found.pareto_k <= Psis::finite_k(found.log_weights.len()))
}

/// The climbs of an approximation.
fn climbs(run: &Run) -> Option<&Climbs> {
    let mut independent = run.groups.iter().filter_map(Group::independent);
    independent.find_map(|own| own.climbs.as_ref())
}

/// The elements in which the maximum is farthest from the draws, in whole standard deviations, and the number of the other elements. What a
/// formula hides is left out.
fn place(run: &Run, maximum: &Maximum) -> (Vec<(String, f64)>, usize) {
    let names = run.layout.element_names();
    let seen = |k: usize| {
        let (name, value) = (names[k].clone(), maximum.values[k]);
        let column = run.column(k).concat();
        let number = column.len() as f64;
        let mean = column.iter().sum::<f64>() / number;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / number;
        let distance = ((value - mean).abs() / variance.sqrt()).floor();
        let distance = if distance.is_nan() { 0.0 } else { distance };
        (distance, (name, value))
    };
    let all = shown(run).flat_map(Variable::range).map(seen).collect();
    let all = order::descending_by(all, |(distance, _)| *distance);
    let more = all.len().saturating_sub(NAMED);
    (
        all.into_iter().take(NAMED).map(|found| found.1).collect(),
        more,
    )
}

impl Message for OtherMaxima {
    fn problem(&self) -> String {
        let Self {
            climbs,
            elsewhere,
            more,
            ..
        } = self;
        let named = self.place.iter();
        let named: Vec<String> = named
            .map(|(name, value)| format!("`{name}` = {}", short(*value)))
            .collect();
        let named = named.join(", ");
        let rest = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let others = match self.maxima {
            1 => "another maximum".to_owned(),
            maxima => format!("{maxima} other maxima"),
        };
        let near = match self.draws {
            0 => "no draw is near",
            _ => "hardly any draw is near",
        };
        let of = count(*climbs, "climb");
        let at = if self.maxima == 1 {
            "it is at"
        } else {
            "one is at"
        };
        let height = short(self.log_density);
        let share = percent(self.share);
        let them = if self.maxima == 1 { "it" } else { "them" };
        let evidence = match self.log_evidence {
            Some([own, with]) => {
                format!("; with {them} the log evidence is about {with:.2}, and not {own:.2}")
            }
            None => String::new(),
        };
        format!(
            "{elsewhere} of {of} ended at {others} of the posterior density that {near}: {at} {named}{rest}, with the log density {height}, and about \
             {share} of the posterior is around {them}{evidence}"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.are_copies {
            return "The density is the same there, as where the components of a mixture change places: order them in the model by \
                    `.ordered()`, or use only what does not depend on their order. Otherwise means, \
                    intervals and the evidence lack this part: use an engine that finds several modes, such as `Inference::psmc()`.";
        }
        "Means, intervals and the evidence lack this part, and neither k-hat nor the weights show it: use an engine that finds several \
         modes, such as `Inference::psmc()`."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        self.are_copies.then_some(
            "The density is the same there, as where terms that are alike change places: leave one of them out, or use only what does not \
             depend on their order. Otherwise means, intervals and the evidence lack this part: use an engine that finds several modes, such \
             as `Inference::psmc()`."
                .into(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::model::Recipe;
    use crate::run::example::{approximation, of_draws};

    fn maximum(climbs: u64, log_density: f64, log_mass: f64, draws: u64) -> Maximum {
        Maximum {
            climbs,
            log_density,
            values: vec![0.1, 0.2, -40.0],
            log_mass,
            draws,
        }
    }

    /// An exact approximation, with the maximum where its draws are and another.
    fn with(other: Maximum) -> Run {
        let mut run = approximation(1000, 1.0);
        let own = maximum(5, -1.0, own(), 900);
        of_draws(&mut run.groups[0]).climbs = Some(Climbs {
            number: 8,
            maxima: vec![own, other],
        });
        run
    }

    fn own() -> f64 {
        let run = approximation(1000, 1.0);
        run.log_mass_of_approximation().expect("it is one")
    }

    #[test]
    fn a_maximum_without_draws_is_named_with_its_share() {
        // a quarter of the mass: a third of what the draws have
        let run = with(maximum(3, -2.0, own() - 3f64.ln(), 0));
        let whole = own() + (4.0f64 / 3.0).ln();
        assert_warned(
            &run,
            &format!(
                "3 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = \
                 0.1000, `beta[0]` = 0.2000, with the log density -2.000, and about 25% of the posterior is around it; with it the log \
                 evidence is about {whole:.2}, and not {:.2}. Means, intervals and the evidence lack this part, and neither k-hat nor the \
                 weights show it: use an engine that finds several modes, such as `Inference::psmc()`.",
                own()
            ),
        );
    }

    /// Would detect hidden coordinates among the elements, and in the number of the others.
    #[test]
    fn what_a_formula_hides_is_not_named() {
        let mut run = with(maximum(3, -1.0, own(), 0));
        let other = maximum(1, -2.0, own() - 1.0, 0);
        let climbs = &mut of_draws(&mut run.groups[0]).climbs;
        climbs.as_mut().expect("it has some").maxima.push(other);
        run.recipe = Some(Recipe {
            hidden: vec!["beta".to_owned()],
            ..Recipe::default()
        });
        let text = run.warnings()[0].to_string();
        assert!(
            text.contains("one is at `mu` = 0.1000, with the log density"),
            "{text}"
        );
        assert!(text.contains("; with them the log evidence"), "{text}");
        assert!(
            text.contains("terms that are alike change places"),
            "{text}"
        );
        assert!(!text.contains("sample("), "{text}");
    }

    #[test]
    fn copies_are_told_from_other_maxima() {
        let run = with(maximum(3, -1.0 - 1e-9, own(), 0));
        let [warning] = &run.warnings()[..] else {
            panic!("{:?}", run.warnings());
        };
        assert!(warning.remedy().contains("change places"), "{warning}");
    }

    #[test]
    fn maxima_that_do_not_matter_are_not_told() {
        // little mass; draws nearby, whose weights tell
        for other in [
            maximum(3, -2.0, own() - 6.0, 0),
            maximum(3, -2.0, own(), 100),
        ] {
            let run = with(other);
            assert!(run.warnings().is_empty(), "{:?}", run.warnings());
        }
    }

    /// Would detect a number of draws that does not depend on all, and a maximum with draws of which it is said that none is near.
    #[test]
    fn few_draws_are_few_of_all() {
        let of = |number: usize, draws: u64| {
            let mut run = approximation(number, 1.0);
            let log_mass = run.log_mass_of_approximation().expect("it is one");
            let maxima = vec![
                maximum(5, -1.0, log_mass, number as u64 / 2),
                maximum(3, -2.0, log_mass, draws),
            ];
            of_draws(&mut run.groups[0]).climbs = Some(Climbs { number: 8, maxima });
            let told = run.warnings().first().map(Warning::problem);
            told.unwrap_or_default()
        };
        assert!(of(1000, 4).contains("that hardly any draw is near"));
        assert!(of(1000, 5).is_empty());
        assert!(of(100, 0).contains("that no draw is near"));
        assert!(of(100, 1).contains("that hardly any draw is near"));
        assert!(of(100, 2).is_empty());
    }

    /// Draws that are too wide in each coordinate are hardly ever in the ellipsoid of the only maximum.
    #[test]
    fn the_maximum_of_draws_that_are_too_wide_is_theirs() {
        let of = |scale: f64| {
            let mut run = approximation(1000, scale);
            let log_mass = run.log_mass_of_approximation().expect("it is one");
            let maxima = vec![maximum(8, -1.0, log_mass, 0)];
            of_draws(&mut run.groups[0]).climbs = Some(Climbs { number: 8, maxima });
            run.warnings()
        };
        let is_other = |warning: &Warning| matches!(warning, Warning::OtherMaxima(_));
        // k-hat is 0.9, and 0
        let poor = of(0.6);
        assert!(matches!(poor[0], Warning::ApproximationPoor(_)), "{poor:?}");
        assert!(!poor.iter().any(is_other), "{poor:?}");
        assert!(of(1.0).iter().any(is_other));
    }
}
