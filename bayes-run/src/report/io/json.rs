//! A whole run as JSON, to be read back.

use super::Format;
use crate::codec;
use crate::run::{Run, RunError, saved};
use std::io::{self, BufWriter, Write};

/// The whole run in the layout of the structs of [`crate::run`].
///
/// Numbers keep all their bits. JSON has no NaN and no infinity: these are the strings `"NaN"`, `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Format for Json {
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        codec::write_json(&mut out, run)?;
        writeln!(out)?;
        out.flush()
    }
}

impl Run {
    /// Writes the whole run as [`Json`].
    ///
    /// # Errors
    /// An error of the writer.
    pub fn to_json(&self, mut writer: impl Write) -> io::Result<()> {
        Json.write(self, &mut writer)
    }

    /// Reads back what [`Run::to_json`] wrote.
    ///
    /// # Errors
    /// [`RunError::Json`] if the text is not a run, [`RunError::Format`] if another version wrote it in another format,
    /// [`RunError::Layout`], [`RunError::NoGroups`], [`RunError::NoDraws`] or [`RunError::Ragged`] if the text was
    /// edited: draws are missing or do not match the layout.
    pub fn from_json(text: &str) -> Result<Self, RunError> {
        let wrong = |error: io::Error| RunError::Json {
            message: error.to_string(),
        };
        saved::of_format(
            || codec::read_json(text).map_err(wrong),
            || codec::read_json(text).map_err(wrong),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::density::Occurrence;
    use crate::run::example::{chains, islands, of_island};
    use crate::run::{NonFinite, Run, RunError};

    fn written(run: &Run) -> String {
        let mut bytes = Vec::new();
        run.to_json(&mut bytes).expect("memory takes all");
        String::from_utf8(bytes).expect("JSON is text")
    }

    #[test]
    fn a_run_comes_back_whole() {
        for mut run in [islands(&[-1.25, -2.5], 5), chains(2, 3)] {
            run.groups[1].counts.non_finite.insert(
                3,
                NonFinite {
                    nan: 2,
                    infinite: 1,
                    cause: Some("Normal: parameter `sd` is -1, must be above 0".to_owned()),
                    first_nan: Some(Occurrence {
                        lambda: 0.5,
                        position: vec![1.0, f64::INFINITY],
                    }),
                    nan_among_draws: true,
                    ..NonFinite::default()
                },
            );
            let text = written(&run);
            let back = Run::from_json(&text).expect("it was just written");
            assert_eq!(back.groups[1].draws, run.groups[1].draws);
            assert_eq!(back.layout, run.layout);
            // Every field is in the text, so equal texts are equal runs.
            assert_eq!(written(&back), text);
        }
    }

    #[test]
    fn numbers_that_are_not_finite_survive() {
        let mut run = islands(&[f64::NEG_INFINITY, -2.0], 1);
        run.groups[0].draws = vec![f64::NAN, f64::INFINITY, -0.0];
        of_island(&mut run.groups[0]).history[0].acceptance = f64::NAN;
        let back = Run::from_json(&written(&run)).expect("it was just written");
        assert_eq!(back.groups[0].log_evidence(), Some(f64::NEG_INFINITY));
        let draws = &back.groups[0].draws;
        assert!(draws[0].is_nan() && draws[1] == f64::INFINITY && draws[2].is_sign_negative());
        assert!(back.groups[0].history()[0].acceptance.is_nan());
    }

    #[test]
    fn what_is_not_a_run_is_refused() {
        let Err(RunError::Json { message }) = Run::from_json("{\"model\": 3}") else {
            panic!("that is no run");
        };
        assert_eq!(
            message,
            "`model`: invalid type: integer `3`, expected a string"
        );
        let Err(RunError::Json { message }) = Run::from_json("{\"model\":\n ]}") else {
            panic!("that is no JSON");
        };
        assert!(message.contains("line 2 column 2"), "{message}");
        let cut = written(&chains(1, 2)).replacen("\"draws\":[", "\"draws\":[0.5,", 1);
        assert_eq!(
            Run::from_json(&cut).map(|_| ()),
            Err(RunError::Ragged {
                group: 0,
                values: 7,
                elements: 3
            })
        );
    }
}
