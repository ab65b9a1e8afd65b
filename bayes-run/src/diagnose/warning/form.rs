//! The form of a model's hierarchy: centred, found in the text of its statements, or non-centred, found in its derivatives.

use super::divergences::Region;
use crate::density::Product;
use crate::dist::Shape;
use crate::model::{TermScale, Variable, VariableKind};
use crate::order;
use crate::run::Run;
use crate::text::short;
use serde::{Deserialize, Serialize};

/// The number of scales of terms that a message names.
const NAMED: usize = 3;

/// The form of a part of a hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// The prior of a vector has random parameters.
    Centred {
        /// The vector.
        vector: String,
        /// The random quantities in its prior.
        parameters: Vec<String>,
        /// Where divergent trajectories start, in the parameter with the largest difference from the posterior, if by more than chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Region>,
    },
    /// The likelihood multiplies a vector by a random scale, or the prior says `.non_centred()`.
    NonCentred {
        /// The vector.
        vector: String,
        /// The scale, or its logarithm.
        scale: String,
        /// Where divergent trajectories start in the scale, if they differ from the posterior by more than chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Region>,
    },
    /// The coefficients of a term of a formula have a random scale.
    Term {
        /// The term in the formula.
        term: String,
        /// The element that is the scale.
        scale: String,
        /// Where divergent trajectories start in the scale, if they differ from the posterior by more than chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Region>,
    },
}

/// The evidence of the starting points about a scalar quantity: their difference from the posterior in standard errors, and their region,
/// if by more than chance.
pub(super) type Evidence<'a> = dyn Fn(&str) -> Option<(f64, Region)> + 'a;

/// The forms of the parts of a model's hierarchy. Parts whose scale is most related to divergences come first, then non-centred parts.
pub(super) fn forms(run: &Run, evidence: &Evidence<'_>) -> Vec<Form> {
    let all = match &run.recipe {
        Some(recipe) => recipe.scales.iter().map(|s| of_term(s, evidence)).collect(),
        None => of_model(run, evidence),
    };
    let all = order::descending_by(all, |(score, _)| score.unwrap_or(0.0));
    all.into_iter().map(|(_, form)| form).collect()
}

fn of_term(scale: &TermScale, evidence: &Evidence<'_>) -> (Option<f64>, Form) {
    let TermScale { term, scale } = scale.clone();
    let (score, at) = evidence(&scale).unzip();
    (score, Form::Term { term, scale, at })
}

/// The parts of a model that is written as statements.
fn of_model(run: &Run, evidence: &Evidence<'_>) -> Vec<(Option<f64>, Form)> {
    let product = |Product { vector, scale }: &Product| {
        let (score, at) = evidence(scale).unzip();
        let (vector, scale) = (vector.clone(), scale.clone());
        (score, Form::NonCentred { vector, scale, at })
    };
    let products = run.products.iter().map(product);
    let mut all: Vec<(Option<f64>, Form)> = products.collect();
    for (vector, parameters) in centred(run) {
        let most = parameters.iter().filter_map(|name| evidence(name));
        let (score, at) = most.max_by(|a, b| a.0.total_cmp(&b.0)).unzip();
        let form = Form::Centred {
            vector,
            parameters,
            at,
        };
        all.push((score, form));
    }
    for (vector, scale) in non_centred(run) {
        let (score, at) = evidence(&scale).unzip();
        all.push((score, Form::NonCentred { vector, scale, at }));
    }
    all
}

/// The vectors whose priors have random parameters, with these parameters.
fn centred(run: &Run) -> Vec<(String, Vec<String>)> {
    let found = priors(run).filter(|(_, prior)| !prior.contains(NON_CENTRED));
    let found = found.filter_map(|(vector, prior)| {
        let parameters = random_in(run, prior, &vector);
        (!parameters.is_empty()).then_some((vector, parameters))
    });
    found.collect()
}

/// The vectors whose prior is in the non-centred form by its name, with the random scale.
fn non_centred(run: &Run) -> Vec<(String, String)> {
    let found = priors(run).filter(|(_, prior)| prior.contains(NON_CENTRED));
    let found = found.filter_map(|(vector, prior)| {
        let scale = random_in(run, scale_of(prior)?, &vector)
            .into_iter()
            .next()?;
        Some((vector, scale))
    });
    found.collect()
}

/// The text that marks a prior in the non-centred form.
const NON_CENTRED: &str = ".non_centred()";

/// The text of the scale in the constructor at the beginning of a prior: `tau` in `Normal::new(mu, tau).iid(8)`.
fn scale_of(prior: &str) -> Option<&str> {
    let (family, rest) = prior.split_once("::")?;
    let place = match family {
        "ZeroSumNormal" => 0,
        "StudentT" => 2,
        _ => 1,
    };
    let arguments = rest.split_once('(')?.1;
    let mut depth = 0;
    let is_end = |c: char| {
        let ends = depth == 0 && [',', ')'].contains(&c);
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        ends
    };
    arguments.split(is_end).nth(place)
}

/// The vectors that are drawn, with the texts of their priors.
fn priors(run: &Run) -> impl Iterator<Item = (String, &str)> {
    let vectors = random(run).filter(|v| v.shape != Shape::Scalar);
    vectors.filter_map(|vector| {
        let mut statements = run.statements.iter();
        let prior = statements.find_map(|s| s.prior_of(&vector.name))?;
        Some((vector.name.clone(), prior))
    })
}

fn random(run: &Run) -> impl Iterator<Item = &Variable> {
    let is_random = |kind| matches!(kind, VariableKind::Continuous | VariableKind::Discrete);
    run.layout
        .variables
        .iter()
        .filter(move |v| is_random(v.kind))
}

/// The other random quantities in a text, in the order of their statements.
fn random_in(run: &Run, text: &str, vector: &str) -> Vec<String> {
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let others = random(run).filter(|other| other.name != vector);
    let found = others.filter(|other| words().any(|word| word == other.name));
    found.map(|other| other.name.clone()).collect()
}

/// What another parametrisation promises: a sentence without its first letter's capital and without its full stop.
pub(super) fn advice(forms: &[Form]) -> String {
    if let Some(advice) = forms.first().and_then(Form::advice) {
        return advice;
    }
    let products = forms.iter().filter_map(Form::product);
    let products: Vec<String> = products.collect();
    let mut parts = Vec::new();
    if !products.is_empty() {
        let (are, form) = match products.len() {
            1 => ("is", "the non-centred form"),
            _ => ("are", "non-centred forms"),
        };
        parts.push(format!(
            "change the parametrisation: {} {are} {form}, which suits little data for each element; with much data the centred form suits better, and \
             where the data leave the scale open a narrower prior of it helps",
            products.join(" and ")
        ));
    }
    let mut vectors = forms.iter().filter_map(|form| match form {
        Form::Centred { vector, .. } => Some(vector),
        Form::NonCentred { .. } | Form::Term { .. } => None,
    });
    if let Some(vector) = vectors.next() {
        parts.push(to_non_centred(vector, ""));
    }
    match parts.is_empty() {
        true => "change the parametrisation: quantities that the data bound only together, such as the factors of a product, \
                 make places that are hard to enter"
            .to_owned(),
        false => parts.join("; "),
    }
}

/// What a formula can do about it: a sentence without its first letter's capital and without its full stop.
pub(super) fn advice_for_formula(forms: &[Form]) -> String {
    if let Some(Form::Term {
        term,
        scale,
        at: Some(at),
    }) = forms.first()
    {
        let (there, mean) = (short(at.there), short(at.mean));
        return match at.is_low() {
            true => format!(
                "look at `{scale}`, the scale of `{term}`, which averages {there} there (posterior mean {mean}): the data may not tell it from 0. Leave \
                 out what varies by it, and compare both models by `loo`; or, if it is known not to be 0, give it a prior with less mass near 0"
            ),
            false => format!(
                "look at `{scale}`, the scale of `{term}`, which averages {there} there (posterior mean {mean}): where the data leave it open a tighter \
                 prior of it helps"
            ),
        };
    }
    let mut scales: Vec<String> = forms.iter().filter_map(Form::scale_of_term).collect();
    let more = scales.len().saturating_sub(NAMED);
    scales.truncate(NAMED);
    if more > 0 {
        scales.push(format!("{more} more"));
    }
    match scales.is_empty() {
        true => {
            "give parameters that the data leave open tighter priors, or leave out terms".to_owned()
        }
        false => format!(
            "give the scales of terms that the data leave open tighter priors ({}), or leave out such terms",
            scales.join(", ")
        ),
    }
}

fn to_non_centred(vector: &str, of_which: &str) -> String {
    format!(
        "the prior of `{vector}` has random parameters{of_which}: with little data for each element write it in the non-centred \
         form, by `.non_centred()` after its distribution, or as a standard normal vector that the model shifts and scales"
    )
}

impl Form {
    /// `scale * vector` in words.
    fn product(&self) -> Option<String> {
        match self {
            Self::NonCentred { vector, scale, .. } => {
                Some(format!("`{vector}`, which `{scale}` multiplies,"))
            }
            Self::Centred { .. } | Self::Term { .. } => None,
        }
    }

    /// `` `sd[site:Intercept]` of `(1 | site)` ``.
    fn scale_of_term(&self) -> Option<String> {
        match self {
            Self::Term { term, scale, .. } => Some(format!("`{scale}` of `{term}`")),
            Self::Centred { .. } | Self::NonCentred { .. } => None,
        }
    }

    /// The advice for divergent trajectories that start at small, or at large, values of the scale; `None` if that is unknown.
    fn advice(&self) -> Option<String> {
        match self {
            Self::Term { .. } => None,
            Self::Centred { vector, at, .. } => {
                let Region { element, .. } = at.as_ref()?;
                let side = if at.as_ref()?.is_low() {
                    "less"
                } else {
                    "more"
                };
                let of_which = format!(", of which `{element}` averages {side} there");
                Some(to_non_centred(vector, &of_which))
            }
            Self::NonCentred { vector, scale, at } => Some(match at.as_ref()?.is_low() {
                false => format!(
                    "change the parametrisation: `{scale}`, which multiplies `{vector}`, averages more there; with much data for each element write `{vector}` in \
                     the centred form, with `{scale}` in its prior and not as a factor, and where the data leave `{scale}` open a narrower prior of it helps"
                ),
                true => format!(
                    "change the parametrisation: `{scale}`, which multiplies `{vector}`, averages less there; that is the non-centred form, which suits \
                     small scales already, so that a prior of `{scale}` with less mass near 0 helps, if the scale is known not to be 0"
                ),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::scale_of;

    #[test]
    fn the_scale_is_found_in_the_text_of_a_prior() {
        let scales = [
            ("Normal::new(mu, tau).iid(8).non_centred())", "tau"),
            (
                "Normal::new(f(a, [b, c]), tau * 2.0).non_centred())",
                "tau * 2.0",
            ),
            ("StudentT::new(4.0, mu, s[0]).iid(8).non_centred())", "s[0]"),
            ("SkewNormal::new(mu, tau, alpha).non_centred())", "tau"),
            ("ZeroSumNormal::new(tau, 5).non_centred())", "tau"),
            (
                "MultivariateNormal::from_cholesky(&mean, &lower).non_centred())",
                "&lower",
            ),
        ];
        for (prior, scale) in scales {
            assert_eq!(scale_of(prior).map(str::trim), Some(scale), "{prior}");
        }
        assert_eq!(scale_of("own(mu, tau)"), None);
    }
}
