//! Functions that make models of data, whatever the types of their arguments.

use crate::argument::{Argument, Kind, Value};
use crate::task::{Answer, Task};
use bayes_core::Error;
use bayes_core::model::Model;

/// A function that makes a model of data that live for `'d`; `Arguments` is the tuple of its arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model of which a module of Python can be made",
    note = "name a function with `#[model]` whose arguments are data: `bayes::python!(schools)`"
)]
pub trait ModelFunction<'d, Arguments> {
    /// The model.
    type Model: Model;

    /// What the arguments are.
    fn kinds() -> Vec<Kind>;

    /// The model of these data; `None` if they are of other kinds.
    fn model(&self, values: &'d [Value<'d>]) -> Option<Self::Model>;
}

macro_rules! functions {
    ($($($argument:ident $place:literal)*;)*) => {$(
        impl<'d, F, Mo, $($argument),*> ModelFunction<'d, ($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Mo,
            Mo: Model,
            $($argument: Argument<'d>,)*
        {
            type Model = Mo;

            fn kinds() -> Vec<Kind> {
                vec![$($argument::KIND),*]
            }

            #[allow(unused_variables)]
            fn model(&self, values: &'d [Value<'d>]) -> Option<Mo> {
                Some(self($($argument::of(values.get($place)?)?),*))
            }
        }
    )*};
}

functions! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 G 5;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7 J 8;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7 J 8 K 9;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7 J 8 K 9 L 10;
    A 0 B 1 C 2 D 3 E 4 G 5 H 6 I 7 J 8 K 9 L 10 M 11;
}

/// What the arguments of a function are.
pub fn kinds<'d, Arguments, F: ModelFunction<'d, Arguments>>(_: &F) -> Vec<Kind> {
    F::kinds()
}

/// Does the task with the model of these data; `None` if they are of other kinds.
pub fn perform<'d, Arguments, F: ModelFunction<'d, Arguments>>(
    function: &F,
    values: &'d [Value<'d>],
    task: &mut Task<'_>,
) -> Option<Result<Answer, Error>> {
    function
        .model(values)
        .map(|model| task.perform(&model, std::any::type_name::<F>()))
}
