/// Arguments with rows among others: a reference, a value, a number; and a param.
fn rows<const K: usize>(#[rows] x: &DMatrix<f64>, prior_sd: f64, #[rows] y: Vec<bool>, names: [u8; K]) {
    let scale = param(HalfNormal::new(1.0));
    let beta = sample(Normal::new(0.0, prior_sd).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta * scale + names.len() as f64));
}
