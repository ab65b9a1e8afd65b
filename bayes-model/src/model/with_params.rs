//! A model whose params are fixed.

use super::fixed::{Fixed, fixed_model};
use super::rows::{RowCount, Rows};
use super::{
    AllSampled, DataArgument, Differentiable, GaussianPrior, GaussianReference, Interpreter, Model,
    Statement, StatementDims, StatementKind,
};
use crate::error::{Error, ValuesError};
use bayes_autodiff::Mode;
use std::fmt;

/// A model with its params at given values, made by [`Model::with_params`].
///
/// It has the random quantities, the data and the rows of the model. The values count as data: other values give another
/// fingerprint.
pub struct WithParams<'m, Mo> {
    model: &'m Mo,
    fixed: Fixed,
}

fixed_model!(WithParams, "params");

#[diagnostic::do_not_recommend]
impl<Mo> AllSampled for WithParams<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: GaussianReference> GaussianReference for WithParams<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: GaussianPrior> GaussianPrior for WithParams<'_, Mo> {}

impl<'m, Mo: Model> WithParams<'m, Mo> {
    /// Implements [`Model::with_params`].
    pub(super) fn new(model: &'m Mo, values: &[(&str, &[f64])]) -> Result<Self, Error> {
        known(model.statements(), values).map_err(|source| Error::Values {
            model: model.name().to_owned(),
            source,
        })?;
        let is_param = |statement: &Statement| statement.kind == StatementKind::Param;
        let fixed = Fixed::new(model, is_param, values)?;
        Ok(Self { model, fixed })
    }
}

fn of_kind(statements: &'static [Statement], kind: StatementKind) -> Vec<&'static str> {
    let of_kind = statements.iter().filter(|s| s.kind == kind);
    of_kind.map(|s| s.name).collect()
}

/// Checks that every name belongs to a param or a random quantity.
fn known(statements: &'static [Statement], values: &[(&str, &[f64])]) -> Result<(), ValuesError> {
    let params = of_kind(statements, StatementKind::Param);
    let random = of_kind(statements, StatementKind::Sample);
    let unknown = |name: &&str| !params.contains(name) && !random.contains(name);
    match values.iter().map(|(name, _)| *name).find(unknown) {
        None => Ok(()),
        Some(name) => Err(ValuesError::Unknown {
            name: name.to_owned(),
            known: match params.is_empty() {
                true => random.into_iter().map(str::to_owned).collect(),
                false => params.into_iter().map(str::to_owned).collect(),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{LogDensity, Particles, Posterior, Prior};
    use crate::dist::{HalfNormal, Normal};
    use crate::model::VariableKind;
    use crate::model::example::statement;
    use bayes_autodiff::Real;

    /// Two scales that are learnt, in a loop, and a mean that is sampled between them.
    struct Scales(Vec<f64>);

    impl Model for Scales {
        fn name(&self) -> &'static str {
            "scales"
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
            let first: Real<M> = interpreter.at(0).param(HalfNormal::new(1.0));
            let mu: Real<M> = interpreter.at(1).sample(Normal::new(0.0, 2.0));
            let second: Real<M> = interpreter.at(0).param(HalfNormal::new(1.0));
            let shift: Real<M> = interpreter.at(2).param(Normal::new(5.0, 1.0));
            let scale = first + second * 2.0;
            let observed = interpreter.at(3);
            observed.observe_under(Normal::new(mu + shift, scale), &self.0);
        }
    }
    impl Differentiable for Scales {}

    const NORMALISER: f64 = 0.918_938_533_204_672_8; // ln √2π

    fn scales() -> Scales {
        Scales(vec![0.3, 1.9])
    }

    /// The log likelihood at scales, mean and shift.
    fn log_likelihood(scale: f64, mean: f64) -> f64 {
        let term = |y: f64| -0.5 * ((y - mean) / scale).powi(2) - scale.ln() - NORMALISER;
        term(0.3) + term(1.9)
    }

    #[test]
    fn a_param_has_neither_a_density_nor_a_jacobian() {
        // seen to fail if `Evaluate` treats a param like a random value
        let model = scales();
        let posterior = Posterior::new(&model, 1).unwrap();
        let description = (&posterior as &dyn LogDensity).describe();
        assert_eq!(description.params, [true, false, true, true]);
        assert_eq!(
            description.layout.find("tau").unwrap().kind,
            VariableKind::Param
        );
        let at = [0.2, -0.7, -0.4, 0.6];
        let mut particle = Particles::new(1, 4);
        particle.positions.copy_from_slice(&at);
        posterior.evaluate_gradient([1.0, 0.0], &mut particle.block());
        let prior = -0.5 * (0.35f64 * 0.35) - 2.0f64.ln() - NORMALISER;
        assert!((particle.log_prior[0] - prior).abs() < 1e-14);
        let scale = 0.2f64.exp() + 2.0 * (-0.4f64).exp();
        let likelihood = log_likelihood(scale, -0.1);
        assert!((particle.log_likelihood[0] - likelihood).abs() < 1e-13);
        assert_eq!(particle.gradient, [0.0, 0.175, 0.0, 0.0]);
        // values are found by name, unlike coordinates
        let values: [(&str, &[f64]); 3] = [("tau", &[1.0, 0.5]), ("mu", &[0.7]), ("shift", &[0.1])];
        let terms = crate::model::score(&model, &values).unwrap().terms;
        assert_eq!((terms[0], terms[2]), (0.0, 0.0));
        assert!((terms[3] - log_likelihood(2.0, 0.8)).abs() < 1e-13);
    }

    #[test]
    fn the_random_values_are_drawn_at_the_params_of_a_position() {
        let model = scales();
        let posterior = Posterior::new(&model, 1).unwrap();
        let mut position = [0.2, 9.0, -0.4, 0.6];
        posterior.draw_at_params(&mut crate::rng::stream(3), &mut position);
        assert_eq!([position[0], position[2], position[3]], [0.2, -0.4, 0.6]);
        assert!(position[1].abs() < 8.0, "{position:?}");
        // the prior of the random values is Gaussian, whatever the starts are
        let reference = posterior.reference().unwrap();
        assert!(reference.is_gaussian_prior);
        assert_eq!((reference.blocks.len(), reference.blocks[0].offset), (1, 1));
    }

    #[test]
    fn fixed_params_are_data() {
        // seen to fail if values are handed out by statement instead of the order of the program
        let model = scales();
        let values: [(&str, &[f64]); 3] = [("shift", &[0.1]), ("mu", &[7.0]), ("tau", &[1.0, 0.5])];
        let fixed = model.with_params(&values).unwrap();
        let posterior = Posterior::new(&fixed, 1).unwrap();
        assert_eq!(posterior.layout().names(), ["mu"]);
        let mut particle = Particles::new(1, 1);
        particle.positions[0] = 0.7;
        posterior.evaluate(&mut particle.block());
        assert!((particle.log_likelihood[0] - log_likelihood(2.0, 0.8)).abs() < 1e-13);
        let other = model.with_params(&[("shift", &[0.1]), ("tau", &[0.5, 1.0])]);
        assert_ne!(
            crate::model::fingerprint(&fixed),
            crate::model::fingerprint(&other.unwrap())
        );
    }

    #[test]
    fn values_that_do_not_fit_are_named() {
        let model = scales();
        let refusal = |values: &[(&str, &[f64])]| match model.with_params(values) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("they fit"),
        };
        let start = "the values do not fit the model `scales`: ";
        for (values, wrong) in [
            (
                &[("rho", &[1.0][..])][..],
                "the model has no quantity `rho`; it has `tau`, `shift`",
            ),
            (
                &[("shift", &[0.1])],
                "`tau` has no value, but each random quantity needs one",
            ),
            (
                &[("shift", &[0.1]), ("tau", &[1.0])],
                "`tau` is given 1 element, but the quantity has at least 2",
            ),
            (
                &[("shift", &[0.1]), ("tau", &[1.0, 0.5, 2.0])],
                "`tau` is given 1 element more than the quantity has",
            ),
        ] {
            assert_eq!(refusal(values), format!("{start}{wrong}"));
        }
    }
}
