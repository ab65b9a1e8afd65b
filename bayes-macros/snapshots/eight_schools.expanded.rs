/// Effects of coaching in eight schools.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct eight_schools<'y, 'sigma> {
    y: &'y [f64],
    sigma: &'sigma [f64],
}
impl<'y, 'sigma> ::core::fmt::Debug for eight_schools<'y, 'sigma> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("eight_schools").finish_non_exhaustive()
    }
}
/// Effects of coaching in eight schools.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn eight_schools<'y, 'sigma>(
    y: &'y [f64],
    sigma: &'sigma [f64],
) -> eight_schools<'y, 'sigma> {
    eight_schools { y, sigma }
}
impl<'y, 'sigma> ::bayes::__private::Model for eight_schools<'y, 'sigma> {
    fn name(&self) -> &'static str {
        "eight_schools"
    }
    fn file(&self) -> &'static str {
        ::core::file!()
    }
    fn source(&self) -> &'static str {
        "fn eight_schools(y: &[f64], sigma: &[f64]) {\n    let mu = sample(Normal::new(0.0, 5.0));\n    let tau = sample(HalfCauchy::new(5.0));\n    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));\n    for j in 0..y.len() {\n        let theta = mu + tau * z[j];\n        observe(y[j], Normal::new(theta, sigma[j]));\n    }\n}"
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        #[allow(unused_imports)]
        use ::bayes::__private::{Statement, StatementKind};
        &[
            Statement {
                kind: StatementKind::Sample,
                name: "mu",
                text: "let mu = sample(Normal::new(0.0, 5.0))",
                line: 3,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "tau",
                text: "let tau = sample(HalfCauchy::new(5.0))",
                line: 4,
            },
            Statement {
                kind: StatementKind::Sample,
                name: "z",
                text: "let z = sample(Normal::new(0.0, 1.0).iid(y.len()))",
                line: 5,
            },
            Statement {
                kind: StatementKind::Observe,
                name: "y",
                text: "observe(y[j], Normal::new(theta, sigma[j]))",
                line: 8,
            },
        ]
    }
    fn data(&self) -> ::std::vec::Vec<::bayes::__private::DataArgument> {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        ::core::convert::From::from([
            describe("y", &self.y).argument(),
            describe("sigma", &self.sigma).argument(),
        ])
    }
    fn numbers<'__data>(
        &'__data self,
        show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
    ) {
        #[allow(unused_imports)]
        use ::bayes::__private::{Known as _, Unknown as _, describe};
        describe("", &self.y).numbers().map(&mut *show);
        describe("", &self.sigma).numbers().map(&mut *show);
    }
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::{HalfCauchy, Normal};
        #[allow(unused_imports)]
        use ::bayes::__private::{Checked as _, Unchecked as _};
        let y = self.y;
        let sigma = self.sigma;
        {
            let mu = __context.at(0).sample(Normal::new(0.0, 5.0));
            let tau = __context.at(1).sample(HalfCauchy::new(5.0));
            let z = __context.at(2).sample(Normal::new(0.0, 1.0).iid(y.len()));
            for j in 0..y.len() {
                let theta = mu
                    + tau * z[::bayes::__private::site(&z, j, "z", 7).in_range()];
                __context
                    .at(3)
                    .observe_under(
                        Normal::new(
                            theta,
                            sigma[::bayes::__private::site(&sigma, j, "sigma", 8)
                                .in_range()],
                        ),
                        y[::bayes::__private::site(&y, j, "y", 8).in_range()],
                    );
            }
        }
    }
}
impl<'y, 'sigma> ::bayes::__private::AllSampled for eight_schools<'y, 'sigma> {}
impl<'y, 'sigma> ::bayes::__private::Differentiable for eight_schools<'y, 'sigma> {}
impl<'y, 'sigma> ::bayes::__private::GaussianReference for eight_schools<'y, 'sigma> {}
