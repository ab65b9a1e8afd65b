//! A report: one page with everything about a run.

mod groups;
mod page;
mod sections;
#[cfg(test)]
mod tests;

use crate::Plot;
use crate::figure::{Figure, write_file};
use crate::picture;
use bayes_core::Error;
use bayes_core::comparison::{Comparison, Elpd};
use bayes_core::model::Model;
use bayes_core::predict::{Observed, Prediction};
use bayes_core::run::Run;
use bayes_core::sensitivity::Sensitivity;
use page::Page;
use std::path::Path;

/// A page about one run, or about several side by side: warnings, the summary, pictures, the model, settings. The page is one HTML file
/// that needs no network, with pictures in the colours that the reader's system prefers.
///
/// ```text
/// run.report("report.html")?;                                        // what the run knows
/// Report::new(&run).model(&model)?.save("report.html")?;             // and the data, priors and predictive checks
/// Report::new(&nuts).run("psmc", &psmc).save("engines.html")?;       // two runs side by side
/// Report::new(&run).comparison(&compare([..])?).save("models.html")?;
/// ```
///
/// Pictures show up to 12 elements and 400 draws of a chain, so that the file stays small; tables show up to 2000 elements. The page says
/// where it leaves something out.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    title: String,
    runs: Vec<(String, &'a Run)>,
    data: Vec<Observed>,
    priors: Vec<Figure>,
    checks: Vec<Figure>,
    loo: Option<Elpd>,
    sensitivity: Option<Sensitivity>,
    comparison: Option<&'a Comparison>,
    pictures: Vec<Figure>,
    /// Pictures that could not be made, and why.
    missing: Vec<String>,
    /// Messages in the words of the page's reader.
    words: fn(&str) -> String,
}

impl<'a> Report<'a> {
    /// A report on a run, named after its engine.
    #[must_use]
    pub fn new(run: &'a Run) -> Self {
        Self {
            title: run.title().to_owned(),
            runs: vec![(run.engine.clone(), run)],
            data: Vec::new(),
            priors: Vec::new(),
            checks: Vec::new(),
            loo: None,
            sensitivity: None,
            comparison: None,
            pictures: Vec::new(),
            missing: Vec::new(),
            words: str::to_owned,
        }
    }

    /// Messages, whose advice is Rust, in the words of another language or of a command line.
    #[must_use]
    pub fn in_words(self, words: fn(&str) -> String) -> Self {
        Self { words, ..self }
    }

    /// The title; by default the formula from which a program made the model, or the name of the model.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..self
        }
    }

    /// A further run, set beside the others under this name.
    #[must_use]
    pub fn run(mut self, name: impl Into<String>, run: &'a Run) -> Self {
        self.runs.push((name.into(), run));
        self
    }

    /// The model of the first run with its data. It adds a summary of the data, priors beside posteriors, the sensitivity to prior and
    /// likelihood, predictive checks, and leave-one-out cross-validation with its calibration. Parts that do not apply to the model, such
    /// as draws of an improper prior, are left out, and the report says why.
    ///
    /// # Errors
    /// The errors of [`Run::predict`] for another model, and of [`Prediction::check_data`] for other data.
    pub fn model<Mo: Model>(mut self, model: &Mo) -> Result<Self, Error> {
        let run = self.runs[0].1;
        let prediction = run.predict(model)?;
        prediction.check_data()?;
        self.data = prediction.observed().to_vec();
        let prior = run.plot().prior(model);
        self.keep("priors", |report| &mut report.priors, prior);
        match run.sensitivity(model) {
            Ok(found) => self.sensitivity = Some(found),
            Err(error) => self
                .missing
                .push(format!("No sensitivity to the prior: {error}.")),
        }
        match run.loo(model) {
            Ok(loo) => self.loo = Some(loo),
            Err(error) => self
                .missing
                .push(format!("No leave-one-out cross-validation: {error}.")),
        }
        for name in names(&prediction) {
            let check = picture::predictive(&prediction, &name);
            self.keep("predictive check", |report| &mut report.checks, check);
            let pit = run
                .loo_pit(model, &name)
                .and_then(|pit| picture::loo_pit(&pit, &name));
            self.keep(
                "leave-one-out calibration",
                |report| &mut report.checks,
                pit,
            );
        }
        Ok(self)
    }

    /// Keeps a picture, or the reason why there is none.
    fn keep(
        &mut self,
        what: &str,
        place: fn(&mut Self) -> &mut Vec<Figure>,
        figure: Result<Figure, Error>,
    ) {
        match figure {
            Ok(figure) => place(self).push(figure),
            Err(error) => self
                .missing
                .push(format!("No picture of the {what}: {error}.")),
        }
    }

    /// A comparison of models by their predictions, as a table and a picture.
    #[must_use]
    pub fn comparison(self, comparison: &'a Comparison) -> Self {
        Self {
            comparison: Some(comparison),
            ..self
        }
    }

    /// A further picture, such as a calibration plot of your own predictions.
    #[must_use]
    pub fn figure(mut self, figure: Figure) -> Self {
        self.pictures.push(figure);
        self
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut page = Page::in_words(self.words);
        self.write(&mut page);
        let subtitle = match self.runs.as_slice() {
            [(_, run)] => crate::columns::source(run),
            runs => format!("{} runs of {}", runs.len(), runs[0].1.model),
        };
        page.html(&self.title, &subtitle)
    }

    /// Writes [`Report::html`] to a file.
    ///
    /// # Errors
    /// [`Error::File`] with the system's error.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), self.html().as_bytes())
    }
}

fn names(prediction: &Prediction<'_>) -> Vec<String> {
    let observed = prediction.observed().iter();
    observed
        .filter(|o| !o.data.is_empty())
        .map(|o| o.name.clone())
        .collect()
}
