//! The shaders' texts, put together from the files in `shaders/`.

const COLOR: &str = include_str!("../../shaders/color.wgsl");
const FRAME: &str = include_str!("../../shaders/frame.wgsl");
const SKIN: &str = include_str!("../../shaders/skin.wgsl");
const VERTEX: &str = include_str!("../../shaders/vertex.wgsl");
const MATERIAL: &str = include_str!("../../shaders/material.wgsl");
const PASSES: &str = include_str!("../../shaders/passes.wgsl");
const FINISH: &str = include_str!("../../shaders/finish.wgsl");
const SKELETON: &str = include_str!("../../shaders/skeleton.wgsl");

/// Draws meshes: all vertex kinds and all passes.
pub fn mesh() -> String {
    [COLOR, FRAME, SKIN, VERTEX, MATERIAL, PASSES].join("\n")
}

/// Puts posed vertices into texels.
pub fn probe() -> String {
    [FRAME, SKIN, VERTEX].join("\n")
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
pub fn all() -> [(&'static str, String); 4] {
    [("mesh", mesh()), ("probe", probe()), ("finish", finish()), ("skeleton", skeleton())]
}
