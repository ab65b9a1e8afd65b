//! A group of arrays with shared dimensions.

use super::super::zarr::{Numbers, Store};
use super::names::{Names, unnamed};
use crate::model::Dim;
use serde_json::Value;
use std::io;

/// A group that is being written.
pub(super) struct Group<'s> {
    store: &'s mut Store,
    names: &'s Names,
    name: &'static str,
    /// The dimensions that every array has, each with its length.
    first: Vec<(String, usize)>,
}

impl<'s> Group<'s> {
    /// A group whose arrays are `[chain, draw, ..]`, with these numbers of chains and draws.
    pub(super) fn of_draws(
        (store, names): (&'s mut Store, &'s Names),
        name: &'static str,
        [chains, draws]: [usize; 2],
        attributes: Value,
    ) -> io::Result<Self> {
        let mut group = Self::of_data((store, names), name, attributes)?;
        for dim in [("chain", chains), ("draw", draws)] {
            let dim = (dim.0.to_owned(), dim.1);
            group.coordinate(&dim, None)?;
            group.first.push(dim);
        }
        Ok(group)
    }

    /// A group whose arrays have no draws.
    pub(super) fn of_data(
        (store, names): (&'s mut Store, &'s Names),
        name: &'static str,
        attributes: Value,
    ) -> io::Result<Self> {
        store.group(name, attributes)?;
        Ok(Self {
            store,
            names,
            name,
            first: Vec::new(),
        })
    }

    /// Writes an array with further dimensions of these lengths; `dims` are their names, empty if they have none. An array
    /// without elements is not written, because Zarr cannot hold it.
    pub(super) fn array(
        &mut self,
        name: &str,
        lengths: &[usize],
        dims: &[Dim],
        numbers: Numbers,
    ) -> io::Result<()> {
        match self.dims(name, lengths, dims)? {
            Some(all) => self.store.array(&self.path(name), name, &all, numbers),
            None => Ok(()),
        }
    }

    /// Begins an array in chunks of this number of draws of a chain; see [`Group::draws`].
    pub(super) fn array_in_parts(
        &mut self,
        name: &str,
        lengths: &[usize],
        dims: &[Dim],
        draws: usize,
    ) -> io::Result<()> {
        match self.dims(name, lengths, dims)? {
            Some(all) => self
                .store
                .array_in_parts(&self.path(name), name, &all, draws),
            None => Ok(()),
        }
    }

    /// Writes chunk `part` of a chain, of `draws` draws, or fewer at the end of the chain.
    pub(super) fn draws(
        &mut self,
        name: &str,
        lengths: &[usize],
        place: [usize; 2],
        (values, draws): (Vec<f64>, usize),
    ) -> io::Result<()> {
        let length = draws * lengths.iter().product::<usize>();
        let dims = self.first.len() + lengths.len();
        self.store
            .draws(&self.path(name), dims, place, (values, length))
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{}", self.name, self.names.written(name))
    }

    /// The dimensions of an array, whose places are written; `None` for an array without elements.
    fn dims(
        &mut self,
        name: &str,
        lengths: &[usize],
        dims: &[Dim],
    ) -> io::Result<Option<Vec<(String, usize)>>> {
        let mut all = self.first.clone();
        for (i, length) in lengths.iter().enumerate() {
            let dim = dims
                .get(i)
                .map_or_else(|| unnamed(name, i), |dim| dim.name.clone());
            all.push((dim, *length));
        }
        if all.iter().any(|(_, length)| *length == 0) {
            return Ok(None);
        }
        for (i, dim) in all[self.first.len()..].iter().enumerate() {
            self.coordinate(dim, dims.get(i))?;
        }
        Ok(Some(all))
    }

    /// Writes the places along a dimension, once: arrays may share it.
    fn coordinate(&mut self, dim: &(String, usize), named: Option<&Dim>) -> io::Result<()> {
        let path = format!("{}/{}", self.name, dim.0);
        if self.store.has_array(&path) {
            return Ok(());
        }
        let places = match named {
            Some(dim) => coordinates(&dim.places),
            None => Numbers::Whole((0..dim.1 as i64).collect()),
        };
        self.store
            .array(&path, &dim.0, std::slice::from_ref(dim), places)
    }
}

/// Places as numbers if all of them are numbers, such as years: an axis can then be scaled by them.
fn coordinates(places: &[String]) -> Numbers {
    let whole = places.iter().map(|place| place.parse::<i64>().ok());
    let real = places.iter().map(|place| place.parse::<f64>().ok());
    if let Some(whole) = whole.collect::<Option<Vec<i64>>>() {
        return Numbers::Whole(whole);
    }
    match real.collect::<Option<Vec<f64>>>() {
        Some(real) => Numbers::Real(real),
        None => Numbers::Names(places.to_vec()),
    }
}
