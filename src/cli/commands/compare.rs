//! `rigview compare`: compares two pictures. `screenshot --reference` uses the same functions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::cli::args::values::share;
use crate::cli::failure::{Failure, Result, shown, usage_error};
use crate::cli::input::{input_bytes, is_standard_input};
use crate::cli::output::{Inputs, expect_png_of, json_line, print, write_whole};
use rigview_capture::{Picture, write_png};
use rigview_compare::{
    Bitmap, PictureDifference, PictureLimits, SizesDiffer, pictures, side_by_side,
};
use rigview_import::ImportError;
use rigview_model::three_digits;

const MOST_BYTES: u64 = 1 << 30;

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
    pub fn limits(&self) -> PictureLimits {
        PictureLimits { visible: self.tolerance, flip: self.flip }
    }

    pub fn check(&self) -> Result {
        self.diff.as_deref().map_or(Ok(()), |path| expect_png_of("--diff", path))
    }
}

pub fn run(args: &CompareArgs) -> Result {
    args.difference.check()?;
    let files = [&args.reference, &args.result];
    if files.iter().all(|file| is_standard_input(file)) {
        return usage_error("- -: standard input is one picture; name a file for the other");
    }
    let inputs = Inputs::with(files.map(|file| Some(file.clone())));
    let [reference, result] = files.map(|file| read_bitmap(file));
    let pair = Pair { names: files.map(|file| shown(file)), pixels: [reference?, result?] };
    let comparison = pair.compare(args.difference.limits());
    if let Some(path) = &args.difference.diff {
        comparison.draw(&pair, path, &inputs)?;
    }
    if args.json {
        let line = comparison.json(None)?;
        print(|out| out.write_all(line.as_bytes()))?;
    } else if let Ok(difference) = &comparison.difference {
        print(|out| write_text(out, difference))?;
    }
    if comparison.accepted { Ok(()) } else { Err(Failure::No(comparison.verdict(&pair))) }
}

pub fn read_bitmap(path: &Path) -> Result<Bitmap> {
    let bytes = input_bytes(path, MOST_BYTES).map_err(|e| Failure::load(path, e))?;
    Bitmap::from_png(&bytes).map_err(|error| {
        let is_model = bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{");
        let advice = if is_model { "; `rigview diff` compares models" } else { "" };
        Failure::load(path, ImportError::other(format!("{error}{advice}")))
    })
}

pub struct Pair {
    /// The names that messages have, escaped for a terminal.
    pub names: [String; 2],
    pub pixels: [Bitmap; 2],
}

pub struct Comparison {
    difference: Result<PictureDifference, SizesDiffer>,
    limits: PictureLimits,
    pub accepted: bool,
}

impl Pair {
    pub fn compare(&self, limits: PictureLimits) -> Comparison {
        let [reference, result] = &self.pixels;
        let difference = pictures(reference, result);
        let accepted = difference.as_ref().is_ok_and(|difference| limits.accept(difference));
        Comparison { difference, limits, accepted }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    /// The file that is drawn, if it is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    equal: bool,
    #[serde(flatten)]
    numbers: Numbers<'a>,
}

/// Pictures of different sizes have the same keys, without values.
#[derive(Serialize)]
#[serde(untagged)]
enum Numbers<'a> {
    Known(&'a PictureDifference),
    Unknown { size: [[u32; 2]; 2], max: (), mean: (), visible: (), flip: () },
}

impl Comparison {
    pub fn draw(&self, pair: &Pair, path: &Path, inputs: &Inputs) -> Result {
        if path == Path::new("-") {
            return usage_error(
                "--diff: the picture must go to a file, because standard output has the numbers",
            );
        }
        let [reference, result] = &pair.pixels;
        let drawn = side_by_side(reference, result, self.difference.as_ref().ok());
        write_whole(path, inputs, |out| write_png(&Picture::from(drawn), out))
    }

    /// Returns one line of JSON. `file` is the drawn one, if it is one of several.
    pub fn json(&self, file: Option<&str>) -> Result<String> {
        let numbers = match &self.difference {
            Ok(difference) => Numbers::Known(difference),
            Err(SizesDiffer { sizes: size }) => {
                Numbers::Unknown { size: *size, max: (), mean: (), visible: (), flip: () }
            }
        };
        json_line(&Answer { file, equal: self.accepted, numbers })
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
        let opening = if self.accepted {
            format!("{result}: as {reference} within the limits")
        } else {
            format!("{result}: differs from {reference}")
        };
        let [visible, most] = [difference.visible, self.limits.visible].map(percent);
        let visible = format!("{visible} of the pixels visibly, {most} allowed");
        let flip = match self.limits.flip {
            Some(most) => format!("FLIP {}, {} allowed", rounded(difference.flip), rounded(most)),
            None => format!("FLIP {}", rounded(difference.flip)),
        };
        format!("{opening}: {visible}; largest difference {}; {flip}", rounded(difference.max))
    }
}

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

fn percent(share: f64) -> String {
    format!("{} %", rounded(share * 100.0))
}

fn rounded(number: f64) -> String {
    three_digits(number, 12)
}
