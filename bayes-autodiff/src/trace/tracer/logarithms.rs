//! Logarithms of quantities whose logarithm is known without computing the quantity.
//!
//! A transform computes `x = eᵘ` or `p = 1/(1 + e⁻ᵘ)` from a coordinate `u`. The quantity rounds to 0, to 1 or to infinity where the
//! coordinate is far out; `ln x`, `ln(1 - p)` and `logit p` do not. So these are recorded as functions of the coordinate, and a density
//! or a likelihood that reads them is as exact as the coordinate.

use super::super::node::{Id, Node};
use super::super::recording::with;
use super::Number;
use crate::function::{
    Exp, Function, Ln, Ln1p, LnLogistic, Log1mExp, Log1pExp, Logistic, Logit, Recip, Sqrt,
    UnitLogistic,
};

/// Maximum number of operations that a search goes back.
const DEEPEST: usize = 6;

/// The function of `a`, which depends on the position, without computing `a`; `None` if that is not possible. `value` is its value.
pub(super) fn without_rounding(
    function: &'static super::Operation,
    value: f64,
    a: Number,
) -> Option<Number> {
    if function == Ln::operation() {
        known_ln(a)
    } else if function == Ln1p::operation() {
        ln_1p(a)
    } else if function == Logit::operation() {
        let (u, _) = unit(a.id?)?;
        Some(Number::node(value, u))
    } else if function == Log1mExp::operation() {
        // 1 - p, given ln p
        let u = argument::<LnLogistic>(a.id?)?;
        Some(ln_logistic(u, value, -1.0))
    } else {
        None
    }
}

/// Whether `a ≤ b` at every position, because one of the two is a number and the other positive, or a probability.
pub(super) fn is_certain(a: Number, b: Number) -> bool {
    match (a.id, b.id) {
        (None, Some(b)) => {
            a.value <= 0.0 && Known::of(b, DEEPEST).is_some_and(|known| known.is_positive())
        }
        (Some(a), None) => b.value >= 1.0 && unit(a).is_some(),
        _ => false,
    }
}

/// `factor * of + shift`, if this is `1 - p` for a probability `p`.
pub(super) fn complement(value: f64, of: Id, [factor, shift]: [f64; 2]) -> Option<Number> {
    let (p, factor, shift) = match with(|r| r.nodes[of as usize]) {
        // `1 + (-p)`
        Node::Affine {
            of,
            factor: inner,
            shift: offset,
        } => (of, factor * inner.get(), factor * offset.get() + shift),
        _ => (of, factor, shift),
    };
    if factor != -1.0 || shift != 1.0 {
        return None;
    }
    let (u, function) = unit(p)?;
    let opposite = negative(u);
    Some(Number::call(value, function, &[opposite]))
}

/// `ln a`, if it is known.
pub(super) fn known_ln(a: Number) -> Option<Number> {
    let known = Known::of(a.id?, DEEPEST)?.record();
    Some(Number {
        value: a.value.ln(),
        ..known
    })
}

/// A known logarithm before it is recorded: a failed search leaves no operations behind.
enum Known {
    /// `ln eᵘ = u`.
    Exponent(Id),
    /// `ln p` of a probability with this logit.
    Probability(Id),
    /// `ln √x = ½ ln x`: the root is often needed for nothing else.
    Root(Id),
    /// `ln (factor x)`.
    Multiple(Box<Self>, f64),
    /// `ln (x y)`.
    Product(Box<[Self; 2]>),
    /// `ln (1/x)`.
    Inverse(Box<Self>),
}

impl Known {
    fn of(id: Id, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        match with(|r| r.nodes[id as usize]) {
            Node::Affine { of, factor, shift } if shift.get() == 0.0 && factor.get() > 0.0 => {
                let known = Box::new(Self::of(of, depth)?);
                Some(Self::Multiple(known, factor.get()))
            }
            Node::Product([a, b]) => {
                let factors = [Self::of(a, depth)?, Self::of(b, depth)?];
                Some(Self::Product(Box::new(factors)))
            }
            Node::Call { function, of } => {
                if function == Exp::operation() {
                    Some(Self::Exponent(of[0]))
                } else if function == Sqrt::operation() {
                    Some(Self::Root(of[0]))
                } else if function == Recip::operation() {
                    Some(Self::Inverse(Box::new(Self::of(of[0], depth)?)))
                } else {
                    unit(id).map(|(u, _)| Self::Probability(u))
                }
            }
            _ => None,
        }
    }

    /// Whether the number is positive at every position: a root may come from a negative number.
    fn is_positive(&self) -> bool {
        match self {
            Self::Exponent(_) | Self::Probability(_) => true,
            Self::Root(of) => Self::of(*of, DEEPEST).is_some_and(|known| known.is_positive()),
            Self::Multiple(of, _) | Self::Inverse(of) => of.is_positive(),
            Self::Product(factors) => factors.iter().all(Self::is_positive),
        }
    }

    /// The logarithm; its value is not computed.
    fn record(self) -> Number {
        match self {
            Self::Exponent(u) => node(u),
            Self::Probability(u) => ln_logistic(u, f64::NAN, 1.0),
            Self::Root(x) => {
                let ln = known_ln(node(x))
                    .unwrap_or_else(|| Number::call(f64::NAN, Ln::operation(), &[node(x)]));
                ln.affine(f64::NAN, 0.5, 0.0)
            }
            Self::Multiple(x, factor) => x.record().affine(f64::NAN, 1.0, factor.ln()),
            Self::Product(factors) => {
                let [x, y] = factors.map(Self::record);
                x.plus(y, 1.0)
            }
            Self::Inverse(x) => x.record().affine(f64::NAN, -1.0, 0.0),
        }
    }
}

/// `ln(1 + a)`.
fn ln_1p(a: Number) -> Option<Number> {
    let id = a.id?;
    let value = Ln1p::value(a.value);
    if let Node::Affine { of, factor, shift } = with(|r| r.nodes[id as usize])
        && factor.get() < 0.0
        && shift.get() == 0.0
    {
        if factor.get() == -1.0
            && let Some((u, _)) = unit(of)
        {
            return Some(ln_logistic(u, value, -1.0));
        }
        // `e^x` with a negative factor
        let ln = known_ln(node(of))?.affine(f64::NAN, 1.0, (-factor.get()).ln());
        return Some(Number::call(value, Log1mExp::operation(), &[ln]));
    }
    let ln = known_ln(a)?;
    Some(Number::call(value, Log1pExp::operation(), &[ln]))
}

/// `ln(1/(1 + e^(-sign u)))`.
fn ln_logistic(u: Id, value: f64, sign: f64) -> Number {
    let u = if sign < 0.0 { negative(u) } else { node(u) };
    Number::call(value, LnLogistic::operation(), &[u])
}

/// `u` and the function, if the node is `1/(1 + e⁻ᵘ)`.
fn unit(id: Id) -> Option<(Id, &'static super::Operation)> {
    match with(|r| r.nodes[id as usize]) {
        Node::Call { function, of }
            if function == UnitLogistic::operation() || function == Logistic::operation() =>
        {
            Some((of[0], function))
        }
        _ => None,
    }
}

/// `x` if the node is `F(x)`.
fn argument<F: Function>(id: Id) -> Option<Id> {
    match with(|r| r.nodes[id as usize]) {
        Node::Call { function, of } if function == F::operation() => Some(of[0]),
        _ => None,
    }
}

fn negative(id: Id) -> Number {
    node(id).affine(f64::NAN, -1.0, 0.0)
}

fn node(id: Id) -> Number {
    Number::node(f64::NAN, id)
}
