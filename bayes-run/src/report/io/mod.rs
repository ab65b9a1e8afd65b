//! File formats, one source file each. Formats of other programs need the feature `io`.

#[cfg(feature = "io")]
mod arviz;
#[cfg(feature = "io")]
mod cmdstan;
mod csv;
#[cfg(feature = "io")]
mod equal_draws;
mod fit;
#[cfg(feature = "io")]
mod foreign;
#[cfg(feature = "io")]
mod from_arviz;
#[cfg(feature = "io")]
mod from_cmdstan;
mod json;
#[cfg(feature = "io")]
mod zarr;

#[cfg(feature = "io")]
pub use arviz::Arviz;
pub use csv::Csv;
pub use json::Json;

use crate::run::Run;
use std::io::{self, Write};

/// The system's error, with the path of the file or folder.
#[cfg(feature = "io")]
fn at(path: &std::path::Path, error: &io::Error) -> io::Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    io::Error::new(error.kind(), message)
}

/// A file format for runs; your own formats can implement it too.
///
/// ```
/// use bayes_run::report::Format;
/// use bayes_run::run::Run;
/// use std::io::{self, Write};
///
/// /// The names of the columns, one to a line.
/// struct Names;
///
/// impl Format for Names {
///     fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()> {
///         run.layout.element_names().iter().try_for_each(|name| writeln!(writer, "{name}"))
///     }
/// }
///
/// let format: &dyn Format = &Names;
/// # let _ = format;
/// ```
pub trait Format {
    /// Writes the run.
    ///
    /// # Errors
    /// An error of the writer.
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::chains;

    /// The mean of each element, tab separated.
    struct Means;

    impl Format for Means {
        fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()> {
            for row in run.summary().rows {
                writeln!(writer, "{}\t{:.0}", row.name, row.mean)?;
            }
            Ok(())
        }
    }

    #[cfg(feature = "io")]
    #[test]
    fn what_the_system_refuses_names_the_place() {
        let run = chains(2, 4);
        let place = |name: &str| std::path::Path::new("/no/such/folder").join(name);
        let wanted = |name: &str| format!("`/no/such/folder/{name}` cannot be written: ");
        let error = run.to_arviz(place("run.zarr")).expect_err("no such folder");
        assert!(error.to_string().contains(&wanted("run.zarr")), "{error}");
        let error = run.to_cmdstan(place("run")).expect_err("no such folder");
        assert!(
            error.to_string().starts_with(&wanted("run_1.csv")),
            "{error}"
        );
    }

    #[test]
    fn a_format_is_chosen_at_run_time_and_may_be_ones_own() {
        let run = chains(2, 400);
        let first_line = |format: &dyn Format| {
            let mut bytes = Vec::new();
            format.write(&run, &mut bytes).expect("memory takes all");
            let text = String::from_utf8(bytes).expect("it is text");
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert!(first_line(&Csv).starts_with(".chain,.draw"));
        assert!(first_line(&Json).contains("\"model\":\"line\""));
        assert!(["mu\t0", "mu\t-0"].contains(&first_line(&Means).as_str()));
    }
}
