//! The adapted parameters of a kernel: its step size and the shape of its proposals.

use crate::error::Error;
use crate::rng::Stream;
use rand::RngExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::any::Any;
use std::fmt::Debug;

/// A kernel's adapted parameters, frozen while it moves particles; plain data.
///
/// The shape is serialised as JSON; [`Kernel::restore`](super::Kernel::restore) restores its type.
#[derive(Debug)]
pub struct Tuning {
    /// Leapfrog step size, pCN's beta, or the random walk's scale.
    pub step_size: f64,
    /// The range of shortened steps, see [`Tuning::draw_step_size`]; 0 for a single step size.
    pub step_size_mixture: f64,
    /// The maximum number of leapfrog steps of a trajectory whose length the kernel adapts; other kernels ignore it.
    pub leapfrog_limit: usize,
    shape: Box<dyn Shape>,
}

/// The maximum number of leapfrog steps before anything is known of the posterior, and the minimum of [`Tuning::leapfrog_limit`].
///
/// In a funnel the step is tuned to the narrow part. Long trajectories would then need many gradients where a few short ones with new
/// momenta are just as good. Where short ones are not as good, SMC finds longer ones.
pub const FIRST_LEAPFROG_LIMIT: usize = 24;

/// The shape of a kernel's proposals: plain data of a type that the kernel chooses.
pub trait Shape: Debug + Send + Sync {
    /// To access its type.
    fn as_any(&self) -> &dyn Any;
    /// To access its type.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// A copy.
    fn copied(&self) -> Box<dyn Shape>;
    /// As JSON.
    ///
    /// # Errors
    /// Errors of the serialiser.
    fn to_json(&self) -> Result<Value, serde_json::Error>;
}

impl<T: Debug + Clone + Serialize + Send + Sync + 'static> Shape for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn copied(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }
    fn to_json(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

impl Tuning {
    /// A tuning with a single step size.
    pub fn new(step_size: f64, shape: impl Shape + 'static) -> Self {
        Self {
            step_size,
            step_size_mixture: 0.0,
            leapfrog_limit: FIRST_LEAPFROG_LIMIT,
            shape: Box::new(shape),
        }
    }

    /// The shape of the kernel that made this tuning.
    ///
    /// # Panics
    /// If another kernel made it, or if it was read from a file and not restored.
    #[must_use]
    pub fn shape<T: Shape + 'static>(&self) -> &T {
        let shape = (*self.shape).as_any().downcast_ref();
        shape.expect("a tuning belongs to the kernel that made it")
    }

    /// The shape, for a fit.
    ///
    /// # Panics
    /// As [`Tuning::shape`].
    pub fn shape_mut<T: Shape + 'static>(&mut self) -> &mut T {
        let shape = (*self.shape).as_any_mut().downcast_mut();
        shape.expect("a tuning belongs to the kernel that made it")
    }

    /// Restores the type of a shape that was read from a file.
    ///
    /// # Errors
    /// [`Error::Saved`] if it is not a shape of this type.
    pub fn restore<T: Shape + DeserializeOwned + 'static>(&mut self) -> Result<(), Error> {
        let Some(value) = (*self.shape).as_any().downcast_ref::<Value>() else {
            return Ok(());
        };
        let read = serde_json::from_value::<T>(value.clone());
        let shape = read.map_err(|error| Error::Saved {
            what: "the tuning of a kernel",
            message: error.to_string(),
        })?;
        self.shape = Box::new(shape);
        Ok(())
    }

    /// The step size of one transition of one particle. With `step_size_mixture` above 0, half of the transitions have a step shortened
    /// by a factor `e^(-step_size_mixture U)`, U uniform from 0 to 1.
    ///
    /// A mixture over step sizes that are independent of the state leaves the target invariant (Neal 2011, section 5.4.2).
    #[must_use]
    pub fn draw_step_size(&self, stream: &mut Stream) -> f64 {
        self.shortened(self.step_size, stream)
    }

    /// As [`Tuning::draw_step_size`], but from the step size given here.
    #[must_use]
    pub fn shortened(&self, step_size: f64, stream: &mut Stream) -> f64 {
        if self.step_size_mixture > 0.0 && stream.random::<bool>() {
            step_size * (-self.step_size_mixture * stream.random::<f64>()).exp()
        } else {
            step_size
        }
    }
}

impl Clone for Tuning {
    fn clone(&self) -> Self {
        Self {
            shape: (*self.shape).copied(),
            ..*self
        }
    }
}

/// A tuning in a file.
#[derive(Serialize, Deserialize)]
struct Saved {
    step_size: f64,
    step_size_mixture: f64,
    #[serde(default = "first_limit")]
    leapfrog_limit: usize,
    shape: Value,
}

/// Default for files written before the limit was adapted.
fn first_limit() -> usize {
    FIRST_LEAPFROG_LIMIT
}

impl Serialize for Tuning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shape = (*self.shape).to_json().map_err(serde::ser::Error::custom)?;
        let saved = Saved {
            step_size: self.step_size,
            step_size_mixture: self.step_size_mixture,
            leapfrog_limit: self.leapfrog_limit,
            shape,
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tuning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        Ok(Self {
            step_size: saved.step_size,
            step_size_mixture: saved.step_size_mixture,
            leapfrog_limit: saved.leapfrog_limit,
            shape: Box::new(saved.shape),
        })
    }
}
