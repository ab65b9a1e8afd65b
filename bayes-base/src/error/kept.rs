//! A run kept in an error, so that it is not lost.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A run for which the disk had no room; clones share it.
#[derive(Clone)]
pub struct Kept {
    /// A run. Errors come before runs in the order of the modules, so the module `run` stores it and takes it out.
    run: Arc<dyn Any + Send + Sync>,
    description: String,
}

impl Kept {
    /// Keeps a run; errors print the description. Only the module `run` of bayes-core calls this: a value of another type is no run, and
    /// the trait `KeptRun` panics on it.
    #[doc(hidden)]
    pub fn of(run: impl Any + Send + Sync, description: String) -> Self {
        Self {
            run: Arc::new(run),
            description,
        }
    }

    /// The run.
    #[must_use]
    pub fn shared(&self) -> &Arc<dyn Any + Send + Sync> {
        &self.run
    }

    /// The run, without a copy.
    #[must_use]
    pub fn into_shared(self) -> Arc<dyn Any + Send + Sync> {
        self.run
    }
}

/// Equal if both hold the same run in memory.
impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.run, &other.run)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description)
    }
}
