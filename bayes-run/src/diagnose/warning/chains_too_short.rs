//! Chains: the effective sample size is too small.

use super::{Advice, Message, known, low_energy_fraction};
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Effective draws per chain, for up to [`ESS_CHAINS`] chains (Vehtari et al. 2021).
const ESS_PER_CHAIN: f64 = 100.0;
const ESS_CHAINS: usize = 4;

/// Chains with a larger R-hat may be in different parts of the posterior, and then no number of draws helps.
const APART: f64 = 1.2;

/// The effective sample size of the chains is too small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainsTooShort {
    /// The element with the smallest effective sample size; of a formula, among the elements that it shows, if one of them has too small a size.
    pub element: String,
    /// The smaller of the element's bulk and tail effective sample sizes; 0 if a single chain is too short to estimate it.
    pub ess: f64,
    /// The recommended minimum.
    pub wanted: f64,
    /// The number of draws of a chain that would reach `wanted`; `None` beside a warning of a low E-BFMI, where chains may be in different parts of the
    /// posterior, and without an estimate.
    pub advice: Option<Advice>,
    /// Whether the E-BFMI of a chain is too low. Its draws then say little, and more draws do not help.
    #[serde(default)]
    pub has_low_energy: bool,
}

/// Chains with fewer than four draws each are treated as independent draws, with a bound on their number.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<ChainsTooShort> {
    let counted = if run.draws_per_group() < 4 {
        1
    } else {
        run.groups.len().min(ESS_CHAINS)
    };
    let wanted = ESS_PER_CHAIN * counted as f64;
    let size = |element: &ColumnDiagnostics| {
        let estimated = element.ess_bulk.min(element.ess_tail);
        // Constants have neither. The R-hat of a single chain needs 4 draws, its effective sample size 8.
        match estimated.is_nan() && !element.r_hat.is_nan() {
            true => 0.0,
            false => estimated,
        }
    };
    let short = elements.iter().filter(|element| size(element) < wanted);
    let short: Vec<&ColumnDiagnostics> = short.collect();
    let least = |elements: &[&ColumnDiagnostics]| {
        let all = elements.iter().copied();
        let least = all.min_by(|a, b| size(a).total_cmp(&size(b)))?;
        Some((least.name.clone(), size(least)))
    };
    let (_, smallest) = least(&short)?;
    let (element, ess) = least(&known(run, short))?;
    let has_low_energy = low_energy_fraction::find(run, elements).is_some();
    let are_apart = elements.iter().any(|element| element.r_hat > APART);
    let advice = match has_low_energy || are_apart || smallest == 0.0 {
        true => None,
        false => Advice::draws(run, smallest, wanted),
    };
    Some(ChainsTooShort {
        element,
        ess,
        wanted,
        advice,
        has_low_energy,
    })
}

impl Message for ChainsTooShort {
    fn problem(&self) -> String {
        let Self {
            element,
            ess,
            wanted,
            ..
        } = self;
        if *ess == 0.0 {
            return format!(
                "the only chain is too short to estimate the effective sample size of `{element}`, so that it has no standard error; \
                 at least {wanted:.0} effective draws are recommended"
            );
        }
        format!(
            "the chains are too short: the effective sample size of `{element}` is {ess:.0}; at least {wanted:.0} \
             is recommended"
        )
    }

    fn remedy(&self) -> &'static str {
        match self.has_low_energy {
            true => {
                "Standard errors and R-hat are not reliable. The E-BFMI is low too (see its warning): reparametrise first, \
                 since longer chains alone may miss the same part of the posterior."
            }
            false => {
                "Standard errors and R-hat are not reliable. Keep more draws, thin more or use more chains."
            }
        }
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "Standard errors and R-hat are not reliable. The E-BFMI is low too (see its warning): follow its advice first, \
                      since longer chains alone may miss the same part of the posterior.";
        self.has_low_energy.then(|| remedy.into())
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::Told;
    use crate::diagnose::warning::testing::{assert_warned, healthy_trajectories};
    use crate::run::Trajectories;
    use crate::run::example::{chains, of_chain};

    #[test]
    fn chains_worth_few_draws() {
        let run = chains(4, 60);
        let Warning::ChainsTooShort(Told {
            found: ChainsTooShort { element, ess, .. },
            ..
        }) = &run.warnings()[0]
        else {
            panic!("another warning");
        };
        assert_warned(
            &run,
            &format!(
                "the chains are too short: the effective sample size of `{element}` is {ess:.0}; at least 400 \
             is recommended. Standard errors and R-hat are not reliable. Keep more draws, thin more or use \
             more chains. Try `.draws(180)`, 3 times the cost of this run (about 6 000 evaluations)."
            ),
        );
    }

    /// Mutation seen: a NaN size passes every limit, so that there were no warnings.
    #[test]
    fn a_single_chain_too_short_for_an_effective_sample_size() {
        for draws in 4..8 {
            // a warning of a high R-hat may accompany it, because the halves of so few draws differ
            let warnings = chains(1, draws).warnings();
            let texts = warnings.iter().map(ToString::to_string);
            let found: Vec<String> = texts.filter(|text| text.contains("too short")).collect();
            let expected = "the only chain is too short to estimate the effective sample size of `mu`, so that it has no standard error; at \
                            least 100 effective draws are recommended. Standard errors and R-hat are not reliable. Keep more draws, thin \
                            more or use more chains.";
            assert_eq!(found, [expected], "{draws}");
        }
    }

    #[test]
    fn longer_chains_are_not_advised_beside_a_low_e_bfmi() {
        let mut run = chains(4, 60);
        of_chain(&mut run.groups[1]).trajectories = Some(Trajectories {
            e_bfmi: 0.12,
            ..healthy_trajectories()
        });
        let warnings = run.warnings();
        let Some(Warning::ChainsTooShort(found)) = warnings.first() else {
            panic!("another warning");
        };
        assert!(found.has_low_energy && found.advice.is_none());
        assert!(found.remedy().contains("reparametrise first"));
    }
}
