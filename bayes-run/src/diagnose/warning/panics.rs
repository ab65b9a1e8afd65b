//! Every run: the density panicked.

use super::Message;
use crate::density::is_lost;
use crate::density::occurrence::target_in_words;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Number of coordinates of a position that are shown.
const SHOWN: usize = 8;

/// The density panicked at some positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panicked {
    /// Number of evaluations that panicked.
    pub times: u64,
    /// The first island or chain with a panic that counts.
    pub group: u64,
    /// `island` or `chain`.
    pub kind: String,
    /// The statement that panicked, with its line; empty if unknown.
    pub statement: String,
    /// The panic's message.
    pub message: String,
    /// The power of the likelihood.
    pub lambda: f64,
    /// The unconstrained position, `[dim]`.
    pub position: Vec<f64>,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<Panicked> {
    let groups = run.groups.iter();
    let mut panics = groups.filter_map(|group| Some((group.index, group.counts.panics.as_ref()?)));
    let (group, first) = panics.next()?;
    let statement = first.statement.and_then(|index| run.statements.get(index));
    Some(Panicked {
        times: run.counts().panics.map_or(0, |panics| panics.times),
        group,
        kind: run.kind.name().to_owned(),
        statement: statement.map_or_else(String::new, |statement| {
            format!(", in or after {}", statement.quoted())
        }),
        message: first.message.clone(),
        lambda: first.first.lambda,
        position: first.first.position.clone(),
    })
}

/// The first coordinates of a position, in words.
pub(super) fn place(position: &[f64]) -> String {
    if is_lost(position) {
        return "a draw of the prior that was lost and has no position".to_owned();
    }
    let shown = position.iter().take(SHOWN).map(|x| format!("{x:.4}"));
    let more = if position.len() > SHOWN { ", ..." } else { "" };
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("the unconstrained position [{shown}{more}] (`model.explain(..)`)")
}

impl Message for Panicked {
    fn problem(&self) -> String {
        let Self {
            times,
            group,
            kind,
            statement,
            message,
            lambda,
            position,
            ..
        } = self;
        let evaluations = match times {
            1 => "1 evaluation".to_owned(),
            _ => format!("{times} evaluations"),
        };
        format!(
            "the model panicked at {evaluations}, first in {kind} {group} {}{statement}: \
             \"{message}\", at {}",
            target_in_words(*lambda),
            place(position)
        )
    }

    fn remedy(&self) -> &'static str {
        "The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the posterior may be \
         missing. Let the model return a density for every value that the prior allows."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the posterior may be \
                      missing. Tighter priors keep parameters from such values; a formula that stops at values its priors allow is a fault of the library.";
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::density::{Counts, Occurrence};
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Panics;
    use crate::run::example::islands;

    #[test]
    fn a_draw_of_the_prior_that_panicked_has_no_position() {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[0].counts = Counts::of_draw("no draw".to_owned(), 3);
        let warnings = run.warnings();
        let text = warnings.iter().map(ToString::to_string).collect::<String>();
        let wanted = "\"in a draw of the prior: no draw\", at a draw of the prior that was lost and has no position.";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn a_model_that_panics() {
        let mut run = islands(&[-3.0; 4], 64);
        let panics = |times, lambda| Panics {
            times,
            statement: Some(0),
            message: "no root in the bracket".to_owned(),
            first: Occurrence {
                lambda,
                position: vec![1.5, -0.25, 3.0],
            },
        };
        run.groups[1].counts.panics = Some(panics(3, 0.125));
        run.groups[3].counts.panics = Some(panics(1, 0.0));
        assert_warned(
            &run,
            "the model panicked at 4 evaluations, first in island 1 at power 1.25e-1 of the likelihood, in or after `observe(y[i], \
             Normal::new(mu, 1.0))` (line 12): \"no root in the bracket\", at the unconstrained position [1.5000, -0.2500, 3.0000] \
             (`model.explain(..)`). The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the posterior may be \
             missing. Let the model return a density for every value that the prior allows.",
        );
    }
}
