//! `rigview compare`: compares two pictures. `screenshot --reference` uses the same functions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::args::values::share;
use crate::cli::failure::Failure;
use crate::cli::input::{input_bytes, is_standard_input};
use crate::cli::output::{Inputs, expect_png_of, print, write_json_line, write_whole};
use rigview_capture::{Picture, write_png};
use rigview_compare::{
    Bitmap, PictureDifference, PictureLimits, SizesDiffer, pictures, side_by_side,
};
use rigview_import::{ImportError, escaped};
use rigview_model::three_digits;

/// Size limit of a picture's file in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The approved PNG picture.
    #[arg(value_name = "A.png")]
    pub reference: PathBuf,
    /// The PNG picture to compare with it.
    #[arg(value_name = "B.png")]
    pub result: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub difference: DifferenceArgs,
}

/// The accepted difference of two pictures, and where to draw it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub struct DifferenceArgs {
    /// Accept this share of visibly different pixels, from 0 to 1. A pixel is visibly different if a
    /// channel differs by more than 0.02.
    #[arg(long, value_name = "T", default_value = "0", value_parser = share, requires = "reference")]
    pub tolerance: f64,
    /// Also require a mean FLIP error of at most X, from 0 (the same) to 1.
    #[arg(long, value_name = "X", value_parser = share, requires = "reference")]
    pub flip: Option<f64>,
    /// Draw the reference, the picture and their difference as heat side by side to this PNG.
    #[arg(long, value_name = "OUT.png", requires = "reference")]
    pub diff: Option<PathBuf>,
}

/// The picture that `screenshot` compares its own with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub struct ReferenceArgs {
    /// Compare the picture with this PNG; exit with 1 if they differ. {model}, {clip} and {frame:4}
    /// are replaced as in --output, in --diff too.
    #[arg(long, value_name = "REF.png")]
    pub reference: Option<PathBuf>,
    /// Print the difference as one JSON object.
    #[arg(long, requires = "reference")]
    pub json: bool,
    #[command(flatten)]
    pub difference: DifferenceArgs,
}

impl DifferenceArgs {
    /// Returns the accepted difference.
    pub fn limits(&self) -> PictureLimits {
        PictureLimits { visible: self.tolerance, flip: self.flip }
    }

    /// Rejects a name of `--diff` that promises another format than PNG.
    pub fn check(&self) -> Result<(), Failure> {
        self.diff.as_deref().map_or(Ok(()), |path| expect_png_of("--diff", path))
    }
}

pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    args.difference.check()?;
    let files = [&args.reference, &args.result];
    if files.iter().all(|file| is_standard_input(file)) {
        let text = "- -: standard input is one picture; name a file for the other";
        return Err(Failure::Usage(text.into()));
    }
    let inputs = Inputs::with(files.map(|file| Some(file.clone())));
    let [reference, result] = files.map(|file| read_bitmap(file));
    let pair = Pair {
        names: files.map(|file| escaped(&file.to_string_lossy())),
        pixels: [reference?, result?],
    };
    let comparison = pair.compare(args.difference.limits());
    if let Some(path) = &args.difference.diff {
        comparison.draw(&pair, path, &inputs)?;
    }
    match (args.json, &comparison.difference) {
        (true, _) => print(|out| comparison.write_json(None, out))?,
        (false, Ok(difference)) => print(|out| write_text(out, difference))?,
        (false, Err(_)) => {}
    }
    match comparison.accepted {
        true => Ok(()),
        false => Err(Failure::No(comparison.verdict(&pair))),
    }
}

/// Reads a PNG picture.
pub fn read_bitmap(path: &Path) -> Result<Bitmap, Failure> {
    let bytes = input_bytes(path, MOST_BYTES).map_err(|e| Failure::load(path, e))?;
    Bitmap::from_png(&bytes).map_err(|error| {
        let is_model = bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{");
        let advice = if is_model { "; `rigview diff` compares models" } else { "" };
        Failure::load(path, ImportError::other(format!("{error}{advice}")))
    })
}

/// A reference and a result.
pub struct Pair {
    /// The names that messages have, escaped for a terminal.
    pub names: [String; 2],
    /// The pictures.
    pub pixels: [Bitmap; 2],
}

/// The difference of a pair, and whether it is accepted.
pub struct Comparison {
    difference: Result<PictureDifference, SizesDiffer>,
    limits: PictureLimits,
    pub accepted: bool,
}

impl Pair {
    /// Compares the pictures.
    pub fn compare(&self, limits: PictureLimits) -> Comparison {
        let [reference, result] = &self.pixels;
        let difference = pictures(reference, result);
        let accepted = difference.as_ref().is_ok_and(|difference| limits.accept(difference));
        Comparison { difference, limits, accepted }
    }
}

/// The difference as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    /// The file that is drawn, if it is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    equal: bool,
    #[serde(flatten)]
    difference: &'a PictureDifference,
}

/// The same keys for pictures of different sizes.
#[derive(Serialize)]
struct SizesAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    equal: bool,
    size: [[u32; 2]; 2],
    max: Option<f64>,
    mean: Option<f64>,
    visible: Option<f64>,
    flip: Option<f64>,
}

impl Comparison {
    /// Draws the pictures and their difference side by side.
    pub fn draw(&self, pair: &Pair, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
        if path == Path::new("-") {
            let text =
                "--diff: the picture must go to a file, because standard output has the numbers";
            return Err(Failure::Usage(text.into()));
        }
        let [reference, result] = &pair.pixels;
        let drawn = side_by_side(reference, result, self.difference.as_ref().ok());
        write_whole(path, inputs, |out| write_png(&Picture::from(drawn), out))
    }

    /// Writes one line of JSON. `file` is the drawn one, if it is one of several.
    pub fn write_json(&self, file: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        match &self.difference {
            Ok(difference) => {
                write_json_line(out, &Answer { file, equal: self.accepted, difference })
            }
            Err(SizesDiffer { sizes: size }) => {
                let ([max, mean, visible, flip], size) = ([None; 4], *size);
                let answer = SizesAnswer { file, equal: false, size, max, mean, visible, flip };
                write_json_line(out, &answer)
            }
        }
    }

    /// Returns one sentence that says whether the result is accepted, and why.
    pub fn verdict(&self, pair: &Pair) -> String {
        let [reference, result] = &pair.names;
        let difference = match &self.difference {
            Ok(difference) => difference,
            Err(SizesDiffer { sizes: [a, b] }) => {
                let [a, b] = [a, b].map(|[width, height]| format!("{width}x{height}"));
                return format!("{result} is {b}, but {reference} is {a}");
            }
        };
        if pair.pixels[0].rgba == pair.pixels[1].rgba {
            return format!("{result}: same as {reference}");
        }
        let opening = match self.accepted {
            true => format!("{result}: as {reference} within the limits"),
            false => format!("{result}: differs from {reference}"),
        };
        let visible = format!(
            "{} of the pixels visibly, {} allowed",
            percent(difference.visible),
            percent(self.limits.visible)
        );
        let flip = match self.limits.flip {
            Some(most) => format!("FLIP {}, {} allowed", rounded(difference.flip), rounded(most)),
            None => format!("FLIP {}", rounded(difference.flip)),
        };
        format!("{opening}: {visible}; largest difference {}; {flip}", rounded(difference.max))
    }
}

/// Writes the numbers for people.
fn write_text(out: &mut dyn Write, difference: &PictureDifference) -> io::Result<()> {
    let [width, height] = difference.size;
    let pixels = u64::from(width) * u64::from(height);
    writeln!(out, "size                {width}x{height}")?;
    let (visible, counted) = (percent(difference.visible), difference.visible_pixels);
    write!(out, "visibly different   {visible} of the pixels ({counted} of {pixels})")?;
    match difference.region {
        Some([x, y, w, h]) => writeln!(out, ", all in {w}x{h} pixels at {x},{y}")?,
        None => writeln!(out)?,
    }
    writeln!(out, "largest difference  {} of 1", rounded(difference.max))?;
    writeln!(out, "mean difference     {}", rounded(difference.mean))?;
    writeln!(out, "FLIP                {}", rounded(difference.flip))
}

/// Returns a share in percent.
fn percent(share: f64) -> String {
    format!("{} %", rounded(share * 100.0))
}

/// Returns a number with three significant digits.
fn rounded(number: f64) -> String {
    three_digits(number, 12)
}
