// Reads what occlusion.wgsl has drawn: how much ambient light and how much of the key light reaches the surfaces
// that the camera sees.

// Whether the ambient light is occluded.
override occluded: bool = false;

// Whether a light casts a shadow.
override shadowed: bool = false;

// Whether the shadow was drawn too. Otherwise the surface looks for it itself.
override shadow_is_drawn: bool = false;

// Openness from 0 to 1, distance ahead of the camera relative to the model, share of the key light.
@group(0) @binding(6) var openness_texture: texture_2d<f32>;

// Relative distances within which texels surely show the same surface, and beyond which they surely do not.
const SAME_DEPTH = 0.005;
const OTHER_DEPTH = 0.1;

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
// shown surface is open.
fn drawn(from_eye: vec3<f32>) -> Drawn {
    let size = vec2<i32>(textureDimensions(openness_texture));
    let place = place_in_picture(from_eye);
    let texel = clamp(vec2<i32>(place * vec2<f32>(size)), vec2(0), size - 1);
    let depth = (-dot(from_eye, frame.backward.xyz) - frame.occlusion.y) / frame.occlusion.x;
    var found = textureLoad(openness_texture, texel, 0).xyz;
    var off = abs(found.y - depth);
    if off > SAME_DEPTH {
        for (var i = 0; i < 4; i++) {
            let side = select(vec2(1 - 2 * (i & 1), 0), vec2(0, 1 - 2 * (i & 1)), i > 1);
            let other = textureLoad(openness_texture, clamp(texel + side, vec2(0), size - 1), 0).xyz;
            let other_off = abs(other.y - depth);
            found = select(found, other, other_off < off);
            off = min(off, other_off);
        }
    }
    return Drawn(select(found.x, 1.0, off > OTHER_DEPTH), found.z, off);
}

// The shares of ambient light and of the key light that reach a point given relative to the eye, on a surface with
// this unit normal.
fn reached(from_eye: vec3<f32>, normal: vec3<f32>) -> vec2<f32> {
    var open = 1.0;
    var lit = -1.0;
    if occluded {
        let drawn = drawn(from_eye);
        open = drawn.open;
        lit = select(-1.0, drawn.lit, shadow_is_drawn && drawn.off <= SAME_DEPTH);
    }
    if shadowed {
        if lit < 0.0 {
            lit = shadow_light_share(from_eye, normal, FINE);
        }
    } else {
        lit = 1.0;
    }
    return vec2(open, lit);
}

// The share of ambient light that a diffuse surface of this albedo reflects where it sees this share of its
// surroundings: light bounces between the surfaces of a cavity (Jimenez et al., 2016).
fn several_bounces(open: f32, albedo: vec3<f32>) -> vec3<f32> {
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    return max(vec3(open), ((open * a + b) * open + c) * open);
}
