//! Values and gradients of a program for many particles.

use crate::gradient::{Program, value};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use crate::tape::Tape;

/// Particles and room for their densities.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Number of coordinates of a particle.
    pub dim: usize,
    /// Positions, `[particles, dim]` row-major.
    pub positions: &'a [f64],
    /// Log priors, `[particles]`, to be filled.
    pub log_prior: &'a mut [f64],
    /// Log likelihoods, `[particles]`, to be filled.
    pub log_likelihood: &'a mut [f64],
}

impl Batch<'_> {
    pub(crate) fn check(&self) {
        assert_eq!(
            self.positions.len(),
            self.log_prior.len() * self.dim,
            "a row for every particle"
        );
        assert_eq!(
            self.log_prior.len(),
            self.log_likelihood.len(),
            "both densities of every particle"
        );
    }

    /// The positions of the eight particles from `start` on; if there are fewer, the last particle is repeated.
    ///
    /// The result of a lane does not depend on the other lanes, so the repeats do not matter.
    #[inline(always)]
    fn rows(&self, start: usize) -> Rows<'_> {
        let mut rows = [&self.positions[..0]; LANES];
        let last = self.log_prior.len() - 1;
        for (i, row) in rows.iter_mut().enumerate() {
            *row = &self.positions[(start + i).min(last) * self.dim..][..self.dim];
        }
        Rows {
            dim: self.dim,
            rows,
        }
    }

    /// Stores the values of the particles from `start` on.
    #[inline(always)]
    fn take<S: Simd>(&mut self, start: usize, [prior, likelihood]: [S::Float; 2]) {
        let (prior, likelihood) = (S::array(prior), S::array(likelihood));
        let end = (start + LANES).min(self.log_prior.len());
        self.log_prior[start..end].copy_from_slice(&prior[..end - start]);
        self.log_likelihood[start..end].copy_from_slice(&likelihood[..end - start]);
    }
}

/// Eight positions, all of them `[dim]`.
struct Rows<'a> {
    dim: usize,
    rows: [&'a [f64]; LANES],
}

impl Rows<'_> {
    /// Coordinate `k` of each.
    #[inline(always)]
    fn coordinate<S: Simd>(&self, k: usize) -> S::Float {
        assert!(k < self.dim, "a position has `dim` coordinates");
        let mut lanes = [0.0; LANES];
        for (lane, row) in lanes.iter_mut().zip(&self.rows) {
            // SAFETY: every row has `dim` elements, and `k` is below.
            *lane = unsafe { *row.get_unchecked(k) };
        }
        S::load(&lanes)
    }
}

/// Fills the log priors and log likelihoods of a batch, one particle after the other.
///
/// # Panics
/// If the lengths do not match.
pub fn values<P: Program>(program: &P, batch: Batch<'_>) {
    batch.check();
    let densities = batch.log_prior.iter_mut().zip(batch.log_likelihood);
    for (i, (log_prior, log_likelihood)) in densities.enumerate() {
        let position = &batch.positions[i * batch.dim..(i + 1) * batch.dim];
        [*log_prior, *log_likelihood] = value(program, position);
    }
}

/// Fills the log priors and log likelihoods of a batch, and `gradient`, `[particles, dim]`, with that of
/// `weights[0] log_prior + weights[1] log_likelihood`.
///
/// A term of weight zero is left out, even if its gradient is not finite.
///
/// # Panics
/// If the lengths do not match, or the processor does not support `level`.
pub fn gradients<P: Program>(
    level: InstructionSet,
    program: &P,
    weights: [f64; 2],
    mut batch: Batch<'_>,
    gradient: &mut [f64],
) {
    batch.check();
    assert_eq!(
        batch.positions.len(),
        gradient.len(),
        "the gradient has the shape of the positions"
    );
    let work = Gradients {
        program,
        weights,
        batch: &mut batch,
        gradient,
    };
    dispatch(level, work);
}

struct Gradients<'a, 'b, P> {
    program: &'a P,
    weights: [f64; 2],
    batch: &'a mut Batch<'b>,
    gradient: &'a mut [f64],
}

impl<P: Program> Work for Gradients<'_, '_, P> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self {
            program,
            weights,
            batch,
            gradient,
        } = self;
        let (dim, len) = (batch.dim, batch.log_prior.len());
        for start in (0..len).step_by(LANES) {
            let to = &mut gradient[start * dim..(start + LANES).min(len) * dim];
            let rows = batch.rows(start);
            let outputs = Tape::<S>::run(
                weights,
                program,
                dim,
                |k| rows.coordinate::<S>(k),
                #[inline(always)]
                |adjoints| {
                    // by rows, so that writes are contiguous
                    for (i, to) in to.chunks_exact_mut(dim.max(1)).enumerate() {
                        for (slope, adjoint) in to.iter_mut().zip(adjoints) {
                            *slope = adjoint.0[i % LANES];
                        }
                    }
                },
            );
            batch.take::<S>(start, outputs);
        }
    }
}

/// The weights of the two sums of a program, added as its last terms.
#[inline(always)]
pub(crate) fn outputs<M: Mode, P: Program>(program: &P, inputs: &[Real<M>]) -> [Real<M>; 2] {
    use crate::mode::Part;
    let [prior, likelihood] = program.evaluate::<M>(inputs);
    let mut sums = [Real::<M>::constant(0.0); 2];
    M::add_term(&mut sums[0].0, prior.0, Part::Prior);
    M::add_term(&mut sums[1].0, likelihood.0, Part::Likelihood);
    sums
}
