//! The fixes recommended by the messages of `impute/`.

use bayes::prelude::*;

#[model]
fn regression(
    person: &[&str],
    x: &[f64],
    late: &[f64],
    z: &DMatrix<f64>,
    count: &[u64],
    known: &[bool],
) {
    let mu = sample(Normal::new(0.0, 1.0));
    #[dims(person)]
    let x = impute(x, Normal::new(mu, 1.0));
    let late = impute(late, Normal::new(mu, 1.0).truncated(0.0, 3.0));
    let first = impute(z.column(0), Normal::new(mu, 1.0));
    let second = impute(z.column(1), Normal::new(0.5 * &first, 1.0));
    for i in 0..x.len() {
        if known[i] {
            observe(count[i], PoissonLog::new(x[i]));
        }
    }
    let count_new = generate(PoissonLog::new(&x));
    factor(late.sum() - second.norm_squared());
}

pub fn main() {
    let gap = f64::NAN;
    let z = DMatrix::from_row_slice(2, 2, &[gap, 1.0, 0.5, gap]);
    let (x, late) = ([gap, 0.3], [1.0, gap]);
    let model = regression(&["Ann", "Ben"], &x, &late, &z, &[0, 2], &[false, true]);
    let run = Inference::nuts()
        .chains(1)
        .burn_in(20)
        .draws(20)
        .run(&model);
    assert_eq!(
        run.expect("the model is sound").layout.element_names(),
        ["mu", "x[Ann]", "late[1]", "first[0]", "second[1]"]
    );
}
