//! `Display` of [`CheckReport`].

use super::CheckReport;
use super::Jump;
use super::slopes::{Slope, TOLERANCE};
use crate::density::equations::UNSEEN;
use crate::density::no_trace;
use crate::text::quoted;
use std::fmt;

/// The share of prior draws at which differential equations may be inexact: a wide prior has some that the data exclude.
const SOME_PRIOR_DRAWS: f64 = 0.05;

impl CheckReport {
    /// Faults and doubts in plain words; empty if there are none.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.finite < self.draws {
            warnings.push(self.not_finite());
        }
        if self.not_finite_gradients > 0 {
            warnings.push(format!(
                "the gradient is not finite at {} draws at which the density is finite",
                self.not_finite_gradients
            ));
        }
        if let Some(slope) = self.worst_slope.filter(|s| s.error > TOLERANCE) {
            warnings.push(self.wrong_slope(&slope));
        }
        if let Some(jump) = &self.jump {
            warnings.push(self.jumps(jump));
        }
        if let Some(reason) = &self.arithmetic.untraceable {
            let has_dual_numbers = self.arithmetic.has_dual_numbers;
            let problem = no_trace::problem(reason, self.dim, has_dual_numbers);
            warnings.push(format!("{problem}. {}", no_trace::remedy(has_dual_numbers)));
        }
        for prior in &self.rounded_priors {
            let remedy = match self.formula {
                true => prior.remedy_of_formula(),
                false => prior.remedy(),
            };
            warnings.push(format!("{}. {remedy}", prior.problem()));
        }
        for found in &self.equations {
            if found.share() > SOME_PRIOR_DRAWS {
                let problem = found.problem("the prior draws");
                warnings.push(format!("{problem}. {}", found.remedy()));
            }
            if let Some(unseen) = found.unseen() {
                warnings.push(format!("{unseen}. {UNSEEN}"));
            }
        }
        if let Some(found) = &self.improper {
            warnings.push(found.to_string());
        }
        for direction in &self.flat {
            warnings.push(format!(
                "the density does not depend on {}: neither the prior nor the data determine it",
                among(direction)
            ));
        }
        for name in &self.unbounded {
            warnings.push(format!(
                "the density does not decrease in `{name}` towards infinity, so the posterior may be improper; use a \
                 proper prior"
            ));
        }
        warnings
    }

    fn jumps(&self, jump: &Jump) -> String {
        let smooth = match self.formula {
            true => "Use",
            false => {
                "Sum a latent class out with `Mixture`, replace the threshold by a smooth one (`logistic`), or use"
            }
        };
        format!(
            "the log density jumps by {:.2} where a random value crosses a threshold, in {}. Gradients do \
             not see the jump, so HMC and NUTS sample this density badly. {smooth} the kernel `RandomWalk::new()`",
            jump.size,
            jump.statement.quoted()
        )
    }

    fn not_finite(&self) -> String {
        let statements: String = self
            .not_finite
            .iter()
            .map(|(s, count)| {
                let cause = count
                    .cause
                    .as_ref()
                    .map_or(String::new(), |cause| format!(" ({cause})"));
                let times = count.nan + count.infinite;
                format!("; {} {times} times{cause}", s.quoted())
            })
            .collect();
        format!(
            "the density is not finite at {} of {} prior draws{statements}",
            self.draws - self.finite,
            self.draws
        )
    }
}

/// `within 1e-9`; smaller errors than rounding are not shown as a number.
fn within(error: f64) -> String {
    if error > f64::EPSILON {
        format!("within {error:.0e}")
    } else {
        "within rounding".to_owned()
    }
}

/// `` `mu` `` or ``a combination of `mu`, `alpha[0]` ``; the first eight of many.
fn among(direction: &[String]) -> String {
    let shown: Vec<String> = direction.iter().take(8).map(|n| format!("`{n}`")).collect();
    let more = if direction.len() > shown.len() {
        format!(" and {} more", direction.len() - shown.len())
    } else {
        String::new()
    };
    match direction {
        [_] => shown.join(""),
        _ => format!("a combination of {}{more}", shown.join(", ")),
    }
}

impl CheckReport {
    /// Where a derivative differs from its finite difference, and the possible cause.
    fn wrong_slope(&self, slope: &Slope) -> String {
        let Slope {
            coordinate,
            gradient,
            difference,
            ..
        } = slope;
        let cause = match self.own_calls.as_slice() {
            [] => "or one of the two has too few digits".to_owned(),
            [name] => format!("or `{name}`, which you wrote, has a wrong derivative"),
            own => format!(
                "or a wrong derivative in a function of your own: {}",
                quoted(own)
            ),
        };
        format!(
            "the derivative in `{}` is {gradient:.6e} by the gradient and {difference:.6e} by a finite difference: the density \
             has a jump or a kink there, {cause}",
            self.names[*coordinate]
        )
    }

    /// Times, memory and the trace.
    fn write_work(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, gradient) = (1e6 * self.work.value, 1e6 * self.work.gradient);
        writeln!(
            f,
            "time           {value:.3} µs per density, {gradient:.3} µs per gradient, for one particle ({})",
            self.arithmetic.instruction_set
        )?;
        writeln!(
            f,
            "memory         at most {} kB per particle",
            self.work.memory.div_ceil(1000)
        )?;
        if let Some(likely) = &self.likely {
            writeln!(f, "likely         {likely}")?;
        }
        for (engine, memory) in &self.runs {
            writeln!(f, "{engine:<15}{memory}")?;
        }
        match &self.arithmetic.trace {
            Some(trace) => writeln!(f, "trace          {trace}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (draws, finite) = (self.draws, self.finite);
        writeln!(
            f,
            "{}: {} coordinates, {draws} prior draws\n",
            self.model, self.dim
        )?;
        writeln!(f, "finite         {finite} of {draws}")?;
        match self.worst_slope {
            Some(slope) => writeln!(
                f,
                "gradient       {} of finite differences (worst: `{}`)",
                within(slope.error),
                self.names[slope.coordinate]
            )?,
            None => writeln!(f, "gradient       not compared")?,
        }
        if let Some(trip) = self.worst_trip {
            writeln!(
                f,
                "transforms     inverted {} (worst: `{}`)",
                within(trip.error),
                self.names[trip.coordinate]
            )?;
        }
        match self.lines {
            0 => writeln!(f, "jumps          not searched for")?,
            lines => {
                let found = if self.jump.is_some() { "found" } else { "none" };
                writeln!(
                    f,
                    "jumps          {found}, searched for on {lines} lines between draws"
                )?;
            }
        }
        self.write_work(f)?;
        let warnings = self.warnings();
        if warnings.is_empty() {
            return writeln!(f, "\nno problems found");
        }
        for warning in warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        writeln!(f)
    }
}
