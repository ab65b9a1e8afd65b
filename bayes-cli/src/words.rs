//! Translates messages of the library, whose advice is Rust, into the words of the command line: `` `.particles(64)` `` becomes ``
//! `--particles 64` ``, and the setting `particles` becomes `--particles`.

use crate::options::is_option;
use bayes_core::engine::Inference;
use bayes_core::kernel::{self, Mass};

/// The queries of a run by name, and their commands.
const QUERIES: [(&str, &str); 5] = [
    ("summary", "summary FILE --json"),
    ("failures", "explain FILE"),
    ("divergences", "report FILE --out report.html"),
    ("loo", "loo FILE"),
    ("to_arviz", "export FILE --out draws.zarr"),
];

/// What a model is asked, and the commands.
const MODEL: [(&str, &str); 2] = [
    ("model.check(", "check"),
    ("model.explain(", "explain FILE"),
];

/// Words that precede the name of a setting.
const NAMING: [&str; 4] = ["setting ", "Setting ", "raise ", "Raise "];

/// Options that are not methods.
const CHOICES: [&str; 2] = ["engine", "kernel"];

/// Advice of the library, and the same on the command line. `refit` and `k_fold` without arguments stay, because they are for models written in
/// Rust; with arguments they are for formulas.
const SAID: [(&str, &str); 12] = [
    (
        "`run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line",
        "`--new-groups`",
    ),
    (
        " (`run.predict_with(&model, NewGroups::Draw)` draws their effects)",
        "",
    ),
    (
        "a run that `Run::save` wrote",
        "the file of a run, as `--out` writes it",
    ),
    (
        "an expected log predictive density that `Elpd::save` of this version wrote",
        "the file of an estimate, as `loo FILE --out` of this version writes it",
    ),
    ("`elpd.refit(..)`", "`loo FILE --refit`"),
    ("`k_fold(..)`", "`loo FILE --folds 10`"),
    ("(`NewGroups::Draw`, `--new-groups`)", "(`--new-groups`)"),
    (
        "(`Regression::of_run_to_population`, `fitted --no-groups`)",
        "(`fitted --no-groups`)",
    ),
    (
        "`--drop-missing`, `.drop_missing(true)`, which leave",
        "`--drop-missing`, which leaves",
    ),
    (
        "`--drop-missing`, `.drop_missing(true)`",
        "`--drop-missing`",
    ),
    (
        "(`--engine psmc`, `Inference::psmc()`)",
        "(`--engine psmc`)",
    ),
    ("`.full_rank()`", "`--engine full_rank`"),
];

/// Methods that only the library has.
const IN_RUST: [&str; 2] = ["refit", "k_fold"];

/// Advice that has another one before it, and that only the library can follow.
const LEFT_OUT: &str = "; or correct the draws by their weights, `run.importance_weighted()`";

/// The text with all code that has a command-line form translated, without [`LEFT_OUT`]; the rest is unchanged.
pub(crate) fn spoken(text: &str) -> String {
    let text = text.replace(LEFT_OUT, "");
    let said = SAID.iter();
    let text = said.fold(text, |text, (rust, line)| text.replace(rust, line));
    // spans of code are every second piece
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let mut spoken = String::with_capacity(text.len());
    for (i, piece) in pieces.into_iter().enumerate() {
        let is_code = i % 2 == 1 && i < last;
        let said = is_code.then(|| code(piece).or_else(|| named(piece, &spoken)));
        match said.flatten() {
            Some(code) => spoken += &code,
            None => spoken += piece,
        }
        if i < last {
            spoken.push('`');
        }
        if is_code && IN_RUST.contains(&piece) {
            spoken += " (in Rust)";
        }
    }
    spoken
}

/// The command-line form of a span of code; `None` if there is none.
fn code(span: &str) -> Option<String> {
    if span == "RunFile::merge" {
        return Some("merge".to_owned());
    }
    if let Some(name) = mass_of(span) {
        return Some(name);
    }
    let of_model = MODEL.iter().find(|(call, _)| span.starts_with(call));
    if let Some((_, command)) = of_model {
        return Some((*command).to_owned());
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
            (vec![format!("--engine {name}")], calls)
        }
        None => (Vec::new(), span),
    };
    // the settings of a kernel are options too
    let of_kernel = calls.strip_prefix(".kernel(").and_then(|kernel| {
        let (_, settings) = kernel.strip_suffix(')')?.split_once("::new()")?;
        (!settings.is_empty()).then_some(settings)
    });
    let mut rest = of_kernel.unwrap_or(calls);
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix('.')?.split_once('(')?;
        let end = closing(after)?;
        words.push(option(name, &after[..end])?);
        rest = &after[end + 1..];
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The name of a setting as an option, if the text before it marks it as a setting.
fn named(span: &str, before: &str) -> Option<String> {
    let text = before.strip_suffix('`')?;
    let is_setting = NAMING.iter().any(|word| text.ends_with(word));
    let is_known = is_option(span) || CHOICES.contains(&span);
    (is_setting && is_known).then(|| format!("--{}", span.replace('_', "-")))
}

/// The index of the bracket that closes an open bracket before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(place, c)| {
        open += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (open == 0).then_some(place)
    })
}

/// The name of a kernel that is written as `RandomWalk::new()`, without settings.
fn kernel_of(value: &str) -> Option<String> {
    let name = in_snake_case(value.strip_suffix("::new()")?);
    kernel::names().any(|known| known == name).then_some(name)
}

/// The name of a mass that is written as `Mass::LowRank`.
fn mass_of(value: &str) -> Option<String> {
    let name = in_snake_case(value.strip_prefix("Mass::")?);
    Mass::names().any(|known| known == name).then_some(name)
}

/// `LowRank` as `low_rank`.
fn in_snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// A call of a setting as an option.
fn option(name: &str, value: &str) -> Option<String> {
    let value = match name {
        "response" => response(value)?,
        "kernel" if value == ".." => "NAME".to_owned(),
        "kernel" => kernel_of(value)?,
        "mass" => mass_of(value)?,
        _ if !is_option(name) => return None,
        _ if value.contains('(') => return None,
        "checkpoint" => "FOLDER".to_owned(),
        "shard" if value == ".." => "i/n".to_owned(),
        "shard" => value.replace(", ", "/"),
        _ if value == ".." => "N".to_owned(),
        _ => value.to_owned(),
    };
    Some(format!("--{} {value}", name.replace('_', "-")))
}

/// The name of a response, in quotes where a shell needs them.
fn response(value: &str) -> Option<String> {
    let name = value.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    Some(match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => value.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::spoken;

    /// Advice of the library, and the same by the command line.
    const SPOKEN: [(&str, &str); 34] = [
        ("Try `.particles(64)`, twice", "Try `--particles 64`, twice"),
        ("`.burn_in(..)`", "`--burn-in N`"),
        ("`.chains(n).draws(1)`", "`--chains n --draws 1`"),
        ("(`.checkpoint(..)`) ends", "(`--checkpoint FOLDER`) ends"),
        (
            "`Inference::psmc().particles(64)`",
            "`--engine psmc --particles 64`",
        ),
        (
            "as by `.kernel(Nuts::new().target_acceptance(0.95))`",
            "as by `--target-acceptance 0.95`",
        ),
        ("`run.failures()` tells", "`explain FILE` tells"),
        (
            "by `model.check(Check::new())` or `model.explain(..)`",
            "by `check` or `explain FILE`",
        ),
        (
            "Raise `target_acceptance` (now 0.8), or raise `max_depth`",
            "Raise `--target-acceptance` (now 0.8), or raise `--max-depth`",
        ),
        (
            "`.shard(i, 40)`, whose files `RunFile::merge` joins",
            "`--shard i/40`, whose files `merge` joins",
        ),
        (
            "use `.kernel(RandomWalk::new())`",
            "use `--kernel random_walk`",
        ),
        (
            "`Inference::psmc().kernel(Nuts::new())`",
            "`--engine psmc --kernel nuts`",
        ),
        (
            "another kernel (`.kernel(..)`)",
            "another kernel (`--kernel NAME`)",
        ),
        (
            "`.check_propriety(false)` runs",
            "`--check-propriety false` runs",
        ),
        (
            "Use `refit`, or `k_fold`",
            "Use `refit` (in Rust), or `k_fold` (in Rust)",
        ),
        ("use `.mass(Mass::LowRank)`", "use `--mass low_rank`"),
        (
            "such as `Inference::nuts()`; or correct the draws by their weights, `run.importance_weighted()`.",
            "such as `--engine nuts`.",
        ),
        (
            "must be `Mass::Identity` or `Mass::Covariance`",
            "must be `identity` or `covariance`",
        ),
        (
            "choose one by `.response(\"y1\")`",
            "choose one by `--response y1`",
        ),
        (
            "choose one by `.response(\"log(y)\")`",
            "choose one by `--response \"log(y)\"`",
        ),
        (
            "Use `elpd.refit(..)` for these observations, or `k_fold(..)`; where",
            "Use `loo FILE --refit` for these observations, or `loo FILE --folds 10`; where",
        ),
        (
            "quantities, `run.predict_with(&model, NewGroups::Draw)` or `--new-groups` on the command line",
            "quantities, `--new-groups`",
        ),
        (
            "new groups (`NewGroups::Draw`, `--new-groups`)",
            "new groups (`--new-groups`)",
        ),
        (
            "the population (`Regression::of_run_to_population`, `fitted --no-groups`)",
            "the population (`fitted --no-groups`)",
        ),
        (
            "`--drop-missing`, `.drop_missing(true)`, which leave out the rows",
            "`--drop-missing`, which leaves out the rows",
        ),
        (
            "leave the rows out: `--drop-missing`, `.drop_missing(true)`",
            "leave the rows out: `--drop-missing`",
        ),
        (
            "as the engine psmc has it (`--engine psmc`, `Inference::psmc()`)",
            "as the engine psmc has it (`--engine psmc`)",
        ),
        (
            "Use `.full_rank()`, more epochs",
            "Use `--engine full_rank`, more epochs",
        ),
        (
            "`x` is not a run that `Run::save` wrote",
            "`x` is not the file of a run, as `--out` writes it",
        ),
        (
            "`x` is not an expected log predictive density that `Elpd::save` of this version wrote",
            "`x` is not the file of an estimate, as `loo FILE --out` of this version writes it",
        ),
        (
            "the rows of these groups (`run.predict_with(&model, NewGroups::Draw)` draws their effects)",
            "the rows of these groups",
        ),
        (
            "The setting `target_acceptance` is 0.99 already",
            "The setting `--target-acceptance` is 0.99 already",
        ),
        ("setting `particles` is 0", "setting `--particles` is 0"),
        ("setting `kernel` is gibbs", "setting `--kernel` is gibbs"),
    ];

    #[test]
    fn settings_and_queries_are_options_and_commands() {
        for (rust, line) in SPOKEN {
            assert_eq!(spoken(rust), line);
        }
    }

    #[test]
    fn what_the_command_line_does_not_have_stays() {
        for text in [
            "no code",
            "`observe(y, Normal::new(mu, 1.0))`",
            "`.truncated(low, high)`",
            "`Inference::laplace()`",
            "`.optimiser(Adam::new(rate))`",
            "`.kernel(Hmc::new(), 5)`",
            "`.kernel(MyKernel::new())`",
            "`.mass(Mass::Diagonal(..))`",
            "`run.relabelled(..)`",
            "`.ordered()`",
            "an open ` mark and .draws(3)",
            "the quantity `draws`",
            "raise `tau`",
            "setting `leaf_share` is 0.7",
            "setting `draws",
            "",
        ] {
            assert_eq!(spoken(text), text);
        }
    }
}
