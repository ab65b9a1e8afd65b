/// With a mistake in the body the model's type stays, so that nothing else fails.
fn mistaken(y: &[f64]) {
    let mu = sample(Normal::new(0.0));
    observe(y, Normal::new(mu, 1.0));
}
