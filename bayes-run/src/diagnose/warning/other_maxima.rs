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
/// For chains, a maximum of unknown mass is named if its log density is at most this much lower than at their own maximum.
const LOWER: f64 = 3.0;
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
    /// Number of maxima whose mass is unknown, because its error is above one half; of chains only those that are higher than the draws' own, or little lower.
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
    // the mass of some is unknown
    let (far, unknown): (Vec<&Maximum>, Vec<&Maximum>) =
        far.into_iter().partition(|maximum| maximum.is_measured());
    let log_mass = of_approximation.or_else(|| log_mass_of_draws(&near, draws))?;
    // three of its errors above what was measured, it would matter
    let may_matter = |maximum: &&Maximum| {
        (maximum.log_mass - log_mass).exp() * (1.0 + ERRORS * maximum.se) >= LEAST
    };
    let own = near.iter().map(|maximum| maximum.log_density);
    let own = own.fold(f64::NEG_INFINITY, f64::max);
    // chains that found their own maximum are seldom wrong about a low one
    let is_high = |maximum: &&Maximum| !of_chains || maximum.log_density >= own - LOWER;
    let unknown = unknown.into_iter().filter(may_matter).filter(is_high);
    let unknown: Vec<&Maximum> = unknown.collect();
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
            if self.of_chains {
                return "If it is much, means and intervals lack it, and R-hat does not show it, because no chain is there: use an engine that finds several \
                        modes, such as `Inference::psmc()`.";
            }
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
mod tests;
