//! Draws after the run: quantities that are summed out, and new data with them.

use super::{COVER, FIRST, SECOND, SEEN, occupancy, pairs, population};
use bayes::prelude::*;

/// Probability of class 1 of a pair at given means, by Bayes' rule.
fn responsibility(mean: [f64; 2], [first, second]: [f64; 2]) -> f64 {
    let log_density = |x: f64, mean: f64, sd: f64| -0.5 * ((x - mean) / sd).powi(2) - sd.ln();
    let term = |k: usize| {
        let prior: f64 = [0.7, 0.3][k];
        (prior.ln() + log_density(first, mean[k], 1.0) + log_density(second, mean[k], 2.0)).exp()
    };
    term(1) / (term(0) + term(1))
}

/// Mutations meant to be detected: classes drawn from their prior, and new data at the classes that were drawn given the old data.
#[test]
fn classes_are_drawn_given_the_data_and_new_data_from_the_prior() {
    let model = pairs(&FIRST, &SECOND);
    let run = Inference::nuts()
        .draws(2000)
        .seed(3)
        .progress(false)
        .run(&model)
        .unwrap();
    let prediction = run.predict(model).unwrap();
    let class = prediction.draws("class").unwrap();
    let mean = |k: usize| run.draws("mean").unwrap().mean()[k];
    assert_eq!(class.mean().len(), FIRST.len());
    for i in 0..FIRST.len() {
        let want = run.estimate(|draw| {
            let mean = draw.vector("mean");
            responsibility([mean[0], mean[1]], [FIRST[i], SECOND[i]])
        });
        let found = class.mean()[i];
        let error = (found * (1.0 - found) / 8000.0).sqrt() + want.se;
        assert!(
            (found - want.mean).abs() < 4.0 * error,
            "{i}: {found} and {}",
            want.mean
        );
    }
    let new = prediction.draws("second").unwrap().mean();
    let want = 0.7 * mean(0) + 0.3 * mean(1);
    for found in new {
        assert!(
            (found - want).abs() < 4.0 * 3.0 / 8000_f64.sqrt() + 0.05,
            "{found} and {want}"
        );
    }
}

/// Mutations meant to be detected: probabilities before the data, those of the draws that were made, values that are counted from the smallest.
#[test]
fn probabilities_of_a_class_are_exact_at_every_draw() {
    let model = pairs(&FIRST, &SECOND);
    let engine = || Inference::nuts().draws(50).seed(3).progress(false);
    let run = engine().run(&model).unwrap();
    let prediction = run.predict(model).unwrap();
    let found = prediction.probabilities("class").unwrap();
    assert_eq!((found.observations(), found.classes()), (FIRST.len(), 2));
    let means = run.draws("mean").unwrap();
    for (draw, mean) in means.rows().enumerate() {
        for (i, row) in found.member(draw).chunks(2).enumerate() {
            let want = responsibility([mean[0], mean[1]], [FIRST[i], SECOND[i]]);
            assert!(
                (row[1] - want).abs() < 1e-12,
                "{draw}, {i}: {row:?}, {want}"
            );
        }
    }
    let before = prediction.without_data().probabilities("class").unwrap();
    assert!((before.member(0)[1] - 0.3).abs() < 1e-15);

    // from 1 on, and none below the largest count
    let model = population(&[3, 2], 6);
    let run = engine().run(&model).unwrap();
    let n = run.predict(model).unwrap().probabilities("n").unwrap();
    let mean = n.mean();
    let row: Vec<f64> = (0..7).map(|value| mean.class(value)[0]).collect();
    assert!(row[..3].iter().all(|p| *p == 0.0), "{row:?}");
    assert!(row[3..].iter().all(|p| *p > 0.0), "{row:?}");

    let model = occupancy(&SEEN, 5, &COVER);
    let run = engine().run(&model).unwrap();
    let prediction = run.predict(model).unwrap();
    assert!(prediction.probabilities("occupied").is_ok());
    let error = prediction.probabilities("kind").expect_err("within a sum");
    assert!(
        error
            .to_string()
            .contains("its draws are `draws(\"kind\")`"),
        "{error}"
    );
}

/// Mutation meant to be detected: probabilities that are exponentials of a difference from a rounded total.
#[test]
fn probabilities_of_a_class_far_from_its_data_sum_to_one() {
    let engine = Inference::nuts().draws(5).seed(3).progress(false);
    let run = engine.run(&pairs(&FIRST, &SECOND)).unwrap();
    let far = pairs(&[1e18; FIRST.len()], &[-1e18; FIRST.len()]);
    let found = run.predict(far).unwrap().probabilities("class").unwrap();
    for row in found.member(0).chunks(2) {
        assert!((row[0] + row[1] - 1.0).abs() < 1e-15, "{row:?}");
    }
}

/// The sum of both kinds of data in one simulation: values from the prior, and the data at them.
#[test]
fn a_model_with_sums_is_calibrated() {
    let report = sbc(&pairs(&[0.0; 4], &[0.0; 4]), |data, seed| {
        let engine = Inference::nuts().burn_in(200).draws(100).seed(seed);
        engine
            .progress(false)
            .run(&pairs(&data.reals("first"), &data.reals("second")))
    })
    .simulations(100)
    .seed(3)
    .run()
    .unwrap();
    assert!(report.is_calibrated(0.01), "{report}");
}

/// New pairs: with data, classes follow from the data, without (NaN) from the prior.
#[test]
fn classes_of_new_data_follow_from_what_is_known_of_them() {
    let run = Inference::nuts()
        .draws(1000)
        .seed(3)
        .progress(false)
        .run(&pairs(&FIRST, &SECOND))
        .unwrap();
    let new = pairs(&[9.0, f64::NAN], &[9.0, f64::NAN]);
    let class = run.predict(new).unwrap().draws("class").unwrap().mean();
    assert!(class[0] > 0.95, "{class:?}");
    assert!(
        (class[1] - 0.3).abs() < 4.0 * (0.3_f64 * 0.7 / 4000.0).sqrt(),
        "{class:?}"
    );
}

/// Mutations seen: placeholder numbers were taken as data, and a missing number hid the numbers beside it.
#[test]
fn data_that_are_not_there_say_nothing_of_their_class() {
    let engine = || Inference::nuts().draws(1000).seed(3).progress(false);
    let run = engine().run(&occupancy(&SEEN, 5, &COVER)).unwrap();
    let new = occupancy(&[0, 0], 5, &[0.5, -0.5]);
    let prediction = run.predict(new).unwrap().without_data();
    let occupied = prediction.draws("occupied").unwrap().mean();
    for (found, cover) in occupied.into_iter().zip([0.5, -0.5]) {
        let logit = |draw: DrawView<'_>| draw.scalar("a") + draw.scalar("b") * cover;
        let want = run.estimate(|draw| 1.0 / (1.0 + (-logit(draw)).exp()));
        let error = (found * (1.0 - found) / 4000.0).sqrt() + want.se;
        assert!(
            (found - want.mean).abs() < 4.0 * error,
            "{found} and {}",
            want.mean
        );
    }
    let unknown = occupancy(&[3], 5, &[f64::NAN]);
    let occupied = run.predict(unknown).unwrap().draws("occupied").unwrap();
    assert!(occupied.values.iter().all(|x| x.is_nan()));

    let run = engine().run(&pairs(&FIRST, &SECOND)).unwrap();
    let partly = pairs(&[9.0], &[f64::NAN]);
    let class = run.predict(partly).unwrap().draws("class").unwrap().mean();
    assert!(class[0] > 0.95, "{class:?}");
}

/// Mutation meant to be detected: the inner quantity from its prior.
#[test]
fn sums_within_sums_are_drawn_together() {
    let model = occupancy(&SEEN, 5, &COVER);
    let run = Inference::nuts()
        .draws(2000)
        .seed(5)
        .progress(false)
        .run(&model)
        .unwrap();
    let kind = run.predict(model).unwrap().draws("kind").unwrap().mean();
    // at site 4 the species was seen four times in five
    let binomial = |p: f64| p.powi(4) * (1.0 - p);
    let want = run.estimate(|draw| {
        let (share, detection) = (draw.scalar("share"), draw.vector("detection"));
        let terms = [
            (1.0 - share) * binomial(detection[0]),
            share * binomial(detection[1]),
        ];
        terms[1] / (terms[0] + terms[1])
    });
    let error = (kind[4] * (1.0 - kind[4]) / 8000.0).sqrt() + want.se;
    assert!(
        (kind[4] - want.mean).abs() < 4.0 * error,
        "{} and {}",
        kind[4],
        want.mean
    );
}

/// Names of the elements of a quantity that is summed out.
#[model]
fn named(sites: &[&str], seen: &[u64]) {
    let p = sample(Beta::new(2.0, 2.0).iid(2));
    for i in 0..seen.len() {
        #[dims(site = sites.iter())]
        let kind = sum_out(Bernoulli::new(0.5));
        observe(seen[i], Binomial::new(5, p[kind]));
    }
}

#[test]
fn quantities_have_the_names_of_their_places() {
    let model = named(&["hill", "lake"], &[3, 1]);
    let run = Inference::nuts()
        .draws(100)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    let prediction = run.predict(model).unwrap();
    let generated = &prediction.generated()[0];
    assert_eq!(generated.element_names(), ["kind[hill]", "kind[lake]"]);
}
