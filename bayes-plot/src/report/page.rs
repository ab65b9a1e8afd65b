//! The building blocks of a page.

use crate::figure::Figure;
use crate::label::escaped;
use crate::theme::Theme;
use std::fmt::{Display, Write};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Width of a single panel, in pixels: text stays readable when it is scaled to the width of a phone.
const NARROW: f64 = 480.0;

/// A page that grows from top to bottom. It escapes every text.
#[derive(Debug)]
pub(crate) struct Page {
    /// Messages in the words of the page's reader.
    words: fn(&str) -> String,
    body: String,
    /// Identifiers and texts of the sections of the first level.
    sections: Vec<(String, String)>,
    /// Number of tables so far.
    tables: usize,
}

impl Page {
    pub(crate) fn in_words(words: fn(&str) -> String) -> Self {
        Self {
            words,
            body: String::new(),
            sections: Vec::new(),
            tables: 0,
        }
    }

    /// A heading of level 2 or below; level 2 is listed at the top.
    pub(crate) fn heading(&mut self, level: usize, text: &str) {
        let id = format!("section-{}", self.sections.len());
        let text = escaped(text);
        if level == 2 {
            self.push(format_args!("<h2 id=\"{id}\">{text}</h2>\n"));
            self.sections.push((id, text));
        } else {
            self.push(format_args!("<h{level}>{text}</h{level}>\n"));
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        let text = escaped(&(self.words)(text));
        self.push(format_args!("<p>{text}</p>\n"));
    }

    /// A box with a problem and its remedy.
    pub(crate) fn warning(&mut self, problem: &str, remedy: &str) {
        let [problem, remedy] = [problem, remedy].map(|text| escaped(&(self.words)(text)));
        self.push(format_args!(
            "<div class=\"warning\"><p><strong>{problem}</strong></p><p>{remedy}</p></div>\n"
        ));
    }

    /// A box with good news.
    pub(crate) fn fine(&mut self, text: &str) {
        self.push(format_args!("<p class=\"fine\">{}</p>\n", escaped(text)));
    }

    /// A piece of code.
    pub(crate) fn source(&mut self, text: &str) {
        let text = escaped(text);
        self.push(format_args!(
            "<pre class=\"model\" tabindex=\"0\" aria-label=\"Source of the model\">{text}</pre>\n"
        ));
    }

    /// Lines of code with their numbers.
    pub(crate) fn code(&mut self, lines: &[(u32, String)]) {
        self.push("<ol class=\"model\">");
        for (number, text) in lines {
            let text = escaped(text);
            self.push(format_args!("<li><span>{number}</span>{text}</li>"));
        }
        self.push("</ol>\n");
    }

    /// A table of texts; the first cell of a row names it.
    pub(crate) fn table(&mut self, caption: &str, header: &[&str], rows: &[Vec<String>]) {
        // words may wrap, numbers should not
        let class = if header.len() == 2 {
            " class=\"wrap\""
        } else {
            ""
        };
        let table = self.caption(caption);
        self.push(format_args!(
            "<div class=\"scroll\"><table{class} aria-labelledby=\"caption-{table}\"><thead><tr>"
        ));
        for name in header {
            self.push(format_args!("<th scope=\"col\">{}</th>", escaped(name)));
        }
        self.push("</tr></thead><tbody>\n");
        for row in rows {
            self.push("<tr>");
            for (k, cell) in row.iter().enumerate() {
                let cell = escaped(cell);
                match k {
                    0 => self.push(format_args!("<th scope=\"row\">{cell}</th>")),
                    _ => self.push(format_args!("<td>{cell}</td>")),
                }
            }
            self.push("</tr>\n");
        }
        self.push("</tbody></table></div>\n");
    }

    /// Writes the caption of a table, above it and outside of the part that scrolls sideways. Returns the table's number.
    fn caption(&mut self, text: &str) -> usize {
        let table = self.tables;
        self.tables += 1;
        let text = escaped(text);
        self.push(format_args!(
            "<p class=\"quiet\" id=\"caption-{table}\">{text}</p>\n"
        ));
        table
    }

    /// A table that can be sorted by each column and searched by name. `values` are the numbers of a row, in the order of the texts
    /// after its name.
    pub(crate) fn sortable(
        &mut self,
        caption: &str,
        header: &[&str],
        rows: &[(Vec<String>, Vec<f64>)],
    ) {
        let table = self.caption(caption);
        let count = rows.len();
        self.push(format_args!(
            "<div class=\"search\"><label for=\"search-{table}\">Search by name</label>\
             <input id=\"search-{table}\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\">\
             <span id=\"status-{table}\" role=\"status\" class=\"quiet\">{count} of {count} shown</span></div>\n\
             <div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-labelledby=\"caption-{table}\">\
             <table class=\"sortable\" aria-labelledby=\"caption-{table}\" data-search=\"search-{table}\" data-status=\"status-{table}\">\
             <thead><tr>"
        ));
        for name in header {
            let name = escaped(name);
            self.push(format_args!(
                "<th scope=\"col\"><button type=\"button\">{name}</button></th>"
            ));
        }
        self.push("</tr></thead><tbody>\n");
        for (place, (cells, values)) in rows.iter().enumerate() {
            self.push("<tr>");
            for (k, cell) in cells.iter().enumerate() {
                let cell = escaped(cell);
                match k {
                    0 => self.push(format_args!(
                        "<th scope=\"row\" data-v=\"{place}\">{cell}</th>"
                    )),
                    _ => self.push(format_args!("<td data-v=\"{}\">{cell}</td>", values[k - 1])),
                }
            }
            self.push("</tr>\n");
        }
        self.push("</tbody></table></div>\n");
    }

    /// A picture with its title, notes and legend as text of the page.
    pub(crate) fn figure(&mut self, level: usize, figure: &Figure) {
        self.push("<figure><figcaption>");
        self.heading(level, figure.title());
        for note in &figure.notes {
            self.paragraph(note);
        }
        self.push("</figcaption>");
        if !figure.legend.is_empty() {
            self.push("<ul class=\"legend\">");
            for key in &figure.legend {
                let (symbol, text) = (key.inline_symbol(), escaped(&key.text));
                self.push(format_args!("<li>{symbol}{text}</li>"));
            }
            self.push("</ul>");
        }
        if figure.can_flow && figure.panels.len() > 1 {
            let is_large = matches!(figure.panels.len(), 2 | 4);
            self.push(if is_large {
                "<div class=\"panels large\">"
            } else {
                "<div class=\"panels\">"
            });
            for panel in &figure.panels {
                self.push(panel.inline(figure.title()));
            }
        } else {
            self.push("<div class=\"whole\" tabindex=\"0\">");
            self.push(narrowed(figure).inline_panels());
        }
        self.push("</div></figure>\n");
    }

    fn push(&mut self, text: impl Display) {
        // writing to a string cannot fail
        let _ = write!(self.body, "{text}");
    }

    /// The self-contained page.
    pub(crate) fn html(&self, title: &str, subtitle: &str) -> String {
        let [title, subtitle] = [title, subtitle].map(escaped);
        let links = self.sections.iter();
        let links: String = links
            .map(|(id, text)| format!("<li><a href=\"#{id}\">{text}</a></li>"))
            .collect();
        let figures = Theme::Automatic.css();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <title>{title}</title><link rel=\"icon\" href=\"data:,\">\n<style>{STYLE}{figures}</style></head>\n<body>\
             <a class=\"skip\" href=\"#main\">Skip to the results</a>\
             <header><h1>{title}</h1><p class=\"quiet\">{subtitle}</p></header>\n\
             <nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n<main id=\"main\">\n{}</main>\n\
             <footer><p>Written by bayes {}. This page needs no network; all of it is in this file.</p></footer>\n\
             <script>{SCRIPT}</script></body></html>\n",
            self.body,
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// The figure with a single panel made narrow enough for a phone.
fn narrowed(figure: &Figure) -> Figure {
    let mut figure = figure.clone();
    if let [panel] = figure.panels.as_mut_slice() {
        panel.size[0] = panel.size[0].min(NARROW);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn no_text_leaves_its_tag() {
        let evil = "<script>alert(1)</script>\" onload='x";
        let mut page = Page::in_words(str::to_owned);
        page.heading(2, evil);
        page.paragraph(evil);
        page.warning(evil, evil);
        page.fine(evil);
        page.code(&[(1, evil.to_owned())]);
        page.table(evil, &[evil, evil], &[vec![evil.to_owned(); 2]]);
        page.sortable(
            evil,
            &[evil, evil],
            &[(vec![evil.to_owned(); 2], vec![1.0])],
        );
        let html = page.html(evil, evil);
        assert_eq!(
            html.matches("<script>").count(),
            1,
            "that of the page itself"
        );
        assert!(!html.contains("onload='") && !html.contains("alert(1)</script>"));
        assert_eq!(html.matches("&lt;script&gt;alert(1)").count(), 20);
    }
}
