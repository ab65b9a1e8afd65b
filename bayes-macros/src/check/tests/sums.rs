//! Sums over the values of a discrete quantity.

use super::{complaints, complaints_in};

#[test]
fn sums_run_the_rest_of_their_block_for_each_value() {
    for (body, wrong) in [
        (
            "for i in 0..n { let k = sum_out(Bernoulli::new(0.5)); observe(y[i], Normal::new(z[k], 1.0)); if k == 1 { factor(mu); } }",
            None,
        ),
        (
            "{ let k = sum_out(Binomial::new(3, 0.5)); factor(mu * k as f64); } let last = sample(Normal::new(mu, 1.0));",
            None,
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); let mut total: Real = mu; for v in y { total += *v * k as f64; } factor(total);",
            None,
        ),
        (
            "let k = sum_out(Normal::new(0.0, 1.0));",
            Some("`sum_out` sums over whole numbers, and `Normal` has none"),
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); let w = sample(Normal::new(mu, 1.0));",
            Some(
                "`sample` behind `sum_out`: the rest of the block runs for each value of `k`, so this would be another quantity each time",
            ),
        ),
        (
            "let mut total: Real = mu; for i in 0..n { let k = sum_out(Bernoulli::new(0.5)); total += z[k]; } factor(total);",
            Some(
                "`total` is changed behind `sum_out`: the rest of the block runs for each value of `k`, from the same start each time",
            ),
        ),
        (
            "let mut all = [mu, mu]; let k = sum_out(Bernoulli::new(0.5)); all[k] = z[0]; factor(all[0]);",
            Some(
                "`all` is changed behind `sum_out`: the rest of the block runs for each value of `k`, from the same start each time",
            ),
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5).iid(3));",
            Some("`sum_out` sums over the values of one quantity, and `.iid(..)` has several"),
        ),
        (
            "sum_out(Bernoulli::new(0.5));",
            Some("the value of `sum_out` has no name"),
        ),
        (
            "let k: u64 = sum_out(Bernoulli::new(0.5)); factor(mu * k as f64);",
            Some("`k` is a `usize` behind `sum_out`, and not a `u64`"),
        ),
        (
            "let mut k = sum_out(Bernoulli::new(0.5)); factor(mu * k as f64);",
            Some("`k` is the same in the rest of its block, and cannot be `mut`"),
        ),
        (
            "let w = { let k = sum_out(Bernoulli::new(0.5)); mu * k as f64 }; factor(w);",
            Some(
                "`mu * k as f64` is the value of a block with `sum_out`: it would have one for each value of `k`",
            ),
        ),
    ] {
        assert_eq!(complaints_in(body), Vec::from_iter(wrong), "{body}");
    }
}

#[test]
fn values_of_sums_are_whole_numbers_of_their_block() {
    for (body, wrong) in [
        (
            "let mut seen = Vec::new(); for i in 0..n { let k = sum_out(Bernoulli::new(0.5)); seen.push(k); }",
            Some(
                "`seen` is changed behind `sum_out`: the rest of the block runs for each value of `k`, from the same start each time",
            ),
        ),
        (
            "let mut seen = 0; let k = sum_out(Bernoulli::new(0.5)); count(&mut seen); factor(mu);",
            Some(
                "`seen` is changed behind `sum_out`: the rest of the block runs for each value of `k`, from the same start each time",
            ),
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); let mut seen = Vec::new(); seen.push(k); factor(z[seen[0]]);",
            None,
        ),
        (
            "{ let k = sum_out(Bernoulli::new(0.5)); factor(z[k]); } let w = deterministic(z[k]);",
            Some("`k` has a value in the block of its `sum_out` alone, and that block is over"),
        ),
        (
            "for i in 0..n { let k = sum_out(Bernoulli::new(0.5)); factor(z[k]); } let w = deterministic(z[k]);",
            Some("`k` has a value in the block of its `sum_out` alone, and that block is over"),
        ),
        (
            "for i in 0..n { let k = sum_out(Bernoulli::new(0.5)); factor(z[k]); } for k in 0..2 { factor(z[k]); }",
            None,
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); factor(mu * k);",
            Some("`k` is a whole number, and random values calculate with `f64`"),
        ),
        (
            "let k = sum_out(Binomial::new(3, 0.5)); factor(2.5 * (k + 1) * mu);",
            Some("`k + 1` is a whole number, and random values calculate with `f64`"),
        ),
        (
            "let k = sum_out(Binomial::new(3, 0.5)); let j = 2 * k; let k = k as f64; factor(mu * k * z[j]);",
            None,
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); if k { factor(mu); }",
            Some("`k` is a whole number (`usize`) behind `sum_out`, and `if` takes a condition"),
        ),
        (
            "let k = sum_out(Bernoulli::new(0.5)); if n > 2 && !k { factor(mu); }",
            Some("`k` is a whole number (`usize`) behind `sum_out`, and `if` takes a condition"),
        ),
    ] {
        assert_eq!(complaints_in(body), Vec::from_iter(wrong), "{body}");
    }
}

#[test]
fn sums_with_rows_stand_in_a_loop_over_rows() {
    let grouped = "fn m(#[rows] y: &[f64], groups: usize) { let mu = sample(Normal::new(0.0, 1.0)); for g in 0..groups { \
                   let k = sum_out(Bernoulli::new(0.5)); for i in 0..y.len() { if i == g { observe(y[i], Normal::new(mu * k as f64, 1.0)); } } } }";
    assert_eq!(
        complaints(grouped).len(),
        1,
        "rows of a group share a value"
    );
    let each = "fn m(#[rows] y: &[f64]) { let mu = sample(Normal::new(0.0, 1.0)); for i in 0..y.len() { \
                let k = sum_out(Bernoulli::new(0.5)); observe(y[i], Normal::new(mu * k as f64, 1.0)); } }";
    assert_eq!(complaints(each), Vec::<String>::new());
    let shared = "fn m(#[rows] y: &[f64]) { let mu = sample(Normal::new(0.0, 1.0)); let k = sum_out(Bernoulli::new(0.5)); \
                  observe(y, Normal::new(mu * k as f64, 1.0)); }";
    assert_eq!(
        complaints(shared),
        [
            "`k` is shared by several rows: the rows marked `#[rows]` must be independent given the random values"
        ]
    );
}
