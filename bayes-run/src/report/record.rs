//! A run as one small JSON object, for programs that compare engines.

use crate::diagnose::{Estimate, Estimator};
use crate::dist::Shape;
use crate::report::SummaryRow;
use crate::run::{Run, Variable};
use serde_json::{Map, Value, json};

impl Run {
    /// The results of the run as JSON. Equal runs give equal bytes; there are no times in it.
    ///
    /// Fields: `log_evidence` and `log_evidence_se` (null for chains or unknown); `mean`, `mean_se`, `sd`
    /// and `sd_se`, the quantiles `q5`, `q50` and `q95`, and `ess_bulk`, `ess_tail` and `r_hat`, by quantity (a number for a scalar, otherwise an array, a
    /// matrix row by row);
    /// `elements`, the names of the elements of each such array; `density_evaluations`, `gradient_evaluations`; `arithmetic`, an object of `gradient` (the mode), `reason` and
    /// `instruction_set`; `warnings`, an array of texts. Numbers that are not
    /// finite are null.
    #[must_use]
    pub fn record(&self) -> Value {
        let counts = self.counts();
        let (summary, warnings) = self.summary_and_warnings();
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let rows: Vec<(&Variable, &[SummaryRow])> = self
            .layout
            .variables
            .iter()
            .map(|variable| (variable, &summary.rows[variable.range()]))
            .collect();
        let estimator = Estimator::of(self);
        let means = self.by_variable(|column| estimator.mean(column));
        let sds = self.by_variable(|column| estimator.sd(column));
        json!({
            "log_evidence": self.log_evidence(),
            "log_evidence_se": self.log_evidence_se(),
            "mean": object(&means, |estimate| estimate.mean),
            "mean_se": object(&means, |estimate| estimate.se),
            "sd": object(&sds, |estimate| estimate.mean),
            "sd_se": object(&sds, |estimate| estimate.se),
            "q5": object(&rows, |row| row.q5),
            "q50": object(&rows, |row| row.q50),
            "q95": object(&rows, |row| row.q95),
            "ess_bulk": object(&rows, |row| row.ess_bulk),
            "ess_tail": object(&rows, |row| row.ess_tail),
            "r_hat": object(&rows, |row| row.r_hat),
            "elements": self.element_names_by_variable(),
            "density_evaluations": counts.density_evaluations,
            "gradient_evaluations": counts.gradient_evaluations,
            "arithmetic": self.arithmetic,
            "warnings": warnings,
        })
    }

    /// The names of the elements of vectors and matrices: `{"b": ["b[age]", "b[smoke]"]}`.
    fn element_names_by_variable(&self) -> Value {
        let variables = self.layout.variables.iter();
        let several = variables.filter(|variable| variable.shape != Shape::Scalar);
        let entry = |variable: &Variable| (variable.name.clone(), json!(variable.element_names()));
        Value::Object(several.map(entry).collect::<Map<_, _>>())
    }

    fn by_variable(
        &self,
        statistic: impl Fn(&[Vec<f64>]) -> Estimate,
    ) -> Vec<(&Variable, Vec<Estimate>)> {
        let of = |variable: &Variable| {
            variable
                .range()
                .map(|element| statistic(&self.column(element)))
                .collect()
        };
        self.layout
            .variables
            .iter()
            .map(|variable| (variable, of(variable)))
            .collect()
    }
}

fn object<T, L: AsRef<[T]>>(variables: &[(&Variable, L)], field: fn(&T) -> f64) -> Value {
    let entry = |(variable, elements): &(&Variable, L)| {
        let values: Vec<f64> = elements.as_ref().iter().map(field).collect();
        let value = match (variable.shape, values.as_slice()) {
            (Shape::Scalar, [value]) => json!(value),
            _ => json!(values),
        };
        (variable.name.clone(), value)
    };
    Value::Object(variables.iter().map(entry).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use crate::run::example::{chains, islands};
    use serde_json::Value;

    #[test]
    fn the_record_has_the_results_by_name() {
        let run = islands(&[-3.0, -2.5, -3.5, -3.0], 100);
        let record = run.record();
        assert_eq!(record["log_evidence"].as_f64(), run.log_evidence());
        assert_eq!(record["log_evidence_se"].as_f64(), run.log_evidence_se());
        assert_eq!(
            record["mean"]["mu"].as_f64(),
            run.mean("mu").expect("mu").first().copied()
        );
        let sd: Vec<f64> = run.sd("beta").expect("beta");
        assert_eq!(record["sd"]["beta"], Value::from(sd));
        assert_eq!(record["mean_se"]["beta"].as_array().map(Vec::len), Some(2));
        let summary = run.summary();
        assert_eq!(record["q95"]["mu"].as_f64(), Some(summary.rows[0].q95));
        assert_eq!(record["r_hat"]["mu"].as_f64(), Some(summary.rows[0].r_hat));
        let ess = [1, 2].map(|row| summary.rows[row].ess_tail).to_vec();
        assert_eq!(record["ess_tail"]["beta"], Value::from(ess));
        assert_eq!(
            record["elements"],
            serde_json::json!({"beta": ["beta[0]", "beta[1]"]})
        );
        assert_eq!(record["density_evaluations"], 400);
        assert_eq!(record["gradient_evaluations"], 4000);
        assert_eq!(record["arithmetic"]["gradient"], "reverse");
        assert_eq!(record["arithmetic"]["instruction_set"], "avx2");
        assert_eq!(record["warnings"], Value::Array(Vec::new()));
    }

    #[test]
    fn equal_runs_give_equal_bytes() {
        let record = || islands(&[-3.0, -2.5], 64).record().to_string();
        assert_eq!(record(), record());
    }

    #[test]
    fn what_is_not_known_is_null_and_what_is_wrong_is_reported() {
        let single = chains(1, 3).record();
        assert!(single["mean_se"]["mu"].is_null() && single["mean"]["mu"].is_f64());
        let record = chains(2, 3).record();
        assert!(record["log_evidence"].is_null() && record["log_evidence_se"].is_null());
        let warnings = record["warnings"].as_array().expect("an array");
        assert!(
            warnings
                .iter()
                .any(|w| w.as_str().is_some_and(|w| w.contains("too short")))
        );
    }
}
