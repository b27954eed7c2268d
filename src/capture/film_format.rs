//! The file formats of recordings.

use std::io::{self, Write};
use std::path::Path;

use super::file_name::filled;
use super::{Film, Picture, write_apng, write_gif, write_rgba, write_y4m};

/// The file format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    /// One PNG per frame.
    Series,
    /// An animated PNG.
    Apng,
    /// An animated GIF.
    Gif,
    /// YUV4MPEG2 video.
    Y4m,
    /// Raw RGBA bytes.
    Rgba,
}

impl FilmFormat {
    /// The names that have a format, for messages.
    pub const NAMES: &str = ".gif, .apng, .png, .y4m, .rgba or frame_{frame:4}.png";

    /// The frames per second that a GIF has at most: viewers show delays below 20 ms as 100 ms.
    pub const GIF_FPS: f64 = 50.0;

    /// Returns the format that a file's name asks for; `None` if it asks for none.
    pub fn of(path: &Path) -> Option<Self> {
        let [first, second] = [0, 1].map(|frame| filled(path, "", "", frame));
        let series = first != second;
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        match &*extension.to_ascii_lowercase() {
            "png" if series => Some(Self::Series),
            "png" | "apng" => Some(Self::Apng),
            "gif" => Some(Self::Gif),
            "y4m" => Some(Self::Y4m),
            "rgba" => Some(Self::Rgba),
            _ => None,
        }
    }

    /// Writes the frames of a film to one file.
    ///
    /// # Errors
    /// If a frame can't be drawn, `out` fails, or the format is a series, which takes a file per frame.
    pub fn write(
        self,
        film: &Film,
        frames: impl Iterator<Item = io::Result<Picture>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Gif => write_gif(film, frames, out),
            Self::Y4m => write_y4m(film, frames, out),
            Self::Rgba => write_rgba(frames, out),
            Self::Apng => write_apng(film, frames, out),
            Self::Series => Err(io::Error::other("a series takes a file per frame")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format() {
        let of = |name: &str| FilmFormat::of(Path::new(name));
        assert_eq!(of("out/walk.GIF"), Some(FilmFormat::Gif));
        assert_eq!(of("walk.png"), Some(FilmFormat::Apng));
        assert_eq!(of("walk_{frame:4}.png"), Some(FilmFormat::Series));
        assert_eq!(of("{frame}.gif"), Some(FilmFormat::Gif));
        assert_eq!((of("walk.mp4"), of("walk"), of("")), (None, None, None));
    }
}
