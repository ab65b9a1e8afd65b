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

    /// Sets the choice for all responses that have none of their own.
    pub(crate) fn set_all(&mut self, choice: T) {
        self.all = choice;
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

    /// Reads the choice of all responses, `poisson`, in place of all before, or of some, `y1 = gaussian, y2 = poisson`: a text that means two things is refused.
    pub(crate) fn read(
        &mut self,
        text: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<(), String> {
        let mut names: Vec<&str> = Vec::new();
        let has_several = text.contains(',');
        for part in text.split(',') {
            let Some((name, choice)) = part.rsplit_once('=') else {
                let choice = read(part.trim())?;
                if has_several {
                    return Err(format!(
                        "`{0}` has no response; write the response of each: `y1 = {0}, y2 = ..`",
                        part.trim()
                    ));
                }
                *self = Self::new(choice);
                continue;
            };
            let (name, choice) = (name.trim(), read(choice.trim())?);
            if names.contains(&name) {
                return Err(format!("`{name}` is there twice; leave one out"));
            }
            names.push(name);
            self.add(name, choice);
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
