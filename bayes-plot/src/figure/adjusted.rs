//! A picture with another title, size or scale.

use super::Figure;
use crate::axis::Axis;
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::PictureError;

/// The least width and height of a panel, in pixels: its axes need some room.
const LEAST: f64 = 90.0;

impl Figure {
    /// The same picture with another title.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..self
        }
    }

    /// The same picture with panels that together have this width and height, in pixels (at least 90 for a panel). Title, notes and legend
    /// stand above the panels and need more room. Letters keep their size.
    #[must_use]
    pub fn size(mut self, width: f64, height: f64) -> Self {
        let factors = [width, height];
        let extent = self.extent();
        for panel in &mut self.panels {
            for axis in 0..2 {
                let size = panel.size[axis] * factors[axis] / extent[axis];
                panel.size[axis] = if size.is_finite() {
                    size.max(LEAST)
                } else {
                    LEAST
                };
            }
        }
        self
    }

    /// The same picture with logarithmic horizontal axes. A value of zero is drawn at the left end, which is labelled so.
    ///
    /// ```text
    /// plot::predictive(&run.predict(&model)?, "income")?.log_x()?.save("income.svg")?;
    /// ```
    ///
    /// # Errors
    /// [`PictureError::NoLogarithm`] if a shape has a negative horizontal place, or none has a positive one.
    pub fn log_x(self) -> Result<Self, Error> {
        self.logarithmic("horizontal", 0, |panel| &mut panel.x)
    }

    /// The same picture with logarithmic vertical axes, like [`log_x`](Self::log_x).
    ///
    /// # Errors
    /// The errors of [`log_x`](Self::log_x), for vertical places.
    pub fn log_y(self) -> Result<Self, Error> {
        self.logarithmic("vertical", 1, |panel| &mut panel.y)
    }

    fn logarithmic(
        mut self,
        name: &'static str,
        coordinate: usize,
        axis: impl Fn(&mut Panel) -> &mut Axis,
    ) -> Result<Self, Error> {
        let mut wrong = None;
        for panel in &mut self.panels {
            let places = panel
                .marks
                .iter()
                .flat_map(|mark| mark.coordinates(coordinate));
            let mut places: Vec<f64> = places.filter(|place| place.is_finite()).collect();
            let axis = axis(panel);
            // parts that the old axis cuts off do not appear on the new one either
            let [low, high] = [
                axis.ends[0].min(axis.ends[1]),
                axis.ends[0].max(axis.ends[1]),
            ];
            places.retain(|place| (low..=high).contains(place));
            if let Some(negative) = places.iter().find(|place| **place < 0.0) {
                wrong = wrong.or(Some(format!("{negative} is drawn there")));
            }
            match axis.to_log(&places) {
                Some(log) => *axis = log,
                None => wrong = wrong.or(Some("nothing above 0 is drawn there".to_owned())),
            }
        }
        match wrong {
            None => Ok(self),
            Some(reason) => Err(PictureError::NoLogarithm {
                figure: self.title,
                axis: name,
                reason,
            }
            .into()),
        }
    }
}
