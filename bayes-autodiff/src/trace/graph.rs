//! The program after fusion: values with few and large operations, and the terms of the two log densities.

use super::bulk::Bulk;
use super::node::Id;
use super::operation::Operation;

/// `constant + Σ c a + Σ c a b`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Poly {
    pub(super) constant: f64,
    /// `c` and `a`.
    pub(super) linear: Vec<(f64, Id)>,
    /// `c`, `a` and `b`.
    pub(super) bilinear: Vec<(f64, [Id; 2])>,
}

impl Poly {
    pub(super) fn number(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    /// `factor * of`.
    pub(super) fn of(factor: f64, of: Id) -> Self {
        Self {
            linear: vec![(factor, of)],
            ..Self::default()
        }
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.linear.len() + self.bilinear.len()
    }

    /// Adds `factor * other`.
    pub(super) fn add(&mut self, factor: f64, other: &Self) {
        self.constant += factor * other.constant;
        let linear = other.linear.iter().map(|(c, a)| (factor * c, *a));
        self.linear.extend(linear);
        let bilinear = other.bilinear.iter().map(|(c, of)| (factor * c, *of));
        self.bilinear.extend(bilinear);
    }

    /// `c` and `a` if this is `c * a`.
    pub(super) fn multiple(&self) -> Option<(f64, Id)> {
        let alone = self.constant == 0.0 && self.bilinear.is_empty() && self.linear.len() == 1;
        alone.then(|| self.linear[0])
    }

    /// `c`, `a` and `b` if this is `c * a * b`.
    pub(super) fn product(&self) -> Option<(f64, [Id; 2])> {
        let alone = self.constant == 0.0 && self.linear.is_empty() && self.bilinear.len() == 1;
        alone.then(|| self.bilinear[0])
    }

    /// Passes the operands to `show`.
    pub(super) fn operands(&self, show: &mut impl FnMut(Id)) {
        self.linear.iter().for_each(|(_, a)| show(*a));
        for (_, of) in &self.bilinear {
            of.iter().for_each(|a| show(*a));
        }
    }
}

/// The computation of a value from other values.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    /// A coordinate of the position.
    Input(u32),
    Poly(Poly),
    Call {
        function: &'static Operation,
        of: [Id; 3],
    },
    Less {
        strict: bool,
        of: [Id; 2],
    },
    Select([Id; 3]),
    Bulk {
        operation: Box<Bulk>,
        /// Multiples of values.
        of: Vec<(f64, Id)>,
    },
    /// An output of an operation on vectors. It has no place of its own: users of the output need the operation.
    Output {
        of: Id,
        index: u32,
    },
    /// Unneeded.
    Unused,
}

impl Expression {
    /// Passes the operands to `show`.
    pub(super) fn operands(&self, mut show: impl FnMut(Id)) {
        match self {
            Self::Input(_) | Self::Unused => {}
            Self::Poly(poly) => poly.operands(&mut show),
            Self::Call { function, of } => of[..function.arity()].iter().for_each(|id| show(*id)),
            Self::Less { of, .. } => of.iter().for_each(|id| show(*id)),
            Self::Select(of) => of.iter().for_each(|id| show(*id)),
            Self::Bulk { of, .. } => of.iter().for_each(|(_, id)| show(*id)),
            Self::Output { of, .. } => show(*of),
        }
    }

    /// Whether it is a number that does not depend on the position.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Poly(poly) if poly.len() == 0)
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        match self {
            Self::Bulk { operation, of } => operation.outputs(of.len()),
            _ => 1,
        }
    }
}

/// The value that scales a square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scaling {
    None,
    /// By the square of a value, the inverse of a standard deviation.
    Factor(Id),
    /// By a value, the inverse of a variance.
    Weight(Id),
}

impl Scaling {
    pub(super) fn operand(self) -> Option<Id> {
        match self {
            Self::None => None,
            Self::Factor(of) | Self::Weight(of) => Some(of),
        }
    }
}

/// A term of a log density.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Poly(Poly),
    /// `scale * poly²`, scaled. The log density of a normal distribution is such a term.
    Square {
        scale: f64,
        poly: Poly,
        by: Scaling,
    },
    /// `factor` times the only output of an operation on vectors that nothing else needs. It is computed together with its derivatives in
    /// one pass, because its adjoint is known.
    Total {
        factor: f64,
        operation: Box<Bulk>,
        /// Multiples of values.
        of: Vec<(f64, Id)>,
    },
}

impl Term {
    /// Passes the operands to `show`.
    pub(super) fn operands(&self, mut show: impl FnMut(Id)) {
        match self {
            Self::Poly(poly) => poly.operands(&mut show),
            Self::Square { poly, by, .. } => {
                poly.operands(&mut show);
                by.operand().into_iter().for_each(show);
            }
            Self::Total { of, .. } => of.iter().for_each(|(_, id)| show(*id)),
        }
    }
}

/// Values by id, and the terms of the log prior and the log likelihood with their constants.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) dim: usize,
    pub(super) values: Vec<Expression>,
    pub(super) terms: Vec<(usize, Term)>,
    pub(super) constants: [f64; 2],
    /// Values that are needed after an evaluation.
    pub(super) kept: Vec<Id>,
}

impl Graph {
    /// The value whose computation gives a value: for an output its operation, otherwise the value itself.
    pub(super) fn source(&self, id: Id) -> Id {
        match self.values[id as usize] {
            Expression::Output { of, .. } => of,
            _ => id,
        }
    }
}
