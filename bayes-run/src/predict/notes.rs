//! Notes on comparing predictions with the data.

use super::Prediction;
use crate::model::Statement;
use crate::text::quantity;

impl Prediction<'_> {
    /// Notes on comparing predictions with the data, in sentences. They name observed variables whose limits of censoring are most
    /// likely incomplete ([`Limits`](super::Limits)), and variables that are predicted one step ahead
    /// ([`Model::rereads`](crate::model::Model::rereads)); and quantities of several elements without names that are taken from the run by
    /// their positions, where the model has other data than the run. Empty if there is nothing to note.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let unequal = self.observed.iter().filter(|o| o.limits.differ());
        let unequal = unequal.map(|o| format!("`{}`: {}", o.name, o.limits));
        unequal
            .chain(ahead(
                self.statements,
                self.rereads,
                self.rereads_in_words.as_deref(),
            ))
            .chain(self.taken_by_position())
            .collect()
    }
}

/// Notes on elements with NaN draws, a sentence for each quantity. `elements` holds their names and numbers of NaN draws.
pub(super) fn undrawn(elements: &[(String, usize)], draws: usize) -> Vec<String> {
    let quantities = elements.chunk_by(|(a, _), (b, _)| quantity(a) == quantity(b));
    let note = |elements: &[(String, usize)]| {
        let (name, count) = elements.iter().max_by_key(|(_, count)| *count)?;
        let of = match name == quantity(name) {
            true => "",
            false => " of an element",
        };
        Some(format!(
            "`{}`: {count} of {draws} draws{of} are NaN, because a parameter of its distribution is not finite or not allowed there, such as the \
             exponential of a large number; statistics of them are `-`",
            quantity(name)
        ))
    };
    let affected = quantities.filter(|elements| elements.iter().any(|(_, count)| *count > 0));
    affected.filter_map(note).collect()
}

/// What new values of imputed data are.
pub(super) const IMPUTED: &str = "it has gaps that `impute` fills. Its values here are new draws, from its distribution, in place of the known ones; new data of later statements \
     are drawn from the known values and those sampled for the gaps, not from these. For whole data sets draw both by `generate`, the second from the first";

/// Notes on data that the model also reads elsewhere, a sentence each, with the words of the model if it has some.
pub fn ahead(
    statements: &[Statement],
    rereads: &[&str],
    words: Option<&str>,
) -> impl Iterator<Item = String> {
    rereads.iter().map(move |name| {
        if Statement::impute(statements, name) {
            return format!("`{name}`: {}", IMPUTED);
        }
        if let Some(words) = words {
            return format!("`{name}`: {words}");
        }
        format!(
            "`{name}`: the model also reads it outside of `observe`, so that each value is drawn given those that the model holds, one step \
             ahead; for whole data sets carry what is drawn, `let step = generate(..); past = step;` in the loop"
        )
    })
}
