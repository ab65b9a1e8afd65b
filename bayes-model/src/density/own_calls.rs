//! The user's own functions and distributions in a model, found by its text.
//!
//! Only these can have a wrong derivative, because the library does not compute it: a function that hides a random value from the library,
//! or a distribution or an operation with slopes written by hand.

/// The statements of models, which are not functions.
const STATEMENTS: [&str; 9] = [
    "sample",
    "sample_discrete",
    "param",
    "impute",
    "observe",
    "deterministic",
    "factor",
    "generate",
    "sum_out",
];

/// Free functions of the library.
const FUNCTIONS: [&str; 3] = ["dot", "log_sum_exp", "ode"];

/// Words before a parenthesis that are not calls.
const KEYWORDS: [&str; 10] = [
    "if", "while", "match", "for", "in", "return", "move", "as", "else", "let",
];

macro_rules! names {
    ($($file:ident: $family:ident { $($constructors:tt)* } $domain:ident $tests:ident;)*) => {
        /// The distributions of the library.
        const FAMILIES: &[&str] = &[$(stringify!($family)),*];
    };
}
bayes_catalogue::distributions!(names);

/// A word or a sign of the text.
type Token<'a> = &'a str;

/// The names of functions and distributions in the text of a model that are not in the library, each once.
pub fn own_calls(source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let mut found: Vec<String> = Vec::new();
    for i in 0..tokens.len() {
        let is_own = is_own_function(&tokens, i) || is_own_distribution(&tokens, i);
        if is_own && !found.iter().any(|name| name == tokens[i]) {
            found.push(tokens[i].to_owned());
        }
    }
    found
}

/// A free function that is neither a statement nor a closure of the model.
fn is_own_function(tokens: &[Token], i: usize) -> bool {
    let name = tokens[i];
    let before = i.checked_sub(1).map_or("", |i| tokens[i]);
    let is_closure = tokens
        .windows(2)
        .any(|pair| pair[0] == "let" && pair[1] == name);
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && tokens.get(i + 1) == Some(&"(")
        && !["fn", "."].contains(&before)
        && !is_of_a_type(tokens, i)
        && !STATEMENTS.contains(&name)
        && !FUNCTIONS.contains(&name)
        && !KEYWORDS.contains(&name)
        && !is_closure
}

/// Whether `name` is written `Type::name`.
fn is_of_a_type(tokens: &[Token], i: usize) -> bool {
    i >= 3 && tokens[i - 1] == ":" && !tokens[i - 3].starts_with(|c: char| c.is_ascii_lowercase())
}

/// A distribution in a statement that is not in the library.
fn is_own_distribution(tokens: &[Token], i: usize) -> bool {
    let is_type = tokens[i].starts_with(|c: char| c.is_ascii_uppercase());
    let is_constructed = tokens.get(i + 1) == Some(&":") && !FAMILIES.contains(&tokens[i]);
    is_type && is_constructed && is_the_distribution(&tokens[..i])
}

/// Whether the token after `before` is the distribution of a statement: its first argument, the second one of `observe`.
fn is_the_distribution(before: &[Token]) -> bool {
    let (mut depth, mut commas) = (0, 0);
    for (i, token) in before.iter().enumerate().rev() {
        match *token {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "(" => {
                let verb = i.checked_sub(1).map_or("", |i| before[i]);
                let starts = matches!(before.last(), Some(&"(" | &","));
                let place = usize::from(verb == "observe");
                return starts && commas == place && STATEMENTS.contains(&verb);
            }
            "[" | "{" => return false,
            "," if depth == 0 => commas += 1,
            _ => {}
        }
    }
    false
}

/// Words and single signs, without comments and strings.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        if !token.trim().is_empty() && !token.starts_with("//") && first != '"' {
            found.push(token);
        }
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::own_calls;

    #[test]
    fn functions_and_distributions_of_the_library_are_not_own() {
        let source = r#"
            fn counts(y: &[u64]) {
                let mu = sample(Gamma::new(2.0, 0.5)); // as in growth(t)
                let rate = |t: f64| mu * t.exp();
                if (y.len() > 2) { factor(-mu.square()); }
                println!("of growth(t)");
                let (a, b) = (dot(y, mu), ode(|_, z| z, mu).at(y));
                let k = sum_out(Bernoulli::new(mu));
                observe(y, NegativeBinomial::mean_dispersion(rate(2.0), Matrix::from(mu)));
            }"#;
        assert!(own_calls(source).is_empty(), "{:?}", own_calls(source));
    }

    #[test]
    fn own_functions_and_distributions_are_named_once() {
        let source = "
            fn growth_model(y: &[f64]) {
                let a = sample(Steep::new(1.0));
                let b = growth(a) + growth(2.0 * a);
                observe(&y[1..3], Skewed::with(helpers::curve(b), 1.0));
            }";
        assert_eq!(own_calls(source), ["Steep", "growth", "Skewed", "curve"]);
    }
}
