//! Dense layers.

use super::element::{Element, Operand};
use super::product::{Extent, Factors, StepProduct, Steps};
use crate::simd::{InstructionSet, LANES, Simd};
use gemm::{Parallelism, gemm};

/// The sizes of a dense layer in a chunk of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    /// Examples in the chunk.
    pub(super) rows: usize,
    /// Number of input elements.
    pub(super) inputs: usize,
    /// Number of output elements.
    pub(super) outputs: usize,
}

impl Dense {
    /// The biases in every row of `out`, `[rows, outputs]`.
    #[inline(always)]
    fn fill<S: Simd, E: Element, W: Operand<E>>(self, weights: &[W], out: &mut [[E; LANES]]) {
        let biases = &weights[self.inputs * self.outputs..];
        for row in out.chunks_exact_mut(self.outputs) {
            for (out, bias) in row.iter_mut().zip(biases) {
                E::store::<S>(bias.lanes::<S>(), out);
            }
        }
    }

    /// `out = input W + b` for inputs `[rows, inputs]`.
    #[inline(always)]
    pub(super) fn forward<S: Simd, E: Element, T: Operand<E>, W: Operand<E>>(
        self,
        weights: &[W],
        input: &[T],
        out: &mut [[E; LANES]],
    ) {
        self.fill::<S, E, W>(weights, out);
        self.add_forward::<S, E, T, W>(0, weights, input, out);
    }

    /// Adds `input W` to the outputs from `first` on.
    #[inline(always)]
    fn add_forward<S: Simd, E: Element, T: Operand<E>, W: Operand<E>>(
        self,
        first: usize,
        weights: &[W],
        input: &[T],
        out: &mut [[E; LANES]],
    ) {
        let extent = Extent {
            rows: self.rows,
            columns: self.outputs - first,
            depth: self.inputs,
            stride: self.outputs,
        };
        let a = Factors {
            elements: input,
            place: Steps {
                row: self.inputs,
                depth: 1,
            },
        };
        let b = Factors {
            elements: &weights[first..],
            place: Steps {
                row: 1,
                depth: self.outputs,
            },
        };
        let out = &mut out[first..];
        StepProduct { out, extent, a, b }.compute::<S>();
    }

    /// Adds the slopes of the weights and biases, `[inputs, outputs]` and `[outputs]`, given the slopes of the outputs; `input` is
    /// `[rows, inputs]` of lanes.
    #[inline(always)]
    pub(super) fn add_gradient<S: Simd, E: Element>(
        self,
        input: &[[E; LANES]],
        slopes: &[[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let steps = Steps {
            row: 1,
            depth: self.inputs,
        };
        self.add_weight_gradient::<S, E, _>(0, (input, steps), slopes, gradient);
        self.add_bias_gradient::<S, E>(slopes, gradient);
    }

    #[inline(always)]
    fn add_weight_gradient<S: Simd, E: Element, T: Operand<E>>(
        self,
        first: usize,
        (input, place): (&[T], Steps),
        slopes: &[[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let extent = Extent {
            rows: self.inputs,
            columns: self.outputs - first,
            depth: self.rows,
            stride: self.outputs,
        };
        let a = Factors {
            elements: input,
            place,
        };
        let b = Factors {
            elements: &slopes[first..],
            place: Steps {
                row: 1,
                depth: self.outputs,
            },
        };
        let out = &mut gradient[first..];
        StepProduct { out, extent, a, b }.compute::<S>();
    }

    #[inline(always)]
    fn add_bias_gradient<S: Simd, E: Element>(
        self,
        slopes: &[[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let biases = &mut gradient[self.inputs * self.outputs..];
        for row in slopes.chunks_exact(self.outputs) {
            for (sum, slope) in biases.iter_mut().zip(row) {
                let new = E::add::<S>(E::load::<S>(sum), E::load::<S>(slope));
                E::store::<S>(new, sum);
            }
        }
    }

    /// Writes the slopes of the inputs, `[rows, inputs]`, given the slopes of the outputs.
    #[inline(always)]
    pub(super) fn input_slopes<S: Simd, E: Element>(
        self,
        weights: &[[E; LANES]],
        slopes: &[[E; LANES]],
        out: &mut [[E; LANES]],
    ) {
        out.fill([E::default(); LANES]);
        let extent = Extent {
            rows: self.rows,
            columns: self.inputs,
            depth: self.outputs,
            stride: self.inputs,
        };
        let steps = Steps {
            row: self.outputs,
            depth: 1,
        };
        let a = Factors {
            elements: slopes,
            place: steps,
        };
        let b = Factors {
            elements: weights,
            place: steps,
        };
        StepProduct { out, extent, a, b }.compute::<S>();
    }

    /// [`Dense::forward`] on data, `[rows, inputs]`: the weights of eight particles are one matrix `[inputs, outputs * 8]`, so this is
    /// one matrix product.
    #[inline(always)]
    pub(super) fn forward_data<S: Simd, E: Element + Operand<E>>(
        self,
        weights: &[[E; LANES]],
        data: &[E],
        out: &mut [[E; LANES]],
    ) {
        self.fill::<S, E, _>(weights, out);
        let whole = self.whole::<S>();
        for first in (0..whole).step_by(PANEL) {
            let outputs = PANEL.min(whole - first);
            let shape = Shape {
                rows: self.rows,
                columns: outputs,
                depth: self.inputs,
                stride: self.outputs,
            };
            multiply(
                shape,
                (data, self.inputs),
                &weights[first..self.inputs * self.outputs],
                &mut out[first..],
            );
        }
        if whole < self.outputs {
            self.add_forward::<S, E, E, _>(whole, weights, data, out);
        }
    }

    /// [`Dense::add_gradient`] on data, transposed: `[inputs, rows]`.
    #[inline(always)]
    pub(super) fn add_gradient_data<S: Simd, E: Element + Operand<E>>(
        self,
        transposed: &[E],
        slopes: &[[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let whole = self.whole::<S>();
        for first in (0..whole).step_by(PANEL) {
            let outputs = PANEL.min(whole - first);
            let shape = Shape {
                rows: self.inputs,
                columns: outputs,
                depth: self.rows,
                stride: self.outputs,
            };
            multiply(
                shape,
                (transposed, self.rows),
                &slopes[first..],
                &mut gradient[first..self.inputs * self.outputs],
            );
        }
        if whole < self.outputs {
            let steps = Steps {
                row: self.rows,
                depth: 1,
            };
            self.add_weight_gradient::<S, E, _>(whole, (transposed, steps), slopes, gradient);
        }
        self.add_bias_gradient::<S, E>(slopes, gradient);
    }

    /// The outputs computed by the matrix product: all except an odd last one, for which `gemm` would allocate.
    #[inline(always)]
    fn whole<S: Simd>(self) -> usize {
        if matrix_products::<S>() {
            self.outputs / 2 * 2
        } else {
            0
        }
    }
}

/// Outputs in one matrix product. For more outputs `gemm` would allocate memory to pack the data.
const PANEL: usize = 128;

/// Whether the products of `gemm` use the instructions of `S`.
///
/// `gemm` always uses the best instruction set of the processor. A run with another fixed set multiplies without it.
fn matrix_products<S: Simd>() -> bool {
    #[cfg(target_arch = "x86_64")]
    let avx512 = is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let avx512 = false;
    match S::INSTRUCTION_SET {
        InstructionSet::Portable => false,
        InstructionSet::Avx2 => !avx512,
        InstructionSet::Avx512 => true,
    }
}

/// The extent of a matrix product, in lane vectors.
#[derive(Clone, Copy, Debug)]
struct Shape {
    rows: usize,
    columns: usize,
    depth: usize,
    /// Step from one row of the result, or one depth of the lanes, to the next.
    stride: usize,
}

/// `out[i, j] += Σ_k data[i * step + k] lanes[k * stride + j]`, where a lane vector is eight columns of a matrix.
fn multiply<E: Element + Operand<E>>(
    shape: Shape,
    (data, step): (&[E], usize),
    lanes: &[[E; LANES]],
    out: &mut [[E; LANES]],
) {
    let Shape {
        rows,
        columns,
        depth,
        stride,
    } = shape;
    if rows == 0 || columns == 0 || depth == 0 {
        return;
    }
    assert!(step >= depth && (rows - 1) * step + depth <= data.len());
    assert!(stride >= columns && (depth - 1) * stride + columns <= lanes.len());
    assert!((rows - 1) * stride + columns <= out.len());
    let (width, stride) = (columns * LANES, (stride * LANES) as isize);
    let (data, lanes) = (data.as_ptr(), lanes.as_ptr().cast::<E>());
    let one = E::of(1.0);
    // SAFETY: read as column-major matrices, `out` is `width x rows`, `lanes` is `width x depth` and `data` is `depth x rows`. The three
    // assertions say that each of them lies within its slice, and `out` is borrowed exclusively.
    unsafe {
        gemm(
            width,
            rows,
            depth,
            out.as_mut_ptr().cast::<E>(),
            stride,
            1,
            true,
            lanes,
            stride,
            1,
            data,
            step as isize,
            1,
            one,
            one,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
