//! Approximations: climbs ended at maxima that no draw is near.

use super::{Message, shown};
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Climbs, Group, Maximum, Run, Variable};
use crate::text::{count, percent, short};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A maximum with fewer draws in the ellipsoid of its Gaussian is not in the approximation; with more of them their weights tell.
const FEW: u64 = 5;
/// Maxima with a smaller share of the posterior do not matter.
const LEAST: f64 = 0.01;
/// A maximum whose mass was not measured may matter if its log density is at most this much below the highest.
const NEAR: f64 = 10.0;
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
    /// The share of the posterior around all of these maxima; `None` if it was not measured.
    pub share: Option<f64>,
    /// The log evidence of the approximation and the one with these maxima; `None` with an improper prior, or if no mass was measured.
    pub log_evidence: Option<[f64; 2]>,
    /// Whether the highest maximum of the approximation and of these have the same density, as copies do.
    pub are_copies: bool,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<OtherMaxima> {
    let log_mass = run.log_mass_of_approximation()?;
    let found = climbs(run)?;
    let (near, far): (Vec<&Maximum>, Vec<&Maximum>) = found
        .maxima
        .iter()
        .partition(|maximum| maximum.draws >= FEW);
    let highest = found.maxima.first()?.log_density;
    // relative to the largest of all, because a mass may be e^1000 times the one of the draws
    let masses = || far.iter().filter_map(|maximum| maximum.log_mass);
    let unit = masses().fold(log_mass, f64::max);
    let whole = (log_mass - unit).exp() + masses().map(|mass| (mass - unit).exp()).sum::<f64>();
    let share = |maximum: &Maximum| Some((maximum.log_mass? - unit).exp() / whole);
    let matters = |maximum: &&&Maximum| match share(maximum) {
        Some(share) => share >= LEAST,
        None => maximum.log_density >= highest - NEAR,
    };
    let missed: Vec<&Maximum> = far.iter().filter(matters).copied().collect();
    let size = |maximum: &&&Maximum| share(maximum).unwrap_or(0.0);
    let largest = missed.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let shares: Vec<f64> = missed.iter().filter_map(|maximum| share(maximum)).collect();
    let is_measured = !shares.is_empty();
    let with_them = unit + whole.ln();
    let has_evidence = is_measured && !run.has_improper_prior();
    let near = near.first();
    let is_copy = |own: &&Maximum| {
        let apart = (own.log_density - largest.log_density).abs();
        apart <= SAME * (1.0 + own.log_density.abs())
    };
    let (place, more) = place(run, largest, elements);
    Some(OtherMaxima {
        climbs: found.number,
        elsewhere: missed.iter().map(|maximum| maximum.climbs).sum(),
        maxima: missed.len(),
        place,
        more,
        log_density: largest.log_density,
        share: is_measured.then(|| shares.iter().sum()),
        log_evidence: has_evidence.then_some([log_mass, with_them]),
        are_copies: near.is_some_and(is_copy),
    })
}

/// The climbs of an approximation.
fn climbs(run: &Run) -> Option<&Climbs> {
    let mut independent = run.groups.iter().filter_map(Group::independent);
    independent.find_map(|own| own.climbs.as_ref())
}

/// The elements in which the maximum is farthest from the draws, in whole standard deviations, and the number of the other elements. What a
/// formula hides is left out.
fn place(
    run: &Run,
    maximum: &Maximum,
    elements: &[ColumnDiagnostics],
) -> (Vec<(String, f64)>, usize) {
    let seen = |k: usize| {
        let (name, value) = (elements[k].name.clone(), maximum.values[k]);
        let column = run.column(k).concat();
        let number = column.len() as f64;
        let mean = column.iter().sum::<f64>() / number;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / number;
        let distance = ((value - mean).abs() / variance.sqrt()).floor();
        let distance = if distance.is_nan() { 0.0 } else { distance };
        (distance, (name, value))
    };
    let mut all: Vec<_> = shown(run).flat_map(Variable::range).map(seen).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
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
            1 => "another maximum of the posterior density that no draw is near".to_owned(),
            maxima => {
                format!("{maxima} other maxima of the posterior density that no draw is near")
            }
        };
        let of = count(*climbs, "climb");
        let at = if self.maxima == 1 {
            "it is at"
        } else {
            "one is at"
        };
        let height = short(self.log_density);
        let share = match self.share {
            Some(share) if self.maxima == 1 => {
                format!("about {} of the posterior is around it", percent(share))
            }
            Some(share) => format!("about {} of the posterior is around them", percent(share)),
            None => "how much of the posterior is there is not known".to_owned(),
        };
        let evidence = match self.log_evidence {
            Some([own, with]) => {
                let them = if self.maxima == 1 { "it" } else { "them" };
                format!("; with {them} the log evidence is about {with:.2}, and not {own:.2}")
            }
            None => String::new(),
        };
        format!(
            "{elsewhere} of {of} ended at {others}: {at} {named}{rest}, with the log density {height}, and {share}{evidence}"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.are_copies {
            return "The density is the same there, as where the components of a mixture change places: order them in the model, \
                    `sample(Normal::new(0.0, 5.0).iid(3).ordered())`, or use only what does not depend on their order. Otherwise means, \
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
    use crate::diagnose::warning::testing::assert_warned;
    use crate::model::Recipe;
    use crate::run::example::{approximation, of_draws};

    fn maximum(climbs: u64, log_density: f64, log_mass: Option<f64>, draws: u64) -> Maximum {
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
        let own = maximum(5, -1.0, run.log_mass_of_approximation(), 900);
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
        let run = with(maximum(3, -2.0, Some(own() - 3f64.ln()), 0));
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
        let mut run = with(maximum(3, -1.0, Some(own()), 0));
        let other = maximum(1, -2.0, Some(own()), 0);
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
        let run = with(maximum(3, -1.0 - 1e-9, Some(own()), 0));
        let [warning] = &run.warnings()[..] else {
            panic!("{:?}", run.warnings());
        };
        assert!(warning.remedy().contains("change places"), "{warning}");
    }

    #[test]
    fn maxima_that_do_not_matter_are_not_told() {
        // little mass; draws nearby, whose weights tell; far below where the mass is unknown
        for other in [
            maximum(3, -2.0, Some(own() - 6.0), 0),
            maximum(3, -2.0, Some(own()), 100),
            maximum(3, -20.0, None, 0),
        ] {
            let run = with(other);
            assert!(run.warnings().is_empty(), "{:?}", run.warnings());
        }
        let run = with(maximum(3, -2.0, None, 0));
        let text = run.warnings()[0].to_string();
        assert!(
            text.contains("how much of the posterior is there is not known"),
            "{text}"
        );
    }
}
