//! How a model writes its hierarchy, as far as the text of its statements shows.

use super::Region;
use crate::dist::Shape;
use crate::model::VariableKind;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// How a standard normal prior begins.
const STANDARD: &str = "Normal::new(0.0, 1.0)";

/// The form of a hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// The prior of a vector has random parameters.
    Centred {
        /// The vector.
        vector: String,
        /// The random quantities in its prior.
        parameters: Vec<String>,
    },
    /// A vector is standard normal, and no prior of another one has random parameters: the model may scale it.
    NonCentred {
        /// The vector.
        vector: String,
    },
    /// Neither is seen.
    #[default]
    Unknown,
}

impl Form {
    /// The form of the model of a run.
    pub(super) fn of(run: &Run) -> Self {
        let is_random = |kind| matches!(kind, VariableKind::Continuous | VariableKind::Discrete);
        let random = || run.layout.variables.iter().filter(|v| is_random(v.kind));
        let (mut standard, mut vectors) =
            (Self::Unknown, random().filter(|v| v.shape != Shape::Scalar));
        let centred = vectors.find_map(|vector| {
            let prior = run
                .statements
                .iter()
                .find_map(|s| s.prior_of(&vector.name))?;
            let words = || prior.split(|c: char| !c.is_alphanumeric() && c != '_');
            let others = random().filter(|other| other.name != vector.name);
            let parameters = others.filter(|other| words().any(|word| word == other.name));
            let parameters: Vec<String> = parameters.map(|other| other.name.clone()).collect();
            let vector = vector.name.clone();
            if !parameters.is_empty() {
                return Some(Self::Centred { vector, parameters });
            }
            if prior.starts_with(STANDARD) && standard == Self::Unknown {
                standard = Self::NonCentred { vector };
            }
            None
        });
        centred.unwrap_or(standard)
    }

    /// What another parametrisation promises, where divergent trajectories began in this region: a sentence without its first letter's capital
    /// and without its full stop.
    pub(super) fn advice(&self, region: Option<&Region>) -> String {
        match self {
            Self::Centred { vector, parameters } => {
                let less = region.filter(|region| {
                    region.there < region.mean && parameters.contains(&region.element)
                });
                let of_which = less.map_or_else(String::new, |region| {
                    format!(", of which `{}` averages less there", region.element)
                });
                format!(
                    "the prior of `{vector}` has random parameters{of_which}: with little data for each element write it in the non-centred \
                     form, as a standard normal vector that the model shifts and scales"
                )
            }
            Self::NonCentred { vector } => format!(
                "change the parametrisation: `{vector}` is standard normal, and if the model multiplies it by a random scale, that is the \
                 non-centred form already, which suits little data for each element; with much data the centred form suits better, and where \
                 the data leave the scale open a narrower prior of it helps"
            ),
            Self::Unknown => "change the parametrisation: quantities that the data bound only together, such as the factors of a product, \
                              make places that are hard to enter"
                .to_owned(),
        }
    }
}
