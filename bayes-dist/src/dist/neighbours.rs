//! Places that are neighbours: the graph of an intrinsic autoregression, and what is computed of it once.

use crate::error::NeighboursError;
use nalgebra::DMatrix;

/// Which of `n` places are neighbours, as areas of a map or times in order.
///
/// ```
/// # use bayes_dist::dist::Neighbours;
/// let map = Neighbours::new(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// assert_eq!(map.components(), 1);
/// # Ok::<(), bayes_dist::Error>(())
/// ```
///
/// Make it once and give it to the model as data: it factorises the Laplacian of each component densely, which for 2000 places takes
/// seconds.
#[derive(Clone, Debug)]
pub struct Neighbours {
    n: usize,
    /// Each pair once, the smaller place first, ascending.
    edges: Vec<[usize; 2]>,
    components: Vec<Component>,
}

/// Places that are connected.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Ascending.
    pub(super) places: Vec<usize>,
    /// The lower triangle of the Laplacian without the first place.
    lower: DMatrix<f64>,
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
        Ok(Self {
            n,
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
    /// If there are fewer than two cells.
    pub fn grid(rows: usize, columns: usize) -> Result<Self, NeighboursError> {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let edges = places.flat_map(|(i, j)| {
            let place = i * columns + j;
            let right = (j + 1 < columns).then_some((place, place + 1));
            let below = (i + 1 < rows).then_some((place, place + columns));
            right.into_iter().chain(below)
        });
        Self::new(rows * columns, &edges.collect::<Vec<_>>())
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
        let mut laplacian = DMatrix::zeros(n, n);
        for [a, b] in edges {
            let (Ok(a), Ok(b)) = (places.binary_search(a), places.binary_search(b)) else {
                continue;
            };
            laplacian[(a, a)] += 1.0;
            laplacian[(b, b)] += 1.0;
            laplacian[(a, b)] -= 1.0;
            laplacian[(b, a)] -= 1.0;
        }
        let reduced = laplacian.view((1, 1), (n - 1, n - 1)).into_owned();
        let Some(factor) = reduced.cholesky() else {
            unreachable!(
                "the Laplacian of connected places without one of them is positive definite"
            )
        };
        let lower = factor.l();
        // by the matrix tree theorem (Kirchhoff 1847)
        let log_determinant = 2.0 * lower.diagonal().map(f64::ln).sum() + (n as f64).ln();
        let inverse = factor.inverse();
        // centred: the first place has covariance 0 with all
        let mean = |i: usize| inverse.column(i).sum() / n as f64;
        let all = inverse.sum() / (n * n) as f64;
        let own = (0..n - 1).map(|i| inverse[(i, i)] - 2.0 * mean(i) + all);
        let logs: f64 = own.chain([all]).map(f64::ln).sum();
        Self {
            variance: (logs / n as f64).exp(),
            places,
            lower,
            log_determinant,
        }
    }

    /// Values with the Laplacian as their precision, about mean 0, from a standard normal number for each place but the first.
    pub(super) fn values(&self, z: Vec<f64>) -> Vec<f64> {
        let n = self.places.len();
        let mut x = nalgebra::DVector::from_vec(z);
        let solved = self.lower.tr_solve_lower_triangular_mut(&mut x);
        debug_assert!(solved, "the diagonal is positive");
        let mean = x.sum() / n as f64;
        let first = [0.0];
        first.iter().chain(x.iter()).map(|x| x - mean).collect()
    }
}
