// Reads what occlusion.wgsl has drawn: how much ambient light and how much of the key light reaches the surfaces
// that the camera sees.

// Whether the ambient light is occluded.
override occluded: bool = false;

// Whether a light casts a shadow.
override shadowed: bool = false;

// Whether the shadow was drawn too. Otherwise the surface looks for it itself.
override shadow_is_drawn: bool = false;

// Whether the picture is larger than what was drawn.
override shrunk: bool = false;

// Openness from 0 to 1, distance ahead of the camera relative to the model, share of the key light.
@group(0) @binding(5) var openness_texture: texture_2d<f32>;

// Relative distances within which texels surely show the same surface, and beyond which they surely do not. For surfaces
// that are themselves farther than COARSE, they are fractions of that, since a half float keeps the distance.
const SAME_DEPTH = 0.005;
const OTHER_DEPTH = 0.1;
const COARSE = 4.0;

// Relative distance beyond which a texel's light is not that of the point.
const NEAR_DEPTH = 0.02;

// What was drawn of a point.
struct Drawn {
    // The share of the surroundings that it can see.
    open: f32,
    // The share of the key light that reaches it.
    lit: f32,
    // How far off the drawn surface is, as a relative distance.
    off: f32,
}

// Looks up a point given relative to the eye. At silhouettes, the texel next to it may show its surface. A point on no
// shown surface is open, and so is one before the ground, whose texels have more than 1.
fn drawn(from_eye: vec3<f32>) -> Drawn {
    let size = vec2<i32>(textureDimensions(openness_texture));
    let place = place_in_picture(from_eye) * vec2<f32>(size);
    let depth = (-dot(from_eye, frame.backward) - frame.center_ahead) / frame.occlusion_reach;
    let per_depth = 1.0 / max(abs(depth) / COARSE, 1.0);
    if shrunk {
        return between_texels(place, depth, per_depth);
    }
    let texel = clamp(vec2<i32>(place), vec2(0), size - 1);
    var found = textureLoad(openness_texture, texel, 0).xyz;
    var off = per_depth * abs(found.y - depth);
    if off > SAME_DEPTH {
        for (var i = 0; i < 4; i++) {
            let side = select(vec2(1 - 2 * (i & 1), 0), vec2(0, 1 - 2 * (i & 1)), i > 1);
            let other = textureLoad(openness_texture, clamp(texel + side, vec2(0), size - 1), 0).xyz;
            let other_off = per_depth * abs(other.y - depth);
            found = select(found, other, other_off < off);
            off = min(off, other_off);
        }
    }
    return Drawn(select(min(found.x, 1.0), 1.0, off > OTHER_DEPTH), found.z, off);
}

// Interpolates between those of the four texels around a place that show its surface. Differences of depth are multiplied
// by `per_depth`.
fn between_texels(place: vec2<f32>, depth: f32, per_depth: f32) -> Drawn {
    let last = vec2<i32>(textureDimensions(openness_texture)) - 1;
    let first = floor(place - 0.5);
    let part = place - 0.5 - first;
    var sum = vec2(0.0);
    var weights = 0.0;
    var off = 1e9;
    for (var i = 0; i < 4; i++) {
        let corner = vec2(i & 1, i >> 1u);
        let texel = textureLoad(openness_texture, clamp(vec2<i32>(first) + corner, vec2(0), last), 0).xyz;
        let texel_off = per_depth * abs(texel.y - depth);
        let near = 1.0 - abs(vec2<f32>(corner) - part);
        // No weight is 0, so that the only texel that shows the surface counts.
        let weight = (near.x * near.y + 1e-3) * exp2(-texel_off / SAME_DEPTH);
        sum += weight * vec2(min(texel.x, 1.0), texel.z);
        weights += weight;
        off = min(off, texel_off);
    }
    if off > OTHER_DEPTH {
        return Drawn(1.0, 1.0, off);
    }
    return Drawn(sum.x / weights, sum.y / weights, off);
}

// The shares of ambient light and of the key light that reach a point given relative to the eye, on a surface with
// this unit normal.
fn reached(from_eye: vec3<f32>, normal: vec3<f32>) -> vec2<f32> {
    var open = 1.0;
    var lit = 1.0;
    if occluded || shadow_is_drawn {
        let drawn = drawn(from_eye);
        open = drawn.open;
        lit = drawn.lit;
        // A surface narrower than a pixel may be shown by no texel.
        if shadow_is_drawn && drawn.off > NEAR_DEPTH {
            lit = hard_light_share(from_eye, normal);
        }
    }
    if shadowed && !shadow_is_drawn {
        lit = shadow_light_share(from_eye, normal, FINE).x;
    }
    return vec2(open, select(1.0, lit, shadowed));
}

// The share of ambient light that a diffuse surface of this albedo reflects where it sees this share of its
// surroundings: light bounces between the surfaces of a cavity (Jimenez et al., 2016).
fn several_bounces(open: f32, albedo: vec3<f32>) -> vec3<f32> {
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    return max(vec3(open), ((open * a + b) * open + c) * open);
}
