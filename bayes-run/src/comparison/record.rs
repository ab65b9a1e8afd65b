//! Estimates and comparisons as JSON objects, for other programs.

use super::{Comparison, ComparisonRow, Elpd};
use serde_json::{Value, json};

impl Elpd {
    /// The estimate as JSON: `method`, `elpd`, `elpd_se`, `effective_parameters`, `monte_carlo_error`, `observations` (their number), `names`, `pointwise`,
    /// `pareto_k`, `good_k`, `bad` (the numbers of the observations whose k-hat is too high) and `warnings`. Numbers that are not finite are null.
    #[must_use]
    pub fn record(&self) -> Value {
        json!({
            "method": self.method.name(),
            "elpd": self.elpd(),
            "elpd_se": self.se(),
            "effective_parameters": self.effective_parameters,
            "monte_carlo_error": self.mcse,
            "observations": self.pointwise.len(),
            "names": self.names,
            "pointwise": self.pointwise,
            "pareto_k": self.pareto_k,
            "good_k": self.good_k,
            "bad": self.bad(),
            "warnings": self.warnings(),
        })
    }
}

impl Comparison {
    /// The comparison as JSON: `method`, `models` (the rows of the table by the names of [`ComparisonRow`], estimates as pairs of mean and standard error),
    /// `warnings` and `notes`. Numbers that are not finite are null.
    #[must_use]
    pub fn record(&self) -> Value {
        let models: Vec<Value> = self.rows.iter().map(ComparisonRow::record).collect();
        json!({
            "method": self.method.name(),
            "models": models,
            "warnings": self.warnings,
            "notes": self.notes,
        })
    }
}

impl ComparisonRow {
    fn record(&self) -> Value {
        let pair = |estimate: crate::diagnose::Estimate| [estimate.mean, estimate.se];
        json!({
            "name": self.name,
            "elpd": self.elpd,
            "se": self.se,
            "effective_parameters": self.effective_parameters,
            "difference": self.difference,
            "difference_se": self.difference_se,
            "stacking": self.stacking,
            "pseudo_bma_plus": self.pseudo_bma_plus,
            "log_evidence": self.log_evidence.map(pair),
            "log_bayes_factor": self.log_bayes_factor.map(pair),
        })
    }
}
