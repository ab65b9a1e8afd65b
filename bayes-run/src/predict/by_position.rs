//! Elements of a quantity that a prediction on other data takes from the run by their positions.
//!
//! A model that names the places of a quantity (`#[dims(..)]`, `impute`) has its elements found by these names. Elements without names can
//! only be taken in order: the third missing value of the new table would be the third of the old one, whichever row it is in. For
//! coefficients this is right, for effects of groups if the groups are the same, and for values that belong to rows it is wrong.

use super::source::Source;
use super::{Prediction, fitting};
use crate::model::{Statement, Variable, VariableKind};
use crate::run::Run;

macro_rules! names {
    ($($file:ident: $family:ident { $($constructors:tt)* } $domain:ident $tests:ident;)*) => {
        /// The families of the library, each with the kind of its tests: `structured` if its values may be more than one number.
        const FAMILIES: &[(&str, &str)] = &[$((stringify!($family), stringify!($tests))),*];
    };
}
bayes_catalogue::distributions!(names);

/// Families of one number without tests of scalar families.
const SCALAR: [&str; 2] = ["Flat", "Mixture"];

/// Families of series, of maps, of functions at places, and of effects of groups.
const OF_PLACES: [&str; 8] = [
    "Autoregressive",
    "GaussianField",
    "GaussianProcess",
    "GaussianRandomWalk",
    "Icar",
    "IntrinsicRandomWalk",
    "StateSpace",
    "ZeroSumNormal",
];

impl Prediction<'_> {
    /// A note for each quantity whose elements could belong to rows, groups or gaps of other data.
    pub(super) fn taken_by_position(&self) -> Vec<String> {
        let Source::Run(run) = self.source else {
            return Vec::new();
        };
        let found: Vec<&Variable> = self.without_names(run).collect();
        if found.is_empty() || self.has_data_of(run) {
            return Vec::new();
        }
        found.into_iter().map(note).collect()
    }

    /// The quantities of several elements without names, which may be as many as rows, groups or gaps.
    fn without_names<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r Variable> {
        run.layout.variables.iter().filter(|variable| {
            let is_random = variable.kind != VariableKind::Deterministic
                && variable.kind != VariableKind::Param;
            is_random
                && variable.dims.is_empty()
                && variable.shape.elements() > 1
                && fitting::statement_of(self.statements, variable).is_some_and(may_belong_to_data)
        })
    }
}

/// Whether the number of elements is a length of data, as far as the text tells: `.iid(missing.len())`, a loop, or a process at places.
fn may_belong_to_data(statement: &Statement) -> bool {
    let text = statement.text;
    if let Some((_, extent)) = text.rsplit_once(".iid(") {
        return extent.contains(".len()") || extent.contains(".nrows()");
    }
    let is_of_family = of_data().any(|family| text.contains(&format!("sample({family}::")));
    is_of_family && !text.contains(".ordered(")
}

/// Families of which several elements without `.iid(..)` may be as many as the data. Those of one number have them from a loop or from a
/// vector of parameters, both most likely over data.
fn of_data() -> impl Iterator<Item = &'static str> {
    let scalar = FAMILIES.iter().filter(|(_, tests)| *tests != "structured");
    let scalar = scalar.map(|(family, _)| *family);
    scalar.chain(SCALAR).chain(OF_PLACES)
}

fn note(variable: &Variable) -> String {
    format!(
        "`{}`: its {} elements have no names, so that they are taken from the run by their positions, and the model has other data than the run. If \
         they belong to rows, groups or missing values of the data, these must be the same in the same order. Otherwise the prediction is wrong: \
         name the elements by `#[dims(..)]`, fill gaps by `impute`, or draw new elements by `generate`",
        variable.name,
        variable.shape.elements()
    )
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, OF_PLACES, SCALAR, may_belong_to_data};
    use crate::dist::Normal;
    use crate::model::example::statement;
    use crate::model::{Interpreter, Model, Statement, StatementKind, fingerprint};
    use crate::run::example::chains;
    use bayes_autodiff::{Mode, Real, Vector};

    /// Two values `beta`, each of a row of `y`; `mu` has no data.
    struct OfRows {
        y: [f64; 2],
        is_of_data: bool,
    }

    impl Model for OfRows {
        fn name(&self) -> &'static str {
            "of_rows"
        }
        fn file(&self) -> &'static str {
            file!()
        }
        fn statements(&self) -> &'static [Statement] {
            const fn beta(text: &'static str) -> [Statement; 3] {
                [
                    statement(StatementKind::Sample, "mu"),
                    Statement {
                        text,
                        ..statement(StatementKind::Sample, "beta")
                    },
                    statement(StatementKind::Observe, "y"),
                ]
            }
            const OF_DATA: [Statement; 3] =
                beta("let beta = sample(Normal::new(0.0, 1.0).iid(missing.len()))");
            const OF_PARAMETERS: [Statement; 3] =
                beta("let beta = sample(Normal::new(0.0, 1.0).iid(2))");
            match self.is_of_data {
                true => &OF_DATA,
                false => &OF_PARAMETERS,
            }
        }
        fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
            let mu: Real<M> = interpreter.at(0).sample(Normal::new(0.0, 1.0));
            let beta: Vector<M> = interpreter.at(1).sample(Normal::new(0.0, 1.0).iid(2));
            let means = beta.map(|x| x + mu);
            interpreter
                .at(2)
                .observe_under(Normal::new(&means, 1.0), self.y.as_slice());
        }
    }

    /// The values of other rows would be taken for those of these rows. Would detect a prediction that says nothing about it, and one that says
    /// it about the data of the run or about coefficients.
    #[test]
    fn elements_without_names_on_other_data_are_noted() {
        let notes = |is_of_data, y| {
            let own = OfRows {
                y: [0.5, -1.0],
                is_of_data,
            };
            let mut run = chains(2, 10);
            run.fingerprint = format!("{:016x}", fingerprint(&own));
            let model = OfRows { y, is_of_data };
            run.predict(model)
                .expect("the quantities are those of the run")
                .notes()
        };
        let other = [2.0, 3.0];
        let noted = notes(true, other);
        assert!(
            matches!(noted.as_slice(), [note] if note.starts_with("`beta`: its 2 elements have no names")),
            "{noted:?}"
        );
        assert_eq!(notes(true, [0.5, -1.0]), [""; 0]);
        assert_eq!(notes(false, other), [""; 0]);
    }

    // Would detect a family that is listed here under a name that it no longer has.
    #[test]
    fn each_family_that_may_belong_to_data_is_in_the_catalogue() {
        for family in SCALAR.iter().chain(&OF_PLACES) {
            let line = FAMILIES.iter().find(|(name, _)| name == family);
            assert!(
                matches!(line, Some((_, "structured"))),
                "{family}: {line:?}"
            );
        }
    }

    #[test]
    fn lengths_of_data_are_told_from_numbers_of_parameters() {
        let of = |text| {
            may_belong_to_data(&Statement {
                kind: StatementKind::Sample,
                name: "z",
                text,
                line: 1,
            })
        };
        for text in [
            "let z = sample(Normal::new(mu, tau).iid(missing.len()))",
            "let z = sample(Normal::new(0.0, 1.0).iid([x.nrows(), 2]))",
            "let z = sample(Normal::new(mu, tau))",
            "let z = sample(HalfStudentT::new(3.0, scale))",
            "let z = sample(SkewNormal::new(mu, tau, 2.0))",
            "let z = sample(Weibull::new(shape, scale))",
            "let z = sample(Flat::above(low))",
            "let z = sample(GaussianProcess::new(0.0, kernel, x, 0.01))",
            "let z = sample(ZeroSumNormal::new(sd, groups))",
        ] {
            assert!(of(text), "{text}");
        }
        for text in [
            "let z = sample(Normal::new(0.0, 10.0).iid(x.ncols()))",
            "let z = sample(Normal::new(0.0, 10.0).iid(2))",
            "let z = sample(Normal::new(0.0, 10.0).ordered(3))",
            "let z = sample(Dirichlet::new(vec![1.0; 3]))",
            "let z = sample(net.prior())",
            "let z = sample(Cutpoints::of(d))",
        ] {
            assert!(!of(text), "{text}");
        }
    }
}
