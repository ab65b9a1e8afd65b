//! Orthogonal polynomials, as in R's `poly`.

use super::Learnt;

/// The orthogonal polynomials of these values; `None` if there are too few different values.
pub(super) fn learn(x: &[f64], degree: usize) -> Option<Learnt> {
    let (mut centres, mut norms) = (Vec::new(), vec![x.len() as f64]);
    let (mut before, mut last) = (vec![0.0; x.len()], vec![1.0; x.len()]);
    for k in 0..degree {
        let norm = norms[k];
        let centre = x.iter().zip(&last).map(|(x, p)| x * p * p).sum::<f64>() / norm;
        let ratio = if k == 0 { 0.0 } else { norm / norms[k - 1] };
        let next = step(x, centre, ratio, [&before, &last]);
        let square: f64 = next.iter().map(|p| p * p).sum();
        let size: f64 = x.iter().map(|x| (x - centre).powi(2)).sum();
        // the remainder is rounding
        if square.is_nan() || square <= 1e-20 * size * norm.max(1e-300) {
            return None;
        }
        centres.push(centre);
        norms.push(square);
        before = std::mem::replace(&mut last, next);
    }
    Some(Learnt::Polynomial { centres, norms })
}

/// The polynomials of degree 1 and above at these values, each with norm 1 on the first table.
pub(super) fn evaluate(x: &[f64], centres: &[f64], norms: &[f64]) -> Vec<Vec<f64>> {
    let (mut before, mut last) = (vec![0.0; x.len()], vec![1.0; x.len()]);
    let mut all = Vec::new();
    for (k, centre) in centres.iter().enumerate() {
        let ratio = if k == 0 { 0.0 } else { norms[k] / norms[k - 1] };
        let next = step(x, *centre, ratio, [&before, &last]);
        let norm = norms[k + 1].sqrt();
        all.push(next.iter().map(|p| p / norm).collect());
        before = std::mem::replace(&mut last, next);
    }
    all
}

/// The polynomial of a degree at a place among so many equally spaced ones (R: `contr.poly`).
pub(super) fn of_places(places: usize, degree: usize, place: usize) -> f64 {
    let x: Vec<f64> = (0..places).map(|place| place as f64).collect();
    match learn(&x, degree) {
        Some(Learnt::Polynomial { centres, norms }) => {
            let all = evaluate(&x, &centres, &norms);
            all[degree - 1][place]
        }
        _ => f64::NAN,
    }
}

fn step(x: &[f64], centre: f64, ratio: f64, [before, last]: [&[f64]; 2]) -> Vec<f64> {
    let rows = x.iter().zip(before).zip(last);
    rows.map(|((x, before), last)| (x - centre) * last - ratio * before)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_r() {
        // poly(c(1, 2, 4, 7, 11), 2)
        let x = [1.0, 2.0, 4.0, 7.0, 11.0];
        let Some(Learnt::Polynomial { centres, norms }) = learn(&x, 2) else {
            panic!("they are learnt");
        };
        let all = evaluate(&x, &centres, &norms);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let ones = [1.0; 5];
        for (k, p) in all.iter().enumerate() {
            assert!((dot(p, p) - 1.0).abs() < 1e-12 && dot(p, &ones).abs() < 1e-12);
            assert!(all[..k].iter().all(|q| dot(p, q).abs() < 1e-12));
        }
        // degree 1 is (x - 5) / sqrt(66)
        assert!((all[0][4] - 6.0 / 66.0_f64.sqrt()).abs() < 1e-12);
        // another table has the same polynomials
        let new = evaluate(&[4.0], &centres, &norms);
        assert!((new[1][0] - all[1][2]).abs() < 1e-12);
        assert!(learn(&[1.0, 2.0, 1.0], 2).is_none());
    }

    #[test]
    fn places_have_the_contrasts_of_r() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, {b}");
        let rows = |places, degree| (0..places).map(move |k| of_places(places, degree, k));
        // contr.poly(4)
        let whole = [
            ([-3.0, -1.0, 1.0, 3.0], 20.0_f64),
            ([1.0, -1.0, -1.0, 1.0], 4.0),
            ([-1.0, 3.0, -3.0, 1.0], 20.0),
        ];
        for (degree, (wanted, square)) in whole.into_iter().enumerate() {
            let found = rows(4, degree + 1).zip(wanted);
            found.for_each(|(found, wanted)| close(found, wanted / square.sqrt()));
        }
        // contr.poly(3)
        close(of_places(3, 1, 0), -(0.5_f64.sqrt()));
        close(of_places(3, 2, 1), -2.0 / 6.0_f64.sqrt());
        for (a, b) in [(1, 1), (19, 19), (18, 19), (1, 19)] {
            let dot: f64 = rows(20, a).zip(rows(20, b)).map(|(a, b)| a * b).sum();
            assert!(
                (dot - f64::from(u8::from(a == b))).abs() < 1e-6,
                "{a} {b}: {dot}"
            );
        }
    }
}
