//! `Display` of a model's test of itself.

use super::CheckReport;
use super::slopes::TOLERANCE;
use std::fmt;

/// A trip that is further off than this is a fault.
const TRIP: f64 = 1e-5;

impl CheckReport {
    /// What is wrong or doubtful, in plain words; empty where nothing is.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.finite < self.draws {
            warnings.push(self.not_finite());
        }
        if self.not_finite_gradients > 0 {
            warnings.push(format!(
                "the gradient is not finite at {} draws where the density is",
                self.not_finite_gradients
            ));
        }
        if let Some(slope) = self.worst_slope.filter(|s| s.error > TOLERANCE) {
            warnings.push(format!(
                "the gradient in `{}` is {:.6e}, a finite difference {:.6e}: the density has a jump or a kink there, or a \
                 function of your own has a wrong derivative",
                self.names[slope.coordinate], slope.gradient, slope.difference
            ));
        }
        if let Some(jump) = &self.jump {
            warnings.push(format!(
                "the density jumps by {:.2} as a random value passes a threshold, in `{}` (line {}): no gradient shows \
                 that, so that HMC and NUTS sample it badly; sum a latent class out with `Mixture`, make the threshold \
                 smooth (`logistic`), or move by `RandomWalk::new()`",
                jump.size, jump.statement.text, jump.statement.line
            ));
        }
        if let Some(trip) = self.worst_trip.filter(|t| t.error > TRIP) {
            warnings.push(format!(
                "`{}` went from {:.6e} to {:.6e} on its way to the constrained space and back: its prior reaches values that are \
                 rounded to the edge of its support",
                self.names[trip.coordinate], trip.before, trip.after
            ));
        }
        for direction in &self.flat {
            warnings.push(format!(
                "the density does not change with {}: neither prior nor data say anything there",
                among(direction)
            ));
        }
        for name in &self.unbounded {
            warnings.push(format!(
                "the density does not fall off in `{name}`: the posterior may be improper; give it a proper prior"
            ));
        }
        warnings
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
                format!("; `{}` (line {}) {times} times{cause}", s.text, s.line)
            })
            .collect();
        format!(
            "the density is not finite at {} of {} draws from the prior{statements}",
            self.draws - self.finite,
            self.draws
        )
    }
}

/// What is less than a rounding is not told as a number.
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

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (draws, finite) = (self.draws, self.finite);
        writeln!(
            f,
            "{}: {} coordinates, {draws} draws from the prior\n",
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
                "transforms     {} on the way there and back (worst: `{}`)",
                within(trip.error),
                self.names[trip.coordinate]
            )?;
        }
        match self.lines {
            0 => writeln!(f, "jumps          not looked for")?,
            lines => {
                let found = if self.jump.is_some() { "found" } else { "none" };
                writeln!(
                    f,
                    "jumps          {found}, looked for on {lines} lines between draws"
                )?;
            }
        }
        let (value, gradient) = (1e6 * self.work.value, 1e6 * self.work.gradient);
        writeln!(
            f,
            "time           {value:.3} µs a value, {gradient:.3} µs a gradient, each for one particle of {}",
            self.arithmetic.instruction_set
        )?;
        writeln!(
            f,
            "memory         {} kB a particle at most",
            self.work.memory.div_ceil(1000)
        )?;
        let warnings = self.warnings();
        if warnings.is_empty() {
            return writeln!(f, "\nnothing wrong was found");
        }
        for warning in warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        writeln!(f)
    }
}
