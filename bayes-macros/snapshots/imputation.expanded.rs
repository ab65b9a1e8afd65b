/// A regression on two predictors with gaps.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct imputation<'person, 'x, 'study, 'y> {
    person: &'person [String],
    x: &'x [f64],
    study: &'study Study,
    y: &'y [f64],
}
impl<'person, 'x, 'study, 'y> ::core::fmt::Debug
for imputation<'person, 'x, 'study, 'y> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("imputation").finish_non_exhaustive()
    }
}
/// A regression on two predictors with gaps.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn imputation<'person, 'x, 'study, 'y>(
    person: &'person [String],
    x: &'x [f64],
    study: &'study Study,
    y: &'y [f64],
) -> imputation<'person, 'x, 'study, 'y> {
    imputation { person, x, study, y }
}
impl<'person, 'x, 'study, 'y> ::bayes::__private::Model
for imputation<'person, 'x, 'study, 'y> {
    fn name(&self) -> &'static str {
        "imputation"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "fn imputation(person: &[String], x: &[f64], study: &Study, y: &[f64]) {\n    let beta = sample(Normal::new(0.0, 1.0).iid(2));\n    let x = impute(x, Normal::new(0.0, 1.0));\n    #[dims(person)]\n    let z = impute(&study.z, Gamma::new(2.0, x.exp()));\n    observe(y, Normal::new(beta[0] * &x + beta[1] * &z, 1.0));\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "beta",
                text: "let beta = sample(Normal::new(0.0, 1.0).iid(2))",
                line: 3,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "x",
                text: "let x = impute(x, Normal::new(0.0, 1.0))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "x",
                text: "let x = impute(x, Normal::new(0.0, 1.0))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "study.z",
                text: "let z = impute(&study.z, Gamma::new(2.0, x.exp()))",
                line: 6,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "z",
                text: "let z = impute(&study.z, Gamma::new(2.0, x.exp()))",
                line: 6,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y, Normal::new(beta[0] * &x + beta[1] * &z, 1.0))",
                line: 7,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("person", &self.person).argument(),
            describe("x", &self.x).argument(),
            describe("study", &self.study).argument(),
            describe("y", &self.y).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.person).numbers().map(&mut *show);
        describe("", &self.x).numbers().map(&mut *show);
        describe("", &self.study).numbers().map(&mut *show);
        describe("", &self.y).numbers().map(&mut *show);
    }
    fn rereads(&self) -> &'static [&'static str] {
        &["study.z", "x"]
    }
    #[allow(unused_variables)]
    fn dims(&self) -> ::std::vec::Vec<::bayes::__private::StatementDims> {
        let person = self.person;
        let x = self.x;
        let study = self.study;
        let y = self.y;
        ::core::convert::From::from([
            ::bayes::__private::StatementDims {
                statement: 1,
                dims: ::core::convert::From::from([
                    ::bayes::__private::Dim::known("x_known", x),
                ]),
                of_rows: false,
                is_part: true,
                rows: ::core::option::Option::None,
            },
            ::bayes::__private::StatementDims {
                statement: 2,
                dims: ::core::convert::From::from([
                    ::bayes::__private::Dim::missing("x_gap", x),
                ]),
                of_rows: false,
                is_part: false,
                rows: ::core::option::Option::None,
            },
            ::bayes::__private::StatementDims {
                statement: 3,
                dims: ::core::convert::From::from([
                    ::bayes::__private::Dim::known_of("z_known", &study.z, person),
                ]),
                of_rows: false,
                is_part: false,
                rows: ::core::option::Option::Some("person"),
            },
            ::bayes::__private::StatementDims {
                statement: 4,
                dims: ::core::convert::From::from([
                    ::bayes::__private::Dim::missing_of("z_gap", &study.z, person),
                ]),
                of_rows: false,
                is_part: false,
                rows: ::core::option::Option::Some("person"),
            },
        ])
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{Gamma, Normal};
        #[allow(unused_imports)]
        use ::bayes::__private::{Checked as _, Unchecked as _};
        let person = self.person;
        let x = self.x;
        let study = self.study;
        let y = self.y;
        let _ = &person;
        let _ = &x;
        let _ = &study;
        {
            let beta = __context.at(0).sample(Normal::new(0.0, 1.0).iid(2));
            let x = __context.at(1).impute(2, Normal::new(0.0, 1.0), x);
            let z = __context.at(3).impute(4, Gamma::new(2.0, x.exp()), &study.z);
            __context
                .at(5)
                .observe_under(
                    Normal::new(
                        beta[::bayes::__private::site(&beta, 0, "beta", 7).in_range()]
                            * &x
                            + beta[::bayes::__private::site(&beta, 1, "beta", 7)
                                .in_range()] * &z,
                        1.0,
                    ),
                    y,
                );
        }
    }
}
impl<'person, 'x, 'study, 'y> ::bayes::__private::AllSampled
for imputation<'person, 'x, 'study, 'y> {}
impl<'person, 'x, 'study, 'y> ::bayes::__private::Differentiable
for imputation<'person, 'x, 'study, 'y> {}
impl<'person, 'x, 'study, 'y> ::bayes::__private::GaussianReference
for imputation<'person, 'x, 'study, 'y> {}
