//! Draws frames: prepares what the passes share and the passes, builds the missing pipelines, and records.

use crate::device::timing::{PassTime, Timing};
use crate::frame::Frame;
use crate::passes::Passes;
use crate::passes::pass::{Drawing, ScenePipelines, Setup};
use crate::pick::{PickPlace, PickScene, Picker};
use crate::scene::frame_recorder::{FrameRecorder, PRIMITIVES};
use crate::scene::scene_resources::DrawStats;
use crate::scene::shared_frame::SharedResources;
use crate::scene::viewpoint::Viewpoint;
use crate::{Gpu, GpuError, ReadBack, Target};
use rigview_model::{DrawnBy, PictureCounts, PictureKind, Touched};

/// Draws pictures of a model. Keeps pipelines and resources from frame to frame.
pub struct Renderer {
    shared: SharedResources,
    /// `None` before the first picture.
    camera: Option<Viewpoint>,
    pipelines: ScenePipelines,
    passes: Passes,
    picker: Picker,
    /// `None` unless passes are timed.
    timing: Option<Timing>,
    /// Primitives per submission; `None` to estimate them for each frame.
    piece: Option<u64>,
}

/// The longest time of a submission on a GPU, in seconds, as estimated. Other programs wait for it, and most
/// systems reset a GPU after two seconds or more.
const SUBMISSION_SECS: f64 = 0.25;

impl Renderer {
    /// Builds no pipeline yet: each is built when a frame first needs it.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            shared: SharedResources::new(gpu),
            camera: None,
            pipelines: ScenePipelines::default(),
            passes: Passes::default(),
            picker: Picker::default(),
            timing: None,
            piece: gpu.is_software().then_some(PRIMITIVES),
        }
    }

    /// Sets how many points, lines and triangles are drawn per submission. Unless set, these are as many as a GPU
    /// should draw in a quarter of a second; on software adapters, which keep them all in memory until they are shaded,
    /// 131,072.
    pub fn draw_in_pieces(&mut self, primitives: u64) {
        self.piece = Some(primitives);
    }

    /// Enables or disables per-pass GPU timing from the next frame on. Does nothing if the adapter has no
    /// timestamps.
    pub fn time_passes(&mut self, gpu: &Gpu, on: bool) {
        if on != self.timing.is_some() {
            self.timing = if on { Timing::new(gpu) } else { None };
        }
    }

    /// Returns the GPU time per pass of the latest finished frame; empty unless passes are timed.
    pub fn pass_times(&mut self, gpu: &Gpu) -> &[PassTime] {
        self.timing.as_mut().map_or(&[], |timing| timing.read(gpu))
    }

    /// Returns the draw calls and triangles of the last picture.
    pub fn stats(&self) -> DrawStats {
        self.shared.stats()
    }

    /// Frees the resources of the model that was drawn last.
    pub fn free_model(&mut self) {
        self.shared.free_scene();
        self.passes.free();
    }

    /// Records a frame: uploads its data and encodes its passes. The caller must submit the encoder before
    /// it draws another frame with this renderer. Large models are drawn
    /// [in pieces](Renderer::draw_in_pieces): what was recorded so far, by the caller too, is submitted, and
    /// `encoder` is replaced by a new one.
    ///
    /// # Errors
    /// If the target has no pixels, or the adapter cannot draw the pass. Nothing is recorded then.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        target: &Target<'_>,
    ) -> Result<(), GpuError> {
        if target.size().contains(&0) {
            return Err(GpuError::NothingToDraw("the picture has no pixels"));
        }
        gpu.require(frame.look.pass)?;
        let Self { shared, camera, pipelines, passes, timing, piece, .. } = self;
        if shared.drawn_size() != Some(target.size()) {
            // Freed before the new textures are allocated.
            passes.free();
        }
        let shared = shared.prepare(gpu, frame, target);
        let mut setup = Setup { shared, camera: shared.camera(), pipelines };
        passes.prepare(&mut setup);
        let numbers = setup.camera;
        let (layouts, bindings) = (shared.layouts, shared.bindings);
        let camera = camera.get_or_insert_with(|| Viewpoint::of_camera(bindings, "camera"));
        camera.write(gpu, &numbers);
        // Drivers take long for each pipeline.
        both(
            || pipelines.meshes.build(gpu, layouts),
            || {
                pipelines.depths.build(gpu, layouts);
                passes.build(gpu, layouts);
            },
        );
        let camera = camera.bind(gpu, layouts, bindings, passes.light_maps());
        let mut record = FrameRecorder {
            gpu,
            encoder,
            timing: timing.as_mut(),
            part: target.part,
            piece: piece.unwrap_or_else(|| estimated_piece(frame, target)),
            primitives: 0,
            submitted: None,
        };
        passes
            .record(&mut record, &Drawing { shared, camera, pipelines, overlay: passes.overlay() });
        if let Some(timing) = timing {
            timing.end(encoder);
        }
        Ok(())
    }

    /// Begins to find what the picture of a frame shows at a pixel, with the frame's culling, alpha masks, morphs
    /// and skins. Overlays are not found, and of a crowd only the first instance. The frames that were recorded
    /// with this renderer must have been submitted. The answer comes when the GPU is done.
    ///
    /// # Errors
    /// If the place is outside of the picture, or the adapter cannot draw the pass.
    pub fn pick(
        &mut self,
        gpu: &Gpu,
        frame: &Frame<'_>,
        place: PickPlace,
    ) -> Result<ReadBack<Option<Touched>>, GpuError> {
        if (0..2).any(|axis| place.pixel[axis] >= place.size[axis]) {
            return Err(GpuError::NothingToDraw("the place is outside of the picture"));
        }
        gpu.require(frame.look.pass)?;
        let (layouts, bindings, scene) = self.shared.prepare_poses(gpu, frame);
        Ok(self.picker.ask(gpu, layouts, bindings, &PickScene::new(frame, scene), place))
    }
}

/// Returns the number of primitives that a GPU should draw within [`SUBMISSION_SECS`].
fn estimated_piece(frame: &Frame<'_>, target: &Target<'_>) -> u64 {
    let instances = 1 + frame.others.len();
    let meshes = frame.gpu_model.counts(frame.model);
    let kind = PictureKind { by: DrawnBy::Gpu, size: target.size(), samples: frame.look.samples };
    let piece = |mut counts: PictureCounts| {
        // All characters of a crowd together fill the picture.
        counts.layers /= instances as f64;
        (counts * (instances + frame.ghosts.len())).elements_within(SUBMISSION_SECS, kind)
    };
    // Nearly all frames are quick even if each mesh filled the picture, which needs no boxes of the pose.
    match piece(meshes.filling(frame.model, frame.stage)) {
        u64::MAX => u64::MAX,
        _ => piece(meshes.picture(frame.model, frame.stage)),
    }
}

/// Runs two closures in parallel.
#[cfg(not(target_family = "wasm"))]
fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    rayon::join(a, b);
}

/// Runs two closures in turn: there are no threads, and objects of wgpu cannot be sent between them.
#[cfg(target_family = "wasm")]
fn both(a: impl FnOnce(), b: impl FnOnce()) {
    a();
    b();
}
