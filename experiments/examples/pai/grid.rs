//! Independent draws from a density of two coordinates, from a grid.

use bayes::rng::{RngExt, Stream};
use rayon::prelude::*;

/// Cells along each side.
const CELLS: usize = 300;
/// Cells with a log density lower than the largest by more than this are empty.
const DEEP: f64 = 40.0;

/// Draws `[count]` of the density within the box: cells are drawn by the density in their middle, points uniformly within a cell.
///
/// A first grid locates the mass, and a second one covers it with some 16 cells for each sd; the cells' width adds 1/3000 to the variance.
pub fn draws(
    log_density: impl Fn([f64; 2]) -> f64 + Sync,
    sides: [[f64; 2]; 2],
    count: usize,
    stream: &mut Stream,
) -> Vec<[f64; 2]> {
    let sides = Grid::new(&log_density, sides).occupied();
    let grid = Grid::new(&log_density, sides);
    let mut sum = 0.0;
    let running: Vec<f64> = grid
        .weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect();
    let mut draw = || {
        let place = stream.random::<f64>() * sum;
        let cell = running.partition_point(|s| *s <= place);
        grid.within(cell, [stream.random(), stream.random()])
    };
    (0..count).map(|_| draw()).collect()
}

struct Grid {
    sides: [[f64; 2]; 2],
    /// The unnormalised weights of cells, `[CELLS * CELLS]`.
    weights: Vec<f64>,
}

impl Grid {
    fn new(log_density: impl Fn([f64; 2]) -> f64 + Sync, sides: [[f64; 2]; 2]) -> Self {
        let mut grid = Self {
            sides,
            weights: Vec::new(),
        };
        let logs: Vec<f64> = (0..CELLS * CELLS)
            .into_par_iter()
            .map(|cell| log_density(grid.within(cell, [0.5; 2])))
            .collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |log: &f64| match *log > largest - DEEP {
            true => (log - largest).exp(),
            false => 0.0,
        };
        grid.weights = logs.iter().map(weight).collect();
        grid
    }

    /// A point in a cell, from its relative coordinates.
    fn within(&self, cell: usize, shares: [f64; 2]) -> [f64; 2] {
        let place = [cell % CELLS, cell / CELLS];
        std::array::from_fn(|k| {
            let [low, high] = self.sides[k];
            low + (high - low) * (place[k] as f64 + shares[k]) / CELLS as f64
        })
    }

    /// The box of all cells that are not empty, with one cell around it.
    fn occupied(&self) -> [[f64; 2]; 2] {
        let full = (0..self.weights.len()).filter(|cell| self.weights[*cell] > 0.0);
        let mut sides = self.sides.map(|[low, high]| [high, low]);
        for cell in full {
            let (low, high) = (self.within(cell, [-1.0; 2]), self.within(cell, [2.0; 2]));
            for (k, side) in sides.iter_mut().enumerate() {
                *side = [side[0].min(low[k]), side[1].max(high[k])];
            }
        }
        std::array::from_fn(|k| {
            let [low, high] = self.sides[k];
            [sides[k][0].max(low), sides[k][1].min(high)]
        })
    }
}
