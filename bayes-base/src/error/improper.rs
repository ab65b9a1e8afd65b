//! Posteriors that are not distributions.

use std::fmt;

/// The edge towards which a quantity goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Zero.
    Zero,
    /// Infinity.
    Infinity,
    /// Minus infinity.
    MinusInfinity,
    /// Another end of its support.
    End,
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "0",
            Self::Infinity => "infinity",
            Self::MinusInfinity => "minus infinity",
            Self::End => "the end of its support",
        })
    }
}

/// A posterior that is not a distribution: the integral of its density is infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Improper {
    /// The random quantity, or element of one, that goes to an edge, such as `sigma` or `sigma[1]`.
    pub quantity: String,
    /// The edge.
    pub edge: Edge,
    /// Whether the likelihood rises towards the edge. Otherwise the likelihood is level there, and the prior is not a distribution.
    pub rises: bool,
}

impl fmt::Display for Improper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            quantity,
            edge,
            rises,
        } = self;
        match (rises, edge) {
            (true, Edge::Zero) => write!(
                f,
                "the likelihood has no bound as `{quantity}` goes to 0: data that are equal, all or those of a group or a component, or that lie \
                 exactly on a line, make a scale of 0 infinitely likely, and the posterior is improper. Give `{quantity}` a prior that keeps it away from 0, such as \
                 `InverseGamma` or a `LogNormal` around the rounding of the data, or say how the data are rounded, with \
                 `.interval_censored`"
            ),
            (true, _) => write!(
                f,
                "the likelihood rises so much as `{quantity}` goes to {edge} that the posterior is improper. Give `{quantity}` a prior that \
                 falls faster there, or say how the data are rounded, with `.interval_censored`"
            ),
            (false, _) => write!(
                f,
                "the posterior is improper: its density does not fall as `{quantity}` goes to {edge}, because neither the prior nor the \
                 data bound it there, as when a predictor separates the data. Give `{quantity}` a proper prior, such as \
                 `Normal::new(0.0, 2.5)`"
            ),
        }
    }
}
