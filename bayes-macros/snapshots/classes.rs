/// Each datum is from one of two classes, at one of two scales.
fn classes(y: &[f64], share: f64) {
    let mean = sample(Normal::new(0.0, 3.0).iid(2));
    for i in 0..y.len() {
        let class = sum_out(Bernoulli::new(share));
        let scale = 1.0 + class as f64;
        let shift = sum_out(Bernoulli::new(0.5));
        observe(y[i], Normal::new(mean[class] + shift as f64, scale));
    }
}
