//! Nearly equal names.

/// The name in `known` that is nearly `written`.
///
/// A name that contains a known one (`MyNormal`) or begins differently (`Zeta`, where `Beta` is known) is the user's own.
pub fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if known.clone().any(|name| written.contains(name)) {
        return None;
    }
    known
        .filter(|name| same_initial(name, written))
        .map(|name| (distance(name, written), name))
        .filter(|(distance, name)| *distance <= if name.len() > 5 { 2 } else { 1 })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn same_initial(a: &str, b: &str) -> bool {
    let initial = |name: &str| name.chars().next().map(|c| c.to_ascii_lowercase());
    initial(a) == initial(b)
}

/// Edit distance with transpositions of neighbours (Damerau 1964, restricted form).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if swapped {
                        least.min(table[i - 2][j - 2] + 1)
                    } else {
                        least
                    }
                }
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances_count_edits_and_swaps() {
        for (a, b, expected) in [
            ("Normal", "Nromal", 1),
            ("Gamma", "Gama", 1),
            ("Beta", "", 4),
            ("Beta", "Zelt", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn only_near_misses_have_a_nearest() {
        let known = ["Normal", "Beta"];
        for (written, expected) in [
            ("Nromal", Some("Normal")),
            ("Norml", Some("Normal")),
            ("Bets", Some("Beta")),
            ("Zeta", None),
            ("MyNormal", None),
        ] {
            assert_eq!(nearest(written, known.into_iter()), expected, "{written}");
        }
    }
}
