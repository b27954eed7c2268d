//! The model's picture that was drawn last. While only the panels change, it is put below them again: drawing it may take
//! a hundred times as long.

use std::sync::{Arc, Weak};

use super::pace::Quality;
use crate::look::{Ghost, Look, View};
use crate::model::{SceneBox, Stage};
use crate::render::{Average, Enlarged, Frame, Gpu, GpuModel, Target};

/// A picture on a texture of its own.
pub(super) struct Drawn {
    on: Texture,
    quality: Quality,
    /// `None` if the picture may not be shown again.
    subject: Option<Subject>,
}

/// The textures of a picture.
enum Texture {
    One(Enlarged),
    /// The picture is the average of several.
    Several(Average),
}

/// All that decides what a picture of one model shows.
pub(super) struct Subject {
    /// It keeps the address from being used again, and not the model.
    model: Weak<GpuModel>,
    stage: Stage,
    ghosts: Vec<Ghost>,
    view: View,
    look: Look,
    bounds: SceneBox,
    size: [u32; 2],
}

impl Subject {
    /// Returns what a frame of one model of this size in pixels shows. Its look is the same for all qualities.
    pub fn of(frame: &Frame<'_>, model: &Arc<GpuModel>, size: [u32; 2]) -> Self {
        Self {
            model: Arc::downgrade(model),
            stage: frame.stage.clone(),
            ghosts: frame.ghosts.to_vec(),
            view: *frame.view,
            look: frame.look.clone(),
            bounds: frame.bounds,
            size,
        }
    }

    /// Whether a frame shows the same.
    fn is_of(&self, frame: &Frame<'_>, size: [u32; 2]) -> bool {
        let Self { model, stage, ghosts, view, look, bounds, size: of_size } = self;
        let Frame { model: _, gpu_model, stage: posed, others, .. } = *frame;
        std::ptr::eq(model.as_ptr(), gpu_model)
            && others.is_empty()
            && stage == posed
            && ghosts == frame.ghosts
            && view == frame.view
            && look == frame.look
            && *bounds == frame.bounds
            && *of_size == size
    }
}

impl Drawn {
    /// Returns textures for a picture of this size, those of the former one if they fit.
    pub fn on(
        gpu: &Gpu,
        format: wgpu::TextureFormat,
        size: [u32; 2],
        quality: Quality,
        former: Option<Self>,
    ) -> Self {
        let former = former.map(|former| former.on);
        let on = match (quality, former) {
            (Quality::Averaged, Some(Texture::Several(average))) if average.fits(size) => {
                Texture::Several(average)
            }
            (Quality::Averaged, former) => {
                // Freed before the new ones are allocated.
                drop(former);
                Texture::Several(Average::new(gpu, format, size))
            }
            (_, former) => {
                let size = size.map(|edge| ((edge as f32 * quality.share()) as u32).max(1));
                match former {
                    Some(Texture::One(one)) if one.fits(size) => Texture::One(one),
                    former => {
                        drop(former);
                        Texture::One(Enlarged::new(gpu, format, size))
                    }
                }
            }
        };
        Self { on, quality, subject: None }
    }

    /// Whether it shows a frame, and at least as well as wanted.
    pub fn shows(&self, frame: &Frame<'_>, size: [u32; 2], wanted: Quality) -> bool {
        let is_good = self.quality >= wanted;
        is_good && self.subject.as_ref().is_some_and(|subject| subject.is_of(frame, size))
    }

    /// Says what was drawn on it; `None` if that may not be shown again.
    pub fn set_subject(&mut self, subject: Option<Subject>) {
        self.subject = subject;
    }

    /// The targets of its drawings.
    pub fn targets(&self) -> Vec<Target<'_>> {
        match &self.on {
            Texture::One(one) => vec![one.target()],
            Texture::Several(average) => average.targets().into(),
        }
    }

    /// Clears the target and puts the picture into its rectangle. The encoder must be submitted before the next call.
    pub fn put(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &Target<'_>) {
        match &self.on {
            Texture::One(one) => one.draw(encoder, target),
            Texture::Several(average) => average.draw(gpu, encoder, target),
        }
    }
}
