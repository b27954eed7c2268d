//! The model's picture that was drawn last. While only the panels change, it is put below them again: drawing it may take
//! a hundred times as long.

use std::cell::OnceCell;
use std::sync::{Arc, Weak};

use super::pace::Quality;
use rigview_look::{Ghost, Look, Metered, View};
use rigview_model::{SceneBox, Stage};
use rigview_render::{Average, Enlarge, Frame, Gpu, GpuModel, Target};
use rigview_session::{CompareMode, Compared};

/// A picture on textures of its own.
pub(super) struct LastPicture {
    /// One drawing, or as many as are averaged.
    drawings: Vec<wgpu::TextureView>,
    /// Width and height of each in pixels.
    size: [u32; 2],
    quality: Quality,
    /// `None` if the picture may not be shown again.
    inputs: Option<PictureInputs>,
}

/// Drawings whose average is a picture.
const AVERAGED: usize = 4;

/// The pipelines that draw pictures on targets of one format. Each is built when it is first used.
pub(super) struct PicturePipelines {
    format: wgpu::TextureFormat,
    enlarge: OnceCell<Enlarge>,
    average: OnceCell<Average>,
}

impl PicturePipelines {
    pub fn new(format: wgpu::TextureFormat) -> Self {
        Self { format, enlarge: OnceCell::new(), average: OnceCell::new() }
    }
}

/// A model in a frame, with its uploaded copy.
pub(super) type DrawnFrame<'a> = (Frame<'a>, &'a Arc<GpuModel>);

/// All that decides what a picture shows.
#[derive(PartialEq)]
pub(super) struct PictureInputs {
    models: Vec<Posed>,
    /// How two models share the picture, and the place of the line between them.
    joined: (CompareMode, f64),
    size: [u32; 2],
}

/// A model in a picture. Its look is the same for all qualities.
struct Posed {
    /// It keeps the address from being used again, and not the model.
    model: Weak<GpuModel>,
    stage: Stage,
    ghosts: Vec<Ghost>,
    view: View,
    look: Look,
    bounds: SceneBox,
    metered: Option<Metered>,
}

impl PartialEq for Posed {
    fn eq(&self, other: &Self) -> bool {
        let Self { model, stage, ghosts, view, look, bounds, metered } = self;
        Weak::ptr_eq(model, &other.model)
            && *stage == other.stage
            && *ghosts == other.ghosts
            && *view == other.view
            && *look == other.look
            && *bounds == other.bounds
            && *metered == other.metered
    }
}

impl PictureInputs {
    /// Returns what frames show together in a picture of this size in pixels.
    pub fn new<'a>(
        frames: impl IntoIterator<Item = DrawnFrame<'a>>,
        compared: &Compared,
        size: [u32; 2],
    ) -> Self {
        let posed = |(frame, model): DrawnFrame<'_>| Posed {
            model: Arc::downgrade(model),
            stage: frame.stage.clone(),
            ghosts: frame.ghosts.to_vec(),
            view: *frame.view,
            look: frame.look.clone(),
            bounds: frame.bounds,
            metered: frame.metered.cloned(),
        };
        let models = frames.into_iter().map(posed).collect();
        Self { models, joined: (compared.mode(), compared.wipe()), size }
    }
}

impl LastPicture {
    /// Returns textures for a picture of this size, those of the former one if they fit.
    pub fn on(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        size: [u32; 2],
        quality: Quality,
        former: Option<Self>,
    ) -> Self {
        let size = size.map(|edge| ((edge as f32 * quality.share()) as u32).max(1));
        let count = if quality == Quality::Averaged { AVERAGED } else { 1 };
        let fits = |former: &Self| former.size == size && former.drawings.len() == count;
        // One that does not fit is freed before others are allocated.
        let drawings = former.filter(fits).map(|former| former.drawings).unwrap_or_else(|| {
            let usage = wgpu::TextureUsages::TEXTURE_BINDING;
            let view =
                || gpu.texture("drawing", size, format, usage).create_view(&Default::default());
            (0..count).map(|_| view()).collect()
        });
        Self { drawings, size, quality, inputs: None }
    }

    /// Whether it shows inputs, and at least as well as wanted.
    pub fn shows(&self, inputs: &PictureInputs, wanted: Quality) -> bool {
        self.quality >= wanted && self.inputs.as_ref() == Some(inputs)
    }

    /// Says what was drawn on it; `None` if that may not be shown again.
    pub fn set_inputs(&mut self, inputs: Option<PictureInputs>) {
        self.inputs = inputs;
    }

    /// The views of its drawings, each of which is drawn on in whole.
    pub fn views(&self) -> &[wgpu::TextureView] {
        &self.drawings
    }

    /// Width and height of each drawing in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Clears the target and draws the picture into its rectangle. The encoder must be submitted before the next call.
    pub fn show(
        &self,
        gpu: &Gpu,
        pipelines: &PicturePipelines,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target<'_>,
    ) {
        if let Some(drawings) = self.drawings.as_array::<AVERAGED>() {
            let average = pipelines.average.get_or_init(|| Average::new(gpu, pipelines.format));
            average.draw(gpu, encoder, drawings, target);
        } else if let [drawing] = &self.drawings[..] {
            let enlarge = pipelines.enlarge.get_or_init(|| Enlarge::new(gpu, pipelines.format));
            enlarge.draw(gpu, encoder, drawing, target);
        }
    }
}
