//! Quantum state tomography: the state of Q qubits from counts of Pauli measurements.
//!
//! ```text
//! A, C            D x D, of 4 D² standard normal numbers; D = 2^Q
//! U               unitary of Haar's measure: of A = U R with a positive diagonal of R          (Mezzadri 2007)
//! rho             (I + U) C Cᴴ (I + Uᴴ) / Tr, of the Bures measure       (Al Osipov, Sommers and Życzkowski 2010)
//! counts[s]       ~ Multinomial(shots, ⟨v_so| rho |v_so⟩), for each of 3^Q settings s with 2^Q outcomes o
//! ```

use bayes::autodiff::Value;
use bayes::prelude::*;
use bayes::rng::{Stream, stream};
use rand_distr::{Distribution as _, StandardNormal};

/// The density matrix of `dim` levels at `theta`, `[4 dim²]`: the real and the imaginary parts of A, then those of C, row after row.
#[function]
pub fn bures(dim: usize, theta: &Vector) -> ComplexMatrix {
    let block = dim * dim;
    let matrix = |first: usize| {
        let (re, im) = (first * block, (first + 1) * block);
        ComplexMatrix::from_parts(dim, dim, &theta[re..im], &theta[im..im + block])
    };
    let (unitary, _) = matrix(0).qr();
    let root = (ComplexMatrix::identity(dim) + unitary) * matrix(2);
    let square = root.hermitian_square();
    let trace = square.trace().re;
    square / trace
}

/// `Tr(rho P)` for every product `P` of I, X, Y and Z, one of them for each qubit; `[4^Q]`, the first qubit slowest.
///
/// Qubit by qubit: each level of a qubit has half of the rows and columns of `rho`.
#[function]
pub fn expectations(rho: &ComplexMatrix) -> Vec<Real> {
    let half = rho.nrows() / 2;
    if half == 0 {
        return vec![rho[(0, 0)].re];
    }
    let quarter = |i: usize, k: usize| {
        ComplexMatrix::from_fn(half, half, |a, b| rho[(i * half + a, k * half + b)])
    };
    let [upper, right, left, lower] = [quarter(0, 0), quarter(0, 1), quarter(1, 0), quarter(1, 1)];
    let y = (&right - &left).map(|z| Complex::new(-z.im, z.re));
    let parts = [&upper + &lower, &right + &left, y, upper - lower];
    parts.iter().flat_map(expectations).collect()
}

/// The probabilities of the outcomes of every setting, `[3^Q][2^Q]`, from the [`expectations`] of a state: the first qubit slowest, its
/// axes in the order X, Y, Z, its outcomes +1, -1.
///
/// The projectors are products, so all 6^Q probabilities take 6^Q additions and as many again for the partial products.
#[function]
pub fn outcomes(expectations: &[Real]) -> Vec<Vec<Real>> {
    let quarter = expectations.len() / 4;
    if quarter == 0 {
        return vec![expectations.to_vec()];
    }
    let (identity, axes) = expectations.split_at(quarter);
    let mut settings = Vec::new();
    for axis in axes.chunks(quarter) {
        let pairs = || identity.iter().zip(axis);
        let plus: Vec<Real> = pairs().map(|(i, p)| 0.5 * (i + p)).collect();
        let minus: Vec<Real> = pairs().map(|(i, p)| 0.5 * (i - p)).collect();
        for (mut both, minus) in outcomes(&plus).into_iter().zip(outcomes(&minus)) {
            both.extend(minus);
            settings.push(both);
        }
    }
    settings
}

/// The state of several qubits from `counts`, `[3^Q, 2^Q]`, each setting measured `shots` times.
#[model]
pub fn tomography(qubits: usize, shots: u64, counts: &[u64]) {
    let dim = 1 << qubits;
    let theta = sample(Normal::new(0.0, 1.0).iid(4 * dim * dim));
    let rho = bures(dim, &theta);
    for (p, count) in outcomes(&expectations(&rho))
        .into_iter()
        .zip(counts.chunks(dim))
    {
        observe(count, Multinomial::new(shots, Vector::from(p)));
    }
}

/// The state of `dim` levels at plain numbers, `[4 dim²]`: the real parts of its elements, row after row, then the imaginary parts.
pub fn state(dim: usize, theta: &[f64]) -> Vec<f64> {
    let rho: ComplexMatrix<Value> = bures(dim, &Vector::constant(theta));
    let parts = |of: fn(&Complex<Value>) -> f64| rho.elements().iter().map(of);
    parts(|z| z.re.primal())
        .chain(parts(|z| z.im.primal()))
        .collect()
}

/// Measurements: a state drawn from the prior, and counts drawn from the state.
pub struct Measured {
    /// Number of qubits.
    pub qubits: usize,
    /// Number of measurements of each setting.
    pub shots: u64,
    /// `[3^Q, 2^Q]`.
    pub counts: Vec<u64>,
    /// The state, in the format of [`state`].
    pub truth: Vec<f64>,
}

impl Measured {
    /// State number `number` and its counts, with the random numbers of `seed`.
    pub fn new(qubits: usize, shots: u64, seed: u64, number: usize) -> Self {
        // one stream for each state, never used by a run
        let mut stream = stream((seed << 32) + (1 << 24) + (number * 16 + qubits) as u64);
        let dim = 1 << qubits;
        let theta: Vec<f64> = normals(&mut stream, 4 * dim * dim);
        let rho: ComplexMatrix<Value> = bures(dim, &Vector::constant(&theta));
        let mut counts = Vec::new();
        for p in outcomes(&expectations(&rho)) {
            let p: Vec<f64> = p.iter().map(|p| p.primal()).collect();
            let drawn = Distribution::<Value>::draw(&Multinomial::new(shots, p), &mut stream);
            counts.extend(drawn.into_iter().map(|count| count as u64));
        }
        Self {
            qubits,
            shots,
            counts,
            truth: state(dim, &theta),
        }
    }

    /// The posterior.
    pub fn model(&self) -> tomography<'_> {
        tomography(self.qubits, self.shots, &self.counts)
    }
}

/// Standard normal numbers.
pub fn normals(stream: &mut Stream, count: usize) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(stream)).collect()
}

/// The mean purity `E Tr rho²` under the Bures measure (Sommers and Życzkowski 2004).
pub fn mean_purity(dim: usize) -> f64 {
    let d = dim as f64;
    (5.0 * d * d + 1.0) / (2.0 * d * (d * d + 2.0))
}
