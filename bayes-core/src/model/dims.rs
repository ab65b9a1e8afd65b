//! Names of the dimensions of quantities and of the places along them.

use super::layout::{Dim, Layout};
use crate::dist::Shape;

/// What would end a name in `theta[Choate]` or in a column of a table.
const RESERVED: [char; 4] = ['[', ']', ',', '"'];
/// Dimensions that every quantity has.
const TAKEN: [&str; 2] = ["chain", "draw"];

/// The named dimensions of a statement, as `#[dims(..)]` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementDims {
    /// The index of the statement.
    pub statement: usize,
    /// One for each dimension of its quantity or data, rows first.
    pub dims: Vec<Dim>,
    /// Whether places come from data marked `#[rows]`, so that they are others for other rows.
    pub of_rows: bool,
}

impl Dim {
    /// A dimension with the names of its places.
    pub fn new<P>(name: &str, places: P) -> Self
    where
        P: IntoIterator<Item: ToString>,
    {
        Self {
            name: name.to_owned(),
            places: places.into_iter().map(|place| place.to_string()).collect(),
        }
    }
}

impl Layout {
    /// Names the dimensions of a quantity; none is called so if there is no such quantity.
    ///
    /// # Errors
    /// In words, why they do not fit.
    pub(crate) fn name_dims(&mut self, name: &str, dims: &[Dim]) -> Result<(), String> {
        let others = self.variables.iter().filter(|other| other.name != name);
        for dim in dims {
            if TAKEN.contains(&dim.name.as_str()) || self.find(&dim.name).is_some() {
                return Err(format!("`{}` is the name of something else", dim.name));
            }
            let differs = |other: &Dim| other.name == dim.name && other != dim;
            let mut others = others.clone();
            if let Some(other) = others.find(|other| other.dims.iter().any(differs)) {
                return Err(format!(
                    "`{}` has other places along `{}`",
                    other.name, dim.name
                ));
            }
        }
        for variable in &mut self.variables {
            if variable.name == name {
                fit(variable.shape, dims)?;
                variable.dims = dims.to_vec();
            }
        }
        Ok(())
    }
}

/// Whether a quantity of this shape can have these dimensions.
///
/// # Errors
/// In words, why not.
pub(crate) fn fit(shape: Shape, dims: &[Dim]) -> Result<(), String> {
    let lengths = shape.lengths();
    if dims.len() != lengths.len() {
        let (has, given) = (lengths.len(), dims.len());
        return Err(format!("it has {has} dimensions, got {given}"));
    }
    for (k, (dim, length)) in dims.iter().zip(lengths).enumerate() {
        let Dim { name, places } = dim;
        if places.len() != length {
            let given = places.len();
            return Err(format!("`{name}` has {given} places for {length} elements"));
        }
        if name.is_empty() || dims[..k].iter().any(|other| other.name == *name) {
            return Err(format!("a dimension needs a name of its own, got `{name}`"));
        }
        let is_bad = |c: char| RESERVED.contains(&c) || c.is_control();
        let bad = places
            .iter()
            .find(|place| place.is_empty() || place.contains(is_bad));
        if let Some(place) = bad {
            return Err(format!(
                "a place along `{name}` is `{place}`; it must not be empty or contain [ ] , or \""
            ));
        }
        let mut sorted: Vec<&String> = places.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("`{}` is there twice along `{name}`", pair[0]));
        }
    }
    Ok(())
}
