//! Maps of neighbours that fit no model.

use thiserror::Error;

/// Why pairs are no map of neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NeighboursError {
    /// A place that there is not.
    #[error("edge {index} has place {place}, must be below {n}, the number of places")]
    Place {
        /// Which pair, from 0 on.
        index: usize,
        /// The place.
        place: usize,
        /// The number of places.
        n: usize,
    },
    /// A place beside itself.
    #[error("edge {index} makes place {place} its own neighbour")]
    Itself {
        /// Which pair, from 0 on.
        index: usize,
        /// The place.
        place: usize,
    },
    /// A place without neighbours.
    #[error("place {place} has no neighbours: give it an effect of its own, or neighbours")]
    Alone {
        /// The place.
        place: usize,
    },
    /// A grid of too many cells.
    #[error(
        "a grid of {rows} x {columns} has too many cells, must be below {}",
        u32::MAX
    )]
    Cells {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// No places.
    #[error("there are no places")]
    Nothing,
}
