//! The text of a run without some of its rows.

use crate::run::{Run, RunError};
use std::fmt;

/// The text of a run without the rows of some quantities, as returned by [`Run::except`], to be printed.
#[derive(Clone, Debug)]
pub struct Printed<'a> {
    run: &'a Run,
    hidden: Vec<String>,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.write_except(f, &self.hidden)
    }
}

impl Run {
    /// The text that `println!("{run}")` prints, without the rows of these quantities (`z`) and elements (`theta[3]`), such as the
    /// standardised effects of a hierarchy. Warnings still mention them.
    ///
    /// ```text
    /// println!("{}", run.except(["z"])?);
    /// ```
    ///
    /// # Errors
    /// [`RunError::UnknownName`] for a name that is neither a quantity nor an element, with the names that exist.
    pub fn except<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Printed<'_>, RunError> {
        let hidden: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let elements = self.layout.element_names();
        let is_known = |name: &&String| {
            self.layout.find(name).is_some() || elements.iter().any(|element| element == *name)
        };
        match hidden.iter().find(|name| !is_known(name)) {
            None => Ok(Printed { run: self, hidden }),
            Some(name) => {
                let variables = self.layout.variables.iter();
                let known = variables.map(|variable| variable.name.clone()).collect();
                Err(RunError::unknown_name(name, known))
            }
        }
    }
}
