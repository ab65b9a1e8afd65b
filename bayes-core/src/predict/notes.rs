//! What to know before predictions are compared with the data.

use super::Prediction;

impl Prediction<'_> {
    /// What to know before predictions are compared with the data, in sentences: observed variables some of whose limits of censoring
    /// were most likely left out ([`Limits`](super::Limits)), and those that are predicted one step ahead
    /// ([`Model::rereads`](crate::model::Model::rereads)). Empty if there is nothing.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let unequal = self.observed.iter().filter(|o| o.limits.differ());
        let unequal = unequal.map(|o| format!("`{}`: {}", o.name, o.limits));
        unequal.chain(ahead(self.rereads)).collect()
    }
}

/// What to know of data that the model also reads elsewhere, in a sentence each.
pub(crate) fn ahead(rereads: &[&str]) -> impl Iterator<Item = String> {
    rereads.iter().map(|name| {
        format!(
            "`{name}`: the model also reads it outside of `observe`, so that each value is drawn given those that the model holds, one step \
             ahead; for whole data sets carry what is drawn, `let step = generate(..); past = step;` in the loop"
        )
    })
}
