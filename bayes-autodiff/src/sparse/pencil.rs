//! The determinants of sums of two sparse matrices, as a function of one number.

use super::factor;
use super::pattern::SparsePattern;
use crate::dual::Dual;
use crate::matrix::Scalars;
use crate::mode::Mode;
use crate::real::{PlainValue, Real};
use crate::value::Value;
use std::f64::consts::PI;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The matrices `A + x B` for a positive number `x`, where `A` and `B` are sparse and symmetric and have no negative eigenvalues.
///
/// As a function of `ln x` their log determinant is a sum of terms `ln (a + b x)` with `a` and `b` at least 0. None of them is singular within
/// π of the real line, so a polynomial of degree 31 on a piece of length 4 has all digits of it (Trefethen 2013, chapter 8). The
/// polynomial of a piece is found when it is first needed, by 32 factorisations; from then on a log determinant takes a few dozen
/// operations. Where `x` is not positive, or so small or large that a factorisation has few digits, each is by a factorisation. Cloning it
/// is cheap, and clones share the polynomials.
#[derive(Clone)]
pub struct SparsePencil(Arc<Pencil>);

struct Pencil {
    pattern: SparsePattern,
    /// The entries of `A` and of `B`.
    entries: Vec<[f64; 2]>,
    /// The coefficients of Chebyshev polynomials, by piece.
    pieces: [OnceLock<[f64; NODES]>; PIECES],
}

const NODES: usize = 32;
/// The length of a piece.
const LENGTH: f64 = 4.0;
const PIECES: usize = 12;
/// The pieces reach to this logarithm on both sides.
const REACH: f64 = 0.5 * LENGTH * PIECES as f64;

impl SparsePencil {
    /// `entries`: those of `A` and of `B`, in the order of [`SparsePattern::entries`].
    ///
    /// # Panics
    /// If there are not as many entries as the pattern has.
    #[must_use]
    pub fn new(pattern: &SparsePattern, entries: Vec<[f64; 2]>) -> Self {
        assert_eq!(entries.len(), pattern.entries().len(), "entries");
        Self(Arc::new(Pencil {
            pattern: pattern.clone(),
            entries,
            pieces: [const { OnceLock::new() }; PIECES],
        }))
    }

    /// `ln det (A + x B)`; NaN unless the sum is positive definite. For modes that may look at a value.
    pub(crate) fn log_determinant<M: Mode>(&self, x: Real<M>) -> Real<M> {
        self.by_piece(x).unwrap_or_else(|| self.by_factor(x))
    }

    /// The log determinant at a number, and its slope; `None` beyond the pieces.
    pub(crate) fn in_piece(&self, x: f64) -> Option<(f64, f64)> {
        let found = self.by_piece(Dual::<1>::variable(x, 0))?;
        Some((found.primal(), Dual::gradient(found)[0]))
    }

    /// The places of the entries of both matrices.
    pub(crate) fn pattern(&self) -> &SparsePattern {
        &self.0.pattern
    }

    /// The entries of both matrices.
    pub(crate) fn entries(&self) -> &[[f64; 2]] {
        &self.0.entries
    }

    fn by_piece<M: Mode>(&self, x: Real<M>) -> Option<Real<M>> {
        let place = x.plain_value().ln();
        // written so that NaN has no piece
        let has_piece = place.abs() < REACH;
        if !has_piece {
            return None;
        }
        let piece = ((place + REACH) / LENGTH) as usize;
        let coefficients = self.0.pieces[piece].get_or_init(|| self.coefficients(piece));
        let t = (x.ln() - centre(piece)) * (2.0 / LENGTH);
        let (mut last, mut before) = (Real::constant(0.0), Real::constant(0.0));
        for coefficient in coefficients[1..].iter().rev() {
            (last, before) = (t * last * 2.0 - before + *coefficient, last);
        }
        Some(t * last - before + coefficients[0])
    }

    fn by_factor<M: Mode>(&self, x: Real<M>) -> Real<M> {
        if x.plain_value().is_nan() {
            return x;
        }
        let Pencil {
            pattern, entries, ..
        } = &*self.0;
        let value = |k: usize| x * entries[k][1] + entries[k][0];
        let factor = factor::factor::<Scalars<M>>(pattern, value);
        factor::log_determinant::<Scalars<M>>(pattern, &factor)
    }

    /// The value at a node. The slope of a polynomial through many values multiplies their rounding errors, so the sum of logarithms has none
    /// but the last (Neumaier 1974).
    fn exact_log_determinant(&self, x: f64) -> f64 {
        let Pencil {
            pattern, entries, ..
        } = &*self.0;
        let value = |k: usize| Real::<Value>::constant(x * entries[k][1] + entries[k][0]);
        let factor = factor::factor::<Scalars<Value>>(pattern, value);
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        for j in 0..pattern.len() {
            let term = factor[pattern.column(j).0].primal().ln();
            let next = sum + term;
            lost += match sum.abs() >= term.abs() {
                true => (sum - next) + term,
                false => (term - next) + sum,
            };
            sum = next;
        }
        sum + lost
    }

    /// The coefficients of the polynomial through the values at the roots of the Chebyshev polynomial of a piece.
    fn coefficients(&self, piece: usize) -> [f64; NODES] {
        let angle = |k: usize| (k as f64 + 0.5) * PI / NODES as f64;
        let values: [f64; NODES] = std::array::from_fn(|k| {
            let place = centre(piece) + 0.5 * LENGTH * angle(k).cos();
            self.exact_log_determinant(place.exp())
        });
        std::array::from_fn(|j| {
            let terms = values.iter().enumerate();
            let sum: f64 = terms.map(|(k, x)| x * (j as f64 * angle(k)).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / NODES as f64
        })
    }
}

/// The middle of a piece.
fn centre(piece: usize) -> f64 {
    (piece as f64 + 0.5) * LENGTH - REACH
}

impl fmt::Debug for SparsePencil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparsePencil")
            .field("pattern", &self.0.pattern)
            .finish_non_exhaustive()
    }
}

impl PartialEq for SparsePencil {
    fn eq(&self, other: &Self) -> bool {
        let same = || self.0.pattern == other.0.pattern && self.0.entries == other.0.entries;
        Arc::ptr_eq(&self.0, &other.0) || same()
    }
}
