//! Two-dimensional convolutions (cross-correlations) with stride 1.

use super::element::{Element, Operand};
use super::product::{Extent, Factors, Offsets, Steps, add_product};
use super::stage::{Back, Geometry};
use crate::simd::{LANES, Simd};

/// Copies an image `[channels, height, width]` into the middle of `out`, `[channels, ...padded]`, which is zero around it.
#[inline(always)]
fn pad<T: Copy>(
    image: &[T],
    [height, width]: [usize; 2],
    [rows, columns]: [usize; 2],
    out: &mut [T],
) {
    let (top, left) = ((rows - height) / 2, (columns - width) / 2);
    for (channel, out) in image
        .chunks_exact(height * width)
        .zip(out.chunks_exact_mut(rows * columns))
    {
        for (row, out) in channel
            .chunks_exact(width)
            .zip(out[top * columns..].chunks_exact_mut(columns))
        {
            out[left..left + width].copy_from_slice(row);
        }
    }
}

impl Geometry {
    /// One example: `out`, `[outputs, ...result]`, from the padded image.
    #[inline(always)]
    pub(super) fn forward<S: Simd, E: Element, T: Operand<E>, W: Operand<E>>(
        &self,
        weights: &[W],
        image: &[T],
        out: &mut [[E; LANES]],
    ) {
        let (kernels, biases) = weights.split_at(self.outputs * self.taps.len());
        for (channel, bias) in out.chunks_exact_mut(self.pixels()).zip(biases) {
            for pixel in channel {
                E::store::<S>(bias.lanes::<S>(), pixel);
            }
        }
        let [rows, columns] = self.result;
        let extent = Extent {
            rows: self.outputs,
            columns,
            depth: self.taps.len(),
            stride: self.pixels(),
        };
        for row in 0..rows {
            let b = Factors {
                elements: &image[row * self.padded[1]..],
                place: Offsets {
                    row: &self.ascending,
                    depth: &self.taps,
                },
            };
            add_product::<S, E, _, _>(&mut out[row * columns..], extent, self.kernels(kernels), b);
        }
    }

    /// The weights as left factors.
    #[inline(always)]
    pub(super) fn kernels<'a, W>(&self, weights: &'a [W]) -> Factors<'a, W, Steps> {
        Factors {
            elements: weights,
            place: Steps {
                row: self.taps.len(),
                depth: 1,
            },
        }
    }

    /// Adds the slopes of weights and biases, given the slopes of the result of one example, `[outputs, ...result]`.
    #[inline(always)]
    pub(super) fn add_gradient<S: Simd, E: Element, T: Operand<E>>(
        &self,
        image: &[T],
        slopes: &[[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let (kernels, biases) = gradient.split_at_mut(self.outputs * self.taps.len());
        for (channel, sum) in slopes.chunks_exact(self.pixels()).zip(biases) {
            let mut total = E::load::<S>(sum);
            for slope in channel {
                total = E::add::<S>(total, E::load::<S>(slope));
            }
            E::store::<S>(total, sum);
        }
        self.add_kernel_gradient::<S, E, T>(image, (slopes, self.result[1]), kernels);
    }

    /// Adds the slopes of the weights, given `slopes`, `[outputs, rows, columns]`, of a part of the result of one example. `image` begins
    /// at the first pixel of the padded image that this part depends on.
    #[inline(always)]
    pub(super) fn add_kernel_gradient<S: Simd, E: Element, T: Operand<E>>(
        &self,
        image: &[T],
        (slopes, columns): (&[[E; LANES]], usize),
        kernels: &mut [[E; LANES]],
    ) {
        let pixels = slopes.len() / self.outputs;
        let extent = Extent {
            rows: self.outputs,
            columns: self.taps.len(),
            depth: columns,
            stride: self.taps.len(),
        };
        for row in 0..pixels / columns {
            let a = Factors {
                elements: &slopes[row * columns..],
                place: Steps {
                    row: pixels,
                    depth: 1,
                },
            };
            let b = Factors {
                elements: &image[row * self.padded[1]..],
                place: Offsets {
                    row: &self.taps,
                    depth: &self.ascending,
                },
            };
            add_product::<S, E, _, _>(kernels, extent, a, b);
        }
    }

    /// Writes the slopes of one image, `[inputs, ...image]`, given the slopes of the result with their zeros (see [`Back`]).
    #[inline(always)]
    pub(super) fn input_slopes<S: Simd, E: Element>(
        &self,
        weights: &[[E; LANES]],
        slopes: &[[E; LANES]],
        out: &mut [[E; LANES]],
    ) {
        let Back {
            padded,
            channels,
            weights: mirrored,
            taps,
        } = &self.back;
        let [height, width] = self.image;
        out.fill([E::default(); LANES]);
        let extent = Extent {
            rows: self.inputs,
            columns: width,
            depth: taps.len(),
            stride: height * width,
        };
        let a = Factors {
            elements: weights,
            place: Offsets {
                row: channels,
                depth: mirrored,
            },
        };
        for row in 0..height {
            let b = Factors {
                elements: &slopes[(row + self.padding) * padded[1] + self.padding..],
                place: Offsets {
                    row: &self.ascending,
                    depth: taps,
                },
            };
            add_product::<S, E, _, _>(&mut out[row * width..], extent, a, b);
        }
    }
}

/// A convolution of one image: its weights, and the slopes of the image. `memory` holds the image, then the slopes, with zeros around.
#[inline(always)]
pub(super) fn backward_conv<S: Simd, E: Element>(
    geometry: &Geometry,
    [weights, input, slopes]: [&[[E; LANES]]; 3],
    memory: &mut [[E; LANES]],
    [out, gradient]: [&mut [[E; LANES]]; 2],
) {
    let image = padded_image(geometry, input, memory);
    geometry.add_gradient::<S, E, _>(image, slopes, gradient);
    let around = padded_slopes(geometry, slopes, memory);
    geometry.input_slopes::<S, E>(weights, around, out);
}

/// An image with zeros around it, in `memory`.
#[inline(always)]
pub(super) fn padded_image<'a, E: Element>(
    geometry: &Geometry,
    image: &[[E; LANES]],
    memory: &'a mut [[E; LANES]],
) -> &'a [[E; LANES]] {
    let out = &mut memory[..geometry.padded_elements()];
    out.fill([E::default(); LANES]);
    pad(image, geometry.image, geometry.padded, out);
    out
}

/// The slopes of a convolution with zeros around them, in `memory`.
#[inline(always)]
fn padded_slopes<'a, E: Element>(
    geometry: &Geometry,
    slopes: &[[E; LANES]],
    memory: &'a mut [[E; LANES]],
) -> &'a [[E; LANES]] {
    let [rows, columns] = geometry.back.padded;
    let out = &mut memory[..geometry.outputs * rows * columns];
    out.fill([E::default(); LANES]);
    pad(slopes, geometry.result, geometry.back.padded, out);
    out
}
