//! The sections of a report.

use super::Report;
use super::groups;
use super::page::Page;
use crate::Plot;
use crate::figure::Figure;
use crate::label::{self, count, number};
use crate::picture;
use bayes_core::Error;
use bayes_core::comparison::{Comparison, Elpd};
use bayes_core::diagnose::{Estimate, Warning};
use bayes_core::predict::Observed;
use bayes_core::report::{Summary, SummaryRow};
use bayes_core::run::{GroupKind, PictureError, Run};
use bayes_core::sensitivity::{Sensitivity, SensitivityRow};

/// Maximum number of elements in a table.
const ROWS: usize = 2000;

impl Report<'_> {
    pub(super) fn write(&self, page: &mut Page) {
        let found = self.runs.iter().map(|(_, run)| run.summary_and_warnings());
        let found: Vec<(Summary, Vec<Warning>)> = found.collect();
        if self.runs.len() > 1 {
            self.write_runs(page, &found);
        }
        for ((name, run), (summary, warnings)) in self.runs.iter().zip(&found) {
            let in_run = |section: &str| match self.runs.len() {
                1 => section.to_owned(),
                _ => format!("{section}: {name}"),
            };
            page.heading(2, &in_run("Warnings"));
            write_warnings(page, warnings);
            page.heading(2, &in_run("Posterior"));
            write_summary(page, run, summary);
            groups::write(page, run);
            page.heading(2, &in_run("Pictures"));
            write_pictures(page, run);
        }
        if !self.priors.is_empty() {
            page.heading(2, "Priors");
            self.priors.iter().for_each(|figure| page.figure(3, figure));
        }
        if let Some(sensitivity) = &self.sensitivity {
            write_sensitivity(page, self.runs[0].1, sensitivity);
        }
        if !self.checks.is_empty() {
            page.heading(2, "Predictive checks");
            self.checks.iter().for_each(|figure| page.figure(3, figure));
        }
        if let Some(loo) = &self.loo {
            write_loo(page, loo);
        }
        if let Some(comparison) = self.comparison {
            write_comparison(page, comparison);
        }
        if !self.pictures.is_empty() {
            page.heading(2, "Further pictures");
            self.pictures
                .iter()
                .for_each(|figure| page.figure(3, figure));
        }
        page.heading(2, "Model");
        self.write_model(page);
        if !self.data.is_empty() {
            page.heading(2, "Data");
            write_data(page, &self.data);
        }
        page.heading(2, "Settings");
        for (name, run) in &self.runs {
            write_settings(page, name, run);
        }
        if !self.missing.is_empty() {
            page.heading(2, "Left out");
            self.missing.iter().for_each(|text| page.paragraph(text));
        }
    }

    /// Several runs side by side.
    fn write_runs(&self, page: &mut Page, found: &[(Summary, Vec<Warning>)]) {
        page.heading(2, "Comparison of the runs");
        let first = self.runs[0].1;
        let row = |((name, run), (_, warnings)): (&(String, &Run), &(Summary, Vec<Warning>))| {
            let evidence = run.log_evidence_estimate();
            let factor = run
                .log_bayes_factor(first)
                // unlike data have none
                .ok()
                .flatten()
                .filter(|_| !std::ptr::eq(*run, first));
            vec![
                name.clone(),
                run.model.clone(),
                run.engine.clone(),
                run.total_draws().to_string(),
                estimate(evidence),
                estimate(factor),
                warnings.len().to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = self.runs.iter().zip(found).map(row).collect();
        page.table(
            "The log Bayes factor is against the first run; it compares models of the same data.",
            &[
                "run",
                "model",
                "engine",
                "draws",
                "log evidence",
                "log Bayes factor",
                "warnings",
            ],
            &rows,
        );
        let unlike = self
            .runs
            .iter()
            .filter_map(|(_, run)| run.log_bayes_factor(first).err());
        unlike.for_each(|error| page.paragraph(&error.to_string()));
        let runs = self.runs.iter().map(|(name, run)| (name.as_str(), *run));
        write_figure(page, "forest", picture::runs(runs).forest());
    }

    fn write_model(&self, page: &mut Page) {
        let mut shown: Vec<&str> = Vec::new();
        for (_, run) in &self.runs {
            // runs of one model share its statements
            if shown.contains(&run.fingerprint.as_str()) {
                continue;
            }
            shown.push(&run.fingerprint);
            write_source(page, run);
            if run.has_improper_prior() {
                page.paragraph("A prior is improper, so the model has no evidence.");
            }
        }
    }
}

/// Writes the text of the model, or the formula from which a program made it. A model written by hand has no text, so its statements
/// are written.
fn write_source(page: &mut Page, run: &Run) {
    if let Some(recipe) = &run.recipe {
        return page.source(&recipe.title);
    }
    if !run.source.is_empty() {
        return page.source(&run.source);
    }
    page.paragraph(&format!(
        "Statements of {} with their lines in its source file.",
        run.model
    ));
    let lines = run.statements.iter().map(|s| (s.line, s.text.clone()));
    page.code(&lines.collect::<Vec<_>>());
}

fn write_warnings(page: &mut Page, warnings: &[Warning]) {
    if warnings.is_empty() {
        return page.fine("No warnings: nothing in the draws speaks against them.");
    }
    for warning in warnings {
        let remedy = match warning.advice() {
            Some(advice) => format!("{} Try {advice}.", warning.remedy()),
            None => warning.remedy().into_owned(),
        };
        page.warning(&warning.problem(), &remedy);
    }
}

fn write_summary(page: &mut Page, run: &Run, summary: &Summary) {
    if let Some(evidence) = run.log_evidence_estimate() {
        let interval = run
            .log_evidence_interval(0.95)
            .map_or(String::new(), |(low, high)| {
                let [low, high] = [low, high].map(|end| label::within(end, high - low));
                format!(", 95% interval {low} to {high}")
            });
        let made = run.log_evidence_in_words(&label::estimate);
        let made = made.map_or(String::new(), |words| format!(" ({words})"));
        page.paragraph(&format!(
            "Log evidence {}{interval}{made}.",
            label::estimate(&evidence)
        ));
    }
    if let Some(elbo) = run.elbo() {
        let elbo = label::estimate(&elbo);
        let meaning = match run.has_improper_prior() {
            true => "known up to a constant, because a prior is improper",
            false => "at most the log evidence",
        };
        page.paragraph(&format!("ELBO {elbo}; it is {meaning}."));
    }
    let shown = summary.rows.iter().filter(|row| !run.hides(&row.name));
    let shown: Vec<&SummaryRow> = shown.collect();
    let rows = shown.iter().take(ROWS);
    let rows: Vec<(Vec<String>, Vec<f64>)> = rows.map(|row| (cells(row), row.values())).collect();
    let mut header = vec!["quantity"];
    header.extend(SummaryRow::header());
    let left_out = match shown.len().saturating_sub(ROWS) {
        0 => String::new(),
        more => format!(" {more} further elements are left out."),
    };
    page.sortable(
        &format!(
            "Posterior summary: mean, its Monte Carlo error, standard deviation, quantiles, effective sample sizes, R-hat.{left_out}"
        ),
        &header,
        &rows,
    );
}

/// The name and the statistics, with true minus signs as everywhere on the page.
fn cells(row: &SummaryRow) -> Vec<String> {
    let mut cells = row.cells();
    let statistics = cells.iter_mut().skip(1);
    statistics.for_each(|cell| *cell = label::signed(std::mem::take(cell)));
    cells
}

/// Writes all pictures that the run can give.
fn write_pictures(page: &mut Page, run: &Run) {
    if run.layout.elements() == 0 {
        return page.paragraph("The model has no quantities to draw.");
    }
    let plots = run.plot();
    for (name, figure) in [
        ("forest", plots.forest()),
        ("density", plots.density()),
        ("trace", plots.trace()),
        ("rank", plots.rank()),
        ("autocorrelation", plots.autocorrelation()),
        ("ess", plots.ess()),
        ("ess_evolution", plots.ess_evolution()),
        ("pair", plots.pair()),
        ("energy", plots.energy()),
        ("ladder", plots.ladder()),
        ("evidence", plots.evidence()),
    ] {
        write_figure(page, name, figure);
    }
}

/// Writes a picture. If this kind of run has none, writes nothing; after other errors, writes the error.
fn write_figure(page: &mut Page, name: &str, figure: Result<Figure, Error>) {
    match figure {
        Ok(figure) => page.figure(3, &figure),
        Err(Error::Picture(PictureError::Lacks { .. } | PictureError::TooFew { .. })) => {}
        Err(error) => page.paragraph(&format!("No picture `{name}`: {error}.")),
    }
}

fn write_sensitivity(page: &mut Page, run: &Run, sensitivity: &Sensitivity) {
    page.heading(2, "Sensitivity to prior and likelihood");
    if sensitivity.priors.is_empty() {
        return page
            .paragraph("Every prior depends on other random quantities, so none was scaled.");
    }
    let rows = sensitivity.rows.iter().filter(|row| !run.hides(&row.name));
    let rows = rows.take(ROWS).map(|row| {
        let diagnosis = row.diagnosis().to_string();
        vec![
            row.name.clone(),
            number(row.prior),
            number(row.likelihood),
            diagnosis,
        ]
    });
    let left_out = match sensitivity.left_out.as_slice() {
        [] => String::new(),
        names => format!(
            " Not scaled, because it depends on other random quantities: {}.",
            names.join(", ")
        ),
    };
    let threshold = SensitivityRow::THRESHOLD;
    let caption = match run.recipe {
        Some(_) => format!(
            "How far posteriors move for each doubling of the power of the priors, and of the likelihood; sensitive from {threshold} on. The distributions of \
             effects with a random scale, such as group effects, are not scaled."
        ),
        None => format!(
            "How far posteriors move for each doubling of the power of the prior of {}, and of the likelihood; sensitive from {threshold} on.{left_out}",
            sensitivity.priors.join(", ")
        ),
    };
    page.table(
        &caption,
        &["quantity", "prior", "likelihood", "diagnosis"],
        &rows.collect::<Vec<_>>(),
    );
    for warning in sensitivity.warnings() {
        page.warning("The sensitivities may be wrong", &warning);
    }
}

/// An estimate with its error, or a dash.
fn estimate(estimate: Option<Estimate>) -> String {
    estimate.map_or("–".to_owned(), |e| label::estimate(&e))
}

/// Writes how well the model predicts observations that it has not seen.
fn write_loo(page: &mut Page, loo: &Elpd) {
    page.heading(2, "Leave-one-out cross-validation");
    let elpd = Estimate {
        mean: loo.elpd(),
        se: loo.se(),
        degrees_of_freedom: f64::INFINITY,
    };
    page.paragraph(&format!(
        "Expected log predictive density {} over {}, {} effective parameters.",
        label::estimate(&elpd),
        count(loo.pointwise.len(), "observation"),
        number(loo.effective_parameters)
    ));
    if loo.warnings().is_empty() {
        let good = number(loo.good_k);
        page.fine(&format!("k-hat is at most {good} for every observation: leaving one out changes the posterior little, and the estimate holds."));
    }
    for warning in loo.warnings() {
        page.warning("The estimate may be wrong", &warning);
    }
}

fn write_comparison(page: &mut Page, comparison: &Comparison) {
    page.heading(2, "Comparison of models");
    page.figure(3, &picture::comparison(comparison));
    let has_evidence = comparison.rows.iter().any(|row| row.log_evidence.is_some());
    let rows = comparison.rows.iter().map(|row| {
        let numbers = [
            row.elpd,
            row.se,
            row.effective_parameters,
            row.difference,
            row.difference_se,
            row.stacking,
            row.pseudo_bma_plus,
        ];
        let cells = std::iter::once(row.name.clone()).chain(numbers.map(number));
        let evidence = [row.log_evidence, row.log_bayes_factor].map(estimate);
        let evidence = evidence.into_iter().filter(|_| has_evidence);
        cells.chain(evidence).collect::<Vec<_>>()
    });
    let mut header = vec![
        "model",
        "elpd",
        "se",
        "p",
        "difference",
        "se of it",
        "stacking",
        "pseudo-BMA+",
    ];
    if has_evidence {
        header.extend(["log evidence", "log Bayes factor"]);
    }
    page.table(
        &format!("{}, best model first", comparison.method.name()),
        &header,
        &rows.collect::<Vec<_>>(),
    );
    for warning in &comparison.warnings {
        page.warning("The estimates may be wrong", warning);
    }
    for note in &comparison.notes {
        page.paragraph(&format!("Note: {note}."));
    }
}

fn write_data(page: &mut Page, data: &[Observed]) {
    let row = |observed: &Observed| {
        let values = &observed.data;
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut cells = vec![observed.name.clone(), count(values.len(), "number")];
        cells.extend([mean, variance.sqrt(), least, most].map(number));
        cells
    };
    let rows: Vec<Vec<String>> = data.iter().map(row).collect();
    page.table(
        "Observed variables",
        &["variable", "size", "mean", "sd", "least", "largest"],
        &rows,
    );
}

fn write_settings(page: &mut Page, name: &str, run: &Run) {
    let counts = run.counts();
    let pair = |what: &str, value: String| vec![what.to_owned(), value];
    let mut rows = vec![
        pair("engine", run.engine.clone()),
        pair("seed", run.seed.to_string()),
    ];
    if run.kind == GroupKind::Islands {
        rows.push(pair("islands", run.groups.len().to_string()));
    }
    if !run.settings.contains_key("kernel") {
        rows.push(pair("kernel", run.kernel.clone()));
    }
    if run.moves() != run.kernel {
        rows.push(pair("moves", run.moves()));
    }
    rows.extend(
        run.settings
            .iter()
            .map(|(setting, value)| pair(setting, value.clone())),
    );
    rows.extend([
        pair(
            "evaluations of the density",
            counts.density_evaluations.to_string(),
        ),
        pair(
            "evaluations with the gradient",
            counts.gradient_evaluations.to_string(),
        ),
        pair(
            "gradients",
            format!("{:?}: {}", run.arithmetic.gradient, run.arithmetic.reason).to_lowercase(),
        ),
        pair("instruction set", run.arithmetic.instruction_set.clone()),
        pair("fingerprint of model and data", run.fingerprint.clone()),
        pair("fingerprint of random numbers", run.random_numbers.clone()),
        pair("version of bayes", run.version.clone()),
    ]);
    page.table(name, &["setting", "value"], &rows);
}
