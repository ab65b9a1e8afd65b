/// Data by value, accumulators, closures, containers of random scalars.
#[allow(clippy::needless_range_loop)]
fn autoregression<const ORDER: usize>(y: Vec<f64>, sd: f64) {
    let phi = sample(Normal::new(0.0, sd).iid(ORDER));
    let mut past: Vec<Real> = vec![Real::constant(0.0); ORDER];
    let squared = |a: Real| a * a;
    let mut total = Real::from(0.0);
    for t in 0..y.len() {
        let mean = phi.dot(&past);
        observe(y[t], Normal::new(mean, 1.0));
        total += squared(mean);
        past.rotate_right(1);
        past[0] = Real::from(y[t]);
    }
    let energy = deterministic(total);
    factor(-0.5 * energy);
}
