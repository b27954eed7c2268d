// Draws an outline around the covered pixels of a mask: a bright line with a dark rim, so that it is visible on any
// picture.

@group(1) @binding(0) var covered: texture_2d<f32>;
@group(1) @binding(1) var smooth_edges: sampler;

// Distances from the mask in points: the line's outer edge, and the rim's.
const LINE = 1.6;
const RIM = 2.6;

const DIRECTIONS = 12u;
const TURN = 6.2831853;

@vertex
fn vs_outline(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

fn mask(at: vec2<f32>) -> f32 {
    return textureSampleLevel(covered, smooth_edges, at / vec2<f32>(textureDimensions(covered)), 0.0).a;
}

// The largest coverage on a circle around a place, which is 0 outside of the mask grown by its radius.
fn grown(at: vec2<f32>, radius: f32) -> f32 {
    var most = 0.0;
    for (var i = 0u; i < DIRECTIONS; i++) {
        let angle = f32(i) * (TURN / f32(DIRECTIONS));
        most = max(most, mask(at + radius * vec2(cos(angle), sin(angle))));
    }
    return most;
}

@fragment
fn fs_outline(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let here = mask(at.xy);
    if here >= 1.0 {
        discard;
    }
    let point = frame.pixels_per_point;
    let rim = 0.75 * grown(at.xy, RIM * point);
    let line = grown(at.xy, LINE * point);
    let alpha = max(rim, line) * (1.0 - here);
    let color = mix(vec3(0.05, 0.06, 0.08), vec3(0.12, 0.65, 1.0), line);
    return vec4(color * alpha, alpha);
}
