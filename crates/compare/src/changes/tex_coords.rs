//! The texture coordinates of two meshes, as their textures read them.

use std::cell::RefCell;
use std::collections::HashMap;

use glam::{Affine2, Vec2};

use crate::pairing::pairs::Pairs;
use crate::pairing::vertex_pairs::Drawn;
use crate::side::Side;
use rigview_model::{Model, Primitive, TextureSampler, TextureSlot, Vertex, Wrap};

/// The largest difference that is no change, in units of the texture: what quantization in 10 bits costs.
pub(crate) const SAME_TEX_COORD: f32 = 1e-3;

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
pub(crate) struct TexCoords<'a> {
    models: [&'a Model; 2],
    primitives: [&'a [Primitive]; 2],
    /// By set, the corners of the texture coordinates of both meshes if these are compared within them: their unit is unknown,
    /// because no texture of either reads them and they are stored as integers.
    boxes: [Option<[[Vec2; 2]; 2]>; 2],
    /// By set, the size of those of A, but at least a texture, if no texture of either mesh reads it.
    unread: [Option<Vec2>; 2],
    /// By set of A, what it is compared with.
    counterparts: RefCell<HashMap<Materials, [Vec<Counterpart>; 2]>>,
    /// Whether all vertices that were compared have equal texture coordinates.
    agree: HashMap<Materials, bool>,
}

/// Two materials, and whether all texture coordinates that they read are the same after their transforms.
pub(crate) type TexCoordsAgree = ([usize; 2], bool);

impl<'a> TexCoords<'a> {
    /// Looks at the textures of two meshes; `is_part` if one is only a part of the other, which has another box and the same unit.
    pub fn new(sides: [&Side<'a>; 2], drawn: Drawn, is_part: bool) -> Self {
        let models = sides.map(|side| side.model);
        let primitives = [(models[0], drawn.a), (models[1], drawn.b)]
            .map(|(model, node)| primitives(model, node).unwrap_or_default());
        let all = [0, 1].map(|set| primitives.map(|primitives| tex_coord_box(primitives, set)));
        let unread = [0, 1].map(|set| {
            let is_unread = |side: &usize| !is_read(models[*side], primitives[*side], set);
            let [[min, max], _] = all[set];
            [0, 1].iter().all(is_unread).then_some((max - min).max(Vec2::ONE))
        });
        let boxes = [0, 1].map(|set| {
            let are_integers =
                primitives.map(|primitives| primitives.iter().any(|p| p.integer_uvs[set]));
            let is_other_unit = !is_part && have_other_units(are_integers, &all[set]);
            (unread[set].is_some() && is_other_unit).then_some(all[set])
        });
        let (counterparts, agree) = Default::default();
        Self { models, primitives, boxes, unread, counterparts, agree }
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
        if let Some(size) = self.unread[set] {
            let [x, y] = [0, 1].map(|side| match &self.boxes[set] {
                Some(boxes) => {
                    let [min, max] = boxes[side];
                    (uv(side, set) - min) / (max - min).max(Vec2::splat(f32::MIN_POSITIVE))
                }
                // Compression costs a share of the whole.
                None => uv(side, set) / size,
            });
            return has[set].then(|| (x - y).abs().max_element());
        }
        self.difference_on(self.materials(primitives), set, vertices, has)
    }

    /// Returns what [`TexCoords::difference`] does, on the textures of two materials.
    fn difference_on(
        &self,
        materials: Materials,
        set: usize,
        vertices: [&Vertex; 2],
        has: [bool; 2],
    ) -> Option<f32> {
        let uv = |side: usize, set: usize| Vec2::from(vertices[side].uv[set]);
        let apart = |of: &Counterpart| {
            let [x, y] = [(0, set), (1, of.set)]
                .map(|(side, set)| of.transforms[side].transform_point2(uv(side, set)));
            // Quantized coordinates may need these turns.
            let off = |y: Vec2| (x - y).abs().max_element();
            has[of.set].then(|| off(y).min(off(y - of.turns)))
        };
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

    /// Takes note of the differences of two vertices that belong together on the materials of variants, given the indices of their
    /// primitives. `has` says which sets both have.
    pub fn met_in_variants(
        &mut self,
        [i, j]: [usize; 2],
        vertices: [&Vertex; 2],
        has: [[bool; 2]; 2],
        pairs: &Pairs,
    ) {
        let (p, q) = (&self.primitives[0][i], &self.primitives[1][j]);
        for (_, material) in &p.variant_materials {
            let there = pairs.b_of(*material);
            let Some((_, there)) = q.variant_materials.iter().find(|(_, of)| Some(*of) == there)
            else {
                continue;
            };
            let both = [Some(*material), Some(*there)];
            for set in (0..2).filter(|set| has[0][*set]) {
                if let Some(off) = self.difference_on(both, set, vertices, has[1]) {
                    *self.agree.entry(both).or_insert(true) &= off <= SAME_TEX_COORD;
                }
            }
        }
    }

    /// Returns the materials whose texture coordinates were compared.
    pub fn agreements(&self) -> impl Iterator<Item = TexCoordsAgree> {
        self.agree.iter().filter_map(|([x, y], agree)| Some(([(*x)?, (*y)?], *agree)))
    }
}

/// Returns the primitives that a node draws; `None` if it draws no mesh.
pub(crate) fn primitives(model: &Model, node: usize) -> Option<&[Primitive]> {
    Some(&model.meshes[model.nodes[node].mesh?].primitives)
}

/// Whether a texture reads a set of a mesh's texture coordinates.
fn is_read(model: &Model, primitives: &[Primitive], set: usize) -> bool {
    let materials = primitives.iter().filter_map(|primitive| primitive.material);
    let mut textures = materials.flat_map(|material| model.materials[material].textures.iter());
    textures.any(|(_, texture)| texture.uv_set as usize == set)
}

/// Whether texture coordinates that no texture reads have another unit, given whether they are integers, and their corners. Integers
/// and floats have if their corners differ, integers alone only if all of them are larger or smaller: others may have moved.
fn have_other_units(are_integers: [bool; 2], [a, b]: &[[Vec2; 2]; 2]) -> bool {
    /// No less than what another number of bits comes to.
    const LARGER: f32 = 1.5;
    match are_integers {
        [false, false] => false,
        [true, true] => {
            let (of_a, of_b) = (a[1] - a[0], b[1] - b[0]);
            of_a.cmpge(LARGER * of_b).all() || of_b.cmpge(LARGER * of_a).all()
        }
        _ => (a[0] - b[0]).abs().max((a[1] - b[1]).abs()).max_element() > SAME_TEX_COORD,
    }
}

/// Returns the corners of a mesh's texture coordinates.
fn tex_coord_box(primitives: &[Primitive], set: usize) -> [Vec2; 2] {
    let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for primitive in primitives {
        for index in &primitive.indices {
            let uv = Vec2::from(primitive.vertices[*index as usize].uv[set]);
            (min, max) = (min.min(uv), max.max(uv));
        }
    }
    [min, max]
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
