//! Models some of whose quantities have fixed values.

use super::fingerprint::Fingerprint;
use super::plain::{PlainDistribution, PlainInterpreter};
use super::validate::validate_in_short;
use super::{DataArgument, Interpreter, Model, Statement};
use crate::dist::{ContinuousDomain, Data, Discrete, Distribution, Quantity};
use crate::error::{Error, ValuesError};
use bayes_autodiff::{Mode, Real};
use std::fmt;

/// The values of the fixed quantities of a model.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    /// Whether the quantity of each statement is fixed.
    is_fixed: Vec<bool>,
    /// The elements of all fixed quantities, in the order in which the program asks for them.
    values: Vec<f64>,
}

impl Fixed {
    /// The quantities of these statements of `model` at values by their names. Other names are ignored.
    ///
    /// # Errors
    /// [`Error::Values`] if lengths do not fit; [`Error::Model`] if the model does not fit its data.
    pub(super) fn new<Mo: Model>(
        model: &Mo,
        is_fixed: impl Fn(&Statement) -> bool,
        values: &[(&str, &[f64])],
    ) -> Result<Self, Error> {
        validate_in_short(model)?;
        let statements = model.statements();
        let is_fixed: Vec<bool> = statements.iter().map(is_fixed).collect();
        let mut order = InOrder {
            statements,
            statement: 0,
            is_fixed: &is_fixed,
            given: values,
            left: values.to_vec(),
            values: Vec::new(),
            problem: None,
        };
        model.run_plain(&mut order);
        let values = order.finish().map_err(|source| Error::Values {
            model: model.name().to_owned(),
            source,
        })?;
        Ok(Self { is_fixed, values })
    }

    /// Whether the quantity of a statement is fixed.
    pub(super) fn contains(&self, statement: usize) -> bool {
        self.is_fixed[statement]
    }

    /// `inner` without the fixed quantities.
    #[inline(always)]
    pub(super) fn fixing<'a, I>(&'a self, inner: &'a mut I) -> Fixing<'a, I> {
        Fixing {
            inner,
            is_fixed: &self.is_fixed,
            statement: 0,
            values: &self.values,
        }
    }

    /// The values as data: another value makes another model.
    pub(super) fn argument(&self, name: &'static str) -> DataArgument {
        DataArgument {
            name,
            length: Some(self.values.len()),
            first_nan: None,
            fingerprint: Fingerprint::of(self.values.iter().map(|x| x.to_bits())),
        }
    }
}

/// Puts the values of quantities into the order in which the program asks for them.
struct InOrder<'a> {
    statements: &'static [Statement],
    statement: usize,
    is_fixed: &'a [bool],
    /// The elements of each quantity.
    given: &'a [(&'a str, &'a [f64])],
    /// The unused ones.
    left: Vec<(&'a str, &'a [f64])>,
    values: Vec<f64>,
    problem: Option<ValuesError>,
}

impl InOrder<'_> {
    fn finish(self) -> Result<Vec<f64>, ValuesError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let pairs = || self.statements.iter().zip(self.is_fixed);
        let is_fixed = |name: &str| pairs().any(|(s, is_fixed)| *is_fixed && s.name == name);
        let mut rest = self.left.iter().filter(|(name, _)| is_fixed(name));
        match rest.find(|(_, rest)| !rest.is_empty()) {
            Some((name, rest)) => Err(ValuesError::Left {
                name: (*name).to_owned(),
                left: rest.len(),
            }),
            None => Ok(self.values),
        }
    }

    /// The next elements of the present statement's quantity; zeros if there are too few.
    fn take(&mut self, wanted: usize) -> Vec<f64> {
        if wanted == 0 {
            return Vec::new();
        }
        let name = self.statements[self.statement].name;
        let left = self.left.iter_mut().find(|(known, _)| *known == name);
        let unused = left.as_ref().map_or(0, |(_, rest)| rest.len());
        match left {
            Some((_, rest)) if unused >= wanted => {
                let (mine, others) = rest.split_at(wanted);
                *rest = others;
                mine.to_vec()
            }
            _ => {
                let given = self.given.iter().find(|(known, _)| *known == name);
                let given = given.map_or(0, |(_, elements)| elements.len());
                let missing = ValuesError::Missing {
                    name,
                    given,
                    wanted: given - unused + wanted,
                };
                self.problem.get_or_insert(missing);
                vec![0.0; wanted]
            }
        }
    }
}

impl PlainInterpreter for InOrder<'_> {
    fn at(&mut self, statement: usize) {
        self.statement = statement;
    }
    fn random(&mut self, distribution: &dyn PlainDistribution) -> Vec<f64> {
        if !self.is_fixed[self.statement] {
            return distribution.constrain(&vec![0.0; distribution.dim()]).0;
        }
        let mine = self.take(distribution.shape().elements());
        self.values.extend(&mine);
        mine
    }
}

/// The value of a quantity with these elements.
#[inline(always)]
fn fixed<M: Mode, D: Distribution<M>>(distribution: &D, elements: &[f64]) -> D::Value {
    D::Value::from_fn(distribution.shape(), |i| Real::constant(elements[i]))
}

/// An interpreter that treats some quantities as constants. The density of a fixed random quantity counts; a param has none.
pub(super) struct Fixing<'a, I> {
    inner: &'a mut I,
    is_fixed: &'a [bool],
    statement: usize,
    /// The elements that are not used yet.
    values: &'a [f64],
}

impl<I> Fixing<'_, I> {
    /// The value of the present statement's quantity.
    #[inline(always)]
    fn take<M: Mode, D: Distribution<M>>(&mut self, distribution: &D) -> D::Value {
        let (mine, rest) = self.values.split_at(distribution.shape().elements());
        self.values = rest;
        fixed(distribution, mine)
    }
}

impl<M: Mode, I: Interpreter<M>> Interpreter<M> for Fixing<'_, I> {
    #[inline(always)]
    fn at(&mut self, statement: usize) -> &mut Self {
        self.statement = statement;
        self.inner.at(statement);
        self
    }
    #[inline(always)]
    fn indexed(&mut self, indices: &[&dyn fmt::Display]) -> &mut Self {
        self.inner.indexed(indices);
        self
    }
    #[inline(always)]
    fn sliced(&mut self, first: usize) -> &mut Self {
        self.inner.sliced(first);
        self
    }
    #[inline(always)]
    fn random<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        if !self.is_fixed[self.statement] {
            return self.inner.random(distribution);
        }
        let value = self.take(&distribution);
        self.inner.factor(distribution.log_density_at(&value));
        value
    }
    #[inline(always)]
    fn param<D: Distribution<M>>(&mut self, start: D) -> D::Value
    where
        D::Domain: ContinuousDomain,
    {
        match self.is_fixed[self.statement] {
            true => self.take(&start),
            false => self.inner.param(start),
        }
    }
    #[inline(always)]
    fn observe_under<D: Distribution<M>, T: Data<D::Domain>>(&mut self, distribution: D, data: T) {
        self.inner.observe_under(distribution, data);
    }
    #[inline(always)]
    fn deterministic<Q: Quantity<M>>(&mut self, value: Q) -> Q {
        self.inner.deterministic(value)
    }
    #[inline(always)]
    fn factor(&mut self, log_weight: impl Into<Real<M>>) {
        self.inner.factor(log_weight);
    }
    #[inline(always)]
    fn begin_sum<D: Distribution<M, Domain = Discrete>>(&mut self, distribution: D) {
        self.inner.begin_sum(distribution);
    }
    #[inline(always)]
    fn next_value(&mut self) -> Option<usize> {
        self.inner.next_value()
    }
    #[inline(always)]
    fn generate<D: Distribution<M>>(&mut self, distribution: D) -> D::Value {
        self.inner.generate(distribution)
    }
}

/// `fixed_model!(WithParams, "params")`: a type with the fields `model` and `fixed` is a model, and has rows if the model has.
macro_rules! fixed_model {
    ($Name:ident, $values:literal) => {
        #[diagnostic::do_not_recommend]
        impl<Mo: Model> Model for $Name<'_, Mo> {
            crate::model::same_text!();
            fn identity(&self) -> Option<u64> {
                // another density than the model's
                None
            }
            fn data(&self) -> Vec<DataArgument> {
                let mut arguments = self.model.data();
                arguments.push(self.fixed.argument($values));
                arguments
            }
            fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
                self.model.numbers(show);
            }
            fn dims(&self) -> Vec<StatementDims> {
                let mut dims = self.model.dims();
                dims.retain(|dims| !self.fixed.contains(dims.statement));
                dims
            }
            fn row_counts(&self) -> Vec<RowCount> {
                self.model.row_counts()
            }
            #[inline(always)]
            fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
                self.model.program(&mut self.fixed.fixing(interpreter));
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Mo: Rows> Rows for $Name<'_, Mo> {
            type Data = Mo::Data;

            fn gather(&self, rows: &[usize]) -> Mo::Data {
                self.model.gather(rows)
            }
            fn refill(&self, rows: &[usize], data: &mut Mo::Data) {
                self.model.refill(rows, data);
            }
            fn numbers_of<'a>(&'a self, data: &'a Mo::Data, show: &mut dyn FnMut(&'a [f64])) {
                self.model.numbers_of(data, show);
            }
            #[inline(always)]
            fn program_of<M: Mode, I: Interpreter<M>>(&self, data: &Mo::Data, interpreter: &mut I) {
                self.model
                    .program_of(data, &mut self.fixed.fixing(interpreter));
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Mo: Differentiable> Differentiable for $Name<'_, Mo> {}

        impl<Mo: Model> fmt::Debug for $Name<'_, Mo> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Name))
                    .field("model", &self.model.name())
                    .field("fixed", &self.fixed)
                    .finish()
            }
        }
    };
}
pub(super) use fixed_model;
