//! The memory of a replay: one workspace for each thread, reused.

use super::Slots;
use crate::lanes::Lane;
use crate::trace::bulk::Tally;
use crate::trace::code::Code;
use crate::trace::numbers::Source;
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Workspace>> = const { Cell::new(None) };
}

/// Memory for the slots of a block of particles.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    values: Vec<Lane>,
    adjoints: Vec<Lane>,
    slopes: Vec<Lane>,
    sums: Vec<Lane>,
}

impl Workspace {
    /// Allocates memory for a block of `width` groups of lanes.
    fn fit(&mut self, code: &Code, width: usize, gradient: bool) {
        let [own, slopes] = code.room();
        let slots = (code.shared + own) * width;
        self.values.resize(slots, Lane::ZERO);
        self.adjoints
            .resize(if gradient { slots } else { 0 }, Lane::ZERO);
        self.slopes.resize(slopes * width, Lane::ZERO);
        self.sums
            .resize(2 * code.segments.len() * width, Lane::ZERO);
    }

    /// The slots of a block of `W` groups of lanes.
    pub(super) fn slots<'a, const W: usize>(&'a mut self, source: Source<'a>) -> Slots<'a, W> {
        Slots {
            source,
            values: self.values.as_chunks_mut::<W>().0,
            adjoints: self.adjoints.as_chunks_mut::<W>().0,
            slopes: self.slopes.as_chunks_mut::<W>().0,
            sums: self.sums.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0,
            tally: Tally::default(),
        }
    }

    fn bytes(&self) -> usize {
        let all = [&self.values, &self.adjoints, &self.slopes, &self.sums];
        let capacity: usize = all.iter().map(|lanes| lanes.capacity()).sum();
        capacity * size_of::<Lane>()
    }
}

/// Calls `f` with this thread's workspace, which has memory for a block of `width` groups of lanes.
pub(super) fn with_workspace<T>(
    code: &Code,
    width: usize,
    gradient: bool,
    f: impl FnOnce(&mut Workspace) -> T,
) -> T {
    let mut workspace = SPARE.take().unwrap_or_default();
    workspace.fit(code, width, gradient);
    let result = f(&mut workspace);
    SPARE.set(Some(workspace));
    result
}

/// Bytes that this thread keeps for replays.
#[must_use]
pub fn memory() -> usize {
    let Some(spare) = SPARE.take() else { return 0 };
    let bytes = spare.bytes();
    SPARE.set(Some(spare));
    bytes
}
