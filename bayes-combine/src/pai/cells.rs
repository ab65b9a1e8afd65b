//! A partition of a box into cells on each of which a density is nearly constant, in one or two dimensions.

use bayes_core::numeric::log_sum_exp;
use std::collections::HashSet;

/// Cells along each side at the beginning, in one and in two dimensions.
const START: [u32; 2] = [1024, 64];
/// Cells are halved at most so often.
const LEVELS: u32 = 14;
/// A cell with less than this share of the mass is left whole, unless it is beside one with more.
const NEGLIGIBLE: f64 = 1e-6;
/// A cell in which the log density differs by less than this is left whole.
const FLAT: f64 = 0.3;
/// No cell is halved once there are this many.
const MOST: usize = 100_000;

/// A cell with its place on the grid of its level: cell i of side k lies from `i / n` to `(i + 1) / n` of the side, n the number of cells
/// along a side.
#[derive(Clone, Debug)]
pub struct Cell {
    place: [u32; 2],
    level: u32,
    /// The log density in the middle.
    pub log_density: f64,
    /// The largest log density that is known within, which may be that of a point.
    peak: f64,
    points: Vec<usize>,
    is_flat: bool,
}

/// The cells of a box.
pub struct Cells {
    sides: Vec<[f64; 2]>,
    pub cells: Vec<Cell>,
}

impl Cells {
    /// Halves cells until the density is nearly constant on each that has mass.
    ///
    /// `points`, `[n, dim]`, are positions where mass is known to be: a ridge between the middles of wide cells is found by them, and followed
    /// by halving the neighbours of cells with mass.
    pub fn new(
        sides: &[[f64; 2]],
        points: &[f64],
        log_density: impl Fn(&[f64]) -> Vec<f64>,
    ) -> Self {
        let dim = sides.len();
        let start = START[dim - 1];
        let mut open: Vec<Cell> = (0..start.pow(dim as u32))
            .map(|i| Cell::at([i % start, i / start], 0))
            .collect();
        let known = log_density(points);
        let mut this = Self {
            sides: sides.to_vec(),
            cells: Vec::new(),
        };
        for (i, point) in points.chunks_exact(dim).enumerate() {
            let [x, y] = this.place(point, 0);
            open[(x + y * start) as usize].points.push(i);
        }
        this.measure(&mut open, &known, &log_density);
        for _ in 0..LEVELS {
            let (split, whole) = this.sort(open);
            this.cells.extend(whole);
            if split.is_empty() || this.cells.len() + (split.len() << dim) > MOST {
                this.cells.extend(split);
                return this;
            }
            open = this.halve(split, points, &known, &log_density);
        }
        this.cells.extend(open);
        this
    }

    /// The log density in the middle of cells, and their peaks.
    fn measure(
        &self,
        cells: &mut [Cell],
        known: &[f64],
        log_density: &impl Fn(&[f64]) -> Vec<f64>,
    ) {
        let middles: Vec<f64> = cells
            .iter()
            .flat_map(|cell| self.within(cell, |_| 0.5))
            .collect();
        for (cell, log_density) in cells.iter_mut().zip(log_density(&middles)) {
            cell.log_density = log_density;
            let points = cell.points.iter().map(|i| known[*i]);
            cell.peak = points.fold(log_density, f64::max);
        }
    }

    /// Those of one level that are to be halved, and the others.
    fn sort(&self, open: Vec<Cell>) -> (Vec<Cell>, Vec<Cell>) {
        let dim = self.sides.len() as f64;
        let log_mass = |cell: &Cell| cell.peak - f64::from(cell.level) * dim * 2f64.ln();
        let all = self.cells.iter().chain(&open);
        let total = log_sum_exp(&all.map(log_mass).collect::<Vec<f64>>());
        let has_mass = |cell: &&Cell| log_mass(cell) > total + NEGLIGIBLE.ln();
        let mut near = HashSet::new();
        for cell in open.iter().filter(has_mass).filter(|cell| !cell.is_flat) {
            for step in 0..9 {
                let moved = |k: usize, by: u32| (cell.place[k] + by).wrapping_sub(1);
                near.insert([moved(0, step % 3), moved(1, step / 3)]);
            }
        }
        open.into_iter()
            .partition(|cell| near.contains(&cell.place) && !cell.is_flat)
    }

    /// The halves of cells along each side.
    fn halve(
        &self,
        cells: Vec<Cell>,
        points: &[f64],
        known: &[f64],
        log_density: &impl Fn(&[f64]) -> Vec<f64>,
    ) -> Vec<Cell> {
        let dim = self.sides.len();
        let (mut halves, mut parents) = (Vec::new(), Vec::new());
        for cell in cells {
            let first = halves.len();
            for corner in 0..1 << dim {
                let place = std::array::from_fn(|k| 2 * cell.place[k] + (corner >> k & 1));
                halves.push(Cell::at(place, cell.level + 1));
            }
            for i in &cell.points {
                let place = self.place(&points[i * dim..(i + 1) * dim], cell.level + 1);
                let mut own = halves[first..].iter_mut();
                if let Some(half) = own.find(|half| half.place == place) {
                    half.points.push(*i);
                }
            }
            parents.push((cell.log_density, cell.peak));
        }
        self.measure(&mut halves, known, log_density);
        for (family, (middle, peak)) in halves.chunks_mut(1 << dim).zip(parents) {
            let logs = || family.iter().map(|half| half.log_density);
            let low = logs().fold(middle, f64::min);
            let high = logs().fold(peak, f64::max);
            let is_flat = high - low < FLAT;
            family.iter_mut().for_each(|half| half.is_flat = is_flat);
        }
        halves
    }

    /// The place of a position on the grid of a level.
    fn place(&self, position: &[f64], level: u32) -> [u32; 2] {
        let cells = START[self.sides.len() - 1] << level;
        let mut place = [0; 2];
        for ((to, x), [low, high]) in place.iter_mut().zip(position).zip(&self.sides) {
            let share = (x - low) / (high - low);
            *to = ((share * f64::from(cells)) as u32).min(cells - 1);
        }
        place
    }

    /// A position within a cell, from its share of each side of the cell.
    pub fn within(&self, cell: &Cell, mut share: impl FnMut(usize) -> f64) -> Vec<f64> {
        let cells = f64::from(START[self.sides.len() - 1] << cell.level);
        let side = |(k, [low, high]): (usize, &[f64; 2])| {
            low + (high - low) * (f64::from(cell.place[k]) + share(k)) / cells
        };
        self.sides.iter().enumerate().map(side).collect()
    }

    /// The log of the share of the box that a cell has.
    pub fn log_share(&self, cell: &Cell) -> f64 {
        let cells = START[self.sides.len() - 1] << cell.level;
        -(self.sides.len() as f64) * f64::from(cells).ln()
    }
}

impl Cell {
    fn at(place: [u32; 2], level: u32) -> Self {
        Self {
            place,
            level,
            log_density: f64::NEG_INFINITY,
            peak: f64::NEG_INFINITY,
            points: Vec::new(),
            is_flat: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ridges of width 0.001 in a box of 20, on which cells of the first level see nothing: the cells' masses are those of the density.
    #[test]
    fn cells_follow_narrow_ridges() {
        let ridge = |x: &[f64], centre: f64| {
            let (along, across) = (x[0] + x[1] - centre, x[0] - x[1]);
            -0.5 * ((along / 0.2).powi(2) + (across / 0.001).powi(2))
        };
        let log_density = |positions: &[f64]| -> Vec<f64> {
            let at = |x: &[f64]| log_sum_exp(&[ridge(x, 3.0), ridge(x, -5.0) + 2f64.ln()]);
            positions.chunks_exact(2).map(at).collect()
        };
        let sides = [[-10.0, 10.0]; 2];
        let points = [1.5, 1.5, -2.501, -2.5, -2.4, -2.4];
        let cells = Cells::new(&sides, &points, log_density);
        let mass = |cell: &Cell| (cell.log_density + cells.log_share(cell)).exp() * 400.0;
        let shares = |sign: f64| -> f64 {
            let on_side = |cell: &&Cell| sign * cells.within(cell, |_| 0.5)[0] > 0.0;
            cells.cells.iter().filter(on_side).map(mass).sum()
        };
        // of a Gaussian in turned coordinates, whose Jacobian is 2
        let exact = std::f64::consts::TAU * 0.2 * 0.001 / 2.0;
        for (found, exact) in [(shares(1.0), exact), (shares(-1.0), 2.0 * exact)] {
            assert!((found / exact - 1.0).abs() < 0.01, "{found} and {exact}");
        }
        let volume = cells.cells.iter().map(|cell| cells.log_share(cell).exp());
        assert!((volume.sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(cells.cells.len() < MOST);
    }
}
