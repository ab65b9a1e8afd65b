//! `Display` of a fit.

use crate::order;
use crate::run::{Ended, Fit, Objective, Restart};
use crate::text::table::{self, Line};
use crate::text::{count, grouped, short};
use std::collections::BTreeMap;
use std::fmt;

/// Quantities with more elements are abbreviated.
const LONGEST: usize = 12;
/// Elements shown at the beginning and at the end of an abbreviated quantity.
const SHOWN: usize = 4;
/// Elements named for another maximum.
const NAMED: usize = 3;
/// Log densities this close to the best count as the same mode.
const SAME: f64 = 0.01;

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let restarts = count(self.restarts.len() as u64, "restart");
        writeln!(
            f,
            "{}: maximum of {} by {}, {restarts}, seed {}\n",
            self.model, self.objective, self.optimiser, self.seed
        )?;
        table::write(f, &["", "value"], &self.lines())?;
        writeln!(f)?;
        let best = self.restart();
        // a marginal likelihood has only noisy estimates: the losses
        if self.objective != Objective::MarginalLikelihood {
            let [prior, likelihood, density] =
                [best.log_prior, best.log_likelihood, best.log_density].map(short);
            writeln!(
                f,
                "log density    {density} (log prior {prior}, log likelihood {likelihood})"
            )?;
        }
        writeln!(f, "gradient norm  {:.1e}", best.gradient_norm)?;
        write_losses(f, best)?;
        writeln!(f, "ended          {}", best.ended)?;
        self.write_restarts(f)?;
        self.write_maxima(f)?;
        let gradients = grouped(self.counts.gradient_evaluations);
        let densities = grouped(self.counts.density_evaluations);
        writeln!(
            f,
            "evaluations    {densities} of the density, {gradients} with its gradient"
        )
    }
}

impl Fit {
    /// The values, without the middle of long quantities.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for variable in &self.layout.variables {
            let names = variable.element_names();
            let values = &self.restart().values[variable.range()];
            let cell = |i: usize| Line::Cells(vec![names[i].clone(), short(values[i])]);
            if names.len() <= LONGEST {
                lines.extend((0..names.len()).map(cell));
                continue;
            }
            let hidden = SHOWN..names.len() - SHOWN;
            lines.extend((0..SHOWN).map(cell));
            lines.push(Line::Words(format!(
                "...  {} to {} ({}) are left out",
                names[hidden.start],
                names[hidden.end - 1],
                count(hidden.len() as u64, "row")
            )));
            lines.extend((hidden.end..names.len()).map(cell));
        }
        lines
    }

    /// How many restarts reached the best density, and how the others ended.
    fn write_restarts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.restarts.len() == 1 {
            return Ok(());
        }
        let best = self.restart().log_density;
        let near = |restart: &&Restart| (restart.log_density - best).abs() <= SAME;
        let same = self.restarts.iter().filter(near).count();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for restart in &self.restarts {
            *kinds.entry(kind(&restart.ended)).or_default() += 1;
        }
        let kinds: Vec<String> = kinds.iter().map(|(k, n)| format!("{n} {k}")).collect();
        writeln!(
            f,
            "restarts       {same} of {} within {SAME} of the best; {}",
            self.restarts.len(),
            kinds.join(", ")
        )
    }
    /// The other maxima where restarts ended, each with the elements that differ most from the best.
    fn write_maxima(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maxima = self.maxima();
        let (at_best, others): (Vec<_>, Vec<_>) = maxima
            .iter()
            .partition(|restarts| restarts.contains(&self.best));
        let elsewhere: usize = others.iter().map(|restarts| restarts.len()).sum();
        if at_best.is_empty() || elsewhere == 0 {
            return Ok(());
        }
        let plural = if others.len() == 1 {
            "another maximum"
        } else {
            "other maxima"
        };
        let all = self.restarts.len();
        writeln!(
            f,
            "maxima         {elsewhere} of {all} restarts ended at {plural}:"
        )?;
        for restarts in others.iter().take(SHOWN) {
            let restart = &self.restarts[restarts[0]];
            let (number, height) = (restarts.len(), short(restart.log_density));
            let place = self.place(restart);
            writeln!(
                f,
                "               {number} with log density {height} at {place}"
            )?;
        }
        match others.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            rest => writeln!(f, "               and {rest} more"),
        }
    }

    /// The elements of a restart that differ most from the best, relative to their size where this is above 1.
    fn place(&self, restart: &Restart) -> String {
        let names = self.layout.element_names();
        let pairs = restart.values.iter().zip(&self.restart().values);
        let apart = |(k, (a, b)): (usize, (&f64, &f64))| {
            let share = (a - b).abs() / (1.0 + a.abs() + b.abs());
            (if share.is_nan() { 0.0 } else { share }, k, *a)
        };
        let all = order::descending_by(pairs.enumerate().map(apart).collect(), |found| found.0);
        let named = all.iter().take(NAMED);
        let named: Vec<String> = named
            .map(|(_, k, value)| format!("{} = {}", names[*k], short(*value)))
            .collect();
        named.join(", ")
    }
}

fn write_losses(f: &mut fmt::Formatter<'_>, restart: &Restart) -> fmt::Result {
    let (Some(first), Some(last)) = (restart.losses.first(), restart.losses.last()) else {
        return Ok(());
    };
    let epochs = count(restart.losses.len() as u64, "epoch");
    let (first, last) = (short(*first), short(*last));
    write!(f, "loss           {first} to {last} in {epochs}")?;
    if let Some(last) = restart.validation_losses.last() {
        let least = restart.validation_losses.iter().copied();
        let least = short(least.fold(f64::INFINITY, f64::min));
        write!(
            f,
            "; of the validation rows {}, least {least}",
            short(*last)
        )?;
    }
    writeln!(f)
}

/// How a restart ended, in a word or two.
fn kind(ended: &Ended) -> &'static str {
    match ended {
        Ended::Converged => "converged",
        Ended::AllEpochs => "made all epochs",
        Ended::Stopped { .. } => "stopped early",
        Ended::NoMode => "found no mode",
        Ended::Stalled => "stalled",
        Ended::NotFinite { .. } => "not finite",
    }
}

#[cfg(test)]
mod tests {
    use crate::dist::Shape;
    use crate::run::example::fit as example;

    #[test]
    fn a_fit_prints_as_promised() {
        let wanted = "\
line: maximum of the posterior density of the values (without Jacobians) by lbfgs, 3 restarts, seed 7

          value
mu       0.5000
beta[0]   1.500
beta[1]  -2.000

log density    -12.25 (log prior -4.000, log likelihood -8.250)
gradient norm  1.0e-7
loss           20.00 to 12.25 in 3 epochs
ended          converged
restarts       2 of 3 within 0.01 of the best; 2 converged, 1 not finite
evaluations    0 of the density, 0 with its gradient
";
        assert_eq!(example().to_string(), wanted);
    }

    /// Would detect that restarts at other maxima are not told, and maxima without their place.
    #[test]
    fn other_maxima_are_named() {
        let mut fit = example();
        fit.restarts[0].maximum = Some(1);
        fit.restarts[1].maximum = Some(0);
        assert_eq!(fit.maxima(), [vec![1], vec![0]]);
        let text = fit.to_string();
        let wanted = "
maxima         1 of 3 restarts ended at another maximum:
               1 with log density -12.75 at mu = 1.000, beta[0] = 1.500, beta[1] = -2.000
";
        assert!(text.contains(wanted), "{text}");
        fit.restarts[0].maximum = Some(0);
        assert!(!fit.to_string().contains("maxima"), "{fit}");
        assert_eq!(fit.split()[0].maxima(), [vec![0]]);
    }

    /// Would detect noise around 0, whose relative difference is the largest, in the place of a maximum.
    #[test]
    fn noise_is_no_place() {
        let mut fit = example();
        fit.restarts[0].maximum = Some(1);
        fit.restarts[1].maximum = Some(0);
        fit.restarts[0].values[1] = 1e-12;
        fit.restarts[1].values[1] = -1e-12;
        let text = fit.to_string();
        assert!(text.contains(" at mu = 1.000, "), "{text}");
    }

    #[test]
    fn long_vectors_are_abbreviated() {
        let mut fit = example();
        fit.layout.variables[1].shape = Shape::Vector(20);
        fit.restarts[1].values = vec![1.0; 21];
        let text = fit.to_string();
        let wanted = "...  beta[4] to beta[15] (12 rows) are left out";
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains("\nbeta[3] ") && text.contains("\nbeta[16] "));
        assert!(!text.contains("\nbeta[4] ") && !text.contains("\nbeta[15] "));
    }
}
