//! Files with an expected log predictive density, so that models of several programs can be compared.

use super::Elpd;
use crate::error::Error;
use crate::file::{self, Kind};
use std::path::Path;

impl Elpd {
    /// Writes the estimate to a file, for [`Elpd::load`]. The file is whole or absent. An existing file of this kind is replaced, a file
    /// of another kind is not.
    ///
    /// # Errors
    /// [`Error::File`] with the system's error, or if there is a file of another kind.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<(), Error> {
        file::may_write(path, Kind::Elpd)?;
        Ok(file::write(path, Kind::Elpd, self)?)
    }

    /// Reads a file of [`Elpd::save`].
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read, is of another kind, or is damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::load_from(path.as_ref())
    }

    fn load_from(path: &Path) -> Result<Self, Error> {
        let content = file::read(path, Kind::Elpd)?;
        let elpd: Self = content.decode()?;
        let observations = elpd.pointwise.len();
        let has_k = elpd.pareto_k.is_empty() || elpd.pareto_k.len() == observations;
        if elpd.names.len() != observations || !has_k {
            let reason = format!("its lists do not fit {observations} observations");
            return Err(content.damaged(reason).into());
        }
        Ok(elpd)
    }
}

#[cfg(test)]
mod tests {
    use super::super::elpd::LeftOutData;
    use super::super::terms::Terms;
    use super::*;
    use crate::comparison::Method;
    use crate::diagnose::Estimate;
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// A folder for one test, removed at its end, and the path of a file in it.
    fn place() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir();
        let folder = folder.expect("the system has a folder for temporary files");
        let place = folder.path().join("one.elpd");
        (folder, place)
    }

    fn elpd() -> Elpd {
        Elpd {
            method: Method::Loo,
            pointwise: vec![-1.5, f64::NEG_INFINITY, -0.1],
            names: vec!["y[0]".to_owned(), "y[1]".to_owned(), "y[2]".to_owned()],
            effective_parameters: 1.25,
            pareto_k: vec![0.2, f64::INFINITY, 0.0],
            good_k: 0.7,
            mcse: 0.01,
            log_evidence: Some(Estimate {
                mean: -3.0,
                se: f64::INFINITY,
                degrees_of_freedom: 7.0,
            }),
            data: u64::MAX,
            unstable: 0,
            model: Some(u64::MAX),
            terms: Terms::default(),
            rereads: vec!["y".to_owned()],
            rereads_in_words: Some("rows follow each other".to_owned()),
            approximation: None,
            imputed: vec!["x".to_owned()],
            left_out: LeftOutData::default(),
            of_formula: false,
        }
    }

    #[test]
    fn it_comes_back_whole() {
        let (_folder, place) = place();
        elpd().save(&place).expect("it can be written");
        assert_eq!(Elpd::load(&place).expect("it was just written"), elpd());
    }

    #[test]
    fn what_is_not_one_is_refused() {
        let (_folder, place) = place();
        let error = Elpd::load(&place).expect_err("there is none");
        assert!(error.to_string().contains("cannot be read"), "{error}");
        std::fs::write(&place, "elpd").expect("it can be written");
        let error = Elpd::load(&place).expect_err("it is a text");
        assert!(error.to_string().contains("`Elpd::save`"), "{error}");
        let error = elpd().save(&place).expect_err("a text is not replaced");
        assert!(error.to_string().contains("is there already"), "{error}");
        std::fs::remove_file(&place).expect("it was written here");
        let mut short = elpd();
        short.names.pop();
        short.save(&place).expect("it can be written");
        let error = Elpd::load(&place).expect_err("a name is missing");
        assert!(error.to_string().contains("3 observations"), "{error}");
    }
}
