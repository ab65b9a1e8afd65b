//! Every parameter that is not allowed is named, and every datum outside the support is located.

use crate::battery::{Numbers, Subject, is_discrete};
use crate::reference::{cases, points};
use bayes_autodiff::{Real, Value, Vector};
use bayes_core::dist::{Allowed, DataError, Distribution, Family, ParameterError};

fn not_allowed(allowed: Allowed) -> &'static [f64] {
    match allowed {
        Allowed::Finite => &[f64::NAN, f64::INFINITY],
        Allowed::Positive => &[f64::NAN, f64::INFINITY, 0.0, -1.0],
        Allowed::NonNegative => &[f64::NAN, f64::INFINITY, -1.0],
        Allowed::Probability => &[f64::NAN, -0.1, 1.1],
        Allowed::Count => &[f64::NAN, f64::INFINITY, -1.0, 0.5],
    }
}

pub fn invalid_parameters_are_named<S: Subject<K>, const K: usize>() {
    let good = cases::<S, K>()[0];
    assert_eq!(S::scalar(good.map(Real::<Value>::constant)).check(), Ok(()));
    for (k, info) in S::Family::PARAMETERS.iter().enumerate() {
        for bad in not_allowed(info.allowed) {
            let mut parameters = good;
            parameters[k] = *bad;
            let error = S::scalar(parameters.map(Real::<Value>::constant))
                .check()
                .unwrap_err();
            let wanted = format!(
                "{}: parameter `{}` is {bad}, must be {}",
                S::Family::NAME,
                info.name,
                info.allowed.words()
            );
            assert_eq!(error.to_string(), wanted);

            let mut columns = good.map(|x| Vector::<Value>::constant(&[x; 3]));
            columns[k] = Vector::constant(&[good[k], good[k], *bad]);
            let error = S::vector(&columns).check().unwrap_err();
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

pub fn data_outside_the_support_are_located<S: Subject<K>, const K: usize>() {
    for point in points::<S, K>() {
        let distribution = S::known(point.parameters);
        if point.log_density > f64::NEG_INFINITY {
            assert_eq!(
                distribution.check_data(&Numbers(vec![point.x])),
                Ok(()),
                "{point:?}"
            );
        }
        let fraction = if is_discrete::<S, K>() { 0.5 } else { f64::NAN };
        for bad in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            fraction,
            -1e9,
            1e9,
        ] {
            let inside =
                S::Family::covers(point.parameters.map(Real::<Value>::constant)).contains(bad);
            let finite =
                bad.is_finite() && S::log_density(bad, point.parameters) > f64::NEG_INFINITY;
            assert!(
                inside || !finite,
                "{bad} has a density but is outside the support"
            );
            let error = distribution.check_data(&Numbers(vec![point.x, bad]));
            if inside || point.log_density == f64::NEG_INFINITY {
                continue;
            }
            let DataError::Value { index, value, .. } = error.unwrap_err() else {
                panic!("want a value")
            };
            assert_eq!(index, Some(1));
            assert_eq!(value.to_bits(), bad.to_bits());
        }
        let none = distribution.check_data(&Numbers(Vec::new())).unwrap_err();
        assert!(
            matches!(none, DataError::Length { length: 0, .. }),
            "{none}"
        );
    }
}
