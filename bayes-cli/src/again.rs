//! The settings of a run, to make another one like it.

use crate::settings::{Family, SETTINGS, Setting, Settings, Value};
use bayes_core::kernel;
use bayes_core::run::Run;
use std::collections::BTreeMap;

/// The settings that belong to a kernel.
const OF_KERNELS: [&str; 3] = ["target_acceptance", "max_depth", "mass"];

impl Settings {
    /// The settings of a run for this engine and this kernel, or for the engine and the kernel of the run. Another engine begins with its defaults, and
    /// another kernel too.
    ///
    /// # Errors
    /// In words, as those of a run.
    pub fn after(run: &Run, engine: Option<&str>, kernel: Option<&str>) -> Result<Self, String> {
        let mut settings = match engine {
            Some(engine) if engine != run.engine => Self::new(engine),
            _ => Self::of_run(run)?,
        };
        if let Some(kernel) = kernel {
            if kernel != run.kernel {
                OF_KERNELS.iter().for_each(|name| settings.forget(name));
            }
            settings.kernel = Some(kernel.to_owned());
        }
        Ok(settings)
    }

    /// The engine of a run with its settings. Limits of time, of gradients and of memory and `until` are not among them: the numbers of islands and draws
    /// that they left are.
    ///
    /// # Errors
    /// In words: the run is a part of one, or was stopped, or no program knows its engine.
    fn of_run(run: &Run) -> Result<Self, String> {
        if run.part_of.is_some() || run.is_stopped {
            return Err(
                "the run is only a part of one, whose settings are not known; `merge` makes one run of all parts, and a run that was stopped has to be finished"
                    .to_owned(),
            );
        }
        let mut settings = Self::new(&run.engine);
        let family = Family::of(&run.engine);
        if matches!(family, Family::Smc | Family::Nested | Family::Tempering) {
            settings.kernel = Some(run.kernel.clone());
        }
        let own = SETTINGS
            .iter()
            .filter(|setting| setting.engines.contains(&family) && is_taken(setting, run));
        for setting in own {
            if let Some(value) = kept(run, family, setting) {
                settings.insert(setting, value);
            }
        }
        settings.engine()?;
        Ok(settings)
    }
}

/// Whether the kernel of a run has a setting, if the setting belongs to kernels.
fn is_taken(setting: &Setting, run: &Run) -> bool {
    if !OF_KERNELS.contains(&setting.id) {
        return true;
    }
    kernel::by_name(&run.kernel).is_ok_and(|mut kernel| {
        let own = kernel.adjustable();
        match setting.id {
            "target_acceptance" => own.target_acceptance.is_some(),
            "max_depth" => own.max_depth.is_some(),
            _ => own.mass.is_some(),
        }
    })
}

/// The value of a setting in a run; `None` for a default that no value says.
fn kept(run: &Run, family: Family, setting: &Setting) -> Option<Value> {
    let text = match (setting.id, family) {
        ("islands", _) => run.groups.len().to_string(),
        ("draws", Family::Variational) => run.total_draws().to_string(),
        (id, _) => match run.settings.get(id) {
            Some(text) => fixed(text).to_owned(),
            None => run.settings.values().find_map(|text| field(text, id))?,
        },
    };
    Value::read(setting.kind, &text).ok()
}

/// The number in `Fixed(3)`; another text as it is.
fn fixed(text: &str) -> &str {
    let inner = text.strip_prefix("Fixed(");
    inner
        .and_then(|inner| inner.strip_suffix(')'))
        .unwrap_or(text)
}

/// The value of a field in the text of a kernel or of a schedule, such as `Nuts { max_depth: 10, mass: Variance }`, in small letters.
fn field(text: &str, name: &str) -> Option<String> {
    let (_, fields) = text.split_once(" { ")?;
    let value = fields.trim_end_matches(" }").split(", ").find_map(|pair| {
        let (found, value) = pair.split_once(": ")?;
        (found == name).then_some(value)
    })?;
    let mut plain = String::new();
    for c in value.chars() {
        if c.is_uppercase() && !plain.is_empty() {
            plain.push('_');
        }
        plain.extend(c.to_lowercase());
    }
    Some(plain)
}

/// The settings in which a run differs from an earlier one, in words; none if it differs in none.
pub(crate) fn differences(
    first: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<String> {
    let names = first
        .keys()
        .chain(now.keys().filter(|name| !first.contains_key(*name)));
    let of = |all: &BTreeMap<String, String>, name: &String| {
        all.get(name).map_or("none", String::as_str).to_owned()
    };
    let differing = names.filter(|name| first.get(*name) != now.get(*name));
    let lines =
        differing.map(|name| format!("{name} {} (before {})", of(now, name), of(first, name)));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("settings other than before: {}\n", lines.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{differences, field, fixed};
    use std::collections::BTreeMap;

    #[test]
    fn fields_are_read_by_their_whole_names() {
        let nuts = "Nuts { step_size: None, target_acceptance: 0.8, max_depth: 10, mass: LowRank }";
        let of = |name| field(nuts, name);
        assert_eq!(of("max_depth").as_deref(), Some("10"));
        assert_eq!(of("target_acceptance").as_deref(), Some("0.8"));
        assert_eq!(of("mass").as_deref(), Some("low_rank"));
        assert_eq!((of("depth"), of("draws")), (None, None));
        assert_eq!(
            (field("systematic", "mass"), fixed("Fixed(3)"), fixed("3")),
            (None, "3", "3")
        );
    }

    #[test]
    fn settings_that_differ_are_named_with_both_values() {
        let map = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            let all = all.iter();
            all.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect()
        };
        let first = map(&[("draws", "30"), ("path", "data"), ("thin", "1")]);
        assert_eq!(differences(&first, &first), None);
        let now = map(&[("draws", "20"), ("thin", "1"), ("starts", "pathfinder")]);
        assert_eq!(
            differences(&first, &now).as_deref(),
            Some(
                "settings other than before: draws 20 (before 30), path none (before data), starts pathfinder (before none)\n"
            )
        );
    }
}
