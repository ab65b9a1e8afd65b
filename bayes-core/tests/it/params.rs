//! Engines and models with params, which are learnt and not sampled.

use bayes_autodiff::{Mode, Real};
use bayes_core::density::Posterior;
use bayes_core::dist::{HalfNormal, Normal};
use bayes_core::engine::Inference;
use bayes_core::model::example::statement;
use bayes_core::model::{Differentiable, Interpreter, Model, Statement, StatementKind};

/// A scale and a shift that are learnt, and a mean that is sampled.
struct Scale(Vec<f64>);

impl Model for Scale {
    fn name(&self) -> &'static str {
        "scale"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 4] = [
            statement(StatementKind::Param, "tau"),
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Param, "shift"),
            statement(StatementKind::Observe, "y"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let tau: Real<M> = interpreter.at(0).param(HalfNormal::new(1.0));
        let mu: Real<M> = interpreter.at(1).sample(Normal::new(0.0, 2.0));
        let shift: Real<M> = interpreter.at(2).param(Normal::new(5.0, 1.0));
        let observed = interpreter.at(3);
        observed.observe_under(Normal::new(mu + shift, tau), &self.0);
    }
}
impl Differentiable for Scale {}

#[test]
fn engines_that_only_sample_refuse_params() {
    let model = Scale(vec![0.3, 1.9]);
    let posterior = Posterior::new(&model, 1).expect("it is valid");
    let wanted = "the model `scale` has params, `tau`, `shift`, which are learnt and not sampled; learn them first, \
                  `let learnt = Inference::ohsmc().run(&model)?`, and run this engine on \
                  `&model.with_params(&learnt.values())?`";
    let refusals = [
        Inference::nuts().run_on(&posterior),
        Inference::psmc().run_on(&posterior),
        Inference::tempering().run_on(&posterior),
        Inference::vi().run_on(&posterior),
        Inference::swag().run_on(&posterior),
    ];
    for refusal in refusals {
        assert_eq!(refusal.expect_err("it has params").to_string(), wanted);
    }
    // an optimiser does not
    assert!(Inference::map().epochs(3).run(&model).is_ok());
}

#[test]
fn params_that_are_fixed_are_data_of_a_sampler() {
    let model = Scale(vec![0.3, 1.9]);
    let values: [(&str, &[f64]); 2] = [("shift", &[0.1]), ("tau", &[1.0])];
    let fixed = model.with_params(&values).expect("they fit");
    let nuts = Inference::nuts().chains(1).burn_in(10).draws(2);
    assert_eq!(nuts.run(&fixed).expect("it runs").layout.names(), ["mu"]);
}
