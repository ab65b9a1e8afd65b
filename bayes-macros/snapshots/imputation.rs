/// A regression on two predictors with gaps.
fn imputation(person: &[String], x: &[f64], study: &Study, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(2));
    let x = impute(x, Normal::new(0.0, 1.0));
    #[dims(person)]
    let z = impute(&study.z, Gamma::new(2.0, x.exp()));
    observe(y, Normal::new(beta[0] * &x + beta[1] * &z, 1.0));
}
