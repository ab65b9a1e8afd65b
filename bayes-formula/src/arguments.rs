//! Arguments by their places and by their names.

use crate::syntax::{Argument, Node};

/// The values of arguments in the order of `names`, each of which is given once: those with a name by it, the others by their places. `None` for any
/// other arguments.
pub(crate) fn in_order<'a>(arguments: &'a [Argument], names: &[&str]) -> Option<Vec<&'a Node>> {
    if arguments.len() != names.len() {
        return None;
    }
    let mut values: Vec<Option<&Node>> = vec![None; names.len()];
    for (k, Argument { name, value }) in arguments.iter().enumerate() {
        let place = match name {
            Some(name) => names.iter().position(|known| known == name)?,
            None => k,
        };
        if values[place].replace(value).is_some() {
            return None;
        }
    }
    values.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::prior::Prior;

    /// Would detect names that are not looked at: `normal(sd = 2, mean = 1)` was `normal(2, 1)`.
    #[test]
    fn arguments_go_by_their_names() {
        let read = |text: &str| Prior::read(text);
        let wanted = read("normal(1, 2)").expect("it is one");
        for text in [
            "normal(sd = 2, mean = 1)",
            "normal(mean = 1, sd = 2)",
            "normal(1, sd = 2)",
        ] {
            assert_eq!(read(text), Ok(wanted), "{text}");
        }
        for text in [
            "normal(sigma = 1, mu = 7)",
            "normal(mean = 1, mean = 2)",
            "normal(1, mean = 2)",
            "gamma(foo = 1, rate = 2)",
        ] {
            let refused = read(text).expect_err(text);
            assert!(refused.message.starts_with("write `"), "{refused}");
        }
    }
}
