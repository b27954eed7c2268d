//! `screenshot --pass mask` compared with silhouettes that an independent rasteriser drew.

use crate::support::{
    case_arguments, for_each, out_of_scope, rigview, say_at_the_end, screenshots, shared,
};
use serde_json::Value;
use std::iter;
use std::path::{Path, PathBuf};

#[test]
fn masks_agree_with_the_references() {
    let Some(shared) = shared("masks_agree_with_the_references") else { return };
    let references = shared.join("reference");
    let cameras = std::fs::read_to_string(references.join("cameras.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cameras).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pictures: Vec<Vec<String>> =
        cases.iter().map(|case| arguments(case, &shared, folder.path())).collect();
    // A picture that can't be drawn is missing then.
    screenshots(&pictures);
    let verdicts = for_each(&cases, |case| compare(case, &shared, folder.path()));

    let (mut lowest, mut place, mut agree) = (1.0, "none", 0);
    let (mut differ, mut left_out) = (Vec::new(), Vec::new());
    for (case, verdict) in cases.iter().zip(verdicts) {
        let name = text(&case["name"]);
        match verdict {
            Ok(Mask::Drawn(iou)) => {
                agree += 1;
                if iou < lowest {
                    (lowest, place) = (iou, name);
                }
            }
            Ok(Mask::OutOfScope(what)) => left_out.push(format!("{name} ({what})")),
            Err(how) => differ.push(format!("{name}: {how}")),
        }
    }
    let left_out = if left_out.is_empty() { "none".to_owned() } else { left_out.join(", ") };
    say_at_the_end(format!(
        "{agree} of {} masks agree, lowest IoU {lowest:.4} at {place}; out of scope: {left_out}",
        cases.len()
    ));
    assert!(differ.is_empty(), "{} masks differ:\n{}", differ.len(), differ.join("\n"));
    assert!(agree > 0, "nothing was compared");
}

enum Mask {
    /// The masks agree: intersection over union of their pixels.
    Drawn(f64),
    /// The program does not support the model yet.
    OutOfScope(String),
}

fn compare(case: &Value, shared: &Path, folder: &Path) -> Result<Mask, String> {
    let out_of_scope = || {
        // A run of its own says why a picture is missing, and what the model has that is not drawn.
        let model = shared.join("models").join(text(&case["model"]));
        let run =
            rigview(iter::once("screenshot".to_owned()).chain(arguments(case, shared, folder)));
        let left_out = out_of_scope(&model, &run).map(Mask::OutOfScope);
        left_out.ok_or_else(|| run.ended())
    };
    let picture = picture(case, folder);
    if !picture.exists() {
        return out_of_scope();
    }
    let got = covered(&picture)?;
    let want = covered(&shared.join("reference").join(text(&case["mask"])))?;
    if got.size != want.size {
        return Err(format!("{:?} pixels instead of {:?}", got.size, want.size));
    }
    let pairs = || got.pixels.iter().zip(&want.pixels);
    let both = pairs().filter(|(got, want)| **got && **want).count();
    let either = pairs().filter(|(got, want)| **got || **want).count();
    let iou = if either == 0 { 1.0 } else { both as f64 / either as f64 };
    let least = case["iou_min"].as_f64().unwrap_or(0.985);
    if iou >= least {
        return Ok(Mask::Drawn(iou));
    }
    let only_here = pairs().filter(|(got, want)| **got && !**want).count();
    let missing = either - both - only_here;
    out_of_scope().map_err(|_| {
        format!("IoU {iou:.4} below {least}; {only_here} pixels too many, {missing} missing")
    })
}

fn picture(case: &Value, folder: &Path) -> PathBuf {
    folder.join(format!("{}.png", text(&case["name"])))
}

/// Returns the arguments of `screenshot` that draw a case.
fn arguments(case: &Value, shared: &Path, folder: &Path) -> Vec<String> {
    let mut args = case_arguments(case, &shared.join("models"));
    args.extend(["-o".to_owned(), picture(case, folder).to_string_lossy().into_owned()]);
    args.push("--pass=mask".to_owned());
    args
}

/// Returns which pixels of a picture are covered, that is, brighter than half.
struct Coverage {
    size: (u32, u32),
    pixels: Vec<bool>,
}

fn covered(picture: &Path) -> Result<Coverage, String> {
    let error = |error| format!("{}: {error}", picture.display());
    let picture = image::open(picture).map_err(error)?.into_luma_alpha8();
    let bright = |pixel: &image::LumaA<u8>| {
        let [light, alpha] = pixel.0.map(u32::from);
        light * alpha > 127 * 255
    };
    Ok(Coverage { size: picture.dimensions(), pixels: picture.pixels().map(bright).collect() })
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a case says it as text")
}
