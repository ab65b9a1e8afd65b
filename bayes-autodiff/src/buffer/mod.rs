//! Reused memory for the vectors and matrices of a model.
//!
//! A model makes the same short-lived vectors in every evaluation. Their memory comes from a pool of the thread and
//! returns to it, so nothing is allocated after the first evaluation.

mod pool;
#[cfg(test)]
mod tests;

use pool::Chunk;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A growable array in reused memory that is aligned to cache lines.
pub struct Buffer<T: Copy> {
    chunk: Chunk,
    /// The first `length` elements of the chunk are initialised.
    length: usize,
    elements: std::marker::PhantomData<T>,
}

// SAFETY: a buffer owns its chunk and its elements, as `Vec` does; a chunk may be returned to the pool of any thread.
unsafe impl<T: Copy + Send> Send for Buffer<T> {}
// SAFETY: a shared buffer gives shared access to its elements only.
unsafe impl<T: Copy + Sync> Sync for Buffer<T> {}

impl<T: Copy> Buffer<T> {
    /// Elements must fit the alignment of a chunk, and have a size: a chunk's capacity is counted in elements.
    const FITS: () = assert!(size_of::<T>() > 0 && align_of::<T>() <= pool::ALIGNMENT);

    /// No elements, and no memory yet.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        const { Self::FITS };
        Self {
            chunk: Chunk::EMPTY,
            length: 0,
            elements: std::marker::PhantomData,
        }
    }

    /// No elements, and room for `capacity` of them.
    ///
    /// # Panics
    /// If the elements have more bytes than memory can have.
    #[inline(always)]
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut buffer = Self::new();
        buffer.chunk = Chunk::new(bytes::<T>(capacity));
        buffer
    }

    /// `length` copies of `x`.
    #[inline(always)]
    #[must_use]
    pub fn filled(length: usize, x: T) -> Self {
        Self::from_fn(length, |_| x)
    }

    /// `f(0)`, `f(1)`, ..., `f(length - 1)`.
    #[inline(always)]
    #[must_use]
    pub fn from_fn(length: usize, mut f: impl FnMut(usize) -> T) -> Self {
        let mut buffer = Self::with_capacity(length);
        let start = buffer.start();
        for i in 0..length {
            // SAFETY: the chunk has room for `length` elements.
            unsafe { start.add(i).write(f(i)) };
        }
        buffer.length = length;
        buffer
    }

    /// A copy of `elements`.
    #[inline(always)]
    #[must_use]
    pub fn from_slice(elements: &[T]) -> Self {
        let mut buffer = Self::with_capacity(elements.len());
        buffer.extend_from_slice(elements);
        buffer
    }

    /// Number of elements that fit into the present memory.
    #[inline(always)]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.chunk.bytes() / size_of::<T>()
    }

    /// Removes all elements and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Keeps the first `length` elements, or all if there are no more.
    #[inline(always)]
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Appends one element.
    #[inline(always)]
    pub fn push(&mut self, x: T) {
        if self.length == self.capacity() {
            self.grow(1);
        }
        // SAFETY: the capacity is above `length`.
        unsafe { self.start().add(self.length).write(x) };
        self.length += 1;
    }

    /// Appends one element if the present memory has room for it; returns whether it had.
    #[inline(always)]
    #[must_use]
    pub fn push_within_capacity(&mut self, x: T) -> bool {
        if self.length == self.capacity() {
            return false;
        }
        // SAFETY: the capacity is above `length`.
        unsafe { self.start().add(self.length).write(x) };
        self.length += 1;
        true
    }

    /// Appends `count` copies of `x`.
    #[inline(always)]
    pub fn extend_filled(&mut self, count: usize, x: T) {
        if self.capacity() - self.length < count {
            self.grow(count);
        }
        for i in self.length..self.length + count {
            // SAFETY: there is room for `count` elements after the first `length`.
            unsafe { self.start().add(i).write(x) };
        }
        self.length += count;
    }

    /// Appends a copy of `elements`.
    #[inline(always)]
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        if self.capacity() - self.length < elements.len() {
            self.grow(elements.len());
        }
        // SAFETY: there is room for the elements behind the first `length`; a borrowed slice is not in a chunk that
        // is borrowed mutably.
        unsafe {
            let end = self.start().add(self.length);
            end.copy_from_nonoverlapping(NonNull::from(elements).cast(), elements.len());
        }
        self.length += elements.len();
    }

    /// Moves to a chunk with room for `more` elements and at least twice the capacity.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let needed = self
            .length
            .checked_add(more)
            .expect("a length fits the address space");
        let chunk = Chunk::new(bytes::<T>(needed.max(2 * self.capacity())));
        // SAFETY: the new chunk is a different one and has room for the first `length` elements, which are initialised.
        unsafe {
            let start = chunk.start().cast::<T>();
            start.copy_from_nonoverlapping(self.start(), self.length);
        }
        self.chunk = chunk;
    }

    #[inline(always)]
    fn start(&self) -> NonNull<T> {
        self.chunk.start().cast()
    }
}

/// The size of `length` elements.
#[inline(always)]
fn bytes<T>(length: usize) -> usize {
    length
        .checked_mul(size_of::<T>())
        .expect("the size of a buffer fits the address space")
}

impl<T: Copy> Deref for Buffer<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `length` elements are initialised and belong to this buffer; the start of an empty chunk is
        // aligned and not null.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.length) }
    }
}

impl<T: Copy> DerefMut for Buffer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the buffer is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start().as_ptr(), self.length) }
    }
}

impl<T: Copy> Clone for Buffer<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Self::from_slice(self)
    }
}

impl<T: Copy> Default for Buffer<T> {
    #[inline(always)]
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Copy> Extend<T> for Buffer<T> {
    #[inline(always)]
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for x in elements {
            self.push(x);
        }
    }
}

impl<T: Copy> FromIterator<T> for Buffer<T> {
    #[inline(always)]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let elements = elements.into_iter();
        let mut buffer = Self::with_capacity(elements.size_hint().0);
        buffer.extend(elements);
        buffer
    }
}

impl<T: Copy> IntoIterator for Buffer<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline(always)]
    fn into_iter(self) -> IntoIter<T> {
        let left = 0..self.len();
        IntoIter { buffer: self, left }
    }
}

/// The elements of a [`Buffer`] in order.
#[derive(Clone, Debug)]
pub struct IntoIter<T: Copy> {
    buffer: Buffer<T>,
    left: std::ops::Range<usize>,
}

impl<T: Copy> Iterator for IntoIter<T> {
    type Item = T;
    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        self.left.next().map(|i| self.buffer[i])
    }
    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<T: Copy> DoubleEndedIterator for IntoIter<T> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<T> {
        self.left.next_back().map(|i| self.buffer[i])
    }
}

impl<T: Copy> ExactSizeIterator for IntoIter<T> {}
impl<T: Copy> std::iter::FusedIterator for IntoIter<T> {}
