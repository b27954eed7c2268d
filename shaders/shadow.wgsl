// The shadow of the key light: a depth map seen from the light, filtered with a disc that grows with the
// distance of the occluder (Fernando, "Percentage-Closer Soft Shadows", 2005).

@group(0) @binding(4) var shadow_texture: texture_depth_2d;
@group(0) @binding(5) var shadow_sampler: sampler_comparison;

// A point of a surface in the map's space.
struct Receiver {
    at: vec3<f32>,
    // Change of its depth across the map in the surface's tangent plane. Along the plane, a surface does not
    // shadow itself.
    slope: vec2<f32>,
    // Cosine between the normal and the direction to the light; negative on the other side.
    facing: f32,
}

// Cosine below which a surface turns away from the light for certain, whatever its normal map.
const AWAY = -0.1;

// Whether light from behind shines through surfaces.
override shines_through: bool = false;

// Steepest slope against the light, as a tangent.
const STEEPEST = 4.0;

// Radius of the narrowest penumbra in texels, which hides the texels.
const NARROWEST = 2.0;

// Samples of a disc lie on a spiral: each is turned by the golden angle.
const GOLDEN_TURN = mat2x2<f32>(-0.7373688, 0.6754903, -0.6754903, -0.7373688);

// How a disc is sampled: the number of samples that search for occluders, that find whether a point is in the
// penumbra, and that are added there; the unit direction of the first one, and its offset along the radius.
struct Sampling {
    searched: i32,
    first: i32,
    further: i32,
    offset: f32,
    start: vec2<f32>,
}

// For a surface whose shadow is not filtered.
const FINE = Sampling(12, 8, 40, 0.5, vec2<f32>(1.0, 0.0));

// The receiver at a point given relative to the eye, on a surface with this unit normal.
fn receiver(from_eye: vec3<f32>, normal: vec3<f32>) -> Receiver {
    let map = frame.shadow_from_eye;
    let across = vec3(map[0].x, map[1].x, map[2].x);
    let away = vec3(map[0].z, map[1].z, map[2].z);
    // The side that faces the light.
    let facing = dot(normal, away) * inverseSqrt(dot(away, away));
    let n = normal * select(1.0, -1.0, facing > 0.0);
    // Steep and coarsely tessellated surfaces are moved away from their own shadow.
    let sine = sqrt(max(1.0 - facing * facing, 0.0));
    let texel = 1.0 / (frame.shadow.x * length(across));
    let lifted = from_eye + n * (texel * (0.5 + 2.5 * sine));
    let at = (map * vec4(lifted, 1.0)).xyz;
    let turned = (map * vec4(n, 0.0)).xyz;
    let ratio = frame.shadow.z * frame.shadow.x;
    let slope = -ratio * ratio * turned.xy / min(turned.z, -1e-12);
    return Receiver(at, slope * min(1.0, STEEPEST * ratio / max(length(slope), 1e-12)), -facing);
}

// Returns a number of samples as a value that compilers do not know, so that they do not unroll the loop: on
// software adapters, compiling it would take longer than drawing the picture.
fn not_unrolled(count: i32) -> i32 {
    return min(count, 1024 * i32(textureDimensions(shadow_texture).x));
}

// Share of a disc that the light reaches. The first samples are spread over the disc, and the further ones between them
// are taken only in the penumbra, where the first ones disagree.
fn open_share(r: Receiver, radius: f32, how: Sampling) -> f32 {
    let z = r.at.z - frame.shadow.z;
    var direction = how.start;
    var open = 0.0;
    var taken = 0;
    let count = not_unrolled(how.first + how.further);
    for (; taken < count; taken++) {
        if taken == how.first && (open <= 0.0 || open >= f32(how.first)) {
            break;
        }
        let is_first = taken < how.first;
        let index = f32(taken) - select(f32(how.first), 0.0, is_first) + how.offset;
        let step = radius * sqrt(index / select(f32(how.further), f32(how.first), is_first)) * direction;
        open += textureSampleCompareLevel(shadow_texture, shadow_sampler, r.at.xy + step, z + dot(r.slope, step));
        direction = GOLDEN_TURN * direction;
    }
    return open / f32(taken);
}

// Fraction of the key light that reaches a point given relative to the eye, on a surface with this unit
// normal, of either side.
fn shadow_light_share(from_eye: vec3<f32>, normal: vec3<f32>, how: Sampling) -> f32 {
    let r = receiver(from_eye, normal);
    if !shines_through && r.facing < AWAY {
        return 0.0;
    }
    if any(r.at.xy < vec2(0.0)) || any(r.at.xy > vec2(1.0)) || r.at.z > 1.0 {
        return 1.0;
    }
    let gap = gap_before(r, how);
    if gap < 0.0 {
        return 1.0;
    }
    let radius = clamp(gap * frame.shadow.y, NARROWEST / frame.shadow.x, frame.shadow.w);
    return open_share(r, radius, how);
}
