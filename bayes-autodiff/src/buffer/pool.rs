//! Chunks of memory, and the pool of each thread that keeps them for the next use.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

/// Alignment of a chunk: a cache line, which is also the widest SIMD register.
pub(super) const ALIGNMENT: usize = 64;

/// Sizes of pooled chunks: 64 bytes, 128, ..., 16 MiB, the parameters of a network of 10^5 weights in eight lanes.
/// Larger chunks go back to the allocator.
const CLASSES: usize = 19;

/// The maximum memory that the pool of a thread keeps.
const KEPT: usize = 32 << 20;

/// A piece of memory of one size class, or of none.
pub(super) struct Chunk {
    start: NonNull<u8>,
    bytes: usize,
}

impl Chunk {
    /// No memory; its start is aligned nevertheless.
    pub(super) const EMPTY: Self = Self {
        start: NonNull::without_provenance(std::num::NonZero::new(ALIGNMENT).expect("not zero")),
        bytes: 0,
    };

    /// At least this number of bytes, not initialised.
    #[inline(always)]
    pub(super) fn new(bytes: usize) -> Self {
        if bytes == 0 {
            return Self::EMPTY;
        }
        let class = class(bytes);
        if class < CLASSES
            && let Ok(Some(start)) = POOL.try_with(|pool| pool.take(class))
        {
            let bytes = ALIGNMENT << class;
            return Self { start, bytes };
        }
        Self::allocate(bytes)
    }

    #[cold]
    #[inline(never)]
    fn allocate(bytes: usize) -> Self {
        let class = class(bytes);
        let bytes = if class < CLASSES {
            ALIGNMENT << class
        } else {
            bytes
        };
        let layout = layout(bytes);
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, bytes }
    }

    #[inline(always)]
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Chunk {
    #[inline(always)]
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let class = class(self.bytes);
        // While a thread ends, its pool may already be gone; memory then goes back to the allocator.
        let kept = class < CLASSES
            && POOL
                .try_with(|pool| pool.keep(class, self.start))
                .unwrap_or(false);
        if !kept {
            release(self.start, self.bytes);
        }
    }
}

/// The smallest class whose chunks have at least this number of bytes; [`CLASSES`] or more if there is none.
#[inline(always)]
fn class(bytes: usize) -> usize {
    let lines = bytes.div_ceil(ALIGNMENT);
    (usize::BITS - (lines - 1).leading_zeros()) as usize
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, ALIGNMENT).expect("the size of a buffer fits the address space")
}

/// Gives a chunk with this number of bytes back to the allocator.
#[cold]
#[inline(never)]
fn release(start: NonNull<u8>, bytes: usize) {
    // SAFETY: chunks are allocated with this layout by `Chunk::allocate`, and each is released once, by its owner:
    // the chunk's `drop`, or the pool that has kept it.
    unsafe { dealloc(start.as_ptr(), layout(bytes)) }
}

thread_local! {
    static POOL: Pool = const { Pool::new() };
}

/// Free chunks, in a list for each class; a free chunk's first bytes point to the next one.
pub(super) struct Pool {
    first: [Cell<*mut u8>; CLASSES],
    kept: Cell<usize>,
}

impl Pool {
    const fn new() -> Self {
        Self {
            first: [const { Cell::new(null_mut()) }; CLASSES],
            kept: Cell::new(0),
        }
    }

    #[inline(always)]
    fn take(&self, class: usize) -> Option<NonNull<u8>> {
        let start = NonNull::new(self.first[class].get())?;
        // SAFETY: `keep` has written the address of the next chunk there, and nobody else has had the chunk since.
        self.first[class].set(unsafe { start.cast::<*mut u8>().read() });
        self.kept.set(self.kept.get() - (ALIGNMENT << class));
        Some(start)
    }

    /// Keeps a chunk that its owner released, unless the pool is full.
    #[inline(always)]
    fn keep(&self, class: usize, start: NonNull<u8>) -> bool {
        let kept = self.kept.get() + (ALIGNMENT << class);
        if kept > KEPT {
            return false;
        }
        // SAFETY: a chunk has at least 64 bytes, is aligned to 64, and nobody reads its elements any more.
        unsafe { start.cast::<*mut u8>().write(self.first[class].get()) };
        self.first[class].set(start.as_ptr());
        self.kept.set(kept);
        true
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for class in 0..CLASSES {
            while let Some(start) = self.take(class) {
                release(start, ALIGNMENT << class);
            }
        }
    }
}

/// Bytes that the pool of this thread keeps.
#[cfg(test)]
pub(super) fn kept() -> usize {
    POOL.with(|pool| pool.kept.get())
}

#[cfg(test)]
pub(super) const MOST_KEPT: usize = KEPT;
