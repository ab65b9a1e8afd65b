//! Names of arrays that do not collide with the names of dimensions.

use crate::model::Dim;
use std::collections::BTreeSet;

/// The names of the coordinates of dimensions. Readers take an array with such a name for the coordinate, so a quantity `draw` is written
/// as `draw_`, with one more `_` if that name is taken too.
#[derive(Debug)]
pub(in super::super) struct Names {
    /// Names of coordinates.
    taken: BTreeSet<String>,
}

impl Names {
    /// The names for arrays with these names and dimensions.
    pub(super) fn of<'a>(arrays: impl Iterator<Item = (&'a str, usize, &'a [Dim])>) -> Self {
        let mut dims: BTreeSet<String> = ["chain", "draw"].map(str::to_owned).into();
        for (name, dimensions, named) in arrays {
            dims.extend((0..dimensions).map(|i| match named.get(i) {
                Some(dim) => dim.name.clone(),
                None => unnamed(name, i),
            }));
        }
        Self { taken: dims }
    }

    /// The name of an array in the file.
    pub(super) fn written(&self, name: &str) -> String {
        let mut written = name.to_owned();
        while self.taken.contains(&written) {
            written.push('_');
        }
        written
    }
}

/// The name of dimension `i` of an array without named dimensions.
pub(in super::super) fn unnamed(array: &str, i: usize) -> String {
    format!("{array}_dim_{i}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_make_way_for_coordinates() {
        let school = [Dim::new("school", ["a", "b"])];
        let arrays = [("theta", 1, &school[..]), ("z", 2, &[]), ("draw", 0, &[])];
        let names = Names::of(arrays.into_iter());
        let written = ["draw", "chain", "school", "z_dim_1", "theta", "z_dim_2"]
            .map(|name| names.written(name));
        assert_eq!(
            written,
            ["draw_", "chain_", "school_", "z_dim_1_", "theta", "z_dim_2"]
        );
    }
}
