/// Effects of coaching in eight schools.
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        let theta = mu + tau * z[j];
        observe(y[j], Normal::new(theta, sigma[j]));
    }
}
