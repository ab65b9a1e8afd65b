//! A reference to a model.

use super::rows::RowCount;
use super::{
    DataArgument, Evaluate, InDualNumbers, Interpreter, Model, Plain, PlainInterpreter, Recipe,
    Replacing, Sources, Statement, StatementDims,
};
use bayes_autodiff::Mode;
use bayes_autodiff::trace::Tracer;

/// A reference to a model is a model too, so that functions can take either.
#[diagnostic::do_not_recommend]
impl<Mo: Model> Model for &Mo {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn statements(&self) -> &'static [Statement] {
        (**self).statements()
    }
    fn file(&self) -> &'static str {
        (**self).file()
    }
    fn source(&self) -> &'static str {
        (**self).source()
    }
    fn recipe(&self) -> Option<Recipe> {
        (**self).recipe()
    }
    fn in_words(&self, statement: usize) -> Option<String> {
        (**self).in_words(statement)
    }
    fn identity(&self) -> Option<u64> {
        (**self).identity()
    }
    fn rereads(&self) -> &'static [&'static str] {
        (**self).rereads()
    }
    fn rereads_in_words(&self) -> Option<String> {
        (**self).rereads_in_words()
    }
    fn data(&self) -> Vec<DataArgument> {
        (**self).data()
    }
    fn numbers<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        (**self).numbers(show);
    }
    fn dims(&self) -> Vec<StatementDims> {
        (**self).dims()
    }
    fn row_counts(&self) -> Vec<RowCount> {
        (**self).row_counts()
    }
    fn forward(&self) -> Option<&dyn InDualNumbers> {
        (**self).forward()
    }
    fn forward_of<Other: Model>(changed: &Other) -> Option<&dyn InDualNumbers> {
        Mo::forward_of(changed)
    }
    #[inline(always)]
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        (**self).program(interpreter);
    }
    fn run_plain(&self, interpreter: &mut dyn PlainInterpreter) {
        (**self).run_plain(interpreter);
    }
    fn run_traced(&self, evaluation: &mut Evaluate<'_, Tracer>) {
        (**self).run_traced(evaluation);
    }
    fn run_plain_on(&self, interpreter: &mut Replacing<'_, Plain<'_>>) {
        (**self).run_plain_on(interpreter);
    }
    fn run_traced_on(&self, evaluation: &mut Replacing<'_, Evaluate<'_, Tracer>>) {
        (**self).run_traced_on(evaluation);
    }
    fn run_sources(&self, sources: &mut Sources<'_>) {
        (**self).run_sources(sources);
    }
}
