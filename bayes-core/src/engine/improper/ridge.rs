//! The marginal density of an outgoing coordinate, by the Laplace approximation over the others.

use super::Outwards;
use crate::engine::ascent::{Climb, Point, Points};
use nalgebra::{Cholesky, DMatrix, DVector};

/// A coordinate with a smaller slope of the log density has come to rest.
const SLOPE: f64 = 0.05;
/// A coordinate whose slope changes by less than this share over half a unit is on a ramp, not near the top of a narrow peak.
const STRAIGHT: f64 = 0.3;
/// The length of a step outwards, and the minimum and maximum number of steps.
const STEP: f64 = 3.0;
const STEPS: (usize, usize) = (3, 60);
/// The first step beyond the end of a climb to examine the marginal density, and the number of steps. Each step is twice as long as the
/// last one, or half as long where no top is found. A climb ends long before the peak in a coordinate with small units, such as an
/// intercept in milliseconds.
const BEYOND: f64 = 6.0;
const LOOKS: usize = 40;
/// A fall of the marginal log density by more than this for each unit makes the posterior proper: Gamma(0.001, 0.001) has 0.001.
pub(super) const FALL: f64 = 5e-4;
/// A likelihood that rises by less than this over the outer half of a way of at least this length is bounded. A likelihood without a bound
/// rises as a power of its scale, by 0.5 or more for each unit.
const LEVEL: f64 = 1.0;
const LONG: f64 = 9.0;
/// A peak whose width is less than this multiple of the spacing of doubles there is not resolved.
const SPACINGS: f64 = 256.0;
/// A peak is too narrow for differences of gradients if a coordinate that is given those before it keeps less than this share of its variance.
/// The volume has a relative error of 1e-15 over this share, and `FALL` times `STEP` has to be seen beside it.
const NARROWEST: f64 = 1e-12;
/// Coordinates that are tried although their slope changes fast.
const BESIDE: usize = 2;
/// The maximum distance from the start of a climb to the entry of a ridge: a climb may have gone so far that nothing is resolved.
const ENTRY: f64 = 6.0;
/// Maximum number of steps of Newton's method to the ridge, and of halvings of a step.
const NEWTON: usize = 30;
const HALVINGS: usize = 12;
/// The ridge is reached when the promised rise of the log density is below this.
const RISE: f64 = 1e-6;
/// The distance of differences, in widths of the peak; they are exact for a Gaussian at any distance.
const APART: f64 = 0.1;
/// The most by which a peak is assumed to be narrower at the next top; its width is then found from below.
const NARROWER: f64 = 1e-6;
/// The maximum number of times that widths are found.
const SETTLING: usize = 4;
/// The assumed width of a coordinate at first, as a share of one plus its size.
const WIDTH: f64 = 1e-3;

/// A ridge on which the marginal density of a coordinate does not fall.
pub(super) fn find(points: &Points<'_>, climb: &Climb) -> Option<Outwards> {
    let end = &climb.end;
    let restless = (0..end.gradient.len()).filter(|k| end.gradient[*k].abs() > SLOPE);
    let mut bends: Vec<(f64, usize)> = restless.map(|k| (bend(points, end, k), k)).collect();
    bends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let straight = bends.iter().take_while(|(bend, _)| *bend < STRAIGHT);
    let ramps: Vec<usize> = straight.map(|(_, k)| *k).collect();
    let along = |k: usize, ramps: &[usize]| {
        let ridge = || Ridge::new(points, climb, k, ramps);
        beyond(&ridge, end)
    };
    let out = |k: &usize| along(*k, &ramps);
    let found = ramps.iter().find_map(out);
    // beside a ridge, the slope of the coordinate along it changes, but less than the slopes across it
    let mut others = bends[ramps.len()..].iter().take(BESIDE);
    found.or_else(|| others.find_map(|(_, k)| along(*k, &[*k])))
}

/// The same for one coordinate and side, from a point at the top of the density over all others.
pub(super) fn from_top(
    points: &Points<'_>,
    top: &Point,
    coordinate: usize,
    side: f64,
) -> Option<Outwards> {
    let climb = Climb {
        start: top.position.clone(),
        end: top.clone(),
    };
    let ridge = || Ridge {
        side,
        narrows: true,
        ..Ridge::new(points, &climb, coordinate, &[coordinate])
    };
    beyond(&ridge, top)
}

/// The way outwards on a ridge, if its marginal density does not fall and nothing speaks for a finite integral. `end` is as far as a climb
/// came.
fn beyond<'a>(ridge: &dyn Fn() -> Ridge<'a>, end: &Point) -> Option<Outwards> {
    let out = ridge().follow()?;
    let is_peak = ridge().falls_beyond(end);
    let is_bounded = || ridge().is_bounded(end, &out.near);
    (!is_peak && !is_bounded() && !ridge().points.is_spent()).then_some(out)
}

/// The distance of a number from the next one.
fn spacing(x: f64) -> f64 {
    x.abs().next_up() - x.abs()
}

/// The relative change of the slope in a coordinate over half a unit, on the side with the smaller change.
fn bend(points: &Points<'_>, at: &Point, k: usize) -> f64 {
    let moved = [-0.5, 0.5].map(|step| {
        let mut position = at.position.clone();
        position[k] += step;
        position
    });
    let seen = points.at(moved.to_vec());
    let own = at.gradient[k];
    let changes = seen
        .iter()
        .map(|point| (point.gradient[k] - own).abs() / own.abs());
    changes.fold(f64::INFINITY, f64::min)
}

/// The top of the density over the free coordinates, for one value of the coordinate that goes out.
struct Top {
    point: Point,
    /// The log density at the top minus half the log determinant of its negative Hessian.
    marginal: f64,
    /// Whether all widths and the volume are resolved.
    is_resolved: bool,
}

struct Ridge<'a> {
    points: &'a Points<'a>,
    coordinate: usize,
    side: f64,
    start: Vec<f64>,
    /// The coordinates of the integral: all but this one and the other outgoing ones, which are held fixed. If the integrals at all
    /// values of these others are infinite, the full integral is infinite too.
    free: Vec<usize>,
    widths: Vec<f64>,
    /// Whether the peak may become narrower as fast as the coordinate goes out, and is no Gaussian far from its top.
    narrows: bool,
}

impl<'a> Ridge<'a> {
    fn new(points: &'a Points<'a>, climb: &Climb, coordinate: usize, ramps: &[usize]) -> Self {
        let mut start = climb.end.position.clone();
        for k in ramps {
            let way = 0.5 * (start[*k] - climb.start[*k]);
            start[*k] = climb.start[*k] + way.clamp(-ENTRY, ENTRY);
        }
        let free: Vec<usize> = (0..start.len()).filter(|k| !ramps.contains(k)).collect();
        let widths = free
            .iter()
            .map(|k| WIDTH * (1.0 + start[*k].abs()))
            .collect();
        Self {
            points,
            coordinate,
            side: climb.end.gradient[coordinate].signum(),
            start,
            free,
            widths,
            narrows: false,
        }
    }

    /// Whether the marginal density falls beyond the end of the climb, as far as it is resolved there. Then there is a peak, farther from
    /// the start than the ridge was followed.
    fn falls_beyond(&mut self, end: &Point) -> bool {
        let Some(mut near) = self.top(end.position.clone()) else {
            // the climb is far from any ridge
            return true;
        };
        if !near.is_resolved {
            return false;
        }
        let (mut way, mut step) = (0.0, BEYOND);
        for _ in 0..LOOKS {
            let mut farther = near.point.position.clone();
            farther[self.coordinate] = end.position[self.coordinate] + self.side * (way + step);
            match self.next_top(farther, step) {
                Some(top) if !top.is_resolved => return false,
                Some(top) => {
                    // one over the distance has no finite integral
                    let power = if way == 0.0 {
                        0.0
                    } else {
                        (step / way).ln_1p()
                    };
                    if top.marginal < near.marginal - (FALL * step.min(BEYOND)).max(power) {
                        return true;
                    }
                    way += step;
                    step *= 2.0;
                    near = top;
                }
                None => step /= 2.0,
            }
        }
        false
    }

    /// Whether the likelihood is bounded along the ridge, as far as numbers reach, and every prior is proper. Then the posterior is proper,
    /// although a prior may be so wide that the marginal density looks level everywhere. Under an improper prior a level density has an
    /// infinite integral, whatever the likelihood.
    fn is_bounded(&mut self, end: &Point, begin: &[f64]) -> bool {
        let prior = self.points.density.proper_prior("the search");
        prior.is_ok() && self.levels_off(end, begin) == Some(true)
    }

    /// Whether the likelihood rises no more on the outer half of the ridge; `None` if too little of the ridge is known.
    fn levels_off(&mut self, end: &Point, begin: &[f64]) -> Option<bool> {
        let mut last = self.top(end.position.clone())?;
        let (mut step, mut overflows) = (BEYOND, false);
        for _ in 0..LOOKS {
            let mut farther = last.point.position.clone();
            farther[self.coordinate] += self.side * step;
            match self.next_top(farther, step) {
                Some(top) if top.is_resolved => {
                    last = top;
                    step *= if overflows { 1.0 } else { 2.0 };
                }
                _ => {
                    overflows = true;
                    step /= 2.0;
                }
            }
        }
        let ends = [begin, &last.point.position];
        let way = ends.map(|position| position[self.coordinate]);
        let middle = begin.iter().zip(&last.point.position);
        let middle = self.top(middle.map(|(a, b)| 0.5 * (a + b)).collect())?;
        let rise = last.point.log_likelihood - middle.point.log_likelihood;
        ((way[1] - way[0]).abs() > LONG).then_some(rise < LEVEL)
    }

    /// Follows the ridge outwards, as long as its marginal density does not fall.
    fn follow(&mut self) -> Option<Outwards> {
        let mut tops = vec![self.top(self.start.clone())?];
        for step in 1..=STEPS.1 {
            if self.points.is_spent() {
                return None;
            }
            let last = &tops[tops.len() - 1];
            let mut position = last.point.position.clone();
            position[self.coordinate] += self.side * STEP;
            let Some(top) = self.next_top(position, STEP) else {
                break;
            };
            if !top.is_resolved {
                break;
            }
            // the density may fall in the first step, because of where the climb ended
            if step > 1 && top.marginal < last.marginal - FALL * STEP {
                return None;
            }
            tops.push(top);
        }
        let (first, last) = (tops.first()?, tops.last()?);
        let is_long = tops.len() > STEPS.0;
        // a density that falls as a power of the distance, such as a Cauchy prior, is flat over any step
        let reach = |top: &Top| top.point.position[self.coordinate].abs();
        let far = (reach(last) / reach(first).max(1.0)).max(1.0).ln();
        let is_level = last.marginal >= first.marginal - far.min(FALL * STEP * tops.len() as f64);
        (is_long && is_level).then(|| Outwards {
            coordinate: self.coordinate,
            near: first.point.position.clone(),
            far: last.point.position.clone(),
        })
    }

    /// The top of the density for another value of the coordinate, that many units away from the last one; `None` if there is none.
    fn next_top(&mut self, position: Vec<f64>, units: f64) -> Option<Top> {
        if self.narrows {
            let pairs = self.free.iter().zip(&mut self.widths);
            pairs.for_each(|(k, width)| {
                let least = SPACINGS * spacing(position[*k]);
                *width = (*width * (-units).exp().max(NARROWER)).max(least);
            });
        }
        self.top(position)
    }

    /// Climbs to the ridge by Newton's method over the free coordinates; `None` if there is no top.
    fn top(&mut self, position: Vec<f64>) -> Option<Top> {
        let mut point = self.points.at_one(position);
        for _ in 0..NEWTON {
            if !point.is_finite() || self.points.is_spent() {
                return None;
            }
            let precision = self.precision(&point)?;
            let Some(cholesky) = Cholesky::new(precision.clone()) else {
                point = self.uphill(&point, &self.steps_by_widths(&point))?;
                continue;
            };
            let slopes = self.free.iter().zip(&self.widths);
            let slopes: Vec<f64> = slopes
                .map(|(k, width)| point.gradient[*k] * width)
                .collect();
            let slopes = DVector::from_vec(slopes);
            let steps = cholesky.solve(&slopes);
            if 0.5 * slopes.dot(&steps) < RISE {
                return Some(self.finished(point, &cholesky));
            }
            let steps: Vec<f64> = steps.iter().zip(&self.widths).map(|(s, w)| s * w).collect();
            match self.uphill(&point, &steps) {
                Some(higher) => point = higher,
                // no further rise because of rounding
                None => return Some(self.finished(point, &cholesky)),
            }
        }
        None
    }

    fn finished(&self, point: Point, cholesky: &Cholesky<f64, nalgebra::Dyn>) -> Top {
        let diagonal = cholesky.l_dirty().diagonal();
        let half: f64 = diagonal.iter().map(|x| x.ln()).sum();
        let scales: f64 = self.widths.iter().map(|width| width.ln()).sum();
        let mut widths = self.free.iter().zip(&self.widths);
        let is_wide = widths.all(|(k, width)| *width > SPACINGS * spacing(point.position[*k]));
        // the diagonal of the matrix is about 1
        let is_resolved = is_wide && diagonal.iter().all(|x| x * x > NARROWEST);
        Top {
            marginal: point.value - half + scales,
            is_resolved,
            point,
        }
    }

    /// The first point that is higher, from the steps and their repeated halvings.
    fn uphill(&self, from: &Point, steps: &[f64]) -> Option<Point> {
        let moved = |share: f64| {
            let mut position = from.position.clone();
            for (k, step) in self.free.iter().zip(steps) {
                position[*k] += share * step;
            }
            position
        };
        let shares = (0..HALVINGS as i32).map(|halving| moved(0.5f64.powi(halving)));
        let mut seen = self.points.at(shares.collect()).into_iter();
        seen.find(|point| point.is_finite() && point.value > from.value)
    }

    /// A step in each coordinate by its slope, where the density is not concave.
    fn steps_by_widths(&self, point: &Point) -> Vec<f64> {
        let pairs = self.free.iter().zip(&self.widths);
        pairs
            .map(|(k, width)| (width * point.gradient[*k]).clamp(-1.0, 1.0) * width)
            .collect()
    }

    /// The negative Hessian in units of the widths, which this method finds: its diagonal is about 1.
    fn precision(&mut self, point: &Point) -> Option<DMatrix<f64>> {
        for _ in 0..SETTLING {
            let precision = self.differences(point);
            if precision.iter().any(|x| !x.is_finite()) {
                return None;
            }
            let mut is_settled = true;
            for (i, width) in self.widths.iter_mut().enumerate() {
                let curvature = precision[(i, i)].abs();
                if !(0.25..4.0).contains(&curvature) && curvature > 0.0 {
                    *width = (*width / curvature.sqrt()).clamp(*width * 1e-6, *width * 1e3);
                    is_settled = false;
                }
            }
            if is_settled {
                return Some(precision);
            }
        }
        Some(self.differences(point))
    }

    fn differences(&self, point: &Point) -> DMatrix<f64> {
        let size = self.free.len();
        let moved = |i: usize, side: f64| {
            let mut position = point.position.clone();
            position[self.free[i]] += side * APART * self.widths[i];
            position
        };
        let places = (0..size).flat_map(|i| [moved(i, -1.0), moved(i, 1.0)]);
        let seen = self.points.at(places.collect());
        let entry = |i: usize, j: usize| {
            let (below, above) = (&seen[2 * i], &seen[2 * i + 1]);
            let k = self.free[i];
            let apart = above.position[k] - below.position[k];
            let change = above.gradient[self.free[j]] - below.gradient[self.free[j]];
            -change / apart * self.widths[i] * self.widths[j]
        };
        DMatrix::from_fn(size, size, |i, j| 0.5 * (entry(i, j) + entry(j, i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, LogDensity, Prior};
    use crate::error::Error;
    use crate::rng::Stream;

    /// A likelihood `0.2 + 0.6 logistic(u)`, or with the power `rises` of `1 + exp(u)` one that has no bound, under a prior whose density falls
    /// by 1e-5 for each unit: level as far as a ridge is followed, and not finite beyond 700.
    struct Level {
        is_proper: bool,
        rises: f64,
    }

    impl Level {
        fn at(&self, u: f64) -> ([f64; 2], f64) {
            if u.abs() > 700.0 {
                return ([f64::NEG_INFINITY; 2], 0.0);
            }
            let share = 1.0 / (1.0 + (-u).exp());
            let likelihood = 0.2 + 0.6 * share;
            let growth = u.max(0.0) + (-u.abs()).exp().ln_1p();
            let slope = 0.6 * share * (1.0 - share) / likelihood + self.rises * share;
            let values = [-1e-5 * u.abs(), likelihood.ln() + self.rises * growth];
            (values, slope - 1e-5 * u.signum())
        }
    }

    impl LogDensity for Level {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| self.at(x[0]).0);
        }
        fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, gradient| {
                let (values, slope) = self.at(x[0]);
                gradient[0] = slope;
                values
            });
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Level {
        fn draw(&self, _: &mut Stream, position: &mut [f64]) {
            position[0] = -2.0;
        }
        fn require_proper(&self, _: &'static str) -> Result<(), Error> {
            let problems = Vec::new();
            let model = "level".to_owned();
            self.is_proper
                .then_some(())
                .ok_or(Error::Model { model, problems })
        }
    }

    /// The ridge from a climb that ended halfway up the step of the likelihood: whether it was followed, and what was found.
    fn searched(density: &Level) -> (bool, Option<Outwards>) {
        let points = Points::of(density, 10_000);
        let climb = Climb {
            start: vec![-2.0],
            end: points.at_one(vec![0.0]),
        };
        let followed = Ridge::new(&points, &climb, 0, &[0]).follow();
        (followed.is_some(), find(&points, &climb))
    }

    /// Would detect an exemption that is not reached, and one that forgets the prior or the likelihood.
    #[test]
    fn a_level_density_is_proper_under_proper_priors_and_a_bounded_likelihood_alone() {
        let of = |is_proper, rises| searched(&Level { is_proper, rises });
        let (is_followed, found) = of(true, 0.0);
        assert!(is_followed && found.is_none(), "bounded and proper");
        let (is_followed, found) = of(false, 0.0);
        assert!(is_followed && found.is_some(), "an improper prior");
        let (is_followed, found) = of(true, 0.5);
        assert!(is_followed && found.is_some(), "no bound");
    }
}
