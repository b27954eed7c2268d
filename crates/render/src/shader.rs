//! Assembles the WGSL of the shaders from the files in `shaders/`.
//!
//! Lines between `#if NAME` and `#else` or `#end` are kept only if the shader feature of that name is
//! enabled; conditions may be nested. The declarations of textures are generated here by slot.

use std::fmt::Write;

use crate::scene::bind_layouts::{sampler_binding, texture_binding};
use crate::scene::features::{Features, ShaderFeature};
use rigview_anim::MAX_PALETTE_JOINTS;
use rigview_model::TextureSlot;

const COLOR: &str = include_str!("../../../shaders/color.wgsl");
const FRAME: &str = include_str!("../../../shaders/frame.wgsl");
const ENVIRONMENT: &str = include_str!("../../../shaders/environment.wgsl");
const SHADOW: &str = include_str!("../../../shaders/shadow.wgsl");
const LIGHTS: &str = include_str!("../../../shaders/lights.wgsl");
const SKIN: &str = include_str!("../../../shaders/skin.wgsl");
const VERTEX: &str = include_str!("../../../shaders/vertex.wgsl");
const PICTURE_VERTEX: &str = include_str!("../../../shaders/picture_vertex.wgsl");
const ENTRIES: &str = include_str!("../../../shaders/entries.wgsl");
const PROBE: &str = include_str!("../../../shaders/probe.wgsl");
const MATERIAL: &str = include_str!("../../../shaders/material.wgsl");
const SURFACE: &str = include_str!("../../../shaders/surface.wgsl");
const BRDF: &str = include_str!("../../../shaders/brdf.wgsl");
const SHADING: &str = include_str!("../../../shaders/shading.wgsl");
const OPENNESS: &str = include_str!("../../../shaders/openness.wgsl");
const SHAPE: &str = include_str!("../../../shaders/shape.wgsl");
const WHOLE_SHAPE: &str = include_str!("../../../shaders/whole_shape.wgsl");
const CUT_SHAPE: &str = include_str!("../../../shaders/cut_shape.wgsl");
const PACKED_SHAPE: &str = include_str!("../../../shaders/packed_shape.wgsl");
const CONTACT: &str = include_str!("../../../shaders/contact.wgsl");
const PICK: &str = include_str!("../../../shaders/pick.wgsl");
const OCCLUSION: &str = include_str!("../../../shaders/occlusion.wgsl");
const PASSES: &str = include_str!("../../../shaders/passes.wgsl");
const RIG_PASSES: &str = include_str!("../../../shaders/rig_passes.wgsl");
const TONE_MAP: &str = include_str!("../../../shaders/tone_map.wgsl");
const SCENE_SINGLE: &str = include_str!("../../../shaders/scene_single.wgsl");
const SCENE_MULTI: &str = include_str!("../../../shaders/scene_multi.wgsl");
const TENT: &str = include_str!("../../../shaders/tent.wgsl");
const FINISH: &str = include_str!("../../../shaders/finish.wgsl");
const GROUND: &str = include_str!("../../../shaders/ground.wgsl");
const TEXT: &str = include_str!("../../../shaders/text.wgsl");
const OUTLINE: &str = include_str!("../../../shaders/outline.wgsl");
const GHOSTS: &str = include_str!("../../../shaders/ghosts.wgsl");
const SOLIDS: &str = include_str!("../../../shaders/solids.wgsl");
const LINES: &str = include_str!("../../../shaders/lines.wgsl");
const VECTORS: &str = include_str!("../../../shaders/vectors.wgsl");
const SKELETON: &str = include_str!("../../../shaders/skeleton.wgsl");
const OPAQUE_COPY: &str = include_str!("../../../shaders/opaque_copy.wgsl");
const AVERAGE: &str = include_str!("../../../shaders/average.wgsl");
const ENLARGE: &str = include_str!("../../../shaders/enlarge.wgsl");
const COMPOSITE: &str = include_str!("../../../shaders/composite.wgsl");
const FILL: &str = include_str!("../../../shaders/fill.wgsl");

/// The files of shader features that have one.
const FEATURE_FILES: [(ShaderFeature, &str); 5] = [
    (ShaderFeature::Sheen, include_str!("../../../shaders/sheen.wgsl")),
    (ShaderFeature::Iridescence, include_str!("../../../shaders/iridescence.wgsl")),
    (ShaderFeature::Anisotropy, include_str!("../../../shaders/anisotropy.wgsl")),
    (ShaderFeature::Transmission, include_str!("../../../shaders/transmission.wgsl")),
    (ShaderFeature::Lines, LINES),
];

/// Returns the shader of meshes with all vertex and fragment entry points, for these features.
pub fn mesh(features: Features, bound_joints: usize) -> String {
    let slots = slots(features);
    let light = [COLOR, FRAME, ENVIRONMENT, SHADOW, OPENNESS, LIGHTS];
    let mesh = [PICTURE_VERTEX, ENTRIES, MATERIAL, &slots, SURFACE, BRDF];
    let files = FEATURE_FILES.iter().filter(|(f, _)| features.has(*f)).map(|(_, text)| *text);
    let texts = light.into_iter().chain(mesh).chain(files).chain([SHADING, PASSES, RIG_PASSES]);
    posed(&texts.collect::<Vec<_>>(), features, bound_joints)
}

/// Returns the shader that draws the shapes of whole surfaces without their shading.
pub fn shape(bound_joints: usize) -> String {
    let texts = [FRAME, PACKED_SHAPE, SHAPE, WHOLE_SHAPE, ENTRIES];
    posed(&texts, Features::default(), bound_joints)
}

/// Returns the shader that draws the shapes of surfaces of which fragments are left out, for these features.
pub fn cut_shape(features: Features, bound_joints: usize) -> String {
    let slots = slots(features);
    let texts = [FRAME, MATERIAL, &slots, PACKED_SHAPE, SHAPE, CUT_SHAPE, ENTRIES];
    posed(&texts, features, bound_joints)
}

/// Returns the shader that draws numbers instead of colours, for these features.
pub fn pick(features: Features, bound_joints: usize) -> String {
    let slots = slots(features);
    posed(&[FRAME, MATERIAL, &slots, PICK, ENTRIES], features, bound_joints)
}

/// Returns the shader that writes posed vertices to texels.
pub fn probe(bound_joints: usize) -> String {
    posed(&[FRAME, PROBE, ENTRIES], Features::default(), bound_joints)
}

/// Returns the shader of these files and of those that pose vertices, where a draw binds `bound_joints` joint matrices.
fn posed(files: &[&str], features: Features, bound_joints: usize) -> String {
    let bound = format!("const BOUND_JOINTS = {bound_joints}u;");
    let text = [&[&*bound, SKIN, VERTEX], files].concat().join("\n");
    preprocess(&text, features)
}

/// Returns the shader of ground and sky.
pub fn ground() -> String {
    [FRAME, ENVIRONMENT, SHADOW, GROUND].join("\n")
}

/// Returns the shader of ambient occlusion and of the light that the shadow leaves.
pub fn occlusion() -> String {
    [FRAME, SHADOW, PACKED_SHAPE, OCCLUSION].join("\n")
}

/// Returns the shader that joins two pictures.
pub fn composite() -> String {
    COMPOSITE.to_owned()
}

/// Returns the shader that averages drawings of one picture.
pub fn average() -> String {
    [COLOR, AVERAGE].join("\n")
}

/// Returns the shader that enlarges a drawing.
pub fn enlarge() -> String {
    [TENT, ENLARGE].join("\n")
}

/// Returns the shader of rectangles of one colour.
pub fn fill() -> String {
    FILL.to_owned()
}

/// Returns the shader of the contact shadow.
pub fn contact() -> String {
    [FRAME, CONTACT].join("\n")
}

/// Returns the shader of the last pass, for one or several samples per pixel.
pub fn finish(samples: u32) -> String {
    let scene = if samples > 1 { SCENE_MULTI } else { SCENE_SINGLE };
    [COLOR, TONE_MAP, scene, FINISH].join("\n")
}

/// Returns the shader that draws a texture at half or twice its size.
pub fn tent() -> String {
    TENT.to_owned()
}

/// Returns the shader of the outline.
pub fn outline() -> String {
    [FRAME, OUTLINE].join("\n")
}

/// Returns the shader that draws normals and tangents as lines.
pub fn vectors(bound_joints: usize) -> String {
    let features = Features::default().with(ShaderFeature::Tangents);
    posed(&[COLOR, FRAME, PICTURE_VERTEX, LINES, VECTORS], features, bound_joints)
}

/// Returns the shader of ghosts.
pub fn ghosts() -> String {
    [COLOR, FRAME, GHOSTS].join("\n")
}

/// Returns the shader of solid bones.
pub fn solids() -> String {
    [FRAME, SOLIDS].join("\n")
}

/// Returns the shader of joints, bones and lines.
pub fn skeleton() -> String {
    [FRAME, SKELETON].join("\n")
}

/// Returns the shader that copies the opaque picture for transmissive surfaces.
pub fn opaque_copy() -> String {
    [TONE_MAP, TENT, OPAQUE_COPY].join("\n")
}

/// Returns the shader of joint names.
pub fn text() -> String {
    [FRAME, TEXT].join("\n")
}

/// Returns all shaders by name, for tests: of meshes with all features, with none, and with each by itself.
pub fn all() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = [
        ("mesh", mesh(Features::ALL, MAX_PALETTE_JOINTS)),
        ("plain mesh", mesh(Features::default(), MAX_PALETTE_JOINTS)),
        ("shape", shape(MAX_PALETTE_JOINTS)),
        ("cut shape", cut_shape(Features::ALL, MAX_PALETTE_JOINTS)),
        ("plain cut shape", cut_shape(Features::default(), MAX_PALETTE_JOINTS)),
        ("ambient occlusion", occlusion()),
        ("pick", pick(Features::ALL, MAX_PALETTE_JOINTS)),
        ("plain pick", pick(Features::default(), MAX_PALETTE_JOINTS)),
        ("contact", contact()),
        ("probe", probe(MAX_PALETTE_JOINTS)),
        ("ground", ground()),
        ("tent", tent()),
        ("finish", finish(1)),
        ("finish of samples", finish(4)),
        ("outline", outline()),
        ("vectors", vectors(MAX_PALETTE_JOINTS)),
        ("ghosts", ghosts()),
        ("solids", solids()),
        ("skeleton", skeleton()),
        ("text", text()),
        ("opaque copy", opaque_copy()),
        ("average", average()),
        ("enlarge", enlarge()),
        ("composite", composite()),
        ("fill", fill()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into();
    for feature in ShaderFeature::ALL {
        let alone = Features::default().with(feature).complete();
        all.push((format!("mesh with {}", feature.name()), mesh(alone, MAX_PALETTE_JOINTS)));
    }
    all
}

/// Returns the texture declarations and, per slot, a function that samples the texture; it returns white for
/// slots that are not read.
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

/// Converts a slot's name: `baseColorTexture` to `base_color`.
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

/// Resolves the `#if` conditions of a text for these features.
fn preprocess(text: &str, features: Features) -> String {
    let mut out = String::with_capacity(text.len());
    // Per enclosing `#if`, whether its current branch is kept.
    let mut kept: Vec<bool> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#if ") {
            kept.push(ShaderFeature::from_name(name).is_some_and(|own| features.has(own)));
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
    use crate::scene::uniforms;

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
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let text = preprocess(&text, Features::ALL);
            assert!(all().iter().any(|(_, whole)| whole.contains(&text)), "{text}");
        }
    }

    #[test]
    fn every_condition_is_a_shader_feature_and_has_an_end() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let mut open = 0;
            for line in text.lines().filter(|l| l.trim_start().starts_with('#')) {
                match line.strip_prefix("#if ") {
                    Some(name) => {
                        let known = ShaderFeature::from_name(name).is_some();
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
        let sheen = Features::default().with(ShaderFeature::Sheen);
        assert_eq!(preprocess(text, sheen), "a\nb\nd\nf\n");
        assert_eq!(preprocess(text, sheen.with(ShaderFeature::Volume)), "a\nb\nc\nf\n");
        assert_eq!(preprocess(text, Features::default()), "a\ne\nf\n");
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
            ("Frame", size_of::<uniforms::FrameUniform>()),
            ("Morph", uniforms::MORPH_BYTES as usize),
            ("Palette", uniforms::palette_bytes(MAX_PALETTE_JOINTS) as usize),
            ("Material", size_of::<uniforms::MaterialUniform>()),
            ("Background", size_of::<crate::passes::transmission::BackgroundUniform>()),
            ("Finish", size_of::<crate::passes::picture::FinishUniform>()),
            ("Lights", size_of::<uniforms::LightsUniform>()),
            ("StoredVertex", size_of::<rigview_model::Vertex>()),
            ("StoredInfluence", size_of::<rigview_model::Influence>()),
        ] {
            let found: Vec<u32> =
                sizes.iter().filter(|(n, _)| n == name).map(|(_, size)| *size).collect();
            assert!(!found.is_empty(), "no struct {name}");
            assert!(found.iter().all(|s| *s as usize == size), "{name}: {found:?}, here {size}");
        }
    }

    /// The names of a struct's fields here, with their offsets in bytes.
    macro_rules! places {
        ($type:ty: $($field:ident)*) => {
            vec![$((stringify!($field), std::mem::offset_of!($type, $field) as u32)),*]
        };
    }

    #[test]
    fn the_fields_of_frame_and_material_are_at_the_same_places_on_both_sides() {
        use uniforms::{FrameUniform, MaterialUniform, ShadowMapUniform};
        let module = module("mesh", &mesh(Features::ALL, MAX_PALETTE_JOINTS));
        let places_of = |name: &str| {
            let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
            let naga::TypeInner::Struct { members, .. } = &found.unwrap().1.inner else {
                panic!("{name} is no struct")
            };
            let place = |m: &naga::StructMember| (m.name.clone().unwrap(), m.offset);
            members.iter().map(place).collect::<Vec<_>>()
        };
        for (name, places) in [
            (
                "Frame",
                places!(FrameUniform: projection_from_world eye perspective backward pixels_per_point
                    right near up far environment_factor environment_last_level environment_turn
                    picture_size irradiance shadow_from_eye shadow ground ground_reach shadowed
                    thrown shadow_opacity cell_size grid_reach linear_light half_view white
                    vector_length occlusion_reach center_ahead view_shift contact_center
                    contact_reach contact_texels contact_height contact_below floor_brightness
                    floor_radius paint backdrop_level),
            ),
            (
                "ShadowMap",
                places!(ShadowMapUniform: texels penumbra_per_depth texel_depth widest_penumbra),
            ),
            (
                "Material",
                places!(MaterialUniform: base_color emissive alpha_cutoff metallic roughness
                    normal_scale occlusion_strength specular_f0 specular_f90 clearcoat
                    clearcoat_roughness clearcoat_normal_scale dispersion sheen_color
                    sheen_roughness iridescence iridescence_ior iridescence_thinnest
                    iridescence_thickest anisotropy transmission anisotropy_direction absorption
                    thickness diffuse_transmission_color diffuse_transmission ior opaque flags
                    padding uv),
            ),
        ] {
            let here: Vec<_> =
                places.into_iter().map(|(field, place)| (field.to_owned(), place)).collect();
            assert_eq!(places_of(name), here, "{name}");
        }
    }
}
