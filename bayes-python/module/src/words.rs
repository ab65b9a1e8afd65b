//! Messages of the library, whose advice is Rust, in the words of Python: `` `.particles(64)` `` is `` `particles=64` ``.

use bayes_cli::Settings;
use bayes_core::engine::Inference;
use bayes_core::kernel::Mass;

/// What a query of a run is in Python, by its name.
const QUERIES: [(&str, &str); 5] = [
    ("predict", "fit.predict(...)"),
    ("summary", "fit.summary()"),
    ("divergences", "fit.report(...)"),
    ("loo", "fit.loo()"),
    ("to_arviz", "fit.to_arviz()"),
];

/// Advice with an option of the command line in it, and what it is here.
const SAID: [(&str, &str); 17] = [
    ("`Run::save`", "`save`"),
    ("`Elpd::save`", "`save`"),
    (
        "; load the whole file by `Run::load`",
        "; load the whole file",
    ),
    (
        "`--drop-missing`, `.drop_missing(true)`, which leave",
        "`drop_missing=True`, which leaves",
    ),
    (
        "`--drop-missing`, `.drop_missing(true)`",
        "`drop_missing=True`",
    ),
    ("`--drop-missing`", "`drop_missing=True`"),
    ("`--linear`, `.linear()`", "`linear=True`"),
    (
        "`run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line",
        "`new_groups=True`",
    ),
    (
        " (`run.predict_with(&model, NewGroups::Draw)` draws their effects)",
        "",
    ),
    ("(`NewGroups::Draw`, `--new-groups`)", "(`new_groups=True`)"),
    (
        "(`Regression::of_run_to_population`, `fitted --no-groups`)",
        "(`fit.fitted(..., groups=False)`)",
    ),
    ("`--new-groups`", "`new_groups=True`"),
    ("`fitted --no-groups`", "`fit.fitted(..., groups=False)`"),
    ("with `.checkpoint(folder)`", "with `checkpoint=folder`"),
    ("`bayes priors`", "`bayes.priors`"),
    ("`elpd.refit(..)`", "`fit.loo(refit=True)`"),
    ("`k_fold(..)`", "`fit.loo(folds=10)`"),
];

/// The text with what Python has too in its words; all else stays.
#[must_use]
pub fn spoken(text: &str) -> String {
    let said = SAID.iter();
    let text = said.fold(text.to_owned(), |text, (rust, python)| {
        text.replace(rust, python)
    });
    // spans of code are every second piece
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let piece = |(i, piece): (usize, &&str)| match i % 2 == 1 && i < last {
        true => code(piece).unwrap_or_else(|| (*piece).to_owned()),
        false => (*piece).to_owned(),
    };
    let spoken: Vec<String> = pieces.iter().enumerate().map(piece).collect();
    spoken.join("`")
}

/// A span of code in Python; `None` if it is nothing there.
fn code(span: &str) -> Option<String> {
    if let Some(mass) = mass_of(span) {
        return Some(mass);
    }
    if let Some(name) = span.strip_prefix(".response(") {
        return Some(format!("response={}", name.strip_suffix(')')?));
    }
    if let Some(query) = span.strip_prefix("run.") {
        let (name, _) = query.split_once('(')?;
        let found = QUERIES.iter().find(|(query, _)| *query == name)?;
        return Some(found.1.to_owned());
    }
    let (mut words, calls) = match span.strip_prefix("Inference::") {
        Some(engine) => {
            let (name, calls) = engine.split_once("()")?;
            Inference::by_name(name, None).ok()?;
            (vec![format!("engine=\"{name}\"")], calls)
        }
        None => (Vec::new(), span),
    };
    // the settings of a kernel are keywords too
    let of_kernel = calls.strip_prefix(".kernel(").and_then(|kernel| {
        let (_, calls) = kernel.strip_suffix(')')?.split_once("::new()")?;
        Some(calls)
    });
    let mut rest = of_kernel.unwrap_or(calls);
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix('.')?.split_once('(')?;
        let (value, after) = after.split_once(')')?;
        let is_known = Settings::all().any(|(setting, ..)| setting == name);
        if !is_known || value.contains('(') {
            return None;
        }
        let value = match (name, value) {
            ("mass", mass) => mass_of(mass)?,
            (_, "..") => "...".to_owned(),
            (_, value) => value.to_owned(),
        };
        words.push(format!("{name}={value}"));
        rest = after;
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// The name of a mass that is written as `Mass::LowRank`, as a text.
fn mass_of(value: &str) -> Option<String> {
    let variant = value.strip_prefix("Mass::")?;
    let name = Mass::names().find(|name| name.replace('_', "").eq_ignore_ascii_case(variant))?;
    Some(format!("\"{name}\""))
}
