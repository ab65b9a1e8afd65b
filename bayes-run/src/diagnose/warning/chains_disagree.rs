//! Chains have not converged to one distribution.

use super::Message;
use super::MovedBy;
use super::labels;
use super::r_hat::{self, R_HAT, largest};
use crate::diagnose::rhat::{noise_limit, rarity};
use crate::diagnose::{ColumnDiagnostics, superchains};
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Chains have not converged to one distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainsDisagree {
    /// The element with the largest R-hat.
    pub element: String,
    /// The R-hat of that element.
    pub r_hat: f64,
    /// The upper limit of R-hat for this run.
    pub limit: f64,
    /// Number of elements above the limit.
    pub elements: usize,
    /// Whether a prior is improper, so that islands cannot replace chains.
    pub improper: bool,
    /// Whether the chains exchange states with the prior, so that several modes are no reason to use islands.
    pub tempered: bool,
    /// Whether the kernel is NUTS or WALNUTS, which is NUTS with steps that fit the place, so that NUTS is no advice.
    #[serde(default)]
    pub nuts: bool,
    /// Whether R-hat is nested: it compares superchains.
    #[serde(default)]
    pub nested: bool,
    /// Whether the chains are many and so short that R-hat stays large after convergence.
    #[serde(default)]
    pub short: bool,
    /// Whether the elements of a vector changed places, and agree once they are sorted.
    #[serde(default)]
    pub labels: bool,
}

/// The fewest chains that can form superchains.
const MANY: usize = 16;
/// With fewer draws the autocorrelation alone makes R-hat large: about √(1 + 1/n) for n effective draws of a chain (Vats & Knudson 2021).
const SHORT: usize = 100;

/// R-hat above 1.01, unless chains or superchains are so short that independent draws would give the same value.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<ChainsDisagree> {
    let (chains, draws) = (run.groups.len(), run.draws_per_group());
    let plain_limit = noise_limit(2 * chains, draws / 2, 1.0, rarity(elements.len()));
    let nested = superchains(run).is_some();
    let limit = |element: &ColumnDiagnostics| match nested {
        true => R_HAT.max(element.nested_limit),
        false => R_HAT.max(plain_limit),
    };
    let (worst, elements) = largest(run, elements, limit)?;
    Some(ChainsDisagree {
        element: worst.name.clone(),
        r_hat: worst.r_hat,
        limit: limit(worst),
        elements,
        nested,
        short: !nested && chains >= MANY && draws < SHORT,
        labels: labels::change_places(run, &worst.name, worst.r_hat),
        improper: run.statements.iter().any(|s| s.improper),
        tempered: run.exchanges().next().is_some(),
        nuts: MovedBy::is_nuts(run),
    })
}

impl Message for ChainsDisagree {
    fn problem(&self) -> String {
        let r_hat = r_hat::text(self.r_hat, &self.element, self.elements, self.limit);
        match (self.nested, self.short) {
            (true, _) => format!("the chains have not converged: nested {r_hat}"),
            (false, true) => format!("the chains may not have converged: {r_hat}"),
            (false, false) => format!("the chains have not converged: {r_hat}"),
        }
    }

    fn remedy(&self) -> &'static str {
        if self.labels {
            return labels::REMEDY;
        }
        if self.short {
            return "Chains as short as these fail R-hat also after convergence. Let many chains start at the same point (`.superchains(16)`) to \
                    check them by nested R-hat; if it is too high, use a longer burn-in (`.burn_in(..)`).";
        }
        if self.nested {
            return "Do not use these draws: chains remember where they started. Use a longer burn-in (`.burn_in(..)`). If the posterior may be \
                    multimodal, use `Inference::psmc()`.";
        }
        if self.tempered {
            return "Do not use these draws. Use more draws and a longer burn-in (`.draws(..)`, `.burn_in(..)`), or more moves at each \
                    temperature (`.mutations(..)`).";
        }
        match (self.improper, self.nuts) {
            (true, true) => {
                "Do not use these draws. Run longer chains with a longer burn-in (`.draws(..)`, `.burn_in(..)`). If the posterior may be \
                 multimodal, replace the flat priors by proper ones and use islands."
            }
            (true, false) => {
                "Do not use these draws. Run longer chains with a longer burn-in, preferably by `Inference::nuts()`. If \
                 the posterior may be multimodal, replace the flat priors by proper ones and use islands."
            }
            (false, true) => {
                "Do not use these draws. Run longer chains with a longer burn-in (`.draws(..)`, `.burn_in(..)`). If the posterior may be \
                 multimodal, use `Inference::psmc()`."
            }
            (false, false) => {
                "Do not use these draws. Run longer chains with a longer burn-in, preferably by `Inference::nuts()`. If \
                 the posterior may be multimodal, use `Inference::psmc()`."
            }
        }
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        self.labels.then(|| labels::OF_FORMULA.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::Told;
    use crate::diagnose::warning::testing::change;
    use crate::run::example::{chains, of_chain, tempered};

    #[test]
    fn chains_in_different_modes() {
        let mut run = chains(4, 500);
        change(&mut run, 0, |chain, _, value| {
            value + 4.0 * (chain % 2) as f64
        });
        change(&mut run, 2, |chain, _, value| value + (chain % 2) as f64);
        let warnings = run.warnings();
        let Warning::ChainsDisagree(Told {
            found: ChainsDisagree {
                r_hat, elements: 2, ..
            },
            ..
        }) = warnings[0]
        else {
            panic!("{warnings:?}");
        };
        assert!(r_hat > 1.3);
        assert_eq!(
            warnings[0].to_string(),
            format!(
                "the chains have not converged: R-hat is {r_hat:.3} for `mu` (and too high for 1 other); \
             it should be below 1.010. Do not use these draws. Run longer chains with a longer burn-in, \
             preferably by `Inference::nuts()`. If the posterior may be multimodal, use `Inference::psmc()`."
            )
        );
    }

    /// Sixteen superchains of 16 chains that start together.
    fn superchains_of_16(draws: usize) -> Run {
        let mut run = chains(256, draws);
        for (c, chain) in run.groups.iter_mut().enumerate() {
            of_chain(chain).superchain = Some(c as u64 % 16);
        }
        run
    }

    #[test]
    fn chains_of_one_draw_that_remember_where_they_started() {
        let mut run = superchains_of_16(1);
        assert_eq!(run.warnings(), []);
        change(&mut run, 0, |chain, _, value| {
            value + (chain % 16) as f64 / 8.0
        });
        let found = &run.warnings()[0];
        let Warning::ChainsDisagree(Told {
            found: ChainsDisagree { r_hat, limit, .. },
            ..
        }) = found
        else {
            panic!("{found:?}");
        };
        assert!(found.to_string().starts_with(&format!(
            "the chains have not converged: nested R-hat is {r_hat:.3} for `mu`; it should be below {limit:.3}. \
             Do not use these draws: chains remember where they started. Use a longer burn-in (`.burn_in(..)`). If \
             the posterior may be multimodal, use `Inference::psmc()`."
        )));
    }

    #[test]
    fn many_short_chains_get_the_advice_of_superchains() {
        let mut run = chains(64, 10);
        // one effective draw in each chain
        change(&mut run, 0, |chain, _, value| {
            0.5 * value + (chain as f64 - 31.5) / 16.0
        });
        let text = run.warnings()[0].to_string();
        assert!(
            text.starts_with("the chains may not have converged: R-hat is"),
            "{text}"
        );
        assert!(
            text.ends_with("(`.superchains(16)`) to check them by nested R-hat; if it is too high, use a longer burn-in (`.burn_in(..)`)."),
            "{text}"
        );
    }

    #[test]
    fn a_single_chain_that_drifts() {
        let mut run = chains(1, 1000);
        change(&mut run, 0, |_, draw, value| value + draw as f64 / 200.0);
        assert!(matches!(run.warnings()[0], Warning::ChainsDisagree { .. }));
    }

    #[test]
    fn chains_of_tempering_are_not_sent_to_islands() {
        let mut run = tempered(4, 500, 0.5, 30);
        change(&mut run, 0, |chain, _, value| {
            value + 4.0 * (chain % 2) as f64
        });
        let text = run.warnings()[0].to_string();
        assert!(
            text.contains("`.burn_in(..)`") && !text.contains("psmc"),
            "{text}"
        );
    }

    /// Would detect chains of WALNUTS that are sent to NUTS, while those of NUTS are sent to WALNUTS by another warning.
    #[test]
    fn chains_of_nuts_and_of_walnuts_are_not_sent_to_nuts() {
        for kernel in ["nuts", "walnuts"] {
            let mut run = chains(4, 500);
            run.kernel = kernel.to_owned();
            change(&mut run, 0, |chain, _, value| {
                value + 4.0 * (chain % 2) as f64
            });
            let text = run.warnings()[0].to_string();
            assert!(
                text.contains("`.burn_in(..)`") && !text.contains("nuts"),
                "{text}"
            );
        }
    }

    #[test]
    fn chains_under_a_flat_prior_are_not_sent_to_islands() {
        let mut run = chains(4, 500);
        run.statements[0].improper = true;
        change(&mut run, 0, |chain, _, value| {
            value + 4.0 * (chain % 2) as f64
        });
        let text = run.warnings()[0].to_string();
        assert!(
            text.contains("`Inference::nuts()`") && !text.contains("psmc"),
            "{text}"
        );
    }
}
