use bayes::prelude::*;

#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

fn main() {
    let x = DMatrix::zeros(2, 1);
    let model = credit(&x, &[true, false]);
    let _ = model.subset(&[1]);
}
