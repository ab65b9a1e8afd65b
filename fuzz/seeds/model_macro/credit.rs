pub fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta)); // whole vectors in one statement
}
