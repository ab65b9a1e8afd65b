//! The log evidence by integration around the mode where the draws are.
//!
//! Any region E of a posterior gives the evidence (Besag 1989; Chib 1995), and E is the ellipsoid around a mode:
//!
//! ```text
//! Z = ∫_E prior × likelihood / P(E | data)
//! ```
//!
//! The integral is [`LocalMass::log_mass`], and the draws give the probability: neither depends on the path from the prior. Tempering passes
//! a first-order transition where a scale becomes far smaller than its prior expects: at one temperature the posterior is about even over the
//! logarithm of the scale, and the coordinates with that scale are a funnel that moves hardly pass. Then few islands have a large evidence, the
//! others are too low, and their families do not show it. At the posterior the funnel has gone.

use super::Estimate;
use super::genealogy::Families;
use super::islands::pooled;
use super::lineages::islands_by_ancestor;
use super::rhat::{mean, variance};
use crate::run::{Group, LocalDraws, LocalMass, Run, Weights};

/// The least share of the draws in the ellipsoid, which few draws of an island estimate well. A posterior with heavy tails may have a third of its draws
/// in the ellipsoid of a normal approximation.
const LEAST_INSIDE: f64 = 0.1;
/// The least share of the draws near the mode. Shares of several modes come from the path, and may be wrong as the evidence.
const LEAST_NEAR: f64 = 0.8;
/// A mass matters if it raises the log evidence by this much, and so does a path that is lower by this much.
pub(super) const LEAST_RISE: f64 = 0.05;
/// The degrees of freedom of an error that is known.
const MANY_DEGREES: f64 = 1e6;

/// The squared error of the logarithm of a share of at least [`LEAST_INSIDE`] by one draw, at most.
const OF_ONE_DRAW: f64 = 1.0 / (LEAST_INSIDE * LEAST_INSIDE);

/// The log evidence by integration around the mode that all islands have found, and where nearly all of their draws are; `None` without such
/// a mode, if another measured mode matters, if the draws are not of the posterior, or if the error is unknown.
///
/// Each island gives `log mass − log share`, in its own ellipsoid. The estimate is their mean, whatever the path says of the islands. Its error
/// is pooled from the errors within islands, of the integral and of the share, and from the spread of the islands, which counts alone if it is
/// significantly larger. Islands that descend from one count as one.
pub(super) fn estimate(run: &Run) -> Option<Estimate> {
    // islands with different priors have other evidences than the run
    if run.is_chains() || run.settings.get("anchors").is_some_and(|fits| fits != "1") {
        return None;
    }
    let masses: Option<Vec<&LocalMass>> = run.groups.iter().map(main_mode).collect();
    let masses = masses.filter(|masses| !masses.is_empty())?;
    if !masses.iter().all(|mass| mass.is_same_mode(masses[0])) {
        return None;
    }
    let each: Option<Vec<Ratio>> = masses.iter().map(|mass| Ratio::of(mass)).collect();
    let each = each?;
    let independent = match islands_by_ancestor(run) {
        None => each,
        Some(lineages) => lineages
            .iter()
            .map(|islands| Ratio::of_lineage(islands.iter().map(|i| &each[*i])))
            .collect(),
    };
    let found = mean_ratio(&independent);
    let islands = run.groups.iter().filter_map(Group::island);
    let mut others = islands
        .flat_map(|island| &island.local_masses)
        .filter(|mass| !mass.is_same_mode(masses[0]));
    let is_whole = !others.any(|other| matters(other, found.mean));
    (is_whole && !found.se.is_nan()).then_some(found)
}

/// Whether [`estimate`] is the evidence around this mode.
pub(super) fn is_around(run: &Run, mass: &LocalMass) -> bool {
    let main = run.groups.first().and_then(main_mode);
    main.is_some_and(|main| main.is_same_mode(mass))
}

/// Whether a mass would raise a log evidence that lacks it.
pub(super) fn matters(mass: &LocalMass, log_evidence: f64) -> bool {
    (mass.log_mass - log_evidence).exp().ln_1p() > LEAST_RISE
}

/// The mode of an island where its draws are, if they are of the posterior.
fn main_mode(group: &Group) -> Option<&LocalMass> {
    let island = group.island()?;
    let last = island.history.last();
    // a ladder that was cut short ends at another density
    last.filter(|stage| stage.particles > 0 && stage.lambda >= 1.0)?;
    let there = |mass: &&LocalMass| {
        let draws = mass.draws.as_ref();
        draws.is_some_and(|there| there.inside >= LEAST_INSIDE && there.near >= LEAST_NEAR)
    };
    island.local_masses.iter().find(there)
}

/// The log evidence by one island.
#[derive(Clone, Copy)]
struct Ratio {
    log: f64,
    /// The squared error of the integral.
    of_mass: f64,
    /// The squared error of the logarithm of the share.
    of_share: f64,
    degrees_of_freedom: f64,
}

impl Ratio {
    fn of(mass: &LocalMass) -> Option<Self> {
        let draws = mass.draws?;
        Some(Self {
            log: mass.log_mass - draws.inside.ln(),
            of_mass: mass.se.powi(2),
            of_share: (draws.se / draws.inside).powi(2),
            degrees_of_freedom: draws.degrees_of_freedom,
        })
    }

    /// The mean of islands that descend from one. They may have the same draws, so their mean has the error of one.
    fn of_lineage<'a>(islands: impl Iterator<Item = &'a Self>) -> Self {
        let islands: Vec<&Self> = islands.collect();
        let mean_of = |part: fn(&Self) -> f64| {
            let parts: Vec<f64> = islands.iter().map(|island| part(island)).collect();
            mean(&parts)
        };
        Self {
            log: mean_of(|island| island.log),
            of_mass: mean_of(|island| island.of_mass),
            of_share: mean_of(|island| island.of_share),
            degrees_of_freedom: mean_of(|island| island.degrees_of_freedom),
        }
    }
}

/// The mean of independent ratios; NaN error if neither their spread nor their own errors are known.
fn mean_ratio(each: &[Ratio]) -> Estimate {
    let logs: Vec<f64> = each.iter().map(|one| one.log).collect();
    let number = each.len() as f64;
    let squares = number * number;
    let within = each.iter().map(|one| one.of_mass + one.of_share);
    let within: f64 = within.sum::<f64>() / squares;
    let spread = each
        .iter()
        .map(|one| one.of_share.powi(2) / one.degrees_of_freedom);
    // Satterthwaite (1946); the error of the integral is known
    let degrees = (squares * within).powi(2) / spread.sum::<f64>();
    let degrees = degrees.min(MANY_DEGREES);
    let between = (variance(&logs) / number, (number - 1.0).max(1.0));
    let (variance, degrees_of_freedom) = match each {
        // one family is worth one draw
        [one] if within.is_nan() => (one.of_mass + OF_ONE_DRAW, 1.0),
        [_] => (within, degrees),
        // an unknown error within leaves the spread alone
        _ => pooled(between, (within, degrees)).unwrap_or(between),
    };
    Estimate {
        mean: mean(&logs),
        se: variance.sqrt(),
        degrees_of_freedom,
    }
}

impl LocalMass {
    /// Counts an island's draws in the ellipsoid and near it.
    ///
    /// Draws have `weights`, which sum to 1, and `ancestors`, the numbers of the initial particles from which they descend. The error of the share
    /// is by families of draws with one ancestor, and at least by as many independent draws as `particles` with unequal weights are worth.
    #[must_use]
    pub fn draws_of<'a>(
        &self,
        positions: impl Iterator<Item = &'a [f64]> + Clone,
        weights: &Weights,
        ancestors: &[u32],
        particles: usize,
    ) -> LocalDraws {
        let draws = weights.as_slice().len();
        let share = |radii: f64| -> (Vec<f64>, f64) {
            let there = |position| f64::from(u8::from(self.is_within(radii, position)));
            let there: Vec<f64> = positions.clone().map(there).collect();
            // rounding must not make more than all of them
            let share = weights.mean(&there).min(1.0);
            (there, share)
        };
        let (there, inside) = share(1.0);
        let families = match ancestors.len() == draws {
            true => Families::new(ancestors.iter().copied(), Some(weights.clone()), particles)
                .estimate(&there),
            false => Estimate::unknown(inside),
        };
        let effective = weights.effective() * particles.min(draws) as f64 / draws as f64;
        let effective = effective.max(1.0);
        let least = (inside * (1.0 - inside)).max(1.0 / effective) / effective;
        LocalDraws {
            inside,
            near: share(Self::NEAR).1,
            // an unknown error stays unknown
            se: match families.se >= least.sqrt() || families.se.is_nan() {
                true => families.se,
                false => least.sqrt(),
            },
            degrees_of_freedom: families.degrees_of_freedom,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::MissedMass;
    use crate::run::example::{islands, normals, of_island};

    const EXACT: f64 = -3.0;
    /// Radii with their shares of standard normal draws in three dimensions, those of the example.
    const ELLIPSOIDS: [(f64, f64); 4] = [(1.812, 0.65), (2.5, 0.9), (2.1544, 0.8), (1.9144, 0.7)];

    fn ellipsoid(mode: f64, radius: f64, log_mass: f64) -> LocalMass {
        LocalMass {
            mode: vec![mode, 0.0, 0.0],
            values: vec![mode, 0.0, 0.0],
            factor: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            radius,
            log_mass,
            se: 0.03,
            draws: None,
        }
    }

    /// Islands with these path evidences. Each has its own ellipsoid, and its integral is right to the error of 0.03.
    fn with_paths(paths: &[f64]) -> Run {
        let mut run = islands(paths, 64);
        let noise = normals(5, paths.len());
        for (p, group) in run.groups.iter_mut().enumerate() {
            let (radius, share) = ELLIPSOIDS[p % 4];
            let mut mass = ellipsoid(0.0, radius, EXACT + share.ln() + 0.03 * noise[p]);
            count(&mut mass, group, &Weights::equal(64));
            of_island(group).local_masses = vec![mass];
        }
        run
    }

    fn count(mass: &mut LocalMass, group: &Group, weights: &Weights) {
        let ancestors = group.ancestors().expect("islands have them");
        let draws = mass.draws_of(group.positions.chunks_exact(3), weights, &ancestors, 64);
        mass.draws = Some(draws);
    }

    /// Eight islands whose path is off by `off` and differs by `spread` times the same noise.
    fn run(off: f64, spread: f64) -> Run {
        let noise = normals(3, 8);
        let paths: Vec<f64> = noise.iter().map(|z| EXACT + off + spread * z).collect();
        with_paths(&paths)
    }

    /// A path that is too low by its own errors.
    fn imprecise() -> Run {
        run(-0.7, 1.0)
    }

    fn first(run: &mut Run) -> &mut LocalMass {
        &mut of_island(&mut run.groups[0]).local_masses[0]
    }

    fn missed(run: &Run) -> Option<MissedMass> {
        run.warnings()
            .into_iter()
            .find_map(|warning| match warning {
                Warning::MissedMass(told) => Some(MissedMass::clone(&told)),
                _ => None,
            })
    }

    /// Fails with the path alone, whose error is 0.1.
    #[test]
    fn an_imprecise_path_is_joined_by_the_mode() {
        let run = imprecise();
        let path = run.log_evidence_of_path().expect("islands have one");
        assert!(path.se > 0.05 && path.mean < EXACT - 0.05, "{path}");
        let found = run.log_evidence_estimate().expect("it has both");
        assert!(
            (found.mean - EXACT).abs() < 0.06 && found.se < 0.06,
            "{found}"
        );
        let (low, high) = run.log_evidence_interval(0.95).expect("and an error");
        assert!(low < EXACT && EXACT < high && high - low < 0.25);
        let text = run.to_string();
        assert!(text.contains("(the mean of -"), "{text}");
        assert_eq!(missed(&run), None);
    }

    /// Would detect a rule that is silent wherever integration counts: at the end the path has nearly all of the weight.
    #[test]
    fn islands_that_scatter_count_by_the_weight_of_the_path() {
        let scatter = |run: &Run| {
            let mut warnings = run.warnings().into_iter();
            warnings.any(|warning| matches!(warning, Warning::EvidenceScattered(_)))
        };
        let mut run = run(-1.0, 2.0);
        let weight = |run: &Run| {
            run.log_evidence_joined()
                .map(|joined| joined.weight_of_path)
        };
        assert!(weight(&run).is_some_and(|weight| weight < 0.1));
        assert!(!scatter(&run));
        let path = run.log_evidence_of_path().expect("islands have one");
        for group in &mut run.groups {
            of_island(group).local_masses[0].se = 0.97 * path.se * 8_f64.sqrt();
        }
        assert!(
            weight(&run).is_some_and(|weight| weight > 0.7),
            "{path} {:?}",
            weight(&run)
        );
        assert!(scatter(&run), "{run}");
    }

    /// Seen to fail with the mass that a Gaussian would have outside of the ellipsoid: -3.3 with a part that the draws are said to lack.
    #[test]
    fn a_path_that_is_far_too_low_does_not_count() {
        let run = run(-3.0, 0.3);
        let found = run.log_evidence_estimate().expect("it has both");
        assert!((found.mean - EXACT).abs() < 4.0 * found.se, "{found}");
        assert!(found.se < 0.05, "{found}");
        let told = missed(&run).expect("the path lacks most of the mass");
        assert!(told.is_seen && told.is_printed, "{told:?}");
        assert_eq!(told.with_it, [found.mean, found.se]);
        let text = run.to_string();
        assert!(text.contains("errors of the difference)"), "{text}");
        // an evidence without bias is not replaced, and the warning names the other
        let mut run = run;
        run.settings.insert("pilot".to_owned(), "64".to_owned());
        assert_eq!(run.log_evidence_estimate(), run.log_evidence_of_path());
        let told = missed(&run).expect("it is as low");
        assert!(told.is_seen && !told.is_printed, "{told:?}");
        assert_eq!(told.with_it, [found.mean, found.se]);
    }

    #[test]
    fn a_path_that_is_more_precise_counts_alone() {
        let run = run(0.0, 0.02);
        let [path, mode] = [run.log_evidence_of_path(), run.log_evidence_around_mode()];
        assert!(path.expect("a path").se < mode.expect("a mode").se);
        assert_eq!(run.log_evidence_joined(), None);
        assert_eq!(run.log_evidence_estimate(), path);
    }

    /// Mutations meant to be detected: islands by the weights of the path, and the share of all islands in the ellipsoid of one.
    #[test]
    fn islands_count_whatever_the_path_says_of_them() {
        let mut paths = [EXACT; 4];
        let equal = estimate(&with_paths(&paths)).expect("each has the mode");
        assert!((equal.mean - EXACT).abs() < 3.0 * equal.se, "{equal}");
        assert!((0.02..0.07).contains(&equal.se), "{equal}");
        paths[1..].fill(EXACT - 1000.0);
        assert_eq!(estimate(&with_paths(&paths)), Some(equal));
        // an island with another integral counts in the error
        let mut apart = with_paths(&paths);
        of_island(&mut apart.groups[3]).local_masses[0].log_mass += 1.0;
        let apart = estimate(&apart).expect("each has the mode");
        assert!(apart.se > 0.2, "{apart}");
    }

    #[test]
    fn islands_of_one_lineage_have_the_error_of_one() {
        let mut run = with_paths(&[EXACT; 4]);
        let apart = estimate(&run).expect("each has the mode");
        for group in &mut run.groups {
            of_island(group).ancestor_island = Some(0);
        }
        let one = estimate(&run).expect("each has the mode");
        assert!((one.mean - apart.mean).abs() < 1e-12);
        assert!(one.se > 1.5 * apart.se, "{one} and {apart}");
    }

    /// Mutations meant to be detected: as many independent draws as particles, and an unknown error that is small.
    #[test]
    fn one_island_has_the_error_of_its_families() {
        let one = || with_paths(&[EXACT]);
        let se = |run: &Run| estimate(run).expect("it has the mode").se;
        let independent = (0.35_f64 / 0.65 / 64.0).sqrt().hypot(0.03);
        assert!((se(&one()) / independent - 1.0).abs() < 0.25);
        // four families, of which one is outside
        let mut four = one();
        let mut mass = first(&mut four).clone();
        mass.radius = 2.5;
        of_island(&mut four.groups[0]).ancestors = (0..64).map(|i| i / 16).collect();
        for x in &mut four.groups[0].positions[..48] {
            *x = 2.0;
        }
        count(&mut mass, &four.groups[0], &Weights::equal(64));
        *first(&mut four) = mass;
        assert!(se(&four) > 2.0 * independent, "{}", se(&four));
        // one family, and weights 1, 0, 0, ..., are worth one draw; the path knows no error
        let mut family = one();
        let mut mass = first(&mut family).clone();
        of_island(&mut family.groups[0]).ancestors.fill(5);
        count(&mut mass, &family.groups[0], &Weights::equal(64));
        assert!(mass.draws.is_some_and(|there| there.se.is_nan()));
        *first(&mut family) = mass;
        assert!(se(&family) > 1.0);
        let joined = family.log_evidence_joined().expect("the integral counts");
        assert!(joined.path.se.is_nan() && joined.is_replaced());
        assert_eq!(family.log_evidence_estimate(), estimate(&family));
        assert!(family.to_string().contains("from the prior is unknown)"));
        let mut mass = ellipsoid(0.0, 9.0, EXACT);
        let mut logs = [f64::NEG_INFINITY; 64];
        logs[0] = 0.0;
        count(&mut mass, &one().groups[0], &Weights::from_logs(&logs));
        let there = mass.draws.expect("they are counted");
        assert!(there.se.is_nan() || there.se >= 1.0, "{there:?}");
    }

    /// Seen to fail: the draws are at a broad mode, a climb found one with more mass, and the warning named the evidence of the broad mode.
    #[test]
    fn another_mode_with_mass_is_not_left_out() {
        let mut run = run(0.0, 0.3);
        let spike = ellipsoid(9.0, 1.0, -1.0);
        of_island(&mut run.groups[5]).local_masses.push(spike);
        assert_eq!(estimate(&run), None);
        let told = missed(&run).expect("no draw is there");
        assert!(!told.is_seen && !told.is_printed, "{told:?}");
        let both = (EXACT.exp() + (-1.0_f64).exp() / LocalMass::INSIDE).ln();
        assert!((told.with_it[0] - both).abs() < 0.05, "{told:?}");
        // a spike in the ellipsoid of the broad mode, and one that does not matter
        let spike = &mut of_island(&mut run.groups[5]).local_masses[1];
        *spike = ellipsoid(0.5, 0.1, -1.0);
        assert_eq!(estimate(&run), None);
        of_island(&mut run.groups[5]).local_masses[1].log_mass = -9.0;
        assert!(estimate(&run).is_some());
    }

    /// Mutations meant to be detected: shares that come from the path are believed.
    #[test]
    fn draws_in_several_modes_or_in_tails_give_no_evidence() {
        let changes: [fn(&mut Vec<LocalMass>); 5] = [
            |masses| masses[0].draws.as_mut().expect("counted").near = 0.7,
            |masses| masses[0].draws.as_mut().expect("counted").inside = 0.05,
            // an island with another mode, with none, or without a count
            |masses| masses[0].mode[1] = 9.0,
            Vec::clear,
            |masses| masses[0].draws = None,
        ];
        for change in changes {
            let mut run = imprecise();
            change(&mut of_island(&mut run.groups[5]).local_masses);
            assert_eq!(run.log_evidence_joined(), None);
        }
    }

    #[test]
    fn draws_of_another_density_give_no_evidence() {
        let mut run = imprecise();
        let history = &mut of_island(&mut run.groups[5]).history;
        history.last_mut().expect("stages").lambda = 0.9;
        assert_eq!(estimate(&run), None);
        of_island(&mut run.groups[5]).history.clear();
        assert_eq!(estimate(&run), None);
    }

    #[test]
    fn islands_with_different_priors_have_no_common_evidence() {
        let mut run = imprecise();
        run.settings.insert("anchors".to_owned(), "2".to_owned());
        assert_eq!(estimate(&run), None);
    }
}
