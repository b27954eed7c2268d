//! The alpha of a surface at a place, from all texels that any filter could read there.

use rigview::glam::{DVec2, Vec2};
use rigview::model::{AlphaMode, Model, Pixels, Primitive, TextureSlot, Wrap};

/// A blended surface is not visible below this alpha: half the step of a byte.
const INVISIBLE: f64 = 0.5 / 255.0;

/// Whether a place is visible by its alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    Shown,
    Hidden,
    /// It depends on the filter.
    Unsure,
}

/// A triangle with its material.
pub struct Surface<'a> {
    pub model: &'a Model,
    pub primitive: &'a Primitive,
    pub corners: [u32; 3],
}

impl Surface<'_> {
    /// Judges a place, given the corners' shares there and one pixel to the right and below. Blended surfaces count
    /// as opaque unless they fade.
    pub fn alpha(&self, shares: [f64; 3], around: [[f64; 3]; 2], fades: bool) -> Alpha {
        let Some(material) = self.primitive.material.map(|m| &self.model.materials[m]) else {
            return Alpha::Shown;
        };
        let cutoff = match material.alpha_mode {
            AlphaMode::Mask { cutoff } => f64::from(cutoff),
            AlphaMode::Blend if fades => INVISIBLE,
            _ => return Alpha::Shown,
        };
        let color = |i: usize| {
            let color = self.primitive.vertices[self.corners[i] as usize].color;
            f64::from(color[3]) / 65535.0
        };
        let vertex: f64 = (0..3).map(|i| shares[i] * color(i)).sum();
        let factor = f64::from(material.base_color[3]) * vertex;
        let (least, most) = self.texels(shares, around);
        match (factor * least, factor * most) {
            (least, _) if least > cutoff + 0.01 => Alpha::Shown,
            (_, most) if most < cutoff - 0.01 || most == 0.0 => Alpha::Hidden,
            (least, most) if least == most && least >= cutoff => Alpha::Shown,
            _ => Alpha::Unsure,
        }
    }

    /// Returns the smallest and largest alpha of the texels around a place.
    fn texels(&self, shares: [f64; 3], around: [[f64; 3]; 2]) -> (f64, f64) {
        let material = &self.model.materials[self.primitive.material.unwrap()];
        let Some(used) = material.textures[TextureSlot::BaseColor] else { return (1.0, 1.0) };
        let texture = &self.model.textures[used.texture];
        let image = &self.model.images[texture.image.unwrap()];
        let Pixels::Rgba8(texels) = &image.pixels else { panic!("an image without texels") };
        let size = DVec2::new(image.width.into(), image.height.into());
        let at = |shares: [f64; 3]| {
            let corner = |i: usize| {
                let uv = self.primitive.vertices[self.corners[i] as usize].uv[used.uv_set as usize];
                used.transform.matrix().transform_point2(Vec2::from(uv)).as_dvec2()
            };
            size * (0..3).map(|i| shares[i] * corner(i)).sum::<DVec2>()
        };
        let here = at(shares);
        let reach = around.map(|other| (at(other) - here).abs().max_element());
        // A mip level has texels up to twice as large as the pixel, and a filter reads two of them.
        let reach = (4.0 * reach[0].max(reach[1]) + 1.0).min(64.0) as i64;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for y in -reach..=reach {
            for x in -reach..=reach {
                let column = wrapped(here.x as i64 + x, image.width, texture.sampler.wrap_u);
                let row = wrapped(here.y as i64 + y, image.height, texture.sampler.wrap_v);
                let alpha =
                    f64::from(texels[4 * (row * image.width as usize + column) + 3]) / 255.0;
                (least, most) = (least.min(alpha), most.max(alpha));
            }
        }
        (least, most)
    }
}

fn wrapped(texel: i64, edge: u32, wrap: Wrap) -> usize {
    let edge = i64::from(edge);
    let texel = match wrap {
        Wrap::Repeat => texel.rem_euclid(edge),
        Wrap::ClampToEdge => texel.clamp(0, edge - 1),
        Wrap::MirroredRepeat => {
            let twice = texel.rem_euclid(2 * edge);
            twice.min(2 * edge - 1 - twice)
        }
    };
    texel as usize
}
