//! Expressions of scalars.

use super::{RandomModel, Tables};
use bayes::autodiff::{Mode, Real, Vector};

/// An element of a vector.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    At(usize),
    /// The counter of the loop of this depth, 0 for the outermost.
    Counter(usize),
    /// The element of a list of places at the counter of the loop of this depth.
    Listed(usize, usize),
}

/// A scalar.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(f64),
    /// The scalar of this number, sampled or computed.
    Scalar(usize),
    /// An element of the vector of this number.
    Element(usize, Place),
    /// An element of the real data of this number.
    Datum(usize, Place),
    /// The sum of a vector.
    Sum(usize),
    /// The product of a vector with itself.
    Square(usize),
    LogSumExp(usize),
    Of(Function, Box<Expression>),
    Both(Operation, Box<Expression>, Box<Expression>),
}

macro_rules! named {
    ($(#[$doc:meta])* $type:ident: $($name:ident => $stan:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(super) enum $type {
            $($name,)*
        }

        impl $type {
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];

            /// In Stan, with `$` in the places of the arguments.
            pub(super) fn stan(self) -> &'static str {
                match self {
                    $(Self::$name => $stan,)*
                }
            }
        }
    };
}

named! {
    /// Functions of every real number.
    Function:
    Negative => "(-$)",
    Exp => "exp($)",
    Tanh => "tanh($)",
    Square => "square($)",
    Logistic => "inv_logit($)",
    LogLogistic => "log_inv_logit($)",
    Softplus => "log1p_exp($)",
    Sin => "sin($)",
    Atan => "atan($)",
    Abs => "abs($)",
    NormCdf => "Phi($)",
    Erf => "erf($)",
    Ln => "log($)",
    Sqrt => "sqrt($)",
    LnGamma => "lgamma($)",
    Ln1p => "log1p($)",
    Recip => "inv($)",
}

impl Function {
    /// Those whose argument must be positive.
    pub(super) const OF_POSITIVE: usize = 5;
}

named! {
    /// Operations with two numbers.
    Operation:
    Plus => "($ + $)",
    Minus => "($ - $)",
    Times => "($ * $)",
    Max => "fmax($, $)",
    Min => "fmin($, $)",
    LogAddExp => "log_sum_exp($, $)",
    Divide => "($ / $)",
    Power => "pow($, $)",
}

/// The values that a program has computed.
pub(super) struct Values<'m, M: Mode> {
    pub tables: &'m Tables,
    pub scalars: Vec<Real<M>>,
    pub vectors: Vec<Vector<M>>,
    pub counters: Vec<usize>,
}

impl<'m, M: Mode> Values<'m, M> {
    pub(super) fn new(model: &'m RandomModel) -> Self {
        Self {
            tables: &model.tables,
            scalars: Vec::new(),
            vectors: Vec::new(),
            counters: Vec::new(),
        }
    }

    fn place(&self, place: Place) -> usize {
        match place {
            Place::At(index) => index,
            Place::Counter(depth) => self.counters[depth],
            Place::Listed(places, depth) => self.tables.places[places][self.counters[depth]],
        }
    }

    pub(super) fn of(&self, expression: &Expression) -> Real<M> {
        match expression {
            Expression::Number(number) => Real::constant(*number),
            Expression::Scalar(scalar) => self.scalars[*scalar],
            Expression::Element(vector, place) => self.vectors[*vector][self.place(*place)],
            Expression::Datum(data, place) => {
                Real::constant(self.tables.reals[*data][self.place(*place)])
            }
            Expression::Sum(vector) => self.vectors[*vector].sum(),
            Expression::Square(vector) => self.vectors[*vector].norm_squared(),
            Expression::LogSumExp(vector) => self.vectors[*vector].log_sum_exp(),
            Expression::Of(function, x) => function.of(self.of(x)),
            Expression::Both(operation, x, y) => operation.of(self.of(x), self.of(y)),
        }
    }

    pub(super) fn all<const K: usize>(&self, expressions: &[Expression]) -> [Real<M>; K] {
        std::array::from_fn(|k| self.of(&expressions[k]))
    }
}

impl Function {
    fn of<M: Mode>(self, x: Real<M>) -> Real<M> {
        match self {
            Self::Negative => -x,
            Self::Exp => x.exp(),
            Self::Tanh => x.tanh(),
            Self::Square => x.square(),
            Self::Logistic => x.logistic(),
            Self::LogLogistic => x.ln_logistic(),
            Self::Softplus => x.log1p_exp(),
            Self::Sin => x.sin(),
            Self::Atan => x.atan(),
            Self::Abs => x.abs(),
            Self::NormCdf => x.norm_cdf(),
            Self::Erf => x.erf(),
            Self::Ln => x.ln(),
            Self::Sqrt => x.sqrt(),
            Self::LnGamma => x.ln_gamma(),
            Self::Ln1p => x.ln_1p(),
            Self::Recip => x.recip(),
        }
    }
}

impl Operation {
    fn of<M: Mode>(self, x: Real<M>, y: Real<M>) -> Real<M> {
        match self {
            Self::Plus => x + y,
            Self::Minus => x - y,
            Self::Times => x * y,
            Self::Max => x.max(y),
            Self::Min => x.min(y),
            Self::LogAddExp => x.log_add_exp(y),
            Self::Divide => x / y,
            Self::Power => x.pow(y),
        }
    }
}
