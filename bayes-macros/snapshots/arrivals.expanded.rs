/// A struct of data, a discrete random value, a branch on data.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
pub(crate) struct arrivals<'a, 'data> {
    data: &'a Queue<'data>,
    busy: bool,
}
impl<'a, 'data> ::core::fmt::Debug for arrivals<'a, 'data> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("arrivals").finish_non_exhaustive()
    }
}
/// A struct of data, a discrete random value, a branch on data.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
pub(crate) fn arrivals<'a, 'data>(
    data: &'a Queue<'data>,
    busy: bool,
) -> arrivals<'a, 'data> {
    arrivals { data, busy }
}
impl<'a, 'data> ::bayes::__private::Model for arrivals<'a, 'data> {
    fn name(&self) -> &'static str {
        "arrivals"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "pub(crate) fn arrivals<'a>(data: &'a Queue<'_>, busy: bool) {\n    let n = sample(Poisson::new(3.0));\n    let rate = sample(Gamma::new(2.0, 1.0));\n    if busy {\n        observe(&data.waits[1..], Exponential::new(rate));\n    }\n    for (i, count) in data.counts.iter().enumerate() {\n        observe(*count, Poisson::new(n * rate * data.hours[i]));\n    }\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "n",
                text: "let n = sample(Poisson::new(3.0))",
                line: 3,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "rate",
                text: "let rate = sample(Gamma::new(2.0, 1.0))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "data.waits",
                text: "observe(&data.waits[1..], Exponential::new(rate))",
                line: 6,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "data.counts",
                text: "observe(*count, Poisson::new(n * rate * data.hours[i]))",
                line: 9,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("data", &self.data).argument(),
            describe("busy", &self.busy).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.data).numbers().map(&mut *show);
        describe("", &self.busy).numbers().map(&mut *show);
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{Exponential, Gamma, Poisson};
        #[allow(unused_imports)]
        use ::bayes::__private::{Checked as _, Unchecked as _};
        let data = self.data;
        let busy = self.busy;
        {
            let n = __context.at(0).sample_discrete(Poisson::new(3.0));
            let rate = __context.at(1).sample(Gamma::new(2.0, 1.0));
            if busy {
                __context
                    .at(2)
                    .sliced(1)
                    .observe_under(
                        Exponential::new(rate),
                        &data
                            .waits[::bayes::__private::site(
                                &data.waits,
                                1..,
                                "data.waits",
                                6,
                            )
                            .in_range()],
                    );
            }
            for (i, count) in data.counts.iter().enumerate() {
                __context
                    .at(3)
                    .observe_under(
                        Poisson::new(
                            n * rate
                                * data
                                    .hours[::bayes::__private::site(
                                        &data.hours,
                                        i,
                                        "data.hours",
                                        9,
                                    )
                                    .in_range()],
                        ),
                        *count,
                    );
            }
        }
    }
}
impl<'a, 'data> ::bayes::__private::AllSampled for arrivals<'a, 'data> {}
