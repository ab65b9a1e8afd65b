//! Names of dimensions and of the places along them.

use super::{Run, RunError};
use crate::model::Dim;

impl Run {
    /// Names the dimensions of a quantity and the places along each, so that tables, warnings, pictures and files say `theta[Choate]` in place
    /// of `theta[0]`. A vector has one dimension, a matrix two, rows first. The names are saved with the run.
    ///
    /// ```text
    /// let run = run.with_dims("theta", [("school", &SCHOOLS)])?;
    /// println!("{}", run.summary().row("theta[Choate]").unwrap().mean);
    /// run.plot().of(["theta[Choate]"]).trace()?;
    /// let by_year = run.with_dims("level", [("year", 1990..2020)])?;
    /// ```
    ///
    /// A model can name them itself, by `#[dims(school)]` at a statement. Runs are merged before their dimensions are named here.
    ///
    /// # Errors
    /// [`RunError::UnknownName`]. [`RunError::Dims`] if the numbers of dimensions or of places do not fit; if a place occurs twice, is
    /// empty, or contains one of `[],"` or a control character such as a line end; or if another quantity has other places along a
    /// dimension of the same name.
    pub fn with_dims<C>(
        mut self,
        name: &str,
        dims: impl IntoIterator<Item = (&'static str, C)>,
    ) -> Result<Self, RunError>
    where
        C: IntoIterator,
        C::Item: ToString,
    {
        let dims = dims
            .into_iter()
            .map(|(name, places)| Dim::new(name, places));
        let dims: Vec<Dim> = dims.collect();
        self.variable(name)?;
        let named = self.layout.name_dims(name, &dims);
        named.map_err(|reason| RunError::Dims {
            name: name.to_owned(),
            reason,
        })?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::Shape;
    use crate::run::example::chains;

    const SCHOOLS: [&str; 2] = ["Choate", "Deerfield"];

    #[test]
    fn elements_are_called_by_their_places() {
        let run = chains(2, 300)
            .with_dims("beta", [("school", SCHOOLS)])
            .expect("two schools");
        assert_eq!(
            run.layout.element_names(),
            ["mu", "beta[Choate]", "beta[Deerfield]"]
        );
        let text = run.to_string();
        assert!(
            text.contains("beta[Choate]") && !text.contains("beta[0]"),
            "{text}"
        );
        let mut csv = Vec::new();
        run.to_csv(&mut csv).expect("memory takes all");
        assert!(csv.starts_with(b".chain,.draw,.log_weight,mu,beta[Choate],beta[Deerfield]\n"));
        let mut json = Vec::new();
        run.to_json(&mut json).expect("memory takes all");
        let back =
            Run::from_json(&String::from_utf8(json).expect("it is text")).expect("it is a run");
        assert_eq!(back.layout, run.layout);
        let years = chains(2, 10)
            .with_dims("beta", [("year", 1990..1992)])
            .expect("two years");
        assert_eq!(years.layout.element_names()[2], "beta[1991]");
    }

    #[test]
    fn a_matrix_has_two_dimensions() {
        let mut run = chains(1, 4);
        run.layout.variables[1].shape = Shape::Matrix(1, 2);
        let dims = [("sex", vec!["all"]), ("school", SCHOOLS.to_vec())];
        let run = run.with_dims("beta", dims).expect("one row of two");
        assert_eq!(run.layout.element_names()[2], "beta[all,Deerfield]");
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        let refusal = |name: &str, dim: &'static str, places: &[&str]| {
            let run = chains(1, 4).with_dims(name, [(dim, places)]);
            run.expect_err("it does not fit").to_string()
        };
        let cases = [
            (
                refusal("mu", "school", &SCHOOLS),
                "the dimensions of `mu` cannot be named: it is a single number, which has no dimension",
            ),
            (
                refusal("beta", "school", &["Choate"]),
                "`school` has 1 places for 2 elements",
            ),
            (
                refusal("beta", "school", &["a", "a"]),
                "`a` is there twice along `school`",
            ),
            (
                refusal("beta", "school", &["a", "b,c"]),
                "a place along `school` is `b,c`",
            ),
            (
                refusal("beta", "school", &["a", "b\nc"]),
                "a place along `school` is `b\\nc`; it must not be empty or contain [ ] , or \", a line end (\\n)",
            ),
            (
                refusal("beta", "", &SCHOOLS),
                "a dimension needs a name of its own",
            ),
            (
                refusal("beta", "mu", &SCHOOLS),
                "`mu` is the name of a quantity, or of a dimension that all draws have",
            ),
            (
                refusal("betta", "school", &SCHOOLS),
                "no quantity is called `betta`, did you mean `beta`?",
            ),
        ];
        for (found, wanted) in cases {
            assert!(found.contains(wanted), "{found}");
        }
        let mut two = chains(1, 4)
            .with_dims("beta", [("school", SCHOOLS)])
            .expect("it fits");
        two.layout.variables[0].shape = Shape::Vector(1);
        let error = two
            .with_dims("mu", [("school", ["Choate"])])
            .expect_err("other schools");
        assert!(
            error
                .to_string()
                .contains("`beta` has other places along `school`"),
            "{error}"
        );
    }
}
