//! Pictures in pixels, with the feature `png`.

use crate::figure::write_file;
use bayes_core::Error;
use bayes_core::run::PictureError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::path::Path;

/// Pixels for each unit of the SVG, so that text is sharp in print and on fine screens.
const SCALE: f32 = 2.0;

/// Draws an SVG and writes it as a PNG file.
///
/// # Errors
/// [`PictureError::Pixels`] if the system has no font; [`Error::File`] with the system's error.
pub(crate) fn save(svg: &str, path: &Path) -> Result<(), Error> {
    let bytes = encode(svg).map_err(|reason| PictureError::Pixels {
        path: path.display().to_string(),
        reason,
    })?;
    write_file(path, &bytes)
}

fn encode(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    if fonts.is_empty() {
        return Err("the system has no font to write its texts with".to_owned());
    }
    // the system may lack the font family of the style sheet
    let sans = [
        "DejaVu Sans",
        "Liberation Sans",
        "Noto Sans",
        "Arial",
        "Helvetica",
    ];
    let known = |name: &&str| {
        let mut faces = fonts.faces();
        faces.any(|face| face.families.iter().any(|(family, _)| family == name))
    };
    let first = fonts.faces().next().and_then(|face| face.families.first());
    let first = first.map(|(family, _)| family.clone()).unwrap_or_default();
    let family = sans
        .iter()
        .find(|name| known(name))
        .map_or(first, |name| (*name).to_owned());
    fonts.set_sans_serif_family(family);
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let size = size.ok_or("it has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use crate::theme::Theme;
    use crate::{Plot, example};
    use resvg::tiny_skia::Pixmap;

    #[test]
    fn a_picture_has_twice_as_many_pixels_as_units() {
        let run = example::chains(2, 200, 2);
        let figure = run.plot().trace().expect("chains have traces");
        let svg = figure.svg();
        let width = svg
            .split("width=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let width: f64 = width
            .and_then(|text| text.parse().ok())
            .expect("it has a width");
        for theme in [Theme::Light, Theme::Dark, Theme::Automatic] {
            let folder = tempfile::tempdir().expect("a folder for temporary files");
            let path = folder.path().join("figure.png");
            figure
                .clone()
                .theme(theme)
                .save(&path)
                .expect("it can be written");
            let pixels = Pixmap::load_png(&path).expect("it is a PNG file");
            assert_eq!(f64::from(pixels.width()), 2.0 * width);
            let colours = pixels
                .pixels()
                .iter()
                .map(|p| (p.red(), p.green(), p.blue()));
            let mut colours: Vec<_> = colours.collect();
            let ground = colours[0];
            assert_eq!(ground.0 > 200, theme != Theme::Dark);
            colours.sort_unstable();
            colours.dedup();
            // the picture has lines and letters, smooth at their edges
            assert!(colours.len() > 50, "{} colours", colours.len());
        }
    }
}
