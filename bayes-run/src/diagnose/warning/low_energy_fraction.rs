//! Chains: the energy changes little from one trajectory to the next.

use super::Message;
use super::form::{self, Form};
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Group, Run, Trajectories};
use crate::text::count;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The smallest E-BFMI without a warning.
const E_BFMI: f64 = Trajectories::LOWEST_E_BFMI;
/// The smallest number of transitions for which E-BFMI is checked; with fewer transitions it can be
/// small by chance.
const E_BFMI_FROM: u64 = 100;

/// A chain's energy changes little from one trajectory to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowEnergyFraction {
    /// The chain with the smallest E-BFMI.
    pub chain: usize,
    /// The E-BFMI of that chain.
    pub e_bfmi: f64,
    /// Number of chains whose E-BFMI is too small.
    pub chains: usize,
    /// The forms of the model's hierarchy, if it has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Form>,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<LowEnergyFraction> {
    let e_bfmi = |(chain, group): (usize, &Group)| {
        let trajectories = group.trajectories()?;
        let (e_bfmi, many) = (trajectories.e_bfmi, trajectories.transitions >= E_BFMI_FROM);
        (many && e_bfmi < E_BFMI).then_some((chain, e_bfmi))
    };
    let low: Vec<(usize, f64)> = run.groups.iter().enumerate().filter_map(e_bfmi).collect();
    let (chain, e_bfmi) = low.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(LowEnergyFraction {
        chain,
        e_bfmi,
        chains: low.len(),
        forms: form::forms(run, &|_| None),
    })
}

impl Message for LowEnergyFraction {
    fn problem(&self) -> String {
        let Self {
            chain,
            e_bfmi,
            chains,
            ..
        } = self;
        let others = match chains {
            0 | 1 => String::new(),
            n => format!(" (and too low in {})", count(*n as u64 - 1, "other")),
        };
        format!(
            "the E-BFMI of chain {chain} is {e_bfmi:.2}{others}; at least {E_BFMI} is recommended"
        )
    }

    fn remedy(&self) -> &'static str {
        "The chain explores the tails of the posterior slowly. Reparametrise heavy-tailed quantities. Where a random scale \
         multiplies many quantities, as in group effects, the non-centred form suits little data per group and the centred form much."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        if self.forms.is_empty() {
            return self.remedy().into();
        }
        format!(
            "The chain explores the tails of the posterior slowly. Reparametrise heavy-tailed quantities; {}.",
            form::advice(&self.forms)
        )
        .into()
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let advice = form::advice_for_formula(&self.forms);
        let remedy = format!("The chain explores the tails of the posterior slowly: {advice}.");
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::{
        assert_warned, healthy_trajectories, with_trajectories,
    };
    use crate::run::example::of_chain;

    #[test]
    fn energies_that_are_crossed_slowly() {
        let mut run = with_trajectories(&healthy_trajectories());
        for (chain, e_bfmi) in [(1, 0.2), (3, 0.1)] {
            let trajectories = of_chain(&mut run.groups[chain]).trajectories.as_mut();
            trajectories.expect("there are some").e_bfmi = e_bfmi;
        }
        assert_warned(
            &run,
            "the E-BFMI of chain 3 is 0.10 (and too low in 1 other); at least 0.3 is recommended. The chain \
         explores the tails of the posterior slowly. Reparametrise heavy-tailed quantities. Where a random scale \
         multiplies many quantities, as in group effects, the non-centred form suits little data per group and the centred form much.",
        );
        run.statements[0].text = "let beta = sample(Normal::new(mu, 1.0).iid(2))".to_owned();
        assert_warned(
            &run,
            "the E-BFMI of chain 3 is 0.10 (and too low in 1 other); at least 0.3 is recommended. The chain explores the tails of the \
             posterior slowly. Reparametrise heavy-tailed quantities; the prior of `beta` has random parameters: with little data for each \
             element write it in the non-centred form, by `.non_centred()` after its distribution, or as a standard normal vector that the model \
             shifts and scales.",
        );
    }
}
