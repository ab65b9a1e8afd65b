//! The distributions that the macro knows by name: constructors and domain.
//!
//! With them the macro can count arguments, suggest names, and see which models have a gradient. A distribution that is missing here
//! still works, but rustc reports mistakes in its own words. The list comes from `bayes-catalogue`.

/// A distribution of `bayes::dist`.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name that users write.
    pub name: &'static str,
    /// The constructors.
    pub constructors: &'static [Constructor],
    /// Whether its values are whole numbers.
    pub discrete: bool,
    /// Whether it is a scalar family, whose parameters may be numbers of any type.
    pub scalar: bool,
}

/// A constructor and its parameters in order.
#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    /// The name after `::`.
    pub name: &'static str,
    /// Names of the parameters.
    pub parameters: &'static [&'static str],
}

macro_rules! is_discrete {
    (continuous) => {
        false
    };
    (discrete) => {
        true
    };
}

macro_rules! is_scalar {
    (structured) => {
        false
    };
    ($tests:ident) => {
        true
    };
}

macro_rules! list {
    ($($file:ident: $family:ident {
        $($constructor:ident($($parameter:ident),*)),*
    } $domain:ident $tests:ident;)*) => {
        /// Every distribution that models can name.
        pub const KNOWN: &[Known] = &[$(Known {
            name: stringify!($family),
            constructors: &[$(Constructor {
                name: stringify!($constructor),
                parameters: &[$(stringify!($parameter)),*],
            }),*],
            discrete: is_discrete!($domain),
            scalar: is_scalar!($tests),
        }),*];
    };
}
bayes_catalogue::distributions!(list);

/// The distribution called `name`.
pub fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The table is read without the types of `bayes-core`; here it is compared with their sources.
#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use syn::{FnArg, ImplItem, ImplItemFn, Item, ItemImpl, Pat, ReturnType, Type, Visibility};

    /// A line of the table.
    struct Line {
        file: &'static str,
        family: &'static str,
        constructors: Vec<(&'static str, Vec<&'static str>)>,
        domain: &'static str,
        tests: &'static str,
    }

    macro_rules! lines {
        ($($file:ident: $family:ident {
            $($constructor:ident($($parameter:ident),*)),*
        } $domain:ident $tests:ident;)*) => {
            vec![$(Line {
                file: stringify!($file),
                family: stringify!($family),
                constructors: vec![
                    $((stringify!($constructor), vec![$(stringify!($parameter)),*])),*
                ],
                domain: stringify!($domain),
                tests: stringify!($tests),
            }),*]
        };
    }

    fn table() -> Vec<Line> {
        bayes_catalogue::distributions!(lines)
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../bayes-dist/src/dist/family")
    }

    fn items(file: &str) -> Vec<Item> {
        let path = folder().join(format!("{file}.rs"));
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        syn::parse_file(&text).unwrap().items
    }

    /// Whether the last name of a type is `name`.
    fn is_called(ty: &Type, name: &str) -> bool {
        let Type::Path(path) = ty else { return false };
        path.path
            .segments
            .last()
            .is_some_and(|last| last.ident == name)
    }

    fn implementations<'a>(items: &'a [Item], family: &str) -> Vec<&'a ItemImpl> {
        let all = items.iter().filter_map(|item| match item {
            Item::Impl(block) if is_called(&block.self_ty, family) => Some(block),
            _ => None,
        });
        all.collect()
    }

    /// Whether the trait of an implementation is called `name`.
    fn implements(block: &ItemImpl, name: &str) -> bool {
        let path = block.trait_.as_ref().map(|implemented| &implemented.0);
        path.and_then(|path| path.segments.last())
            .is_some_and(|last| last.ident == name)
    }

    /// The name and the parameters of a public function that constructs: a function without `self` that returns more than a number.
    fn constructor(function: &ImplItemFn) -> Option<(String, Vec<String>)> {
        let is_public = matches!(function.vis, Visibility::Public(_));
        let returns = match &function.sig.output {
            // functions that return numbers and lists of numbers prepare data
            ReturnType::Type(_, ty) => {
                let of_numbers = ty.to_token_stream().to_string().contains("Vec < f64 >");
                !is_called(ty, "f64") && !of_numbers
            }
            ReturnType::Default => false,
        };
        if !is_public || !returns || function.sig.receiver().is_some() {
            return None;
        }
        let names = function.sig.inputs.iter().map(|input| match input {
            FnArg::Typed(argument) => match &*argument.pat {
                Pat::Ident(name) => name.ident.to_string(),
                _ => panic!("a pattern in a constructor"),
            },
            FnArg::Receiver(_) => unreachable!("there is no receiver"),
        });
        Some((function.sig.ident.to_string(), names.collect()))
    }

    fn constructors(items: &[Item], family: &str) -> BTreeSet<(String, Vec<String>)> {
        let own = implementations(items, family);
        let own = own.iter().filter(|block| block.trait_.is_none());
        own.flat_map(|block| &block.items)
            .filter_map(|item| match item {
                ImplItem::Fn(function) => constructor(function),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn constructors_and_their_parameters_are_those_of_the_sources() {
        for line in table() {
            let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
            let listed: BTreeSet<(String, Vec<String>)> = line
                .constructors
                .iter()
                .map(|(name, parameters)| ((*name).to_owned(), owned(parameters)))
                .collect();
            let found = constructors(&items(line.file), line.family);
            assert_eq!(
                listed, found,
                "{}: the constructors of bayes-catalogue/src/lib.rs (left) and of {}.rs (right)",
                line.family, line.file
            );
        }
    }

    /// The families that a file implements.
    fn families(items: &[Item]) -> Vec<String> {
        let all = items.iter().filter_map(|item| match item {
            Item::Impl(block) if implements(block, "Family") => match &*block.self_ty {
                Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            },
            _ => None,
        });
        all.collect()
    }

    #[test]
    fn every_file_with_a_family_has_a_line() {
        let table = table();
        for entry in std::fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let listed = table.iter().any(|line| line.file == file);
            let families = families(&items(&file));
            assert!(
                listed || families.is_empty(),
                "{families:?} of {file}.rs has no line in bayes-catalogue/src/lib.rs, so nothing tests it"
            );
        }
    }

    #[test]
    fn domains_and_distribution_functions_are_those_of_the_sources() {
        for line in table() {
            let items = items(line.file);
            let blocks = implementations(&items, line.family);
            let cumulative = blocks.iter().any(|block| implements(block, "Cumulative"));
            // those of structured families have tests of their own
            if line.tests != "structured" {
                assert_eq!(line.tests == "cumulative", cumulative, "{}", line.family);
            }
            let family = blocks.iter().find(|block| implements(block, "Family"));
            let domain = family.and_then(|block| {
                block.items.iter().find_map(|item| match item {
                    ImplItem::Type(domain) if domain.ident == "Domain" => Some(&domain.ty),
                    _ => None,
                })
            });
            if let Some(domain) = domain {
                let wanted = if line.domain == "discrete" {
                    "Discrete"
                } else {
                    "Continuous"
                };
                assert!(
                    is_called(domain, wanted),
                    "{} is {}",
                    line.family,
                    line.domain
                );
            }
        }
    }

    #[test]
    fn gaussian_families_are_those_that_say_so() {
        for line in table() {
            let path = folder().join(format!("{}.rs", line.file));
            let text = std::fs::read_to_string(path).unwrap();
            let is_listed = crate::distribution::GAUSSIAN.contains(&line.family);
            assert_eq!(text.contains("fn gaussian("), is_listed, "{}", line.family);
        }
    }

    #[test]
    fn lines_are_in_the_order_of_their_files() {
        let files: Vec<&str> = table().iter().map(|line| line.file).collect();
        let later = files.windows(2).find(|pair| pair[0] > pair[1]);
        assert_eq!(later, None, "these two lines are not in alphabetical order");
    }
}
