//! Texture coordinates as textures read them, and what else is the same for all vertices of two primitives.

use std::collections::HashMap;
use std::rc::Rc;

use glam::{Affine2, Vec2};

use super::attributes::{Both, has, meshes_of, pairs_of_targets};
use crate::pairing::pairs::Pairs;
use rigview_model::{Model, Primitive, TextureSampler, TextureSlot, Wrap};

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

/// What is known of primitives that were compared.
#[derive(Default)]
pub(super) struct Reading {
    /// By materials and set of A, what it is compared with.
    counterparts: HashMap<(Materials, usize), Rc<Vec<Counterpart>>>,
    /// By meshes, the pairs of their morph targets.
    targets: HashMap<[usize; 2], Rc<Pairs>>,
    /// By meshes and set, what brings texture coordinates that no texture reads to one unit.
    units: HashMap<([usize; 2], usize), Option<[Affine2; 2]>>,
    /// Pairs of materials whose texture coordinates were compared, and whether all are the same after their transforms.
    pub agree: HashMap<[usize; 2], bool>,
}

impl Reading {
    /// Returns the pairs of the morph targets of two vertices.
    pub fn targets(&mut self, both: &Both) -> Rc<Pairs> {
        let targets = self.targets.entry(meshes_of(both));
        targets.or_insert_with(|| Rc::new(pairs_of_targets(both))).clone()
    }

    /// Returns the largest distance along an axis of the texture coordinates of two vertices on the textures that read a set of
    /// A. The same textures may read another set of B. `None` if B does not have the set.
    pub fn difference(&mut self, both: &Both, set: usize) -> Option<f32> {
        let models = [both.models.a, both.models.b];
        let unit = self.units.entry((meshes_of(both), set)).or_insert_with(|| {
            let [x, y] = meshes_of(both);
            common_unit(
                models,
                [&models[0].meshes[x].primitives, &models[1].meshes[y].primitives],
                set,
            )
        });
        if let Some([to_a, to_b]) = unit {
            let [x, y] = both.vertices().map(|vertex| Vec2::from(vertex.uv[set]));
            let apart = (to_a.transform_point2(x) - to_b.transform_point2(y)).abs();
            return has(both.primitives[1], NAMES[set]).then(|| apart.max_element());
        }
        let materials = both.primitives.map(|primitive| primitive.material);
        let off = self.difference_on(materials, both, set)?;
        if let [Some(i), Some(j)] = materials {
            *self.agree.entry([i, j]).or_insert(true) &= off <= SAME_TEX_COORD;
        }
        Some(off)
    }

    /// Returns what [`Reading::difference`] does, on the textures of two materials.
    fn difference_on(&mut self, materials: Materials, both: &Both, set: usize) -> Option<f32> {
        let models = [both.models.a, both.models.b];
        let list = self.counterparts.entry((materials, set));
        let list = list.or_insert_with(|| Rc::new(counterparts(models, materials, set))).clone();
        let [x, y] = both.vertices();
        let apart = |of: &Counterpart| {
            let a = of.transforms[0].transform_point2(x.uv[set].into());
            let b = of.transforms[1].transform_point2(y.uv[of.set].into());
            // Quantized coordinates may need these turns.
            let off = |b: Vec2| (a - b).abs().max_element();
            has(both.primitives[1], NAMES[of.set]).then(|| off(b).min(off(b - of.turns)))
        };
        list.iter().filter_map(apart).reduce(f32::max)
    }

    /// Compares the texture coordinates of two vertices on the materials of variants.
    pub fn meet_variants(&mut self, both: &Both) {
        let [p, q] = both.primitives;
        for (_, i) in &p.variant_materials {
            let there = both.models.pairs.materials.b_of(*i);
            let Some((_, j)) = q.variant_materials.iter().find(|(_, of)| Some(*of) == there) else {
                continue;
            };
            for set in (0..2).filter(|set| has(p, NAMES[*set])) {
                if let Some(off) = self.difference_on([Some(*i), Some(*j)], both, set) {
                    *self.agree.entry([*i, *j]).or_insert(true) &= off <= SAME_TEX_COORD;
                }
            }
        }
    }
}

const NAMES: [&str; 2] = ["TEXCOORD_0", "TEXCOORD_1"];

/// Returns what brings a set of texture coordinates that no texture of two meshes reads to one unit, of at least a texture. Integers
/// may have any unit: those of another one are compared within their boxes. `None` if a texture reads the set.
fn common_unit(
    models: [&Model; 2],
    primitives: [&[Primitive]; 2],
    set: usize,
) -> Option<[Affine2; 2]> {
    /// Integers have another unit if their box is this much larger, no less than what another number of bits comes to.
    const LARGER: f32 = 1.5;
    let is_read = |side: usize| {
        let materials = primitives[side].iter().flat_map(Primitive::materials);
        let mut textures = materials.flat_map(|i| models[side].materials[i].textures.iter());
        textures.any(|(_, texture)| texture.uv_set as usize == set)
    };
    if is_read(0) || is_read(1) {
        return None;
    }
    let boxes = primitives.map(|primitives| {
        let all =
            primitives.iter().flat_map(|p| p.indices.iter().map(|i| &p.vertices[*i as usize]));
        let uvs = all.map(|vertex| Vec2::from(vertex.uv[set]));
        uvs.fold([Vec2::INFINITY, Vec2::NEG_INFINITY], |[min, max], uv| [min.min(uv), max.max(uv)])
    });
    let are_integers = primitives.map(|primitives| primitives.iter().any(|p| p.integer_uvs[set]));
    let [of_a, of_b] = boxes.map(|[min, max]| max - min);
    let is_other = match are_integers {
        [false, false] => false,
        [true, true] => of_a.cmpge(LARGER * of_b).all() || of_b.cmpge(LARGER * of_a).all(),
        _ => {
            let [a, b] = boxes;
            (a[0] - b[0]).abs().max((a[1] - b[1]).abs()).max_element() > SAME_TEX_COORD
        }
    };
    let within = |[min, max]: [Vec2; 2]| {
        let size = (max - min).max(Vec2::splat(f32::MIN_POSITIVE));
        Affine2::from_scale(size.recip()) * Affine2::from_translation(-min)
    };
    // Compression costs a share of the whole.
    let whole = Affine2::from_scale(of_a.max(Vec2::ONE).recip());
    Some(if is_other { boxes.map(within) } else { [whole; 2] })
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
