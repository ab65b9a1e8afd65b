/// Each datum is from one of two classes, at one of two scales.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct classes<'y> {
    y: &'y [f64],
    share: f64,
}
impl<'y> ::core::fmt::Debug for classes<'y> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("classes").finish_non_exhaustive()
    }
}
/// Each datum is from one of two classes, at one of two scales.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn classes<'y>(y: &'y [f64], share: f64) -> classes<'y> {
    classes { y, share }
}
impl<'y> ::bayes::__private::Model for classes<'y> {
    fn name(&self) -> &'static str {
        "classes"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "fn classes(y: &[f64], share: f64) {\n    let mean = sample(Normal::new(0.0, 3.0).iid(2));\n    for i in 0..y.len() {\n        let class = sum_out(Bernoulli::new(share));\n        let scale = 1.0 + class as f64;\n        let shift = sum_out(Bernoulli::new(0.5));\n        observe(y[i], Normal::new(mean[class] + shift as f64, scale));\n    }\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "mean",
                text: "let mean = sample(Normal::new(0.0, 3.0).iid(2))",
                line: 3,
            },
            Statement {
                kind: StatementKind::SumOut,
                name: "class",
                text: "let class = sum_out(Bernoulli::new(share))",
                line: 5,
            },
            Statement {
                kind: StatementKind::SumOut,
                name: "shift",
                text: "let shift = sum_out(Bernoulli::new(0.5))",
                line: 7,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y[i], Normal::new(mean[class] + shift as f64, scale))",
                line: 8,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("y", &self.y).argument(),
            describe("share", &self.share).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.y).numbers().map(&mut *show);
        describe("", &self.share).numbers().map(&mut *show);
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{Bernoulli, Normal};
        #[allow(unused_imports)]
        use ::bayes::__private::{Checked as _, Unchecked as _};
        let y = self.y;
        let share = self.share;
        {
            let mean = __context.at(0).sample(Normal::new(0.0, 3.0).iid(2));
            for i in 0..y.len() {
                __context
                    .at(1)
                    .sum_out(
                        Bernoulli::new(share),
                        |__context: &mut __I, class: usize| {
                            let scale = 1.0 + class as f64;
                            __context
                                .at(2)
                                .sum_out(
                                    Bernoulli::new(0.5),
                                    |__context: &mut __I, shift: usize| {
                                        __context
                                            .at(3)
                                            .observe_under(
                                                Normal::new(
                                                    mean[::bayes::__private::site(&mean, class, "mean", 8)
                                                        .in_range()] + shift as f64,
                                                    scale,
                                                ),
                                                y[::bayes::__private::site(&y, i, "y", 8).in_range()],
                                            );
                                    },
                                );
                        },
                    );
            }
        }
    }
}
impl<'y> ::bayes::__private::AllSampled for classes<'y> {}
impl<'y> ::bayes::__private::Differentiable for classes<'y> {}
impl<'y> ::bayes::__private::GaussianReference for classes<'y> {}
impl<'y> ::bayes::__private::GaussianPrior for classes<'y> {}
