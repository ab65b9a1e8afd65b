//! The products of the functions, summed over states: the lower triangle, by tiles that stay in registers.

use super::polynomials::Polynomials;
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use nalgebra::DMatrix;

/// The number of states whose functions are in the cache at the same time.
pub(super) const PANEL_STATES: usize = 64;

/// Sums of the products of functions.
pub(super) struct Products {
    functions: usize,
    /// The number of panels of eight functions.
    panels: usize,
    /// The functions at some states, `[panels, PANEL_STATES]`, with the functions of a panel in lanes.
    panel: Vec<[f64; LANES]>,
    /// Functions in whole panels; column by column, `[8 panels, panels]` with the rows in lanes. Only the lower triangle counts.
    sums: Vec<[f64; LANES]>,
}

impl Products {
    pub(super) fn new(functions: usize) -> Self {
        let panels = functions.div_ceil(LANES);
        Self {
            functions,
            panels,
            panel: vec![[0.0; LANES]; panels * PANEL_STATES],
            sums: vec![[0.0; LANES]; panels * panels * LANES],
        }
    }

    /// The sums over groups of states, `[functions, functions]`; the upper triangle is 0.
    pub(super) fn of(
        mut self,
        polynomials: Polynomials,
        dim: usize,
        groups: &[[f64; LANES]],
    ) -> DMatrix<f64> {
        let add = Add {
            products: &mut self,
            polynomials,
            dim,
            groups,
        };
        dispatch(InstructionSet::detect(), add);
        DMatrix::from_fn(self.functions, self.functions, |i, j| match i >= j {
            true => self.sums[j * self.panels + i / LANES][i % LANES],
            false => 0.0,
        })
    }
}

/// Adds the products at groups of states.
struct Add<'a> {
    products: &'a mut Products,
    polynomials: Polynomials,
    dim: usize,
    groups: &'a [[f64; LANES]],
}

impl Work for Add<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let size = 1 + 2 * self.dim;
        let mut functions = vec![[0.0; LANES]; self.products.panels * LANES];
        for groups in self.groups.chunks(PANEL_STATES / LANES * size) {
            let states = groups.len() / size * LANES;
            for (number, group) in groups.chunks_exact(size).enumerate() {
                let own = &mut functions[..self.products.functions];
                self.polynomials.evaluate::<S>(group, own);
                let panels = self.products.panel.chunks_exact_mut(PANEL_STATES);
                for (panel, functions) in panels.zip(functions.as_chunks::<LANES>().0) {
                    let mut lanes = [S::splat(0.0); LANES];
                    for k in 0..LANES {
                        lanes[k] = S::load(&functions[k]);
                    }
                    let states = S::transpose(lanes);
                    let places = &mut panel[number * LANES..(number + 1) * LANES];
                    for k in 0..LANES {
                        S::store(states[k], &mut places[k]);
                    }
                }
            }
            // as many sums as there are registers for
            if const { S::SUMS == LANES } {
                self.products.add_panels::<S, 8, 2>(states);
            } else {
                self.products.add_panels::<S, 4, 1>(states);
            }
        }
    }
}

impl Products {
    /// Adds the products of the functions in the panels over the first `states`, by tiles of `COLUMNS` functions with `ROWS` panels.
    #[inline(always)]
    fn add_panels<S: Simd, const COLUMNS: usize, const ROWS: usize>(&mut self, states: usize) {
        for column in (0..self.panels * LANES).step_by(COLUMNS) {
            let mut row = column / LANES;
            while row + ROWS <= self.panels {
                self.add_tile::<S, COLUMNS, ROWS>(column, row, states);
                row += ROWS;
            }
            while row < self.panels {
                self.add_tile::<S, COLUMNS, 1>(column, row, states);
                row += 1;
            }
        }
    }

    #[inline(always)]
    fn add_tile<S: Simd, const COLUMNS: usize, const ROWS: usize>(
        &mut self,
        column: usize,
        row: usize,
        states: usize,
    ) {
        let panel = |number: usize| &self.panel[number * PANEL_STATES..][..states];
        let columns = panel(column / LANES);
        let mut rows = [columns; ROWS];
        for (r, own) in rows.iter_mut().enumerate() {
            *own = panel(row + r);
        }
        let mut sums = [[S::splat(0.0); ROWS]; COLUMNS];
        for state in 0..states {
            let mut row = [S::splat(0.0); ROWS];
            for r in 0..ROWS {
                row[r] = S::load(&rows[r][state]);
            }
            let column: &[f64; COLUMNS] = columns[state][column % LANES..]
                .first_chunk()
                .expect("a tile ends within its panel");
            for c in 0..COLUMNS {
                let (column, sums) = (S::splat(column[c]), &mut sums[c]);
                for r in 0..ROWS {
                    sums[r] = S::mul_add(column, row[r], sums[r]);
                }
            }
        }
        for (c, sums) in sums.iter().enumerate() {
            let places = &mut self.sums[(column + c) * self.panels + row..][..ROWS];
            for r in 0..ROWS {
                S::store(S::add(S::load(&places[r]), sums[r]), &mut places[r]);
            }
        }
    }
}
