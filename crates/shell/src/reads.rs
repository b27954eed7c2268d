//! Pictures that are read back from the GPU: they are asked for now, and each step looks whether they are there.

use std::path::PathBuf;

use super::picture::{color_image, save_picture, write_picture};
use super::resident::FrameModels;
use super::state::Shell;
use rigview_capture::Picture;
use rigview_render::{GpuError, ReadBack, thumbnail};
use rigview_session::{Action, NoticeKind};
use rigview_ui::{TextureCopy, TextureId};

/// The largest side in pixels of a texture's copy in the panels.
const THUMBNAIL: u32 = 512;

/// What a picture is for.
pub(super) enum Purpose {
    /// A file of this name, without its end.
    Save(String),
    /// The clipboard.
    Copy,
    /// The copy of a texture in the panels.
    Texture(TextureId),
    /// A script's picture of the window.
    Window(PathBuf),
}

/// A picture that the GPU may still be working on.
pub(super) struct Reading {
    pub purpose: Purpose,
    pub picture: ReadBack<Picture>,
}

impl Shell {
    /// Begins to draw the view as the window shows it, without the panels.
    pub(super) fn begin_picture(&mut self, bare: bool, purpose: Purpose) {
        self.session.pose();
        let Self { session, painter, resident, comparison, .. } = self;
        let heat = comparison.as_ref().map(|comparison| &comparison.heat);
        let models = FrameModels { heat, ..FrameModels::new(session, resident) };
        // Without a device there is no picture that could be meant.
        let Some(painter) = painter.as_mut() else { return };
        match painter.begin_still(models, bare) {
            Ok(picture) => self.reads.push(Reading { purpose, picture }),
            Err(error) => self.finish_reading(purpose, Err(error)),
        }
    }

    /// Begins a small copy of a texture that the panels want to show, unless one is being made.
    pub(super) fn begin_texture(&mut self) {
        let Some(painter) = &self.painter else { return };
        let is_texture = |reading: &Reading| matches!(reading.purpose, Purpose::Texture(_));
        if self.reads.iter().any(is_texture) {
            return;
        }
        let load = self.session.playback().document().map(|document| document.load);
        let wanted = self.panels.wanted_texture().filter(|wanted| Some(wanted.load) == load);
        let uploaded = FrameModels::new(&self.session, &self.resident).gpu_model;
        let Some((wanted, model)) = wanted.zip(uploaded) else { return };
        match thumbnail(&painter.gpu, model, wanted.texture, THUMBNAIL) {
            Some(copy) => {
                let picture = copy.map(|copy| Picture::Rgba8 { size: copy.size, bytes: copy.rgba });
                self.reads.push(Reading { purpose: Purpose::Texture(wanted), picture });
            }
            None => {
                self.panels.give_texture(wanted, None);
                self.frames.dirty = true;
            }
        }
    }

    /// Takes the pictures that are there.
    pub(super) fn take_reads(&mut self) {
        let Some(gpu) = self.gpu().cloned() else { return };
        for mut reading in std::mem::take(&mut self.reads) {
            match reading.picture.poll(&gpu) {
                None => self.reads.push(reading),
                Some(picture) => self.finish_reading(reading.purpose, picture),
            }
        }
    }

    /// Gives up the pictures of a device that was lost.
    pub(super) fn lose_reads(&mut self) {
        for Reading { purpose, .. } in std::mem::take(&mut self.reads) {
            self.finish_reading(purpose, Err(GpuError::Device("the device was lost".into())));
        }
    }

    fn finish_reading(&mut self, purpose: Purpose, picture: Result<Picture, GpuError>) {
        let picture = picture.map_err(|error| error.to_string());
        match purpose {
            Purpose::Save(name) => {
                let saved = picture.and_then(|p| save_picture(&p, &self.start.folder, &name));
                self.report_picture(saved.map(Action::Saved));
            }
            Purpose::Copy => {
                let copied = picture.map(|picture| {
                    self.ctx.copy_image(color_image(&picture));
                    let said = "The picture is on the clipboard".to_owned();
                    Action::Notice(NoticeKind::Done, said)
                });
                self.report_picture(copied);
            }
            Purpose::Texture(id) => {
                let picture = picture.map_err(|why| log::debug!("no copy of a texture: {why}"));
                let copy = picture.ok().map(|picture| TextureCopy {
                    size: picture.size(),
                    rgba: picture.rgba().into_owned(),
                });
                self.panels.give_texture(id, copy);
                self.frames.dirty = true;
            }
            Purpose::Window(path) => {
                self.driver.written =
                    Some(picture.and_then(|picture| write_picture(&picture, &path)));
            }
        }
    }

    fn report_picture(&mut self, outcome: Result<Action, String>) {
        let failed =
            |why: String| Action::Notice(NoticeKind::Warning, format!("No picture: {why}"));
        self.act(outcome.unwrap_or_else(failed));
    }
}
