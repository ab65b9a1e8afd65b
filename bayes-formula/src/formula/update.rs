//! The formula of a run, to fit it again with other data or with a part of it changed.

use super::{Chosen, Formula};
use crate::choices::Choices;
use crate::family::Family;
use crate::link::Link;
use crate::recipe::Recipe;
use crate::regression::recipe_of;
use crate::terms;
use bayes::{Error, FormulaError, Run};
use std::fmt;

impl Formula {
    /// The formula of a run with its families, its links and the priors that were chosen for it, to fit it again: to other data,
    /// `Formula::of_run(&run)?.on(&table)?`, or with one of them changed, `Formula::of_run(&run)?.family(Family::Poisson)`. Default priors, levels, scales and
    /// means are set by the new table. `.` means the columns that it meant in the run.
    ///
    /// # Errors
    /// [`Error::Formula`] if the run is not of a formula, or was made by an earlier version, which did not keep the chosen priors.
    pub fn of_run(run: &Run) -> Result<Self, Error> {
        Self::of_recipe(&recipe_of(run)?)
    }

    pub(crate) fn of_recipe(recipe: &Recipe) -> Result<Self, Error> {
        let Some(lines) = &recipe.chosen else {
            return Err(Error::from(FormulaError {
                formula: recipe.formula.clone(),
                at: 0..0,
                message: "an earlier version made this run, and did not keep which of its priors were chosen; fit it again"
                    .to_owned(),
            }));
        };
        let names = recipe.terms()?.names();
        let families: Vec<(Family, Link)> = recipe.families().collect();
        let mut formula = Self {
            families: Choices::new(recipe.family),
            drop_missing: recipe.drop_missing,
            columns: Some(recipe.columns.clone()),
            ..super::formula(&recipe.formula)?
        };
        for (name, (family, link)) in names.iter().zip(families) {
            if family != recipe.family {
                formula = formula.family_of(name, family);
            }
            // another family has another default
            if link != family.links()[0] {
                formula = match names.len() {
                    1 => formula.link(link),
                    _ => formula.link_of(name, link),
                };
            }
        }
        let mut lines = lines.iter();
        let formula = lines.try_fold(formula, |formula, line| formula.prior_of_text(line))?;
        // another prior of the same parameter takes the place of the run's
        Ok(Self {
            given: Vec::new(),
            ..formula
        })
    }

    /// The same with another text, whose `.` means all columns of the table. Families, links and priors stay.
    ///
    /// # Errors
    /// [`Error::Formula`] with the mistake and its place.
    pub fn with_text(self, text: &str) -> Result<Self, Error> {
        let read = super::formula(text)?;
        Ok(Self {
            text: read.text,
            columns: None,
            ..self
        })
    }

    /// The same with default priors alone.
    #[must_use]
    pub fn with_default_priors(self) -> Self {
        Self {
            priors: Vec::new(),
            correlation: None,
            residual: None,
            given: Vec::new(),
            ..self
        }
    }

    /// The chosen priors, as [`prior_of_text`](Self::prior_of_text) reads them.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(target, prior): &(String, Chosen)| match prior {
            Chosen::Each(prior) => format!("{target} ~ {prior}"),
            Chosen::Together(shrinkage) => format!("{target} ~ {shrinkage}"),
        };
        let exponents = [("cor", self.correlation), ("rescor", self.residual)];
        let exponents = exponents.into_iter();
        let exponents = exponents.filter_map(|(name, eta)| Some(format!("{name} ~ lkj({})", eta?)));
        self.priors.iter().map(line).chain(exponents).collect()
    }
}

/// The text, the families, the links that are no defaults, and the chosen priors.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        let columns = self.columns.as_deref();
        let names =
            terms::read(&self.text, columns).map_or_else(|_| Vec::new(), |read| read.names());
        let has_several = names.len() > 1;
        for name in &names {
            let family = self.families.of(name);
            let link = self
                .links
                .of(name)
                .filter(|link| *link != family.links()[0]);
            let link = link.map_or_else(String::new, |link| format!(", link {link}"));
            match has_several {
                true => write!(f, ", {name}: {family}{link}")?,
                false => write!(f, ", {family}{link}")?,
            }
        }
        if self.drop_missing {
            f.write_str(", without rows of missing values")?;
        }
        match self.lines().as_slice() {
            [] => f.write_str("; default priors"),
            lines => write!(f, "; {}, and default priors", lines.join(", ")),
        }
    }
}
