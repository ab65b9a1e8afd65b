//! Places that are neighbours: the graph of an intrinsic autoregression, and what is computed of it once.

use crate::error::NeighboursError;
use bayes_autodiff::{SparseFactor, SparsePattern, SparsePencil};

/// Which of `n` places are neighbours, as areas of a map or times in order.
///
/// ```
/// # use bayes_dist::dist::Neighbours;
/// let map = Neighbours::new(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// assert_eq!(map.components(), 1);
/// # Ok::<(), bayes_base::Error>(())
/// ```
///
/// Make it once and give it to the model as data: it orders the places and factorises the Laplacian of each component, sparsely.
#[derive(Clone, Debug)]
pub struct Neighbours {
    n: usize,
    /// Each pair once, the smaller place first, ascending.
    edges: Vec<[usize; 2]>,
    components: Vec<Component>,
    /// The places of the entries of a precision matrix: the diagonal, and the edges.
    pattern: SparsePattern,
    /// The number of neighbours of each place.
    degrees: Vec<f64>,
    /// With `D`, the numbers of neighbours, and the Laplacian `L`: `D + x L`, for conditional autoregressions, and `I + x L`, for those of
    /// Leroux.
    pencils: [SparsePencil; 2],
}

/// Places that are connected.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Ascending.
    pub(super) places: Vec<usize>,
    /// The factor of the Laplacian without the first place.
    factor: SparseFactor,
    /// The logarithm of the product of the eigenvalues that are not 0.
    pub(super) log_determinant: f64,
    /// The geometric mean of the variances of the places for a standard deviation of 1.
    pub(super) variance: f64,
}

impl Neighbours {
    /// `n`: the number of places, at least 2; `edges`: pairs of neighbours, in any order and direction. A pair that is given again counts
    /// once.
    ///
    /// # Errors
    /// A place that is not below `n`, a place that is its own neighbour, or one without neighbours.
    pub fn new(n: usize, edges: &[(usize, usize)]) -> Result<Self, NeighboursError> {
        let mut sorted = Vec::with_capacity(edges.len());
        for (index, (a, b)) in edges.iter().enumerate() {
            if let Some(place) = [*a, *b].into_iter().find(|place| *place >= n) {
                return Err(NeighboursError::Place { index, place, n });
            }
            if a == b {
                return Err(NeighboursError::Itself { index, place: *a });
            }
            sorted.push([*a.min(b), *a.max(b)]);
        }
        sorted.sort_unstable();
        sorted.dedup();
        let components = connected(n, &sorted);
        if let Some(alone) = components.iter().find(|places| places.len() < 2) {
            return Err(NeighboursError::Alone { place: alone[0] });
        }
        if n == 0 {
            return Err(NeighboursError::Nothing);
        }
        let components = components.into_iter();
        let pairs: Vec<(usize, usize)> = sorted.iter().map(|[a, b]| (*a, *b)).collect();
        let mut degrees = vec![0.0; n];
        for place in sorted.iter().flatten() {
            degrees[*place] += 1.0;
        }
        let pattern = SparsePattern::new(n, &pairs);
        let pencil = |own: &dyn Fn(f64) -> f64| {
            let entry = |[i, j]: &[u32; 2]| match i == j {
                true => [own(degrees[*i as usize]), degrees[*i as usize]],
                false => [0.0, -1.0],
            };
            SparsePencil::new(&pattern, pattern.entries().iter().map(entry).collect())
        };
        Ok(Self {
            n,
            pencils: [pencil(&|degree| degree), pencil(&|_| 1.0)],
            pattern,
            degrees,
            components: components
                .map(|places| Component::new(places, &sorted))
                .collect(),
            edges: sorted,
        })
    }

    /// The cells of a regular grid, row by row: cell `(i, j)` is place `i * columns + j`. Neighbours are left, right, above and below. With
    /// one row or one column it is a line.
    ///
    /// # Errors
    /// If there are fewer than two cells, or `u32::MAX` or more.
    pub fn grid(rows: usize, columns: usize) -> Result<Self, NeighboursError> {
        let cells = rows.checked_mul(columns);
        let Some(cells) = cells.filter(|cells| *cells < u32::MAX as usize) else {
            return Err(NeighboursError::Cells { rows, columns });
        };
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let edges = places.flat_map(|(i, j)| {
            let place = i * columns + j;
            let right = (j + 1 < columns).then_some((place, place + 1));
            let below = (i + 1 < rows).then_some((place, place + columns));
            right.into_iter().chain(below)
        });
        Self::new(cells, &edges.collect::<Vec<_>>())
    }

    /// The number of places.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no places, which never holds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The pairs of neighbours, each once, the smaller place first, ascending.
    #[must_use]
    pub fn edges(&self) -> &[[usize; 2]] {
        &self.edges
    }

    /// The number of parts of the map that no edge connects.
    #[must_use]
    pub fn components(&self) -> usize {
        self.components.len()
    }

    pub(super) fn pattern(&self) -> &SparsePattern {
        &self.pattern
    }

    /// `D + x L` and `I + x L`.
    pub(super) fn pencils(&self) -> &[SparsePencil; 2] {
        &self.pencils
    }

    /// The number of neighbours of a place.
    pub(super) fn degree(&self, place: usize) -> f64 {
        self.degrees[place]
    }

    pub(super) fn each(&self) -> &[Component] {
        &self.components
    }
}

/// The places of each connected component, ascending.
fn connected(n: usize, edges: &[[usize; 2]]) -> Vec<Vec<usize>> {
    // the smallest place that is known to be connected
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut place: usize) -> usize {
        while root[place] != place {
            root[place] = root[root[place]];
            place = root[place];
        }
        place
    }
    for [a, b] in edges {
        let (a, b) = (find(&mut root, *a), find(&mut root, *b));
        root[a.max(b)] = a.min(b);
    }
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); n];
    for place in 0..n {
        found[find(&mut root, place)].push(place);
    }
    found.retain(|places| !places.is_empty());
    found
}

impl Component {
    fn new(places: Vec<usize>, edges: &[[usize; 2]]) -> Self {
        let n = places.len();
        let own = edges.iter().filter_map(|[a, b]| {
            let found = [a, b].map(|place| places.binary_search(place));
            Some([found[0].ok()?, found[1].ok()?])
        });
        let own: Vec<[usize; 2]> = own.collect();
        let factor = reduced_laplacian(n, &own);
        // by the matrix tree theorem (Kirchhoff 1847)
        let log_determinant = factor.log_determinant() + (n as f64).ln();
        let mut sums = vec![1.0; n - 1];
        factor.solve(&mut sums);
        // centred: the first place has covariance 0 with all
        let all = sums.iter().sum::<f64>() / (n * n) as f64;
        let variances = factor.variances();
        let own = variances.iter().zip(&sums);
        let own = own.map(|(variance, sum)| variance - 2.0 * sum / n as f64 + all);
        let logs: f64 = own.chain([all]).map(f64::ln).sum();
        Self {
            variance: (logs / n as f64).exp(),
            places,
            factor,
            log_determinant,
        }
    }

    /// Values with the Laplacian as their precision, about mean 0, from a standard normal number for each place but the first.
    pub(super) fn values(&self, mut z: Vec<f64>) -> Vec<f64> {
        self.factor.draw(&mut z);
        let mean = z.iter().sum::<f64>() / self.places.len() as f64;
        let first = [0.0];
        first.iter().chain(z.iter()).map(|x| x - mean).collect()
    }
}

/// The factor of the Laplacian of `n` connected places without the first one.
fn reduced_laplacian(n: usize, edges: &[[usize; 2]]) -> SparseFactor {
    let mut degrees = vec![0.0; n];
    for [a, b] in edges {
        degrees[*a] += 1.0;
        degrees[*b] += 1.0;
    }
    let pairs = edges.iter().filter(|[a, _]| *a > 0);
    let pairs: Vec<(usize, usize)> = pairs.map(|[a, b]| (a - 1, b - 1)).collect();
    let pattern = SparsePattern::new(n - 1, &pairs);
    let entry = |[i, j]: &[u32; 2]| match i == j {
        true => degrees[*i as usize + 1],
        false => -1.0,
    };
    let entries: Vec<f64> = pattern.entries().iter().map(entry).collect();
    let Ok(factor) = SparseFactor::new(&pattern, &entries) else {
        unreachable!("the Laplacian of connected places without one of them is positive definite")
    };
    factor
}
