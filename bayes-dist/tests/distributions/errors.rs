//! Errors name every parameter that is not allowed, and locate every datum outside the support.

use crate::battery::Subject;
use bayes_model::dist::{Constraint, DataError, ParameterError};

fn not_allowed(allowed: Constraint) -> &'static [f64] {
    match allowed {
        Constraint::Finite => &[f64::NAN, f64::INFINITY],
        Constraint::Positive => &[f64::NAN, f64::INFINITY, 0.0, -1.0],
        Constraint::NonNegative => &[f64::NAN, f64::INFINITY, -1.0],
        Constraint::Probability => &[f64::NAN, -0.1, 1.1],
        Constraint::Count => &[f64::NAN, f64::INFINITY, -1.0, 0.5],
        Constraint::Integer => &[f64::NAN, f64::INFINITY, 0.5],
    }
}

pub fn invalid_parameters_are_named(subject: &Subject) {
    let good = &subject.cases()[0].parameters;
    assert_eq!(subject.distribution(good).check(), Ok(()));
    for (k, info) in subject.parameters().iter().enumerate() {
        assert_eq!(info.name, subject.names[k], "the name in the constructor");
        for bad in not_allowed(info.allowed) {
            let mut parameters = good.clone();
            parameters[k] = *bad;
            let error = subject.distribution(&parameters).check().unwrap_err();
            let wanted = format!(
                "{}: parameter `{}` is {bad}, must be {}",
                subject.name(),
                info.name,
                info.allowed.words()
            );
            assert_eq!(error.to_string(), wanted);

            let mut columns: Vec<Vec<f64>> = good.iter().map(|x| vec![*x; 3]).collect();
            columns[k] = vec![good[k], good[k], *bad];
            let error = subject.vector(&columns).check().unwrap_err();
            let ParameterError::Value {
                parameter, index, ..
            } = error
            else {
                panic!("{error}")
            };
            assert_eq!((parameter, index), (info.name, Some(2)));
        }
    }
}

pub fn data_outside_the_support_are_located(subject: &Subject) {
    for point in subject.points() {
        let distribution = subject.known(&point.parameters);
        if point.log_density > f64::NEG_INFINITY {
            assert_eq!(distribution.check_data(&[point.x]), Ok(()), "{point:?}");
        }
        let fraction = if subject.is_discrete() { 0.5 } else { f64::NAN };
        for bad in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            fraction,
            -1e9,
            1e9,
        ] {
            let inside = subject.covers(&point.parameters).contains(bad);
            let finite =
                bad.is_finite() && subject.log_density(bad, &point.parameters) > f64::NEG_INFINITY;
            assert!(
                inside || !finite,
                "{bad} has a density but is outside the support"
            );
            let error = distribution.check_data(&[point.x, bad]);
            if inside || point.log_density == f64::NEG_INFINITY {
                continue;
            }
            let DataError::Value { index, value, .. } = error.unwrap_err() else {
                panic!("want a value")
            };
            assert_eq!(index, Some(1));
            assert_eq!(value.to_bits(), bad.to_bits());
        }
        let none = distribution.check_data(&[]).unwrap_err();
        assert!(
            matches!(none, DataError::Length { length: 0, .. }),
            "{none}"
        );
    }
}
