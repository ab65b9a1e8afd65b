//! The warning about a mode that a part has missed.

use super::*;

#[test]
fn a_missed_mode_is_reported_and_overlapping_parts_are_not() {
    let parts = three();
    let runs = runs_of(&parts, 1000);
    assert_eq!(Parts::new(&parts, &runs).unwrap().warnings(), []);
    let mut stream = rng::stream(9);
    let modes = |shares: [f64; 2], stream: &mut rng::Stream| -> Vec<f64> {
        let total = shares[0] + shares[1];
        let one = |i: usize, stream: &mut rng::Stream| {
            let side = if (i as f64) < 1000.0 * shares[0] / total {
                -8.0
            } else {
                8.0
            };
            let mut x = parts[0].gaussian.draw(stream);
            x[0] += side;
            x
        };
        (0..1000).flat_map(|i| one(i, stream)).collect()
    };
    let both = run_at(&parts[0], modes([1.0, 1.0], &mut stream));
    let left = run_at(&parts[1], modes([1.0, 0.0], &mut stream));
    let again = run_at(&parts[2], modes([1.0, 1.0], &mut stream));
    let found = Parts::new(&parts, &[both, left, again]).unwrap();
    let [Warning::MissedRegion { part: 1, share, .. }] = found.warnings() else {
        panic!("{:?}", found.warnings());
    };
    assert!((share - 0.5).abs() < 0.05, "{share}");
    let told = found.warnings()[0].to_string();
    assert!(
        told.starts_with("Part 1 has no draws where 50% of those of part"),
        "{told}"
    );
}

/// A part that is six times as wide has a third of its draws far outside, but no other mode. Seen to fail with the rule that counts draws and not
/// clusters: `MissedRegion { part: 0, other: 1, .. }`.
#[test]
fn a_wider_part_has_not_missed_anything() {
    let parts = [
        normals(&[0.0, 0.0], &[1.0, 0.0, 0.0, 1.0], 1),
        normals(&[0.5, 0.0], &[36.0, 0.0, 0.0, 36.0], 2),
    ];
    let runs = runs_of(&parts, 1000);
    assert_eq!(Parts::new(&parts, &runs).unwrap().warnings(), []);
}

#[test]
fn both_parts_that_do_not_overlap_are_named() {
    let parts = [normals(&[0.0], &[1.0], 1), normals(&[30.0], &[1.0], 2)];
    let runs = runs_of(&parts, 500);
    let found = Parts::new(&parts, &runs).unwrap();
    let missed = found.warnings().iter().map(|warning| match warning {
        Warning::MissedRegion { part, share, .. } => (*part, *share),
        other => panic!("{other:?}"),
    });
    assert_eq!(missed.collect::<Vec<_>>(), [(0, 1.0), (1, 1.0)]);
}
