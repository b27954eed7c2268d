//! The shaders' texts, put together from the files in `shaders/`.

const COLOR: &str = include_str!("../../shaders/color.wgsl");
const FRAME: &str = include_str!("../../shaders/frame.wgsl");
const ENVIRONMENT: &str = include_str!("../../shaders/environment.wgsl");
const LIGHTS: &str = include_str!("../../shaders/lights.wgsl");
const SKIN: &str = include_str!("../../shaders/skin.wgsl");
const VERTEX: &str = include_str!("../../shaders/vertex.wgsl");
const MATERIAL: &str = include_str!("../../shaders/material.wgsl");
const PASSES: &str = include_str!("../../shaders/passes.wgsl");
const FINISH: &str = include_str!("../../shaders/finish.wgsl");
const GROUND: &str = include_str!("../../shaders/ground.wgsl");
const SKELETON: &str = include_str!("../../shaders/skeleton.wgsl");

/// Draws meshes: all vertex kinds and all passes.
pub fn mesh() -> String {
    [COLOR, FRAME, ENVIRONMENT, LIGHTS, SKIN, VERTEX, MATERIAL, PASSES].join("\n")
}

/// Puts posed vertices into texels.
pub fn probe() -> String {
    [FRAME, SKIN, VERTEX].join("\n")
}

/// The ground and the sky.
pub fn ground() -> String {
    [FRAME, ENVIRONMENT, LIGHTS, GROUND].join("\n")
}

/// Finishes the picture.
pub fn finish() -> String {
    [COLOR, FINISH].join("\n")
}

/// Draws joints and bones.
pub fn skeleton() -> String {
    [FRAME, SKELETON].join("\n")
}

/// Every text there is, by name.
pub fn all() -> [(&'static str, String); 5] {
    [
        ("mesh", mesh()),
        ("probe", probe()),
        ("ground", ground()),
        ("finish", finish()),
        ("skeleton", skeleton()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::MAX_PALETTE_JOINTS;
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
            if let Err(e) = validator.validate(&module(name, &text)) {
                panic!("{name}: {}", e.emit_to_string(&text));
            }
        }
    }

    #[test]
    fn every_file_is_part_of_a_shader() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            assert!(all().iter().any(|(_, whole)| whole.contains(&text)), "{text}");
        }
    }

    #[test]
    fn uniforms_have_the_same_size_on_both_sides() {
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
            ("Morph", size_of::<layout::MorphUniform>()),
            ("Material", size_of::<layout::MaterialUniform>()),
            ("Finish", size_of::<layout::FinishUniform>()),
            ("Lights", size_of::<layout::LightsUniform>()),
        ] {
            let found: Vec<u32> =
                sizes.iter().filter(|(n, _)| n == name).map(|(_, size)| *size).collect();
            assert!(!found.is_empty(), "no struct {name}");
            assert!(found.iter().all(|s| *s as usize == size), "{name}: {found:?}, here {size}");
        }
    }

    #[test]
    fn a_palette_has_the_same_length_on_both_sides() {
        let module = module("mesh", &mesh());
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
