/// Arguments with rows among others: a reference, a value, a number; and a param.
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct rows<'x, const K: usize> {
    x: &'x DMatrix<f64>,
    prior_sd: f64,
    y: Vec<bool>,
    names: [u8; K],
}
impl<'x, const K: usize> ::core::fmt::Debug for rows<'x, K> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("rows").finish_non_exhaustive()
    }
}
/// Arguments with rows among others: a reference, a value, a number; and a param.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn rows<'x, const K: usize>(
    x: &'x DMatrix<f64>,
    prior_sd: f64,
    y: Vec<bool>,
    names: [u8; K],
) -> rows<'x, K> {
    rows { x, prior_sd, y, names }
}
impl<'x, const K: usize> ::bayes::__private::Model for rows<'x, K> {
    fn name(&self) -> &'static str {
        "rows"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "fn rows<const K: usize>(#[rows] x: &DMatrix<f64>, prior_sd: f64, #[rows] y: Vec<bool>, names: [u8; K]) {\n    let scale = param(HalfNormal::new(1.0));\n    let beta = sample(Normal::new(0.0, prior_sd).iid(x.ncols()));\n    observe(y, BernoulliLogit::new(x * &beta * scale + names.len() as f64));\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Param,
                name: "scale",
                text: "let scale = param(HalfNormal::new(1.0))",
                line: 3,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "beta",
                text: "let beta = sample(Normal::new(0.0, prior_sd).iid(x.ncols()))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y, BernoulliLogit::new(x * &beta * scale + names.len() as f64))",
                line: 5,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("x", &self.x).argument(),
            describe("prior_sd", &self.prior_sd).argument(),
            describe("y", &self.y).argument(),
            describe("names", &self.names).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.x).numbers().map(&mut *show);
        describe("", &self.prior_sd).numbers().map(&mut *show);
        describe("", &self.y).numbers().map(&mut *show);
        describe("", &self.names).numbers().map(&mut *show);
    }
    fn row_counts(&self) -> ::std::vec::Vec<::bayes::__private::RowCount> {
        <[_]>::concat(
            &[
                <DMatrix<f64> as ::bayes::__private::RowData>::row_counts(self.x, "x"),
                <Vec<bool> as ::bayes::__private::RowData>::row_counts(&self.y, "y"),
            ],
        )
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        Self::__body::<__M, __I>(self.x, self.prior_sd, &self.y, &self.names, __context);
    }
}
impl<'x, const K: usize> rows<'x, K> {
    #[doc(hidden)]
    #[inline(always)]
    #[allow(clippy::ptr_arg, clippy::too_many_arguments, clippy::type_complexity)]
    fn __body<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        x: &'x DMatrix<f64>,
        prior_sd: f64,
        y: &Vec<bool>,
        names: &[u8; K],
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{BernoulliLogit, HalfNormal, Normal};
        {
            let scale = __context.at(0).param(HalfNormal::new(1.0));
            let beta = __context.at(1).sample(Normal::new(0.0, prior_sd).iid(x.ncols()));
            __context
                .at(2)
                .observe_under(
                    BernoulliLogit::new(x * &beta * scale + names.len() as f64),
                    y,
                );
        }
    }
}
impl<'x, const K: usize> ::bayes::__private::Rows for rows<'x, K> {
    type Data = (
        <DMatrix<f64> as ::bayes::__private::RowData>::Owned,
        <Vec<bool> as ::bayes::__private::RowData>::Owned,
    );
    fn gather(&self, __rows: &[usize]) -> Self::Data {
        (
            <DMatrix<f64> as ::bayes::__private::RowData>::gather(self.x, __rows),
            <Vec<bool> as ::bayes::__private::RowData>::gather(&self.y, __rows),
        )
    }
    fn refill(&self, __rows: &[usize], __rows_of_data: &mut Self::Data) {
        <DMatrix<
            f64,
        > as ::bayes::__private::RowData>::refill(self.x, __rows, &mut __rows_of_data.0);
        <Vec<
            bool,
        > as ::bayes::__private::RowData>::refill(
            &self.y,
            __rows,
            &mut __rows_of_data.1,
        );
    }
    fn numbers_of<'__data>(
        &'__data self,
        __rows_of_data: &'__data Self::Data,
        __show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &__rows_of_data.0).numbers().map(&mut *__show);
        describe("", &__rows_of_data.1).numbers().map(&mut *__show);
        describe("", &self.prior_sd).numbers().map(&mut *__show);
        describe("", &self.names).numbers().map(&mut *__show);
    }
    #[inline(always)]
    #[allow(unused_variables)]
    fn program_of<
        __M: ::bayes::__private::Mode,
        __I: ::bayes::__private::Interpreter<__M>,
    >(&self, __rows_of_data: &Self::Data, __context: &mut __I) {
        rows::<
            '_,
            K,
        >::__body::<
            __M,
            __I,
        >(
            &<DMatrix<
                f64,
            > as ::bayes::__private::RowData>::view(self.x, &__rows_of_data.0),
            self.prior_sd,
            &<Vec<
                bool,
            > as ::bayes::__private::RowData>::view(&self.y, &__rows_of_data.1),
            &self.names,
            __context,
        );
    }
}
impl<'x, const K: usize> ::bayes::__private::Differentiable for rows<'x, K> {}
impl<'x, const K: usize> ::bayes::__private::GaussianReference for rows<'x, K> {}
impl<'x, const K: usize> ::bayes::__private::GaussianPrior for rows<'x, K> {}
