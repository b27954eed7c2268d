// Two pictures become one: beside each other, divided by a line, or the second one as a ghost over the first one.

struct Composite {
    // Left and top of the picture on the target, in pixels.
    corner: vec2<u32>,
    // Column from which on the second picture is shown, and the column of that picture that is shown there.
    column: u32,
    first: u32,
    // Colour of the ghost as the target has it, and its opacity.
    ghost: vec4<f32>,
}

@group(0) @binding(0) var<uniform> composite: Composite;
@group(0) @binding(1) var first: texture_2d<f32>;
@group(0) @binding(2) var second: texture_2d<f32>;

// The darkest shade of the ghost.
const SHADE = 0.35;

@vertex
fn vs_composite(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn first_at(pixel: vec2<u32>) -> vec4<f32> {
    return textureLoad(first, min(pixel, textureDimensions(first) - 1u), 0);
}

fn second_at(pixel: vec2<u32>) -> vec4<f32> {
    return textureLoad(second, min(pixel, textureDimensions(second) - 1u), 0);
}

@fragment
fn fs_split(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<u32>(at.xy) - composite.corner;
    if pixel.x < composite.column {
        return first_at(pixel);
    }
    return second_at(vec2(pixel.x - composite.column + composite.first, pixel.y));
}

// The second picture has straight alpha: 0 where its model is not.
@fragment
fn fs_ghost(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<u32>(at.xy) - composite.corner;
    let below = first_at(pixel);
    let over = second_at(pixel);
    let shade = mix(SHADE, 1.0, dot(over.rgb, vec3(0.2126, 0.7152, 0.0722)));
    let ghost = composite.ghost;
    return vec4(mix(below.rgb, ghost.rgb * shade, ghost.a * over.a), below.a);
}
