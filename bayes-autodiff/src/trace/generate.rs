//! Code from a graph: slots for values, and instructions that fill them.

use super::bulk::Bulk;
use super::code::{Addend, Code, Instruction, Product, Segment, Slot, Sum};
use super::graph::{Expression, Graph, Poly, Scaling, Term};
use super::level;
use super::node::Id;
use super::operation::Operation;
use super::schedule::Item;
use super::segment::Segments;
use crate::function::{Exp, Function, Ln, Recip, Sqrt};
use std::collections::BTreeMap;
use std::ops::Range;

/// Translates a graph in the given order and segments.
pub(super) fn generate(graph: &Graph, order: &[Item], segments: &Segments) -> Code {
    generate_with_kept(graph, order, segments).0
}

/// The code, and the places of the values that the graph keeps; `None` for a value that is a number.
pub(super) fn generate_with_kept(
    graph: &Graph,
    order: &[Item],
    segments: &Segments,
) -> (Code, Vec<Option<Slot>>) {
    let mut generator = Generator::new(graph, segments);
    for range in &segments.ranges {
        generator.segment(&order[range.clone()]);
    }
    let slot = |id: &Id| {
        let value = &graph.values[*id as usize];
        (!value.is_number()).then(|| generator.slot(*id))
    };
    let kept = graph.kept.iter().map(slot).collect();
    (generator.code, kept)
}

struct Generator<'a> {
    graph: &'a Graph,
    is_carried: &'a [bool],
    code: Code,
    /// The slot of each value, in the present segment or for the whole program.
    slots: Vec<Option<Slot>>,
    /// The values that have slots of the present segment, and the number of these slots.
    own: Vec<Id>,
    own_slots: usize,
    /// Memory for a number per value.
    heights: Vec<u32>,
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
                shared += value.slots();
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
                bulks: Vec::new(),
                operands: Vec::new(),
            },
            slots,
            own: Vec::new(),
            own_slots: 0,
            heights: vec![0; graph.values.len()],
        }
    }

    /// Appends the code of a segment.
    fn segment(&mut self, items: &[Item]) {
        let mut segment = Segment::default();
        let start = self.code.instructions.len();
        let values = level::by_level(self.graph, items, &mut self.heights);
        for id in &values {
            self.numbers_of(&self.graph.values[*id as usize]);
        }
        for id in values {
            self.value(id, &mut segment);
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
        segment.again = self.again(segment.all.clone());
        segment.slots = std::mem::take(&mut self.own_slots);
        for id in self.own.drain(..) {
            self.slots[id as usize] = None;
        }
        self.code.segments.push(segment);
    }

    /// Computes the numbers among the operands of a value.
    fn numbers_of(&mut self, value: &Expression) {
        let mut numbers = Vec::new();
        value.operands(|id| {
            if self.graph.values[id as usize].is_number() {
                numbers.push(id);
            }
        });
        numbers.into_iter().for_each(|id| self.number(id));
    }

    /// Computes a number in a slot of the segment, unless it is there already or `id` is not a number.
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
            Expression::Input(_) | Expression::Unused | Expression::Output { .. } => return,
            Expression::Poly(poly) => Instruction::Sum {
                to,
                sum: self.sum(poly),
            },
            Expression::Call { function, of } if *function == Recip::operation() => {
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
                    count: 1,
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
            Expression::Bulk { operation, of } => {
                let slopes = segment.slopes as u32;
                segment.slopes += operation.slopes(of.len());
                self.bulk(to, operation, of, slopes)
            }
        };
        self.push(instruction);
    }

    /// Appends an instruction, or joins it to the call before it. A segment's partial derivatives begin at 0, so no call is joined to a
    /// call of another segment.
    fn push(&mut self, instruction: Instruction) {
        if let Some(last) = self.code.instructions.last_mut()
            && last.join(&instruction)
        {
            return;
        }
        self.code.instructions.push(instruction);
    }

    fn bulk(&mut self, to: Slot, operation: &Bulk, of: &[(f64, Id)], slopes: u32) -> Instruction {
        let (first, operation) = self.vectors(operation, of);
        Instruction::Bulk {
            to,
            of: first,
            operands: of.len() as u32,
            slopes,
            operation,
        }
    }

    /// Appends an operation on vectors and its operands; returns the start of the operands, and the index of the operation.
    fn vectors(&mut self, operation: &Bulk, of: &[(f64, Id)]) -> (u32, u32) {
        let first = self.code.operands.len() as u32;
        for (factor, id) in of {
            let operand = (*factor, self.slot(*id));
            self.code.operands.push(operand);
        }
        self.code.bulks.push(operation.clone());
        (first, self.code.bulks.len() as u32 - 1)
    }

    /// The first slot of a value before its computation.
    fn slot_for(&mut self, id: Id) -> Slot {
        if self.is_carried[id as usize] {
            return self.slot(id);
        }
        let slot = (self.code.shared + self.own_slots) as Slot;
        self.own_slots += self.graph.values[id as usize].slots();
        self.slots[id as usize] = Some(slot);
        self.own.push(id);
        slot
    }

    fn slot(&self, id: Id) -> Slot {
        let first = self.slots[self.graph.source(id) as usize];
        let first = first.expect("operands are computed before they are used");
        match self.graph.values[id as usize] {
            Expression::Output { index, .. } => first + index,
            _ => first,
        }
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
            Term::Square { scale, poly, by } => {
                let (scale, sum) = (*scale, self.sum(poly));
                match *by {
                    Scaling::Weight(id) => Addend::Weighted {
                        scale,
                        sum,
                        weight: self.slot(id),
                    },
                    other => Addend::Square {
                        scale,
                        sum,
                        factor: other.operand().map(|id| self.slot(id)),
                    },
                }
            }
            Term::Total {
                factor,
                operation,
                of,
            } => {
                let (first, operation) = self.vectors(operation, of);
                Addend::Total {
                    factor: *factor,
                    of: first,
                    operands: of.len() as u32,
                    operation,
                }
            }
        };
        self.code.addends.push(addend);
    }

    /// Appends copies of the instructions in `all` that are needed again once the carried values are known.
    fn again(&mut self, all: Range<usize>) -> Range<usize> {
        let shared = self.code.shared as Slot;
        let is_done = |code: &Code, instruction: &Instruction| {
            code.to(instruction).end <= shared && !code.has_slopes(instruction)
        };
        let start = self.code.instructions.len();
        let again = self.code.instructions[all].iter();
        let again: Vec<Instruction> = again
            .filter(|instruction| !is_done(&self.code, instruction))
            .copied()
            .collect();
        self.code.instructions.extend(again);
        start..self.code.instructions.len()
    }

    /// Appends copies of the instructions in `all` that lead to carried values.
    fn carried(&mut self, all: Range<usize>) -> Range<usize> {
        let shared = self.code.shared as Slot;
        let mut needed = vec![false; self.own_slots];
        let mut kept = Vec::new();
        for instruction in self.code.instructions[all].iter().rev() {
            let to = self.code.to(instruction);
            let is_needed = |slot: Slot| slot < shared || needed[(slot - shared) as usize];
            if to.into_iter().any(is_needed) {
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

/// Finds the functions whose derivative is already in another slot of the segment: `eˣ` itself, `1/x` for `ln x`, and `½ / √x` where
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
            to,
            of,
            function,
            count,
            ..
        } = *instruction
        else {
            continue;
        };
        let is = |other: &'static Operation| function == other;
        // the first of the adjacent slots with the inverses
        let inverses = |first: Slot| {
            let slope = *recips.get(&first)?;
            let adjacent = (1..count).all(|i| recips.get(&(first + i)) == Some(&(slope + i)));
            adjacent.then_some(slope)
        };
        let known = if is(Exp::operation()) {
            Some((1.0, to))
        } else if is(Ln::operation()) {
            inverses(of[0]).map(|slope| (1.0, slope))
        } else if is(Sqrt::operation()) {
            inverses(to).map(|slope| (0.5, slope))
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
                count,
            };
        }
    }
}
