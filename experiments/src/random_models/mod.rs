//! Random models: programs as data, which run through the library without the macro and can be written as Stan programs.
//!
//! Another evaluator of the same program checks densities and gradients: see the experiment `random_models`.

mod expression;
mod family;
mod generate;
mod program;
mod stan;

pub use family::Family;
pub use stan::StanProgram;

use bayes::model::Statement;
use expression::Expression;
use nalgebra::DMatrix;

/// A model that [`RandomModel::generate`] made.
#[derive(Debug)]
pub struct RandomModel {
    tables: Tables,
    steps: Vec<Step>,
    /// One for each step that samples, observes or adds a term, in the order of the text.
    statements: &'static [Statement],
}

/// The data of a model.
#[derive(Debug, Default)]
struct Tables {
    reals: Vec<Vec<f64>>,
    counts: Vec<Vec<u64>>,
    /// Lists of places in vectors, and of choices.
    places: Vec<Vec<usize>>,
    matrices: Vec<DMatrix<f64>>,
}

/// What values a distribution has, or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    Real,
    Positive,
    Unit,
    Binary,
    Counts,
}

/// A statement of a model.
#[derive(Debug)]
enum Step {
    /// A scalar quantity, or a vector of independent ones.
    Sample {
        statement: usize,
        family: Family,
        arguments: Vec<Expression>,
        length: Option<usize>,
    },
    /// A scalar by name.
    Let(Expression),
    /// A new value of the scalar of this number.
    Assign(usize, Expression),
    /// A vector whose element of each place is an expression of the counter.
    Each {
        length: usize,
        of: Expression,
    },
    /// A matrix of data times a vector.
    Product {
        matrix: usize,
        vector: usize,
    },
    /// The elements of a vector at a list of places.
    Gather {
        vector: usize,
        places: usize,
    },
    /// One observation, whose place in the data is the counter of the innermost loop.
    Observe {
        statement: usize,
        family: Family,
        arguments: Vec<Expression>,
        data: usize,
    },
    /// All data at once; the first parameter is a vector, the others are scalars.
    ObserveAll {
        statement: usize,
        family: Family,
        vector: usize,
        others: Vec<Expression>,
        data: usize,
    },
    /// A term of the log likelihood.
    Factor {
        statement: usize,
        term: Expression,
    },
    Loop {
        length: usize,
        body: Vec<Step>,
    },
    /// Steps for the iterations whose choice is 0.
    Chosen {
        places: usize,
        then: Vec<Step>,
    },
}
