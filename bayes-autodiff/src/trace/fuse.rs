//! Fusion: sums and products become [`Poly`]s, and the two log densities become lists of terms. Unneeded values are left out.

use super::bulk::Bulk;
use super::graph::{Expression, Graph, Poly, Scaling, Term};
use super::node::{BulkNode, Id, Node};
use super::recording::Recording;
use super::shift::{Shifts, shifts};
use super::tracer::Number;
use super::variances;
use crate::function::{Function, Recip};
use std::collections::BTreeMap;

/// The maximum number of terms of a sum. A longer sum is computed in parts, so that its operands need not be kept until its end.
const LONGEST: usize = 16;

/// The maximum number of terms of a log density that one instruction adds.
const TOGETHER: usize = 8;

/// A recorded term.
enum Leaf {
    Value(f64, Id),
    Product(f64, [Id; 2]),
}

/// Fuses the operations that lead to `outputs`, log prior and log likelihood, and to the `kept` values.
pub(super) fn fuse(dim: usize, recording: &Recording, outputs: [Number; 2], kept: &[Id]) -> Graph {
    let outputs_and_kept = || {
        let outputs = outputs.iter().filter_map(|output| output.id);
        outputs.chain(kept.iter().copied())
    };
    // later ones do not lead to any of them
    let end = outputs_and_kept().max().map_or(0, |last| last as usize + 1);
    let (nodes, bulks) = (&recording.nodes[..end], &recording.bulks[..]);
    let uses = uses(nodes, bulks, outputs_and_kept());
    let mut fusion = Fusion {
        shifts: shifts(nodes, bulks, &uses),
        nodes,
        bulks,
        uses,
        // a node that only sums up terms is no value
        sums: vec![false; nodes.len()],
        values: Vec::with_capacity(nodes.len()),
    };
    let mut constants = [0.0; 2];
    let leaves = [0, 1].map(|part| match outputs[part].id {
        None => {
            constants[part] = outputs[part].value;
            Vec::new()
        }
        Some(root) => fusion.leaves(root, &mut constants[part]),
    });
    for (id, node) in nodes.iter().enumerate() {
        let value = if fusion.uses[id] == 0 || fusion.sums[id] {
            Expression::Unused
        } else {
            fusion.expression(id as Id, node)
        };
        fusion.values.push(value);
    }
    let mut terms = Vec::new();
    for (part, leaves) in leaves.into_iter().enumerate() {
        fusion.terms(part, &leaves, &mut terms);
    }
    variances::divide(&mut fusion.values, &mut terms);
    Graph {
        dim,
        values: fusion.values,
        terms,
        constants,
        kept: kept.to_vec(),
    }
}

/// How often each node is an operand on the way to the outputs, or an output.
fn uses(nodes: &[Node], bulks: &[BulkNode], roots: impl Iterator<Item = Id>) -> Vec<u32> {
    let mut uses = vec![0_u32; nodes.len()];
    for root in roots {
        uses[root as usize] += 1;
    }
    for id in (0..nodes.len()).rev() {
        if uses[id] > 0 {
            nodes[id].operands(bulks, |operand| uses[operand as usize] += 1);
        }
    }
    uses
}

struct Fusion<'a> {
    nodes: &'a [Node],
    bulks: &'a [BulkNode],
    uses: Vec<u32>,
    shifts: Shifts,
    sums: Vec<bool>,
    values: Vec<Expression>,
}

/// Whether a number can be taken out of a factor: the product of two such numbers, and of what is left, are doubles if the factors are.
fn is_mild(number: f64) -> bool {
    (1e-60..=1e60).contains(&number.abs())
}

impl Fusion<'_> {
    /// The terms whose sum is `root`, in the order of their addition.
    fn leaves(&mut self, root: Id, constant: &mut f64) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let mut places: BTreeMap<Id, usize> = BTreeMap::new();
        let mut stack = vec![(1.0, root)];
        while let Some((factor, id)) = stack.pop() {
            let index = id as usize;
            let node = self.nodes[index];
            // a row with its intercept is one value
            let only_here = self.uses[index] == 1 && !self.shifts.outputs.contains_key(&id);
            match node {
                Node::Constant(x) => *constant += factor * x.get(),
                Node::Sum { of, factors } if only_here => {
                    stack.push((factor * factors[1].get(), of[1]));
                    stack.push((factor * factors[0].get(), of[0]));
                }
                Node::Affine {
                    of,
                    factor: scale,
                    shift,
                } if only_here => {
                    *constant += factor * shift.get();
                    stack.push((factor * scale.get(), of));
                }
                Node::Product(of) if only_here => leaves.push(Leaf::Product(factor, of)),
                _ => {
                    // the same term many times: the logarithm of a scale that observations share
                    let place = *places.entry(id).or_insert(leaves.len());
                    match leaves.get_mut(place) {
                        Some(Leaf::Value(sum, _)) => *sum += factor,
                        _ => leaves.push(Leaf::Value(factor, id)),
                    }
                    continue;
                }
            }
            self.sums[index] = true;
        }
        leaves
    }

    /// The value of a node, together with the values that only it needs.
    fn expression(&mut self, id: Id, node: &Node) -> Expression {
        if let Some((of, index)) = self.shifts.outputs.get(&id) {
            let (of, index) = (*of, *index);
            return Expression::Output { of, index };
        }
        match *node {
            Node::Input(k) => Expression::Input(k),
            Node::Constant(x) => Expression::Poly(Poly::number(x.get())),
            Node::Affine { of, factor, shift } => {
                let mut poly = Poly::number(shift.get());
                self.add(&mut poly, factor.get(), of);
                Expression::Poly(poly)
            }
            Node::Sum { of, factors } => {
                let mut poly = Poly::default();
                self.add(&mut poly, factors[0].get(), of[0]);
                self.add(&mut poly, factors[1].get(), of[1]);
                Expression::Poly(poly)
            }
            Node::Product(of) => {
                let mut poly = Poly::default();
                poly.bilinear.push(self.product(1.0, of));
                Expression::Poly(poly)
            }
            Node::Call { function, of } => Expression::Call { function, of },
            Node::Less { strict, of } => Expression::Less { strict, of },
            Node::Select(of) => Expression::Select(of),
            Node::Bulk(index) => {
                let BulkNode { operation, of } = &self.bulks[index as usize];
                let multiple = |id: &Id| {
                    let poly = self.poly(*id).filter(|_| operation.takes_multiples());
                    poly.and_then(Poly::multiple)
                };
                let of = of.iter().map(|id| multiple(id).unwrap_or((1.0, *id)));
                let (mut operation, mut of) = (operation.clone(), of.collect::<Vec<_>>());
                if let (Bulk::Product(product), Some(shift)) =
                    (&mut operation, self.shifts.of.get(&id))
                {
                    product.is_shifted = true;
                    of.push((1.0, *shift));
                }
                let operation = Box::new(operation);
                Expression::Bulk { operation, of }
            }
            Node::Output { of, index } => Expression::Output { of, index },
        }
    }

    /// The sum that computes a value, if there is one.
    fn poly(&self, id: Id) -> Option<&Poly> {
        match &self.values[id as usize] {
            Expression::Poly(poly) => Some(poly),
            _ => None,
        }
    }

    /// Adds `factor` times a value: the terms of the value if only this sum needs them, or if they cost no more than the value.
    fn add(&mut self, to: &mut Poly, factor: f64, id: Id) {
        match self.poly(id) {
            Some(poly) if self.is_part(id, poly, to.len()) => {
                to.add(factor, poly);
                self.drop_if_done(id);
            }
            _ => to.linear.push((factor, id)),
        }
    }

    /// Forgets a value that has become part of its only user. A long program has millions.
    fn drop_if_done(&mut self, id: Id) {
        if self.uses[id as usize] == 1 {
            self.values[id as usize] = Expression::Unused;
        }
    }

    fn is_part(&self, id: Id, poly: &Poly, others: usize) -> bool {
        let single = poly.bilinear.is_empty() && poly.linear.len() <= 1;
        single || (self.uses[id as usize] == 1 && poly.len() + others <= LONGEST)
    }

    /// `factor` times a product, with numbers moved into the factor. Numbers so large or small that the factor, or the product without
    /// them, could leave the doubles stay where they are.
    fn product(&self, mut factor: f64, mut of: [Id; 2]) -> (f64, [Id; 2]) {
        for id in &mut of {
            let multiple = self.poly(*id).and_then(Poly::multiple);
            if let Some((scale, inner)) = multiple.filter(|(scale, _)| is_mild(*scale)) {
                factor *= scale;
                *id = inner;
            }
        }
        (factor, of)
    }

    /// Appends the terms of a log density.
    fn terms(&mut self, part: usize, leaves: &[Leaf], to: &mut Vec<(usize, Term)>) {
        let mut together = Poly::default();
        for leaf in leaves {
            match leaf {
                Leaf::Value(factor, id) => {
                    if let Some(total) = self.total(*factor, *id) {
                        flush(part, &mut together, to);
                        to.push((part, total));
                        continue;
                    }
                    self.add(&mut together, *factor, *id);
                    if self.is_total(*id) {
                        // not kept for later terms: it would have to be computed again for its derivatives
                        flush(part, &mut together, to);
                    }
                }
                Leaf::Product(factor, of) => match self.square(*factor, *of) {
                    Some(square) => {
                        flush(part, &mut together, to);
                        to.push((part, square));
                    }
                    None => together.bilinear.push(self.product(*factor, *of)),
                },
            }
            if together.len() >= TOGETHER {
                flush(part, &mut together, to);
            }
        }
        flush(part, &mut together, to);
    }

    /// `factor` times the only output of an operation on vectors, if nothing else needs it and the operation can be a term.
    fn total(&mut self, factor: f64, id: Id) -> Option<Term> {
        let Expression::Output { of, .. } = self.values[id as usize] else {
            return None;
        };
        let source = &mut self.values[of as usize];
        let is_term = matches!(source, Expression::Bulk { operation, .. } if operation.is_term());
        if self.uses[id as usize] > 1 || !is_term {
            return None;
        }
        match std::mem::replace(source, Expression::Unused) {
            Expression::Bulk { operation, of } => Some(Term::Total {
                factor,
                operation,
                of,
            }),
            _ => None,
        }
    }

    /// Whether a value is the only output of an operation on vectors.
    fn is_total(&self, id: Id) -> bool {
        let Expression::Output { of, .. } = self.values[id as usize] else {
            return false;
        };
        self.values[of as usize].slots() == 1
    }

    /// The square of a sum that nothing else needs.
    fn square(&mut self, scale: f64, of: [Id; 2]) -> Option<Term> {
        // used twice: as both factors
        let alone = of[0] == of[1] && self.uses[of[0] as usize] == 2;
        let poly = alone.then(|| self.take(of[0])).flatten()?;
        let product = poly.product();
        if let Some((multiple, [a, b])) = product.filter(|(multiple, _)| is_mild(*multiple)) {
            for (sum, factor) in [(a, b), (b, a)] {
                // a copy: it may be a factor for other users, of which the product has taken out a multiple
                let only_here = self.uses[sum as usize] == 1;
                if let Some(poly) = self.poly(sum).filter(|_| only_here) {
                    return Some(Term::Square {
                        scale: scale * multiple * multiple,
                        poly: poly.clone(),
                        by: Scaling::Factor(factor),
                    });
                }
            }
            for (value, inverse) in [(a, b), (b, a)] {
                if self.is_reciprocal(inverse) {
                    return Some(Term::Square {
                        scale,
                        poly: Poly::of(multiple, value),
                        by: Scaling::Factor(inverse),
                    });
                }
            }
        }
        Some(Term::Square {
            scale,
            poly,
            by: Scaling::None,
        })
    }

    fn is_reciprocal(&self, id: Id) -> bool {
        let value = &self.values[id as usize];
        matches!(value, Expression::Call { function, .. } if *function == Recip::operation())
    }

    /// Removes and returns the sum that computes a value, if there is one.
    fn take(&mut self, id: Id) -> Option<Poly> {
        match std::mem::replace(&mut self.values[id as usize], Expression::Unused) {
            Expression::Poly(poly) => Some(poly),
            other => {
                self.values[id as usize] = other;
                None
            }
        }
    }
}

fn flush(part: usize, together: &mut Poly, to: &mut Vec<(usize, Term)>) {
    if together.len() > 0 || together.constant != 0.0 {
        to.push((part, Term::Poly(std::mem::take(together))));
    }
}
