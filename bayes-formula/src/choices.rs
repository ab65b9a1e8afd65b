//! Choices of families and links for all responses, or for some.

use bayes::Error;

/// A choice for all responses, and those for some of them by their names.
#[derive(Clone, Debug)]
pub(crate) struct Choices<T> {
    all: T,
    some: Vec<(String, T)>,
}

impl<T: Copy> Choices<T> {
    pub(crate) fn new(all: T) -> Self {
        Self {
            all,
            some: Vec::new(),
        }
    }

    /// Adds the choice for a response.
    pub(crate) fn add(&mut self, response: &str, choice: T) {
        self.some.push((response.to_owned(), choice));
    }

    /// The last choice for a response.
    pub(crate) fn of(&self, name: &str) -> T {
        let mut chosen = self.some.iter().rev();
        let found = chosen.find(|(response, _)| response == name);
        found.map_or(self.all, |(_, choice)| *choice)
    }

    /// Reads the choice of all responses, `poisson`, or of some, `y1 = gaussian, y2 = poisson`.
    pub(crate) fn read(
        &mut self,
        text: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<(), String> {
        for part in text.split(',') {
            match part.rsplit_once('=') {
                Some((name, choice)) => {
                    let choice = read(choice.trim())?;
                    self.add(name.trim(), choice);
                }
                None => self.all = read(part.trim())?,
            }
        }
        Ok(())
    }

    /// Refuses a choice for what is no response.
    pub(crate) fn check(&self, setting: &'static str, names: &[String]) -> Result<(), Error> {
        let mut chosen = self.some.iter();
        match chosen.find(|(name, _)| !names.contains(name)) {
            None => Ok(()),
            Some((name, _)) => Err(Error::Setting {
                setting,
                value: name.clone(),
                allowed: format!("a response of the formula: {}", names.join(", ")),
            }),
        }
    }
}
