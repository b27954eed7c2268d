// The contact shadow: how much of its surroundings each point of the ground can see below the model.

@group(1) @binding(0) var heights: texture_2d<f32>;

// Samples per texel.
const TAPS = 32;

// Distance that half of the samples lie within, as a fraction of half the map.
const SPREAD = 0.09;

// Height above which nothing hides the ground, as a fraction of half the map.
const HIGHEST = 0.4;

// Of a ring of samples, each is turned by the golden angle.
const GOLDEN_TURN = mat2x2<f32>(-0.7373688, 0.6754903, -0.6754903, -0.7373688);

@vertex
fn vs_contact(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

// A patch of the model at height h and distance r hides h^2 / (pi (r^2 + h^2)^2) of the ambient light per area.
// The samples have this density for a patch at the height SPREAD.
@fragment
fn fs_contact(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let edge = f32(textureDimensions(heights).x);
    let top = i32(edge) - 1;
    let texel = vec2<i32>(at.xy * edge / frame.contact_texels);
    let lowest = 2.0 / edge;
    // Neighbours have other samples, which the ground averages.
    let place = vec2<u32>(at.xy) & vec2(1u);
    let first = 0.25 * f32(place.x + 2u * place.y);
    var direction = vec2(cos(2.4 * first), sin(2.4 * first));
    var hidden = 0.0;
    // A number that compilers do not know, so that they do not unroll the loop.
    let count = min(TAPS, 1024 * (top + 1));
    for (var i = 0; i < count; i++) {
        let share = 0.97 * (f32(i) + first + 0.125) / f32(TAPS);
        let r = SPREAD * sqrt(share / (1.0 - share));
        let step = vec2<i32>(round(r * direction * 0.5 * edge));
        let other = texel + step;
        direction = GOLDEN_TURN * direction;
        if any(other < vec2(0)) || any(other > vec2(top)) {
            continue;
        }
        let depth = textureLoad(heights, other, 0).x;
        if depth >= 1.0 {
            continue;
        }
        let h = max((depth * (1.0 + frame.contact_below) - frame.contact_below) * frame.contact_height, lowest);
        let own = h / (r * r + h * h);
        let drawn = SPREAD / (r * r + SPREAD * SPREAD);
        // Few samples hit parts that are high above the ground or far away; their ghosts would show.
        let near = clamp(1.0 - h / HIGHEST, 0.0, 1.0) * clamp(1.5 - 3.0 * r, 0.0, 1.0);
        hidden += near * min(own * own / (drawn * drawn), 4.0);
    }
    return vec4(1.0 - min(0.97 * hidden / f32(TAPS), 1.0), 0.0, 0.0, 1.0);
}
