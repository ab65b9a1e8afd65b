//! Valid and invalid bodies; the full messages are tested in `tests/ui/`.

mod functions;
mod idioms;
mod sums;

use super::{body, signature};
use crate::report::Report;

/// The first lines of the messages about a function.
fn complaints(function: &str) -> Vec<String> {
    let function = syn::parse_str(function).unwrap();
    let mut report = Report::default();
    signature(&function, &mut report);
    body(&function, &mut report);
    report
        .messages()
        .iter()
        .map(|m| m.lines().next().unwrap_or_default().to_owned())
        .collect()
}

fn complaints_in(body: &str) -> Vec<String> {
    let head =
        "let mu = sample(Normal::new(0.0, 1.0)); let z = sample(Normal::new(0.0, 1.0).iid(3));";
    complaints(&format!(
        "fn m(y: &[f64], data: &Data, n: usize) {{ {head} {body} }}"
    ))
}

#[test]
fn valid_bodies_are_left_alone() {
    for body in [
        "let z = ode(|t, [a]| if t > 1.0 { [mu - a] } else { [mu] }, [mu]).steps(n).at(y); factor(z[(n, 0)]);",
        "let other = my::ode(|t, a| if a > 1.0 { a } else { t }, 2.0); let a = 1.0; if a > other {}",
        "if z.len() > 3 { observe(y, Normal::new(mu, 1.0)); }",
        "if y[0] > 1.0 && n == 2 { factor(mu) } else { factor(-mu) }",
        "for (i, b) in z.iter().enumerate() { if i > 0 { factor(*b); } }",
        "for i in 0..z.len() { if i == 2 { break; } observe(y[i], Normal::new(z[i], 1.0)); }",
        "let mu = 3.0; if mu > 0.0 { factor(z[0]); }",
        "let k = f(mu); match k { 0 => factor(mu), _ => {} }",
        "let clip = |mu: f64| if mu > 0.0 { mu } else { 0.0 }; factor(mu * clip(y[0]));",
        "while n > data.y.len() { factor(mu); }",
        "let Pair { a, b } = both(&z); if a > b {}",
        "let best = data.y.iter().map(|x| x * 2.0).filter(|mu| *mu > 0.0).count(); factor(mu * best as f64);",
        "let first = data.find(|x| { if x.bad { return false; } true });",
        "let rows = y.chunks(2).map(|c| parse(c).ok().and_then(|v| Some(v?))).count();",
        "data.sample(3); helper::observe(1); let s = rng.sample(d);",
        "let _ = format!(\"{mu:?} {}\", sample_size(n)); println!(\"{}\", rng.sample(2));",
        "let w = { let raw = sample(Gamma::new(1.0, 1.0)); raw / 2.0 }; factor(w);",
        "for t in 0..n { let x = sample(Normal::new(0.0, 1.0)); for v in y { if *v > 0.0 { continue; } factor(x); } }",
        "let total: Real = Real::from(0.0); factor(Real::select(total.lt(mu), total, mu));",
        "observe(data.y[n], MyNormal::new(mu)); observe(y, crate::Nromal::new(mu));",
        "let s = Scale(mu); let p = prior(); observe(y, p); observe(y, Normal::new(mu, s.0));",
        "if let Some(first) = y.first() { observe(*first, Normal::new(mu, 1.0)); }",
        "match data.kind { Kind::A if n > 2 => observe(y, Normal::new(mu, 1.0)), _ => factor(mu) }",
        "let order = data.primal() > 0.0; let other = data.parts[n].primal();",
        "let mut total = 0.0; for v in y { total += v; } let mut k = 0; k += 1; factor(mu * total * 2f64 + 1_f64 / mu);",
        "let total: Real = z.iter().copied().sum(); let s = y.iter().sum(); factor(total + z.sum()); f(s);",
        "factor(z.transpose().sum() + z.map(|a| a.exp()).sum()); let s = z.component_mul(&z).sum(); factor(s);",
        "let s = z.iter().map(|a| a * 2.0).sum::<Real>(); let n = z.iter().map(|_| 1.0).sum(); factor(s * g(n));",
        "fn link<M: Mode>(a: Real<M>) -> Real<M> { a.exp() } factor(link(mu));",
        "let distribution = Normal::new(mu, 1.0).censored(0.0, 1.0); observe(y, distribution); let l = y[0].log(2.0); factor(mu * l);",
        "factor([mu, Real::from(0.0)][n]); let k = n ^ 2; observe(&y[1..], Normal::new(mu * &y[..n], 1.0)); factor((mu * &z[1..]).sum());",
        "let both = [1.0, 2.0]; let mu = 1.0; let three = [0.0, mu]; let mut a = 0.0; a = 1.0; factor(z[0] * both[n]);",
        "fn helper(x: f64) -> f64 { if x > 0.0 { return x; } sample(x) }",
    ] {
        assert_eq!(complaints_in(body), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn whole_numbers_are_converted() {
    for (statement, text) in [
        ("factor(mu * n);", Some("n")),
        (
            "for i in 0..n { factor(mu / counts[i]); }",
            Some("counts[i]"),
        ),
        ("for i in 0..n { factor(z[i] * i); }", Some("i")),
        (
            "for (i, b) in z.iter().enumerate() { factor(*b - (i + 1)); }",
            Some("i + 1"),
        ),
        ("factor(mu * y.len());", Some("y.len()")),
        ("let mut a: Real = mu; a *= n; factor(a);", Some("n")),
        ("factor(mu * n as f64 * y[n - 1]);", None),
        ("factor(mu * rate);", None),
        ("let n = 2.0; factor(mu * n);", None),
        ("let y = counts[0] * 2 + n; factor(mu);", None),
        ("for x in y { factor(mu * x); }", None),
        ("factor(Poisson::new(mu).log_density_at(counts[0]));", None),
    ] {
        let body = format!(
            "let mu = sample(Normal::new(0.0, 1.0)); let z = sample(Normal::new(0.0, 1.0).iid(3)); {statement}"
        );
        let found = complaints(&format!(
            "fn m(y: &[f64], counts: &[u64], n: usize, rate: f64) {{ {body} }}"
        ));
        let wanted = text.map(|text| {
            format!("`{text}` is a whole number, and random values calculate with `f64`")
        });
        assert_eq!(found, Vec::from_iter(wanted), "{statement}");
    }
}

#[test]
fn params_obey_the_rules_of_random_values() {
    for (body, wrong) in [
        (
            "let psi = param(Normal::new(0.0, 1.0).iid(n)); factor(mu * psi[0]);",
            None,
        ),
        (
            "if n > 2 { let psi = param(Normal::new(0.0, 1.0)); }",
            Some("`param` under `if`: a model must have the same quantities in every run"),
        ),
        (
            "let z = param(Normal::new(0.0, 1.0));",
            Some("two quantities are called `z`; names in the output must be unique"),
        ),
        (
            "param(Normal::new(0.0, 1.0));",
            Some("the value of `param` has no name"),
        ),
        (
            "let psi = param(Normal::new(0.0, 1.0)); observe(psi, Normal::new(mu, 1.0));",
            Some("`psi` is a param and cannot be observed: `observe` takes data"),
        ),
        (
            "let psi = param(Normal::new(0.0, 1.0)); if psi > 0.0 { factor(mu); }",
            Some(
                "`if` cannot depend on a random value: `psi > 0.0` differs from particle to particle",
            ),
        ),
        (
            "let psi = param(Poisson::new(3.0));",
            Some("`Poisson::new(3.0)` is discrete, but a param is learnt by its gradient"),
        ),
        (
            "let psi = param(Normal::new(0.0, 1.0), n);",
            Some("`param` takes one argument, a distribution; got 2"),
        ),
        (
            "let psi = parm(Normal::new(0.0, 1.0));",
            Some("unknown statement `parm`; did you mean `param`?"),
        ),
    ] {
        assert_eq!(complaints_in(body), Vec::from_iter(wrong), "{body}");
    }
}

#[test]
fn arithmetic_that_types_would_refuse_in_their_own_words() {
    for (body, wrong) in [
        (
            "let mut total = 0.0; for i in 0..3 { total += z[i]; }",
            "`z[i]` is random, but `total` is a plain number",
        ),
        (
            "let mut last = -1; last = mu * 2.0;",
            "`mu * 2.0` is random, but `last` is a plain number",
        ),
        (
            "factor(1 / mu);",
            "`1` is a whole number, and random values calculate with `f64`",
        ),
        (
            "let mut x = mu * (z[0] - 2_i32); x += mu;",
            "`2_i32` is a whole number, and random values calculate with `f64`",
        ),
        (
            "let mut x: Real = mu + 1.0; x *= 3;",
            "`3` is a whole number, and random values calculate with `f64`",
        ),
        ("let total = z.iter().copied().sum();", SUM),
        ("factor(mu + z.iter().map(|a| a.exp()).sum());", SUM),
        (
            "observe(y, Normal::new((0..3).map(|i| z[i] * y[i]).sum(), 1.0));",
            SUM,
        ),
        (
            "let total = y.iter().zip(z.iter()).map(|(a, b)| a * b).sum();",
            SUM,
        ),
        ("factor(mu.log());", "a random value has no `log`"),
        (
            "factor((mu + 1.0).sigmoid());",
            "a random value has no `sigmoid`",
        ),
        (
            "fn link(a: Real) -> Real { a.exp() } factor(link(mu));",
            HELPER,
        ),
        ("let order = mu.primal() > 0.0;", PLAIN),
        ("let other = link(mu); factor(mu * other.primal());", PLAIN),
        (
            "let all: Vec<f64> = z.iter().copied().map(Real::primal).collect();",
            PLAIN,
        ),
        ("assert!(mu.primal() > 0.0);", PLAIN),
        ("let seen = |a: Real| a.primal();", PLAIN),
        (
            "let distribution = Normal::new(mu, 1.0).censored(0.0, 1.0); let x = sample(distribution);",
            "cannot sample from a censored distribution: censoring applies to data",
        ),
        (
            "let distribution = Normal::new(mu, 1.0).interval_censored().iid(2); let x = sample(distribution);",
            "cannot sample from a censored distribution: censoring applies to data",
        ),
    ] {
        assert_eq!(complaints_in(body), [wrong], "{body}");
    }
}

const SUM: &str = "the type of this `sum` of random values is not known";
const HELPER: &str =
    "a function inside a model must be generic over the mode: `Real` alone is not defined there";
const PLAIN: &str = "`primal` cannot be used on a random value: operations are recorded once for all particles, and it reads the value of one";

#[test]
fn a_quantity_of_each_iteration_ends_with_its_loop() {
    let text = "fn m(g: &[usize], y: &[f64]) {
        for g in 0..3 { let b = sample(Normal::new(0.0, 1.0)); factor(b); }
        for i in 0..y.len() { observe(y[i], Normal::new(b[g[i]], 1.0)); }
    }";
    let function = syn::parse_str(text).unwrap();
    let mut report = Report::default();
    body(&function, &mut report);
    let wanted = "`b` is one quantity of each iteration, and its loop is over\nhelp: for a vector that is used later, draw it before the loop, \
                  `let b = sample(Normal::new(0.0, 1.0).iid(3));`, and write `b[i]` inside";
    assert_eq!(report.messages(), [wanted]);
    for right in [
        "for t in 0..n { let b = sample(Normal::new(0.0, 1.0)); for v in y { factor(b * v); } } let b = mu; factor(b);",
        "for t in 0..n { let b = sample(Normal::new(0.0, 1.0)); factor(b); } factor(b(3) * y.iter().map(|b| b + 1.0).count() as f64);",
        "for t in y { let b = sample(Normal::new(0.0, 1.0)); factor(b); } if let Some(b) = y.first() { factor(mu * *b); }",
    ] {
        assert_eq!(complaints_in(right), Vec::<String>::new(), "{right}");
    }
    let other = "for t in y { let b = sample(Normal::new(0.0, 1.0)); } factor(b.exp());";
    let told = "`b` is one quantity of each iteration, and its loop is over";
    assert_eq!(complaints_in(other), [told]);
}

#[test]
fn a_quantity_of_an_iteration_does_not_see_the_one_before() {
    let told =
        complaints_in("for t in 0..n { let x = sample(Normal::new(0.9 * x, 1.0)); factor(x); }");
    assert_eq!(
        told,
        ["`x` has no value yet: each iteration draws its own, and does not see the one before"]
    );
    let carried = "let mut last = 0.0 * mu; for t in 0..n { let x = sample(Normal::new(last, 1.0)); last = x; }";
    assert_eq!(complaints_in(carried), Vec::<String>::new());
}

#[test]
fn a_random_value_decides_no_branch_loop_or_index() {
    for (body, wrong) in [
        (
            "factor(ode(|_, [a, b]| { if a > 1.0 { [b, a] } else { [a, b] } }, [mu, mu]).at(y)[(0, 0)]);",
            "`if` cannot depend on a random value: `a > 1.0` differs from particle to particle",
        ),
        (
            "let z = ode(|t, z| z, z).from(1.0).at(y); if z[(0, 0)] > 1.0 {}",
            "`if` cannot depend on a random value: `z[(0, 0)] > 1.0` differs from particle to particle",
        ),
        (
            "if mu > 0.0 {}",
            "`if` cannot depend on a random value: `mu > 0.0` differs from particle to particle",
        ),
        (
            "if n > 1 || z[0] * 2.0 < y[0] {}",
            "`if` cannot depend on a random value: `z[0] * 2.0 < y[0]` differs from particle to particle",
        ),
        (
            "if mu.lt(0.0) {}",
            "`if` cannot depend on a random value: `mu.lt(0.0)` differs from particle to particle",
        ),
        (
            "let t = 2.0 * mu; while t < 1.0 {}",
            "`while` cannot depend on a random value: `t < 1.0` differs from particle to particle",
        ),
        (
            "match mu { _ => {} }",
            "`match` cannot depend on a random value: `mu` differs from particle to particle",
        ),
        (
            "let b = mu == 1.0;",
            "a random value cannot be compared: `mu == 1.0` differs from particle to particle",
        ),
        (
            "factor(y[mu as usize]);",
            "`mu as usize` is random and cannot be an index of `y`",
        ),
        (
            "for i in 0..mu {}",
            "the number of iterations of this loop is random: `mu`",
        ),
        (
            "for b in z.iter() { if *b > 0.0 {} }",
            "`if` cannot depend on a random value: `*b > 0.0` differs from particle to particle",
        ),
        (
            "let f = |a: Real| if a > 0.0 { a } else { -a };",
            "`if` cannot depend on a random value: `a > 0.0` differs from particle to particle",
        ),
        (
            "observe(-mu, Normal::new(0.0, 1.0));",
            "`-mu` is random and cannot be observed: `observe` takes data",
        ),
        (
            "observe(y[0] - mu, Normal::new(0.0, 1.0));",
            "`y[0] - mu` is random and cannot be observed: `observe` takes data",
        ),
    ] {
        assert_eq!(complaints_in(body), [wrong], "{body}");
    }
}

#[test]
fn integrals_roots_and_eigenvalues_decide_no_branch() {
    for (body, wrong) in [
        (
            "factor(integrate(|x| { if x > 1.0 { mu } else { -mu } }, 0.0, 1.0).value());",
            "`if` cannot depend on a random value: `x > 1.0` differs from particle to particle",
        ),
        (
            "let z = solve(|x| x - mu, 0.0, 1.0).steps(9).root(); if z > 1.0 {}",
            "`if` cannot depend on a random value: `z > 1.0` differs from particle to particle",
        ),
        (
            "let z = mu * y; if z.symmetric_eigenvalues()[0] > 1.0 {}",
            "`if` cannot depend on a random value: `z.symmetric_eigenvalues()[0] > 1.0` differs from particle to particle",
        ),
    ] {
        assert_eq!(complaints_in(body), [wrong], "{body}");
    }
}

#[test]
fn a_quantity_stands_where_every_run_meets_it() {
    let same = ": a model must have the same quantities in every run";
    for (body, wrong) in [
        (
            "if n > 1 { let a = sample(d); }",
            format!("`sample` under `if`{same}"),
        ),
        (
            "if n > 1 {} else { let a = deterministic(mu); }",
            format!("`deterministic` under `else`{same}"),
        ),
        (
            "match n { 0 => { let a = sample(d); } _ => {} }",
            format!("`sample` under `match`{same}"),
        ),
        (
            "loop { let a = sample(d); }",
            format!("`sample` in a `loop` loop{same}"),
        ),
        (
            "let f = || { let a = sample(d); };",
            format!("`sample` in a closure{same}"),
        ),
        (
            "let Some(b) = c else { let a = sample(d); };",
            format!("`sample` under `let else`{same}"),
        ),
        (
            "let b = n > 1 && { let a = sample(d); true };",
            format!("`sample` under `&&`{same}"),
        ),
        (
            "'a: for i in 0..n { let a = sample(d); for v in y { continue 'a; } }",
            "`continue` in a loop with `sample`: a model must have the same quantities in every run"
                .to_owned(),
        ),
    ] {
        assert_eq!(complaints_in(body), [wrong], "{body}");
    }
}

#[test]
fn mistakes_are_reported_all_at_once() {
    let found = complaints(
        "async fn m(self) -> f64 { let a = sample(Nromal::new(0.0)); if a > 0.0 { return; } }",
    );
    assert_eq!(found.len(), 6, "{found:#?}");
}

#[test]
fn a_model_without_a_draw_is_none_unless_the_draw_is_misplaced() {
    assert_eq!(
        complaints("fn m() { factor(1.0); }"),
        ["the model `m` has no random value"]
    );
    assert_eq!(complaints("fn m() { vec![sample(d)]; }").len(), 1);
}

#[test]
fn marks_on_arguments_are_read() {
    let body = "let mu = sample(Normal::new(0.0, 1.0));";
    for (arguments, wrong) in [
        ("#[rows] y: &[f64], #[allow(unused)] n: usize", vec![]),
        (
            "#[row] y: &[f64]",
            vec!["unknown attribute `row`; did you mean `rows`?"],
        ),
        ("#[rows(3)] y: &[f64]", vec!["`#[rows]` takes no options"]),
    ] {
        assert_eq!(
            complaints(&format!("fn m({arguments}) {{ {body} }}")),
            wrong
        );
    }
}
