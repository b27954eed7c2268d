//! The file formats of recordings.

use std::io::{self, Write};
use std::path::Path;

use super::file_name::filled;
use super::{Film, Picture, write_apng, write_gif, write_png, write_rgba, write_y4m};

/// Writes the contents of a file.
pub type Contents<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

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

    /// The frames per second that the format has at most: viewers of GIF files show delays below 20 ms as 100 ms.
    pub const fn most_fps(self) -> f64 {
        match self {
            Self::Gif => 50.0,
            Self::Series | Self::Apng | Self::Y4m | Self::Rgba => f64::INFINITY,
        }
    }

    /// Whether the format can store transparent pixels.
    pub const fn has_transparency(self) -> bool {
        !matches!(self, Self::Y4m)
    }

    /// Returns the format that a file's name asks for; `None` if it asks for none.
    pub fn from_path(path: &Path) -> Option<Self> {
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

    /// Returns the film with no more frames per second than the format has.
    pub fn fitted(self, film: Film) -> Film {
        Film { schedule: film.schedule.at_most(self.most_fps()), ..film }
    }

    /// Writes the frames of a film to its files: a file per frame of a series, numbered from 0, or one of number 0. `file`
    /// writes a file of a number. Returns the number of files.
    ///
    /// # Errors
    /// If a frame can't be drawn, or `file` fails.
    pub fn write<E>(
        self,
        film: &Film,
        mut frames: impl Iterator<Item = io::Result<Picture>>,
        mut file: impl FnMut(u64, &mut Contents<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        if self != Self::Series {
            file(0, &mut |out| self.write_one(film, frames.by_ref(), out))?;
            return Ok(1);
        }
        let mut count = 0;
        for frame in frames {
            file(count, &mut |out| match &frame {
                Ok(frame) => write_png(frame, out),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            })?;
            count += 1;
        }
        Ok(count)
    }

    /// Writes the frames of a film to one file.
    fn write_one(
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
        let of = |name: &str| FilmFormat::from_path(Path::new(name));
        assert_eq!(of("out/walk.GIF"), Some(FilmFormat::Gif));
        assert_eq!(of("walk.png"), Some(FilmFormat::Apng));
        assert_eq!(of("walk_{frame:4}.png"), Some(FilmFormat::Series));
        assert_eq!(of("{frame}.gif"), Some(FilmFormat::Gif));
        assert_eq!((of("walk.mp4"), of("walk"), of("")), (None, None, None));
    }
}
