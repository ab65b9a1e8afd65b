//! Warnings of divergences in a hierarchy name the vectors that a random scale multiplies, and no others.

use bayes::prelude::*;

/// Counts with plain coefficients, and effects of buildings and of inspectors in the non-centred form.
#[model]
fn roaches(x: &DMatrix<f64>, building: &[usize], inspector: &[usize], y: &[u64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sb = sample(HalfNormal::new(1.0));
    let zb = sample(Normal::new(0.0, 1.0).iid(6));
    let si = sample(HalfNormal::new(1.0));
    let zi = sample(Normal::new(0.0, 1.0).iid(2));
    let eta = x * &beta;
    for i in 0..y.len() {
        let effects = sb * zb[building[i]] + si * zi[inspector[i]];
        observe(y[i], Poisson::new((eta[i] + effects).exp()));
    }
}

#[test]
fn a_warning_names_the_vectors_that_a_random_scale_multiplies() {
    let x = DMatrix::from_fn(24, 2, |i, j| ((3 * i + 5 * j) % 7) as f64 / 3.0 - 1.0);
    let building: Vec<usize> = (0..24).map(|i| i % 6).collect();
    let inspector: Vec<usize> = (0..24).map(|i| i / 12).collect();
    let y: Vec<u64> = (0..24)
        .map(|i| [1, 0, 12, 3, 0, 5][i % 6] + (i % 3) as u64)
        .collect();
    let model = roaches(&x, &building, &inspector, &y);
    // large steps, to make trajectories diverge
    let kernel = Nuts::new().target_acceptance(0.4);
    let run = Inference::chains(kernel)
        .burn_in(200)
        .draws(300)
        .seed(1)
        .progress(false);
    let run = run.run(&model).expect("the model is sound");
    let products: Vec<(&str, &str)> = run
        .products
        .iter()
        .map(|p| (p.vector.as_str(), p.scale.as_str()))
        .collect();
    assert_eq!(products, [("zb", "sb"), ("zi", "si")]);
    let warnings = run
        .warnings()
        .into_iter()
        .map(|warning| warning.to_string());
    let text = warnings
        .filter(|text| text.contains("diverged"))
        .collect::<String>();
    assert!(
        text.contains("`zb`, which `sb` multiplies, and `zi`, which `si` multiplies")
            && !text.contains("`beta`"),
        "{text}"
    );
}
