//! The texture coordinates of two meshes, as their textures read them.

use std::cell::RefCell;
use std::collections::HashMap;

use glam::{Affine2, Vec2};

use super::side::Side;
use super::vertex_pairs::Drawn;
use crate::model::{Material, Model, Primitive, TextureSlot};

/// The largest difference that is no change, in units of the texture: what quantization in 10 bits costs.
pub(super) const SAME_TEX_COORD: f32 = 1e-3;

/// The materials of two primitives.
type Materials = [Option<usize>; 2];

/// The texture coordinates of two meshes.
pub(super) struct TexCoords<'a> {
    models: [&'a Model; 2],
    primitives: [&'a [Primitive]; 2],
    /// By set, the corners of the texture coordinates of both meshes if no texture of either reads them: then their unit
    /// is unknown, and quantized ones have another one.
    unread: [Option<[[Vec2; 2]; 2]>; 2],
    /// By set, the transforms in both materials of the textures that read it.
    transforms: RefCell<HashMap<Materials, [Vec<[Affine2; 2]>; 2]>>,
    /// Whether all vertices that were compared have equal texture coordinates.
    agree: HashMap<Materials, bool>,
}

/// Two materials, and whether all texture coordinates that they read are the same after their transforms.
pub(super) type TexCoordsAgree = ([usize; 2], bool);

impl<'a> TexCoords<'a> {
    pub fn new(sides: [&Side<'a>; 2], drawn: Drawn) -> Self {
        let models = sides.map(|side| side.model);
        let primitives = [(models[0], drawn.a), (models[1], drawn.b)]
            .map(|(model, node)| primitives(model, node).unwrap_or_default());
        let unread = [0, 1].map(|set| {
            let boxes = [0, 1].map(|side| unread_box(models[side], primitives[side], set));
            let [Some(a), Some(b)] = boxes else { return None };
            Some([a, b])
        });
        let (transforms, agree) = Default::default();
        Self { models, primitives, unread, transforms, agree }
    }

    fn materials(&self, [i, j]: [usize; 2]) -> Materials {
        [self.primitives[0][i].material, self.primitives[1][j].material]
    }

    /// Returns the largest distance along an axis of two texture coordinates of a set on the textures that read them,
    /// given the indices of their primitives.
    pub fn difference(&self, primitives: [usize; 2], set: usize, uvs: [Vec2; 2]) -> f32 {
        if let Some(boxes) = &self.unread[set] {
            let [x, y] = [0, 1].map(|side| {
                let [min, max] = boxes[side];
                (uvs[side] - min) / (max - min).max(Vec2::splat(f32::MIN_POSITIVE))
            });
            return (x - y).abs().max_element();
        }
        let apart = |[of_a, of_b]: &[Affine2; 2]| {
            (of_a.transform_point2(uvs[0]) - of_b.transform_point2(uvs[1])).abs().max_element()
        };
        let materials = self.materials(primitives);
        let mut known = self.transforms.borrow_mut();
        let both = known.entry(materials).or_insert_with(|| {
            let both = [0, 1].map(|i| materials[i].map(|m| &self.models[i].materials[m]));
            [0, 1].map(|set| transforms(both, set))
        });
        both[set].iter().map(apart).fold(0.0, f32::max)
    }

    /// Takes note of the difference of two vertices that belong together.
    pub fn met(&mut self, primitives: [usize; 2], off: f32) {
        *self.agree.entry(self.materials(primitives)).or_insert(true) &= off <= SAME_TEX_COORD;
    }

    /// Returns the materials whose texture coordinates were compared.
    pub fn agreements(&self) -> impl Iterator<Item = TexCoordsAgree> {
        self.agree.iter().filter_map(|([x, y], agree)| Some(([(*x)?, (*y)?], *agree)))
    }
}

/// Returns the primitives that a node draws; `None` if it draws no mesh.
pub(super) fn primitives(model: &Model, node: usize) -> Option<&[Primitive]> {
    Some(&model.meshes[model.nodes[node].mesh?].primitives)
}

/// Returns the corners of a mesh's texture coordinates; `None` if a texture reads them.
fn unread_box(model: &Model, primitives: &[Primitive], set: usize) -> Option<[Vec2; 2]> {
    let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for primitive in primitives {
        let materials = primitive.material.map(|material| &model.materials[material]);
        let mut textures = materials.into_iter().flat_map(|material| material.textures.iter());
        if textures.any(|(_, texture)| texture.uv_set as usize == set) {
            return None;
        }
        for index in &primitive.indices {
            let uv = Vec2::from(primitive.vertices[*index as usize].uv[set]);
            (min, max) = (min.min(uv), max.max(uv));
        }
    }
    Some([min, max])
}

/// Returns the transforms of the textures of both materials that read a set, each pair once. Where no slot has a texture
/// in both, these are the transforms of the first texture of either that reads it.
fn transforms(materials: [Option<&Material>; 2], set: usize) -> Vec<[Affine2; 2]> {
    let matrix = |side: usize, slot: TextureSlot| {
        let texture = materials[side]?.textures[slot]?;
        (texture.uv_set as usize == set).then(|| texture.transform.matrix())
    };
    let mut list: Vec<[Affine2; 2]> = Vec::new();
    for slot in TextureSlot::ALL {
        if let (Some(a), Some(b)) = (matrix(0, slot), matrix(1, slot))
            && !list.contains(&[a, b])
        {
            list.push([a, b]);
        }
    }
    if list.is_empty() {
        let first = |side| TextureSlot::ALL.into_iter().find_map(|slot| matrix(side, slot));
        list.push([0, 1].map(|side| first(side).unwrap_or(Affine2::IDENTITY)));
    }
    list
}
