//! Where a sparse symmetric matrix has entries, and where its factor has them.

use super::ordering::minimum_degree;
use std::fmt;
use std::sync::Arc;

/// The places of the entries of a sparse symmetric matrix, with an order of elimination and the places of its Cholesky factor, which are
/// found once. Cloning it is cheap.
///
/// ```
/// use bayes_autodiff::SparsePattern;
/// let line = SparsePattern::new(3, &[(0, 1), (1, 2)]);
/// assert_eq!((line.len(), line.entries().len()), (3, 5));
/// ```
#[derive(Clone)]
pub struct SparsePattern(Arc<Structure>);

/// The factor is `L D Lᵀ` of the matrix in the order of elimination. Its entries are stored column by column, the diagonal first, then
/// the rows below it in ascending order.
struct Structure {
    /// `(i, j)` with `i ≥ j`, ascending.
    entries: Vec<[u32; 2]>,
    /// The place that is eliminated at each step.
    order: Vec<u32>,
    /// Where each entry of the matrix stands in the factor.
    places: Vec<u32>,
    /// The first entry of each column of the factor, and the number of its entries.
    columns: Vec<u32>,
    /// The row of each entry of the factor.
    rows: Vec<u32>,
}

impl SparsePattern {
    /// `n`: the number of rows; `pairs`: the entries beside the diagonal, in any order and direction, each counted once. The diagonal
    /// belongs to the pattern.
    ///
    /// # Panics
    /// If a place is not below `n`.
    #[must_use]
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let diagonal = (0..n).map(|i| [i as u32, i as u32]);
        let others = pairs.iter().map(|(a, b)| {
            let (low, high) = (*a.min(b), *a.max(b));
            assert!(
                high < n,
                "place {high} of a sparse pattern must be below {n}, its number of rows"
            );
            [high as u32, low as u32]
        });
        let mut entries: Vec<[u32; 2]> = diagonal.chain(others).collect();
        entries.sort_unstable();
        entries.dedup();
        Self(Arc::new(Structure::new(n, entries)))
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.order.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries `[i, j]` on and below the diagonal, `i ≥ j`, by rows.
    #[must_use]
    pub fn entries(&self) -> &[[u32; 2]] {
        &self.0.entries
    }

    /// The number of entries of the Cholesky factor, the diagonal included: a factorisation needs so many numbers.
    #[must_use]
    pub fn factor_len(&self) -> usize {
        self.0.rows.len()
    }

    pub(super) fn order(&self) -> &[u32] {
        &self.0.order
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.0.places
    }

    /// The entries of a column of the factor: on the diagonal, and below it.
    #[inline(always)]
    pub(super) fn column(&self, j: usize) -> (usize, std::ops::Range<usize>) {
        let (first, end) = (self.0.columns[j] as usize, self.0.columns[j + 1] as usize);
        (first, first + 1..end)
    }

    #[inline(always)]
    pub(super) fn rows(&self) -> &[u32] {
        &self.0.rows
    }
}

impl fmt::Debug for SparsePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparsePattern")
            .field("len", &self.len())
            .field("entries", &self.entries().len())
            .field("factor_len", &self.factor_len())
            .finish()
    }
}

impl PartialEq for SparsePattern {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.entries() == other.entries()
    }
}

impl Structure {
    fn new(n: usize, entries: Vec<[u32; 2]>) -> Self {
        let mut adjacent = vec![Vec::new(); n];
        for [i, j] in &entries {
            if i != j {
                adjacent[*i as usize].push(*j);
                adjacent[*j as usize].push(*i);
            }
        }
        let order = minimum_degree(adjacent.clone());
        let mut step = vec![0; n];
        for (k, place) in order.iter().enumerate() {
            step[*place as usize] = k as u32;
        }
        let below = below(&order, &step, &adjacent);
        let (mut columns, mut rows) = (vec![0], Vec::new());
        for (j, below) in below.iter().enumerate() {
            rows.push(j as u32);
            rows.extend_from_slice(below);
            columns.push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        }
        assert!(
            u32::try_from(rows.len()).is_ok(),
            "the Cholesky factor of a sparse pattern has {} entries; at most {} are possible",
            rows.len(),
            u32::MAX
        );
        let place = |[i, j]: &[u32; 2]| {
            let (a, b) = (step[*i as usize], step[*j as usize]);
            let (row, column) = (a.max(b), a.min(b) as usize);
            let own = columns[column] as usize..columns[column + 1] as usize;
            let found = rows[own.clone()].binary_search(&row);
            (own.start + found.expect("the factor has all entries of the matrix")) as u32
        };
        let places = entries.iter().map(place).collect();
        Self {
            places,
            entries,
            order,
            columns,
            rows,
        }
    }
}

/// The rows below the diagonal of each column of the factor, ascending: the rows of the matrix, and the rows of each earlier column whose
/// first row is this one (Liu 1990).
fn below(order: &[u32], step: &[u32], adjacent: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let n = order.len();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut found = vec![usize::MAX; n];
    for j in 0..n {
        let mut own = Vec::new();
        let mut visit = |row: u32| {
            if row as usize > j && found[row as usize] != j {
                found[row as usize] = j;
                own.push(row);
            }
        };
        for other in &adjacent[order[j] as usize] {
            visit(step[*other as usize]);
        }
        for child in std::mem::take(&mut children[j]) {
            below[child].iter().for_each(|row| visit(*row));
        }
        own.sort_unstable();
        if let Some(parent) = own.first() {
            children[*parent as usize].push(j);
        }
        below[j] = own;
    }
    below
}
