//! Files of a fit: its points and its losses as comma-separated values, and the whole fit as JSON.

use super::csv::write_names;
use crate::codec;
use crate::run::{Fit, RunError, saved};
use std::io::{self, BufWriter, Write};

impl Fit {
    /// One row for each restart: its number, the log density that was maximised, the norm of its gradient, then the values by
    /// name. Numbers are written so that reading them gives back the same bits.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn to_csv(&self, mut writer: impl Write) -> io::Result<()> {
        self.write_points(&mut writer)
    }

    fn write_points(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        write!(out, ".restart,.log_density,.gradient_norm")?;
        write_names(&self.layout, &mut out)?;
        for (i, restart) in self.restarts.iter().enumerate() {
            write!(
                out,
                "{i},{:?},{:?}",
                restart.log_density, restart.gradient_norm
            )?;
            for value in &restart.values {
                write!(out, ",{value:?}")?;
            }
            writeln!(out)?;
        }
        out.flush()
    }

    /// One row for each restart and epoch: the two numbers, the loss, and the validation loss, which is empty without
    /// validation.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn losses_to_csv(&self, mut writer: impl Write) -> io::Result<()> {
        self.write_losses_of_epochs(&mut writer)
    }

    fn write_losses_of_epochs(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        writeln!(out, "restart,epoch,loss,validation_loss")?;
        for (i, restart) in self.restarts.iter().enumerate() {
            for (epoch, loss) in restart.losses.iter().enumerate() {
                let validation = restart.validation_losses.get(epoch);
                let validation = validation.map_or(String::new(), |loss| format!("{loss:?}"));
                writeln!(out, "{i},{},{loss:?},{validation}", epoch + 1)?;
            }
        }
        out.flush()
    }

    /// Writes the whole fit as JSON. Numbers keep all their bits.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn to_json(&self, mut writer: impl Write) -> io::Result<()> {
        self.write_json(&mut writer)
    }

    fn write_json(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        codec::write_json(&mut out, self)?;
        writeln!(out)?;
        out.flush()
    }

    /// Reads back what [`Fit::to_json`] wrote.
    ///
    /// # Errors
    /// [`RunError::Json`] if the text is not a fit, [`RunError::Format`] if another version wrote it in another format,
    /// [`RunError::Layout`], [`RunError::NoGroups`], [`RunError::Length`] or [`RunError::Value`] if it was edited.
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
    use crate::run::example::fit as example;
    use crate::run::{Fit, RunError};

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes);
        String::from_utf8(bytes).expect("it is text")
    }

    #[test]
    fn a_fit_comes_back_whole() {
        let mut fit = example();
        fit.restarts[0].gradient_norm = f64::INFINITY;
        fit.restarts[1].losses[0] = f64::INFINITY;
        let text = written(|out| fit.to_json(out).expect("memory takes all"));
        assert_eq!(Fit::from_json(&text).expect("just written"), fit);
    }

    #[test]
    fn an_edited_fit_is_refused() {
        let refused = |change: fn(&mut Fit)| {
            let mut fit = example();
            change(&mut fit);
            let text = written(|out| fit.to_json(out).expect("memory takes all"));
            Fit::from_json(&text).expect_err("it is not intact")
        };
        let error = refused(|fit| fit.restarts[2].position.truncate(1));
        let wanted = RunError::Length {
            group: 2,
            list: "position",
            found: 1,
            wanted: 3,
        };
        assert_eq!(error, wanted);
        assert_eq!(refused(|fit| fit.restarts.clear()), RunError::NoGroups);
        let error = refused(|fit| fit.best = 3).to_string();
        assert!(error.contains("`best` is 3"), "{error}");
        assert!(matches!(
            refused(|fit| fit.format = 9),
            RunError::Format { found: 9, .. }
        ));
        assert!(matches!(Fit::from_json("{}"), Err(RunError::Json { .. })));
    }

    #[test]
    fn tables_have_a_row_per_restart_and_per_epoch() {
        let text = written(|out| example().to_csv(out).expect("memory takes all"));
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some(".restart,.log_density,.gradient_norm,mu,beta[0],beta[1]")
        );
        assert_eq!(lines.next(), Some("0,-12.75,1e-7,1.0,1.5,-2.0"));
        assert_eq!(lines.count(), 2);
        let text = written(|out| example().losses_to_csv(out).expect("memory takes all"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[6], "1,3,12.25,");
    }
}
