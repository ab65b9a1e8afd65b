//! Names of the dimensions of quantities and of the places along them.

use super::fingerprint::Fingerprint;
use super::layout::{Dim, Layout, Variable};
use crate::dist::{Gapped, Gaps, Shape};

/// Characters that would end a name in `theta[Choate]` or in a column of a table.
const RESERVED: [char; 4] = ['[', ']', ',', '"'];
/// Dimensions that every quantity has.
const TAKEN: [&str; 2] = ["chain", "draw"];

/// The named dimensions of a statement, from `#[dims(..)]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementDims {
    /// The index of the statement.
    pub statement: usize,
    /// One for each dimension of its quantity or data, rows first.
    pub dims: Vec<Dim>,
    /// Whether places come from data marked `#[rows]`, so that they change with the rows.
    pub of_rows: bool,
    /// Whether the model has only some rows of another model. Places that do not fit are then left out, and are not a mistake.
    pub is_part: bool,
    /// Of `impute`: the user's name of the dimension of all rows, of which these are those with a value, or those without.
    pub rows: Option<&'static str>,
}

impl StatementDims {
    /// The reason why these dimensions do not fit, with the user's name of the rows.
    #[must_use]
    pub(crate) fn reason(&self, reason: String) -> String {
        let Some(rows) = self.rows else {
            return reason;
        };
        if reason.contains(" has 0 places for ") {
            return format!("`{rows}` must have a name for each value, known or missing");
        }
        // a place with a wrong name, or with the name of another
        let own = self.dims.first().map_or("", |dim| &dim.name);
        let is_place = reason.starts_with("a place along ") || reason.contains(" is there twice ");
        match is_place {
            true => reason.replace(&format!("along `{own}`"), &format!("along `{rows}`")),
            false => reason,
        }
    }
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
            rows_of: None,
        }
    }

    /// The dimension of the known values of data with gaps: their indices.
    pub fn known(name: &str, data: impl Gapped) -> Self {
        Self::new(name, Gaps::of(&data).known)
    }

    /// The dimension of the missing values of data with gaps: their indices, which mean the same in the same data alone.
    pub fn missing(name: &str, data: impl Gapped) -> Self {
        let bits = |i: usize| data.known_at(i).unwrap_or(f64::NAN).to_bits();
        Self {
            rows_of: Some(Fingerprint::of((0..data.size()).map(bits))),
            ..Self::new(name, Gaps::of(&data).missing)
        }
    }

    /// The dimension of the known values of data with gaps, by the names of all values.
    pub fn known_of<P>(name: &str, data: impl Gapped, names: P) -> Self
    where
        P: IntoIterator<Item: ToString>,
    {
        let gaps = Gaps::of(&data);
        Self::new(name, at(&gaps.known, gaps.size(), names))
    }

    /// The dimension of the missing values of data with gaps, by the names of all values.
    pub fn missing_of<P>(name: &str, data: impl Gapped, names: P) -> Self
    where
        P: IntoIterator<Item: ToString>,
    {
        let gaps = Gaps::of(&data);
        Self::new(name, at(&gaps.missing, gaps.size(), names))
    }
}

/// The names at some places. None if there is not a name for each place: then the dimension does not fit, and validation says so.
fn at<P>(places: &[usize], length: usize, names: P) -> Vec<String>
where
    P: IntoIterator<Item: ToString>,
{
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    if names.len() != length {
        return Vec::new();
    }
    places.iter().map(|place| names[*place].clone()).collect()
}

/// The dimensions of a run, each with its places: a name stands for the same places everywhere.
#[derive(Debug)]
pub(crate) struct KnownDims(Vec<(String, Dim)>);

impl KnownDims {
    /// The dimensions of some quantities.
    pub(crate) fn of<'a>(variables: impl Iterator<Item = &'a Variable>) -> Self {
        let dims = variables.flat_map(|v| v.dims.iter().map(|dim| (v.name.clone(), dim.clone())));
        Self(dims.collect())
    }

    /// Adds the dimensions of a quantity or of data.
    ///
    /// # Errors
    /// In words, why they contradict others.
    pub(crate) fn add(&mut self, layout: &Layout, name: &str, dims: &[Dim]) -> Result<(), String> {
        for dim in dims {
            if TAKEN.contains(&dim.name.as_str()) || layout.find(&dim.name).is_some() {
                return Err(format!(
                    "`{}` is the name of a quantity, or of a dimension that all draws have (`chain`, `draw`)",
                    dim.name
                ));
            }
            let differs = |(_, other): &&(String, Dim)| other.name == dim.name && other != dim;
            if let Some((other, _)) = self.0.iter().find(differs) {
                return Err(format!("`{other}` has other places along `{}`", dim.name));
            }
            self.0.push((name.to_owned(), dim.clone()));
        }
        Ok(())
    }
}

impl Layout {
    /// Names the dimensions of a quantity; does nothing without such a quantity.
    ///
    /// # Errors
    /// In words, why they do not fit.
    pub fn name_dims(&mut self, name: &str, dims: &[Dim]) -> Result<(), String> {
        let others = self.variables.iter().filter(|other| other.name != name);
        KnownDims::of(others).add(self, name, dims)?;
        for variable in &mut self.variables {
            if variable.name == name {
                variable.dims = fit(variable.shape, dims)?;
            }
        }
        Ok(())
    }

    /// The same layout without the names of dimensions, which change no number.
    pub fn without_dims(&self) -> Self {
        let mut plain = self.clone();
        plain.variables.iter_mut().for_each(|v| v.dims.clear());
        plain
    }
}

/// The shape of data, or of a generated quantity, with these dimensions. Scalars in two nested loops, which are a vector, have the
/// dimensions of the loops, the outer one first.
pub(crate) fn nested(shape: Shape, dims: &[Dim]) -> Shape {
    match (shape, dims) {
        (Shape::Vector(n), [rows, columns]) if rows.places.len() * columns.places.len() == n => {
            Shape::Matrix(rows.places.len(), columns.places.len())
        }
        _ => shape,
    }
}

/// A character of a name, such as `\n` for the end of a line.
fn shown(c: char) -> String {
    match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    }
}

/// The dimensions of a quantity of this shape. A loop that ran once leaves no dimension, and no name for its one place.
///
/// # Errors
/// In words, why they do not fit.
pub(crate) fn fit(shape: Shape, dims: &[Dim]) -> Result<Vec<Dim>, String> {
    let lengths = shape.lengths();
    if let [first, rest @ ..] = dims
        && rest.len() == lengths.len()
        && first.places.len() == 1
    {
        return fit(shape, rest);
    }
    if dims.len() != lengths.len() {
        let (has, given) = (lengths.len(), dims.len());
        return Err(match has {
            0 => "it is a single number, which has no dimension".to_owned(),
            _ => format!("it has {has} dimensions, got {given}"),
        });
    }
    for (k, (dim, length)) in dims.iter().zip(lengths).enumerate() {
        let Dim { name, places, .. } = dim;
        if places.len() != length {
            let given = places.len();
            return Err(format!("`{name}` has {given} places for {length} elements"));
        }
        if name.is_empty() || dims[..k].iter().any(|other| other.name == *name) {
            return Err(format!(
                "a dimension needs a name of its own, got `{name}`; two with the same places have two names, `{name}` and `{name}_2`"
            ));
        }
        let is_bad = |c: char| RESERVED.contains(&c) || c.is_control();
        let bad = places
            .iter()
            .find(|place| place.is_empty() || place.contains(is_bad));
        if let Some(place) = bad {
            let shown: String = place.chars().map(shown).collect();
            return Err(format!(
                "a place along `{name}` is `{shown}`; it must not be empty or contain [ ] , or \", a line end (\\n), a tab (\\t) or another control character"
            ));
        }
        let mut sorted: Vec<&String> = places.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("`{}` is there twice along `{name}`", pair[0]));
        }
    }
    Ok(dims.to_vec())
}
