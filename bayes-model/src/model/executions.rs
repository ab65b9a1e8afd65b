//! The executions of a statement, or of all statements with one variable.

use crate::dist::Shape;

/// Number of executions, and their shapes.
#[derive(Clone, Debug, Default)]
pub(super) struct Executions {
    pub(super) count: usize,
    /// Number of elements of all executions.
    elements: usize,
    /// Shape of the last execution.
    shape: Option<Shape>,
    /// Whether an execution had another shape than the one before.
    is_mixed: bool,
    /// The numbers of elements, one execution after another; none for scalars.
    lengths: Vec<usize>,
}

impl Executions {
    pub(super) fn note(&mut self, shape: Shape) {
        self.count += 1;
        self.elements += shape.elements();
        self.is_mixed |= self.shape.is_some_and(|other| other != shape);
        self.shape = Some(shape);
        if shape != Shape::Scalar {
            self.lengths.push(shape.elements());
        }
    }

    /// The executions of two statements together.
    pub(super) fn with(mut self, other: &Self) -> Self {
        self.lengths.extend(&other.lengths);
        let differ = matches!((self.shape, other.shape), (Some(a), Some(b)) if a != b);
        Self {
            count: self.count + other.count,
            elements: self.elements + other.elements,
            shape: self.shape.or(other.shape),
            is_mixed: self.is_mixed || other.is_mixed || differ,
            lengths: self.lengths,
        }
    }

    /// The shape of all executions together. A scalar in a loop is a vector. Shapes that differ between executions also form a
    /// vector, one after another.
    pub(super) fn total(&self) -> Shape {
        match self.shape.filter(|_| !self.is_mixed) {
            Some(shape) => shape.repeated(self.count),
            None => Shape::Vector(self.elements),
        }
    }

    /// The numbers of elements, one execution after another, if they differ; otherwise empty.
    pub(super) fn turns(&self) -> Vec<usize> {
        match self.is_mixed {
            true => self.lengths.clone(),
            false => Vec::new(),
        }
    }
}
