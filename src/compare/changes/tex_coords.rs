//! The texture coordinates of two meshes, as their textures read them.

use std::cell::RefCell;
use std::collections::HashMap;

use glam::{Affine2, Vec2};

use crate::compare::pairing::vertex_pairs::Drawn;
use crate::compare::side::Side;
use crate::model::{Model, Primitive, TextureSampler, TextureSlot, Vertex, Wrap};

/// The largest difference that is no change, in units of the texture: what quantization in 10 bits costs.
pub(in crate::compare) const SAME_TEX_COORD: f32 = 1e-3;

/// The materials of two primitives.
type Materials = [Option<usize>; 2];

/// What the texture coordinates of a set of A are compared with: those of a set of B. Each has the transform of its texture.
#[derive(Clone, Copy, PartialEq)]
struct Counterpart {
    set: usize,
    transforms: [Affine2; 2],
    /// By how many whole textures the transform of B moves farther where the texture repeats, which shows nothing.
    turns: Vec2,
}

/// The texture coordinates of two meshes.
pub(in crate::compare) struct TexCoords<'a> {
    models: [&'a Model; 2],
    primitives: [&'a [Primitive]; 2],
    /// By set, the corners of the texture coordinates of both meshes if no texture of either reads them: then their unit
    /// is unknown, and quantized ones have another one.
    unread: [Option<[[Vec2; 2]; 2]>; 2],
    /// By set of A, what it is compared with.
    counterparts: RefCell<HashMap<Materials, [Vec<Counterpart>; 2]>>,
    /// Whether all vertices that were compared have equal texture coordinates.
    agree: HashMap<Materials, bool>,
}

/// Two materials, and whether all texture coordinates that they read are the same after their transforms.
pub(in crate::compare) type TexCoordsAgree = ([usize; 2], bool);

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
        let (counterparts, agree) = Default::default();
        Self { models, primitives, unread, counterparts, agree }
    }

    fn materials(&self, [i, j]: [usize; 2]) -> Materials {
        [self.primitives[0][i].material, self.primitives[1][j].material]
    }

    /// Returns the largest distance along an axis of the texture coordinates of two vertices on the textures that read a set of
    /// A, given the indices of their primitives. The same textures may read another set of B. `None` if B does not have
    /// the set: `has` says which it has.
    pub fn difference(
        &self,
        primitives: [usize; 2],
        set: usize,
        vertices: [&Vertex; 2],
        has: [bool; 2],
    ) -> Option<f32> {
        let uv = |side: usize, set: usize| Vec2::from(vertices[side].uv[set]);
        if let Some(boxes) = &self.unread[set] {
            let own = [0, 1].map(|side| uv(side, set));
            let boxed = [0, 1].map(|side| {
                let [min, max] = boxes[side];
                (own[side] - min) / (max - min).max(Vec2::splat(f32::MIN_POSITIVE))
            });
            // A part of a mesh has another box and the same unit.
            let off = [own, boxed].map(|[x, y]| (x - y).abs().max_element());
            return has[set].then(|| off[0].min(off[1]));
        }
        let apart = |of: &Counterpart| {
            let [x, y] = [(0, set), (1, of.set)]
                .map(|(side, set)| of.transforms[side].transform_point2(uv(side, set)));
            // Quantized coordinates may need these turns.
            let off = |y: Vec2| (x - y).abs().max_element();
            has[of.set].then(|| off(y).min(off(y - of.turns)))
        };
        let materials = self.materials(primitives);
        let mut known = self.counterparts.borrow_mut();
        let both = known
            .entry(materials)
            .or_insert_with(|| [0, 1].map(|set| counterparts(self.models, materials, set)));
        both[set].iter().filter_map(apart).reduce(f32::max)
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
pub(in crate::compare) fn primitives(model: &Model, node: usize) -> Option<&[Primitive]> {
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

/// Returns what a set of A is compared with, each once: by the textures that both materials have. Where none of them reads
/// it, it is compared with the same set of B, unless one of them reads that one.
fn counterparts(models: [&Model; 2], materials: Materials, set: usize) -> Vec<Counterpart> {
    let texture =
        |side: usize, slot: TextureSlot| models[side].materials[materials[side]?].textures[slot];
    let read = |side: usize, slot: TextureSlot| {
        let texture = texture(side, slot)?;
        Some((texture.uv_set as usize, texture.transform.matrix()))
    };
    let mut list: Vec<Counterpart> = Vec::new();
    let mut is_taken = false;
    for slot in TextureSlot::ALL {
        let (Some((of_a, to_a)), Some((of_b, to_b))) = (read(0, slot), read(1, slot)) else {
            continue;
        };
        let samplers = [0, 1].map(|side| {
            texture(side, slot).map(|texture| models[side].textures[texture.texture].sampler)
        });
        let transforms = [to_a, to_b];
        let found = Counterpart { set: of_b, transforms, turns: turns(transforms, samplers) };
        if of_a == set && of_b < 2 && !list.contains(&found) {
            list.push(found);
        }
        is_taken |= of_a != set && of_b == set;
    }
    if list.is_empty() && !is_taken {
        let first = |side| {
            let mut all = TextureSlot::ALL.into_iter().filter_map(|slot| read(side, slot));
            all.find(|(of, _)| *of == set).map_or(Affine2::IDENTITY, |(_, transform)| transform)
        };
        list.push(Counterpart { set, transforms: [0, 1].map(first), turns: Vec2::ZERO });
    }
    list
}

/// Returns by how many whole textures the second transform moves farther than the first one, along the axes on which both
/// samplers repeat the texture.
fn turns(transforms: [Affine2; 2], samplers: [Option<TextureSampler>; 2]) -> Vec2 {
    let repeats = |wrap: fn(TextureSampler) -> Wrap| {
        samplers.iter().all(|sampler| sampler.map(wrap) == Some(Wrap::Repeat))
    };
    let farther = transforms[1].translation - transforms[0].translation;
    let whole = |farther: f32, repeats: bool| {
        let whole = farther.round();
        if repeats && (farther - whole).abs() <= SAME_TEX_COORD { whole } else { 0.0 }
    };
    Vec2::new(
        whole(farther.x, repeats(|sampler| sampler.wrap_u)),
        whole(farther.y, repeats(|sampler| sampler.wrap_v)),
    )
}
