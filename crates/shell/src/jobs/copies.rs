//! Writes copies of the shown file.

use std::borrow::Cow;

use crate::write::{ELSEWHERE, write_error};
use rigview_capture::{is_same_file, write_whole};
use rigview_export::{Animations, clip_of_pose, glb_with, set_rest};
use rigview_import::{ImageDecoding, ImportOptions, Progress};
use rigview_report::{NodePose, local_pose_of};
use rigview_session::{CopyContents, CopyRequest, FileSource};

/// Writes a copy to its file.
pub(super) fn write(request: &CopyRequest, bvh_scale: Option<f32>) -> Result<(), String> {
    let CopyRequest { path, inputs, contents } = request;
    let name = path.display();
    let ends = |end: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(end));
    if !ends("glb") && !ends("vrm") {
        return Err(format!("{name}: a copy is a .glb file; choose a name that ends so"));
    }
    if inputs.iter().any(|input| is_same_file(input, path)) {
        return Err(format!("{name} is open here, and stays as it is; choose another name"));
    }
    let glb = match contents {
        CopyContents::Glb(glb) => Cow::from(&glb[..]),
        CopyContents::Posed { source, nodes, clip } => {
            posed_file(source, nodes, clip.as_deref(), bvh_scale)?.into()
        }
    };
    write_whole(path, |out| out.write_all(&glb))
        .map_err(|error| format!("{}; {ELSEWHERE}", write_error(path, &error)))
}

/// Reads a file again, and returns it with a pose, as `rigview bake --pose` writes it.
fn posed_file(
    source: &FileSource,
    nodes: &[NodePose],
    clip: Option<&str>,
    bvh_scale: Option<f32>,
) -> Result<Vec<u8>, String> {
    let options = ImportOptions {
        images: ImageDecoding::Headers,
        keep_original: true,
        bvh_scale,
        ..ImportOptions::default()
    };
    let loaded = source.load(&options, &Progress::default()).map_err(|error| error.to_string())?;
    let mut model = loaded.model;
    let pose = local_pose_of(&model, nodes).0;
    let written = match clip {
        None => set_rest(&mut model, &pose).and_then(|()| glb_with(&model, Animations::File)),
        Some(name) => clip_of_pose(name.to_owned(), &model.rest, &pose)
            .and_then(|clip| glb_with(&model, Animations::Added(&[clip]))),
    };
    written.map_err(|error| error.to_string())
}
