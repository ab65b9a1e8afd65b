//! Max and average pooling, one example at a time.

use super::element::Element;
use super::layer::Shape;
use crate::simd::{LANES, Simd};

/// Windows of `size` x `size` pixels, side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    channels: usize,
    height: usize,
    width: usize,
    size: usize,
}

impl Windows {
    /// The windows of an image.
    pub(super) fn new(image: Shape, size: usize) -> Self {
        let Shape::Image {
            channels,
            height,
            width,
        } = image
        else {
            unreachable!("a network is checked before it is staged")
        };
        Self {
            channels,
            height,
            width,
            size,
        }
    }

    /// Visits every window: its index, and the index of its first pixel.
    #[inline(always)]
    fn visit(self, mut f: impl FnMut(usize, usize)) {
        let (rows, columns) = (self.height / self.size, self.width / self.size);
        for channel in 0..self.channels {
            for row in 0..rows {
                for column in 0..columns {
                    let window = (channel * rows + row) * columns + column;
                    let corner =
                        (channel * self.height + row * self.size) * self.width + column * self.size;
                    f(window, corner);
                }
            }
        }
    }

    /// Index of a window's pixel relative to its first one.
    #[inline(always)]
    fn pixel(self, pixel: usize) -> usize {
        pixel / self.size * self.width + pixel % self.size
    }

    /// The largest pixel of every window, and its place in the window.
    #[inline(always)]
    pub(super) fn max<S: Simd, E: Element>(
        self,
        image: &[[E; LANES]],
        out: &mut [[E; LANES]],
        places: &mut [[E; LANES]],
    ) {
        self.visit(
            #[inline(always)]
            |window, corner| {
                let mut value = E::load::<S>(&image[corner]);
                let mut place = E::splat::<S>(E::default());
                for pixel in 1..self.size * self.size {
                    let other = E::load::<S>(&image[corner + self.pixel(pixel)]);
                    let here = E::splat::<S>(E::of(pixel as f64));
                    place = E::if_less::<S>(value, other, [here, place]);
                    value = E::max::<S>(value, other);
                }
                E::store::<S>(value, &mut out[window]);
                E::store::<S>(place, &mut places[window]);
            },
        );
    }

    /// Writes the slopes of the image, given the slopes of the largest pixels and their places.
    #[inline(always)]
    pub(super) fn max_slopes<S: Simd, E: Element>(
        self,
        slopes: &[[E; LANES]],
        places: &[[E; LANES]],
        out: &mut [[E; LANES]],
    ) {
        out.fill([E::default(); LANES]);
        let zero = E::splat::<S>(E::default());
        self.visit(
            #[inline(always)]
            |window, corner| {
                let slope = E::load::<S>(&slopes[window]);
                let place = E::load::<S>(&places[window]);
                for pixel in 0..self.size * self.size {
                    let here = E::splat::<S>(E::of(pixel as f64));
                    let own = E::if_equal::<S>(place, here, [slope, zero]);
                    E::store::<S>(own, &mut out[corner + self.pixel(pixel)]);
                }
            },
        );
    }

    /// The mean of every window.
    #[inline(always)]
    pub(super) fn average<S: Simd, E: Element>(self, image: &[[E; LANES]], out: &mut [[E; LANES]]) {
        let share = self.share::<S, E>();
        self.visit(
            #[inline(always)]
            |window, corner| {
                let mut sum = E::load::<S>(&image[corner]);
                for pixel in 1..self.size * self.size {
                    sum = E::add::<S>(sum, E::load::<S>(&image[corner + self.pixel(pixel)]));
                }
                E::store::<S>(E::mul::<S>(sum, share), &mut out[window]);
            },
        );
    }

    /// Writes the slopes of the image, given the slopes of the means.
    #[inline(always)]
    pub(super) fn average_slopes<S: Simd, E: Element>(
        self,
        slopes: &[[E; LANES]],
        out: &mut [[E; LANES]],
    ) {
        out.fill([E::default(); LANES]);
        let share = self.share::<S, E>();
        self.visit(
            #[inline(always)]
            |window, corner| {
                let own = E::mul::<S>(E::load::<S>(&slopes[window]), share);
                for pixel in 0..self.size * self.size {
                    E::store::<S>(own, &mut out[corner + self.pixel(pixel)]);
                }
            },
        );
    }

    /// The weight of a pixel in the mean of its window.
    #[inline(always)]
    fn share<S: Simd, E: Element>(self) -> E::Lanes<S> {
        E::splat::<S>(E::of(1.0 / (self.size * self.size) as f64))
    }
}
