//! The families with their tables and priors.

use bayes::Error;
use bayes::data::Table;
use bayes_formula::{Regression, formula};

/// The number of rows, five in each of six groups.
const ROWS: usize = 30;

/// Priors of all families: moderate, so that simulated responses are neither all equal nor beyond what numbers hold, and scales of groups
/// away from 0, where chains diverge.
const COMMON: [&str; 2] = ["b ~ normal(0, 0.5)", "sd ~ gamma(4, 8)"];

/// A family with its response and its priors.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) response: Response,
    /// In addition to the [`COMMON`] ones.
    pub(crate) priors: &'static [&'static str],
}

/// The columns of responses, whose numbers do not matter, except that a family allows them and that grades and labels are all there.
#[derive(Clone, Copy)]
pub(crate) enum Response {
    Real,
    Positive,
    Share,
    Binary,
    Trials,
    Counts,
    Angle,
    FromZero,
    ShareFromZero,
    ClosedShare,
    Grades,
    Labels,
    ColumnsOfCounts,
    ColumnsOfShares,
}

const fn case(name: &'static str, response: Response, priors: &'static [&'static str]) -> Case {
    Case {
        name,
        response,
        priors,
    }
}

pub(crate) const CASES: [Case; 36] = [
    case(
        "gaussian",
        Response::Real,
        &["Intercept ~ normal(0, 1)", "sigma ~ gamma(4, 4)"],
    ),
    case(
        "student",
        Response::Real,
        &[
            "Intercept ~ normal(0, 1)",
            "sigma ~ gamma(4, 4)",
            "nu ~ gamma(8, 1)",
        ],
    ),
    case(
        "skew-normal",
        Response::Real,
        &[
            "Intercept ~ normal(0, 1)",
            "sigma ~ gamma(4, 4)",
            "alpha ~ normal(0, 2)",
        ],
    ),
    case(
        "ex-gaussian",
        Response::Real,
        &[
            "Intercept ~ normal(0, 1)",
            "sigma ~ gamma(4, 4)",
            "beta ~ gamma(4, 4)",
        ],
    ),
    case(
        "lognormal",
        Response::Positive,
        &["Intercept ~ normal(0, 1)", "sigma ~ gamma(4, 4)"],
    ),
    case(
        "gamma",
        Response::Positive,
        &["Intercept ~ normal(0, 1)", "shape ~ gamma(6, 2)"],
    ),
    case(
        "weibull",
        Response::Positive,
        &["Intercept ~ normal(0, 1)", "shape ~ gamma(6, 2)"],
    ),
    case(
        "inverse-gaussian",
        Response::Positive,
        &["Intercept ~ normal(0, 1)", "shape ~ gamma(6, 2)"],
    ),
    case(
        "exponential",
        Response::Positive,
        &["Intercept ~ normal(0, 1)"],
    ),
    case(
        "frechet",
        Response::Positive,
        &["Intercept ~ normal(0, 1)", "nu ~ gamma(8, 2)"],
    ),
    case("cox", Response::Positive, &["Intercept ~ normal(0, 1)"]),
    case(
        "beta",
        Response::Share,
        &["Intercept ~ normal(0, 1)", "phi ~ gamma(6, 0.6)"],
    ),
    case("bernoulli", Response::Binary, &["Intercept ~ normal(0, 1)"]),
    case("binomial", Response::Trials, &["Intercept ~ normal(0, 1)"]),
    case(
        "beta-binomial",
        Response::Trials,
        &["Intercept ~ normal(0, 1)", "phi ~ gamma(6, 0.6)"],
    ),
    case(
        "zero-inflated-binomial",
        Response::Trials,
        &["Intercept ~ normal(0, 1)", "zi ~ beta(2, 4)"],
    ),
    case(
        "zero-inflated-beta-binomial",
        Response::Trials,
        &[
            "Intercept ~ normal(0, 1)",
            "phi ~ gamma(6, 0.6)",
            "zi ~ beta(2, 4)",
        ],
    ),
    case("poisson", Response::Counts, &["Intercept ~ normal(0, 1)"]),
    case("geometric", Response::Counts, &["Intercept ~ normal(0, 1)"]),
    case(
        "negative-binomial",
        Response::Counts,
        &["Intercept ~ normal(0, 1)", "shape ~ gamma(6, 2)"],
    ),
    case(
        "zero-inflated-poisson",
        Response::Counts,
        &["Intercept ~ normal(0, 1)", "zi ~ beta(2, 4)"],
    ),
    case(
        "zero-inflated-negative-binomial",
        Response::Counts,
        &[
            "Intercept ~ normal(0, 1)",
            "shape ~ gamma(6, 2)",
            "zi ~ beta(2, 4)",
        ],
    ),
    case(
        "hurdle-poisson",
        Response::Counts,
        &["Intercept ~ normal(0, 1)", "hu ~ beta(2, 4)"],
    ),
    case(
        "hurdle-negative-binomial",
        Response::Counts,
        &[
            "Intercept ~ normal(0, 1)",
            "shape ~ gamma(6, 2)",
            "hu ~ beta(2, 4)",
        ],
    ),
    case(
        "von-mises",
        Response::Angle,
        &["Intercept ~ normal(0, 1)", "kappa ~ gamma(4, 1)"],
    ),
    case(
        "hurdle-gamma",
        Response::FromZero,
        &[
            "Intercept ~ normal(0, 1)",
            "shape ~ gamma(6, 2)",
            "hu ~ beta(2, 4)",
        ],
    ),
    case(
        "hurdle-lognormal",
        Response::FromZero,
        &[
            "Intercept ~ normal(0, 1)",
            "sigma ~ gamma(4, 4)",
            "hu ~ beta(2, 4)",
        ],
    ),
    case(
        "zero-inflated-beta",
        Response::ShareFromZero,
        &[
            "Intercept ~ normal(0, 1)",
            "phi ~ gamma(6, 0.6)",
            "zi ~ beta(2, 4)",
        ],
    ),
    case(
        "zero-one-inflated-beta",
        Response::ClosedShare,
        &[
            "Intercept ~ normal(0, 1)",
            "phi ~ gamma(6, 0.6)",
            "zoi ~ beta(2, 4)",
            "coi ~ beta(2, 2)",
        ],
    ),
    case(
        "cumulative",
        Response::Grades,
        &["Intercept ~ normal(0, 1.5)"],
    ),
    case("sratio", Response::Grades, &["Intercept ~ normal(0, 1.5)"]),
    case("cratio", Response::Grades, &["Intercept ~ normal(0, 1.5)"]),
    case("acat", Response::Grades, &["Intercept ~ normal(0, 1.5)"]),
    case(
        "categorical",
        Response::Labels,
        &["intercepts ~ normal(0, 1)"],
    ),
    case(
        "multinomial",
        Response::ColumnsOfCounts,
        &["intercepts ~ normal(0, 1)"],
    ),
    case(
        "dirichlet",
        Response::ColumnsOfShares,
        &["intercepts ~ normal(0, 1)", "phi ~ gamma(6, 0.6)"],
    ),
];

impl Case {
    /// The regression on its table.
    pub(crate) fn regression(&self) -> Result<Regression, Error> {
        let said = formula(self.response.formula())?.family_of_text(self.name)?;
        let mut priors = COMMON.iter().chain(self.priors);
        let said = priors.try_fold(said, |said, prior| said.prior_of_text(prior))?;
        said.on(&Table::from_csv(self.response.table().as_bytes())?)
    }
}

impl Response {
    fn formula(self) -> &'static str {
        match self {
            Self::Trials => "y | trials(n) ~ x + (1 | g)",
            Self::ColumnsOfCounts => "cbind(a, b, c) | trials(n) ~ x + (1 | g)",
            Self::ColumnsOfShares => "cbind(a, b, c) ~ x + (1 | g)",
            _ => "y ~ x + (1 | g)",
        }
    }

    /// A table of the response, a column `x` and the groups `g`.
    fn table(self) -> String {
        let names = match self {
            Self::Trials => "y,n",
            Self::ColumnsOfCounts => "a,b,c,n",
            Self::ColumnsOfShares => "a,b,c",
            _ => "y",
        };
        let mut text = format!("{names},x,g\n");
        for row in 0..ROWS {
            let x = 0.6 * ((row % 6) as f64 - 2.5);
            text += &format!("{},{x:.1},{}\n", self.cells(row), row / 5);
        }
        text
    }

    fn cells(self, row: usize) -> String {
        let wave = (3.0 * row as f64).sin();
        let share = 0.5 + 0.4 * wave;
        let is_zero = row.is_multiple_of(5);
        match self {
            Self::Real => format!("{wave}"),
            Self::Positive => format!("{}", 1.0 + 0.5 * wave),
            Self::Share => format!("{share}"),
            Self::Binary => format!("{}", row % 2),
            Self::Trials => format!("{},8", row * 5 % 9),
            Self::Counts => format!("{}", row * 5 % 7),
            Self::Angle => format!("{}", 2.0 * wave),
            Self::FromZero if is_zero => "0".to_owned(),
            Self::FromZero => format!("{}", 1.0 + 0.5 * wave),
            Self::ShareFromZero if is_zero => "0".to_owned(),
            Self::ClosedShare if is_zero => format!("{}", row % 2),
            Self::ShareFromZero | Self::ClosedShare => format!("{share}"),
            Self::Grades => format!("{}", 1 + row * 5 % 4),
            Self::Labels => ["u", "v", "w"][row * 5 % 3].to_owned(),
            Self::ColumnsOfCounts => {
                let (a, b) = (row % 4, row * 3 % 4);
                format!("{a},{b},{},10", 10 - a - b)
            }
            Self::ColumnsOfShares => {
                let part = 0.1 * wave;
                format!("{},0.25,{}", 0.25 + part, 0.5 - part)
            }
        }
    }
}
