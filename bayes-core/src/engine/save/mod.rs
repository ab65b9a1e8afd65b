//! The files that a run saves while it goes on, and from which it continues.

pub(super) mod checkpoint;
pub(super) mod origin;
pub(super) mod outcome;
pub(super) mod shard;
