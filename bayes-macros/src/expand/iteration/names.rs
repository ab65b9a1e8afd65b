//! The bindings in scope, and the loops and closures that stand around the present expression.

use super::nature::{Nature, Origin, Use};
use std::collections::BTreeMap;

/// A loop or a closure.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Bindings in blocks before this one are outside.
    depth: usize,
    is_closure: bool,
    /// Whether a value could get out.
    pub escapes: bool,
    /// Whether a term of the likelihood stands inside.
    pub observes: bool,
}

/// The names in scope, innermost block last, and what stands around.
#[derive(Debug, Default)]
pub struct Names {
    blocks: Vec<BTreeMap<String, Nature>>,
    frames: Vec<Frame>,
}

impl Names {
    /// Enters a block.
    pub fn enter(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    /// Leaves the innermost block.
    pub fn leave(&mut self) {
        self.blocks.pop();
    }

    /// Binds a name in the innermost block.
    pub fn bind(&mut self, name: String, nature: Nature) {
        if let Some(block) = self.blocks.last_mut() {
            block.insert(name, nature);
        }
    }

    /// A loop or closure begins: what is bound so far is outside.
    pub fn open(&mut self, is_closure: bool) {
        self.frames.push(Frame {
            depth: self.blocks.len(),
            is_closure,
            escapes: false,
            observes: false,
        });
    }

    /// It ends.
    pub fn close(&mut self) -> Frame {
        self.frames.pop().expect("every frame is opened once")
    }

    /// The name is used: every frame out of which this could carry a value learns it. The origin of its value; a
    /// name that is not bound here is an item, which has no room for a random value.
    pub fn mention(&mut self, name: &str, usage: Use) -> Origin {
        let found = self.blocks.iter().enumerate().rev();
        let found = found.filter_map(|(at, block)| Some((at, *block.get(name)?)));
        let Some((at, nature)) = found.into_iter().next() else {
            return Origin::Known;
        };
        if nature.lets_out(usage) {
            let around = self.frames.iter_mut().filter(|frame| frame.depth > at);
            around.for_each(|frame| frame.escapes = true);
        }
        nature.origin(usage)
    }

    /// Something that cannot be seen through: it may carry a value out of anything.
    pub fn unseen(&mut self) -> Origin {
        self.frames
            .iter_mut()
            .for_each(|frame| frame.escapes = true);
        Origin::Writer
    }

    /// A value leaves every loop of the innermost closure, or of the model.
    pub fn jump(&mut self) -> Origin {
        let inner = self.frames.iter_mut().rev();
        inner
            .take_while(|frame| !frame.is_closure)
            .for_each(|frame| frame.escapes = true);
        Origin::Data
    }

    /// A term of the likelihood stands here.
    pub fn observe(&mut self) {
        self.frames
            .iter_mut()
            .for_each(|frame| frame.observes = true);
    }
}
