//! Functions of random values.

use super::{HELPER, PLAIN};
use crate::check::function;
use crate::report::Report;

/// The first lines of the messages about a function of random values.
fn complaints_of_function(text: &str) -> Vec<String> {
    let mut report = Report::default();
    function(&syn::parse_str(text).unwrap(), &mut report);
    let first = |message: &String| message.lines().next().unwrap_or_default().to_owned();
    report.messages().iter().map(first).collect()
}

#[test]
fn valid_functions_are_left_alone() {
    for text in [
        "fn f(a: Real, n: usize) -> Real { if n == 0 { return a; } a * n as f64 }",
        "fn f(z: &[Real; 2], w: &[Real]) -> Real { if z.len() > w.len() { z[0] } else { w[1] } }",
        "fn f(a: Option<Real>) -> Real { match a { Some(a) => a, None => Real::from(0.0) } }",
        "fn f(data: &Data, a: Real) -> Real { if data.y.primal() > 0.0 { a } else { -a } }",
        "fn f(a: Real, x: &[f64]) -> Option<Real> { Some(a * *x.first()?) }",
        "fn f<M: Mode>(s: State<M>) -> Real<M> { s.position }",
        "fn f((n, a): (usize, Real)) -> Real { if n > 2 { a } else { -a } }",
        "fn f(a: Real) -> Real { let s = Scale(a); self::sample(s); rng.observe(1); a }",
        "fn f(a: Real) -> Real { fn g(x: f64) -> f64 { sample(x) } #[function] fn h(b: Real) -> Real { b } h(a) }",
        "fn f(z: [(Real, usize); 2], a: Real) -> Real { for (x, n) in z { if n > 1 { return x; } } a }",
        "fn zero() -> [Real; 2] { [Real::from(0.0); 2] }",
    ] {
        assert_eq!(complaints_of_function(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_wrong_in_a_model_is_wrong_in_a_function() {
    let differs = "differs from particle to particle";
    for (text, wrong) in [
        (
            "fn f(a: Real) -> Real { if a > 0.0 { a } else { -a } }",
            format!("`if` cannot depend on a random value: `a > 0.0` {differs}"),
        ),
        (
            "fn f(z: &[Real]) -> Real { let w = z; while w[0] < 1.0 {} w[0] }",
            format!("`while` cannot depend on a random value: `w[0] < 1.0` {differs}"),
        ),
        (
            "fn f([x, _]: [Real; 2]) -> Real { match x { _ => x } }",
            format!("`match` cannot depend on a random value: `x` {differs}"),
        ),
        (
            "fn f((a, n): &(Real, usize)) -> Real { let b = *a == 1.0; *a }",
            format!("a random value cannot be compared: `*a == 1.0` {differs}"),
        ),
        (
            "fn f(z: (Real, Real)) -> Real { let (x, y) = z; if x.lt(y) { x } else { y } }",
            format!("`if` cannot depend on a random value: `x.lt(y)` {differs}"),
        ),
        (
            "fn f(v: &Vector, y: &[f64]) -> f64 { y[v[0] as usize] }",
            "`v[0] as usize` is random and cannot be an index of `y`".to_owned(),
        ),
    ] {
        assert_eq!(complaints_of_function(text), [wrong], "{text}");
    }
}

#[test]
fn a_function_has_no_statements_and_reads_no_plain_value() {
    for (text, wrong) in [
        (
            "fn f(a: Real) -> Real { let mut total = 0.0; total += a; a }",
            "`a` is random, but `total` is a plain number",
        ),
        ("fn f(a: Real) -> Real { g(a).primal(); a }", PLAIN),
        (
            "fn f<T: Into<Real>>(a: T) -> Real { a.primal(); a.into() }",
            PLAIN,
        ),
        (
            "fn f(a: Real) -> Real { println!(\"{}\", a.primal()); a }",
            PLAIN,
        ),
        (
            "fn f(a: Real) -> Real { let b = sample(Normal::new(a, 1.0)); a + b }",
            "`sample` in a function: statements must be in the model",
        ),
        (
            "fn f(a: Real) -> Real { for _ in 0..3 { observe(1.0, Normal::new(a, 1.0)); } a }",
            "`observe` in a function: statements must be in the model",
        ),
        (
            "fn f(a: Real) -> Vec<Real> { vec![factor(a)] }",
            "`factor` in a function: statements must be in the model",
        ),
        (
            "fn f(x: f64) -> f64 { x }",
            "neither the arguments nor the result of `f` are random",
        ),
        (
            "async fn f(a: Real) -> Real { a }",
            "a function of random values cannot be `async`",
        ),
        (
            "fn f(a: Real) -> Real { fn g(b: Real) -> Real { b } g(a) }",
            HELPER,
        ),
    ] {
        assert_eq!(complaints_of_function(text), [wrong], "{text}");
    }
}
