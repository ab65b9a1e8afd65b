::core::compile_error! {
    "`Normal::new` takes 2 parameters; got 1\nhelp: write `Normal::new(mean, sd)`"
}
/// With a mistake in the body the model's type stays, so that nothing else fails.
#[derive(::core::clone::Clone, ::core::marker::Copy)]
#[allow(non_camel_case_types, missing_docs, clippy::type_complexity)]
struct mistaken<'y> {
    y: &'y [f64],
}
impl<'y> ::core::fmt::Debug for mistaken<'y> {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter.debug_struct("mistaken").finish_non_exhaustive()
    }
}
/// With a mistake in the body the model's type stays, so that nothing else fails.
#[allow(clippy::needless_lifetimes, clippy::too_many_arguments)]
fn mistaken<'y>(y: &'y [f64]) -> mistaken<'y> {
    mistaken { y }
}
#[allow(unexpected_cfgs)]
impl<'y> ::bayes::__private::Model for mistaken<'y> {
    fn name(&self) -> &'static str {
        ""
    }
    fn file(&self) -> &'static str {
        ""
    }
    fn statements(&self) -> &'static [::bayes::__private::Statement] {
        &[]
    }
    #[cfg(rust_analyzer)]
    #[inline(always)]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        __context: &mut __I,
    ) {
        #[allow(unused_imports)]
        use ::bayes::dist::Normal;
        let y = self.y;
        {
            let mu = __context.at(0).sample(Normal::new(0.0));
            __context.at(1).observe_under(Normal::new(mu, 1.0), y);
        }
    }
    #[cfg(not(rust_analyzer))]
    fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(
        &self,
        _: &mut __I,
    ) {}
}
impl<'y> ::bayes::__private::AllSampled for mistaken<'y> {}
impl<'y> ::bayes::__private::Differentiable for mistaken<'y> {}
impl<'y> ::bayes::__private::GaussianReference for mistaken<'y> {}
impl<'y> ::bayes::__private::GaussianPrior for mistaken<'y> {}
