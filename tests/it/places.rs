//! Lists of indices, log densities at data, whole numbers as parameters, and names of data in a loop.

use bayes::prelude::*;

#[model]
fn by_loop(county: &[usize], y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 1.0).iid(3));
    for i in 0..y.len() {
        observe(y[i], Normal::new(alpha[county[i]], 0.5));
    }
}

#[model]
fn by_list(county: &[usize], y: &[f64]) {
    let alpha = sample(Normal::new(0.0, 1.0).iid(3));
    observe(y, Normal::new(alpha.at(county), 0.5));
}

const COUNTY: [usize; 5] = [2, 0, 2, 1, 1];
const Y: [f64; 5] = [0.3, -1.0, 0.8, 2.0, 1.5];

#[test]
fn a_list_of_places_gives_the_density_of_a_loop() {
    let values: [(&str, &[f64]); 1] = [("alpha", &[0.4, -0.2, 1.1])];
    let of_loop = by_loop(&COUNTY, &Y).log_density_at(&values);
    let of_list = by_list(&COUNTY, &Y).log_density_at(&values);
    let [of_loop, of_list] = [of_loop, of_list].map(|d| d.expect("it has values").log_likelihood);
    assert!(
        (of_loop - of_list).abs() < 1e-13 * of_loop.abs(),
        "{of_loop} {of_list}"
    );
}

#[test]
fn a_place_out_of_range_is_an_error_that_names_the_vector_and_the_line() {
    let error = Inference::nuts().run(&by_list(&[0, 1, 2, 7, 0], &Y));
    let text = error.expect_err("there is no element 7").to_string();
    let wanted =
        "index 7 (element 3 of the list) is out of range for `alpha`, which has 3 elements";
    assert!(
        text.contains(wanted) && text.contains("places.rs:16"),
        "{text}"
    );
}

#[model]
fn summed_out(y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    for &count in y {
        let [low, high] = [1.0, 3.0].map(|by| Poisson::new(by * rate).log_density_at(count));
        factor(log_sum_exp(&[low + 0.25_f64.ln(), high + 0.75_f64.ln()]));
    }
}

#[model]
fn mixture(y: &[u64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    let components = [Poisson::new(rate), Poisson::new(3.0 * rate)];
    observe(y, Mixture::new([0.25, 0.75], components));
}

#[test]
fn a_class_summed_out_by_densities_at_data_is_a_mixture() {
    let y = [0, 3, 8, 2];
    let values: [(&str, &[f64]); 1] = [("rate", &[1.7])];
    let by_hand = summed_out(&y).log_density_at(&values);
    let by_mixture = mixture(&y).log_density_at(&values);
    let [by_hand, by_mixture] =
        [by_hand, by_mixture].map(|d| d.expect("it has values").log_likelihood);
    assert!(
        (by_hand - by_mixture).abs() < 1e-13 * by_hand.abs(),
        "{by_hand} {by_mixture}"
    );
}

#[model]
fn change(y: &[u64]) {
    let year = sample(DiscreteUniform::new(0, 4));
    for i in 0..y.len() {
        observe(y[i], Poisson::new(Real::select(year.gt(i), 5.0, 1.0)));
    }
}

#[test]
fn a_discrete_value_with_whole_bounds_can_be_compared() {
    let y = [6, 4, 0, 1];
    let at = |year: f64| {
        let density = change(&y).log_density_at(&[("year", &[year])]);
        density.expect("it has values").log_likelihood
    };
    // two counts at rate 5 and two at rate 1, without the factorials
    let wanted = 10.0 * 5.0_f64.ln() - 12.0;
    let factorials: f64 = (2..=6).chain(2..=4).map(|k: i32| f64::from(k).ln()).sum();
    assert!((at(2.0) - (wanted - factorials)).abs() < 1e-12);
    assert!(at(2.0) > at(1.0) && at(2.0) > at(3.0));
}

#[model]
fn epidemic(weeks: &[f64], cases: &[u64]) {
    let rate = sample(Gamma::new(2.0, 0.5));
    for (&week, &count) in weeks.iter().zip(cases) {
        observe(count, Poisson::new(rate * week));
    }
}

#[test]
fn data_of_a_loop_are_predicted_by_the_name_of_the_argument() {
    let model = epidemic(&[1.0, 2.0, 3.0], &[2, 3, 7]);
    let run = Inference::smc().particles(32).seed(1).run(&model);
    let run = run.expect("the model fits its data");
    let draws = run.predict(model).and_then(|p| p.draws("cases"));
    assert_eq!(draws.expect("they are observed").elements, 3);
}
