//! How a model writes its hierarchy: centred as the text of its statements shows, non-centred as its derivatives do.

use super::divergences::Region;
use crate::density::Product;
use crate::dist::Shape;
use crate::model::VariableKind;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The form of a part of a hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// The prior of a vector has random parameters.
    Centred {
        /// The vector.
        vector: String,
        /// The random quantities in its prior.
        parameters: Vec<String>,
        /// Where divergent trajectories start in the parameter in which that differs most from the posterior, if by more than chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Region>,
    },
    /// The likelihood has a vector multiplied by a random scale.
    NonCentred {
        /// The vector.
        vector: String,
        /// The scale, or its logarithm.
        scale: String,
        /// Where divergent trajectories start in the scale, if that differs from the posterior by more than chance.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Region>,
    },
}

/// What starting points show of a scalar quantity: by how many standard errors they differ from the posterior, and where they are, if by more
/// than chance.
pub(super) type Evidence<'a> = dyn Fn(&str) -> Option<(f64, Region)> + 'a;

/// The forms of the parts of a model's hierarchy, those first whose scale has most to do with divergences, then those that are non-centred.
pub(super) fn forms(run: &Run, evidence: &Evidence<'_>) -> Vec<Form> {
    let product = |Product { vector, scale }: &Product| {
        let (score, at) = evidence(scale).unzip();
        let (vector, scale) = (vector.clone(), scale.clone());
        (score, Form::NonCentred { vector, scale, at })
    };
    let products = run.products.iter().map(product);
    let mut all: Vec<(Option<f64>, Form)> = products.collect();
    for Hierarchy {
        vector,
        parameters,
        is_centred,
    } in hierarchies(run)
    {
        let found = parameters
            .iter()
            .filter_map(|name| Some((name, evidence(name)?)));
        let most = found.max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
        let (name, (score, at)) = most
            .map(|(name, (score, at))| (name.clone(), (Some(score), Some(at))))
            .unwrap_or_default();
        let form = match is_centred {
            true => Form::Centred {
                vector,
                parameters,
                at,
            },
            // without evidence the last one, which the scale is in every family
            false => Form::NonCentred {
                vector,
                scale: match at {
                    Some(_) => name,
                    None => parameters.last().cloned().unwrap_or_default(),
                },
                at,
            },
        };
        all.push((score, form));
    }
    let rank = |score: &Option<f64>| score.unwrap_or(0.0);
    all.sort_by(|(a, _), (b, _)| rank(b).total_cmp(&rank(a)));
    all.into_iter().map(|(_, form)| form).collect()
}

/// A vector whose prior has random parameters.
struct Hierarchy {
    vector: String,
    /// These, in the order of their statements.
    parameters: Vec<String>,
    /// Whether the vector itself is the coordinate, and not `z` in `location + scale z`.
    is_centred: bool,
}

fn hierarchies(run: &Run) -> Vec<Hierarchy> {
    let is_random = |kind| matches!(kind, VariableKind::Continuous | VariableKind::Discrete);
    let random = || run.layout.variables.iter().filter(|v| is_random(v.kind));
    let vectors = random().filter(|v| v.shape != Shape::Scalar);
    let found = vectors.filter_map(|vector| {
        let mut statements = run.statements.iter();
        let prior = statements.find_map(|s| s.prior_of(&vector.name))?;
        let words = || prior.split(|c: char| !c.is_alphanumeric() && c != '_');
        let others = random().filter(|other| other.name != vector.name);
        let parameters = others.filter(|other| words().any(|word| word == other.name));
        let parameters: Vec<String> = parameters.map(|other| other.name.clone()).collect();
        (!parameters.is_empty()).then(|| Hierarchy {
            vector: vector.name.clone(),
            parameters,
            is_centred: !prior.contains(".non_centred()"),
        })
    });
    found.collect()
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
        Form::NonCentred { .. } => None,
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
            Self::Centred { .. } => None,
        }
    }

    /// What to do where divergent trajectories start at small, or at large, values of the scale; `None` if that is not known.
    fn advice(&self) -> Option<String> {
        match self {
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
