//! A convolution, ReLU and max pooling in one pass over the image.

use super::element::{Element, Operand};
use super::product::{Factors, Offsets, Place, tile};
use super::stage::{Geometry, Pooling};
use crate::simd::{LANES, Simd};
use std::ops::Range;

/// The fused step, with the places of a window's pixels in the padded image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvPool<'a> {
    pub(super) geometry: &'a Geometry,
    pub(super) pooling: Pooling,
    pub(super) window: &'a [usize],
    /// For each row of windows, the range of windows with a nonzero pixel; empty if every window may have one.
    pub(super) spans: Option<&'a [[usize; 2]]>,
}

/// The largest pixel of a window so far, and its index.
#[derive(Clone, Copy)]
struct Largest<L> {
    value: L,
    index: L,
}

impl<L> Largest<L> {
    /// `value` at the first pixel.
    #[inline(always)]
    fn of<S: Simd, E: Element<Lanes<S> = L>>(value: E) -> Self {
        Self {
            value: E::splat::<S>(value),
            index: E::splat::<S>(E::default()),
        }
    }
}

impl ConvPool<'_> {
    /// Rows and columns of windows.
    pub(super) fn windows(&self) -> [usize; 2] {
        self.geometry.result.map(|n| n / self.pooling.size)
    }

    /// One example: the pooled values, and the position of each in its window, `[outputs, ...windows]`; -1 where the
    /// ReLU is closed. `image` is padded.
    #[inline(always)]
    pub(super) fn forward<S: Simd, E: Element, T: Operand<E>, W: Operand<E>>(
        &self,
        weights: &[W],
        image: &[T],
        out: &mut [[E; LANES]],
        places: &mut [[E; LANES]],
    ) {
        let outputs = self.geometry.outputs;
        let mut first = 0;
        while first + 4 <= outputs {
            self.channels::<S, E, T, W, 4>(first, weights, image, [&mut *out, &mut *places]);
            first += 4;
        }
        while first < outputs {
            self.channels::<S, E, T, W, 1>(first, weights, image, [&mut *out, &mut *places]);
            first += 1;
        }
    }

    /// [`ConvPool::forward`] for `R` channels from `first` on.
    #[inline(always)]
    fn channels<S: Simd, E: Element, T: Operand<E>, W: Operand<E>, const R: usize>(
        &self,
        first: usize,
        weights: &[W],
        image: &[T],
        [out, places]: [&mut [[E; LANES]]; 2],
    ) {
        let [rows, columns] = self.windows();
        let taps = self.geometry.taps.len();
        let (kernels, biases) = weights.split_at(self.geometry.outputs * taps);
        let kernels = self.geometry.kernels(kernels);
        kernels.check(first + R, taps);
        let corner = |row, column| (row * self.geometry.padded[1] + column) * self.pooling.size;
        // the last window has the largest index
        self.factors(&image[corner(rows - 1, columns - 1)..])
            .check(self.window.len(), taps);
        for row in 0..rows {
            let span = self.span(row);
            for column in 0..columns {
                let largest = if span.contains(&column) {
                    let b = self.factors(&image[corner(row, column)..]);
                    // SAFETY: the kernels and the windows have been checked.
                    unsafe {
                        largest::<S, E, T, W, R>(self.window.len(), taps, (first, &kernels), &b)
                    }
                } else {
                    [Largest::of::<S, E>(E::default()); R]
                };
                for r in 0..R {
                    let at = ((first + r) * rows + row) * columns + column;
                    let (value, place) =
                        self.finish::<S, E>(largest[r], biases[first + r].lanes::<S>());
                    E::store::<S>(value, &mut out[at]);
                    E::store::<S>(place, &mut places[at]);
                }
            }
        }
    }

    /// The windows of a row that contain a nonzero pixel.
    #[inline(always)]
    fn span(&self, row: usize) -> Range<usize> {
        match self.spans {
            Some(spans) => spans[row][0]..spans[row][1],
            None => 0..self.windows()[1],
        }
    }

    /// The pixels of the window whose first pixel is the start of `image`.
    #[inline(always)]
    fn factors<'a, T>(&'a self, image: &'a [T]) -> Factors<'a, T, Offsets<'a>> {
        Factors {
            elements: image,
            place: Offsets {
                row: self.window,
                depth: &self.geometry.taps,
            },
        }
    }

    /// Bias and ReLU.
    #[inline(always)]
    fn finish<S: Simd, E: Element>(
        &self,
        largest: Largest<E::Lanes<S>>,
        bias: E::Lanes<S>,
    ) -> (E::Lanes<S>, E::Lanes<S>) {
        let value = E::add::<S>(largest.value, bias);
        if !self.pooling.relu {
            return (value, largest.index);
        }
        let zero = E::splat::<S>(E::default());
        let closed = E::splat::<S>(E::of(-1.0));
        // in this order NaN propagates
        let open = E::max::<S>(zero, value);
        (open, E::if_less::<S>(zero, value, [largest.index, closed]))
    }

    /// Adds the slopes of weights and biases of one example, given the slopes of its pooled values and their places; `memory` holds the
    /// slopes of one row of windows.
    #[inline(always)]
    pub(super) fn add_gradient<S: Simd, E: Element, T: Operand<E>>(
        &self,
        image: &[T],
        pooled: [&[[E; LANES]]; 2],
        memory: &mut [[E; LANES]],
        gradient: &mut [[E; LANES]],
    ) {
        let Geometry {
            outputs, padded, ..
        } = self.geometry;
        let size = self.pooling.size;
        let (kernels, biases) = gradient.split_at_mut(outputs * self.geometry.taps.len());
        self.add_bias_gradient::<S, E>(pooled, biases);
        for row in 0..self.windows()[0] {
            let span = self.span(row);
            if span.is_empty() {
                continue;
            }
            let width = span.len() * size;
            let slopes = &mut memory[..outputs * size * width];
            let image = &image[(row * padded[1] + span.start) * size..];
            self.unpool::<S, E>([row..row + 1, span], pooled, (slopes, width));
            self.geometry
                .add_kernel_gradient::<S, E, T>(image, (slopes, width), kernels);
        }
    }

    /// Adds the slopes of the biases: the slopes of all windows whose ReLU is open.
    #[inline(always)]
    fn add_bias_gradient<S: Simd, E: Element>(
        &self,
        [slopes, places]: [&[[E; LANES]]; 2],
        biases: &mut [[E; LANES]],
    ) {
        let [rows, columns] = self.windows();
        let zero = E::splat::<S>(E::default());
        for (channel, sum) in biases.iter_mut().enumerate() {
            let mut total = E::load::<S>(sum);
            for at in channel * rows * columns..(channel + 1) * rows * columns {
                let slope = E::load::<S>(&slopes[at]);
                let open = E::if_less::<S>(E::load::<S>(&places[at]), zero, [zero, slope]);
                total = E::add::<S>(total, open);
            }
            E::store::<S>(total, sum);
        }
    }

    /// The slopes of the convolution, `[outputs, ...result]`, in `memory`, given the slopes of the pooled values and their places.
    #[inline(always)]
    pub(super) fn unpooled<'m, S: Simd, E: Element>(
        &self,
        pooled: [&[[E; LANES]]; 2],
        memory: &'m mut [[E; LANES]],
    ) -> &'m [[E; LANES]] {
        let out = &mut memory[..self.geometry.outputs * self.geometry.pixels()];
        let all = self.windows().map(|n| 0..n);
        self.unpool::<S, E>(all, pooled, (&mut *out, self.geometry.result[1]));
        out
    }

    /// Writes the slopes of the convolution, `[outputs, rows, width]`, for the windows in some rows and columns, given the slopes of the
    /// pooled values of one example.
    #[inline(always)]
    fn unpool<S: Simd, E: Element>(
        &self,
        [rows, span]: [Range<usize>; 2],
        [slopes, places]: [&[[E; LANES]]; 2],
        (out, width): (&mut [[E; LANES]], usize),
    ) {
        let size = self.pooling.size;
        let [all, columns] = self.windows();
        let zero = E::splat::<S>(E::default());
        let height = out.len() / (self.geometry.outputs * width);
        if size * span.len() < width || size * rows.len() < height {
            out.fill([E::default(); LANES]);
        }
        for channel in 0..self.geometry.outputs {
            for row in rows.clone() {
                let from = (channel * all + row) * columns;
                let to = (channel * height + (row - rows.start) * size) * width;
                for column in span.clone() {
                    let slope = E::load::<S>(&slopes[from + column]);
                    let place = E::load::<S>(&places[from + column]);
                    for pixel in 0..size * size {
                        let here = E::splat::<S>(E::of(pixel as f64));
                        let at =
                            to + pixel / size * width + (column - span.start) * size + pixel % size;
                        E::store::<S>(E::if_equal::<S>(place, here, [slope, zero]), &mut out[at]);
                    }
                }
            }
        }
    }
}

/// The largest of `pixels` convolved pixels for `R` channels.
///
/// # Safety
/// As for [`tile`], for `pixels` rows of `b`.
#[inline(always)]
unsafe fn largest<S: Simd, E: Element, T: Operand<E>, W: Operand<E>, const R: usize>(
    pixels: usize,
    taps: usize,
    (first, kernels): (usize, &Factors<'_, W, impl Place>),
    b: &Factors<'_, T, impl Place>,
) -> [Largest<E::Lanes<S>>; R] {
    let mut largest = [Largest::of::<S, E>(E::of(f64::NEG_INFINITY)); R];
    let mut pixel = 0;
    // SAFETY: the caller's promise, for pixels below `pixels`.
    unsafe {
        if E::registers::<S>() >= 32 {
            while pixel + 4 <= pixels {
                update::<S, E, T, W, R, 4>(&mut largest, taps, (first, kernels), (pixel, b));
                pixel += 4;
            }
        }
        while pixel < pixels {
            update::<S, E, T, W, R, 1>(&mut largest, taps, (first, kernels), (pixel, b));
            pixel += 1;
        }
    }
    largest
}

/// [`largest`] with `C` more pixels.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn update<
    S: Simd,
    E: Element,
    T: Operand<E>,
    W: Operand<E>,
    const R: usize,
    const C: usize,
>(
    largest: &mut [Largest<E::Lanes<S>>; R],
    taps: usize,
    kernels: (usize, &Factors<'_, W, impl Place>),
    (pixel, b): (usize, &Factors<'_, T, impl Place>),
) {
    let zero = [[E::splat::<S>(E::default()); C]; R];
    // SAFETY: the caller's promise.
    let sum = unsafe { tile::<S, E, W, T, R, C>(zero, taps, kernels, (pixel, b)) };
    for c in 0..C {
        let here = E::splat::<S>(E::of((pixel + c) as f64));
        for (largest, sum) in largest.iter_mut().zip(&sum) {
            let Largest { value, index } = *largest;
            *largest = Largest {
                index: E::if_less::<S>(value, sum[c], [here, index]),
                value: E::max::<S>(value, sum[c]),
            };
        }
    }
}
