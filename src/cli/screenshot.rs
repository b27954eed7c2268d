//! `rigview screenshot`: renders a picture without a window.

use super::args::ScreenshotArgs;
use super::failure::Failure;
use super::opening::{Scene, open};
use super::output::{Inputs, filled, write_whole};
use crate::capture::{picture_taking, write_png};

pub fn run(args: &ScreenshotArgs) -> Result<(), Failure> {
    let inputs = Inputs::with([args.clip.pose.clone(), args.look.environment_file()]);
    let scene = Scene {
        file: args.file.as_deref(),
        clip: &args.clip,
        camera: &args.camera,
        look: &args.look,
        gpu: &args.gpu,
    };
    let mut opened = open(&scene, &inputs)?;
    let images = std::mem::take(&mut opened.images);
    let picture = picture_taking(&opened.gpu, &mut opened.session, images, args.look.size)?;
    let [model, clip] = opened.names();
    let frame = opened.session.exhibit().instant().frame;
    let path = filled(&args.output, &model, &clip, frame);
    write_whole(&path, &inputs, |out| write_png(&picture, out))
}
