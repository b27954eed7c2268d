//! `rigview bake`: writes a file with a clip sampled at a fixed rate.

use std::path::Path;

use super::args::BakeArgs;
use super::choice::read;
use super::clips::{replace_clips, source_clip};
use super::failure::Failure;
use super::model_output::write_model;
use super::output::Inputs;
use crate::anim::Cursor;
use crate::capture::filled;
use crate::export::{Animations, BakedClip, ExportError, charge_frames, frame_times};
use crate::import::{ImageDecoding, ImportError, ImportOptions, escaped};
use crate::session::FileSource;

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let source = FileSource::Path(args.file.clone());
    let options = ImportOptions {
        images: ImageDecoding::Headers,
        keep_original: true,
        bvh_scale: args.clips.bvh_scale(),
        ..ImportOptions::default()
    };
    let inputs = Inputs::default();
    let mut loaded = read(&source, &options, &inputs)?;
    replace_clips(&args.clips, &mut loaded.model, &inputs)?;
    let model = &loaded.model;
    let file = escaped(&args.file.to_string_lossy());
    let Some(clip) = source_clip(&args.clips, model)?.clip else {
        return Err(Failure::Usage(format!("{file}: nothing to bake: the file has no clips")));
    };
    let name = clip.name().unwrap_or_default();
    if clip.channels().is_empty() {
        let name = escaped(name);
        return Err(Failure::Usage(format!("{file}: clip \"{name}\" moves nothing to bake")));
    }
    if !clip.properties().is_empty() {
        log::warn!(
            "{file}: the clip's animation of materials, lights, cameras and visibility is not baked"
        );
    }
    let failed = |e: ExportError| match e {
        ExportError::TooLong { .. } | ExportError::NothingToMove => {
            Failure::Usage(format!("{file}: {e}"))
        }
        ExportError::OverBudget(over) => {
            let what = format!("the clip lasts {} s", clip.duration_secs());
            Failure::load(&args.file, ImportError::over_budget(&what, over))
        }
        _ => Failure::Output(format!("{file}: {}", escaped(&e.to_string()))),
    };
    charge_frames(model, &clip, args.fps).map_err(failed)?;
    let times = frame_times(clip.duration_secs(), args.fps).map_err(failed)?;
    let mut cursor = Cursor::default();
    let baked = BakedClip::of(clip.name().map(str::to_owned), times, &model.rest, |time, out| {
        clip.pose(time, &model.rest, &mut cursor, out);
    });
    let baked = [baked.map_err(failed)?];
    let stem = Path::new(&args.file).file_stem().map(|s| s.to_string_lossy().into_owned());
    let path = filled(&args.output, &stem.unwrap_or_default(), name, 0);
    write_model(&path, &inputs, model, Animations::Baked(&baked), failed)
}
