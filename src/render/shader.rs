//! The shaders' texts, put together from the files in `shaders/`.
//!
//! Lines `#if NAME`, `#else` and `#end` in them keep what stands between only where a layer of that
//! name is asked for; they may be nested. The textures' declarations are written here by slot.

use std::fmt::Write;

use super::features::{Features, Layer};
use super::layout::{sampler_binding, texture_binding};
use crate::anim::MAX_PALETTE_JOINTS;
use crate::model::TextureSlot;

const COLOR: &str = include_str!("../../shaders/color.wgsl");
const FRAME: &str = include_str!("../../shaders/frame.wgsl");
const ENVIRONMENT: &str = include_str!("../../shaders/environment.wgsl");
const LIGHTS: &str = include_str!("../../shaders/lights.wgsl");
const SKIN: &str = include_str!("../../shaders/skin.wgsl");
const VERTEX: &str = include_str!("../../shaders/vertex.wgsl");
const MATERIAL: &str = include_str!("../../shaders/material.wgsl");
const SURFACE: &str = include_str!("../../shaders/surface.wgsl");
const BRDF: &str = include_str!("../../shaders/brdf.wgsl");
const SHADING: &str = include_str!("../../shaders/shading.wgsl");
const PASSES: &str = include_str!("../../shaders/passes.wgsl");
const RIG_PASSES: &str = include_str!("../../shaders/rig_passes.wgsl");
const TONE_MAP: &str = include_str!("../../shaders/tone_map.wgsl");
const SCENE_SINGLE: &str = include_str!("../../shaders/scene_single.wgsl");
const SCENE_MULTI: &str = include_str!("../../shaders/scene_multi.wgsl");
const FINISH: &str = include_str!("../../shaders/finish.wgsl");
const GROUND: &str = include_str!("../../shaders/ground.wgsl");
const BLOCKERS: &str = include_str!("../../shaders/blockers.wgsl");
const NO_BLOCKERS: &str = include_str!("../../shaders/no_blockers.wgsl");
const TEXT: &str = include_str!("../../shaders/text.wgsl");
const SKELETON: &str = include_str!("../../shaders/skeleton.wgsl");
const BEHIND: &str = include_str!("../../shaders/behind.wgsl");

/// The files of layers that have one.
const LAYERS: [(Layer, &str); 5] = [
    (Layer::Sheen, include_str!("../../shaders/sheen.wgsl")),
    (Layer::Iridescence, include_str!("../../shaders/iridescence.wgsl")),
    (Layer::Anisotropy, include_str!("../../shaders/anisotropy.wgsl")),
    (Layer::Transmission, include_str!("../../shaders/transmission.wgsl")),
    (Layer::Lines, include_str!("../../shaders/lines.wgsl")),
];

/// Draws meshes: all vertex kinds and all passes, with these textures and layers, and palettes of so
/// many joints bound.
pub fn mesh(features: Features, bound_joints: usize) -> String {
    let slots = slots(features);
    let light = [COLOR, FRAME, ENVIRONMENT, LIGHTS];
    let mesh = [SKIN, VERTEX, MATERIAL, &slots, SURFACE, BRDF];
    let layers = LAYERS.iter().filter(|(layer, _)| features.has(*layer)).map(|(_, text)| *text);
    let texts = light.into_iter().chain(mesh).chain(layers).chain([SHADING, PASSES, RIG_PASSES]);
    let text = texts.collect::<Vec<_>>().join("\n");
    with_joints(&with_layers(&text, features), bound_joints)
}

/// Puts posed vertices into texels.
pub fn probe(bound_joints: usize) -> String {
    let text = with_layers(&[FRAME, SKIN, VERTEX].join("\n"), Features::default());
    with_joints(&text, bound_joints)
}

/// Has a draw bind as many joints as the adapter has room for; the text says a palette's.
fn with_joints(text: &str, bound_joints: usize) -> String {
    let own = format!("array<mat4x4<f32>, {MAX_PALETTE_JOINTS}>");
    text.replace(&own, &format!("array<mat4x4<f32>, {bound_joints}>"))
}

/// The ground and the sky, for an adapter that reads depths, or only compares them.
pub fn ground(reads_depths: bool) -> String {
    let blockers = if reads_depths { BLOCKERS } else { NO_BLOCKERS };
    [FRAME, ENVIRONMENT, LIGHTS, blockers, GROUND].join("\n")
}

/// Finishes a picture of one or several samples a pixel.
pub fn finish(samples: u32) -> String {
    let scene = if samples > 1 { SCENE_MULTI } else { SCENE_SINGLE };
    [COLOR, TONE_MAP, scene, FINISH].join("\n")
}

/// Draws joints and bones.
pub fn skeleton() -> String {
    [FRAME, SKELETON].join("\n")
}

/// Makes the picture of what is seen through surfaces.
pub fn behind() -> String {
    [TONE_MAP, BEHIND].join("\n")
}

/// Draws words.
pub fn text() -> String {
    [FRAME, TEXT].join("\n")
}

/// Every text there is, by name; of meshes one with everything, one with nothing, and one with each
/// layer alone.
pub fn all() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = [
        ("mesh", mesh(Features::ALL, MAX_PALETTE_JOINTS)),
        ("plain mesh", mesh(Features::default(), MAX_PALETTE_JOINTS)),
        ("probe", probe(MAX_PALETTE_JOINTS)),
        ("ground", ground(true)),
        ("ground without depths", ground(false)),
        ("finish", finish(1)),
        ("finish of samples", finish(4)),
        ("skeleton", skeleton()),
        ("text", text()),
        ("behind", behind()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into();
    for layer in Layer::ALL {
        let alone = Features::default().with(layer).complete();
        all.push((format!("mesh with {}", layer.name()), mesh(alone, MAX_PALETTE_JOINTS)));
    }
    all
}

/// A declaration and a function to read it for each slot, white for those that are not read.
fn slots(features: Features) -> String {
    let mut text = format!("const NORMAL_SLOT = {}u;\n", TextureSlot::Normal as u32);
    for slot in TextureSlot::ALL {
        let (name, number) = (word(slot), slot as u32);
        let texel = if features.reads(slot) {
            let (at, how) = (texture_binding(slot), sampler_binding(slot));
            let _ = writeln!(text, "@group(1) @binding({at}) var {name}_texture: texture_2d<f32>;");
            let _ = writeln!(text, "@group(1) @binding({how}) var {name}_sampler: sampler;");
            format!("textureSample({name}_texture, {name}_sampler, slot_uv({number}u, uv))")
        } else {
            "vec4(1.0)".to_owned()
        };
        let _ = writeln!(text, "fn {name}_texel(uv: vec4<f32>) -> vec4<f32> {{ return {texel}; }}");
    }
    text
}

/// `base_color` for `baseColorTexture`.
fn word(slot: TextureSlot) -> String {
    let mut word = String::new();
    for c in slot.name().trim_end_matches("Texture").chars() {
        if c.is_ascii_uppercase() {
            word.push('_');
        }
        word.push(c.to_ascii_lowercase());
    }
    word
}

/// Keeps of a text what is for these layers.
fn with_layers(text: &str, features: Features) -> String {
    let mut out = String::with_capacity(text.len());
    // Whether each `#if` around keeps what follows.
    let mut kept: Vec<bool> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#if ") {
            kept.push(Layer::ALL.iter().any(|l| l.name() == name && features.has(*l)));
        } else if line == "#else" {
            kept.iter_mut().rev().take(1).for_each(|k| *k = !*k);
        } else if line == "#end" {
            kept.pop();
        } else if kept.iter().all(|k| *k) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::layout;

    fn module(name: &str, text: &str) -> naga::Module {
        naga::front::wgsl::parse_str(text)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(text)))
    }

    #[test]
    fn every_shader_is_valid() {
        for (name, text) in all() {
            let flags = naga::valid::ValidationFlags::all();
            let capabilities = naga::valid::Capabilities::empty();
            let mut validator = naga::valid::Validator::new(flags, capabilities);
            if let Err(e) = validator.validate(&module(&name, &text)) {
                panic!("{name}: {}", e.emit_to_string(&text));
            }
        }
    }

    #[test]
    fn every_file_is_part_of_a_shader() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let text = with_layers(&text, Features::ALL);
            assert!(all().iter().any(|(_, whole)| whole.contains(&text)), "{text}");
        }
    }

    #[test]
    fn every_condition_is_a_layer_and_has_an_end() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let mut open = 0;
            for line in text.lines().filter(|l| l.trim_start().starts_with('#')) {
                match line.strip_prefix("#if ") {
                    Some(name) => {
                        let known = Layer::ALL.iter().any(|l| l.name() == name);
                        assert!(known, "{}: {line}", path.display());
                        open += 1;
                    }
                    None => assert!(["#else", "#end"].contains(&line), "{line}"),
                }
                open -= i32::from(line == "#end");
                assert!(open >= 0, "{}: {line}", path.display());
            }
            assert_eq!(open, 0, "{}", path.display());
        }
    }

    #[test]
    fn conditions_keep_and_leave_out() {
        let text = "a\n#if SHEEN\nb\n#if VOLUME\nc\n#else\nd\n#end\n#else\ne\n#end\nf\n";
        let sheen = Features::default().with(Layer::Sheen);
        assert_eq!(with_layers(text, sheen), "a\nb\nd\nf\n");
        assert_eq!(with_layers(text, sheen.with(Layer::Volume)), "a\nb\nc\nf\n");
        assert_eq!(with_layers(text, Features::default()), "a\ne\nf\n");
    }

    #[test]
    fn structs_have_the_same_size_on_both_sides() {
        let sizes: Vec<(String, u32)> = all()
            .iter()
            .flat_map(|(name, text)| {
                let module = module(name, text);
                let named = |t: &naga::Type| match (&t.name, &t.inner) {
                    (Some(name), naga::TypeInner::Struct { span, .. }) => {
                        Some((name.clone(), *span))
                    }
                    _ => None,
                };
                module.types.iter().filter_map(|(_, t)| named(t)).collect::<Vec<_>>()
            })
            .collect();
        for (name, size) in [
            ("Frame", size_of::<layout::FrameUniform>()),
            ("Morph", layout::MORPH_BYTES as usize),
            ("Material", size_of::<layout::MaterialUniform>()),
            ("Background", size_of::<crate::render::behind::BackgroundUniform>()),
            ("Finish", size_of::<crate::render::finish::FinishUniform>()),
            ("Lights", size_of::<layout::LightsUniform>()),
            ("StoredVertex", size_of::<crate::model::Vertex>()),
            ("StoredInfluence", size_of::<crate::model::Influence>()),
        ] {
            let found: Vec<u32> =
                sizes.iter().filter(|(n, _)| n == name).map(|(_, size)| *size).collect();
            assert!(!found.is_empty(), "no struct {name}");
            assert!(found.iter().all(|s| *s as usize == size), "{name}: {found:?}, here {size}");
        }
    }

    #[test]
    fn a_palette_has_the_same_length_on_both_sides() {
        let module = module("mesh", &mesh(Features::default(), MAX_PALETTE_JOINTS));
        let (_, palette) = module
            .global_variables
            .iter()
            .find(|(_, v)| v.name.as_deref() == Some("palette"))
            .unwrap();
        let naga::TypeInner::Array { size, .. } = module.types[palette.ty].inner else {
            panic!("the palette is no array");
        };
        let naga::ArraySize::Constant(length) = size else { panic!("of no fixed size") };
        assert_eq!(length.get() as usize, MAX_PALETTE_JOINTS);
    }
}
