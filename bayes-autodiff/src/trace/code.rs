//! Instructions over numbered slots, and the code of a trace.
//!
//! The slots of one evaluation: the inputs, then the values that later segments use, then the values of the present segment.

use super::graph::{Expression, Graph, Poly, Term};
use super::node::Id;
use super::operation::Operation;
use super::schedule::Item;
use super::segment::Segments;
use crate::function::{Exp, Function, Ln, Recip, Sqrt};
use std::collections::BTreeMap;
use std::ops::Range;

/// The index of a slot.
pub(super) type Slot = u32;

/// A [`Poly`] over slots: its terms are a range of [`Code::products`], the linear ones first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) constant: f64,
    pub(super) first: u32,
    pub(super) linear: u32,
    pub(super) bilinear: u32,
}

/// `factor * a`, or `factor * a * b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) factor: f64,
    pub(super) of: [Slot; 2],
}

/// Computes the value of one slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Sum {
        to: Slot,
        sum: Sum,
    },
    Call {
        to: Slot,
        of: [Slot; 3],
        /// Where the partial derivatives are kept, among those of the segment.
        slopes: u32,
        function: &'static Operation,
    },
    /// A function of one argument whose derivative is a multiple of another slot, so that it need not be computed.
    Known {
        to: Slot,
        of: Slot,
        function: &'static Operation,
        scale: f64,
        slope: Slot,
    },
    /// `1 / of`, by which quotients are computed: common enough to be no call.
    Recip {
        to: Slot,
        of: Slot,
    },
    Less {
        to: Slot,
        of: [Slot; 2],
        strict: bool,
    },
    Select {
        to: Slot,
        of: [Slot; 3],
    },
}

/// Adds to a log density.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addend {
    Sum(Sum),
    /// `scale * (sum * factor)²`.
    Square {
        scale: f64,
        sum: Sum,
        factor: Option<Slot>,
    },
}

/// A part of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    /// All instructions, a range of [`Code::instructions`].
    pub(super) all: Range<usize>,
    /// Those that lead to what later segments use.
    pub(super) carried: Range<usize>,
    /// The terms of log prior and log likelihood, ranges of [`Code::addends`].
    pub(super) addends: [Range<usize>; 2],
    /// The number of slots of its own.
    pub(super) slots: usize,
    /// The number of partial derivatives.
    pub(super) slopes: usize,
}

/// A program as instructions.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) dim: usize,
    /// The number of slots that all segments share: inputs and carried values.
    pub(super) shared: usize,
    pub(super) constants: [f64; 2],
    pub(super) segments: Vec<Segment>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) addends: Vec<Addend>,
    pub(super) products: Vec<Product>,
}

/// Translates a graph in the given order and segments.
pub(super) fn generate(graph: &Graph, order: &[Item], segments: &Segments) -> Code {
    let mut generator = Generator::new(graph, segments);
    for range in &segments.ranges {
        generator.segment(&order[range.clone()]);
    }
    generator.code
}

struct Generator<'a> {
    graph: &'a Graph,
    is_carried: &'a [bool],
    code: Code,
    /// By value, in the present segment or for the whole program.
    slots: Vec<Option<Slot>>,
    /// The values that have a slot of the present segment.
    own: Vec<Id>,
}

impl<'a> Generator<'a> {
    fn new(graph: &'a Graph, segments: &'a Segments) -> Self {
        let mut slots = vec![None; graph.values.len()];
        let mut shared = graph.dim;
        for (id, value) in graph.values.iter().enumerate() {
            if let Expression::Input(k) = value {
                slots[id] = Some(*k);
            } else if segments.is_carried[id] {
                slots[id] = Some(shared as Slot);
                shared += 1;
            }
        }
        Self {
            graph,
            is_carried: &segments.is_carried,
            code: Code {
                dim: graph.dim,
                shared,
                constants: graph.constants,
                segments: Vec::new(),
                instructions: Vec::new(),
                addends: Vec::new(),
                products: Vec::new(),
            },
            slots,
            own: Vec::new(),
        }
    }

    /// Appends the code of a segment.
    fn segment(&mut self, items: &[Item]) {
        let mut segment = Segment::default();
        let start = self.code.instructions.len();
        for item in items {
            if let Item::Value(id) = *item {
                self.numbers_of(&self.graph.values[id as usize]);
                self.value(id, &mut segment);
            }
        }
        let terms = || {
            items.iter().filter_map(|item| match item {
                Item::Term(index) => Some(&self.graph.terms[*index]),
                Item::Value(_) => None,
            })
        };
        let mut numbers = Vec::new();
        terms().for_each(|(_, term)| term.operands(|id| numbers.push(id)));
        let mut addends = [Vec::new(), Vec::new()];
        terms().for_each(|(part, term)| addends[*part].push(term));
        numbers.into_iter().for_each(|id| self.number(id));
        segment.all = start..self.code.instructions.len();
        known_slopes(&mut self.code.instructions[start..]);
        for (part, terms) in addends.iter().enumerate() {
            let first = self.code.addends.len();
            terms.iter().for_each(|term| self.addend(term));
            segment.addends[part] = first..self.code.addends.len();
        }
        segment.carried = self.carried(segment.all.clone());
        segment.slots = self.own.len();
        for id in self.own.drain(..) {
            self.slots[id as usize] = None;
        }
        self.code.segments.push(segment);
    }

    /// Computes the numbers among the operands of a value.
    fn numbers_of(&mut self, value: &Expression) {
        let mut operands = Vec::new();
        value.operands(|id| operands.push(id));
        operands.into_iter().for_each(|id| self.number(id));
    }

    /// Computes a number in a slot of the segment, unless it is there or no number.
    fn number(&mut self, id: Id) {
        let value = &self.graph.values[id as usize];
        if value.is_number() && self.slots[id as usize].is_none() {
            self.value(id, &mut Segment::default());
        }
    }

    /// Appends the instruction that computes a value.
    fn value(&mut self, id: Id, segment: &mut Segment) {
        let to = self.slot_for(id);
        let instruction = match &self.graph.values[id as usize] {
            Expression::Input(_) | Expression::Unused => return,
            Expression::Poly(poly) => Instruction::Sum {
                to,
                sum: self.sum(poly),
            },
            Expression::Call { function, of } if std::ptr::eq(*function, Recip::operation()) => {
                Instruction::Recip {
                    to,
                    of: self.slot(of[0]),
                }
            }
            Expression::Call { function, of } => {
                let slopes = segment.slopes as u32;
                segment.slopes += function.arity();
                let mut arguments = [0; 3];
                for (argument, id) in arguments.iter_mut().zip(&of[..function.arity()]) {
                    *argument = self.slot(*id);
                }
                Instruction::Call {
                    to,
                    of: arguments,
                    slopes,
                    function,
                }
            }
            Expression::Less { strict, of } => Instruction::Less {
                to,
                of: of.map(|id| self.slot(id)),
                strict: *strict,
            },
            Expression::Select(of) => Instruction::Select {
                to,
                of: of.map(|id| self.slot(id)),
            },
        };
        self.code.instructions.push(instruction);
    }

    /// The slot of a value that is about to be computed.
    fn slot_for(&mut self, id: Id) -> Slot {
        if self.is_carried[id as usize] {
            return self.slot(id);
        }
        let slot = (self.code.shared + self.own.len()) as Slot;
        self.slots[id as usize] = Some(slot);
        self.own.push(id);
        slot
    }

    fn slot(&self, id: Id) -> Slot {
        self.slots[id as usize].expect("operands are computed before they are used")
    }

    fn sum(&mut self, poly: &Poly) -> Sum {
        let first = self.code.products.len() as u32;
        for (factor, a) in &poly.linear {
            let of = [self.slot(*a); 2];
            let factor = *factor;
            self.code.products.push(Product { factor, of });
        }
        for (factor, of) in &poly.bilinear {
            let of = of.map(|id| self.slot(id));
            let factor = *factor;
            self.code.products.push(Product { factor, of });
        }
        Sum {
            constant: poly.constant,
            first,
            linear: poly.linear.len() as u32,
            bilinear: poly.bilinear.len() as u32,
        }
    }

    fn addend(&mut self, term: &Term) {
        let addend = match term {
            Term::Poly(poly) => Addend::Sum(self.sum(poly)),
            Term::Square {
                scale,
                poly,
                factor,
            } => Addend::Square {
                scale: *scale,
                sum: self.sum(poly),
                factor: factor.map(|id| self.slot(id)),
            },
        };
        self.code.addends.push(addend);
    }

    /// Appends copies of those instructions in `all` that lead to carried values.
    fn carried(&mut self, all: Range<usize>) -> Range<usize> {
        let shared = self.code.shared as Slot;
        let mut needed = vec![false; self.own.len()];
        let mut kept = Vec::new();
        for instruction in self.code.instructions[all].iter().rev() {
            let to = instruction.to();
            if to < shared || needed[(to - shared) as usize] {
                kept.push(*instruction);
                self.code.operands(instruction, |slot| {
                    if slot >= shared {
                        needed[(slot - shared) as usize] = true;
                    }
                });
            }
        }
        let start = self.code.instructions.len();
        self.code.instructions.extend(kept.into_iter().rev());
        start..self.code.instructions.len()
    }
}

/// Finds the functions whose derivative another slot of the segment has: `eˣ` itself, `1/x` of `ln x`, and `½ / √x` where
/// something is divided by the root.
fn known_slopes(instructions: &mut [Instruction]) {
    let recips = instructions
        .iter()
        .filter_map(|instruction| match instruction {
            Instruction::Recip { to, of } => Some((*of, *to)),
            _ => None,
        });
    let recips: BTreeMap<Slot, Slot> = recips.collect();
    for instruction in instructions {
        let Instruction::Call {
            to, of, function, ..
        } = *instruction
        else {
            continue;
        };
        let is = |other: &'static Operation| std::ptr::eq(function, other);
        let known = if is(Exp::operation()) {
            Some((1.0, to))
        } else if is(Ln::operation()) {
            recips.get(&of[0]).map(|slope| (1.0, *slope))
        } else if is(Sqrt::operation()) {
            recips.get(&to).map(|slope| (0.5, *slope))
        } else {
            None
        };
        if let Some((scale, slope)) = known {
            *instruction = Instruction::Known {
                to,
                of: of[0],
                function,
                scale,
                slope,
            };
        }
    }
}

impl Instruction {
    /// The slot that it computes.
    fn to(&self) -> Slot {
        match *self {
            Self::Sum { to, .. }
            | Self::Call { to, .. }
            | Self::Known { to, .. }
            | Self::Recip { to, .. }
            | Self::Less { to, .. }
            | Self::Select { to, .. } => to,
        }
    }
}

impl Code {
    /// The terms of a sum: the linear ones, and the bilinear ones.
    #[inline(always)]
    pub(super) fn terms(&self, sum: &Sum) -> (&[Product], &[Product]) {
        let (first, linear) = (sum.first as usize, sum.linear as usize);
        let products = &self.products[first..first + linear + sum.bilinear as usize];
        products.split_at(linear)
    }

    /// Passes the operands of an instruction to `show`.
    fn operands(&self, instruction: &Instruction, mut show: impl FnMut(Slot)) {
        match instruction {
            Instruction::Sum { sum, .. } => {
                let (linear, bilinear) = self.terms(sum);
                linear.iter().for_each(|product| show(product.of[0]));
                bilinear
                    .iter()
                    .flat_map(|product| product.of)
                    .for_each(show);
            }
            Instruction::Call { of, function, .. } => {
                of[..function.arity()].iter().for_each(|slot| show(*slot));
            }
            Instruction::Known { of, .. } | Instruction::Recip { of, .. } => show(*of),
            Instruction::Less { of, .. } => of.iter().for_each(|slot| show(*slot)),
            Instruction::Select { of, .. } => of.iter().for_each(|slot| show(*slot)),
        }
    }

    /// The number of slots of an evaluation.
    pub(super) fn slots(&self) -> usize {
        self.shared + self.room()[0]
    }

    /// The largest number of slots of a segment of its own, and of partial derivatives.
    pub(super) fn room(&self) -> [usize; 2] {
        let slots = self.segments.iter().map(|segment| segment.slots).max();
        let slopes = self.segments.iter().map(|segment| segment.slopes).max();
        [slots.unwrap_or(0), slopes.unwrap_or(0)]
    }

    /// Bytes of the code.
    pub(super) fn bytes(&self) -> usize {
        self.segments.len() * size_of::<Segment>()
            + size_of_val(&self.instructions[..])
            + size_of_val(&self.addends[..])
            + size_of_val(&self.products[..])
    }
}
