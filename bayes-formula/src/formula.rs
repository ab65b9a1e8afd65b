//! A formula with its families and its priors, before there is a table.

mod update;

use crate::centring::{centrings, placements};
use crate::choices::Choices;
use crate::columns::Memory;
use crate::defaults::Priors;
use crate::design::Design;
use crate::family::Family;
use crate::link::Link;
use crate::prior::Prior;
use crate::recipe::{Purpose, Recipe};
use crate::regression::Regression;
use crate::shrinkage::Shrinkage;
use crate::terms;
use bayes::data::Table;
use bayes::{Error, FormulaError};

/// Reads a formula: `formula("reaction ~ days + (1 + days | subject)")?`.
///
/// # Errors
/// [`Error::Formula`] with the mistake and its place.
pub fn formula(text: &str) -> Result<Formula, Error> {
    // columns are not known yet
    terms::read(text, None)?;
    Ok(Formula {
        text: text.to_owned(),
        families: Choices::new(Family::Gaussian),
        links: Choices::new(None),
        priors: Vec::new(),
        correlation: None,
        given: Vec::new(),
        residual: None,
        drop_missing: false,
        columns: None,
    })
}

/// The setting of the prior of correlations of group effects.
const CORRELATION: &str = "correlation_prior";

/// The setting of the prior of residual correlations.
const RESIDUAL: &str = "residual_correlation_prior";

/// A prior of one parameter, or of all coefficients together.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Each(Prior),
    Together(Shrinkage),
}

/// A formula with its families and its priors.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    families: Choices<Family>,
    /// `None` for the default link of the family.
    links: Choices<Option<Link>>,
    /// The target of each prior and the prior, in the given order.
    priors: Vec<(String, Chosen)>,
    /// `None` for the default.
    correlation: Option<f64>,
    /// The targets of the priors that were given as texts, but not those that a run had.
    given: Vec<String>,
    /// `None` for the default.
    residual: Option<f64>,
    drop_missing: bool,
    /// The columns that `.` means, of a formula that a run had; `None` for the columns of the table.
    columns: Option<Vec<String>>,
}

impl Formula {
    /// The family of all responses but those with a family [of their own](Self::family_of); Gaussian by default.
    #[must_use]
    pub fn family(mut self, family: Family) -> Self {
        self.families.set_all(family);
        self
    }

    /// The family of one response of several, by its name: `.family_of("y2", Family::Poisson)`. Another name is an error of [`on`](Self::on).
    #[must_use]
    pub fn family_of(mut self, response: &str, family: Family) -> Self {
        self.families.add(response, family);
        self
    }

    /// The families by a text, as in the program `bayes`: `poisson` for all responses, in place of all earlier choices, `y1 = gaussian, y2 = poisson` for some.
    ///
    /// # Errors
    /// [`Error::Formula`] if there is no such family.
    pub fn family_of_text(mut self, text: &str) -> Result<Self, Error> {
        let read = self.families.read(text, str::parse::<Family>);
        read.map_err(|message| said_wrongly("family", text, message))?;
        Ok(self)
    }

    /// The link between the mean of each response, or its probability, and its linear predictor; by default the family's. Links of
    /// [some responses](Self::link_of) stay.
    #[must_use]
    pub fn link(mut self, link: Link) -> Self {
        self.links.set_all(Some(link));
        self
    }

    /// The link of one response of several, by its name.
    #[must_use]
    pub fn link_of(mut self, response: &str, link: Link) -> Self {
        self.links.add(response, Some(link));
        self
    }

    /// The links by a text: `probit` for all responses, in place of all earlier choices, `y1 = log, y2 = probit` for some.
    ///
    /// # Errors
    /// [`Error::Formula`] if there is no such link.
    pub fn link_of_text(mut self, text: &str) -> Result<Self, Error> {
        let read = |name: &str| name.parse::<Link>().map(Some);
        let read = self.links.read(text, read);
        read.map_err(|message| said_wrongly("link", text, message))?;
        Ok(self)
    }

    /// A linear predictor for another parameter of the family, as `; sigma ~ x` in the text: `.predictor("sigma", "x + (1 | site)")`.
    /// `sigma`, `nu`, `shape`, `phi`, `kappa`, `beta` and `disc` are predicted by their logarithms, `zi`, `hu`, `zoi` and `coi` by their log
    /// odds, `alpha` by itself. For a categorical response `mub` is the linear predictor of the label `b`. With several responses it belongs to
    /// the last one of the text. Mistakes are errors of [`on`](Self::on).
    #[must_use]
    pub fn predictor(mut self, of: &str, terms: &str) -> Self {
        let terms = terms.trim_start().trim_start_matches('~');
        self.text = format!("{}; {of} ~ {}", self.text, terms.trim());
        self
    }

    /// Sets the prior of a parameter, or of all parameters of a class in the linear predictor of the response: `b`, `b[days]`,
    /// `intercept`, `cutpoints`, `cutpoints[1]`, `sd`, `sd[site]`, `sd[site:days]`, `sds`, `sigma`, `nu`, `shape`, `phi`, `zi`, `hu`, `alpha`, `beta`, `kappa`, `zoi`, `coi`; in the linear predictor
    /// of another parameter `b[sigma]`, `b[sigma:days]`, `intercepts[sigma]`. If several priors match a parameter, the most specific one
    /// holds, `b[days]` before `b`, and of equal ones the last.
    #[must_use]
    pub fn prior(mut self, of: &str, prior: Prior) -> Self {
        self.priors.push((of.to_owned(), Chosen::Each(prior)));
        self
    }

    /// Sets a prior that shrinks all coefficients of the response together, as `b ~ horseshoe(..)` and `b ~ R2D2(..)` in a text. A prior
    /// of a coefficient, `b[x]`, takes it out.
    #[must_use]
    pub fn shrinkage(mut self, shrinkage: Shrinkage) -> Self {
        self.priors
            .push(("b".to_owned(), Chosen::Together(shrinkage)));
        self
    }

    /// Sets a prior by a text, as in the program `bayes`: `b ~ normal(0, 1)`, `sd[site] ~ exponential(1)`, `cor ~ lkj(2)`.
    ///
    /// # Errors
    /// [`Error::Formula`] if the text is not a parameter, `~` and a distribution, and if another text was given for the parameter.
    pub fn prior_of_text(mut self, text: &str) -> Result<Self, Error> {
        let wrong = |message: &str| FormulaError {
            formula: text.to_owned(),
            at: 0..0,
            message: message.to_owned(),
        };
        let Some((target, prior)) = text.split_once('~') else {
            let message = "a prior is a parameter, `~` and a distribution: `b ~ normal(0, 1)`";
            return Err(wrong(message).into());
        };
        let (target, prior) = (target.trim(), prior.trim());
        if self.given.iter().any(|given| given == target) {
            return Err(wrong(&format!("`{target}` has two priors; leave one out")).into());
        }
        self.given.push(target.to_owned());
        if Shrinkage::is_meant(prior) {
            if target != "b" {
                return Err(wrong(&format!(
                    "such a prior shrinks all coefficients together: `b ~ {prior}`"
                ))
                .into());
            }
            return Ok(self.shrinkage(Shrinkage::read(prior)?));
        }
        if target != "cor" && target != "rescor" {
            return Ok(self.prior(target, Prior::read(prior)?));
        }
        let eta = prior
            .strip_prefix("lkj(")
            .and_then(|rest| rest.strip_suffix(')'))
            .and_then(|eta| eta.trim().parse().ok());
        let eta = eta.ok_or_else(|| {
            wrong("correlations have the prior `lkj(eta)`, such as `cor ~ lkj(2)`")
        })?;
        Ok(match target {
            "cor" => self.correlation_prior(eta),
            _ => self.residual_correlation_prior(eta),
        })
    }

    /// The columns that the formula reads from a table with these columns, each once, in alphabetical order.
    ///
    /// # Errors
    /// [`Error::Formula`] if `.` has no column left.
    pub fn columns(&self, of: &[String]) -> Result<Vec<String>, Error> {
        let of = self.columns.as_deref().unwrap_or(of);
        Ok(terms::read(&self.text, Some(of))?.all_columns())
    }

    /// The exponent of the prior of correlations between the coefficients of a group (Lewandowski, Kurowicka & Joe 2009): 1, the default,
    /// is flat; larger values favour small correlations. Without such correlations it is an error of [`on`](Self::on).
    #[must_use]
    pub fn correlation_prior(self, eta: f64) -> Self {
        Self {
            correlation: Some(eta),
            ..self
        }
    }

    /// The same for the correlations of the residuals of several responses, `set_rescor(TRUE)`; without them it is an error of [`on`](Self::on).
    #[must_use]
    pub fn residual_correlation_prior(self, eta: f64) -> Self {
        Self {
            residual: Some(eta),
            ..self
        }
    }

    /// Whether rows without a value in a column of the formula are left out; by default they are an error.
    #[must_use]
    pub fn drop_missing(self, drop_missing: bool) -> Self {
        Self {
            drop_missing,
            ..self
        }
    }

    /// The model for a table.
    ///
    /// # Errors
    /// [`Error::Formula`] if the formula does not fit the table or a prior fits no parameter, [`Error::Table`] if a column cannot be read.
    pub fn on(&self, table: &Table) -> Result<Regression, Error> {
        self.check_exponents()?;
        let columns = self.columns.as_deref().unwrap_or(table.columns());
        let formulas = terms::read(&self.text, Some(columns))?;
        if let Some(eta) = self.residual {
            let allowed =
                "for residuals that are correlated: write `; set_rescor(TRUE)` behind the formula";
            Error::setting(RESIDUAL, eta, formulas.rescor, allowed)?;
        }
        let families = self.chosen(&formulas.names())?;
        let (family, link) = families[0];
        let mut recipe = Recipe {
            formula: self.text.clone(),
            family,
            link,
            further: families[1..].to_vec(),
            about: None,
            drop_missing: self.drop_missing,
            columns: columns.to_vec(),
            memory: Memory::new(),
            means: Vec::new(),
            grades: 0,
            labels: Vec::new(),
            baseline: None,
            priors: Priors::default(),
            chosen: Some(self.lines()),
            centrings: Vec::new(),
        };
        let complete = recipe.complete(table)?;
        let table = complete.as_ref().unwrap_or(table);
        let mut design = recipe.design(table, Purpose::Fit)?;
        self.check_correlations(&design)?;
        let priors = self.choose(Priors::default_of(&design), &design)?;
        recipe.priors = priors.clone();
        design.priors = priors;
        recipe.centrings = centrings(&design);
        design.placements = placements(&recipe.centrings, &design);
        Ok(Regression::new(recipe, design, table))
    }

    /// Priors with the chosen ones in their place.
    pub(crate) fn choose(&self, mut priors: Priors, design: &Design) -> Result<Priors, Error> {
        priors.correlation = self.correlation.unwrap_or(1.0);
        priors.residual = self.residual.unwrap_or(1.0);
        let mut chosen: Vec<&(String, Chosen)> = self.priors.iter().collect();
        chosen.sort_by_key(|(target, _)| specificity(target));
        for (target, prior) in chosen {
            match prior {
                Chosen::Each(prior) => priors.set(target, *prior, design)?,
                Chosen::Together(shrinkage) => {
                    priors
                        .shrink(*shrinkage, design)
                        .map_err(|message| FormulaError {
                            formula: format!("{target} ~ {shrinkage}"),
                            at: 0..target.len(),
                            message,
                        })?;
                }
            }
        }
        priors.finish(design)?;
        Ok(priors)
    }

    /// Refuses a prior of correlations where effects have none.
    fn check_correlations(&self, design: &Design) -> Result<(), Error> {
        let allowed =
            "for effects of groups that are correlated, as of `(1 + x | g)`; this formula has none";
        self.correlation.map_or(Ok(()), |eta| {
            Error::setting(CORRELATION, eta, design.has_correlations(), allowed)
        })
    }

    /// Checks the exponents of the priors of correlations.
    fn check_exponents(&self) -> Result<(), Error> {
        for (setting, eta) in [
            (CORRELATION, self.correlation.unwrap_or(1.0)),
            (RESIDUAL, self.residual.unwrap_or(1.0)),
        ] {
            Error::setting(
                setting,
                eta,
                eta.is_finite() && eta > 0.0,
                "positive and finite",
            )?;
        }
        Ok(())
    }

    /// The family and the link of each response.
    fn chosen(&self, names: &[String]) -> Result<Vec<(Family, Link)>, Error> {
        self.families.check("family", names)?;
        self.links.check("link", names)?;
        let mut all = Vec::new();
        for name in names {
            let family = self.families.of(name);
            let allowed = family.links();
            let link = self.links.of(name).unwrap_or(allowed[0]);
            if !allowed.contains(&link) {
                let allowed: Vec<String> = allowed.iter().map(Link::to_string).collect();
                return Err(Error::Setting {
                    setting: "link",
                    value: link.to_string(),
                    allowed: format!("{}, for the family {family}", allowed.join(", ")),
                });
            }
            all.push((family, link));
        }
        Ok(all)
    }
}

/// The rank of a prior's target among those that match a parameter: `b` before `b[x]`, and `sd[g]` before `sd[g:x]`.
fn specificity(target: &str) -> usize {
    usize::from(target.contains('[')) + usize::from(target.contains(':'))
}

/// The error of a text of a family or a link.
fn said_wrongly(of: &str, text: &str, message: String) -> Error {
    Error::from(FormulaError {
        formula: format!("{of}: {text}"),
        at: 0..0,
        message,
    })
}
