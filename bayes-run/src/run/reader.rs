//! Readers of what other crates save with states of their own: they are compiled here alone (`codec::read_by`).

use super::{Group, Stage};
use crate::codec::{self, Tree};
use serde::Deserializer;
use std::io;

impl Group {
    /// The groups of each unit of a run, with the number of the unit.
    #[doc(hidden)]
    pub fn read_units<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(u64, Vec<Self>)>, D::Error> {
        codec::read_by(from, units)
    }
}

#[inline(never)]
fn units(tree: Tree<'_>) -> io::Result<Vec<(u64, Vec<Group>)>> {
    tree.value()
}

impl Stage {
    /// The stages of an island.
    #[doc(hidden)]
    pub fn read_all<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Self>, D::Error> {
        codec::read_by(from, stages)
    }
}

#[inline(never)]
fn stages(tree: Tree<'_>) -> io::Result<Vec<Stage>> {
    tree.value()
}
