//! What the terms of a model are, so that only terms of the same kind are compared.

use crate::model::Observed;
use crate::model::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

/// What the terms of the observations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Terms {
    /// A hash of weights and intervals of censored data; 0 if every term is the density of a datum, or its probability.
    pub(super) hash: u64,
    /// Whether some weights are not whole numbers: then the likelihood is not a probability of data.
    pub(super) has_shares: bool,
    /// Whether all data are whole numbers with probabilities. `None` for a mixture of both, and for files of earlier versions.
    pub(super) is_discrete: Option<bool>,
}

impl Terms {
    pub(super) fn of(observed: &[Observed]) -> Self {
        let all = || observed.iter().enumerate();
        let terms = all().flat_map(|(v, one)| one.terms.iter().map(move |(e, term)| (v, *e, term)));
        let words = terms.clone().flat_map(|(variable, element, term)| {
            let interval = term.interval.map(|ends| ends.map(f64::to_bits));
            [variable as u64, element as u64, term.weight.to_bits()]
                .into_iter()
                .chain(interval.into_iter().flatten())
        });
        let has = |wanted: bool| observed.iter().any(|one| one.is_discrete == wanted);
        Self {
            hash: match terms.clone().next() {
                None => 0,
                Some(_) => Fingerprint::of(words),
            },
            has_shares: terms.clone().any(|(.., term)| term.weight.fract() != 0.0),
            is_discrete: (has(true) != has(false)).then(|| has(true)),
        }
    }
}
