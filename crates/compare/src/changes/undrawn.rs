//! Attributes that nothing draws: those of applications, and further sets of texture coordinates and colours.

use crate::change::Kind;
use rigview_model::{Primitive, UndrawnAttribute, VertexPlace};

/// The largest difference of fractions that is no change, as a share of the attribute's range: what quantization in 10 bits
/// costs. Whole numbers may be indices and must be equal.
const QUANTIZED: f32 = 1e-3;

/// The attributes that two meshes have and that nothing draws.
pub(crate) struct Undrawn<'a> {
    primitives: [&'a [Primitive]; 2],
    /// Their names, each with the largest difference that is no change.
    list: Vec<(&'a str, f32)>,
}

impl<'a> Undrawn<'a> {
    pub fn new(primitives: [&'a [Primitive]; 2]) -> Self {
        let mut list: Vec<(&str, f32)> = Vec::new();
        for of in primitives[0].iter().flat_map(|primitive| &primitive.undrawn) {
            if list.iter().all(|(name, _)| *name != of.name) {
                list.push((&of.name, tolerance(primitives, &of.name)));
            }
        }
        Self { primitives, list }
    }

    /// Returns the names of the attributes.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.list.iter().map(|(name, _)| *name)
    }

    /// Returns how much two vertices differ in the attributes that both have: the index of the attribute, the largest
    /// difference of a component, and the largest one that is no change.
    pub fn differences(
        &self,
        vertices: [VertexPlace; 2],
    ) -> impl Iterator<Item = (usize, f32, f32)> {
        let off = move |(i, (name, tolerance)): (usize, &(&str, f32))| {
            let [x, y] = [0, 1].map(|side| {
                let primitive = &self.primitives[side][vertices[side].primitive];
                let number = primitive.index_in_file(vertices[side].vertex);
                find(primitive, name).map(|of| of.of_vertex(number))
            });
            let (x, y) = (x?, y?);
            let apart = x.iter().zip(y).map(|(x, y)| (x - y).abs());
            let most = match x.len() == y.len() {
                true => apart.filter(|off| !off.is_nan()).fold(0.0, f32::max),
                false => f32::INFINITY,
            };
            Some((i, most, *tolerance))
        };
        self.list.iter().enumerate().filter_map(off)
    }

    /// Returns how much two vertices differ, in units of what is no change.
    pub fn total(&self, vertices: [VertexPlace; 2]) -> f32 {
        let each = self.differences(vertices);
        each.filter(|(_, off, tolerance)| off > tolerance)
            .map(|(_, off, most)| (off / most).min(1e6))
            .sum()
    }
}

/// Returns the kind of a change of an attribute.
pub(crate) fn kind(name: &str) -> Kind {
    match name {
        _ if name.starts_with("TEXCOORD_") => Kind::Uv,
        _ if name.starts_with("COLOR_") => Kind::Colours,
        _ => Kind::Attribute,
    }
}

fn find<'a>(primitive: &'a Primitive, name: &str) -> Option<&'a UndrawnAttribute> {
    primitive.undrawn.iter().find(|of| of.name == name)
}

fn tolerance(primitives: [&[Primitive]; 2], name: &str) -> f32 {
    let of = primitives.into_iter().flatten().filter_map(|primitive| find(primitive, name));
    let (mut low, mut high, mut is_whole) = (f32::INFINITY, f32::NEG_INFINITY, true);
    for value in of.flat_map(|of| &of.values).filter(|value| value.is_finite()) {
        (low, high) = (low.min(*value), high.max(*value));
        is_whole &= value.fract() == 0.0;
    }
    if is_whole || low > high { 0.0 } else { QUANTIZED * (high - low) }
}
