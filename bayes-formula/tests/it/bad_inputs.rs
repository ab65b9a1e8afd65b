//! Sixty bad inputs, of formulas, data and priors: each is refused before sampling, by a message with the place and the mend.

use crate::of;
use bayes_formula::formula;

/// A formula with a family and a prior (empty for the defaults) on a table, and words of the message.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

const ROWS: &str = "y,x,w,c,k,g,h,n,one\n1.5,1,2,0,1,a,p,3,1\n2.5,2,4,1,0,b,p,4,1\n0.5,3,6,2,1,a,p,5,1\n3.5,5,10,3,0,b,p,2,1\n";

/// Formulas.
const FORMULAS: &[Case] = &[
    (
        "y",
        "gaussian",
        "",
        ROWS,
        &["a formula is a response, `~` and terms: `y ~ x`"],
    ),
    (
        "y ~",
        "gaussian",
        "",
        ROWS,
        &["something is missing after `~`"],
    ),
    (
        "y ~ x +",
        "gaussian",
        "",
        ROWS,
        &["something is missing after `+`"],
    ),
    (
        "y ~ (x",
        "gaussian",
        "",
        ROWS,
        &["this bracket does not close"],
    ),
    ("y ~ xx", "gaussian", "", ROWS, &["no column `xx`", "`x`"]),
    ("yy ~ x", "gaussian", "", ROWS, &["no column `yy`", "`y`"]),
    (
        "y ~ x + (1 | gg)",
        "gaussian",
        "",
        ROWS,
        &["no column `gg`", "`g`"],
    ),
    (
        "y ~ sqtr(x)",
        "gaussian",
        "",
        ROWS,
        &["did you mean `sqrt`?"],
    ),
    (
        "y ~ log(c)",
        "gaussian",
        "",
        ROWS,
        &["-inf in row 1", "leave the row out"],
    ),
    (
        "y ~ x + w",
        "gaussian",
        "",
        ROWS,
        &["`w` is a sum of others (x)", "leave one out"],
    ),
    (
        "y ~ one",
        "gaussian",
        "",
        ROWS,
        &["`one` is the same in all rows", "leave it out"],
    ),
    (
        "y ~ x + h",
        "gaussian",
        "",
        ROWS,
        &["`h` is `p` in all rows", "leave it out"],
    ),
    (
        "y ~ (1 | h)",
        "gaussian",
        "",
        ROWS,
        &["`h` has one level", "at least two"],
    ),
    (
        "y ~ x + y",
        "gaussian",
        "",
        ROWS,
        &["the response cannot be a term too"],
    ),
    ("y ~ x | g", "gaussian", "", ROWS, &["in brackets"]),
    ("y ~ (x | x)", "gaussian", "", ROWS, &["`x`", "(1 | x)"]),
    (
        "y ~ (1 | g) + (1 | g)",
        "gaussian",
        "",
        ROWS,
        &["varies in two terms", "leave one out"],
    ),
    (
        "y ~ x; sigm ~ x",
        "gaussian",
        "",
        ROWS,
        &["`sigm` is no parameter", "sigma"],
    ),
    (
        "y ~ x; sigma ~ x; sigma ~ w",
        "gaussian",
        "",
        ROWS,
        &["`sigma` has two formulas", "leave one out"],
    ),
    (
        "y ~ poly(x, 9)",
        "gaussian",
        "",
        ROWS,
        &["more than 9 different values"],
    ),
    (
        "y ~ me(x, w)",
        "gaussian",
        "",
        ROWS,
        &["no function `me`", "measurement error", "`#[model]`"],
    ),
    (
        "y | weight(w) ~ x",
        "gaussian",
        "",
        ROWS,
        &["did you mean `weights`?"],
    ),
    (
        "y ~ mo(y)",
        "gaussian",
        "",
        ROWS,
        &["the response cannot be a term too"],
    ),
    (
        "y ~ factor(g, base = \"q\")",
        "gaussian",
        "",
        ROWS,
        &["`g` has no level `q`", "a, b"],
    ),
];

/// Responses and columns.
const DATA: &[Case] = &[
    (
        "y ~ x",
        "poisson",
        "",
        ROWS,
        &["`y` is 1.5 in row 1", "whole numbers from 0"],
    ),
    (
        "c ~ x",
        "gamma",
        "",
        ROWS,
        &["`c` is 0 in row 1", "above 0"],
    ),
    (
        "y ~ x",
        "beta",
        "",
        ROWS,
        &["`y` is 1.5 in row 1", "between 0 and 1"],
    ),
    (
        "c ~ x",
        "bernoulli",
        "",
        ROWS,
        &["`c` is 2 in row 3", "0 and 1"],
    ),
    ("c ~ x", "binomial", "", ROWS, &["`c | trials(n) ~ ..`"]),
    ("one ~ x", "gaussian", "", ROWS, &["`one` is 1 in all rows"]),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,2%\n2,3%\n4,5%\n",
        &["`2%` in row 1", "percentages; write", "factor(d)"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,\"1,200\"\n2,\"1,300\"\n4,\"2,500\"\n",
        &[
            "`1,200` in row 1",
            "separators; write them without",
            "factor(d)",
        ],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,1 200\n2,1 300\n4,2 500\n",
        &["`1 200` in row 1", "separators; write them without"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,$5\n2,$6\n4,$8\n",
        &["`$5` in row 1", "write them as numbers, 5"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,01/02/2024\n2,02/02/2024\n4,05/02/2024\n",
        &["`01/02/2024` in row 1", "year, month and day", "days("],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,2024-02-01\n2,2024-13-02\n4,2024-02-05\n",
        &["`d` holds dates, but", "line 3", "2024-13-02"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,1.2e3x\n2,2x\n4,3x\n",
        &["`2x` in row 2", "with a unit; write the numbers alone"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,12:30\n2,12:45\n4,13:00\n",
        &["`12:30` in row 1", "12.5 hours"],
    ),
    (
        "y ~ log(d)",
        "gaussian",
        "",
        "y,d\n1,5 mg\n2,6 mg\n4,9 mg\n",
        &["`5 mg` in row 1", "write the numbers alone"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,5\n2,six\n4,9\n",
        &["six", "`d`", "factor(d)"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,5\n2,\n4,9\n",
        &["`d` has no value in 1 of 3 rows", "--drop-missing"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,2024-02-01\n2,\n4,2024-02-05\n",
        &["`d`", "no value"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,1e308\n2,-1e308\n4,3\n",
        &["`d`", "squares are beyond", "other units"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,1e-200\n2,2e-200\n4,3e-200\n",
        &["`d`", "squares are beyond", "other units"],
    ),
    (
        "y ~ d",
        "gaussian",
        "",
        "y,d\n1,1000000000001\n2,1000000000002\n4,1000000000003\n",
        &["`d`", "less than a billionth", "subtract"],
    ),
    (
        "y ~ x",
        "gaussian",
        "",
        "y,x\n1e308,1\n2,2\n-1e308,4\n",
        &["`y`", "squares are beyond", "divide it"],
    ),
    ("y ~ x", "gaussian", "", "y,x\n", &["the table has no rows"]),
    (
        "y ~ factor(d)",
        "gaussian",
        "",
        "y,d\n1,0.5\n2,0.50\n4,1\n",
        &["`0.5` and `0.50`", "write them alike"],
    ),
];

/// Priors.
const PRIORS: &[Case] = &[
    (
        "y ~ x",
        "gaussian",
        "b[z] ~ normal(0, 1)",
        ROWS,
        &["`b` has no `z`", "it has x"],
    ),
    (
        "y ~ x + w:c",
        "gaussian",
        "b[w:d] ~ normal(0, 1)",
        ROWS,
        &["`b` has no `w:d`", "did you mean `w:c`?"],
    ),
    (
        "y ~ x",
        "gaussian",
        "sigm ~ exponential(1)",
        ROWS,
        &["no parameter `sigm`", "did you mean `sigma`?"],
    ),
    (
        "y ~ x",
        "gaussian",
        "nu ~ gamma(2, 0.1)",
        ROWS,
        &["this regression has no `nu`", "bayes priors"],
    ),
    (
        "y ~ x",
        "gaussian",
        "sd ~ exponential(1)",
        ROWS,
        &["this regression has no `sd`"],
    ),
    (
        "y ~ x",
        "gaussian",
        "cor ~ lkj(2)",
        ROWS,
        &["cor", "this formula has none", "(1 + x | g)"],
    ),
    (
        "y ~ (1 | g)",
        "gaussian",
        "cor ~ lkj(2)",
        ROWS,
        &["cor", "this formula has none"],
    ),
    (
        "y ~ x",
        "gaussian",
        "rescor ~ lkj(2)",
        ROWS,
        &["set_rescor(TRUE)"],
    ),
    (
        "y ~ x",
        "gaussian",
        "b ~ normal(0, 1); b ~ normal(0, 2)",
        ROWS,
        &["`b` has two priors", "leave one out"],
    ),
    (
        "y ~ x",
        "gaussian",
        "b ~ horseshoe(1); b ~ normal(0, 2)",
        ROWS,
        &["`b` has two priors"],
    ),
    (
        "y ~ x",
        "gaussian",
        "sigma ~ normal(0, 1)",
        ROWS,
        &["`sigma` is above 0"],
    ),
    (
        "y ~ x",
        "gaussian",
        "b ~ norml(0, 1)",
        ROWS,
        &["no prior `norml`", "normal"],
    ),
    (
        "y ~ x",
        "gaussian",
        "b ~ normal(0, -1)",
        ROWS,
        &["`sd` is -1", "above 0"],
    ),
    (
        "y ~ x",
        "gaussian",
        "b normal(0, 1)",
        ROWS,
        &["`b ~ normal(0, 1)`"],
    ),
];

fn message((text, family, priors, rows, _): &Case) -> Result<(), bayes::Error> {
    let mut made = formula(text)?.family_of_text(family)?;
    for prior in priors.split(';').filter(|prior| !prior.is_empty()) {
        made = made.prior_of_text(prior)?;
    }
    made.on(&of(rows)).map(|_| ())
}

#[test]
fn each_of_sixty_bad_inputs_is_refused_with_its_place_and_mend() {
    let all = [FORMULAS, DATA, PRIORS].concat();
    assert!(all.len() >= 60, "{}", all.len());
    let mut poor = Vec::new();
    for case in &all {
        let found = message(case).err().map(|error| error.to_string());
        let found = found.unwrap_or_else(|| "accepted".to_owned());
        if !case.4.iter().all(|words| found.contains(words)) {
            poor.push(format!("{} / {} / {:?}: {found}", case.0, case.2, case.3));
        }
    }
    assert!(
        poor.is_empty(),
        "{} of {}\n{}",
        poor.len(),
        all.len(),
        poor.join("\n")
    );
}
