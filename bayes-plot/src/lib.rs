//! Pictures and reports of the runs of `bayes`.
//!
//! [`Plot`] adds two methods to a [`Run`]: [`plot`](Plot::plot) for single pictures, and [`report`](Plot::report) for one page with
//! all pictures. A picture is a [`Figure`]; `figure.save("trace.svg")?` writes it, and `figure.svg()` is its text.
//!
//! ```no_run
//! # use bayes_core::{Error, predict::Prediction, run::Run};
//! # fn pictures(run: &Run, prediction: &Prediction<'_>) -> Result<(), Error> {
//! use bayes_plot::{self as plot, Plot, Theme}; // with the crate `bayes`: `use bayes::plot::{self, Plot, Theme};`
//!
//! run.plot().trace()?.save("trace.svg")?;
//! run.plot().of(["mu", "theta[3]"]).pair()?.theme(Theme::Dark).save("pair.svg")?;
//! plot::predictive(prediction, "y")?.save("check.svg")?; // of `run.predict(&model)?`
//! run.report("report.html")?;
//! # Ok(())
//! # }
//! ```
//!
//! Draws keep their weights: islands of particles are weighted by their evidence, draws of an island by their own weights. Pictures of
//! single draws (pairs, predictions) show draws that are resampled by weight. A picture that a run cannot give, such as the energy of
//! a run without trajectories, is an error that says so.
//!
//! Models and engines do not depend on this crate.

#![forbid(unsafe_code)]

mod axis;
mod columns;
#[cfg(test)]
mod example;
mod figure;
mod kernel_density;
mod label;
mod mark;
mod panel;
mod picture;
#[cfg(feature = "png")]
mod png;
mod report;
mod theme;
mod thin;

pub use figure::Figure;
pub use picture::{
    EffectCurve, Effects, Plots, SideBySide, band, band_by, comparison, effects, loo_pit,
    predictive, reliability, rootogram, rootogram_by, runs, sbc,
};
pub use report::Report;
pub use theme::Theme;

use bayes_core::Error;
use bayes_core::run::Run;
use std::path::Path;

/// Pictures of a run, and a report.
pub trait Plot {
    /// The pictures of a run; each method of [`Plots`] makes one.
    fn plot(&self) -> Plots<'_>;

    /// Writes a [`Report`] on the run: one HTML file that needs no network.
    ///
    /// # Errors
    /// [`Error::File`] with the system's error.
    fn report(&self, path: impl AsRef<Path>) -> Result<(), Error>;
}

impl Plot for Run {
    fn plot(&self) -> Plots<'_> {
        Plots::new(self)
    }

    fn report(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Report::new(self).save(path)
    }
}
