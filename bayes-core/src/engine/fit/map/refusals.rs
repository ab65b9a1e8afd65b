//! Refuses ends of optimisations that are no modes, and fits of other models.

use crate::error::{ApproximationError, Error, FitError};
use crate::model::Layout;
use crate::run::{Ended, Restart};

/// Refuses a restart whose loss is not a number; `what` names it.
///
/// # Errors
/// [`Error::Approximation`] with the epoch and the statement.
pub(in crate::engine) fn require_finite(
    restart: &Restart,
    model: &str,
    what: impl FnOnce() -> String,
) -> Result<(), Error> {
    let Ended::NotFinite { epoch, statement } = &restart.ended else {
        return Ok(());
    };
    Err(Error::Approximation {
        model: model.to_owned(),
        source: ApproximationError::NotFinite {
            what: what(),
            epoch: *epoch,
            statement: statement.clone(),
        },
    })
}

/// Refuses a restart that ran to the edge of the space, where there is no mode; `what` names it.
///
/// # Errors
/// [`Error::Approximation`].
pub(in crate::engine) fn require_mode(
    restart: &Restart,
    model: &str,
    what: impl FnOnce() -> String,
) -> Result<(), Error> {
    if restart.ended != Ended::NoMode {
        return Ok(());
    }
    Err(Error::Approximation {
        model: model.to_owned(),
        source: ApproximationError::NoMode { what: what() },
    })
}

/// Checks that a fit, or validation data, belong to a model with the same quantities.
pub(in crate::engine) fn same_quantities(
    (model, own): (&str, &Layout),
    (other, theirs): (&str, &Layout),
) -> Result<(), Error> {
    let refused = |source| Error::Fit {
        model: model.to_owned(),
        source,
    };
    if model != other {
        let fit = other.to_owned();
        return Err(refused(FitError::OtherModel { fit }));
    }
    let names = |layout: &Layout| layout.names().join("`, `");
    if own.names() != theirs.names() {
        let (here, there) = (names(own), names(theirs));
        let quantity = format!("its quantities are `{there}`, the model has `{here}`");
        return Err(refused(FitError::Quantity { quantity }));
    }
    let mut pairs = own.variables.iter().zip(&theirs.variables);
    let differs = pairs.find(|(a, b)| a.shape != b.shape);
    if let Some((here, there)) = differs {
        let (name, found) = (&here.name, there.shape.elements());
        let wanted = here.shape.elements();
        let quantity = format!("`{name}` has {found} elements in it and {wanted} in the model");
        return Err(refused(FitError::Quantity { quantity }));
    }
    Ok(())
}
