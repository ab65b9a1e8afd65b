use bayes::prelude::*;

#[model]
fn series(y: &[f64], x: &[f64], row: &[&str]) {
    let phi = sample(Normal::new(0.0, 1.0));
    let logs: Vec<f64> = x.iter().map(|x| x.ln()).collect();
    #[dims(row, row)]
    let z = impute(&logs, Normal::new(phi, 1.0));
    let late = impute(&y[3..], Normal::new(phi, 1.0));
    for t in 0..y.len() {
        let y = impute(y[t], Normal::new(phi, 1.0));
    }
}

fn main() {}
