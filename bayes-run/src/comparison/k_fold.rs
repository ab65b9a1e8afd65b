//! k-fold cross-validation by rows.

use super::elpd::{Elpd, LeftOutData, Method, imputed, rereads};
use super::loo::fingerprint;
use super::terms::Terms;
use crate::error::{ComparisonError, Error};
use crate::model::fingerprint::of_known;
use crate::model::rows::{Rows, Subset};
use crate::model::signature;
use crate::predict::Observed;
use crate::run::Run;

/// k-fold cross-validation: the rows are dealt at random into `folds` parts by `seed`. For each part, `infer` runs the model
/// without it, and the run predicts the part.
///
/// Use the same folds and seed for all models that are compared.
///
/// ```text
/// let elpd = k_fold(&model, 10, 1, |others| Inference::nuts().run(others))?;
/// ```
///
/// # Errors
/// [`Error::Rows`] without folds or with more folds than rows, or if random values depend on the rows; [`Error::Comparison`]
/// unless every observed variable has one observation per row; the error of the first `infer` that fails.
pub fn k_fold<Mo: Rows>(
    model: &Mo,
    folds: usize,
    seed: u64,
    infer: impl Fn(&Subset<'_, Mo>) -> Result<Run, Error>,
) -> Result<Elpd, Error> {
    let rows = model.rows()?;
    let mut observed = signature(model)?.observed;
    // data behind a sum may be part of another variable's observations
    observed.retain(|variable| variable.observations > 0 || variable.owners.is_empty());
    let uneven = observed
        .iter()
        .find(|variable| variable.observations != rows);
    if let Some(variable) = uneven {
        return Err(Error::Comparison(ComparisonError::Rows {
            variable: variable.name.clone(),
            observations: variable.observations,
            rows,
        }));
    }
    let mut pointwise = vec![f64::NAN; rows * observed.len()];
    for part in model.parts(folds, seed)? {
        let run = infer(&part.complement())?;
        let densities = run.predict(&part)?.log_predictive_densities()?;
        let here = part.indices().len();
        for (place, density) in densities.into_iter().enumerate() {
            let (variable, row) = (place / here, part.indices()[place % here]);
            pointwise[variable * rows + row] = density;
        }
    }
    let names = observed.iter();
    Ok(Elpd {
        method: Method::KFold,
        pointwise,
        names: names.flat_map(Observed::observation_names).collect(),
        effective_parameters: f64::NAN,
        pareto_k: Vec::new(),
        good_k: f64::NAN,
        mcse: f64::NAN,
        log_evidence: None,
        data: fingerprint(&observed),
        terms: Terms::of(&observed),
        unstable: 0,
        model: of_known(model),
        rereads: rereads(model),
        rereads_in_words: model.rereads_in_words(),
        approximation: None,
        imputed: imputed(model),
        left_out: LeftOutData::default(),
        of_formula: model.recipe().is_some(),
    })
}
