/// Data by value, accumulators, closures, containers of random scalars.
#[allow(clippy::needless_range_loop)]
#[derive(::core::clone::Clone)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct autoregression<const ORDER: usize> {
    y: Vec<f64>,
    sd: f64,
}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::core::fmt::Debug for autoregression<ORDER> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("autoregression").finish_non_exhaustive()
    }
}
/// Data by value, accumulators, closures, containers of random scalars.
#[allow(clippy::needless_range_loop)]
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn autoregression<const ORDER: usize>(y: Vec<f64>, sd: f64) -> autoregression<ORDER> {
    autoregression { y, sd }
}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::bayes::__private::Model for autoregression<ORDER> {
    fn name(&self) -> &'static str {
        "autoregression"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "fn autoregression<const ORDER: usize>(y: Vec<f64>, sd: f64) {\n    let phi = sample(Normal::new(0.0, sd).iid(ORDER));\n    let mut past: Vec<Real> = vec![Real::constant(0.0); ORDER];\n    let squared = |a: Real| a * a;\n    let mut total = Real::from(0.0);\n    for t in 0..y.len() {\n        let mean = phi.dot(&past);\n        observe(y[t], Normal::new(mean, 1.0));\n        total += squared(mean);\n        past.rotate_right(1);\n        past[0] = Real::from(y[t]);\n    }\n    let energy = deterministic(total);\n    factor(-0.5 * energy);\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "phi",
                text: "let phi = sample(Normal::new(0.0, sd).iid(ORDER))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y[t], Normal::new(mean, 1.0))",
                line: 10,
            },
            Statement {
                kind: StatementKind::Deterministic,
                name: "energy",
                text: "let energy = deterministic(total)",
                line: 15,
            },
            Statement {
                kind: StatementKind::Factor,
                name: "factor",
                text: "factor(-0.5 * energy)",
                line: 16,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("y", &self.y).argument(),
            describe("sd", &self.sd).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.y).numbers().map(&mut *show);
        describe("", &self.sd).numbers().map(&mut *show);
    }
    fn rereads(&self) -> &'static [&'static str] {
        &["y"]
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::Normal;
        #[allow(unused_imports)]
        use ::bayes::__private::{Checked as _, Unchecked as _};
        let y = &self.y;
        let sd = self.sd;
        {
            let phi = __context.at(0).sample(Normal::new(0.0, sd).iid(ORDER));
            let mut past: Vec<::bayes::__private::Real<__M>> = vec![
                ::bayes::__private::Real:: < __M > ::constant(0.0); ORDER
            ];
            let squared = |a: ::bayes::__private::Real<__M>| a * a;
            let mut total = ::bayes::__private::Real::<__M>::from(0.0);
            for t in 0..y.len() {
                let mean = phi.dot(&past);
                __context
                    .at(1)
                    .observe_under(
                        Normal::new(mean, 1.0),
                        y[::bayes::__private::site(&y, t, "y", 10).in_range()],
                    );
                total += squared(mean);
                past.rotate_right(1);
                past[0] = ::bayes::__private::Real::<
                    __M,
                >::from(y[::bayes::__private::site(&y, t, "y", 13).in_range()]);
            }
            #[allow(unused_variables)]
            let energy = __context.at(2).deterministic(total);
            __context.at(3).factor(-0.5 * energy);
        }
    }
}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::bayes::__private::AllSampled for autoregression<ORDER> {}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::bayes::__private::Differentiable for autoregression<ORDER> {}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::bayes::__private::GaussianReference
for autoregression<ORDER> {}
#[allow(clippy::needless_range_loop)]
impl<const ORDER: usize> ::bayes::__private::GaussianPrior for autoregression<ORDER> {}
