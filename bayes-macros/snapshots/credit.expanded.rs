#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
pub struct credit<'x, 'y> {
    x: &'x DMatrix<f64>,
    y: &'y [bool],
}
impl<'x, 'y> ::core::fmt::Debug for credit<'x, 'y> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("credit").finish_non_exhaustive()
    }
}
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
pub fn credit<'x, 'y>(x: &'x DMatrix<f64>, y: &'y [bool]) -> credit<'x, 'y> {
    credit { x, y }
}
impl<'x, 'y> ::bayes::__private::Model for credit<'x, 'y> {
    fn name(&self) -> &'static str {
        "credit"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "pub fn credit(x: &DMatrix<f64>, y: &[bool]) {\n    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));\n    observe(y, BernoulliLogit::new(x * &beta));\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "beta",
                text: "let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()))",
                line: 2,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y, BernoulliLogit::new(x * &beta))",
                line: 3,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("x", &self.x).argument(),
            describe("y", &self.y).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.x).numbers().map(&mut *show);
        describe("", &self.y).numbers().map(&mut *show);
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{BernoulliLogit, Normal};
        let x = self.x;
        let y = self.y;
        {
            let beta = __context.at(0).sample(Normal::new(0.0, 10.0).iid(x.ncols()));
            __context.at(1).observe_under(BernoulliLogit::new(x * &beta), y);
        }
    }
}
impl<'x, 'y> ::bayes::__private::AllSampled for credit<'x, 'y> {}
impl<'x, 'y> ::bayes::__private::Differentiable for credit<'x, 'y> {}
impl<'x, 'y> ::bayes::__private::GaussianReference for credit<'x, 'y> {}
impl<'x, 'y> ::bayes::__private::GaussianPrior for credit<'x, 'y> {}
