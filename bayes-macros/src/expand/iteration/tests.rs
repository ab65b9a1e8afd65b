//! Loops that can be closed and loops out of which a value gets; each way out has its own line.

use super::walk::walk;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprForLoop, ExprWhile, Stmt};

/// For each `for` and `while` in the order of the source, whether its body stands in brackets.
fn brackets(body: &str) -> Vec<bool> {
    let head =
        "let mu = sample(Normal::new(0.0, 1.0)); let z = sample(Normal::new(0.0, 1.0).iid(3));";
    let mut block: Block = syn::parse_str(&format!("{{ {head} {body} }}")).unwrap();
    let arguments = ["y", "x", "data", "n"].map(str::to_owned);
    walk(arguments.into_iter(), &mut block);
    let mut loops = Loops(Vec::new());
    loops.visit_block(&block);
    loops.0
}

struct Loops(Vec<bool>);

impl Loops {
    fn body(&mut self, body: &Block) {
        let first = body.stmts.first();
        self.0
            .push(matches!(first, Some(Stmt::Expr(Expr::Verbatim(_), _))));
    }
}

impl<'ast> Visit<'ast> for Loops {
    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        self.body(&repeated.body);
        visit::visit_expr_for_loop(self, repeated);
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        self.body(&repeated.body);
        visit::visit_expr_while(self, repeated);
    }
}

#[track_caller]
fn all_closed(bodies: &[&str]) {
    for body in bodies {
        let found = brackets(body);
        assert!(
            !found.is_empty() && found.iter().all(|closed| *closed),
            "{body}"
        );
    }
}

#[track_caller]
fn none_closed(bodies: &[&str]) {
    for body in bodies {
        assert!(brackets(body).iter().all(|closed| !closed), "{body}");
    }
}

#[test]
fn a_body_that_only_reads_is_closed() {
    all_closed(&[
        "for j in 0..y.len() { let theta = mu + z[j]; observe(y[j], Normal::new(theta, 1.0)); }",
        "for (i, v) in y.iter().enumerate() { observe(*v, Normal::new(z[i], 1.0)) }",
        "for v in z.iter() { factor(*v) }",
        "for mut v in z.iter().copied() { v += mu; factor(v); }",
        "for row in &data.rows { observe(row.y, Normal::new(link(mu, row.x), data.sd())); }",
        "let scale = (2.0 * mu).exp(); let distribution = Normal::new(mu, scale); for v in y { observe(*v, distribution); }",
        "let square = |a: Real| a * a; for v in y { factor(square(mu) * *v); }",
        "for v in y { if *v > 0.0 { observe(*v, Normal::new(mu, 1.0)); continue; } factor(mu); }",
        "for v in y { if v.is_nan() { break; } assert!(*v > 0.0, \"{v}\"); factor(mu * *v); }",
        "for v in y { match data.kind { Kind::A => factor(mu), _ => {} } }",
        "for v in y { let w = loop { break mu; }; factor(w); }",
        "for v in y { let best = |a: Real| { return a; }; factor(best(mu)); }",
    ]);
}

#[test]
fn only_a_body_with_a_term_of_the_likelihood_is_closed() {
    none_closed(&[
        "for v in y { let w = mu * *v; }",
        "for v in y { let x = sample(Normal::new(mu, 1.0)); }",
    ]);
    assert_eq!(
        brackets("for v in y { for w in x { factor(mu); } }"),
        [true, true]
    );
}

#[test]
fn numbers_and_data_carry_nothing() {
    all_closed(&[
        "let mut i = 0; while i < n { observe(y[i], Normal::new(mu, 1.0)); i += 1; }",
        "let mut previous = y[0]; for v in y { observe(*v, Normal::new(mu * previous, 1.0)); previous = *v; }",
        "let mut counts = [0; 3]; for v in y { factor(mu); counts[0] += 1; }",
        "let mut seen: Vec<f64> = Vec::new(); for v in y { factor(mu); seen.push(*v); }",
        "let mut seen = vec![0.0; n]; for v in y { factor(mu); seen[0] = *v; }",
    ]);
}

#[test]
fn a_value_gets_out_through_a_variable() {
    none_closed(&[
        "let mut total = Real::from(0.0); for v in y { observe(*v, Normal::new(mu, 1.0)); total += mu; }",
        "let mut total = Real::from(0.0); for v in y { factor(mu); total = total + mu; }",
        "let mut f = vec![]; for v in y { factor(mu); f.push(mu * *v); }",
        "let mut f = vec![mu; n]; for i in 0..n { factor(mu); f[i] = mu * y[i]; }",
        "let mut f = vec![mu; n]; for i in 0..n { factor(mu); f[i] += mu; }",
        "let mut s = State { h: mu }; for v in y { factor(mu); s.h = mu * *v; }",
        "let mut s = State { h: mu }; for v in y { factor(mu); s.step(mu); }",
        "let mut acc = mu; for v in y { factor(mu); add(&mut acc, mu); }",
        "let mut acc = None; for v in y { factor(mu); acc = Some(mu * *v); }",
        "let mut a = mu; let mut b = mu; for v in y { factor(mu); (a, b) = (b * *v, a); }",
        "let mut a = mu; let mut b = mu; for v in y { factor(mu); swap(&mut a, &mut b); }",
        "let mut f = vec![mu]; for v in y { factor(mu); if let Some(w) = f.last_mut() { *w = mu; } }",
        "let mut f = vec![mu]; for v in y { factor(mu); let w = f.get_mut(0); }",
        "let mut f = vec![mu]; for v in y { factor(mu); Vec::push(&mut f, mu); }",
        "let mut acc = Some(mu); for v in y { factor(mu); match acc { Some(ref mut w) => { *w = mu; } _ => {} } }",
        "let mut acc = mu; for v in y { factor(mu); let ref mut w = acc; *w = mu; }",
        "let mut score = |a: Real| { total(a) }; for v in y { factor(mu); score(mu); }",
        "let last; for v in y { factor(mu); last = mu * *v; break; }",
    ]);
}

#[test]
fn a_value_carried_to_the_next_iteration_gets_out() {
    none_closed(&[
        // GARCH: the volatility of each day needs that of the day before.
        "let mut h = mu; for t in 1..n { h = z[0] + z[1] * h; observe(y[t], Normal::new(0.0, h.sqrt())); }",
        "let mut f = Real::from(0.0); for v in y { f = f * mu + *v; observe(*v, Normal::new(f, 1.0)); }",
        "let mut past = vec![Real::from(0.0); 2]; for v in y { factor(z.dot(&past)); past.rotate_right(1); }",
    ]);
    // An accumulator that a later term needs.
    assert_eq!(
        brackets(
            "let mut f = vec![]; for v in y { f.push(mu * *v); } for i in 0..n { observe(y[i], Normal::new(f[i], 1.0)); }"
        ),
        [false, true]
    );
}

#[test]
fn a_value_gets_out_through_a_reference_or_a_cell() {
    none_closed(&[
        "let mut f = vec![mu]; let out = &mut f; for v in y { factor(mu); out.push(mu); }",
        "let mut f = vec![mu; n]; for (slot, v) in f.iter_mut().zip(y) { *slot = mu * *v; factor(mu); }",
        "let mut f = vec![mu; n]; let (a, b) = f.split_at_mut(3); for v in y { factor(mu); a[0] = mu; }",
        "let f = RefCell::new(vec![mu]); for v in y { factor(mu); f.borrow_mut().push(mu); }",
        "let c = std::cell::Cell::new(mu); for v in y { factor(mu); c.set(mu); }",
        "let c = Cell::new(mu); let put = |a: Real| c.set(a); for v in y { factor(mu); put(mu); }",
        "let c: Recorder<Cell<Real>> = make(); for v in y { factor(mu); c.put(mu); }",
        "let mut f = vec![mu]; let first = f.first_entry(); for v in y { factor(mu); first.put(mu); }",
        "let mut pool = Pool::new(); for v in y { factor(mu); pool.sum(mu); }",
        "let record = |out: &mut Vec<Real>| { for v in y { factor(mu); out.push(mu); } };",
        "let record = |out| { for v in y { factor(mu); store(out, mu); } };",
    ]);
}

#[test]
fn what_a_user_function_made_may_be_read_and_nothing_else() {
    all_closed(&[
        "let f = curve(&z); for i in 0..n { observe(y[i], Normal::new(mu + f[i], 1.0)); }",
        "let f = curve(&z); for i in 0..n { observe(y[i], Normal::new(f[i].exp(), 1.0)); }",
        "let f: Vec<Real> = curve(&z); for i in 0..n { let g = f[i]; factor(link(g)); }",
        "let f = curve(&z); for i in 0..n { observe(y[i], Normal::new(f[i], 1.0)); }",
        "let s = link(mu); for v in y { observe(*v, Normal::new(mu, s)); }",
    ]);
    none_closed(&[
        // A parameter that computes when it is first asked, and keeps the result.
        "let late = data.forward(x, &z); for v in y { observe(*v, Categorical::new(&late)); }",
        "let late = forward(&z); let shared = &late; for v in y { observe(*v, Normal::new(shared, 1.0)); }",
        "let distribution = Normal::new(forward(&z), 1.0); for v in y { observe(*v, &distribution); }",
        "let log = recorder(); for v in y { factor(mu); log.put(mu); }",
        "let log = recorder(); for v in y { factor(mu); put(&log, mu); }",
        "let log = recorder(); for v in y { factor(mu); let alias = &log; alias.put(mu); }",
        "let logs = recorders(); for log in &logs { factor(mu); log.put(mu); }",
        "let logs = recorders(); for v in y { for log in logs.iter() { factor(mu); log.put(mu); } }",
        "let log = recorder(); let put = |a: Real| log.put(a); for v in y { factor(mu); put(mu); }",
    ]);
}

#[test]
fn a_variable_may_be_read() {
    all_closed(&[
        "let mut f = vec![mu; n]; f[0] = mu; for i in 0..n { let g = f[i]; observe(y[i], Normal::new(g, 1.0)); }",
        "let mut f = vec![mu; n]; f.push(mu); for (v, g) in y.iter().zip(&f) { observe(*v, Normal::new(*g, 1.0)); }",
        "let mut f = vec![mu; n]; f.push(mu); for i in 0..f.len() { factor(f[i].exp() * link(f[i], &f)); }",
        "let mut total = Real::from(0.0); total += mu; for v in y { factor(-total * *v); }",
        "let mut f = vec![mu]; f.push(mu); let f = f; for v in y { factor(f.total()); }",
    ]);
    none_closed(&["let mut f = vec![mu]; f.push(mu); for v in y { factor(f.total()); }"]);
}

#[test]
fn shadows_are_told_from_what_they_shadow() {
    all_closed(&[
        "let mut f = vec![mu]; for v in y { let mut f = vec![]; f.push(mu); factor(f[0]); }",
        "let mut f = mu; for v in y { let f = f * *v; factor(f); }",
        "let mut a = mu; for a in z.iter() { factor(*a); }",
        "let mut a = mu; for v in y { if let Some(a) = data.get(0) { factor(mu * a.take_it()); } }",
        "let mut a = mu; for v in y { let g = |a: Real| a.twist(); factor(g(mu)); }",
        "let mut a = mu; for v in y { match data.get(0) { Some(a) if a.good() => factor(mu), _ => {} } }",
    ]);
    none_closed(&[
        // The inner name ends with its block, branch or closure.
        "let mut f = vec![mu]; for v in y { { let mut f = vec![]; f.push(mu); } factor(mu); f.push(mu); }",
        "let mut a = mu; for v in y { if let Some(a) = data.get(0) { factor(mu); } else { a += mu; } }",
        "let mut a = mu; for v in y { let g = |a: Real| a.twist(); factor(mu); a += g(mu); }",
        "let mut a = vec![mu]; for v in y { let a = { factor(mu); a.push(mu); mu }; }",
        "let mut a = vec![mu]; for v in y { match data.get(0) { Some(b) if b.any(|a| a.bad()) => { factor(mu); a.push(mu); } _ => {} } }",
    ]);
}

#[test]
fn nested_loops_are_judged_each_for_itself() {
    assert_eq!(
        brackets(
            "for i in 0..n { let mut total = mu; for v in y { factor(mu); total += mu; } factor(total); }"
        ),
        [true, false]
    );
    assert_eq!(
        brackets(
            "let mut total = mu; for i in 0..n { for v in y { factor(mu * *v); } total += mu; }"
        ),
        [false, true]
    );
    assert_eq!(
        brackets("let mut total = mu; for i in 0..n { for v in y { factor(mu); total += mu; } }"),
        [false, false]
    );
    assert_eq!(
        brackets(
            "let mut f = vec![mu]; for i in 0..n { for g in f.iter_mut() { factor(mu); *g = mu; } }"
        ),
        [false, false]
    );
    assert_eq!(
        brackets(
            "for i in 0..n { let mut f = vec![mu]; for g in f.iter_mut() { for v in y { factor(mu); *g = mu; } } }"
        ),
        [true, false, false]
    );
}

#[test]
fn a_value_gets_out_by_leaving_the_loop() {
    none_closed(&[
        "let w = 'a: { for v in y { factor(mu); break 'a mu * *v; } mu };",
        "let w = 'a: loop { for v in y { factor(mu); break 'a mu * *v; } };",
        "let f = |b: f64| { for v in y { factor(mu); return mu * *v; } mu };",
        "let f = |b: f64| { for v in y { factor(mu); data.check(*v)?; } None };",
    ]);
}

#[test]
fn what_cannot_be_seen_through_is_left_alone() {
    none_closed(&[
        "for v in y { factor(mu); push!(mu); }",
        "macro_rules! vec { ($a:expr) => { out.push($a) } } for v in y { factor(mu); vec![mu]; }",
        "for v in y { factor(mu); unsafe { *data.p = mu; } }",
        "let mut f = vec![mu]; for v in y { factor(mu); println!(\"{}\", f); }",
        "loop { factor(mu); break; }",
    ]);
    all_closed(&["for v in y { let w = vec![mu; 3]; println!(\"{v} {}\", n); factor(w[0]); }"]);
}
