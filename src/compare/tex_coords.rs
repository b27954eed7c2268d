//! The texture coordinates of two meshes, as their textures read them.

use glam::{Affine2, Vec2};

use super::side::Side;
use super::vertex_pairs::Drawn;
use crate::model::{Material, Model, Primitive, TextureSlot};

/// The largest difference that is no change, in units of the texture: what quantization in 10 bits costs.
pub(super) const SAME_TEX_COORD: f32 = 1e-3;

/// The texture coordinates of two meshes.
pub(super) struct TexCoords {
    /// By set, the corners of the texture coordinates of both meshes if no texture of either reads them: then their unit
    /// is unknown, and quantized ones have another one.
    unread: [Option<[[Vec2; 2]; 2]>; 2],
    /// By side, the different materials of the mesh's primitives.
    materials: [Vec<Option<usize>>; 2],
    /// By side and primitive, the index into `materials`.
    places: [Vec<usize>; 2],
    /// By pair of `materials` and set, the transforms in both of the textures that read it.
    transforms: Vec<[Vec<[Affine2; 2]>; 2]>,
    /// By pair of `materials`, whether all vertices that were compared have equal texture coordinates.
    agree: Vec<Option<bool>>,
}

/// Two materials, and whether all texture coordinates that they read are the same after their transforms.
pub(super) type TexCoordsAgree = ([usize; 2], bool);

impl TexCoords {
    pub fn new(sides: [&Side; 2], drawn: Drawn) -> Self {
        let models = sides.map(|side| side.model);
        let of_both = [(models[0], drawn.a), (models[1], drawn.b)]
            .map(|(model, node)| primitives(model, node).unwrap_or_default());
        let unread = [0, 1].map(|set| {
            let boxes = [0, 1].map(|side| unread_box(models[side], of_both[side], set));
            let [Some(a), Some(b)] = boxes else { return None };
            Some([a, b])
        });
        let mut materials = [Vec::new(), Vec::new()];
        let places = [0, 1].map(|side| {
            let known: &mut Vec<Option<usize>> = &mut materials[side];
            let place = |primitive: &Primitive| {
                let at = known.iter().position(|material| *material == primitive.material);
                at.unwrap_or_else(|| {
                    known.push(primitive.material);
                    known.len() - 1
                })
            };
            of_both[side].iter().map(place).collect::<Vec<_>>()
        });
        let material = |side: usize, of: &Option<usize>| of.map(|m| &models[side].materials[m]);
        let transforms: Vec<_> = materials[0]
            .iter()
            .flat_map(|x| materials[1].iter().map(move |y| [x, y]))
            .map(|[x, y]| [0, 1].map(|set| transforms([material(0, x), material(1, y)], set)))
            .collect();
        let agree = vec![None; transforms.len()];
        Self { unread, materials, places, transforms, agree }
    }

    fn pair(&self, [i, j]: [usize; 2]) -> usize {
        self.places[0][i] * self.materials[1].len() + self.places[1][j]
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
        self.transforms[self.pair(primitives)][set].iter().map(apart).fold(0.0, f32::max)
    }

    /// Takes note of the difference of two vertices that belong together.
    pub fn met(&mut self, primitives: [usize; 2], off: f32) {
        let pair = self.pair(primitives);
        let agree = &mut self.agree[pair];
        *agree = Some(agree.unwrap_or(true) && off <= SAME_TEX_COORD);
    }

    /// Returns the materials whose texture coordinates were compared.
    pub fn agreements(&self) -> impl Iterator<Item = TexCoordsAgree> {
        let [a, b] = &self.materials;
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| [*x, *y]));
        pairs.zip(&self.agree).filter_map(|([x, y], agree)| Some(([x?, y?], (*agree)?)))
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
