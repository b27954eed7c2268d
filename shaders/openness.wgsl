// Reads the ambient occlusion that occlusion.wgsl has drawn.

// Whether the ambient light is occluded.
override occluded: bool = false;

// Openness from 0 to 1, and distance ahead of the camera relative to the model.
@group(0) @binding(6) var openness_texture: texture_2d<f32>;

// Relative distances within which texels surely show the same surface, and beyond which they surely do not.
const SAME_DEPTH = 0.005;
const OTHER_DEPTH = 0.1;

// Returns the share of the surroundings that a point, given relative to the eye, can see. At silhouettes, the
// texel next to it may show its surface; a point on no shown surface is open.
fn openness(from_eye: vec3<f32>) -> f32 {
    let size = vec2<i32>(textureDimensions(openness_texture));
    let place = place_in_picture(from_eye);
    let texel = clamp(vec2<i32>(place * vec2<f32>(size)), vec2(0), size - 1);
    let depth = (-dot(from_eye, frame.backward.xyz) - frame.occlusion.y) / frame.occlusion.x;
    var found = textureLoad(openness_texture, texel, 0).xy;
    var off = abs(found.y - depth);
    if off > SAME_DEPTH {
        for (var i = 0; i < 4; i++) {
            let side = select(vec2(1 - 2 * (i & 1), 0), vec2(0, 1 - 2 * (i & 1)), i > 1);
            let other = textureLoad(openness_texture, clamp(texel + side, vec2(0), size - 1), 0).xy;
            let other_off = abs(other.y - depth);
            found = select(found, other, other_off < off);
            off = min(off, other_off);
        }
    }
    return select(found.x, 1.0, off > OTHER_DEPTH);
}

// The share of ambient light that a diffuse surface of this albedo reflects where it sees this share of its
// surroundings: light bounces between the surfaces of a cavity (Jimenez et al., 2016).
fn several_bounces(open: f32, albedo: vec3<f32>) -> vec3<f32> {
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    return max(vec3(open), ((open * a + b) * open + c) * open);
}
