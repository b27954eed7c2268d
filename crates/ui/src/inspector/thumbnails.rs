//! Pictures of textures. The panels have no GPU, so they ask for small copies, which the window gives them.

use std::collections::{BTreeSet, HashMap};

use egui::{Color32, ColorImage, Sense, TextureHandle, TextureOptions, Ui, Vec2};

use crate::theme;
use rigview_session::LoadId;

/// The part of a texture that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Channel {
    /// Red, green and blue, opaque.
    #[default]
    Color,
    Red,
    Green,
    Blue,
    Alpha,
}

impl Channel {
    /// All channels with their labels and their accessible names.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Color, "RGB", "Show RGB"),
        (Self::Red, "R", "Show red"),
        (Self::Green, "G", "Show green"),
        (Self::Blue, "B", "Show blue"),
        (Self::Alpha, "A", "Show alpha"),
    ];

    fn pixel(self, [r, g, b, a]: [u8; 4]) -> Color32 {
        match self {
            Self::Color => Color32::from_rgb(r, g, b),
            Self::Red => Color32::from_gray(r),
            Self::Green => Color32::from_gray(g),
            Self::Blue => Color32::from_gray(b),
            Self::Alpha => Color32::from_gray(a),
        }
    }
}

/// A texture of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureId {
    /// The load that read the file.
    pub load: LoadId,
    /// The texture's index.
    pub texture: usize,
}

/// A small copy of a texture.
#[derive(Clone, Debug)]
pub struct TextureCopy {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Straight RGBA bytes.
    pub rgba: Vec<u8>,
}

/// The copies of a file's textures that were asked for.
#[derive(Default)]
pub(super) struct Thumbnails {
    load: Option<LoadId>,
    /// `None` for a texture that was not uploaded.
    copies: HashMap<usize, Option<TextureCopy>>,
    wanted: BTreeSet<usize>,
    shown: HashMap<(usize, Channel), TextureHandle>,
    /// The channel that a texture's page shows.
    pub channel: Channel,
}

impl std::fmt::Debug for Thumbnails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Thumbnails").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl Thumbnails {
    /// Forgets the copies of another load's textures.
    pub fn show_load(&mut self, load: LoadId) {
        if self.load != Some(load) {
            *self = Self { load: Some(load), channel: self.channel, ..Self::default() };
        }
    }

    /// A texture that a copy is wanted of.
    pub fn wanted(&self) -> Option<TextureId> {
        Some(TextureId { load: self.load?, texture: *self.wanted.first()? })
    }

    /// Takes the copy of a texture; `None` if there is none.
    pub fn give(&mut self, of: TextureId, copy: Option<TextureCopy>) {
        if self.load == Some(of.load) {
            self.wanted.remove(&of.texture);
            self.copies.insert(of.texture, copy);
        }
    }

    /// Shows a texture in a square of this side, in points. `name` is its accessible name.
    pub fn show(&mut self, ui: &mut Ui, texture: usize, channel: Channel, side: f32) {
        let Some(copy) = self.copies.get(&texture) else {
            self.wanted.insert(texture);
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, theme::colors(ui).bar);
            return;
        };
        let Some(copy) = copy else {
            ui.weak("not drawn");
            return;
        };
        let handle = self.shown.entry((texture, channel)).or_insert_with(|| {
            let pixels = copy.rgba.chunks_exact(4).map(|p| channel.pixel([p[0], p[1], p[2], p[3]]));
            let size = copy.size.map(|n| n as usize);
            let image = ColorImage::new(size, pixels.collect());
            ui.ctx().load_texture(format!("texture {texture}"), image, TextureOptions::LINEAR)
        });
        let size = Vec2::from(copy.size.map(|n| n as f32));
        let size = size * (side / size.max_elem().max(1.0));
        ui.add(egui::Image::new((handle.id(), size)).alt_text(format!("Texture {texture}")));
    }
}
