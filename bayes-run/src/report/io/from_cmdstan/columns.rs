//! Quantities in the columns of a file: `mu`, `theta.1`, `w.2.1`, with indices from 1 and matrices by columns.

use crate::dist::Shape;
use crate::model::{Variable, VariableKind};

/// A quantity, and the column of each of its elements, row by row.
pub(super) struct Quantity {
    pub(super) variable: Variable,
    pub(super) columns: Vec<usize>,
}

/// A column that holds an element.
struct Element<'a> {
    column: usize,
    text: &'a str,
    name: &'a str,
    /// Indices from 1.
    indices: Vec<usize>,
}

impl<'a> Element<'a> {
    /// `theta.1`. A name with another ending, such as `z.real`, belongs to a single number.
    fn new(column: usize, text: &'a str) -> Self {
        let mut parts = text.split('.');
        let name = parts.next().unwrap_or(text);
        let indices: Option<Vec<usize>> = parts.map(|part| part.parse().ok()).collect();
        let (name, indices) = match indices {
            Some(indices) => (name, indices),
            None => (text, Vec::new()),
        };
        Self {
            column,
            text,
            name,
            indices,
        }
    }
}

impl Quantity {
    /// The quantities of all columns except `lp__` and other names that end in `__`.
    ///
    /// # Errors
    /// In words: the first column that is out of place.
    pub(super) fn all(columns: &[String]) -> Result<Vec<Self>, String> {
        let elements = columns.iter().enumerate();
        let elements = elements.filter(|(_, text)| !text.ends_with("__"));
        let elements: Vec<Element<'_>> = elements.map(|(k, text)| Element::new(k, text)).collect();
        let (mut all, mut offset) = (Vec::new(), 0);
        for mine in elements.chunk_by(|a, b| a.name == b.name) {
            let quantity = Self::new(mine, offset)?;
            offset += quantity.columns.len();
            all.push(quantity);
        }
        Ok(all)
    }

    fn new(elements: &[Element<'_>], offset: usize) -> Result<Self, String> {
        let Element { name, indices, .. } = &elements[elements.len() - 1];
        // an index may be any number, so the list of places stops as soon as one is missing
        let most = elements.len() + 1;
        let (shape, columns) = match indices.as_slice() {
            [] => (Shape::Scalar, in_order(elements, &[vec![]])?),
            [n] => {
                let wanted: Vec<Vec<usize>> = (1..=*n).map(|i| vec![i]).take(most).collect();
                (Shape::Vector(*n), in_order(elements, &wanted)?)
            }
            [rows, columns] => {
                let (rows, columns) = (*rows, *columns);
                let column = |j| (1..=rows).map(move |i| vec![i, j]);
                let wanted = (1..=columns).flat_map(column).take(most);
                let wanted: Vec<Vec<usize>> = wanted.collect();
                let found = in_order(elements, &wanted)?;
                let row = |i: usize| (0..columns).map(move |j| j * rows + i);
                let by_rows = (0..rows).flat_map(row).map(|place| found[place]);
                (Shape::Matrix(rows, columns), by_rows.collect())
            }
            more => {
                let dimensions = more.len();
                return Err(format!(
                    "`{name}` has {dimensions} dimensions; quantities of at most two are read"
                ));
            }
        };
        Ok(Self {
            variable: Variable {
                name: (*name).to_owned(),
                shape,
                // the coordinates of the quantity are not in the file
                kind: VariableKind::Deterministic,
                offset,
                dims: Vec::new(),
                turns: Vec::new(),
                is_angle: false,
            },
            columns,
        })
    }
}

/// The columns of the elements, which must have these indices one after another.
fn in_order(elements: &[Element<'_>], wanted: &[Vec<usize>]) -> Result<Vec<usize>, String> {
    let mut columns = Vec::with_capacity(elements.len());
    for (place, element) in elements.iter().enumerate() {
        if wanted.get(place) != Some(&element.indices) {
            let expected = wanted.get(place).map_or_else(
                || "another quantity".to_owned(),
                |indices| {
                    let indices = indices.iter().map(|index| format!(".{index}"));
                    format!("`{}{}`", element.name, indices.collect::<String>())
                },
            );
            return Err(format!(
                "`{}` stands where {expected} is expected",
                element.text
            ));
        }
        columns.push(element.column);
    }
    match columns.len() == wanted.len() {
        true => Ok(columns),
        false => Err(format!(
            "`{}` has not all of its elements",
            elements[0].name
        )),
    }
}
