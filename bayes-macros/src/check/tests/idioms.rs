//! What is usual elsewhere and no Rust is answered with what to write.

use super::{body, signature};
use crate::report::Report;

/// The whole messages about a model with this body.
fn messages(statements: &str) -> Vec<String> {
    let text = format!(
        "fn m(y: &[f64], x: &DMatrix<f64>, n: usize, on: bool) {{ let mu = sample(Normal::new(0.0, 1.0)); let z = sample(Normal::new(0.0, 1.0).iid(3)); \
         {statements} }}"
    );
    let function = syn::parse_str(&text).expect("it is a function");
    let mut report = Report::default();
    signature(&function, &mut report);
    body(&function, &mut report);
    report.messages()
}

#[test]
fn what_to_write_is_said() {
    for (statements, remedy) in [
        (
            "observe(y, CategoricalLogit::new([0.0, mu, z[1] * y[n]]));",
            "write `Real::from(0.0)`",
        ),
        (
            "let s = ode(|t, [a, b]| [mu * a, -b], [mu, -1.5]).at(y);",
            "write `Real::from(-1.5)`",
        ),
        ("factor(mu ^ 2);", "write `mu.powi(2)`"),
        ("factor((mu - 1.0) ^ 0.5);", "write `(mu - 1.0).powf(0.5)`"),
        (
            "for i in 0..n { factor(x.row(i).dot(&z)); }",
            "`let product = x * &z;` before the loop, one operation for all rows, and `product[i]` here",
        ),
        (
            "for i in 0..n { factor(x.row(i) * &z); }",
            "`z.dot(&x.row(i).transpose())`",
        ),
        ("observe(y[1..], Normal::new(mu, 1.0));", "write `&y[1..]`"),
        (
            "observe(y, Normal::new(mu * y[..n], 1.0));",
            "write `&y[..n]`",
        ),
        (
            "observe(y, Normal::new(2.0 * &z[1..], 1.0));",
            "write `Real::from(2.0)`",
        ),
        (
            "observe(y, Normal::new(mean = mu, sd = 1.0));",
            "write `Normal::new(mu, 1.0)`",
        ),
        (
            "let b = if on { sample(Normal::new(0.0, 1.0)) } else { mu };",
            "before the `if` and use `name` inside",
        ),
    ] {
        let messages = messages(statements);
        assert_eq!(messages.len(), 1, "{statements}: {messages:?}");
        assert!(messages[0].contains(remedy), "{statements}: {messages:?}");
    }
}
