// The shadow of the key light: a depth map seen from the light, filtered with a disc that grows with the
// distance of the occluder (Fernando, "Percentage-Closer Soft Shadows", 2005).

// Depths, 1 where no occluder is.
@group(0) @binding(4) var shadow_texture: texture_2d<f32>;

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

// Radius of the disc where no occluder was found, as a fraction of the widest.
const UNKNOWN = 0.6;

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
const FINE = Sampling(16, 8, 40, 0.5, vec2<f32>(1.0, 0.0));

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
    let texel = 1.0 / (frame.shadow.texels * length(across));
    let lifted = from_eye + n * (texel * (0.5 + 2.5 * sine));
    let at = (map * vec4(lifted, 1.0)).xyz;
    let turned = (map * vec4(n, 0.0)).xyz;
    let ratio = frame.shadow.texel_depth * frame.shadow.texels;
    let slope = -ratio * ratio * turned.xy / min(turned.z, -1e-12);
    return Receiver(at, slope * min(1.0, STEEPEST * ratio / max(length(slope), 1e-12)), -facing);
}

// Returns a number of samples as a value that compilers do not know, so that they do not unroll the loop: on
// software adapters, compiling it would take longer than drawing the picture.
fn not_unrolled(count: i32) -> i32 {
    return min(count, 1024 * i32(textureDimensions(shadow_texture).x));
}

// Depth between the texel at a step from a receiver and the receiver's plane behind it; at most 0 without an occluder.
fn gap_at(r: Receiver, step: vec2<f32>) -> f32 {
    let edge = frame.shadow.texels;
    let place = clamp(floor((r.at.xy + step) * edge), vec2(0.0), vec2(edge - 1.0));
    let depth = r.at.z + dot(r.slope, (place + 0.5) / edge - r.at.xy);
    return min(depth, 1.0) - textureLoad(shadow_texture, vec2<i32>(place), 0).x;
}

// What a search for occluders finds.
struct Found {
    // Average depth between the receiver and the occluders that hide part of the light from it; without any, the
    // average of all occluders; 0 without any.
    gap: f32,
    // Share of the samples with an occluder.
    share: f32,
}

// Whether an occluder is within the penumbra that its own gap has: farther away, it does not hide the light.
fn hides(gap: f32, step: vec2<f32>) -> bool {
    let reach = max(gap * frame.shadow.penumbra_per_depth, NARROWEST / frame.shadow.texels);
    return dot(step, step) <= reach * reach;
}

// Searches for occluders within the radius of the widest penumbra.
fn search(r: Receiver, how: Sampling) -> Found {
    var direction = how.start;
    // Numbers of occluders and sums of their gaps: of those that hide light, and of all.
    var counts = vec2(0.0);
    var gaps = vec2(0.0);
    let count = not_unrolled(how.searched);
    for (var i = 0; i < count; i++) {
        // Denser in the middle, so that narrow occluders are found where they touch the receiver.
        let share = (f32(i) + how.offset) / f32(how.searched);
        let step = frame.shadow.widest_penumbra * share * sqrt(share) * direction;
        let gap = gap_at(r, step);
        let is_before = gap > 2.0 * frame.shadow.texel_depth;
        let part = select(vec2(0.0), vec2(1.0), vec2(is_before && hides(gap, step), is_before));
        counts += part;
        gaps += part * gap;
        direction = GOLDEN_TURN * direction;
    }
    let means = gaps / max(counts, vec2(1.0));
    return Found(select(means.y, means.x, counts.x > 0.0), counts.y / f32(how.searched));
}

// Share of a disc that the light reaches. The first samples are spread over the disc, and the further ones between
// them. They are left out where the search for occluders and the first samples agree that all or no light is hidden.
fn open_share(r: Receiver, radius: f32, found: Found, how: Sampling) -> f32 {
    var direction = how.start;
    var open = 0.0;
    var taken = 0;
    let count = not_unrolled(how.first + how.further);
    for (; taken < count; taken++) {
        let is_first = taken < how.first;
        let agreed = open + found.share * f32(how.first) == f32(how.first);
        if taken == how.first && agreed && (found.share == 0.0 || found.share == 1.0) {
            break;
        }
        let index = f32(taken) - select(f32(how.first), 0.0, is_first) + how.offset;
        let step = radius * sqrt(index / select(f32(how.further), f32(how.first), is_first)) * direction;
        let gap = gap_at(r, step);
        // Without a known gap the disc is not that of the penumbra.
        open += select(1.0, 0.0, gap > frame.shadow.texel_depth && (found.share > 0.0 || hides(gap, step)));
        direction = GOLDEN_TURN * direction;
    }
    return open / f32(taken);
}

// Whether no shadow is looked for at a receiver, and the share of light there.
struct Known {
    is_known: bool,
    share: f32,
}

fn known(r: Receiver) -> Known {
    let is_away = !shines_through && r.facing < AWAY;
    let is_outside = any(r.at.xy < vec2(0.0)) || any(r.at.xy > vec2(1.0)) || r.at.z > 1.0;
    return Known(is_away || is_outside, select(1.0, 0.0, is_away));
}

// Fraction of the key light that reaches a point given relative to the eye, on a surface with this unit
// normal, of either side; and the radius of the penumbra as a
// fraction of the map, 0 without one.
fn shadow_light_share(from_eye: vec3<f32>, normal: vec3<f32>, how: Sampling) -> vec2<f32> {
    let r = receiver(from_eye, normal);
    let known = known(r);
    if known.is_known {
        return vec2(known.share, 0.0);
    }
    let found = search(r, how);
    // A search with few samples misses narrow occluders, so without one the disc has a middle size.
    let wanted = select(UNKNOWN * frame.shadow.widest_penumbra, found.gap * frame.shadow.penumbra_per_depth, found.share > 0.0);
    let radius = clamp(wanted, NARROWEST / frame.shadow.texels, frame.shadow.widest_penumbra);
    let share = open_share(r, radius, found, how);
    return vec2(share, select(0.0, radius, found.share > 0.0 || share < 1.0));
}

// The same without a soft edge.
fn hard_light_share(from_eye: vec3<f32>, normal: vec3<f32>) -> f32 {
    let r = receiver(from_eye, normal);
    let known = known(r);
    if known.is_known {
        return known.share;
    }
    return select(0.0, 1.0, gap_at(r, vec2(0.0)) <= frame.shadow.texel_depth);
}
