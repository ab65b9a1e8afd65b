//! Colours: the palette of Okabe and Ito, for light and for dark backgrounds.

use std::fmt::Write;

/// Number of colours of the palette.
pub(crate) const COLOURS: usize = 7;

/// The background that a picture is drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on a dark ground.
    Dark,
    /// Light or dark as the reader's browser prefers. Programs without media queries show the light theme.
    Automatic,
}

/// The colours of one background.
struct Palette {
    ground: &'static str,
    ink: &'static str,
    muted: &'static str,
    grid: &'static str,
    /// Colours that people with any kind of colour vision can distinguish (Okabe and Ito 2008), in the order of contrast to the
    /// background.
    series: [&'static str; COLOURS],
}

const LIGHT: Palette = Palette {
    ground: "#ffffff",
    ink: "#1c1c1e",
    muted: "#6b6b70",
    grid: "#e4e4e8",
    series: [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#3c3c40",
    ],
};

const DARK: Palette = Palette {
    ground: "#16181c",
    ink: "#ececf0",
    muted: "#a0a0a8",
    grid: "#33363c",
    series: [
        "#56b4e9", "#e69f00", "#2bc59a", "#e39bc4", "#f0e442", "#ff8a3d", "#c8c8d0",
    ],
};

/// Rules that do not depend on the background: the shapes' strokes and fills, all in the current colour.
const SHAPES: &str = "\
.bayes text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:12px;fill:currentColor}\
.bayes .l{fill:none;stroke:currentColor;stroke-linejoin:round}\
.bayes .d{fill:none;stroke:currentColor;stroke-linecap:round}\
.bayes .a{fill:currentColor;stroke:none}\
.bayes .e{text-anchor:end}.bayes .c{text-anchor:middle}.bayes .b{font-weight:600}";

impl Palette {
    /// Rules for the elements below `.bayes`.
    fn rules(&self) -> String {
        let mut rules = format!(
            ".bayes .ground{{fill:{}}}.bayes .ink{{color:{}}}.bayes .muted{{color:{}}}.bayes .grid{{color:{}}}",
            self.ground, self.ink, self.muted, self.grid
        );
        for (k, colour) in self.series.iter().enumerate() {
            // writing to a string cannot fail
            let _ = write!(rules, ".bayes .s{k}{{color:{colour}}}");
        }
        rules
    }
}

impl Theme {
    /// The style sheet of a picture.
    pub(crate) fn css(self) -> String {
        let dark = format!("@media(prefers-color-scheme:dark){{{}}}", DARK.rules());
        match self {
            Self::Light => format!("{SHAPES}{}", LIGHT.rules()),
            Self::Dark => format!("{SHAPES}{}", DARK.rules()),
            Self::Automatic => format!("{SHAPES}{}{dark}", LIGHT.rules()),
        }
    }
}
