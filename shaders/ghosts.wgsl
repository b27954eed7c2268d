// Ghosts: each is drawn as normals on a texture of its own, then over the layer of all ghosts in its colour. The layer
// is drawn into the scene where no opaque surface is.

struct Ghost {
    // sRGB, and the opacity.
    tint: vec4<f32>,
}

// The normals of one ghost as n / 2 + 1/2 with its coverage; then the layer, encoded and premultiplied.
@group(1) @binding(0) var drawn: texture_2d<f32>;
@group(1) @binding(1) var<uniform> ghost: Ghost;

// A triangle over the whole picture, at the far plane.
@vertex
fn vs_ghosts(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

// One ghost: darker and more opaque towards its rim, so that its shape can be read.
@fragment
fn fs_one_ghost(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = textureLoad(drawn, vec2<u32>(at.xy), 0);
    let covered = clamp(texel.a, 0.0, 1.0);
    let normal = 2.0 * texel.rgb / max(covered, 1e-4) - 1.0;
    let facing = clamp(abs(dot(normal, frame.backward)), 0.0, 1.0);
    let alpha = covered * ghost.tint.a * mix(1.0, 0.6, facing);
    return vec4(ghost.tint.rgb * mix(0.6, 1.0, facing) * alpha, alpha);
}

// All ghosts, as light in lit pictures, whatever the exposure, and else as encoded colours.
@fragment
fn fs_all_ghosts(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = textureLoad(drawn, vec2<u32>(at.xy), 0);
    let encoded = texel.rgb / max(texel.a, 1e-4);
    let light = frame.white * linear_from_srgb(encoded);
    return vec4(select(encoded, light, frame.linear_light > 0.5) * texel.a, texel.a);
}
