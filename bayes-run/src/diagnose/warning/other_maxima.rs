//! Approximations and chains: climbs ended at maxima that no draw is near.

use super::{Message, shown};
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::numeric::log_sum_exp;
use crate::order;
use crate::run::{Climbs, Group, LocalMass, Maximum, Run, Variable};
use crate::text::{count, percent, short};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A maximum with fewer draws in the ellipsoid of its Gaussian, or less than one of `SCARCE`, is not among the draws; with more of them
/// the weights of an approximation tell.
const FEW: u64 = 5;
const SCARCE: u64 = 50;
/// Maxima with a smaller share of the posterior do not matter.
const LEAST: f64 = 0.01;
/// Log densities that differ by less, relative to their size, are those of copies: components of a mixture that have changed places.
const SAME: f64 = 1e-6;
/// A mass that is not known may be larger by this many of its errors.
const ERRORS: f64 = 3.0;
/// Least share of the draws of chains in the ellipsoids of their own maxima: with fewer, the mass of what they have seen is not known.
const LEAST_INSIDE: f64 = 0.1;
/// A maximum that as many effective draws of chains would meet on average is not missed by chance.
const LEAST_EXPECTED: f64 = 10.0;
/// Number of elements that are named: the elements in which the maximum is farthest from the mean of the draws.
const NAMED: usize = 3;

/// Climbs of the log density ended at maxima that no draw of an approximation, or of chains, is near.
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
    /// The share of the posterior around the maxima whose mass is known.
    pub share: f64,
    /// Number of maxima whose mass is unknown, because its error is above one half; of chains such maxima are left out.
    #[serde(default)]
    pub unknown: usize,
    /// The log evidence of the approximation and the one with these maxima; `None` with an improper prior, and for chains.
    pub log_evidence: Option<[f64; 2]>,
    /// Whether the highest maximum of the draws and of these have the same density, as copies do.
    pub are_copies: bool,
    /// Whether the draws are of chains.
    #[serde(default)]
    pub of_chains: bool,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<OtherMaxima> {
    let of_approximation = run.log_mass_of_approximation();
    let of_chains = of_approximation.is_none();
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
    if !of_chains && near.is_empty() && !is_close(run) {
        return None;
    }
    // the mass of some is unknown; of chains they are left out
    let (far, unknown): (Vec<&Maximum>, Vec<&Maximum>) =
        far.into_iter().partition(|maximum| maximum.is_measured());
    let log_mass = of_approximation.or_else(|| log_mass_of_draws(&near, draws))?;
    // three of its errors above what was measured, it would matter
    let may_matter = |maximum: &&Maximum| {
        (maximum.log_mass - log_mass).exp() * (1.0 + ERRORS * maximum.se) >= LEAST
    };
    let unknown = if of_chains { Vec::new() } else { unknown };
    let unknown: Vec<&Maximum> = unknown.into_iter().filter(may_matter).collect();
    // relative to the largest of all, because a mass may be e^1000 times the one of the draws
    let masses = || far.iter().map(|maximum| maximum.log_mass);
    let unit = masses().fold(log_mass, f64::max);
    let whole = (log_mass - unit).exp() + masses().map(|mass| (mass - unit).exp()).sum::<f64>();
    let share = |maximum: &Maximum| (maximum.log_mass - unit).exp() / whole;
    let expected = match of_chains {
        true => LEAST_EXPECTED / effective_draws(elements),
        false => 0.0,
    };
    let matters = |maximum: &&&Maximum| share(maximum) >= LEAST.max(expected);
    let known: Vec<&Maximum> = far.iter().filter(matters).copied().collect();
    let missed = [&known[..], &unknown].concat();
    let by_mass = |a: &&&Maximum, b: &&&Maximum| a.log_mass.total_cmp(&b.log_mass);
    let largest = known.iter().max_by(by_mass).or_else(|| unknown.first())?;
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
        share: known.iter().map(|maximum| share(maximum)).sum(),
        unknown: unknown.len(),
        log_evidence: (!of_chains && !run.has_improper_prior()).then_some([log_mass, with_them]),
        are_copies: near.first().is_some_and(is_copy),
        of_chains,
    })
}

/// The log mass of what draws of chains have seen: the mass in the ellipsoids of their maxima over the share of the draws there. `None` where
/// few draws are in the ellipsoids.
fn log_mass_of_draws(near: &[&Maximum], draws: u64) -> Option<f64> {
    let measured = near.iter().filter(|maximum| maximum.is_measured());
    let inside = measured.clone().map(|maximum| maximum.draws).sum::<u64>() as f64 / draws as f64;
    let masses: Vec<f64> = measured.map(|maximum| maximum.log_mass).collect();
    let log_mass = log_sum_exp(&masses) + LocalMass::INSIDE.ln() - inside.ln();
    (inside >= LEAST_INSIDE).then_some(log_mass)
}

/// The least effective number of draws of all elements; 0 where it is unknown.
fn effective_draws(elements: &[ColumnDiagnostics]) -> f64 {
    let known = elements.iter().map(|element| element.ess_bulk);
    let least = known
        .filter(|ess| !ess.is_nan())
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}

/// Whether k-hat is low.
fn is_close(run: &Run) -> bool {
    let found = run.importance();
    found.is_some_and(|found| found.pareto_k <= Psis::finite_k(found.log_weights.len()))
}

/// The climbs of an approximation, or of chains. Of a merged run none: the draws of one part may be where those of another are missing.
fn climbs(run: &Run) -> Option<&Climbs> {
    let of = |group| {
        let independent = Group::independent(group).and_then(|own| own.climbs.as_ref());
        independent.or_else(|| group.chain()?.climbs.as_ref())
    };
    let mut all = run.groups.iter().filter_map(of);
    let found = all.next()?;
    let is_alone = all.next().is_none() || run.groups[0].independent().is_some();
    is_alone.then_some(found)
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

impl OtherMaxima {
    /// How much of the posterior is around these maxima, as far as it is known.
    fn mass(&self) -> String {
        let them = if self.maxima == 1 { "it" } else { "them" };
        if self.unknown == self.maxima {
            return format!("how much of the posterior is around {them} is unknown");
        }
        let share = percent(self.share);
        let least = if self.unknown == 0 { "" } else { "at least " };
        let evidence = match self.log_evidence {
            Some([own, with]) => {
                format!(
                    "; with {them} the log evidence is {least}about {with:.2}, and not {own:.2}"
                )
            }
            None => String::new(),
        };
        format!("{least}about {share} of the posterior is around {them}{evidence}")
    }
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
        let mass = self.mass();
        format!(
            "{elsewhere} of {of} ended at {others} of the posterior density that {near}: {at} {named}{rest}, with the log density {height}, and \
             {mass}"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.unknown == self.maxima && !self.are_copies {
            return "If it is much, means, intervals and the evidence lack it, and neither k-hat nor the weights show it: use an engine that finds several \
                    modes, such as `Inference::psmc()`.";
        }
        match (self.are_copies, self.of_chains) {
            (true, false) => {
                "The density is the same there, as where the components of a mixture change places: order them in the model by \
                 `.ordered()`, or use only what does not depend on their order. Otherwise means, \
                 intervals and the evidence lack this part: use an engine that finds several modes, such as `Inference::psmc()`."
            }
            (true, true) => {
                "The density is the same there, as where the components of a mixture change places: order them in the model by \
                 `.ordered()`, or use only what does not depend on their order. Otherwise means and \
                 intervals lack this part: use an engine that finds several modes, such as `Inference::psmc()`."
            }
            (false, false) => {
                "Means, intervals and the evidence lack this part, and neither k-hat nor the weights show it: use an engine that finds several \
                 modes, such as `Inference::psmc()`."
            }
            (false, true) => {
                "Means and intervals lack this part, and R-hat does not show it, because no chain is there: use an engine that finds several modes, such \
                 as `Inference::psmc()`."
            }
        }
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let lack = match self.of_chains {
            true => "means and intervals",
            false => "means, intervals and the evidence",
        };
        self.are_copies.then(|| {
            format!(
                "The density is the same there, as where terms that are alike change places: leave one of them out, or use only what does not \
                 depend on their order. Otherwise {lack} lack this part: use an engine that finds several modes, such as \
                 `Inference::psmc()`."
            )
            .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::model::Recipe;
    use crate::run::example::{approximation, chains, of_chain, of_draws};

    fn maximum(climbs: u64, log_density: f64, log_mass: f64, draws: u64) -> Maximum {
        Maximum {
            climbs,
            log_density,
            values: vec![0.1, 0.2, -40.0],
            log_mass,
            se: 0.1,
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

    /// Would detect a maximum that is left out because its mass is imprecise, and a share of what is unknown.
    #[test]
    fn a_maximum_of_unknown_mass_is_named() {
        let imprecise = Maximum {
            se: 0.6,
            ..maximum(3, -2.0, own() - 5.0, 0)
        };
        let slight = Maximum {
            log_mass: own() - 6.0,
            ..imprecise.clone()
        };
        assert!(with(slight).warnings().is_empty());
        let mut run = with(imprecise);
        assert_warned(
            &run,
            "3 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = 0.1000, \
             `beta[0]` = 0.2000, with the log density -2.000, and how much of the posterior is around it is unknown. If it is much, means, \
             intervals and the evidence lack it, and neither k-hat nor the weights show it: use an engine that finds several modes, such as \
             `Inference::psmc()`.",
        );
        let climbs = of_draws(&mut run.groups[0]).climbs.as_mut();
        let climbs = climbs.expect("it has some");
        climbs.maxima.push(maximum(0, -3.0, own() - 3f64.ln(), 0));
        let text = run.warnings()[0].to_string();
        assert!(text.contains("and at least about 25% of the posterior is around them; with them the log evidence is at least about"), "{text}");
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

    /// Chains whose draws are all in one mode: 0.9 of them in its ellipsoid, which has 0.9 of its mass.
    fn of_chains(others: [Maximum; 2]) -> Run {
        let mut run = chains(4, 250);
        let mut maxima = vec![maximum(5, -1.0, 0.0, 900)];
        maxima.extend(others);
        of_chain(&mut run.groups[0]).climbs = Some(Climbs { number: 8, maxima });
        run
    }

    /// Would detect a mass that is not divided by the share of the draws inside, and an evidence that chains do not have.
    #[test]
    fn a_mode_that_chains_miss_is_named_with_its_share() {
        let light = maximum(1, -9.0, -9.0, 0);
        let run = of_chains([maximum(2, -2.0, -3f64.ln(), 0), light.clone()]);
        assert_warned(
            &run,
            "2 of 8 climbs ended at another maximum of the posterior density that no draw is near: it is at `beta[1]` = -40.00, `mu` = 0.1000, \
             `beta[0]` = 0.2000, with the log density -2.000, and about 25% of the posterior is around it. Means and intervals lack this part, \
             and R-hat does not show it, because no chain is there: use an engine that finds several modes, such as `Inference::psmc()`.",
        );
        // few draws are in the ellipsoid of their maximum, so that little is known of their mass
        let mut run = of_chains([maximum(2, -2.0, -3f64.ln(), 0), light.clone()]);
        let climbs = &mut of_chain(&mut run.groups[0]).climbs;
        climbs.as_mut().expect("it has some").maxima[0].draws = 90;
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
        // a part that a thousand draws would meet only now and then
        let run = of_chains([maximum(2, -2.0, -5.0, 0), light]);
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    }

    /// The draws of one part of a merged run may be where those of the other are missing.
    #[test]
    fn climbs_of_merged_chains_are_not_told() {
        let one = of_chains([maximum(2, -2.0, -1.0, 0), maximum(1, -9.0, -9.0, 0)]);
        let mut run = one.clone();
        run.groups.extend(one.groups);
        let is_other = |warning: &Warning| matches!(warning, Warning::OtherMaxima(_));
        assert!(!run.warnings().iter().any(is_other), "{:?}", run.warnings());
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
