//! Text in lines: warnings of a printed run are broken between words, with a margin below their label.

use crate::diagnose::wrapped::write;

/// What a warning begins with, and as wide a margin of its further lines.
pub(super) const LABEL: &str = "warning: ";
const MARGIN: &str = "         ";

/// A printed run in other words. `words` is given each warning of several lines as one line, which is then broken again; the text between
/// these warnings is given to it as it is.
pub fn in_words(text: &str, words: impl Fn(&str) -> String) -> String {
    let mut pieces: Vec<(bool, String)> = Vec::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let more = |next: &&str| next.starts_with(MARGIN);
        if line.starts_with(LABEL) && lines.peek().is_some_and(more) {
            let mut whole = line.to_owned();
            while let Some(next) = lines.next_if(more) {
                whole = format!("{whole} {}", &next[MARGIN.len()..]);
            }
            pieces.push((true, whole));
            continue;
        }
        match pieces.last_mut() {
            Some((false, before)) => *before += &format!("\n{line}"),
            _ => pieces.push((false, line.to_owned())),
        }
    }
    let said = pieces.iter().map(|(is_warning, piece)| {
        let said = words(piece);
        match said.strip_prefix(LABEL) {
            Some(warning) if *is_warning => {
                let mut lines = String::new();
                // a string takes all that is written to it
                write(&mut lines, LABEL, warning).unwrap_or_default();
                lines.trim_end_matches('\n').to_owned()
            }
            _ => said,
        }
    });
    said.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::in_words;

    /// Would detect words that are only found within a line: `of steps` is at the end of one and at the beginning of the next.
    #[test]
    fn warnings_are_one_line_for_other_words() {
        let long = "many ".repeat(17);
        let text = format!(
            "a head\n  more\nwarning: {long}of\n         steps and the rest\nwarning: one line of steps\n\nthe end\n"
        );
        let found = in_words(&text, |text| text.replace("of steps", "OF STEPS"));
        let wanted = format!(
            "a head\n  more\nwarning: {long}OF\n         STEPS and the rest\nwarning: one line OF STEPS\n\nthe end\n"
        );
        assert_eq!(found, wanted);
        assert_eq!(in_words(&text, str::to_owned), text);
    }
}
