//! What a run leaves behind while it goes on, and what it goes on from.

pub(super) mod checkpoint;
pub(super) mod origin;
pub(super) mod outcome;
pub(super) mod shard;
