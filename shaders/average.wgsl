// The average of four drawings of one picture, in linear light. They have straight alpha.

// Left and top of the picture on the target, in pixels.
@group(0) @binding(0) var<uniform> corner: vec4<u32>;
@group(0) @binding(1) var first: texture_2d<f32>;
@group(0) @binding(2) var second: texture_2d<f32>;
@group(0) @binding(3) var third: texture_2d<f32>;
@group(0) @binding(4) var fourth: texture_2d<f32>;

// Whether reading and writing the format decode and encode sRGB.
override target_encodes: bool = false;

@vertex
fn vs_average(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// Returns the premultiplied light of a texel.
fn light(texel: vec4<f32>) -> vec4<f32> {
    let rgb = select(linear_from_srgb(texel.rgb), texel.rgb, target_encodes);
    return vec4(rgb * texel.a, texel.a);
}

@fragment
fn fs_average(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = min(vec2<u32>(at.xy) - corner.xy, textureDimensions(first) - 1u);
    let own = textureLoad(first, pixel, 0);
    let sum = light(own) + light(textureLoad(second, pixel, 0)) + light(textureLoad(third, pixel, 0))
        + light(textureLoad(fourth, pixel, 0));
    let stored = nearest_byte(vec4(srgb_from_linear(sum.rgb / max(sum.a, 1e-6)), 0.25 * sum.a));
    return vec4(select(stored.rgb, linear_from_srgb(stored.rgb), target_encodes), stored.a);
}
