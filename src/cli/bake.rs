//! `rigview bake`: a clip sampled at a fixed rate, in a new file.

use std::path::Path;

use super::args::BakeArgs;
use super::choice::{clip_of, read, take_clips};
use super::failure::Failure;
use super::output::{filled, write_whole};
use crate::anim::Cursor;
use crate::export::{BakedClip, ExportError, frame_times, glb_with_clips};
use crate::import::{ImageDecoding, ImportOptions, escaped};
use crate::viewer::FileSource;

pub fn run(args: &BakeArgs) -> Result<(), Failure> {
    let source = FileSource::Path(args.file.clone());
    let options = ImportOptions {
        images: ImageDecoding::Headers,
        keep_original: true,
        ..ImportOptions::default()
    };
    let mut loaded = read(&source, &options)?;
    take_clips(&args.clips, &mut loaded.model)?;
    let model = &loaded.model;
    let file = escaped(&args.file.to_string_lossy());
    let Some(clip) = clip_of(&args.clips, model)?.clip else {
        return Err(Failure::Usage(format!("{file}: there is no clip to bake")));
    };
    let name = clip.name().unwrap_or_default();
    if clip.channels().is_empty() {
        let name = escaped(name);
        return Err(Failure::Usage(format!("{file}: clip \"{name}\" moves nothing to bake")));
    }
    if !clip.properties().is_empty() {
        log::warn!(
            "{file}: what the clip does to materials, lights, cameras and visibility is not baked"
        );
    }
    let failed = |e: ExportError| match e {
        ExportError::TooLong { .. } | ExportError::NothingToMove => {
            Failure::Usage(format!("{file}: {e}"))
        }
        _ => Failure::Output(format!("{file}: {}", escaped(&e.to_string()))),
    };
    let times = frame_times(clip.duration_secs(), args.fps).map_err(failed)?;
    let mut cursor = Cursor::default();
    let baked = BakedClip::of(clip.name().map(str::to_owned), times, &model.rest, |time, out| {
        clip.pose(time, &model.rest, &mut cursor, out);
    });
    let glb = glb_with_clips(model, &[baked.map_err(failed)?]).map_err(failed)?;
    let stem = Path::new(&args.file).file_stem().map(|s| s.to_string_lossy().into_owned());
    let path = filled(&args.output, &stem.unwrap_or_default(), name, 0);
    write_whole(&path, |out| out.write_all(&glb))
}
