//! Plain numbers as data of either domain.

use super::plain::PlainData;
use crate::dist::{Data, Domain, Shape};

/// Numbers in place of the model's data.
pub(super) struct Numbers<'a> {
    pub(super) elements: &'a [f64],
    pub(super) shape: Shape,
}

impl<D: Domain> Data<D> for Numbers<'_> {
    fn shape(&self) -> Shape {
        self.shape
    }
    fn at(&self, i: usize) -> f64 {
        self.elements[i]
    }
}

impl PlainData for Numbers<'_> {
    fn shape(&self) -> Shape {
        self.shape
    }
    fn at(&self, i: usize) -> f64 {
        self.elements[i]
    }
}

/// The same number in place of every datum.
pub(super) struct Constant {
    pub(super) value: f64,
    pub(super) shape: Shape,
}

impl PlainData for Constant {
    fn shape(&self) -> Shape {
        self.shape
    }
    fn at(&self, _: usize) -> f64 {
        self.value
    }
}
