//! The pictures, one file each.

mod autocorrelation;
mod band;
mod comparison;
mod density;
mod effects;
mod energy;
mod ess;
mod evidence;
mod forest;
mod ladder;
mod loo_pit;
mod pair;
mod predictive;
mod prior;
mod rank;
mod reliability;
mod rootogram;
mod sbc;
#[cfg(test)]
mod tests;
mod trace;

pub use band::{band, band_by};
pub use comparison::comparison;
pub use effects::{EffectCurve, Effects, effects};
pub use forest::{SideBySide, runs};
pub use loo_pit::loo_pit;
pub use predictive::predictive;
pub use reliability::reliability;
pub use rootogram::{rootogram, rootogram_by};
pub use sbc::sbc;

use crate::columns::{Columns, source};
use crate::figure::{Figure, Symbol};
use crate::mark::{Colour, Style};
use crate::theme::COLOURS;
use bayes_core::Error;
use bayes_core::run::{PictureError, Run};

/// Default number of elements in pictures with one panel per element.
const PANELS: usize = 12;

/// The pictures of a run.
///
/// ```text
/// run.plot().forest()?.save("forest.svg")?;
/// run.plot().of(["mu", "theta[3]"]).trace()?.save("trace.svg")?;
/// ```
#[derive(Clone, Debug)]
pub struct Plots<'a> {
    run: &'a Run,
    /// Quantities or elements; empty for as many as fit.
    wanted: Vec<String>,
}

impl<'a> Plots<'a> {
    pub(crate) fn new(run: &'a Run) -> Self {
        Self {
            run,
            wanted: Vec::new(),
        }
    }

    /// Chooses the quantities that pictures show: quantities by name (`theta`) with all of their elements, or single
    /// elements (`theta[3]`, `w[2,0]`). By default they show as many as fit: the first element of each quantity, then the
    /// second ones.
    #[must_use]
    pub fn of<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.wanted = names.into_iter().map(Into::into).collect();
        self
    }

    /// The chosen elements, or up to `most`.
    fn columns(&self, most: usize) -> Result<Columns, Error> {
        Columns::of(self.run, &self.wanted, most)
    }

    /// An empty picture with the source of its draws.
    fn figure(&self, title: &str, columns: &Columns) -> Figure {
        let advice = match columns.note.as_str() {
            "" => "",
            _ => "`run.plot().of([..])` shows others.",
        };
        Figure::new(title)
            .note(source(self.run))
            .note(&columns.note)
            .advice(advice)
    }

    /// The error for a picture that this run cannot give.
    fn lacks(&self, picture: &'static str, shows: &'static str, instead: &'static str) -> Error {
        Error::Picture(PictureError::Lacks {
            picture,
            shows,
            engine: self.run.engine.clone(),
            instead,
        })
    }

    /// The style of a line of island or chain `k`: in its own colour, if there are colours for all.
    fn group_style(&self, k: usize) -> Style {
        if self.run.groups.len() <= COLOURS {
            Style::series(k).width(1.0)
        } else {
            Style::of(Colour::Muted).width(0.8).opacity(0.45)
        }
    }

    /// The legend of the lines of [`group_style`](Self::group_style).
    fn with_groups(&self, figure: Figure) -> Figure {
        let kind = self.run.kind.name();
        if self.run.groups.len() > COLOURS {
            return figure.key(Symbol::Line, self.group_style(0), format!("each {kind}"));
        }
        let groups = self.run.groups.iter().enumerate();
        groups.fold(figure, |figure, (k, group)| {
            let name = format!("{kind} {}", group.index);
            figure.key(Symbol::Line, self.group_style(k).width(2.0), name)
        })
    }
}
